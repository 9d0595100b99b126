"""Interior points: the method for problems at whose solution nearly as much is active as there are equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pdprox.certificate import primal_value
from pdprox.methods.base import Audit, Method, State, cold, cold_start
from pdprox.methods.cholesky import cholesky, solution
from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.samples.interior import Interior, Pairs
from pdprox.threads import one_blas_thread
from pdprox.typing import Floats

#: a round on some of the columns ends when its share of the gap is below this part of the certified one
_ROUND = 0.05
#: an audit when the complementarity has fallen by this factor since the last
_FALL = 0.03
#: as many columns at most where others can do without it, and as many steps typically: one of 50000 samples blocks a
#: step sooner than one of 1000
_LARGEST, _TYPICAL, _AND_A_SAMPLE = 6000, 15, 1.5e-3
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
    #: the mean product at the last audit
    audited: float = np.inf
    #: whether the round waits for the audit to say which columns it lacks
    widen: bool = False
    #: where the method started, until the first audit: nothing beats it where w = 0 is optimal
    first: tuple[Floats, Dual] | None = None

    def candidates(self) -> list[tuple[Floats, Dual]]:
        return [(self.x, self.dual)] if self.first is None else [(self.x, self.dual), self.first]

    @property
    def phase(self) -> str:
        """What the current round works on."""
        d = self.problem.features.d
        columns = d if self.round is None or self.round.columns is None else len(self.round.columns)
        return f"interior point on {columns} of {d} columns"

    def learn(self, audit: Audit) -> None:
        self.due, self.first = False, None
        self.dual, self.primal, self.gap = audit.dual, audit.value, audit.certificate.relative_gap


class Round:
    r"""Mehrotra's predictor and corrector on some of the columns.

    The features' share of the conditions is :math:`X^\top\theta + r \circ w + u = 0` with :math:`|u_j| \le q_j`, where
    :math:`w_j = p_j - m_j`, :math:`(q_j - u_j)\,p_j = \tau` and :math:`(q_j + u_j)\,m_j = \tau`.
    """

    def __init__(
        self, problem: Problem, columns: Any, x: Floats, tau: float, before: Round | None = None
    ) -> None:
        tariff = problem.features.tariff
        assert tariff is not None
        self.columns, self.tariff = columns, tariff.at(columns)
        samples = problem.samples.part(columns, problem.samples.weighty())
        self.x, self.d = x, self.tariff.d
        self.inner: Interior = samples.interior(x, tau) if before is None else before.inner.onto(samples)
        self.priced = self.tariff.single > 0
        q, w = self.tariff.single[self.priced], x[: self.d]
        u = -(self.inner.sums()[: self.d] + self.tariff.ridge * w)[self.priced]
        a = q if before is None else q - u  # in the middle, or where u is; its rest is q + u
        self.pairs = Pairs(-w[self.priced], 2 * q, tau, a)
        self.products = self.inner.pairs + 2 * len(self.pairs.v)
        self.steps, self.missed = 0, np.inf

    def widened(self, problem: Problem, more: np.ndarray) -> Round:
        """The same interior point with more columns."""
        columns = np.union1d(self.columns, more)
        x, places = np.zeros(len(columns) + len(self.x) - self.d), np.searchsorted(columns, self.columns)
        x[places], x[len(columns) :] = self.x[: self.d], self.x[self.d :]
        wide = Round(problem, columns, x, self.mu, self)
        old = np.zeros(len(columns), bool)
        old[places] = True
        wide.pairs.put(np.flatnonzero(old[wide.priced]), self.pairs)
        return wide

    @property
    def mu(self) -> float:
        """The mean product."""
        return (self.inner.complementarity() + float(np.sum(self.pairs.products()))) / self.products

    def step(self) -> bool:
        """One step; false where the equations cannot be solved."""
        # numbers that overflow are seen below as steps that are not finite
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return self._step()

    def _step(self) -> bool:
        d, priced, pairs = self.d, self.priced, self.pairs
        w = self.x[:d]
        rates = pairs.rate()
        H = self.inner.hessian()
        own = self.tariff.ridge.copy()
        own[priced] += rates
        H.flat[: d * len(H) : len(H) + 1] += own
        solve = factored(H)
        if solve is None:
            return False
        rise = self.inner.sums()
        rise[:d] += self.tariff.ridge * w
        rise[:d][priced] += self.tariff.single[priced] - pairs.a
        self.missed = float(np.abs(rise) @ np.abs(self.x))

        def direction(tau: float, correct: bool) -> tuple[float, float]:
            right = rise + self.inner.push(tau, correct)
            pushed = pairs.push(tau, correct)
            right[:d][priced] -= pushed
            change = solve(-right)
            primal, dual = self.inner.follow(change)
            ours = pairs.follow(-change[:d][priced], pushed)
            self._change = change
            return min(primal, ours[0]), min(dual, ours[1])

        lengths = self._common(direction(0.0, False))
        mu = self.mu
        aimed = (self.inner.ahead(*lengths) + float(np.sum(pairs.ahead(*lengths)))) / self.products
        lengths = self._common(direction(mu * min(max(aimed / mu, 1e-8), 1.0) ** 3, True))
        if not np.all(np.isfinite(self._change)):
            return False
        self.inner.move(*lengths)
        pairs.move(*lengths)
        self.x = self.x + lengths[0] * self._change
        self.steps += 1
        return max(lengths) > 1e-8

    def _common(self, lengths: tuple[float, float]) -> tuple[float, float]:
        """With squares both sides take the same step."""
        return (min(lengths),) * 2 if np.any(self.tariff.ridge) else lengths

    def cleaned(self) -> Floats:
        """x with those coefficients 0 that are on their way there."""
        x = self.x.copy()
        w = x[: self.d]
        q = self.tariff.single[self.priced]
        slack = np.minimum(self.pairs.a, self.pairs.rest) / q
        size = np.abs(w[self.priced]) / max(float(np.max(np.abs(w), initial=0.0)), 1e-300)
        w[np.flatnonzero(self.priced)[size < slack]] = 0.0
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


@dataclass(frozen=True)
class PdproxInterior(Method):
    r"""A primal-dual interior point method on working sets of columns.

    It follows the solutions of the conditions with every product of a variable and its multiplier equal to tau, tau to
    0, by Mehrotra's steps; the equations of a step come down to one weighted Gram matrix.  The number of steps hardly
    depends on the problem, each costs a Cholesky factorization of the columns in play.

    It needs one target, a broken line for a loss, and a penalty of weighted absolute values and squares.

    References
    ----------
    Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM J. Optim. 2.
    """

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Standing:
        if not self.suits(problem):
            raise ValueError(
                "interior points need one target, no sets, a broken line for a loss and a penalty of absolute values "
                f'and squares; got {problem.loss!r} and {problem.penalty!r}: use method="pdprox-restarted"'
            )
        if cold(problem, x, dual):
            x, dual = cold_start(problem, x)
        return Standing(x, dual, problem, due=False, first=(x, dual))

    def step(self, problem: Problem, state: Standing) -> Standing:
        with one_blas_thread():
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
            mu, enough = inner.mu, _ROUND * min(state.gap, 1.0) * abs(state.primal)
            # the sum of products is the gap, once the equations hold
            state.widen = inner.columns is not None and inner.products * mu + inner.missed <= enough
            over = not going or inner.steps >= _STEPS
            state.due = over or state.widen or mu <= _FALL * state.audited
            if state.due:
                state.audited = mu
            if over:
                state.round, state.widen = None, False
        return state

    def _opened(self, state: Standing, columns: Any = None) -> Round:
        problem = state.problem
        if not np.isfinite(state.primal):
            state.primal, state.gap = primal_value(problem, state.x)[0], 1.0
        if columns is None:
            d, tariff = problem.features.d, problem.features.tariff
            assert tariff is not None
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
        return problem.samples.interior_points and tariff is not None and tariff.labels is None

    @classmethod
    def price(cls, problem: Problem, x: Floats, breadth: float = _BREADTH) -> float:
        """What a run from x would cost, in nanoseconds of a model machine; infinite beyond the method's means.

        The run is taken to need ``breadth`` times as many columns as are in use at x.
        """
        if not cls.suits(problem):
            return float("inf")
        d = problem.features.d
        used = float(np.count_nonzero(x[:d]))
        width = int(min(max(breadth * used, 200.0), d)) if np.isfinite(breadth) else d
        if width > _LARGEST:
            return float("inf")
        steps = _TYPICAL + _AND_A_SAMPLE * problem.samples.size(None)
        return steps * (1e6 + problem.samples.gram_cost(width) + 0.05 * width**3 / 3)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
