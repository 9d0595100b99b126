"""20 Newsgroups as LIBSVM has it: the first ten groups against the others."""

import numpy as np
from benchmark_utils.data import SPARSE_SVM, SVM, Data, unit_rows

from pdprox.datasets import fetch_news20


class Dataset(Data):
    """Rows of length 1."""

    name = "news20"
    title = "news20 15935x62061"
    parameters = {"problem": SPARSE_SVM + SVM}

    def load(self):
        """X and y."""
        X, y = fetch_news20()
        return unit_rows(X), np.where(y <= 10, 1.0, -1.0)
