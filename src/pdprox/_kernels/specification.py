"""What each kernel means, in plain NumPy.  Slow and short; the compiled kernels are tested against it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from pdprox.losses.base import Line
from pdprox.typing import Array, Floats

#: the parts of a CSR matrix: data, indices, indptr and the number of columns
CSR = tuple[Array, np.ndarray, np.ndarray, int]
#: the parts of a CSC matrix of float64: data, indices and indptr, both of int32
Columns = tuple[Floats, np.ndarray, np.ndarray]
#: anchor, f and the array for the next point of a Halpern step
Halpern = tuple[Floats, float, Floats]
#: first member of each group and the end, members, charges, and whether the sum of charged lengths is squared
Groups = tuple[np.ndarray, np.ndarray, Floats, bool]


class Epoch(NamedTuple):
    """Where steps on single dual variables stand."""

    #: the first so many samples of the order are visited
    active: int
    #: how strongly samples were drawn down and up in the last epoch
    least: float = -np.inf
    most: float = np.inf
    seed: int = 1
    #: Fenchel gaps that the last epoch met, weighted
    gap: float = np.inf
    #: samples between two slopes at its end, and how many came there or left
    free: int = 0
    changed: int = 0
    #: samples visited and changed in all epochs of the last call
    visited: int = 0
    moved: int = 0


#: rows of the state of pairs
PAIR_ROWS = 14

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


def _rates(line: Line, a: Floats, step: float) -> Floats:
    """How fast the proximal dual a follows the argument: not at all where it is one of the slopes."""
    fixed = np.zeros(a.shape, bool)
    for slope in line.slopes:
        fixed |= a == slope
    return np.where(fixed, 0.0, step / (1.0 + step * line.smoothing))


def augmented(
    z: Floats,
    y: Floats,
    alpha: Floats,
    c: Floats,
    line: Line,
    step: float,
    out: Floats,
    theta: Floats,
    weights: Floats,
) -> float:
    """The dual step for known predictions, and how it follows them; see ``pdprox._kernels.augmented``."""
    t = y * z if line.margin else z - y
    a = dual_prox(line, alpha + step * t, step)
    theta[:] = c * a * y if line.margin else c * a
    weights[:] = c * _rates(line, a, step)
    moved = float((c * (a - alpha) ** 2).sum())
    out[:] = a
    return moved


def along(
    z: Floats, dz: Floats, y: Floats, alpha: Floats, c: Floats, line: Line, step: float, length: float
) -> tuple[float, float]:
    """Two derivatives on a line of predictions; see ``pdprox._kernels.along``."""
    t, dt = z + length * dz, dz
    t, dt = (y * t, y * dt) if line.margin else (t - y, dt)
    a = dual_prox(line, alpha + step * t, step)
    return float((c * a * dt).sum()), float((c * _rates(line, a, step) * dt * dt).sum())


def room(z: Floats, y: Floats, alpha: Floats, line: Line, out: Floats) -> int:
    """Write how far arguments can go without a change of slope; see ``pdprox._kernels.room``."""
    t = y * z if line.margin else z - y
    kinks = np.concatenate([[-np.inf], line.kinks, [np.inf]])
    out[:] = -np.inf
    for k, slope in enumerate(line.slopes):
        if np.isfinite(slope):
            shift = line.smoothing * slope
            least = np.minimum(t - (kinks[k] + shift), (kinks[k + 1] + shift) - t)
            here = (np.abs(alpha - slope) <= 1e-12 * (1.0 + abs(slope))) & (least >= 0)
            out[here] = least[here]
    return int(np.count_nonzero(out < 0))


def curvature(X: Array | CSR, h: Floats, columns: np.ndarray | None, H: Floats, mixed: Floats) -> float:
    """Write X' diag(h) X into ``H`` and X' h into ``mixed``; the sum of h."""
    H[:], mixed[:] = 0.0, 0.0
    for i, block in _blocks(X, h.size):
        rows = block if columns is None else block[:, columns]
        product = rows.T @ (rows * h[i, None] if isinstance(rows, np.ndarray) else diags_array(h[i]) @ rows)
        H += product if isinstance(product, np.ndarray) else product.toarray()
        mixed += rows.T @ h[i]
    return float(h.sum())


def descend(
    Q: Floats,
    single: Floats,
    ridge: Floats,
    groups: Groups | tuple[()],
    w: Floats,
    g: Floats,
    sweeps: int,
    goal: float,
) -> tuple[float, float]:
    """Block coordinate descent; see ``pdprox._kernels.descend``."""
    blocks = _single_blocks(len(w)) if not groups else _group_blocks(*groups[:2])
    energies = []
    for _ in range(sweeps):
        energy = 0.0
        for k, members in enumerate(blocks):
            before = w[members].copy()
            charge, more = 0.0, 0.0
            if groups:
                charge = float(groups[2][k])
                if groups[3]:
                    others = sum(
                        float(p) * float(np.linalg.norm(w[other]))
                        for p, other in zip(groups[2], blocks, strict=True)
                    ) - charge * float(np.linalg.norm(before))
                    more, charge = 2 * charge**2, 2 * charge * max(others, 0.0)
            block = Q[np.ix_(members, members)]
            w[members] = _least(block, g[members], before, single[members], ridge[members], charge, more)
            change = w[members] - before
            g += change @ Q[members]
            energy += float(np.diag(block) @ change**2)
        energies.append(energy)
        if energy <= goal:
            break
    return (energies[0], energies[-1]) if energies else (0.0, 0.0)


def descend_columns(
    A: Columns,
    own: Floats,
    bias: Floats,
    q: Floats,
    single: Floats,
    ridge: Floats,
    w: Floats,
    r: Floats,
    t: float,
    sweeps: int,
    goal: float,
) -> tuple[float, float, float]:
    """Coordinate descent by sparse columns; see ``pdprox._kernels.descend_columns``."""
    values, rows, starts = A
    columns = [(values[lo:hi], rows[lo:hi]) for lo, hi in pairwise(starts)]
    curve = np.array([max(float(a @ a) - beta**2, 0.0) for (a, _), beta in zip(columns, bias, strict=True)])
    curve += own
    energies = []
    for _ in range(sweeps):
        energy = 0.0
        for j, (a, i) in enumerate(columns):
            h = curve[j] + ridge[j]
            if h <= 0:
                continue
            slope = q[j] + (own[j] + ridge[j]) * w[j] - bias[j] * t + float(a @ r[i])
            v = w[j] - slope / h
            change = float(np.sign(v) * max(abs(v) - single[j] / h, 0.0) - w[j])
            w[j] += change
            t += change * bias[j]
            r[i] += change * a
            energy += curve[j] * change**2
        energies.append(energy)
        if energy <= goal:
            break
    return (energies[0], energies[-1], t) if energies else (0.0, 0.0, t)


def epochs(
    X: Array | CSR,
    y: Floats,
    c: Floats,
    line: Line,
    inverse: Floats,
    single: Floats | None,
    squares: Floats,
    alpha: Floats,
    v: Floats,
    w: Floats,
    order: np.ndarray,
    last: Epoch,
    visits: int,
    goal: float,
) -> Epoch:
    """Steps on single dual variables; see ``pdprox._kernels.epochs``."""
    d, visited, moved = len(w) - 1, 0, 0
    rows = X if isinstance(X, np.ndarray) else csr_array(X[:3], shape=(len(y), X[3]))
    while True:
        active, seed = last.active, last.seed
        for k in range(active - 1):
            seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
            other = k + (((seed >> 32) * (active - k)) >> 32)
            order[k], order[other] = order[other], order[k]
        least, most, gap, free, changed, k = 0.0, 0.0, 0.0, 0, 0, 0
        while k < active:
            i = order[k]
            x = rows[[i]]
            x = x.ravel().astype(np.float64) if isinstance(x, np.ndarray) else x.toarray().ravel()
            sign = y[i] if line.margin else 1.0
            z = float(x @ w[:d]) + w[d]
            t, before = (sign * z if line.margin else z - y[i]), alpha[i]
            down, up, corner = _pull(line, t, before)
            visited += 1
            if corner and down <= 0 and up <= 0:
                if -down > last.most and -up > -last.least:
                    active -= 1
                    order[k], order[active] = order[active], order[k]
                else:
                    k += 1
                continue
            k += 1
            most, least = max(most, up), min(least, -down)
            gap += c[i] * _fenchel_gap(line, t, before)
            curve = c[i] * squares[i]
            after = _best_slope(line, t)
            if curve > 0:
                after = float(dual_prox(line, np.array([before + t / curve]), 1.0 / curve)[0])
            still = after in line.slopes
            free, changed = free + (not still), changed + (still != corner)
            if after == before:
                continue
            alpha[i] = after
            theta = c[i] * (after - before) * sign
            moved += 1
            v[d] -= theta
            w[d] -= theta * inverse[d]
            if single is None:
                w[:d] -= theta * inverse[:d] * x
            else:
                v[:d] -= theta * x
                w[:d] = np.sign(v[:d]) * np.maximum(np.abs(v[:d]) - single, 0.0) * inverse[:d]
        least, most = least if least < 0 else -np.inf, most if most > 0 else np.inf
        last = Epoch(active, least, most, seed, float(gap), free, changed, visited, moved)
        if visited >= visits or gap <= goal or changed == 0:
            return last


def _best_slope(line: Line, t: float) -> float:
    """The slope at which a t minus the conjugate is largest."""
    if line.smoothing > 0:
        past = (t - line.kinks) / line.smoothing
        return float(max(line.slopes[0], np.max(np.minimum(past, line.slopes[1:]))))
    return float(line.slopes[int(np.sum(t > line.kinks))])


def _fenchel_gap(line: Line, t: float, a: float) -> float:
    """Loss at t plus conjugate at a minus a t."""
    best = _best_slope(line, t)
    low, high = min(a, best), max(a, best)
    gap = 0.0
    for kink, (left, right) in zip(line.kinks, pairwise(line.slopes), strict=True):
        start, stop = max(low, left), min(high, right)
        if stop > start:
            gap += (stop - start) * (t - kink - 0.5 * line.smoothing * (start + stop))
    return float(gap if best >= a else -gap)


def _pull(line: Line, t: float, a: float) -> tuple[float, float, bool]:
    """How strongly a slope is drawn down and up, and whether it is one of the line's."""
    t = t - line.smoothing * a
    above, kinks = int(np.searchsorted(line.slopes, a)), line.kinks
    corner = above < len(line.slopes) and line.slopes[above] == a
    left = above - 1
    right = above if corner else left
    down = kinks[min(left, len(kinks) - 1)] - t if left >= 0 else -np.inf
    up = t - kinks[max(right, 0)] if right < len(kinks) else -np.inf
    return float(down), float(up), bool(corner)


