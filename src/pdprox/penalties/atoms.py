"""The atoms: norms of a vector, and half the squared length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pdprox.penalties.base import BrokenLineNorm, Penalty
from pdprox.penalties.rows import OneRow, RowNorm, crossing, soft_threshold, sums, tops
from pdprox.penalties.tariff import Levels, Tariff, grouped, plain
from pdprox.typing import Array, Floats, Mask
from pdprox.values import ByValue, charges, per_entry, ratio, settle
from pdprox.vectors import dot, floating, lengths, narrow


def each_entry(shape: tuple[int, ...]) -> np.ndarray:
    """Blocks of a separable penalty: every entry is its own."""
    return np.arange(int(np.prod(shape)), dtype=np.intp).reshape(shape)


@dataclass(frozen=True, eq=False)
class L1(ByValue, RowNorm, BrokenLineNorm):
    r"""Sum of absolute values; sets many coefficients to zero.

    .. math:: R(w) = \sum_j q_j |w_j|, \qquad
              \mathrm{prox}_{tR}(v)_j = \mathrm{sign}(v_j)\,(|v_j| - t q_j)_+

    The dual norm is the largest :math:`|u_j| / q_j`.

    Parameters
    ----------
    weights : array of shape (d,) or (d, K), optional
        The q, all 1 by default.  0 leaves a coefficient unpenalised.
    """

    weights: ArrayLike | None = None
    monotone = True

    def __post_init__(self) -> None:
        if self.weights is not None:
            settle(self, weights=charges(self.weights, "weights"))

    @classmethod
    def specimens(cls) -> list[L1]:
        return [cls(), cls([1.0, 2.0, 0.5, 0.0, 3.0]), cls([0.0, 1e-3, 1e3])]

    @property
    def dimension(self) -> int | None:
        return None if self.weights is None else len(np.asarray(self.weights))

    def check(self, shape: tuple[int, ...]) -> None:
        self._charges(shape)

    def _charges(self, shape: tuple[int, ...]) -> Floats:
        values = np.asarray(1.0 if self.weights is None else self.weights, dtype=np.float64)
        return per_entry(values, shape, "weights")

    def value(self, w: Array) -> float:
        return float(np.sum(self._charges(np.shape(w)) * np.abs(w), dtype=np.float64))

    def prox(self, v: Array, step: float | Array) -> Array:
        v = floating(v)
        return soft_threshold(v, np.asarray(step) * self._charges(v.shape))

    def dual_norm(self, u: Array) -> float:
        if self.weights is None:
            return float(np.abs(u).max(initial=0.0))
        return float(ratio(np.abs(u), self._charges(np.shape(u))).max(initial=0.0))

    def fall(self, v: Array) -> tuple[Floats, Floats]:
        q = np.broadcast_to(self._charges(np.shape(v)), np.shape(v)).ravel()
        size = np.abs(np.ravel(v)).astype(np.float64)
        return ratio(np.where(q * q > 0, size, 0.0), q), q * q

    def blocks(self, shape: tuple[int, ...]) -> np.ndarray:
        return each_entry(shape)

    def free(self, shape: tuple[int, ...]) -> Mask:
        return np.array(np.broadcast_to(self._charges(shape) == 0, shape))

    def tariff(self, d: int) -> Tariff | None:
        return Tariff(np.array(np.broadcast_to(self._charges((d,)), (d,))), np.zeros(d))

    # Row by row there are no weights: the wrappers take charge of them.

    def norms(self, rows: Array) -> Floats:
        return sums(rows)

    def polars(self, rows: Array) -> Floats:
        return tops(rows)

    def shrinks(self, rows: Array, steps: Floats) -> Array:
        return soft_threshold(rows, steps[:, None])

    def falls(self, rows: Array) -> tuple[Floats, Floats]:
        knots = np.abs(rows).astype(np.float64)
        return knots, np.ones_like(knots)


@dataclass(frozen=True)
class L2(OneRow):
    r"""Euclidean length, not squared; all coefficients are zero or none is.

    .. math:: R(w) = \|w\|_2, \qquad \mathrm{prox}_{tR}(v) = (1 - t / \|v\|_2)_+\, v

    It is its own dual norm.
    """

    @classmethod
    def specimens(cls) -> list[L2]:
        return [cls()]

    def norms(self, rows: Array) -> Floats:
        return lengths(rows)

    def polars(self, rows: Array) -> Floats:
        return lengths(rows)

    def shrinks(self, rows: Array, steps: Floats) -> Array:
        length = lengths(rows)
        kept = np.maximum(length - steps, 0.0) / np.where(length > 0, length, 1.0)
        shrunk: Array = rows * narrow(kept, rows)[:, None]
        return shrunk

    def falls(self, rows: Array) -> tuple[Floats, Floats]:
        knots = lengths(rows)[:, None]
        return knots, np.ones_like(knots)

    def tariff(self, d: int) -> Tariff | None:
        return grouped(np.zeros(d, dtype=np.intp), np.ones(1))


@dataclass(frozen=True)
class LInf(OneRow):
    r"""Largest absolute value; ties many coefficients at the same size.

    .. math:: R(w) = \max_j |w_j|, \qquad \mathrm{prox}_{tR}(v)_j = \mathrm{sign}(v_j)\min(|v_j|, \theta)

    where :math:`\theta \ge 0` solves :math:`\sum_j (|v_j| - \theta)_+ = t` (by sorting), and
    :math:`\theta = 0` when :math:`\|v\|_1 \le t`.  The dual norm is the sum of absolute values.
    """

    @classmethod
    def specimens(cls) -> list[LInf]:
        return [cls()]

    def norms(self, rows: Array) -> Floats:
        return tops(rows)

    def polars(self, rows: Array) -> Floats:
        return sums(rows)

    def shrinks(self, rows: Array, steps: Floats) -> Array:
        level = crossing(np.abs(rows).astype(np.float64), target=steps)
        bound = narrow(level, rows)[:, None]
        return np.clip(rows, -bound, bound)

    def falls(self, rows: Array) -> tuple[Floats, Floats]:
        # while the k largest are tied, the level falls by 1/k per unit of step, until it meets the next
        sizes = -np.sort(-np.abs(rows).astype(np.float64), axis=1)
        rank = np.arange(1.0, sizes.shape[1] + 1.0)
        below = np.concatenate([sizes[:, 1:], np.zeros((len(sizes), 1))], axis=1)
        knots = np.maximum(np.cumsum(sizes, axis=1) - rank * below, 0.0)
        drops = 1.0 / rank - 1.0 / (rank + 1.0)
        drops[-1:] = 1.0 / rank[-1:]
        return knots, np.broadcast_to(drops, knots.shape)

    def levels(self, d: int) -> Levels | None:
        return Levels(np.zeros(d, dtype=np.intp), np.ones(1), np.zeros(1))


@dataclass(frozen=True)
class SquaredL2(Penalty):
    r"""Half the sum of squares (ridge); shrinks, and sets nothing to zero.

    .. math:: R(w) = \tfrac12 \sum_j w_j^2, \qquad \mathrm{prox}_{tR}(v) = v / (1 + t), \qquad
              R^*(u) = \tfrac12 \sum_j u_j^2
    """

    strong_convexity = 1.0
    monotone = True

    @classmethod
    def specimens(cls) -> list[SquaredL2]:
        return [cls()]

    def value(self, w: Array) -> float:
        return half_square(w)

    def prox(self, v: Array, step: float | Array) -> Array:
        v = floating(v)
        shrunk: Array = v / narrow(1.0 + np.asarray(step, dtype=np.float64), v)
        return shrunk

    def conjugate(self, u: Array) -> float:
        return half_square(u)

    def blocks(self, shape: tuple[int, ...]) -> np.ndarray:
        return each_entry(shape)

    def tariff(self, d: int) -> Tariff | None:
        return plain(d, ridge=1.0)


def half_square(w: Array) -> float:
    """Half the sum of squares, summed in float64."""
    flat = np.ravel(w).astype(np.float64, copy=False)
    return 0.5 * dot(flat, flat)
