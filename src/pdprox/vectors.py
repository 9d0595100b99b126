"""Arithmetic that is safe where the plain one is not: threads, overflow, dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdprox.typing import Array, Floats


def floating(numbers: Any) -> Array:
    """The numbers as a floating array: float32 and float64 stay what they are, the rest becomes float64."""
    array = np.asarray(numbers)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def dot(a: np.ndarray, b: np.ndarray) -> float:
    """<a, b> of two vectors, in one thread: on a busy machine a threaded BLAS takes 100 times as long."""
    return float(np.einsum("i,i->", a, b))


def lengths(rows: Array) -> Floats:
    """Euclidean norm of each row; no overflow, no underflow."""
    with np.errstate(over="ignore", under="ignore"):
        squares: Floats = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    found = np.sqrt(squares)
    odd = ~((squares > 1e-280) & (squares < 1e300))
    if odd.any():  # zero, tiny, huge or NaN: scale the row by its largest entry first
        extreme = rows[odd].astype(np.float64)
        top = np.abs(extreme).max(axis=1, initial=0.0)
        scaled = extreme / np.where(top > 0, top, 1.0)[:, None]
        found[odd] = top * np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return found


def narrow(values: float | Array, like: Array) -> Array:
    """``values`` in the dtype of ``like``; what does not fit becomes infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(like.dtype, copy=False)
