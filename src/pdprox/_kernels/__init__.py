"""The short list of kernels that touch the data, checked at the door.

``compiled`` says whether they are the C++ ones.  They are not where the package was built, or is
run, with ``PDPROX_PURE=1``; then ``specification`` does the same work, slowly, in NumPy.

X is a C- or Fortran-contiguous array, or the parts ``(data, indices, indptr, d)`` of a CSR matrix;
its values are float32 or float64 and stay so in memory.  Every vector is a contiguous float64
array, every sum is float64.  Results depend on the number of threads (``OMP_NUM_THREADS``,
threadpoolctl) only up to rounding, and are the same bit for bit when it is the same.

Column indices are not checked here, since that is a pass over the data: whoever makes the CSR parts
makes sure, once, that ``indptr`` never decreases and that indices lie between 0 and d - 1.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from pdprox._kernels import specification
from pdprox._kernels.specification import CSR, Columns, Epoch, Groups, Halpern
from pdprox.losses.base import Line
from pdprox.typing import Array, Floats

try:
    if os.environ.get("PDPROX_PURE") == "1":
        raise ImportError("PDPROX_PURE=1")
    from pdprox._kernels import _compiled
except ImportError:
    compiled = False
else:
    compiled = True

__all__ = [
    "CSR", "Columns", "Epoch", "Groups", "Halpern", "along", "augmented", "backward", "compiled", "curvature",
    "descend", "descend_columns", "epochs", "forward", "pairs_ahead", "pairs_follow", "pairs_move", "pairs_push",
    "room", "sweep",
]  # fmt: skip


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
    r"""A dual step for each row, and the sums the features side needs, in one read of X.

    With t the margin ``y_i (x_i'w + b)`` or the residual ``x_i'w + b - y_i``, as ``line`` says,

    .. math:: a_i = \mathrm{prox}_{s_i \ell^*}(\alpha_i + s_i t_i)

    goes to ``out``, and theta_i is ``c_i a_i``, times ``y_i`` for a margin.  With
    ``halpern = (anchor, f, next)`` also ``next = f (2a - alpha) + (1 - f) anchor``.  ``out`` and
    ``next`` may each be ``alpha``, ``next`` may be ``anchor``; otherwise they share no memory with
    anything else.

    Returns
    -------
    g, gb, moved
        ``sum theta_i x_i``, ``sum theta_i`` and ``sum c_i (a_i - alpha_i)**2``.
    """
    parts, n, d = _parts(X)
    _check_vector("w", w, d)
    for name, vector in (("alpha", alpha), ("y", y), ("c", c), ("out", out)):
        _check_vector(name, vector, n)
    if isinstance(step, np.ndarray):
        _check_vector("step", step, n)
    elif not isinstance(step, (float, int, np.number)):
        raise TypeError(f"step must be a number or an array, got {_what(step)}")
    _check_vector("kinks", line.kinks, line.kinks.size)
    _check_vector("slopes", line.slopes, line.kinks.size + 1)
    _check_written("out", out, (alpha,), (*parts, w, y, c, step))
    if halpern is not None:
        anchor, _, following = halpern
        _check_vector("anchor", anchor, n)
        _check_vector("next", following, n)
        _check_written("out", out, (), (anchor, following))
        _check_written("next", following, (alpha, anchor), (*parts, w, y, c, step))
    if not compiled:
        return specification.sweep(X, w, b, alpha, y, c, line, step, out, halpern)
    g = np.empty(d)
    gb, moved = _compiled.sweep(
        X, w, b, alpha, y, c, line.kinks, line.slopes, line.smoothing, line.margin,
        step if isinstance(step, np.ndarray) else float(step), out, halpern or (), g
    )  # fmt: skip
    return g, gb, moved


def forward(X: Array | CSR, w: Floats, b: float = 0.0) -> Floats:
    """X w + b."""
    _, n, d = _parts(X)
    _check_vector("w", w, d)
    z = np.empty(n)
    if compiled:
        _compiled.forward(X, w, b, z)
    else:
        specification.forward(X, w, b, z)
    return z


def backward(X: Array | CSR, theta: Floats) -> Floats:
    """X' theta."""
    _, n, d = _parts(X)
    _check_vector("theta", theta, n)
    g = np.empty(d)
    if compiled:
        _compiled.backward(X, theta, g)
    else:
        specification.backward(X, theta, g)
    return g


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
    r"""The dual step of ``sweep`` for known predictions z, and how fast it follows them.

    With t the margin ``y_i z_i`` (labels are 1 or -1) or the residual ``z_i - y_i``,

    .. math:: a_i = \mathrm{prox}_{s \ell^*}(\alpha_i + s t_i)

    goes to ``out``, ``c_i a_i`` (times ``y_i`` for a margin) to ``theta``, and ``c_i`` times the derivative of
    a_i with respect to t_i to ``weights``: 0 where a_i is one of the slopes of the line, else
    ``s / (1 + s mu)``.  ``out`` may be ``alpha``.

    Returns
    -------
    moved : float
        ``sum c_i (a_i - alpha_i)**2``.
    """
    n = _check_samples(z, y, alpha, c, line)
    for name, vector in (("out", out), ("theta", theta), ("weights", weights)):
        _check_vector(name, vector, n)
        _check_written(name, vector, (alpha,) if name == "out" else (), (z, y, c))
    _check_written("theta", theta, (), (alpha, out, weights))
    _check_written("weights", weights, (), (alpha, out))
    if not compiled:
        return specification.augmented(z, y, alpha, c, line, step, out, theta, weights)
    return _compiled.augmented(
        z, y, alpha, c, line.kinks, line.slopes, line.smoothing, line.margin, float(step), out, theta, weights
    )


def along(
    z: Floats, dz: Floats, y: Floats, alpha: Floats, c: Floats, line: Line, step: float, length: float
) -> tuple[float, float]:
    """First and second derivative, by ``length``, of the augmented losses at ``z + length dz``.

    They are ``sum theta_i dz_i`` and ``sum weights_i dz_i**2`` with theta and weights as in ``augmented``.
    """
    n = _check_samples(z, y, alpha, c, line)
    _check_vector("dz", dz, n)
    if not compiled:
        return specification.along(z, dz, y, alpha, c, line, step, length)
    return _compiled.along(
        z, dz, y, alpha, c, line.kinks, line.slopes, line.smoothing, line.margin, float(step), float(length)
    )


def room(z: Floats, y: Floats, alpha: Floats, line: Line) -> tuple[Floats, int]:
    """How far each argument can go without a change of slope, and how many cannot go at all.

    A slope s_k is the loss's own at arguments from ``kink_k + mu s_k`` to ``kink_{k+1} + mu s_k``, mu being the
    smoothing.  The room is -inf where slope and argument do not agree, or where the slope lies between two of
    the line's: such samples are at a kink, or on a rounded one.
    """
    n = _check_samples(z, y, alpha, y, line)
    out = np.empty(n)
    if not compiled:
        return out, specification.room(z, y, alpha, line, out)
    return out, _compiled.room(z, y, alpha, line.kinks, line.slopes, line.smoothing, line.margin, out)


def curvature(X: Array | CSR, h: Floats, columns: np.ndarray | None = None) -> tuple[Floats, Floats, float]:
    """X' diag(h) X as a C-contiguous array, X' h and the sum of h, for some columns of X (ascending) or all.

    Rows of a CSR matrix must be sorted and without repeats.
    """
    _, n, d = _parts(X)
    _check_vector("h", h, n)
    if columns is not None:
        if not _is_index(columns):
            raise TypeError(f"columns must be a contiguous array of intp, got {_what(columns)}")
        if len(columns) and not (columns[0] >= 0 and columns[-1] < d and np.all(np.diff(columns) > 0)):
            raise ValueError(f"columns must ascend from 0 or more to at most {d - 1}")
    width = d if columns is None else len(columns)
    H, mixed = np.empty((width, width)), np.empty(width)
    run = _compiled.curvature if compiled else specification.curvature
    return H, mixed, run(X, h, columns, H, mixed)


def descend(
    Q: Floats,
    single: Floats,
    ridge: Floats,
    groups: Groups | tuple[()],
    w: Floats,
    g: Floats,
    sweeps: int,
    goal: float = 0.0,
) -> tuple[float, float]:
    r"""Block coordinate descent on a charged quadratic; w and g are changed in place.

    .. math::

        \tfrac12 w^\top Q w + q^\top w + \sum_j \Bigl(\mathrm{single}_j |w_j|
        + \tfrac12 \mathrm{ridge}_j w_j^2\Bigr) + \sum_k p_k \|w_k\|_2

    with g = Q w + q on entry and on return.  ``groups`` is empty or ``(starts, members, p, squared)``: the
    members of group k are ``members[starts[k]:starts[k + 1]]``, all groups part the coordinates, and if
    ``squared`` the last sum is squared.  Single coordinates go to their exact minimum; within a group a few
    proximal gradient steps are taken.

    Returns
    -------
    first, last
        ``sum_j Q_jj (change of w_j)**2`` of the first and the last sweep; sweeps end when it is at most ``goal``.
    """
    p = len(single)
    for name, vector in (("single", single), ("ridge", ridge), ("w", w), ("g", g)):
        _check_vector(name, vector, p)
    if not isinstance(Q, np.ndarray) or Q.shape != (p, p) or Q.dtype != _FLOAT64 or not Q.flags.c_contiguous:
        raise ValueError(f"Q must be a C-contiguous float64 array of shape {(p, p)}, got {_what(Q)}")
    _check_written("w", w, (), (Q, single, ridge, g))
    _check_written("g", g, (), (Q, single, ridge))
    if groups:
        starts, members, charges, _ = groups
        _check_vector("charges of groups", charges, len(starts) - 1)
        if not (_is_index(starts) and _is_index(members)) or not _parts_all(starts, members, p):
            raise ValueError(f"groups must part the {p} coordinates, as arrays of intp")
    run = _compiled.descend if compiled else specification.descend
    return run(Q, single, ridge, groups, w, g, sweeps, goal)


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
    goal: float = 0.0,
) -> tuple[float, float, float]:
    r"""Coordinate descent on a charged quadratic whose matrix is known by its sparse factor.

    As ``descend`` without groups, for :math:`Q = A^\top A + \mathrm{diag}(\mathrm{own}) - \beta\beta^\top`
    with the columns of A in CSC form.  The gradient is ``q + A'r + own w - bias t``: r and t, which follow
    w, are A w and <bias, w> up to constants.  w and r are changed in place.

    Returns
    -------
    first, last, t
        As in ``descend``, and the new t.
    """
    p = len(single)
    for name, vector in (
        ("own", own),
        ("bias", bias),
        ("q", q),
        ("single", single),
        ("ridge", ridge),
        ("w", w),
    ):
        _check_vector(name, vector, p)
    values, rows, starts = A
    _check_vector("values", values, len(rows))
    if not (rows.dtype == starts.dtype == np.int32 and starts.shape == (p + 1,)):
        raise ValueError(f"A must have {p} columns, with indices of int32")
    if len(rows) and not (rows.min() >= 0 and rows.max() < len(r) and starts[-1] == len(rows)):
        raise ValueError(f"rows of A must lie between 0 and {len(r) - 1}")
    _check_vector("r", r, len(r))
    _check_written("w", w, (), (values, own, bias, q, single, ridge, r))
    _check_written("r", r, (), (values, own, bias, q, single, ridge))
    run = _compiled.descend_columns if compiled else specification.descend_columns
    return run(A, own, bias, q, single, ridge, w, r, float(t), sweeps, goal)


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
    r"""Exact steps on single dual variables, in random order; alpha, v, w and order are changed in place.

    With ``inverse`` one over the curvature kappa, single charges q and the sums g of theta over samples, this is ascent
    on :math:`-\sum_i c_i \ell^*(\alpha_i) - \sum_j (|v_j| - q_j)_+^2 / (2\kappa_j)` with :math:`v = v^0 - g`, and
    :math:`w_j = \mathrm{sign}(v_j)(|v_j| - q_j)_+ / \kappa_j`.  The step on sample i is

    .. math:: \alpha_i \leftarrow \mathrm{prox}_{s_i \ell^*}(\alpha_i + s_i t_i), \qquad
              s_i = 1 / \bigl(c_i \sum_j x_{ij}^2 / \kappa_j\bigr),

    exact where no absolute values are charged, else safe.  v, w and ``inverse`` end with the intercept's entry
    (``inverse`` 0 without one), ``squares`` are the sums in the steps.  Without ``single`` all inverses but the last
    are equal, and of v only the last entry is kept.

    Samples whose slope is one of the line's, and fits by more than anybody was drawn in the epoch before, are
    settled: they leave the first ``active`` of ``order``, which are all that an epoch visits.  Epochs end when
    ``visits`` samples have been visited, when the Fenchel gaps that the last one met add up to no more than
    ``goal``, or when no sample has left or reached one of the line's slopes.  Rows of X must be in C order.
    """
    parts, n, d = _parts(X)
    if isinstance(X, np.ndarray) and not X.flags.c_contiguous:
        raise ValueError("X must be in C order; use np.ascontiguousarray(X)")
    _check_samples(y, y, alpha, c, line)
    _check_vector("squares", squares, n)
    for name, vector in (("inverse", inverse), ("v", v), ("w", w)):
        _check_vector(name, vector, d + 1)
    if single is not None:
        _check_vector("single", single, d)
    if not _is_index(order) or len(order) != n or not 0 <= last.active <= n:
        raise ValueError(f"order must hold {n} numbers of rows as intp, and at most as many be active")
    written = (("alpha", alpha), ("v", v), ("w", w))
    for name, vector in written:
        others = tuple(other for one, other in written if one != name)
        _check_written(name, vector, (), (*parts, y, c, inverse, single, squares, *others))
    if not compiled:
        return specification.epochs(
            X, y, c, line, inverse, single, squares, alpha, v, w, order, last, visits, goal
        )
    found = _compiled.epochs(
        X, y, c, line.kinks, line.slopes, line.smoothing, line.margin, inverse, single, squares, alpha, v, w, order,
        last.active, last.least, last.most, last.seed, visits, goal,
    )  # fmt: skip
    return Epoch(*found)


