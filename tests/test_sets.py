"""Convex sets: the laws for every specimen, textbook values, independent optimisers, and bad input."""

from __future__ import annotations

import copy
import pickle
from functools import singledispatch
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from pdprox import sets
from pdprox.checks.sets import LAWS, check_set, metric_of, shapes_for
from pdprox.naming import specimens
from pdprox.sets import (
    Box,
    BoxBudget,
    Budget,
    ConvexSet,
    L1Ball,
    L2Ball,
    LInfBall,
    NonNegative,
    Simplex,
    WholeSpace,
    project_box_budget,
)

INF = np.inf
MORE = [
    BoxBudget(-INF, INF, 1.0, 0.0, equality=True),
    BoxBudget(-INF, INF, [1.0, -2.0], 3.0),
    BoxBudget(0.0, INF, [1.0, 2.0, 3.0], 6.0, equality=True, metric=[1.0, 10.0, 0.1]),
    BoxBudget(-1.0, 1.0, [0.0, 0.0], 0.0, equality=True),
    BoxBudget([0.0, 0.0], [1.0, 1.0], [1.0, 1.0], 2.0, equality=True),  # one point
    BoxBudget([-INF, 0.0, -1.0], [0.0, INF, 1.0], [1.0, -1.0, 0.5], -0.25),
    Box(0.5, 0.5),
]
CASES = [(q, shape) for q in specimens(sets.ALL) + MORE for shape in shapes_for(q)]
CASES += [(Budget(1.0, [[1.0, 2.0], [3.0, 4.0]]), (2, 2)), (Box([[0.0, -INF]], [[1.0, 5.0]]), (1, 2))]


def case_id(value: Any) -> str:
    return f"{value[0]}-{value[1]}" if isinstance(value, tuple) else getattr(value, "__name__", str(value))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1084)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("law", LAWS, ids=case_id)
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_law(case, law, dtype, rng):
    convex_set, shape = case
    law(convex_set, shape, rng, dtype)


@pytest.mark.parametrize("shape", [(1,), (2,), (1, 1), (2, 2)])
@pytest.mark.parametrize("make", [WholeSpace, Box, NonNegative, L1Ball, L2Ball, LInfBall, Simplex, Budget])
def test_laws_in_few_dimensions(make, shape):
    check_set(make(), shape)


def test_every_class_has_specimens_and_is_tested_on_a_vector_and_a_matrix():
    for member in sets.ALL:
        assert all(type(specimen) is member for specimen in member.specimens())
        assert {len(shape) for q, shape in CASES if type(q) is member} == {1, 2}


