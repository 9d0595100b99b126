"""Every loss x every penalty x intercept x storage x weights, against cvxpy with Clarabel.

Our primal must not be below its optimum, our dual not above, up to its accuracy; and the certified relative
gap must be at most 1e-6.  Between the two bounds there is then no room for a wrong answer.
"""

import itertools

import numpy as np
import oracle
import pytest
import scipy.sparse as sp

import pdprox
from pdprox import losses, penalties

LABELS = np.array([0, 1, 0, 2, 1, 0])

VECTOR_PENALTIES = [
    penalties.L1(),
    penalties.L1(weights=[1.0, 0.5, 2.0, 1.0, 0.0, 1.0]),
    penalties.L2(),
    penalties.LInf(),
    penalties.SquaredL2(),
    penalties.ElasticNet(0.3),
    oracle.grouped(penalties.GroupLasso, LABELS),
    oracle.grouped(penalties.SparseGroupLasso, LABELS, 0.4),
    oracle.grouped(penalties.ExclusiveLasso, LABELS),
    oracle.grouped(penalties.SquaredSumOfNorms, LABELS),
    penalties.Shaped(penalties.Power(3.0), penalties.L1()),
    penalties.Squared(penalties.LInf()),
]

MATRIX_PENALTIES = [
    penalties.L21(),
    penalties.L1Inf(),
    penalties.TraceNorm(),
    penalties.L1(),
    penalties.SquaredL2(),
]

LOSSES = [
    losses.Hinge(),
    losses.GeneralizedHinge(2.5),
    losses.Absolute(),
    losses.EpsilonInsensitive(0.3),
    losses.Pinball(0.2),
    losses.L2Loss(),
    losses.BrokenLine((-1.0, 0.5, 1.0), (-2.0, -0.5, 0.25, 1.0)),
    losses.SquaredHinge(),
    losses.Huber(0.5),
    losses.Square(),
    losses.Logistic(),
    losses.PaperForm(losses.GeneralizedHinge(2.5)),
    losses.PaperForm(losses.EpsilonInsensitive(0.3)),
    losses.PaperForm(losses.Pinball(0.2)),
]

CASES = list(itertools.product(LOSSES, VECTOR_PENALTIES, (True, False), (True, False)))
MATRIX_CASES = list(
    itertools.product(
        [losses.L2Loss(), losses.Absolute(), losses.Pinball(0.3)], MATRIX_PENALTIES, (True, False)
    )
)
LAM = 0.03


def test_no_loss_and_no_penalty_is_left_out():
    assert {type(loss) for loss in LOSSES} == set(losses.ALL)
    wrappers = {
        penalties.PerGroup,
        penalties.SquaredPerGroup,
        penalties.OnSingularValues,
    }  # inside named ones
    tested = {type(penalty) for penalty in VECTOR_PENALTIES + MATRIX_PENALTIES}
    assert tested | wrappers == set(penalties.ALL)


def data(loss, targets=None):
    rng = np.random.default_rng(7)
    n, d = 30, len(LABELS)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    truth = np.array([1.0, -1.0, 0.5, 0.0, 0.0, 2.0])
    z = X @ truth + 0.7 * rng.normal(size=n) + 0.4
    if targets is not None:
        z = z[:, None] * np.linspace(0.5, 1.5, targets) + 0.5 * rng.normal(size=(n, targets))
    weights = rng.integers(0, 4, size=n).astype(float)
    return X, (np.where(z > 0, 1.0, -1.0) if loss.reads == "margin" else z), weights


def judge(solution, best):
    slack = 2e-7 * max(1.0, abs(best))
    certificate = solution.certificate
    assert solution.status == "converged"
    assert certificate.relative_gap <= 1e-6
    assert certificate.primal >= best - slack, f"primal {certificate.primal} below the optimum {best}"
    assert certificate.dual <= best + slack, f"dual {certificate.dual} above the optimum {best}"


def name(value):
    return str(value)[:40]


@pytest.mark.parametrize(("loss", "penalty", "intercept", "weighted"), CASES, ids=name)
def test_vector_problems(loss, penalty, intercept, weighted):
    X, y, weights = data(loss)
    weights = weights if weighted else None
    best = oracle.optimum(X, y, loss, penalty, LAM, intercept, weights)
    for stored in (X, sp.csr_array(X)):
        problem = pdprox.Problem(
            stored, y, loss, penalty, lam=LAM, intercept=intercept, sample_weight=weights
        )
        judge(pdprox.solve(problem, tol=1e-6), best)


@pytest.mark.parametrize(("loss", "penalty", "intercept"), MATRIX_CASES, ids=name)
def test_matrix_problems(loss, penalty, intercept):
    X, y, _ = data(loss, targets=3)
    best = oracle.optimum(X, y, loss, penalty, LAM, intercept)
    for stored in (X, sp.csr_array(X)):
        problem = pdprox.Problem(stored, y, loss, penalty, lam=LAM, intercept=intercept)
        judge(pdprox.solve(problem, tol=1e-6), best)
