"""The polish: its equations, what it refuses, and what it adds to a point that is nearly right."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pdprox import Problem, certify, losses, penalties, solve
from pdprox.methods.polish import Polish

LOSSES = [losses.Hinge(), losses.Pinball(0.3), losses.EpsilonInsensitive(0.1)]


def data(loss, n=90, d=12, seed=1):
    """Targets that two columns make, with noise: their signs for losses of the margin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X[:, 0] - X[:, 1] + 0.7 * rng.normal(size=n)
    return X, np.sign(y) if loss.reads == "margin" else y


def solved(loss, penalty, intercept=True, sparse=False):
    """A problem, its best x to many digits, and the slopes there."""
    X, y = data(loss)
    return at_the_solution(Problem(sp.csr_array(X) if sparse else X, y, loss, penalty, 0.02, intercept))


def at_the_solution(problem):
    """The best x, and slopes; those that certificates have scaled by a hair are put back on the loss's own."""
    solution = solve(problem, tol=1e-11, method="pdprox-newton")
    alpha = solution.alpha.copy()
    for slope in losses_slopes(problem):
        alpha[np.abs(alpha - slope) <= 1e-9] = slope
    return (
        problem,
        problem.join(solution.w, solution.intercept if problem.features.intercept else None),
        alpha,
    )


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "CSR"])
def test_from_the_right_sets_it_goes_to_the_solution(loss, intercept, sparse):
    """Coefficients and slopes between two of the loss's are spoilt by 1e-4: sets and signs stay, digits come back."""
    problem, x, alpha = solved(loss, penalties.L1(), intercept, sparse)
    rng = np.random.default_rng(0)
    between = np.all(alpha[:, None] != losses_slopes(problem), axis=1)
    spoilt = alpha + np.where(between, 1e-4 * rng.uniform(-1, 1, len(between)), 0.0)
    here = np.where(x != 0, x * (1 + 1e-4 * rng.uniform(-1, 1, len(x))), 0.0)
    found = Polish().candidate(problem, here, problem.samples.dual(spoilt))
    assert found is not None
    polished, dual = found
    w, b = problem.split(polished)
    np.testing.assert_allclose(w, problem.split(x)[0], atol=1e-9)
    before = certify(problem, *problem.split(here)[:1], alpha=spoilt).relative_gap
    after = certify(problem, w, b if intercept else None, problem.samples.slopes(dual)).relative_gap
    assert after <= 1e-10 < before


def losses_slopes(problem):
    """The finite slopes of the loss."""
    slopes = problem.loss.broken_line.slopes
    return slopes[np.isfinite(slopes)]


def test_pinned_solves_its_equations():
    """Predictions at the kinks, and a gradient that vanishes; with a Hessian of its own for what else there is."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(4, 3)), rng.normal(size=4)
    problem = Problem(X, y, losses.Absolute(), lam=0.1)
    samples, x = problem.samples, rng.normal(size=4)
    theta = 0.3 * rng.uniform(-1, 1, 4)  # within [-1, 1] / 4, so that slopes are
    A = np.column_stack([X, np.ones(4)])
    for bend in (None, np.diag([2.0, 1.0, 3.0, 0.0])):
        near = samples.dual(np.zeros(4))
        curve = np.zeros(4) if bend is None else bend @ (np.linalg.solve(A, y) - x)
        rise = -(A.T @ (0.5 * theta)) - curve
        found = samples.pinned(near, x, rise, bend)
        assert found is not None
        np.testing.assert_allclose(A @ found[0], y, atol=1e-12)
        np.testing.assert_allclose(samples.slopes(found[1]) / 4, 0.5 * theta, atol=1e-12)


def test_slopes_beyond_the_kink_are_refused():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(4, 3)), rng.normal(size=4)
    samples = Problem(X, y, losses.Absolute(), lam=0.1).samples
    A = np.column_stack([X, np.ones(4)])
    too_steep = -(A.T @ np.full(4, 0.3))  # slopes of 1.2
    assert samples.pinned(samples.dual(np.zeros(4)), np.zeros(4), too_steep, None) is None


def test_equal_columns_are_no_obstacle():
    """Singular equations: the least change solves them, and equal columns stay equal."""
    X, y = data(losses.Hinge())
    X = np.column_stack([X, X[:, 0]])
    problem = Problem(X, y, losses.Hinge(), penalties.L1(), 0.02)
    _, x, alpha = at_the_solution(problem)
    x[0] = x[12] = 0.5 * (x[0] + x[12])
    samples = problem.samples
    dual = samples.dual(alpha)
    rows = samples.between(dual)
    alive = np.flatnonzero(x[:-1])
    part, kept = samples.part(alive, rows), np.append(alive, 13)
    near = part.backward(samples.dual_of_part(dual, rows))
    rise = samples.backward(dual).g[kept] - near.g
    rise[:-1] += 0.02 * np.sign(x[alive])
    found = part.pinned(near, x[kept] + 1e-5, rise, None)
    assert found is not None
    assert found[0][0] == pytest.approx(found[0][list(alive).index(12)], abs=1e-9)
    assert certify(problem, *spread(problem, found[0], kept), alpha).relative_gap <= 1e-9


def spread(problem, some, kept):
    """w and the intercept with these entries."""
    x = np.zeros(problem.features.shape)
    x[kept] = some
    return problem.split(x)


def test_the_same_sets_are_tried_once():
    problem, x, alpha = solved(losses.Hinge(), penalties.L1())
    dual = problem.samples.dual(alpha)
    polish = Polish()
    assert polish.candidate(problem, x, dual) is not None
    assert polish.candidate(problem, x, dual) is None


def test_squares_alone_need_no_polish():
    problem, x, alpha = solved(losses.Hinge(), penalties.SquaredL2())
    dual = problem.samples.dual(alpha)
    assert Polish().candidate(problem, x, dual) is None