def pairs_push(state: Floats, tau: float, both: float) -> None:
    """See ``pdprox._kernels.pairs_push``."""
    v, a, rest, low, high, unit, _, da, dlow, dhigh = state[:10]
    rate, low_target, high_target, pushed = state[10:]
    rate[:] = 1.0 / (low / a + high / rest)
    low_target[:] = (tau * unit - both * da * dlow) / a
    high_target[:] = (tau * unit + both * da * dhigh) / rest
    pushed[:] = rate * (v + low_target - high_target)


def pairs_follow(state: Floats) -> tuple[float, float]:
    """See ``pdprox._kernels.pairs_follow``."""
    _, a, rest, low, high, _, dv, da, dlow, dhigh, rate, low_target, high_target, pushed = state
    da[:] = rate * dv + pushed
    dlow[:] = low_target - low - low / a * da
    dhigh[:] = high_target - high + high / rest * da
    primal = np.max(np.maximum(-dlow / low, -dhigh / high), initial=0.0)
    return float(primal), float(np.max(np.maximum(-da / a, da / rest), initial=0.0))


def pairs_ahead(state: Floats, primal: float, dual: float) -> float:
    """See ``pdprox._kernels.pairs_ahead``."""
    _, a, rest, low, high, unit, _, da, dlow, dhigh = state[:10]
    products = (a + dual * da) * (low + primal * dlow) + (rest - dual * da) * (high + primal * dhigh)
    return float(np.sum(products / unit))


