"""What all pictures share: axes to draw in, and fitted estimators to read from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def panels(ax: Any, heights: Sequence[float], size: tuple[float, float]) -> tuple[Any, ...]:
    """Axes one above the other: those given, or of a new figure.  One alone is for the first panel only."""
    if ax is None:
        figure = _pyplot().figure(figsize=size, layout="constrained")
        found = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)
        return tuple(found[:, 0])
    if not isinstance(ax, (Sequence, np.ndarray)):
        return (ax,)
    given = tuple(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) not in (1, len(heights)):
        raise ValueError(f"ax must be one Axes or {len(heights)} of them, got {len(given)}")
    return given


def logarithmic(ax: Any, values: Any, margin: float = 0.0) -> None:
    """A logarithmic axis of strengths, the largest one on the left, and so large a share of its length beyond."""
    low, high = float(np.min(values)), float(np.max(values))
    beyond = (high / low) ** margin
    ax.set_xscale("log")
    ax.set_xlim(high * beyond, low / beyond)


def fitted(estimator: Any, attribute: str, shown: str) -> Any:
    """The estimator, or the last step of a pipeline, if it is fitted and has this attribute."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    if not hasattr(last, attribute):
        raise TypeError(f"{type(last).__name__} has no {attribute}; {shown}")
    return last


def models(estimator: Any, count: int) -> tuple[str, list[Any]]:
    """What each of several models of an estimator is for: classes, quantiles, or just numbers; and what these are."""
    for name, word in (("classes_", "class"), ("quantile", "quantile")):
        told = np.asarray(getattr(estimator, name, ()))
        if told.shape == (count,):
            return word, told.tolist()
    return "model", list(range(count))


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError('pictures need matplotlib: pip install "pdprox[plot]"') from None
    return plt
