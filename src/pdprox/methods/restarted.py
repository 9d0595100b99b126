"""Restarted Pdprox: the default first-order method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from pdprox.methods.base import Method, State, cold, cold_start
from pdprox.methods.steps import operator_norm
from pdprox.problem import Problem
from pdprox.samples import Dual, Samples
from pdprox.typing import Floats


@dataclass
class Epoch(State):
    """Where the method stands; x is kept for centred columns, ``original`` takes it back."""

    samples: Samples
    mean: Floats | None
    #: steps are eta / omega and eta * omega; the intercept's is longer by ``stretch``
    eta: float
    omega: float
    stretch: Floats
    #: the Halpern point from which the next step starts, and the point that it is pulled to
    here: Floats
    here_dual: Dual
    anchor: Floats
    anchor_dual: Dual
    #: steps since the restart and in all; fixed-point residuals at its start and one step ago
    age: int = 0
    total: int = 0
    residual_start: float = np.inf
    residual_before: float = np.inf

    def original(self, x: Floats) -> Floats:
        """x for the columns as they are."""
        if self.mean is None:
            return x
        out = x.copy()
        out[-1] -= self.mean @ x[:-1]
        return out

    def candidates(self) -> list[tuple[Floats, Dual]]:
        """The Pdprox point itself, not its reflection: sparse, within all bounds."""
        return [(self.original(self.x), self.dual)]


@dataclass(frozen=True)
class PdproxRestarted(Method):
    r"""Reflected Halpern iteration of the Pdprox map, restarted, with balanced steps.

    T is one step of Pdprox with primal step :math:`\eta/\omega` and dual step :math:`\eta\omega`.  From the anchor
    :math:`z_0` of the epoch

    .. math:: z_{k+1} = \tfrac{k+1}{k+2}\,(2\,T z_k - z_k) + \tfrac{1}{k+2}\,z_0 .

    The epoch ends, at :math:`T z_k`, when the fixed-point residual :math:`\|z - Tz\|` (in the norm in which T is
    firmly non-expansive) has fallen enough, or has begun to rise, or the epoch has grown long.  Then omega is
    moved towards the ratio of the distances that the dual and the primal went.  On piecewise linear problems the
    convergence is linear.  One read of the data is all that an iteration needs.

    With an intercept the columns are centred (implicitly), which changes nothing but the conditioning, and the
    intercept gets the longest step that keeps T non-expansive.  A cold start is one with the best intercept for
    w = 0, and with slopes that fit; the first omega is the ratio of the slopes' size to that of coefficients.

    Parameters
    ----------
    sufficient, necessary : float
        Restart when the residual is below ``sufficient`` times that of the epoch's start, or below ``necessary``
        times it and rising.
    longest : float
        Restart when the epoch is longer than this share of all iterations.
    smoothing : float
        How far log omega moves towards the measured ratio at a restart.

    References
    ----------
    Lu and Yang (2024), Restarted Halpern PDHG for linear programming, arXiv 2407.16144;
    Lu, Peng, Yang (2025), cuPDLPx, arXiv 2507.14051.
    """

    sufficient: float = 0.2
    necessary: float = 0.5
    longest: float = 0.36
    smoothing: float = 0.5

    def __post_init__(self) -> None:
        for name in ("sufficient", "necessary", "longest", "smoothing"):
            value = getattr(self, name)
            if not 0 < value <= 1:
                raise ValueError(f"{name} must lie in (0, 1], got {value}")

    def start(self, problem: Problem, x: Floats, dual: Dual) -> Epoch:
        samples, mean = problem.samples, None
        if cold(problem, x, dual):
            x, settled = cold_start(problem, x)
            dual = samples.warm(samples.slopes(settled))
        if problem.features.intercept:
            samples, mean = problem.samples.centred()
            x = x.copy()
            x[-1] += mean @ x[:-1]
            dual = samples.backward(dual)
        norm = operator_norm(samples, with_intercept=False, tolerance=1e-2)
        stretch = np.ones((len(x), *(1,) * (x.ndim - 1)))
        if problem.features.intercept and norm > 0:
            stretch[-1] = norm**2
        size = (norm if norm > 0 else 1.0) * float(np.sqrt(samples.coupling("primal")))
        slopes = samples.distance(dual, samples.dual())
        omega = size * (slopes if slopes > 0 else 1.0) / samples.spread()
        return Epoch(x, dual, samples, mean, 0.96 / size, omega, stretch, x, dual, x, dual)

    def step(self, problem: Problem, state: Epoch) -> Epoch:
        samples = state.samples
        tau, sigma = state.eta / state.omega * state.stretch, state.eta * state.omega
        state.x = problem.features.prox(state.here - tau * state.here_dual.g, tau)
        pull = 1.0 / (state.age + 2)
        ahead = 2.0 * state.x - state.here
        state.dual, following, moved = samples.reflect(state.here_dual, state.anchor_dual, ahead, sigma, pull)
        change = state.x - state.here
        lengths = float(np.sum(change * change / tau)) + moved / sigma
        squared = lengths - 2.0 * float(np.sum(change * (state.dual.g - state.here_dual.g)))
        if squared < -1e-10 * lengths:  # T was not non-expansive: the norm had been underestimated
            state.eta /= 1.1
            return self._restart(state)
        residual = float(np.sqrt(max(squared, 0.0)))
        state.age += 1
        state.total += 1
        if self._ends(state, residual):
            return self._restart(self._balanced(state))
        state.residual_before = residual
        state.here = (1.0 - pull) * ahead + pull * state.anchor
        state.here_dual = following
        return state

    def _ends(self, state: Epoch, residual: float) -> bool:
        if state.age == 1:
            state.residual_start = residual
            return False
        fallen = residual <= self.sufficient * state.residual_start
        turned = residual <= self.necessary * state.residual_start and residual > state.residual_before
        return fallen or turned or state.age >= max(self.longest * state.total, 2)

    def _balanced(self, state: Epoch) -> Epoch:
        far = float(np.sqrt(np.sum((state.x - state.anchor) ** 2 / state.stretch)))
        far_dual = state.samples.distance(state.dual, state.anchor_dual)
        if far > 1e-16 and far_dual > 1e-16:
            move = self.smoothing * np.log(far_dual / far / state.omega)
            state.omega *= float(np.exp(np.clip(move, -np.log(5.0), np.log(5.0))))
        return state

    def _restart(self, state: Epoch) -> Epoch:
        state.here = state.anchor = state.x
        state.here_dual = state.anchor_dual = state.dual
        state.age, state.residual_start, state.residual_before = 0, np.inf, np.inf
        return state

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(smoothing=0.2, longest=0.2)]
