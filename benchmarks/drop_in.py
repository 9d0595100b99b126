"""scikit-learn's estimators with a non-smooth loss, and ours on the same problem: time, and what is proved.

    python benchmarks/drop_in.py

Theirs with their defaults but for the number of iterations where they warn that it was too small.  The gap of theirs is
that of the objective at their coefficients to the best bound that ours proved: what it really is, not what they say.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import QuantileRegressor, SGDClassifier
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC, LinearSVR

import pdprox
from pdprox import losses
from pdprox.datasets import load_adult, load_engel

REPEATS = 5


@dataclass(frozen=True)
class Pair:
    """The same problem for both."""

    title: str
    X: Any
    y: Any
    theirs: Any
    ours: Any


def pairs() -> Iterator[Pair]:
    """The instances."""
    X, y = load_adult()
    n = len(y)
    for C in (0.01, 1.0, 100.0):
        yield Pair(
            f"Adult 32561x123, LinearSVC(loss='hinge', C={C:g})",
            X, y, LinearSVC(loss="hinge", C=C, fit_intercept=False, max_iter=10_000),
            pdprox.LinearClassifier(penalty="squared-l2", alpha=1 / (C * n), fit_intercept=False),
        )  # fmt: skip
    for alpha in (1e-2, 1e-3):
        yield Pair(
            f"Adult 32561x123, SGDClassifier(penalty='l1', alpha={alpha:g})",
            X, y, SGDClassifier(penalty="l1", alpha=alpha, random_state=0),
            pdprox.LinearClassifier(alpha=alpha),
        )  # fmt: skip
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X), y / y.std()
    for C in (1.0, 100.0):
        yield Pair(
            f"diabetes 442x10, LinearSVR(epsilon=0.1, C={C:g})",
            X, y, LinearSVR(epsilon=0.1, C=C, fit_intercept=False, max_iter=100_000),
            pdprox.LinearRegressor(
                losses.EpsilonInsensitive(0.1), "squared-l2", 1 / (C * len(y)), fit_intercept=False
            ),
        )  # fmt: skip
    engel = load_engel()
    big = make_regression(5000, 100, n_informative=20, noise=50.0, random_state=0)
    for title, (X, y), alpha in (
        ("Engel 235x1", (engel.X, engel.y), 0.0), ("make_regression 5000x100", big, 1.0),
    ):  # fmt: skip
        yield Pair(
            f"{title}, QuantileRegressor(quantile=0.9, alpha={alpha:g})",
            X, y, QuantileRegressor(quantile=0.9, alpha=alpha),
            pdprox.QuantileRegressor(0.9, alpha=alpha),
        )  # fmt: skip


def timed(model: Any, X: Any, y: Any) -> float:
    """The median time of a fit."""
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        model.fit(X, y)
        seconds.append(time.perf_counter() - began)
        if sum(seconds) > 20.0:
            break
    return float(np.median(seconds))


def gap_of(pair: Pair) -> float:
    """How far the objective at their coefficients is from the best bound, relative to it."""
    ours, theirs = pair.ours, pair.theirs
    problem = pdprox.Problem(
        pair.X, np.where(pair.y > 0, 1.0, -1.0) if hasattr(ours, "classes_") else pair.y,
        losses.Pinball(ours.quantile) if hasattr(ours, "quantile") else ours.loss,
        ours.penalty, ours.alpha, ours.fit_intercept,
    )  # fmt: skip
    primal = pdprox.certify(problem, np.ravel(theirs.coef_), None).primal
    bound = float(ours.objective_) - float(ours.dual_gap_)
    return max(primal - bound, 0.0) / max(abs(primal), abs(bound))


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| problem | theirs, s | ours, s | theirs / ours | their true gap | our certified gap |")
    print("|---|---:|---:|---:|---:|---:|")
    for pair in pairs():
        theirs, ours = timed(pair.theirs, pair.X, pair.y), timed(pair.ours, pair.X, pair.y)
        certified = float(pair.ours.dual_gap_) / abs(float(pair.ours.objective_))
        print(
            f"| {pair.title} | {theirs:.2g} | {ours:.2g} | {theirs / ours:.2g} | {gap_of(pair):.0e} "
            f"| {certified:.0e} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
