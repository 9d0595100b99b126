"""Newton: the proximal method of multipliers on working sets of columns and rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from pdprox.certificate import bound_of_feasible, primal_value
from pdprox.methods.base import Audit, Method, State, cold, cold_start
from pdprox.methods.newton.round import LARGE, Round
from pdprox.methods.polish import Polish
from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.threads import one_blas_thread
from pdprox.typing import Floats

#: data with fewer rows are used whole
_FEW_ROWS = 1000
#: the share of the rows that a first stage uses, and what it must be left with
_STAGE, _STAGE_ROWS = 8, 2000
#: a stage ends at this gap, or after so many rounds
_STAGE_GAP, _STAGE_ROUNDS = 0.1, 6
#: how far the primal proximal term lets a subproblem go, in units of the gap: more and subproblems with few free
#: rows run off and fail (covtype at C = 100: 10 times slower with 1000), less and they are too many
_REACH, _SHORTEST, _LONGEST = 100.0, 1e-4, 1e8
#: the gap from which on it is tried whether the sets are known
_POLISH_FROM = 0.03
#: subproblems in a round at most
_SUBPROBLEMS = 8
#: Newton steps that a run takes where only squares are charged, and the share of a Gram matrix that each makes anew
_STEPS_BY_GRAM, _NEW_ROWS = 20.0, 0.1


@dataclass
class Standing(State):
    """Where the method stands on the samples of one stage; the stages are ever larger parts of the data."""

    problem: Problem
    metric: Floats
    sigma: float
    #: a dual step that was long enough in the beginning
    typical: float
    #: the stage before, on fewer samples, while it lasts
    stage: Standing | None = None
    #: what the last audit found at x
    primal: float = np.inf
    gap: float = np.inf
    #: the current round, its columns and rows
    round: Round | None = None
    columns: Any = None
    rows: Any = None
    rounds: int = 0
    #: what the proximal terms of the last subproblem measured
    residual: float = np.inf
    #: how many rows to take for each unsettled one
    breadth: float = 4.0
    #: how far subproblems may go, and the primal step that this made the last round begin with
    reach: float = _REACH
    s: float = 1.0
    #: where the last round started: primal value, x, dual, sigma
    before: tuple[float, Floats, Dual, float] | None = None
    polish: Polish = field(default_factory=Polish)
    #: a point of the polish that waits for its audit
    polished: tuple[Floats, Dual] | None = None

    def candidates(self) -> list[tuple[Floats, Dual]]:
        """The point of the whole problem that the round stands for."""
        if self.stage is not None:
            x, _ = self.stage.candidates()[0]
            return [(x, _slopes_at(self.problem, x, self.sigma))]
        here = self.whole() if self.round is not None else (self.x, self.dual)
        return [here] if self.polished is None else [here, self.polished]

    @property
    def phase(self) -> str:
        """What the current round works on."""
        if self.stage is not None:
            return self.stage.phase
        samples, d = self.problem.samples, self.problem.features.d
        columns = d if self.columns is None else len(self.columns)
        return f"Newton on {samples.size(self.rows)} of {samples.size(None)} rows, {columns} of {d} columns"

    def learn(self, audit: Audit) -> None:
        """Go on from the audited dual, whose sums are known and meet the intercept's condition."""
        self.due, self.polished = False, None
        if self.stage is not None or self.round is not None:
            return
        self.primal, self.dual, self.gap = audit.value, audit.dual, audit.certificate.relative_gap
        if self.before is not None and self.primal > 1.05 * self.before[0]:
            # back to where the round began: rows that were held still mattered, or steps were too long
            self.primal, self.x, self.dual, self.sigma = self.before
            if self.rows is None:
                self.reach, self.sigma = self.reach / 100.0, self.sigma / 10.0
            else:
                self.breadth *= 2.0

    def whole(self) -> tuple[Floats, Dual]:
        """The round's last point as one of the whole problem."""
        inner = self.round
        assert inner is not None
        dual = self.problem.samples.merged(self.dual, self.rows, inner.dual)
        if self.columns is None:
            return inner.anchor, dual
        x = np.zeros_like(self.x)
        x[self.kept()] = inner.anchor
        return x, dual

    def kept(self) -> Any:
        """The entries of x that the round has."""
        return self.problem.features.places(self.columns)


