"""Reading files of one's own."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from pdprox.datasets.arrays import npz, parquet
from pdprox.datasets.dataset import Dataset, Numbered
from pdprox.datasets.files import Parsed, damage_named, opened
from pdprox.datasets.libsvm import libsvm
from pdprox.datasets.tables import table

FORMATS = ("libsvm", "csv", "tsv", "npz", "parquet")

_BY_SUFFIX = {
    ".svm": "libsvm", ".libsvm": "libsvm", ".svmlight": "libsvm", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".npz": "npz", ".parquet": "parquet",
}  # fmt: skip
_BY_START = {b"PK\x03\x04": "npz", b"PAR1": "parquet"}


def read(
    path: str | os.PathLike[str],
    target: str | int | None = None,
    format: str | None = None,  # noqa: A002
    n_features: int | None = None,
) -> Dataset:
    """Read X and y from a file of LIBSVM text, CSV, TSV, npz or parquet.

    What cannot be used is an error that names the place: ragged rows, cells that are empty, infinite, NaN or no
    numbers, indices that do not ascend from 1.  Lines are counted from 1, as editors do, and columns in errors too.

    Parameters
    ----------
    path : path
        LIBSVM text, CSV and TSV may be compressed (.gz, .bz2, .xz).
    target : str or int, optional
        The column of y in CSV, TSV and parquet, by name or number (from 0; negative ones from the end), by default
        the last; in npz the name of the array, by default ``"y"``.  It may be text, and stays as it is.
    format : {"libsvm", "csv", "tsv", "npz", "parquet"}, optional
        By default what the suffix or, for others, the first lines say.  A table has a header if there is no number in
        its first row; its delimiter is a tab, comma or semicolon, or else white space.
    n_features : int, optional
        The number of columns of LIBSVM text, whose last ones may be empty in a file.

    Returns
    -------
    Dataset
        X is dense, or compressed sparse rows from LIBSVM text and sparse npz.  Each column is a group of its own.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it")
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty")
    with damage_named(path):
        parsed = _parsed(path, format or _format_of(path), target, n_features)
    d = parsed.X.shape[1]
    names = parsed.names or Numbered(d)
    if len(names) != d:
        raise ValueError(f"{path} has {len(names)} feature_names for {d} columns")
    return Dataset(parsed.X, parsed.y, np.arange(d), names, path.name, "", str(path))


def _parsed(path: Path, kind: str, target: str | int | None, n_features: int | None) -> Parsed:
    if kind not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {kind!r}")
    if n_features is not None and kind != "libsvm":
        raise ValueError(f"n_features={n_features} is for LIBSVM text; {path} is read as {kind}")
    if kind == "libsvm":
        if target is not None:
            raise ValueError(f"target={target!r}: in LIBSVM text the label begins the line; leave target out")
        return libsvm(path, n_features)
    if kind == "npz":
        if isinstance(target, int):
            raise ValueError(f"target={target}: arrays in npz have names; give the one of y")
        return npz(path, target or "y")
    column = -1 if target is None else target
    if kind == "parquet":
        return parquet(path, column)
    return table(path, column, "\t" if kind == "tsv" else None)


def _format_of(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in (".gz", ".bz2", ".xz")]
    if suffixes and suffixes[-1] in _BY_SUFFIX:
        return _BY_SUFFIX[suffixes[-1]]
    with opened(path) as file:
        start = file.read(1 << 16)
    if start[:4] in _BY_START:
        return _BY_START[start[:4]]
    if re.search(rb"^\S+[ \t]+(qid:\d+[ \t]+)?\d+:\S", start, re.MULTILINE):
        return "libsvm"
    if b"\0" not in start and re.search(rb"\S[ \t,;]+\S", start):
        return "csv"
    raise ValueError(f"the format of {path} does not show; say format=, one of {', '.join(FORMATS)}")
