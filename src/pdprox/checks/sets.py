"""Laws every convex set obeys; run them on a class of your own with ``check_set``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike

from pdprox.checks.material import difference, inner, points, shapes_for, tolerance
from pdprox.sets.base import ConvexSet
from pdprox.typing import Array, Floats
from pdprox.values import per_entry

#: (set, shape of its members, source of random numbers, dtype)
Law = Callable[[ConvexSet, tuple[int, ...], np.random.Generator, DTypeLike], None]


def check_set(
    convex_set: ConvexSet,
    shape: tuple[int, ...] | None = None,
    rng: np.random.Generator | None = None,
    dtype: DTypeLike = np.float64,
) -> None:
    """Raise AssertionError, with the numbers, when projection, support and ``contains`` do not agree.

    Parameters
    ----------
    convex_set : ConvexSet
    shape : tuple, optional
        Of a member; by default a vector and a matrix of three columns.
    rng : numpy.random.Generator, optional
        By default one that is the same in every call.
    dtype : float64 or float32
    """
    for fitting in [shape] if shape else shapes_for(convex_set):
        for law in LAWS:
            law(convex_set, fitting, rng or np.random.default_rng(0), dtype)


def projection_is_the_nearest_point(
    convex_set: ConvexSet, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """p = project(v) has <v - p, q - p> <= 0 for every q of the set, in the metric of the set."""
    m = metric_of(convex_set, shape)
    members = members_of(convex_set, shape, rng, dtype)
    for v in points(shape, rng, dtype):
        p = convex_set.project(v)
        for q in members:
            turn = inner(m * difference(v, p), difference(q, p))
            slack = tolerance(dtype, *(float(np.abs(a).max()) ** 2 for a in (v, p, q))) * v.size
            assert turn <= slack, f"<v - p, q - p> = {turn} > 0 at v = {v}, p = {p}, q = {q}"
        outward = m * difference(v, p)
        highest, product = convex_set.support(outward), inner(outward, p)
        slack = tolerance(dtype, *(float(np.abs(a).max()) ** 2 for a in (v, p)), product) * v.size
        if np.isfinite(highest):  # rounding may turn v - p out of the cone where the support is finite
            assert product >= highest - slack, f"<v - p, p> = {product} < support = {highest} at v = {v}"


def projection_ends_in_the_set(
    convex_set: ConvexSet, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """A projected point stays where it is, and ``contains`` knows inside from outside."""
    for v in points(shape, rng, dtype):
        p = convex_set.project(v)
        slack = tolerance(dtype, float(np.abs(v).max()))
        moved = float(np.abs(difference(convex_set.project(p), p)).max())
        assert moved <= slack, f"projecting again moves {p} by {moved}"
        assert convex_set.contains(p, slack), f"contains denies the projection {p} of {v}"
        distance = float(np.linalg.norm(difference(v, p)))
        if distance > 0.1 * (1 + float(np.linalg.norm(v))):
            assert not convex_set.contains(v, 0.05), f"contains accepts {v}, {distance} away"


def projection_is_firmly_nonexpansive(
    convex_set: ConvexSet, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """<p - p', v - v'> >= ||p - p'||^2, in the metric of the set."""
    m = metric_of(convex_set, shape)
    for v in points(shape, rng, dtype):
        for other in (v + 0.1 * rng.normal(size=shape).astype(dtype), rng.normal(size=shape).astype(dtype)):
            moved = difference(convex_set.project(v), convex_set.project(other))
            left, right = inner(m * moved, difference(v, other)), inner(m * moved, moved)
            slack = tolerance(dtype, float(np.abs(v).max()) ** 2, left) * v.size
            assert left >= right - slack, f"<p-p', v-v'> = {left} < ||p-p'||^2 = {right} at v = {v}"


