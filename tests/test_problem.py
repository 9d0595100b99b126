"""Building a problem: what is accepted, what is refused and with which words, and the unusual but valid."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

import pdprox
from pdprox import Problem, losses, penalties, sets, solve
from pdprox.losses import Hinge

X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.0], [-2.0, 1.0]])
LABELS = np.array([1.0, -1.0, 1.0, -1.0])


@dataclass(frozen=True)
class Crooked(losses.BrokenLineLoss):
    """A user's own loss, which nobody has checked."""

    kinks: tuple = (0.0, 1.0)
    slopes: tuple = (-1.0, 0.5, 0.2)
    reads: str = "residual"


def with_entry(value):
    out = X.copy()
    out[2, 1] = value
    return out


BAD = [
    (lambda: Problem(with_entry(np.nan), LABELS, lam=0.1), ValueError, "X holds nan in row 2, column 1"),
    (lambda: Problem(with_entry(np.inf), LABELS, lam=0.1), ValueError, r"X holds inf in row 2, column 1"),
    (lambda: Problem(sp.csr_array(with_entry(np.nan)), LABELS, lam=0.1), ValueError, "X holds nan in row 2, column 1"),
    (lambda: Problem(X[0], LABELS, lam=0.1), ValueError, r"two dimensions .* got shape \(2,\)"),
    (lambda: Problem(X[None], LABELS, lam=0.1), ValueError, r"two dimensions .* got shape \(1, 4, 2\)"),
    (lambda: Problem(np.zeros((0, 2)), [], lam=0.1), ValueError, r"at least one sample .* got shape \(0, 2\)"),
    (lambda: Problem(np.zeros((4, 0)), LABELS, lam=0.1), ValueError, r"got shape \(4, 0\)"),
    (lambda: Problem(sp.csr_array((0, 3)), [], lam=0.1), ValueError, r"got shape \(0, 3\)"),
    (lambda: Problem(X.astype(str), LABELS, lam=0.1), TypeError, "X must hold real numbers, got dtype"),
    (lambda: Problem(X.astype(object), LABELS, lam=0.1), TypeError, "X must hold real numbers, got dtype object"),
    (lambda: Problem(X * 1j, LABELS, lam=0.1), TypeError, "got dtype complex128"),
    (lambda: Problem(sp.csr_array(X * 1j), LABELS, lam=0.1), TypeError, "got dtype complex128"),
    (lambda: Problem(X, LABELS[:3], lam=0.1), ValueError, r"for each of the 4 rows of X, got shape \(3,\)"),
    (lambda: Problem(X, [1, -1, np.nan, 1], lam=0.1), ValueError, "y holds nan in row 2"),
    (lambda: Problem(X, ["a", "b", "a", "b"], lam=0.1), TypeError, "y must hold numbers"),
    (lambda: Problem(X, [0, 1, 0, 1], lam=0.1), ValueError, "y must hold -1 and 1 only; it also holds 0"),
    (lambda: Problem(X, LABELS, lam=-0.1), ValueError, "lam must be a finite number >= 0, got -0.1"),
    (lambda: Problem(X, LABELS, lam=np.nan), ValueError, "lam must be a finite number >= 0, got nan"),
    (lambda: Problem(X, LABELS, lam="much"), TypeError, "lam must be a number, got 'much'"),
    (lambda: Problem(X, LABELS), TypeError, "lam is missing"),
    (lambda: Problem(X, LABELS, "hinges", lam=0.1), ValueError, "unknown loss 'hinges'; known: absolute"),
    (lambda: Problem(X, LABELS, Hinge, lam=0.1), TypeError, r"got the class Hinge; write Hinge\(\)"),
    (lambda: Problem(X, LABELS, 3, lam=0.1), TypeError, "loss must be a Loss"),
    (lambda: Problem(X, LABELS, penalty="group-lasso", lam=0.1), ValueError, "needs parameters"),
    (lambda: Problem(X, LABELS, penalty=penalties.GroupLasso([0, 1, 1]), lam=0.1), ValueError, "3|2"),
    (lambda: Problem(X, LABELS, penalty=penalties.L1([1.0]), lam=0.1), ValueError, "weights"),
    (lambda: Problem(X, LABELS, lam=0.1, intercept="yes"), TypeError, "intercept must be True or False, got 'yes'"),
    (lambda: Problem(X, LABELS, lam=0.1, sample_weight=[1, 1, -1, 1]), ValueError, "got -1.0 in row 2"),
    (lambda: Problem(X, LABELS, lam=0.1, sample_weight=[1, np.nan, 1, 1]), ValueError, "got nan in row 1"),
    (lambda: Problem(X, LABELS, lam=0.1, sample_weight=np.zeros(4)), ValueError, "0 for every sample"),
    (lambda: Problem(X, LABELS, lam=0.1, sample_weight=np.ones(3)), ValueError, r"must have shape \(4,\), got \(3,\)"),
    (lambda: Problem(X, LABELS, lam=0.1, primal_set=sets.Box([0.0] * 3, [1.0] * 3)), ValueError, "3|2"),
    (lambda: Problem(X, LABELS, penalty="l-inf", lam=0.1), ValueError, "unknown penalty"),
    (lambda: Problem(X, LABELS, penalty="linf", lam=0.1, primal_set=sets.Simplex(1.0)), ValueError, "no exact prox"),
    (lambda: Problem(X, LABELS, lam=0.1, dual_set=sets.Simplex(1.0)), TypeError, "must be a pdprox.sets.Budget"),
    (lambda: Problem(X, LABELS, "logistic", lam=0.1, dual_set=sets.Budget(2.0)), ValueError, "goes with broken lines"),
    (lambda: Problem(X, LABELS, lam=0.1, dual_form="primal"), ValueError, "dual_form must be"),
    (lambda: Problem(X, LABELS, "logistic", lam=0.1, dual_form="paper"), ValueError, "only broken lines"),
    (lambda: Problem(with_entry(1e80), LABELS, lam=0.1), ValueError, r"1e\+80 in row 2, column 1; .* the unit"),
    (lambda: Problem(X, [1.0, 2.0, -1e90, 1.0], "square", lam=0.1), ValueError, r"y holds -1e\+90 in row 2"),
    (lambda: Problem(np.vstack([X, [[np.inf, -np.inf]]]), LABELS, lam=0.1), ValueError, "inf in row 4, column 0"),
    (lambda: Problem(np.ma.masked_array(X, X > 2), LABELS, lam=0.1), TypeError, "masked array"),
    (lambda: Problem(X, np.ma.masked_array(LABELS, X[:, 0] > 2), lam=0.1), TypeError, "y is a masked array"),
    (lambda: Problem(X, LABELS, lam="0.1"), TypeError, "lam must be a number, got '0.1'"),
    (lambda: Problem(X, LABELS, lam=0.1).at(True), TypeError, "lam must be a number, got True"),
    (lambda: Problem(X, LABELS, lam=0.1, sample_weight=np.full(4, 1e308)), ValueError, r"too large .* 1e\+308"),
    (lambda: Problem(X, LABELS, lam=0.1, primal_set="simplex"), TypeError, "primal_set must be .* got 'simplex'"),
    (lambda: Problem(X, X, "absolute", lam=0.1, dual_set=sets.Budget(2.0)), ValueError, "goes with one target"),
    (lambda: pdprox.certify(Problem(X, X[:, [0, 1, 0]], "absolute", lam=0.1), np.ones((3, 2))), ValueError, "transp"),
    (lambda: pdprox.certify(Problem(X, LABELS, lam=0.1), [1j, 0]), TypeError, "w must hold real .* complex128"),
    (lambda: pdprox.certify(X, [0.0, 0.0]), TypeError, "problem must be a Problem.* got ndarray"),
    (lambda: pdprox.solve(X), TypeError, "problem must be a Problem.* got ndarray"),
    (lambda: pdprox.path(X), TypeError, "problem must be a Problem.* got ndarray"),
    (lambda: pdprox.lam_max(X), TypeError, "problem must be a Problem.* got ndarray"),
    (lambda: Problem(X, LABELS, Crooked(), lam=0.1), ValueError, r"line is not convex; got \(-1.0, 0.5, 0.2\)"),
    (lambda: Problem(X, LABELS, Crooked((0.0,)), lam=0.1), ValueError, "1 kinks has 2 slopes, got 3"),
    (lambda: Problem(X, LABELS, Crooked(reads="margins"), lam=0.1), ValueError, "reads must be .* got 'margins'"),
    (lambda: losses.PaperForm(Crooked()), ValueError, "line is not convex"),
    (lambda: losses.Pinball("median"), TypeError, "quantile must be a number, got 'median'"),
    (lambda: losses.EpsilonInsensitive(None), TypeError, "epsilon must be a number, got None"),
    (lambda: losses.GeneralizedHinge(2j), TypeError, "a must be a number, got 2j"),
    (lambda: losses.BrokenLine(0.0, (-1, 1)), TypeError, "kinks must be a sequence of numbers, got 0.0"),
    (lambda: losses.BrokenLine((0.0,), ("a", 1)), TypeError, "slopes must be a number, got 'a'"),
    (lambda: penalties.ElasticNet("half"), TypeError, "l1_ratio must be a number, got 'half'"),
    (lambda: sets.L2Ball("big"), TypeError, "radius must be a number, got 'big'"),
    (lambda: Problem(pdprox.ShiftedColumns(X, scale=[1.0, 0.0]), LABELS, lam=0.1), ValueError, "positive, got 0.0"),
    (lambda: Problem(pdprox.ShiftedColumns(X, centre=[1.0]), LABELS, lam=0.1), ValueError, "2 finite numbers"),
    (lambda: Problem(pdprox.ShiftedColumns(X, scale=["a", "b"]), LABELS, lam=0.1), TypeError, "scale must hold real"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "kind", "message"), BAD, ids=[f"{i}-{m[2][:25]}" for i, m in enumerate(BAD)]
)
def test_bad_input_is_refused_before_any_work(make, kind, message):
    with pytest.raises(kind, match=message):
        make()


