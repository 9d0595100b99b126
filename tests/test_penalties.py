"""Penalties: the laws for every specimen, textbook values, an independent optimiser, and bad input."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pdprox import penalties
from pdprox.checks.penalties import LAWS, check_penalty, shapes_for
from pdprox.naming import by_name, name_of, specimens
from pdprox.penalties import (
    L1,
    L2,
    L21,
    ElasticNet,
    EveryRow,
    Excess,
    ExclusiveLasso,
    GroupLasso,
    Groups,
    L1Inf,
    LInf,
    Norm,
    OnSingularValues,
    PerGroup,
    Power,
    Shape,
    Shaped,
    SparseGroupLasso,
    Squared,
    SquaredL2,
    SquaredPerGroup,
    SquaredSumOfNorms,
    TraceNorm,
)
from pdprox.sets import L1Ball, L2Ball, LInfBall

LABELS = [0, 0, 1, 1, 1, 3]
COMBINATIONS = [
    Squared(SparseGroupLasso(LABELS)),
    Squared(PerGroup(LInf(), LABELS, [1.0, 0.0, 3.0])),
    Squared(TraceNorm()),
    Shaped(Power(3.0), SparseGroupLasso(LABELS, 0.8)),
    Shaped(Power(1.1), GroupLasso(LABELS)),
    Shaped(Power(2.0), L1([1.0, 0.0, 2.0])),
    Shaped(Excess(0.3), SparseGroupLasso(LABELS)),
    Shaped(Excess(2.0), L1([1.0, 2.0, 3.0])),
    Shaped(Excess(0.0), L21()),
    PerGroup(L2(), EveryRow(), weights=[1.0, 0.0, 5.0]),
    GroupLasso([0]),
    L1(np.array([[1.0, 0.0, 2.0], [0.5, 1.0, 1.0]])),
]
CASES = [(p, shape) for p in specimens(penalties.ALL) + COMBINATIONS for shape in shapes_for(p)]


def case_id(value: Any) -> str:
    return f"{value[0]}-{value[1]}" if isinstance(value, tuple) else getattr(value, "__name__", str(value))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20130501)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("law", LAWS, ids=case_id)
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_law(case, law, dtype, rng):
    penalty, shape = case
    law(penalty, shape, rng, dtype)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("cls", [L1, L2, LInf, SquaredL2, ElasticNet, L21, L1Inf, TraceNorm])
def test_laws_in_few_dimensions_by_name(cls, d):
    penalty = by_name(name_of(cls), penalties.ALL, "penalty")
    assert penalty == cls()
    for shape in [(d,), (d, 1), (d, 2)]:
        check_penalty(penalty, shape)


def test_every_class_has_specimens_and_is_tested_on_a_vector_and_a_matrix():
    for member in penalties.ALL:
        assert all(type(specimen) is member for specimen in member.specimens())
        shapes = [shape for penalty, shape in CASES if type(penalty) is member]
        assert {len(shape) for shape in shapes} == {1, 2}


# --- textbook values, worked out by hand -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("penalty", "w", "value"),
    [
        (L1(), [1.0, -2.0], 3.0),
        (L1([2.0, 0.0]), [1.0, -2.0], 2.0),
        (L2(), [3.0, -4.0], 5.0),
        (LInf(), [3.0, -4.0], 4.0),
        (SquaredL2(), [3.0, -4.0], 12.5),
        (ElasticNet(0.5), [3.0, -4.0], 0.5 * 7 + 0.25 * 25),
        (GroupLasso([8, 8, 5]), [3.0, 4.0, -2.0], 5 * np.sqrt(2) + 2),
        (GroupLasso([[2], [0, 1]], weights=[3.0, 1.0]), [3.0, 4.0, -2.0], 3 * 2 + 5),
        (SparseGroupLasso([0, 0, 1], 0.25), [3.0, 4.0, -2.0], 0.25 * 9 + 0.75 * (5 * np.sqrt(2) + 2)),
        (ExclusiveLasso([0, 0, 1]), [3.0, 4.0, -2.0], 49 + 4),
        (SquaredSumOfNorms([0, 0, 1]), [3.0, 4.0, -2.0], 49.0),
        (L21(), [[3.0, 4.0], [0.0, -2.0]], 7.0),
        (L1Inf(), [[3.0, 4.0], [0.0, -2.0]], 6.0),
        (TraceNorm(), [[3.0, 0.0], [0.0, -1.0]], 4.0),
        (OnSingularValues(LInf()), [[3.0, 0.0], [0.0, -1.0]], 3.0),
        (PerGroup(LInf(), [0, 0, 1]), [3.0, 4.0, -2.0], 6.0),
        (PerGroup(Squared(LInf()), [0, 0, 1]), [3.0, 4.0, -2.0], 20.0),
        (Squared(L1()), [1.0, -2.0], 9.0),
        (Shaped(Power(3.0), L1()), [1.0, -2.0], 9.0),
        (Shaped(Excess(1.0), L2()), [3.0, -4.0], 4.0),
    ],
    ids=case_id,
)
def test_value(penalty, w, value):
    assert penalty.value(np.array(w)) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("penalty", "v", "step", "prox"),
    [
        (L1(), [3.0, -1.0, 0.5], 1.0, [2.0, 0.0, 0.0]),
        (L1([1.0, 0.0, 9.0]), [3.0, -1.0, 0.5], 2.0, [1.0, -1.0, 0.0]),
        (L2(), [3.0, 4.0], 1.0, [2.4, 3.2]),
        (L2(), [3.0, 4.0], 5.0, [0.0, 0.0]),
        # the two largest come down together: 3 - 2 + 3 - 2 = step
        (LInf(), [3.0, -3.0, 1.0], 2.0, [2.0, -2.0, 1.0]),
        (LInf(), [3.0, -3.0, 1.0], 7.0, [0.0, 0.0, 0.0]),
        (SquaredL2(), [3.0, 4.0], 1.0, [1.5, 2.0]),
        (ElasticNet(0.5), [3.0, 0.25], 1.0, [2.5 / 1.5, 0.0]),
        (GroupLasso([0, 0, 1], None), [3.0, 4.0, 0.5], 1.0, [2.4, 3.2, 0.0]),
        # soft threshold by 1 leaves (2, 0), the group part takes sqrt(2) off its length
        (SparseGroupLasso([0, 0], 0.5), [3.0, 1.0], 2.0, [2 - np.sqrt(2), 0.0]),
        # eta = |w|_1 = 3 - eta, and the second entry is below eta = 1.5
        (ExclusiveLasso([0, 0, 1]), [3.0, 1.0, 4.0], 0.5, [1.5, 0.0, 2.0]),
        # eta = sum of lengths = 5 - eta, and the second group is shorter than eta = 2.5
        (SquaredSumOfNorms([0, 0, 1]), [3.0, 4.0, 1.0], 0.5, [1.5, 2.0, 0.0]),
        (L21(), [[3.0, 4.0], [0.3, 0.4]], 1.0, [[2.4, 3.2], [0.0, 0.0]]),
        (L1Inf(), [[3.0, 1.0], [0.25, 0.5]], 1.0, [[2.0, 1.0], [0.0, 0.0]]),
        (TraceNorm(), [[3.0, 0.0], [0.0, 1.0]], 2.0, [[1.0, 0.0], [0.0, 0.0]]),
        # eta = |w|_inf = 4 - eta
        (Squared(LInf()), [4.0, 1.0], 0.5, [2.0, 1.0]),
        (Squared(L2()), [3.0, 4.0], 0.5, [1.5, 2.0]),
        # z = 2 - z^2 has the root 1
        (Shaped(Power(3.0), L1()), [2.0], 1.0, [1.0]),
        (Shaped(Power(2.0), L2()), [3.0, 4.0], 1.0, [1.5, 2.0]),
        (Shaped(Excess(1.0), L2()), [6.0, 8.0], 3.0, [4.2, 5.6]),
        (Shaped(Excess(1.0), L2()), [6.0, 8.0], 20.0, [0.6, 0.8]),
        (Shaped(Excess(1.0), L2()), [0.3, 0.4], 20.0, [0.3, 0.4]),
    ],
    ids=case_id,
)
def test_prox(penalty, v, step, prox):
    assert_allclose(penalty.prox(np.array(v), step), prox, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("norm", "u", "dual_norm"),
    [
        (L1(), [1.0, -2.0], 2.0),
        (L1([4.0, 1.0]), [8.0, -1.0], 2.0),
        (L1([0.0, 1.0]), [1e-9, 1.0], np.inf),
        (L1([0.0, 1.0]), [0.0, -3.0], 3.0),
        (L2(), [3.0, -4.0], 5.0),
        (LInf(), [3.0, -4.0], 7.0),
        (GroupLasso([0, 0, 1]), [3.0, 4.0, -2.0], 5 / np.sqrt(2)),
        (GroupLasso([0, 0, 1], [0.0, 1.0]), [3.0, 4.0, -2.0], np.inf),
        # 6 - nu/2 = sqrt(4) nu/2
        (SparseGroupLasso([0, 0, 0, 0], 0.5), [6.0, 0.0, 0.0, 0.0], 4.0),
        (SparseGroupLasso([0, 0, 1], 0.3), [-2.0, 2.0, 0.0], 2.0),
        (SparseGroupLasso([0, 0, 0], 1.0), [-2.0, 3.0, 0.0], 3.0),
        (SparseGroupLasso([0, 0, 1, 1], 0.0), [3.0, 4.0, 0.0, 0.0], 5 / np.sqrt(2)),
        (L21(), [[3.0, 4.0], [0.0, -2.0]], 5.0),
        (L1Inf(), [[3.0, 4.0], [0.0, -2.0]], 7.0),
        (TraceNorm(), [[3.0, 0.0], [0.0, -1.0]], 3.0),
        (OnSingularValues(LInf()), [[3.0, 0.0], [0.0, -1.0]], 4.0),
    ],
    ids=case_id,
)
def test_dual_norm(norm, u, dual_norm):
    assert norm.dual_norm(np.array(u)) == pytest.approx(dual_norm, rel=1e-14)


@pytest.mark.parametrize(
    ("penalty", "u", "conjugate"),
    [
        (L1(), [1.0, -1.0], 0.0),
        (L1(), [1.0, -1.1], np.inf),
        (SquaredL2(), [3.0, -4.0], 12.5),
        (ElasticNet(0.5), [1.5, 0.5], 1.0),
        (ElasticNet(1.0), [1.5, 0.5], np.inf),
        (ExclusiveLasso([0, 0, 1]), [3.0, 4.0, -2.0], 4 + 1),
        (SquaredSumOfNorms([0, 0, 1]), [3.0, 4.0, -2.0], 6.25),
        (Squared(LInf()), [3.0, 1.0], 4.0),
        (Shaped(Power(3.0), L1()), [4.0, 1.0], 16 / 3),
        (Shaped(Excess(2.0), L1()), [0.5, 0.0], 1.0),
        (Shaped(Excess(2.0), L1()), [1.5, 0.0], np.inf),
    ],
    ids=case_id,
)
def test_conjugate(penalty, u, conjugate):
    assert penalty.conjugate(np.array(u)) == pytest.approx(conjugate, rel=1e-14)


# --- against an independent optimiser ----------------------------------------------------------------------


@singledispatch
def formula(penalty: Any, W: cp.Expression) -> cp.Expression:
    """The penalty's formula in cvxpy; W is a matrix."""
    raise NotImplementedError(type(penalty))


