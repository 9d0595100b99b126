"""What Newton's method asks of samples in memory: derivatives of the augmented losses, and parts of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from pdprox import Problem, ShiftedColumns, losses
from pdprox.samples import Charges, LocalSamples, curved
from pdprox.samples.model import ColumnsModel, GramModel

N, D = 43, 8
LOSSES = [
    losses.Hinge(),
    losses.Pinball(0.3),
    losses.EpsilonInsensitive(0.4),
    losses.Huber(0.7),
    losses.SquaredHinge(),
    losses.Square(),
]
CENTRE, SCALE = 0.2 * np.arange(D), 1.0 + 0.5 * np.arange(D)
STORAGES = {
    "dense": lambda X: X,
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "CSR": sp.csr_array,
    "CSR float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "shifted": lambda X: ShiftedColumns(X, CENTRE, SCALE),
    "shifted CSR": lambda X: ShiftedColumns(sp.csr_array(X), CENTRE, SCALE),
}

each_storage = pytest.mark.parametrize("storage", STORAGES)
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)
with_and_without = pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "no intercept"])


@dataclass
class Case:
    """Samples, the matrix they stand for (a column of ones for the intercept included), and a place to look at."""

    samples: LocalSamples
    A: np.ndarray
    y: np.ndarray
    c: np.ndarray
    rng: np.random.Generator

    def place(self, step: float = 0.8) -> tuple[Any, Any, Any]:
        """Dual variables on and between the slopes of the loss, predictions, and the augmented losses there."""
        line = self.samples.line_of_loss
        slopes = line.slopes[np.isfinite(line.slopes)]
        alpha = self.rng.uniform(-1, 1, len(self.y))
        if slopes.size:
            chosen = self.rng.random(len(self.y)) < 0.5
            alpha[chosen] = self.rng.choice(slopes, np.count_nonzero(chosen))
        dual = self.samples.dual(alpha)
        z = self.samples.predict(self.point())
        return dual, z, self.samples.augmented(dual, z, step)

    def point(self) -> np.ndarray:
        return self.rng.normal(size=self.samples.shape)

    def psi(self, dual: Any, x: np.ndarray, step: float) -> float:
        """The sum of augmented losses at x, by the conjugate of the loss."""
        loss, z = self.samples.loss_function, self.A @ x
        t = self.y * z if loss.reads == "margin" else z - self.y
        alpha = self.samples.slopes(dual)
        a = loss.dual_prox(alpha + step * t, step)
        return float(self.c @ (a * t - loss.conjugate(a) - (a - alpha) ** 2 / (2 * step)))


def case(loss, storage="dense", intercept=True, n=N, d=D, seed=0, fewest=0) -> Case:
    """Half of the entries are 0, weights are 0 (or ``fewest``), 1 and 2; numbers that float32 holds exactly."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)) * 256) / 256 * (rng.random((n, d)) < 0.5)
    y = rng.normal(size=n)
    y = np.sign(y) if loss.reads == "margin" else y
    weights = rng.integers(fewest, 3, size=n).astype(float)
    data = STORAGES[storage](X)
    samples = Problem(data, y, loss, lam=0.1, intercept=intercept, sample_weight=weights).samples
    A = (X - CENTRE) / SCALE if isinstance(data, ShiftedColumns) else X
    if intercept:
        A = np.column_stack([A, np.ones(n)])
    return Case(samples, A, y, weights / weights.sum(), rng)


def with_intercept(samples, columns):
    """The entries of x that stand for these columns."""
    d = samples.matrix.shape[1]
    columns = np.arange(d) if columns is None else columns
    return np.append(columns, d) if samples.intercept else columns


def by_units(samples, augmented, columns):
    """The matrix of ``curve``, a unit vector at a time."""
    kept = with_intercept(samples, columns)
    units = np.eye(*samples.shape * 2)[kept]
    return np.array([samples.curve(augmented, unit)[kept] for unit in units]).reshape(len(kept), len(kept))


