"""The features' side of the door: coefficients, penalty, lam and the set the coefficients must lie in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pdprox.penalties import L1, ElasticNet, Levels, Norm, Penalty, SquaredL2, Tariff
from pdprox.penalties.tariff import plain
from pdprox.sets import Box, ConvexSet, L1Ball, L2Ball, LInfBall, NonNegative, Simplex, WholeSpace
from pdprox.typing import Floats


class Term(ABC):
    """lam R on a set Q: what the features' side adds to the line."""

    def __init__(self, penalty: Penalty, lam: float, domain: ConvexSet | None = None) -> None:
        self.penalty, self.lam, self.domain = penalty, lam, domain

    def value(self, w: Floats) -> float:
        """lam R(w), for w in Q."""
        return self.lam * float(self.penalty.value(w)) if self.lam else 0.0

    @abstractmethod
    def prox(self, v: Floats, step: float | Floats) -> Floats:
        """The w in Q that minimises ``lam R(w) + ||w - v||^2 / (2 step)``."""

    @abstractmethod
    def conjugate(self, u: Floats) -> float:
        """sup over w in Q of <u, w> - lam R(w)."""

    def limit(self, u: Floats) -> float:
        """The largest s for which the conjugate is finite at s u."""
        if np.isfinite(self.conjugate(u)):
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(60):  # only for penalties that are neither norms nor finite: no formula to go by
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.isfinite(self.conjugate(middle * u)) else (low, middle)
        return low

    def along(self, u: Floats) -> Callable[[float], float]:
        """The conjugate at s u, as a function of an s from 0 to ``limit(u)``."""
        return lambda s: self.conjugate(s * u)

    def tariff(self, d: int) -> Tariff | None:
        """lam R of d coefficients as numbers, if it has that form and there is no set."""
        return None

    def levels(self, d: int) -> Levels | None:
        """lam R of d coefficients as a penalty of sizes, likewise."""
        return None

    def excess(self, u: Floats) -> float | None:
        """By how much lam falls short of making the conjugate zero at u; None where R is no norm."""
        return None


class Plain(Term):
    """lam R, no set."""

    def tariff(self, d: int) -> Tariff | None:
        if self.lam == 0:
            return plain(d)
        charged = self.penalty.tariff(d)
        return None if charged is None else charged.scaled(self.lam)

    def levels(self, d: int) -> Levels | None:
        sized = self.penalty.levels(d) if self.lam > 0 else None
        return None if sized is None else sized.scaled(self.lam)

    def prox(self, v: Floats, step: float | Floats) -> Floats:
        return self.penalty.prox(v, step * self.lam) if self.lam else v.copy()

    def conjugate(self, u: Floats) -> float:
        if self.lam == 0:
            return 0.0 if not np.any(u) else float("inf")
        return self.lam * float(self.penalty.conjugate(u / self.lam))

    def along(self, u: Floats) -> Callable[[float], float]:
        if self.lam > 0 and isinstance(self.penalty, Norm):
            return lambda s: 0.0
        if self.lam > 0 and isinstance(self.penalty, SquaredL2):
            whole = self.conjugate(u)
            return lambda s: s * s * whole
        return super().along(u)

    def limit(self, u: Floats) -> float:
        if not isinstance(self.penalty, Norm):
            return super().limit(u)
        size = self.penalty.dual_norm(u)
        return self.lam / (size * (1 + 1e-15)) if size > 0 else float("inf")

    def excess(self, u: Floats) -> float | None:
        return max(self.penalty.dual_norm(u) - self.lam, 0.0) if isinstance(self.penalty, Norm) else None


class OnOrthant(Plain):
    """w >= 0 with a penalty that grows with |w|: negative entries of v and u may as well be 0."""

    def tariff(self, d: int) -> Tariff | None:
        return None

    def levels(self, d: int) -> Levels | None:
        return None

    def prox(self, v: Floats, step: float | Floats) -> Floats:
        return super().prox(np.maximum(v, 0.0), step)

    def conjugate(self, u: Floats) -> float:
        return super().conjugate(np.maximum(u, 0.0))

    def limit(self, u: Floats) -> float:
        return super().limit(np.maximum(u, 0.0))

    def excess(self, u: Floats) -> float | None:
        return super().excess(np.maximum(u, 0.0))


class Squares(Term):
    """lam/2 ||w||^2 on any set: the prox is a projection, and so is the maximiser of the conjugate."""

    def prox(self, v: Floats, step: float | Floats) -> Floats:
        assert self.domain is not None
        return self.domain.project(v / (1.0 + step * self.lam))

    def conjugate(self, u: Floats) -> float:
        assert self.domain is not None
        if self.lam == 0:
            return float(self.domain.support(u))
        w = self.domain.project(u / self.lam)
        return float(np.sum(u * w)) - 0.5 * self.lam * float(np.sum(w * w))