def pairs_push(state: Floats, tau: float, both: float) -> None:
    r"""What pairs move by when nothing pushes them but tau.

    ``state`` has 14 rows of m numbers: v, a, rest, low, high, unit; dv, da, dlow, dhigh, the last direction;
    rate, low target, high target, pushed, which this call writes:

    .. math:: \mathrm{rate} = \bigl(\tfrac{\mathrm{low}}{a} + \tfrac{\mathrm{high}}{\mathrm{rest}}\bigr)^{-1}, \quad
              \mathrm{low\ target} = \frac{\tau\,\mathrm{unit} - \mathrm{both}\; da\, d\mathrm{low}}{a}, \quad
              \mathrm{high\ target} = \frac{\tau\,\mathrm{unit} + \mathrm{both}\; da\, d\mathrm{high}}{\mathrm{rest}}

    and ``pushed = rate (v + low target - high target)``.
    """
    _check_state(state)
    run = _compiled.pairs_push if compiled else specification.pairs_push
    run(state, tau, both)


def pairs_follow(state: Floats) -> tuple[float, float]:
    """Complete the direction for the dv of the state.

    Returns the reciprocals of the steps at which a multiplier, and at which a or rest, gets to 0; 0 if none does.
    """
    _check_state(state)
    return _compiled.pairs_follow(state) if compiled else specification.pairs_follow(state)


