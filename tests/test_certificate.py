"""The judge: exact on problems solved by hand, never wrong on anything, whoever made the answer."""

import warnings

import numpy as np
import oracle
import pytest
from sklearn.svm import LinearSVC

import pdprox
from pdprox import Certificate, Problem, certify, losses, penalties, solve
from pdprox.naming import specimens


def data(n=40, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    z = X @ np.array([1.0, -1.0, 0.0, 0.0, 2.0]) + 0.7 * rng.normal(size=n) + 0.5
    return X, z


def test_by_hand():
    """One sample, x = 2, y = 1, hinge + l1/2, no intercept: w = 1/2, alpha = -1/4, P = D = 1/4."""
    problem = Problem([[2.0]], [1.0], "hinge", "l1", lam=0.5, intercept=False)
    certificate = certify(problem, [0.5], alpha=[-0.25])
    assert certificate.primal == 0.25
    assert certificate.dual == pytest.approx(0.25, rel=1e-14)
    assert certificate.gap == pytest.approx(0.0, abs=1e-15)
    worse = certify(problem, [0.0], alpha=[0.0])
    assert (worse.primal, worse.dual, worse.relative_gap) == (1.0, 0.0, 1.0)


def test_the_median_by_hand():
    """Absolute loss and only an intercept: the median of 1, 2, 10; slopes +1, 0, -1 prove it."""
    problem = Problem(np.zeros((3, 1)), [1.0, 2.0, 10.0], "absolute", "l1", lam=0.1)
    certificate = certify(problem, [0.0], 5.0, [1.0, 0.0, -1.0])
    assert certificate.intercept == 2.0
    assert certificate.primal == pytest.approx(3.0)
    assert certificate.dual == pytest.approx(3.0)


GROUPS = np.array([0, 0, 1, 1, 1])
PENALTIES = [
    penalties.L1(),
    penalties.L1([1.0, 0.0, 1.0, 2.0, 0.5]),
    penalties.L2(),
    penalties.LInf(),
    penalties.SquaredL2(),
    penalties.ElasticNet(0.5),
    oracle.grouped(penalties.GroupLasso, GROUPS),
    oracle.grouped(penalties.SparseGroupLasso, GROUPS, 0.5),
    oracle.grouped(penalties.ExclusiveLasso, GROUPS),
    oracle.grouped(penalties.SquaredSumOfNorms, GROUPS),
]


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda p: str(p)[:40])
@pytest.mark.parametrize("loss", specimens(losses.ALL), ids=str)
def test_any_numbers_bracket_the_optimum(loss, penalty):
    """Random coefficients and random duals, in bounds or out of them: D <= P(w*) <= P, always."""
    X, z = data()
    y = np.sign(z) if loss.reads == "margin" else z
    weights = np.arange(len(y)) % 3 + 0.0
    rng = np.random.default_rng(1)
    for intercept in (True, False):
        problem = Problem(X, y, loss, penalty, lam=0.05, intercept=intercept, sample_weight=weights)
        best = solve(problem, tol=1e-5)
        high, low = best.certificate.primal, best.certificate.dual
        for size in (0.0, 0.1, 1.0, 10.0):
            w, alpha = size * rng.normal(size=5), size * rng.normal(size=len(y))
            certificate = certify(problem, w, rng.normal() if intercept else None, alpha)
            assert certificate.primal >= low - 1e-12
            assert certificate.dual <= high + 1e-12
            assert certificate.dual >= -1e-12
            guessed = certify(problem, w, 0.0 if intercept else None)
            assert guessed.dual <= high + 1e-12


def test_scaling_and_relaxing_are_both_used():
    """A dual a little outside the dual ball gives a good bound, not none."""
    X, z = data()
    problem = Problem(X, z, "absolute", "l1", lam=0.1)
    best = solve(problem, tol=1e-8)
    pushed = certify(problem, best.w, best.intercept, 1.01 * best.alpha)
    assert 0 <= pushed.relative_gap <= 0.05