def hessian(samples, augmented, columns):
    """The generalised Hessian with respect to these coefficients and the intercept, of what is kept of it."""
    wanted = np.arange(samples.matrix.shape[1]) if columns is None else columns
    H, mixed, total = samples.curvature(augmented, wanted)
    if samples.intercept:
        H = np.block([[H, mixed[:, None]], [mixed[None, :], np.full((1, 1), total)]])
    return augmented.rate * H


COLUMNS = [None, np.arange(D), np.array([1, 2, 6]), np.array([D - 1]), np.zeros(0, np.intp)]


# --- derivatives -------------------------------------------------------------------------------------------


@each_loss
@each_storage
@with_and_without
def test_predictions_and_gradient(loss, storage, intercept):
    """Against the matrix; the gradient also by differences of the augmented losses."""
    here = case(loss, storage, intercept)
    samples, step, h = here.samples, 0.8, 1e-5
    assert samples.curved
    dual, _, _ = here.place(step)
    x, direction = here.point(), here.point()
    z = samples.predict(x)
    np.testing.assert_allclose(z, here.A @ x, atol=1e-12)
    change = samples.predict(direction)
    np.testing.assert_allclose(samples.advance(z, change, 0.3), here.A @ (x + 0.3 * direction), atol=1e-12)
    gradient = samples.gradient(samples.augmented(dual, z, step))
    assert gradient.shape == samples.shape
    rise = here.psi(dual, x + h * direction, step) - here.psi(dual, x - h * direction, step)
    assert gradient @ direction == pytest.approx(rise / (2 * h), abs=1e-6)
    first, _ = samples.along(dual, z, change, step, 0.0)
    assert first == pytest.approx(gradient @ direction, abs=1e-12)


@each_loss
@with_and_without
def test_along_is_gradient_and_curvature_on_a_line(loss, intercept):
    here = case(loss, intercept=intercept)
    samples, step = here.samples, 0.8
    dual, _, _ = here.place(step)
    x, direction = here.point(), here.point()
    z, change = samples.predict(x), samples.predict(direction)
    for length in (0.0, 0.5, -2.0):
        there = samples.augmented(dual, samples.advance(z, change, length), step)
        first, second = samples.along(dual, z, change, step, length)
        assert first == pytest.approx(samples.gradient(there) @ direction, abs=1e-12)
        assert second == pytest.approx(direction @ samples.curve(there, direction), abs=1e-12)


@each_loss
@with_and_without
def test_ascended_is_the_proximal_ascent(loss, intercept):
    """The maximising slopes are those of ``ascend``, and ``moved`` is how far they went."""
    here = case(loss, intercept=intercept)
    samples, step = here.samples, 0.8
    dual, _, _ = here.place(step)
    x = here.point()
    augmented = samples.augmented(dual, samples.predict(x), step)
    risen, ascended = samples.ascend(dual, samples.forward(x), step), samples.ascended(augmented)
    assert samples.distance(risen, ascended) <= 1e-14
    assert augmented.moved == pytest.approx(samples.distance(risen, dual) ** 2, rel=1e-12)
    np.testing.assert_allclose(samples.gradient(augmented), samples.backward(ascended).g, atol=1e-14)


@each_loss
@each_storage
@with_and_without
def test_curvature_is_the_matrix_of_curve(loss, storage, intercept):
    for columns in COLUMNS:
        here = case(loss, storage, intercept)
        samples = here.samples
        _, _, augmented = here.place()
        H = hessian(samples, augmented, columns)
        np.testing.assert_allclose(H, by_units(samples, augmented, columns), atol=1e-12)
        np.testing.assert_allclose(H, H.T, atol=1e-15)
        kept = here.A[:, with_intercept(samples, columns)]
        np.testing.assert_allclose(H, kept.T @ (augmented.weights[:, None] * kept), atol=1e-12)
        assert np.linalg.eigvalsh(H).min(initial=0.0) >= -1e-12


