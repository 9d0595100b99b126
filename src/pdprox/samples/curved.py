"""What Newton's method asks of samples in memory: augmented losses, their curvature, and parts of the data."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs, dpotrf, dpotrs

from pdprox import _kernels as kernels
from pdprox.losses.base import Line
from pdprox.samples.base import Augmented, Dual, Samples
from pdprox.samples.coordinates import LocalCoordinates
from pdprox.samples.interior import LocalInterior
from pdprox.samples.matrix import Matrix
from pdprox.samples.model import ColumnsModel, GramModel, Model
from pdprox.typing import Floats, Mask

#: updates of a Gram matrix before it is made afresh: rounding adds up
_UPDATES = 40
#: singular equations are solved with so much of the largest diagonal entry added, and refined so often
_RIDGE, _REFINEMENTS = 1e-11, 8
#: the model is one of sparse columns where so many times their entries are fewer than the squared number of columns
_SPARSE = 8


@dataclass(frozen=True)
class LocalDual:
    """Dual variables as an array, with their sums once these are known.

    ``plain`` ones are slopes, whatever the dual form of the loss.
    """

    alpha: Floats
    sums: Floats | None = None
    plain: bool = False

    @property
    def g(self) -> Floats:
        assert self.sums is not None, "sums over samples were asked for before backward"
        return self.sums


@dataclass(frozen=True)
class LocalAugmented:
    """The augmented losses at a point: the maximising slopes a, c a as X' takes it, and c da/dt."""

    moved: float
    alpha: Floats
    theta: Floats
    weights: Floats
    #: what all weights that are not 0 are, over c
    rate: float


@dataclass
class Gram:
    """X' diag(c) X over some rows and columns, kept up to date as rows come and go."""

    columns: np.ndarray
    chosen: Floats
    H: Floats
    mixed: Floats
    total: float
    updates: int = 0

    def positions(self, wanted: np.ndarray) -> np.ndarray | None:
        """Where the wanted columns are among those known; None if some are not, or too few are wanted."""
        if len(self.columns) > 1.5 * len(wanted) + 32:
            return None
        places = np.searchsorted(self.columns, wanted)
        fits = len(wanted) == 0 or (
            places[-1] < len(self.columns) and np.array_equal(self.columns[places], wanted)
        )
        return places if fits else None


