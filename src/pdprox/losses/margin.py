"""Losses of the margin, for two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit, xlogy

from pdprox.losses.base import Loss
from pdprox.losses.broken_line import BrokenLineLoss
from pdprox.typing import Array
from pdprox.values import number
from pdprox.vectors import floating


@dataclass(frozen=True)
class Hinge(BrokenLineLoss):
    r"""The loss of support vector machines: nothing beyond margin 1, a straight line before it.

    .. math:: \ell(m) = \max(0,\; 1 - m), \qquad m = y\,(x^\top w + b)

    The dual variable is the slope, in [-1, 0]; the paper's :math:`\alpha_i` is minus the slope.
    """

    reads = "margin"
    kinks = (1.0,)
    slopes = (-1.0, 0.0)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]


@dataclass(frozen=True)
class GeneralizedHinge(BrokenLineLoss):
    r"""Hinge which charges a confident mistake more than a hesitant one.

    .. math:: \ell(m) = \max(0,\; 1 - m,\; 1 - a m), \qquad a > 1

    Suits classifiers that may reject: for rejection cost d take ``a = (1 - d) / d``.

    Parameters
    ----------
    a : float, default=2.0
        How steep the loss is for wrong signs.

    References
    ----------
    Bartlett and Wegkamp (2008), Classification with a reject option using a hinge loss, JMLR 9.
    """

    a: float = 2.0
    reads = "margin"
    kinks = (0.0, 1.0)

    def __post_init__(self) -> None:
        if not (np.isfinite(number(self.a, "a")) and self.a > 1):
            raise ValueError(f"a must be greater than 1, got {self.a}; a = 1 is Hinge()")

    @property
    def slopes(self) -> tuple[float, ...]:
        return (-self.a, -1.0, 0.0)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(a=9.0), cls(a=1.01)]


@dataclass(frozen=True)
class SquaredHinge(BrokenLineLoss):
    r"""Hinge squared: smooth, with slopes that grow without end.

    .. math:: \ell(m) = \max(0,\; 1 - m)^2, \qquad \ell^*(a) = a + \tfrac14 a^2 \quad (a \le 0)
    """

    reads = "margin"
    kinks = (1.0,)
    slopes = (-np.inf, 0.0)
    smoothing = 0.5

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]


@dataclass(frozen=True)
class Logistic(Loss):
    r"""The loss of logistic regression: minus the log-likelihood of the class.

    .. math:: \ell(m) = \log(1 + e^{-m}), \qquad
              \ell^*(a) = (-a)\log(-a) + (1 + a)\log(1 + a) \quad (-1 \le a \le 0)
    """

    reads = "margin"

    @property
    def bounds(self) -> tuple[float, float]:
        return -1.0, 0.0

    def value(self, t: Array) -> Array:
        t = floating(t)
        return np.logaddexp(t.dtype.type(0), -t)

    def conjugate(self, a: Array) -> Array:
        a = floating(a)
        rounding = 8 * np.finfo(a.dtype).eps
        inside = np.clip(-a, 0, 1)
        entropy = xlogy(inside, inside) + xlogy(1 - inside, 1 - inside)
        return np.where((a < -1 - rounding) | (a > rounding), a.dtype.type(np.inf), entropy)

    def dual_prox(self, v: Array, step: float | Array) -> Array:
        # With p = -a and p = expit(x) the optimality condition is  expit(x) + step x = -v.  Its left side
        # rises with x and x lies in [(-v - 1)/step, -v/step]: Newton, kept inside a shrinking bracket.
        v = floating(v)
        s = np.asarray(step, dtype=np.float64) + np.zeros(v.shape)
        target = -v.astype(np.float64)
        still = s <= 0
        s = np.where(still, 1.0, s)
        low, high = (target - 1.0) / s, target / s
        x = np.clip(np.zeros_like(target), low, high)
        for _ in range(100):
            p = expit(x)
            excess = p + s * x - target
            low, high = np.where(excess <= 0, x, low), np.where(excess >= 0, x, high)
            new = x - excess / (p * (1.0 - p) + s)
            new = np.where((new < low) | (new > high), 0.5 * (low + high), new)
            if np.all(np.abs(new - x) <= 4e-16 * (1.0 + np.abs(x))):
                break
            x = new
        return np.where(still, np.clip(v, -1, 0), -expit(x)).astype(v.dtype)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