def members(groups: Any, d: int) -> list[np.ndarray]:
    labels = groups.of_rows(d)
    return [np.flatnonzero(labels == g) for g in range(labels.max() + 1)]


def entries(W: cp.Expression) -> cp.Expression:
    return cp.vec(W, order="F")


@formula.register
def _(penalty: L1, W):
    q = np.ones(W.shape) if penalty.weights is None else np.asarray(penalty.weights)
    return cp.sum(cp.multiply(np.broadcast_to(q.reshape(len(q), -1), W.shape), cp.abs(W)))


@formula.register
def _(penalty: L2, W):
    return cp.norm(entries(W), 2)


@formula.register
def _(penalty: LInf, W):
    return cp.norm(entries(W), "inf")


@formula.register
def _(penalty: SquaredL2, W):
    return 0.5 * cp.sum_squares(W)


@formula.register
def _(penalty: ElasticNet, W):
    rho = penalty.l1_ratio
    return rho * cp.sum(cp.abs(W)) + 0.5 * (1 - rho) * cp.sum_squares(W)


@formula.register
def _(penalty: GroupLasso, W):
    parts = members(penalty.groups, W.shape[0])
    q = [np.sqrt(len(part)) for part in parts] if isinstance(penalty.weights, str) else penalty.weights
    return sum(q_g * cp.norm(entries(W[part]), 2) for q_g, part in zip(q, parts, strict=True))


