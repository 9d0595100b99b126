"""Solutions along a sequence of lam, each certified, each started from the one before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pdprox.certificate import primal_value
from pdprox.penalties import Norm, Penalty
from pdprox.problem import Problem, required
from pdprox.solution import Solution
from pdprox.solve import Report, solve
from pdprox.typing import Floats
from pdprox.values import number, real


@dataclass(frozen=True)
class Path:
    """Solutions for falling lam; arrays have one entry or row for each."""

    lams: Floats
    solutions: tuple[Solution, ...]

    @property
    def coefs(self) -> Floats:
        """Coefficients, of shape (lams, d) or (lams, d, K)."""
        return np.array([solution.w for solution in self.solutions])

    @property
    def intercepts(self) -> Floats:
        """Intercepts, of shape (lams,) or (lams, K)."""
        return np.array([solution.intercept for solution in self.solutions])

    @property
    def primal(self) -> Floats:
        """Objectives."""
        return np.array([solution.certificate.primal for solution in self.solutions])

    @property
    def relative_gap(self) -> Floats:
        """Certified relative gaps."""
        return np.array([solution.certificate.relative_gap for solution in self.solutions])


def lam_max(problem: Problem) -> float:
    r"""A lam from which on w = 0 is optimal; the smallest one if the slopes at w = 0 are unique.

    With the best intercept for w = 0 the slopes of the losses are known but at kinks, where samples share
    equally what makes the sum vanish.  For these slopes w = 0 is optimal as soon as
    :math:`X^\top\theta \in \lambda\,\partial R(0)`: for a norm, as soon as lam is its dual norm at
    :math:`X^\top\theta`.

    Coefficients that cost nothing at any lam are fitted first, and are not meant by w.

    Returns
    -------
    float
        Infinite for penalties that are smooth at 0, such as ``SquaredL2``: there no lam makes w vanish.
    """
    required(problem)
    return _least_lam(problem.penalty, _sums_at_zero(problem))


def _sums_at_zero(problem: Problem) -> Floats:
    """X' theta where all coefficients are 0 but those that cost nothing, whose own sums are 0."""
    samples, alone = problem.samples, problem.unpenalised
    if alone is None:
        return problem.sums(samples.settled(primal_value(problem, np.zeros(problem.features.shape))[1]))
    free = np.zeros(problem.features.shape)
    free[: problem.features.d] = problem.penalty.free((problem.features.d, *problem.features.shape[1:]))
    dual = samples.feasible(samples.dual(solve(alone, tol=1e-9).alpha), free)
    return np.where(free[: problem.features.d] > 0, 0.0, problem.sums(dual))


def _least_lam(penalty: Penalty, u: Floats) -> float:
    """The least lam with u in lam dR(0), that is R*(u / lam) = 0: then 0 is a best answer to u.

    The prox of a long step takes u to 0 for any R, as far as floating point can tell; the conjugate does not.
    """
    if isinstance(penalty, Norm):
        return float(penalty.dual_norm(u))
    if not np.any(u):
        return 0.0
    low, high = 0.0, float(np.max(np.abs(u)))
    for _ in range(60):
        if penalty.conjugate(u / high) <= 0:
            break
        low, high = high, 4 * high
    else:
        return float("inf")
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if penalty.conjugate(u / middle) <= 0 else (middle, high)
    return high


def path(
    problem: Problem,
    lams: Any = None,
    n_lams: int = 50,
    ratio: float = 1e-2,
    tol: float = 1e-6,
    method: Any = "auto",
    max_iter: int | None = None,
    max_time: float | None = None,
    callback: Callable[[Report], Any] | None = None,
) -> Path:
    """Solve the problem for many lam, from large to small.

    Parameters
    ----------
    problem : Problem
        Its own lam is not used.
    lams : array, optional
        The values of lam; sorted downwards.  By default ``n_lams`` in geometric progression from
        ``lam_max(problem)`` to ``ratio`` times that.
    n_lams : int, default=50
        How many, if ``lams`` is not given.
    ratio : float, default=1e-2
        The smallest lam over the largest, if ``lams`` is not given.
    tol, method, max_iter, max_time, callback
        As in ``solve``, for each lam; a callback that stops a run ends the path there.

    Returns
    -------
    Path
    """
    required(problem)
    values = _lams(problem, lams, n_lams, ratio)
    solutions: list[Solution] = []
    for lam in values:
        start = solutions[-1] if solutions else None
        solution = solve(
            problem.at(float(lam)), tol=tol, method=method, max_iter=max_iter, max_time=max_time,
            callback=callback, warm_start=start,
        )  # fmt: skip
        solutions.append(solution)
        if solution.status in ("callback_stop", "interrupted"):
            break
    return Path(values[: len(solutions)], tuple(solutions))


def _lams(problem: Problem, lams: Any, n_lams: int, ratio: float) -> Floats:
    if lams is not None:
        values = np.sort(np.atleast_1d(real(lams, "lams")))[::-1].copy()
        if values.ndim != 1 or not values.size or not np.all(np.isfinite(values)) or values[-1] < 0:
            raise ValueError(f"lams must be numbers >= 0, got {lams!r}")
        return values
    if not (number(n_lams, "n_lams").is_integer() and n_lams >= 1):
        raise ValueError(f"n_lams must be an integer >= 1, got {n_lams!r}")
    if not 0 < number(ratio, "ratio") < 1:
        raise ValueError(f"ratio must lie strictly between 0 and 1, got {ratio!r}")
    largest = lam_max(problem)
    if not np.isfinite(largest):
        raise ValueError(
            f"no lam makes the coefficients of {problem.penalty!r} vanish; say which lams=[...] you want"
        )
    if largest <= 0:
        raise ValueError("the coefficients vanish for every lam > 0; say which lams=[...] you want")
    return largest * np.geomspace(1.0, ratio, int(n_lams))