@each_loss
@with_and_without
def test_curvature_is_the_derivative_of_the_gradient(loss, intercept):
    here = case(loss, intercept=intercept)
    samples, step, h, met = here.samples, 0.8, 1e-6, 0
    for _ in range(5):
        dual, _, _ = here.place(step)
        x, direction = here.point(), here.point()
        ends = [samples.augmented(dual, samples.predict(x + side * direction), step) for side in (-h, h)]
        if not np.array_equal(ends[0].weights, ends[1].weights):
            continue  # a kink of the gradient lies between
        met += 1
        change = (samples.gradient(ends[1]) - samples.gradient(ends[0])) / (2 * h)
        np.testing.assert_allclose(hessian(samples, ends[0], None) @ direction, change, atol=1e-8)
    assert met >= 3


@each_loss
@each_storage
@with_and_without
def test_curvature_stays_right_as_rows_and_columns_come_and_go(loss, storage, intercept):
    """Small and large moves, other steps, other columns: the same as from samples that know nothing yet."""
    here, d = case(loss, storage, intercept, n=120), D
    samples, rng = here.samples, here.rng
    dual, z, _ = here.place()
    updated = 0
    for k in range(60):
        z = z + (3.0 if k % 20 == 19 else 0.1 * (k % 3)) * rng.normal(size=len(z))
        augmented = samples.augmented(dual, z, (0.8, 0.1, 5.0)[k // 4 % 3])
        columns = None if k % 10 == 0 else np.flatnonzero(rng.random(d) < rng.choice([0.2, 0.6, 1.0]))
        known = samples._gram
        H = hessian(samples, augmented, columns)
        updated += known is samples._gram and samples._gram.updates > 0
        kept = here.A[:, with_intercept(samples, columns)]
        np.testing.assert_allclose(H, kept.T @ (augmented.weights[:, None] * kept), atol=1e-11)
        fresh = hessian(case(loss, storage, intercept, n=120).samples, augmented, columns)
        np.testing.assert_allclose(H, fresh, atol=1e-11)
        H[:] = np.nan
        wanted = np.arange(d) if columns is None else columns
        own, w = np.ones(len(wanted) + intercept), np.zeros(len(wanted))
        model = samples.model(augmented, wanted, np.zeros_like(own), w, own, True)
        model._Q[:] = np.nan  # what was handed out may be overwritten
    assert updated > 5 or isinstance(loss, losses.Square)  # whose rows never change


def test_curvature_forgets_its_rounding():
    """After many updates the matrix is made afresh; the work of updates is counted by the rows that changed."""
    here = case(losses.Hinge(), n=400)
    samples = here.samples
    dual, z, augmented = here.place()
    hessian(samples, augmented, None)
    ages = []
    for _ in range(100):
        z = z + 0.02 * here.rng.normal(size=len(z))
        augmented, before = samples.augmented(dual, z, 0.8), samples.passes
        changed = np.count_nonzero((augmented.weights > 0) != (samples._gram.chosen > 0))
        hessian(samples, augmented, None)
        ages.append(samples._gram.updates)
        if ages[-1] > 0:
            assert samples.passes - before == pytest.approx(changed / 400)
    assert max(ages) > 10 and min(ages[1:]) < max(ages) and 0 in ages[10:]
    np.testing.assert_allclose(
        hessian(samples, augmented, None), by_units(samples, augmented, None), atol=1e-13
    )


def test_curvature_of_many_columns_keeps_to_those_wanted():
    """Columns that come and go within many: what is known is used, dropped and made again."""
    here = case(losses.Hinge(), n=150, d=300)
    dual, z, _ = here.place()
    widths = set()
    for size in (0.9, 0.02, 0.03, 0.5, 0.5, 0.05, 0.0, 1.0):
        columns = np.flatnonzero(here.rng.random(300) < size)
        z = z + 0.05 * here.rng.normal(size=len(z))
        augmented = here.samples.augmented(dual, z, 0.8)
        H = hessian(here.samples, augmented, columns)
        kept = here.A[:, with_intercept(here.samples, columns)]
        np.testing.assert_allclose(H, kept.T @ (augmented.weights[:, None] * kept), atol=1e-11)
        widths.add(len(here.samples._gram.columns))
    assert len(widths) > 3


@pytest.mark.parametrize("loss", [losses.Hinge(), losses.Huber(0.7)], ids=str)
@pytest.mark.parametrize("storage", ["CSR", "CSR float32"])
@with_and_without
def test_a_model_by_columns_is_the_one_by_its_matrix(loss, storage, intercept, monkeypatch):
    """Gradients, Hessians, trials and outcomes, after descents and moves; for all columns and for some."""
    for columns in (None, np.array([0, 2, 3, 6])):
        here = case(loss, storage, intercept)
        _, _, augmented = here.place()
        p = D if columns is None else len(columns)
        slope, w = here.rng.normal(size=p + intercept), here.rng.normal(size=p)
        own = here.rng.uniform(0.1, 1.0, p + intercept)
        models = []
        for factor, kind in ((0.0, ColumnsModel), (np.inf, GramModel)):
            monkeypatch.setattr(curved, "_SPARSE", factor)
            models.append(here.samples.model(augmented, columns, slope, w, own, False))
            assert type(models[-1]) is kind
        some = np.array([0, 1, 3])
        change = here.rng.normal(size=3)
        charges = Charges(np.full(p, 0.05), np.full(p, 0.1))
        rises, ends = [], []
        for model in models:
            energies = model.descend(charges, 3)
            rise, image = model.trial(some, change)
            model.take(some, change, image)
            rises.append((*energies, rise))
            ends.append((model.v, model.gradient(some), np.tril(model.hessian(some)), *model.outcome()))
        np.testing.assert_allclose(*rises, rtol=1e-9)
        for one, other in zip(*ends, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@with_and_without
def test_a_model_is_the_augmented_losses_to_second_order(intercept):
    """Its outcome, the intercept's change included, is where the quadratic around x is least."""
    here = case(losses.Square(), intercept=intercept)
    samples, x = here.samples, here.point()
    dual, _, _ = here.place()
    augmented = samples.augmented(dual, samples.predict(x), 0.8)
    own = np.full(len(x), 0.3)
    model = samples.model(augmented, None, samples.gradient(augmented), x[:D], own, False)
    everything = np.arange(D)
    step = np.linalg.solve(tidy(model.hessian(everything)), -model.gradient(everything))
    model.take(everything, step, model.trial(everything, step)[1])
    H = hessian(samples, augmented, None) + np.diag(own)
    change, bend = model.outcome()
    np.testing.assert_allclose(change, np.linalg.solve(H, -samples.gradient(augmented)), atol=1e-10)
    assert bend == pytest.approx(change @ H @ change)


def tidy(H: np.ndarray) -> np.ndarray:
    """The symmetric matrix with this lower triangle."""
    lower = np.tril(H)
    return lower + np.tril(H, -1).T


@each_storage
@with_and_without
def test_column_squares(storage, intercept):
    """Of the deviations from the mean with an intercept, of the columns as they are without; for parts, too."""
    here = case(losses.Hinge(), storage, intercept)
    rows = here.rng.random(N) < 0.5
    for samples, A, c in (
        (here.samples, here.A, here.c),
        (here.samples.part(None, rows), here.A[rows], here.c[rows]),
    ):
        X = A[:, :D]
        mean = c @ X / c.sum() if intercept else 0.0
        np.testing.assert_allclose(samples.column_squares(), c @ (X - mean) ** 2, atol=1e-12)


# --- weights and parts -------------------------------------------------------------------------------------


@each_loss
@with_and_without
def test_weight_two_is_the_row_twice(loss, intercept):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(N, D)), rng.normal(size=N)
    y = np.sign(y) if loss.reads == "margin" else y
    times = rng.integers(0, 4, size=N)
    rows = np.repeat(np.arange(N), times)
    weighted = Problem(X, y, loss, lam=0.1, intercept=intercept, sample_weight=times.astype(float)).samples
    repeated = Problem(X[rows], y[rows], loss, lam=0.1, intercept=intercept).samples
    alpha, x, direction, step = rng.uniform(-1, 1, N), *rng.normal(size=(2, *weighted.shape)), 0.8
    found = []
    for samples, which in ((weighted, slice(None)), (repeated, rows)):
        dual, z, change = samples.dual(alpha[which]), samples.predict(x), samples.predict(direction)
        augmented = samples.augmented(dual, z, step)
        found.append((
            augmented.moved,
            samples.gradient(augmented),
            hessian(samples, augmented, None),
            hessian(samples, augmented, np.array([0, 3])),
            samples.curve(augmented, direction),
            samples.along(dual, z, change, step, 0.3),
            samples.column_squares(),
            samples.loss(x, False)[0],
        ))  # fmt: skip
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-13)


@each_loss
@each_storage
@with_and_without
def test_a_part_and_the_rest_make_the_whole(loss, storage, intercept):
    """Losses, gradients, curvatures, sums over samples: weights stay what they are."""
    here = case(loss, storage, intercept)
    samples, step = here.samples, 0.8
    dual, z, augmented = here.place(step)
    some = here.rng.random(N) < 0.4
    x = here.point()
    for columns in (None, np.array([1, 2, 6]), np.zeros(0, np.intp)):
        kept = with_intercept(samples, columns)
        inside = np.zeros_like(x)
        inside[kept] = x[kept]
        z = samples.predict(inside)
        augmented = samples.augmented(dual, z, step)
        whole = (
            samples.loss(inside, False)[0],
            augmented.moved,
            samples.gradient(augmented)[kept],
            hessian(samples, augmented, columns),
            samples.backward(dual).g[kept],
            samples.unsettled(dual, z),
        )
        sums = [0.0] * len(whole)
        for rows in (some, ~some):
            part, own = samples.part(columns, rows), samples.dual_of_part(dual, rows)
            assert part.shape == (len(kept),) and part.size(None) == samples.size(rows) == rows.sum()
            assert part.total == samples.total
            np.testing.assert_array_equal(part.c, samples.c[rows])
            predictions = part.predict(x[kept])
            np.testing.assert_allclose(predictions, z[rows], atol=1e-12)
            near = part.augmented(own, predictions, step)
            found = (
                part.loss(x[kept], False)[0],
                near.moved,
                part.gradient(near),
                hessian(part, near, None),
                part.backward(own).g,
                part.unsettled(own, predictions),
            )
            sums = [total + each for total, each in zip(sums, found, strict=True)]
        for one, other in zip(sums, whole, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)


@each_storage
def test_parts_of_data_with_few_entries(storage):
    """Sparse parts stay sparse; rows and columns in any storage are those of the matrix; so is a part of a part."""
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(N, D)) * 256) / 256 * (rng.random((N, D)) < 0.1)
    y = np.sign(rng.normal(size=N))
    samples = Problem(STORAGES[storage](X), y, "hinge", lam=0.1).samples
    A = (X - CENTRE) / SCALE if storage.startswith("shifted") else X
    rows, columns = rng.random(N) < 0.6, np.array([0, 1, 4, 5, 7])
    part = samples.part(columns, rows)
    again = part.part(np.array([1, 3]), np.arange(part.size(None)) % 2 == 0)
    for found, chosen, kept in ((part, rows, columns), (again, np.flatnonzero(rows)[::2], [1, 5])):
        B, x = (
            np.column_stack([A[chosen][:, kept], np.ones(found.size(None))]),
            rng.normal(size=len(kept) + 1),
        )
        z = found.predict(x)
        np.testing.assert_allclose(z, B @ x, atol=1e-12)
        near = found.augmented(found.middle(), z, 0.8)
        np.testing.assert_allclose(found.gradient(near), B.T @ near.theta, atol=1e-14)
        np.testing.assert_allclose(hessian(found, near, None), B.T @ (near.weights[:, None] * B), atol=1e-14)
        assert np.count_nonzero(near.weights) > 0
        stored = getattr(found.matrix, "inner", found.matrix)
        assert stored.sparse == ("CSR" in storage)