class Curved(Samples):
    """The part of ``LocalSamples`` that second-order methods use."""

    matrix: Matrix
    y: Floats
    c: Floats
    weights: Floats
    line_of_loss: Line | None
    #: the last curvature, and room for the next model
    _gram: Gram | None = None
    _work: Floats | None = None

    @abstractmethod
    def _predict(self, x: Floats) -> Floats:
        """X w + b."""

    @abstractmethod
    def _arguments(self, z: Floats) -> Floats:
        """Margins or residuals of predictions."""

    @abstractmethod
    def _rows(self, matrix: Matrix, rows: Any, total: float) -> Self:
        """Samples of these rows, for another matrix and sum of weights."""

    @property
    def curved(self) -> bool:
        return self.line_of_loss is not None

    @property
    def _line(self) -> Line:
        assert self.line_of_loss is not None, "this loss has no curvature"
        return self.line_of_loss

    def predict(self, x: Floats) -> Floats:
        self.passes += 0.5
        return self._predict(x)

    def advance(self, predictions: Floats, change: Floats, length: float) -> Floats:
        return predictions + length * change

    def augmented(self, dual: Dual, predictions: Floats, step: float) -> LocalAugmented:
        n = len(predictions)
        a, theta, weights = np.empty(n), np.empty(n), np.empty(n)
        moved = kernels.augmented(
            predictions, self.y, alpha_of(dual), self.c, self._line, step, a, theta, weights
        )
        rate = step / (1.0 + step * self._line.smoothing)
        return LocalAugmented(moved, a, theta, weights, rate)

    def along(
        self, dual: Dual, predictions: Floats, change: Floats, step: float, length: float
    ) -> tuple[float, float]:
        return kernels.along(predictions, change, self.y, alpha_of(dual), self.c, self._line, step, length)

    def gradient(self, augmented: Augmented) -> Floats:
        assert isinstance(augmented, LocalAugmented)
        self.passes += 0.5
        return self._with_total(self.matrix.backward(augmented.theta), float(augmented.theta.sum()))

    def model(
        self,
        augmented: Augmented,
        columns: np.ndarray | None,
        slope: Floats,
        w: Floats,
        own: Floats,
        whole: bool,
    ) -> Model:
        assert isinstance(augmented, LocalAugmented)
        wanted = np.arange(self.matrix.shape[1], dtype=np.intp) if columns is None else columns
        free = np.flatnonzero(augmented.weights)
        factored = not whole and np.isfinite(self.matrix.entries)
        if factored and _SPARSE * self._entries(len(free), len(wanted)) < len(wanted) ** 2:
            roots = np.sqrt(augmented.weights[free])
            self.passes += len(free) / len(self.c)
            return ColumnsModel(self.matrix.factor(free, roots, wanted), roots, own, slope, w)
        return self._gram_model(augmented, wanted, slope, w, own)

    def _gram_model(
        self, augmented: LocalAugmented, wanted: np.ndarray, slope: Floats, w: Floats, own: Floats
    ) -> GramModel:
        H, mixed, total = self.curvature(augmented, wanted)
        width, rate = len(wanted), augmented.rate
        # these arrays serve one step after the other: fresh ones of this size are cleared by the system every time
        if self._work is None or self._work.shape != (2, width, width):
            self._work = np.empty((2, width, width))
        Q, less = self._work
        np.multiply(H, rate, out=Q)
        Q.flat[:: width + 1] += own[:width]
        if not self.intercept:
            return GramModel(Q, slope, w, None)
        mixed, last = rate * mixed, rate * total + float(own[width])
        np.multiply.outer(mixed, mixed / last, out=less)
        Q -= less
        return GramModel(Q, slope[:width], w, (mixed, last, float(slope[width])))

    def _entries(self, rows: int, columns: int) -> float:
        """How many entries as many rows and columns hold, if all are alike."""
        n, d = self.matrix.shape
        return self.matrix.entries * (rows / n) * (columns / d)

    def curvature(self, augmented: LocalAugmented, wanted: np.ndarray) -> tuple[Floats, Floats, float]:
        """The Hessian of the augmented losses over their rate: of these columns, the intercept's row, its entry.

        They belong to the samples, which bring them up to date from step to step.
        """
        gram = self._gram_of(np.where(augmented.weights > 0, self.c, 0.0), wanted)
        places = gram.positions(wanted)
        assert places is not None
        if len(wanted) == len(gram.columns):
            return gram.H, gram.mixed, gram.total
        return gram.H[np.ix_(places, places)], gram.mixed[places], gram.total

    def _gram_of(self, chosen: Floats, wanted: np.ndarray) -> Gram:
        """The curvature of these rows, made from the last one where that is less work."""
        known = self._gram
        if known is not None and known.positions(wanted) is not None and known.updates < _UPDATES:
            change = chosen - known.chosen
            changed, count = np.count_nonzero(change), np.count_nonzero(chosen)
            if changed == 0:
                return known
            if changed < 0.5 * count:
                self.passes += changed / len(chosen)
                H, mixed, total = self.matrix.curvature(change, known.columns)
                known.H += H
                known.mixed += mixed
                known.total += total
                known.chosen, known.updates = chosen, known.updates + 1
                return known
        columns = wanted
        if known is not None:  # columns that come and go are kept while they are few
            both = np.union1d(known.columns, wanted)
            columns = both if len(both) <= 1.3 * len(wanted) + 32 else wanted
        self.passes += np.count_nonzero(chosen) / len(chosen)
        self._gram = Gram(columns, chosen, *self.matrix.curvature(chosen, columns))
        return self._gram

    def curve(self, augmented: Augmented, x: Floats) -> Floats:
        assert isinstance(augmented, LocalAugmented)
        self.passes += 1.0
        theta = augmented.weights * self._predict(x)
        return self._with_total(self.matrix.backward(theta), float(theta.sum()))

    def ascended(self, augmented: Augmented) -> LocalDual:
        assert isinstance(augmented, LocalAugmented)
        return LocalDual(augmented.alpha)

    @property
    def interior_points(self) -> bool:
        line = self.line_of_loss
        return line is not None and line.smoothing == 0 and bool(np.all(np.isfinite(line.slopes)))

    def interior(self, x: Floats, tau: float) -> LocalInterior:
        return LocalInterior.at(self, x, tau)

    @property
    def coordinated(self) -> bool:
        return self.line_of_loss is not None and self.matrix.formed

    def coordinates(
        self, dual: Dual, centre: Floats, single: Floats, ridge: Floats, near: Floats
    ) -> LocalCoordinates:
        return LocalCoordinates(self, alpha_of(dual), centre, single, ridge, near)

    def row_length(self) -> float:
        return float(self.c @ self.row_lengths)

    @cached_property
    def row_lengths(self) -> Floats:
        """The squared length of each row."""
        return self.matrix.row_squares()

    def dual_from(self, slopes: Floats) -> LocalDual:
        """Dual variables from an array, without sums."""
        return LocalDual(slopes)

    def gram_cost(self, columns: int) -> float:
        n, d = self.matrix.shape
        each = min(self.matrix.entries / max(n, 1), d) * columns / max(d, 1)  # entries of a row
        return n * (160.0 + (0.04 if each == columns else 0.6) * each * each)

    def product_cost(self) -> float:
        n, d = self.matrix.shape
        return 5.0 * n + (
            0.25 * n * d if not np.isfinite(self.matrix.entries) else 0.75 * self.matrix.entries
        )

    def column_squares(self) -> Floats:
        self.passes += 0.5
        return self.matrix.column_squares(self.c, centred=self.intercept)

    def unsettled(self, dual: Dual, predictions: Floats) -> int:
        return kernels.room(predictions, self.y, alpha_of(dual), self._line)[1]

    def in_play(self, dual: Dual, predictions: Floats, count: int) -> Mask | None:
        distance, _ = kernels.room(predictions, self.y, alpha_of(dual), self._line)
        if count >= len(distance):
            return None
        if count == 0:
            return np.asarray(distance < 0)
        return np.asarray(distance <= np.partition(distance, count - 1)[count - 1])

    def between(self, dual: Dual) -> Mask:
        alpha = alpha_of(dual)
        settled = np.zeros(len(alpha), bool)
        for slope in self._line.slopes:
            settled |= alpha == slope
        return ~settled & (self.weights > 0)

    def pinned(
        self, dual: Dual, x: Floats, rise: Floats, bend: Floats | None
    ) -> tuple[Floats, LocalDual] | None:
        line, alpha = self._line, alpha_of(dual)
        A = self.matrix.array()
        if self.intercept:
            A = np.column_stack([A, np.ones(len(A))])
        piece = np.searchsorted(line.slopes, alpha) - 1
        at = self.y * line.kinks[piece] if line.margin else self.y + line.kinks[piece]
        sign = self.y if line.margin else 1.0
        found = _equations(A, at, line.smoothing / self.c, rise, bend, x, self.c * sign * alpha)
        if found is None:
            return None
        x, theta = found
        slopes = theta / (self.c * sign)
        if np.any(slopes < line.slopes[piece]) or np.any(slopes > line.slopes[piece + 1]):
            return None
        return x, LocalDual(slopes)

    def weighty(self) -> Mask | None:
        return None if np.all(self.weights > 0) else self.weights > 0

    def size(self, rows: Any) -> int:
        return len(self.y) if rows is None else int(np.count_nonzero(rows))

    def part(self, columns: Any, rows: Any) -> Self:
        if columns is None and rows is None:
            return self
        return self._rows(self.matrix.part(rows, columns), rows, self.total)

    def view(self) -> Self:
        other = copy(self)
        other.forget()
        return other

    def forget(self) -> None:
        """Drop the last curvature."""
        self._gram = self._work = None

    def draw(self, count: int, seed: int) -> Self:
        weighty = np.flatnonzero(self.weights)  # the others stand for nothing, and might be all that is drawn
        rows = np.sort(np.random.default_rng(seed).permutation(weighty)[:count])
        return self._rows(self.matrix.part(rows, None), rows, float(self.weights[rows].sum()))

    def dual_of_part(self, dual: Dual, rows: Any) -> LocalDual:
        return LocalDual(alpha_of(dual) if rows is None else alpha_of(dual)[rows])

    def merged(self, dual: Dual, rows: Any, part: Dual) -> LocalDual:
        if rows is None:
            return LocalDual(alpha_of(part))
        alpha = alpha_of(dual).copy()
        alpha[rows] = alpha_of(part)
        return LocalDual(alpha)

    def middle(self) -> LocalDual:
        finite = [slope for slope in self._line.slopes if np.isfinite(slope)]
        between = 0.5 * (finite[0] + finite[-1]) if np.all(np.isfinite(self._line.slopes)) else 0.0
        return LocalDual(np.full(len(self.y), between))

    def typical_step(self, x: Floats) -> float:
        t = self._arguments(self._predict(x))[self.weights > 0]
        kinks = self._line.kinks
        away = np.min(np.abs(t[:, None] - kinks), axis=1)
        jumps = np.diff(self._line.slopes)
        jump = float(jumps[np.isfinite(jumps)].max(initial=0.0)) or 1.0
        away = away[away > 1e-6 * self.spread()]
        width = max(float(np.median(away)), 0.1 * float(np.mean(away))) if len(away) else self.spread()
        return jump / width

    def _with_total(self, g: Floats, total: float) -> Floats:
        return np.append(g, total) if self.intercept else g


