"""What a method is: a first state, and a step to the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from pdprox.problem import Problem
from pdprox.samples import Dual
from pdprox.typing import Floats


@dataclass
class State:
    """Where a method stands: a primal and a dual point.  Methods add what else they keep."""

    x: Floats
    dual: Dual

    def candidates(self) -> list[tuple[Floats, Dual]]:
        """The points worth auditing."""
        return [(self.x, self.dual)]


class Method(ABC):
    """An iteration.  Stopping, printing and timing belong to the loop in ``solve``."""

    @abstractmethod
    def start(self, problem: Problem, x: Floats, dual: Dual) -> Any:
        """The state before the first step, from a primal and a dual point."""

    @abstractmethod
    def step(self, problem: Problem, state: Any) -> Any:
        """One iteration; may change the state and return it."""