def support_bounds_the_set(
    convex_set: ConvexSet, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """<u, q> <= support(u) for every q of the set; support(0) = 0."""
    assert convex_set.support(np.zeros(shape, dtype)) == 0, "support(0) is not 0"
    members = members_of(convex_set, shape, rng, dtype)
    for u in directions(shape, rng, dtype):
        bound = convex_set.support(u)
        for q in members:
            product = inner(u, q)
            assert product <= bound + tolerance(dtype, product, bound), (
                f"<u, q> = {product} > support(u) = {bound} at u = {u}, q = {q}"
            )


def support_is_reached(
    convex_set: ConvexSet, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """Far out along u, projections reach a finite support, and pass any bound where it is infinite."""
    m = metric_of(convex_set, shape)
    for u in directions(shape, rng, np.float64):
        bound = convex_set.support(u)
        reached = [inner(u, convex_set.project(far * u / m)) for far in (1e6, 1e12)]
        if np.isfinite(bound):
            assert abs(reached[0] - bound) <= 1e-4 * (1 + abs(bound)), (
                f"{bound} promised, {reached} reached at u = {u}"
            )
        else:
            assert reached[1] > 100 * max(reached[0], 1.0), (
                f"support is infinite, yet {reached} reached at u = {u}"
            )


def arrays_keep_their_manners(
    convex_set: ConvexSet, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """The input is left alone, the result is new and of its dtype, memory layout is of no matter."""
    for v in points(shape, rng, dtype):
        kept = v.copy()
        v.setflags(write=False)
        p = convex_set.project(v)
        assert not np.shares_memory(p, v), "project returns its input"
        assert p.dtype == v.dtype and p.shape == v.shape, (
            f"project makes {p.dtype} {p.shape} of {v.dtype} {v.shape}"
        )
        assert type(convex_set.support(v)) is float, f"support is a {type(convex_set.support(v))}"
        spread = np.repeat(np.asfortranarray(v), 2, axis=0)[::2]
        apart = float(np.abs(difference(convex_set.project(spread), p)).max())
        assert apart <= tolerance(dtype, float(np.abs(v).max())), (
            f"another memory layout moves project by {apart}"
        )
        assert np.array_equal(v, kept), f"the input became {v}, it was {kept}"


def separable_sets_go_entry_by_entry(
    convex_set: ConvexSet, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """In a set that says ``separable``, moving one entry of v moves no other entry of the projection."""
    if not convex_set.separable:
        return
    for v in points(shape, rng, dtype):
        moved = v.copy()
        moved.flat[0] += 7
        others = (convex_set.project(moved) != convex_set.project(v)).ravel()[1:]
        assert not others.any(), f"entries {np.flatnonzero(others) + 1} follow entry 0 at v = {v}"


LAWS: tuple[Law, ...] = (
    projection_is_the_nearest_point,
    projection_ends_in_the_set,
    projection_is_firmly_nonexpansive,
    support_bounds_the_set,
    support_is_reached,
    arrays_keep_their_manners,
    separable_sets_go_entry_by_entry,
)


def metric_of(convex_set: ConvexSet, shape: tuple[int, ...]) -> Floats:
    """The m of the set, lined up with its members; 1 for the Euclidean norm."""
    given = np.asarray(1.0 if convex_set.metric is None else convex_set.metric, dtype=np.float64)
    return per_entry(given, shape, "metric")


def members_of(
    convex_set: ConvexSet, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> list[Array]:
    """Members of the set: inside, on the border, far out along axes and diagonals."""
    sources = [*points(shape, rng, dtype), *(10 * u for u in directions(shape, rng, dtype))]
    return [convex_set.project(v) for v in sources]


def directions(shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike) -> list[np.ndarray]:
    """Directions of all signs, of one sign, along an axis, and one that is the same everywhere."""
    u = rng.normal(size=shape)
    axis = np.zeros(shape)
    axis.flat[0] = 1.0
    found = [u, np.abs(u), -np.abs(u), axis, -axis, np.ones(shape), -np.ones(shape), np.round(u)]
    return [direction.astype(dtype) for direction in found]
