"""The best intercept for given coefficients: a weighted quantile of breakpoints, or where slopes balance."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from pdprox.losses.base import Line, Loss
from pdprox.typing import Floats
from pdprox.vectors import dot

_SORT_BELOW = 4096
#: the slope of a loss is what a prox over so small a width gives
_WIDTH = 1e-15


def crossing(points: Floats, jumps: Floats, slope: float) -> float:
    """Where a convex broken line is least: its slope starts at ``slope`` and jumps up at the points.

    The points are parted around pivots until few enough to sort, so the cost is linear.  The first pivot is 0
    and the next ones are near it: shifts asked for are mostly small.
    """
    pivot, share = 0.0, 1.0 / 16.0
    while len(points) > _SORT_BELOW:
        left = points <= pivot
        at_pivot = slope + float(jumps[left].sum())
        if at_pivot >= 0:
            if np.all(left):
                break
            points, jumps = points[left], jumps[left]
            at = 1.0 - share
        else:
            points, jumps, slope = points[~left], jumps[~left], at_pivot
            at = share
        share = 0.5 if pivot != 0.0 and share < 0.5 and len(points) > 8 * _SORT_BELOW else share
        pivot = float(np.quantile(points[:: max(1, len(points) // 1023)], at))
    order = np.argsort(points, kind="stable")
    reached = slope + np.cumsum(jumps[order])
    return float(points[order[min(int(np.searchsorted(reached, 0.0)), len(order) - 1)]])


def best_shift(loss: Loss, t: Floats, orientation: Floats | None, c: Floats) -> float:
    """The number delta that makes ``sum_i c_i loss(t_i + o_i delta)`` least, o = 1 or the labels."""
    seen = c > 0
    t, c = t[seen], c[seen]
    o = np.ones_like(t) if orientation is None else orientation[seen]
    line = loss.broken_line
    if line is None or line.smoothing > 0:
        return _smooth_shift(loss, t, o, c)
    return _line_shift(line, t, o, c)


def _line_shift(line: Line, t: Floats, o: Floats, c: Floats) -> float:
    low = float(np.sum(c * np.where(o > 0, line.slopes[0], -line.slopes[-1])))
    high = float(np.sum(c * np.where(o > 0, line.slopes[-1], -line.slopes[0])))
    if low >= 0 or high <= 0:  # the loss never turns: any shift past the last kink is as good as it gets
        ends = o[:, None] * (line.kinks - t[:, None])
        return float(ends.min()) if low >= 0 else float(ends.max())
    points = (o[:, None] * (line.kinks - t[:, None])).ravel()
    jumps = (c[:, None] * np.diff(line.slopes)).ravel()
    return crossing(points, jumps, low)


def _smooth_shift(loss: Loss, t: Floats, o: Floats, c: Floats) -> float:
    """Where the mean slope changes its sign; values would tell that to half the digits only."""
    size = float(np.max(np.abs(t)))
    if not size < 1e250:
        return 0.0
    reach = 40.0 + 2.0 * size  # where even exponential tails have ended
    side = 1.0

    def rise(delta: float) -> float:
        return side * dot(c * o, loss.dual_prox((t + o * (side * delta)) / _WIDTH, 1.0 / _WIDTH))

    side = -1.0 if rise(0.0) > 0 else 1.0
    near, far = 0.0, 1e-6 * size or 1e-6  # most shifts are small
    while (still := rise(far)) < 0 and far < reach:
        near, far = far, min(32.0 * far, reach)
    return side * (far if still <= 0 else float(brentq(rise, near, far, xtol=1e-16 * size or 1e-16)))