class InEuclideanBall(Term):
    r"""A norm within ||w||_2 <= r: shrink first, then pull back to the ball.

    .. math:: \sup_{\|w\|_2 \le r} \langle u, w\rangle - \lambda R(w) = r\,\|\mathrm{prox}_{\lambda R}(u)\|_2
    """

    def prox(self, v: Floats, step: float | Floats) -> Floats:
        assert self.domain is not None
        return self.domain.project(self.penalty.prox(v, step * self.lam) if self.lam else v)

    def conjugate(self, u: Floats) -> float:
        assert self.domain is not None
        return float(self.domain.support(self.penalty.prox(u, self.lam) if self.lam else u))


class ByEntry(Term):
    r"""A separable penalty on a product of intervals: prox, then clip.

    The conjugate is a sum of concave maxima on an interval: at the clipped free maximiser
    :math:`\mathrm{ST}(u, \lambda\rho) / (\lambda(1-\rho))`, or at an end or 0 where nothing is quadratic.
    """

    def prox(self, v: Floats, step: float | Floats) -> Floats:
        assert self.domain is not None
        return self.domain.project(self.penalty.prox(v, step * self.lam) if self.lam else v)

    def conjugate(self, u: Floats) -> float:
        assert self.domain is not None
        # the prox of a long step from a far point walks to the end of the interval that u points to
        zero = self.domain.project(np.zeros_like(u))
        curvature = self.lam * self.penalty.strong_convexity
        best = np.full(u.shape, -np.inf)
        for w in (*self._ends(u), zero, *([self._free(u, curvature)] if curvature > 0 else [])):
            with np.errstate(invalid="ignore"):
                worth = np.where(u == 0, 0.0, u * w) - self._entry_values(w)
            best = np.maximum(
                best, np.where(np.isinf(w), self._at_infinity(u * np.sign(w), curvature), worth)
            )
        return float(best.sum())

    def _at_infinity(self, rise: Floats, curvature: float) -> Floats:
        """The limit of ``rise |w_j|`` minus what w_j costs: infinite where u pays more than lam charges."""
        if curvature > 0:
            return np.full(rise.shape, -np.inf)
        charge = self._entry_values(np.ones_like(rise))
        return np.where(rise > charge, np.inf, np.where(rise < charge, -np.inf, 0.0))

    def _free(self, u: Floats, curvature: float) -> Floats:
        assert self.domain is not None
        flat = self._entry_values(np.ones_like(u)) - 0.5 * curvature  # lam times the weight of |w_j|
        return self.domain.project(np.sign(u) * np.maximum(np.abs(u) - flat, 0.0) / curvature)

    def _ends(self, u: Floats) -> tuple[Floats, Floats]:
        assert self.domain is not None
        far = 1e300 * np.ones_like(u)
        low, high = self.domain.project(-far), self.domain.project(far)
        return np.where(low <= -1e300, -np.inf, low), np.where(high >= 1e300, np.inf, high)

    def _entry_values(self, w: Floats) -> Floats:
        """lam R of each entry on its own."""
        p = self.penalty
        if self.lam == 0:
            return np.zeros_like(w)
        with np.errstate(invalid="ignore", over="ignore"):
            if isinstance(p, SquaredL2):
                return 0.5 * self.lam * w * w
            if isinstance(p, ElasticNet):
                return self.lam * (p.l1_ratio * np.abs(w) + 0.5 * (1 - p.l1_ratio) * w * w)
            weights = 1.0 if not isinstance(p, L1) or p.weights is None else np.asarray(p.weights)
            if w.ndim == 2 and np.ndim(weights) == 1:
                weights = np.asarray(weights)[:, None]
            return self.lam * np.where(w == 0, 0.0, weights * np.abs(w))


class OnSimplex(Term):
    """Weighted l1 within an l1 ball or on a simplex: everything happens at one vertex."""

    def prox(self, v: Floats, step: float | Floats) -> Floats:
        assert self.domain is not None
        if isinstance(self.domain, Simplex):
            return self.domain.project(v - step * self.lam * self._weights(v))
        return self.domain.project(self.penalty.prox(v, step * self.lam) if self.lam else v)

    def conjugate(self, u: Floats) -> float:
        assert self.domain is not None
        if isinstance(self.domain, Simplex):
            return float(self.domain.support(u - self.lam * self._weights(u)))
        return float(self.domain.support(np.maximum(np.abs(u) - self.lam * self._weights(u), 0.0)))

    def _weights(self, like: Floats) -> Floats:
        assert isinstance(self.penalty, L1)
        weights = (
            np.ones_like(like)
            if self.penalty.weights is None
            else np.asarray(self.penalty.weights, dtype=np.float64)
        )
        return np.broadcast_to(weights[:, None], like.shape) if weights.ndim < like.ndim else weights