def test_duals_can_be_stretched():
    """With a tenth of the optimal slopes most of the bound is still there: scales above 1 are tried."""
    X, z = data()
    problem = Problem(X, z, "absolute", "l1", lam=0.1)
    best = solve(problem, tol=1e-8)
    assert certify(problem, best.w, best.intercept, 0.1 * best.alpha).relative_gap <= 1e-6


def test_the_intercept_is_improved_not_judged():
    X, z = data()
    problem = Problem(X, z, "pinball", "l1", lam=0.1)
    best = solve(problem, tol=1e-8)
    moved = certify(problem, best.w, best.intercept + 3.0, best.alpha)
    assert moved.primal == pytest.approx(best.certificate.primal, rel=1e-12)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_liblinear_is_audited(C):
    """liblinear minimises |w|^2/2 + C sum hinge, so lam = 1/(C n); our bound tells how far off it stopped."""
    X, z = data(200)
    y = np.sign(z)
    problem = Problem(X, y, "hinge", "squared-l2", lam=1 / (C * len(y)), intercept=False)
    peer = LinearSVC(
        C=C, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=1_000_000, random_state=0
    ).fit(X, y)
    ours = solve(problem, tol=1e-7)
    audited = certify(problem, peer.coef_[0], alpha=ours.alpha)
    assert audited.dual == pytest.approx(ours.certificate.dual, rel=1e-12)
    assert 0 <= audited.relative_gap <= 1e-4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is meant to stop too early
        sloppy = LinearSVC(C=C, loss="hinge", fit_intercept=False, max_iter=3, random_state=0).fit(X, y)
    assert certify(problem, sloppy.coef_[0], alpha=ours.alpha).primal >= ours.certificate.dual
    alone = certify(problem, peer.coef_[0])
    assert alone.dual <= ours.certificate.primal
    if C <= 1:  # with little penalty everything hangs on the slopes at the kinks, which w alone does not tell
        assert alone.relative_gap <= 0.1


def test_float32_data_is_judged_in_float64():
    """The certificate of float32 data is that of the same numbers in float64, to float64's rounding."""
    X, z = data(400)
    X = X.astype(np.float32)
    rng = np.random.default_rng(3)
    w, alpha = rng.normal(size=5), rng.uniform(-1, 1, size=400)
    single = certify(Problem(X, z, "absolute", "l1", lam=0.1), w, 0.1, alpha)
    double = certify(Problem(X.astype(np.float64), z, "absolute", "l1", lam=0.1), w, 0.1, alpha)
    assert single.primal == pytest.approx(double.primal, rel=1e-14)
    assert single.dual == pytest.approx(double.dual, rel=1e-12)


def test_values_of_nothing_but_rounding_are_no_gap():
    X, z = data()
    problem = Problem(X, z, "absolute", "l1", lam=0.1)
    begin = np.mean(np.abs(z))
    assert 0 < problem.rounding <= 2e-14 * begin
    tiny = Certificate(2e-16, 1e-16, rounding=problem.rounding)
    assert (tiny.relative_gap, Certificate(2e-16, 1e-16).relative_gap) == (0.0, 0.5)
    assert Certificate(2e-13, 1e-13, rounding=problem.rounding).relative_gap == 0.5
    assert Certificate(1.0, 1.0 + 1e-15, rounding=problem.rounding).relative_gap == 0.0
    assert Certificate(1.0, 1.1, rounding=problem.rounding).relative_gap == np.inf
    assert certify(problem, np.zeros(5)).rounding == problem.rounding == problem.at(7.0).rounding


