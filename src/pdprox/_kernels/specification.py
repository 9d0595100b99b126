"""What each kernel means, in plain NumPy.  Slow and short; the compiled kernels are tested against it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from pdprox.losses.base import Line
from pdprox.typing import Array, Floats

#: the parts of a CSR matrix: data, indices, indptr and the number of columns
CSR = tuple[Array, np.ndarray, np.ndarray, int]
#: anchor, f and the array for the next point of a Halpern step
Halpern = tuple[Floats, float, Floats]

#: entries of X that are held as float64 at once
_BLOCK = 2**18


def dual_prox(line: Line, u: Floats, step: float | Floats) -> Floats:
    """The a that minimises ``step * conjugate(a) + (a - u)**2 / 2``, entry by entry."""
    shrink = 1.0 + step * line.smoothing
    u, step = u / shrink, step / shrink
    a = np.full_like(u, line.slopes[0])
    for kink, slope in zip(line.kinks, line.slopes[1:], strict=True):
        a = np.maximum(a, np.minimum(u - step * kink, slope))
    return a


def _blocks(X: Array | CSR, n: int) -> Iterator[tuple[slice, Floats | csr_array]]:
    """X as float64, some rows at a time, so that float32 data is never copied as a whole."""
    whole = X if isinstance(X, np.ndarray) else csr_array(X[:3], shape=(n, X[3]))
    size = X.size if isinstance(X, np.ndarray) else X[0].size
    rows = max(1, n * _BLOCK // max(1, size))
    for start in range(0, n, rows):
        part = slice(start, min(start + rows, n))
        yield part, whole[part].astype(np.float64, copy=False)


def sweep(
    X: Array | CSR,
    w: Floats,
    b: float,
    alpha: Floats,
    y: Floats,
    c: Floats,
    line: Line,
    step: float | Floats,
    out: Floats,
    halpern: Halpern | None = None,
) -> tuple[Floats, float, float]:
    """One dual step for every row and the sums it makes; see ``pdprox._kernels.sweep``."""
    g, gb, moved = np.zeros(w.size), 0.0, 0.0
    for i, rows in _blocks(X, out.size):
        z = rows @ w + b
        t = y[i] * z if line.margin else z - y[i]
        s = step[i] if isinstance(step, np.ndarray) else step
        old = alpha[i].copy()
        a = dual_prox(line, old + s * t, s)
        theta = c[i] * a * y[i] if line.margin else c[i] * a
        g += rows.T @ theta
        gb += theta.sum()
        moved += (c[i] * (a - old) ** 2).sum()
        out[i] = a
        if halpern is not None:
            anchor, f, following = halpern
            following[i] = f * (2 * a - old) + (1 - f) * anchor[i]
    return g, float(gb), float(moved)


def forward(X: Array | CSR, w: Floats, b: float, out: Floats) -> None:
    """Write X w + b into ``out``."""
    for i, rows in _blocks(X, out.size):
        out[i] = rows @ w + b


def backward(X: Array | CSR, theta: Floats, out: Floats) -> None:
    """Write X' theta into ``out``."""
    out[:] = 0.0
    for i, rows in _blocks(X, theta.size):
        out += rows.T @ theta[i]
