"""Newton's method on a part of the problem: some columns, some rows, the rest held still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdprox.methods.newton.quadratic import minimise
from pdprox.methods.newton.search import root
from pdprox.penalties import Tariff
from pdprox.samples import Augmented, Dual, Samples, conjugate_gradients
from pdprox.typing import Floats

#: a subproblem is solved when a step promises less than this share of what the proximal terms measure
_SHARE = 0.05
#: columns that may enter in one step: a share of those in use, and a few
_ENTER, _ENTER_FEW = 0.1, 50
#: a fall by less than this share of the terms that it is the difference of drowns in rounding
_NOISE = 1e-14
#: no step is as long as this
_ABSURD = 1e60
#: Newton steps for a subproblem at most
_STEPS = 40
#: what sigma is multiplied by after subproblems of at most so many steps; it is halved after hard ones
_GROWTH = ((3, 6.0), (8, 3.0), (20, 1.0), (_STEPS, 0.5))
#: more unknowns than this are solved for by products with the Hessian, if the charges are squares
LARGE = 2000
#: which end at this share of the first residual, or after so many products
_SHORT, _PRODUCTS = 0.1, 200


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
    #: how far from feasible the slopes of a solved subproblem may be
    slack: float = np.inf
    steps: int = 0
    subproblems: int = 0
    #: the dual step stays above this
    least: float = 1e-300
    #: whether the last step promised little
    solved: bool = False
    #: what the proximal terms of the last subproblem measured
    residual: float = np.inf
    #: charges at x
    charge: float = 0.0
    #: what all steps have cost, in nanoseconds of a model machine
    effort: float = 0.0

    def __post_init__(self) -> None:
        self.sigma = max(self.sigma, self.least)
        self._shortest = 1e-30 * self.s
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
        if self.solved and self._infeasibility(gradient) <= self.slack:
            self._next(True)
            return
        change, charge, energy = self._direction(gradient)
        if not (np.isfinite(charge) and energy < _ABSURD):  # the model is all but flat
            self.s /= 100.0
            self.steps += 1
            self._next(False)
            return
        down = float(gradient @ change)
        promised, noise = self.charge - charge - down, _NOISE * (abs(down) + self.charge + charge)
        if abs(promised) > noise:
            length = self._search(change, charge - self.charge, away) if promised > 0 else 0.0
        else:  # too little for a search to see
            promised, length = min(energy, noise), 1.0
        if length > 0:
            self.x = self.x + length * change
            self.predictions = self.samples.advance(self.predictions, self.samples.predict(change), length)
            self.charge = charge if length == 1.0 else self.tariff.value(self.x[: self.tariff.d])
            self._look()
        self.steps += 1
        self.solved = promised <= _SHARE * self._measured()
        if self.solved and (self.tariff.smooth or promised <= 1e-3 * noise):
            self._next(True)
        elif length == 0 or self.steps >= _STEPS:
            self._next(self.solved or (length == 0 and self.steps > 1))

    def _infeasibility(self, gradient: Floats) -> float:
        """By which share the slopes at x miss what the dual of the penalty asks for."""
        d, w = self.tariff.d, self.x[: self.tariff.d]
        pull = self.tariff.pull(w, gradient[:d])
        beyond = float(np.max(pull, initial=1.0, where=np.isfinite(pull))) - 1.0
        if self.tariff.squared:
            return beyond
        lost = self.charge + float(w @ gradient[:d])
        return beyond + abs(lost) / max(self.charge, 1e-300)

    def _measured(self) -> float:
        assert self.augmented is not None
        away = self.x - self.anchor
        return self.augmented.moved / self.sigma + float(away @ (self.metric * away)) / self.s

    def _next(self, solved: bool) -> None:
        """Move the multipliers; longer dual steps after easy subproblems, shorter ones after hard ones."""
        assert self.augmented is not None
        self.subproblems += 1
        measured = self._measured()
        if solved or self.steps > 1:  # a failure of the very first search must not move the multipliers
            self.dual = self.samples.ascended(self.augmented)
            self.anchor = self.x
            self.residual = measured
        if not solved:
            if self.augmented.moved / self.sigma < 0.1 * measured:  # it is x that went too far
                self.s /= 10.0
            self.sigma /= 3.0
        elif self.augmented.moved / self.sigma < 1e-3 * measured:  # it is x that still has far to go
            self.s *= 10.0
        else:
            self.sigma *= next(factor for most, factor in _GROWTH if self.steps <= most)
        self.sigma = min(max(self.sigma, self.least), 1e18 * self.least)
        self.s = max(self.s, self._shortest)
        self.steps, self.solved = 0, False
        self._look()

    def _direction(self, gradient: Floats) -> tuple[Floats, float, float]:
        """To the minimum of the quadratic model, what the coefficients there are charged, and the fall of the model."""
        d, w = self.tariff.d, self.x[: self.tariff.d]
        if self.tariff.smooth and d > LARGE:
            change = self._by_products(gradient)
            return change, self.tariff.value(w + change[:d]), -float(gradient @ change)
        columns = self._candidates(w, gradient[:d])
        among = slice(None) if columns is None else columns
        moves, energy = self._minimiser(columns, np.append(gradient[:d][among], gradient[d:]), w[among])
        change = np.zeros_like(self.x)
        change[:d][among] = moves[: len(w[among])]
        change[d:] = moves[len(w[among]) :]
        return change, self.tariff.value(w + change[:d]), energy

    def _candidates(self, w: Floats, g: Floats) -> np.ndarray | None:
        """The columns that may move: those in use, and of those that the gradient draws away from 0 the foremost."""
        if self.tariff.smooth:
            return None
        alive = self.tariff.in_use(w)
        pull = np.where(alive, 0.0, self.tariff.pull(w, g))
        most = int(_ENTER * np.count_nonzero(alive)) + _ENTER_FEW
        least = 1.0
        if np.count_nonzero(pull > 1.0) > most:
            least = max(1.0, float(np.partition(pull, len(pull) - most)[len(pull) - most]))
        columns = np.flatnonzero(alive | (pull > least) | np.isinf(pull))
        return None if len(columns) >= 0.9 * self.tariff.d else columns

    def _minimiser(self, columns: np.ndarray | None, gradient: Floats, w: Floats) -> tuple[Floats, float]:
        """The changes of these coefficients, and of the intercept if there is one, and their squared length."""
        assert self.augmented is not None
        d = self.tariff.d
        among = slice(None) if columns is None else columns
        own = np.append(self.metric[:d][among], self.metric[d:]) / self.s
        tariff = self.tariff.at(columns)
        model = self.samples.model(
            self.augmented, columns, gradient, w, own, tariff.smooth or tariff.labels is not None
        )
        minimise(model, tariff)
        alive, p = float(np.count_nonzero(model.v)), float(len(model.v))
        self.effort += 3e5 + 4 * self.samples.product_cost() + 20 * alive * p + 0.02 * alive**3
        return model.outcome()

    def _by_products(self, gradient: Floats) -> Floats:
        """Newton's direction by conjugate gradients; the charges are squares."""
        augmented = self.augmented
        assert augmented is not None
        fixed = self.metric / self.s
        fixed[: self.tariff.d] += self.tariff.ridge
        slope = gradient.copy()
        slope[: self.tariff.d] += self.tariff.ridge * self.x[: self.tariff.d]
        return conjugate_gradients(
            lambda v: self.samples.curve(augmented, v) + fixed * v,
            -slope, self.metric + fixed, _SHORT, _PRODUCTS,
        )  # fmt: skip

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
