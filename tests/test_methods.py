"""The paper's algorithms: their theorem, their equalities, and plain transcriptions to compare with."""

import numpy as np
import pytest

from pdprox import Problem, losses, methods, penalties, solve
from pdprox.methods import (
    Auto,
    PdproxAccelerated,
    PdproxDual,
    PdproxDualOneProjection,
    PdproxInterior,
    PdproxNewton,
    PdproxPrimal,
    PdproxRestarted,
    PdproxTwoSteps,
    StepRule,
)
from pdprox.methods.steps import measured_constant, operator_norm, paper_constant
from pdprox.naming import specimens


def classification(n=40, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] - X[:, 1] + rng.normal(size=n) > 0, 1.0, -1.0)


def regression(n=40, d=7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] - 2 * X[:, 1] + rng.normal(size=n)


def run(problem, method, iterations):
    """The states after each iteration, as (x, slopes) of the last iterate."""
    state = method.start(problem, np.zeros(problem.features.shape), problem.samples.dual())
    for _ in range(iterations):
        state = method.step(problem, state)
        yield state


# -- Theorem 1 --------------------------------------------------------------------------------------------


class Line:
    """The paper's F(w, alpha) for one problem, written down without the library's samples."""

    def __init__(self, X, y, loss, penalty, lam, intercept, form):
        self.X = np.column_stack([X, np.ones(len(X))]) if intercept else X
        self.y, self.loss, self.penalty, self.lam, self.intercept = y, loss, penalty, lam, intercept
        self.pieces = losses.PaperForm(loss).pieces if form == "paper" else None

    def arguments(self, x):
        z = self.X @ x
        return self.y * z if self.loss.reads == "margin" else z - self.y

    def value(self, x, alpha):
        t = self.arguments(x)
        w = x[:-1] if self.intercept else x
        if self.pieces is None:
            line = np.mean(alpha * t - self.loss.conjugate(alpha))
        else:
            p, q = self.pieces
            line = np.mean(np.sum(alpha * (t[:, None] * p + q), axis=1))
        return line + self.lam * self.penalty.value(w)

    def maximiser(self, x):
        t = self.arguments(x)
        if self.pieces is None:
            return self.loss.dual_prox(t * 1e9, 1e9)
        p, q = self.pieces
        heights = t[:, None] * p + q
        alpha = np.zeros_like(heights)
        best = heights.argmax(axis=1)
        alpha[np.arange(len(t)), best] = heights.max(axis=1) > 0
        return alpha

    def random(self, rng):
        x = rng.normal(size=self.X.shape[1]) * rng.choice([0.1, 1.0, 3.0])
        if self.pieces is None:
            low, high = self.loss.bounds
            return x, rng.uniform(low, high, size=len(self.y))
        share = rng.dirichlet(np.ones(len(self.pieces[0]) + 1), size=len(self.y))
        return x, share[:, :-1]


THEOREM = [
    (losses.Hinge(), "compact"),
    (losses.GeneralizedHinge(2.0), "compact"),
    (losses.GeneralizedHinge(2.0), "paper"),
    (losses.Absolute(), "compact"),
    (losses.EpsilonInsensitive(0.3), "paper"),
    (losses.Pinball(0.3), "paper"),
    (losses.Pinball(0.3), "compact"),
]
ALGORITHMS = [
    PdproxDual(),
    PdproxPrimal(),
    PdproxPrimal(implementation="double-dual"),
    PdproxDualOneProjection(),
    PdproxDualOneProjection(implementation="double-primal"),
]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("penalty", [penalties.L1(), penalties.LInf(), penalties.SquaredL2()], ids=str)
@pytest.mark.parametrize(("loss", "form"), THEOREM, ids=str)
@pytest.mark.parametrize(
    "method", ALGORITHMS, ids=lambda m: f"{type(m).__name__}-{getattr(m, 'implementation', '')}"
)
def test_theorem_1(method, loss, form, penalty, intercept):
    """F(w_T, alpha) - F(w, alpha_T) <= (|w|^2 + |alpha|^2) / (sqrt(2/c) T), for all w and alpha."""
    X, y = classification(seed=3) if loss.reads == "margin" else regression(seed=3)
    problem = Problem(X, y, loss, penalty, lam=0.02, intercept=intercept, dual_form=form)
    line = Line(X, y, loss, penalty, 0.02, intercept, form)
    solution = solve(problem, tol=1e-7)
    best = problem.join(solution.w, solution.intercept if intercept else None)
    side = "dual" if isinstance(method, PdproxPrimal) else "primal"
    c = paper_constant(problem.samples, side)
    rng = np.random.default_rng(11)
    checked = 0
    for T, state in enumerate(run(problem, method, 200), start=1):
        if T not in (1, 2, 3, 5, 10, 20, 50, 100, 200):
            continue
        x_T, alpha_T = state.average_x, state.average_dual.alpha
        pairs = [(best, line.maximiser(x_T))] + [line.random(rng) for _ in range(5)]
        for x, alpha in pairs:
            left = line.value(x_T, alpha) - line.value(x, alpha_T)
            bound = (np.sum(x**2) + np.sum(alpha**2)) / (np.sqrt(2 / c) * T)
            assert left <= bound + 1e-12, f"T = {T}: {left} above the bound {bound}"
            checked += 1
    assert checked == 9 * 6


