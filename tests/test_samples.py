"""The door: its laws for every storage, loss and weighting, and the repairs behind it against plain references."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

from pdprox import Problem, ShiftedColumns, losses, sets
from pdprox.checks import check_samples
from pdprox.naming import specimens
from pdprox.samples.intercept import best_shift


def data(n=23, d=6, targets=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    y = rng.normal(size=n if targets is None else (n, targets))
    weights = rng.integers(0, 3, size=n).astype(float)
    return X, y, weights


STORAGES = {
    "dense": lambda X: X,
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "CSR": sp.csr_array,
    "shifted": lambda X: ShiftedColumns(X, np.arange(X.shape[1]), 1.0 + np.arange(X.shape[1])),
    "shifted CSR": lambda X: ShiftedColumns(sp.csr_array(X), np.arange(X.shape[1]), None),
}


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("loss", specimens(losses.ALL), ids=str)
def test_laws(loss, storage, intercept, weighted):
    X, y, weights = data()
    y = np.sign(y) if loss.reads == "margin" else y
    problem = Problem(
        STORAGES[storage](X),
        y,
        loss,
        lam=0.1,
        intercept=intercept,
        sample_weight=weights if weighted else None,
    )
    check_samples(problem.samples)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    "loss", [losses.L2Loss(), losses.Absolute(), losses.Logistic(), losses.Huber()], ids=str
)
def test_laws_with_several_targets(loss, intercept):
    X, y, weights = data(targets=3)
    y = np.sign(y) if loss.reads == "margin" else y
    check_samples(Problem(X, y, loss, lam=0.1, intercept=intercept, sample_weight=weights).samples)


@pytest.mark.parametrize("loss", [losses.Hinge(), losses.Pinball(0.2), losses.GeneralizedHinge(2.0)], ids=str)
def test_laws_with_a_budget(loss):
    X, y, weights = data()
    y = np.sign(y) if loss.reads == "margin" else y
    check_samples(Problem(X, y, loss, lam=0.1, sample_weight=weights, dual_set=sets.Budget(3.0)).samples)


@pytest.mark.parametrize("storage", STORAGES)
def test_forward_and_backward_are_adjoint(storage):
    """<X w + b, theta> = <w, X' theta> + b sum theta, with the matrix that the storage stands for."""
    X, y, _ = data()
    samples = Problem(STORAGES[storage](X), y, "absolute", lam=0.1).samples
    rng = np.random.default_rng(1)
    x, alpha = rng.normal(size=samples.shape), rng.uniform(-1, 1, size=len(y))
    dual = samples.dual(alpha)
    left = np.mean((samples.forward(x) + y) * alpha)
    assert left == pytest.approx(float(x @ dual.g), rel=1e-6)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("loss", specimens(losses.ALL), ids=str)
def test_the_best_intercept_is_the_best(loss, weighted):
    """Against a fine search over b."""
    rng = np.random.default_rng(2)
    for n in (1, 2, 9, 5000):
        z = rng.normal(scale=2.0, size=n)
        y = np.sign(rng.normal(size=n) + 0.5) if loss.reads == "margin" else rng.normal(size=n)
        c = rng.random(n) * (rng.random(n) < 0.7 if weighted and n > 2 else 1.0) if weighted else np.ones(n)
        c = c / c.sum()
        t = y * z if loss.reads == "margin" else z - y
        labels = y if loss.reads == "margin" else None

        def mean_loss(b, t=t, labels=labels, c=c):
            return float(c @ loss.value(t + (b if labels is None else labels * b)))

        found = mean_loss(best_shift(loss, t, labels, c))
        grid = np.linspace(-12, 12, 241)
        start = grid[np.argmin([mean_loss(b) for b in grid])]
        searched = minimize_scalar(
            mean_loss, bounds=(start - 0.2, start + 0.2), method="bounded", options={"xatol": 1e-12}
        )
        assert found <= searched.fun + 1e-7, f"n = {n}: {found} against {searched.fun}"


@pytest.mark.parametrize("far", [0.0, 1e7])
def test_the_best_intercept_is_the_best_to_rounding(far):
    """The mean for squares, the quantile for either form of the pinball loss; infinite arguments do no harm."""
    rng = np.random.default_rng(2)
    t, c = rng.normal(size=501) + far, rng.random(501)
    pinball, eps = losses.Pinball(0.2), np.finfo(float).eps
    close = {"rel": 4 * eps, "abs": 64 * eps}
    assert best_shift(losses.Square(), t, None, c) == pytest.approx(-np.average(t, weights=c), **close)
    exact = best_shift(pinball, t, None, c)
    assert best_shift(losses.PaperForm(pinball), t, None, c) == pytest.approx(exact, **close)
    t[7] = np.inf
    assert best_shift(losses.Square(), t, None, c) == 0.0


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    "loss", [losses.Hinge(), losses.Pinball(0.2), losses.Huber(), losses.Square()], ids=str
)
def test_repair_with_free_coefficients_is_the_projection(loss, intercept):
    """Against cvxpy: the nearest slopes within bounds whose sums over some columns vanish."""
    import cvxpy as cp

    X, y, weights = data(seed=3)
    y = np.sign(y) if loss.reads == "margin" else y
    samples = Problem(X, y, loss, lam=0.1, intercept=intercept, sample_weight=weights).samples
    free = np.zeros(samples.shape)
    free[[1, 4]] = 1.0
    rng = np.random.default_rng(4)
    slopes = rng.normal(size=len(y))
    repaired = samples.feasible(samples.dual(slopes), free)
    assert np.abs(repaired.g[[1, 4]]).max() <= 1e-12
    a, c = cp.Variable(len(y)), weights / weights.sum()
    theta = cp.multiply(c * y if loss.reads == "margin" else c, a)
    low, high = np.clip(loss.bounds, -1e3, 1e3)
    limits = [X[:, [1, 4]].T @ theta == 0, a >= low, a <= high] + ([cp.sum(theta) == 0] if intercept else [])
    nearest = cp.Problem(cp.Minimize(c @ cp.square(a - slopes)), limits)
    nearest.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11)
    seen = weights > 0
    np.testing.assert_allclose(samples.slopes(repaired)[seen], a.value[seen], atol=2e-5)


