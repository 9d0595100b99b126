"""20 Newsgroups with bigrams: computers, sales and science against the rest."""

import numpy as np
from benchmark_utils.data import SPARSE_SVM, SVM, Data, unit_rows

from pdprox.datasets import fetch_bigrams


class Dataset(Data):
    """Rows of length 1."""

    name = "bigrams"
    title = "bigrams 11293x926435"
    parameters = {"problem": SPARSE_SVM + SVM}

    def load(self):
        """X and y."""
        X, y = fetch_bigrams()
        positive = ((y >= 1) & (y <= 6)) | ((y >= 11) & (y <= 14))
        return unit_rows(X), np.where(positive, 1.0, -1.0)