def pairs_ahead(state: Floats, primal: float, dual: float) -> float:
    """The sum of ``(a low + rest high) / unit`` after steps of these lengths of multipliers and of a."""
    _check_state(state)
    run = _compiled.pairs_ahead if compiled else specification.pairs_ahead
    return run(state, primal, dual)


def pairs_move(state: Floats, primal: float, dual: float) -> None:
    """Make the steps; v moves as multipliers do."""
    _check_state(state)
    run = _compiled.pairs_move if compiled else specification.pairs_move
    run(state, primal, dual)


_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


def _parts(X: Any) -> tuple[tuple[Any, Any, Any], int, int]:
    """Values, indices and indptr (None for dense X), and the shape of X."""
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, got shape {X.shape}")
        if X.dtype != _FLOAT64 and X.dtype != _FLOAT32:
            raise TypeError(f"X must be float32 or float64, got {X.dtype}")
        if not X.flags.forc:
            raise ValueError("X must be contiguous, in C or Fortran order; use np.ascontiguousarray(X)")
        return (X, None, None), X.shape[0], X.shape[1]
    if not isinstance(X, tuple) or len(X) != 4:
        raise TypeError(f"X must be an array or (data, indices, indptr, d), got {type(X).__name__}")
    data, indices, indptr, d = X
    for name, part, types in (
        ("data", data, (_FLOAT64, _FLOAT32)),
        ("indices", indices, (_INT32, _INT64)),
        ("indptr", indptr, (_INT32, _INT64)),
    ):
        if not isinstance(part, np.ndarray) or part.dtype not in types:
            raise TypeError(f"{name} must be an array of {types[0]} or {types[1]}, got {_what(part)}")
        if part.ndim != 1 or not part.flags.c_contiguous:
            raise ValueError(f"{name} must be contiguous and have one dimension, got {_what(part)}")
    if indptr.size == 0 or indptr[0] < 0 or indptr[-1] > data.size or data.size != indices.size:
        raise ValueError(f"indptr does not fit {data.size} values and {indices.size} indices")
    return (data, indices, indptr), indptr.size - 1, d


