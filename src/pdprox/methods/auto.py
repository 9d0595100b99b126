"""The default: the fastest method that the problem allows, and another one where that gets stuck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from pdprox.methods.base import Audit, Method, State
from pdprox.methods.interior import PdproxInterior
from pdprox.methods.newton import PdproxNewton
from pdprox.methods.restarted import PdproxRestarted
from pdprox.methods.stochastic import PdproxStochastic, Visits
from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.typing import Floats

#: interior points come first where a run should cost at most so many nanoseconds
_SMALL = 6e7
#: ... and all columns, not more than these, can be in play
_FEW = 300
#: Newton's method gives way when the gap has not halved in so many steps, more of them while it is large
_NEWTON, _NEWTON_FAR, _FAR = 20, 100, 0.3
#: ... and if at this share of that pace it would cost more than interior points to get to this gap
_PACE, _GOAL = 0.25, 1e-6
#: while the gap is large so many times the columns in use are expected to be in play for interior points
_MORE = 4.0
#: steps on single dual variables come first where only squares are charged and fewer samples come on a column
_TALL = 300
#: Newton's method will need this share of a whole run, at least, from wherever it begins
_LEAST_SHARE = 0.25
#: and nobody's progress is judged by how far it is to a smaller gap than this
_LEAST_GOAL = 1e-12
#: interior points and restarted Pdprox, likewise
_INTERIOR, _RESTARTED = 80, 400
#: an effort (nanoseconds) without progress after which even dear interior points, or restarted Pdprox, are tried
_RESORT = 3e10


@dataclass
class Relay(State):
    """The state of the method that runs, and how it fares since it took over."""

    methods: list[Method]
    inner: State
    problem: Problem
    #: steps since the gap last halved, the effort then, and the gap then
    waiting: int = 0
    before: float = 0.0
    halved: float = float("inf")
    changes: int = 0
    #: the best point that audits have seen
    best: tuple[float, Floats, Dual] | None = None

    @property
    def phase(self) -> str:
        """What the running method does."""
        return self.inner.phase or type(self.running).__name__

    @property
    def running(self) -> Method:
        """Whose turn it is."""
        return self.methods[self.changes % len(self.methods)]

    def candidates(self) -> list[tuple[Floats, Dual]]:
        return self.inner.candidates()

    def learn(self, audit: Audit) -> None:
        if self.best is None or audit.value < self.best[0]:
            self.best = audit.value, self.inner.candidates()[0][0], audit.dual
        self.inner.learn(audit)
        self.due = self.inner.due
        if audit.certificate.relative_gap <= 0.5 * self.halved:
            self.waiting, self.before, self.halved = 0, self.inner.effort, audit.certificate.relative_gap

    def stuck(self) -> bool:
        """Whether the gap has not halved for many steps, more of them each round of the relay."""
        if len(self.methods) == 1 or self.best is None:
            return False
        patience = float(1 << (self.changes // len(self.methods)))
        if isinstance(self.running, PdproxInterior):
            return self.waiting > _INTERIOR * patience
        if isinstance(self.running, PdproxRestarted):
            return self.waiting > _RESTARTED * patience
        if isinstance(self.inner, Visits):
            return self.hopeless(self.inner)
        if self.waiting <= patience * (_NEWTON_FAR if self.halved > _FAR else _NEWTON):
            return False
        if PdproxInterior() not in self.methods:
            return self.waiting > 10 * patience * _NEWTON
        spent = (self.inner.effort - self.before) / patience
        x = self.best[1]
        if self.halved > _FAR:  # more columns will come
            return spent > min(PdproxInterior.price(self.problem, x, _MORE), _RESORT)
        halvings = max(float(np.log2(self.halved / _GOAL)), 1.0)
        return _PACE * halvings * spent > min(PdproxInterior.price(self.problem, x), _RESORT)

    def hopeless(self, inner: Visits) -> bool:
        """Whether single dual variables will take longer than Newton's method from here."""
        assert self.best is not None
        price = PdproxNewton.price(self.problem)
        if not np.isfinite(price):
            return inner.effort - self.before > _RESORT
        size = max(abs(self.best[0]), 1e-300)
        gap, goal = min(max(inner.running_gap / size, _LEAST_GOAL), 1.0), max(self.wanted, _LEAST_GOAL)
        share = max(float(np.log(gap / goal) / np.log(1.0 / _GOAL)), _LEAST_SHARE)
        return inner.outlook(goal * size) > share * price

    def next(self) -> None:
        """Let the next method go on from the best point."""
        assert self.best is not None
        self.changes += 1
        _, x, dual = self.best
        if isinstance(self.running, PdproxInterior) and not np.isfinite(
            PdproxInterior.price(self.problem, x)
        ):
            self.changes += 1
        self.inner = self.running.start(self.problem, x, dual)
        self.waiting, self.before = 0, self.inner.effort


@dataclass(frozen=True)
class Auto(Method):
    """The method that should be fastest on a problem of this kind and size, and others that it gives way to.

    They relieve each other when the gap no longer halves in as many steps as the method should need.  The next
    one goes on from the best point, with more patience each round.  What counts is steps, not seconds, so that runs
    can be repeated.
    """

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Relay:
        methods = self._methods(problem, x)
        inner: Any = methods[0].start(problem, x, dual)
        return Relay(x, dual, methods, inner, problem, due=inner.due)

    @staticmethod
    def _methods(problem: Problem, x: Floats) -> list[Method]:
        tariff = problem.features.tariff
        if not problem.samples.curved or tariff is None:
            price = PdproxInterior.price(problem, x)
            if not np.isfinite(price):
                return [PdproxRestarted()]
            return (
                [PdproxInterior(), PdproxRestarted()]
                if price <= _RESORT
                else [PdproxRestarted(), PdproxInterior()]
            )
        if tariff.smooth and np.all(tariff.ridge > 0) and PdproxStochastic.suits(problem):
            tall = problem.samples.size(None) >= _TALL * problem.features.d
            first = [PdproxNewton(), PdproxStochastic()] if tall else [PdproxStochastic(), PdproxNewton()]
            return [*first, PdproxRestarted()]
        if not PdproxInterior.suits(problem) or tariff.smooth:
            return [PdproxNewton(), PdproxRestarted()]
        if problem.features.d <= _FEW and PdproxInterior.price(problem, x, np.inf) <= _SMALL:
            return [PdproxInterior(), PdproxNewton(), PdproxRestarted()]
        return [PdproxNewton(), PdproxInterior(), PdproxRestarted()]

    def step(self, problem: Problem, state: Relay) -> Relay:
        if state.stuck():
            state.next()
        state.inner.wanted = state.wanted
        state.inner = state.running.step(problem, state.inner)
        state.due = state.inner.due
        state.waiting += 1
        return state

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
