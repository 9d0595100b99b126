"""Newton's method on a part of the problem: some columns, some rows, the rest held still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdprox.methods.newton.quadratic import minimiser, solve_by_products
from pdprox.methods.newton.search import root
from pdprox.penalties import Tariff
from pdprox.samples import Augmented, Dual, Samples
from pdprox.typing import Floats

#: a subproblem is solved when a step promises less than this share of what the proximal terms measure
_SHARE = 0.05
#: Newton steps for a subproblem at most
_STEPS = 40
#: more unknowns than this are solved for by products with the Hessian, if the charges are squares
_LARGE = 2000


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
        d, w = self.tariff.d, self.x[: self.tariff.d]
        if self.tariff.smooth and d > _LARGE:
            change = self._by_products(gradient)
            return change, self.tariff.value(w + change[:d])
        columns = self._candidates(w, gradient[:d])
        among = slice(None) if columns is None else columns
        v = self._minimiser(columns, np.append(among_of(gradient, columns, d), gradient[d:]), w[among])
        change = np.zeros_like(self.x)
        change[:d][among] = v[: len(w[among])] - w[among]
        change[d:] = v[len(w[among]) :]
        return change, self.tariff.value(w + change[:d])

    def _candidates(self, w: Floats, g: Floats) -> np.ndarray | None:
        """The columns that may move: those in use, and those that the gradient draws away from 0."""
        if self.tariff.smooth:
            return None
        alive = np.flatnonzero(self.tariff.in_use(w) | (self.tariff.pull(w, g) > 1.0))
        return None if len(alive) >= 0.9 * self.tariff.d else alive

    def _minimiser(self, columns: np.ndarray | None, gradient: Floats, w: Floats) -> Floats:
        """The best coefficients in these columns, and the change of the intercept if there is one."""
        assert self.augmented is not None
        p = len(w)
        H = self.samples.curvature(self.augmented, columns)
        metric = np.append(self.metric[: self.tariff.d][slice(None) if columns is None else columns], self.metric[self.tariff.d :])
        H[np.diag_indices(len(H))] += metric / self.s
        tariff = self.tariff.at(columns)
        if len(H) == p:
            return minimiser(H, gradient, w, tariff)
        # the intercept has its best value for every w
        mixed, own = H[p, :p], float(H[p, p])
        Q = H[:p, :p] - np.outer(mixed, mixed / own)
        v = minimiser(Q, gradient[:p] - mixed * (gradient[p] / own), w, tariff)
        return np.append(v, -(gradient[p] + float(mixed @ (v - w))) / own)

    def _by_products(self, gradient: Floats) -> Floats:
        """Newton's direction by conjugate gradients; the charges are squares."""
        augmented = self.augmented
        assert augmented is not None
        fixed = self.metric / self.s
        fixed[: self.tariff.d] += self.tariff.ridge
        slope = gradient.copy()
        slope[: self.tariff.d] += self.tariff.ridge * self.x[: self.tariff.d]
        return solve_by_products(lambda v: self.samples.curve(augmented, v) + fixed * v, -slope, self.metric + fixed)

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


def among_of(gradient: Floats, columns: np.ndarray | None, d: int) -> Floats:
    """The part of a gradient that belongs to these columns."""
    return gradient[:d] if columns is None else gradient[:d][columns]
