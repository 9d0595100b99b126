r"""Interior points: dual variables strictly within their bounds, with multipliers for the bounds.

The slope of sample i is :math:`\alpha_i = s_0 + \sum_k a_{ik}` with :math:`0 \le a_{ik} \le J_k`, J the jumps of the
slopes.  With multipliers for both bounds, the conditions of a solution are

.. math:: t_i - \mathrm{kink}_k + l_{ik} - h_{ik} = 0, \qquad
          c_i\, a_{ik}\, l_{ik} = \tau, \qquad c_i\, (J_k - a_{ik})\, h_{ik} = \tau

in the limit of tau = 0.  Newton's method on them, after elimination, asks for nothing but a weighted Gram matrix of X.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from pdprox.typing import Floats

#: how far the last direction could be followed by primal and by dual variables; None if there was none
Taken = tuple[float, float] | None

#: how near a bound of its interval a step may come
_NEAR = 0.995
#: how near one it may begin
_INSET = 0.1


class Interior(ABC):
    """The samples' share of a primal-dual interior point, and of the step that is being made."""

    #: products of variables with their multipliers that should vanish: how many
    pairs: int

    @abstractmethod
    def complementarity(self) -> float:
        """The sum of all products: the samples' share of the gap."""

    @abstractmethod
    def sums(self) -> Floats:
        """X' theta at the point."""

    @abstractmethod
    def push(self, tau: float, taken: Taken) -> Floats:
        """What Newton's equations add to ``sums`` for this tau, corrected by what was taken of the last direction."""

    @abstractmethod
    def hessian(self) -> Floats:
        """The weighted Gram matrix of the equations, the intercept's row and column last."""

    @abstractmethod
    def follow(self, change: Floats) -> tuple[float, float]:
        """Complete a direction of x; how far multipliers and how far variables can go along it."""

    @abstractmethod
    def ahead(self, primal: float, dual: float) -> float:
        """The sum of products after steps of these lengths."""

    @abstractmethod
    def move(self, primal: float, dual: float) -> None:
        """Make the steps."""

    @abstractmethod
    def onto(self, samples: Any) -> Interior:
        """The same point for a part of the data with other columns and the same samples."""

    @abstractmethod
    def slopes(self) -> Any:
        """The dual variables, without sums."""


class Pairs:
    """Variables a in (0, J), multipliers for both ends, and a number v with ``v + low - high = 0``.

    They begin near given a; steps keep the equation.
    """

    def __init__(self, v: Floats, J: Floats, tau: Floats | float, a: Floats) -> None:
        self.v, J = v, np.broadcast_to(J, v.shape)
        self.a = np.clip(a, _INSET * J, (1 - _INSET) * J)
        self.rest = J - self.a
        # the least multipliers whose difference is v and whose products are at least tau
        self.low = np.maximum(tau / self.a, tau / self.rest - v)
        self.high = np.maximum(tau / self.rest, tau / self.a + v)
        self.da = self.dlow = self.dhigh = self.dv = np.zeros_like(v)

    def products(self) -> Floats:
        """What should vanish."""
        products: Floats = self.a * self.low + self.rest * self.high
        return products

    def rate(self) -> Floats:
        """da / dv."""
        self._rate: Floats = 1.0 / (self.low / self.a + self.high / self.rest)
        return self._rate

    def push(self, tau: Floats | float, taken: Taken) -> Floats:
        """The part of da that does not come from dv."""
        low, high = tau / self.a, tau / self.rest
        if taken is not None:
            both = taken[0] * taken[1] * self.da
            low = low - both * self.dlow / self.a
            high = high + both * self.dhigh / self.rest
        self._targets = low, high
        pushed: Floats = self._rate * (self.v + low - high)
        return pushed

    def follow(self, dv: Floats, push: Floats) -> tuple[float, float]:
        """The direction for a change of v; how far multipliers and variables can go."""
        low, high = self._targets
        self.dv, self.da = dv, self._rate * dv + push
        self.dlow = low - self.low - self.low / self.a * self.da
        self.dhigh = high - self.high + self.high / self.rest * self.da
        primal = min(longest(self.low, self.dlow), longest(self.high, self.dhigh))
        return primal, min(longest(self.a, self.da), longest(self.rest, -self.da))

    def ahead(self, primal: float, dual: float) -> Floats:
        """The products after a step."""
        a, rest = self.a + dual * self.da, self.rest - dual * self.da
        products: Floats = a * (self.low + primal * self.dlow) + rest * (self.high + primal * self.dhigh)
        return products

    def put(self, places: np.ndarray, other: Pairs) -> None:
        """Take over what others have reached."""
        for name in ("v", "a", "rest", "low", "high"):
            getattr(self, name)[places] = getattr(other, name)

    def move(self, primal: float, dual: float) -> None:
        """Make a step."""
        self.a, self.rest = self.a + dual * self.da, self.rest - dual * self.da
        self.low, self.high = self.low + primal * self.dlow, self.high + primal * self.dhigh
        self.v = self.v + primal * self.dv


