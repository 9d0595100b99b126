"""Arcene: cancer or not, from mass spectra."""

from benchmark_utils.data import SPARSE_SVM, Data, standardised

from pdprox.datasets import fetch_arcene


class Dataset(Data):
    """Standardised columns."""

    name = "arcene"
    title = "arcene 100x10000"
    parameters = {"problem": SPARSE_SVM}

    def load(self):
        """X and y."""
        X, y = fetch_arcene()
        return standardised(X), y
