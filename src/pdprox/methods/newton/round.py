"""Newton's method on a part of the problem: some columns, some rows, the rest held still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdprox.methods.newton.quadratic import minimiser
from pdprox.methods.newton.search import root
from pdprox.penalties import Tariff
from pdprox.samples import Augmented, Dual, Samples
from pdprox.typing import Floats

#: a subproblem is solved when a step promises less than this share of what the proximal terms measure
_SHARE = 0.05
#: Newton steps for a subproblem at most
_STEPS = 40


@dataclass
class Round:
    r"""The proximal method of multipliers on a part of the problem.

    .. math::

        F(x) = \sum_{i \in I} c_i\, \psi_i(t_i(x)) + \langle f, x\rangle + \lambda R(w)
               + \tfrac{1}{2s} \|x - x_k\|_D^2

    with the augmented losses psi around the duals of the last subproblem, the sums f of the samples
    outside I, and a metric D that makes the result independent of the scale of columns.
    """

    samples: Samples
    tariff: Tariff
    frozen: Floats
    metric: Floats
    #: the primal proximal step s, and the dual one
    s: float
    sigma: float
    #: the point of the last subproblem and its duals
    anchor: Floats
    dual: Dual
    #: where the current subproblem stands
    x: Floats
    predictions: Any = None
    augmented: Augmented | None = None
    steps: int = 0
    subproblems: int = 0
    #: what the proximal terms of the last subproblem measured
    residual: float = np.inf
    #: charges at x
    charge: float = 0.0

    def __post_init__(self) -> None:
        self.predictions = self.samples.predict(self.x)
        self._look()
        self.charge = self.tariff.value(self.x[: self.tariff.d])

    def _look(self) -> None:
        self.augmented = self.samples.augmented(self.dual, self.predictions, self.sigma)

    def step(self) -> None:
        """One Newton step; at the end of a subproblem, the multipliers move."""
        assert self.augmented is not None
        away = self.metric * (self.x - self.anchor) / self.s
        gradient = self.samples.gradient(self.augmented) + self.frozen + away
        change, charge = self._direction(gradient)
        promised = -(float(gradient @ change) + charge - self.charge)
        length = self._search(change, charge - self.charge, away) if promised > 0 else 0.0
        if length > 0:
            self.x = self.x + length * change
            self.predictions = self.samples.advance(
                self.predictions, self.samples.predict(change), length
            )
            self.charge = charge if length == 1.0 else self.tariff.value(self.x[: self.tariff.d])
            self._look()
        self.steps += 1
        measured = self._measured()
        solved = promised <= _SHARE * measured
        if solved or length == 0 or self.steps >= _STEPS:
            self._next(solved or (length == 0 and self.steps > 1), measured)

    def _measured(self) -> float:
        assert self.augmented is not None
        away = self.x - self.anchor
        return self.augmented.moved / self.sigma + float(away @ (self.metric * away)) / self.s

    def _next(self, solved: bool, measured: float) -> None:
        """Move the multipliers; longer dual steps after easy subproblems, shorter ones after hard ones."""
        assert self.augmented is not None
        self.subproblems += 1
        if solved or self.steps > 1:  # a failure of the very first search must not move the multipliers
            self.dual = self.samples.ascended(self.augmented)
            self.anchor = self.x
            self.residual = measured
        if not solved:
            self.sigma /= 3.0
        elif self.steps <= 12:
            self.sigma *= 6.0 if self.steps <= 3 else 3.0
        self.steps = 0
        self._look()

    def _direction(self, gradient: Floats) -> tuple[Floats, float]:
        """To the minimum of the quadratic model, and what the coefficients there are charged."""
        assert self.augmented is not None
        d, w = self.tariff.d, self.x[: self.tariff.d]
        H = self.samples.curvature(self.augmented)
        H[np.diag_indices(len(H))] += self.metric / self.s
        if len(H) == d:
            v = minimiser(H, gradient, w, self.tariff, 1e-3)
            return v - w, self.tariff.value(v)
        # the intercept has its best value for every w
        mixed, own = H[d, :d], float(H[d, d])
        Q = H[:d, :d] - np.outer(mixed, mixed / own)
        v = minimiser(Q, gradient[:d] - mixed * (gradient[d] / own), w, self.tariff, 1e-3)
        change = v - w
        shift = -(gradient[d] + float(mixed @ change)) / own
        return np.append(change, shift), self.tariff.value(v)

    def _search(self, change: Floats, charged: float, away: Floats) -> float:
        """How far to go, the charges replaced by their chord; squares alone need no chord."""
        assert self.augmented is not None
        change_of_predictions = self.samples.predict(change)
        ridge = np.zeros(len(change))
        ridge[: self.tariff.d] = self.tariff.ridge
        smooth = self.tariff.smooth
        fixed = float((self.frozen + away) @ change)
        fixed += float((ridge * self.x) @ change) if smooth else charged
        rising = float(change @ (self.metric * change)) / self.s
        rising += float(change @ (ridge * change)) if smooth else 0.0

        def slope(length: float) -> tuple[float, float]:
            down, bend = self.samples.along(
                self.dual, self.predictions, change_of_predictions, self.sigma, length
            )
            return down + fixed + length * rising, bend + rising

        return root(slope, np.inf if smooth else 1.0)
