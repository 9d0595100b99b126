"""Norms of many rows at once: what the wrappers need of an atom."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from pdprox.penalties.base import BrokenLineNorm
from pdprox.typing import Array, Floats
from pdprox.vectors import floating, narrow


class RowNorm(ABC):
    """A norm that treats every row of a matrix by itself, blind to zeros added to a row."""

    @abstractmethod
    def norms(self, rows: Array) -> Floats:
        """The norm of each row."""

    @abstractmethod
    def polars(self, rows: Array) -> Floats:
        """The dual norm of each row."""

    @abstractmethod
    def shrinks(self, rows: Array, steps: Floats) -> Array:
        """prox of ``step * norm`` for each row, as a new array of the dtype of ``rows``."""

    @abstractmethod
    def falls(self, rows: Array) -> tuple[Floats, Floats]:
        """Knots and drops of each row (see ``BrokenLineNorm``), two matrices."""

    def square_shrinks(self, rows: Array, steps: Floats) -> Array:
        r"""prox of ``step * norm^2``: shrink by the eta with :math:`\eta = 2\,step\,\|shrunk\|`."""
        knots, drops = self.falls(rows)
        with np.errstate(divide="ignore", over="ignore"):
            incline = 0.5 / np.asarray(steps, dtype=np.float64)
        return self.shrinks(rows, crossing(knots, drops, incline=incline))


class OneRow(RowNorm, BrokenLineNorm):
    """A row norm as a penalty: all entries of w are one row."""

    monotone = True

    def value(self, w: Array) -> float:
        return float(self.norms(np.reshape(w, (1, -1)))[0])

    def prox(self, v: Array, step: float | Array) -> Array:
        v = floating(v)
        return self.shrinks(v.reshape(1, -1), one_step(step)).reshape(v.shape)

    def dual_norm(self, u: Array) -> float:
        return float(self.polars(np.reshape(u, (1, -1)))[0])

    def fall(self, v: Array) -> tuple[Floats, Floats]:
        knots, drops = self.falls(np.reshape(v, (1, -1)))
        return knots[0], drops[0]


def one_step(step: float | Array) -> Floats:
    """The one step of a penalty that is one block, as an array of one entry."""
    return np.asarray(step, dtype=np.float64).reshape(-1)[:1]


def soft_threshold(v: Array, step: float | Array) -> Array:
    """Move every entry towards zero by ``step``, and no farther than zero."""
    level = narrow(step, v)
    shrunk: Array = v - np.clip(v, -level, level)
    return shrunk


def sums(rows: Array) -> Floats:
    """Sum of absolute values of each row."""
    found: Floats = np.abs(rows).sum(axis=1, dtype=np.float64)
    return found


def tops(rows: Array) -> Floats:
    """Largest absolute value of each row."""
    found: Floats = np.abs(rows).max(axis=1, initial=0.0).astype(np.float64)
    return found


def crossing(
    knots: Floats, drops: Floats | None = None, target: float | Floats = 0.0, incline: float | Floats = 0.0
) -> Floats:
    r"""For each row, where a falling broken line meets a rising line.

    .. math:: \sum_j a_j\,(k_j - \eta)_+ = \mathrm{target} + \mathrm{incline}\cdot\eta

    With the knots sorted downwards and A, B the running sums of a and a k, each
    :math:`\eta_m = (B_m - \mathrm{target}) / (A_m + \mathrm{incline})` keeps the first m terms.  One more
    term raises it exactly as long as its knot lies above, so the answer is the largest (0 if it is negative).
    Without drops, all of them are 1.
    """
    if drops is None:  # sorting is much faster than sorting with a memory
        heights = np.cumsum(-np.sort(-knots, axis=-1), axis=-1)
        slopes = np.broadcast_to(np.arange(1.0, knots.shape[-1] + 1.0), knots.shape)
    else:
        order = np.argsort(-knots, axis=-1)
        sorted_drops = np.take_along_axis(drops, order, axis=-1)
        heights = np.cumsum(sorted_drops * np.take_along_axis(knots, order, axis=-1), axis=-1)
        slopes = np.cumsum(sorted_drops, axis=-1)
    top = heights - np.asarray(target)[..., None]
    bottom = slopes + np.asarray(incline)[..., None]
    found = np.zeros_like(top)
    np.divide(top, bottom, out=found, where=bottom > 0)
    largest: Floats = found.max(axis=-1, initial=0.0)
    return largest
