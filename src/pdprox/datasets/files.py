"""Opening files, plain, compressed or in an archive, and what all readers of them share."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import math
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

MISSING = "impute or drop what is missing"

_COMPRESSED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}


class Parsed(NamedTuple):
    """X, y and, where the file has them, one name for each column."""

    X: Any
    y: NDArray[Any]
    names: Sequence[str] = ()


def opened(path: Path, member: str = "") -> IO[bytes]:
    """The bytes of a file, decompressed; of an archive (.zip, .tgz), those of the member with this file name."""
    if member and path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return io.BytesIO(archive.read(_only(archive.namelist(), member)))
    if member and path.suffix == ".tgz":
        with tarfile.open(path) as tar:
            extracted = tar.extractfile(_only(tar.getnames(), member))
            return io.BytesIO(extracted.read() if extracted else b"")
    with path.open("rb") as file:
        start = file.read(6)
    for magic, decompressed in _COMPRESSED.items():
        if start.startswith(magic):
            return cast(IO[bytes], decompressed(path, "rb"))
    return path.open("rb")


def opened_text(path: Path, member: str = "") -> io.TextIOWrapper:
    """The same as text, without the mark that some programs put at its start."""
    return io.TextIOWrapper(opened(path, member), encoding="utf-8-sig", newline="")


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """What files that are cut off or garbled make the readers raise, as one error that names the file."""
    try:
        yield
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, lzma.LZMAError, tarfile.TarError, zlib.error,
            zipfile.BadZipFile) as error:  # fmt: skip
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system refuses: permissions, a failing disk
        raise ValueError(f"{path} is damaged: {error}") from error


def _only(names: list[str], wanted: str) -> str:
    found = [name for name in names if name.rsplit("/", 1)[-1] == wanted]
    if len(found) != 1:
        raise ValueError(f"the archive has {len(found)} members named {wanted}; it has {few(names)}")
    return found[0]


def compact(X: Any) -> sp.csr_array:
    """Compressed sparse rows of float64, with 32-bit indices where they suffice."""
    X = sp.csr_array(X, dtype=np.float64)
    kind = np.int32 if max(X.nnz, *X.shape) <= np.iinfo(np.int32).max else np.int64
    parts = (X.data, X.indices.astype(kind, copy=False), X.indptr.astype(kind, copy=False))
    return sp.csr_array(parts, shape=X.shape)


def number(cell: str) -> float | None:
    """The number that a cell holds, if it holds one."""
    try:
        return float(cell)
    except ValueError:
        return None


def finite(cell: str) -> bool:
    """Whether a cell holds a number that is neither infinite nor NaN."""
    value = number(cell)
    return value is not None and math.isfinite(value)


def few(names: Sequence[str]) -> str:
    """Names for an error, not all if there are many."""
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return (", ".join(names[:10]) or "none") + more
