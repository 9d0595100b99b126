"""LIBSVM text: lines of ``label index:value ...`` with ascending indices from 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from pdprox.datasets.files import MISSING, Parsed, compact, finite, number, opened


def libsvm(path: Path, n_features: int | None = None) -> Parsed:
    """Read such a file, compressed or not; a line that is wrong is named.

    scikit-learn reads.  Where it refuses, the file is gone through once more for the line.
    """
    try:
        with opened(path) as file:
            X, y = load_svmlight_file(file, n_features=n_features, zero_based=False)
    except (ValueError, OverflowError) as error:
        raise ValueError(_first_mistake(path, n_features) or f"{path} is not LIBSVM text: {error}") from None
    if not len(y):
        raise ValueError(f"{path} holds no rows")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise ValueError(_first_mistake(path, n_features))
    return Parsed(compact(X), y)


def _first_mistake(path: Path, n_features: int | None) -> str:
    with opened(path) as file:
        for line, content in enumerate(file, 1):
            words = content.partition(b"#")[0].decode("utf-8", "replace").split()
            mistake = _mistake(words, n_features) if words else ""
            if mistake:
                return f"{path}, line {line}: {mistake}"
    return ""


def _mistake(words: list[str], n_features: int | None) -> str:
    label, *pairs = words
    if not finite(label):
        return f"label {label!r} is not a finite number"
    last = 0
    for pair in pairs:
        word, _, value = pair.partition(":")
        if word == "qid":
            continue
        if not (word.isascii() and word.isdigit()) or number(value) is None:
            return f"{pair!r} is not index:value"
        index = int(word)
        if index == 0:
            return f"index 0 in {pair!r}; indices count from 1: add 1 to all of them"
        if index <= last:
            return f"index {index} follows {last}; indices must ascend"
        if n_features is not None and index > n_features:
            return f"index {index} is larger than n_features={n_features}"
        if not finite(value):
            return f"index {index} holds {value}; {MISSING}"
        last = index
    return ""
