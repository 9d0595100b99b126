"""The augmented losses to second order, as Newton's method minimises them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyr

from pdprox import _kernels as kernels
from pdprox.typing import Floats


@dataclass(frozen=True)
class Charges:
    """What coefficients cost: of |w_j|, of w_j^2 / 2, and of lengths of groups, as the kernels take it."""

    single: Floats
    ridge: Floats
    groups: kernels.Groups | tuple[()] = ()


class Model(ABC):
    r"""A quadratic model around coefficients w, and a point v that goes down on it.

    .. math:: m(v) = \langle s, v - w\rangle + \tfrac12 (v - w)^\top Q (v - w)

    The intercept has its best value for every v, which takes a matrix of rank one off the Hessian.
    """

    #: the coefficients that the model is around, and the point
    w: Floats
    v: Floats
    #: how many sweeps of coordinate descent are worth their while before one equation is solved
    sweeps: int = 20

    @abstractmethod
    def descend(self, charges: Charges, sweeps: int, goal: float = 0.0) -> tuple[float, float]:
        """Coordinate descent from v; squared lengths of the first and of the last sweep."""

    @abstractmethod
    def gradient(self, some: np.ndarray) -> Floats:
        """The model's gradient at v, some entries of it."""

    @abstractmethod
    def hessian(self, some: np.ndarray) -> Floats:
        """Q among some coefficients: an array of the caller's own, in C order; its lower triangle counts."""

    @abstractmethod
    def trial(self, some: np.ndarray, change: Floats) -> tuple[float, Any]:
        """By how much the model rises when these coefficients change, and what ``take`` wants to know."""

    @abstractmethod
    def take(self, some: np.ndarray, change: Floats, image: Any) -> None:
        """Make the change that was tried."""

    @abstractmethod
    def outcome(self) -> tuple[Floats, float]:
        """The changes of coefficients and intercept, and twice how much the quadratic part rises by them."""


class GramModel(Model):
    """Q as an array, the intercept eliminated; ``last`` is its row, its diagonal entry and its slope."""

    def __init__(self, Q: Floats, slope: Floats, w: Floats, last: tuple[Floats, float, float] | None) -> None:
        self.w, self.v, self._Q, self._last = w, w.copy(), Q, last
        self._g: Floats = slope.copy() if last is None else slope - last[0] * (last[2] / last[1])

    def descend(self, charges: Charges, sweeps: int, goal: float = 0.0) -> tuple[float, float]:
        return kernels.descend(
            self._Q, charges.single, charges.ridge, charges.groups, self.v, self._g, sweeps, goal
        )

    def gradient(self, some: np.ndarray) -> Floats:
        g: Floats = self._g[some]
        return g

    def hessian(self, some: np.ndarray) -> Floats:
        return self._Q.copy() if len(some) == len(self._Q) else self._Q[some].take(some, axis=1)

    def trial(self, some: np.ndarray, change: Floats) -> tuple[float, Any]:
        image = change @ self._Q[some]
        return float(self._g[some] @ change + 0.5 * (image[some] @ change)), image

    def take(self, some: np.ndarray, change: Floats, image: Any) -> None:
        self.v[some] += change
        self._g += image

    def outcome(self) -> tuple[Floats, float]:
        change = self.v - self.w
        bend = float(change @ (self._Q @ change))
        if self._last is not None:
            mixed, own, rise = self._last
            level = float(mixed @ change) / own
            last = -rise / own - level
            bend += own * (last + level) * (last + level)
            change = np.append(change, last)
        return change, bend


class ColumnsModel(Model):
    """Q by the sparse columns of a factor: for many columns with few entries in the rows that matter.

    A holds the rows with curvature, each times the root of it; ``own`` is added to the Hessian's diagonal,
    its last entry to the intercept's.
    """

    sweeps = 40

    def __init__(self, A: Any, roots: Floats, own: Floats, slope: Floats, w: Floats) -> None:
        p = len(w)
        self.w, self.v, self._A = w, w.copy(), A
        self._columns = (A.data, A.indices, A.indptr)
        self._own = np.ascontiguousarray(own[:p])
        self._bias, self._root, self._rise = np.zeros(p), 0.0, 0.0
        q = slope[:p].copy()
        if len(own) > p:
            self._root = float(np.sqrt(roots @ roots + own[p]))
            self._bias, self._rise = (A.T @ roots) / self._root, float(slope[p])
            q -= self._bias * (self._rise / self._root)
        self._q = q - self._own * w
        self._r, self._t = np.zeros(A.shape[0]), 0.0

    def descend(self, charges: Charges, sweeps: int, goal: float = 0.0) -> tuple[float, float]:
        first, last, self._t = kernels.descend_columns(
            self._columns, self._own, self._bias, self._q, charges.single, charges.ridge, self.v, self._r,
            self._t, sweeps, goal,
        )  # fmt: skip
        return first, last

    def gradient(self, some: np.ndarray) -> Floats:
        whole = self._q + self._A.T @ self._r + self._own * self.v - self._bias * self._t
        return np.asarray(whole[some])

    def hessian(self, some: np.ndarray) -> Floats:
        rows = sp.csr_array(self._A[:, some])
        parts = (rows.data, rows.indices, rows.indptr, len(some))
        H, _, _ = kernels.curvature(parts, np.ones(rows.shape[0]))
        H.flat[:: len(H) + 1] += self._own[some]
        if self._root > 0:
            dsyr(-1.0, self._bias[some], lower=0, a=H.T, overwrite_a=1)
        return H

    def trial(self, some: np.ndarray, change: Floats) -> tuple[float, Any]:
        whole = np.zeros(len(self.v))
        whole[some] = change
        r, t = self._A @ whole, float(self._bias[some] @ change)
        bend = float(r @ r) + float(self._own[some] @ change**2) - t * t
        return float(self.gradient(some) @ change) + 0.5 * bend, (r, t)

    def take(self, some: np.ndarray, change: Floats, image: Any) -> None:
        self.v[some] += change
        self._r += image[0]
        self._t += image[1]

    def outcome(self) -> tuple[Floats, float]:
        change = self.v - self.w
        bend = float(self._r @ self._r) + float(self._own @ change**2) - self._t * self._t
        if self._root > 0:
            last = -self._rise / self._root**2 - self._t / self._root
            level = self._t + self._root * last
            bend += level * level
            change = np.append(change, last)
        return change, bend
