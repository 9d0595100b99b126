"""20 Newsgroups as LIBSVM has it: the first ten groups against the others."""

import numpy as np
from benchmark_utils.data import SPARSE_SVM, SVM, Data, libsvm, unit_rows


class Dataset(Data):
    """Rows of length 1."""

    name = "news20"
    title = "news20 15935x62061"
    parameters = {"problem": SPARSE_SVM + SVM}

    def load(self):
        """X and y."""
        X, y = libsvm("news20.xz")
        return unit_rows(X), np.where(y <= 10, 1.0, -1.0)
