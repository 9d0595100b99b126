"""What all linear estimators share: the way from scikit-learn's words to a problem, and back."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any, Self

import numpy as np
import sklearn.exceptions
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from pdprox import losses, penalties
from pdprox.certificate import certify
from pdprox.estimators.groups import labels_of
from pdprox.losses import Loss
from pdprox.naming import by_name, class_by_name, name_of
from pdprox.penalties import Penalty
from pdprox.problem import Problem
from pdprox.solution import ConvergenceWarning, Solution
from pdprox.solve import Report, shortfall, solved
from pdprox.values import Parameters

try:  # scikit-learn 1.9
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # estimators have no set_callbacks then; everything else works

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        """The method itself."""
        return method


__all__ = ["FitWarning", "LinearEstimator", "is_number", "keep", "with_callbacks"]


class FitWarning(ConvergenceWarning, sklearn.exceptions.ConvergenceWarning):
    """A fit ended before the certified gap was as small as ``tol``; the coefficients are the best ones found."""


class LinearEstimator(CallbackSupportMixin, BaseEstimator):
    """Fits linear models of the mean loss plus ``alpha`` times a penalty.

    Subclasses state their parameters, which hold at least ``loss, penalty, alpha, feature_groups, fit_intercept,
    tol, max_iter, max_time, method, warm_start, verbose``.
    """

    #: what losses read: "margin" or "residual"
    _reads: str
    tol: float
    coef_: Any
    intercept_: Any
    #: fitted: one solution for each model
    _solutions: list[Solution]

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``loss__...`` and ``penalty__...`` replace the object by one with that parameter changed."""
        own = {name: value for name, value in params.items() if not name.startswith(("loss__", "penalty__"))}
        super().set_params(**own)
        for part, kind in (("loss", losses.ALL), ("penalty", penalties.ALL)):
            inner = {
                name.removeprefix(f"{part}__"): value
                for name, value in params.items()
                if name.startswith(f"{part}__")
            }
            if inner:
                held = getattr(self, part, None)
                held = by_name(held, kind, part) if isinstance(held, str) else held
                if not isinstance(held, Parameters):
                    raise ValueError(f"{part} is {held!r}, which has no parameters to set")
                setattr(self, part, held.with_params(**inner))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # -- from data to problems ----------------------------------------------------------------------------

    def _checked(self, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
        """X and y as numbers, names and number of features noted."""
        return validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            accept_large_sparse=True,
            **options,
        )

    def _weights(self, sample_weight: Any, X: Any) -> Any:
        if sample_weight is None:
            return None
        return _check_sample_weight(sample_weight, X, dtype=np.float64)

    def _problem(self, X: Any, y: Any, sample_weight: Any, **sets: Any) -> Problem:
        return Problem(
            X,
            y,
            self._loss(),
            self._penalty(X.shape[1]),
            self._lam(),
            self._flag("fit_intercept"),
            sample_weight,
            **sets,
        )

    def _loss(self) -> Any:
        """The loss as an object, of the kind that this estimator takes."""
        loss = getattr(self, "loss")  # noqa: B009
        loss = by_name(loss, losses.ALL, "loss") if isinstance(loss, str) else loss
        if isinstance(loss, Loss) and loss.reads != self._reads:
            known = ", ".join(sorted(name_of(kind) for kind in losses.ALL if kind.reads == self._reads))
            raise ValueError(
                f"{type(self).__name__} takes losses of the {self._reads}, and {type(loss).__name__} is one of the "
                f"{loss.reads}; by name there are: {known}"
            )
        return loss

    def _lam(self) -> Any:
        alpha = getattr(self, "alpha")  # noqa: B009
        if not is_number(alpha) or alpha < 0:
            raise ValueError(f"alpha must be a number >= 0, got {alpha!r}")
        return float(alpha)

    def _flag(self, name: str) -> bool:
        value = getattr(self, name)
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name} must be True or False, got {value!r}")
        return bool(value)

    def _penalty(self, d: int) -> Any:
        """The penalty as an object, with the groups of the features if it has any."""
        penalty = getattr(self, "penalty")  # noqa: B009
        groups = getattr(self, "feature_groups", None)
        if not isinstance(penalty, str):
            if groups is not None:
                raise ValueError(
                    f"feature_groups goes with penalties by name; {type(penalty).__name__} has its own groups, or none"
                )
            return penalty
        kind = class_by_name(penalty, penalties.ALL, "penalty")
        grouped = is_dataclass(kind) and any(field.name == "groups" for field in fields(kind))
        if not grouped:
            if groups is not None:
                raise ValueError(
                    f"penalty {penalty!r} knows no groups; leave feature_groups out, or use 'group-lasso'"
                )
            return by_name(penalty, penalties.ALL, "penalty")
        if groups is None:
            raise ValueError(
                f"penalty {penalty!r} needs feature_groups: labels, lists of features, or name prefixes"
            )
        names = getattr(self, "feature_names_in_", None)
        made: Penalty = kind(groups=labels_of(groups, names, d))
        return made

    def checkpointed(self, path: Any, every: float = 60.0, resume_from: Any = None) -> Self:
        """Save the run of the next fits while it goes on, so that a killed one can be gone on with.

        Parameters
        ----------
        path : path or None
            The file, replaced at once and as a whole; None writes none.
        every : float, default=60
            Seconds between two checkpoints.
        resume_from : path, optional
            A checkpoint of the same data and parameters to go on from.

        Returns
        -------
        self
        """
        self._checkpoints = {"checkpoint": path, "every": every, "resume_from": resume_from}
        return self

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """How far the fitted coefficients are from optimal for these data, with this loss and penalty.

        Returns
        -------
        Certificate
            One for each model, where there are several.
        """
        check_is_fitted(self)
        problems = self._problems(X, y, sample_weight)
        found = [
            certify(problem, solution.w, solution.intercept, _fitting(solution.alpha, problem))
            for problem, solution in zip(problems, self._solutions, strict=True)
        ]
        return found[0] if len(found) == 1 else found

    @abstractmethod
    def _problems(self, X: Any, y: Any, sample_weight: Any) -> list[Problem]:
        """The problem of each model; does not change the estimator but for what validation notes."""

    # -- from problems to solutions -----------------------------------------------------------------------

    def _options(self) -> dict[str, Any]:
        options = {name: getattr(self, name) for name in ("tol", "max_iter", "max_time", "method", "verbose")}
        return options | getattr(self, "_checkpoints", {})

    def _solve(self, problem: Problem, before: Any = None, callback: Any = None, **options: Any) -> Solution:
        """The solution, from a start if there is one; it does not warn, as fits in threads share the filters."""
        return solved(problem, callback=callback, warm_start=before, **(self._options() | options))

    def _tell(self, solutions: list[Solution]) -> None:
        """Warn, in scikit-learn's kind, of solutions that fall short of the tolerance."""
        for solution in solutions:
            told = shortfall(solution, self.tol)
            if told is not None:
                message = f"{type(self).__name__}: {told}"
                warnings.warn(FitWarning(message, told.status, told.relative_gap), stacklevel=4)

    def _before(self, k: int, problem: Problem) -> Any:
        """The k-th solution of the last fit, if it is to be used and fits."""
        if not self._flag("warm_start") or len(getattr(self, "_solutions", [])) <= k:
            return None
        last = self._solutions[k]
        if last.w.shape != (problem.features.d, *problem.features.shape[1:]):
            return None
        return last.w, last.intercept, _fitting(last.alpha, problem)

    def _bridge(self, context: Any, X: Any, y: Any, attributes: Callable[[Report], dict[str, Any]]) -> Any:
        """Our callback that asks scikit-learn's at every audit; None if there are none."""
        if context is None or not getattr(self, "_skl_callbacks", None):
            return None

        def callback(report: Report) -> Any:
            task = context.subcontext(task_name="audit")
            metadata = {
                "seconds": report.seconds, "passes": report.passes, "primal": report.certificate.primal,
                "dual": report.certificate.dual, "relative_gap": report.certificate.relative_gap,
            }  # fmt: skip
            told = {"estimator": self, "X": X, "y": y, "metadata": metadata}
            task.call_on_fit_task_begin(**told)
            return task.call_on_fit_task_end(**told, reconstruction_attributes=attributes(report))

        return callback

    @contextmanager
    def _task(self, X: Any, y: Any) -> Iterator[Any]:
        """The context of this fit's callbacks, which hear of its begin and end; None where scikit-learn has none."""
        begin = getattr(self, "_init_callback_context", None)
        if begin is None:
            yield None
            return
        context = begin(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        yield context
        context.call_on_fit_task_end(estimator=self, X=X, y=y)

    def _predictions(self, X: Any) -> Any:
        """X coef_ + intercept_."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return np.asarray(X @ self.coef_.T) + self.intercept_


def keep(self: Any, solutions: list[Solution], dtype: Any, single: bool) -> None:
    """Set the fitted attributes: lists or arrays of them, unless there is one model only.

    A single classifier's coefficients are one row, as scikit-learn has it.
    """
    self._solutions = solutions

    def gathered(values: list[Any]) -> Any:
        return values[0] if single else values

    def several(values: list[Any]) -> Any:
        return values[0] if single else np.array(values)

    self.coef_ = np.array([solution.w.T for solution in solutions], dtype=dtype)
    self.intercept_ = np.array([solution.intercept for solution in solutions], dtype=dtype)
    if single and not hasattr(self, "classes_"):
        self.coef_, self.intercept_ = self.coef_[0], self.intercept_[0]
    self.dual_coef_ = several([solution.alpha for solution in solutions])
    self.support_ = gathered([np.flatnonzero(_lengths(solution.alpha)) for solution in solutions])
    self.objective_ = several([solution.certificate.primal for solution in solutions])
    self.dual_gap_ = several([max(solution.certificate.gap, 0.0) for solution in solutions])
    self.status_ = gathered([solution.status for solution in solutions])
    self.history_ = gathered([solution.history for solution in solutions])
    self.n_iter_ = max(1, *(solution.iterations for solution in solutions))


def _lengths(alpha: Any) -> Any:
    return np.abs(alpha.reshape(len(alpha), -1)).max(axis=1)


def _fitting(alpha: Any, problem: Problem) -> Any:
    """Dual variables, if they are as many as the problem has; else None."""
    return alpha if alpha.shape == problem.samples.slopes(problem.samples.dual()).shape else None


def is_number(value: Any) -> bool:
    """Whether it is a real number, and not True or False."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
