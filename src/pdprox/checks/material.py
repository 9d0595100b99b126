"""What laws are tried on: shapes, points, and how close is equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pdprox.penalties.base import Penalty
from pdprox.sets.base import ConvexSet
from pdprox.typing import Array, Floats


def shapes_for(thing: Penalty | ConvexSet) -> list[tuple[int, ...]]:
    """A vector's and a matrix's shape, as far as a penalty or set takes them."""
    d = thing.dimension or 6
    fitting = []
    for shape in [(d,), (d, 3)]:
        try:
            thing.check(shape)
        except ValueError:
            continue
        fitting.append(shape)
    if not fitting:
        raise ValueError(f"{thing!r} takes neither shape ({d},) nor ({d}, 3); say shape=...")
    return fitting


def difference(a: Array, b: Array) -> Floats:
    """a - b in float64."""
    return np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)


def inner(a: Any, b: Any) -> float:
    """<a, b> in float64."""
    return float(np.vdot(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)))


def points(shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike) -> Iterator[Array]:
    """Points of several sizes: generic ones, one with ties and zeros, one with a single entry."""
    for scale in (0.1, 1.0, 10.0):
        yield (scale * rng.normal(size=shape)).astype(dtype)
    yield np.round(2 * rng.normal(size=shape)).astype(dtype)
    yield np.ones(shape, dtype)
    single = np.zeros(shape, dtype)
    single.flat[-1] = -5.0
    yield single


def tolerance(dtype: DTypeLike, *sizes: float) -> float:
    """What rounding may do to numbers of these sizes."""
    return 2000 * float(np.finfo(dtype).eps) * (1 + sum(abs(size) for size in sizes if np.isfinite(size)))
