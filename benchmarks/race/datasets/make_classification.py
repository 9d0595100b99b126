"""scikit-learn's make_classification, unscaled: hard for coordinate descent when C is large."""

import numpy as np
from benchmark_utils.data import SVM, Data
from sklearn.datasets import make_classification


class Dataset(Data):
    """20 of 50 columns are informative."""

    name = "make-classification"
    title = "make_classification 20000x50"
    parameters = {"problem": SVM}

    def load(self):
        """X and y."""
        X, y = make_classification(20_000, 50, n_informative=20, random_state=0)
        return X, np.where(y > 0, 1.0, -1.0)
