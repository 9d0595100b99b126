"""Broken lines: kinks and slopes are all one need say of a piecewise linear loss."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from pdprox.losses.base import Line, Loss, Reads
from pdprox.typing import Array
from pdprox.values import number, settle
from pdprox.vectors import floating


class BrokenLineLoss(Loss):
    r"""A convex broken line, given by its ``kinks`` and by the ``slopes`` between them.

    With kinks :math:`\kappa_1 < \dots < \kappa_K` and slopes :math:`s_0 < \dots < s_K` the conjugate is the
    broken line with the roles exchanged (kinks :math:`s_k`, slopes :math:`\kappa_k`), shifted so that the
    least loss is 0, and

    .. math:: \mathrm{prox}_{\tau \ell^*}(v) = \max\bigl(s_0,\; \max_k \min(v - \tau\kappa_k,\; s_k)\bigr).

    ``smoothing`` :math:`\mu > 0` adds :math:`\tfrac{\mu}{2} a^2` to the conjugate, which rounds every
    kink; the outer slopes may then be infinite.  Squared hinge, Huber and square are such lines.
    """

    smoothing: float = 0.0

    @property
    @abstractmethod
    def kinks(self) -> tuple[float, ...]:
        """Where the slope changes, ascending."""

    @property
    @abstractmethod
    def slopes(self) -> tuple[float, ...]:
        """The slopes before, between and after the kinks, ascending."""

    @property
    def bounds(self) -> tuple[float, float]:
        return self.slopes[0], self.slopes[-1]

    @property
    def broken_line(self) -> Line:
        return Line(
            np.array(self.kinks, dtype=np.float64),
            np.array(self.slopes, dtype=np.float64),
            float(self.smoothing),
            self.reads == "margin",
        )

    def check(self) -> None:
        super().check()
        _checked(self.kinks, self.slopes, self.smoothing)

    def value(self, t: Array) -> Array:
        t = floating(t)
        if self.smoothing > 0:
            # the envelope: a t - l*(a) at the maximising a, which is the prox of a step without end
            a = self._prox_of_line(t / t.dtype.type(self.smoothing), t.dtype.type(1.0 / self.smoothing))
            return a * t - self.conjugate(a)
        value = np.zeros_like(t)
        for kink, before, after in zip(self.kinks, self.slopes[:-1], self.slopes[1:], strict=True):
            # split every jump of the slope at 0: its positive part counts on the right, the rest on the left
            right = max(after, 0.0) - max(before, 0.0)
            left = max(-before, 0.0) - max(-after, 0.0)
            past = t - t.dtype.type(kink)
            if right:
                value += t.dtype.type(right) * np.maximum(past, 0)
            if left:
                value -= t.dtype.type(left) * np.minimum(past, 0)
        return value

    def conjugate(self, a: Array) -> Array:
        a = floating(a)
        line = a.dtype.type(0.5 * self.smoothing) * a * a if self.smoothing else np.zeros_like(a)
        for kink, start, stop in zip(self.kinks, self.slopes[:-1], self.slopes[1:], strict=True):
            # integrate the kink positions from slope 0 to slope a: the least loss is 0, so l*(0) = 0
            if kink:
                line += a.dtype.type(kink) * (
                    np.clip(a, start, stop) - a.dtype.type(min(max(0.0, start), stop))
                )
        rounding = 8 * float(np.finfo(a.dtype).eps)
        low, high = self.bounds
        low, high = low - rounding * max(1.0, -low), high + rounding * max(1.0, high)
        if a.size and (a.min() < low or a.max() > high):
            line[(a < low) | (a > high)] = np.inf
        return line

    def dual_prox(self, v: Array, step: float | Array) -> Array:
        v = floating(v)
        if self.smoothing > 0:
            shrink = 1.0 / (1.0 + step * self.smoothing)
            return self._prox_of_line((v * shrink).astype(v.dtype), step * shrink)
        return self._prox_of_line(v, step)

    def _prox_of_line(self, v: Array, step: Any) -> Array:
        a = np.full_like(v, self.slopes[0])
        for kink, slope in zip(self.kinks, self.slopes[1:], strict=True):
            np.maximum(a, np.minimum(v - (step * kink), slope), out=a)
        return a


def _numbers(given: Any, name: str) -> tuple[float, ...]:
    if isinstance(given, str) or not isinstance(given, (Sequence, np.ndarray)):
        raise TypeError(f"{name} must be a sequence of numbers, got {given!r}")
    return tuple(number(value, name) for value in given)


def _checked(kinks: Sequence[float], slopes: Sequence[float], smoothing: float) -> None:
    """Raise ValueError unless the line is convex, finite where it must be, and has a least value."""
    if len(slopes) != len(kinks) + 1:
        raise ValueError(
            f"a broken line with {len(kinks)} kinks has {len(kinks) + 1} slopes, got {len(slopes)}: {tuple(slopes)}"
        )
    if not len(kinks):
        raise ValueError("a broken line needs at least one kink; a straight line has no least value")
    if not np.all(np.isfinite(kinks)):
        raise ValueError(f"kinks must be finite, got {tuple(kinks)}")
    if any(after <= before for before, after in pairwise(kinks)):
        raise ValueError(f"kinks must ascend strictly, got {tuple(kinks)}; sort them and merge equal ones")
    if np.any(np.isnan(slopes)):
        raise ValueError(f"slopes must be numbers, got {tuple(slopes)}")
    if any(after <= before for before, after in pairwise(slopes)):
        raise ValueError(f"slopes must ascend strictly, or the line is not convex; got {tuple(slopes)}")
    if slopes[0] > 0 or slopes[-1] < 0:
        raise ValueError(
            f"slopes must reach from <= 0 to >= 0, or the loss has no least value; got {tuple(slopes)}"
        )
    if not (np.isfinite(smoothing) and smoothing >= 0):
        raise ValueError(f"smoothing must be a number >= 0, got {smoothing}")
    if smoothing == 0 and not np.all(np.isfinite(slopes)):
        raise ValueError(
            f"infinite slopes need smoothing > 0, got slopes {tuple(slopes)} and smoothing {smoothing}"
        )


@dataclass(frozen=True)
class BrokenLine(BrokenLineLoss):
    r"""Any convex broken line of the margin or of the residual: your own loss in one line.

    .. math:: \ell(t) = s_0 t + \sum_k (s_k - s_{k-1})\,(t - \kappa_k)_+ + \text{const}, \qquad \min \ell = 0

    Parameters
    ----------
    kinks : sequence of float
        Where the slope changes, strictly ascending.
    slopes : sequence of float
        One more than kinks, strictly ascending, from at most 0 to at least 0.
    reads : {"margin", "residual"}, default="residual"
        What t is: ``y * (x.w + b)`` or ``x.w + b - y``.

    Examples
    --------
    >>> from pdprox.losses import BrokenLine
    >>> late_is_worse = BrokenLine(kinks=(-1.0, 0.0), slopes=(-3.0, -0.5, 1.0))
    >>> late_is_worse.value([-2.0, 0.0, 2.0]).tolist()
    [3.5, 0.0, 2.0]
    """

    kinks: tuple[float, ...] = (0.0,)
    slopes: tuple[float, ...] = (-1.0, 1.0)
    reads: Reads = "residual"

    def __post_init__(self) -> None:
        settle(self, kinks=_numbers(self.kinks, "kinks"), slopes=_numbers(self.slopes, "slopes"))
        self.check()

    @classmethod
    def specimens(cls) -> list[Self]:
        return [
            cls((-1.0, 0.5), (-2.0, 0.25, 1.0)),
            cls((-2.0, -0.5, 1.0, 3.0), (-4.0, -1.0, -0.5, 0.0, 2.0), "margin"),
            cls((0.3,), (0.0, 5.0)),
        ]
