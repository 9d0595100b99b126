"""Small quantile regressions far from the origin, of the sizes in benchopt's own quantile benchmark."""

from benchmark_utils.data import QUANTILES, Data, gaussian


class Dataset(Data):
    """A fifth of the columns relevant; 100 is added to the response, so that the intercept matters."""

    name = "quantile"
    parameters = {"n": [100, 1000], "problem": QUANTILES}
    columns = {100: 50, 1000: 200}

    @property
    def title(self):
        """With its size."""
        return f"Gaussian + 100 {self.n}x{self.columns[self.n]}"

    def load(self):
        """X and y."""
        d = self.columns[self.n]
        X, y = gaussian(self.n, d, d // 5)
        return X, y + 100.0
