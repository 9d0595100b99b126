"""Reading the files whose layout is their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from pdprox.datasets.files import Parsed, compact, opened
from pdprox.datasets.libsvm import libsvm
from pdprox.datasets.shipped import Codes, indicators
from pdprox.datasets.tables import cells


def arrays(path: Path) -> Parsed:
    """An npz with ``X`` and ``y`` of any type."""
    with path.open("rb") as file, np.load(file) as stored:
        return Parsed(np.ascontiguousarray(stored["X"], dtype=np.float64), stored["y"].astype(np.float64))


def arcene(path: Path) -> Parsed:
    """An npz, or the archive of the repository: rows of integers, and labels in a file of their own."""
    if path.suffix != ".zip":
        return arrays(path)
    with opened(path, "arcene_train.data") as data, opened(path, "arcene_train.labels") as labels:
        return Parsed(np.loadtxt(data), np.loadtxt(labels))


def dorothea(path: Path) -> Parsed:
    """LIBSVM text, or the archive of the repository: rows of the numbers of the columns that hold a 1.

    Columns without a 1 are left out.
    """
    if path.suffix != ".zip":
        return libsvm(path, 88119)
    with opened(path, "dorothea_train.data") as data, opened(path, "dorothea_train.labels") as labels:
        rows, y = [np.array(line.split(), dtype=np.int32) for line in data], np.loadtxt(labels)
    present, columns = np.unique(np.concatenate(rows), return_inverse=True)
    parts = (np.ones(len(columns)), columns, np.cumsum([0, *map(len, rows)]))
    return Parsed(compact(sp.csr_array(parts, shape=(len(rows), len(present)))), y)


def bigrams(path: Path, part: str) -> Parsed:
    """One part of the npz: counts, and the words of the first columns."""
    with path.open("rb") as file, np.load(file) as stored:
        counts, indices, indptr = (stored[f"{part}_{name}"] for name in ("counts", "indices", "indptr"))
        y, d, terms = stored[f"{part}_y"], int(stored["n_features"]), tuple(stored["top_terms"].tolist())
    X = sp.csr_array((counts.astype(np.float64), indices, indptr), shape=(len(y), d))
    return Parsed(X, y.astype(np.float64), terms)


def barro(path: Path) -> Parsed:
    """CSV: the names of the rows, the target, the columns."""
    header, *rows = cells(path, ",")
    numbers = np.array(rows)[:, 1:].astype(np.float64)
    return Parsed(np.ascontiguousarray(numbers[:, 1:]), numbers[:, 0], tuple(header[2:].tolist()))


def bodyfat(path: Path, target: str) -> Parsed:
    """CSV: number of the case, two formulas for the share of fat, the density they are made of, and measures."""
    header, *rows = cells(path, ",")
    names = header.tolist()
    numbers = np.array(rows).astype(np.float64)
    return Parsed(np.ascontiguousarray(numbers[:, 4:]), numbers[:, names.index(target)], tuple(names[4:]))


def colon_cancer(path: Path) -> Parsed:
    """An npz, or LIBSVM text."""
    return arrays(path) if path.suffix == ".npz" else libsvm(path, 2000)


def memset_donor(path: Path) -> Parsed:
    """CSV: 1 or 0, and a letter for each position."""
    rows = cells(path, ",")[1:]
    return Parsed(_letters(rows[:, 1:]).toarray(), np.where(rows[:, 0] == "1", 1.0, -1.0))


def celegans_donor(path: Path) -> Parsed:
    """TSV: label, set and sequence; GT, which all have in the middle, is left out."""
    rows = cells(path, "\t")[1:]
    rows = rows[rows[:, 1] != "lo"]
    letters = np.ascontiguousarray(rows[:, 2:], dtype="S42").view("S1")
    return Parsed(_letters(np.delete(letters, [20, 21], axis=1)), np.where(rows[:, 1] == "hi", 1.0, -1.0))


def _letters(letters: NDArray[Any]) -> sp.csr_array:
    """Each position as the indicators of A, C and G; T has none."""
    code_of = np.full(256, 255, dtype=np.uint8)
    for code, letter in enumerate(b"TACG"):
        code_of[[letter, letter + ord("a") - ord("A")]] = code
    codes: Codes = code_of[letters.astype("S1").view(np.uint8)]
    if codes.max() > 3:
        raise ValueError("the sequences hold other letters than A, C, G and T")
    return indicators(codes, np.full(letters.shape[1], 3))


def school(path: Path) -> Parsed:
    """MATLAB cells, one for each school."""
    try:
        stored = loadmat(path)
    except MatReadError as error:
        raise ValueError(str(error)) from error
    X = [np.ascontiguousarray(part, dtype=np.float64) for part in stored["X"].flat]
    y: Any = [np.asarray(part, dtype=np.float64).ravel() for part in stored["Y"].flat]
    return Parsed(X, y)


def movielens(path: Path) -> Parsed:
    """Lines of user, movie, rating and time, or the archive that holds them."""
    with opened(path, "u.data") as file:
        users, movies, given = np.loadtxt(file, dtype=np.intp, usecols=(0, 1, 2), unpack=True)
    ratings = given.astype(np.float64)
    return Parsed(sp.coo_array((ratings, (users - 1, movies - 1))), ratings)
