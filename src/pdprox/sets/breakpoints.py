"""The multiplier of one linear constraint over a box: a finite search, no bisection."""

from __future__ import annotations

import numpy as np

from pdprox.typing import Floats
from pdprox.vectors import dot


def multiplier(y: Floats, v: Floats, lo: Floats, hi: Floats, rho: float, metric: Floats) -> float:
    r"""The :math:`\eta` at which a constraint over a box becomes tight.

    .. math:: \sum_i v_i\, x_i(\eta) = \rho, \qquad
              x_i(\eta) = \mathrm{clip}(y_i - \eta v_i / m_i,\; l_i,\; h_i)

    All arguments but rho are vectors of one length, m > 0, and bounds may be infinite.  The sum never
    rises with eta, and it is a straight line between the knots where some :math:`x_i` meets a bound.  A few
    Newton steps close in on the root from both sides; the knots left in between are searched by medians,
    which halves their number in each round; between two neighbours the root is a quotient.

    When no eta will do, the result is the nearest end of the line, and the caller sees the constraint fail.

    References
    ----------
    Brucker (1984), OR Letters 3; Kiwiel (2008), Mathematical Programming 112.
    """
    pace = v / metric
    slope: Floats = v * pace
    left, right = _bracket(y, v, lo, hi, rho, pace, slope)
    if left == right:
        return left
    # settle what does not change its state between left and right
    done, settled, fall = np.zeros(y.shape, dtype=bool), -rho, 0.0  # sum - rho = settled - fall * eta
    if np.isfinite(left) and np.isfinite(right):
        z, z_right = y - left * pace, y - right * pace
        stuck = ((z <= lo) & (z_right <= lo)) | ((z >= hi) & (z_right >= hi))
        moving = (z > lo) & (z < hi) & (z_right > lo) & (z_right < hi)
        settled += dot(v, np.clip(z, lo, hi) * stuck) + dot(v * y, moving)
        fall += dot(slope, moving)
        done = stuck | moving
    rest = np.flatnonzero(~done & (v != 0))
    y, v, lo, hi, metric, slope = _at(rest, y, v, lo, hi, metric, slope)
    with np.errstate(over="ignore"):
        at_lo, at_hi = metric * (y - lo) / v, metric * (y - hi) / v
    up = v > 0
    enter: Floats
    leave: Floats
    first: Floats
    last: Floats
    height: Floats
    enter, leave = np.where(up, at_hi, at_lo), np.where(up, at_lo, at_hi)  # between them x_i moves
    first, last = v * np.where(up, hi, lo), v * np.where(up, lo, hi)  # v_i x_i before and after
    height = v * y
    while True:
        before, after = enter >= right, leave <= left
        moving = (enter <= left) & (leave >= right) & ~before & ~after
        settled += float(first[before].sum() + last[after & ~before].sum() + height[moving].sum())
        fall += float(slope[moving].sum())
        rest = np.flatnonzero(~(before | after | moving))
        enter, leave, first, last, height, slope = _at(rest, enter, leave, first, last, height, slope)
        knots = np.concatenate([enter, leave])
        knots = knots[(knots > left) & (knots < right)]
        if not knots.size:
            break
        eta = float(np.partition(knots, knots.size // 2)[knots.size // 2])
        parts = np.where(eta <= enter, first, np.where(eta >= leave, last, height - slope * eta))
        excess = settled - fall * eta + float(parts.sum())
        if excess == 0:
            return eta
        left, right = (eta, right) if excess > 0 else (left, eta)
    if fall > 0:
        return float(np.clip(settled / fall, left, right))
    ends = (right, left) if settled > 0 else (left, right)  # flat: the end on the side of the root, if any
    return next((end for end in ends if settled != 0 and np.isfinite(end)), float(np.clip(0.0, left, right)))


def _at(rest: np.ndarray, *arrays: Floats) -> list[Floats]:
    return [array[rest] for array in arrays]


def _bracket(
    y: Floats, v: Floats, lo: Floats, hi: Floats, rho: float, pace: Floats, slope: Floats
) -> tuple[float, float]:
    """Two numbers with the root between them, close together as a rule; equal when the root is met."""
    left, right, eta = -np.inf, np.inf, 0.0
    z, x = np.empty_like(y), np.empty_like(y)  # fresh memory in each round would cost more than the sums
    for _ in range(30):
        np.subtract(y, np.multiply(pace, eta, out=z), out=z)
        np.clip(z, lo, hi, out=x)
        excess = dot(v, x) - rho
        if excess == 0:
            return eta, eta
        left, right = (eta, right) if excess > 0 else (left, eta)
        fall = dot(slope, np.equal(z, x, out=z))
        if fall == 0:
            break
        move = excess / fall
        if abs(move) <= 1e-9 * abs(eta):  # nearly there: one step across, for a bracket with two ends
            move += np.copysign(1e-9 * eta, move)
        if not left < eta + move < right:
            break
        eta += move
    return left, right
