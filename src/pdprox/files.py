"""The format of files: a zip archive of arrays and one page of JSON.  Nothing that it holds is ever executed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import secrets
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_FORMAT, _VERSION, _PAGE = "pdprox", 1, "pdprox.json"

#: numbers, strings, True, False, None, arrays; lists and dictionaries of them
Tree = Any

#: what zipfile, numpy and json raise at bytes that are not theirs
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, TypeError, KeyError, NotImplementedError,
    RuntimeError, OverflowError, MemoryError, OSError,
)  # fmt: skip


class FileError(ValueError):
    """A file is damaged, or holds something else than what is asked of it."""


def place(path: Any, name: str) -> Path:
    """The path that the user gave, as an object; ``name`` is what the argument is called."""
    if isinstance(path, (str, os.PathLike)) and isinstance(os.fspath(path), str):
        return Path(path)
    raise TypeError(f'{name} must be the name of a file, such as "model.npz", got {path!r}')


def room_for(path: Path) -> Path:
    """Where a file of this name will be written; an error that says why it cannot be."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{path} cannot be written: there is no folder {target.parent}; make it first"
        )
    if target.is_dir():
        raise IsADirectoryError(f"{path} cannot be written: it is a folder; name a file in it")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(
            f"{path} cannot be written: the folder {target.parent} is not open to you; choose another one"
        )
    return target