@each_loss
def test_all_columns_of_all_samples_are_the_samples(loss):
    here = case(loss)
    dual, _, _ = here.place()
    assert here.samples.part(None, None) is here.samples
    assert here.samples.size(None) == N
    np.testing.assert_array_equal(
        here.samples.slopes(here.samples.dual_of_part(dual, None)), here.samples.slopes(dual)
    )


@each_loss
def test_merging_puts_a_part_back(loss):
    """What was taken out comes back in its place, and nothing else changes."""
    here = case(loss)
    samples = here.samples
    dual, _, _ = here.place()
    alpha = samples.slopes(dual).copy()
    rows = here.rng.random(N) < 0.4
    own = samples.dual_of_part(dual, rows)
    np.testing.assert_array_equal(samples.slopes(samples.merged(dual, rows, own)), alpha)
    part = samples.part(None, rows)
    other = here.rng.uniform(-1, 0, size=rows.sum())
    merged = samples.merged(dual, rows, part.dual(other))
    np.testing.assert_array_equal(samples.slopes(merged)[rows], other)
    np.testing.assert_array_equal(samples.slopes(merged)[~rows], alpha[~rows])
    np.testing.assert_array_equal(samples.slopes(samples.dual_of_part(merged, rows)), other)
    np.testing.assert_array_equal(samples.slopes(dual), alpha)
    everything = samples.merged(dual, None, samples.dual(np.full(N, -0.5)))
    np.testing.assert_array_equal(samples.slopes(everything), np.full(N, -0.5))


