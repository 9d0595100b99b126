"""Steps on single dual variables: what they solve, and what holds the intercept."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pdprox import Problem, losses, penalties, solve
from pdprox.methods import PdproxStochastic
from pdprox.samples import standardized

LOSSES = [
    losses.Hinge(), losses.GeneralizedHinge(3.0), losses.SquaredHinge(), losses.Pinball(0.3), losses.Huber(0.5),
    losses.EpsilonInsensitive(0.2),
]  # fmt: skip
PENALTIES = [penalties.SquaredL2(), penalties.ElasticNet(0.5), penalties.L1()]


def data(n=60, d=12, seed=0):
    """Columns of slightly different scales, an empty row, and labels with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.geomspace(0.5, 2, d)
    X[7] = 0.0
    return X, np.where(X[:, -1] + X[:, 0] + 3 * rng.normal(size=n) > 0, 1.0, -1.0)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("layout", [np.asfortranarray, sp.csr_array, np.float32], ids=["F", "CSR", "float32"])
def test_it_agrees_with_newtons_method(loss, penalty, intercept, layout):
    """Both certified, weights of 0 included: what one proves the other cannot contradict."""
    X, y = data()
    weights = np.arange(len(y)) % 3
    problem = Problem(layout(X), y, loss, penalty, 0.05, intercept, weights)
    ours = solve(problem, tol=1e-7, method="pdprox-stochastic")
    newton = solve(problem, tol=1e-9, method="pdprox-newton")
    assert ours.status == "converged"
    assert ours.certificate.primal == pytest.approx(newton.certificate.primal, rel=2e-7)


def test_few_passes_where_squares_are_strong():
    """The point of the method: a few visits of each sample, where batch steps need many passes."""
    rng = np.random.default_rng(1)
    X = sp.random_array((2000, 5000), density=0.004, rng=rng, format="csr")
    y = np.sign(X @ rng.normal(size=5000) + 0.1 * rng.normal(size=2000))
    problem = Problem(X, y, penalty="squared-l2", lam=1e-3, intercept=False)
    ours = solve(problem, tol=1e-4, method="pdprox-stochastic")
    batch = solve(problem, tol=1e-4, method="pdprox-restarted")
    assert ours.status == batch.status == "converged"
    assert 3 * ours.history.passes[-1] < batch.history.passes[-1]


def test_a_leap_ends_it():
    """Where no sample changes sides any more conjugate gradients go to the optimum at once."""
    X, y = data(40, 60)
    problem = Problem(X, y, penalty="squared-l2", lam=0.02, intercept=False)
    state = PdproxStochastic().start(problem, np.zeros(60), problem.samples.dual())
    inner = state.coordinates
    for _ in range(30):
        inner.restore()
        inner.epochs(1, 0.0)
    before = inner.gap
    assert inner.changed == 0 and inner.free > 5
    assert inner.leap()
    inner.restore()
    inner.epochs(1, 0.0)
    assert inner.gap < 0.05 * before


def test_the_running_gap_is_the_gap():
    """With all samples visited, no intercept and nothing that moves it is that of the certificate."""
    X, y = data()
    problem = Problem(X, y, penalty="squared-l2", lam=0.1, intercept=False)
    solution = solve(problem, tol=1e-3, method="pdprox-stochastic")
    dual = problem.samples.warm(solution.alpha)
    inner = PdproxStochastic().start(problem, solution.w, dual).coordinates
    x = inner.x
    inner.epochs(1, 0.0)
    t = y * (X @ x)
    primal = np.mean(np.maximum(1 - t, 0)) + 0.05 * x @ x
    bound = -np.mean(solution.alpha) - 0.05 * x @ x
    assert inner.gap == pytest.approx(primal - bound, rel=0.5)  # each gap is met after the steps before it


def test_it_repeats_itself():
    X, y = data()
    problem = Problem(X, y, penalty="squared-l2", lam=0.02)
    one, two = (solve(problem, method="pdprox-stochastic") for _ in range(2))
    assert one.w.tobytes() == two.w.tobytes() and one.alpha.tobytes() == two.alpha.tobytes()


def test_starts_from_what_is_known():
    X, y = data()
    problem = Problem(X, y, penalty="squared-l2", lam=0.02)
    first = solve(problem, tol=1e-9, method="pdprox-stochastic")
    again = solve(problem, tol=1e-8, method="pdprox-stochastic", warm_start=first)
    assert again.status == "converged" and again.iterations <= 1


def test_data_without_samples_that_count_but_one():
    problem = Problem(np.array([[2.0], [9.0]]), [1.0, 1.0], penalty="squared-l2", lam=1.0, intercept=False,
                      sample_weight=[1.0, 0.0])  # fmt: skip
    solution = solve(problem, tol=1e-12, method="pdprox-stochastic")
    assert solution.w[0] == pytest.approx(0.5) and solution.certificate.primal == pytest.approx(0.125)


@pytest.mark.parametrize("penalty", [penalties.GroupLasso(np.arange(12) // 3), penalties.LInf()], ids=str)
def test_what_it_cannot_do(penalty):
    with pytest.raises(ValueError, match='use method="pdprox-restarted"'):
        solve(Problem(*data(), penalty=penalty, lam=0.1), method="pdprox-stochastic")


def test_shifted_columns():
    X, y = data()
    problem = Problem(standardized(X), y, penalty="squared-l2", lam=0.1)
    with pytest.raises(ValueError, match="columns that are stored"):
        solve(problem, method="pdprox-stochastic")
    assert solve(problem).status == "converged"