def write(path: Path, kind: str, tree: Tree) -> None:
    """Write a file so that there is the old one or the new one at any time, never half of one."""
    from pdprox import __version__

    target = room_for(path)
    arrays: dict[str, np.ndarray] = {}
    data = _plain(tree, "", arrays)
    page = {"format": _FORMAT, "version": _VERSION, "pdprox": __version__, "kind": kind, "data": data}
    text = json.dumps(page, indent=1, allow_nan=False)
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with draft.open("xb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr(zipfile.ZipInfo(_PAGE), text)
                for name, array in arrays.items():
                    with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                        np.lib.format.write_array(entry, array, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):  # some systems keep no record of folders
        _keep_entries(target.parent)


def _keep_entries(folder: Path) -> None:
    """Make the file's new name survive a loss of power."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def read(path: Path) -> tuple[str, Reader]:
    """The kind of a file, and what it holds."""
    data = path.read_bytes()
    if data[:2] != b"PK":
        raise FileError(f"{path} is no file of pdprox: it is not a zip archive")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            page = _page(path, archive)
            return page["kind"], Reader(path, _restored(page["data"], path, archive))
    except FileError:
        raise
    except RecursionError:
        raise FileError(f"{path} is damaged: its page is nested too deep") from None
    except _DAMAGE as error:
        raise FileError(f"{path} is damaged: {str(error) or type(error).__name__}") from error


def _page(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    from pdprox import __version__

    if _PAGE not in archive.namelist():
        raise FileError(f"{path} is no file of pdprox: the archive holds no {_PAGE}")
    page = json.loads(archive.read(_PAGE))
    if not isinstance(page, dict) or page.get("format") != _FORMAT:
        raise FileError(f"{path} is no file of pdprox: its {_PAGE} does not say so")
    version = page.get("version")
    if not isinstance(version, int) or version < 1:
        raise FileError(f"{path} is damaged: its format has version {version!r}")
    if version > _VERSION:
        raise FileError(
            f"{path} has format version {version}, written by pdprox {page.get('pdprox')}; pdprox {__version__} "
            f"reads versions up to {_VERSION}: update it"
        )
    if not isinstance(page.get("kind"), str) or not isinstance(page.get("data"), dict):
        raise FileError(f"{path} is damaged: its {_PAGE} lacks a kind or data")
    return page


def _plain(tree: Tree, name: str, arrays: dict[str, np.ndarray]) -> Any:
    """The tree as JSON has it; arrays go to ``arrays`` under the names of their places."""
    if tree is None or isinstance(tree, (bool, str)):
        return tree
    if isinstance(tree, np.generic):
        return _plain(tree.item(), name, arrays)
    if isinstance(tree, int):
        return tree
    if isinstance(tree, float):
        return tree if np.isfinite(tree) else {"float": repr(tree)}
    if isinstance(tree, np.ndarray):
        arrays[name] = tree
        return {"array": name, "dtype": tree.dtype.str, "shape": list(tree.shape)}
    inside = f"{name}." if name else ""
    if isinstance(tree, dict):
        return {key: _plain(value, f"{inside}{key}", arrays) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [_plain(value, f"{inside}{number}", arrays) for number, value in enumerate(tree)]
    raise TypeError(f"{name} cannot be saved: it is {tree!r}")


def _restored(node: Any, path: Path, archive: zipfile.ZipFile) -> Tree:
    if isinstance(node, list):
        return [_restored(value, path, archive) for value in node]
    if not isinstance(node, dict):
        return node
    if node.keys() == {"float"}:
        return float(node["float"])
    if node.keys() == {"array", "dtype", "shape"}:
        return _array(node, path, archive)
    return {key: _restored(value, path, archive) for key, value in node.items()}


def _array(node: dict[str, Any], path: Path, archive: zipfile.ZipFile) -> np.ndarray:
    name = f"{node['array']}.npy"
    if name not in archive.namelist():
        raise FileError(f"{path} lacks the array {node['array']!r}")
    array = np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
    if array.dtype.str != node["dtype"] or list(array.shape) != node["shape"]:
        raise FileError(
            f"the array {node['array']!r} of {path} is {array.dtype} of shape {array.shape}, where "
            f"{node['dtype']} of shape {node['shape']} was written"
        )
    return array.astype(array.dtype.newbyteorder("="), copy=False)


@dataclass(frozen=True)
class Reader:
    """What a file holds, taken out piece by piece; what is missing, or of another form, is a ``FileError``."""

    path: Path
    tree: Tree
    #: where in the file this is, with a dot at the end
    where: str = ""

    def __iter__(self) -> Iterator[str]:
        """The names of the pieces."""
        return iter(self._dictionary)

    @property
    def _dictionary(self) -> dict[str, Any]:
        if isinstance(self.tree, dict):
            return self.tree
        raise FileError(
            f"{self.path} is damaged: {self.where.rstrip('.')} holds {_shown(self.tree)}, not names"
        )

    def any(self, name: str) -> Tree:
        """What has this name, of whatever form."""
        if name not in self._dictionary:
            raise FileError(f"{self.path} lacks {self.where}{name}")
        return self.tree[name]

    def _refuse(self, name: str, wanted: str) -> FileError:
        return FileError(
            f"{self.path} is damaged: {self.where}{name} must be {wanted}, and is {_shown(self.any(name))}"
        )

    def text(self, name: str, known: Sequence[str] | None = None) -> str:
        """A string; one of those that are known."""
        found = self.any(name)
        if not isinstance(found, str) or (known is not None and found not in known):
            raise self._refuse(name, "a string" if known is None else f"one of {', '.join(known)}")
        return found

    def number(self, name: str) -> float:
        """A number."""
        found = self.any(name)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            raise self._refuse(name, "a number")
        return float(found)

    def count(self, name: str) -> int:
        """A whole number, at least 0."""
        found = self.any(name)
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise self._refuse(name, "a whole number >= 0")
        return found

    def dimensions(self, name: str) -> int:
        """How many dimensions an array has."""
        found = self.any(name)
        if not isinstance(found, np.ndarray):
            raise self._refuse(name, "an array")
        return found.ndim

    def array(self, name: str, *shape: int | None) -> Any:
        """An array of real numbers in float64 with this shape; None stands for any length."""
        found = self.any(name)
        if not isinstance(found, np.ndarray) or found.dtype != np.float64:
            raise self._refuse(name, "an array of float64")
        fits = len(shape) == found.ndim and all(
            want in (None, have) for want, have in zip(shape, found.shape, strict=True)
        )
        if not fits:
            wanted = ", ".join("any" if length is None else str(length) for length in shape)
            raise self._refuse(name, f"an array of shape ({wanted})")
        return found

    def inner(self, name: str) -> Reader:
        """A dictionary, to be read in the same way."""
        return Reader(self.path, self.any(name), f"{self.where}{name}.")

    def each(self, name: str) -> list[Reader]:
        """A list of dictionaries."""
        found = self.any(name)
        if not isinstance(found, list):
            raise self._refuse(name, "a list")
        return [
            Reader(self.path, value, f"{self.where}{name}.{number}.") for number, value in enumerate(found)
        ]


def _shown(tree: Tree) -> str:
    if isinstance(tree, np.ndarray):
        return f"an array of {tree.dtype} of shape {tree.shape}"
    shown = repr(tree)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
