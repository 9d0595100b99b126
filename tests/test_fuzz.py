"""Random problems: never a false "converged", never NaN, the true gap under every other status.

The evidence is points, not the word of another solver: whatever w Clarabel found and however inaccurate it is,
the objective there is no less than the optimum.  So no lower bound may exceed it, and no converged answer may
be worse by more than its tolerance.  The objective is evaluated by the oracle, not by what is tested.

A failing seed is looked at by ``random_problems.draw(seed)``.
"""

import time
import warnings

import numpy as np
import oracle
import pytest
import random_problems

import pdprox
from pdprox import losses, penalties

TOL = 1e-6
QUICK = range(150)
MANY = range(150, 5150)


def solve(problem, max_time):
    """The solution; every other status than "converged" must come with its warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solution = pdprox.solve(problem, tol=TOL, max_time=max_time)
    told = [warning.category for warning in caught]
    expected = [] if solution.converged else [pdprox.ConvergenceWarning]
    assert told == expected, f"{solution.status} with {len(told)} warnings, first {caught[0].message}"
    return solution


def witness(drawn, problem):
    """The least objective at what Clarabel found for two forms of the problem, intercepts being the best ones."""
    points = [np.zeros(problem.features.d)]
    for form in (drawn.told, oracle.well_scaled(**drawn.told)):
        told = oracle.Told(**form)
        for accuracy in (1e-9, 1e-8):
            optimal = told.solve(accuracy) == "optimal"
            if told.w.value is not None and np.all(np.isfinite(told.w.value)):
                points.append(told.w.value)
            if optimal:
                break
    return min(value_at(drawn, w, pdprox.certify(problem, w).intercept) for w in points)


def value_at(drawn, w, b):
    """The objective as the oracle evaluates it."""
    told = drawn.told
    del told["intercept"]
    return oracle.objective(w=w, b=b, **told)


def assert_finite(solution):
    certificate = solution.certificate
    for array in (solution.w, solution.intercept, solution.alpha, certificate.intercept):
        assert np.all(np.isfinite(array))
    assert np.all(
        np.isfinite([certificate.primal, certificate.dual, certificate.gap, certificate.relative_gap])
    )


def noise(drawn, problem, solution):
    """What rounding leaves of values: slopes are rounded numbers, and so are predictions, before they cancel."""
    told, size = drawn.told, max(1.0, float(np.max(np.abs(solution.alpha))))
    terms = np.abs(told["X"]) @ np.abs(solution.w) + abs(solution.intercept) + np.abs(drawn.y)
    return problem.rounding + 4 * np.finfo(float).eps * size * float(np.average(terms, weights=drawn.weights))


def assert_honest(drawn, solution, value, evidence, rounding):
    """Status, gap and both bounds against the values of two points: the solver's own and the witness."""
    certificate = solution.certificate
    assert solution.status in ("converged", "stalled", "max_iter", "time_limit"), drawn
    assert solution.converged == (certificate.relative_gap <= TOL), drawn
    slack = 1e-9 * abs(value) + rounding
    assert abs(certificate.primal - value) <= slack, (
        f"not the objective there, {value!r}: {certificate}: {drawn}"
    )
    least = min(value, evidence)
    assert certificate.dual <= least + 1e-9 * abs(least) + rounding, (
        f"false bound, a point has {least!r}: {certificate}: {drawn}"
    )
    if solution.converged:
        assert value <= evidence * (1 + 2 * TOL) + rounding, (
            f"false convergence, a point has {evidence!r}: {certificate}: {drawn}"
        )


def assert_audit_repeats(drawn, problem, solution, evidence, rounding):
    """The coefficients and slopes that are handed out prove what the certificate says, or a bit more."""
    first = solution.certificate
    again = pdprox.certify(problem, solution.w, solution.intercept, solution.alpha)
    slack = 1e-9 * max(abs(first.primal), abs(first.dual)) + rounding
    assert again.primal <= first.primal + slack, f"{first} became {again}: {drawn}"
    assert again.dual >= first.dual - slack - rounding_over_lam(problem, solution), (
        f"{first} became {again}: {drawn}"
    )
    assert again.dual <= evidence + 1e-9 * abs(evidence) + rounding, (
        f"false bound, a point has {evidence!r}: {again}: {drawn}"
    )


def rounding_over_lam(problem, solution):
    """A bound from norms charges P / lam for what rounding leaves of sums over samples: much, where lam is tiny."""
    if problem.lam == 0:
        return 0.0
    sums = np.max(problem.samples.column_sums()) * np.max(np.abs(solution.alpha))
    return 64 * np.finfo(float).eps * sums / problem.lam * abs(solution.certificate.primal)


def check(seed, max_time, record_property):
    drawn = random_problems.draw(seed)
    problem = drawn.problem
    began = time.perf_counter()
    solution = solve(problem, max_time)
    record_property("seconds", time.perf_counter() - began)
    record_property("seed", seed)
    record_property("status", solution.status)
    record_property("gap", solution.certificate.relative_gap)
    record_property("problem", str(drawn))
    record_property("solution", str(solution))
    assert_finite(solution)
    value, evidence = value_at(drawn, solution.w, solution.intercept), witness(drawn, problem)
    record_property("excess", (value - evidence) / max(abs(value), 1e-300))
    rounding = noise(drawn, problem, solution)
    assert_honest(drawn, solution, value, evidence, rounding)
    assert_audit_repeats(drawn, problem, solution, min(value, evidence), rounding)


def name(seed):
    return f"seed{seed}"


@pytest.mark.parametrize("seed", QUICK, ids=name)
def test_problems(seed, record_property):
    check(seed, 1.0, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY, ids=name)
def test_many_problems(seed, record_property):
    check(seed, 20.0, record_property)


def test_every_loss_and_penalty_is_drawn():
    drawn = [random_problems.draw(seed) for seed in QUICK]
    assert {type(one.loss) for one in drawn} == set(losses.ALL)
    assert set(random_problems.PENALTIES) == set(penalties.ALL)
    assert {one.kind for one in drawn} == set(random_problems.KINDS)


def test_a_seed_is_a_problem():
    one, same = (random_problems.draw(7) for _ in range(2))
    assert str(one) == str(same)
    assert np.array_equal(one.told["X"], same.told["X"]) and np.array_equal(one.y, same.y)
