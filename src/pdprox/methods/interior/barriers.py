r"""The penalty's share of an interior point.

The features' condition of a solution is :math:`X^\top\theta + r \circ w + u = 0` with u a subgradient of what is
charged besides squares.  A barrier keeps such a u, well inside where it may lie, along with what makes it fit w in
the limit of tau = 0.  For a change of w it says how u follows: linearly, by a diagonal and a product of vectors for
each group.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from pdprox.penalties import Levels, Tariff
from pdprox.samples.pairs import Pairs, Taken, longest
from pdprox.typing import Floats

#: how far above the largest size a level begins
_ABOVE = 1.2


class Barrier(ABC):
    """A subgradient u, the coefficients it belongs to, and a step that is being made."""

    #: products that should vanish: how many
    products: int
    #: whether the two sides may take steps of different lengths
    linear = True
    #: whether bounds are planes: then Mehrotra's correction helps even where the first direction could not go far
    flat = True

    @property
    @abstractmethod
    def u(self) -> Floats:
        """The subgradient, 0 where nothing is charged."""

    @abstractmethod
    def complementarity(self) -> float:
        """The sum of all products."""

    @abstractmethod
    def curve(self, H: Floats) -> None:
        """Add du/dw, at the point where the step begins, to the matrix."""

    @abstractmethod
    def push(self, tau: float, taken: Taken) -> Floats:
        """The part of du that does not come from dw, for this tau, corrected by the last direction as far as taken."""

    @abstractmethod
    def follow(self, dw: Floats) -> tuple[float, float]:
        """Complete the direction; how far coefficients and how far subgradients can go along it."""

    @abstractmethod
    def ahead(self, primal: float, dual: float) -> float:
        """The sum of products after steps of these lengths."""

    @abstractmethod
    def move(self, primal: float, dual: float) -> None:
        """Make the steps."""

    @abstractmethod
    def adopt(self, old: Any, places: np.ndarray) -> None:
        """Take over what the barrier of fewer columns, which are now in these places, has reached.

        Only where a penalty is made of parts that columns can be left out of.
        """

    @abstractmethod
    def dying(self, w: Floats) -> np.ndarray:
        """Which coefficients are on their way to 0."""


def barriers_of(
    tariff: Tariff, levels: Levels | None, w: Floats, tau: float, u: Floats | None = None
) -> list[Barrier]:
    """What the penalty needs, beginning at these coefficients and, if given, near this subgradient."""
    found: list[Barrier] = []
    if np.any(tariff.single > 0):
        found.append(AbsoluteValues(tariff.single, w, tau, u))
    if tariff.labels is not None and tariff.group is not None and np.any(tariff.group > 0):
        found.append(Lengths(tariff.labels, tariff.group, w, tau))
    if levels is not None:
        found.append((SquaredSums if levels.summed else Largest)(levels, w, tau))
    return found


class AbsoluteValues(Barrier):
    r"""For :math:`q_j |w_j|`: u between -q and q.

    .. math:: w_j = p_j - m_j, \qquad (q_j - u_j)\, p_j = (q_j + u_j)\, m_j = \tau
    """

    def __init__(self, single: Floats, w: Floats, tau: float, u: Floats | None = None) -> None:
        self.priced = single > 0
        self._q = single[self.priced]
        start = self._q if u is None else self._q - u[self.priced]
        self.pairs = Pairs(-w[self.priced], 2 * self._q, tau, start)
        self.products = 2 * len(self._q)

    @property
    def u(self) -> Floats:
        out = np.zeros(len(self.priced))
        out[self.priced] = self._q - self.pairs.a
        return out

    def complementarity(self) -> float:
        return self.pairs.products()

    def curve(self, H: Floats) -> None:
        places = np.flatnonzero(self.priced)
        H[places, places] += self.pairs.rate()

    def push(self, tau: float, taken: Taken) -> Floats:
        out = np.zeros(len(self.priced))
        out[self.priced] = -self.pairs.push(tau, taken)
        return out

    def follow(self, dw: Floats) -> tuple[float, float]:
        return self.pairs.follow(-dw[self.priced])

    def ahead(self, primal: float, dual: float) -> float:
        return self.pairs.ahead(primal, dual)

    def move(self, primal: float, dual: float) -> None:
        self.pairs.move(primal, dual)

    def adopt(self, old: AbsoluteValues, places: np.ndarray) -> None:
        known = np.zeros(len(self.priced), bool)
        known[places] = True
        self.pairs.put(np.flatnonzero(known[self.priced]), old.pairs)

    def dying(self, w: Floats) -> np.ndarray:
        slack = np.minimum(self.pairs.a, self.pairs.rest) / self._q
        size = np.abs(w[self.priced]) / max(float(np.max(np.abs(w), initial=0.0)), 1e-300)
        out = np.zeros(len(w), bool)
        out[self.priced] = size < slack
        return out


class Members:
    """Groups of coefficients, and sums over them."""

    def __init__(self, labels: np.ndarray, charged: np.ndarray) -> None:
        self.places = np.flatnonzero(charged[labels])  # the coefficients in groups that are charged
        _, self.labels = np.unique(labels[self.places], return_inverse=True)
        self.count = int(np.count_nonzero(np.bincount(labels, minlength=len(charged))[charged]))
        self.alive = np.flatnonzero(charged & (np.bincount(labels, minlength=len(charged)) > 0))
        self.d = len(labels)
        sizes = np.bincount(self.labels, minlength=self.count)
        order = np.argsort(self.labels, kind="stable")
        starts = np.cumsum(sizes) - sizes
        self._tables = [order[starts[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes)]

    def total(self, values: Floats) -> Floats:
        """The sum over each group."""
        return np.asarray(np.bincount(self.labels, values, self.count), dtype=np.float64)

    def most(self, values: Floats) -> Floats:
        """The largest of each group."""
        out = np.zeros(self.count)
        np.maximum.at(out, self.labels, values)
        return out

    def spread(self, values: Floats) -> Floats:
        """An array over the charged coefficients as one over all."""
        out = np.zeros(self.d)
        out[self.places] = values
        return out

    def add_to(self, H: Floats, diagonal: Floats, v: Floats, factor: Floats) -> None:
        """Add the diagonal, and v v' times a factor for each group."""
        H[self.places, self.places] += diagonal
        for table in self._tables:
            places, part = self.places[table], v[table]
            block = factor[self.labels[table[:, 0]]][:, None, None] * part[:, :, None] * part[:, None, :]
            H[places[:, :, None], places[:, None, :]] += block


