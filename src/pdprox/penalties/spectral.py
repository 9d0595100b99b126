"""Norms of the singular values of a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdprox.penalties.atoms import L1, L2, LInf
from pdprox.penalties.base import BrokenLineNorm
from pdprox.penalties.rows import RowNorm, one_step
from pdprox.typing import Array, Floats
from pdprox.vectors import floating


@dataclass(frozen=True)
class OnSingularValues(BrokenLineNorm):
    r"""A norm of the singular values of a matrix w; a vector counts as a matrix of one column.

    .. math:: R(w) = \|\sigma(w)\|, \qquad \mathrm{prox}_{tR}(U \mathrm{diag}(\sigma) V^\top)
              = U \mathrm{diag}(\mathrm{prox}_{t\|\cdot\|}(\sigma))\, V^\top

    The dual norm is that of the singular values, raised by the rounding error of the decomposition so
    that it is never too small.

    Parameters
    ----------
    inner : L1(), L2() or LInf()
        L1 gives the trace norm, L2 the Frobenius norm, LInf the spectral norm.
    """

    inner: Any

    def __post_init__(self) -> None:
        if not isinstance(self.inner, RowNorm):
            raise ValueError(
                f"the norm of the singular values must be L1(), L2() or LInf(), got {self.inner!r}"
            )
        if isinstance(self.inner, L1) and self.inner.weights is not None:
            raise ValueError(f"singular values take no weights, got {self.inner!r}; use L1()")

    @classmethod
    def specimens(cls) -> list[OnSingularValues]:
        return [cls(L1()), cls(L2()), cls(LInf())]

    def value(self, w: Array) -> float:
        return float(self.inner.norms(_singular_values(w))[0])

    def prox(self, v: Array, step: float | Array) -> Array:
        v = floating(v)
        left, sigma, right = np.linalg.svd(v.reshape(len(v), -1), full_matrices=False)
        shrunk = self.inner.shrinks(sigma[None], one_step(step))[0]
        rank = np.count_nonzero(shrunk)
        product: Array = (left[:, :rank] * shrunk[:rank]) @ right[:rank]
        return product.reshape(v.shape)

    def dual_norm(self, u: Array) -> float:
        sigma = _singular_values(u)
        rounding = float(np.finfo(np.float64).eps) * max(8, *np.shape(u))
        return float(self.inner.polars(sigma)[0] * (1.0 + rounding))

    def fall(self, v: Array) -> tuple[Floats, Floats]:
        knots, drops = self.inner.falls(_singular_values(v))
        return knots[0], drops[0]


def _singular_values(w: Array) -> Floats:
    """The singular values, in decreasing order, as one row."""
    matrix = np.asarray(w, dtype=np.float64).reshape(len(w), -1)
    return np.asarray(np.linalg.svd(matrix, compute_uv=False)[None], dtype=np.float64)