@each_loss
@each_storage
def test_a_draw_stands_for_all(loss, storage):
    """Different rows of the data that have a weight, weights that sum to 1, the same rows for the same seed."""
    here = case(loss, storage, n=300)
    kept = [(tuple(a), y) for a, y, c in zip(np.round(here.A, 9), here.y, here.c, strict=True) if c > 0]
    for count in (1, 50, 300):
        drawn = here.samples.draw(count, seed=4)
        assert drawn.size(None) == min(count, len(kept))
        assert drawn.c.sum() == pytest.approx(1.0, rel=1e-14)
        A = np.column_stack([drawn.predict(unit) for unit in np.eye(D + 1)])
        found = [(tuple(a), y) for a, y in zip(np.round(A, 9) + 0.0, drawn.y, strict=True)]
        assert all(found.count(row) <= kept.count(row) for row in set(found))
        np.testing.assert_array_equal(here.samples.draw(count, seed=4).y, drawn.y)
    x = here.point()
    assert drawn.loss(x, False)[0] == pytest.approx(here.samples.loss(x, False)[0], rel=1e-12)
    assert not np.array_equal(here.samples.draw(50, seed=4).y, here.samples.draw(50, seed=5).y)


def test_a_draw_of_few_rows_with_a_weight():
    rng = np.random.default_rng(0)
    weights = np.zeros(1000)
    weights[[17, 400]] = 1.0, 3.0
    X, y = rng.normal(size=(1000, 3)), rng.normal(size=1000)
    samples = Problem(X, y, "absolute", lam=0.1, sample_weight=weights).samples
    for seed in range(20):
        assert samples.draw(1, seed).c.sum() == 1
        np.testing.assert_allclose(samples.draw(5, seed).c, [0.25, 0.75])


