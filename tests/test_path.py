"""Paths: lam_max against linear programming, warm starts, certificates at every point."""

import numpy as np
import pytest
from scipy.optimize import linprog

import pdprox
from pdprox import Problem, lam_max, losses, path, penalties, sets, solve


def data(n=60, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ np.array([2.0, -1.0, 0.5, 0, 0, 0]) + rng.normal(size=n) + 1.0


LOSSES = [losses.Hinge(), losses.Pinball(0.3), losses.Absolute(), losses.Huber(), losses.Logistic()]
PENALTIES = [
    penalties.L1(),
    penalties.LInf(),
    penalties.GroupLasso([0, 0, 1, 1, 2, 2]),
    penalties.ElasticNet(0.3),
]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda p: type(p).__name__)
def test_zero_from_lam_max_on_and_not_long_before(loss, penalty, intercept):
    X, z = data(61)
    y = np.where(z > 1.2, 1.0, -1.0) if loss.reads == "margin" else z
    problem = Problem(X, y, loss, penalty, lam=1.0, intercept=intercept)
    largest = lam_max(problem)
    at_it = solve(problem.at(1.001 * largest), tol=1e-7)
    np.testing.assert_allclose(at_it.w, 0, atol=1e-6)
    unique = not isinstance(
        loss, losses.Hinge
    )  # the hinge's majority class may share its slopes in many ways
    if unique:
        assert np.abs(solve(problem.at(0.97 * largest), tol=1e-7).w).max() > 1e-4


def test_lam_max_of_the_hinge_by_linear_programming():
    """Without ties it is exact; with them never below the least value, which is a linear program over slopes."""
    X, z = data(40)
    y = np.where(z > 0, 1.0, -1.0)
    problem = Problem(X, y, "hinge", "l1", lam=1.0)
    n, d = X.shape
    # min t over alpha in [0, 1]^n with sum y alpha = 0, sum alpha = its maximum, |X' (y alpha)| <= n t
    M = (X * y[:, None]).T / n
    rows = np.vstack([np.hstack([M, -np.ones((d, 1))]), np.hstack([-M, -np.ones((d, 1))])])
    total = 2 * min(np.sum(y > 0), np.sum(y < 0))
    equal = np.vstack([np.r_[y, 0.0], np.r_[np.ones(n), 0.0]])
    least = linprog(
        np.r_[np.zeros(n), 1.0], rows, np.zeros(2 * d), equal, [0.0, total], [(0, 1)] * n + [(0, None)]
    ).fun
    assert lam_max(problem) >= least - 1e-12
    assert lam_max(problem) <= 1.5 * least


def test_smooth_penalties_have_no_lam_max():
    X, z = data()
    problem = Problem(X, z, "absolute", "squared-l2", lam=1.0)
    assert lam_max(problem) == np.inf
    with pytest.raises(ValueError, match=r"no lam makes the coefficients of SquaredL2.*say which lams"):
        path(problem)


@pytest.mark.parametrize(
    "penalty",
    [
        penalties.ExclusiveLasso([0, 0, 1, 1, 2, 2]),
        penalties.SquaredSumOfNorms([0, 0, 1, 1, 2, 2]),
        penalties.Squared(penalties.LInf()),
        penalties.Shaped(penalties.Power(1.5), penalties.L1()),
        penalties.Shaped(penalties.Excess(0.5), penalties.L1()),
    ],
    ids=lambda p: type(p).__name__,
)
def test_powers_of_norms_have_no_lam_max(penalty):
    """For a long step their prox rounds to 0, though no lam makes 0 optimal."""
    X, z = data()
    assert lam_max(Problem(X, z, "absolute", penalty, lam=1.0)) == np.inf


@pytest.mark.parametrize("loss", ["hinge", "pinball", "huber"])
def test_every_point_is_certified_and_equals_a_cold_start(loss):
    X, z = data()
    y = np.sign(z) if loss == "hinge" else z
    problem = Problem(X, y, loss, "l1", lam=1.0)
    found = path(problem, n_lams=8, tol=1e-6)
    assert len(found.solutions) == len(found.lams) == 8
    assert found.coefs.shape == (8, 6)
    assert found.intercepts.shape == (8,)
    assert np.all(found.relative_gap <= 1e-6)
    assert np.all(np.diff(found.lams) < 0)
    assert found.lams[-1] == pytest.approx(1e-2 * found.lams[0])
    assert np.all(np.diff(found.primal) <= 1e-6), "the optimum cannot rise as lam falls"
    for lam, value in zip(found.lams, found.primal, strict=True):
        cold = solve(Problem(X, y, loss, "l1", lam=lam), tol=1e-6)
        assert value == pytest.approx(cold.certificate.primal, rel=2e-6)