@formula.register
def _(penalty: SparseGroupLasso, W):
    rho = penalty.l1_ratio
    return rho * cp.sum(cp.abs(W)) + (1 - rho) * formula(GroupLasso(penalty.groups), W)


@formula.register
def _(penalty: ExclusiveLasso, W):
    return sum(cp.square(cp.sum(cp.abs(W[part]))) for part in members(penalty.groups, W.shape[0]))


@formula.register
def _(penalty: SquaredSumOfNorms, W):
    return cp.square(sum(cp.norm(entries(W[part]), 2) for part in members(penalty.groups, W.shape[0])))


@formula.register
def _(penalty: L21, W):
    return cp.sum(cp.norm(W, 2, axis=1))


@formula.register
def _(penalty: L1Inf, W):
    return cp.sum(cp.max(cp.abs(W), axis=1))


@formula.register
def _(penalty: TraceNorm, W):
    return cp.normNuc(W)


@formula.register
def _(penalty: OnSingularValues, W):
    return {L1: cp.normNuc, L2: lambda W: cp.norm(W, "fro"), LInf: cp.sigma_max}[type(penalty.inner)](W)


def group_norms(penalty: PerGroup | SquaredPerGroup, W):
    parts = members(penalty.groups, W.shape[0])
    q = {type(None): np.ones(len(parts)), str: [np.sqrt(len(part)) for part in parts]}.get(
        type(penalty.weights), penalty.weights
    )
    return [(q_g, formula(penalty.inner, W[part])) for q_g, part in zip(q, parts, strict=True)]


