"""How coefficients come in as the penalty gets weaker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from pdprox.displays.base import logarithmic, panels
from pdprox.path import Path
from pdprox.penalties.groups import Groups
from pdprox.typing import Floats


class PathDisplay:
    """Coefficients, or lengths of groups of them, along a path; below, how many are not 0.

    Make one with ``from_path``; the arguments here are what it stores.

    Parameters
    ----------
    lams : array of shape (lams,)
        Positive; drawn on a logarithmic axis, the largest on the left.
    values : array of shape (lams, lines)
        What the lines show.
    names : sequence of str
        What each line is called.
    kind : str, default="coefficient"
        What a line shows.
    thing : str, default="features"
        What is counted.
    labelled : int, default=6
        How many lines get their name and a colour: those that end farthest from 0.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where the lines are.
    axes_ : tuple of matplotlib Axes
        ``ax_`` and, unless a single one was given, the axes of the count.
    shown_ : array of int
        Which lines are drawn: those that are not 0 everywhere.
    lines_ : list of matplotlib Line2D
        One for each of ``shown_``.
    labels_ : list of matplotlib Annotation
        The names, in the order of where lines end.
    count_ : matplotlib Line2D or None
        The number of values that are not 0.
    """

    ax_: Any
    figure_: Any
    axes_: tuple[Any, ...]
    shown_: Any
    lines_: list[Any]
    labels_: list[Any]
    count_: Any

    def __init__(
        self,
        lams: Any,
        values: Any,
        names: Sequence[str],
        kind: str = "coefficient",
        thing: str = "features",
        labelled: int = 6,
    ) -> None:
        self.lams = np.asarray(lams, dtype=np.float64)
        self.values = np.asarray(values, dtype=np.float64)
        self.names = [str(name) for name in names]
        self.kind = kind
        self.thing = thing
        self.labelled = labelled
        if self.values.shape != (len(self.lams), len(self.names)):
            raise ValueError(
                f"values must have a row for each of {len(self.lams)} lams and a column for each of "
                f"{len(self.names)} names, got shape {self.values.shape}"
            )
        if len(np.unique(self.lams)) < 2 or np.any(self.lams <= 0):
            raise ValueError(f"lines on a logarithmic axis need two lams > 0 or more, got {self.lams}")

    @classmethod
    def from_path(
        cls, path: Path, feature_names: Any = None, groups: Any = None, labelled: int = 6, ax: Any = None
    ) -> Self:
        """Draw a path.

        Parameters
        ----------
        path : Path
            What ``pdprox.path`` returned.  A lam of 0 has no place on a logarithmic axis and is left out.
        feature_names : sequence of str, optional
            The names of the d features.
        groups : array of d labels or list of lists of feature numbers, optional
            Draw the length of each group's coefficients in place of the coefficients.  Labels may be strings:
            the names of the groups.
        labelled : int, default=6
            How many lines get their name and a colour: those that end farthest from 0.
        ax : matplotlib Axes or two of them, optional
            Where to draw; a new figure by default.  On one alone the count is left out.

        Returns
        -------
        PathDisplay
            With several targets, the lines are the lengths of the rows of coefficients.
        """
        if not isinstance(path, Path):
            raise TypeError(f"path must be what pdprox.path(problem) returns, got {type(path).__name__}")
        on_axis = path.lams > 0
        lams, coefs = path.lams[on_axis], path.coefs[on_axis]
        d = coefs.shape[1]
        rows = coefs if coefs.ndim == 2 else np.linalg.norm(coefs, axis=2)
        kind = "coefficient" if coefs.ndim == 2 else "length of coefficients"
        if groups is not None:
            owners, names = _groups(groups, d)
            values = np.sqrt(np.stack([np.bincount(owners, row**2, len(names)) for row in rows]))
            return cls(lams, values, names, "length of coefficients", "groups", labelled).plot(ax)
        names = [f"feature {j}" for j in range(d)] if feature_names is None else list(feature_names)
        if len(names) != d:
            raise ValueError(
                f"feature_names must hold one name for each of the {d} features, got {len(names)}"
            )
        return cls(lams, rows, names, kind, "features", labelled).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on the given axes or in a new figure, and return the display itself."""
        self.axes_ = panels(ax, (3.0, 1.0), (7.0, 5.0))
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        ax = self.ax_
        self.shown_ = np.flatnonzero(np.any(self.values != 0, axis=0))
        at_end = np.abs(self.values[np.argmin(self.lams)])
        best = [j for j in np.argsort(-at_end, kind="stable")[: self.labelled] if at_end[j] > 0]
        self.lines_ = []
        for j in self.shown_:
            look = {"color": f"C{best.index(j)}", "zorder": 3} if j in best else {"color": "0.75", "lw": 0.8}
            self.lines_ += ax.plot(self.lams, self.values[:, j], label=self.names[j], **look)
        ax.axhline(0.0, color="0.4", lw=0.6)
        logarithmic(ax, self.lams)
        ax.set_ylabel(self.kind)
        self.labels_ = self._name(best)
        self.count_ = None
        for below in self.axes_[1:]:
            logarithmic(below, self.lams)
            active = np.count_nonzero(self.values, axis=1)
            (self.count_,) = below.plot(self.lams, active, color="0.3", drawstyle="steps-mid")
            below.set(ylabel=f"active\n{self.thing}", ylim=(0, None))
        self.axes_[-1].set_xlabel("lam")
        return self

    def _name(self, best: list[Any]) -> list[Any]:
        """Names on the right, next to where their lines end, but apart from each other."""
        ax, last = self.ax_, int(np.argmin(self.lams))
        best = sorted(best, key=lambda j: float(self.values[last, j]))
        low, high = ax.get_ylim()
        ends = self.values[last, best]
        size = 9.0
        line = 1.25 * size * ax.figure.dpi / 72.0 / ax.get_window_extent().height
        look = {"fontsize": size, "va": "center", "annotation_clip": False}
        return [
            ax.annotate(
                self.names[j],
                xy=(self.lams[last], end),
                xytext=(1.04, float(height)),
                textcoords="axes fraction",
                color=(colour := self._colour(j)),
                arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "shrinkA": 0, "shrinkB": 0},
                **look,
            )
            for j, end, height in zip(best, ends, apart((ends - low) / (high - low), line), strict=True)
        ]

    def _colour(self, j: int) -> Any:
        return self.lines_[int(np.searchsorted(self.shown_, j))].get_color()


def apart(heights: Floats, least: float) -> Floats:
    """The nearest ascending heights, within 0 and 1 if there is room, that are so far apart.

    Less k times the distance they need only ascend, which is isotonic regression.
    """
    from sklearn.isotonic import isotonic_regression

    if not len(heights):
        return heights
    steps = least * np.arange(len(heights))
    level = isotonic_regression(heights - steps, y_min=0.0, y_max=max(1.0 - float(steps[-1]), 0.0))
    return np.asarray(level + steps)


def _groups(groups: Any, d: int) -> tuple[Any, list[str]]:
    """The group of each feature, and the names of the groups."""
    several = isinstance(groups, (Sequence, np.ndarray)) and not isinstance(groups, str) and len(groups) > 0
    flat = several and np.ndim(groups[0]) == 0
    if flat and all(isinstance(label, str) for label in groups):
        names, owners = np.unique(np.asarray(groups), return_inverse=True)
        called = [str(name) for name in names]
    else:
        owners = Groups(groups).labels
        numbers = np.unique(groups) if flat else np.arange(int(owners.max()) + 1)
        called = [f"group {number}" for number in numbers]
    if len(owners) != d:
        raise ValueError(f"groups must hold each of the {d} features, got {len(owners)}")
    return owners, called
