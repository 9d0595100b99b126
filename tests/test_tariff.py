"""Tariffs: the numbers a penalty is made of say the same as the penalty itself."""

from __future__ import annotations

import numpy as np
import pytest

from pdprox import penalties
from pdprox.naming import specimens
from pdprox.penalties import (
    L1,
    L2,
    ElasticNet,
    EveryRow,
    GroupLasso,
    PerGroup,
    SparseGroupLasso,
    Squared,
    SquaredSumOfNorms,
)
from pdprox.penalties.tariff import Tariff, grouped, plain

LABELS = [0, 0, 1, 1, 1, 2]

#: penalties that are not made of absolute values, squares and lengths
WITHOUT = {
    "LInf", "ExclusiveLasso", "L1Inf", "TraceNorm", "PerGroup of LInf", "SquaredPerGroup of LInf",
    "SquaredPerGroup of L1", "Squared of LInf", "Squared of SparseGroupLasso",
    "Shaped of L1", "Shaped of L2", "Shaped of LInf", "OnSingularValues of L1", "OnSingularValues of L2",
    "OnSingularValues of LInf",
}  # fmt: skip

MORE = [
    Squared(L2()),
    Squared(GroupLasso(LABELS)),
    Squared(GroupLasso(LABELS, weights=[1.0, 0.0, 3.0])),
    Squared(SparseGroupLasso(LABELS)),
    PerGroup(L2(), EveryRow(), weights=[1.0, 0.0, 5.0]),
    SparseGroupLasso([0, 1, 1, 2, 2, 2], 0.3),
]
PENALTIES = specimens(penalties.ALL) + MORE


def dimension(penalty):
    return penalty.dimension or 6


def title(penalty):
    inner = getattr(penalty, "inner", None) or getattr(penalty, "norm", None)
    return type(penalty).__name__ + (f" of {type(inner).__name__}" if inner else "")


CHARGED = [p for p in PENALTIES if p.tariff(dimension(p)) is not None]
each = pytest.mark.parametrize("penalty", CHARGED, ids=str)


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


def points(d, rng):
    """Of several sizes, with and without zeros, and 0 itself."""
    for scale in (0.1, 1.0, 10.0):
        for share in (0.0, 0.5, 0.8):
            yield scale * rng.normal(size=d) * (rng.random(d) >= share)
    yield np.zeros(d)


def labels_of(tariff):
    """Which coefficients leave 0 together."""
    return np.arange(tariff.d) if tariff.labels is None else tariff.labels


def test_the_penalties_without_a_tariff_are_these():
    without = {title(p) for p in PENALTIES if p.tariff(dimension(p)) is None}
    assert without == WITHOUT
    assert not without & {title(p) for p in CHARGED}


@pytest.mark.parametrize("penalty", [p for p in PENALTIES if p.levels(dimension(p)) is not None], ids=str)
def test_value_of_levels(penalty, rng):
    """The same for penalties of sizes, and lam scales it."""
    d = dimension(penalty)
    levels = penalty.levels(d).scaled(0.7)
    assert penalty.tariff(d) is None
    for w in points(d, rng):
        total = 0.0
        for group in range(len(levels.charge)):
            sizes = np.abs(w[levels.labels == group])
            top = float(np.sum(sizes) if levels.summed else np.max(sizes))
            total += levels.charge[group] * top + levels.square[group] * top**2
        assert total == pytest.approx(0.7 * penalty.value(w), rel=1e-13)


@each
def test_value(penalty, rng):
    tariff = penalty.tariff(dimension(penalty))
    assert tariff.d == dimension(penalty)
    for w in points(tariff.d, rng):
        assert tariff.value(w) == pytest.approx(penalty.value(w), rel=1e-13)


@pytest.mark.parametrize(
    ("penalty", "w", "value"),
    [
        (ElasticNet(0.5), [3.0, -4.0], 0.5 * 7 + 0.25 * 25),
        (SparseGroupLasso([0, 0, 1], 0.25), [3.0, 4.0, -2.0], 0.25 * 9 + 0.75 * (5 * np.sqrt(2) + 2)),
        (SquaredSumOfNorms([0, 0, 1]), [3.0, 4.0, -2.0], 49.0),
        (Squared(L1([1.0, 2.0])), [3.0, -4.0], 121.0),
    ],
    ids=str,
)
def test_values_by_hand(penalty, w, value):
    assert penalty.tariff(len(w)).value(np.array(w)) == pytest.approx(value, rel=1e-14)


