"""The same problems told to an independent solver: cvxpy with Clarabel."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np

from pdprox import losses


def loss_expression(loss, t):
    """The loss of an affine expression t, one entry or row a sample, summed over nothing."""
    if isinstance(loss, losses.PaperForm):
        return loss_expression(loss.loss, t)
    if isinstance(loss, losses.L2Loss):
        return cp.abs(t) if t.ndim == 1 else cp.norm(t, 2, axis=1)
    if isinstance(loss, losses.SquaredHinge):
        return cp.square(cp.pos(1 - t))
    if isinstance(loss, losses.Huber):
        return 0.5 * cp.huber(t, loss.delta)
    if isinstance(loss, losses.Square):
        return 0.5 * cp.square(t)
    if isinstance(loss, losses.Logistic):
        return cp.logistic(-t)
    # a broken line is the largest of its pieces; the piece between two kinks goes through the first of them
    kinks, slopes = loss.kinks, loss.slopes
    heights = [0.0]
    for k in range(1, len(kinks)):
        heights.append(heights[-1] + slopes[k] * (kinks[k] - kinks[k - 1]))
    least = min(heights)
    pieces = [slopes[0] * (t - kinks[0]) + heights[0] - least]
    pieces += [slopes[k + 1] * (t - kinks[k]) + heights[k] - least for k in range(len(kinks))]
    return cp.maximum(*pieces)


def penalty_expression(penalty, w):
    """R(w), by the name of the class; ``w`` is a vector or a matrix variable."""
    name = type(penalty).__name__
    if name == "L1":
        weights = 1.0 if penalty.weights is None else np.asarray(penalty.weights)
        return cp.sum(cp.multiply(weights, cp.abs(w)))
    if name == "L2":
        return cp.norm(cp.vec(w, order="C"), 2)
    if name == "LInf":
        return cp.max(cp.abs(w))
    if name == "SquaredL2":
        return 0.5 * cp.sum_squares(w)
    if name == "ElasticNet":
        return penalty.l1_ratio * cp.sum(cp.abs(w)) + 0.5 * (1 - penalty.l1_ratio) * cp.sum_squares(w)
    if name == "GroupLasso":
        return cp.sum([q * cp.norm(cp.vec(w[g], order="C"), 2) for g, q in _groups(penalty)])
    if name == "SparseGroupLasso":
        groups = cp.sum([q * cp.norm(cp.vec(w[g], order="C"), 2) for g, q in _groups(penalty)])
        return penalty.l1_ratio * cp.sum(cp.abs(w)) + (1 - penalty.l1_ratio) * groups
    if name == "ExclusiveLasso":
        return cp.sum([cp.square(cp.sum(cp.abs(w[g]))) for g, _ in _groups(penalty)])
    if name == "SquaredSumOfNorms":
        return cp.square(cp.sum([cp.norm(cp.vec(w[g], order="C"), 2) for g, _ in _groups(penalty)]))
    if name == "L21":
        return cp.sum(cp.norm(w, 2, axis=1))
    if name == "L1Inf":
        return cp.sum(cp.max(cp.abs(w), axis=1))
    if name == "TraceNorm":
        return cp.normNuc(w)
    if name == "Shaped":
        return cp.power(penalty_expression(penalty.norm, w), penalty.V.exponent) / penalty.V.exponent
    if name == "Squared":
        return cp.square(penalty_expression(penalty.norm, w))
    raise NotImplementedError(f"the oracle does not know {name}")


def _groups(penalty):
    labels = GROUPS_OF[id(penalty)]
    sizes = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return [(g, np.sqrt(len(g))) for g in sizes]


#: the labels a penalty was made with; penalties keep them in a form of their own
GROUPS_OF: dict[int, np.ndarray] = {}


def grouped(make, labels, *args):
    """A penalty made with these groups, known to the oracle."""
    penalty = make(labels, *args)
    GROUPS_OF[id(penalty)] = np.asarray(labels)
    return penalty


def optimum(X, y, loss, penalty, lam, intercept, weights=None):
    """The optimal value of the problem, by Clarabel."""
    n, d = X.shape
    s = np.ones(n) if weights is None else np.asarray(weights)
    c = s / s.sum()
    matrix = y.ndim == 2
    w = cp.Variable((d, y.shape[1]) if matrix else d)
    z = X @ w
    if intercept:
        b = cp.Variable((1, y.shape[1]) if matrix else 1)
        z = z + (np.ones((n, 1)) @ b if matrix else b)
    t = cp.multiply(y, z) if loss.reads == "margin" else z - y
    each = loss_expression(loss, t)
    if each.ndim == 2:
        each = cp.sum(each, axis=1)
    goal = c @ each + lam * penalty_expression(penalty, w)
    problem = cp.Problem(cp.Minimize(goal))
    for accuracy in (1e-9, 1e-8):  # on some cones Clarabel cannot reach the first
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": the status says so too
            try:
                problem.solve(
                    solver=cp.CLARABEL, tol_gap_abs=accuracy, tol_gap_rel=accuracy, tol_feas=accuracy
                )
            except cp.SolverError:
                continue
        if problem.status == cp.OPTIMAL:
            return float(problem.value)
    raise AssertionError(f"the independent solver ended with status {problem.status}")
