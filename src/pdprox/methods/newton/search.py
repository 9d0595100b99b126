"""The line search of Newton steps."""

from __future__ import annotations

from collections.abc import Callable


def root(slope: Callable[[float], tuple[float, float]], longest: float, share: float = 0.1) -> float:
    """A step length at which a rising function is nearly 0: at most ``share`` of its size at 0.

    ``slope(length)`` gives the function, which is piecewise linear, and its derivative.  Newton's steps
    are kept inside a bracket that shrinks.  ``longest`` is returned if the function is not positive there;
    0.0 if it is not negative at 0.
    """
    at_zero, _ = slope(0.0)
    if not at_zero < 0:
        return 0.0
    low, high, length = 0.0, float("inf"), 1.0
    for _ in range(60):
        value, bend = slope(length)
        if abs(value) <= -share * at_zero or (length >= longest and value <= 0):
            return length
        low, high = (length, high) if value < 0 else (low, length)
        length = length - value / bend if bend > 0 else 2.0 * length
        if high < float("inf"):
            inset = 0.05 * (high - low)
            length = min(max(length, low + inset), high - inset)
        length = min(length, longest)
    return low
