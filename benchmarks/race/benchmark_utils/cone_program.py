"""Every problem of the race as a cone program: ``min x'Px/2 + q'x`` with ``b - A x`` in a cone.

X enters once: w is free, and what its penalty needs are short rows of their own.  Against the dual program
and against cvxpy's form (a row for each epigraph of each ramp) this was as fast or faster with Clarabel.
Everything is multiplied by n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from benchmark_utils.instance import L1_RATIO, Instance
from benchmark_utils.peer import Answer


@dataclass(frozen=True)
class ConeProgram:
    """The matrices; the rows of A are ``zero`` equations, ``positive`` inequalities, then cones of ``sizes``."""

    instance: Instance
    P: sp.csc_array
    q: np.ndarray
    A: sp.csc_array
    b: np.ndarray
    zero: int
    positive: int
    sizes: list[int]
    sample_rows: slice

    def read(self, x: np.ndarray, multipliers: np.ndarray) -> Answer:
        """The answer; the multipliers of the rows of the samples are their slopes."""
        instance = self.instance
        intercept = float(x[instance.d]) if instance.intercept else 0.0
        alpha = multipliers[self.sample_rows]
        return Answer(np.asarray(x[: instance.d]), intercept, np.asarray(alpha if self._equal else -alpha))

    @property
    def _equal(self) -> bool:
        return self.zero > 0 and self.sample_rows.start == 0


class _Columns:
    """Blocks of variables by name, laid one after the other."""

    def __init__(self) -> None:
        self.start: dict[str, int] = {}
        self.count: dict[str, int] = {}
        self.total = 0

    def add(self, name: str, count: int) -> None:
        self.start[name], self.count[name] = self.total, count
        self.total += count

    def row(self, **blocks: sp.sparray) -> sp.csr_array:
        """Rows with these blocks, and zeros elsewhere."""
        height = next(iter(blocks.values())).shape[0]
        return sp.hstack(
            [blocks.get(name, sp.csr_array((height, count))) for name, count in self.count.items()],
            format="csr",
        )


def cone_program(instance: Instance) -> ConeProgram:
    """Translate the instance."""
    n, d, ramps = instance.n, instance.d, instance.ramps
    weight, penalty = n * instance.lam, instance.penalty
    groups = instance.members if penalty in ("group", "sparse_group", "square", "exclusive") else []
    cones_of = [] if penalty == "exclusive" else groups
    l1 = {"l1": 1.0, "sparse_group": L1_RATIO}.get(penalty, 0.0)
    sizes_of = bool(l1) or penalty == "exclusive"
    two_sided = ramps.down > 0 and ramps.up > 0

    columns = _Columns()
    columns.add("x", d + instance.intercept)
    for name, count in (
        ("down", n if ramps.down > 0 else 0),
        ("up", n if ramps.up > 0 else 0),
        ("between", n if two_sided and ramps.left != ramps.right else 0),
        ("size", d if sizes_of else 0),
        ("length", len(cones_of)),
        ("sum", {"square": 1, "exclusive": len(groups)}.get(penalty, 0)),
        ("level", 1 if penalty == "linf" else 0),
    ):
        if count:
            columns.add(name, count)

    q, squares = np.zeros(columns.total), np.zeros(columns.total)

    def put(vector: np.ndarray, name: str, value: float | np.ndarray) -> None:
        if name in columns.start:
            vector[columns.start[name] :][: columns.count[name]] = value

    put(q, "down", ramps.down)
    put(q, "up", ramps.up)
    put(q, "size", weight * l1)
    if penalty in ("group", "sparse_group"):
        share = 1.0 if penalty == "group" else 1.0 - L1_RATIO
        put(q, "length", weight * share * np.sqrt([len(g) for g in groups]))
    put(squares, "sum", 2 * weight)
    put(q, "level", weight)
    if penalty == "l2":
        squares[:d] = weight

    zero, positive, cones, sizes = _samples(instance, columns), [], [], []
    if not two_sided:  # t + down >= left, or t - up <= right
        positive, zero = zero, []
    if penalty == "square":  # the lengths add up to the sum
        zero.append((columns.row(length=sp.csr_array(np.ones((1, len(groups)))), sum=-_eye(1)), np.zeros(1)))
    if penalty == "exclusive":  # the sizes of each group add up to its sum
        member = sp.csr_array((np.ones(d), (instance.groups, np.arange(d))), shape=(len(groups), d))
        zero.append((columns.row(size=member, sum=-_eye(len(groups))), np.zeros(len(groups))))
    for name in ("down", "up"):
        if name in columns.start:
            positive.append((columns.row(**{name: -_eye(n)}), np.zeros(n)))
    if "between" in columns.start:
        positive.append((columns.row(between=_eye(n)), np.full(n, ramps.right)))
        positive.append((columns.row(between=-_eye(n)), np.full(n, -ramps.left)))
    each = sp.eye_array(d, d + instance.intercept, format="csr")
    for name, block in (("size", _eye(d)), ("level", sp.csr_array(np.ones((d, 1))))):
        if name in columns.start:
            positive.append((columns.row(x=each, **{name: -block}), np.zeros(d)))
            positive.append((columns.row(x=-each, **{name: -block}), np.zeros(d)))
    if cones_of:
        cones.append((_lengths(groups, columns), np.zeros(len(groups) + d)))
        sizes = [1 + len(group) for group in groups]

    stacked = zero + positive + cones
    height = [sum(len(b) for _, b in part) for part in (zero, positive)]
    return ConeProgram(
        instance,
        sp.csc_array(sp.diags_array(squares)),
        q,
        sp.csc_array(sp.vstack([A for A, _ in stacked], format="csc")),
        np.concatenate([b for _, b in stacked]),
        height[0],
        height[1],
        sizes,
        slice(0, n) if two_sided else slice(height[0], height[0] + n),
    )


def _eye(n: int) -> sp.csr_array:
    return sp.eye_array(n, format="csr")


def _samples(instance: Instance, columns: _Columns) -> list[tuple[sp.csr_array, np.ndarray]]:
    """One row a sample: ``t + down - up`` equals the kink, lies between the kinks, or above the left one."""
    n, ramps, rows = instance.n, instance.ramps, instance.rows()
    if "between" in columns.start:
        row = columns.row(x=rows, down=_eye(n), up=-_eye(n), between=-_eye(n))
        return [(row, instance.offset)]
    if "down" in columns.start and "up" in columns.start:
        return [(columns.row(x=rows, down=_eye(n), up=-_eye(n)), ramps.left + instance.offset)]
    assert "down" in columns.start, "a loss that only rises is not in the race"
    return [(columns.row(x=-rows, down=-_eye(n)), -(ramps.left + instance.offset))]


def _lengths(groups: list[np.ndarray], columns: _Columns) -> sp.csr_array:
    """Rows ``(length_g, w_g)`` with the sign that cone programs want."""
    height = sum(1 + len(group) for group in groups)
    members = np.concatenate(groups)
    starts = np.cumsum([0, *(1 + len(group) for group in groups)])[:-1]
    inside = np.setdiff1d(np.arange(height), starts)
    row = np.concatenate([starts, inside])
    column = np.concatenate([columns.start["length"] + np.arange(len(groups)), members])
    return sp.csr_array((-np.ones(height), (row, column)), shape=(height, columns.total))