def pairs_move(state: Floats, primal: float, dual: float) -> None:
    """See ``pdprox._kernels.pairs_move``."""
    v, a, rest, low, high, _, dv, da, dlow, dhigh = state[:10]
    a += dual * da
    rest -= dual * da
    low += primal * dlow
    high += primal * dhigh
    v += primal * dv


def _single_blocks(p: int) -> list[np.ndarray]:
    return [np.array([j]) for j in range(p)]


def _group_blocks(starts: np.ndarray, members: np.ndarray) -> list[np.ndarray]:
    return [members[lo:hi] for lo, hi in pairwise(starts)]


def _least(
    Q: Floats, g: Floats, old: Floats, single: Floats, ridge: Floats, charge: float, more: float
) -> Floats:
    """The same few proximal gradient steps within one block as the compiled kernel takes."""
    bound = min(float(np.trace(Q)), float(np.abs(Q).sum(axis=1).max())) + float(ridge.max())
    h = bound + more
    if h <= 0:
        return old
    w, first = old.copy(), 0.0
    for k in range(1 if len(w) == 1 else 8):
        v = (bound * w - g - Q @ (w - old) - ridge * w) / h
        v = np.sign(v) * np.maximum(np.abs(v) - single / h, 0.0)
        size = float(np.linalg.norm(v))
        new = v * (max(0.0, 1.0 - charge / h / size) if size > 0 else 0.0)
        moved = float(np.sum((new - w) ** 2))
        w, first = new, moved if k == 0 else first
        if moved == 0 or (k > 0 and moved <= 1e-4 * first):
            break
    return w
