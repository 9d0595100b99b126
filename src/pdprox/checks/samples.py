"""Laws of the door between samples and features."""

from __future__ import annotations

import numpy as np

from pdprox.samples import Samples


def check_samples(samples: Samples, seed: int = 0) -> None:
    """Run all laws on one object behind the door."""
    rng = np.random.default_rng(seed)
    sums_are_linear(samples, rng)
    sweep_is_forward_ascend_backward(samples, rng)
    reflection_is_a_combination(samples, rng)
    gram_is_symmetric(samples, rng)
    feasible_is_feasible(samples, rng)
    line_is_concave(samples, rng)
    marks_stay(samples)


def _risen(samples: Samples, rng: np.random.Generator, step: float = 0.8) -> tuple[np.ndarray, object]:
    x = rng.normal(size=samples.shape)
    return x, samples.sweep(samples.dual(), x, step)


def sums_are_linear(samples: Samples, rng: np.random.Generator) -> None:
    """A combination carries the sums that computing afresh gives."""
    _, one = _risen(samples, rng)
    _, other = _risen(samples, rng)
    mixed = samples.combine((0.3, -1.2), (one, other))  # type: ignore[arg-type]
    fresh = samples.backward(mixed)
    assert np.allclose(mixed.g, fresh.g, atol=1e-10 * (1 + np.abs(fresh.g).max())), (
        "sums are not linear in the dual"
    )


def sweep_is_forward_ascend_backward(samples: Samples, rng: np.random.Generator) -> None:
    """The fused pass does what its three parts do."""
    _, dual = _risen(samples, rng)
    x = rng.normal(size=samples.shape)
    fused = samples.sweep(dual, x, 0.4)  # type: ignore[arg-type]
    parts = samples.backward(samples.ascend(dual, samples.forward(x), 0.4))  # type: ignore[arg-type]
    assert samples.distance(fused, parts) <= 1e-10, "the fused step differs from its parts"
    assert np.allclose(fused.g, parts.g, atol=1e-10 * (1 + np.abs(parts.g).max())), "the fused sums differ"


def reflection_is_a_combination(samples: Samples, rng: np.random.Generator) -> None:
    """reflect = a sweep, its reflection pulled to the anchor, and the squared movement."""
    _, dual = _risen(samples, rng)
    _, anchor = _risen(samples, rng)
    x = rng.normal(size=samples.shape)
    new, following, moved = samples.reflect(dual, anchor, x, 0.4, 0.25)  # type: ignore[arg-type]
    swept = samples.sweep(dual, x, 0.4)  # type: ignore[arg-type]
    expected = samples.combine((1.5, -0.75, 0.25), (swept, dual, anchor))  # type: ignore[arg-type]
    assert samples.distance(new, swept) <= 1e-10, "reflect's T-point is not the sweep"
    assert samples.distance(following, expected) <= 1e-10, "reflect's following point is wrong"
    assert np.allclose(following.g, samples.backward(following).g, atol=1e-9 * (1 + np.abs(expected.g).max()))
    assert np.isclose(moved, samples.distance(swept, dual) ** 2, rtol=1e-8), "the squared movement is wrong"  # type: ignore[arg-type]


def gram_is_symmetric(samples: Samples, rng: np.random.Generator) -> None:
    """<u, gram(v)> = <gram(u), v>, and it is never negative for u = v."""
    u, v = rng.normal(size=samples.shape), rng.normal(size=samples.shape)
    left, right = float(np.sum(u * samples.gram(v))), float(np.sum(samples.gram(u) * v))
    assert np.isclose(left, right, rtol=1e-9, atol=1e-9 * (1 + abs(left))), (
        f"gram is not symmetric: {left}, {right}"
    )
    assert float(np.sum(u * samples.gram(u))) >= -1e-9


def feasible_is_feasible(samples: Samples, rng: np.random.Generator) -> None:
    """A repaired dual is within bounds, its sums vanish where they must, and repairing it again changes nothing."""
    _, dual = _risen(samples, rng, 3.0)
    repaired = samples.feasible(dual, None)  # type: ignore[arg-type]
    if samples.intercept:
        assert np.all(np.abs(repaired.g[-1]) <= 1e-10), f"the sum is {repaired.g[-1]} after the repair"
    assert samples.scale_limit(repaired) >= 1 - 1e-9, "the repaired dual is out of bounds"
    assert np.isfinite(samples.line(repaired)), "the repaired dual has no finite value"
    again = samples.feasible(repaired, None)
    assert np.allclose(samples.slopes(again), samples.slopes(repaired), atol=1e-8), (
        "repairing twice changes the dual"
    )


def line_is_concave(samples: Samples, rng: np.random.Generator) -> None:
    """The line at x = 0 is concave along a ray of feasible duals."""
    _, dual = _risen(samples, rng)
    repaired = samples.feasible(dual, None)  # type: ignore[arg-type]
    low, middle, high = (samples.line(repaired, scale) for scale in (0.0, 0.5, 1.0))
    assert middle >= 0.5 * (low + high) - 1e-10 * (1 + abs(middle)), "the line is not concave"


def marks_stay(samples: Samples) -> None:
    """There is a mark for each part of the samples, the same each time and in every view of them."""
    marks = samples.marks()
    assert set(marks) == {"X", "y", "sample_weight", "dual_set"}, f"there are marks of {sorted(marks)}"
    assert marks == samples.marks() == samples.view().marks(), "the marks change"
