"""Data as the user has them: checked once, copied only if they must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from pdprox.samples.matrix import BLOCK, Stored

_LARGEST = 1e75


@dataclass(frozen=True)
class ShiftedColumns:
    """Data for ``Problem`` whose columns are shifted and scaled implicitly; sparse data stays sparse.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The data as they are.
    centre : array of shape (d,), optional
        Taken off each column; nothing by default.
    scale : array of shape (d,), optional
        Divides each column; 1 by default.
    """

    X: Any
    centre: Any = None
    scale: Any = None


def standardized(X: Any, centre: bool = True) -> ShiftedColumns:
    """The data with every column at mean 0 (if ``centre``) and standard deviation 1, without a copy.

    A constant column keeps its scale.
    """
    stored = stored_matrix(X)
    n = stored.shape[0]
    ones = np.ones(n)
    mean = stored.backward(ones) / n
    if stored.sparse:
        data, indices = np.square(stored.data.data, dtype=np.float64), stored.data.indices
        variance = np.bincount(indices, data, minlength=stored.shape[1]) / n - mean**2
    else:
        variance = np.zeros(stored.shape[1])
        for block, _ in stored.blocks():
            variance += np.square(block - mean, dtype=np.float64).sum(axis=0) / n
    size = np.sqrt(np.maximum(variance, 0))
    size[size <= 1e-8 * np.maximum(np.abs(mean), 1e-300)] = 1.0
    return ShiftedColumns(X, mean if centre else None, size)


def stored_matrix(X: Any) -> Stored:
    """Check the user's data and bring it to one of the forms the kernels take, copying only if it must.

    float32 and float64 stay; short integers and booleans become float32, which holds them exactly;
    other integers become float64.
    """
    if sp.issparse(X):
        return Stored(_checked_csr(X))
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError("X is a masked array; drop or impute what is masked, then pass X.filled(value)")
    if isinstance(X, np.matrix):
        X = np.asarray(X)
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if array.ndim != 2:
        hint = "; reshape one feature to X[:, None], one sample to X[None, :]" if array.ndim == 1 else ""
        raise ValueError(f"X must have two dimensions (samples x features), got shape {array.shape}{hint}")
    array = array.astype(_float_type(array.dtype, "X"), copy=False)
    _check_size(array.shape)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    height = max(1, BLOCK // array.shape[1])
    for start in range(0, array.shape[0], height):
        _check_finite(array[start : start + height], start)
    return Stored(array)


def _checked_csr(X: Any) -> sp.csr_array:
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples x features), got shape {X.shape}")
    dtype = _float_type(X.dtype, "X")
    _check_size(X.shape)
    csr = sp.csr_array(X)
    _check_places(csr)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    indices, indptr = csr.indices, csr.indptr
    if indices.dtype != indptr.dtype or indices.dtype not in (np.int32, np.int64):
        wide = np.int64 if max(csr.nnz, *csr.shape) > np.iinfo(np.int32).max else np.int32
        indices, indptr = indices.astype(wide), indptr.astype(wide)
    data = csr.data.astype(dtype, copy=False)
    if not fine(data):
        bad = int(np.flatnonzero(~fits(data))[0])
        row = int(np.searchsorted(indptr, bad, side="right")) - 1
        raise ValueError(f"X holds {data[bad]} in row {row}, column {indices[bad]}; {advice(data[bad])}")
    checked = sp.csr_array((data, indices, indptr), shape=csr.shape)
    checked.has_canonical_format = True
    return checked


def _check_places(csr: Any) -> None:
    """Look once at what scipy and the kernels trust."""
    indices, indptr = csr.indices, csr.indptr
    if indptr[0] != 0 or indptr[-1] > len(indices) or np.any(np.diff(indptr) < 0):
        raise ValueError(
            "X is not a valid sparse matrix: its row pointers do not ascend from 0 to the number of entries"
        )
    if csr.nnz and (indices.min() < 0 or indices.max() >= csr.shape[1]):
        raise ValueError(f"X is not a valid sparse matrix: a column index lies outside 0..{csr.shape[1] - 1}")


def _float_type(dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    if dtype in (np.float32, np.float64):
        return np.dtype(dtype)
    if dtype == np.float16 or dtype == np.bool_ or (dtype.kind in "iu" and dtype.itemsize <= 2):
        return np.dtype(np.float32)
    if dtype.kind in "iuf":
        return np.dtype(np.float64)
    raise TypeError(
        f"{name} must hold real numbers, got dtype {dtype}; encode other columns as numbers first"
    )


def _check_size(shape: tuple[int, ...]) -> None:
    if 0 in shape:
        raise ValueError(f"X must have at least one sample and one feature, got shape {tuple(shape)}")


def _check_finite(array: np.ndarray, first_row: int) -> None:
    if fine(array):
        return
    i, j = (int(number) for number in np.argwhere(~fits(array))[0])
    raise ValueError(f"X holds {array[i, j]} in row {i + first_row}, column {j}; {advice(array[i, j])}")


def fits(numbers: np.ndarray) -> np.ndarray:
    """Whether each number is finite and so small that products of four of them are, too."""
    small: np.ndarray = np.abs(numbers) <= np.float64(_LARGEST)
    return small


def fine(numbers: np.ndarray) -> bool:
    """Whether all numbers fit: NaN and what is too large show up in the two ends."""
    return float(numbers.min(initial=0)) >= -_LARGEST and float(numbers.max(initial=0)) <= _LARGEST


def advice(number: float) -> str:
    """What to do about a number that does not fit."""
    if np.isfinite(number):
        return f"numbers beyond {_LARGEST:g} overflow when they are multiplied: change the unit"
    return "impute or drop what is missing"
