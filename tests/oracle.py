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
    if w.ndim == 1 and name in ON_VECTORS:
        return cp.norm(w, ON_VECTORS[name])
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
        return sum_over_groups(penalty, w, penalty.weights, 2)
    if name == "SparseGroupLasso":
        groups = sum_over_groups(penalty, w, "sqrt", 2)
        return penalty.l1_ratio * cp.sum(cp.abs(w)) + (1 - penalty.l1_ratio) * groups
    if name == "ExclusiveLasso":
        return sum_over_groups(penalty, w, None, 1, cp.square)
    if name == "SquaredSumOfNorms":
        return cp.square(sum_over_groups(penalty, w, None, 2))
    if name == "PerGroup":
        return sum_over_groups(penalty, w, penalty.weights, ORDERS[type(penalty.inner).__name__])
    if name == "SquaredPerGroup":
        return sum_over_groups(penalty, w, penalty.weights, ORDERS[type(penalty.inner).__name__], cp.square)
    if name == "L21":
        return cp.sum(cp.norm(w, 2, axis=1))
    if name == "L1Inf":
        return cp.sum(cp.max(cp.abs(w), axis=1))
    if name == "TraceNorm":
        return cp.normNuc(w)
    if name == "Shaped" and type(penalty.V).__name__ == "Excess":
        return cp.pos(penalty_expression(penalty.norm, w) - penalty.V.radius)
    if name == "Shaped":
        return cp.power(penalty_expression(penalty.norm, w), penalty.V.exponent) / penalty.V.exponent
    if name == "Squared":
        return cp.square(penalty_expression(penalty.norm, w))
    raise NotImplementedError(f"the oracle does not know {name}")


#: what penalties of matrices are on a vector: a p-norm
ON_VECTORS = {"L21": 1, "L1Inf": 1, "TraceNorm": 2, "OnSingularValues": 2}

#: the p of norms inside groups
ORDERS = {"L1": 1, "L2": 2, "LInf": "inf"}


def sum_over_groups(penalty, w, weights, order, of_norm=lambda norm: norm):
    """The weighted sum over groups of a p-norm, or of a function of it."""
    labels = GROUPS_OF[id(penalty)]
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    if weights is None:
        weights = np.ones(len(members))
    elif isinstance(weights, str):
        weights = [np.sqrt(len(group)) for group in members]
    return cp.sum(
        [q * of_norm(cp.norm(cp.vec(w[g], order="C"), order)) for g, q in zip(members, weights, strict=True)]
    )


#: the labels a penalty was made with; penalties keep them in a form of their own
GROUPS_OF: dict[int, np.ndarray] = {}


def grouped(make, labels, *args):
    """A penalty made with these groups, known to the oracle."""
    penalty = make(labels, *args)
    GROUPS_OF[id(penalty)] = np.asarray(labels)
    return penalty


def optimum(X, y, loss, penalty, lam, intercept, weights=None):
    """The optimal value of the problem, by Clarabel."""
    told = Told(X, y, loss, penalty, lam, intercept, weights)
    for accuracy in (1e-9, 1e-8):  # on some cones Clarabel cannot reach the first
        if told.solve(accuracy) == cp.OPTIMAL:
            return float(told.problem.value)
    raise AssertionError(f"the independent solver ended with status {told.problem.status}")


class Told:
    """A problem as cvxpy is told it: ``w`` holds the answer after ``solve``, X times ``units`` being the data."""

    def __init__(self, X, y, loss, penalty, lam, intercept, weights=None, units=None):
        n, d = X.shape
        matrix = y.ndim == 2
        scaled = cp.Variable((d, y.shape[1]) if matrix else d)
        self.w = scaled if units is None else cp.multiply(1.0 / units, scaled)
        z = X @ scaled
        if intercept:
            b = cp.Variable((1, y.shape[1]) if matrix else 1)
            z = z + (np.ones((n, 1)) @ b if matrix else b)
        t = cp.multiply(y, z) if loss.reads == "margin" else z - y
        goal = mean_loss(loss, t, weights) + lam * penalty_expression(penalty, self.w)
        self.problem = cp.Problem(cp.Minimize(goal))

    def solve(self, accuracy):
        """Clarabel's status at this accuracy."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": the status says so too
            try:
                self.problem.solve(
                    solver=cp.CLARABEL, tol_gap_abs=accuracy, tol_gap_rel=accuracy, tol_feas=accuracy
                )
            except cp.SolverError:
                return cp.SOLVER_ERROR
        return self.problem.status


def well_scaled(X, y, loss, intercept, weights=None, **rest):
    """The same problem for one target with columns of size 1, centred if the intercept allows it."""
    if intercept:
        X = X - np.average(X, axis=0, weights=weights)
        y = y if loss.reads == "margin" else y - np.median(y)
    size = np.sqrt(np.average(np.square(X), axis=0, weights=weights))
    units = np.where(size > 1e-12 * np.max(size, initial=0.0), size, 1.0)
    return {
        "X": X / units,
        "y": y,
        "loss": loss,
        "intercept": intercept,
        "weights": weights,
        "units": units,
        **rest,
    }


def mean_loss(loss, t, weights=None):
    """The weighted mean of the losses of an affine expression."""
    s = np.ones(t.shape[0]) if weights is None else np.asarray(weights)
    each = loss_expression(loss, t)
    if each.ndim == 2:
        each = cp.sum(each, axis=1)
    return (s / s.sum()) @ each


def objective(X, y, loss, penalty, lam, w, b, weights=None):
    """The value of one answer; predictions are summed in long double, so that only they may cancel."""
    z = np.asarray(X, np.longdouble) @ np.asarray(w, np.longdouble) + np.asarray(b, np.longdouble)
    t = cp.Constant(np.float64(y * z if loss.reads == "margin" else z - y))
    goal = mean_loss(loss, t, weights) + lam * penalty_expression(penalty, cp.Constant(w))
    return float(goal.value)
