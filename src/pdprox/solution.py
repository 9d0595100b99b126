"""What comes back from a solve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pdprox.certificate import Certificate
from pdprox.typing import Floats

Status = Literal["converged", "max_iter", "time_limit", "interrupted", "callback_stop", "stalled"]

#: what each status means and what to do about it
ADVICE: dict[str, str] = {
    "converged": "the certified relative gap is at most tol",
    "max_iter": "raise max_iter, or accept a larger tol",
    "time_limit": "raise max_time, or accept a larger tol",
    "interrupted": "the best iterate so far is returned; warm_start=solution goes on from it",
    "callback_stop": "the callback asked to stop; warm_start=solution goes on from there",
    "stalled": "the gap no longer falls, as near the limits of rounding; check the scale of X and y, or raise tol",
}


class ConvergenceWarning(UserWarning):
    """The certified gap is larger than what was asked for.

    Attributes
    ----------
    status : str or None
        Why the run ended.
    relative_gap : float or None
        What is certified.
    """

    def __init__(self, message: str, status: Status | None = None, relative_gap: float | None = None) -> None:
        super().__init__(message)
        self.status, self.relative_gap = status, relative_gap


@dataclass(frozen=True)
class History:
    """One entry for each audit: seconds and passes spent so far, the bounds then, and their gap."""

    seconds: Floats = field(default_factory=lambda: np.empty(0))
    passes: Floats = field(default_factory=lambda: np.empty(0))
    iterations: Floats = field(default_factory=lambda: np.empty(0))
    primal: Floats = field(default_factory=lambda: np.empty(0))
    dual: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def gap(self) -> Floats:
        """``primal - dual``."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> Floats:
        """The gap over the larger of the two bounds' sizes."""
        size = np.maximum(np.abs(self.primal), np.abs(self.dual))
        return np.divide(self.gap, size, out=np.zeros_like(size), where=size > 0)


@dataclass(frozen=True)
class Solution:
    """The best coefficients found, the best dual variables found, and what they prove.

    ``alpha`` holds the slopes of the losses, one a sample; with the hinge they lie in [-1, 0].
    """

    w: Floats
    intercept: Any
    alpha: Floats
    status: Status
    certificate: Certificate
    history: History
    iterations: int
    method: str

    @property
    def converged(self) -> bool:
        """Whether the certificate met the tolerance."""
        return self.status == "converged"

    def __str__(self) -> str:
        return f"{self.method}: {self.status} after {self.iterations} iterations; {self.certificate}"
