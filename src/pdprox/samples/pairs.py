"""Variables within intervals and multipliers for both ends: what interior points are made of."""

from __future__ import annotations

import numpy as np

from pdprox import _kernels as kernels
from pdprox.typing import Floats, Mask

#: how far the last direction could be followed by primal and by dual variables; None if there was none
Taken = tuple[float, float] | None

#: how near a bound of its interval a step may come
_NEAR = 0.995
#: how near one it may begin
_INSET = 0.1


class Pairs:
    """Variables a in (0, J), multipliers for both ends, and a number v with ``v + low - high = 0``.

    They begin near given a; steps keep the equation.  Products ``a low`` and ``(J - a) high`` should be tau times the
    unit, and are added up in units.
    """

    def __init__(self, v: Floats, J: Floats, tau: float, a: Floats, unit: Floats | float = 1.0) -> None:
        self._state: Floats = np.zeros((14, v.size))
        self.v: Floats
        self.v, self.a, self.rest, self.low, self.high = self._state[:5]  # views
        self.v[:], self._state[5] = v.ravel(), np.broadcast_to(unit, v.shape).ravel()
        J = np.broadcast_to(J, v.shape).ravel()
        self.a[:] = np.clip(np.broadcast_to(a, v.shape).ravel(), _INSET * J, (1 - _INSET) * J)
        self.rest[:] = J - self.a
        # the least multipliers whose difference is v and whose products are at least tau
        goal = tau * self._state[5]
        self.low[:] = np.maximum(goal / self.a, goal / self.rest - self.v)
        self.high[:] = np.maximum(goal / self.rest, goal / self.a + self.v)

    @property
    def count(self) -> int:
        """How many products there are."""
        return 2 * len(self.v)

    def rate(self) -> Floats:
        """da / dv."""
        rate: Floats = 1.0 / (self.low / self.a + self.high / self.rest)
        return rate

    def push(self, tau: float, taken: Taken) -> Floats:
        """The part of da that does not come from dv, corrected by the last direction as far as it was taken."""
        kernels.pairs_push(self._state, tau, 0.0 if taken is None else taken[0] * taken[1])
        pushed: Floats = self._state[13]
        return pushed

    def follow(self, dv: Floats) -> tuple[float, float]:
        """The direction for a change of v; how far multipliers and variables can go."""
        self._state[6] = dv
        primal, dual = kernels.pairs_follow(self._state)
        return _step(primal), _step(dual)

    def ahead(self, primal: float, dual: float) -> float:
        """The sum of the products after a step."""
        return kernels.pairs_ahead(self._state, primal, dual)

    def products(self) -> float:
        """What should vanish."""
        return kernels.pairs_ahead(self._state, 0.0, 0.0)

    def move(self, primal: float, dual: float) -> None:
        """Make a step."""
        kernels.pairs_move(self._state, primal, dual)

    def settled(self) -> tuple[Mask, Mask]:
        """Which variables are on their way to 0, and which to J: small against J where their multiplier is not."""
        size = 0.5 * float(np.mean(self.low + self.high)) if len(self.v) else 1.0
        J = self.a + self.rest
        return self.a * size < self.low * J, self.rest * size < self.high * J

    def put(self, places: np.ndarray, other: Pairs) -> None:
        """Take over what others have reached."""
        self._state[:5, places] = other._state[:5]


def _step(limit: float) -> float:
    return min(1.0, _NEAR / limit) if limit > 0 else 1.0


def longest(value: Floats, change: Floats) -> float:
    """How far positive numbers can go along a change and stay positive, at most all of it."""
    return _step(float(np.max(-change / value, initial=0.0)))
