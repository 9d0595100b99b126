"""The paper's line as an object: what is to be minimised, and how it is built from the user's data."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pdprox import losses, penalties
from pdprox.features import Features, term
from pdprox.losses import Loss, paper_form
from pdprox.naming import by_name
from pdprox.penalties import L1, Penalty
from pdprox.samples import Dual, LocalSamples, Samples, ShiftedColumns, WeightedBudget
from pdprox.samples.intake import advice, fine, fits, stored_matrix
from pdprox.samples.local import ROUNDING
from pdprox.samples.matrix import Matrix, Shifted
from pdprox.sets import Budget, ConvexSet
from pdprox.typing import Floats
from pdprox.values import number, real


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem:
    r"""A regularised loss, seen as the paper's saddle point.

    .. math::

        P(w, b) = \sum_i c_i\, \ell_i(x_i^\top w + b) + \lambda R(w)
                = \max_{\alpha}\; \sum_i c_i \bigl(\alpha_i t_i(w, b) - \ell^*(\alpha_i)\bigr) + \lambda R(w),
        \qquad c_i = s_i / \textstyle\sum_j s_j

    with the margins or residuals t, and alpha the slopes of the losses.  The intercept is never
    penalised.  Weight 2 is the row twice, weight 0 is the row absent.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d), or ShiftedColumns
        The data: one row a sample.  float32 and float64 stay as they are in memory.
    y : array of shape (n,) or (n, K)
        The targets: -1 and 1 for losses of the margin, numbers for losses of the residual.
    loss : Loss or str, default="hinge"
        One of ``pdprox.losses.ALL``, by name or as an object, or your own.
    penalty : Penalty or str, default="l1"
        One of ``pdprox.penalties.ALL``, by name or as an object, or your own.
    lam : float
        The factor of the penalty, at least 0.  The loss is a mean, so lam does not grow with n.
    intercept : bool, default=True
        Whether to fit b.
    sample_weight : array of shape (n,), optional
        At least 0, not all 0.
    primal_set : ConvexSet, optional
        Where w must lie.  Errors tell which sets go with which penalties.
    dual_set : pdprox.sets.Budget, optional
        Constrains the slopes to ``sum_i s_i v_i |alpha_i| <= rho``; with the hinge this is the paper's
        budget SVM.
    dual_form : {"compact", "paper"}, default="compact"
        One dual variable for each sample, or as many as the paper has: one for each sloping piece of
        the loss, but a single one for hinge and absolute.  The solution is the same, the iterates are not.
    """

    samples: Samples
    features: Features
    loss: Loss
    penalty: Penalty
    lam: float

    def __init__(
        self,
        X: Any,
        y: Any,
        loss: Loss | str = "hinge",
        penalty: Penalty | str = "l1",
        lam: float | None = None,
        intercept: bool = True,
        sample_weight: Any = None,
        primal_set: ConvexSet | None = None,
        dual_set: ConvexSet | None = None,
        dual_form: str = "compact",
    ) -> None:
        if lam is None:
            raise TypeError(
                "lam is missing: Problem(X, y, loss, penalty, lam=...) needs the factor of the penalty"
            )
        told: Loss = _object(loss, Loss, losses.ALL, "loss")
        told.check()
        price: Penalty = _object(penalty, Penalty, penalties.ALL, "penalty")
        lam = _lam(lam)
        if not isinstance(intercept, (bool, np.bool_)):
            raise TypeError(f"intercept must be True or False, got {intercept!r}")
        if primal_set is not None and not isinstance(primal_set, ConvexSet):
            raise TypeError(f"primal_set must be an object such as NonNegative(), got {primal_set!r}")
        matrix = _matrix(X)
        n, d = matrix.shape
        targets = _targets(y, n, told)
        weights = _weights(sample_weight, n)
        shape = (d, *targets.shape[1:])
        price.check(shape)
        if primal_set is not None:
            primal_set.check(shape)
        budget = None if dual_set is None else _budget(dual_set, weights, targets.ndim, told, dual_form)
        told = _dual_form(told, dual_form)
        samples = LocalSamples(matrix, targets, told, weights, bool(intercept), budget)
        features = Features(term(price, lam, primal_set), samples.shape, bool(intercept))
        for name, value in (
            ("samples", samples),
            ("features", features),
            ("loss", told),
            ("penalty", price),
            ("lam", lam),
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        n, d = self.samples.size(None), self.features.d
        told = [f"{n} x {d}", repr(self.loss), repr(self.penalty), f"lam={self.lam:g}"]
        if self.features.shape[1:]:
            told[0] += f" to {self.features.shape[1]}"
        if not self.features.intercept:
            told.append("intercept=False")
        if self.features.term.domain is not None:
            told.append(repr(self.features.term.domain))
        return f"Problem({', '.join(told)})"

    def at(self, lam: float) -> Problem:
        """The same problem with another lam; data and samples are shared."""
        other = copy(self)
        lam = _lam(lam)
        features = replace(self.features, term=term(self.penalty, lam, self.features.term.domain))
        object.__setattr__(other, "lam", lam)
        object.__setattr__(other, "features", features)
        return other

    def on(self, samples: Samples) -> Problem:
        """The same problem on other samples with the same features."""
        other = copy(self)
        object.__setattr__(other, "samples", samples)
        return other

    @property
    def unpenalised(self) -> Problem | None:
        """The problem of the coefficients alone that cost nothing at any lam; None where there are no such rows."""
        free = self.penalty.free((self.features.d, *self.features.shape[1:])).reshape(self.features.d, -1)
        rows = np.asarray(free.all(axis=1))
        if self.features.term.domain is not None or not rows.any() or np.any(free != rows[:, None]):
            return None
        other = self.on(self.samples.part(np.flatnonzero(rows), None))
        features = Features(term(L1(), 0.0, None), other.samples.shape, self.features.intercept)
        for name, value in (("penalty", L1()), ("lam", 0.0), ("features", features)):
            object.__setattr__(other, name, value)
        return other

    def sums(self, dual: Dual) -> Floats:
        """H alpha without the intercept's entry, and 0 where rounding is all that there is."""
        d, slopes = self.features.d, np.max(np.abs(self.samples.slopes(dual)))
        noise = ROUNDING * slopes * self.samples.column_sums()[:d]
        g = dual.g[:d]
        return np.where(np.abs(g) <= noise.reshape(-1, *(1,) * (g.ndim - 1)), 0.0, g)

    def join(self, w: Any, intercept: Any = None) -> Floats:
        """w and the intercept as the engine's x.  With shifted columns, w is in the units of these columns."""
        d, rest = self.features.d, self.features.shape[1:]
        w = _shaped(w, (d, *rest), "w", "")
        b = real(0.0 if intercept is None else intercept, "the intercept")
        if not (np.all(np.isfinite(w)) and np.all(np.isfinite(b))):
            raise ValueError("w and the intercept must be finite; they hold NaN or infinite values")
        if not self.features.intercept:
            if np.any(b != 0):
                raise ValueError(
                    f"the problem has no intercept, but one was given: {intercept!r}; use intercept=True"
                )
            coefficients: Floats = w
            return coefficients
        if b.size not in (1, int(np.prod(rest))):
            raise ValueError(f"the intercept must have shape {rest}, got {b.shape}")
        last = np.broadcast_to(b.reshape(rest if b.size > 1 else ()), rest)
        return np.concatenate([w, last[None]])

    def slopes(self, alpha: Any) -> Floats:
        """Dual variables of the user's as an array of slopes."""
        expected = self.samples.slopes(self.samples.dual()).shape
        array = _shaped(alpha, expected, "alpha", ", one slope for each sample")
        if not np.all(np.isfinite(array)):
            raise ValueError("alpha must be finite; it holds NaN or infinite values")
        return array

    @cached_property
    def rounding(self) -> float:
        """What rounding leaves of an objective that begins at the loss of w = 0 and falls to nothing."""
        begin = self.samples.loss(np.zeros(self.features.shape), improve=False)[0]
        return ROUNDING * begin if np.isfinite(begin) else 0.0

    def noise(self, x: Floats) -> float:
        """What rounding leaves of predictions at x, whose terms are large where columns are and cancel."""
        slopes = [abs(bound) for bound in self.loss.bounds if np.isfinite(bound)]
        terms = self.samples.column_sums() @ np.abs(x).reshape(len(x), -1)
        return ROUNDING * max([1.0, *slopes]) * float(np.sum(terms))

    def split(self, x: Floats) -> tuple[Floats, Any]:
        """The engine's x as w and the intercept (0.0 without one)."""
        return x[: self.features.d].copy(), self.intercept_of(x)

    def intercept_of(self, x: Floats) -> Any:
        """The intercept in the engine's x (0.0 without one)."""
        if not self.features.intercept:
            return 0.0 if x.ndim == 1 else np.zeros(x.shape[1])
        return float(x[-1]) if x.ndim == 1 else x[-1].copy()


