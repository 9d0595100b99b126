"""Mehrotra's steps on some of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdprox.methods.cholesky import cholesky, solution
from pdprox.methods.interior.barriers import barriers_of
from pdprox.penalties import Tariff
from pdprox.problem import Problem
from pdprox.samples.interior import Interior
from pdprox.samples.pairs import Taken
from pdprox.typing import Floats

#: no step is as long as this
_ABSURD = 1e60


class Round:
    r"""Mehrotra's predictor and corrector on some of the columns.

    The features' share of the conditions is :math:`X^\top\theta + r \circ w + u = 0` with u a subgradient of what is
    charged besides squares; barriers keep it.
    """

    def __init__(
        self, problem: Problem, columns: Any, x: Floats, tau: float, before: Round | None = None
    ) -> None:
        tariff, levels = problem.features.tariff, problem.features.levels
        self.columns, self.x, self.d = columns, x, len(x) - int(problem.features.intercept)
        samples = problem.samples.part(columns, problem.samples.weighty())
        self.inner: Interior = samples.interior(x, tau) if before is None else before.inner.onto(samples)
        tariff = Tariff(np.zeros(self.d), np.zeros(self.d)) if tariff is None else tariff.at(columns)
        self.ridge = tariff.ridge
        u = None if before is None else -(self.inner.sums()[: self.d] + self.ridge * x[: self.d])
        self.barriers = barriers_of(tariff, levels, x[: self.d], tau, u)
        self.products = self.inner.pairs + sum(barrier.products for barrier in self.barriers)
        self.together = bool(np.any(self.ridge)) or not all(barrier.linear for barrier in self.barriers)
        self.steps, self.missed = 0, np.inf

    def widened(self, problem: Problem, more: np.ndarray) -> Round:
        """The same interior point with more columns."""
        columns = np.union1d(self.columns, more)
        x, places = np.zeros(len(columns) + len(self.x) - self.d), np.searchsorted(columns, self.columns)
        x[places], x[len(columns) :] = self.x[: self.d], self.x[self.d :]
        wide = Round(problem, columns, x, self.mu, self)
        for barrier in wide.barriers:
            for old in self.barriers:
                if type(old) is type(barrier):
                    barrier.adopt(old, places)
        return wide

    @property
    def mu(self) -> float:
        """The mean product."""
        total = sum(barrier.complementarity() for barrier in self.barriers)
        return (self.inner.complementarity() + total) / self.products

    def step(self) -> bool:
        """One step; false where the equations cannot be solved."""
        # numbers that overflow are seen below as steps that are not finite
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self._step()

    def _step(self) -> bool:
        d, barriers = self.d, self.barriers
        H = self.inner.hessian()
        H.flat[: d * len(H) : len(H) + 1] += self.ridge
        for barrier in barriers:
            barrier.curve(H)
        solve = factored(H)
        if solve is None:
            return False
        rise = self.inner.sums()
        rise[:d] += self.ridge * self.x[:d]
        for barrier in barriers:
            rise[:d] += barrier.u
        self.missed = float(np.abs(rise) @ np.abs(self.x))

        def direction(tau: float, taken: Taken) -> tuple[float, float]:
            right = rise + self.inner.push(tau, taken)
            for barrier in barriers:
                right[:d] += barrier.push(tau, taken)
            self._change = solve(-right)
            lengths = [self.inner.follow(self._change)]
            lengths += [barrier.follow(self._change[:d]) for barrier in barriers]
            primal, dual = (min(each) for each in zip(*lengths, strict=True))
            return (min(primal, dual),) * 2 if self.together else (primal, dual)

        lengths = direction(0.0, None)
        mu = self.mu
        ahead = self.inner.ahead(*lengths) + sum(barrier.ahead(*lengths) for barrier in barriers)
        taken = (1.0, 1.0) if all(barrier.flat for barrier in barriers) else lengths
        lengths = direction(mu * min(max(ahead / self.products / mu, 1e-8), 1.0) ** 3, taken)
        if not np.max(np.abs(self._change), initial=0.0) < _ABSURD:  # NaN included
            return False
        self.inner.move(*lengths)
        for barrier in barriers:
            barrier.move(*lengths)
        self.x = self.x + lengths[0] * self._change
        self.steps += 1
        return max(lengths) > 1e-8

    def cleaned(self) -> Floats:
        """x with those coefficients 0 that are on their way there."""
        x = self.x.copy()
        for barrier in self.barriers:
            x[: self.d][barrier.dying(self.x[: self.d])] = 0.0
        return x


def factored(H: Floats) -> Any:
    """How to solve equations with H, refined once; None where it is too singular."""
    for touch in (1e-15, 1e-12, 1e-9):
        factor = cholesky(H.copy(), touch)
        if factor is not None:

            def solve(b: Floats, factor: Floats = factor) -> Floats:
                x = solution(factor, b)
                return x + solution(factor, b - H @ x)

            return solve
    return None
