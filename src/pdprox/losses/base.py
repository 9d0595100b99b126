"""What a loss is: three methods, and which numbers it reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pdprox.typing import Array, Floats
from pdprox.values import Parameters

Reads = Literal["margin", "residual"]


@dataclass(frozen=True)
class Line:
    """A broken line as numbers, for kernels: see ``BrokenLineLoss`` for what they mean."""

    kinks: Floats
    slopes: Floats
    smoothing: float
    margin: bool


class Loss(Parameters, ABC):
    r"""A convex loss of one number per sample, known by its dual form.

    .. math:: \ell(t) = \max_{a}\; a\,t - \ell^*(a)

    where t is the margin :math:`y\,z` (``reads = "margin"``, y is -1 or 1) or the residual
    :math:`z - y` (``reads = "residual"``) of the prediction :math:`z = x^\top w + b`.  The maximising
    a is the slope of the loss at t; it is the dual variable of the sample.  The least loss is 0.

    Subclass it with ``value``, ``conjugate``, ``dual_prox`` and ``bounds``, all of them entry by entry,
    and it works wherever the built-in losses do; ``pdprox.checks.check_loss`` tells whether they agree.
    """

    reads: Reads = "residual"

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """The least and the largest slope: the interval outside which the conjugate is infinite."""

    @abstractmethod
    def value(self, t: Array) -> Array:
        """l(t), entry by entry."""

    @abstractmethod
    def conjugate(self, a: Array) -> Array:
        """l*(a), entry by entry; infinite outside ``bounds``."""

    @abstractmethod
    def dual_prox(self, v: Array, step: float | Array) -> Array:
        """The a that minimises ``step l*(a) + (a - v)^2 / 2``, entry by entry."""

    # -- how dual variables enter; a loss with several of them a sample says otherwise -------------------

    @property
    def broken_line(self) -> Line | None:
        """The loss as numbers for the fused kernels, if it is a broken line."""
        return None

    def coupling(self, side: Literal["primal", "dual"]) -> float:
        """The factor of R^2/n in the paper's constant c: 1 with one dual variable a sample."""
        return 1.0

    def zeros(self, shape: tuple[int, ...]) -> Floats:
        """Dual variables for targets of this shape, all zero."""
        return np.zeros(shape)

    def slope(self, alpha: Array) -> Array:
        """The slopes that the dual variables stand for."""
        return alpha

    def from_slope(self, a: Array) -> Array:
        """Dual variables that stand for these slopes, moved within bounds."""
        return self.dual_prox(a, 0.0)

    def spread(self, t: Array) -> Array:
        """The adjoint of ``slope``: how a change of the argument enters each dual variable."""
        return t

    def ascend(self, alpha: Array, t: Array, step: float | Array) -> Array:
        """One proximal ascent step on the dual variables at loss arguments t."""
        return self.dual_prox(alpha + step * t, step)

    # -- what may be ----------------------------------------------------------------------------

    def check(self) -> None:
        """Raise ValueError, naming what is wrong, when this is no convex loss of a margin or of a residual."""
        if self.reads not in ("margin", "residual"):
            raise ValueError(f'reads must be "margin" or "residual", got {self.reads!r}')

    def check_targets(self, y: Array) -> None:
        """Raise ValueError when y is outside the alphabet of the loss."""
        if self.reads == "margin":
            strange = np.unique(y[(y != 1.0) & (y != -1.0)])
            if strange.size:
                shown = ", ".join(f"{value:g}" for value in strange[:5])
                raise ValueError(
                    f"{type(self).__name__} reads margins, so y must hold -1 and 1 only; it also holds {shown}. "
                    "Encode the classes as -1 and 1, for instance np.where(y == positive, 1.0, -1.0)."
                )
