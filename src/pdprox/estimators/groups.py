"""Groups of features, as users have them: labels, lists of numbers, or prefixes of column names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def labels_of(groups: Any, names: Any, d: int) -> np.ndarray:
    """One label for each of d features.

    Parameters
    ----------
    groups : array of d labels, list of lists of feature numbers, or list of str
        Strings are prefixes of column names: a feature belongs to the longest one that its name begins with, and
        features without one are groups of their own.
    names : array of str or None
        The names of the columns.
    """
    if isinstance(groups, str) or not isinstance(groups, (Sequence, np.ndarray)):
        raise ValueError(
            f"feature_groups must be {d} labels, lists of feature numbers or prefixes of column names, got {groups!r}"
        )
    if len(groups) and all(isinstance(group, str) for group in groups) and not _are_labels(groups, names, d):
        return _by_prefix([str(group) for group in groups], names)
    if any(np.ndim(group) > 0 for group in groups):
        return _by_lists(groups, d)
    if len(groups) != d:
        raise ValueError(
            f"feature_groups must hold one label for each of the {d} features, got {len(groups)}"
        )
    return np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.intp)


def _are_labels(groups: Any, names: Any, d: int) -> bool:
    """Strings are labels where there are no names that they could be prefixes of, and as many as features."""
    return names is None and len(groups) == d


def _by_prefix(prefixes: list[str], names: Any) -> np.ndarray:
    if names is None:
        raise ValueError(
            "feature_groups holds prefixes of column names, but X has no column names; "
            "fit a data frame, or give labels or lists of feature numbers"
        )
    unused = [prefix for prefix in prefixes if not any(str(name).startswith(prefix) for name in names)]
    if unused:
        raise ValueError(f"no column name begins with {unused[0]!r}; columns are called {_some(names)}")
    labels = np.empty(len(names), dtype=np.intp)
    following = len(prefixes)
    for j, name in enumerate(names):
        fitting = [k for k, prefix in enumerate(prefixes) if str(name).startswith(prefix)]
        if fitting:
            labels[j] = max(fitting, key=lambda k: len(prefixes[k]))
        else:
            labels[j], following = following, following + 1
    return labels


def _by_lists(groups: Any, d: int) -> np.ndarray:
    labels = np.full(d, -1, dtype=np.intp)
    for k, members in enumerate(groups):
        for j in np.atleast_1d(members):
            if isinstance(j, (bool, np.bool_)) or not isinstance(j, (int, np.integer)) or not 0 <= j < d:
                raise ValueError(f"feature_groups names feature {j!r}; features are numbered 0 to {d - 1}")
            if labels[j] >= 0:
                raise ValueError(
                    f"feature_groups has feature {int(j)} in two groups; each feature belongs to one"
                )
            labels[j] = k
    missing = np.flatnonzero(labels < 0)
    if len(missing):
        raise ValueError(
            f"feature_groups leaves out feature {int(missing[0])}; give every feature a group, of its own if need be"
        )
    return labels


def _some(names: Any) -> str:
    shown = ", ".join(str(name) for name in names[:5])
    return shown + (", ..." if len(names) > 5 else "")
