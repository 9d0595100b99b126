"""Arcene: cancer or not, from mass spectra."""

import numpy as np
from benchmark_utils.data import SPARSE_SVM, Data, found, standardised


class Dataset(Data):
    """Standardised columns."""

    name = "arcene"
    title = "arcene 100x10000"
    parameters = {"problem": SPARSE_SVM}

    def load(self):
        """X and y."""
        z = np.load(found("arcene_train.npz"))
        return standardised(z["X"].astype(float)), z["y"].astype(float)
