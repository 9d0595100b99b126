"""Projection of slopes onto a box cut by several linear equations, by semismooth Newton steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pdprox.typing import Floats, Mask

_STEPS = 60
#: what is left of sums, over the size of the slopes: the aim, and what counts as rounding
_GOAL, _ENOUGH = 1e-15, 1e-11


def balance(
    start: Floats,
    clip: Callable[[Floats], Floats],
    down: Callable[[Floats], Floats],
    up: Callable[[Floats], Floats],
    c: Floats,
    size: Floats,
) -> Floats | None:
    r"""The slopes nearest to ``start`` (in the metric c) within bounds and with ``up(slopes) = 0``.

    They are :math:`a(u) = \mathrm{clip}(a_0 - \mathrm{down}(u))` for the multipliers u of the equations, which
    minimise the convex, piecewise quadratic

    .. math:: \psi(u) = -\sum_i c_i \bigl(\tfrac12 (a_i(u) - a_{0i})^2 + a_i(u)\, \mathrm{down}(u)_i\bigr).

    Newton's matrix is ``up diag(1 on what is not clipped) down``; its systems are solved by conjugate
    gradients.  ``size`` has the shape of u and is 1 where there is an equation, 0 elsewhere; the equations should
    be of one length, or small ones drown.  None is returned if rounding keeps any from being met: what is left of
    it, over the size of the slopes, must be nothing.
    """

    def at(u: Floats) -> tuple[Floats, Floats, float, float]:
        shift = down(u)
        a = clip(start - shift)
        terms = c * (0.5 * (a - start) ** 2 + a * shift)
        return a, start - shift, -float(np.sum(terms)), 1e-14 * float(np.sum(np.abs(terms)))

    def left(a: Floats, residual: Floats) -> float:
        return float(np.max(np.abs(residual))) / max(float(np.sqrt(np.sum(c * a * a))), 1e-300)

    u = np.zeros_like(size)
    a, raw, psi, _ = at(u)
    residual = size * up(a)
    best, best_left = a, left(a, residual)
    for _ in range(_STEPS):
        if best_left <= _GOAL:
            break
        direction = _conjugate_gradients(_newton(size, up, a == raw, down), residual, int(size.sum()))
        slope = float(np.sum(residual * direction))
        length = 1.0
        for _ in range(40):
            trial = at(u + length * direction)
            if trial[2] <= psi - 1e-4 * length * slope + trial[3]:  # the last term: what rounding may add
                break
            length *= 0.5
        u = u + length * direction
        a, raw, psi, _ = trial
        residual = size * up(a)
        now = left(a, residual)
        if now < best_left:
            best, best_left = a, now
        elif now > 0.5 * best_left and best_left <= 0.1 * _ENOUGH:
            break
    return best if best_left <= _ENOUGH else None


def _newton(
    size: Floats, up: Callable[[Floats], Floats], unclipped: Mask, down: Callable[[Floats], Floats]
) -> Callable[[Floats], Floats]:
    """Products with Newton's matrix."""
    return lambda direction: size * up(unclipped * down(direction))


def _conjugate_gradients(apply: Callable[[Floats], Floats], right: Floats, unknowns: int) -> Floats:
    """A descent direction that solves the (possibly singular) system well; the right side itself at worst."""
    solution = np.zeros_like(right)
    residual, direction = right.copy(), right.copy()
    size = start = float(np.sum(residual * residual))
    for _ in range(min(2 * unknowns + 10, 1000)):
        image = apply(direction)
        curvature = float(np.sum(direction * image))
        if curvature <= 1e-14 * float(np.sum(direction * direction)):
            return solution if np.any(solution) else right
        step = size / curvature
        solution = solution + step * direction
        residual = residual - step * image
        before, size = size, float(np.sum(residual * residual))
        if size <= 1e-26 * start:
            break
        direction = residual + (size / before) * direction
    return solution
