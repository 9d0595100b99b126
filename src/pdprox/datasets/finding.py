"""Where the sets of the catalogue are: in a folder, in the cache, at their source.  What is read is checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdprox.datasets.catalogue import ENTRIES, Entry
from pdprox.datasets.dataset import Listing
from pdprox.datasets.files import Parsed, damage_named
from pdprox.datasets.shipped import SHIPPED

_ENTRIES = {entry.listing.name: entry for entry in ENTRIES}


def data_folder() -> Path | None:
    """The folder of larger data sets, from the environment variable PDPROX_DATA; None when it is not set."""
    given = os.environ.get("PDPROX_DATA")
    if not given:
        return None
    folder = Path(given)
    if not folder.is_dir():
        raise FileNotFoundError(f"PDPROX_DATA names {given!r}, which is not a folder; correct or unset it")
    return folder


def available() -> list[Listing]:
    """All sets: what they are, how they are called, and whether a copy is at hand; nothing is downloaded."""
    return [*SHIPPED, *(replace(entry.listing, at_hand=_at_hand(entry)) for entry in ENTRIES)]


def fetched(name: str) -> tuple[Entry, Parsed]:
    """The entry and its data, which have the shape and the classes that they should."""
    entry = _ENTRIES[name]
    path = _in_folder(entry) or _downloaded(entry)
    way_out = "replace it" if path == _in_folder(entry) else "delete it, and it is downloaded again"
    try:
        if not path.stat().st_size:
            raise ValueError("it is empty")
        with damage_named(path):
            parsed = entry.read(path)
    except (ValueError, LookupError) as error:
        raise ValueError(f"{path} does not hold {name} ({error}); {way_out}") from error
    wanted = _facts(entry.listing.shape, entry.counts)
    got = _facts(_shape(parsed.X), _counts(parsed.y) if entry.counts else {})
    if got != wanted:
        raise ValueError(f"{path} does not hold {name}: {wanted} expected, {got} found; {way_out}")
    return entry, parsed


def _in_folder(entry: Entry) -> Path | None:
    folder = data_folder()
    found = [folder / file for file in entry.files if (folder / file).is_file()] if folder else []
    return found[0] if found else None


def _downloaded(entry: Entry) -> Path:
    file = entry.files[-1]
    if entry.url is None:
        raise FileNotFoundError(
            f"{entry.listing.name} is read from {file}, which has no address to download it from (its origin: "
            f"{entry.listing.source}); name a folder that holds it in PDPROX_DATA"
        )
    try:
        import pooch
    except ImportError:
        raise ImportError(
            f'{file} is not at hand, and downloading it needs pooch: pip install "pdprox[data]", or name a folder '
            "that holds it in PDPROX_DATA"
        ) from None
    try:
        cached = pooch.retrieve(entry.url, known_hash=entry.sha256, fname=file, path=pooch.os_cache("pdprox"))
    except OSError as error:
        raise OSError(
            f"{file} cannot be downloaded ({type(error).__name__}); get it from {entry.url} and name the folder that "
            "holds it in PDPROX_DATA"
        ) from error
    return Path(cached)


def _at_hand(entry: Entry) -> str | None:
    if _in_folder(entry):
        return "folder"
    try:
        import pooch
    except ImportError:
        return None
    cached = entry.url is not None and (pooch.os_cache("pdprox") / entry.files[-1]).is_file()
    return "cache" if cached else None


def _shape(X: Any) -> tuple[int, ...]:
    if isinstance(X, list):  # tasks
        return len(X), sum(map(len, X)), X[0].shape[1]
    shape: tuple[int, ...] = X.shape
    return shape


def _counts(y: NDArray[Any]) -> dict[float, int]:
    values, counts = np.unique(y, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _facts(shape: tuple[int, ...], counts: Mapping[float, int]) -> str:
    classes = ", ".join(f"{counts[label]} of class {label:g}" for label in sorted(counts))
    return " x ".join(map(str, shape)) + (f" with {classes}" if classes else "")