@each
@pytest.mark.parametrize("lam", [0.0, 1e-3, 0.3, 70.0])
def test_scaled_is_lam_times_the_penalty(penalty, lam, rng):
    """The value is, and a gradient lam times as strong pulls as much as before."""
    tariff = penalty.tariff(dimension(penalty))
    scaled = tariff.scaled(lam)
    for w in points(tariff.d, rng):
        assert scaled.value(w) == pytest.approx(lam * tariff.value(w), rel=1e-13)
        g = rng.normal(size=tariff.d)
        if lam > 0:
            np.testing.assert_allclose(scaled.pull(w, lam * g), tariff.pull(w, g), rtol=1e-12)


@each
def test_a_part_is_the_whole_with_zeros_elsewhere(penalty, rng):
    """Value, model and pull; for columns that are whole groups."""
    tariff = penalty.tariff(dimension(penalty))
    labels = labels_of(tariff)
    assert tariff.at(None) is tariff
    for w in points(tariff.d, rng):
        g = rng.normal(size=tariff.d)
        for kept in (
            labels >= 0,
            labels < 0,
            labels == labels[0],
            rng.random(labels.max() + 1)[labels] < 0.5,
        ):
            columns = np.flatnonzero(kept)
            part, rest = tariff.at(columns), np.where(kept, w, 0.0)
            assert part.d == len(columns)
            assert part.value(w[columns]) == pytest.approx(penalty.value(rest), rel=1e-13)
            np.testing.assert_allclose(part.pull(w[columns], g[columns]), tariff.pull(rest, g)[columns])
            np.testing.assert_array_equal(part.in_use(w[columns]), tariff.in_use(rest)[columns])
            models = (
                part.model(w[columns], np.flatnonzero(w[columns])),
                tariff.model(rest, np.flatnonzero(rest)),
            )
            for one, other in zip(*models, strict=True):
                assert (one is None) == (other is None)
                if one is not None:
                    np.testing.assert_allclose(one, other, rtol=1e-12)


@each
def test_model_has_the_derivatives_of_the_penalty(penalty, rng):
    """Gradient and Hessian in the coefficients that are not 0, by differences."""
    tariff, h = penalty.tariff(dimension(penalty)), 1e-5
    for w in points(tariff.d, rng):
        w[(w != 0) & (np.abs(w) < 1e-2)] = 0.3
        alive = np.flatnonzero(w)
        slope, own, between = tariff.model(w, alive)
        hessian = np.diag(own) + (0.0 if between is None else between)
        np.testing.assert_array_equal(hessian, hessian.T)
        for k, j in enumerate(alive):
            ends = []
            for side in (-h, h):
                moved = w.copy()
                moved[j] += side
                ends.append((penalty.value(moved), tariff.model(moved, alive)[0]))
            size = 1 + penalty.value(w)
            assert (ends[1][0] - ends[0][0]) / (2 * h) == pytest.approx(slope[k], rel=1e-6, abs=1e-8 * size)
            bend = (ends[1][1] - ends[0][1]) / (2 * h)
            np.testing.assert_allclose(hessian[k], bend, rtol=1e-5, atol=1e-6 * (1 + np.abs(hessian).max()))


@each
def test_pull_tells_what_leaves_zero(penalty, rng):
    """Above 1 exactly when a small proximal step, which lowers <g, w> + R(w), makes the group something else."""
    tariff, step, met = penalty.tariff(dimension(penalty)), 1e-7, 0
    labels = labels_of(tariff)
    for w in points(tariff.d, rng):
        for size in (0.01, 0.3, 1.0, 3.0, 30.0, 1000.0):
            g = size * rng.normal(size=tariff.d)
            pull, new = tariff.pull(w, g), penalty.prox(w - step * g, step)
            for label in set(labels[~tariff.in_use(w)]):
                group = labels == label
                if np.any(np.abs(pull[group] - 1) < 1e-3):
                    continue  # too close to tell
                met += 1
                assert np.any(pull[group] > 1) == np.any(new[group] != 0)
                assert np.all(pull[group][new[group] != 0] > 1)
    assert met > 10