def test_bounds_that_cross_prove_nothing():
    """A penalty that tells half its dual norm makes false bounds: a better point shows it, and nothing converges."""

    class Boaster(penalties.L1):
        def dual_norm(self, u):
            return 0.5 * super().dual_norm(u)

    X, z = data()
    honest = solve(Problem(X, z, "square", "l1", lam=0.1), tol=1e-8)
    problem = Problem(X, z, "square", Boaster(), lam=0.1)
    judged = certify(problem, honest.w, honest.intercept, honest.alpha)
    assert (judged.dual, judged.relative_gap) == (0.0, 1.0)
    with pytest.warns(pdprox.ConvergenceWarning):
        found = solve(problem, tol=1e-6, max_iter=3000, method="pdprox-restarted")
    assert not found.converged
    assert found.certificate.dual <= found.certificate.primal + problem.rounding
    assert found.certificate.primal == pytest.approx(honest.certificate.primal, rel=1e-6)


@pytest.mark.parametrize("loss", [one for one in specimens(losses.ALL) if one != losses.L2Loss()], ids=str)
def test_the_value_is_that_of_the_intercept_told(loss):
    """However absurd the intercept given: the best one is found, and the value is the objective there."""
    X, z = data()
    y = np.sign(z) if loss.reads == "margin" else z
    w = np.array([0.5, -1.0, 0.0, 0.0, 1.0])
    problem = Problem(X, y, loss, "l1", lam=0.1)
    best = certify(problem, w, 0.0).primal
    for b in (1.0, -1e4, 1e10, 1e16, -1e20, 1e150):
        found = certify(problem, w, b)
        predictions = X @ w + found.intercept
        t = predictions * y if loss.reads == "margin" else predictions - y
        assert found.primal == pytest.approx(np.mean(loss.value(t)) + 0.25, rel=1e-13)
        assert found.primal == pytest.approx(best, rel=1e-12)


def test_slopes_of_any_size_prove_nothing_about_constants():
    """Targets that the intercept fits: the optimum is 0, and no multiple of tiny slopes may say otherwise."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(85, 3))
    for loss in (losses.PaperForm(losses.Pinball(0.2)), losses.Pinball(0.2), losses.Huber(), losses.Square()):
        for y in (np.full(85, 1000.0), np.full(85, 1e7 / 3)):
            problem = Problem(X, y, loss, "linf", lam=0.1)
            for size in 10.0 ** np.arange(-18.0, 2.0):
                certificate = certify(problem, np.zeros(3), alpha=size * rng.normal(size=85))
                assert certificate.dual <= problem.rounding
            assert solve(problem).converged


@pytest.mark.parametrize(
    "loss", [losses.Absolute(), losses.Huber(), losses.Square(), losses.Hinge()], ids=str
)
@pytest.mark.parametrize("intercept", [True, False])
def test_small_free_columns_are_heard(loss, intercept):
    """Without a penalty columns in any unit give the same bounds, and none is above what w reaches."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) + np.array([0.0, 5.0, 0.0])
    z = X @ [1.0, 1.0, -2.0] + 0.1 * rng.normal(size=20) - 3.0
    y = np.sign(z) if loss.reads == "margin" else z
    y[:4] *= -1.0
    alpha = -rng.random(20) if loss.reads == "margin" else np.sign(X @ [1.0, 1.0, -2.0] - y) * rng.random(20)
    bounds = []
    for units in ([1.0, 1.0, 1.0], [1e6, 1e-6, 1.0], [1e-9, 1e-3, 1e9]):
        problem = Problem(X * units, y, loss, "l1", lam=0.0, intercept=intercept)
        certificate = certify(problem, np.array([1.0, 1.0, -2.0]) / units, None, alpha)
        bounds.append(certificate.dual)
        repaired = problem.samples.feasible(problem.samples.dual(alpha), problem.features.free)
        sizes = problem.samples.column_sums() * np.abs(problem.samples.slopes(repaired)).max()
        assert np.all(np.abs(repaired.g) <= 1e-12 * sizes)
        assert 0 < certificate.dual <= certificate.primal
    np.testing.assert_allclose(bounds, bounds[0], rtol=1e-8)


def test_sums_that_cannot_vanish_leave_the_bound_of_slope_zero():
    """Labels of one sign and a free column of one sign: only slope 0 is feasible."""
    X = np.abs(data()[0])
    problem = Problem(X, np.ones(40), "hinge", "l1", lam=0.0)
    assert certify(problem, np.zeros(5), 0.0, np.full(40, -0.5)).dual == 0.0