@formula.register
def _(penalty: PerGroup, W):
    return sum(q * norm for q, norm in group_norms(penalty, W))


@formula.register
def _(penalty: SquaredPerGroup, W):
    return sum(q * cp.square(norm) for q, norm in group_norms(penalty, W))


@formula.register
def _(penalty: Squared, W):
    return cp.square(formula(penalty.norm, W))


@formula.register
def _(penalty: Shaped, W):
    norm = formula(penalty.norm, W)
    if isinstance(penalty.V, Power):
        return cp.power(norm, penalty.V.exponent) / penalty.V.exponent
    return cp.pos(norm - penalty.V.radius)


def solved(problem: cp.Problem) -> float:
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    assert problem.status in {"optimal", "optimal_inaccurate"}, problem.status
    return float(problem.value)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_prox_against_cvxpy(case, rng):
    penalty, shape = case
    v, step = 2 * rng.normal(size=shape), 0.4
    W = cp.Variable((shape[0], v.size // shape[0]))
    V = v.reshape(W.shape)
    best = solved(cp.Problem(cp.Minimize(step * formula(penalty, W) + 0.5 * cp.sum_squares(W - V))))
    p = penalty.prox(v, step)
    ours = step * penalty.value(p) + 0.5 * np.sum((p - v) ** 2)
    assert ours <= best + 1e-7 * (1 + best)
    assert_allclose(p.reshape(W.shape), W.value, atol=2e-4)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("case", [case for case in CASES if isinstance(case[0], Norm)], ids=case_id)
def test_dual_norm_against_cvxpy(case, rng):
    norm, shape = case
    free = norm.free(shape)
    u = np.where(free, 0.0, rng.normal(size=shape))
    W = cp.Variable((shape[0], u.size // shape[0]))
    best = solved(
        cp.Problem(
            cp.Maximize(cp.sum(cp.multiply(u.reshape(W.shape), W))),
            [formula(norm, W) <= 1, cp.multiply(free.reshape(W.shape).astype(float), W) == 0],
        )
    )
    spread = 1e6 if norm == L1.specimens()[-1] else 1.0  # of the weights: Clarabel loses digits to it
    assert norm.dual_norm(u) == pytest.approx(best, rel=1e-7 * spread**0.5)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize("case", [case for case in CASES if not isinstance(case[0], Norm)], ids=case_id)
def test_conjugate_against_cvxpy(case, rng):
    penalty, shape = case
    u = np.where(penalty.free(shape), 0.0, 0.3 * rng.normal(size=shape))
    if not np.isfinite(penalty.conjugate(u)):
        u = 0.1 * u
    W = cp.Variable((shape[0], u.size // shape[0]))
    best = solved(cp.Problem(cp.Maximize(cp.sum(cp.multiply(u.reshape(W.shape), W)) - formula(penalty, W))))
    assert penalty.conjugate(u) == pytest.approx(best, rel=1e-6, abs=1e-7)


# --- one thing said twice must be one thing ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("norm", "ball"), [(LInf(), L1Ball), (L1(), LInfBall), (L2(), L2Ball)], ids=["linf", "l1", "l2"]
)
def test_moreau_prox_of_a_norm_and_projection_on_the_dual_ball(norm, ball, rng):
    for v in (rng.normal(size=50), np.ones(4), np.array([5.0, 5.0, 1.0]), np.zeros(3)):
        for step in (0.0, 0.5, 3.0, 1e3):
            assert_allclose(norm.prox(v, step) + ball(step).project(v), v, atol=1e-14)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (GroupLasso(range(6)), L21()),
        (GroupLasso([0] * 6, None), L2()),
        (SparseGroupLasso(LABELS, 0.0), GroupLasso(LABELS)),
        (SparseGroupLasso(LABELS, 1.0), L1()),
        (ElasticNet(0.0), SquaredL2()),
        (ElasticNet(1.0), L1()),
        (PerGroup(L1(), LABELS, [2.0, 0.5, 1.0]), L1([2.0, 2.0, 0.5, 0.5, 0.5, 1.0])),
        (Squared(PerGroup(L1(), LABELS, [2.0, 0.5, 0.0])), Squared(L1([2.0, 2.0, 0.5, 0.5, 0.5, 0.0]))),
        (ExclusiveLasso([0] * 6), Squared(L1())),
        (PerGroup(L2(), range(6)), PerGroup(L2(), EveryRow())),
        (L1Inf(), PerGroup(LInf(), EveryRow())),
        (TraceNorm(), OnSingularValues(L1())),
        (OnSingularValues(L2()), L2()),
        (Shaped(Excess(0.0), LInf()), LInf()),
    ],
    ids=case_id,
)
def test_two_ways_to_say_it(one, other, rng):
    for shape in [(6,), (6, 2)]:
        v = rng.normal(size=shape)
        w, step = rng.normal(size=shape), 0.3
        assert one.value(w) == pytest.approx(other.value(w), rel=1e-13)
        assert_allclose(one.prox(v, step), other.prox(v, step), atol=1e-13)


@dataclass(frozen=True)
class Disguised(Norm):
    """A norm that does not tell along which broken line it falls."""

    norm: Norm

    def value(self, w):
        return self.norm.value(w)

    def prox(self, v, step):
        return self.norm.prox(v, step)

    def dual_norm(self, u):
        return self.norm.dual_norm(u)


class Tax(Shape):
    """Nothing up to 1, a third of what exceeds it, and all of what exceeds 3."""

    kinks = (1.0, 3.0)

    def __repr__(self):
        return "Tax()"

    def value(self, z):
        return max(z - 1.0, 0.0) / 3 + 2 * max(z - 3.0, 0.0) / 3

    def slope(self, z):
        return ((z >= 1.0) + 2 * (z >= 3.0)) / 3

    def conjugate(self, s):
        return max(s, 3 * s - 2 / 3) if s <= 1 + 1e-13 else np.inf


@pytest.mark.parametrize("shape", [Shaped(Tax(), L1()), Shaped(Tax(), SparseGroupLasso(LABELS))])
def test_a_shape_of_your_own(shape):
    check_penalty(shape)


@pytest.mark.parametrize(
    "shape", [Power(1.2), Power(2.0), Power(5.0), Excess(0.0), Excess(2.0), Tax()], ids=case_id
)
@pytest.mark.parametrize(
    "norm",
    [L1(), L2(), LInf(), PerGroup(LInf(), LABELS, [1.0, 0.5, 3.0]), GroupLasso(LABELS), TraceNorm()],
    ids=str,
)
def test_breakpoints_and_root_finder_agree(norm, shape, rng):
    for v in (rng.normal(size=(6, 2)), np.ones((6, 2)), 100 * rng.normal(size=(6, 2))):
        for step in (1e-3, 0.7, 50.0):
            exact, found = (Shaped(shape, n).prox(v, step) for n in (norm, Disguised(norm)))
            assert_allclose(exact, found, atol=1e-11 * abs(v).max())
            exact, found = (Squared(n).prox(v, step) for n in (norm, Disguised(norm)))
            assert_allclose(exact, found, atol=1e-11 * abs(v).max())


# --- groups ------------------------------------------------------------------------------------------------


def test_many_ragged_groups_equal_a_loop_over_groups(rng):
    labels = rng.choice(60, size=400, p=np.arange(1, 61) / np.arange(1, 61).sum())
    v, step = rng.normal(size=(400, 2)), 0.8
    parts = [labels == g for g in np.unique(labels)]
    for inner in (L1(), L2(), LInf()):
        penalty = PerGroup(inner, labels, "sqrt")
        expected = np.empty_like(v)
        for part in parts:
            expected[part] = inner.prox(v[part], step * np.sqrt(part.sum()))
        assert_allclose(penalty.prox(v, step), expected, rtol=1e-13)
        assert penalty.value(v) == pytest.approx(
            sum(np.sqrt(part.sum()) * inner.value(v[part]) for part in parts)
        )
        assert penalty.dual_norm(v) == pytest.approx(
            max(inner.dual_norm(v[part]) / np.sqrt(part.sum()) for part in parts)
        )


def test_groups_are_gathered_in_few_blocks_with_little_padding(rng):
    labels = rng.permutation(np.repeat(np.arange(300), rng.integers(1, 100, size=300)))
    w = rng.normal(size=(len(labels), 2))
    groups = Groups(labels)
    blocks = groups.split(w)
    assert len(blocks) <= 8  # sizes up to 2^7
    assert sum(rows.size for _, rows in blocks) <= 2 * w.size
    assert_array_equal(groups.join([rows for _, rows in blocks], w), w)


def test_equal_groups_side_by_side_are_a_view(rng):
    w = rng.normal(size=(12, 2))
    [(_, rows)] = Groups(np.repeat([5, 6, 9], 4)).split(w)
    assert rows.shape == (3, 8)
    assert np.shares_memory(rows, w)


def test_labels_and_lists_say_the_same():
    assert Groups([7, 2, 7, 4]) == Groups([[1], [3], [0, 2]])
    assert Groups([7, 2, 7, 4]) != Groups([7, 2, 7, 7])
    assert hash(GroupLasso([7, 2, 7, 4])) == hash(GroupLasso([2, 0, 2, 1]))
    assert Groups(np.array([[0, 1], [3, 2]])) == Groups([0, 0, 1, 1])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([], "groups is empty"),
        ("0 0 1", "labels or lists of feature numbers"),
        ([0.0, 1.0], r"must be integers, got .*0\.0.*astype"),
        ([0, -1, 2], ">= 0, got -1 at position 1"),
        ([[0, 1], [1, 2]], "feature 1 is in group 0 and again in group 1"),
        ([[0, 1], [3]], "feature 2 is in no group"),
        ([[0, 1], []], "group 1 is empty"),
        ([[0, 1], [-1]], "group 1 must be >= 0, got -1"),
        ([[0, 1], 2], "group 1 is the number 2"),
        ([[0, 1.5]], r"group 0 must be integers, got .*0\.0"),
        ([[[0, 1]]], "flat list"),
        ([True, False], "must be integers"),
        ([[0, 10**12]], "feature 1 is in no group"),
    ],
    ids=str,
)
@pytest.mark.parametrize("make", [GroupLasso, SparseGroupLasso, ExclusiveLasso, SquaredSumOfNorms])
def test_groups_that_are_no_partition(make, groups, message):
    with pytest.raises(ValueError, match=message):
        make(groups)


# --- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: L1([1.0, -2.0]), r">= 0 .*unpenalised.*, got -2\.0 at position 1"),
        (lambda: L1([1.0, np.nan]), "a number, got nan at position 1"),
        (lambda: L1([1.0, np.inf]), "finite .*, got inf at position 1"),
        (lambda: L1(2.0), "scale lam instead"),
        (lambda: L1(["a"]), "weights must be numbers"),
        (lambda: ElasticNet(1.5), "l1_ratio must lie between 0 and 1, got 1.5"),
        (lambda: SparseGroupLasso([0], np.nan), "l1_ratio must lie between 0 and 1, got nan"),
        (lambda: GroupLasso([0, 0, 1], [1.0, 2.0, 3.0]), r"each of the 2 groups, got shape \(3,\)"),
        (lambda: GroupLasso([0, 0, 1], [1.0, -2.0]), r"got -2\.0 at position 1"),
        (lambda: GroupLasso([0, 0, 1], "size"), "weights must be 'sqrt', None or .*, got 'size'"),
        (lambda: PerGroup(SquaredL2(), [0, 0]), "must be one of L1"),
        (lambda: PerGroup(L1([1.0, 2.0]), [0, 0]), "give weights to the groups"),
        (lambda: OnSingularValues(L1([1.0, 2.0])), "use L1"),
        (lambda: OnSingularValues(SquaredL2()), "must be L1"),
        (lambda: Squared(SquaredL2()), "norm must be a norm such as L1"),
        (lambda: Shaped(L1(), L1()), "V must be a Shape such as Power"),
        (lambda: Power(1.0), "greater than 1, got 1.0; for 1 use the norm itself"),
        (lambda: Excess(-1.0), "radius must be finite and >= 0, got -1.0"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "penalty",
    [
        L1([1.0, 2.0]),
        GroupLasso([0, 0]),
        SparseGroupLasso([0, 1]),
        ExclusiveLasso([[1], [0]]),
        SquaredSumOfNorms([0, 0]),
        Squared(L1([1.0, 2.0])),
        PerGroup(L2(), EveryRow(), [1.0, 2.0]),
    ],
    ids=case_id,
)
def test_w_of_another_length(penalty):
    penalty.check((2,))
    penalty.check((2, 3))
    with pytest.raises(ValueError, match="3"):
        penalty.check((3,))
    for method in (penalty.value, penalty.conjugate, lambda v: penalty.prox(v, 1.0)):
        with pytest.raises(ValueError, match="2"):
            method(np.ones(3))


def test_names_that_need_parameters():
    with pytest.raises(ValueError, match=r"group-lasso.*needs parameters"):
        by_name("group-lasso", penalties.ALL, "penalty")


# --- manners -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", specimens(penalties.ALL) + COMBINATIONS, ids=str)
def test_copies_are_equal(penalty):
    for twin in (copy.deepcopy(penalty), pickle.loads(pickle.dumps(penalty))):
        assert twin == penalty
        assert hash(twin) == hash(penalty)
    assert type(penalty).__name__ in repr(penalty)


def test_parameters_are_copied_and_cannot_be_changed():
    weights = np.array([1.0, 2.0])
    penalty = L1(weights)
    weights[0] = 100.0
    assert penalty.value(np.ones(2)) == 3.0
    with pytest.raises(ValueError, match="read-only"):
        penalty.weights[0] = 5.0
    assert penalty != L1([1.0, 3.0])
    assert penalty != L1()


def test_integers_are_numbers_too():
    for penalty in (L1(), L2(), LInf(), SquaredL2(), GroupLasso([0, 0]), TraceNorm(), ElasticNet()):
        assert penalty.prox(np.array([3, 4]), 1).dtype == np.float64
        assert_allclose(penalty.prox(np.array([3, 4]), 1), penalty.prox(np.array([3.0, 4.0]), 1.0))


def test_dual_norms_are_never_too_small(rng):
    """<u, w> / R(w) at the best w known must not exceed the dual norm by a single rounding."""
    for _ in range(300):
        shape = (6, int(rng.integers(1, 4)))
        v = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4)
        for norm in (SparseGroupLasso(LABELS, float(rng.random())), TraceNorm()):
            w = norm.prox(v, 0.5 * norm.dual_norm(v))
            u = v - w  # w is a maximiser for u
            assert np.vdot(u, w) <= norm.dual_norm(u) * norm.value(w) * (1 + 1e-15)