# --- samples near a kink -----------------------------------------------------------------------------------


@each_loss
def test_unsettled_samples_are_in_play(loss):
    """They, and besides them the nearest: a sample that is not in play is settled, and farther than any that is."""
    here = case(loss, n=300)
    samples = here.samples
    dual, z, _ = here.place()
    line, alpha = samples.line_of_loss, samples.slopes(dual)
    t = here.y * z if loss.reads == "margin" else z - here.y
    # settled: the slope is the loss's own there, so any proximal step leaves it alone
    still = np.isclose(loss.dual_prox(alpha + 0.8 * t, 0.8), alpha, rtol=0, atol=1e-13)
    still &= np.any(np.isclose(alpha[:, None], line.slopes, rtol=0, atol=1e-13), axis=1)
    assert samples.unsettled(dual, z) == np.count_nonzero(~still)
    shifts = line.smoothing * np.array([np.where(np.isfinite(s), s, 0.0) for s in line.slopes])
    near = np.full(300, np.inf)
    for k, slope in enumerate(line.slopes):
        ends = [line.kinks[j] + shifts[k] for j in (k - 1, k) if 0 <= j < len(line.kinks)]
        own = np.isclose(alpha, slope, rtol=0, atol=1e-13)
        near[own] = np.min(np.abs(t[own, None] - ends), axis=1)
    near[~still] = -np.inf
    for count in {0, 1, 10, min(np.count_nonzero(~still), 299), 250, 299}:
        rows = samples.in_play(dual, z, count)
        assert np.all(rows[~still])
        assert samples.size(rows) == max(count, np.count_nonzero(~still))
        assert np.max(near[rows], initial=-np.inf) <= np.min(near[~rows], initial=np.inf)
    for count in (300, 1000):
        assert samples.in_play(dual, z, count) is None


