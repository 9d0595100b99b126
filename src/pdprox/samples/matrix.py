"""Data matrices as the kernels want them, and columns shifted and scaled without touching the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from pdprox import _kernels as kernels
from pdprox.fingerprint import Mark, mark
from pdprox.losses.base import Line
from pdprox.typing import Floats

#: entries looked at together when a whole matrix is scanned
BLOCK = 1 << 22
#: a part of sparse data with more than this share of entries is kept dense: less memory, faster kernels
_DENSE_FROM = 0.25


class Matrix(ABC):
    """An n x d matrix by its products with vectors."""

    shape: tuple[int, int]
    #: what one read costs, in entries of a dense matrix
    work: float
    #: whether the entries are in memory as they count
    formed: bool

    @abstractmethod
    def forward(self, w: Floats, b: float) -> Floats:
        """X w + b."""

    @abstractmethod
    def backward(self, theta: Floats) -> Floats:
        """X' theta."""

    @abstractmethod
    def sweep(
        self, w: Floats, b: float, alpha: Floats, y: Floats, c: Floats, line: Line, step: Any, out: Floats,
        halpern: tuple[Floats, float, Floats] | None = None,
    ) -> tuple[Floats, float, float]:  # fmt: skip
        """The fused dual step of ``pdprox._kernels.sweep``: X' theta, sum of theta, squared movement."""

    @abstractmethod
    def mark(self) -> Mark:
        """What tells this matrix from others: shape, dtype and entries, but not their order in memory."""

    @property
    @abstractmethod
    def entries(self) -> float:
        """Stored entries; infinite where ``factor`` has nothing to offer."""

    @property
    @abstractmethod
    def by_row(self) -> Any:
        """The data as the kernels take them, dense ones in C order; only where ``formed``."""

    @abstractmethod
    def factor(self, rows: np.ndarray, roots: Floats, columns: np.ndarray) -> Any:
        """Some rows, each times a number, and columns of a sparse matrix, in CSC form with float64 and int32."""

    @abstractmethod
    def curvature(self, h: Floats, columns: np.ndarray) -> tuple[Floats, Floats, float]:
        """X' diag(h) X and X' h for some columns of X (ascending), and the sum of h."""

    @abstractmethod
    def part(self, rows: Any, columns: Any) -> Matrix:
        """Some rows (a mask or indices; None: all) and columns (indices; None: all)."""

    @abstractmethod
    def array(self) -> Floats:
        """The whole matrix as a dense array: for small parts."""

    @abstractmethod
    def column_squares(self, c: Floats, centred: bool) -> Floats:
        """sum_i c_i x_ij^2 for each column, of deviations from the mean with these weights if ``centred``."""

    @abstractmethod
    def row_squares(self, scale: Floats | None = None) -> Floats:
        """sum_j x_ij^2 for each row, each column's squares times its scale if there is one."""

    @abstractmethod
    def absolute_sums(self, c: Floats) -> tuple[Floats, Floats]:
        """sum_j |x_ij| for each row, and sum_i c_i |x_ij| for each column."""


