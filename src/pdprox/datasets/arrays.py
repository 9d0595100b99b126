"""Files of arrays: npz and parquet."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from pdprox.datasets.files import MISSING, Parsed, compact, few
from pdprox.datasets.tables import position


def npz(path: Path, target: str = "y") -> Parsed:
    """Arrays ``X`` and ``y``; sparse data as the parts that ``scipy.sparse.save_npz`` writes, and ``y``."""
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path} is not an npz file")
    try:
        with path.open("rb") as file, np.load(file) as stored:
            arrays = {name: stored[name] for name in stored.files}
        X: Any = _sparse(arrays) if "indptr" in arrays else arrays["X"]
        y = arrays[target]
    except KeyError:
        wanted = f"X (or the parts data, indices, indptr, shape) and {target}"
        raise ValueError(f"{path} must hold {wanted}; it holds {few(list(arrays))}") from None
    except ValueError as error:
        raise ValueError(f"{path} cannot be read as npz: {error}") from None
    if X.ndim != 2 or y.ndim not in (1, 2) or len(y) != X.shape[0] or not len(y):
        raise ValueError(f"{path}: X must be n x d and {target} have n rows, got {X.shape} and {y.shape}")
    _check_numbers(X if isinstance(X, np.ndarray) else X.data, f"{path}, X")
    if y.dtype.kind not in "US":
        _check_numbers(y, f"{path}, {target}")
    return Parsed(X, y, tuple(str(name) for name in arrays.get("feature_names", ())))


def _sparse(arrays: dict[str, NDArray[Any]]) -> sp.csr_array:
    form = arrays.get("format", np.array("csr")).astype(np.str_).item()
    make = {"csr": sp.csr_array, "csc": sp.csc_array}.get(form)
    if make is None:
        raise ValueError(f"its sparse matrix has the format {form!r}; store it as csr or csc")
    parts = (arrays["data"], arrays["indices"], arrays["indptr"])
    return compact(make(parts, shape=tuple(arrays["shape"].tolist())))


def parquet(path: Path, target: str | int = -1) -> Parsed:
    """Columns of numbers, and the target, which may be text."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError('parquet files need pyarrow: pip install "pdprox[parquet]"') from None
    try:
        stored = pyarrow.parquet.read_table(path)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{path} cannot be read as parquet: {error}") from None
    index = (stored.schema.pandas_metadata or {}).get("index_columns", ())  # the row names of a data frame
    stored = stored.drop_columns([name for name in index if isinstance(name, str)])
    names = list(stored.column_names)
    t = position(target, names, len(names), path)
    columns = [_column(stored.column(j), f"{path}, column {names[j]}", j == t) for j in range(len(names))]
    y = columns.pop(t)
    if not len(y):
        raise ValueError(f"{path} holds no rows")
    X = np.stack([column.astype(np.float64, copy=False) for column in columns], axis=1)
    return Parsed(X, y, tuple(names[:t] + names[t + 1 :]))


def _column(column: Any, place: str, may_be_text: bool) -> NDArray[Any]:
    if column.null_count:
        raise ValueError(f"{place}: {column.null_count} cells are empty; {MISSING}")
    categories = str(column.type).startswith("dictionary")
    values = np.asarray(column.to_pylist()) if categories else column.to_numpy()
    if values.dtype.kind == "O" and may_be_text:
        return values.astype(np.str_)
    if not (values.dtype.kind == "U" and may_be_text):
        _check_numbers(values, place)
    return values


def _check_numbers(numbers: NDArray[Any], place: str) -> None:
    if numbers.dtype.kind not in "biuf":
        raise ValueError(f"{place} is of type {numbers.dtype}; encode it as numbers or leave it out")
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        where = ", ".join(str(int(k)) for k in bad[0])
        raise ValueError(f"{place} holds {numbers[tuple(bad[0])]} at {where}, counted from 0; {MISSING}")