def required(problem: Any) -> None:
    """Raise TypeError when this is no problem."""
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a Problem(X, y, ...), got {type(problem).__name__}")


def _object(given: Any, kind: type, members: tuple[type, ...], name: str) -> Any:
    if isinstance(given, str):
        return by_name(given, members, name)
    if isinstance(given, type):
        raise TypeError(f"{name} must be an object, got the class {given.__name__}; write {given.__name__}()")
    if not isinstance(given, kind):
        raise TypeError(f"{name} must be a {kind.__name__} or one of their names, got {given!r}")
    return given


def _shaped(given: Any, shape: tuple[int, ...], name: str, what: str) -> Floats:
    """A float64 array of this shape; one row or one column will do for a vector."""
    array = real(given, name)
    if len(shape) == 1 and array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.shape != shape:
        hint = "; transpose it" if array.T.shape == shape else ""
        raise ValueError(f"{name} must have shape {shape}{what}, got {array.shape}{hint}")
    return array


def _lam(lam: Any) -> float:
    factor = number(lam, "lam")
    if not np.isfinite(factor) or factor < 0:
        raise ValueError(f"lam must be a finite number >= 0, got {factor}")
    return factor


def _matrix(X: Any) -> Matrix:
    if not isinstance(X, ShiftedColumns):
        return stored_matrix(X)
    stored = stored_matrix(X.X)
    d = stored.shape[1]
    centre = _column_numbers(X.centre, 0.0, d, "centre")
    scale = _column_numbers(X.scale, 1.0, d, "scale")
    if np.any(scale <= 0):
        raise ValueError(f"scale must be positive, got {scale.min()} in column {int(np.argmin(scale))}")
    return Shifted(stored, centre, scale)


