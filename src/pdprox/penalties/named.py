"""Well-known penalties by their own names; a wrapped body does the work."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pdprox.penalties.atoms import L1, L2, LInf
from pdprox.penalties.base import BrokenLineNorm, Penalty
from pdprox.penalties.groups import EveryRow
from pdprox.penalties.per_group import PerGroup, SquaredPerGroup
from pdprox.penalties.shaped import Squared
from pdprox.penalties.spectral import OnSingularValues
from pdprox.penalties.tariff import Levels, Tariff
from pdprox.typing import Array, Floats, Mask
from pdprox.values import ByValue, settle


class Named(Penalty):
    """A penalty that is another one under a name of its own."""

    @property
    @abstractmethod
    def body(self) -> Penalty:
        """The penalty that does the work."""

    @property
    def strong_convexity(self) -> float:
        return self.body.strong_convexity

    @property
    def monotone(self) -> bool:
        return self.body.monotone

    @property
    def dimension(self) -> int | None:
        return self.body.dimension

    def value(self, w: Array) -> float:
        return self.body.value(w)

    def prox(self, v: Array, step: float | Array) -> Array:
        return self.body.prox(v, step)

    def conjugate(self, u: Array) -> float:
        return self.body.conjugate(u)

    def blocks(self, shape: tuple[int, ...]) -> np.ndarray:
        return self.body.blocks(shape)

    def free(self, shape: tuple[int, ...]) -> Mask:
        return self.body.free(shape)

    def tariff(self, d: int) -> Tariff | None:
        return self.body.tariff(d)

    def levels(self, d: int) -> Levels | None:
        return self.body.levels(d)


class NamedNorm(Named, BrokenLineNorm):
    """A norm that is another one under a name of its own."""

    @property
    @abstractmethod
    def body(self) -> BrokenLineNorm:
        """The norm that does the work."""

    def dual_norm(self, u: Array) -> float:
        return self.body.dual_norm(u)

    def fall(self, v: Array) -> tuple[Floats, Floats]:
        return self.body.fall(v)


@dataclass(frozen=True, eq=False)
class GroupLasso(ByValue, NamedNorm):
    r"""Sum of the lengths of groups; keeps or drops whole groups of features.

    .. math:: R(w) = \sum_g q_g \|w_g\|_2, \qquad
              \mathrm{prox}_{tR}(v)_g = (1 - t q_g / \|v_g\|_2)_+\, v_g

    The dual norm is the largest :math:`\|u_g\|_2 / q_g`.

    Parameters
    ----------
    groups : array of d labels, or list of lists of feature numbers
    weights : array, "sqrt" or None, default="sqrt"
        The q_g: one for each group, the square root of its number of features, or 1.  0 leaves a
        group unpenalised.

    References
    ----------
    Yuan and Lin (2006), JRSS B 68.
    """

    groups: Any
    weights: ArrayLike | str | None = "sqrt"

    def __post_init__(self) -> None:
        settle(self, groups=self.body.groups, weights=self.body.weights)

    @classmethod
    def specimens(cls) -> list[GroupLasso]:
        return [cls([0, 0, 1, 1, 1, 1, 2]), cls([5, 1, 5, 1, 0], weights=[1.0, 0.0, 4.0]), cls([[0]])]

    @cached_property
    def body(self) -> PerGroup:
        return PerGroup(L2(), self.groups, self.weights)


@dataclass(frozen=True)
class ExclusiveLasso(Named):
    r"""Sum of the squared l1 norms of groups; few features within each group, every group alive.

    .. math:: R(w) = \sum_g \|w_g\|_1^2, \qquad R^*(u) = \tfrac14 \sum_g \max_{j \in g} u_j^2

    The prox soft-thresholds each group by the :math:`\eta_g = 2t \|w_g\|_1` of its own result, by sorting.

    Parameters
    ----------
    groups : array of d labels, or list of lists of feature numbers

    References
    ----------
    Zhou, Jin and Hoi (2010), AISTATS.
    """

    groups: Any

    def __post_init__(self) -> None:
        settle(self, groups=self.body.groups)

    @classmethod
    def specimens(cls) -> list[ExclusiveLasso]:
        return [cls([0, 0, 1, 1, 1, 2, 0]), cls([[0, 1, 2], [3, 4, 5]]), cls([0, 1, 2, 3])]

    @cached_property
    def body(self) -> SquaredPerGroup:
        return SquaredPerGroup(L1(), self.groups)


@dataclass(frozen=True)
class SquaredSumOfNorms(Named):
    r"""The square of the sum of lengths of groups: the penalty of multiple kernel learning.

    .. math:: R(w) = \Big(\sum_g \|w_g\|_2\Big)^2, \qquad R^*(u) = \tfrac14 \max_g \|u_g\|_2^2

    The prox shortens each group by the same :math:`\eta = 2t \sum_g \|w_g\|_2`, by sorting.

    Parameters
    ----------
    groups : array of d labels, or list of lists of feature numbers

    References
    ----------
    Yang, Mahdavi, Jin and Zhu, "An efficient primal dual prox method for non-smooth optimization".
    """

    groups: Any

    def __post_init__(self) -> None:
        settle(self, groups=PerGroup(L2(), self.groups).groups)

    @classmethod
    def specimens(cls) -> list[SquaredSumOfNorms]:
        return [cls([1, 0, 0, 1, 1, 2, 3]), cls([[0, 1, 2, 3]])]

    @cached_property
    def body(self) -> Squared:
        return Squared(PerGroup(L2(), self.groups))


@dataclass(frozen=True)
class L21(NamedNorm):
    r"""Sum of the lengths of rows; a feature serves all outputs or none.

    .. math:: R(W) = \sum_j \|W_{j\cdot}\|_2

    The dual norm is the length of the longest row.  On a vector it is the l1 norm.
    """

    @classmethod
    def specimens(cls) -> list[L21]:
        return [cls()]

    @cached_property
    def body(self) -> PerGroup:
        return PerGroup(L2(), EveryRow())


@dataclass(frozen=True)
class L1Inf(NamedNorm):
    r"""Sum of the largest entries of rows; a feature serves all outputs or none, at equal strength.

    .. math:: R(W) = \sum_j \max_k |W_{jk}|

    The dual norm is the largest l1 norm of a row.  On a vector it is the l1 norm.
    """

    @classmethod
    def specimens(cls) -> list[L1Inf]:
        return [cls()]

    @cached_property
    def body(self) -> PerGroup:
        return PerGroup(LInf(), EveryRow())


@dataclass(frozen=True)
class TraceNorm(NamedNorm):
    r"""Sum of singular values (nuclear norm); makes a matrix of low rank.

    .. math:: R(W) = \sum_i \sigma_i(W), \qquad
              \mathrm{prox}_{tR}(U \Sigma V^\top) = U (\Sigma - t)_+ V^\top

    The dual norm is the largest singular value.  On a vector it is the Euclidean length.
    """

    @classmethod
    def specimens(cls) -> list[TraceNorm]:
        return [cls()]

    @cached_property
    def body(self) -> OnSingularValues:
        return OnSingularValues(L1())