def test_the_constants_of_the_appendix():
    X, y = classification()
    n, R = len(X), np.sqrt(np.sum(X**2, axis=1).max())
    hinge = Problem(X, y, "hinge", "l1", lam=0.1, intercept=False).samples
    assert paper_constant(hinge, "primal") == pytest.approx(R**2 / n)
    generalized = losses.GeneralizedHinge(3.0)
    two = Problem(X, y, generalized, "l1", lam=0.1, intercept=False, dual_form="paper").samples
    assert paper_constant(two, "primal") == pytest.approx((3.0**2 + 1) * R**2 / n)
    assert paper_constant(two, "dual") == pytest.approx(2 * 3.0**2 * R**2 / n)
    with_bias = Problem(X, y, "hinge", "l1", lam=0.1, intercept=True).samples
    assert paper_constant(with_bias, "primal") == pytest.approx((R**2 + 1) / n)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("form", ["compact", "paper"])
def test_constants_bound_the_norm_of_H(form, intercept):
    """c >= |H|^2 for the H of the line, formed as a matrix, for both ways to get c."""
    X, y = classification()
    loss = losses.GeneralizedHinge(2.0)
    samples = Problem(X, y, loss, "l1", lam=0.1, intercept=intercept, dual_form=form).samples
    H = (y[:, None] * (np.column_stack([X, np.ones(len(X))]) if intercept else X)).T / len(X)
    if form == "paper":
        H = np.hstack([p * H for p in losses.PaperForm(loss).pieces[0]])
    exact = np.linalg.norm(H, 2) ** 2
    for side in ("primal", "dual"):
        assert paper_constant(samples, side) >= exact
    assert exact <= measured_constant(samples, "primal") <= 1.1 * exact


# -- equalities -------------------------------------------------------------------------------------------


def transcribed(X, y, lam, iterations, algorithm):
    """Hinge + l1 by the letter of the paper: alpha in [0, 1], gradients by hand, no library code."""
    n = len(X)
    gamma = np.sqrt(1 / (2 * np.sum(X**2, axis=1).max() / n))
    w, alpha, beta = np.zeros(X.shape[1]), np.zeros(n), np.zeros(n)
    u, w_before = w, w

    def G_alpha(w):
        return (1 - y * (X @ w)) / n

    def G_w(alpha):
        return -X.T @ (alpha * y) / n

    def shrink(v):
        return np.sign(v) * np.maximum(np.abs(v) - gamma * lam, 0)

    def project(a):
        return np.clip(a, 0, 1)

    for _ in range(iterations):
        if algorithm == 1:
            alpha = project(beta + gamma * G_alpha(w))
            w = shrink(w - gamma * G_w(alpha))
            beta = project(beta + gamma * G_alpha(w))
        elif algorithm == 2:
            w = shrink(u - gamma * G_w(alpha))
            before, alpha = alpha, project(alpha + gamma * G_alpha(w))
            u = w + gamma * (G_w(before) - G_w(alpha))
        elif algorithm == 3:
            alpha = project(beta + gamma * G_alpha(w))
            before, w = w, shrink(w - gamma * G_w(alpha))
            beta = alpha + gamma * (G_alpha(w) - G_alpha(before))
        else:  # Chambolle and Pock, Algorithm 1 with theta = 1, as in the paper's appendix
            alpha = project(alpha + gamma * G_alpha(2 * w - w_before))
            w_before, w = w, shrink(w - gamma * G_w(alpha))
        yield w, alpha


@pytest.mark.parametrize(
    ("method", "algorithm"),
    [
        (PdproxDual(), 1),
        (PdproxPrimal(), 2),
        (PdproxPrimal(implementation="double-dual"), 2),
        (PdproxDualOneProjection(), 3),
        (PdproxDualOneProjection(implementation="double-primal"), 3),
        (PdproxDualOneProjection(), "Chambolle-Pock"),
        (PdproxDualOneProjection(implementation="double-primal"), "Chambolle-Pock"),
    ],
    ids=str,
)
def test_iterates_are_those_of_the_printed_algorithm(method, algorithm):
    X, y = classification()
    problem = Problem(X, y, "hinge", "l1", lam=0.01, intercept=False)
    printed = transcribed(X, y, 0.01, 60, algorithm)
    moved = 0.0
    for state, (w, alpha) in zip(run(problem, method, 60), printed, strict=True):
        np.testing.assert_allclose(state.x, w, atol=1e-12)
        np.testing.assert_allclose(-problem.samples.slopes(state.dual), alpha, atol=1e-12)
        moved = max(moved, np.abs(w).max())
    assert moved > 0.01


