"""What loading and fetching return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from pdprox.typing import Floats


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data as ``pdprox.Problem`` takes them, and what they mean.

    Iterating yields X and y, so that ``X, y = load_engel()`` works.
    """

    #: n x d, dense or compressed sparse rows
    X: Any
    #: n targets: -1 and 1, or numbers; strings if a file of yours has them
    y: NDArray[Any]
    #: one label for each column, for group penalties; columns of one attribute share a label
    groups: NDArray[np.intp]
    #: one name for each column
    feature_names: Sequence[str]
    description: str
    licence: str
    source: str

    def __iter__(self) -> Any:
        return iter((self.X, self.y))


@dataclass(frozen=True)
class Listing:
    """What is known of a set before it is read.

    Its shape is that of X, or of the matrix of ratings; of tasks it is their number, the rows of all, and the columns.
    """

    name: str
    #: what returns it, such as ``fetch_a9a("test")``
    call: str
    shape: tuple[int, ...]
    description: str
    licence: str
    source: str
    #: where there is a copy: ``"package"``, ``"folder"`` (that PDPROX_DATA names), ``"cache"`` or nowhere
    at_hand: str | None = None

    @property
    def told(self) -> tuple[str, str, str]:
        """Description, licence and source."""
        return self.description, self.licence, self.source


@dataclass(frozen=True, eq=False)
class Tasks:
    """Regressions that share their columns, each with rows of its own.

    Iterating yields X and y, which are lists with one array for each task.
    """

    X: list[Floats]
    y: list[Floats]
    description: str
    licence: str
    source: str

    def __iter__(self) -> Any:
        return iter((self.X, self.y))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Observed entries of a matrix of the given shape: at ``rows[k], cols[k]``, from 0, stands ``ratings[k]``.

    Iterating yields the three arrays.
    """

    rows: NDArray[np.intp]
    cols: NDArray[np.intp]
    ratings: Floats
    shape: tuple[int, int]
    description: str
    licence: str
    source: str

    def __iter__(self) -> Any:
        return iter((self.rows, self.cols, self.ratings))


@dataclass(frozen=True)
class Numbered(Sequence[str]):
    """The names ``feature 1``, ``feature 2``, ..., made when they are asked for.

    Parameters
    ----------
    length : int
        How many there are.
    known : sequence of str, optional
        The first names, where these are better known.
    """

    length: int
    known: Sequence[str] = ()

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        places = range(self.length)[number]
        if isinstance(places, range):
            return [self[place] for place in places]
        return self.known[places] if places < len(self.known) else f"feature {places + 1}"
