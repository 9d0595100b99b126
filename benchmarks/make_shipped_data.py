"""Make the files in src/pdprox/data from the originals in the folder named by PDPROX_DATA.

Needed only when the storage changes.  The originals are described in src/pdprox/data/README.md.
"""

from __future__ import annotations

import csv
import lzma
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

from pdprox.datasets import data_folder
from pdprox.datasets.shipped import ADULT

TARGET = Path(__file__).resolve().parent.parent / "src" / "pdprox" / "data"


def codes_of(indicators: np.ndarray, sizes: list[int]) -> np.ndarray:
    """For each attribute the number, from 1, of the one indicator that is set; 0 where none is."""
    codes, first = [], 0
    for size in sizes:
        block = indicators[:, first : first + size]
        assert set(np.unique(block)) <= {0, 1} and block.sum(axis=1).max() <= 1, "these are not indicators"
        codes.append(np.where(block.any(axis=1), block.argmax(axis=1) + 1, 0))
        first += size
    assert first == indicators.shape[1], "the attributes do not cover all columns"
    return np.stack(codes, axis=1).astype(np.uint8)


def adult(folder: Path) -> dict[str, np.ndarray]:
    """Codes and packed labels of a9a."""
    with lzma.open(folder / "a9a.xz") as file:
        X, y = load_svmlight_file(file, n_features=123)
    return {"codes": codes_of(X.toarray(), [size for _, size in ADULT]), "positive": np.packbits(y > 0)}


def splice_junction(folder: Path) -> dict[str, np.ndarray]:
    """Codes and classes of the Statlog DNA data."""
    with lzma.open(folder / "dna_splice_junction.csv.xz", "rt") as file:
        _, *rows = csv.reader(file)
    X = np.array([row[:180] for row in rows], dtype=int)
    classes = np.array([("n", "ei", "ie").index(row[180]) for row in rows], dtype=np.uint8)
    return {"codes": codes_of(X, [3] * 60), "classes": classes}


def engel(folder: Path) -> dict[str, np.ndarray]:
    """The two columns of Engel's data."""
    numbers = np.loadtxt(folder / "engel.csv", delimiter=",", skiprows=1)
    return {"income": numbers[:, 0], "expenditure": numbers[:, 1]}


def main() -> None:
    """Write the three files and say how large they are."""
    folder = data_folder()
    if folder is None:
        sys.exit("set PDPROX_DATA to the folder that holds the originals")
    for make in (adult, splice_junction, engel):
        path = TARGET / f"{make.__name__}.npz"
        # in Fortran order a column's values lie together, which compresses better
        np.savez_compressed(path, **{key: np.asfortranarray(value) for key, value in make(folder).items()})
        print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