def test_sparse_group_dual_norm_at_ties():
    for rho in (0.5, 0.9, 1 - 1e-6, 1 - 1e-12, 1e-12):
        for d in (2, 7, 64):
            norm = SparseGroupLasso([0] * d, rho)
            # all equal to 1: sqrt(d) (1 - rho nu) = (1 - rho) sqrt(d) nu
            assert norm.dual_norm(np.ones(d)) == pytest.approx(1.0, rel=1e-14)
            single = np.eye(d)[0]
            assert norm.dual_norm(single) == pytest.approx(1 / (rho + (1 - rho) * np.sqrt(d)), rel=1e-14)


def test_nan_stays_nan():
    v = np.array([1.0, np.nan, 2.0])
    for penalty in (
        L1(),
        L2(),
        LInf(),
        SquaredL2(),
        GroupLasso([0, 0, 1]),
        Squared(L1()),
        Shaped(Power(3.0), L2()),
    ):
        assert np.isnan(penalty.value(v))
        assert np.isnan(penalty.prox(v, 0.5)[1])
        assert not penalty.conjugate(v) <= 0


def test_huge_powers_do_not_raise():
    penalty = Shaped(Power(4.0), L2())
    assert penalty.value(np.array([1e150])) == np.inf
    assert np.all(np.isfinite(penalty.prox(np.array([1e150, 1.0]), 1.0)))


