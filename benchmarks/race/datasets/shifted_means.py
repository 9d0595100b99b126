"""Two classes of Gaussians whose first ten means are 1 and -1: far more columns than rows."""

import numpy as np
from benchmark_utils.data import SPARSE_SVM, Data


class Dataset(Data):
    """Columns of length 1, correlated by 0.1, as in Dedieu, Antonucci and Mazumder (JMLR 2022)."""

    name = "shifted-means"
    title = "shifted means 100x10000"
    parameters = {"problem": SPARSE_SVM}

    def load(self):
        """X and y."""
        n, d, rho = 100, 10_000, 0.1
        rng = np.random.default_rng(0)
        y = np.repeat([1.0, -1.0], n // 2)
        X = np.sqrt(1 - rho) * rng.standard_normal((n, d)) + np.sqrt(rho) * rng.standard_normal((n, 1))
        X[:, :10] += y[:, None]
        return X / np.linalg.norm(X, axis=0), y
