"""Interior points: the equations they keep, and the problems they solve."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pdprox import Problem, losses, penalties, solve
from pdprox.methods import PdproxInterior
from pdprox.methods.interior import Round, barriers
from pdprox.penalties import Levels
from pdprox.samples.pairs import Pairs, longest

LOSSES = [losses.Hinge(), losses.GeneralizedHinge(3.0), losses.Pinball(0.3), losses.EpsilonInsensitive(0.2)]
GROUPS = np.arange(12) % 4
PENALTIES = [
    penalties.L1(), penalties.ElasticNet(0.5), penalties.SquaredL2(), penalties.L2(), penalties.LInf(),
    penalties.GroupLasso(GROUPS, weights=[1.0, 0.0, 3.0, 0.5]), penalties.SparseGroupLasso(GROUPS),
    penalties.ExclusiveLasso(GROUPS), penalties.PerGroup(penalties.LInf(), [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 3]),
    penalties.SquaredPerGroup(penalties.LInf(), GROUPS), penalties.SquaredPerGroup(penalties.L2(), GROUPS),
]  # fmt: skip


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
        pairs.push(0.1 * tau, None)
        primal, dual = pairs.follow(rng.normal(size=50))
        ahead = pairs.ahead(primal, dual)
        pairs.move(primal, dual)
        np.testing.assert_allclose(pairs.products(), ahead, rtol=1e-9, atol=1e-14)


def test_pairs_reach_their_products():
    """Newton's steps for fixed v end where every product is tau."""
    pairs = Pairs(np.array([-2.0, 0.0, 0.5]), np.array([1.0, 2.0, 1.0]), 0.3, np.array([0.5, 1.0, 0.5]))
    for _ in range(40):
        pairs.push(0.01, None)
        pairs.move(*pairs.follow(np.zeros(3)))
    np.testing.assert_allclose(pairs.a * pairs.low, 0.01, rtol=1e-6)
    np.testing.assert_allclose(pairs.rest * pairs.high, 0.01, rtol=1e-6)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "CSR"])