def test_wrong_answers_are_refused():
    X, z = data()
    problem = Problem(X, z, "absolute", "l1", lam=0.1)
    with pytest.raises(ValueError, match=r"w must have shape \(5,\), got \(4,\)"):
        certify(problem, np.zeros(4))
    with pytest.raises(
        ValueError, match=r"alpha must have shape \(40,\), one slope for each sample, got \(3,\)"
    ):
        certify(problem, np.zeros(5), 0.0, np.zeros(3))
    with pytest.raises(ValueError, match="alpha must be finite"):
        certify(problem, np.zeros(5), 0.0, np.full(40, np.nan))
    with pytest.raises(ValueError, match="w and the intercept must be finite"):
        certify(problem, np.full(5, np.inf))


def test_user_defined_parts_are_certified_too():
    """A penalty with nothing but value, prox and conjugate, and a loss with four methods."""

    class Quartic(penalties.Penalty):
        """sum w^4 / 4."""

        def value(self, w):
            return float(np.sum(w**4) / 4)

        def prox(self, v, step):
            w = np.zeros_like(v)
            for _ in range(60):
                w = w - (w + step * w**3 - v) / (1 + 3 * step * w**2)
            return w

        def conjugate(self, u):
            return float(0.75 * np.sum(np.abs(u) ** (4 / 3)))

    class SquareRoot(losses.Loss):
        """sqrt(1 + r^2) - 1, with l*(a) = 1 - sqrt(1 - a^2)."""

        bounds = (-1.0, 1.0)

        def value(self, t):
            return np.sqrt(1 + t * t) - 1

        def conjugate(self, a):
            with np.errstate(invalid="ignore"):
                return np.where(np.abs(a) > 1 + 1e-12, np.inf, 1 - np.sqrt(np.maximum(1 - a * a, 0)))

        def dual_prox(self, v, step):
            v, step = np.asarray(v), np.asarray(step, dtype=float)
            x = np.zeros_like(v)  # a = x / sqrt(1 + x^2), a + step x = v
            for _ in range(200):
                root = np.sqrt(1 + x * x)
                x = x - 0.9 * (x / root + step * x - v) / (1 / root**3 + step)
            return np.where(step > 0, x / np.sqrt(1 + x * x), np.clip(v, -1, 1))

    X, z = data()
    problem = Problem(X, z, SquareRoot(), Quartic(), lam=0.1)
    solution = solve(problem, tol=1e-6)
    assert solution.converged
    assert pdprox.certify(problem, solution.w, solution.intercept, solution.alpha).relative_gap <= 1.1e-6


def test_bounds_that_exchange_places_by_rounding():
    """As far apart as they are, whichever is the larger; beyond rounding they prove nothing."""
    near = Certificate(1.0, 1.0 + 4e-14, rounding=1e-15, noise=1e-13)
    assert not near.crossed and near.relative_gap == pytest.approx(4e-14, rel=0.05)
    assert Certificate(1.0, 1.0 + 4e-14, rounding=1e-15).crossed
    assert Certificate(1.0, 1.0 + 5e-16, rounding=1e-15).relative_gap == 0.0


def test_terms_that_cancel_are_noise():
    """Large columns whose predictions cancel: values are only as good as their terms."""
    rng = np.random.default_rng(0)
    X = 1e6 + rng.normal(size=(200, 5))
    y = np.sign(X[:, 0] - X[:, 1])
    problem = pdprox.Problem(X, y, penalty="squared-l2", lam=1e-3)
    w = np.array([1.0, -1.0, 0.0, 0.0, 0.0])
    noise = problem.noise(problem.join(w, 0.5))
    assert 64 * 2e-16 * 2e6 < noise < 64 * 3e-16 * 3e6
    solution = pdprox.solve(problem, tol=1e-9)
    assert solution.certificate.dual > 0 and solution.certificate.relative_gap <= 1e-6