# --- the laws see mistakes ---------------------------------------------------------------------------------


class WrongStep(L1):
    def prox(self, v, step):
        return super().prox(v, 1.01 * np.asarray(step))


class WrongConstant(L2):
    def value(self, w):
        return 1.01 * super().value(w)


class ShiftedValue(L2):
    def value(self, w):
        return 1.0 + super().value(w)


class SmallDualNorm(LInf):
    def dual_norm(self, u):
        return 0.99 * super().dual_norm(u)


class LargeDualNorm(LInf):
    def dual_norm(self, u):
        return 1.01 * super().dual_norm(u)


class WritesToInput(SquaredL2):
    def prox(self, v, step):
        v /= 1.0 + step
        return v


class ForgetsDtype(SquaredL2):
    def prox(self, v, step):
        return super().prox(v.astype(np.float64), step)


class ReturnsInput(L1):
    def prox(self, v, step):
        return v if np.all(np.asarray(step) == 0) else super().prox(v, step)


class BoastsOfConvexity(ElasticNet):
    strong_convexity = 1.0


class ClaimsToBeMonotone(OnSingularValues):
    monotone = True


class ClaimsBlocks(L2):
    def blocks(self, shape):
        return np.arange(int(np.prod(shape))).reshape(shape)


class ClaimsFree(L1):
    def free(self, shape):
        return np.ones(shape, dtype=bool)