class Lengths(Barrier):
    r"""For :math:`p_g \|w_g\|_2`: u within a ball, and a multiplier kappa for the ball.

    .. math:: \sigma_g = p_g^2 - \|u_g\|^2, \qquad w_g = 2 \kappa_g u_g, \qquad \kappa_g \sigma_g = \tau

    Second-order cones in the scaling of Nesterov and Todd say the same, but know how far a point is inside only as a
    difference of nearly equal numbers: steps with them were measured to stall at gaps of 1e-7.  Elimination leaves

    .. math:: \Delta u = \frac1{2\kappa} \Bigl(I - \frac{2 u u^\top}{\sigma + 2 \|u\|^2}\Bigr)(\Delta w - k) .
    """

    flat = False

    def __init__(self, labels: np.ndarray, charges: Floats, w: Floats, tau: float) -> None:
        self._of = of = Members(labels, charges > 0)
        self._p = charges[of.alive]
        self._w = w[of.places].copy()
        self._kappa = np.maximum(np.sqrt(of.total(self._w**2)) / self._p, tau / self._p**2)
        self._u = self._w / (2.0 * self._kappa[of.labels])
        self._sigma = self._p**2 - of.total(self._u**2)
        self._dkappa = self._dsigma = np.zeros_like(self._p)
        self._dw = self._du = np.zeros_like(self._w)
        self.products = of.count

    @property
    def u(self) -> Floats:
        return self._of.spread(self._u)

    def complementarity(self) -> float:
        return float(self._kappa @ self._sigma)

    def curve(self, H: Floats) -> None:
        of = self._of
        self._bend = 2.0 / (self._sigma + 2.0 * of.total(self._u**2))
        flat = 0.5 / self._kappa
        of.add_to(H, flat[of.labels], self._u, -flat * self._bend)

    def push(self, tau: float, taken: Taken) -> Floats:
        of = self._of
        product = tau - self._kappa * self._sigma
        inside = self._p**2 - of.total(self._u**2) - self._sigma
        apart = 2.0 * self._kappa[of.labels] * self._u - self._w
        if taken is not None:
            primal, dual = taken
            product = product - primal * dual * self._dkappa * self._dsigma
            inside = inside - dual**2 * of.total(self._du**2)
            apart = apart + 2.0 * primal * dual * self._dkappa[of.labels] * self._du
        self._inside, self._product = inside, product
        raised = (product - self._kappa * inside) / self._sigma
        self._pushed = 2.0 * raised[of.labels] * self._u + apart
        return of.spread(self._rate(-self._pushed))

    def _rate(self, dw: Floats) -> Floats:
        """du for a change of w that goes beyond what is pushed."""
        of = self._of
        along = self._bend * of.total(self._u * dw)
        rate: Floats = (dw - along[of.labels] * self._u) / (2.0 * self._kappa[of.labels])
        return rate

    def follow(self, dw: Floats) -> tuple[float, float]:
        of = self._of
        self._dw = dw[of.places]
        self._du = self._rate(self._dw - self._pushed)
        self._dsigma = self._inside - 2.0 * of.total(self._u * self._du)
        self._dkappa = (self._product - self._kappa * self._dsigma) / self._sigma
        return longest(self._kappa, self._dkappa), longest(self._sigma, self._dsigma)

    def ahead(self, primal: float, dual: float) -> float:
        return float((self._kappa + primal * self._dkappa) @ (self._sigma + dual * self._dsigma))

    def move(self, primal: float, dual: float) -> None:
        self._w, self._kappa = self._w + primal * self._dw, self._kappa + primal * self._dkappa
        self._u, self._sigma = self._u + dual * self._du, self._sigma + dual * self._dsigma

    def adopt(self, old: Lengths, places: np.ndarray) -> None:
        known = np.searchsorted(self._of.places, places[old._of.places])
        groups = self._of.labels[known]
        self._w[known], self._u[known] = old._w, old._u
        self._kappa[groups], self._sigma[groups] = old._kappa[old._of.labels], old._sigma[old._of.labels]

    def dying(self, w: Floats) -> np.ndarray:
        of = self._of
        size = np.sqrt(of.total(self._w**2)) / max(float(np.max(np.abs(w), initial=0.0)), 1e-300)
        out = np.zeros(len(w), bool)
        out[of.places] = (size < self._sigma / self._p**2)[of.labels]
        return out


