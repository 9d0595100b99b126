"""Correlated Gaussian columns, 20 of them relevant, unit noise; signs of the response for the hinge."""

from benchmark_utils.data import QUANTILES, ROBUST, SPARSE_SVM, Data, gaussian


class Dataset(Data):
    """AR(1) columns with correlation 0.5."""

    name = "gaussian"
    title = "Gaussian 5000x500"
    parameters = {"problem": SPARSE_SVM + QUANTILES + ROBUST}

    def load(self):
        """X and y."""
        return gaussian(5000, 500)
