"""Stochastic Pdprox: exact steps on single dual variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from pdprox.methods.base import Audit, Method, State, cold, cold_start
from pdprox.problem import Problem
from pdprox.samples import Coordinates, Dual
from pdprox.typing import Floats

#: an audit when the running gap is at most this share of the last audited one
_FALL = 0.1
#: all samples are visited again when an audit finds so many times the running gap
_TRUST = 3.0
#: epochs without a change of sides after a leap that went all the way, before the next; doubled after others
_WAIT, _WAIT_LONGEST = 3, 40


@dataclass
class Visits(State):
    """The dual variables, and what is known of the gap."""

    problem: Problem
    coordinates: Coordinates
    #: the running gap at which the next audit is due; what the centre did to the gap in the last step
    goal: float = np.inf
    missed: float = 0.0
    #: steps since the last leap, and steps to wait for the next
    since: int = 0
    wait: int = _WAIT

    @property
    def phase(self) -> str:
        """How many samples are visited."""
        return f"coordinate steps on {self.coordinates.active} of {self.problem.samples.size(None)} samples"

    def learn(self, audit: Audit) -> None:
        gap = audit.certificate.gap
        if gap > _TRUST * (self.coordinates.gap + self.missed):
            self.coordinates.restore()
        self.goal, self.due = _FALL * gap, False


@dataclass(frozen=True)
class PdproxStochastic(Method):
    """Stochastic Pdprox."""

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Visits:
        tariff = problem.features.tariff
        assert tariff is not None
        if cold(problem, x, dual):
            cold_x, cold_dual = cold_start(problem, x)
            if problem.features.intercept:
                x, dual = cold_x, cold_dual
        near = np.zeros(len(x))
        samples = problem.samples
        length = samples.row_length()
        if np.any(tariff.ridge <= 0):
            near[: tariff.d] = np.where(tariff.ridge > 0, 0.0, NEAR * length / samples.total)
        if problem.features.intercept:
            # as important as all columns together
            ridge = float(np.mean(tariff.ridge + near[: tariff.d]))
            near[-1] = INTERCEPT * ridge / max(length, 1e-300)
        coordinates = samples.coordinates(dual, x, tariff.single, tariff.ridge, near)
        return Visits(x, dual, problem, coordinates, due=False)

    def step(self, problem: Problem, state: Visits) -> Visits:
        inner = state.coordinates
        n = problem.samples.size(None)
        if inner.changed == 0 and inner.free and state.since >= state.wait:
            whole = inner.leap()
            state.wait = _WAIT if whole else min(2 * state.wait, _WAIT_LONGEST)
            state.since = 0
            inner.restore()
        inner.epochs(n // 2, state.goal)
        state.since += 1
        state.missed = inner.recentre()
        state.x, state.dual = inner.x, inner.slopes()
        state.due = inner.gap + state.missed <= state.goal
        return state

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
NEAR=1.0
INTERCEPT=1.0
