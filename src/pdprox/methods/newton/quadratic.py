"""The quadratic model of a Newton step, with all of the penalty in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dposv

from pdprox import _kernels as kernels
from pdprox.penalties import Tariff
from pdprox.typing import Floats

#: sweeps before and after the Newton step among the living, at most
_SWEEPS = 20
#: the model is solved when a sweep moves less than this share of what the first one did
_ACCURACY = 0.3
#: conjugate gradients end at this share of the first residual, or after so many products
_SHORT, _PRODUCTS = 0.1, 200


def minimiser(Q: Floats, slope: Floats, w: Floats, tariff: Tariff) -> Floats:
    r"""The v that minimises :math:`\langle s, v - w\rangle + \tfrac12 (v - w)^\top Q (v - w) + \mathrm{tariff}(v)`.

    Only roughly: coordinate descent finds which coefficients and groups are alive, a Newton step among those
    alive goes to their minimum at once, and coordinate descent clears up.  More exact minima were measured to
    save no steps of the method.
    """
    if not len(w):
        return w
    if tariff.smooth:
        A = Q.copy()
        A.flat[:: len(A) + 1] += tariff.ridge
        return w + _solve(A, -(slope + tariff.ridge * w))
    groups: kernels.Groups | tuple[()] = ()
    if tariff.labels is not None and tariff.group is not None:
        members = np.argsort(tariff.labels, kind="stable").astype(np.intp)
        ends = np.cumsum(np.bincount(tariff.labels, minlength=len(tariff.group)))
        groups = (np.concatenate([[0], ends]).astype(np.intp), members, tariff.group, tariff.squared)
    v, g = w.copy(), slope.copy()
    first, last = kernels.descend(Q, tariff.single, tariff.ridge, groups, v, g, _SWEEPS)
    goal = _ACCURACY**2 * first
    if last > goal:
        _leap(Q, tariff, v, g)
        kernels.descend(Q, tariff.single, tariff.ridge, groups, v, g, _SWEEPS, goal)
    return v


def _leap(Q: Floats, tariff: Tariff, v: Floats, g: Floats) -> None:
    """A Newton step among the coefficients that are not 0, if it goes down; changes v and g."""
    alive = np.flatnonzero(v)
    if not len(alive):
        return
    here = v[alive]
    slope, own, between = tariff.model(v, alive)
    A = Q[alive][:, alive]
    A.flat[:: len(alive) + 1] += own
    if between is not None:
        A += between
    step = _solve(A, -(g[alive] + slope))
    charge = tariff.value(v)
    for length in (1.0, _first_crossing(here, step), 0.25):
        there = here + length * step
        there[np.sign(there) != np.sign(here)] = 0.0
        change = np.zeros_like(v)
        change[alive] = there - here
        image = Q @ change
        new = v + change
        if float(g @ change + 0.5 * (change @ image)) + tariff.value(new) - charge < 0:
            v[alive] = there
            g += image
            return


def _first_crossing(here: Floats, step: Floats) -> float:
    """The share of the step at which the first coefficient reaches 0."""
    turns = np.sign(here + step) != np.sign(here)
    return float(np.min(np.abs(here[turns] / step[turns]), initial=0.5))


def _solve(A: Floats, b: Floats) -> Floats:
    """A^-1 b for a positive semidefinite A, which is overwritten; a touch of ridge where it is singular."""
    size = len(A)
    scale = A.diagonal().copy()
    floor = float(scale.max(initial=0.0)) * 1e-300
    added = 0.0
    for touch in (1e-14, 1e-11, 1e-8, 1e-4, 1.0):
        A.flat[:: size + 1] += (touch - added) * np.maximum(scale, floor)
        added = touch
        _, x, info = dposv(A, b)
        if info == 0 and np.all(np.isfinite(x)):
            solved: Floats = x
            return solved
    return b / np.where(scale > 0, scale, 1.0)


def solve_by_products(apply: Callable[[Floats], Floats], b: Floats, scale: Floats) -> Floats:
    """A^-1 b roughly, by conjugate gradients with the diagonal ``scale`` for a preconditioner."""
    x, residual = np.zeros_like(b), b.copy()
    scaled = residual / scale
    direction, size = scaled.copy(), float(residual @ scaled)
    goal = _SHORT**2 * size
    for _ in range(_PRODUCTS):
        image = apply(direction)
        bend = float(direction @ image)
        if bend <= 0:
            break
        x += size / bend * direction
        residual -= size / bend * image
        scaled = residual / scale
        before, size = size, float(residual @ scaled)
        if size <= goal:
            break
        direction = scaled + size / before * direction
    return x