class Sizes(Barrier):
    """What |w_j| may be at most: the distances to both ends, and multipliers a and b for them; u = a - b."""

    _s: tuple[Floats, Floats]
    _a: tuple[Floats, Floats]

    def __init__(self, levels: Levels, w: Floats, tau: float) -> None:
        self._of = Members(levels.labels, (levels.charge > 0) | (levels.square > 0))
        self._charge, self._square = levels.charge[self._of.alive], levels.square[self._of.alive]
        self.linear = not np.any(self._square)
        self.products = 2 * len(self._of.places)
        w = w[self._of.places]
        most, share = self._begin(np.abs(w), tau)
        self._s = most - w, most + w
        self._a = share, share.copy()
        self._ds = self._da = np.zeros_like(w), np.zeros_like(w)

    @abstractmethod
    def _begin(self, sizes: Floats, tau: float) -> tuple[Floats, Floats]:
        """What the sizes may be at most, and the multipliers of both ends."""

    @abstractmethod
    def _curvature(self) -> tuple[Floats, Floats, Floats]:
        """The diagonal, the vector and the factors of groups of du/dw."""

    @abstractmethod
    def _shift(self, extra: Floats) -> Floats:
        """By how much the levels move where multipliers change by so much, w being still."""

    @abstractmethod
    def _drift(self, dw: Floats) -> Floats:
        """By how much the levels follow w."""

    @property
    def u(self) -> Floats:
        return self._of.spread(self._a[0] - self._a[1])

    def complementarity(self) -> float:
        return float(self._a[0] @ self._s[0] + self._a[1] @ self._s[1])

    def curve(self, H: Floats) -> None:
        rates = self._a[0] / self._s[0], self._a[1] / self._s[1]
        self._rates, self._D, self._e = rates, rates[0] + rates[1], rates[0] - rates[1]
        self._of.add_to(H, *self._curvature())

    def push(self, tau: float, taken: Taken) -> Floats:
        targets = []
        for s, a, ds, da in zip(self._s, self._a, self._ds, self._da, strict=True):
            target = tau / s - a
            targets.append(target if taken is None else target - taken[0] * taken[1] * da * ds / s)
        self._targets = targets
        self._moved = self._shift(targets[0] + targets[1])
        return self._of.spread(targets[0] - targets[1] - self._e * self._moved)

    def follow(self, dw: Floats) -> tuple[float, float]:
        dw = dw[self._of.places]
        rise = self._moved + self._drift(dw)
        self._ds = rise - dw, rise + dw
        self._da = tuple(
            target - rate * ds for target, rate, ds in zip(self._targets, self._rates, self._ds, strict=True)
        )  # type: ignore[assignment]
        primal = min(longest(s, ds) for s, ds in zip(self._s, self._ds, strict=True))
        return primal, min(longest(a, da) for a, da in zip(self._a, self._da, strict=True))

    def ahead(self, primal: float, dual: float) -> float:
        return float(
            sum(
                (a + dual * da) @ (s + primal * ds)
                for s, a, ds, da in zip(self._s, self._a, self._ds, self._da, strict=True)
            )
        )

    def move(self, primal: float, dual: float) -> None:
        self._s = self._s[0] + primal * self._ds[0], self._s[1] + primal * self._ds[1]
        self._a = self._a[0] + dual * self._da[0], self._a[1] + dual * self._da[1]

    def adopt(self, old: Sizes, places: np.ndarray) -> None:
        raise TypeError("all columns of a penalty of sizes are in play from the beginning")

    def dying(self, w: Floats) -> np.ndarray:
        return np.zeros(len(w), bool)


