"""Pictures of solutions, in the manner of scikit-learn's displays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from pdprox.solution import History, Solution

Against = Literal["seconds", "passes"]

_WORDS = {"seconds": "seconds", "passes": "passes over the data"}


class ConvergenceDisplay:
    """How the certified gap of one or more solutions fell.

    Make one with ``from_solutions``; the arguments here are what it stores.

    Parameters
    ----------
    histories : mapping of str to History
        What each line is called and the audits that it shows.
    against : {"seconds", "passes"}, default="seconds"
        What the gap is drawn against.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the latest ``plot``.
    figure_ : matplotlib Figure
        Their figure.
    lines_ : list of matplotlib Line2D
        One for each history, in their order.
    """

    ax_: Any
    figure_: Any
    lines_: list[Any]

    def __init__(self, histories: Mapping[str, History], against: Against = "seconds") -> None:
        if against not in _WORDS:
            raise ValueError(f'against must be "seconds" or "passes", got {against!r}')
        if not histories:
            raise ValueError("there is nothing to show; give at least one solution")
        self.histories = dict(histories)
        self.against = against

    @classmethod
    def from_solutions(
        cls, solutions: Mapping[str, Solution], against: Against = "seconds", ax: Any = None
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

        Returns
        -------
        ConvergenceDisplay
        """
        display = cls({label: solution.history for label, solution in solutions.items()}, against)
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on the given axes or in a new figure, and return the display itself."""
        if ax is None:
            _, ax = _pyplot().subplots()
        self.ax_, self.figure_ = ax, ax.figure
        self.lines_ = []
        for label, history in self.histories.items():
            # a gap of 0 has no place on a logarithmic axis: it is drawn at the size of rounding
            gap = np.maximum(history.relative_gap, np.finfo(np.float64).eps)
            (line,) = ax.plot(getattr(history, self.against), gap, label=label)
            self.lines_.append(line)
        ax.set(yscale="log", xlabel=_WORDS[self.against], ylabel="certified relative gap")
        ax.grid(True, alpha=0.3)
        ax.legend()
        return self


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError('pictures need matplotlib: pip install "pdprox[plot]"') from None
    return plt
