"""Splice junctions in DNA: 60 positions, a group of three indicators each."""

from benchmark_utils.data import Data

from pdprox.datasets import load_splice_junction


class Dataset(Data):
    """The copy that comes with pdprox."""

    name = "splice"
    title = "splice junction 3186x180"
    parameters = {
        "problem": [
            f"hinge-{name}-{strength}" for name in ("group", "sparse_group", "linf", "exclusive")
            for strength in (0.1, 0.01)
        ]
    }  # fmt: skip

    def load(self):
        """X and y."""
        data = load_splice_junction()
        return data.X, data.y, data.groups
