"""Quantile regression: one quantile, or many of them from one fit to the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from pdprox.estimators.base import LinearEstimator, is_number, keep, with_callbacks
from pdprox.losses import Pinball
from pdprox.problem import Problem
from pdprox.solution import Solution
from pdprox.solve import Report


class QuantileRegressor(RegressorMixin, LinearEstimator):
    r"""Linear quantile regression with any penalty, for one quantile or a list of them.

    .. math:: \min_{w, b}\; \frac{1}{\sum_i s_i} \sum_i s_i\, \rho_q(y_i - x_i^\top w - b) + \alpha R(w),
              \qquad \rho_q(r) = \max(q\,r,\; (q - 1)\,r)

    Each quantile starts from the one before.  Lines of several quantiles can cross; ``rearrange`` sorts the
    predictions of each sample, which is never further from the true quantiles (Chernozhukov, Fernandez-Val and
    Galichon 2010) but no longer linear.

    Parameters
    ----------
    quantile : float or sequence of float, default=0.5
        Strictly between 0 and 1; a sequence ascends.
    penalty, alpha, feature_groups, fit_intercept, tol, max_iter, max_time, method, warm_start, verbose
        As in ``LinearClassifier``.
    rearrange : bool, default=False
        Sort the predictions of several quantiles.

    Attributes
    ----------
    coef_ : array of shape (d,) or (quantiles, d)
    intercept_ : float or array of shape (quantiles,)
    dual_coef_ : array of shape (n,) or (quantiles, n)
    support_, objective_, dual_gap_, status_, history_, n_iter_
        As in ``LinearClassifier``, lists or arrays where there are several quantiles.

    Examples
    --------
    >>> from pdprox import QuantileRegressor
    >>> from pdprox.datasets import load_engel
    >>> X, y = load_engel()
    >>> model = QuantileRegressor([0.1, 0.5, 0.9], alpha=0).fit(X, y)
    >>> model.coef_.ravel().round(2)
    array([0.4 , 0.56, 0.69])
    """

    def __init__(
        self,
        quantile: Any = 0.5,
        penalty: Any = "l1",
        alpha: float = 0.01,
        feature_groups: Any = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        method: Any = "auto",
        rearrange: bool = False,
        warm_start: bool = False,
        verbose: Any = False,
    ) -> None:
        self.quantile = quantile
        self.penalty = penalty
        self.alpha = alpha
        self.feature_groups = feature_groups
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.method = method
        self.rearrange = rearrange
        self.warm_start = warm_start
        self.verbose = verbose

    def _loss(self) -> Any:
        return Pinball(self._quantiles()[0])

    def _quantiles(self) -> list[float]:
        several = isinstance(self.quantile, (Sequence, np.ndarray)) and not isinstance(self.quantile, str)
        values = list(self.quantile) if several else [self.quantile]
        for value in values:
            if not is_number(value) or not 0 < value < 1:
                raise ValueError(f"quantile must lie strictly between 0 and 1, got {value!r}")
        if not values or any(after <= before for before, after in pairwise(values)):
            raise ValueError(f"quantiles must ascend, got {self.quantile!r}")
        return [float(value) for value in values]

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, d)
            float32 stays float32, in memory and in the coefficients.
        y : array of shape (n,)
            The target.
        sample_weight : array of shape (n,), optional
            Weight 2 is the row twice, weight 0 the row absent.

        Returns
        -------
        self
        """
        X, y = self._checked(X, y, y_numeric=True)
        quantiles = self._quantiles()
        if len(quantiles) > 1 and getattr(self, "_checkpoints", None):
            raise ValueError("a checkpoint holds one model, and each quantile is one; fit them one by one")
        self._flag("rearrange")
        with self._task(X, y) as context:
            first = self._problem(X, y, self._weights(sample_weight, X))
            solutions: list[Solution] = []
            for k, q in enumerate(quantiles):
                problem = first if k == 0 else self._other(first, X, y, q)
                before = self._before(k, problem) or (_moved(solutions[-1], q) if solutions else None)
                bridge = self._bridge(context, X, y, self._attributes) if len(quantiles) == 1 else None
                solutions.append(self._solve(problem, before, bridge))
            self._tell(solutions)
            keep(self, solutions, X.dtype, single=not isinstance(self.quantile, (Sequence, np.ndarray)))
        return self

    def _problems(self, X: Any, y: Any, sample_weight: Any) -> list[Problem]:
        X, y = self._checked(X, y, reset=False, y_numeric=True)
        first = self._problem(X, y, self._weights(sample_weight, X))
        return [first, *(self._other(first, X, y, q) for q in self._quantiles()[1:])]

    def _other(self, first: Problem, X: Any, y: Any, q: float) -> Problem:
        weights = first.samples.weights  # type: ignore[attr-defined]
        return Problem(X, y, Pinball(q), first.penalty, first.lam, self._flag("fit_intercept"), weights)

    def _attributes(self, report: Report) -> dict[str, Any]:
        return {
            "coef_": report.point[0],
            "intercept_": report.point[1],
            "n_features_in_": self.n_features_in_,
        }

    def predict(self, X: Any) -> Any:
        """Predictions, of shape (n,) or (n, quantiles)."""
        predictions = self._predictions(X)
        return np.sort(predictions, axis=1) if self.rearrange and predictions.ndim == 2 else predictions


def _moved(solution: Any, q: float) -> Any:
    """The solution for another quantile as a start: slopes beyond the new bounds are moved inside."""
    return solution.w, solution.intercept, np.clip(solution.alpha, -q, 1 - q)
