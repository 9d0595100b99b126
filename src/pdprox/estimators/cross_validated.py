"""Linear models whose alpha is chosen by cross-validation along warm-started paths."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _safe_split

from pdprox.estimators.base import LinearEstimator, keep, with_callbacks
from pdprox.estimators.linear import LinearClassifier, LinearRegressor
from pdprox.losses import Loss
from pdprox.path import lam_max
from pdprox.progress import counting
from pdprox.solution import Solution
from pdprox.typing import Floats

#: hears that one of many fits has ended
Done = Callable[[], None]

_RULES = ("best", "one-standard-error")
#: strengths for penalties that no alpha takes to zero
_SMOOTH = 10.0


class CrossValidated(LinearEstimator):
    """What both share: the strengths, the paths on the folds, the choice, and a last fit on all data."""

    alphas: Any
    ratio: float
    cv: Any
    rule: str
    scoring: Any
    n_jobs: int | None

    @abstractmethod
    def _labels(self, X: Any, y: Any, weights: Any) -> tuple[Any, list[Any]]:
        """Sample weights, and the targets of each model."""

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose alpha and fit the model on all data with it.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, d)
            float32 stays float32, in memory and in the coefficients.
        y : array of shape (n,)
            Classes of any type, or numbers.
        sample_weight : array of shape (n,), optional
            Used in the fits and in the scores.

        Returns
        -------
        self
        """
        if self.rule not in _RULES:
            raise ValueError(f"rule must be one of {_RULES}, got {self.rule!r}")
        classes = isinstance(self, LinearClassifier)
        X, y = self._checked(X, y, y_numeric=not classes)
        with self._task(X, y):
            weights, targets = self._labels(X, y, self._weights(sample_weight, X))
            self.alphas_ = self._strengths(X, targets, weights)
            folds = list(check_cv(self.cv, y, classifier=classes).split(X, y))
            jobs = Parallel(n_jobs=self.n_jobs, prefer="threads")
            runs = len(folds) * len(targets) * len(self.alphas_)
            with counting(self.verbose, runs, "fits on folds") as done:
                scores = jobs(
                    delayed(self._fold)(X, y, targets, weights, train, test, done) for train, test in folds
                )
            self.scores_ = np.array(scores).T
            choice = self._choice()
            self.alpha_ = float(self.alphas_[choice])
            tried = self.alphas_[: choice + 1]
            solutions = [self._along(X, target, weights, tried)[-1] for target in targets]
            self._tell(solutions)
            keep(self, solutions, X.dtype, single=len(solutions) == 1)
        return self

    def _choice(self) -> int:
        """The best mean score, or the largest alpha within one standard error of it."""
        mean = self.scores_.mean(axis=1)
        best = int(np.argmax(mean))
        if self.rule == "best" or self.scores_.shape[1] < 2:
            return best
        error = self.scores_[best].std(ddof=1) / np.sqrt(self.scores_.shape[1])
        return int(np.argmax(mean >= mean[best] - error))

    def _strengths(self, X: Any, targets: list[Any], weights: Any) -> Floats:
        """Falling alphas: those given, or a geometric progression from where all coefficients are 0."""
        given = self.alphas
        if not isinstance(given, (int, np.integer)) or isinstance(given, bool):
            values = np.unique(np.asarray(given, dtype=np.float64).ravel())[::-1]
            if not len(values) or not np.all(np.isfinite(values)) or values[-1] < 0:
                raise ValueError(f"alphas must be a number of alphas or alphas >= 0, got {given!r}")
            return values
        if given < 1:
            raise ValueError(f"alphas must be a number of alphas or alphas >= 0, got {given!r}")
        if not 0 < self.ratio < 1:
            raise ValueError(f"ratio must lie strictly between 0 and 1, got {self.ratio!r}")
        largest = max(lam_max(self._problem(X, target, weights)) for target in targets)
        largest = largest if 0 < largest < np.inf else _SMOOTH
        return np.asarray(largest * np.geomspace(1.0, self.ratio, int(given)))

    def _lam(self) -> float:
        return float(getattr(self, "alpha_", 1.0))

    def _along(
        self, X: Any, target: Any, weights: Any, alphas: Floats, done: Done | None = None
    ) -> list[Solution]:
        """The solutions for falling alphas, each from the one before; ``done`` hears of each.

        Only what is kept has a bar: the last one, where nobody is told of each.
        """
        problem = self._problem(X, target, weights)
        solutions: list[Solution] = []
        for k, alpha in enumerate(alphas):
            before = solutions[-1] if solutions else None
            hidden = self.verbose == "bar" and (done is not None or k < len(alphas) - 1)
            quiet = {"verbose": False} if hidden else {}
            solutions.append(self._solve(problem.at(float(alpha)), before, **quiet))
            if done is not None:
                done()
        return solutions

    def _fold(
        self, X: Any, y: Any, targets: list[Any], weights: Any, train: Any, test: Any, done: Done
    ) -> list[float]:
        """The score on the fold for each alpha."""
        inside = _safe_indexing(X, train)
        own = None if weights is None else weights[train]
        paths = [self._along(inside, target[train], own, self.alphas_, done) for target in targets]
        scorer = None if self.scoring is None else check_scoring(self, self.scoring)
        X_test, y_test = _safe_split(self, X, y, test)
        held = None if weights is None else weights[test]
        loss = self._problem(inside, targets[0][train], own).loss
        scores: list[float] = []
        for models in zip(*paths, strict=True):
            if scorer is None:
                pairs = zip(models, targets, strict=True)
                each = [_mean_loss(loss, model, X_test, target[test], held) for model, target in pairs]
                scores.append(-float(np.mean(each)))
            else:
                scores.append(float(scorer(self._frozen(models, X.dtype), X_test, y_test)))
        return scores

    def _frozen(self, models: Any, dtype: Any) -> Any:
        """A fitted estimator with these coefficients, for scorers."""
        frozen = copy(self)
        keep(frozen, list(models), dtype, single=len(models) == 1)
        return frozen


