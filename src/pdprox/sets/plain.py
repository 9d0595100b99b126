"""Products of intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pdprox.sets.base import ConvexSet
from pdprox.typing import Array, Floats
from pdprox.values import ByValue, frozen, number, per_entry, refuse, settle
from pdprox.vectors import floating, narrow


@dataclass(frozen=True)
class WholeSpace(ConvexSet):
    r"""No constraint.

    .. math:: Q = R^d, \qquad \sigma_Q(u) = 0 \text{ if } u = 0, \text{ infinite otherwise}
    """

    separable = True

    @classmethod
    def specimens(cls) -> list[WholeSpace]:
        return [cls()]

    def project(self, v: Array) -> Array:
        return floating(v).copy()

    def support(self, u: Array) -> float:
        return float("inf") if np.any(u) else 0.0


@dataclass(frozen=True, eq=False)
class Box(ByValue, ConvexSet):
    r"""An interval for each entry; infinite ends are allowed.

    .. math:: Q = \{w : l_j \le w_j \le h_j\}, \qquad \sigma_Q(u) = \sum_j \max(l_j u_j,\; h_j u_j)

    Parameters
    ----------
    lo, hi : float or array of shape (d,) or (d, K)
    """

    lo: ArrayLike = -np.inf
    hi: ArrayLike = np.inf
    separable = True

    def __post_init__(self) -> None:
        lo, hi = interval(self.lo, self.hi)
        settle(self, lo=lo, hi=hi)

    @classmethod
    def specimens(cls) -> list[Box]:
        return [cls(-1.0, 0.5), cls([-np.inf, 0.0, -1.0, 2.0], [0.0, np.inf, np.inf, 2.0]), cls(hi=0.0)]

    @property
    def dimension(self) -> int | None:
        return common_rows(lo=self.lo, hi=self.hi)

    def check(self, shape: tuple[int, ...]) -> None:
        self._ends(shape)

    def _ends(self, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        return per_entry(np.asarray(self.lo), shape, "lo"), per_entry(np.asarray(self.hi), shape, "hi")

    def project(self, v: Array) -> Array:
        v = floating(v)
        lo, hi = self._ends(v.shape)
        return np.clip(v, narrow(lo, v), narrow(hi, v))

    def support(self, u: Array) -> float:
        lo, hi = self._ends(np.shape(u))
        return float(reach(np.asarray(u, dtype=np.float64), lo, hi).sum())


@dataclass(frozen=True)
class NonNegative(ConvexSet):
    r"""No entry below zero.

    .. math:: Q = \{w : w_j \ge 0\}, \qquad \sigma_Q(u) = 0 \text{ if } u \le 0, \text{ infinite otherwise}
    """

    separable = True

    @classmethod
    def specimens(cls) -> list[NonNegative]:
        return [cls()]

    def project(self, v: Array) -> Array:
        return np.maximum(floating(v), 0.0)

    def support(self, u: Array) -> float:
        return float("inf") if np.any(np.asarray(u) > 0) else 0.0


@dataclass(frozen=True)
class LInfBall(ConvexSet):
    r"""No entry larger than r.

    .. math:: Q = \{w : |w_j| \le r\}, \qquad \sigma_Q(u) = r \sum_j |u_j|

    Parameters
    ----------
    radius : float, default=1.0
        The r >= 0.
    """

    radius: float = 1.0
    separable = True

    def __post_init__(self) -> None:
        settle(self, radius=size(self.radius, "radius"))

    @classmethod
    def specimens(cls) -> list[LInfBall]:
        return [cls(), cls(0.25), cls(0.0)]

    def project(self, v: Array) -> Array:
        v = floating(v)
        bound = narrow(self.radius, v)
        return np.clip(v, -bound, bound)

    def support(self, u: Array) -> float:
        return self.radius * float(np.abs(u).sum(dtype=np.float64))


def size(value: float, name: str, otherwise: str = "use WholeSpace()") -> float:
    """A finite number >= 0; ``otherwise`` says what to do where there is no bound."""
    if not 0.0 <= number(value, name) < np.inf:
        raise ValueError(f"{name} must be finite and >= 0, got {value}; where there is no bound {otherwise}")
    return float(value)


def interval(lo: ArrayLike, hi: ArrayLike) -> tuple[float | Floats, float | Floats]:
    """The ends of intervals, each a number or a read-only array, with lo <= hi."""
    low, high = frozen(lo, "lo"), frozen(hi, "hi")
    if low.ndim and high.ndim and low.shape != high.shape:
        raise ValueError(f"lo and hi must have one shape, got {low.shape} and {high.shape}")
    refuse(np.isposinf(low), low, "lo", "less than infinity")
    refuse(np.isneginf(high), high, "hi", "more than -infinity")
    low_all, high_all = np.broadcast_arrays(low, high)
    refuse(low_all > high_all, low_all, "lo", "at most hi")
    return number_or_array(low), number_or_array(high)


def number_or_array(array: Floats) -> float | Floats:
    """A float in place of an array of no dimensions."""
    return array if array.ndim else float(array)


def common_rows(**parameters: ArrayLike | None) -> int | None:
    """The number of rows of the parameters that are arrays; None if there is none."""
    arrays = {name: np.asarray(value) for name, value in parameters.items() if value is not None}
    rows = {name: len(array) for name, array in arrays.items() if array.ndim}
    if len(set(rows.values())) > 1:
        raise ValueError(f"parameters must have equally many rows, got {rows}")
    return next(iter(rows.values()), None)


def reach(u: Floats, lo: Floats, hi: Floats) -> Floats:
    """max(lo u, hi u) by entry, with 0 times infinity = 0."""
    with np.errstate(invalid="ignore"):
        return np.where(u > 0, hi * u, np.where(u < 0, lo * u, 0.0))
