"""Dorothea: which molecules bind; 88119 indicators of 800 molecules."""

from benchmark_utils.data import SPARSE_SVM, Data

from pdprox.datasets import fetch_dorothea


class Dataset(Data):
    """As it is."""

    name = "dorothea"
    title = "dorothea 800x88119"
    parameters = {"problem": SPARSE_SVM}

    def load(self):
        """X and y."""
        return tuple(fetch_dorothea())
