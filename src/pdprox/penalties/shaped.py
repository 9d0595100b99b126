"""Functions of a norm: V(||w||), solved by the paper's scalar equation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from pdprox.penalties.atoms import L1, L2, LInf
from pdprox.penalties.base import BrokenLineNorm, Norm, Penalty
from pdprox.penalties.rows import crossing, one_step
from pdprox.penalties.tariff import Tariff
from pdprox.typing import Array, Mask
from pdprox.vectors import dot


class Shape(ABC):
    """A convex function V of z >= 0 that never decreases, with V(0) = 0."""

    #: the z at which the slope jumps
    kinks: tuple[float, ...] = ()

    @abstractmethod
    def value(self, z: float) -> float:
        """V(z)."""

    @abstractmethod
    def slope(self, z: float) -> float:
        """V'(z); at a kink, the slope to the right."""

    @abstractmethod
    def conjugate(self, s: float) -> float:
        """V*(s) = sup over z >= 0 of s z - V(z), for s >= 0; may be infinite."""


@dataclass(frozen=True)
class Power(Shape):
    r"""A power.

    .. math:: V(z) = z^p / p, \qquad V^*(s) = s^q / q, \qquad 1/p + 1/q = 1

    Parameters
    ----------
    exponent : float, default=2.0
        The p, greater than 1.
    """

    exponent: float = 2.0

    def __post_init__(self) -> None:
        if not 1.0 < self.exponent < np.inf:
            raise ValueError(
                f"exponent must be finite and greater than 1, got {self.exponent}; "
                f"for 1 use the norm itself, for infinity a ball as primal set"
            )

    def value(self, z: float) -> float:
        return _power(z, self.exponent) / self.exponent

    def slope(self, z: float) -> float:
        return _power(z, self.exponent - 1.0)

    def conjugate(self, s: float) -> float:
        dual = self.exponent / (self.exponent - 1.0)
        return _power(s, dual) / dual


@dataclass(frozen=True)
class Excess(Shape):
    r"""What exceeds a radius; a norm that is free of charge near zero.

    .. math:: V(z) = (z - r)_+, \qquad V^*(s) = r s \text{ for } s \le 1, \text{ infinite beyond}

    Parameters
    ----------
    radius : float, default=1.0
        The r >= 0.
    """

    radius: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.radius < np.inf:
            raise ValueError(f"radius must be finite and >= 0, got {self.radius}")

    @property
    def kinks(self) -> tuple[float, ...]:  # type: ignore[override]
        return (self.radius,)

    def value(self, z: float) -> float:
        return max(z - self.radius, 0.0)

    def slope(self, z: float) -> float:
        return 1.0 if z >= self.radius else 0.0

    def conjugate(self, s: float) -> float:
        return self.radius * s if s <= 1.0 + 64.0 * np.finfo(np.float64).eps else float("inf")


def threshold(shape: Shape, norm: Norm, v: Array, step: float) -> float:
    r"""The eta in :math:`step\;\partial V(\|\mathrm{prox}_{\eta\|\cdot\|}(v)\|)`, a root in a bracket."""
    v = np.asarray(v, dtype=np.float64)  # in float32 the equation has steps, and root finders stumble
    highest = step * shape.slope(norm.value(v))
    if isinstance(norm, BrokenLineNorm):
        knots, drops = norm.fall(v)
        highest = min(highest, float(knots.max(initial=0.0)))
        for kink in shape.kinks:  # there the slope takes all values between its two sides
            eta = float(crossing(knots, drops, target=kink))
            below = shape.slope(float(np.nextafter(kink, 0.0))) if kink > 0 else 0.0
            if step * below <= eta <= step * shape.slope(kink):
                return eta
    else:
        highest = min(highest, norm.dual_norm(v))  # from there on the prox is zero

    def left_over(eta: float) -> float:
        if isinstance(norm, BrokenLineNorm):
            size = dot(drops, np.maximum(knots - eta, 0.0))
        else:
            size = norm.value(norm.prox(v, eta))
        return eta - step * shape.slope(size)

    if not left_over(highest) > 0.0:  # NaN takes this way too
        return highest
    eps = np.finfo(np.float64).eps
    root: float = brentq(left_over, 0.0, highest, xtol=max(eps * highest, 1e-300), rtol=4 * eps, maxiter=1000)
    return root


