"""Adult, known as a9a: indicators of 14 attributes."""

from benchmark_utils.data import SPARSE_SVM, SVM, Data, csr

from pdprox.datasets import load_adult


class Dataset(Data):
    """The copy that comes with pdprox."""

    name = "a9a"
    title = "a9a 32561x123"
    parameters = {"problem": SPARSE_SVM + SVM}

    def load(self):
        """X and y."""
        data = load_adult()
        return csr(data.X), data.y