def term(penalty: Penalty, lam: float, domain: ConvexSet | None) -> Term:
    """The term for a penalty and a set, if there is an exact prox for the two together."""
    if domain is None or isinstance(domain, WholeSpace):
        return Plain(penalty, lam)
    rules: list[tuple[bool, type[Term]]] = [
        (isinstance(domain, NonNegative) and penalty.monotone and lam > 0, OnOrthant),
        (isinstance(penalty, SquaredL2) or lam == 0, Squares),
        (isinstance(domain, L2Ball) and isinstance(penalty, Norm), InEuclideanBall),
        (isinstance(domain, (Box, LInfBall)) and isinstance(penalty, (L1, ElasticNet)), ByEntry),
        (isinstance(domain, (L1Ball, Simplex)) and isinstance(penalty, L1), OnSimplex),
    ]
    for fits, kind in rules:
        if fits:
            return kind(penalty, lam, domain)
    raise ValueError(
        f"there is no exact prox for {penalty!r} on {domain!r} together. These go together: SquaredL2 with any set; "
        "every norm with L2Ball; penalties that grow with |w| with NonNegative; L1 and ElasticNet with Box and "
        "LInfBall; L1 with L1Ball and Simplex."
    )


@dataclass(frozen=True)
class Features:
    """w and the intercept as one array x (the intercept is the last row), and what is paid for them."""

    term: Term
    shape: tuple[int, ...]
    intercept: bool

    @property
    def d(self) -> int:
        """How many rows of x are coefficients."""
        return self.shape[0] - int(self.intercept)

    def places(self, columns: np.ndarray | None) -> Any:
        """The rows of x for these columns (None: all) and the intercept."""
        if columns is None:
            return slice(None)
        return np.append(columns, self.d) if self.intercept else columns

    def prox(self, x: Floats, step: float | Floats) -> Floats:
        """The prox of lam R on the coefficients; the intercept is left alone."""
        out = x.copy()
        out[: self.d] = self.term.prox(
            x[: self.d], step if np.ndim(step) == 0 else np.asarray(step)[: self.d]
        )
        return out

    def value(self, x: Floats) -> float:
        """lam R(w)."""
        return self.term.value(x[: self.d])

    def inside(self, x: Floats) -> Floats:
        """x with its coefficients in the set, moved there only if they are not."""
        domain = self.term.domain
        if domain is None or domain.contains(x[: self.d], 1e-13):
            return x
        out = x.copy()
        out[: self.d] = domain.project(x[: self.d])
        return out

    def block_steps(self, steps: Floats) -> Floats:
        """The largest steps no longer than these that the prox can take: equal on blocks that belong together."""
        out = np.broadcast_to(steps.reshape(-1, *(1,) * (len(self.shape) - 1)), self.shape).copy()
        if self.term.domain is not None and not (
            isinstance(self.term, ByEntry) or self.term.domain.separable
        ):
            out[: self.d] = out[: self.d].min()
            return out
        labels = self.term.penalty.blocks((self.d, *self.shape[1:])).ravel()
        least = np.full(int(labels.max()) + 1, np.inf)
        np.minimum.at(least, labels, out[: self.d].ravel())
        out[: self.d] = least[labels].reshape(out[: self.d].shape)
        return out

    @cached_property
    def tariff(self) -> Tariff | None:
        """lam R as numbers, for Newton's method; None where it cannot be told that way."""
        return self.term.tariff(self.d) if len(self.shape) == 1 else None

    @cached_property
    def levels(self) -> Levels | None:
        """lam R as a penalty of sizes, for interior points; None where it is none."""
        return self.term.levels(self.d) if len(self.shape) == 1 else None

    @cached_property
    def free(self) -> Floats | None:
        """1 for every entry of x that costs nothing and may grow without end; None if only the intercept does."""
        shape = (self.d, *self.shape[1:])
        if self.term.domain is not None:
            return None
        mask = np.ones(shape, bool) if self.term.lam == 0 else self.term.penalty.free(shape)
        if not mask.any():
            return None
        out = np.zeros(self.shape)
        out[: self.d] = mask
        return out
