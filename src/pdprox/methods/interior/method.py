"""Interior points: the method for problems at whose solution nearly as much is active as there are equations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from pdprox.certificate import primal_value
from pdprox.methods.base import Audit, Method, State, cold, cold_start
from pdprox.methods.interior.round import Round
from pdprox.methods.polish import Polish
from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.threads import one_blas_thread
from pdprox.typing import Floats

#: a round on some of the columns ends when its share of the gap is below this part of the certified one
_ROUND = 0.05
#: an audit when the round's share of the gap has fallen by this factor since the last, or is what is wanted
_FALL, _AGAIN = 1e-3, 0.3
#: the gap from which on it is tried whether the sets are known
_POLISH_FROM = 1e-4
#: as many columns at most where others can do without it, and as many steps typically: one of 50000 samples blocks a
#: step sooner than one of 1000
_LARGEST, _TYPICAL, _AND_A_SAMPLE = 6000, 15, 1.5e-3
#: as many columns at most where all of them are in use, and nobody asked others
_MOST = 20_000
#: steps in a round at most
_STEPS = 300
#: columns are as many times those in use, and later those more that are drawn away from 0 so strongly
_BREADTH, _DRAWN = 1.5, 0.99
#: a column drawn away more strongly than this makes the round start afresh
_FAR = 2.0


@dataclass
class Standing(State):
    """The point of the whole problem, and the interior point of the round on some of the columns."""

    problem: Problem
    gap: float = 1.0
    primal: float = np.inf
    round: Round | None = None
    #: the round's share of the gap at the last audit
    audited: float = np.inf
    #: whether the round waits for the audit to say which columns it lacks
    widen: bool = False
    #: where the method started, until the first audit: nothing beats it where w = 0 is optimal
    first: tuple[Floats, Dual] | None = None
    polish: Polish = field(default_factory=Polish)
    #: a point of the polish that waits for its audit
    polished: tuple[Floats, Dual] | None = None

    def candidates(self) -> list[tuple[Floats, Dual]]:
        return [(self.x, self.dual), *(point for point in (self.first, self.polished) if point is not None)]

    @property
    def phase(self) -> str:
        """What the current round works on."""
        d = self.problem.features.d
        columns = d if self.round is None or self.round.columns is None else len(self.round.columns)
        return f"interior point on {columns} of {d} columns"

    def learn(self, audit: Audit) -> None:
        self.due, self.first, self.polished = False, None, None
        self.dual, self.primal, self.gap = audit.dual, audit.value, audit.certificate.relative_gap


@dataclass(frozen=True)
class PdproxInterior(Method):
    r"""A primal-dual interior point method on working sets of columns.

    It follows the solutions of the conditions with every product of a variable and its multiplier equal to tau, tau to
    0, by Mehrotra's steps; the equations of a step come down to one weighted Gram matrix.  The number of steps hardly
    depends on the problem, each costs a Cholesky factorization of the columns in play.

    It needs one target, a broken line for a loss, and a penalty of weighted absolute values, squares, lengths of groups
    (second-order cones), largest sizes of groups, or squared sums of sizes.

    References
    ----------
    Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM J. Optim. 2.
    """

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Standing:
        if not self.suits(problem):
            raise ValueError(
                "interior points need one target, no sets, a broken line for a loss and a penalty of absolute values, "
                f"squares, lengths or sizes of groups; got {problem.loss!r} and {problem.penalty!r}: "
                'use method="pdprox-restarted"'
            )
        d, tariff = problem.features.d, problem.features.tariff
        if d > _MOST and (
            tariff is None or tariff.smooth
        ):  # with absolute values or groups it works on a part of them
            raise ValueError(
                f"interior points need a matrix of all {d} columns here, and {_MOST} are the most; "
                'use method="auto"'
            )
        if cold(problem, x, dual):
            x, dual = cold_start(problem, x)
        return Standing(x, dual, problem, due=False, first=(x, dual))

    def step(self, problem: Problem, state: Standing) -> Standing:
        # numbers that overflow are those of a round that has run off, and is over
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            if state.round is None:
                state.round = self._opened(state)
            elif state.widen:
                state.round, state.widen = self._widened(state), False
            inner = state.round
            going = inner.step()
            state.x = np.zeros(problem.features.shape)
            state.x[problem.features.places(inner.columns)] = inner.cleaned()
            samples = problem.samples
            state.dual = samples.merged(state.dual, samples.weighty(), inner.inner.slopes())
            # the sum of products is the gap, once the equations hold
            left = inner.products * inner.mu + inner.missed
            size = abs(state.primal)
            state.widen = inner.columns is not None and left <= _ROUND * min(state.gap, 1.0) * size
            over = not going or inner.steps >= _STEPS
            done = inner.columns is None and left <= min(state.wanted * size, _AGAIN * state.audited)
            state.due = over or state.widen or done or left <= _FALL * state.audited
            if state.due:
                state.audited = left
                if problem.features.tariff is not None and left <= _POLISH_FROM * size:
                    settled = samples.merged(state.dual, samples.weighty(), inner.inner.settled())
                    state.polished = state.polish.candidate(problem, state.x, settled)
            if over:
                state.round, state.widen = None, False
        return state

    def _opened(self, state: Standing, columns: Any = None) -> Round:
        problem = state.problem
        if not np.isfinite(state.primal):
            state.primal, state.gap = primal_value(problem, state.x)[0], 1.0
        d, tariff = problem.features.d, problem.features.tariff
        if columns is None and tariff is not None:
            used = int(np.count_nonzero(tariff.in_use(state.x[:d])))
            wanted = max(int(_BREADTH * used), 200)
            columns = tariff.foremost(state.x[:d], state.dual.g[:d], wanted, _DRAWN)
        x = state.x[problem.features.places(columns)]
        pairs = 2 * (problem.samples.size(None) + len(x))
        state.audited = np.inf
        return Round(problem, columns, x, min(state.gap, 1.0) * max(abs(state.primal), 1e-300) / pairs)

    def _widened(self, state: Standing) -> Round:
        """With the columns that the last audit found drawn away from 0."""
        inner, tariff = state.round, state.problem.features.tariff
        assert inner is not None and tariff is not None
        d = tariff.d
        pull = tariff.pull(state.x[:d], state.dual.g[:d])
        pull[inner.columns] = 0.0
        most = max(len(inner.columns) // 2, 200)  # of those drawn the most: few will be in use
        least = _DRAWN if most >= d else max(float(np.partition(pull, d - most)[d - most]), _DRAWN)
        more = np.flatnonzero(pull > least)
        if np.max(pull, initial=0.0) > _FAR:  # too far from the point to be let in at their ease
            return self._opened(state, np.union1d(inner.columns, more))
        return inner.widened(state.problem, more) if len(more) else inner

    @staticmethod
    def suits(problem: Problem) -> bool:
        """Whether the method can be used."""
        tariff = problem.features.tariff
        known = problem.features.levels is not None if tariff is None else not tariff.squared
        return problem.samples.interior_points and known

    @classmethod
    def price(cls, problem: Problem, x: Floats, breadth: float = _BREADTH) -> float:
        """What a run from x would cost, in nanoseconds of a model machine; infinite beyond the method's means.

        The run is taken to need ``breadth`` times as many columns as are in use at x.
        """
        if not cls.suits(problem):
            return float("inf")
        d = problem.features.d
        used, width = float(np.count_nonzero(x[:d])), d
        if np.isfinite(breadth) and problem.features.tariff is not None:
            width = int(min(max(breadth * used, 200.0), d))
        if width > _LARGEST:
            return float("inf")
        steps = _TYPICAL + _AND_A_SAMPLE * problem.samples.size(None)
        return steps * (1e6 + problem.samples.gram_cost(width) + 0.05 * width**3 / 3)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
