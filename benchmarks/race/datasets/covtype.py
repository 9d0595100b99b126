"""Forest cover: class 2 against the rest."""

import numpy as np
from benchmark_utils.data import SPARSE_SVM, SVM, Data, csr

from pdprox.datasets import fetch_covtype


class Dataset(Data):
    """Columns scaled to [0, 1]; 44 of 54 are indicators, so sparse rows."""

    name = "covtype"
    title = "covtype 581012x54"
    parameters = {"problem": SPARSE_SVM + SVM}

    def load(self):
        """X and y."""
        X, y = fetch_covtype()
        low, high = X.min(axis=0), X.max(axis=0)
        return csr((X - low) / np.where(high > low, high - low, 1.0)), np.where(y == 2, 1.0, -1.0)
