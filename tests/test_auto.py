"""Who goes first in ``auto``, who takes over, and that a run leaves nothing behind."""

from __future__ import annotations

import numpy as np
import pytest

from pdprox import Problem, penalties, solve
from pdprox.methods import Auto, PdproxInterior, PdproxNewton, PdproxRestarted, PdproxStochastic
from pdprox.samples import standardized
from pdprox.sets import NonNegative


def data(n, d, seed=0):
    """Gaussian columns, labels by half of five of them, the rest noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sign(X[:, :5].sum(axis=1) + 2 * rng.normal(size=n))


def order(problem):
    """The methods in the order in which they take their turns."""
    x = np.zeros(problem.features.shape)
    return [type(method) for method in Auto().start(problem, x, problem.samples.dual()).methods]


def test_who_goes_first():
    small, large, groups = data(100, 20), data(3000, 400), penalties.GroupLasso(np.arange(20) // 4)
    assert order(Problem(*small, lam=0.01)) == [PdproxInterior, PdproxNewton, PdproxRestarted]
    assert order(Problem(*large, lam=0.01)) == [PdproxNewton, PdproxInterior, PdproxRestarted]
    assert order(Problem(*small, penalty=groups, lam=0.01)) == [PdproxInterior, PdproxNewton, PdproxRestarted]
    squared = penalties.SquaredSumOfNorms(np.arange(20) // 4)
    assert order(Problem(*small, penalty=squared, lam=0.01)) == [PdproxNewton, PdproxRestarted]
    squares = {"penalty": "squared-l2", "lam": 0.01}
    assert order(Problem(*small, **squares)) == [PdproxStochastic, PdproxNewton, PdproxRestarted]
    assert order(Problem(*data(3000, 5), **squares)) == [PdproxNewton, PdproxStochastic, PdproxRestarted]
    assert order(Problem(standardized(small[0]), small[1], **squares)) == [PdproxNewton, PdproxRestarted]
    assert order(Problem(*small, penalty="linf", lam=0.01)) == [PdproxInterior, PdproxRestarted]
    many = np.zeros((3, 20_000)), np.array([1.0, -1.0, 1.0])
    assert order(Problem(*many, penalty="linf", lam=0.01)) == [PdproxRestarted]
    assert order(Problem(*small, lam=0.01, primal_set=NonNegative())) == [PdproxRestarted]


def phases(problem, tol):
    """What was at work at each audit, in the words of the log."""
    method, said = Auto(), []

    class Listening(Auto):
        def step(self, problem, state):
            after = method.step(problem, state)
            said.append(after.phase)
            return after

    solution = solve(problem, tol=tol, method=Listening())
    return solution, said


def test_interior_points_take_over_where_newton_zigzags():
    """Nearly as many coefficients in use as samples: Newton's method begins, interior points end it."""
    X, y = data(400, 900)
    problem = Problem(X, y, lam=0.002)
    solution, said = phases(problem, 1e-9)
    assert solution.status == "converged"
    assert said[0].startswith("Newton") and said[-1].startswith("interior")
    newton = solve(problem, tol=1e-9, method="pdprox-newton", max_iter=2000)
    assert newton.certificate.primal >= solution.certificate.dual


def test_newton_takes_over_where_single_samples_crawl():
    """Unscaled columns and a large C: coordinate steps see that they are too slow, and say so early."""
    X, y = data(3000, 60)
    problem = Problem(X * np.geomspace(0.03, 30, 60), y, penalty="squared-l2", lam=1e-5)
    solution, said = phases(problem, 1e-8)
    assert solution.status == "converged"
    assert said[0].startswith("coordinate") and said[-1].startswith("Newton")
    assert sum(words.startswith("coordinate") for words in said) < 30


@pytest.mark.parametrize(
    "method", ["auto", "pdprox-newton", "pdprox-interior", "pdprox-stochastic", "pdprox-restarted"]
)
def test_a_run_leaves_nothing_behind(method):
    """The same problem object once more, for another lam in between: the same bits, in as many steps."""
    X, y = data(400, 30)
    problem = Problem(X, y, "pinball", "l1", lam=0.02)
    one = solve(problem, tol=1e-4, method=method)
    solve(problem.at(0.05), tol=1e-4, method=method)
    other = solve(problem, tol=1e-4, method=method)
    np.testing.assert_array_equal(one.w, other.w)
    np.testing.assert_array_equal(one.alpha, other.alpha)
    assert one.iterations == other.iterations
