"""Bardet-Biedl syndrome: gene expressions as splines, five columns each."""

import numpy as np
from benchmark_utils.data import Data, found


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
        z = np.load(found("bardet.npz"))
        return np.ascontiguousarray(z["X"], dtype=float), z["y"].astype(float).ravel(), z["groups"].ravel()
