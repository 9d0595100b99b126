"""California housing."""

from benchmark_utils.data import QUANTILES, ROBUST, Data, standardised

from pdprox.datasets import fetch_cal_housing


class Dataset(Data):
    """Standardised columns; house values in units of 100,000 dollars."""

    name = "cal-housing"
    title = "cal_housing 20640x8"
    parameters = {"problem": QUANTILES + ROBUST}

    def load(self):
        """X and y."""
        X, y = fetch_cal_housing()
        return standardised(X), y / 1e5
