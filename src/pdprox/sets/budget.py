"""Boxes cut by one linear constraint: budgets on dual variables, and duals of a free intercept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from pdprox.sets.base import ConvexSet
from pdprox.sets.breakpoints import multiplier
from pdprox.sets.plain import common_rows, interval, number_or_array, reach, size
from pdprox.typing import Array, Floats
from pdprox.values import ByValue, frozen, per_entry, refuse, settle
from pdprox.vectors import dot, floating, narrow


@dataclass(frozen=True, eq=False)
class BoxBudget(ByValue, ConvexSet):
    r"""A box cut by a half-space or a hyperplane.

    .. math:: Q = \{x : l_i \le x_i \le h_i,\; \textstyle\sum_i v_i x_i \le \rho \text{ (or } = \rho)\}

    The nearest point is :math:`\mathrm{clip}(y_i - \eta v_i / m_i,\; l_i, h_i)`; the paper bisects for
    :math:`\eta`, here a search over breakpoints ends after finitely many steps.  The support function is a
    fractional knapsack: entries are served in the order of :math:`u_i / v_i`.

    Parameters
    ----------
    lo, hi : float or array
        The ends of the intervals; infinite ones are allowed.
    v : float or array
        The normal of the hyperplane, of any signs.
    rho : float
    equality : bool, default=False
        Whether the sum must equal rho.
    metric : array, optional
        The m > 0 of the norm :math:`\sum_i m_i x_i^2` in which ``project`` measures distance.

    References
    ----------
    Yang, Mahdavi, Jin and Zhu, "An efficient primal dual prox method for non-smooth optimization".
    """

    lo: ArrayLike
    hi: ArrayLike
    v: ArrayLike
    rho: float
    equality: bool = False
    metric: ArrayLike | None = None

    def __post_init__(self) -> None:
        lo, hi = interval(self.lo, self.hi)
        v = frozen(self.v, "v")
        refuse(np.isinf(v), v, "v", "finite")
        if not np.isfinite(self.rho):
            raise ValueError(f"rho must be finite, got {self.rho}; where there is no budget use Box(lo, hi)")
        settle(self, lo=lo, hi=hi, v=number_or_array(v), rho=float(self.rho))
        if self.metric is not None:
            settle(self, metric=number_or_array(positive(self.metric, "metric")))
        if self.dimension == 0:
            raise ValueError(
                "lo, hi, v and metric must be numbers or have an entry for each row, got empty ones"
            )
        if self.dimension is not None:
            self._require_feasible(self._one_copy[0].size)

    @classmethod
    def specimens(cls) -> list[BoxBudget]:
        signs = [1.0, -2.0, 0.5, 0.0, -1.0]
        return [
            cls(0.0, 1.0, 1.0, 2.0),
            cls(-1.0, [1.0, 2.0, np.inf, 0.5, np.inf], signs, 0.5, metric=[1.0, 4.0, 0.25, 1.0, 2.0]),
            cls([-np.inf, -1.0, 0.0, 0.0, -2.0], [np.inf, 1.0, 0.0, 3.0, 1.0], signs, -0.25, equality=True),
        ]

    @property
    def dimension(self) -> int | None:
        return common_rows(lo=self.lo, hi=self.hi, v=self.v, metric=self.metric)

    def check(self, shape: tuple[int, ...]) -> None:
        self._vectors(shape)

    @cached_property
    def _one_copy(self) -> tuple[Floats, float, float]:
        """v at full length, and the least and the largest sum over the box."""
        lo, hi, v = np.broadcast_arrays(self.lo, self.hi, np.asarray(self.v, dtype=np.float64))
        return v, 0.0 - float(reach(-v, lo, hi).sum()), float(reach(v, lo, hi).sum())

    def _require_feasible(self, entries: int) -> None:
        v, least, most = self._one_copy
        least, most = least * (entries / v.size), most * (entries / v.size)
        slack = 1e-12 * abs(self.rho)
        above = self.equality and self.rho > most + slack + 1e-12 * abs(most)
        if self.rho < least - slack - 1e-12 * abs(least) or above:
            raise ValueError(
                f"no x in the box has <v, x> {'=' if self.equality else '<='} rho = {self.rho}: "
                f"it ranges from {least} to {most}; choose rho between, or widen the box"
            )

    def _vectors(self, shape: tuple[int, ...]) -> list[Floats]:
        """lo, hi, v and the metric, one number for each entry."""
        self._require_feasible(int(np.prod(shape)))
        given = {
            "lo": self.lo,
            "hi": self.hi,
            "v": self.v,
            "metric": 1.0 if self.metric is None else self.metric,
        }
        lined_up = (
            per_entry(np.asarray(value, dtype=np.float64), shape, name) for name, value in given.items()
        )
        return [np.broadcast_to(value, shape).ravel() for value in lined_up]

    def project(self, v: Array) -> Array:
        v = floating(v)
        lo, hi, normal, metric = self._vectors(v.shape)
        y = v.ravel().astype(np.float64)
        x = np.clip(y, lo, hi)
        if self.equality or dot(normal, x) > self.rho:
            eta = multiplier(y, normal, lo, hi, self.rho, metric)
            x = np.clip(y - eta * normal / metric, lo, hi)
        return narrow(x, v).reshape(v.shape)

    def support(self, u: Array) -> float:
        u = floating(u)
        lo, hi, v, _ = self._vectors(u.shape)
        cost = u.ravel().astype(np.float64)
        price = self._price(cost, lo, hi, v, 64.0 * float(np.finfo(u.dtype).eps))
        if price is None:
            return float("inf")
        left = cost - price * v
        # at this price an infinite end is never wanted: what says otherwise is rounding
        left = np.where((v != 0) & np.isinf(hi), np.minimum(left, 0.0), left)
        left = np.where((v != 0) & np.isinf(lo), np.maximum(left, 0.0), left)
        return self.rho * price + float(reach(left, lo, hi).sum())

    def _price(self, u: Floats, lo: Floats, hi: Floats, v: Floats, rounding: float) -> float | None:
        r"""The eta that minimises :math:`\rho\eta + \sigma_{box}(u - \eta v)`; None if all are infinite."""
        used = v != 0
        u, lo, hi, v = u[used], lo[used], hi[used], v[used]
        with np.errstate(over="ignore"):
            ratios = u / v
        first, last = reach(v, lo, hi), -reach(-v, lo, hi)  # v_i x_i at low and at high prices
        lowest = float(ratios[np.isinf(first)].max(initial=-np.inf if self.equality else 0.0))
        highest = float(ratios[np.isinf(last)].min(initial=np.inf))
        if lowest > highest:
            if lowest - highest > rounding * max(abs(lowest), abs(highest)):
                return None
            lowest = highest
        bounded = np.isfinite(first) & np.isfinite(last)
        spent = np.where(np.isfinite(first), first, np.where(np.isfinite(last), last, 0.0)).sum()
        order = np.argsort(ratios[bounded])
        knots = np.concatenate([[lowest], ratios[bounded][order], [highest]])
        released = np.concatenate([[0.0], np.cumsum((first - last)[bounded][order])])
        # the slope rho - spent + released turns at the first knot where it is no longer negative
        stop = int(np.searchsorted(released, spent - self.rho))
        finite = np.flatnonzero(np.isfinite(knots))
        if not finite.size:
            return 0.0
        return float(np.clip(knots[np.clip(stop, finite[0], finite[-1])], lowest, highest))


@dataclass(frozen=True, eq=False)
class Budget(ByValue, ConvexSet):
    r"""A weighted l1 ball: the entries share a budget.

    .. math:: Q = \{x : \textstyle\sum_i v_i |x_i| \le \rho\}, \qquad \sigma_Q(u) = \rho \max_i |u_i| / v_i

    As a set for dual variables it bounds the number of support vectors.

    Parameters
    ----------
    rho : float, default=1.0
    weights : array, optional
        The v > 0, all 1 by default.

    References
    ----------
    Dekel and Singer (2006), NIPS.
    """

    rho: float = 1.0
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        settle(self, rho=size(self.rho, "rho", "leave the budget out"))
        if self.weights is not None:
            settle(self, weights=number_or_array(positive(self.weights, "weights")))

    @classmethod
    def specimens(cls) -> list[Budget]:
        return [cls(), cls(2.0, [1.0, 0.25, 3.0, 1.0]), cls(0.0)]

    @property
    def dimension(self) -> int | None:
        return common_rows(weights=self.weights)

    def check(self, shape: tuple[int, ...]) -> None:
        self._prices(shape)

    def _prices(self, shape: tuple[int, ...]) -> Floats:
        given = np.asarray(1.0 if self.weights is None else self.weights, dtype=np.float64)
        return per_entry(given, shape, "weights")

    def project(self, v: Array) -> Array:
        v = floating(v)
        return project_box_budget(v, -np.inf, np.inf, self._prices(v.shape), self.rho)

    def support(self, u: Array) -> float:
        return self.rho * float((np.abs(u) / self._prices(np.shape(u))).max(initial=0.0))


def project_box_budget(
    v: Array,
    lo: float | Floats,
    hi: float | Floats,
    weights: float | Floats,
    rho: float,
    metric: float | Floats = 1.0,
) -> Array:
    r"""The nearest point to v of a box around 0 whose entries share a budget.

    .. math:: \{x : l_i \le x_i \le h_i,\; \textstyle\sum_i q_i |x_i| \le \rho\}, \qquad
              l \le 0 \le h,\; q \ge 0

    measured by :math:`\sum_i m_i (x_i - v_i)^2`.  The sign of :math:`x_i` is that of :math:`v_i`, so this is
    ``BoxBudget`` for the absolute values.
    """
    v = floating(v)
    if np.any(np.asarray(lo) > 0) or np.any(np.asarray(hi) < 0):
        raise ValueError(f"0 must lie in the box, got lo = {lo} and hi = {hi}")
    if not rho >= 0:
        raise ValueError(f"rho must be >= 0, got {rho}")
    near = np.clip(v.astype(np.float64), lo, hi)
    if float(np.sum(weights * np.abs(near))) > rho:
        ends = np.where(v >= 0, hi, -np.asarray(lo))
        y, q, m, ends = (
            np.broadcast_to(a, v.shape).ravel() for a in (np.abs(v).astype(np.float64), weights, metric, ends)
        )
        eta = multiplier(y, q, np.zeros_like(y), ends, rho, m)
        near = np.copysign(np.clip(y - eta * q / m, 0.0, ends).reshape(v.shape), v)
    return narrow(near, v)


def positive(values: ArrayLike, name: str) -> Floats:
    """Finite numbers > 0."""
    array = frozen(values, name)
    refuse(~((array > 0) & np.isfinite(array)), array, name, "finite and > 0")
    return array
