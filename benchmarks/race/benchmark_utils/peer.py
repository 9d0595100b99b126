"""What all peers do: run in a process of their own, looser to tighter, until the judge is satisfied."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from benchopt import BaseSolver
from benchopt.stopping_criterion import StoppingCriterion

from benchmark_utils import board
from benchmark_utils.child import Child, StoppedError
from benchmark_utils.instance import Instance


@dataclass(frozen=True)
class Answer:
    """Coefficients and, if the peer has them, slopes of the losses (the dual variables)."""

    w: np.ndarray
    intercept: float = 0.0
    alpha: np.ndarray | None = None
    #: the run ended because its passes were used up, not because the peer was content
    cut: bool = False


class UntilCertified(StoppingCriterion):
    """Stops when the goal is certified, the limit is reached, or the tolerances are exhausted."""

    def init_stop_val(self) -> float:
        """The loosest tolerance."""
        return float(self.solver.tolerances[0])

    def check_convergence(self, objective_list: list[dict[str, Any]]) -> tuple[bool, float]:
        """Whether the last run was the last one needed."""
        last, runs = objective_list[-1], len(objective_list)
        enough = last["objective_gap"] <= self.solver.goal or self.solver.over
        return bool(enough or runs >= len(self.solver.tolerances)), runs / len(self.solver.tolerances)


class Peer(BaseSolver):
    """A solver that translates the instance, runs to a tolerance, and translates back.

    ``convert`` and ``ready`` are not timed, what ``ready`` returns is; all three are called in the
    peer's own process, and packages are imported there.
    """

    sampling_strategy = "tolerance"
    stopping_criterion = UntilCertified()
    #: the module that must be there
    package: str
    #: handed to ``ready`` one after the other
    tolerances: tuple[float, ...] = (1e-3, 1e-5, 1e-7, 1e-9)
    goal = board.LEVELS[-1]

    def expresses(self, instance: Instance) -> str:
        """Why this peer cannot state the problem; empty if it can."""
        return ""

    @abstractmethod
    def convert(self, instance: Instance) -> None:
        """Bring the data into the peer's form."""

    @abstractmethod
    def ready(self, tolerance: float, limit: float) -> Callable[[], Any]:
        """All that a cold run needs; calling it is the run."""

    @abstractmethod
    def answer(self, outcome: Any) -> Answer:
        """What the run returned, as coefficients of the instance."""

    def skip(self, instance: Instance, **_: Any) -> tuple[bool, str | None]:
        """Skip when the package is missing or the problem is beyond it."""
        if find_spec(self.package.split(".")[0]) is None:
            return True, f"{self.package} is not installed"
        reason = self.expresses(instance)
        return bool(reason), reason or None

    def set_objective(self, instance: Instance) -> None:
        """Start the process and convert the data."""
        self.instance, self.limit, self.note = instance, self.time_limit(instance), ""
        self.over = False
        try:
            self.child: Child | None = Child(self, instance)
        except StoppedError as stopped:
            self.child, self.note, self.over = None, str(stopped), True

    def time_limit(self, instance: Instance) -> float:
        """Seconds for one run: a multiple of what pdprox needs, within bounds."""
        times, least, most = board.limits()
        ours = board.current.time_to(instance.title, board.OURS, self.goal)
        return float(np.clip(times * ours, least, most))

    def get_next(self, stop_val: float) -> float:
        """The next tighter tolerance."""
        return next((tol for tol in self.tolerances if tol < stop_val), self.tolerances[-1])

    def run(self, stop_val: float) -> None:
        """One cold run.

        A run that was cut short by a number of passes says nothing about the peer while there is time:
        it is run anew, and longer.  If the longer run gives no answer, the shorter one's is kept.
        """
        self.tolerance, self.seconds, self.found = stop_val, self.limit, None
        while self.child is not None and not self.over:
            try:
                self.seconds, self.found = self.child.ask(stop_val, self.limit)
            except StoppedError as stopped:
                self.note, self.over = str(stopped), True
            else:
                self.over = self.seconds >= self.limit
            if self.found is None or not self.found.cut:
                break

    def get_result(self) -> dict[str, Any]:
        """What the judge needs."""
        return {
            "peer": str(self),
            "tolerance": self.tolerance,
            "seconds": self.seconds,
            "limit": self.limit,
            "found": self.found,
            "note": self.note,
        }


class CountsPasses(Peer):
    """A peer without a clock, whose runs end by a tolerance or by a number of passes.

    The number grows until it no longer matters.  It must not be derived from the time of a few passes:
    these hold the conversion of the data, and shrinking makes later passes cheaper by orders of magnitude.
    """

    passes = 1000
    _cut = False

    @abstractmethod
    def machine(self, tolerance: float) -> Callable[[], Any]:
        """A run of at most ``self.passes`` passes."""

    def ready(self, tolerance: float, limit: float) -> Callable[[], Any]:
        """A run, longer if the last one was cut."""
        if self._cut:
            self.passes = min(10 * self.passes, 2 * 10**9)
        return self.machine(tolerance)

    def uncut(self, answer: Answer, passes: int) -> Answer:
        """The answer, marked if it took all the passes there were."""
        self._cut = passes >= self.passes
        return replace(answer, cut=self._cut)
