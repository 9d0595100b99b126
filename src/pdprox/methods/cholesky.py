"""Equations with a positive semidefinite matrix, which rounding may have made indefinite."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from pdprox.typing import Floats


def cholesky(A: Floats, touch: float) -> Floats | None:
    """The factor of A with ``touch`` times its diagonal added; None where that is not positive definite.

    A is in C order and overwritten; its lower triangle counts.
    """
    scale = A.diagonal().copy()
    A.flat[:: len(A) + 1] += touch * np.maximum(scale, float(scale.max(initial=0.0)) * 1e-300)
    factor, info = dpotrf(A.T, lower=0, clean=0, overwrite_a=1)
    return factor if info == 0 else None


def solution(factor: Floats, b: Floats) -> Floats:
    """A^-1 b for a factor from ``cholesky``."""
    x: Floats = dpotrs(factor, b, lower=0)[0]
    return x