def test_warm_starts_save_iterations():
    X, z = data(200)
    problem = Problem(X, np.sign(z), "hinge", "squared-l2", lam=1.0)
    lams = np.geomspace(1.0, 0.5, 20)
    warm = sum(s.iterations for s in path(problem, lams, tol=1e-4).solutions)
    cold = sum(solve(problem.at(lam), tol=1e-4).iterations for lam in lams)
    assert warm < 0.8 * cold


def test_given_lams_are_sorted_and_sets_are_kept():
    X, z = data()
    problem = Problem(X, z, "absolute", "l1", lam=1.0, primal_set=sets.NonNegative())
    found = path(problem, [0.01, 0.1])
    np.testing.assert_array_equal(found.lams, [0.1, 0.01])
    assert np.all(found.coefs >= 0)
    assert problem.lam == 1.0


def test_a_callback_ends_the_path():
    X, z = data()
    found = path(
        Problem(X, z, "absolute", "l1", lam=1.0), n_lams=20, callback=lambda report: report.iteration > 3
    )
    assert len(found.solutions) < 20
    assert found.solutions[-1].status == "callback_stop"
    assert len(found.lams) == len(found.solutions)


BAD = [
    ({"lams": [-1.0]}, r"lams must be numbers >= 0, got \[-1.0\]"),
    ({"lams": []}, "lams must be numbers"),
    ({"n_lams": 0}, "n_lams must be an integer >= 1, got 0"),
    ({"n_lams": 2.5}, "n_lams must be an integer >= 1, got 2.5"),
    ({"n_lams": np.nan}, "n_lams must be an integer >= 1, got nan"),
    ({"ratio": 1.0}, "ratio must lie strictly between 0 and 1, got 1.0"),
]
WRONG_KIND = [
    ({"lams": ["a"]}, "lams must hold real numbers, got dtype <U1"),
    ({"n_lams": "5"}, "n_lams must be a number, got '5'"),
    ({"ratio": "small"}, "ratio must be a number, got 'small'"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[m[:15] for _, m in BAD])
def test_wrong_options_are_named(options, message):
    X, z = data()
    with pytest.raises(ValueError, match=message):
        path(Problem(X, z, "absolute", "l1", lam=1.0), **options)


@pytest.mark.parametrize(("options", "message"), WRONG_KIND, ids=[m[:15] for _, m in WRONG_KIND])
def test_options_of_a_wrong_kind_are_named(options, message):
    X, z = data()
    with pytest.raises(TypeError, match=message):
        path(Problem(X, z, "absolute", "l1", lam=1.0), **options)


def test_all_zero_data_have_no_path():
    problem = Problem(np.zeros((5, 2)), np.arange(5.0), "absolute", "l1", lam=1.0)
    assert pdprox.lam_max(problem) == 0.0
    with pytest.raises(ValueError, match="vanish for every lam"):
        path(problem)


@pytest.mark.parametrize("loss", ["hinge", "absolute", "square", "logistic"])
def test_constant_columns_have_no_path(loss):
    """The intercept does what they could do; sums that should be 0 are not taken for more than rounding."""
    _, z = data()
    y = np.sign(z) if loss in ("hinge", "logistic") else z
    assert lam_max(Problem(np.full((60, 2), 1e4 / 3), y, loss, "l1", lam=1.0)) == 0.0


FREE = [
    penalties.L1([0.0, 1.0, 1.0, 2.0, 1.0, 1.0]),
    penalties.GroupLasso([0, 0, 1, 1, 2, 2], weights=[0.0, 1.0, 1.0]),
]


@pytest.mark.parametrize("penalty", FREE, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("loss", [losses.Pinball(0.3), losses.Huber(), losses.Logistic()], ids=str)
def test_coefficients_that_cost_nothing_are_fitted_first(loss, penalty):
    """From lam_max on all others are 0; not long before they are not."""
    X, z = data(61)
    y = np.where(z > 1.2, 1.0, -1.0) if loss.reads == "margin" else z
    problem = Problem(X, y, loss, penalty, lam=1.0)
    charged = ~penalty.free((6,))
    largest = lam_max(problem)
    for factor, zero in ((1.001, True), (0.97, False)):
        w = solve(problem.at(factor * largest), tol=1e-8).w
        assert np.all(w[~charged] != 0)
        assert bool(np.all(np.abs(w[charged]) <= 1e-6)) == zero
    assert len(path(problem, n_lams=3).solutions) == 3