def test_sparse_indices_out_of_range_are_refused():
    broken = sp.csr_array(X)
    broken.indices = broken.indices.copy()
    broken.indices[0] = 7
    with pytest.raises(ValueError, match=r"column index lies outside 0\.\.1"):
        Problem(broken, LABELS, lam=0.1)


def test_sparse_pointers_out_of_range_are_refused():
    """Before scipy follows them."""
    broken = sp.csr_array(X)
    broken.indptr = broken.indptr.copy()
    broken.indptr[2] = 50
    with pytest.raises(ValueError, match="row pointers do not ascend"):
        Problem(broken, LABELS, lam=0.1)


def best(problem, tol=1e-8, **options):
    solution = solve(problem, tol=tol, **options)
    assert solution.converged
    assert np.isfinite(solution.certificate.gap)
    return solution


def storages():
    dense = np.random.default_rng(0).integers(-3, 4, size=(30, 5))
    yield "C", dense.astype(float)
    yield "Fortran", np.asfortranarray(dense.astype(float))
    yield "strided", np.repeat(dense.astype(float), 2, axis=1)[:, ::2]
    yield "float32", dense.astype(np.float32)
    yield "float16", dense.astype(np.float16)
    yield "int8", dense.astype(np.int8)
    yield "int64", dense.astype(np.int64)
    yield "list", dense.tolist()
    yield "csr_matrix", sp.csr_matrix(dense.astype(float))
    yield "csr_array", sp.csr_array(dense.astype(float))
    yield "csc", sp.csc_array(dense.astype(float))
    yield "coo", sp.coo_array(dense.astype(np.float32))
    wide = sp.csr_array(dense.astype(float))
    yield (
        "int64 indices",
        sp.csr_array((wide.data, wide.indices.astype(np.int64), wide.indptr.astype(np.int64)), wide.shape),
    )
    halves = sp.coo_array((np.r_[wide.data, wide.data] / 2, np.tile(wide.tocoo().coords, 2)), wide.shape)
    yield "duplicates", halves
    frozen = dense.astype(float)
    frozen.flags.writeable = False
    yield "read-only", frozen


