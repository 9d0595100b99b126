"""The only judge: how far from optimal a point can be, whoever found it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from pdprox.problem import Problem, required
from pdprox.samples import Dual
from pdprox.typing import Floats

#: duals are not multiplied by more: what is that small may be nothing but rounding
_LONGEST_STRETCH = 1e3


@dataclass(frozen=True)
class Certificate:
    """A primal value, a dual value, and what lies between them.

    The optimum of the problem lies in ``[dual, primal]``: no point can beat ``primal`` by more than
    ``gap``.  Both values are computed in float64 from the data.
    """

    primal: float
    dual: float
    #: the intercept that gives ``primal``: the best one for the coefficients
    intercept: Any = 0.0
    #: values no larger than this are nothing but rounding
    rounding: float = 0.0
    #: what rounding leaves, besides, of predictions whose terms cancel
    noise: float = 0.0

    @property
    def gap(self) -> float:
        """``primal - dual``."""
        return self.primal - self.dual

    @property
    def crossed(self) -> bool:
        """Whether the bound exceeds a value that is reached by more than rounding: it is false then, no proof."""
        return self.gap < -(self.rounding + self.noise)

    @property
    def relative_gap(self) -> float:
        """The gap over the larger of the two values' sizes; 0 where there is nothing but rounding.

        Infinite where the bounds have crossed.  Bounds that have exchanged places by rounding are as far apart as they
        are.
        """
        if self.crossed:
            return float("inf")
        size = max(abs(self.primal), abs(self.dual))
        if size <= self.rounding:
            return 0.0
        return (max(self.gap, 0.0) if self.gap >= -self.rounding else -self.gap) / size

    def __str__(self) -> str:
        return (
            f"primal {self.primal:.10g}, dual {self.dual:.10g}: "
            f"gap {self.gap:.3g}, relative gap {self.relative_gap:.3g}"
        )


def primal_value(problem: Problem, x: Floats) -> tuple[float, Floats]:
    """P at the coefficients of x with the best intercept, and the x that has it."""
    x = problem.features.inside(x)
    loss, x = problem.samples.loss(x, improve=True)
    return loss + problem.features.value(x), x


def dual_value(problem: Problem, dual: Dual, primal: float, x: Floats | None = None) -> tuple[float, Dual]:
    r"""The better of two lower bounds made of the dual variables, and the dual variables of the bound.

    The dual is first moved to where bounds and free sums hold.  Then either it is scaled, by the
    number s in [0, s_max] that makes

    .. math:: D(s\alpha) = -\sum_i c_i \ell^*(s\alpha_i) - (\lambda R + \iota_Q)^*(-s H\alpha)

    largest; or, if R is a norm, it is kept and lam is relaxed: as the losses are not negative,
    :math:`R(w^\star) \le B = P / \lambda`, so

    .. math:: P^\star \ge -\sum_i c_i \ell^*(\alpha_i) - B\,(R^\circ(H\alpha) - \lambda)_+ .
    """
    return bound_of_feasible(problem, problem.samples.feasible(dual, problem.features.free), primal, x)


def bound_of_feasible(
    problem: Problem, dual: Dual, primal: float, x: Floats | None = None
) -> tuple[float, Dual]:
    """The same for a dual that is within bounds and free sums already.

    A bound above ``primal`` by more than rounding is false, whatever the reason: it is replaced by that of slope 0.
    With the point x of the primal value it is known how much rounding there can be.
    """
    samples = problem.samples
    value, best = _bound(problem, dual, primal)
    if value <= primal or not certificate_of(problem, primal, value, x).crossed:
        return value, best
    nothing = samples.feasible(samples.dual(), problem.features.free)
    return _bound(problem, nothing, primal)


def _bound(problem: Problem, dual: Dual, primal: float) -> tuple[float, Dual]:
    samples, term = problem.samples, problem.features.term
    u = -dual.g[: problem.features.d]
    if term.lam == 0 and term.domain is not None:  # the set may be infinite where rounding points
        u = -problem.sums(dual)
    if problem.features.free is not None:
        u = np.where(problem.features.free[: problem.features.d] > 0, 0.0, u)

    conjugate = term.along(u)

    def bound(scale: float) -> float:
        return samples.line(dual, scale) - conjugate(scale)

    # the sums of free coefficients are 0 up to rounding only, which must not be multiplied
    longest = _LONGEST_STRETCH if problem.features.free is None else 2.0
    scale, value = _best_scale(bound, min(term.limit(u), samples.scale_limit(dual), longest))
    excess = term.excess(u)
    if excess is not None and term.lam > 0 and np.isfinite(excess):
        relaxed = samples.line(dual) - max(primal, 0.0) / term.lam * excess
        if relaxed > value:
            return relaxed, dual
    return value, samples.scaled(dual, scale)


def _best_scale(bound: Any, limit: float) -> tuple[float, float]:
    """The scale in [0, limit] that makes a concave bound large; exact where the bound is linear."""
    at_zero = bound(0.0)
    trials = {0.0: at_zero, limit: bound(limit)}
    if limit > 1.0:
        trials[1.0] = bound(1.0)
    slightly_less = bound(limit * (1 - 1e-4)) if limit > 0 else at_zero
    if slightly_less > trials[limit]:  # falling at its end: the maximum is inside
        found = minimize_scalar(
            lambda s: -_finite(bound(s)),
            bounds=(0.0, min(limit, 2.0)),
            method="bounded",
            options={"xatol": 1e-10, "maxiter": 60},
        )
        trials[float(found.x)] = bound(float(found.x))
    best = max(trials, key=lambda scale: _finite(trials[scale]))
    return best, trials[best]


def _finite(value: float) -> float:
    return value if np.isfinite(value) else -1e300


def certify(problem: Problem, w: Any, intercept: Any = None, alpha: Any = None) -> Certificate:
    """Audit an answer: recompute its objective from the data and bound the optimum from below.

    It does not matter where the answer comes from.

    Parameters
    ----------
    problem : Problem
        What the answer is an answer to.
    w : array of shape (d,) or (d, K)
        Coefficients.
    intercept : float or array of shape (K,), optional
        The intercept, if the problem has one; it is made the best one for these coefficients.
    alpha : array of shape (n,) or (n, K), optional
        Dual variables: slopes of the losses, one a sample (any numbers will do; they are repaired).
        Without them they are guessed from w, and the bound is as good as the guess.

    Returns
    -------
    Certificate
    """
    required(problem)
    primal, x = primal_value(problem, problem.join(w, intercept))
    if alpha is None:
        dual = max(dual_value(problem, guess, primal, x)[0] for guess in _guesses(problem, x))
    else:
        dual = dual_value(problem, problem.samples.dual(problem.slopes(alpha)), primal, x)[0]
    return certificate_of(problem, primal, dual, x)


def certificate_of(problem: Problem, primal: float, dual: float, x: Floats | None) -> Certificate:
    """The certificate of two values, the first of which is that at x."""
    if x is None:
        return Certificate(primal, dual, rounding=problem.rounding)
    noise = (
        problem.noise(x) if dual > primal + problem.rounding else 0.0
    )  # it costs a pass, and seldom matters
    return Certificate(primal, dual, problem.intercept_of(x), problem.rounding, noise)


def _guesses(problem: Problem, x: Floats) -> Any:
    """Slopes at x with the kinks rounded off, from hardly to strongly: at a kink any slope may be right."""
    width = problem.samples.spread()
    for scale in width * 10.0 ** np.arange(-6, 1):
        yield problem.samples.guess(x, float(scale))
