"""How models of different strength do on the folds of a cross-validation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from pdprox.displays.base import fitted, logarithmic, panels


class ValidationDisplay:
    """Mean score of a cross-validation against alpha, with a band of one standard error and the chosen alpha.

    Make one with ``from_estimator``; the arguments here are what it stores.

    Parameters
    ----------
    alphas : array of shape (alphas,)
        Positive; drawn on a logarithmic axis, the largest on the left.
    scores : array of shape (alphas, folds)
        Larger is better.  With a single fold there is no band.
    chosen : float or None, default=None
        The alpha to mark.
    score : str, default="score"
        What the scores are.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    lines_ : list of matplotlib Line2D
        The mean score and, if there is one, the mark of the chosen alpha.
    band_ : matplotlib PolyCollection or None
        One standard error to either side.
    """

    ax_: Any
    figure_: Any
    lines_: list[Any]
    band_: Any

    def __init__(self, alphas: Any, scores: Any, chosen: float | None = None, score: str = "score") -> None:
        self.alphas = np.asarray(alphas, dtype=np.float64)
        self.scores = np.asarray(scores, dtype=np.float64)
        self.chosen = chosen
        self.score = score
        if self.scores.ndim != 2 or len(self.scores) != len(self.alphas):
            raise ValueError(
                f"scores must have a row for each of {len(self.alphas)} alphas and a column for each fold, "
                f"got shape {self.scores.shape}"
            )
        if len(np.unique(self.alphas)) < 2 or np.any(self.alphas <= 0):
            raise ValueError(f"a line on a logarithmic axis needs two alphas > 0 or more, got {self.alphas}")

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Draw what a ``LinearClassifierCV`` or a ``LinearRegressorCV`` found on its folds.

        Parameters
        ----------
        estimator : fitted estimator, or pipeline that ends with one
            An alpha of 0 has no place on a logarithmic axis and is left out.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ValidationDisplay
        """
        last = fitted(
            estimator,
            "scores_",
            "fit a LinearClassifierCV or a LinearRegressorCV to see scores of many alphas",
        )
        scoring = getattr(last, "scoring", None)
        score = "mean loss, negated" if scoring is None else scoring if isinstance(scoring, str) else "score"
        on_axis = last.alphas_ > 0
        chosen = last.alpha_ if last.alpha_ > 0 else None
        return cls(last.alphas_[on_axis], last.scores_[on_axis], chosen, score).plot(ax)

    @property
    def mean(self) -> Any:
        """The mean over the folds, for each alpha."""
        return self.scores.mean(axis=1)

    @property
    def standard_error(self) -> Any:
        """Of that mean, for each alpha; NaN with a single fold."""
        folds = self.scores.shape[1]
        return (
            self.scores.std(axis=1, ddof=1) / np.sqrt(folds)
            if folds > 1
            else np.full(len(self.alphas), np.nan)
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw, on the given axes or in a new figure, and return the display itself."""
        (ax,) = panels(ax, (1.0,), (6.4, 4.2))
        self.ax_, self.figure_ = ax, ax.figure
        mean, error = self.mean, self.standard_error
        folds = self.scores.shape[1]
        self.lines_ = ax.plot(self.alphas, mean, "o-", ms=3, label=f"mean of {folds} folds")
        self.band_ = None
        if folds > 1:
            self.band_ = ax.fill_between(
                self.alphas, mean - error, mean + error, alpha=0.2, lw=0, label="one standard error"
            )
        if self.chosen is not None:
            look = {"color": "k", "ls": ":", "label": f"chosen: alpha = {self.chosen:.3g}"}
            self.lines_.append(ax.axvline(self.chosen, **look))
        logarithmic(ax, self.alphas, margin=0.03)
        ax.set(xlabel="alpha", ylabel=self.score)
        ax.grid(True, alpha=0.3)
        ax.legend()
        return self
