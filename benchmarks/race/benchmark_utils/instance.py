"""One problem of the race, in words that every peer can translate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

import pdprox
from pdprox import losses, penalties

#: penalty -> the family whose geometric mean it counts in
FAMILIES = {
    "l1": "l1", "l2": "l2", "group": "group", "sparse_group": "group", "square": "square", "linf": "sizes",
    "exclusive": "sizes",
}  # fmt: skip
#: the sparse group penalty's share of l1
L1_RATIO = 0.5


@dataclass(frozen=True)
class Ramps:
    """A broken line with least value 0, as at most one ramp down and one ramp up.

    ``loss(t) = down * (left - t)_+ + up * (t - right)_+``
    """

    down: float
    left: float
    up: float
    right: float


@dataclass(frozen=True, eq=False)
class Instance:
    """Data, loss, penalty and lam; the objective is the mean loss plus ``lam R(w)``."""

    #: the name of the instance everywhere
    title: str
    X: Any
    y: np.ndarray
    loss: losses.Loss
    penalty: str
    lam: float
    intercept: bool
    groups: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def family(self) -> str:
        """Which geometric mean it counts in."""
        return FAMILIES[self.penalty]

    @property
    def loss_name(self) -> str:
        """The loss, for peers that have a name for it."""
        return {
            losses.Hinge: "hinge",
            losses.Absolute: "absolute",
            losses.EpsilonInsensitive: "eps-insensitive",
            losses.Pinball: "pinball",
        }[type(self.loss)]

    @property
    def C(self) -> float:
        """The factor of the summed loss when the penalty has factor 1."""
        return 1.0 / (self.lam * self.n)

    @property
    def ramps(self) -> Ramps:
        """The loss as ramps; the losses of the race have no more than one on each side."""
        line = self.loss.broken_line
        assert line is not None
        down, up = float(-line.slopes[0]), float(line.slopes[-1])
        left = float(line.kinks[0]) if down > 0 else -np.inf
        right = float(line.kinks[-1]) if up > 0 else np.inf
        return Ramps(down, left, up, right)

    @property
    def signs(self) -> np.ndarray:
        """What a prediction is multiplied by: y for losses of the margin, 1 for losses of the residual."""
        return self.y if self.loss.reads == "margin" else np.ones(self.n)

    @property
    def offset(self) -> np.ndarray:
        """What is then taken away: nothing, or y."""
        return np.zeros(self.n) if self.loss.reads == "margin" else self.y

    def rows(self) -> sp.csr_array:
        """X with each row multiplied by its sign, as sparse rows; a column of signs for the intercept."""
        X = sp.csr_array(self.X, dtype=np.float64)
        if self.intercept:
            X = sp.hstack([X, np.ones((self.n, 1))], format="csr")
        return sp.csr_array(sp.diags_array(self.signs) @ X)

    @cached_property
    def members(self) -> list[np.ndarray]:
        """The features of each group."""
        assert self.groups is not None
        return [np.flatnonzero(self.groups == label) for label in np.unique(self.groups)]

    @cached_property
    def problem(self) -> pdprox.Problem:
        """The same in pdprox's words: what the judge reads, and what pdprox solves."""
        return pdprox.Problem(self.X, self.y, self.loss, self.price(), self.lam, self.intercept)

    def price(self) -> penalties.Penalty:
        """The penalty as an object."""
        return penalty_of(self.penalty, self.groups)


def penalty_of(name: str, groups: np.ndarray | None) -> penalties.Penalty:
    """The penalty that the race knows by this name."""
    if name == "l1":
        return penalties.L1()
    if name == "l2":
        return penalties.SquaredL2()
    if name == "group":
        return penalties.GroupLasso(groups)
    if name == "sparse_group":
        return penalties.SparseGroupLasso(groups, L1_RATIO)
    if name == "linf":
        return penalties.LInf()
    if name == "exclusive":
        return penalties.ExclusiveLasso(groups)
    return penalties.SquaredSumOfNorms(groups)
