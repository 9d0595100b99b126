"""How gaps and bounds go along a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from pdprox.displays.base import fitted, models, panels
from pdprox.solution import History, Solution
from pdprox.typing import Floats

Against = Literal["seconds", "passes"]
What = Literal["gap", "bounds"]

_WORDS = {"seconds": "seconds", "passes": "passes over the data"}


class ConvergenceDisplay:
    """How the certified gap of one or more solutions fell, or how their bounds met.

    Make one with ``from_solutions`` or ``from_estimator``; the arguments here are what it stores.

    Parameters
    ----------
    histories : mapping of str to History
        What each line is called and the audits that it shows.
    against : {"seconds", "passes"}, default="seconds"
        What the gap is drawn against.
    what : {"gap", "bounds"}, default="gap"
        The relative gap, or the best primal and dual value so far: the optimum lies between them.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the latest ``plot``.
    figure_ : matplotlib Figure
        Their figure.
    lines_ : list of matplotlib Line2D
        One for each history, in their order; of bounds two for each, the primal and the dual value.
    """

    ax_: Any
    figure_: Any
    lines_: list[Any]

    def __init__(
        self, histories: Mapping[str, History], against: Against = "seconds", what: What = "gap"
    ) -> None:
        if against not in _WORDS:
            raise ValueError(f'against must be "seconds" or "passes", got {against!r}')
        if what not in ("gap", "bounds"):
            raise ValueError(f'what must be "gap" or "bounds", got {what!r}')
        if not histories:
            raise ValueError("there is nothing to show; give at least one solution")
        self.histories = dict(histories)
        self.against = against
        self.what = what

    @classmethod
    def from_solutions(
        cls,
        solutions: Mapping[str, Solution],
        against: Against = "seconds",
        ax: Any = None,
        what: What = "gap",
    ) -> Self:
        """Draw the gaps of solutions of the same problem, or of comparable ones.

        Parameters
        ----------
        solutions : mapping of str to Solution
            What each line is called, and what it shows.
        against : {"seconds", "passes"}, default="seconds"
            What the gap is drawn against.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        what : {"gap", "bounds"}, default="gap"
            The relative gap, or the bounds.

        Returns
        -------
        ConvergenceDisplay
        """
        histories = {label: solution.history for label, solution in solutions.items()}
        return cls(histories, against, what).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, against: Against = "seconds", ax: Any = None, what: What = "gap"
    ) -> Self:
        """Draw how the fit of an estimator went: a line for each of its models.

        Parameters
        ----------
        estimator : fitted estimator of pdprox, or pipeline that ends with one
            With several classes or quantiles there is a model for each.
        against, ax, what
            As in ``from_solutions``.

        Returns
        -------
        ConvergenceDisplay
        """
        last = fitted(estimator, "history_", "this display is for estimators of pdprox")
        told = last.history_
        if isinstance(told, History):
            return cls({type(last).__name__: told}, against, what).plot(ax)
        word, known = models(last, len(told))
        return cls(
            {f"{word} {one}": history for one, history in zip(known, told, strict=True)}, against, what
        ).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on the given axes or in a new figure, and return the display itself."""
        (ax,) = panels(ax, (1.0,), (6.4, 4.2))
        self.ax_, self.figure_ = ax, ax.figure
        self.lines_ = []
        for label, history in self.histories.items():
            x = getattr(history, self.against)
            self.lines_ += (
                self._gap(label, x, history) if self.what == "gap" else self._bounds(label, x, history)
            )
        ax.set_xlabel(_WORDS[self.against])
        if self.what == "gap":
            ax.set(yscale="log", ylabel="certified relative gap")
        else:
            ax.set_ylabel("bounds of the optimum")
        ax.grid(True, alpha=0.3)
        ax.legend()
        return self

    def _gap(self, label: str, x: Floats, history: History) -> list[Any]:
        # a gap of 0 has no place on a logarithmic axis: it is drawn at the size of rounding
        gap = np.maximum(history.relative_gap, np.finfo(np.float64).eps)
        return list(self.ax_.plot(x, gap, label=label))

    def _bounds(self, label: str, x: Floats, history: History) -> list[Any]:
        (primal,) = self.ax_.plot(x, history.primal, label=f"{label}: primal")
        colour = primal.get_color()
        (dual,) = self.ax_.plot(x, history.dual, "--", color=colour, label=f"{label}: dual")
        self.ax_.fill_between(x, history.dual, history.primal, color=colour, alpha=0.1, lw=0)
        return [primal, dual]
