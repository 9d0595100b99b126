r"""Dual variables one at a time: ascent on the dual of a problem in which every coefficient pays for its square.

The problem is that of the samples plus

.. math:: \sum_j q_j |w_j| + \tfrac12 r_j w_j^2 + \tfrac12 k_j (x_j - x^0_j)^2

where the last part, with its centre x0, stands in for squares that are missing: those of the intercept, at least.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from pdprox import _kernels as kernels
from pdprox.samples.conjugate import conjugate_gradients
from pdprox.typing import Floats

#: conjugate gradients end at this share of the first residual, or after so many products
_SHORT, _PRODUCTS = 0.03, 100
#: a direction is cut to this share as often as it does not rise
_CUT, _CUTS = 0.3, 6
#: updates of the coefficients after which they are made afresh: rounding adds up
_UPDATES = 50


class Coordinates(ABC):
    """Dual variables, and coefficients that follow them."""

    #: the Fenchel gaps that the last epoch met, weighted: what those samples lack
    gap: float
    #: samples that the last call visited, that the next epoch will, that lie between two slopes, and that came there
    #: or left
    visited: int
    active: int
    free: int
    changed: int

    @abstractmethod
    def epochs(self, visits: int, goal: float) -> None:
        """Exact steps on single samples, in random order, until so many were visited or the gap is that small."""

    @abstractmethod
    def restore(self) -> None:
        """Visit all samples again."""

    @abstractmethod
    def leap(self) -> bool:
        """A Newton step among the samples between two slopes, by conjugate gradients; false if it was cut."""

    @abstractmethod
    def missed(self) -> float:
        """sum_j k_j |x_j - x0_j| |x_j|: what the centre does to the gap."""

    @abstractmethod
    def recentre(self, factor: float) -> None:
        """Move the centre to x, and make its pull so many times as strong."""

    @property
    @abstractmethod
    def x(self) -> Floats:
        """The coefficients that belong to the dual variables."""

    @abstractmethod
    def slopes(self) -> Any:
        """The dual variables, without sums."""


class LocalCoordinates(Coordinates):
    """Of samples in memory."""

    def __init__(
        self, samples: Any, slopes: Floats, centre: Floats, single: Floats, ridge: Floats, near: Floats
    ) -> None:
        d = len(single)
        self._samples, self._line, self._alpha = samples, samples.line_of_loss, slopes.copy()
        self._theta_scale = samples.c * (samples.y if self._line.margin else 1.0)
        self._near, self._centre = np.zeros(d + 1), np.zeros(d + 1)
        self._near[: len(near)], self._centre[: len(centre)] = near, centre
        self._ridge = np.append(ridge, 0.0)
        self._held = slice(0 if np.any(self._near[:d]) else d, d + 1)
        self._curve()
        plain = not np.any(single) and not np.any(self._near[:d]) and np.all(ridge == ridge[:1])
        self._single = None if plain else single
        self._w, self._v = np.zeros(d + 1), np.zeros(d + 1)
        seen = samples.weights > 0
        self._seen = int(np.count_nonzero(seen))
        self._order = np.concatenate([np.flatnonzero(seen), np.flatnonzero(~seen)]).astype(np.intp)
        self._last = kernels.Epoch(self._seen)
        self._refresh()

    @property
    def gap(self) -> float:  # type: ignore[override]
        return self._last.gap

    @property
    def visited(self) -> int:  # type: ignore[override]
        return self._last.visited

    @property
    def active(self) -> int:  # type: ignore[override]
        return self._last.active

    @property
    def free(self) -> int:  # type: ignore[override]
        return self._last.free

    @property
    def changed(self) -> int:  # type: ignore[override]
        return self._last.changed

    @property
    def x(self) -> Floats:
        return self._w[: self._samples.shape[0]].copy()

    def slopes(self) -> Any:
        return self._samples.dual_from(self._alpha.copy())

    def epochs(self, visits: int, goal: float) -> None:
        samples = self._samples
        if self._updates > _UPDATES:
            self._refresh()
        self._last = kernels.epochs(
            samples.matrix.by_row, samples.y, samples.c, self._line, self._inverse, self._single,
            self._squares, self._alpha, self._v, self._w, self._order, self._last, visits, goal,
        )  # fmt: skip
        samples.passes += 0.5 * (self._last.visited + self._last.moved) / len(self._alpha)
        self._updates += self._last.moved / len(self._alpha)

    def restore(self) -> None:
        self._last = self._last._replace(active=self._seen)

    def missed(self) -> float:
        held = self._held
        return float((self._near[held] * np.abs(self._w[held] - self._centre[held])) @ np.abs(self._w[held]))

    def recentre(self, factor: float) -> None:
        held = self._held
        self._v[held] += self._near[held] * (factor * self._w[held] - self._centre[held])
        self._centre[held] = self._w[held]
        if factor != 1.0:
            self._near *= factor
            self._curve()
        if self._single is None:  # of v only the last entry is kept
            self._w[-1] = self._v[-1] * self._inverse[-1]
        else:
            self._follow()

    def leap(self) -> bool:
        self._refresh()
        samples, line = self._samples, self._line
        free = np.flatnonzero(samples.between(samples.dual_from(self._alpha)))
        if not len(free):
            return False
        X, scale, alpha = samples.matrix.part(free, None), self._theta_scale[free], self._alpha[free]
        share = len(free) / len(self._alpha)
        piece = np.searchsorted(line.slopes, alpha) - 1
        kink, low, high = line.kinks[piece], line.slopes[piece], line.slopes[piece + 1]
        alive = np.where(self._w != 0, self._inverse, 0.0) if self._single is not None else self._inverse
        own = line.smoothing / samples.c[free]

        def image(theta: Floats) -> Floats:
            samples.passes += share
            moved = alive[:-1] * X.backward(theta)
            product: Floats = X.forward(moved, alive[-1] * float(theta.sum())) + own * theta
            return product

        z = X.forward(self._w[:-1], self._w[-1])
        t = samples.y[free] * z if line.margin else z - samples.y[free]
        residual = (t - kink - line.smoothing * alpha) * np.sign(scale)
        diagonal = X.row_squares(alive[:-1]) + alive[-1] + own
        diagonal = np.maximum(diagonal, 1e-12 * diagonal.max()) if np.any(diagonal > 0) else np.ones_like(own)
        change = conjugate_gradients(image, residual, diagonal, _SHORT, _PRODUCTS) / scale
        v, energy = self._v, self._energy()
        length = 1.0
        for _ in range(_CUTS):
            new = np.clip(alpha + length * change, low, high)
            theta = scale * (new - alpha)
            samples.passes += 0.5 * share
            self._v = v - np.append(X.backward(theta), float(theta.sum()))
            self._follow()
            paid = samples.c[free] @ ((kink + 0.5 * line.smoothing * (new + alpha)) * (new - alpha))
            if float(paid) + self._energy() < energy:
                self._alpha[free] = new
                return length == 1.0
            length *= _CUT
        self._v = v
        self._follow()
        return False

    def _refresh(self) -> None:
        """The coefficients of the dual variables, computed afresh."""
        self._v, self._updates = self._near * self._centre, 0.0
        theta = self._theta_scale * self._alpha
        if np.any(theta):
            self._samples.passes += 0.5
            self._v -= np.append(self._samples.matrix.backward(theta), theta.sum())
        self._follow()

    def _curve(self) -> None:
        """The curvatures of coefficients, and of the samples' duals through them."""
        curvature = self._ridge + self._near
        with np.errstate(divide="ignore"):
            self._inverse = np.where(curvature > 0, 1.0 / curvature, 0.0)
        columns = self._inverse[:-1]
        if len(columns) and np.all(columns == columns[0]):
            self._squares = columns[0] * self._samples.row_lengths + self._inverse[-1]
        else:
            self._squares = self._samples.matrix.row_squares(columns) + self._inverse[-1]

    def _follow(self) -> None:
        """The coefficients of v."""
        charged = self._v
        if self._single is not None:
            v = self._v[:-1]
            charged = np.append(np.sign(v) * np.maximum(np.abs(v) - self._single, 0.0), self._v[-1])
        self._w = charged * self._inverse

    def _energy(self) -> float:
        """What the coefficients take from the dual value."""
        held = self._inverse > 0
        return 0.5 * float(np.sum(self._w[held] ** 2 / self._inverse[held]))
