"""Bardet-Biedl syndrome: gene expressions as splines, five columns each."""

from benchmark_utils.data import Data

from pdprox.datasets import fetch_bardet


class Dataset(Data):
    """As it is."""

    name = "bardet"
    title = "bardet 120x100"
    parameters = {
        "problem": [
            f"pinball0.5-{name}-{share}" for name in ("group", "sparse_group") for share in (0.1, 0.01)
        ]
    }

    def load(self):
        """X and y."""
        data = fetch_bardet()
        return data.X, data.y, data.groups