class Stored(Matrix):
    """A matrix in memory: a dense array or compressed sparse rows, in the form the kernels take."""

    formed = True

    def __init__(self, data: Any) -> None:
        self.data: Any = data
        n, d = data.shape
        self.shape = (int(n), int(d))
        self.sparse = sp.issparse(data)
        self._by_column: Any = None
        if self.sparse:
            self.work = 3.0 * int(data.nnz)
            self._raw: Any = (data.data, data.indices, data.indptr, int(d))
        else:
            self.work = float(n) * float(d)
            self._raw = data

    def forward(self, w: Floats, b: float) -> Floats:
        return kernels.forward(self._raw, np.ascontiguousarray(w), b)

    def backward(self, theta: Floats) -> Floats:
        return kernels.backward(self._raw, np.ascontiguousarray(theta))

    def sweep(
        self, w: Floats, b: float, alpha: Floats, y: Floats, c: Floats, line: Line, step: Any, out: Floats,
        halpern: tuple[Floats, float, Floats] | None = None,
    ) -> tuple[Floats, float, float]:  # fmt: skip
        return kernels.sweep(self._raw, w, b, alpha, y, c, line, step, out, halpern)

    def mark(self) -> Mark:
        text = f"{self.shape[0]} x {self.shape[1]} {self.data.dtype}"
        if not self.sparse:
            return mark(self.data, text)
        used = slice(int(self.data.nnz))
        parts = (self.data.data[used], self.data.indices[used], self.data.indptr, self.shape)
        return mark(parts, f"{text}, sparse")

    @property
    def entries(self) -> float:
        return float(self.data.nnz) if self.sparse else np.inf

    @cached_property
    def by_row(self) -> Any:
        return self._raw if self.sparse else np.ascontiguousarray(self.data)

    def factor(self, rows: np.ndarray, roots: Floats, columns: np.ndarray) -> Any:
        picked = sp.csc_array(self.data[rows])
        if len(columns) < self.shape[1]:
            picked = picked[:, columns]
        values = roots[picked.indices] * picked.data
        parts = (
            values,
            picked.indices.astype(np.int32, copy=False),
            picked.indptr.astype(np.int32, copy=False),
        )
        return sp.csc_array(parts, picked.shape)

    def curvature(self, h: Floats, columns: np.ndarray) -> tuple[Floats, Floats, float]:
        return kernels.curvature(self._raw, h, None if len(columns) == self.shape[1] else columns)

    def part(self, rows: Any, columns: Any) -> Matrix:
        if not self.sparse:
            picked = self.data if rows is None else self.data[rows]
            return Stored(picked if columns is None else np.take(picked, columns, axis=1))
        picked = self.data
        if columns is not None:
            if self._by_column is None:
                self._by_column = sp.csc_array(self.data)
            picked = sp.csr_array(self._by_column[:, columns])
        if rows is not None:
            picked = picked[rows]
        if picked.nnz >= _DENSE_FROM * picked.shape[0] * picked.shape[1]:
            return Stored(picked.toarray())
        picked.sort_indices()
        return Stored(picked)

    def array(self) -> Floats:
        whole = self.data.toarray() if self.sparse else self.data
        return np.array(whole, dtype=np.float64)

    def column_squares(self, c: Floats, centred: bool) -> Floats:
        if self.sparse:
            squares = np.square(self.data.data, dtype=np.float64)
            squared = sp.csr_array((squares, self.data.indices, self.data.indptr), self.shape)
            sums = Stored(squared).backward(c)
        else:
            sums = np.zeros(self.shape[1])
            for block, where in self.blocks():
                sums += np.einsum("i,ij,ij->j", c[where], block, block, dtype=np.float64)
        total = float(c.sum())
        return np.maximum(sums - self.backward(c) ** 2 / total, 0.0) if centred and total > 0 else sums

    def row_squares(self, scale: Floats | None = None) -> Floats:
        scale = np.ones(self.shape[1]) if scale is None else scale
        if self.sparse:
            squared = np.square(self.data.data, dtype=np.float64)
            return kernels.forward((squared, *self._raw[1:]), scale)
        blocks = [np.einsum("ij,ij,j->i", rows, rows, scale, dtype=np.float64) for rows, _ in self.blocks()]
        return np.concatenate(blocks) if blocks else np.zeros(0)

    def absolute_sums(self, c: Floats) -> tuple[Floats, Floats]:
        if self.sparse:
            absolute = sp.csr_array(
                (np.abs(self.data.data, dtype=np.float64), self.data.indices, self.data.indptr), self.shape
            )
            return np.asarray(absolute.sum(axis=1)), np.asarray(absolute.T @ c)
        rows, columns = [], np.zeros(self.shape[1])
        for block, where in self.blocks():
            absolute = np.abs(block).astype(np.float64)
            rows.append(absolute.sum(axis=1))
            columns += c[where] @ absolute
        return np.concatenate(rows), columns

    def blocks(self) -> Iterator[tuple[np.ndarray, slice]]:
        """Some rows at a time of a dense matrix, and which."""
        n, d = self.shape
        height = max(1, BLOCK // d)
        for start in range(0, n, height):
            where = slice(start, min(n, start + height))
            yield self.data[where], where


@dataclass
class Shifted(Matrix):
    r"""The matrix :math:`(X - 1\mu^\top)\,\mathrm{diag}(1/\sigma)`, never formed.

    Products cost what they cost with X: the shift is a number for the whole column of predictions.
    """

    inner: Matrix
    centre: Floats
    scale: Floats

    formed = False

    def __post_init__(self) -> None:
        self.shape = self.inner.shape
        self.work = self.inner.work

    def _down(self, w: Floats, b: float) -> tuple[Floats, float]:
        w = w / self.scale
        return w, float(b - self.centre @ w)

    def _up(self, g: Floats, total: float) -> Floats:
        return (g - self.centre * total) / self.scale

    def forward(self, w: Floats, b: float) -> Floats:
        return self.inner.forward(*self._down(w, b))

    def backward(self, theta: Floats) -> Floats:
        return self._up(self.inner.backward(theta), float(np.sum(theta)))

    def sweep(
        self, w: Floats, b: float, alpha: Floats, y: Floats, c: Floats, line: Line, step: Any, out: Floats,
        halpern: tuple[Floats, float, Floats] | None = None,
    ) -> tuple[Floats, float, float]:  # fmt: skip
        g, total, moved = self.inner.sweep(*self._down(w, b), alpha, y, c, line, step, out, halpern)
        return self._up(g, total), total, moved

    def mark(self) -> Mark:
        inner = self.inner.mark()
        return mark((inner.digest, self.centre, self.scale), f"{inner.text}, columns shifted")

    @property
    def entries(self) -> float:
        return float("inf")

    def factor(self, rows: np.ndarray, roots: Floats, columns: np.ndarray) -> Any:
        raise TypeError("shifted columns are not sparse")

    def curvature(self, h: Floats, columns: np.ndarray) -> tuple[Floats, Floats, float]:
        H, mixed, total = self.inner.curvature(h, columns)
        centre, scale = self.centre[columns], self.scale[columns]
        shifted = H - np.outer(mixed, centre) - np.outer(centre, mixed) + total * np.outer(centre, centre)
        return shifted / np.outer(scale, scale), (mixed - centre * total) / scale, total

    def part(self, rows: Any, columns: Any) -> Matrix:
        some = slice(None) if columns is None else columns
        return Shifted(self.inner.part(rows, columns), self.centre[some], self.scale[some])

    def array(self) -> Floats:
        return (self.inner.array() - self.centre) / self.scale

    def column_squares(self, c: Floats, centred: bool) -> Floats:
        squares = self.inner.column_squares(c, centred)
        if not centred:
            squares = squares - 2 * self.centre * self.inner.backward(c) + self.centre**2 * c.sum()
        return np.asarray(np.maximum(squares, 0.0) / self.scale**2)

    @property
    def by_row(self) -> Any:
        raise TypeError("shifted columns are not stored")

    def row_squares(self, scale: Floats | None = None) -> Floats:
        # sum_j (x_ij - mu_j)^2 / s_j^2, expanded where the inner matrix is sparse, so an upper bound is taken
        # that never forms a row: ||x/s - mu/s|| <= ||x/s|| + ||mu/s||, and ||x/s|| <= ||x|| / min s.
        root = 1.0 / self.scale if scale is None else np.sqrt(scale) / self.scale
        length = np.sqrt(self.inner.row_squares()) * root.max()
        longest: Floats = np.square(length + float(np.linalg.norm(self.centre * root)))
        return longest

    def absolute_sums(self, c: Floats) -> tuple[Floats, Floats]:
        rows, columns = self.inner.absolute_sums(c)
        shift = np.abs(self.centre / self.scale)
        return rows / self.scale.min() + shift.sum(), columns / self.scale + shift * c.sum()
