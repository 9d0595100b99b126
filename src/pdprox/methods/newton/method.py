"""Newton: the proximal method of multipliers on working sets of columns and rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from pdprox.certificate import dual_value, primal_value
from pdprox.methods.base import Audit, Method, State
from pdprox.methods.newton.round import Round
from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.typing import Floats


@dataclass
class Standing(State):
    """Where the method stands on one stage's problem; the stages are ever larger samples of the data."""

    problem: Problem
    stages: list[Problem]
    metric: Floats
    sigma: float
    primal: float = np.inf
    gap: float = np.inf
    #: the current round, its columns and rows
    round: Round | None = None
    columns: Any = None
    rows: Any = None
    rounds: int = 0
    #: how many rows to take for each unsettled one
    breadth: float = 4.0
    misjudged: int = 0
    best: tuple[float, Floats, Dual, float] | None = None

    def candidates(self) -> list[tuple[Floats, Dual]]:
        """The point of the whole problem that the round stands for."""
        if self.round is not None:
            x, dual = _whole(self)
            return [(x, dual)]
        return [(self.x, self.dual)]

    def learn(self, audit: Audit) -> None:
        """Go on from the audited dual, whose sums are known and meet the intercept's condition."""
        self.primal, self.dual = audit.value, audit.dual
        self.gap = audit.certificate.relative_gap
        self.due = False


def _whole(state: Standing) -> tuple[Floats, Dual]:
    assert state.round is not None
    inner = state.round
    dual = state.problem.samples.merged(state.dual, state.rows, inner.dual)
    if state.columns is None:
        return inner.anchor, dual
    x = np.zeros_like(state.x)
    x[_with_intercept(state.columns, state.problem)] = inner.anchor
    return x, dual


def _with_intercept(columns: Any, problem: Problem) -> Any:
    return np.append(columns, problem.features.d) if problem.features.intercept else columns


@dataclass(frozen=True)
class PdproxNewton(Method):
    """TODO."""

    tol: float = 1e-6

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Standing:
        samples = problem.samples
        if not np.any(x) and not np.any(dual.g):
            x = primal_value(problem, x)[1]
            dual = samples.feasible(samples.settled(x), problem.features.free)
        metric = samples.column_squares()
        if problem.features.intercept:
            metric = np.append(metric, 1.0)
        metric = np.maximum(metric, 1e-12 * float(metric.max(initial=0.0)) or 1.0)
        return Standing(x, dual, problem, [], metric, samples.typical_step(x))

    def step(self, problem: Problem, state: Standing) -> Standing:
        if state.round is None:
            self._open(state)
        inner = state.round
        assert inner is not None
        inner.step()
        if inner.steps == 0 and self._over(state, inner):
            self._close(state)
        return state

    def _over(self, state: Standing, inner: Round) -> bool:
        gap = min(state.gap, 1.0)
        enough = max(0.03 * gap, 0.1 * self.tol) * abs(state.primal)
        return inner.residual <= enough or inner.subproblems >= 8

    def _open(self, state: Standing) -> None:
        problem = state.problem
        tariff = problem.features.tariff
        assert tariff is not None
        x = state.x
        if not np.isfinite(state.primal):
            state.primal = primal_value(problem, x)[0]
            state.gap = 1.0
        state.columns = self._columns(state)
        state.rows = self._choose_rows(state)
        part = problem.samples.part(state.columns, state.rows)
        kept = slice(None) if state.columns is None else _with_intercept(state.columns, problem)
        dual = problem.samples.dual_of_part(state.dual, state.rows)
        frozen = np.zeros_like(x[kept])
        if state.rows is not None:
            frozen = state.dual.g[kept] - part.backward(dual).g
        metric = state.metric[kept]
        size = float(x[kept] @ (metric * x[kept]))
        s = 10 * max(size, problem.samples.spread() ** 2) / max(min(state.gap, 1.0) * abs(state.primal), 1e-300)
        state.round = Round(part, tariff.at(state.columns), frozen, metric, s, state.sigma, x[kept], dual, x[kept])

    def _columns(self, state: Standing) -> Any:
        problem, tariff = state.problem, state.problem.features.tariff
        assert tariff is not None
        d = problem.features.d
        if not (np.any(tariff.single) or tariff.group is not None):
            return None
        w, g = state.x[:d], state.dual.g[:d]
        pull = tariff.pull(w, g)
        alive = w != 0
        if tariff.labels is not None:
            alive = tariff.lengths(w)[tariff.labels] > 0
        count = int(alive.sum())
        gap = state.gap
        wanted = max(2 * count, 150) if gap < 0.05 else max(3 * count, 500, min(len(g), 10**9) // 8 if gap > 0.3 else 0)
        if wanted >= 0.6 * d:
            return None
        pull = np.where(alive, np.inf, pull)
        least = np.partition(pull, d - wanted)[d - wanted]
        return np.flatnonzero(alive | ((pull >= least) & (pull >= 0.5)))

    def _choose_rows(self, state: Standing) -> Any:
        samples = state.problem.samples
        n = samples.size(None)
        if state.rounds == 0 or n < 1000:
            return None
        z = samples.predict(state.x)
        unsettled = samples.unsettled(state.dual, z)
        count = int(max(state.breadth * unsettled, 500, n // 6 if state.gap > 0.1 else 0))
        if count >= 0.6 * n:
            return None
        return samples.in_play(state.dual, z, count)

    def _close(self, state: Standing) -> None:
        inner = state.round
        assert inner is not None
        x, dual = _whole(state)
        samples = state.problem.samples
        if state.rows is not None:
            z = samples.predict(x)
            outside = samples.unsettled(dual, z) - inner.samples.unsettled(inner.dual, inner.predictions)
            if outside > 0.02 * max(samples.unsettled(dual, z), 1):
                state.breadth *= 2
            state.misjudged = outside
        state.x, state.dual, state.sigma = x, dual, inner.sigma
        state.round = None
        state.rounds += 1
        state.due = True

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
