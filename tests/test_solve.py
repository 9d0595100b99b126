"""The loop: statuses, limits, callbacks, interruption, warm starts, reproducibility."""

import logging
import os
import subprocess
import sys

import numpy as np
import pytest

import pdprox
from pdprox import ConvergenceWarning, Problem, certify, solve
from pdprox.methods import PdproxDual, PdproxRestarted


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 20))
    y = np.where(X[:, 0] - X[:, 1] + rng.normal(size=120) > 0, 1.0, -1.0)
    return Problem(X, y, "hinge", "l1", lam=0.02)


def test_converged_means_certified(problem):
    solution = solve(problem, tol=1e-6)
    assert solution.status == "converged"
    again = certify(problem, solution.w, solution.intercept, solution.alpha)
    assert again.relative_gap <= 1e-6 * (1 + 1e-6)
    assert again.primal == pytest.approx(solution.certificate.primal, rel=1e-14)
    assert again.dual == pytest.approx(solution.certificate.dual, rel=1e-9)


def test_max_iter_warns_with_what_to_do(problem):
    with pytest.warns(
        ConvergenceWarning,
        match=r"'max_iter' after 7 iterations: objective 0\.\d+, relative gap .*Raise max_iter",
    ):
        solution = solve(problem, tol=1e-12, max_iter=7)
    assert solution.status == "max_iter"
    assert solution.iterations == 7
    assert np.isfinite(solution.certificate.gap)


def test_no_iterations_at_all(problem):
    with pytest.warns(ConvergenceWarning):
        solution = solve(problem, max_iter=0)
    assert (solution.status, solution.iterations) == ("max_iter", 0)


def test_time_limit(problem):
    with pytest.warns(ConvergenceWarning, match="'time_limit'.*Raise max_time"):
        solution = solve(problem, tol=0.0, max_time=1e-9)
    assert solution.status == "time_limit"


def test_stalled_near_rounding(problem):
    """A gap of 0 is asked for; the run ends by itself and says why."""
    with pytest.warns(ConvergenceWarning, match="'stalled'.*limits of rounding"):
        solution = solve(problem, tol=0.0)
    assert solution.status == "stalled"
    assert solution.certificate.relative_gap <= 1e-9


def test_callback_sees_every_audit_and_can_stop(problem):
    seen = []

    def stop_at_one_percent(report):
        seen.append(report)
        return report.certificate.relative_gap < 1e-2

    solution = solve(problem, tol=1e-9, callback=stop_at_one_percent)
    assert solution.status == "callback_stop"
    assert len(seen) == len(solution.history.seconds)
    assert all(type(report.passes) is float for report in seen)
    assert [report.iteration for report in seen] == solution.history.iterations.tolist()
    assert 1e-9 < solution.certificate.relative_gap < 1e-2


def test_interruption_returns_the_best_so_far(problem):
    def interrupt(report):
        if report.iteration > 3:
            raise KeyboardInterrupt

    solution = solve(problem, tol=1e-12, callback=interrupt)
    assert solution.status == "interrupted"
    assert solution.certificate.relative_gap < 0.5
    resumed = solve(problem, tol=1e-6, warm_start=solution)
    assert resumed.converged


def test_interruption_within_the_first_audit(problem, monkeypatch):
    """After the primal value is known and before the dual one is."""
    feasible, calls = problem.samples.feasible, []

    def interrupted_once(*args):
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return feasible(*args)

    monkeypatch.setattr(problem.samples, "feasible", interrupted_once)
    solution = solve(problem)
    assert (solution.status, solution.iterations) == ("interrupted", 0)
    assert np.isfinite(solution.certificate.gap)


def test_warm_start_at_the_solution_needs_no_steps(problem):
    first = solve(problem, tol=1e-7)
    again = solve(problem, tol=1e-6, warm_start=first)
    assert (again.status, again.iterations) == ("converged", 0)
    triple = solve(problem, tol=1e-6, warm_start=(first.w, first.intercept, first.alpha))
    assert triple.iterations == 0
    primal_only = solve(problem, tol=1e-6, warm_start=(first.w, first.intercept, None))
    assert primal_only.converged


def test_warm_start_in_the_paper_form():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + rng.normal(size=60)
    problem = Problem(X, y, "pinball", "l1", lam=0.02, dual_form="paper")
    first = solve(problem, tol=1e-7)
    assert solve(problem, tol=1e-6, warm_start=first).iterations == 0


@pytest.mark.parametrize(
    "method", ["auto", "pdprox-dual", PdproxRestarted(smoothing=0.3), PdproxDual(output="last")], ids=str
)
def test_methods_by_name_and_by_object(problem, method):
    assert solve(problem, tol=5e-2, method=method).converged