@pytest.mark.parametrize(
    "loss", [losses.Hinge(), losses.GeneralizedHinge(2.0), losses.EpsilonInsensitive(0.3)], ids=str
)
def test_ascent_within_a_budget_is_the_prox(loss):
    """Against cvxpy: min over slopes of step sum s l*(a) + sum s (a - u)^2 / 2 within bounds and budget."""
    import cvxpy as cp

    X, y, weights = data(seed=5)
    y = np.sign(y) if loss.reads == "margin" else y
    rng = np.random.default_rng(6)
    v = rng.uniform(0.5, 2.0, size=len(y))
    problem = Problem(X, y, loss, lam=0.1, sample_weight=weights, dual_set=sets.Budget(5.0, v))
    samples, step = problem.samples, 1.7
    start, x = rng.normal(size=len(y)), rng.normal(size=samples.shape)
    risen = samples.slopes(samples.ascend(samples.dual(start), samples.forward(x), step))
    u = start + step * samples.forward(x)
    kinks, slopes = loss.kinks, loss.slopes
    a, conjugate, limits = 0, 0, []
    for k, kink in enumerate(kinks):
        up, down = cp.Variable(len(y), nonneg=True), cp.Variable(len(y), nonneg=True)
        limits += [
            up <= max(slopes[k + 1], 0) - max(slopes[k], 0),
            down <= max(-slopes[k], 0) - max(-slopes[k + 1], 0),
        ]
        a, conjugate = a + up - down, conjugate + kink * (up - down)
    limits.append((weights * v) @ cp.abs(a) <= 5.0)
    goal = step * weights @ conjugate + 0.5 * weights @ cp.square(a - u)
    cp.Problem(cp.Minimize(goal), limits).solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11)
    seen = weights > 0
    np.testing.assert_allclose(risen[seen], a.value[seen], atol=2e-5)
    assert weights @ (v * np.abs(risen)) == pytest.approx(5.0)


def test_the_sum_over_shards_is_the_whole():
    """Sums over samples add up: two halves, each with its share of the weight, make the whole."""
    X, y, _ = data(n=30)
    rng = np.random.default_rng(7)
    x, alpha = rng.normal(size=7), rng.uniform(-1, 1, size=30)
    whole = Problem(X, y, "absolute", lam=0.1).samples
    halves = [
        Problem(X[part], y[part], "absolute", lam=0.1).samples for part in (slice(0, 12), slice(12, 30))
    ]
    shares = [12 / 30, 18 / 30]
    duals = [s.dual(alpha[part]) for s, part in zip(halves, (slice(0, 12), slice(12, 30)), strict=True)]
    np.testing.assert_allclose(
        whole.dual(alpha).g, sum(k * d.g for k, d in zip(shares, duals, strict=True)), atol=1e-14
    )
    swept = [s.sweep(d, x, 0.5).g for s, d in zip(halves, duals, strict=True)]
    np.testing.assert_allclose(
        whole.sweep(whole.dual(alpha), x, 0.5).g,
        sum(k * g for k, g in zip(shares, swept, strict=True)),
        atol=1e-14,
    )


def test_centred_samples_predict_the_same():
    X, y, weights = data()
    samples = Problem(sp.csr_array(X), y, "absolute", lam=0.1, sample_weight=weights).samples
    centred, mean = samples.centred()
    x = np.random.default_rng(8).normal(size=samples.shape)
    moved = x.copy()
    moved[-1] += mean @ x[:-1]
    np.testing.assert_allclose(centred.forward(moved), samples.forward(x), atol=1e-13)
    np.testing.assert_allclose(mean, np.average(X, axis=0, weights=weights), atol=1e-14)


def test_passes_are_counted():
    X, y, _ = data()
    samples = Problem(X, y, "absolute", lam=0.1).samples
    dual = samples.dual()
    assert samples.passes == 0
    arguments = samples.forward(np.zeros(samples.shape))
    assert samples.passes == 0.5
    samples.backward(samples.ascend(dual, arguments, 1.0))
    assert samples.passes == 1.0
    samples.sweep(dual, np.zeros(samples.shape), 1.0)
    assert samples.passes == 2.0
    samples.centred()[0].sweep(dual, np.zeros(samples.shape), 1.0)
    assert samples.passes == 3.5
