"""Progress: what a bar shows and leaves behind, and the lines where none can be drawn."""

from __future__ import annotations

import io
import logging
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pdprox
from pdprox import LinearClassifier, LinearClassifierCV, Problem, progress, solve
from pdprox.certificate import Certificate

pytest.importorskip("rich")

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
CERTIFICATE = re.compile(r"converged in [0-9.]+ s; primal \S+, dual \S+, relative gap \S+")


class Terminal(io.StringIO):
    """A text that says that it is a screen; stderr within its ``with`` block."""

    def __enter__(self):
        self._before, sys.stderr = sys.stderr, self
        return self

    def __exit__(self, *error):
        assert sys.stderr is self, "stderr is still redirected"
        sys.stderr = self._before

    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> str:
        return CONTROL.sub("", self.getvalue())

    @property
    def left(self) -> str:
        """What stands on the screen below the line that was erased last."""
        return CONTROL.sub("", self.getvalue().rsplit("\x1b[2K", 1)[-1])


@pytest.fixture
def terminal(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "JUPYTER_COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    return Terminal()


@pytest.fixture(autouse=True)
def no_bar_is_left():
    yield
    assert progress._screen.acquire(blocking=False), "a bar is still drawn"
    progress._screen.release()


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=120) > 0, 1.0, -1.0)


@pytest.fixture(scope="module")
def problem(data):
    return Problem(*data, lam=0.02)


def test_a_bar_fills_as_the_logarithm_of_the_gap_falls():
    assert [progress.share(gap, 1e-6) for gap in (np.nan, np.inf, 2.0, 1.0)] == [0.0] * 4
    assert progress.share(1e-3, 1e-6) == pytest.approx(0.5)
    assert progress.share(1e-8, 1e-4) == progress.share(1e-4, 1e-4) == 1.0
    assert progress.share(1e-4, 0.0) == pytest.approx(0.25) and progress.share(0.0, 0.0) == 1.0
    assert progress.share(2.0, 3.0) == 1.0 and progress.share(4.0, 3.0) == 0.0
    falling = [progress.share(gap, 1e-9) for gap in np.geomspace(10, 1e-12, 50)]
    assert np.all(np.diff(falling) >= 0)


def test_a_bar_tells_seconds_gap_and_phase_and_leaves_the_certificate(problem, terminal, capsys):
    with terminal:
        solution = solve(problem, tol=1e-6, verbose="bar")
    assert "━" in terminal.lines and "of 1e-06" in terminal.lines
    assert re.search(r"[0-9.]+ s .*gap [0-9.e+-]+ of 1e-06 interior point on 8 of 8 columns", terminal.lines)
    told = CERTIFICATE.findall(terminal.lines)
    assert len(told) == 1 and f"primal {solution.certificate.primal:.8g}, " in told[0]
    assert "\x1b[2K" in terminal.getvalue() and not terminal.left.strip()
    assert capsys.readouterr().out == ""


def test_a_bar_is_redrawn_ten_times_a_second_at_most(terminal):
    began = time.perf_counter()
    with terminal, progress.progress("bar", 1e-6) as bar:
        for k in range(3000):
            bar.audit(0.0, k, k, Certificate(1.0, 0.5), f"step {k}")
    assert terminal.getvalue().count("\x1b[2K") <= 10 * (time.perf_counter() - began) + 10


def test_a_bar_that_ends_early_says_so(problem, terminal):
    with terminal, pytest.warns(pdprox.ConvergenceWarning):
        solve(problem, tol=1e-9, verbose="bar", method="pdprox-dual", max_iter=3)
    assert "pdprox-dual: max_iter in" in terminal.lines and not terminal.left.strip()


def test_several_fits_leave_one_line_each(data, terminal):
    X, _ = data
    with terminal:
        LinearClassifier(alpha=0.1, verbose="bar").fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    assert len(CERTIFICATE.findall(terminal.lines)) == 3 and not terminal.left.strip()


def test_an_error_takes_the_bar_away(problem, terminal):
    def fail(report):
        raise RuntimeError("no more")

    with terminal, pytest.raises(RuntimeError, match="no more"):
        solve(problem, verbose="bar", callback=fail)
    assert not terminal.left.strip()


def test_a_second_bar_at_the_same_time_becomes_lines(problem, terminal, caplog):
    def another(report):
        if report.iteration == 0:
            solve(problem, verbose="bar")

    with terminal, caplog.at_level(logging.INFO, logger="pdprox"):
        solve(problem, verbose="bar", callback=another)
    assert len(caplog.records) == 1 and CERTIFICATE.search(caplog.records[0].message)
    assert "━" in terminal.lines


