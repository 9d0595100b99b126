"""Sums of two penalties whose proxes compose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pdprox.penalties.atoms import L1, L2, SquaredL2, each_entry
from pdprox.penalties.base import Norm, Penalty
from pdprox.penalties.groups import partition
from pdprox.penalties.per_group import PerGroup
from pdprox.penalties.tariff import Tariff, plain
from pdprox.typing import Array, Floats
from pdprox.values import settle, share


@dataclass(frozen=True)
class ElasticNet(Penalty):
    r"""Lasso and ridge together: sparse, yet correlated features share their weight.

    .. math:: R(w) = \rho \|w\|_1 + \tfrac{1 - \rho}{2} \|w\|_2^2, \qquad
              R^*(u) = \sum_j \frac{(|u_j| - \rho)_+^2}{2 (1 - \rho)}

    The prox is that of the l1 part, divided by :math:`1 + t (1 - \rho)`.

    Parameters
    ----------
    l1_ratio : float, default=0.5
        The share rho of the l1 part, from 0 to 1.

    References
    ----------
    Zou and Hastie (2005), JRSS B 67.
    """

    l1_ratio: float = 0.5
    monotone = True

    def __post_init__(self) -> None:
        settle(self, l1_ratio=share(self.l1_ratio, "l1_ratio"))

    @classmethod
    def specimens(cls) -> list[ElasticNet]:
        return [cls(), cls(0.9), cls(0.0), cls(1.0)]

    @property
    def strong_convexity(self) -> float:
        return 1.0 - self.l1_ratio

    def value(self, w: Array) -> float:
        return self.l1_ratio * L1().value(w) + (1.0 - self.l1_ratio) * SquaredL2().value(w)

    def prox(self, v: Array, step: float | Array) -> Array:
        t = np.asarray(step, dtype=np.float64)
        return SquaredL2().prox(L1().prox(v, self.l1_ratio * t), (1.0 - self.l1_ratio) * t)

    def conjugate(self, u: Array) -> float:
        if self.l1_ratio == 1.0:
            return L1().conjugate(u)
        beyond = L1().prox(np.asarray(u, dtype=np.float64), self.l1_ratio)
        return SquaredL2().conjugate(beyond) / (1.0 - self.l1_ratio)

    def blocks(self, shape: tuple[int, ...]) -> np.ndarray:
        return each_entry(shape)

    def tariff(self, d: int) -> Tariff | None:
        return plain(d, self.l1_ratio, 1.0 - self.l1_ratio)


@dataclass(frozen=True)
class SparseGroupLasso(Norm):
    r"""Lasso and group lasso together: few groups, and few features in each.

    .. math:: R(w) = \rho \|w\|_1 + (1 - \rho) \sum_g \sqrt{d_g}\, \|w_g\|_2

    The prox is that of the l1 part, then that of the group part.  The dual norm is the largest
    :math:`\nu_g`, where :math:`\|S(u_g, \rho\nu_g)\|_2 = (1 - \rho)\sqrt{d_g}\,\nu_g` and S is soft
    thresholding: a quadratic equation between two neighbours among the sorted :math:`|u_j| / \rho`.

    Parameters
    ----------
    groups : array of d labels, or list of lists of feature numbers
    l1_ratio : float, default=0.5
        The share rho of the l1 part, from 0 to 1.

    References
    ----------
    Simon, Friedman, Hastie and Tibshirani (2013), JCGS 22.
    """

    groups: Any
    l1_ratio: float = 0.5
    monotone = True

    def __post_init__(self) -> None:
        settle(self, groups=partition(self.groups), l1_ratio=share(self.l1_ratio, "l1_ratio"))

    @classmethod
    def specimens(cls) -> list[SparseGroupLasso]:
        labels = [3, 0, 3, 1, 1, 1, 1]
        return [cls(labels), cls([[0, 1], [2, 3], [4, 5]], 0.95), cls(labels, 0.0), cls(labels, 1.0)]

    @cached_property
    def group_part(self) -> PerGroup:
        """The group lasso of weight 1."""
        return PerGroup(L2(), self.groups, "sqrt")

    @property
    def dimension(self) -> int | None:
        return self.group_part.dimension

    def value(self, w: Array) -> float:
        return self.l1_ratio * L1().value(w) + (1.0 - self.l1_ratio) * self.group_part.value(w)

    def prox(self, v: Array, step: float | Array) -> Array:
        t = np.asarray(step, dtype=np.float64)
        return self.group_part.prox(L1().prox(v, self.l1_ratio * t), (1.0 - self.l1_ratio) * t)

    def dual_norm(self, u: Array) -> float:
        group_share = (1.0 - self.l1_ratio) * np.sqrt(self.groups.sizes(len(u)))
        return max(
            float(_group_dual_norms(rows, self.l1_ratio, group_share[members]).max(initial=0.0))
            for members, rows in self.groups.split(u)
        )

    def blocks(self, shape: tuple[int, ...]) -> np.ndarray:
        return self.group_part.blocks(shape)

    def tariff(self, d: int) -> Tariff | None:
        groups = self.group_part.tariff(d)
        return None if groups is None else groups.scaled(1.0 - self.l1_ratio) + plain(d, self.l1_ratio)


def _group_dual_norms(rows: Array, rho: float, c: Floats) -> Floats:
    r"""The nu of each row with :math:`\|(|u| - \rho\nu)_+\|_2 = c\,\nu`, rounded upwards."""
    size = -np.sort(-np.abs(rows).astype(np.float64), axis=1)
    top = np.where(size[:, 0] > 0, size[:, 0], 1.0)
    size /= top[:, None]  # no overflow in the squares
    rank = np.arange(1.0, size.shape[1] + 1.0)
    sums, squares = np.cumsum(size, axis=1), np.cumsum(size * size, axis=1)
    # the m-th largest is above rho nu exactly when the left side, at nu = size_m / rho, is below the right
    at_knot = rho**2 * (squares - 2.0 * size * sums + rank * size * size) - (c[:, None] * size) ** 2
    last = np.maximum(np.count_nonzero(at_knot < 0, axis=1) - 1, 0)[:, None]
    s, q = (np.take_along_axis(a, last, axis=1)[:, 0] for a in (sums, squares))
    # (m rho^2 - c^2) nu^2 - 2 rho s nu + q = 0, solved without cancellation
    discriminant = c * c * q - rho**2 * np.maximum((last[:, 0] + 1.0) * q - s * s, 0.0)
    bottom = rho * s + np.sqrt(np.maximum(discriminant, 0.0))
    nu = q / np.where(q > 0, bottom, 1.0)
    # one Newton step wipes out what the sums have lost
    above = np.maximum(size - rho * nu[:, None], 0.0)
    length = np.sqrt((above * above).sum(axis=1))
    tilt = rho * above.sum(axis=1) / np.where(length > 0, length, 1.0) + c
    nu = nu + np.where(length > 0, (length - c * nu) / np.where(length > 0, tilt, 1.0), 0.0)
    return top * nu * (1.0 + 16.0 * np.finfo(np.float64).eps)
