"""The default: the fastest method that the problem allows, and another one where that gets stuck."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from pdprox.methods.base import Audit, Method, State
from pdprox.methods.newton import PdproxNewton
from pdprox.methods.restarted import PdproxRestarted
from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.typing import Floats

#: audits, and passes over the data, in which the gap must have halved
_AUDITS, _PASSES = 12, 400.0


@dataclass
class Relay(State):
    """The state of the method that runs, and the audits since it took over."""

    methods: list[Method]
    inner: State
    problem: Problem
    gaps: list[tuple[float, float]] = field(default_factory=list)
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
        candidate = self.inner.candidates()[0]
        if self.best is None or audit.value < self.best[0]:
            self.best = audit.value, candidate[0], audit.dual
        self.inner.learn(audit)
        self.due = self.inner.due
        self.gaps.append((self.problem.samples.passes, audit.certificate.relative_gap))

    def stuck(self) -> bool:
        """Whether the gap has not halved for many audits and passes, more of them each time."""
        if len(self.methods) == 1 or len(self.gaps) <= _AUDITS:
            return False
        passes, gap = self.gaps[-1]
        patience = _PASSES * 2.0**self.changes
        then = [old for old in self.gaps[:-_AUDITS] if old[0] <= passes - patience]
        return bool(then) and gap > 0.5 * then[-1][1]


@dataclass(frozen=True)
class Auto(Method):
    """Newton's method where the problem allows it, restarted Pdprox elsewhere; they relieve each other when stuck.

    The second method goes on from the best point of the first, and the other way round, with more patience each
    time.  What counts is passes over the data, not seconds, so that runs can be repeated.
    """

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Relay:
        newton = problem.samples.curved and problem.features.tariff is not None
        methods: list[Method] = [PdproxNewton(), PdproxRestarted()] if newton else [PdproxRestarted()]
        inner: Any = methods[0].start(problem, x, dual)
        return Relay(x, dual, methods, inner, problem, due=inner.due)

    def step(self, problem: Problem, state: Relay) -> Relay:
        if state.stuck() and state.best is not None:
            state.changes += 1
            state.gaps.clear()
            _, x, dual = state.best
            state.inner = state.running.start(problem, x, dual)
        state.inner = state.running.step(problem, state.inner)
        state.due = state.inner.due
        return state

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