@pytest.mark.parametrize(
    ("name", "stored"), list(storages()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_answer_does_not_depend_on_the_storage(name, stored):
    dense = np.random.default_rng(0).integers(-3, 4, size=(30, 5)).astype(float)
    y = np.where(dense[:, 0] + dense[:, 1] > 0.5, 1.0, -1.0)
    expected = best(Problem(dense, y, "hinge", "squared-l2", lam=0.1))
    got = best(Problem(stored, y, "hinge", "squared-l2", lam=0.1))
    assert got.certificate.primal == pytest.approx(expected.certificate.primal, rel=2e-8)
    np.testing.assert_allclose(got.w, expected.w, atol=1e-3)


def test_float32_data_is_not_copied():
    data = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    assert Problem(data, np.ones(50), "absolute", lam=0.1).samples.matrix.data is data


@pytest.mark.parametrize(
    "loss", [losses.Hinge(), losses.Absolute(), losses.SquaredHinge(), losses.Logistic()], ids=str
)
@pytest.mark.parametrize("intercept", [True, False])
def test_all_zero_data(loss, intercept):
    """Only the intercept can move, so the optimum is the best constant."""
    y = np.array([1.0, 1.0, 1.0, -1.0])
    solution = best(Problem(np.zeros((4, 3)), y, loss, "l1", lam=0.1, intercept=intercept), tol=1e-6)
    np.testing.assert_array_equal(solution.w, 0)
    constants = np.linspace(-2, 2, 4001) if intercept else np.zeros(1)
    values = [np.mean(loss.value(y * b if loss.reads == "margin" else b - y)) for b in constants]
    assert solution.certificate.primal == pytest.approx(min(values), abs=2e-6)


@pytest.mark.parametrize("loss", ["hinge", "absolute", "huber", "square", "squared-hinge", "logistic"])
@pytest.mark.parametrize("penalty", ["l1", "squared-l2"])
@pytest.mark.parametrize("intercept", [True, False])
def test_an_optimum_of_zero_is_recognised(loss, penalty, intercept):
    """More features than samples and no penalty: both values fall to rounding, and there the gap counts as closed."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(4, 9))
    problem = Problem(data, LABELS, loss, penalty, lam=0.0, intercept=intercept)
    solution = best(problem, tol=1e-6)
    assert 0 <= solution.certificate.primal <= 1e-11
    assert abs(solution.certificate.dual) <= 1e-11
    assert abs(solution.certificate.relative_gap) <= 1e-6


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("loss", ["hinge", "logistic", "epsilon-insensitive"])
def test_one_class_of_a_few_samples(rows, loss):
    """With the logistic loss the optimum, 0, is approached but not attained."""
    solution = best(Problem(X[:rows], np.ones(rows), loss, "squared-l2", lam=0.01), tol=1e-6)
    assert solution.certificate.primal <= 1e-15
    assert solution.iterations < 2000


def test_one_class_only():
    """With an intercept a constant is right; without, w must do what it can for its price."""
    solution = best(Problem(X, np.ones(4), lam=0.01))
    assert solution.certificate.primal == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(solution.w, 0, atol=1e-12)
    best(Problem(X, np.ones(4), lam=0.01, intercept=False))


def test_one_sample_and_one_feature():
    """min (1 - 2w)_+ + lam |w|: w = 1/2 for lam < 2, w = 0 beyond."""
    one = [[2.0]], [1.0]
    small = best(Problem(*one, lam=0.5, intercept=False))
    assert small.w == pytest.approx([0.5], abs=1e-6)
    assert small.certificate.primal == pytest.approx(0.25, rel=1e-6)
    large = best(Problem(*one, lam=3.0, intercept=False))
    np.testing.assert_allclose(large.w, 0.0, atol=1e-12)
    assert large.certificate.primal == pytest.approx(1.0)


def test_lam_beyond_lam_max_gives_zero():
    """Balanced classes and b free: at w = 0 the loss is 1, and |X' theta| is at most mean |x|."""
    solution = best(Problem(X, LABELS, lam=10.0))
    np.testing.assert_allclose(solution.w, 0, atol=1e-12)
    assert solution.certificate.primal == pytest.approx(1.0)


def test_median_regression_without_penalty():
    """lam = 0 with only an intercept to use is the median; with a column it is least absolute deviations."""
    y = np.array([3.0, 1.0, 10.0, 2.0, 7.0])
    solution = best(Problem(np.zeros((5, 1)), y, "absolute", "l1", lam=0.0))
    assert solution.intercept == pytest.approx(3.0)
    assert solution.certificate.primal == pytest.approx(np.mean(np.abs(y - 3)))


@pytest.mark.parametrize("loss", ["absolute", "pinball", "huber", "square", "epsilon-insensitive", "l2-loss"])
@pytest.mark.parametrize("intercept", [True, False])
def test_lam_zero_closes_the_gap(loss, intercept):
    rng = np.random.default_rng(5)
    data = rng.normal(size=(40, 3))
    y = data @ [1.0, -2.0, 0.5] + rng.normal(size=40) + 3
    solution = best(Problem(data, y, loss, "l1", lam=0.0, intercept=intercept), tol=1e-6)
    assert solution.certificate.dual > 0.1 * solution.certificate.primal > 0


def test_lam_zero_with_a_margin_loss():
    rng = np.random.default_rng(6)
    data = rng.normal(size=(60, 3))
    y = np.where(data[:, 0] + 1.5 * rng.normal(size=60) > 0, 1.0, -1.0)
    solution = best(Problem(data, y, "hinge", "l1", lam=0.0), tol=1e-6)
    assert solution.certificate.dual > 0.1


def test_duplicated_and_constant_columns_and_rows():
    rng = np.random.default_rng(1)
    data = rng.normal(size=(25, 3))
    y = np.where(data[:, 0] > 0.3 * rng.normal(size=25), 1.0, -1.0)
    padded = np.column_stack([data, data[:, 0], np.full(25, 2.0), np.zeros(25)])
    plain = best(Problem(data, y, lam=0.05), tol=1e-7)
    more = best(Problem(np.vstack([padded, padded]), np.r_[y, y], lam=0.05), tol=1e-7)
    assert more.certificate.primal == pytest.approx(plain.certificate.primal, rel=3e-7)


def test_weights_are_repetitions():
    rng = np.random.default_rng(2)
    data = rng.normal(size=(30, 4))
    y = data[:, 0] + rng.normal(size=30)
    counts = rng.integers(0, 3, size=30)
    for loss in ("absolute", "pinball", "huber"):
        weighted = best(Problem(data, y, loss, "l1", lam=0.05, sample_weight=counts), tol=1e-9)
        repeated = best(
            Problem(np.repeat(data, counts, axis=0), np.repeat(y, counts), loss, "l1", lam=0.05), tol=1e-9
        )
        assert weighted.certificate.primal == pytest.approx(repeated.certificate.primal, rel=2e-9)


def test_weights_only_matter_in_proportion():
    rng = np.random.default_rng(3)
    data = rng.normal(size=(30, 4))
    y = data[:, 0] + rng.normal(size=30)
    weights = rng.random(30)
    one = best(Problem(data, y, "absolute", "l1", lam=0.05, sample_weight=weights))
    other = best(Problem(data, y, "absolute", "l1", lam=0.05, sample_weight=1e6 * weights))
    assert one.certificate.primal == pytest.approx(other.certificate.primal, rel=2e-8)


def test_standardized_columns_are_what_numpy_makes_of_them():
    rng = np.random.default_rng(4)
    data = rng.normal(size=(40, 4)) * [1, 10, 100, 0] + [5, -3, 1000, 7]
    sparse = sp.random_array((40, 3), density=0.3, rng=rng)
    y = np.where(rng.normal(size=40) > 0, 1.0, -1.0)
    for stored, dense in ((data, data), (sparse.tocsr(), sparse.toarray())):
        spread = dense.std(axis=0)
        scaled = (dense - dense.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
        explicit = best(Problem(scaled, y, lam=0.02), tol=1e-7)
        implicit = best(Problem(pdprox.standardized(stored), y, lam=0.02), tol=1e-7)
        assert implicit.certificate.primal == pytest.approx(explicit.certificate.primal, rel=3e-7)
        back = pdprox.certify(Problem(scaled, y, lam=0.02), implicit.w, implicit.intercept, implicit.alpha)
        assert back.relative_gap <= 2e-7


SETS = [
    (penalties.L1(), sets.NonNegative()),
    (penalties.LInf(), sets.NonNegative()),
    (penalties.SquaredL2(), sets.NonNegative()),
    (penalties.SquaredL2(), sets.Simplex(1.0)),
    (penalties.SquaredL2(), sets.L1Ball(0.7)),
    (penalties.SquaredL2(), sets.Box(-0.1, [0.2, 0.1, 0.3, np.inf])),
    (penalties.L2(), sets.L2Ball(0.5)),
    (penalties.L1(), sets.L2Ball(0.5)),
    (penalties.GroupLasso([0, 0, 1, 1]), sets.L2Ball(0.3)),
    (penalties.L1(), sets.Box(-0.1, 0.25)),
    (penalties.L1(), sets.Box(0.0, np.inf)),
    (penalties.L1(), sets.WholeSpace()),
    (penalties.L1([1.0, 2.0, 0.5, 1.0]), sets.LInfBall(0.2)),
    (penalties.ElasticNet(0.4), sets.Box(-0.2, np.inf)),
    (penalties.L1(), sets.L1Ball(0.5)),
    (penalties.L1([1.0, 2.0, 0.5, 1.0]), sets.Simplex(0.8)),
]


# without a penalty the orthant leaves no bound to certify
SET_CASES = [
    (*pair, lam) for pair in SETS for lam in (0.05, 0.0) if lam or not isinstance(pair[1], sets.NonNegative)
]


@pytest.mark.parametrize(("penalty", "domain", "lam"), SET_CASES, ids=str)
def test_coefficients_in_a_set(penalty, domain, lam):
    """Against cvxpy: the same optimum, and coefficients that lie in the set."""
    import cvxpy as cp
    import oracle

    rng = np.random.default_rng(8)
    data = rng.normal(size=(40, 4))
    y = data @ [1.0, -0.5, 0.3, 0.0] + 0.5 * rng.normal(size=40)
    w, b = cp.Variable(4), cp.Variable()
    goal = cp.sum(cp.abs(data @ w + b - y)) / 40
    if lam:
        groups = isinstance(penalty, penalties.GroupLasso)
        price = (
            np.sqrt(2) * (cp.norm(w[:2]) + cp.norm(w[2:]))
            if groups
            else oracle.penalty_expression(penalty, w)
        )
        goal = goal + lam * price
    limits = {
        "WholeSpace": lambda s: [],
        "NonNegative": lambda s: [w >= 0],
        "Simplex": lambda s: [w >= 0, cp.sum(w) == s.total],
        "L1Ball": lambda s: [cp.norm1(w) <= s.radius],
        "L2Ball": lambda s: [cp.norm(w) <= s.radius],
        "LInfBall": lambda s: [cp.abs(w) <= s.radius],
        "Box": lambda s: [w >= s.lo, w <= np.minimum(s.hi, 1e6)],
    }[type(domain).__name__](domain)
    optimum = cp.Problem(cp.Minimize(goal), limits).solve(solver=cp.CLARABEL)
    solution = best(Problem(data, y, "absolute", penalty, lam=lam, primal_set=domain), tol=1e-6)
    assert domain.contains(solution.w, 1e-12)
    assert solution.certificate.primal >= optimum - 1e-7
    assert solution.certificate.dual <= optimum + 1e-7


@pytest.mark.parametrize(
    "loss", [losses.Hinge(), losses.Absolute(), losses.GeneralizedHinge(2.0), losses.Pinball(0.2)], ids=str
)
@pytest.mark.parametrize("intercept", [True, False])
def test_budget_on_the_dual(loss, intercept):
    """Against cvxpy: the dual problem with the additional constraint."""
    import cvxpy as cp

    rng = np.random.default_rng(9)
    n = 30
    data = rng.normal(size=(n, 4))
    z = data[:, 0] + rng.normal(size=n)
    y = np.where(z > 0, 1.0, -1.0) if loss.reads == "margin" else z
    weights, v = rng.integers(0, 3, size=n).astype(float), rng.uniform(0.5, 2.0, size=n)
    c, lam, rho = weights / weights.sum(), 0.1, 6.0
    # max over slopes of sum c (a t0 - l*(a)) - |X' theta|^2 / (2 lam), the conjugate by pieces
    kinks, slopes = np.array(loss.kinks), np.array(loss.slopes)
    parts = [cp.Variable(n, nonneg=True) for _ in kinks] + [cp.Variable(n, nonneg=True) for _ in kinks]
    a, conjugate, limits = 0, 0, []
    for k, kink in enumerate(kinks):
        up, down = parts[k], parts[len(kinks) + k]
        limits += [
            up <= max(slopes[k + 1], 0) - max(slopes[k], 0),
            down <= max(-slopes[k], 0) - max(-slopes[k + 1], 0),
        ]
        a, conjugate = a + up - down, conjugate + kink * (up - down)
    theta = cp.multiply(c * y if loss.reads == "margin" else c, a)
    value = (
        -c @ conjugate
        - (0 if loss.reads == "margin" else theta @ y)
        - cp.sum_squares(data.T @ theta) / (2 * lam)
    )
    limits += [(weights * v) @ cp.abs(a) <= rho] + ([cp.sum(theta) == 0] if intercept else [])
    optimum = cp.Problem(cp.Maximize(value), limits).solve(solver=cp.CLARABEL)
    problem = Problem(
        data,
        y,
        loss,
        "squared-l2",
        lam=lam,
        intercept=intercept,
        sample_weight=weights,
        dual_set=sets.Budget(rho, v),
    )
    solution = best(problem, tol=1e-6)
    assert np.sum(weights * v * np.abs(solution.alpha)) <= rho * (1 + 1e-12)
    assert solution.certificate.primal >= optimum - 1e-7
    assert solution.certificate.dual <= optimum + 1e-7
    free = best(Problem(data, y, loss, "squared-l2", lam=lam, intercept=intercept, sample_weight=weights))
    assert free.certificate.primal > solution.certificate.primal + 1e-4, (
        "the budget did not bind: the test says nothing"
    )


def test_join_and_split_are_inverse():
    for y in (np.zeros(4), np.zeros((4, 3))):
        for intercept in (True, False):
            problem = Problem(X, y, "absolute", lam=0.1, intercept=intercept)
            x = np.random.default_rng(0).normal(size=problem.features.shape)
            w, b = problem.split(x)
            np.testing.assert_array_equal(problem.join(w, b if intercept else None), x)
    with pytest.raises(ValueError, match="w must have shape"):
        problem.join(np.zeros(5))
    with pytest.raises(ValueError, match=r"no intercept, but one was given: 1\.0"):
        Problem(X, LABELS, lam=0.1, intercept=False).join(np.zeros(2), 1.0)
    with pytest.raises(ValueError, match="must be finite"):
        problem.join(np.full((2, 3), np.nan))


def test_a_problem_is_shown_in_one_short_line():
    X, y = np.ones((5, 2)), np.arange(5.0)
    assert (
        repr(Problem(X, y, "absolute", "l1", lam=0.1))
        == "Problem(5 x 2, Absolute(), L1(weights=None), lam=0.1)"
    )
    several = Problem(X, np.ones((5, 3)), "l2-loss", "l1", 0.5, intercept=False, primal_set=sets.L2Ball(2.0))
    told = "Problem(5 x 2 to 3, L2Loss(), L1(weights=None), lam=0.5, intercept=False, L2Ball(radius=2.0))"
    assert repr(several) == told


def test_a_wrong_budget_is_told_what_to_do():
    with pytest.raises(ValueError, match="got -1; where there is no bound leave the budget out"):
        sets.Budget(-1)
