"""The judge of the race: one float64 certificate for every answer, whoever gave it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from benchmark_utils import board
from benchmark_utils.instance import Instance
from benchmark_utils.peer import Answer
from benchopt import BaseObjective

import pdprox


class Objective(BaseObjective):
    """Certified relative gap of a mean loss plus a penalty.

    The primal value is recomputed from the coefficients, with the best intercept.  The bound of pdprox is
    its own; a peer gets the best bound that anybody has certified on the instance.
    """

    name = "Certified gap"
    url = "https://github.com/pdprox/pdprox"
    min_benchopt_version = "1.6"

    def skip(self, instance: Instance | None, reason: str | None) -> tuple[bool, str | None]:
        """Skip what has no data."""
        return instance is None, reason

    def set_data(self, instance: Instance, reason: str | None) -> None:
        """The instance."""
        self.instance = instance

    def get_objective(self) -> dict[str, Any]:
        """The instance, for peers."""
        return {"instance": self.instance}

    def get_one_result(self) -> dict[str, Any]:
        """The answer 0."""
        zero = Answer(np.zeros(self.instance.d))
        return {"peer": "zero", "tolerance": 1.0, "seconds": 0.0, "limit": 1.0, "found": zero, "note": ""}

    def evaluate_result(
        self, peer: str, tolerance: float, seconds: float, limit: float, found: Answer | None, note: str
    ) -> dict[str, float]:
        """Judge one run and write it on the board.

        The seconds of the run are those that the peer's process measured: what benchopt measures
        holds the way to that process and back, too.
        """
        primal, dual, gap = self._judge(peer, found)
        instance = self.instance
        board.current.write(
            board.Row(
                board.current.run, instance.title, instance.family, peer, tolerance, seconds, primal, dual,
                gap, limit, note,
            )
        )  # fmt: skip
        told = f"    {peer}, {tolerance:.0e}: {seconds:.3g} s, gap {gap:.1e} {note}"
        print(told, file=sys.stderr, flush=True)  # benchopt talks on the other channel
        return {"value": primal, "dual": dual, "gap": gap, "seconds": seconds}

    def _judge(self, peer: str, found: Answer | None) -> tuple[float, float, float]:
        if found is None or not np.all(np.isfinite(found.w)):
            return np.inf, -np.inf, np.inf
        problem, known = self.instance.problem, board.current.best_dual(self.instance.title)
        intercept = found.intercept if self.instance.intercept and np.isfinite(found.intercept) else None
        usable = found.alpha is not None and np.all(np.isfinite(found.alpha))
        certificate = pdprox.certify(problem, found.w, intercept, found.alpha if usable else None)
        primal, dual = certificate.primal, certificate.dual
        if peer == board.OURS:
            return primal, dual, board.relative_gap(primal, dual)
        return primal, dual, board.relative_gap(primal, max(dual, known))
