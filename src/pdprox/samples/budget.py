"""A budget on the dual variables: the paper's additional constraint, for budget SVMs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdprox.losses import Line, Loss
from pdprox.typing import Floats
from pdprox.vectors import dot


@dataclass(frozen=True)
class WeightedBudget:
    """sum_i s_i v_i |alpha_i| <= rho, with the sample weights s, for a loss that is a broken line."""

    rho: float
    #: s v, what a unit of slope costs
    price: Floats
    #: v
    v: Floats
    line: Line

    def used(self, alpha: Floats) -> float:
        """What the slopes cost."""
        return dot(self.price, np.abs(alpha))

    def ascend(self, loss: Loss, u: Floats, step: Any) -> Floats:
        r"""The prox of the conjugate within bounds and budget, in the metric of the weights.

        The budget's multiplier :math:`\eta \ge 0` draws each argument of the plain prox towards 0:
        :math:`a_i = \mathrm{prox}(u_i \mp \eta v_i)`.  What all of them cost falls with eta along straight
        pieces, one ramp for each sample and kink, so eta is found by sorting the ramps' ends.
        """
        plain = loss.dual_prox(u, step)
        excess = self.used(plain) - self.rho
        if excess <= 0:
            return plain
        pull = self.v * (step if np.ndim(step) else 1.0)
        sign = np.sign(plain)
        starts, ends, falls = [], [], []
        for kink, before, after in zip(
            self.line.kinks, self.line.slopes[:-1], self.line.slopes[1:], strict=True
        ):
            # the interval of arguments on which this piece of the prox is a ramp, on the side of the sign
            low = np.where(sign > 0, max(before, 0.0), before) + step * kink
            high = np.where(sign > 0, after, min(after, 0.0)) + step * kink
            first = np.where(sign > 0, u - high, low - u) / pull
            last = np.where(sign > 0, u - low, high - u) / pull
            seen = (self.price > 0) & (sign != 0) & (last > 0) & (last > first)
            starts.append(np.maximum(first[seen], 0.0))
            ends.append(last[seen])
            falls.append((self.price * pull)[seen])
        eta = _where_ramps_sum_to(np.concatenate(starts), np.concatenate(ends), np.concatenate(falls), excess)
        drawn = loss.dual_prox(u - sign * eta * pull, step)
        return np.where(sign > 0, np.maximum(drawn, 0.0), np.minimum(drawn, 0.0))

    def loss(self, loss: Loss, t: Floats, total: float) -> float:
        r"""The largest :math:`\sum_i c_i(\alpha_i t_i - \ell^*(\alpha_i))` that the budget buys: a fractional knapsack.

        On either side of 0 the conjugate is a broken line, so each of its pieces is an item: its width is
        what it costs, its slope what it pays.
        """
        prices, gains = [], []
        for kink, before, after in zip(
            self.line.kinks, self.line.slopes[:-1], self.line.slopes[1:], strict=True
        ):
            right, left = max(after, 0.0) - max(before, 0.0), max(-before, 0.0) - max(-after, 0.0)
            for width, pay in ((right, t - kink), (left, kink - t)):
                prices.append(self.price * width)
                gains.append(self.price / self.v * width * np.maximum(pay, 0.0))
        price, gain = np.concatenate(prices), np.concatenate(gains)
        worth = gain > 0
        price, gain = price[worth], gain[worth]
        order = np.argsort(-gain / price, kind="stable")
        before_it = np.cumsum(price[order]) - price[order]
        share = np.clip((self.rho - before_it) / price[order], 0.0, 1.0)
        return dot(share, gain[order]) / total


def _where_ramps_sum_to(starts: Floats, ends: Floats, falls: Floats, target: float) -> float:
    """The x at which ``sum falls (clip(x, starts, ends) - starts)`` reaches the target."""
    points = np.concatenate([starts, ends])
    order = np.argsort(points, kind="stable")
    points = points[order]
    rates = np.cumsum(np.concatenate([falls, -falls])[order])
    reached = np.concatenate([[0.0], np.cumsum(rates[:-1] * np.diff(points))])
    k = int(np.clip(np.searchsorted(reached, target) - 1, 0, len(points) - 1))
    return float(points[k] + ((target - reached[k]) / rates[k] if rates[k] > 0 else 0.0))
