"""Laws that every loss obeys."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdprox.losses import Loss
from pdprox.typing import Array

_FAR = 50.0  # where a bound is infinite, laws look this far


def check_loss(loss: Loss, dtype: Any = np.float64, seed: int = 0) -> None:
    """Run all laws on one loss; AssertionError names the law and the numbers that break it."""
    rng = np.random.default_rng(seed)
    t = rng.normal(scale=3.0, size=400).astype(dtype)
    least_is_zero(loss, dtype)
    fenchel_young(loss, t, slopes_within(loss, rng, t))
    for step in (1e-3, 0.5, 20.0):
        prox_is_a_minimiser(loss, t, step)
        prox_takes_arrays(loss, t, step * (1.0 + rng.random(t.shape)).astype(dtype))
        prox_does_not_expand(loss, t, rng.normal(scale=3.0, size=400).astype(dtype), step)
    prox_of_no_step_clips(loss, t)
    value_is_the_envelope(loss, t)
    keeps_dtype_and_input(loss, t)
    zero_dual_is_allowed(loss)
    dual_form_is_consistent(loss, t, rng)


def _tolerance(*arrays: Array) -> float:
    dtype = arrays[0].dtype
    size = max(1.0, *(float(np.max(np.abs(array[np.isfinite(array)]), initial=0.0)) for array in arrays))
    return float(2000 * np.finfo(dtype).eps) * size


def slopes_within(loss: Loss, rng: np.random.Generator, like: Array) -> Array:
    """Random slopes inside the bounds."""
    low, high = np.clip(loss.bounds, -_FAR, _FAR)
    return rng.uniform(low, high, size=like.shape).astype(like.dtype)


def least_is_zero(loss: Loss, dtype: Any) -> None:
    """The loss is never negative and comes down to 0: l*(0) = 0, and outside the bounds l* is infinite."""
    grid = np.linspace(-60, 60, 4801).astype(dtype)
    values = loss.value(grid)
    assert np.all(values >= -_tolerance(values)), f"negative loss {values.min()} at {grid[values.argmin()]}"
    assert abs(float(loss.conjugate(np.zeros(1, dtype))[0])) <= _tolerance(grid), "the least loss is not 0"
    low, high = loss.bounds
    assert low <= 0 <= high, f"bounds {loss.bounds} leave out 0"
    outside = np.array(
        [bound + np.sign(bound) for bound in (low, high) if np.isfinite(bound) and bound != 0], dtype
    )
    assert np.all(np.isinf(loss.conjugate(outside))), (
        f"the conjugate is finite outside its bounds, at {outside}"
    )


def fenchel_young(loss: Loss, t: Array, a: Array) -> None:
    """l(t) + l*(a) >= a t."""
    slack = loss.value(t) + loss.conjugate(a) - a * t
    assert np.all(slack >= -_tolerance(slack)), (
        f"Fenchel-Young broken by {slack.min()} at t = {t[slack.argmin()]}"
    )


def prox_is_a_minimiser(loss: Loss, v: Array, step: float) -> None:
    """a = prox(v) exactly when l(g) + l*(a) = a g with g = (v - a) / step."""
    a = loss.dual_prox(v, step)
    g = (v - a) / v.dtype.type(step)
    excess = loss.value(g) + loss.conjugate(a) - a * g
    close = _tolerance(a, g, a * g) * max(1.0, 1.0 / step)
    assert np.all(np.abs(excess) <= close), (
        f"not the prox at v = {v[np.abs(excess).argmax()]}, step {step}: {excess}"
    )


def prox_takes_arrays(loss: Loss, v: Array, steps: Array) -> None:
    """A step for each entry gives what the entries give one by one."""
    together = loss.dual_prox(v, steps)
    for i in range(0, len(v), 97):
        alone = loss.dual_prox(v[i : i + 1], float(steps[i]))[0]
        assert abs(together[i] - alone) <= _tolerance(together), (
            f"entry {i}: {together[i]} together, {alone} alone"
        )


def prox_does_not_expand(loss: Loss, v: Array, other: Array, step: float) -> None:
    """|prox(v) - prox(v')| <= |v - v'|."""
    moved = np.abs(loss.dual_prox(v, step) - loss.dual_prox(other, step))
    assert np.all(moved <= np.abs(v - other) + _tolerance(v)), "the dual prox expands"


def prox_of_no_step_clips(loss: Loss, v: Array) -> None:
    """With step 0 the prox is the projection on the bounds."""
    clipped = np.clip(v, *loss.bounds)
    assert np.allclose(loss.dual_prox(v, 0.0), clipped, atol=_tolerance(v)), (
        "prox with step 0 is not the projection"
    )


def value_is_the_envelope(loss: Loss, t: Array) -> None:
    """Slopes from a long prox step reach l(t) = max a t - l*(a)."""
    width = 1e-6 if t.dtype == np.float64 else 1e-3
    a = loss.dual_prox(t / t.dtype.type(width), 1.0 / width)
    reached = a * t - loss.conjugate(a)
    close = _tolerance(reached) + width * float(np.max(np.abs(a))) ** 2 + 1e-3 * (t.dtype == np.float32)
    assert np.allclose(reached, loss.value(t), atol=close), "value and conjugate do not belong together"


def keeps_dtype_and_input(loss: Loss, t: Array) -> None:
    """Results have the dtype of the input, which is left as it was."""
    before = t.copy()
    for result in (loss.value(t), loss.conjugate(t), loss.dual_prox(t, 0.7)):
        assert result.dtype == t.dtype, f"{result.dtype} came out of {t.dtype}"
        assert result.shape == t.shape
    assert np.array_equal(t, before), "the input was changed"


def zero_dual_is_allowed(loss: Loss) -> None:
    """The dual variables that a run starts from stand for slope 0."""
    assert not np.any(loss.slope(loss.zeros((3,))))


def dual_form_is_consistent(loss: Loss, t: Array, rng: np.random.Generator) -> None:
    """``spread`` is the adjoint of ``slope``; ``from_slope`` is a right inverse; ascent stays within bounds."""
    t = t.astype(np.float64)
    alpha = rng.normal(size=loss.zeros(t.shape).shape)
    assert np.isclose(np.sum(loss.slope(alpha) * t), np.sum(alpha * loss.spread(t))), (
        "spread is not slope's adjoint"
    )
    slopes = slopes_within(loss, rng, t)
    assert np.allclose(loss.slope(loss.from_slope(slopes)), slopes), "from_slope changes the slopes"
    risen = loss.slope(loss.ascend(alpha, t, 0.3))
    low, high = loss.bounds
    assert np.all((risen >= low - 1e-12) & (risen <= high + 1e-12)), "ascent leaves the bounds"