def _nearest(A: Floats, at: Floats, rise: Floats, x: Floats, theta: Floats) -> tuple[Floats, Floats] | None:
    """The solutions of ``A x = at`` and ``A' theta = -rise`` nearest to the given ones, as far as there are any."""
    flat = A if len(A) <= A.shape[1] else A.T
    G = flat @ flat.T
    G.flat[:: len(G) + 1] += _RIDGE * G.diagonal().max()
    factor, info = dpotrf(G, lower=1, overwrite_a=0)
    if info != 0:
        return None
    for _ in range(_REFINEMENTS):
        short, excess = at - A @ x, -rise - A.T @ theta
        if flat is A:
            x = x + A.T @ dpotrs(factor, short, lower=1)[0]
            theta = theta + dpotrs(factor, A @ excess, lower=1)[0]
        else:
            x = x + dpotrs(factor, A.T @ short, lower=1)[0]
            theta = theta + A @ dpotrs(factor, excess, lower=1)[0]
    return x, theta


def _equations(
    A: Floats, at: Floats, give: Floats, rise: Floats, bend: Floats | None, x: Floats, theta: Floats
) -> tuple[Floats, Floats] | None:
    """``A x - give theta = at`` and ``A' theta + bend x = bend x_before - rise``; None if they are singular."""
    m, q = A.shape
    if bend is None and not np.any(give):
        if m != q:
            return _nearest(A, at, rise, x, theta)
        factor, pivots, info = dgetrf(A)
        if info != 0:
            return _nearest(A, at, rise, x, theta)
        new, theta = dgetrs(factor, pivots, at)[0], dgetrs(factor, pivots, -rise, trans=1)[0]
    else:
        K, right = np.zeros((q + m, q + m)), np.concatenate([-rise, at])
        K[q:, :q], K[:q, q:] = A, A.T
        K[q:, q:] = np.diag(-give)
        if bend is not None:
            K[:q, :q] = bend
            right[:q] += bend @ x
        factor, pivots, info = dgetrf(K)
        if info != 0:
            return None
        new, theta = np.split(dgetrs(factor, pivots, right)[0], [q])
    return (new, theta) if np.all(np.isfinite(new)) and np.all(np.isfinite(theta)) else None


def alpha_of(dual: Dual) -> Floats:
    """The dual variables of a local handle."""
    assert isinstance(dual, LocalDual)
    return dual.alpha
