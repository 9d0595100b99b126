"""Which samples hold a solution, and where they lie."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from pdprox import losses
from pdprox.displays.base import fitted, models, panels
from pdprox.losses import Loss, Pinball
from pdprox.naming import by_name
from pdprox.problem import Problem, required
from pdprox.solution import Solution
from pdprox.typing import Floats


class SupportDisplay:
    """Dual variables against margins or residuals; below, how many samples lie where, by the same colours.

    The dual variable of a sample is a slope of its loss.  At one of the slopes that the loss has between its kinks
    it is settled: the sample lies there, off the kinks, and pulls no more and no less wherever it moves between them.
    A slope between two of these means that the sample lies on a kink (or, under a budget, where the budget ends).
    Samples of slope 0 could be left out without a change of the solution.

    Make one with ``from_solution`` or ``from_estimator``; the arguments here are what it stores.

    Parameters
    ----------
    arguments : array of shape (n,)
        Margins ``y z`` or residuals ``z - y``, as the loss reads them.
    slopes : array of shape (n,)
        The dual variables.
    loss : Loss
        The loss.
    tolerance : float, default=1e-3
        So near to a slope of the loss, as a share of the range of slopes, counts as there.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where the dual variables are.
    axes_ : tuple of matplotlib Axes
        ``ax_`` and, unless a single one was given, the axes of the histogram.
    parts_ : dict of str to array of int
        The samples in each part: ``"slope -1"``, ..., and ``"between slopes"`` (of smooth losses ``"slope not 0"``);
        parts without samples are left out.
    lines_ : list of matplotlib Line2D
        The samples of each part, in that order, and the slope of the loss.
    bars_ : list of matplotlib BarContainer
        The histogram of each part; empty without those axes.
    """

    ax_: Any
    figure_: Any
    axes_: tuple[Any, ...]
    parts_: dict[str, Any]
    lines_: list[Any]
    bars_: list[Any]

    def __init__(self, arguments: Any, slopes: Any, loss: Loss, tolerance: float = 1e-3) -> None:
        self.arguments = np.asarray(arguments, dtype=np.float64)
        self.slopes = np.asarray(slopes, dtype=np.float64)
        self.loss = loss
        self.tolerance = tolerance
        if self.arguments.shape != self.slopes.shape or self.slopes.ndim != 1:
            raise ValueError(
                f"arguments and slopes must have one entry for each sample, got shapes {self.arguments.shape} "
                f"and {self.slopes.shape}"
            )

    @classmethod
    def from_solution(
        cls, problem: Problem, solution: Solution, tolerance: float = 1e-3, ax: Any = None
    ) -> Self:
        """Draw the samples of a solution.

        Parameters
        ----------
        problem : Problem
            With several targets every target of a sample counts as one.  Samples of weight 0 are left out.
        solution : Solution
            A solution of it.
        tolerance : float, default=1e-3
            So near to a slope of the loss, as a share of the range of slopes, counts as there.
        ax : matplotlib Axes or two of them, optional
            Where to draw; a new figure by default.  On one alone the histogram is left out.

        Returns
        -------
        SupportDisplay
        """
        required(problem)
        slopes = problem.slopes(solution.alpha)
        x = problem.join(solution.w, solution.intercept if problem.features.intercept else None)
        arguments = np.asarray(problem.samples.forward(x))
        weights = getattr(problem.samples, "weights", None)
        return cls._of(arguments, slopes, problem.loss, weights, tolerance).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        which: Any = None,
        sample_weight: Any = None,
        tolerance: float = 1e-3,
        ax: Any = None,
    ) -> Self:
        """Draw the samples of a fit.

        Parameters
        ----------
        estimator : fitted estimator of pdprox, or pipeline that ends with one
            Whose dual variables to draw.
        X, y : array of shape (n, d), array of shape (n,) or (n, K)
            The data of the fit.
        which : class or quantile, optional
            Whose model, if the estimator has several.
        sample_weight : array of shape (n,), optional
            Samples of weight 0 are left out.
        tolerance, ax
            As in ``from_solution``.

        Returns
        -------
        SupportDisplay
        """
        last = fitted(estimator, "dual_coef_", "this display is for estimators of pdprox")
        y = np.asarray(y)
        k = _model(last, y, which)
        slopes = last.dual_coef_ if k is None else last.dual_coef_[k]
        if len(slopes) != len(y):
            raise ValueError(
                f"the fit has dual variables for {len(slopes)} samples, but y has {len(y)}; give the data of the fit"
            )
        if hasattr(last, "classes_"):
            z = estimator.decision_function(X)
            arguments = _labels(last, y, k) * (z if k is None else z[:, k])
        else:
            if getattr(last, "rearrange", False):
                raise ValueError(
                    "rearrange=True mixes the predictions of the quantiles' models; use set_params(rearrange=False)"
                )
            z = estimator.predict(X)
            arguments = (z if k is None else z[:, k]) - y
        return cls._of(arguments, slopes, _loss(last, k or 0), sample_weight, tolerance).plot(ax)

    @classmethod
    def _of(cls, arguments: Floats, slopes: Floats, loss: Loss, weights: Any, tolerance: float) -> Self:
        """Without samples that have no weight, targets one after the other."""
        if loss.value(slopes[:1]).ndim < slopes.ndim:
            raise ValueError(
                f"{type(loss).__name__} bounds the slopes of a sample together, which no picture of single slopes shows"
            )
        if weights is not None:
            seen = np.asarray(weights) > 0
            arguments, slopes = arguments[seen], slopes[seen]
        return cls(arguments.ravel(), slopes.ravel(), loss, tolerance)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on the given axes or in a new figure, and return the display itself."""
        self.axes_ = panels(ax, (2.0, 1.0), (7.0, 5.5))
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        ax = self.ax_
        self.parts_ = self._parts()
        colours = _colours(self.parts_)
        self.lines_ = []
        for (name, some), colour in zip(self.parts_.items(), colours, strict=True):
            label = f"{name}: {len(some)} of {len(self.slopes)}"
            self.lines_ += ax.plot(
                self.arguments[some], self.slopes[some], ".", color=colour, ms=5, alpha=0.7, label=label
            )
        self.lines_ += ax.plot(*self._graph(), color="k", lw=0.8, zorder=1, label="slope of the loss")
        ax.set_ylabel("dual variable")
        ax.margins(y=0.08)
        ax.legend(fontsize="small", loc="upper left")  # where slopes, which ascend, never are
        self.bars_ = []
        for below in self.axes_[1:]:
            parts = [self.arguments[some] for some in self.parts_.values()]
            found = below.hist(parts, bins=60, stacked=True, color=colours)[2]
            self.bars_ = [found] if len(parts) == 1 else list(found)
            below.set_ylabel("samples")
        self.axes_[-1].set_xlabel("margin" if self.loss.reads == "margin" else "residual")
        return self

    def _parts(self) -> dict[str, Any]:
        """The samples by their slopes."""
        settled, (low, high) = self._settled(), self.loss.bounds
        spread = high - low if np.isfinite(high - low) else float(np.ptp(self.slopes)) or 1.0
        near = np.abs(self.slopes[:, None] - settled) <= self.tolerance * spread
        found = {f"slope {value:g}": np.flatnonzero(near[:, k]) for k, value in enumerate(settled)}
        other = "between slopes" if len(settled) > 1 else "slope not 0"
        found[other] = np.flatnonzero(~near.any(axis=1))
        return {name: some for name, some in found.items() if len(some)}

    def _settled(self) -> Floats:
        """The finite slopes of a broken line; 0 where there are none."""
        line = getattr(self.loss, "loss", self.loss).broken_line  # the paper's form holds the line itself
        slopes = np.empty(0) if line is None else line.slopes[np.isfinite(line.slopes)]
        return slopes if len(slopes) else np.zeros(1)

    def _graph(self) -> tuple[Floats, Floats]:
        """The slope of the loss as a line, vertical at kinks."""
        low, high = float(np.min(self.arguments)), float(np.max(self.arguments))
        line = getattr(self.loss, "loss", self.loss).broken_line
        if line is None or line.smoothing > 0:
            t = np.linspace(low, high, 500)
            return t, np.asarray(self.loss.dual_prox(t * 1e15, 1e15))
        kinks = line.kinks[(line.kinks >= low) & (line.kinks <= high)]
        first = int(np.searchsorted(line.kinks, low))
        t = np.concatenate([[low], np.repeat(kinks, 2), [high]])
        return t, np.repeat(line.slopes[first : first + len(kinks) + 1], 2)


