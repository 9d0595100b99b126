"""Losses of the residual r = x.w + b - y, for real targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from pdprox.losses.broken_line import BrokenLineLoss
from pdprox.values import number


@dataclass(frozen=True)
class Absolute(BrokenLineLoss):
    r"""Least absolute deviation: estimates the median and shrugs off gross errors.

    .. math:: \ell(r) = |r|
    """

    kinks = (0.0,)
    slopes = (-1.0, 1.0)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]


@dataclass(frozen=True)
class EpsilonInsensitive(BrokenLineLoss):
    r"""The loss of support vector regression: errors up to epsilon are free.

    .. math:: \ell(r) = \max(0,\; |r| - \varepsilon)

    Parameters
    ----------
    epsilon : float, default=0.1
        Half the width of the free tube, in the units of y.  0 is the absolute loss.

    References
    ----------
    Rosasco et al. (2004), Are loss functions all the same?, Neural Computation 16.
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        if not (np.isfinite(number(self.epsilon, "epsilon")) and self.epsilon >= 0):
            raise ValueError(f"epsilon must be a number >= 0, got {self.epsilon}")

    @property
    def kinks(self) -> tuple[float, ...]:
        return (0.0,) if self.epsilon == 0 else (-self.epsilon, self.epsilon)

    @property
    def slopes(self) -> tuple[float, ...]:
        return (-1.0, 1.0) if self.epsilon == 0 else (-1.0, 0.0, 1.0)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(epsilon=1.5), cls(epsilon=0.0)]


@dataclass(frozen=True)
class Pinball(BrokenLineLoss):
    r"""The loss of quantile regression: its least mean is at the quantile.

    .. math:: \ell(r) = \max(-q\,r,\; (1 - q)\,r), \qquad r = x^\top w + b - y

    Too low a prediction costs q a unit, too high a one costs 1 - q.  The paper calls it piecewise
    linear loss.

    Parameters
    ----------
    quantile : float, default=0.5
        Which quantile of y given x to predict; strictly between 0 and 1.

    References
    ----------
    Koenker and Bassett (1978), Regression quantiles, Econometrica 46.
    """

    quantile: float = 0.5
    kinks = (0.0,)

    def __post_init__(self) -> None:
        if not 0 < number(self.quantile, "quantile") < 1:
            raise ValueError(f"quantile must lie strictly between 0 and 1, got {self.quantile}")

    @property
    def slopes(self) -> tuple[float, ...]:
        return (-self.quantile, 1.0 - self.quantile)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(quantile=0.1), cls(quantile=0.99)]


@dataclass(frozen=True)
class Huber(BrokenLineLoss):
    r"""Square near zero, absolute far away.

    .. math:: \ell(r) = \begin{cases} r^2/2 & |r| \le \delta \\ \delta |r| - \delta^2/2 & |r| > \delta \end{cases}

    Parameters
    ----------
    delta : float, default=1.0
        Where the square ends, in the units of y.

    References
    ----------
    Huber (1964), Robust estimation of a location parameter, Annals of Mathematical Statistics 35.
    """

    delta: float = 1.0
    kinks = (0.0,)
    smoothing = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(number(self.delta, "delta")) and self.delta > 0):
            raise ValueError(f"delta must be a number > 0, got {self.delta}; for delta = 0 use Absolute()")

    @property
    def slopes(self) -> tuple[float, ...]:
        return (-self.delta, self.delta)

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(), cls(delta=0.05)]


@dataclass(frozen=True)
class Square(BrokenLineLoss):
    r"""Half the squared residual: the mean, and no protection against gross errors.

    .. math:: \ell(r) = \tfrac12 r^2
    """

    kinks = (0.0,)
    slopes = (-np.inf, np.inf)
    smoothing = 1.0

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]
