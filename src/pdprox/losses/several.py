"""Losses with several dual variables a sample."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Self

import numpy as np

from pdprox.losses.base import Loss, Reads
from pdprox.losses.broken_line import BrokenLineLoss
from pdprox.losses.margin import GeneralizedHinge
from pdprox.losses.residual import EpsilonInsensitive, Pinball
from pdprox.typing import Array, Floats
from pdprox.vectors import floating


@dataclass(frozen=True)
class L2Loss(Loss):
    r"""The length of the residual vector of a sample with K targets.

    .. math:: \ell(r) = \|r\|_2 = \max_{\|a\|_2 \le 1} \langle a, r\rangle, \qquad r = W^\top x + b - y

    Like the absolute loss it forgives gross errors, but a whole sample at a time.  With one target it
    is the absolute loss.
    """

    @property
    def bounds(self) -> tuple[float, float]:
        return -1.0, 1.0

    def value(self, t: Array) -> Array:
        t = floating(t)
        return np.abs(t) if t.ndim == 1 else np.linalg.norm(t, axis=1)

    def conjugate(self, a: Array) -> Array:
        length = self.value(a)
        return np.where(length > 1 + 8 * np.finfo(length.dtype).eps, length.dtype.type(np.inf), 0 * length)

    def dual_prox(self, v: Array, step: float | Array) -> Array:
        v = floating(v)
        length = np.maximum(self.value(v), 1)
        return v / (length if v.ndim == 1 else length[:, None])

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls()]


def project_corner(v: Array) -> Array:
    """Each row's nearest point with entries >= 0 that sum to at most 1 (by sorting the few entries)."""
    clipped = np.maximum(v, 0)
    ordered = -np.sort(-v, axis=-1)
    excess = np.cumsum(ordered, axis=-1) - 1
    count = np.arange(1, v.shape[-1] + 1)
    kept = np.sum(ordered * count > excess, axis=-1, keepdims=True)
    level = np.take_along_axis(excess, kept - 1, axis=-1) / kept
    return np.where(clipped.sum(axis=-1, keepdims=True) > 1, np.maximum(v - level, 0), clipped)


def paper_form(loss: Loss) -> Loss:
    """The loss in the paper's dual form: as it is where the paper has one dual variable, too.

    That is so for a line from 0 (the hinge) and for one that is symmetric about its kink (the absolute loss).
    """
    if isinstance(loss, PaperForm):
        return loss
    if not isinstance(loss, BrokenLineLoss) or loss.smoothing:
        raise ValueError(f"only broken lines have the paper's form, got {loss!r}")
    first, last = loss.slopes[0], loss.slopes[-1]
    one_is_enough = len(loss.kinks) == 1 and (first == -last or 0 in (first, last))
    return loss if one_is_enough else PaperForm(loss)


@dataclass(frozen=True)
class PaperForm(Loss):
    r"""A broken line in the paper's dual form: one dual variable for each of its sloping pieces.

    .. math:: \ell(t) = \max_{\beta \ge 0,\ \sum_k \beta_k \le 1}\; \sum_k \beta_k (p_k t + q_k)

    for the pieces :math:`p_k t + q_k` of the line.  Generalised hinge, epsilon-insensitive and pinball
    losses appear in the paper this way; wrapping changes the iterates, not the solution.

    Parameters
    ----------
    loss : BrokenLineLoss
        A broken line without smoothing.
    """

    loss: BrokenLineLoss
    reads: Reads = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.loss, BrokenLineLoss) or self.loss.smoothing:
            raise ValueError(f"only broken lines have the paper's form, got {self.loss!r}")
        self.loss.check()
        object.__setattr__(self, "reads", self.loss.reads)

    @property
    def pieces(self) -> tuple[Floats, Floats]:
        """Slopes p and offsets q of the pieces that are not flat."""
        p = np.array([slope for slope in self.loss.slopes if slope != 0])
        return p, -self.loss.conjugate(p)

    @property
    def bounds(self) -> tuple[float, float]:
        return self.loss.bounds

    def value(self, t: Array) -> Array:
        return self.loss.value(t)

    def conjugate(self, a: Array) -> Array:
        return self.loss.conjugate(a)

    def dual_prox(self, v: Array, step: float | Array) -> Array:
        return self.loss.dual_prox(v, step)

    def coupling(self, side: Literal["primal", "dual"]) -> float:
        p, _ = self.pieces
        return float(p @ p) if side == "primal" else float(len(p) * np.max(p * p))

    def zeros(self, shape: tuple[int, ...]) -> Floats:
        return np.zeros((*shape, len(self.pieces[0])))

    def slope(self, alpha: Array) -> Array:
        return alpha @ self.pieces[0].astype(alpha.dtype)

    def from_slope(self, a: Array) -> Array:
        # slope a lies between those of two neighbouring pieces (the flat one included): share it among them
        ends = np.array(self.loss.slopes)
        a = np.clip(a, ends[0], ends[-1])
        left = np.clip(np.searchsorted(ends, a, side="right") - 1, 0, len(ends) - 2)
        share = (a - ends[left]) / (ends[left + 1] - ends[left])
        weights = np.zeros((*np.shape(a), len(ends)))
        np.put_along_axis(weights, left[..., None], (1.0 - share)[..., None], axis=-1)
        np.put_along_axis(weights, left[..., None] + 1, share[..., None], axis=-1)
        return weights[..., ends != 0]

    def spread(self, t: Array) -> Array:
        return np.asarray(t)[..., None] * self.pieces[0]

    def ascend(self, alpha: Array, t: Array, step: float | Array) -> Array:
        s = step if np.ndim(step) == 0 else np.asarray(step)[..., None]
        return project_corner(alpha + s * (self.spread(t) + self.pieces[1]))

    @classmethod
    def specimens(cls) -> list[Self]:
        return [cls(GeneralizedHinge(3.0)), cls(EpsilonInsensitive(0.5)), cls(Pinball(0.2))]
