"""Interior points: the equations they keep, and the problems they solve."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pdprox import Problem, losses, penalties, solve
from pdprox.methods import PdproxInterior
from pdprox.methods.interior import Round
from pdprox.samples.interior import Pairs, longest

LOSSES = [losses.Hinge(), losses.GeneralizedHinge(3.0), losses.Pinball(0.3), losses.EpsilonInsensitive(0.2)]
PENALTIES = [penalties.L1(), penalties.ElasticNet(0.5), penalties.SquaredL2()]


def data(n=60, d=12, seed=0):
    """Columns of different scales, and labels with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.geomspace(0.1, 10, d)
    return X, np.where(X[:, -1] + X[:, 0] + 3 * rng.normal(size=n) > 0, 1.0, -1.0)


def test_longest():
    """By hand: 2 falls to 0 after two thirds of a change by -3; what rises or stays does not matter."""
    assert longest(np.array([2.0, 1.0]), np.array([-3.0, 5.0])) == pytest.approx(0.995 * 2 / 3)
    assert longest(np.array([2.0, 1.0]), np.array([-1.0, 0.0])) == 1.0


@pytest.mark.parametrize("tau", [1e-8, 1.0])
def test_pairs_keep_their_equation(tau):
    """v + low - high = 0 and a + rest = J, at the start and after steps; everything stays positive."""
    rng = np.random.default_rng(0)
    v, J = rng.normal(size=50), rng.uniform(0.5, 2.0, 50)
    pairs = Pairs(v, J, tau, rng.uniform(-1, 3, 50))
    for _ in range(5):
        np.testing.assert_allclose(pairs.v + pairs.low - pairs.high, 0.0, atol=1e-12 * (1 + tau))
        np.testing.assert_allclose(pairs.a + pairs.rest, J, rtol=1e-12)
        assert min(each.min() for each in (pairs.a, pairs.rest, pairs.low, pairs.high)) > 0
        pairs.rate()
        primal, dual = pairs.follow(rng.normal(size=50), pairs.push(0.1 * tau, False))
        ahead = pairs.ahead(primal, dual)
        pairs.move(primal, dual)
        np.testing.assert_allclose(pairs.products(), ahead, rtol=1e-9, atol=1e-14)


def test_pairs_reach_their_products():
    """Newton's steps for fixed v end where every product is tau."""
    pairs = Pairs(np.array([-2.0, 0.0, 0.5]), np.array([1.0, 2.0, 1.0]), 0.3, np.array([0.5, 1.0, 0.5]))
    for _ in range(40):
        pairs.rate()
        pairs.move(*pairs.follow(np.zeros(3), pairs.push(0.01, False)))
    np.testing.assert_allclose(pairs.a * pairs.low, 0.01, rtol=1e-6)
    np.testing.assert_allclose(pairs.rest * pairs.high, 0.01, rtol=1e-6)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "CSR"])
def test_it_agrees_with_newtons_method(loss, penalty, intercept, sparse):
    """Both certified, weights of 0 included: what one proves the other cannot contradict."""
    X, y = data()
    weights = np.arange(len(y)) % 3
    problem = Problem(sp.csr_array(X) if sparse else X, y, loss, penalty, 0.05, intercept, weights)
    ours = solve(problem, tol=1e-9, method="pdprox-interior")
    newton = solve(problem, tol=1e-9, method="pdprox-newton")
    assert ours.status == "converged"
    scale = abs(newton.certificate.primal)
    assert ours.certificate.primal == pytest.approx(newton.certificate.primal, abs=2e-9 * scale)
    assert ours.iterations <= 60


def test_columns_come_in():
    """Wide data: it works on few columns, and those that are missing come in without losing the point."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 900))
    y = np.sign(X[:, :5].sum(axis=1) + rng.normal(size=80))
    problem = Problem(X, y, lam=0.02)
    widths = []
    solution = solve(problem, tol=1e-9, method=Watched(widths))
    assert solution.status == "converged"
    assert 0 < np.count_nonzero(solution.w) <= 80 < max(widths) < 900
    assert len(set(widths)) > 1


class Watched(PdproxInterior):
    """Notes how many columns each step has."""

    def __init__(self, widths):
        object.__setattr__(self, "widths", widths)

    def step(self, problem, state):
        after = super().step(problem, state)
        if after.round is not None:
            self.widths.append(after.round.d)
        return after


def test_widening_keeps_the_point():
    X, y = data(d=30)
    problem = Problem(X, y, lam=0.01)
    narrow = Round(problem, np.arange(5), np.zeros(6), 1e-3)
    for _ in range(4):
        assert narrow.step()
    wide = narrow.widened(problem, np.array([7, 20]))
    assert list(wide.columns) == [0, 1, 2, 3, 4, 7, 20]
    np.testing.assert_allclose(wide.inner.complementarity(), narrow.inner.complementarity(), rtol=1e-12)
    np.testing.assert_allclose(wide.inner.sums()[:5], narrow.inner.sums()[:5], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(wide.x[[0, 1, 2, 3, 4, 7]], narrow.x)
    assert np.all(wide.x[5:7] == 0)


def test_w_is_zero_from_lam_max_on():
    """At once, and exactly."""
    X, y = data()
    problem = Problem(X, y, lam=1e3)
    solution = solve(problem, method="pdprox-interior")
    assert not np.any(solution.w)
    assert solution.iterations <= 1


@pytest.mark.parametrize(
    ("loss", "penalty"),
    [("logistic", "l1"), ("huber", "l1"), ("hinge", "l2"), ("squared-hinge", "squared-l2")],
)
def test_what_it_cannot_do_it_refuses(loss, penalty):
    X, y = data()
    with pytest.raises(ValueError, match="interior points need"):
        solve(Problem(X, y, loss, penalty, 0.1), method="pdprox-interior")
