"""What a method is: a first state, and a step to the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pdprox.certificate import Certificate, primal_value
from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.typing import Floats


@dataclass(frozen=True)
class Audit:
    """What an audit of one candidate found."""

    certificate: Certificate
    #: the objective at the candidate
    value: float
    #: its dual moved to where bounds and free sums hold, with its sums
    dual: Dual


@dataclass
class State:
    """Where a method stands: a primal and a dual point.  Methods add what else they keep."""

    x: Floats
    dual: Dual
    #: whether now is the time for an audit; None leaves that to the schedule of the loop
    due: bool | None = field(default=None, kw_only=True)
    #: the relative gap at which the run will end: a hint for when to have an audit, and no more
    wanted: float = field(default=0.0, kw_only=True)
    #: what all steps have cost, in nanoseconds of a model machine; only where a relay asks for it
    effort: float = field(default=0.0, kw_only=True)

    @property
    def phase(self) -> str:
        """In plain words, what the method is doing; empty if its name says it all."""
        return ""

    def candidates(self) -> list[tuple[Floats, Dual]]:
        """The points worth auditing."""
        return [(self.x, self.dual)]

    def learn(self, audit: Audit) -> None:
        """Hear what the audit of the first candidate found; first-order methods do not care."""


def cold(problem: Problem, x: Floats, dual: Dual) -> bool:
    """Whether nothing is known about a start."""
    return not np.any(dual.g) and np.array_equal(x, problem.features.inside(np.zeros_like(x)))


def cold_start(problem: Problem, x: Floats) -> tuple[Floats, Dual]:
    """x with the best intercept, and slopes of the losses there: from b = 0 far targets would take ages to reach."""
    x = primal_value(problem, x)[1]
    return x, problem.samples.feasible(problem.samples.settled(x), problem.features.free)


class Method(ABC):
    """An iteration.  Stopping, printing and timing belong to the loop in ``solve``."""

    @abstractmethod
    def start(self, problem: Problem, x: Floats, dual: Dual) -> Any:
        """The state before the first step, from a primal and a dual point."""

    @abstractmethod
    def step(self, problem: Problem, state: Any) -> Any:
        """One iteration; may change the state and return it."""