def _column_numbers(given: Any, default: float, d: int, name: str) -> Floats:
    numbers = np.full(d, default) if given is None else real(given, name)
    if numbers.shape != (d,) or not np.all(np.isfinite(numbers)):
        raise ValueError(f"{name} must be {d} finite numbers, one a column; got shape {numbers.shape}")
    return numbers


def _targets(y: Any, n: int, loss: Loss) -> Floats:
    array = np.asarray(y)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"y must hold numbers, got dtype {array.dtype}; encode classes as -1 and 1")
    array = real(y, "y")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2) or len(array) != n or 0 in array.shape:
        raise ValueError(
            f"y must have one entry or row for each of the {n} rows of X, got shape {array.shape}"
        )
    if not fine(array):
        row, column = (int(number) for number in np.argwhere(~fits(array.reshape(n, -1)))[0])
        value = array.reshape(n, -1)[row, column]
        raise ValueError(f"y holds {value} in row {row}; {advice(value)}")
    loss.check_targets(array)
    return np.ascontiguousarray(array)


def _weights(given: Any, n: int) -> Floats:
    if given is None:
        return np.ones(n)
    array = real(given, "sample_weight")
    if array.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), got {array.shape}")
    if not np.all(np.isfinite(array)) or np.any(array < 0):
        bad = int(np.flatnonzero(~(np.isfinite(array) & (array >= 0)))[0])
        raise ValueError(f"sample_weight must be finite and >= 0, got {array[bad]} in row {bad}")
    if not np.any(array > 0):
        raise ValueError("sample_weight is 0 for every sample; at least one must be positive")
    with np.errstate(over="ignore"):
        total = array.sum()
    if not np.isfinite(total):
        raise ValueError(f"sample_weight is too large to be summed, up to {array.max()}; only ratios matter")
    return array


def _dual_form(loss: Loss, form: str) -> Loss:
    if form == "compact":
        return loss
    if form == "paper":
        return paper_form(loss)
    raise ValueError(f'dual_form must be "compact" or "paper", got {form!r}')


def _budget(given: ConvexSet, weights: Floats, dimensions: int, loss: Loss, form: str) -> WeightedBudget:
    if not isinstance(given, Budget):
        raise TypeError(f"dual_set must be a pdprox.sets.Budget, got {given!r}")
    line = loss.broken_line
    if line is None or line.smoothing > 0 or form != "compact":
        raise ValueError(
            f"a budget on the dual goes with broken lines in compact form, not with {loss!r}, {form!r}"
        )
    if dimensions > 1:
        raise ValueError("a budget on the dual goes with one target; fit the columns of y one by one")
    given.check(weights.shape)
    v = np.broadcast_to(
        np.asarray(1.0 if given.weights is None else given.weights, dtype=np.float64), weights.shape
    )
    return WeightedBudget(float(given.rho), weights * v, v, line)
