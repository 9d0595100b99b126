"""The same with many more rows."""

from benchmark_utils.data import SPARSE_SVM, Data, gaussian


class Dataset(Data):
    """AR(1) columns with correlation 0.5, 20 of them relevant, unit noise; signs of the response."""

    name = "gaussian-tall"
    title = "Gaussian 100000x200"
    parameters = {"problem": SPARSE_SVM}

    def load(self):
        """X and y."""
        return gaussian(100_000, 200)
