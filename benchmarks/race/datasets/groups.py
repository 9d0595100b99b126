"""Correlated Gaussian columns in groups of five, ten of which are relevant."""

import numpy as np
from benchmark_utils.data import SIZES, Data, ar1


class Dataset(Data):
    """The noise is as strong as the signal."""

    name = "groups"
    title = "Gaussian groups 5000x500"
    parameters = {
        "problem": [
            *(f"{loss}-{name}-{share}" for loss in ("hinge", "pinball0.5") for name in ("group", "sparse_group")
              for share in (0.1, 0.01)),
            *(f"hinge-square-{lam}" for lam in (0.1, 0.01)),
            *SIZES,
        ]
    }  # fmt: skip

    def load(self):
        """X and y."""
        n, d, size = 5000, 500, 5
        rng = np.random.default_rng(0)
        X, w, groups = ar1(rng, n, d), np.zeros(d), np.arange(d) // size
        w[np.isin(groups, rng.choice(d // size, 10, replace=False))] = rng.standard_normal(10 * size)
        z = X @ w
        return X, z + z.std() * rng.standard_normal(n), groups
