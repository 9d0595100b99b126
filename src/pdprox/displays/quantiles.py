"""Quantile lines over data."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from pdprox.displays.base import fitted, panels

#: with so many points it takes long to find the best place for a legend
_MANY = 5000


class QuantileFanDisplay:
    """Several quantiles of the target against one feature, over the data, bands between symmetric quantiles.

    Make one with ``from_estimator``; the arguments here are what it stores.

    Parameters
    ----------
    x, y : array of shape (n,)
        The data: one feature, and the target.
    grid : array of shape (points,)
        Where the lines are drawn.
    curves : array of shape (points, quantiles)
        The quantiles there.
    quantiles : sequence of float
        Which ones; 0.1 and 0.9 are symmetric.
    x_name, y_name : str
        What the axes are called.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    points_ : matplotlib Line2D
        The data.
    lines_ : list of matplotlib Line2D
        One for each quantile.
    bands_ : list of matplotlib PolyCollection
        One for each pair of symmetric quantiles, the widest first.
    """

    ax_: Any
    figure_: Any
    points_: Any
    lines_: list[Any]
    bands_: list[Any]

    def __init__(
        self,
        x: Any,
        y: Any,
        grid: Any,
        curves: Any,
        quantiles: Any,
        x_name: str = "feature",
        y_name: str = "target",
    ) -> None:
        self.x = np.asarray(x, dtype=np.float64)
        self.y = np.asarray(y, dtype=np.float64)
        self.grid = np.asarray(grid, dtype=np.float64)
        self.curves = np.asarray(curves, dtype=np.float64)
        self.quantiles = [float(q) for q in quantiles]
        self.x_name = x_name
        self.y_name = y_name
        if self.x.shape != self.y.shape or self.x.ndim != 1:
            raise ValueError(
                f"x and y must have one entry for each sample, got shapes {self.x.shape} and {self.y.shape}"
            )
        if self.curves.shape != (len(self.grid), len(self.quantiles)):
            raise ValueError(
                f"curves must have a row for each of {len(self.grid)} points and a column for each of "
                f"{len(self.quantiles)} quantiles, got shape {self.curves.shape}"
            )

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, feature: int | str = 0, ax: Any = None) -> Self:
        """Draw the quantiles of a ``QuantileRegressor`` against one feature, the others at their medians.

        Parameters
        ----------
        estimator : fitted QuantileRegressor with several quantiles, or pipeline that ends with one
            Whose predictions to draw.
        X : array, data frame or sparse matrix of shape (n, d)
            The data, as the estimator takes them.
        y : array of shape (n,)
            The target.
        feature : int or str, default=0
            The number of the feature, or its name if X or the estimator knows names.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        QuantileFanDisplay
        """
        last = fitted(estimator, "quantile", "this display is for a QuantileRegressor with several quantiles")
        if np.ndim(last.quantile) == 0 or len(last.quantile) < 2:
            raise ValueError(
                f"a fan needs several quantiles, got quantile={last.quantile!r}; fit with quantile=[0.1, 0.5, 0.9]"
            )
        names = getattr(X, "columns", None)
        known = getattr(estimator, "feature_names_in_", None) if names is None else names
        columns = X if names is not None else X.tocsc() if hasattr(X, "tocsc") else np.asarray(X)
        if columns.ndim != 2:
            raise ValueError(f"X must have a row for each sample, got shape {columns.shape}")
        j, name = _feature(feature, known, columns.shape[1])
        x = _column(columns, j, names)
        target = np.asarray(y, dtype=np.float64)
        if target.shape != x.shape:
            raise ValueError(f"y must have shape {x.shape}, one target for each row of X, got {target.shape}")
        grid = np.linspace(x.min(), x.max(), 200)
        curves = estimator.predict(_others_at_medians(columns, j, grid, names))
        others = columns.shape[1] > 1
        return cls(
            x,
            target,
            grid,
            curves,
            last.quantile,
            f"{name} (other features at their medians)" if others else name,
            str(getattr(y, "name", None) or "target"),
        ).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on the given axes or in a new figure, and return the display itself."""
        (ax,) = panels(ax, (1.0,), (7.0, 4.5))
        self.ax_, self.figure_ = ax, ax.figure
        (self.points_,) = ax.plot(self.x, self.y, ".", color="0.3", ms=4, alpha=0.7, label="data")
        self.bands_ = []
        for k, (low, high) in enumerate(self._pairs()):
            label = f"{100 * self.quantiles[low]:g} % to {100 * self.quantiles[high]:g} %"
            band = ax.fill_between(
                self.grid,
                self.curves[:, low],
                self.curves[:, high],
                color="C0",
                alpha=min(0.15 + 0.15 * k, 0.5),
                lw=0,
                label=label,
            )
            self.bands_.append(band)
        self.lines_ = []
        paired = {k for pair in self._pairs() for k in pair}
        for k, q in enumerate(self.quantiles):
            middle = abs(q - 0.5) < 1e-9
            look: dict[str, Any] = {"color": "C0", "lw": 2.0 if middle else 0.8}
            if middle or k not in paired:
                look["label"] = "median" if middle else f"{100 * q:g} %"
            if not middle and k not in paired:
                look |= {"ls": "--"}
            self.lines_ += ax.plot(self.grid, self.curves[:, k], **look)
        ax.set(xlabel=self.x_name, ylabel=self.y_name)
        ax.legend(loc="best" if len(self.x) < _MANY else "upper left")
        return self

    def _pairs(self) -> list[tuple[int, int]]:
        """The quantiles q and 1 - q, the widest pair first."""
        return [
            (low, high)
            for low, q in enumerate(self.quantiles)
            for high, other in enumerate(self.quantiles)
            if q < other and abs(q + other - 1.0) < 1e-9
        ]


def _feature(feature: Any, names: Any, d: int) -> tuple[int, str]:
    """The number and the name of a feature."""
    if isinstance(feature, str):
        if names is None:
            raise ValueError(
                f"feature {feature!r} is a name, but X has no names; give its number, 0 to {d - 1}"
            )
        if feature not in list(names):
            shown = ", ".join(str(name) for name in list(names)[:5]) + (", ..." if len(names) > 5 else "")
            raise ValueError(f"no feature is called {feature!r}; there are: {shown}")
        return list(names).index(feature), feature
    if (
        isinstance(feature, (bool, np.bool_))
        or not isinstance(feature, (int, np.integer))
        or not 0 <= feature < d
    ):
        raise ValueError(f"feature must be a name or a number from 0 to {d - 1}, got {feature!r}")
    return int(feature), f"feature {feature}" if names is None else str(list(names)[feature])


def _column(X: Any, j: int, names: Any) -> Any:
    """A column of an array, of sparse columns or of a data frame."""
    if names is None:
        return X[:, [j]].toarray()[:, 0] if hasattr(X, "tocsc") else X[:, j]
    values = np.asarray(X[names[j]])
    if values.dtype.kind not in "biuf":
        raise TypeError(
            f"column {names[j]!r} holds no numbers, so it has no median; encode it before the fit"
        )
    return values


def _others_at_medians(X: Any, j: int, grid: Any, names: Any) -> Any:
    """Rows whose feature j runs along the grid, in the form of X."""
    columns = [
        grid if k == j else np.full(len(grid), np.median(_column(X, k, names))) for k in range(X.shape[1])
    ]
    if names is None:
        return np.stack(columns, axis=1)
    return type(X)(dict(zip(names, columns, strict=True)))
