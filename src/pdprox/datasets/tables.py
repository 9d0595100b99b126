"""Tables of text: CSV, TSV and columns between white space."""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdprox.datasets.files import MISSING, Parsed, few, finite, number, opened_text


class _Layout(NamedTuple):
    """How a table is written."""

    path: Path
    member: str
    delimiter: str | None
    #: cells of the first row
    first: list[str]
    #: lines until its end
    lines: int
    #: whether another row follows
    more: bool


def table(path: Path, target: str | int = -1, delimiter: str | None = None, member: str = "") -> Parsed:
    """Rows of numbers, one column of which, the target, may be text; a cell that is wrong is named.

    The delimiter is a tab, comma or semicolon, or else white space.  A first row without any number is a header.
    numpy reads.  Where it refuses, the file is gone through once more for line and column.
    """
    layout = _layout(path, delimiter, member)
    header = isinstance(target, str) or not any(number(cell) is not None for cell in layout.first)
    names = [cell.strip() for cell in layout.first] if header else []
    t, width = position(target, names, len(layout.first), path), len(layout.first)
    if header and not layout.more:
        raise ValueError(f"{path} has a header and no rows")
    dtype = np.dtype([("before", "f8", (t,)), ("target", object), ("after", "f8", (width - t - 1,))])
    try:
        with opened_text(path, member) as text:
            rows = np.loadtxt(
                text, dtype, delimiter=layout.delimiter, quotechar='"', comments=None,
                skiprows=layout.lines if header else 0, ndmin=1,
            )  # fmt: skip
    except ValueError as error:
        raise ValueError(_first_mistake(layout, names, t) or f"{path} is not a table: {error}") from None
    X, y = np.hstack([rows["before"], rows["after"]]), _numbers_or_text(rows["target"])
    if y is None or (y.dtype.kind == "f" and not np.isfinite(y).all()) or not np.isfinite(X).all():
        raise ValueError(_first_mistake(layout, names, t))
    return Parsed(X, y, tuple(names[:t] + names[t + 1 :]))


def cells(path: Path, delimiter: str) -> NDArray[np.str_]:
    """All cells of a small table as text, those of the header too."""
    with opened_text(path) as text:
        return np.loadtxt(text, np.str_, delimiter=delimiter, quotechar='"', comments=None, ndmin=2)


def position(target: str | int, names: Sequence[str], width: int, path: Path) -> int:
    """The number of the target's column, from 0."""
    if width == 1:
        raise ValueError(f"{path} has one column: a target, and nothing to predict it from")
    if isinstance(target, str):
        if names.count(target) != 1:
            found = "more than one column" if target in names else "no column"
            raise ValueError(f"{path} has {found} named {target!r}; it has {few(names)}")
        return names.index(target)
    place = operator.index(target)
    if not -width <= place < width:
        raise ValueError(f"target is column {place}, and {path} has {width} columns, counted from 0")
    return place % width


def _layout(path: Path, delimiter: str | None, member: str) -> _Layout:
    with opened_text(path, member) as text:
        start = next((line for line in text if line.strip()), "")
    if not start:
        raise ValueError(f"{path} holds no rows")
    often = max("\t,;", key=start.count)
    delimiter = delimiter or (often if often in start else None)
    with opened_text(path, member) as text:
        rows = _rows(text, delimiter)
        lines, first = next(rows)
        return _Layout(path, member, delimiter, first, lines, next(rows, None) is not None)


def _rows(text: io.TextIOWrapper, delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not empty, and the number of its line."""
    if delimiter is None:
        yield from ((line, row.split()) for line, row in enumerate(text, 1) if row.strip())
    else:
        reader = csv.reader(text, delimiter=delimiter)
        yield from ((reader.line_num, row) for row in reader if row)


def _first_mistake(layout: _Layout, names: Sequence[str], t: int) -> str:
    width, place = len(layout.first), str(layout.path)
    classes = not any(len(row) == width and number(row[t]) is not None for _, row in _body(layout, names))
    for line, row in _body(layout, names):
        if len(row) != width:
            return f"{place}, line {line}: {len(row)} cells, where the first row has {width}"
        for j, cell in enumerate(row):
            mistake = _mistake(cell, text=j == t and classes)
            if mistake:
                column = f"column {j + 1}" + (f" ({names[j]})" if names else "")
                others = "; other targets are numbers" if j == t and not classes else ""
                return f"{place}, line {line}, {column}: {mistake}{others}"
    return ""


def _body(layout: _Layout, names: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows after the header, if there is one."""
    with opened_text(layout.path, layout.member) as text:
        rows = _rows(text, layout.delimiter)
        if names:
            next(rows)
        yield from rows


def _mistake(cell: str, text: bool) -> str:
    if not cell.strip():
        return f"the cell is empty; {MISSING}"
    if text or finite(cell):
        return ""
    if number(cell) is None:
        return f"{cell!r} is not a number"
    return f"the cell holds {cell.strip()}; {MISSING}"


def _numbers_or_text(targets: NDArray[Any]) -> NDArray[Any] | None:
    """Targets that are all numbers or all text; None where they are mixed or missing."""
    text = targets.astype(np.str_)
    try:
        return text.astype(np.float64)
    except ValueError:
        mixed = any(not cell.strip() or number(cell) is not None for cell in text)
        return None if mixed else text