@pytest.mark.parametrize("form", ["compact", "paper"])
@pytest.mark.parametrize("loss", [losses.EpsilonInsensitive(0.2), losses.Pinball(0.7)], ids=str)
@pytest.mark.parametrize("method", [PdproxPrimal, PdproxDualOneProjection])
def test_double_dual_and_double_primal_give_equal_iterates(method, loss, form):
    X, y = regression()
    problem = Problem(X, y, loss, penalties.L2(), lam=0.01, dual_form=form)
    one = run(problem, method(implementation="double-dual"), 50)
    other = run(problem, method(implementation="double-primal"), 50)
    for left, right in zip(one, other, strict=True):
        np.testing.assert_allclose(left.x, right.x, atol=1e-11)
        np.testing.assert_allclose(left.dual.alpha, right.dual.alpha, atol=1e-11)
    assert np.abs(left.x).max() > 0.01


def test_weight_two_is_the_row_twice_in_every_iterate():
    X, y = classification()
    counts = np.arange(len(X)) % 4
    weighted = Problem(X, y, "hinge", "l1", lam=0.01, sample_weight=counts)
    repeated = Problem(np.repeat(X, counts, axis=0), np.repeat(y, counts), "hinge", "l1", lam=0.01)
    for method in specimens(methods.ALL):
        if isinstance(method, PdproxAccelerated | PdproxNewton | PdproxInterior | Auto):
            continue  # working sets and barriers count rows: only solutions agree
        for left, right in zip(run(weighted, method, 30), run(repeated, method, 30), strict=True):
            np.testing.assert_allclose(left.x, right.x, atol=1e-10, err_msg=str(method))


def test_the_dual_form_changes_iterates_but_not_the_solution():
    X, y = classification()
    loss = losses.GeneralizedHinge(3.0)
    compact = solve(Problem(X, y, loss, "l1", lam=0.01), tol=1e-8)
    paper = solve(Problem(X, y, loss, "l1", lam=0.01, dual_form="paper"), tol=1e-8)
    assert compact.certificate.primal == pytest.approx(paper.certificate.primal, rel=2e-8)
    assert compact.iterations != paper.iterations


# -- every method reaches the optimum ---------------------------------------------------------------------


@pytest.mark.parametrize("method", specimens(methods.ALL), ids=str)
def test_every_method_closes_the_gap(method):
    X, y = regression(60, 5)
    problem = Problem(X, y, "absolute", penalties.ElasticNet(0.5), lam=0.1, intercept=False)
    tol = 1e-2 if getattr(method, "output", "last") == "average" else 1e-4
    solution = solve(problem, tol=tol, method=method, max_iter=50_000)
    assert solution.status == "converged"


def test_norms_are_what_numpy_says():
    X, y = classification()
    samples = Problem(X, y, "hinge", "l1", lam=0.1).samples
    with_ones = np.column_stack([X, np.ones(len(X))])
    exact = np.linalg.norm(with_ones, 2) / np.sqrt(len(X))
    assert 0.95 * exact <= operator_norm(samples) <= exact * (1 + 1e-12)
    assert operator_norm(samples, with_intercept=False, tolerance=1e-6) == pytest.approx(
        np.linalg.norm(X, 2) / np.sqrt(len(X)), rel=1e-3
    )


def test_diagonal_steps_are_legal():
    """|Sigma^1/2 H' T^1/2| <= 1, for separable penalties and for groups, which share a step."""
    X, y = classification()
    X = X * 10.0 ** np.arange(7)
    groups = np.array([0, 0, 1, 1, 2, 2, 2])
    for penalty, shared in (
        (penalties.L1(), None),
        (penalties.GroupLasso(groups), groups),
        (penalties.L2(), np.zeros(7, int)),
    ):
        problem = Problem(X, y, "hinge", penalty, lam=0.1)
        steps = StepRule("diagonal").steps(problem, 1.0, "primal")
        H = np.column_stack([X, np.ones(len(X))])
        scaled = np.sqrt(steps.dual / len(X))[:, None] * H * np.sqrt(steps.primal)
        assert np.linalg.norm(scaled, 2) <= 1 + 1e-12
        if shared is not None:
            for group in np.unique(shared):
                assert len(np.unique(steps.primal[:-1][shared == group])) == 1
    problem = Problem(X * 10.0 ** -np.arange(7) * 2.0 ** np.arange(7), y, "hinge", "l1", lam=0.1)
    assert solve(problem, tol=1e-4, method=PdproxTwoSteps(StepRule("diagonal"))).converged


