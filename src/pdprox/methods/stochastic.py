"""Stochastic Pdprox: exact steps on single dual variables, in random order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from pdprox.methods.base import Audit, Method, State, cold, cold_start
from pdprox.problem import Problem
from pdprox.samples import Coordinates, Dual
from pdprox.typing import Floats

#: an audit when the running gap is at most this share of the last audited one, or of the one that is wanted; or of
#: itself where the audit found more than it said
_FALL, _FULFILLED, _FALL_AGAIN = 0.03, 0.8, 0.3
#: all samples are visited again when an audit finds so many times the running gap
_TRUST = 3.0
#: an audit is due in any case when there have been so many times as many steps as at the last one, and a few more
_LATER, _FEW_LATER = 1.5, 20
#: visits of each sample on a kink before a leap; doubled, up to a limit, after leaps that were cut
_WAIT, _WAIT_LONGEST = 10, 80
#: the centre moves when the running gap is at most so many times what the centre does to it
_CENTRED = 10.0
#: its pull is changed by these factors when it moves after one step, or after more than so many
_EASY, _HARD, _LATE = 0.7, 1.5, 4
#: and is never less than this share of what it began with: without squares steps would be endless
_LEAST_PULL = 0.03
#: the outlook goes by so many steps; a visit costs so many nanoseconds more than its products
_WINDOW, _VISIT = 4, 15.0


@dataclass
class Visits(State):
    """The dual variables, and what is known of the gap."""

    problem: Problem
    coordinates: Coordinates
    #: whether coefficients other than the intercept are held by the centre
    held: bool
    #: the running gap at which the next audit is due
    goal: float = np.inf
    #: visits since the last leap, and how many times as many as samples on a kink to wait for; steps since the centre
    #: moved
    since: int = 0
    wait: int = _WAIT
    stayed: int = 0
    #: the centre's pull, as a share of the first; steps in all, and when the next audit is due in any case
    pull: float = 1.0
    steps: int = 0
    latest: float = _FEW_LATER
    #: effort and running gap after each step
    trace: list[tuple[float, float]] = field(default_factory=list)

    @property
    def phase(self) -> str:
        """How many samples are visited."""
        return f"coordinate steps on {self.coordinates.active} of {self.problem.samples.size(None)} samples"

    def outlook(self, gap: float) -> float:
        """The effort that it takes to get to this gap, if all goes on as in the last steps."""
        if len(self.trace) <= _WINDOW:
            return 0.0
        (before, wide), (now, narrow) = self.trace[-1 - _WINDOW], self.trace[-1]
        if narrow <= gap:
            return 0.0
        return (now - before) * np.log(narrow / gap) / np.log(wide / narrow) if narrow < wide else np.inf

    @property
    def running_gap(self) -> float:
        """What the samples that were visited last and the centre lack."""
        return self.coordinates.gap + self.coordinates.missed()

    def candidates(self) -> list[tuple[Floats, Dual]]:
        return [(self.coordinates.x, self.coordinates.slopes())]

    def learn(self, audit: Audit) -> None:
        gap, running = audit.certificate.gap, self.running_gap
        wanted = _FULFILLED * self.wanted * abs(audit.value)
        self.goal, self.due = (wanted if _FALL * gap < wanted < gap else _FALL * gap), False
        self.latest = _LATER * self.steps + _FEW_LATER
        if gap > _TRUST * running:
            self.coordinates.restore()
            self.goal = min(self.goal, _FALL_AGAIN * running)
        elif running <= self.goal:
            self.goal = _FULFILLED * running


@dataclass(frozen=True)
class PdproxStochastic(Method):
    r"""Exact dual steps on one sample after the other, in random order: the method for squares and sparse data.

    Where every coefficient pays for its square the primal variables can be eliminated:
    :math:`w(\alpha) = \arg\min_w \langle H\alpha, w\rangle + \lambda R(w)` is unique, and Pdprox' dual step becomes
    ascent on

    .. math:: D(\alpha) = -\sum_i c_i\,\ell^*(\alpha_i)
              - \sum_j \frac{(|(H\alpha)_j| - q_j)_+^2}{2 r_j}

    for charges :math:`q_j |w_j| + r_j w_j^2 / 2`.  One coordinate of it costs one row of X:

    .. math:: \alpha_i \leftarrow \mathrm{prox}_{s_i \ell^*}\bigl(\alpha_i + s_i\, t_i(w(\alpha))\bigr), \qquad
              s_i = \Bigl(c_i \sum_j x_{ij}^2 / r_j\Bigr)^{-1},

    which is the exact maximum for squares alone.  *What is known*: with coordinates drawn at random the dual value
    rises in expectation by at least :math:`\min_i s_i / (n (s_i + 1/\mu))` of the gap in each step for losses with
    smoothing mu > 0, hence linearly, and for broken lines the gap falls like 1/k (Shalev-Shwartz and Zhang 2013).
    *What is only observed*: going through random permutations, as here, is faster than drawing; convergence is
    linear once no sample changes sides, but the rate can be slow where many samples lie on their kinks.

    Around these steps:

    - samples that sit firmly at one of the loss's slopes are left out of the next epochs, and all are visited again
      when an audit finds more than was expected;
    - the Fenchel gaps of the visited samples add up to a running gap that costs nothing: it says when to audit, and
      is never reported;
    - once no sample changes sides, conjugate gradients take all samples on their kinks to their maximum at once;
    - the intercept, and coefficients that pay for no square, are held to a centre by a square of their own, which
      moves with them (the proximal point method); with absolute values alone other methods are faster.

    It needs one target, a broken line for a loss, a penalty of weighted absolute values and squares, and columns
    that are stored, not shifted.

    References
    ----------
    Hsieh, Chang, Lin, Keerthi, Sundararajan (2008), A dual coordinate descent method for large-scale linear SVM;
    Shalev-Shwartz and Zhang (2013), Stochastic dual coordinate ascent methods, JMLR 14;
    Rockafellar (1976), Monotone operators and the proximal point algorithm.
    """

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Visits:
        tariff, samples = problem.features.tariff, problem.samples
        if not self.suits(problem) or tariff is None:
            raise ValueError(
                "stochastic steps need one target, no sets, a broken line for a loss, a penalty of absolute values and "
                f"squares, and columns that are stored; got {problem.loss!r} and {problem.penalty!r}: use "
                'method="pdprox-restarted"'
            )
        if problem.features.intercept and cold(problem, x, dual):
            x, dual = cold_start(problem, x)
        length, near, held = samples.row_length(), np.zeros(len(x)), tariff.ridge <= 0
        near[: tariff.d][held] = length / samples.total
        if problem.features.intercept:  # it weighs as much as all columns together
            mean = float(np.mean(tariff.ridge + near[: tariff.d])) if tariff.d else 1.0
            near[-1] = mean / length if length > 0 else 1.0
        coordinates = samples.coordinates(dual, x, tariff.single, tariff.ridge, near)
        return Visits(x, dual, problem, coordinates, bool(np.any(held)), due=False)

    def step(self, problem: Problem, state: Visits) -> Visits:
        # where lam is next to nothing coefficients overflow until the dual variables have settled
        with np.errstate(over="ignore", invalid="ignore"):
            return self._step(problem, state)

    def _step(self, problem: Problem, state: Visits) -> Visits:
        inner, samples = state.coordinates, problem.samples
        n, passes = samples.size(None), samples.passes
        if inner.changed == 0 and inner.free and state.since >= state.wait * inner.free:
            state.wait = _WAIT if inner.leap() else min(2 * state.wait, _WAIT_LONGEST)
            state.since = 0
            inner.restore()
        inner.epochs(n // 2, state.goal)
        state.since += inner.visited
        state.stayed += 1
        running = state.running_gap
        state.steps += 1
        state.due = running <= state.goal or state.steps >= state.latest
        if not state.held:
            inner.recentre(1.0)
        elif inner.gap <= _CENTRED * inner.missed():
            factor = _EASY if state.stayed == 1 else _HARD if state.stayed > _LATE else 1.0
            factor = max(factor, _LEAST_PULL / state.pull)
            inner.recentre(factor)
            state.pull *= factor
            state.stayed = 0
        state.effort += (samples.passes - passes) * (2.0 * samples.product_cost() + _VISIT * n)
        state.trace.append((state.effort, running))
        return state

    @staticmethod
    def suits(problem: Problem) -> bool:
        """Whether the method can be used."""
        tariff = problem.features.tariff
        return problem.samples.coordinated and tariff is not None and tariff.labels is None

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
