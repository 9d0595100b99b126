"""Balls and the simplex."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pdprox.sets.base import ConvexSet
from pdprox.sets.budget import BoxBudget, project_box_budget
from pdprox.sets.plain import size
from pdprox.typing import Array
from pdprox.values import settle
from pdprox.vectors import floating, lengths, narrow


@dataclass(frozen=True)
class L1Ball(ConvexSet):
    r"""Absolute values that sum to at most r; projecting sets entries to zero.

    .. math:: Q = \{w : \textstyle\sum_j |w_j| \le r\}, \qquad \sigma_Q(u) = r \max_j |u_j|

    The projection soft-thresholds at a level that is found among the :math:`|v_j|` by selection.

    Parameters
    ----------
    radius : float, default=1.0
        The r >= 0.
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        settle(self, radius=size(self.radius, "radius"))

    @classmethod
    def specimens(cls) -> list[L1Ball]:
        return [cls(), cls(2.5), cls(0.0)]

    def project(self, v: Array) -> Array:
        return project_box_budget(v, -np.inf, np.inf, 1.0, self.radius)

    def support(self, u: Array) -> float:
        return self.radius * float(np.abs(u).max(initial=0.0))


@dataclass(frozen=True)
class L2Ball(ConvexSet):
    r"""Euclidean length at most r.

    .. math:: Q = \{w : \|w\|_2 \le r\}, \qquad \sigma_Q(u) = r \|u\|_2

    Parameters
    ----------
    radius : float, default=1.0
        The r >= 0.
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        settle(self, radius=size(self.radius, "radius"))

    @classmethod
    def specimens(cls) -> list[L2Ball]:
        return [cls(), cls(2.5), cls(0.0)]

    def project(self, v: Array) -> Array:
        v = floating(v)
        length = float(lengths(v.reshape(1, -1))[0])
        if length <= self.radius:
            return v.copy()
        nearest: Array = v * narrow(self.radius / length, v)
        return nearest

    def support(self, u: Array) -> float:
        return self.radius * float(lengths(floating(u).reshape(1, -1))[0])


@dataclass(frozen=True)
class Simplex(ConvexSet):
    r"""Shares of a whole.

    .. math:: Q = \{w : w_j \ge 0,\; \textstyle\sum_j w_j = s\}, \qquad \sigma_Q(u) = s \max_j u_j

    The projection is :math:`(v_j - \eta)_+`, with :math:`\eta` found by selection.

    Parameters
    ----------
    total : float, default=1.0
        The s >= 0.
    """

    total: float = 1.0

    def __post_init__(self) -> None:
        settle(self, total=size(self.total, "total"))

    @classmethod
    def specimens(cls) -> list[Simplex]:
        return [cls(), cls(3.0), cls(0.0)]

    @cached_property
    def _box_cut(self) -> BoxBudget:
        return BoxBudget(0.0, np.inf, 1.0, self.total, equality=True)

    def project(self, v: Array) -> Array:
        return self._box_cut.project(v)

    def support(self, u: Array) -> float:
        return self.total * float(np.max(u))
