"""How the rows of w fall into groups, and how to work on all groups without a loop over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pdprox.typing import Array
from pdprox.values import ByValue, settle

Indices = NDArray[np.intp]
#: more labels than this are not printed
_SHOWN = 12
#: the numbers of the groups in one block, and the block: a row for each group, zeros at the end
Block = tuple[Indices | slice, Array]


class Partition(ABC):
    """A partition of the rows of w.  The block of a group is all entries of its rows, in one long row."""

    @property
    @abstractmethod
    def dimension(self) -> int | None:
        """How many rows are parted; None when any number will do."""

    @abstractmethod
    def of_rows(self, d: int) -> Indices:
        """The group of each of the d rows."""

    @abstractmethod
    def sizes(self, d: int) -> Indices:
        """How many rows each group has."""

    @abstractmethod
    def split(self, w: Array) -> list[Block]:
        """The groups, gathered in a few blocks of about equal length."""

    @abstractmethod
    def join(self, blocks: Iterable[Array], like: Array) -> Array:
        """The inverse of ``split``: a new array of the shape and dtype of ``like``."""

    @abstractmethod
    def first(self, values: Array) -> Array:
        """For each group, the value at its first entry, ``values`` having the shape of w."""


@dataclass(frozen=True)
class EveryRow(Partition):
    """Every row of w is a group of its own."""

    @property
    def dimension(self) -> int | None:
        return None

    def of_rows(self, d: int) -> Indices:
        return np.arange(d, dtype=np.intp)

    def sizes(self, d: int) -> Indices:
        return np.ones(d, dtype=np.intp)

    def split(self, w: Array) -> list[Block]:
        return [(slice(None), w.reshape(len(w), -1))]

    def join(self, blocks: Iterable[Array], like: Array) -> Array:
        (rows,) = blocks
        return rows.reshape(like.shape)

    def first(self, values: Array) -> Array:
        return values.reshape(len(values), -1)[:, 0]


@dataclass(frozen=True, eq=False)
class Groups(ByValue, Partition):
    """A partition of the features 0, ..., d-1.

    Parameters
    ----------
    labels : array of d integers, or a list of lists of feature numbers
        Labels are any integers >= 0; they are renumbered 0, 1, ... in increasing order.  Lists number the
        groups in their own order.
    """

    labels: Any

    def __post_init__(self) -> None:
        given = self.labels
        if isinstance(given, str) or not isinstance(given, (Sequence, np.ndarray)):
            raise ValueError(f"groups must be labels or lists of feature numbers, got {given!r}")
        if len(given) == 0:
            raise ValueError("groups is empty; give one label for each feature, or a list of lists")
        lists = any(np.ndim(item) > 0 for item in given)
        labels = _labels_from_lists(given) if lists else _labels_renumbered(given)
        labels.setflags(write=False)
        settle(self, labels=labels)

    def __repr__(self) -> str:
        """All labels if they are few."""
        if len(self.labels) <= _SHOWN:
            return f"Groups({self.labels.tolist()})"
        return f"Groups(<{len(self.labels)} features in {len(self._sizes)} groups>)"

    @property
    def dimension(self) -> int | None:
        return len(self.labels)

    @cached_property
    def _sizes(self) -> Indices:
        return np.bincount(self.labels).astype(np.intp)

    @cached_property
    def _order(self) -> Indices:
        """The rows sorted by group."""
        return np.argsort(self.labels, kind="stable").astype(np.intp)

    @cached_property
    def _starts(self) -> Indices:
        """Where each group begins in ``_order``."""
        return np.cumsum(self._sizes) - self._sizes

    @cached_property
    def _is_plain(self) -> bool:
        """Whether all groups have one size and lie one after the other: then a reshape will do."""
        return bool(self._sizes.min() == self._sizes.max() and (np.diff(self.labels) >= 0).all())

    @cached_property
    def _buckets(self) -> list[tuple[Indices, Indices]]:
        """Groups of sizes 2^(k-1) < size <= 2^k, with their rows; row number d stands for a row of zeros.

        A block is at most twice as large as its groups, and there are few blocks.
        """
        found = []
        classes = np.ceil(np.log2(self._sizes)).astype(np.intp)
        for size_class in np.unique(classes):
            members = np.flatnonzero(classes == size_class)
            sizes = self._sizes[members]
            place = np.arange(sizes.max())
            inside = place < sizes[:, None]
            rows = np.full(inside.shape, len(self.labels), dtype=np.intp)
            rows[inside] = self._order[(self._starts[members][:, None] + place)[inside]]
            found.append((members, rows))
        return found

    def of_rows(self, d: int) -> Indices:
        labels: Indices = self.labels
        return labels

    def sizes(self, d: int) -> Indices:
        return self._sizes

    def split(self, w: Array) -> list[Block]:
        if len(w) != len(self.labels):
            raise ValueError(f"the groups are made for {len(self.labels)} features, got {len(w)}")
        if self._is_plain:
            return [(slice(None), w.reshape(len(self._sizes), -1))]
        rows = w.reshape(len(w), -1)
        padded = np.concatenate([rows, np.zeros_like(rows[:1])])
        return [(members, padded[places].reshape(len(members), -1)) for members, places in self._buckets]

    def join(self, blocks: Iterable[Array], like: Array) -> Array:
        if self._is_plain:
            (rows,) = blocks
            return rows.reshape(like.shape)
        padded = np.empty((len(like) + 1, like.size // len(like)), dtype=like.dtype)
        for (_, places), block in zip(self._buckets, blocks, strict=True):
            padded[places] = block.reshape(places.shape + padded.shape[1:])
        joined: Array = padded[:-1].reshape(like.shape)
        return joined

    def first(self, values: Array) -> Array:
        found: Array = values.reshape(len(values), -1)[self._order[self._starts], 0]
        return found


def partition(groups: Any) -> Partition:
    """A partition as it is; labels or lists as ``Groups``."""
    return groups if isinstance(groups, Partition) else Groups(groups)


def _integers(values: Any, what: str) -> Indices:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{what} must be integers, got {array.ravel()[0]!r}; convert them with astype(int)")
    if array.ndim != 1:
        raise ValueError(f"{what} must be a flat list of integers, got an array of shape {array.shape}")
    if array.size and array.min() < 0:
        at = int(np.argmax(array < 0))
        raise ValueError(f"{what} must be >= 0, got {array[at]} at position {at}")
    return array.astype(np.intp)


def _labels_renumbered(labels: Any) -> Indices:
    given = _integers(labels, "group labels")
    return np.unique(given, return_inverse=True)[1].astype(np.intp)


def _labels_from_lists(lists: Any) -> Indices:
    groups = []
    for number, group in enumerate(lists):
        if np.ndim(group) == 0:
            raise ValueError(f"group {number} is the number {group!r}; give lists only, or labels only")
        groups.append(_integers(group, f"the features of group {number}"))
        if groups[-1].size == 0:
            raise ValueError(f"group {number} is empty; leave it out")
    features = np.concatenate(groups)
    owners = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    order = np.argsort(features, kind="stable")
    features, owners = features[order], owners[order]
    twice = np.flatnonzero(features[1:] == features[:-1])
    if twice.size:
        k = twice[0]
        raise ValueError(
            f"feature {features[k]} is in group {owners[k]} and again in group {owners[k + 1]}; "
            f"groups must not overlap: copy the column of the feature, once for each group"
        )
    gaps = np.flatnonzero(features != np.arange(len(features)))
    if gaps.size:
        raise ValueError(
            f"feature {gaps[0]} is in no group; every feature from 0 to {features[-1]} needs one: "
            f"give it a group of its own"
        )
    return owners.astype(np.intp)
