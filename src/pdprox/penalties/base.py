"""What a penalty is: three methods, and a fourth word for norms."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from pdprox.penalties.tariff import Levels, Tariff
from pdprox.typing import Array, Floats, Mask
from pdprox.values import Parameters


class Penalty(Parameters, ABC):
    r"""A convex function R of the coefficients with R(0) = 0 and R >= 0.

    Subclass it with ``value``, ``prox`` and ``conjugate`` and it works wherever the built-in
    penalties do; ``pdprox.checks.check_penalty`` tells whether the three agree.  ``w`` is a vector
    of d coefficients or a d x K matrix.  ``lam`` is no business of the penalty.
    """

    @property
    def strong_convexity(self) -> float:
        """mu such that R - mu/2 ||w||^2 is still convex."""
        return 0.0

    @property
    def monotone(self) -> bool:
        """Whether ``R(w) = R(|w|)`` and R never decreases as any ``|w_j|`` grows."""
        return False

    @property
    def dimension(self) -> int | None:
        """How many rows w must have; None when any number will do."""
        return None

    @abstractmethod
    def value(self, w: Array) -> float:
        """R(w)."""

    @abstractmethod
    def prox(self, v: Array, step: float | Array) -> Array:
        """The w that minimises ``step R(w) + ||w - v||^2 / 2``, as a new array of the dtype of v.

        ``step`` is a number >= 0, or an array of the shape of ``v`` that is constant on ``blocks``; then
        the minimised function is ``R(w) + sum_j (w_j - v_j)^2 / (2 step_j)``.
        """

    @abstractmethod
    def conjugate(self, u: Array) -> float:
        """R*(u) = sup_w <u, w> - R(w); may be infinite."""

    def check(self, shape: tuple[int, ...]) -> None:
        """Raise ValueError, naming what is wrong, when w of this shape cannot be penalised."""
        if self.dimension is not None and shape[:1] != (self.dimension,):
            raise ValueError(
                f"this {type(self).__name__} was made for {self.dimension} features, got w of shape {shape}; "
                f"make one with groups or weights for that shape"
            )

    def blocks(self, shape: tuple[int, ...]) -> np.ndarray:
        """Integer labels: entries with the same label must share one prox step (default: all of them)."""
        return np.zeros(shape, dtype=np.intp)

    def free(self, shape: tuple[int, ...]) -> Mask:
        """Which entries are not penalised at all (default: none)."""
        return np.zeros(shape, dtype=bool)

    def tariff(self, d: int) -> Tariff | None:
        """The penalty of d coefficients as numbers, if it has that form: what Newton's method needs."""
        return None

    def levels(self, d: int) -> Levels | None:
        """The penalty of d coefficients as one of sizes, if it has that form: what interior points need."""
        return None


class Norm(Penalty):
    """A penalty that is a norm: give ``dual_norm`` and the conjugate follows."""

    @abstractmethod
    def dual_norm(self, u: Array) -> float:
        """max <u, w> over the w with R(w) <= 1."""

    def conjugate(self, u: Array) -> float:
        """0 where the dual norm is at most 1 (up to rounding), infinite elsewhere."""
        eps = np.finfo(np.asarray(u).dtype).eps
        return 0.0 if self.dual_norm(u) <= 1.0 + 64.0 * eps else float("inf")


class BrokenLineNorm(Norm):
    r"""A norm that falls along a broken line while its own prox shrinks a vector.

    .. math:: \|\mathrm{prox}_{\eta\|\cdot\|}(v)\| = \sum_j a_j\,(k_j - \eta)_+, \qquad \eta \ge 0,

    with drops a >= 0 and knots k >= 0 that depend on v.  Squares and other functions of such a norm
    have exact proxes, found on the knots.
    """

    @abstractmethod
    def fall(self, v: Array) -> tuple[Floats, Floats]:
        """The knots and the drops, two vectors."""