class Largest(Sizes):
    r"""For :math:`p_g t_g + q_g t_g^2` with :math:`t_g = \max_{j \in g} |w_j|`.

    The multipliers of a group add up to :math:`p_g + 2 q_g t_g`.
    """

    def _begin(self, sizes: Floats, tau: float) -> tuple[Floats, Floats]:
        of = self._of
        members = 2.0 * np.bincount(of.labels, minlength=of.count)
        scale = self._charge + self._square
        self._level = _ABOVE * of.most(sizes) + members * tau / scale
        self._level = np.maximum(self._level, 1e-300)
        share = (self._charge + 2.0 * self._square * self._level) / members
        return self._level[of.labels], share[of.labels]

    def _curvature(self) -> tuple[Floats, Floats, Floats]:
        self._sigma = self._of.total(self._D) + 2.0 * self._square
        return self._D, self._e, -1.0 / self._sigma

    def _shift(self, extra: Floats) -> Floats:
        of = self._of
        owed = of.total(self._a[0] + self._a[1] + extra) - self._charge - 2.0 * self._square * self._level
        return (owed / self._sigma)[of.labels]

    def _drift(self, dw: Floats) -> Floats:
        of = self._of
        rise: Floats = (of.total(self._e * dw) / self._sigma)[of.labels]
        return rise

    def move(self, primal: float, dual: float) -> None:
        rise = 0.5 * (self._ds[0] + self._ds[1])
        self._level[self._of.labels] += primal * rise  # the same for all members
        super().move(primal, dual)


class SquaredSums(Sizes):
    r"""For :math:`q_g M_g^2` with :math:`M_g = \sum_{j \in g} |w_j|`.

    Each pair of multipliers adds up to :math:`2 q_g M_g`.
    """

    def _begin(self, sizes: Floats, tau: float) -> tuple[Floats, Floats]:
        of = self._of
        total, members = of.total(sizes), np.bincount(of.labels, minlength=of.count)
        # q (total + members x) x = tau
        above = 2.0 * tau / (self._square * (total + np.sqrt(total**2 + 4.0 * members * tau / self._square)))
        most = sizes + np.maximum(above, 1e-150)[of.labels]
        return most, (self._square * of.total(most))[of.labels]

    def _curvature(self) -> tuple[Floats, Floats, Floats]:
        of = self._of
        self._f = self._e / self._D
        self._factor = 2.0 * self._square / (1.0 + 2.0 * self._square * of.total(1.0 / self._D))
        return 4.0 * self._rates[0] * self._rates[1] / self._D, self._f, self._factor

    def _shift(self, extra: Floats) -> Floats:
        of = self._of
        sums = of.total(0.5 * (self._s[0] + self._s[1]))
        owed = self._a[0] + self._a[1] + extra - (2.0 * self._square * sums)[of.labels]
        return (owed - (self._factor * of.total(owed / self._D))[of.labels]) / self._D

    def _drift(self, dw: Floats) -> Floats:
        of = self._of
        return (self._e * dw - (self._factor * of.total(self._f * dw))[of.labels]) / self._D

    def dying(self, w: Floats) -> np.ndarray:
        of = self._of
        paid = self._a[0] + self._a[1]
        slack = 1.0 - np.abs(self._a[0] - self._a[1]) / paid
        out = np.zeros(len(w), bool)
        out[of.places] = np.abs(w[of.places]) / max(float(np.max(np.abs(w), initial=0.0)), 1e-300) < slack
        return out
