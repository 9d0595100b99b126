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

from pdprox.samples.pairs import Pairs, Taken
from pdprox.typing import Floats


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

    @abstractmethod
    def settled(self) -> Any:
        """The same, those that are on their way to a bound moved there."""


class LocalInterior(Interior):
    """Of samples in memory."""

    def __init__(self, samples: Any, pairs: Pairs) -> None:
        self._samples, self._pairs = samples, pairs
        self._c, self._line = samples.c, samples.line_of_loss
        self._sign = samples.y if self._line.margin else 1.0
        self._shape = len(self._line.kinks), len(self._c)
        self.pairs = pairs.count

    @classmethod
    def at(cls, samples: Any, x: Floats, tau: float) -> LocalInterior:
        """In the middle of all bounds, with the predictions of x."""
        line = samples.line_of_loss
        v = samples.forward(x)[None, :] - line.kinks[:, None]
        jumps = np.diff(line.slopes)[:, None]
        return cls(samples, Pairs(v, jumps, tau, 0.5 * jumps, 1.0 / np.maximum(samples.c, 1e-300)))

    def onto(self, samples: Any) -> LocalInterior:
        return LocalInterior(samples, self._pairs)

    def complementarity(self) -> float:
        return self._pairs.products()

    def _alpha(self) -> Floats:
        alpha: Floats = self._line.slopes[0] + self._pairs.a.reshape(self._shape).sum(axis=0)
        return alpha

    def sums(self) -> Floats:
        return self._up(self._alpha())

    def _up(self, alpha: Floats) -> Floats:
        sums: Floats = self._samples.backward(self._samples.dual_from(alpha)).g
        return sums

    def push(self, tau: float, taken: Taken) -> Floats:
        return self._up(self._pairs.push(tau, taken).reshape(self._shape).sum(axis=0))

    def hessian(self) -> Floats:
        samples = self._samples
        samples.passes += 1.0
        h = self._c * self._pairs.rate().reshape(self._shape).sum(axis=0)
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
        return self._pairs.follow(np.tile(dt, self._shape[0]))

    def ahead(self, primal: float, dual: float) -> float:
        return self._pairs.ahead(primal, dual)

    def move(self, primal: float, dual: float) -> None:
        self._pairs.move(primal, dual)

    def slopes(self) -> Any:
        return self._samples.dual_from(self._alpha())

    def settled(self) -> Any:
        at_zero, at_end = (each.reshape(self._shape) for each in self._pairs.settled())
        jumps = np.diff(self._line.slopes)[:, None]
        a = np.where(at_zero, 0.0, np.where(at_end, jumps, self._pairs.a.reshape(self._shape)))
        # sums of jumps must be the line's own slopes, to the bit
        between = np.any(~(at_zero | at_end), axis=0)
        exact = self._line.slopes[np.sum(at_end, axis=0)]
        return self._samples.dual_from(np.where(between, self._line.slopes[0] + a.sum(axis=0), exact))