def test_history_is_monotone_and_ends_at_the_certificate(problem):
    solution = solve(problem, tol=1e-6)
    history = solution.history
    assert np.all(np.diff(history.primal) <= 0)
    assert np.all(np.diff(history.dual) >= 0)
    assert np.all(np.diff(history.passes) > 0)
    assert np.all(np.diff(history.seconds) >= 0)
    assert history.relative_gap[-1] == solution.certificate.relative_gap
    np.testing.assert_array_equal(history.gap, history.primal - history.dual)


def test_runs_are_reproducible_bit_for_bit(problem):
    one, other = solve(problem, tol=1e-6), solve(problem, tol=1e-6)
    np.testing.assert_array_equal(one.w, other.w)
    np.testing.assert_array_equal(one.alpha, other.alpha)
    np.testing.assert_array_equal(one.history.dual, other.history.dual)
    assert one.iterations == other.iterations


def test_the_audits_are_a_small_part_of_the_passes():
    """Between audits lie twenty times the iterations that one costs, but for the first few."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 200))
    problem = Problem(X, rng.normal(size=300), "absolute", "l1", lam=1e-3)
    with pytest.warns(ConvergenceWarning):
        history = solve(problem, tol=0.0, method="pdprox-restarted", max_iter=4000).history
    steps = np.diff(history.iterations)[10:-1]
    assert len(steps) and np.all(steps >= 20 * problem.samples.audit_cost)


def test_nothing_is_printed_unless_asked(problem, capsys, caplog):
    with caplog.at_level(logging.INFO, logger="pdprox"):
        solve(problem, tol=1e-3)
        assert not caplog.records
        solution = solve(problem, tol=1e-3, verbose=True)
    assert len(caplog.records) == len(solution.history.seconds)
    assert "relative gap" in caplog.records[-1].message
    assert capsys.readouterr().out == ""


def test_progress_bar_ends(problem):
    pytest.importorskip("rich")
    assert solve(problem, tol=1e-3, verbose="bar").converged


def test_log_lines_reach_a_bare_terminal():
    code = (
        "import numpy as np, pdprox; X = np.eye(6); y = np.array([1., -1] * 3); "
        "pdprox.solve(pdprox.Problem(X, y, lam=0.1), verbose=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert "interior point on 6 of 6 columns" in done.stderr
    assert done.stdout == ""


BAD = [
    ({"tol": -1.0}, ValueError, "tol must be a number >= 0, got -1.0"),
    ({"tol": np.nan}, ValueError, "tol must be a number >= 0, got nan"),
    ({"tol": True}, ValueError, "tol must be a number >= 0, got True"),
    ({"max_iter": True}, ValueError, "max_iter must be an integer >= 0, got True"),
    ({"tol": "small"}, ValueError, "tol must be a number >= 0, got 'small'"),
    ({"max_time": "long"}, ValueError, "max_time must be a number of seconds > 0, got 'long'"),
    ({"max_iter": "many"}, ValueError, "max_iter must be an integer >= 0, got 'many'"),
    ({"max_iter": -1}, ValueError, "max_iter must be an integer >= 0, got -1"),
    ({"max_iter": 2.5}, ValueError, "max_iter must be an integer >= 0, got 2.5"),
    ({"max_time": 0.0}, ValueError, "max_time must be a number of seconds > 0, got 0.0"),
    ({"method": "newton"}, ValueError, "unknown method 'newton'; known: auto, pdprox-accelerated"),
    ({"method": 3}, TypeError, "method must be a name or a Method, got 3"),
    ({"verbose": "loud"}, ValueError, "verbose must be True, False or"),
    ({"warm_start": 3.0}, TypeError, r"warm_start must be a Solution or \(w, intercept, alpha\), got float"),
    ({"callback": 3}, TypeError, "callback must be a function, got 3"),
    ({"warm_start": (1j * np.zeros(20), 0.0, None)}, TypeError, "w must hold real .* complex128"),
    ({"warm_start": (np.zeros(20), 0.0, np.full(120, np.nan))}, ValueError, "alpha must be finite"),
    ({"warm_start": (np.zeros(3), 0.0, None)}, ValueError, r"w must have shape \(20,\), got \(3,\)"),
    ({"warm_start": (np.zeros(20), 0.0, np.zeros(3))}, ValueError, r"alpha must have shape \(120,\)"),
]


@pytest.mark.parametrize(
    ("options", "kind", "message"), BAD, ids=[next(iter(b[0])) + str(i) for i, b in enumerate(BAD)]
)
def test_wrong_options_are_named(problem, options, kind, message):
    with pytest.raises(kind, match=message):
        solve(problem, **options)


def test_version_is_the_package_version():
    from importlib.metadata import version

    assert pdprox.__version__ == version("pdprox")
