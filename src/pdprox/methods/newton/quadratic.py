"""The quadratic model of a Newton step, with all of the penalty in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pdprox.methods.cholesky import cholesky, solution
from pdprox.penalties import Tariff
from pdprox.samples import Charges, Model
from pdprox.typing import Floats

#: the model is solved when a sweep moves less than this share of what the first one did
_ACCURACY = 0.3


def charges_of(tariff: Tariff) -> Charges:
    """The tariff as the kernels take it."""
    groups: tuple[Any, ...] = ()
    if tariff.labels is not None and tariff.group is not None:
        members = np.argsort(tariff.labels, kind="stable").astype(np.intp)
        ends = np.cumsum(np.bincount(tariff.labels, minlength=len(tariff.group)))
        groups = (np.concatenate([[0], ends]).astype(np.intp), members, tariff.group, tariff.squared)
    return Charges(tariff.single, tariff.ridge, groups)


def minimise(model: Model, tariff: Tariff) -> None:
    r"""Bring the model's point near the minimum of the model and the tariff.

    Only roughly: coordinate descent finds which coefficients and groups are alive, a Newton step among those
    alive goes to their minimum at once, and coordinate descent clears up.  More exact minima were measured to
    save no steps of the method.
    """
    if not len(model.v):
        return
    if tariff.smooth:
        everything = np.arange(len(model.v))
        change = _solve(
            lambda: _with_diagonal(model.hessian(everything), tariff.ridge),
            -(model.gradient(everything) + tariff.ridge * model.v),
        )
        model.take(everything, change, model.trial(everything, change)[1])
        return
    charges = charges_of(tariff)
    first, last = model.descend(charges, model.sweeps)
    goal = _ACCURACY**2 * first
    if last > goal:
        _leap(model, tariff)
        model.descend(charges, model.sweeps, goal)


def _leap(model: Model, tariff: Tariff) -> None:
    """A Newton step among the coefficients that are not 0, if it goes down."""
    alive = np.flatnonzero(model.v)
    if not len(alive):
        return
    here = model.v[alive]
    slope, own, between = tariff.model(model.v, alive)

    def hessian() -> Floats:
        A = _with_diagonal(model.hessian(alive), own)
        if between is not None:
            A += between
        return A

    step = _solve(hessian, -(model.gradient(alive) + slope))
    charge = tariff.value(model.v)
    for length in (1.0, _first_crossing(here, step), 0.25):
        there = here + length * step
        there[np.sign(there) != np.sign(here)] = 0.0
        rise, image = model.trial(alive, there - here)
        new = model.v.copy()
        new[alive] = there
        if rise + tariff.value(new) - charge < 0:
            model.take(alive, there - here, image)
            return


def _with_diagonal(A: Floats, more: Floats) -> Floats:
    A.flat[:: len(A) + 1] += more
    return A


def _first_crossing(here: Floats, step: Floats) -> float:
    """The share of the step at which the first coefficient reaches 0."""
    turns = np.sign(here + step) != np.sign(here)
    return float(np.min(np.abs(here[turns] / step[turns]), initial=0.5))


def _solve(make: Callable[[], Floats], b: Floats) -> Floats:
    """A^-1 b for a positive semidefinite A, made anew for each try; a touch of ridge where it is singular."""
    for touch in (1e-14, 1e-11, 1e-8, 1e-4, 1.0):
        factor = cholesky(make(), touch)
        if factor is not None:
            x = solution(factor, b)
            if np.all(np.isfinite(x)):
                return x
    scale = make().diagonal()
    return b / np.where(scale > 0, scale, 1.0)