class WrongFall(L1):
    def fall(self, v):
        knots, drops = super().fall(v)
        return knots, 2 * drops


class Nonhomogeneous(L1):
    def value(self, w):
        return super().value(w) if np.abs(w).max() < 1e10 else np.inf


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(
    ("mutant", "message"),
    [
        (WrongStep(), "infinite|not 0"),
        (WrongConstant(), "not 0|infinite"),
        (ShiftedValue(), r"R\(0\)"),
        (SmallDualNorm(), "<u, w>|dual norm|not 0"),
        (LargeDualNorm(), "infinite|dual norm"),
        (WritesToInput(), "read-only|returns its input|not 0|infinite|identity|moves"),
        (ReturnsInput(), "returns its input"),
        (BoastsOfConvexity(), "strong_convexity = 1.0"),
        (ClaimsToBeMonotone(L1()), r"R\(\|w\|\)|entries shrank"),
        (ClaimsBlocks(), "infinite|not 0"),
        (ClaimsFree(), "free entries"),
        (WrongFall(), "broken line"),
        (Nonhomogeneous(), "scaled by"),
    ],
    ids=case_id,
)
def test_laws_see_mistakes(mutant, message):
    with pytest.raises((AssertionError, ValueError), match=message):
        check_penalty(mutant)


def test_laws_see_a_forgotten_dtype():
    with pytest.raises(AssertionError, match="prox makes float64"):
        check_penalty(ForgetsDtype(), dtype=np.float32)


def test_check_penalty_accepts_the_original_and_wants_a_shape_that_fits():
    check_penalty(L1(), (5, 4), np.random.default_rng(3), np.float32)
    with pytest.raises(ValueError, match="say shape"):
        check_penalty(L1(np.ones((2, 7))))


def test_groups_are_printed_short():
    assert (
        repr(penalties.GroupLasso([0, 0, 1], weights=None))
        == "GroupLasso(groups=Groups([0, 0, 1]), weights=None)"
    )
    assert "<500 features in 100 groups>" in repr(penalties.GroupLasso(np.arange(500) // 5))
