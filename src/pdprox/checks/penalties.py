"""Laws every penalty obeys; run them on a class of your own with ``check_penalty``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike

from pdprox.checks.material import difference, inner, points, shapes_for, tolerance
from pdprox.penalties.base import BrokenLineNorm, Norm, Penalty
from pdprox.typing import Array, Floats

#: (penalty, shape of w, source of random numbers, dtype of w)
Law = Callable[[Penalty, tuple[int, ...], np.random.Generator, DTypeLike], None]

STEPS = (0.01, 0.4, 3.0)


def check_penalty(
    penalty: Penalty,
    shape: tuple[int, ...] | None = None,
    rng: np.random.Generator | None = None,
    dtype: DTypeLike = np.float64,
) -> None:
    """Raise AssertionError, with the numbers, when value, prox, conjugate and flags do not agree.

    Parameters
    ----------
    penalty : Penalty
    shape : tuple, optional
        Of w; by default a vector and a matrix of three columns.
    rng : numpy.random.Generator, optional
        By default one that is the same in every call.
    dtype : float64 or float32
    """
    for fitting in [shape] if shape else shapes_for(penalty):
        for law in LAWS:
            law(penalty, fitting, rng or np.random.default_rng(0), dtype)


def value_is_zero_at_zero_and_never_negative(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """R(0) = 0, R >= 0, and so prox(0) = 0 and R*(0) = 0."""
    zero = np.zeros(shape, dtype)
    assert penalty.value(zero) == 0, f"R(0) = {penalty.value(zero)}"
    assert penalty.conjugate(zero) == 0, f"R*(0) = {penalty.conjugate(zero)}"
    assert not penalty.prox(zero, 1.0).any(), f"prox(0) = {penalty.prox(zero, 1.0)}"
    for w in points(shape, rng, dtype):
        assert penalty.value(w) >= 0, f"R(w) = {penalty.value(w)} at w = {w}"


def young_inequality_holds(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """R(w) + R*(u) >= <w, u> for u at which R* is finite: those that the prox has left over."""
    for v in points(shape, rng, dtype):
        _, u, _, _ = shrunk_and_left(penalty, v, 0.4)
        top = penalty.conjugate(u)
        assert np.isfinite(top), f"R*(u) is infinite at u = {u}, left over by the prox of {v}"
        for w in points(shape, rng, dtype):
            left, right = penalty.value(w) + top, inner(w, u)
            assert left >= right - tolerance(dtype, left, right), f"R(w) + R*(u) = {left} < <w, u> = {right}"


def prox_is_a_minimiser(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """p = prox(v) exactly when R(p) + R*(g) = <p, g> with g = (v - p) / step; also for a step per block."""
    labels = penalty.blocks(shape)
    assert labels.shape == shape, f"blocks has shape {labels.shape}, w has {shape}"
    by_block = np.exp(rng.normal(size=int(labels.max()) + 1))[labels]
    for v in points(shape, rng, dtype):
        for step in (*STEPS, by_block.astype(dtype)):
            p, g, lost, allowance = shrunk_and_left(penalty, v, step)
            r, conjugate, product = penalty.value(p), penalty.conjugate(g), inner(p, g)
            assert np.isfinite(conjugate), (
                f"R*(g) is infinite at g = (v - p)/step = {g}, v = {v}, step = {step}"
            )
            gap = r + conjugate - product
            slack = 100 * lost * (r + conjugate + abs(product)) + 4 * allowance + tolerance(dtype, r, product)
            assert abs(gap) <= slack, (
                f"R(p) + R*(g) - <p, g> = {r} + {conjugate} - {product} = {gap}, not 0 "
                f"at v = {v}, step = {step}, p = {p}"
            )


def prox_is_firmly_nonexpansive(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """<p - p', v - v'> >= ||p - p'||^2."""
    for v in points(shape, rng, dtype):
        for other in (v + 0.1 * rng.normal(size=shape).astype(dtype), rng.normal(size=shape).astype(dtype)):
            for step in STEPS:
                moved = difference(penalty.prox(v, step), penalty.prox(other, step))
                left, right = inner(moved, difference(v, other)), inner(moved, moved)
                slack = tolerance(dtype, float(np.abs(v).max()) ** 2, left)
                assert left >= right - slack, f"<p-p', v-v'> = {left} < ||p-p'||^2 = {right} at v = {v}"


