"""Sums over groups of features."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdprox.penalties.atoms import L1, L2, LInf
from pdprox.penalties.base import BrokenLineNorm, Penalty
from pdprox.penalties.groups import EveryRow, partition
from pdprox.penalties.rows import RowNorm
from pdprox.penalties.shaped import Squared
from pdprox.penalties.tariff import Levels, Tariff, grouped
from pdprox.typing import Array, Floats, Mask
from pdprox.values import ByValue, charges, ratio, settle
from pdprox.vectors import dot, floating


@dataclass(frozen=True, eq=False)
class OverGroups(ByValue, Penalty):
    """What the sums over groups share: the partition, and a weight q_g for each group."""

    inner: Any
    groups: Any
    weights: ArrayLike | str | None = None
    monotone = True

    def __post_init__(self) -> None:
        if not isinstance(self.inner, RowNorm):
            raise ValueError(f"the norm of a group must be one of L1(), L2(), LInf(), got {self.inner!r}")
        if isinstance(self.inner, L1) and self.inner.weights is not None:
            raise ValueError(f"{self.inner!r} has weights for single features; give weights to the groups")
        settle(self, groups=partition(self.groups))
        if isinstance(self.weights, str):
            if self.weights != "sqrt":
                raise ValueError(
                    f"weights must be 'sqrt', None or one number per group, got {self.weights!r}"
                )
        elif self.weights is not None:
            settle(self, weights=charges(self.weights, "weights"))
            if self.groups.dimension is not None:
                self._charges(self.groups.dimension)

    def _charges(self, d: int) -> Floats:
        """The q_g."""
        sizes: NDArray[np.intp] = self.groups.sizes(d)
        if self.weights is None:
            return np.ones(len(sizes))
        if isinstance(self.weights, str):
            return np.sqrt(sizes)
        q = np.asarray(self.weights, dtype=np.float64)
        if q.shape != sizes.shape:
            raise ValueError(
                f"weights must be one number for each of the {len(sizes)} groups, got shape {q.shape}"
            )
        return q

    @abstractmethod
    def _shrink(self, rows: Array, steps: Floats) -> Array:
        """prox of one step for each group, a row being a group."""

    def prox(self, v: Array, step: float | Array) -> Array:
        v = floating(v)
        own = np.asarray(step, dtype=np.float64)
        steps = self._charges(len(v)) * (self.groups.first(own) if own.ndim else own)
        blocks = [self._shrink(rows, steps[members]) for members, rows in self.groups.split(v)]
        joined: Array = self.groups.join(blocks, v)
        return joined

    @property
    def dimension(self) -> int | None:
        parted: int | None = self.groups.dimension
        weighted = self.weights is not None and not isinstance(self.weights, str)
        return len(np.asarray(self.weights)) if parted is None and weighted else parted

    def blocks(self, shape: tuple[int, ...]) -> np.ndarray:
        return _spread(self.groups.of_rows(shape[0]), shape)

    def free(self, shape: tuple[int, ...]) -> Mask:
        unpenalised: Mask = self._charges(shape[0]) == 0
        return _spread(unpenalised[self.groups.of_rows(shape[0])], shape)


@dataclass(frozen=True, eq=False)
class PerGroup(OverGroups, BrokenLineNorm):
    r"""The sum over groups of a norm.

    .. math:: R(w) = \sum_g q_g \|w_g\|, \qquad \mathrm{prox}_{tR}(v)_g = \mathrm{prox}_{t q_g \|\cdot\|}(v_g)

    The dual norm is the largest :math:`\|u_g\|_* / q_g`.  ``PerGroup(Squared(norm), groups)`` stands for
    ``SquaredPerGroup(norm, groups)``, which is not a norm.

    Parameters
    ----------
    inner : L1(), L2() or LInf()
        The norm of one group.  Groups take rows of a matrix w; a group is all entries of its rows.
    groups : array of d labels, or list of lists of feature numbers
    weights : array, "sqrt" or None, default=None
        The q_g: one for each group, the square root of its number of features, or 1.  0 leaves a
        group unpenalised.
    """

    def __new__(cls, inner: Any = None, groups: Any = None, weights: Any = None) -> Any:
        if isinstance(inner, Squared):
            return SquaredPerGroup(inner.norm, groups, weights)
        return super().__new__(cls)

    @classmethod
    def specimens(cls) -> list[PerGroup]:
        return [
            cls(LInf(), [[4, 0], [1, 2, 6], [5], [3]], weights=[1.0, 0.5, 0.0, 2.0]),
            cls(L1(), [7, 7, 2, 2, 5, 5], weights="sqrt"),
            cls(L2(), EveryRow()),
        ]

    def _shrink(self, rows: Array, steps: Floats) -> Array:
        inner: RowNorm = self.inner
        return inner.shrinks(rows, steps)

    def value(self, w: Array) -> float:
        q = self._charges(len(w))
        return sum(dot(q[members], self.inner.norms(rows)) for members, rows in self.groups.split(w))

    def dual_norm(self, u: Array) -> float:
        q = self._charges(len(u))
        return max(
            float(ratio(self.inner.polars(rows), q[members]).max(initial=0.0))
            for members, rows in self.groups.split(u)
        )

    def fall(self, v: Array) -> tuple[Floats, Floats]:
        q = self._charges(len(v))
        knots, drops = [], []
        for members, rows in self.groups.split(v):
            charge = q[members][:, None]
            knot, drop = self.inner.falls(rows)
            knots.append(ratio(np.where(charge > 0, knot, 0.0), charge).ravel())
            drops.append((drop * charge * charge).ravel())
        return np.concatenate(knots), np.concatenate(drops)

    def tariff(self, d: int) -> Tariff | None:
        q, labels = self._charges(d), self.groups.of_rows(d)
        if isinstance(self.inner, L1):
            return Tariff(q[labels], np.zeros(d))
        return grouped(labels, q) if isinstance(self.inner, L2) else None

    def levels(self, d: int) -> Levels | None:
        q = self._charges(d)
        return Levels(self.groups.of_rows(d), q, np.zeros_like(q)) if isinstance(self.inner, LInf) else None


@dataclass(frozen=True, eq=False)
class SquaredPerGroup(OverGroups):
    r"""The sum over groups of a squared norm; not a norm itself.

    .. math:: R(w) = \sum_g q_g \|w_g\|^2, \qquad R^*(u) = \sum_g \|u_g\|_*^2 / (4 q_g)

    Parameters are those of ``PerGroup``, and ``PerGroup(Squared(norm), groups)`` makes one.
    """

    @classmethod
    def specimens(cls) -> list[SquaredPerGroup]:
        return [
            cls(LInf(), [0, 1, 1, 2, 2, 2, 0], weights=[1.0, 0.0, 0.2]),
            cls(L1(), EveryRow()),
            cls(L2(), [[0, 1, 2, 3, 4]]),
        ]

    def _shrink(self, rows: Array, steps: Floats) -> Array:
        inner: RowNorm = self.inner
        return inner.square_shrinks(rows, steps)

    def value(self, w: Array) -> float:
        q = self._charges(len(w))
        return sum(dot(q[members], self.inner.norms(rows) ** 2) for members, rows in self.groups.split(w))

    def conjugate(self, u: Array) -> float:
        q = self._charges(len(u))
        return 0.25 * sum(
            float(ratio(self.inner.polars(rows) ** 2, q[members]).sum())
            for members, rows in self.groups.split(u)
        )

    def tariff(self, d: int) -> Tariff | None:
        q, labels = self._charges(d), self.groups.of_rows(d)
        return Tariff(np.zeros(d), 2.0 * q[labels]) if isinstance(self.inner, L2) else None

    def levels(self, d: int) -> Levels | None:
        if isinstance(self.inner, L2):
            return None
        q = self._charges(d)
        return Levels(self.groups.of_rows(d), np.zeros_like(q), q, isinstance(self.inner, L1))


def _spread(of_rows: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A value for each row, repeated for each entry of the row."""
    return np.array(np.broadcast_to(of_rows.reshape((-1,) + (1,) * (len(shape) - 1)), shape))
