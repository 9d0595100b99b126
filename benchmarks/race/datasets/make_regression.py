"""scikit-learn's make_regression."""

from benchmark_utils.data import QUANTILES, Data
from sklearn.datasets import make_regression


class Dataset(Data):
    """Ten informative columns, noise 10."""

    name = "make-regression"
    parameters = {"n": [10_000, 1_000_000], "problem": QUANTILES}
    columns = {10_000: 100, 1_000_000: 50}

    @property
    def title(self):
        """With its size."""
        return f"make_regression {self.n}x{self.columns[self.n]}"

    def load(self):
        """X and y."""
        return make_regression(self.n, self.columns[self.n], noise=10, random_state=0)