class OfNorm(Penalty):
    """What functions of one norm share."""

    norm: Norm

    def __post_init__(self) -> None:
        if not isinstance(self.norm, Norm):
            raise ValueError(f"norm must be a norm such as L1() or GroupLasso(groups), got {self.norm!r}")

    @property
    def monotone(self) -> bool:
        return self.norm.monotone

    @property
    def dimension(self) -> int | None:
        return self.norm.dimension

    def check(self, shape: tuple[int, ...]) -> None:
        self.norm.check(shape)

    def free(self, shape: tuple[int, ...]) -> Mask:
        return self.norm.free(shape)


@dataclass(frozen=True)
class Squared(OfNorm):
    r"""The square of a norm.

    .. math:: R(w) = \|w\|^2, \qquad R^*(u) = \|u\|_*^2 / 4, \qquad
              \mathrm{prox}_{tR}(v) = \mathrm{prox}_{\eta\|\cdot\|}(v), \quad
              \eta = 2t\,\|\mathrm{prox}_{\eta\|\cdot\|}(v)\|

    The eta is found by sorting when the norm falls along a broken line, by root finding otherwise.

    Parameters
    ----------
    norm : Norm

    References
    ----------
    Yang, Mahdavi, Jin and Zhu, "An efficient primal dual prox method for non-smooth optimization".
    """

    norm: Norm

    @classmethod
    def specimens(cls) -> list[Squared]:
        return [cls(L1()), cls(L1([1.0, 0.5, 0.0, 2.0])), cls(LInf())]

    def value(self, w: Array) -> float:
        size = self.norm.value(w)
        return size * size

    def prox(self, v: Array, step: float | Array) -> Array:
        t = float(one_step(step)[0])
        if not isinstance(self.norm, BrokenLineNorm):
            return self.norm.prox(v, threshold(Power(2.0), self.norm, v, 2.0 * t))
        with np.errstate(divide="ignore", over="ignore"):
            incline = 0.5 / np.float64(t)
        return self.norm.prox(v, float(crossing(*self.norm.fall(v), incline=incline)))

    def conjugate(self, u: Array) -> float:
        size = self.norm.dual_norm(u)
        return 0.25 * size * size

    def tariff(self, d: int) -> Tariff | None:
        of_norm = self.norm.tariff(d)
        return None if of_norm is None else of_norm.square()


@dataclass(frozen=True)
class Shaped(OfNorm):
    r"""A convex increasing function of a norm.

    .. math:: R(w) = V(\|w\|), \qquad R^*(u) = V^*(\|u\|_*), \qquad
              \mathrm{prox}_{tR}(v) = \mathrm{prox}_{\eta\|\cdot\|}(v), \quad
              \eta = t\,V'(\|\mathrm{prox}_{\eta\|\cdot\|}(v)\|)

    The scalar equation is the paper's; its bisection is replaced by a bracketed root finder that
    converges superlinearly, down to rounding.

    Parameters
    ----------
    V : Shape
        ``Power(p)``, ``Excess(r)`` or a class of your own.
    norm : Norm

    References
    ----------
    Yang, Mahdavi, Jin and Zhu, "An efficient primal dual prox method for non-smooth optimization".
    """

    V: Shape
    norm: Norm

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.V, Shape):
            raise ValueError(f"V must be a Shape such as Power(2.0) or Excess(1.0), got {self.V!r}")

    @classmethod
    def specimens(cls) -> list[Shaped]:
        return [cls(Power(1.5), L1()), cls(Power(4.0), L2()), cls(Excess(0.5), LInf())]

    def value(self, w: Array) -> float:
        return self.V.value(self.norm.value(w))

    def prox(self, v: Array, step: float | Array) -> Array:
        return self.norm.prox(v, threshold(self.V, self.norm, v, float(one_step(step)[0])))

    def conjugate(self, u: Array) -> float:
        return self.V.conjugate(self.norm.dual_norm(u))


def _power(z: float, exponent: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float64(z) ** exponent)
