"""Linear classifiers and regressors with any loss and any penalty of pdprox."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from pdprox.estimators.base import LinearEstimator, is_number, keep, with_callbacks
from pdprox.sets import Budget
from pdprox.solve import Report


class Classifying(ClassifierMixin, LinearEstimator):
    """What classifiers share: classes, one model each or one for two, and votes."""

    classes_: Any
    _reads = "margin"

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, d)
            float32 stays float32, in memory and in the coefficients.
        y : array of shape (n,)
            Classes of any type; two, or more, which are told apart one against the rest.
        sample_weight : array of shape (n,), optional
            Weight 2 is the row twice, weight 0 the row absent.

        Returns
        -------
        self
        """
        X, y = self._checked(X, y)
        weights = self._class_weights(X, y, self._weights(sample_weight, X))
        targets = self._targets(y)
        K = len(targets)
        if K > 1 and getattr(self, "_checkpoints", None):
            raise ValueError(
                f"a checkpoint holds one model, and {len(self.classes_)} classes need {K}; fit them one by one"
            )

        with self._task(X, y) as context:

            def one(k: int) -> Any:
                problem = self._problem(X, targets[k], weights, **self._sets())
                bridge = self._bridge(context, X, y, self._attributes) if K == 1 else None
                return self._solve(problem, self._before(k, problem), bridge)

            jobs = Parallel(n_jobs=getattr(self, "n_jobs", None), prefer="threads")
            solutions = [one(0)] if K == 1 else jobs(delayed(one)(k) for k in range(K))
            self._tell(solutions)
            keep(self, solutions, X.dtype, single=K == 1)
        return self

    def _class_weights(self, X: Any, y: Any, weights: Any) -> Any:
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only, {self.classes_[0]!r}; a classifier needs two or more")
        return self._times_class_weight(y, weights)

    def _times_class_weight(self, y: Any, weights: Any) -> Any:
        given = getattr(self, "class_weight", None)
        if given is None:
            return weights
        more = compute_sample_weight(given, y)
        return more if weights is None else more * weights

    def _targets(self, y: Any) -> list[Any]:
        """-1 and 1 for each model."""
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return [np.where(y == label, 1.0, -1.0) for label in positive]

    def _sets(self) -> dict[str, Any]:
        return {}

    def _problems(self, X: Any, y: Any, sample_weight: Any) -> list[Any]:
        X, y = self._checked(X, y, reset=False)
        strange = np.setdiff1d(y, self.classes_)
        if len(strange):
            raise ValueError(f"y holds a class that the model does not know: {strange[0]!r}")
        weights = self._times_class_weight(y, self._weights(sample_weight, X))
        return [self._problem(X, target, weights, **self._sets()) for target in self._targets(y)]

    def _attributes(self, report: Report) -> dict[str, Any]:
        return {
            "coef_": np.array([report.point[0]]),
            "intercept_": np.array([report.point[1]]),
            "classes_": self.classes_,
            "n_features_in_": self.n_features_in_,
        }

    def decision_function(self, X: Any) -> Any:
        """Signed scores: of the second class if there are two, else one for each class."""
        scores = self._predictions(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Any:
        """The class with the highest score."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]


class LinearClassifier(Classifying):
    r"""A linear classifier with any loss of the margin and any penalty, and a certificate.

    .. math:: \min_{w, b}\; \frac{1}{\sum_i s_i} \sum_i s_i\, \ell(y_i (x_i^\top w + b)) + \alpha R(w)

    Parameters
    ----------
    loss : str or Loss, default="hinge"
        Of the margin: ``"hinge"``, ``"squared-hinge"``, ``"logistic"``, ``GeneralizedHinge(2.0)``, ...
    penalty : str or Penalty, default="l1"
        ``"l1"``, ``"squared-l2"``, ``"elastic-net"``, ``"group-lasso"``, ``"linf"``, ... or an object.
    alpha : float, default=0.01
        The factor of the penalty.  The loss is a mean, so alpha does not grow with the data; scikit-learn's C is
        ``1 / (alpha * n)``.
    feature_groups : array, list of lists or list of str, optional
        For penalties by name that have groups: a label for each feature, the features of each group, or prefixes
        of the column names of a data frame.
    fit_intercept : bool, default=True
        The intercept is never penalised.
    class_weight : dict or "balanced", optional
        Factors of the sample weights.
    tol : float, default=1e-6
        The certified relative gap at which to stop.
    max_iter : int, optional
        Iterations at most.
    max_time : float, optional
        Seconds at most, for each model; honoured within a pass over the data.
    method : str or Method, default="auto"
        See ``pdprox.solve``.
    n_jobs : int, optional
        Threads for the models of more than two classes.
    warm_start : bool, default=False
        Start from the last fit.
    verbose : bool or "bar", default=False
        Log lines or a progress bar.

    Attributes
    ----------
    coef_ : array of shape (1, d) or (classes, d)
    intercept_ : array of shape (1,) or (classes,)
    dual_coef_ : array of shape (n,) or (classes, n)
        Slopes of the losses, the dual variables.
    support_ : array, or list of arrays
        The samples whose slope is not 0.
    objective_, dual_gap_ : float or array of shape (classes,)
        The objective reached, and by how much the best one can be less: both certified.
    status_ : str or list of str
        ``"converged"`` where the certificate met ``tol``.
    history_ : History or list of History
        Seconds, passes and both bounds at every audit.
    classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from pdprox import LinearClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LinearClassifier(alpha=0.02)).fit(X, y)
    >>> int((model[-1].coef_ != 0).sum()), round(model.score(X, y), 2)
    (8, 0.98)
    >>> model[-1].status_, bool(model[-1].dual_gap_ <= 1e-6 * model[-1].objective_)
    ('converged', True)
    """

    def __init__(
        self,
        loss: Any = "hinge",
        penalty: Any = "l1",
        alpha: float = 0.01,
        feature_groups: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        method: Any = "auto",
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: Any = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.feature_groups = feature_groups
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.method = method
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose


class BudgetSVC(Classifying):
    r"""A support vector machine that may listen to no more than ``m`` samples: the paper's budget SVM.

    .. math::

        \min_{w, b}\; \max_{\alpha}\; \frac1n \sum_i \alpha_i (1 - y_i (x_i^\top w + b)) + \frac{\lambda}{2} \|w\|_2^2,
        \qquad 0 \le \alpha_i \le 1,\; \sum_i \alpha_i \le m

    so that only the m largest margin errors count.  With sample weights s the budget is
    :math:`\sum_i s_i \alpha_i \le m`.

    Parameters
    ----------
    m : float, default=100
        The budget; at most so many samples get all of their weight.
    alpha : float, default=0.01
        The lambda.
    fit_intercept, class_weight, tol, max_iter, max_time, method, n_jobs, warm_start, verbose
        As in ``LinearClassifier``.

    Attributes
    ----------
    coef_, intercept_, dual_coef_, support_, objective_, dual_gap_, status_, history_, classes_, n_iter_
        As in ``LinearClassifier``.

    References
    ----------
    Yang, Mahdavi, Jin and Zhu, "An efficient primal dual prox method for non-smooth optimization".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from pdprox import BudgetSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BudgetSVC(m=20, tol=1e-4).fit(scale(X), y)
    >>> bool(abs(model.dual_coef_).sum() <= 20 + 1e-9), round(model.score(scale(X), y), 2)
    (True, 0.99)
    """

    loss = "hinge"
    penalty = "squared-l2"
    feature_groups = None

    def __init__(
        self,
        m: float = 100,
        alpha: float = 0.01,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        method: Any = "auto",
        n_jobs: int | None = None,
        warm_start: bool = False,
        verbose: Any = False,
    ) -> None:
        self.m = m
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.method = method
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose

    def _sets(self) -> dict[str, Any]:
        if not is_number(self.m) or self.m <= 0:
            raise ValueError(f"m must be a number > 0, got {self.m!r}")
        return {"dual_set": Budget(float(self.m))}


class LinearRegressor(RegressorMixin, LinearEstimator):
    r"""A linear regressor with any loss of the residual and any penalty, and a certificate.

    .. math:: \min_{w, b}\; \frac{1}{\sum_i s_i} \sum_i s_i\, \ell(x_i^\top w + b - y_i) + \alpha R(w)

    Several targets (y of shape (n, K)) are fitted together, so that penalties of matrices tie them.

    Parameters
    ----------
    loss : str or Loss, default="absolute"
        Of the residual: ``"absolute"``, ``"epsilon-insensitive"``, ``"huber"``, ``Pinball(0.9)``, ...
    penalty, alpha, feature_groups, fit_intercept, tol, max_iter, max_time, method, warm_start, verbose
        As in ``LinearClassifier``.

    Attributes
    ----------
    coef_ : array of shape (d,) or (K, d)
    intercept_ : float or array of shape (K,)
    dual_coef_ : array of shape (n,) or (n, K)
    support_, objective_, dual_gap_, status_, history_, n_iter_
        As in ``LinearClassifier``.

    Examples
    --------
    >>> import numpy as np
    >>> from pdprox import LinearRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 10))
    >>> y = 3 * X[:, 0] - 2 * X[:, 1] + 1.0
    >>> y[::10] += 100  # gross errors, which the absolute loss does not mind
    >>> model = LinearRegressor(alpha=0.01).fit(X, y)
    >>> np.round(model.coef_[:3], 2) + 0.0, round(float(model.intercept_), 2)
    (array([ 3., -2.,  0.]), 1.0)
    """

    def __init__(
        self,
        loss: Any = "absolute",
        penalty: Any = "l1",
        alpha: float = 0.01,
        feature_groups: Any = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        method: Any = "auto",
        warm_start: bool = False,
        verbose: Any = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.feature_groups = feature_groups
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.method = method
        self.warm_start = warm_start
        self.verbose = verbose

    _reads = "residual"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, d)
            float32 stays float32, in memory and in the coefficients.
        y : array of shape (n,) or (n, K)
            The targets.
        sample_weight : array of shape (n,), optional
            Weight 2 is the row twice, weight 0 the row absent.

        Returns
        -------
        self
        """
        X, y = self._checked(X, y, multi_output=True, y_numeric=True)
        with self._task(X, y) as context:
            problem = self._problem(X, y, self._weights(sample_weight, X))
            bridge = self._bridge(context, X, y, self._attributes)
            solutions = [self._solve(problem, self._before(0, problem), bridge)]
            self._tell(solutions)
            keep(self, solutions, X.dtype, single=True)
        return self

    def _problems(self, X: Any, y: Any, sample_weight: Any) -> list[Any]:
        X, y = self._checked(X, y, reset=False, multi_output=True, y_numeric=True)
        return [self._problem(X, y, self._weights(sample_weight, X))]

    def _attributes(self, report: Report) -> dict[str, Any]:
        return {
            "coef_": report.point[0].T,
            "intercept_": report.point[1],
            "n_features_in_": self.n_features_in_,
        }

    def predict(self, X: Any) -> Any:
        """Predictions, of shape (n,) or (n, K)."""
        return self._predictions(X)
