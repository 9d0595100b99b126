"""California housing."""

import lzma

import numpy as np
from benchmark_utils.data import QUANTILES, ROBUST, Data, found, standardised


class Dataset(Data):
    """Standardised columns; house values in units of 100,000 dollars."""

    name = "cal-housing"
    title = "cal_housing 20640x8"
    parameters = {"problem": QUANTILES + ROBUST}

    def load(self):
        """X and y."""
        with lzma.open(found("cal_housing.data.xz"), "rt") as file:
            table = np.loadtxt(file, delimiter=",")
        return standardised(table[:, :8]), table[:, 8] / 1e5
