"""A penalty as numbers: what single coefficients and groups of them are charged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pdprox.typing import Floats


@dataclass(frozen=True)
class Tariff:
    r"""Weights of the penalties that Newton's method and the kernels know.

    .. math::

        \sum_j q_j |w_j| + \tfrac12 \sum_j r_j w_j^2 + \sum_g p_g \|w_g\|_2
        \qquad\text{or, if squared,}\qquad
        \dots + \Big(\sum_g p_g \|w_g\|_2\Big)^2
    """

    #: q and r, one for each of d coefficients
    single: Floats
    ridge: Floats
    #: the group of each coefficient, 0, 1, ..., and the p of each group; None without groups
    labels: np.ndarray | None = None
    group: Floats | None = None
    squared: bool = False

    @property
    def d(self) -> int:
        """How many coefficients."""
        return len(self.single)

    @property
    def smooth(self) -> bool:
        """Whether nothing but squares is charged."""
        return self.group is None and not np.any(self.single)

    def scaled(self, lam: float) -> Tariff:
        """lam times the penalty."""
        factor = np.sqrt(lam) if self.squared else lam
        group = None if self.group is None else factor * self.group
        return replace(self, single=lam * self.single, ridge=lam * self.ridge, group=group)

    def at(self, columns: np.ndarray | None) -> Tariff:
        """The tariff of some coefficients, which must be whole groups."""
        if columns is None:
            return self
        if self.labels is None or self.group is None:
            return Tariff(self.single[columns], self.ridge[columns])
        alive, labels = np.unique(self.labels[columns], return_inverse=True)
        return Tariff(
            self.single[columns], self.ridge[columns], labels.astype(np.intp), self.group[alive], self.squared
        )

    def __add__(self, other: Tariff) -> Tariff:
        one, two = (self, other) if other.group is None else (other, self)
        assert two.group is None, "two tariffs with groups do not add up to one"
        return replace(one, single=one.single + two.single, ridge=one.ridge + two.ridge)

    def square(self) -> Tariff | None:
        """The square of the penalty, if it is a sum of weighted lengths."""
        if self.squared or np.any(self.ridge):
            return None
        if self.group is None:  # every |w_j| is the length of a group of its own
            return replace(grouped(np.arange(self.d, dtype=np.intp), self.single), squared=True)
        return None if np.any(self.single) else replace(self, squared=True)

    def lengths(self, w: Floats) -> Floats:
        """The length of each group."""
        assert self.labels is not None and self.group is not None
        return np.sqrt(np.bincount(self.labels, w * w, len(self.group)))

    def in_use(self, w: Floats) -> np.ndarray:
        """Which coefficients are not 0, or belong to a group that is not."""
        alive: np.ndarray = w != 0
        if self.labels is not None:
            alive = (np.bincount(self.labels, alive) > 0)[self.labels]
        return alive

    def value(self, w: Floats) -> float:
        """What w is charged."""
        total = float(self.single @ np.abs(w) + 0.5 * (self.ridge @ (w * w)))
        if self.group is not None:
            sum_of_lengths = float(self.group @ self.lengths(w))
            total += sum_of_lengths**2 if self.squared else sum_of_lengths
        return total

    def model(self, w: Floats, alive: np.ndarray) -> tuple[Floats, Floats, Floats | None]:
        """Gradient and Hessian at w where it is not 0: the Hessian's diagonal, and what else it has."""
        v = w[alive]
        slope = self.single[alive] * np.sign(v) + self.ridge[alive] * v
        own = self.ridge[alive]
        if self.group is None or self.labels is None:
            return slope, own, None
        labels, length = self.labels[alive], self.lengths(w)
        price = 2.0 * float(self.group @ length) * self.group if self.squared else self.group
        unit = v / length[labels]
        bend = price[labels] / length[labels]
        together = labels[:, None] == labels[None, :]
        slope = slope + price[labels] * unit
        between = together * (-bend[:, None] * np.outer(unit, unit))
        if self.squared:
            along = self.group[labels] * unit
            between += 2.0 * np.outer(along, along)
        return slope, own + bend, between

    def pull(self, w: Floats, g: Floats) -> Floats:
        """How strongly each coefficient is drawn away from 0 by the gradient g: above 1 it will leave 0.

        Coefficients that cost nothing but squares are drawn with infinite strength.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            strength = np.abs(g) / self.single
            if self.group is not None:
                beyond = np.maximum(np.abs(g) - self.single, 0.0)
                price = self.group
                if self.squared:
                    price = 2.0 * float(self.group @ self.lengths(w)) * self.group
                together = (self.lengths(beyond) / price)[self.labels]
                strength = np.where(price[self.labels] > 0, together, strength)
        return np.where(np.isnan(strength), np.inf, strength)

    def foremost(self, w: Floats, g: Floats, count: int, least: float) -> np.ndarray | None:
        """About as many columns: those in use, then those that g draws away from 0 most, at least so strongly.

        None where that is most of them.
        """
        if count >= 0.6 * self.d:
            return None
        pull = np.where(self.in_use(w), np.inf, self.pull(w, g))
        return np.flatnonzero(pull >= max(float(np.partition(pull, self.d - count)[self.d - count]), least))


def plain(d: int, single: float = 0.0, ridge: float = 0.0) -> Tariff:
    """The same charge for all coefficients, without groups."""
    return Tariff(np.full(d, float(single)), np.full(d, float(ridge)))


def grouped(labels: np.ndarray, group: Floats) -> Tariff:
    """A charge for the length of each group."""
    return Tariff(np.zeros(len(labels)), np.zeros(len(labels)), labels, group)


@dataclass(frozen=True)
class Levels:
    r"""Penalties of sizes within groups, for interior points: of the largest, or of squared sums.

    .. math::

        \sum_g p_g \max_{j \in g} |w_j| + q_g \max_{j \in g} w_j^2
        \qquad\text{or, if summed,}\qquad
        \sum_g q_g \Big(\sum_{j \in g} |w_j|\Big)^2
    """

    #: the group of each coefficient, 0, 1, ..., and the p and q of each group
    labels: np.ndarray
    charge: Floats
    square: Floats
    summed: bool = False

    def scaled(self, lam: float) -> Levels:
        """lam times the penalty."""
        return replace(self, charge=lam * self.charge, square=lam * self.square)