def _colours(parts: dict[str, Any]) -> list[str]:
    """Grey for slope 0, orange for between, others in turn."""
    others = iter(["C0", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"] * len(parts))
    fixed = {"slope 0": "0.6", "between slopes": "C1", "slope not 0": "C1"}
    return [fixed.get(name) or next(others) for name in parts]


def _model(estimator: Any, y: Any, which: Any) -> int | None:
    """The number of the model; None if there is one only."""
    dual = np.asarray(estimator.dual_coef_)
    if dual.ndim == 1 or y.ndim == 2:
        if which is not None:
            raise ValueError(f"{type(estimator).__name__} has one model only; leave which={which!r} out")
        return None
    word, known = models(estimator, len(dual))
    if which is None or which not in known:
        got = "say which=..." if which is None else f"got which={which!r}"
        raise ValueError(f"{type(estimator).__name__} has one model for each {word} of {known}; {got}")
    return known.index(which)


def _labels(estimator: Any, y: Any, k: int | None) -> Floats:
    """1 for the samples of the model's class, -1 for others."""
    strange = np.setdiff1d(y, estimator.classes_)
    if len(strange):
        raise ValueError(f"y holds {strange.tolist()[0]!r}, which is none of the classes of the fit")
    return np.where(y == estimator.classes_[1 if k is None else k], 1.0, -1.0)


def _loss(estimator: Any, k: int) -> Loss:
    """The loss of the k-th model."""
    if hasattr(estimator, "quantile"):
        return Pinball(float(np.atleast_1d(estimator.quantile)[k]))
    loss: Loss = (
        by_name(estimator.loss, losses.ALL, "loss") if isinstance(estimator.loss, str) else estimator.loss
    )
    return loss