# --- textbook values, worked out by hand -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("convex_set", "v", "projection"),
    [
        (WholeSpace(), [1.0, -2.0], [1.0, -2.0]),
        (Box(-1.0, 0.5), [2.0, -3.0, 0.25], [0.5, -1.0, 0.25]),
        (Box(lo=0.0), [2.0, -3.0], [2.0, 0.0]),
        (Box([0.0, -1.0], 1.0), [[-3.0, 3.0], [-3.0, 0.5]], [[0.0, 1.0], [-1.0, 0.5]]),
        (NonNegative(), [2.0, -3.0], [2.0, 0.0]),
        (LInfBall(2.0), [3.0, -1.0, -9.0], [2.0, -1.0, -2.0]),
        (L2Ball(1.0), [3.0, -4.0], [0.6, -0.8]),
        (L2Ball(10.0), [3.0, -4.0], [3.0, -4.0]),
        # 3 - 2 + 3 - 2 = 2
        (L1Ball(2.0), [3.0, -3.0, 1.0], [1.0, -1.0, 0.0]),
        (L1Ball(0.0), [3.0, -3.0], [0.0, 0.0]),
        # (2 - 1/2) + (1/2 + 1/2) is too much: eta = 1 leaves (1, 0)
        (Simplex(), [2.0, 0.5], [1.0, 0.0]),
        (Simplex(), [0.0, 0.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]),
        (Simplex(6.0), [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]),
        (Simplex(3.0), [-1.0, 1.0], [0.5, 2.5]),
        # 2 (4 - 2 eta) + (1 - eta) = 4 at eta = 1: (2, 0)
        (Budget(4.0, [2.0, 1.0]), [-4.0, 1.0], [-2.0, 0.0]),
        (BoxBudget(0.0, 1.0, 1.0, 1.0), [0.75, 0.75, -3.0], [0.5, 0.5, 0.0]),
        (BoxBudget(0.0, 1.0, 1.0, 2.0), [0.75, 0.75, -3.0], [0.75, 0.75, 0.0]),
        # labels 1, 1, -1: alpha must balance; 1 - eta + 1 - eta = 0 + eta at eta = 2/3
        (BoxBudget(0.0, 1.0, [1.0, 1.0, -1.0], 0.0, equality=True), [1.0, 1.0, 0.0], [1 / 3, 1 / 3, 2 / 3]),
        # in the metric (1, 3) the second moves a third as far: 2 - eta + 2 - eta / 3 = 2
        (BoxBudget(0.0, 9.0, 1.0, 2.0, metric=[1.0, 3.0]), [2.0, 2.0], [0.5, 1.5]),
        (BoxBudget(-INF, INF, [3.0, 4.0], 0.0, equality=True), [3.0, 4.0], [0.0, 0.0]),
    ],
    ids=case_id,
)
def test_projection(convex_set, v, projection):
    assert_allclose(convex_set.project(np.array(v)), projection, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(
    ("convex_set", "u", "support"),
    [
        (WholeSpace(), [0.0, 0.0], 0.0),
        (WholeSpace(), [0.0, 1e-9], INF),
        (Box(-1.0, 0.5), [2.0, -3.0], 4.0),
        (Box(lo=0.0), [-2.0, 0.0], 0.0),
        (Box(lo=0.0), [-2.0, 1.0], INF),
        (Box(lo=2.0), [-2.0, 0.0], -4.0),
        (NonNegative(), [-2.0, 0.0], 0.0),
        (NonNegative(), [-2.0, 1e-9], INF),
        (LInfBall(2.0), [3.0, -1.0], 8.0),
        (L2Ball(2.0), [3.0, -4.0], 10.0),
        (L1Ball(2.0), [3.0, -4.0], 8.0),
        (Simplex(2.0), [3.0, -4.0], 6.0),
        (Simplex(2.0), [-3.0, -4.0], -6.0),
        (Budget(4.0, [2.0, 1.0]), [-4.0, 1.0], 8.0),
        # a knapsack: all of the first, half of the second
        (BoxBudget(0.0, 1.0, 1.0, 1.5), [3.0, 2.0, 1.0], 4.0),
        (BoxBudget(0.0, 1.0, 1.0, 1.5), [3.0, -2.0, -1.0], 3.0),
        (BoxBudget(0.0, 1.0, 1.0, 1.5, equality=True), [3.0, -2.0, -1.0], 2.5),
        (BoxBudget(-INF, INF, [1.0, 2.0], 3.0, equality=True), [2.0, 4.0], 6.0),
        (BoxBudget(-INF, INF, [1.0, 2.0], 3.0, equality=True), [2.0, 5.0], INF),
        (BoxBudget(-INF, INF, [1.0, 2.0], 3.0), [2.0, 4.0], 6.0),
        (BoxBudget(-INF, INF, [1.0, 2.0], 3.0), [-2.0, -4.0], INF),
        (BoxBudget(0.0, INF, [1.0, 0.0], 3.0), [2.0, 0.0], 6.0),
        (BoxBudget(0.0, INF, [1.0, 0.0], 3.0), [2.0, 1e-9], INF),
    ],
    ids=case_id,
)
def test_support(convex_set, u, support):
    assert convex_set.support(np.array(u)) == pytest.approx(support, rel=1e-14)


# --- against independent optimisers ------------------------------------------------------------------------


def aligned(value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A parameter for each entry of a matrix."""
    array = np.asarray(value, dtype=float)
    array = array.reshape(-1, 1) if array.ndim == 1 else array
    return np.broadcast_to(array, shape)


def between(lo: Any, hi: Any, X: cp.Variable) -> list[cp.Constraint]:
    lo, hi = aligned(lo, X.shape), aligned(hi, X.shape)
    below, above = np.nonzero(np.isfinite(lo)), np.nonzero(np.isfinite(hi))
    found = [X[below] >= lo[below]] if below[0].size else []
    return found + ([X[above] <= hi[above]] if above[0].size else [])


@singledispatch
def constraints(convex_set: Any, X: cp.Variable) -> list[cp.Constraint]:
    """The formula of the set in cvxpy; X is a matrix."""
    raise NotImplementedError(type(convex_set))


@constraints.register
def _(convex_set: WholeSpace, X):
    return []


@constraints.register
def _(convex_set: Box, X):
    return between(convex_set.lo, convex_set.hi, X)


@constraints.register
def _(convex_set: NonNegative, X):
    return [X >= 0]


@constraints.register
def _(convex_set: L1Ball, X):
    return [cp.sum(cp.abs(X)) <= convex_set.radius]


@constraints.register
def _(convex_set: L2Ball, X):
    return [cp.norm(X, "fro") <= convex_set.radius]


@constraints.register
def _(convex_set: LInfBall, X):
    return [cp.max(cp.abs(X)) <= convex_set.radius]


@constraints.register
def _(convex_set: Simplex, X):
    return [X >= 0, cp.sum(X) == convex_set.total]


@constraints.register
def _(convex_set: BoxBudget, X):
    used = cp.sum(cp.multiply(aligned(convex_set.v, X.shape), X))
    tight = used == convex_set.rho if convex_set.equality else used <= convex_set.rho
    return [*between(convex_set.lo, convex_set.hi, X), tight]


@constraints.register
def _(convex_set: Budget, X):
    prices = 1.0 if convex_set.weights is None else convex_set.weights
    return [cp.sum(cp.multiply(aligned(prices, X.shape), cp.abs(X))) <= convex_set.rho]


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_projection_against_cvxpy(case, rng):
    convex_set, shape = case
    m = metric_of(convex_set, shape)
    for scale in (0.5, 3.0):
        v = scale * rng.normal(size=shape)
        p = convex_set.project(v)
        X = cp.Variable((shape[0], v.size // shape[0]))
        M, V = np.broadcast_to(m, shape).reshape(X.shape), v.reshape(X.shape)
        distance = cp.sum(cp.multiply(M, cp.square(X - V)))
        problem = cp.Problem(cp.Minimize(distance), constraints(convex_set, X))
        problem.solve(solver=cp.CLARABEL)
        assert problem.status == "optimal"
        assert_allclose(p.reshape(X.shape), X.value, atol=1e-4)
        assert np.sum(m * (p - v) ** 2) <= problem.value + 1e-6 * (1 + problem.value)


def random_box_budget(rng: np.random.Generator) -> BoxBudget:
    """Any signs, zeros, ties, infinite and equal ends, a budget that may just be met."""
    n = int(rng.integers(1, 8))
    lo, hi, v = -rng.exponential(size=n), rng.exponential(size=n), rng.normal(size=n)
    if rng.random() < 0.3:
        lo, hi, v = np.round(lo), np.round(hi), np.round(v)
    v[rng.random(n) < 0.2] = 0.0
    if rng.random() < 0.2:
        rho = float(v @ np.where(v > 0, lo, hi))  # the least there is
    else:
        rho = float(v @ (lo + (hi - lo) * rng.random(n)))
        lo[rng.random(n) < 0.3] = -INF
        hi[rng.random(n) < 0.3] = INF
    metric = None if rng.random() < 0.5 else 0.1 + rng.exponential(size=n)
    return BoxBudget(lo, hi, v, rho, equality=bool(rng.random() < 0.5), metric=metric)


def best(u: np.ndarray, q: BoxBudget) -> float:
    """sup <u, x> over the set by HiGHS."""
    line = {"A_eq": [q.v], "b_eq": [q.rho]} if q.equality else {"A_ub": [q.v], "b_ub": [q.rho]}
    found = linprog(-u, bounds=np.column_stack([q.lo, q.hi]), **line)
    assert found.status in {0, 2, 3, 4}, found.message
    return -found.fun if found.status == 0 else INF


def test_box_budget_against_linear_programs(rng):
    """x is the projection of y exactly when no point of the set lies farther along m (y - x)."""
    finite = 0
    for _ in range(400):
        q = random_box_budget(rng)
        y = rng.normal(size=len(q.v)) * rng.choice([0.1, 1.0, 10.0])
        x = q.project(y)
        assert np.all((x >= q.lo) & (x <= q.hi))
        excess, slack = q.v @ x - q.rho, 1e-12 * (1 + abs(q.rho) + np.abs(q.v * y).sum())
        assert excess <= slack
        assert not q.equality or excess >= -slack
        outward = metric_of(q, x.shape) * (y - x)
        assert best(outward, q) <= outward @ x + 1e-6 * (1 + abs(outward @ x))
        u = rng.normal(size=len(x))
        highest = best(u, q)
        finite += np.isfinite(highest)
        assert q.support(u) == pytest.approx(highest, rel=1e-7, abs=1e-7)
    assert 100 < finite < 400


def test_large_budgets_are_met_exactly(rng):
    n = 20_000
    signs = rng.choice([-1.0, 1.0], size=n)
    y = rng.normal(size=n)
    x = BoxBudget(0.0, 1.0, signs, 0.0, equality=True).project(y)
    assert abs(signs @ x) < 1e-9
    eta = np.median((y - x)[(x > 0) & (x < 1)] * signs[(x > 0) & (x < 1)])
    assert_allclose(x, np.clip(y - eta * signs, 0, 1), atol=1e-12)
    w = L1Ball(50.0).project(y)
    assert np.abs(w).sum() == pytest.approx(50.0, rel=1e-12)
    assert np.all(w * y >= 0)


@pytest.mark.parametrize("spread", [0.0, 1.0, 40.0, 250.0])
def test_hard_knots(spread, rng):
    """Ties everywhere, or knots over hundreds of orders of magnitude: still finite and feasible."""
    y = 10.0 ** (spread * (rng.random(500) - 0.5)) * rng.choice([-1.0, 1.0], size=500)
    for radius in (1e-3, 1.0, 1e3):
        w = L1Ball(radius).project(y)
        assert np.abs(w).sum() <= radius * (1 + 1e-9) + 1e-15 * np.abs(y).max()
        x = Simplex(radius).project(y)
        assert x.min() >= 0
        assert abs(x.sum() - radius) <= 1e-9 * radius + 1e-13 * np.abs(y).max()


# --- one thing said twice must be one thing ----------------------------------------------------------------


def test_two_ways_to_say_it(rng):
    q, m = 0.1 + rng.random(6), 0.1 + rng.random(6)
    cut = BoxBudget(0.0, 0.5, q, 0.7, metric=m)
    for scale in (0.1, 1.0, 10.0):
        v = scale * rng.normal(size=6)
        a = np.abs(v)
        pairs = [
            (Budget(1.5).project(v), L1Ball(1.5).project(v)),
            (LInfBall(0.5).project(v), Box(-0.5, 0.5).project(v)),
            (NonNegative().project(v), Box(lo=0.0).project(v)),
            (project_box_budget(v, -INF, INF, q, 1.5), Budget(1.5, q).project(v)),
            (project_box_budget(v, -0.2, 0.3, q, 1e9), Box(-0.2, 0.3).project(v)),
            (project_box_budget(a, 0.0, 0.5, q, 0.7, m), cut.project(a)),
            (project_box_budget(-a, -0.5, 0.0, q, 0.7, m), -cut.project(a)),
        ]
        for one, other in pairs:
            assert_allclose(one, other, atol=1e-14)


def test_box_budget_with_two_signs():
    # |3 - eta| up to 1.5, |-1 + 2 eta| while it lasts: 1.5 + 2 (1 - 2 eta) = 2.5 at eta = 1/4
    x = project_box_budget(np.array([3.0, -1.0]), -5.0, 1.5, np.array([1.0, 2.0]), 2.5)
    assert_allclose(x, [1.5, -0.5], rtol=1e-14)


# --- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box(1.0, 0.0), r"lo must be at most hi, got 1\.0"),
        (lambda: Box([0.0, 2.0], [1.0, 1.0]), r"lo must be at most hi, got 2\.0 at position 1"),
        (lambda: Box(np.nan, 1.0), "lo must be a number, got nan"),
        (lambda: Box(np.inf, np.inf), "lo must be less than infinity"),
        (lambda: Box([0.0, 0.0], [1.0, 1.0, 1.0]), r"one shape, got \(2,\) and \(3,\)"),
        (lambda: L1Ball(-1.0), "radius must be finite and >= 0, got -1.0"),
        (lambda: L2Ball(np.nan), "radius must be finite and >= 0, got nan"),
        (lambda: LInfBall(np.inf), "use WholeSpace"),
        (lambda: Simplex(-1.0), "total must be finite and >= 0"),
        (lambda: Budget(-1.0), "rho must be finite and >= 0"),
        (lambda: Budget(1.0, [1.0, 0.0]), r"weights must be finite and > 0, got 0\.0 at position 1"),
        (lambda: BoxBudget(0.0, 1.0, np.nan, 1.0), "v must be a number, got nan"),
        (lambda: BoxBudget(0.0, 1.0, np.inf, 1.0), "v must be finite"),
        (lambda: BoxBudget(0.0, 1.0, 1.0, np.inf), "use Box"),
        (
            lambda: BoxBudget(0.0, 1.0, 1.0, 1.0, metric=[1.0, -1.0]),
            "metric must be .* > 0, got -1.0",
        ),
        (lambda: BoxBudget(0.0, 1.0, [1.0, 1.0], 1.0, metric=[1.0]), "equally many rows"),
        (lambda: BoxBudget(0.0, 1.0, [1.0, 1.0], -0.5), "ranges from 0.0 to 2.0; choose rho between"),
        (lambda: BoxBudget(0.0, 1.0, [1.0, 1.0], 2.5, equality=True), "ranges from 0.0 to 2.0"),
        (lambda: project_box_budget(np.ones(2), 0.5, 1.0, 1.0, 1.0), "0 must lie in the box"),
        (lambda: project_box_budget(np.ones(2), -1.0, 1.0, 1.0, -1.0), "rho must be >= 0"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_arrays_of_another_shape():
    for convex_set in (Box([0.0, 0.0], 1.0), Budget(1.0, [1.0, 1.0]), BoxBudget(0.0, 1.0, [1.0, 1.0], 1.0)):
        convex_set.check((2,))
        convex_set.check((2, 3))
        for method in (convex_set.project, convex_set.support, lambda v, q=convex_set: q.check(v.shape)):
            with pytest.raises(ValueError, match="2"):
                method(np.ones(3))


class Plane(ConvexSet):
    """Vectors of four entries that sum to 0: a set of one's own."""

    dimension = 4

    def project(self, v):
        return v - np.mean(v, axis=0, dtype=v.dtype)

    def support(self, u):
        return 0.0 if np.allclose(u, u[:1]) else np.inf


def test_a_set_of_your_own():
    check_set(Plane(), (4,))
    with pytest.raises(ValueError, match="holds arrays of 4 rows"):
        Plane().check((3,))


def test_a_budget_too_small_for_the_number_of_entries():
    convex_set = BoxBudget(0.5, 1.0, 1.0, 1.0)
    convex_set.check((2,))
    for method in (lambda: convex_set.check((3,)), lambda: convex_set.project(np.ones(3))):
        with pytest.raises(ValueError, match=r"ranges from 1\.5 to 3\.0"):
            method()


@pytest.mark.parametrize("convex_set", specimens(sets.ALL) + MORE, ids=str)
def test_copies_are_equal(convex_set):
    for twin in (copy.deepcopy(convex_set), pickle.loads(pickle.dumps(convex_set))):
        assert twin == convex_set
        assert hash(twin) == hash(convex_set)


# --- the laws see mistakes ---------------------------------------------------------------------------------


class TooFar(L1Ball):
    def project(self, v):
        return 0.99 * super().project(v)


class NotFarEnough(L2Ball):
    def project(self, v):
        return 1.01 * super().project(v)


class Scaled(L1Ball):
    def project(self, v):
        return v * min(1.0, self.radius / max(np.abs(v).sum(), 1e-300))


class LowSupport(Simplex):
    def support(self, u):
        return 0.9 * super().support(u)


class HighSupport(LInfBall):
    def support(self, u):
        return 1.1 * super().support(u)


class BoundlessSupport(LInfBall):
    def support(self, u):
        return np.inf if np.any(u) else 0.0


class ClaimsToBeSeparable(Simplex):
    separable = True


class ReturnsInput(WholeSpace):
    def project(self, v):
        return v


class WrongMetric(BoxBudget):
    def project(self, v):
        return BoxBudget(self.lo, self.hi, self.v, self.rho).project(v)


class AcceptsAll(NonNegative):
    def contains(self, w, tolerance=1e-9):
        return True


@pytest.mark.parametrize(
    ("mutant", "message"),
    [
        (TooFar(), "<v - p, q - p>|again"),
        (NotFarEnough(), "<v - p, q - p>|again"),
        (Scaled(), "<v - p, "),
        (LowSupport(), "support"),
        (HighSupport(), "support|reached"),
        (BoundlessSupport(), "reached"),
        (ClaimsToBeSeparable(), "follow entry 0"),
        (ReturnsInput(), "returns its input"),
        (WrongMetric(0.0, 1.0, [1.0, 2.0, 3.0], 1.0, metric=[1.0, 10.0, 0.1]), "<v - p, "),
        (AcceptsAll(), "contains accepts"),
    ],
    ids=case_id,
)
def test_laws_see_mistakes(mutant, message):
    with pytest.raises(AssertionError, match=message):
        check_set(mutant)


def test_check_set_wants_a_shape_that_fits():
    check_set(L2Ball(), (4, 4), np.random.default_rng(3), np.float32)
    with pytest.raises(ValueError, match="say shape"):
        check_set(Budget(1.0, np.ones((2, 7))))


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(ValueError, match="got empty ones"):
        BoxBudget([], 1.0, 1.0, 1.0)