def _is_index(array: Any) -> bool:
    """A contiguous array of intp with one dimension."""
    return (
        isinstance(array, np.ndarray)
        and array.dtype == np.intp
        and array.ndim == 1
        and array.flags.c_contiguous
    )


def _parts_all(starts: np.ndarray, members: np.ndarray, p: int) -> bool:
    """Every one of p coordinates is in exactly one group."""
    if (
        len(members) != p
        or len(starts) == 0
        or starts[0] != 0
        or starts[-1] != p
        or np.any(np.diff(starts) < 0)
    ):
        return False
    seen = np.zeros(p, bool)
    seen[members[(members >= 0) & (members < p)]] = True
    return bool(np.all(seen))


def _check_samples(z: Floats, y: Floats, alpha: Floats, c: Floats, line: Line) -> int:
    """Vectors of one length, which is returned."""
    n = np.size(z)
    for name, vector in (("z", z), ("y", y), ("alpha", alpha), ("c", c)):
        _check_vector(name, vector, n)
    _check_vector("kinks", line.kinks, line.kinks.size)
    _check_vector("slopes", line.slopes, line.kinks.size + 1)
    return n


def _check_state(state: Floats) -> None:
    if not (
        isinstance(state, np.ndarray)
        and state.dtype == _FLOAT64
        and state.ndim == 2
        and len(state) == specification.PAIR_ROWS
        and state.flags.c_contiguous
        and state.flags.writeable
    ):
        raise ValueError(
            f"state must be a contiguous float64 array of {specification.PAIR_ROWS} rows, got {_what(state)}"
        )


def _check_vector(name: str, vector: Any, size: int) -> None:
    if not isinstance(vector, np.ndarray) or vector.dtype != _FLOAT64:
        raise TypeError(f"{name} must be a float64 array, got {_what(vector)}")
    if vector.shape != (size,):
        raise ValueError(f"{name} must have shape ({size},), got {vector.shape}")
    if not vector.flags.c_contiguous:
        raise ValueError(f"{name} must be contiguous; use np.ascontiguousarray({name})")


def _check_written(name: str, written: Floats, same: tuple[Floats, ...], others: tuple[Any, ...]) -> None:
    """The array may be one of ``same`` and overlaps with no other one."""
    if not written.flags.writeable:
        raise ValueError(f"{name} is read-only")
    for other in (*others, *(array for array in same if array is not written)):
        if isinstance(other, np.ndarray) and np.may_share_memory(written, other):
            raise ValueError(f"{name} shares memory with another argument")


def _what(thing: Any) -> str:
    if isinstance(thing, np.ndarray):
        return f"an array of {thing.dtype} and shape {thing.shape}"
    return type(thing).__name__
