"""Web pages, w8a: thousands of equal rows."""

from benchmark_utils.data import SPARSE_SVM, SVM, Data

from pdprox.datasets import fetch_w8a


class Dataset(Data):
    """As it is."""

    name = "w8a"
    title = "w8a 49749x300"
    parameters = {"problem": SPARSE_SVM + SVM}

    def load(self):
        """X and y."""
        return tuple(fetch_w8a())