@each
def test_what_costs_nothing_but_squares_is_pulled_without_end(penalty, rng):
    """Even by no gradient; everything else is then at rest."""
    tariff = penalty.tariff(dimension(penalty))
    w = rng.normal(size=tariff.d)
    free = penalty.free((tariff.d,)) | tariff.smooth
    np.testing.assert_array_equal(tariff.pull(w, np.zeros(tariff.d)), np.where(free, np.inf, 0.0))


@each
def test_smooth_penalties_are_quadratic(penalty, rng):
    """The law of the parallelogram holds for them, and of the others only for a squared length."""
    tariff = penalty.tariff(dimension(penalty))
    u, v = rng.normal(size=(2, tariff.d))
    lacking = penalty.value(u + v) + penalty.value(u - v) - 2 * penalty.value(u) - 2 * penalty.value(v)
    assert not tariff.smooth or abs(lacking) < 1e-12 * penalty.value(u)
    assert tariff.smooth or tariff.squared or abs(lacking) > 1e-3 * penalty.value(u)


@each
def test_in_use_is_a_group_that_is_not_zero(penalty, rng):
    tariff = penalty.tariff(dimension(penalty))
    labels = labels_of(tariff)
    for w in points(tariff.d, rng):
        wanted = [np.any(w[labels == label] != 0) for label in labels]
        np.testing.assert_array_equal(tariff.in_use(w), wanted)


@each
@pytest.mark.parametrize("other", [plain(6, 0.3), plain(6, 0.0, 2.0), plain(6, 0.3, 0.7), L1().tariff(6)])
def test_sums(penalty, other, rng):
    """Values add up, in either order."""
    tariff = penalty.tariff(dimension(penalty))
    other = other.at(np.arange(tariff.d)) if tariff.d <= 6 else plain(tariff.d, 0.3, 0.7)
    for w in points(tariff.d, rng):
        wanted = penalty.value(w) + other.value(w)
        assert (tariff + other).value(w) == pytest.approx(wanted, rel=1e-13)
        assert (other + tariff).value(w) == pytest.approx(wanted, rel=1e-13)


def test_two_tariffs_with_groups_are_not_added():
    one = grouped(np.array([0, 0, 1]), np.ones(2))
    with pytest.raises(AssertionError, match="groups"):
        one + one


@each
def test_squares(penalty, rng):
    """A sum of weighted lengths has a square; nothing else has."""
    tariff = penalty.tariff(dimension(penalty))
    square = tariff.square()
    lengths = not np.any(tariff.ridge) and not tariff.squared
    assert (square is not None) == (lengths and (tariff.group is None or not np.any(tariff.single)))
    if square is None:
        return
    for w in points(tariff.d, rng):
        assert square.value(w) == pytest.approx(penalty.value(w) ** 2, rel=1e-12)
        assert square.scaled(0.3).value(w) == pytest.approx(0.3 * penalty.value(w) ** 2, rel=1e-12)


def test_pull_within_a_group_of_absolute_values_only():
    """A group that costs nothing as such does not set free what its coefficients cost."""
    tariff = Tariff(np.array([1.0, 1.0, 0.0]), np.zeros(3), np.array([0, 0, 0]), np.zeros(1))
    np.testing.assert_allclose(tariff.pull(np.zeros(3), np.array([0.5, 2.0, 0.0])), [0.5, 2.0, np.inf])


def test_the_foremost_columns():
    """Those in use, then those drawn away most; none that is drawn away less than asked for; None for most of all."""
    tariff = Tariff(np.ones(10), np.zeros(10))
    w, g = np.zeros(10), np.array([0.1, 0.9, 0.2, 3.0, 0.7, 0.0, 0.4, 0.3, 0.6, 0.05])
    w[9] = 1.0
    assert list(tariff.foremost(w, g, 3, 0.0)) == [1, 3, 9]
    assert list(tariff.foremost(w, g, 5, 0.65)) == [1, 3, 4, 9]
    assert list(tariff.foremost(w, g, 1, 0.0)) == [9]
    assert tariff.foremost(w, g, 6, 0.0) is None