def test_bars_of_threads_do_not_disturb_each_other(problem, terminal, caplog):
    everybody, errors = threading.Barrier(3), []

    def wait(report):
        if report.iteration == 0:
            everybody.wait(60)

    def fit():
        try:
            solve(problem, verbose="bar", callback=wait)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it
            errors.append(error)

    with terminal, caplog.at_level(logging.INFO, logger="pdprox"):
        threads = [threading.Thread(target=fit) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors
    told = len(CERTIFICATE.findall(terminal.lines))
    assert told + len(caplog.records) >= 3 and len(caplog.records) >= 1
    assert "━" in terminal.lines


def test_somebody_elses_bar_is_left_alone(problem, terminal, caplog):
    from rich.console import Console
    from rich.progress import Progress

    with terminal, Progress(console=Console(stderr=True)) as bar:
        bar.add_task("theirs", total=1)
        with caplog.at_level(logging.INFO, logger="pdprox"):
            solve(problem, verbose="bar")
    assert len(caplog.records) == 1 and "of 1e-06" not in terminal.lines


def test_what_a_callback_prints_stays_on_stdout(problem, terminal, capsys):
    with terminal:
        solve(
            problem,
            verbose="bar",
            callback=lambda report: sys.stdout.write(f"audit {report.iteration}\n") < 0,
        )
    assert "audit 0" in capsys.readouterr().out and "audit" not in terminal.lines


def test_cross_validation_counts_fits_and_tells_the_last_certificate(data, terminal):
    with terminal:
        LinearClassifierCV(alphas=3, cv=2, verbose="bar").fit(*data)
    assert re.search(r"━.* [0-6] of 6 fits on folds", terminal.lines)
    assert len(CERTIFICATE.findall(terminal.lines)) == 1 and not terminal.left.strip()


def test_without_a_terminal_there_is_a_line_at_the_end_and_one_in_a_while(data, caplog):
    with caplog.at_level(logging.INFO, logger="pdprox"):
        LinearClassifierCV(alphas=3, cv=2, verbose="bar").fit(*data)
        assert len(caplog.records) == 1 and CERTIFICATE.search(caplog.records[0].message)
        caplog.clear()
        lines = progress.Lines(5.0)
        for seconds in (0.0, 1.0, 4.9, 5.1, 6.0, 10.0, 10.2, 15.1):
            lines.audit(seconds, 1.0, 1, Certificate(1.0, 0.5), "sweeping")
    assert [record.message.split()[0] for record in caplog.records] == ["5.10", "10.20"]


def test_counted_lines_come_once_in_a_while(monkeypatch, caplog):
    now = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    with (
        caplog.at_level(logging.INFO, logger="pdprox"),
        progress.counting("bar", 20, "fits on folds") as done,
    ):
        for _ in range(20):
            now[0] += 1.0
            done()
    told = [record.message for record in caplog.records]
    assert [" ".join(line.split()) for line in told[:2]] == [
        "5.00 s 5 of 20 fits on folds",
        "10.00 s 10 of 20 fits on folds",
    ]
    assert len(told) == 4


@pytest.mark.parametrize("colour", [{}, {"FORCE_COLOR": "1"}], ids=["plain", "FORCE_COLOR"])
def test_a_log_has_no_control_characters(colour, monkeypatch):
    for name, value in colour.items():
        monkeypatch.setenv(name, value)
    code = (
        "import numpy as np, pdprox; X = np.eye(6); y = np.array([1., -1] * 3); "
        "pdprox.solve(pdprox.Problem(X, y, lam=0.1), verbose='bar')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert CERTIFICATE.search(done.stderr) and done.stderr.count("\n") == 1
    assert done.stderr.rstrip("\n").isprintable() and done.stdout == ""


def test_no_bar_on_dumb_terminals_in_workers_and_without_stderr(terminal, monkeypatch):
    from rich.console import Console

    with terminal:
        assert progress._drawable(Console(stderr=True))
        with monkeypatch.context() as changed:
            changed.setenv("TERM", "dumb")
            assert not progress._drawable(Console(stderr=True))
        with monkeypatch.context() as changed:
            changed.setattr(progress.multiprocessing.current_process(), "name", "Worker-1")
            assert not progress._drawable(Console(stderr=True))
        with monkeypatch.context() as changed:
            changed.setattr(sys, "stderr", None)
            assert not progress._drawable(Console(stderr=True))


def test_a_notebook_needs_widgets_for_a_bar(monkeypatch):
    from rich.console import Console

    console = Console(stderr=True, force_jupyter=True)
    for found in (None, object()):
        monkeypatch.setattr(progress, "find_spec", lambda name, found=found: found)
        assert progress._drawable(console) is (found is not None)


def test_without_rich_the_error_names_the_extra(problem, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with pytest.raises(ImportError, match=r'pip install "pdprox\[cli\]"'):
        solve(problem, verbose="bar")
    assert solve(problem).converged


@pytest.mark.parametrize("estimator", [LinearClassifier, LinearClassifierCV])
def test_wrong_requests_are_named(data, estimator):
    with pytest.raises(ValueError, match="verbose must be True, False or \"bar\", got 'loud'"):
        estimator(verbose="loud").fit(*data)