def prox_of_step_zero_changes_nothing(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """prox with step 0 is the identity, whether 0 is a number or an array."""
    for v in points(shape, rng, dtype):
        for step in (0.0, np.zeros(shape, dtype)):
            p = penalty.prox(v, step)
            assert np.abs(difference(p, v)).max() <= tolerance(dtype, float(np.abs(v).max())), (
                f"prox of step 0 moves {v} to {p}"
            )


def arrays_keep_their_manners(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """The input is left alone, the result is new and of its dtype, memory layout is of no matter."""
    for v in points(shape, rng, dtype):
        kept = v.copy()
        v.setflags(write=False)
        for step in (0.0, 0.4):
            p = penalty.prox(v, step)
            assert not np.shares_memory(p, v), f"prox of step {step} returns its input"
            assert p.dtype == v.dtype and p.shape == v.shape, (
                f"prox makes {p.dtype} {p.shape} of {v.dtype} {v.shape}"
            )
            spread = np.repeat(np.asfortranarray(v), 2, axis=0)[::2]
            apart = np.abs(difference(penalty.prox(spread, step), p)).max()
            assert apart <= tolerance(dtype, float(np.abs(v).max())), (
                f"another memory layout moves prox by {apart}"
            )
        numbers = [penalty.value(v), penalty.conjugate(v)]
        numbers += [penalty.dual_norm(v)] if isinstance(penalty, Norm) else []
        assert all(type(number) is float for number in numbers), f"not all Python floats: {numbers}"
        assert np.array_equal(v, kept), f"the input became {v}, it was {kept}"


def convexity_is_as_strong_as_claimed(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """R((a+b)/2) <= R(a)/2 + R(b)/2 - mu ||a-b||^2 / 8, with mu = strong_convexity."""
    mu = penalty.strong_convexity
    for a, b in zip(points(shape, rng, dtype), points(shape, rng, dtype), strict=True):
        middle = penalty.value((a.astype(np.float64) + b) / 2)
        chord = (penalty.value(a) + penalty.value(b)) / 2
        bend = mu * inner(difference(a, b), difference(a, b)) / 8
        assert middle <= chord - bend + tolerance(dtype, chord, bend), (
            f"R at the middle is {middle} > {chord} - {bend}, strong_convexity = {mu}, a = {a}, b = {b}"
        )


def grows_with_absolute_values_if_claimed(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """A penalty that says ``monotone`` has R(w) = R(|w|), and R falls when any |w_j| falls."""
    if not penalty.monotone:
        return
    for w in points(shape, rng, dtype):
        r = penalty.value(w)
        bare = penalty.value(np.abs(w))
        assert abs(bare - r) <= tolerance(dtype, r), f"R(|w|) = {bare}, R(w) = {r}"
        smaller = penalty.value(w * rng.random(shape).astype(dtype))
        assert smaller <= r + tolerance(dtype, r), f"R = {smaller} after entries shrank, {r} before"


def free_entries_cost_nothing(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """R does not see the entries that ``free`` marks, prox leaves them alone, all others cost something."""
    free = penalty.free(shape)
    assert free.dtype == bool and free.shape == shape, f"free is {free.dtype} of shape {free.shape}"
    for v in points(shape, rng, dtype):
        without = penalty.value(np.where(free, 0, v).astype(dtype))
        assert abs(penalty.value(v) - without) <= tolerance(dtype, without), "R depends on free entries"
        assert np.array_equal(penalty.prox(v, 0.4)[free], v[free]), "prox moves free entries"
    alone = 1e3 * np.ones(shape, dtype) * ~free
    assert free.all() or penalty.value(alone) > 0, "R = 0 although entries that are not free are large"


def dual_norm_is_dual(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """<u, w> <= R(w) dual_norm(u) for a norm; the prox leaves over a u of dual norm 1 where it is not 0."""
    if not isinstance(penalty, Norm):
        return
    reached = 0
    for v in points(shape, rng, dtype):
        fixed = np.where(penalty.free(shape), 0, v).astype(dtype)
        for w in points(shape, rng, dtype):
            bound = penalty.value(w) * penalty.dual_norm(fixed)
            product = inner(fixed, w)
            assert product <= bound + tolerance(dtype, bound, product), f"<u, w> = {product} > {bound}"
        p, g, lost, allowance = shrunk_and_left(penalty, v, 0.4)
        if penalty.value(p) > 0:
            reached += 1
            size = penalty.dual_norm(g)
            slack = 200 * lost + 4 * allowance / penalty.value(p)
            assert abs(size - 1) <= slack, f"dual norm {size}, not 1, of what prox takes from {v}"
    assert reached or penalty.free(shape).all(), "the prox was 0 at every point tried: nothing was tested"


def norm_scales(penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike) -> None:
    """R(s w) = s R(w) for a norm, and prox and dual norm likewise, however large or small s is."""
    if not isinstance(penalty, Norm):
        return
    scales = (1e-150, 1e150) if np.finfo(dtype).eps < 1e-10 else (1e-20, 1e20)
    for v in points(shape, rng, dtype):
        p, r, dual = penalty.prox(v, 0.4), penalty.value(v), penalty.dual_norm(v)
        for scale in scales:
            big = v * np.asarray(scale, dtype)
            for was, now in ((r, penalty.value(big)), (dual, penalty.dual_norm(big))):
                same = now == was if was in (0.0, np.inf) else abs(now / scale / was - 1) <= tolerance(dtype)
                assert same, f"{was} became {now} when v = {v} was scaled by {scale}"
            apart = difference(penalty.prox(big, 0.4 * scale) / np.asarray(scale, dtype), p)
            assert np.abs(apart).max() <= tolerance(dtype, float(np.abs(v).max())), (
                f"prox off by {apart} at {scale}"
            )


def norm_falls_along_its_broken_line(
    penalty: Penalty, shape: tuple[int, ...], rng: np.random.Generator, dtype: DTypeLike
) -> None:
    """R(prox of step eta) = sum_j drops_j (knots_j - eta)_+ for a ``BrokenLineNorm``."""
    if not isinstance(penalty, BrokenLineNorm):
        return
    for v in points(shape, rng, dtype):
        knots, drops = penalty.fall(v)
        for eta in (0.0, *STEPS, float(np.median(knots))):
            line = float(drops @ np.maximum(knots - eta, 0.0))
            r = penalty.value(penalty.prox(v, eta))
            slack = tolerance(dtype, penalty.value(v))
            assert abs(line - r) <= slack, (
                f"R(prox) = {r}, the broken line says {line}, at v = {v}, step {eta}"
            )


LAWS: tuple[Law, ...] = (
    value_is_zero_at_zero_and_never_negative,
    young_inequality_holds,
    prox_is_a_minimiser,
    prox_is_firmly_nonexpansive,
    prox_of_step_zero_changes_nothing,
    arrays_keep_their_manners,
    convexity_is_as_strong_as_claimed,
    grows_with_absolute_values_if_claimed,
    free_entries_cost_nothing,
    dual_norm_is_dual,
    norm_scales,
    norm_falls_along_its_broken_line,
)


def shrunk_and_left(penalty: Penalty, v: Array, step: float | Array) -> tuple[Array, Floats, float, float]:
    """p = prox(v), g = (v - p)/step less its rounding error, the share taken off g, and what <p, g> lost.

    A norm has R*(g) = 0 only within its dual ball, and at the prox g is on the border: rounding must not
    push it out.
    """
    p = penalty.prox(v, step)
    eps = float(np.finfo(v.dtype).eps)
    t = np.asarray(step, dtype=np.float64)
    g = difference(v, p) / t
    error = np.minimum(8 * eps * np.abs(v) / t, np.abs(g))
    size = float(np.abs(g).max())
    lost = 64 * eps * (1 + float((np.abs(v) / t).max()) / size) if size else 0.0
    assert lost < 0.01 or v.size == 1 or np.finfo(v.dtype).eps > 1e-10, (
        f"v = {v} and p = {p} are too close to tell"
    )
    g = np.sign(g) * (np.abs(g) - error) * (1 - min(lost, 0.5))
    return p, g, lost, float((np.abs(p) * error).sum())