def longest(value: Floats, change: Floats) -> float:
    """How far positive numbers can go along a change and stay positive, at most all of it."""
    falling = change < 0
    if not np.any(falling):
        return 1.0
    return min(1.0, _NEAR * float(np.min(-value[falling] / change[falling])))


class LocalInterior(Interior):
    """Of samples in memory."""

    def __init__(self, samples: Any, pairs: Pairs) -> None:
        self._samples, self._pairs = samples, pairs
        self._c, self._line = samples.c, samples.line_of_loss
        self._sign = samples.y if self._line.margin else 1.0
        self._tau_of = 1.0 / np.maximum(self._c, 1e-300)
        self.pairs = 2 * pairs.v.size

    @classmethod
    def at(cls, samples: Any, x: Floats, tau: float) -> LocalInterior:
        """In the middle of all bounds, with the predictions of x."""
        line = samples.line_of_loss
        v = samples.forward(x)[None, :] - line.kinks[:, None]
        jumps = np.diff(line.slopes)[:, None]
        return cls(samples, Pairs(v, jumps, tau / np.maximum(samples.c, 1e-300), 0.5 * jumps))

    def onto(self, samples: Any) -> LocalInterior:
        return LocalInterior(samples, self._pairs)

    def complementarity(self) -> float:
        return float(np.sum(self._c * self._pairs.products()))

    def _alpha(self) -> Floats:
        alpha: Floats = self._line.slopes[0] + self._pairs.a.sum(axis=0)
        return alpha

    def sums(self) -> Floats:
        return self._up(self._alpha())

    def _up(self, alpha: Floats) -> Floats:
        sums: Floats = self._samples.backward(self._samples.dual_from(alpha)).g
        return sums

    def push(self, tau: float, taken: Taken) -> Floats:
        self._pushed = self._pairs.push(tau * self._tau_of, taken)
        return self._up(self._pushed.sum(axis=0))

    def hessian(self) -> Floats:
        samples = self._samples
        samples.passes += 1.0
        h = self._c * self._pairs.rate().sum(axis=0)
        columns = np.arange(samples.matrix.shape[1], dtype=np.intp)
        gram, mixed, total = samples.matrix.curvature(h, columns)
        if not samples.intercept:
            without: Floats = gram
            return without
        H = np.empty((len(gram) + 1, len(gram) + 1))
        H[:-1, :-1], H[-1, :-1], H[:-1, -1], H[-1, -1] = gram, mixed, mixed, total
        return H

    def follow(self, change: Floats) -> tuple[float, float]:
        dt = self._sign * self._samples.predict(change)
        return self._pairs.follow(np.broadcast_to(dt, self._pairs.v.shape), self._pushed)

    def ahead(self, primal: float, dual: float) -> float:
        return float(np.sum(self._c * self._pairs.ahead(primal, dual)))

    def move(self, primal: float, dual: float) -> None:
        self._pairs.move(primal, dual)

    def slopes(self) -> Any:
        return self._samples.dual_from(self._alpha())