def test_accelerated_keeps_the_rate_of_its_theorem():
    """Chambolle and Pock, Theorem 2: |w_T - w*|^2 <= (|w*|^2 / tau^2 + c |alpha*|^2) / (mu T)^2, nearly."""
    X, y = classification(200, 10)
    lam = 0.1
    problem = Problem(X, y, "hinge", "squared-l2", lam=lam, intercept=False)
    best = solve(problem, tol=1e-12)
    c = measured_constant(problem.samples, "primal")
    tau = StepRule("norm").steps(problem, 1.0, "primal").primal
    promised = (np.sum(best.w**2) / tau**2 + c * np.sum(best.alpha**2)) / lam**2
    for T, state in enumerate(run(problem, PdproxAccelerated(), 400), start=1):
        if T >= 20:
            assert np.sum((state.x - best.w) ** 2) <= 1.1 * promised / T**2, f"T = {T}"


def test_accelerated_needs_strong_convexity():
    X, y = classification()
    with pytest.raises(ValueError, match="needs a strongly convex penalty"):
        solve(Problem(X, y, "hinge", "l1", lam=0.1), method="pdprox-accelerated")


def test_ratio_moves_the_steps_and_keeps_their_product():
    X, y = classification()
    problem = Problem(X, y, "hinge", "l1", lam=0.1)
    plain = StepRule("norm").steps(problem, 1.0, "primal")
    tilted = StepRule("norm", ratio=100.0).steps(problem, 1.0, "primal")
    assert tilted.primal * tilted.dual == pytest.approx(plain.primal * plain.dual)
    assert (tilted.primal / tilted.dual) / (plain.primal / plain.dual) == pytest.approx(100.0)


def test_tuned_steps_are_no_worse_than_plain_ones():
    X, y = regression(80, 6)
    problem = Problem(X, y, "absolute", "l1", lam=0.02)
    tuned = methods.tune(PdproxTwoSteps(), problem, ratio=[0.01, 0.1, 1.0, 10.0, 100.0], iterations=200)
    gaps = dict(tuned.trials)
    assert len(tuned.trials) == 5
    assert gaps[tuned.method.rule] == min(gaps.values()) <= gaps[PdproxTwoSteps().rule]


@pytest.mark.parametrize("smoothing", [0.3, 1.0])
def test_restarts_repair_an_underestimated_norm(smoothing, monkeypatch):
    """With half the norm the map expands; the negative movement gives it away and the steps shrink."""
    import pdprox.methods.restarted as restarted

    X, y = classification(100, 20)
    problem = Problem(X, y, "hinge", "l1", lam=0.01)
    monkeypatch.setattr(restarted, "operator_norm", lambda *a, **k: 0.5 * operator_norm(*a, **k))
    assert solve(problem, tol=1e-6, method=PdproxRestarted(smoothing=smoothing)).converged


BAD = [
    (lambda: StepRule("papers"), "constant must be"),
    (lambda: StepRule(scale=0.0), "scale must be a number > 0, got 0.0"),
    (lambda: StepRule(ratio=-1.0), "ratio must be a number > 0, got -1.0"),
    (lambda: PdproxDual(output="mean"), "output must be"),
    (lambda: PdproxPrimal(implementation="dual"), "implementation must be"),
    (lambda: PdproxRestarted(sufficient=0.0), r"sufficient must lie in \(0, 1\], got 0.0"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message[:20] for _, message in BAD])
def test_wrong_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("loss", ["absolute", "huber", "square"])
def test_targets_far_from_zero_cost_no_more_iterations(loss):
    """The best intercept is where a cold start of the restarted method begins."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = X @ [1.0, -1.0, 0.0, 2.0] + rng.normal(size=40)
    near, far = (solve(Problem(X, y + b, loss, "l2", lam=0.1), method="pdprox-restarted") for b in (0.0, 1e6))
    assert far.converged
    assert far.intercept == pytest.approx(near.intercept + 1e6, rel=1e-6)
    assert far.iterations <= 2 * near.iterations


@pytest.mark.parametrize("intercept", [True, False])
def test_units_of_the_targets_do_not_matter(intercept):
    """For squares and a norm, y and lam times 1e6 is the same problem: as many iterations, w times 1e6."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(16, 3))
    y = X @ [1.0, -1.0, 0.5] + rng.normal(size=16)
    small, large = (
        solve(Problem(X, unit * y, "square", "linf", unit * 0.1, intercept), method="pdprox-restarted")
        for unit in (1.0, 1e6)
    )
    assert large.iterations == small.iterations
    np.testing.assert_allclose(large.w, 1e6 * small.w, rtol=1e-6)