def test_it_agrees_with_other_methods(loss, penalty, intercept, sparse):
    """Both certified, weights of 0 included: what one proves the other cannot contradict."""
    X, y = data()
    weights = np.arange(len(y)) % 3
    problem = Problem(sp.csr_array(X) if sparse else X, y, loss, penalty, 0.05, intercept, weights)
    ours = solve(problem, tol=1e-9, method="pdprox-interior")
    newton = problem.features.tariff is not None
    other = solve(
        problem, tol=1e-9 if newton else 1e-4, method="pdprox-newton" if newton else "pdprox-restarted"
    )
    assert ours.status == "converged"
    assert ours.certificate.primal <= other.certificate.primal * (1 + 2e-9)
    assert ours.certificate.primal >= other.certificate.dual * (1 - 2e-9)
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
    [
        ("logistic", "l1"), ("huber", "l1"), ("squared-hinge", "squared-l2"),
        ("hinge", penalties.SquaredSumOfNorms(np.arange(12) // 3)),
    ],
    ids=str,
)  # fmt: skip
def test_what_it_cannot_do_it_refuses(loss, penalty):
    X, y = data()
    with pytest.raises(ValueError, match="interior points need"):
        solve(Problem(X, y, loss, penalty, 0.1), method="pdprox-interior")


def test_too_many_columns_are_refused():
    """Before memory is: squares use all columns, and so does l_inf."""
    X = sp.csr_array((3, 30_000))
    for penalty in ("squared-l2", "linf"):
        with pytest.raises(ValueError, match='30000 columns here, and 20000 are the most; use method="auto"'):
            solve(Problem(X, [1.0, -1.0, 1.0], penalty=penalty, lam=0.1), method="pdprox-interior")


# --- barriers ----------------------------------------------------------------------------------------------

TAU = 1e-2


def barrier(name, w):
    """A barrier for 12 coefficients at w; one group is free of charge."""
    labels, charge = GROUPS, np.array([1.0, 0.0, 2.0, 0.5])
    nothing = np.zeros(4)
    return {
        "absolute values": lambda: barriers.AbsoluteValues(np.repeat(charge, 3), w, TAU),
        "lengths": lambda: barriers.Lengths(labels, charge, w, TAU),
        "largest": lambda: barriers.Largest(Levels(labels, charge, nothing), w, TAU),
        "largest squared": lambda: barriers.Largest(Levels(labels, 0.3 * charge, charge), w, TAU),
        "squared sums": lambda: barriers.SquaredSums(Levels(labels, nothing, charge, summed=True), w, TAU),
    }[name]()


NAMES = ["absolute values", "lengths", "largest", "largest squared", "squared sums"]


def moved(name, steps, seed=0):
    """A barrier somewhere inside, with the w that it stands for."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=12)
    found = barrier(name, w)
    for _ in range(steps):
        dw = 0.3 * rng.normal(size=12)
        found.curve(np.zeros((12, 12)))
        found.push(TAU, None)
        length = min(found.follow(dw))
        found.move(length, length)
        w = w + length * dw
    return found, w, rng


@pytest.mark.parametrize("name", NAMES)
def test_a_barrier_moves_as_it_says(name):
    """The change of u is the matrix times the change of w plus what is pushed; the products are those ahead."""
    found, _, rng = moved(name, 3)
    for taken in (None, (1.0, 1.0), (0.4, 0.7)):
        H, dw = np.zeros((12, 12)), 0.1 * rng.normal(size=12)
        found.curve(H)
        pushed = found.push(TAU, taken)
        primal, dual = found.follow(dw)
        assert 0 < primal <= 1 and 0 < dual <= 1
        np.testing.assert_allclose(H, H.T, atol=1e-12 * np.abs(H).max())
        assert np.linalg.eigvalsh(H).min() >= -1e-12 * np.abs(H).max()
        before, ahead = found.u, found.ahead(0.5 * primal, 0.5 * dual)
        found.move(0.5 * primal, 0.5 * dual)
        np.testing.assert_allclose(found.u - before, 0.5 * dual * (H @ dw + pushed), atol=1e-11)
        assert found.complementarity() == pytest.approx(ahead, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_a_barrier_ends_in_a_subgradient(name):
    """With w still and tau falling to 0, u becomes a subgradient: Fenchel's inequality holds with equality."""
    charge = np.array([1.0, 0.0, 2.0, 0.5])
    penalty, factor = {
        "absolute values": (penalties.L1(np.repeat(charge, 3)), 1.0),
        "lengths": (penalties.GroupLasso(GROUPS, charge), 1.0),
        "largest": (penalties.PerGroup(penalties.LInf(), GROUPS, charge), 1.0),
        "largest squared": (None, 1.0),
        "squared sums": (penalties.SquaredPerGroup(penalties.L1(), GROUPS, charge), 2.0),
    }[name]
    found, w, _ = moved(name, 0)
    tau = TAU
    for _ in range(80):
        tau *= 0.7
        found.curve(np.zeros((12, 12)))
        found.push(tau, None)
        found.move(*found.follow(np.zeros(12)))
    assert 0 <= found.complementarity() < 1e-9
    if penalty is None:
        top = np.array([np.abs(w[g == GROUPS]).max() for g in range(4)])
        assert found.u @ w == pytest.approx(0.3 * charge @ top + 2 * charge @ top**2, rel=1e-6)
    else:
        assert found.u @ w == pytest.approx(factor * penalty.value(w), rel=1e-6)
        assert penalty.conjugate(found.u * (1 - 1e-9)) <= (factor - 1) * penalty.value(w) * (1 + 1e-6)


@pytest.mark.parametrize("name", ["absolute values", "lengths"])
def test_a_wider_barrier_takes_over(name):
    """Columns 0 to 5 are known, as columns 0, 2, 4, ... of twice as many."""
    small, _, _ = moved(name, 2)
    charge = np.array([1.0, 0.0, 2.0, 0.5])
    wide = {
        "absolute values": lambda: barriers.AbsoluteValues(np.tile(np.repeat(charge, 3), 2), np.zeros(24), TAU),
        "lengths": lambda: barriers.Lengths(
            np.concatenate([GROUPS, 4 + GROUPS]), np.tile(charge, 2), np.zeros(24), TAU
        ),
    }[name]()  # fmt: skip
    wide.adopt(small, np.arange(12))
    np.testing.assert_array_equal(wide.u[:12], small.u)
    alone = barrier(name, np.zeros(12))
    assert wide.complementarity() == pytest.approx(
        small.complementarity() + alone.complementarity(), rel=1e-9
    )


def test_groups_come_in():
    """As columns do, whole and without losing the point."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 900))
    y = np.sign(X[:, :6].sum(axis=1) + rng.normal(size=80))
    problem = Problem(X, y, penalty=penalties.GroupLasso(np.arange(900) // 3), lam=0.02)
    widths = []
    solution = solve(problem, tol=1e-9, method=Watched(widths))
    assert solution.status == "converged"
    assert max(widths) < 900 and len(set(widths)) > 1 and all(width % 3 == 0 for width in widths)