@each_loss
def test_slopes_that_fit_are_settled(loss):
    """Where no argument is at a kink, and no kink is rounded."""
    here = case(loss, n=300, fewest=1)
    samples = here.samples
    x = here.point()
    z = samples.predict(x)
    line = samples.line_of_loss
    if line.smoothing == 0:
        assert samples.unsettled(samples.settled(x), z) == 0
    else:
        t = here.y * z if loss.reads == "margin" else z - here.y
        curved = np.diff(loss.dual_prox(np.array([t - 1e-7, t + 1e-7]) * 1e15, 1e15), axis=0)[0] != 0
        assert samples.unsettled(samples.settled(x), z) == np.count_nonzero(curved)


@each_loss
def test_the_middle_lies_within_the_bounds(loss):
    """Halfway where there are two; where there are not, at a slope that the conjugate allows."""
    middle, (low, high) = case(loss).samples.middle(), loss.bounds
    alpha = middle.alpha
    assert np.all((low <= alpha) & (alpha <= high)) and np.all(np.isfinite(alpha))
    if np.isfinite(high - low):
        np.testing.assert_allclose(alpha, 0.5 * (low + high), atol=1e-15)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_typical_step_follows_the_units(scale):
    """In other units of y (and w) the loss's arguments are scale times as large, and the step 1 / scale as long."""
    rng = np.random.default_rng(2)
    X, y, x = rng.normal(size=(N, D)), rng.normal(size=N), rng.normal(size=D + 1)
    one, other = (Problem(X, s * y, "absolute", lam=0.1).samples for s in (1.0, scale))
    assert other.typical_step(scale * x) == pytest.approx(one.typical_step(x) / scale, rel=1e-9)


@pytest.mark.parametrize(
    ("loss", "targets"), [(losses.Logistic(), None), (losses.L2Loss(), 2), (losses.Hinge(), 2)], ids=str
)
def test_what_has_no_broken_line_is_not_curved(loss, targets):
    rng = np.random.default_rng(0)
    y = rng.normal(size=N if targets is None else (N, targets))
    y = np.sign(y) if loss.reads == "margin" else y
    assert not Problem(rng.normal(size=(N, D)), y, loss, lam=0.1).samples.curved