def _mean_loss(loss: Loss, solution: Solution, X: Any, target: Any, weights: Any) -> float:
    z = np.asarray(X @ solution.w) + solution.intercept
    values = loss.value(target * z if loss.reads == "margin" else z - target)
    return float(np.average(values, weights=weights))


class LinearClassifierCV(CrossValidated, LinearClassifier):
    """A linear classifier whose alpha is chosen by cross-validation.

    On each fold the models for all alphas are solved from the largest down, each from the one before.

    Parameters
    ----------
    loss, penalty, feature_groups, fit_intercept, class_weight, tol, max_iter, max_time, method, n_jobs, verbose
        As in ``LinearClassifier``; ``n_jobs`` are threads for the folds.
    alphas : int or array, default=30
        How many alphas to try, from where all coefficients are 0 down to ``ratio`` times that (from 10 for penalties
        that no alpha takes to zero); or the alphas themselves.
    ratio : float, default=1e-3
        The smallest alpha over the largest.
    cv : int, splitter or iterable, default=5
        As in scikit-learn.
    rule : {"best", "one-standard-error"}, default="best"
        The alpha with the best mean score, or the largest one whose mean score is within one standard error of it.
    scoring : str or callable, optional
        A scorer; by default the mean loss of the model itself on each fold, with a minus.

    Attributes
    ----------
    alpha_ : float
        The chosen one.
    alphas_ : array of shape (alphas,)
        All of them, falling.
    scores_ : array of shape (alphas, folds)
    coef_, intercept_, dual_coef_, support_, objective_, dual_gap_, status_, history_, classes_, n_iter_
        Of the last fit, on all data; as in ``LinearClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from pdprox import LinearClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearClassifierCV(alphas=10, rule="one-standard-error").fit(scale(X), y)
    >>> model.scores_.shape, bool(model.alpha_ in model.alphas_)
    ((10, 5), True)
    """

    def __init__(
        self,
        loss: Any = "hinge",
        penalty: Any = "l1",
        alphas: Any = 30,
        ratio: float = 1e-3,
        cv: Any = None,
        rule: str = "best",
        scoring: Any = None,
        feature_groups: Any = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        method: Any = "auto",
        n_jobs: int | None = None,
        verbose: Any = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alphas = alphas
        self.ratio = ratio
        self.cv = cv
        self.rule = rule
        self.scoring = scoring
        self.feature_groups = feature_groups
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.method = method
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _labels(self, X: Any, y: Any, weights: Any) -> tuple[Any, list[Any]]:
        weights = self._class_weights(X, y, weights)
        return weights, self._targets(y)


class LinearRegressorCV(CrossValidated, LinearRegressor):
    """A linear regressor whose alpha is chosen by cross-validation.

    On each fold the models for all alphas are solved from the largest down, each from the one before.

    Parameters
    ----------
    loss, penalty, feature_groups, fit_intercept, tol, max_iter, max_time, method, verbose
        As in ``LinearRegressor``.
    alphas, ratio, cv, rule, scoring, n_jobs
        As in ``LinearClassifierCV``.

    Attributes
    ----------
    alpha_, alphas_, scores_
        As in ``LinearClassifierCV``.
    coef_, intercept_, dual_coef_, support_, objective_, dual_gap_, status_, history_, n_iter_
        Of the last fit, on all data; as in ``LinearRegressor``.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from pdprox import LinearRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearRegressorCV(alphas=10).fit(X, y)
    >>> model.status_, round(model.score(X, y), 1)
    ('converged', 0.5)
    """

    def __init__(
        self,
        loss: Any = "absolute",
        penalty: Any = "l1",
        alphas: Any = 30,
        ratio: float = 1e-3,
        cv: Any = None,
        rule: str = "best",
        scoring: Any = None,
        feature_groups: Any = None,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        method: Any = "auto",
        n_jobs: int | None = None,
        verbose: Any = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alphas = alphas
        self.ratio = ratio
        self.cv = cv
        self.rule = rule
        self.scoring = scoring
        self.feature_groups = feature_groups
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.method = method
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _labels(self, X: Any, y: Any, weights: Any) -> tuple[Any, list[Any]]:
        return weights, [y]
