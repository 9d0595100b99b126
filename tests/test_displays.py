"""Pictures of convergence: what is drawn is what the history says; and the demo that draws one."""

import subprocess
import sys

import numpy as np
import pytest

import pdprox
from pdprox import demo
from pdprox.datasets import load_engel
from pdprox.displays import ConvergenceDisplay
from pdprox.methods import PdproxDual
from pdprox.solution import History

pytest.importorskip("matplotlib").use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(scope="module")
def solutions():
    X, y = load_engel()
    problem = pdprox.Problem(pdprox.standardized(X), y, loss="absolute", penalty="l1", lam=0.1)
    return {
        "restarted": pdprox.solve(problem, tol=1e-6),
        "paper": pdprox.solve(problem, tol=0.5, method=PdproxDual(output="last")),
    }


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


@pytest.mark.parametrize("against", ["seconds", "passes"])
def test_lines_are_the_histories(solutions, against):
    display = ConvergenceDisplay.from_solutions(solutions, against=against)
    assert [line.get_label() for line in display.lines_] == ["restarted", "paper"]
    for line, solution in zip(display.lines_, solutions.values(), strict=True):
        x, y = line.get_data()
        assert len(x) > 1
        np.testing.assert_array_equal(x, getattr(solution.history, against))
        np.testing.assert_allclose(y, solution.history.relative_gap, atol=np.finfo(float).eps)
    assert display.ax_.get_yscale() == "log"
    assert against in display.ax_.get_xlabel()
    assert display.figure_ is display.ax_.figure


def test_axes_of_the_caller_are_used_and_drawing_again_makes_another_figure(solutions):
    figure, (left, right) = plt.subplots(1, 2)
    display = ConvergenceDisplay.from_solutions(solutions, ax=right)
    assert display.ax_ is right and display.figure_ is figure and not left.lines
    assert len(right.lines) == 2
    again = display.plot()
    assert again is display and display.figure_ is not figure


def test_a_gap_of_zero_is_drawn_at_the_size_of_rounding():
    history = History(np.array([0.0, 1.0]), np.arange(2.0), np.arange(2.0), np.ones(2), np.array([0.0, 1.0]))
    display = ConvergenceDisplay({"closed": history}).plot()
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), [1.0, np.finfo(float).eps])
    display.figure_.canvas.draw()


def test_wrong_requests_name_the_way_out(solutions):
    with pytest.raises(ValueError, match="against must be"):
        ConvergenceDisplay.from_solutions(solutions, against="iterations")
    with pytest.raises(ValueError, match="at least one solution"):
        ConvergenceDisplay.from_solutions({})


def test_without_matplotlib_the_error_names_the_extra():
    """In a fresh interpreter: the module imports without matplotlib, and only drawing asks for it."""
    code = """
import sys
sys.modules["matplotlib"] = None
sys.modules["matplotlib.pyplot"] = None
import numpy as np
from pdprox.displays import ConvergenceDisplay
from pdprox.solution import History
try:
    ConvergenceDisplay({"a": History()}).plot()
except ImportError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "pdprox[plot]"' in run.stdout


def test_demo_prints_a_certificate_and_draws_a_picture(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(demo, "TOL", 0.5)
    picture = tmp_path / "demo.png"
    demo.main(picture)
    said = capsys.readouterr().out
    assert "converged" in said and "relative gap" in said and str(picture) in said
    height, width, _ = plt.imread(picture).shape
    assert height > 300 and width > 500