def _slopes_at(problem: Problem, x: Floats, sigma: float) -> Dual:
    """Slopes of the losses at x, from one to the next over the width that sigma says."""
    samples = problem.samples
    near = samples.augmented(samples.middle(), samples.predict(x), sigma)
    return samples.ascended(near)


@dataclass(frozen=True)
class PdproxNewton(Method):
    r"""The proximal method of multipliers: Pdprox with steps that are taken exactly, on working sets.

    A subproblem around :math:`(w_k, b_k, \alpha_k)` is

    .. math::

        \min_{w, b}\; \sum_i c_i\, \psi_i(t_i(w, b)) + \lambda R(w) + \tfrac1{2s} \|w - w_k\|_D^2, \qquad
        \psi_i(t) = \max_a\; a t - \ell^*(a) - \tfrac{1}{2\sigma} (a - \alpha_{ki})^2 ,

    whose losses are smooth and piecewise quadratic.  Newton's method finds its minimum to an accuracy that
    what the proximal terms measure allows; the maximising a are the next slopes.  sigma grows while that is easy.
    Large data are entered by a part of the rows, then all; each round takes the columns that are in use or
    drawn away from 0, and the rows near a kink.  The certificate of the whole problem decides.

    It needs one target, a broken line or one of its smoothed relatives for a loss, and a penalty that is made of
    weighted absolute values, squares and lengths of groups.

    References
    ----------
    Rockafellar (1976), Augmented Lagrangians and applications of the proximal point algorithm;
    Li, Sun, Toh (2018), A highly efficient semismooth Newton augmented Lagrangian method for Lasso problems.
    """

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Standing:
        tariff = problem.features.tariff
        if not problem.samples.curved or tariff is None:
            raise ValueError(
                f"Newton's method needs one target, no sets, a broken line for a loss and a penalty of lengths and "
                f'squares; got {problem.loss!r} and {problem.penalty!r}: use method="pdprox-restarted"'
            )
        return self._standing(problem.on(problem.samples.view()), x, dual, cold(problem, x, dual))

    def _standing(self, problem: Problem, x: Floats, dual: Dual, unknown: bool) -> Standing:
        samples = problem.samples
        metric = samples.column_squares()
        if problem.features.intercept:
            metric = np.append(metric, 1.0)
        metric = np.maximum(metric, 1e-12 * float(metric.max(initial=0.0)) or 1.0)
        stage = None
        if unknown:
            part = samples.size(None) // _STAGE
            if part >= max(_STAGE_ROWS, 10 * min(problem.features.d, 300)):
                x = primal_value(problem, x)[1]
                stage = self._standing(problem.on(samples.draw(part, 0)), x, dual, unknown)
            else:
                x, dual = cold_start(problem, x)
        typical = samples.typical_step(x)
        return Standing(x, dual, problem, metric, typical, typical, stage, due=False)

    def step(self, problem: Problem, state: Standing) -> Standing:
        # numbers that overflow are seen by the round as steps without end, and shortened
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            self._step(state)
        return state

    def _step(self, state: Standing) -> None:
        if state.stage is not None:
            self._step(state.stage)
            if state.stage.due:
                self._audit(state.stage)
                if state.stage.gap <= _STAGE_GAP or state.stage.rounds >= _STAGE_ROUNDS:
                    self._enter(state)
            return
        if state.round is None:
            self._open(state)
        inner = state.round
        assert inner is not None
        before = inner.effort
        inner.step()
        state.effort += inner.effort - before
        if inner.steps == 0 and self._over(state, inner):
            self._close(state)

    @staticmethod
    def _audit(state: Standing) -> None:
        """What the loop does for the last stage."""
        primal, _ = primal_value(state.problem, state.x)
        feasible = state.problem.samples.feasible(state.dual, state.problem.features.free)
        bound, _ = bound_of_feasible(state.problem, feasible, primal, state.x)
        state.due = False
        state.primal, state.dual = primal, feasible
        state.gap = (primal - bound) / max(abs(primal), abs(bound), 1e-300)

    @staticmethod
    def _enter(state: Standing) -> None:
        """From the stage before: its coefficients, and the slopes of all samples there."""
        assert state.stage is not None
        samples = state.problem.samples
        state.x = state.stage.x
        state.sigma = state.typical = samples.typical_step(state.x)
        state.dual = samples.feasible(
            _slopes_at(state.problem, state.x, state.sigma), state.problem.features.free
        )
        state.stage = None
        state.rounds = 1
        state.primal, state.gap = primal_value(state.problem, state.x)[0], 0.3

    def _over(self, state: Standing, inner: Round) -> bool:
        # a round on few of the rows is cheap against the audit that ends it
        share = inner.samples.size(None) / state.problem.samples.size(None)
        enough = max(0.03 * min(state.gap, 1.0) * max(share, 1e-3), 1e-13) * abs(state.primal)
        running_off = state.rows is not None and inner.residual > 4.0 * state.residual
        return inner.residual <= enough or running_off or inner.subproblems >= _SUBPROBLEMS

    def _open(self, state: Standing) -> None:
        problem = state.problem
        tariff = problem.features.tariff
        assert tariff is not None
        if state.due:  # nobody audited the last round
            self._audit(state)
        elif not np.isfinite(state.primal):
            state.primal, state.gap = primal_value(problem, state.x)[0], 1.0
        state.columns = self._columns(state)
        state.rows = self._choose_rows(state)
        kept = state.kept()
        x, metric = state.x[kept], state.metric[kept]
        part = problem.samples.part(state.columns, state.rows)
        dual = problem.samples.dual_of_part(state.dual, state.rows)
        frozen = np.zeros_like(x)
        state.before = state.primal, state.x, state.dual, state.sigma
        if state.rows is not None:
            frozen = state.dual.g[kept] - part.backward(dual).g
        size = max(float(x @ (metric * x)), problem.samples.spread() ** 2)
        s = state.reach * size / max(min(state.gap, 1.0) * abs(state.primal), 1e-300)
        state.s = s
        slack = max(min(state.gap, 1.0), 1e-13)
        state.round = Round(
            part, tariff.at(state.columns), frozen, metric, s, state.sigma, x, dual, x,
            slack=slack, residual=state.residual, least=1e-6 * state.typical,
        )  # fmt: skip

    def _columns(self, state: Standing) -> Any:
        problem, tariff = state.problem, state.problem.features.tariff
        assert tariff is not None
        d = problem.features.d
        if tariff.smooth:
            return None
        w, g = state.x[:d], state.dual.g[:d]
        count = int(np.count_nonzero(tariff.in_use(w)))
        return tariff.foremost(w, g, max(2 * count, 150) if state.gap < 0.05 else max(3 * count, 500), 0.5)

    def _choose_rows(self, state: Standing) -> Any:
        samples = state.problem.samples
        n = samples.size(None)
        if state.rounds == 0 or n < _FEW_ROWS or state.gap > 0.3:
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
        x, dual = state.whole()
        problem, samples = state.problem, state.problem.samples
        if state.rows is not None:
            z = samples.predict(x)
            unsettled = samples.unsettled(dual, z)
            outside = unsettled - inner.samples.unsettled(inner.dual, inner.predictions)
            if outside > 0.02 * max(unsettled, 1):
                state.breadth *= 2.0
        state.x, state.dual, state.sigma, state.residual = x, dual, inner.sigma, inner.residual
        state.reach = float(np.clip(state.reach * inner.s / state.s, _SHORTEST, _LONGEST))
        state.round = None
        state.rounds += 1
        state.due = True
        if state.gap <= _POLISH_FROM:
            state.polished = state.polish.candidate(problem, x, dual)

    @staticmethod
    def price(problem: Problem) -> float:
        """What a run where only squares are charged costs, in nanoseconds of a model machine.

        Infinite where there are too many columns for a matrix: products take too many steps to be counted.
        """
        samples, d = problem.samples, problem.features.d
        product = samples.product_cost()
        if d > LARGE:
            return float("inf")
        return _STEPS_BY_GRAM * (3e5 + 4.0 * product + _NEW_ROWS * samples.gram_cost(d) + 0.02 * d**3)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
