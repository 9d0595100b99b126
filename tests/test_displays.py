"""Pictures: what is drawn is what was stored; and the demo that draws one."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

import pdprox
from pdprox import (
    BudgetSVC,
    LinearClassifier,
    LinearClassifierCV,
    LinearRegressor,
    LinearRegressorCV,
    Problem,
    QuantileRegressor,
    demo,
    losses,
    solve,
)
from pdprox.datasets import load_engel
from pdprox.displays import (
    ConvergenceDisplay,
    PathDisplay,
    QuantileFanDisplay,
    SupportDisplay,
    ValidationDisplay,
)
from pdprox.displays.path import apart
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


# --- all of them ------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 5))
CLASSES = np.where(X[:, 0] - X[:, 1] + 0.5 * RNG.normal(size=80) > 0, "yes", "no")
NUMBERS = X @ [2.0, -1.0, 0.0, 0.0, 0.5] + RNG.normal(size=80)

SHOWN = {
    "convergence": lambda ax: ConvergenceDisplay.from_estimator(LinearClassifier().fit(X, CLASSES), ax=ax),
    "path": lambda ax: PathDisplay.from_path(
        pdprox.path(Problem(X, NUMBERS, "absolute", lam=1), n_lams=4), ax=ax
    ),
    "validation": lambda ax: ValidationDisplay.from_estimator(
        LinearRegressorCV(alphas=3, cv=2, ratio=0.1).fit(X, NUMBERS), ax=ax
    ),
    "support": lambda ax: SupportDisplay.from_estimator(
        LinearClassifier().fit(X, CLASSES), X, CLASSES, ax=ax
    ),
    "fan": lambda ax: QuantileFanDisplay.from_estimator(
        QuantileRegressor([0.25, 0.75]).fit(X, NUMBERS), X, NUMBERS, ax=ax
    ),
}


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_every_display_draws_where_it_is_told_and_can_draw_again(shown):
    figure, (left, right) = plt.subplots(1, 2)
    display = shown(right)
    assert display.ax_ is right and display.figure_ is figure and not left.lines
    assert display.lines_ and right.get_ylabel()
    again = display.plot()
    assert again is display and display.figure_ is not figure and display.ax_.get_ylabel()
    display.figure_.canvas.draw()


ESTIMATOR = {
    ConvergenceDisplay: ConvergenceDisplay.from_estimator,
    ValidationDisplay: ValidationDisplay.from_estimator,
    SupportDisplay: lambda model: SupportDisplay.from_estimator(model, X, NUMBERS),
    QuantileFanDisplay: lambda model: QuantileFanDisplay.from_estimator(model, X, NUMBERS),
}


@pytest.mark.parametrize("draw", ESTIMATOR.values(), ids=lambda draw: "")
@pytest.mark.parametrize("pipeline", [False, True], ids=["alone", "pipeline"])
def test_what_cannot_be_drawn_is_named(draw, pipeline):
    def made(model):
        return make_pipeline(StandardScaler(), model) if pipeline else model

    with pytest.raises(NotFittedError):
        draw(made(QuantileRegressor()))
    with pytest.raises(TypeError, match=r"Ridge has no \w+; "):
        draw(made(Ridge()).fit(X, NUMBERS))


# --- convergence ------------------------------------------------------------------------------------------------


def test_bounds_are_the_best_values_so_far(solutions):
    display = ConvergenceDisplay.from_solutions(solutions, against="passes", what="bounds")
    told = [line.get_label() for line in display.lines_]
    assert told == ["restarted: primal", "restarted: dual", "paper: primal", "paper: dual"]
    for k, solution in enumerate(solutions.values()):
        history = solution.history
        for line, values in zip(display.lines_[2 * k :], (history.primal, history.dual), strict=False):
            np.testing.assert_array_equal(line.get_xdata(), history.passes)
            np.testing.assert_array_equal(line.get_ydata(), values)
        assert display.lines_[2 * k].get_color() == display.lines_[2 * k + 1].get_color()
    assert len(display.ax_.collections) == 2
    with pytest.raises(ValueError, match="what must be"):
        ConvergenceDisplay.from_solutions(solutions, what="primal")
    with pytest.raises(ValueError, match="ax must be one Axes or 1 of them, got 2"):
        display.plot(plt.subplots(1, 2)[1])


def test_a_line_for_each_model_of_an_estimator():
    irises, kinds = load_iris(return_X_y=True)
    for model, labels in [
        (LinearClassifier(alpha=0.1).fit(X, CLASSES), ["LinearClassifier"]),
        (LinearClassifier(alpha=0.1).fit(irises, kinds), ["class 0", "class 1", "class 2"]),
        (QuantileRegressor([0.25, 0.5]).fit(X, NUMBERS), ["quantile 0.25", "quantile 0.5"]),
        (make_pipeline(StandardScaler(), LinearRegressor()).fit(X, NUMBERS), ["LinearRegressor"]),
    ]:
        display = ConvergenceDisplay.from_estimator(model)
        assert [line.get_label() for line in display.lines_] == labels


# --- paths ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    return pdprox.path(Problem(X, NUMBERS, "absolute", lam=1), n_lams=8)


NAMES = ["one", "two", "three", "four", "five"]


def test_lines_are_coefficients_and_steps_count_them(found):
    display = PathDisplay.from_path(found, feature_names=NAMES, labelled=2)
    ever = np.flatnonzero(np.any(found.coefs != 0, axis=0))
    np.testing.assert_array_equal(display.shown_, ever)
    for j, line in zip(ever, display.lines_, strict=True):
        assert line.get_label() == NAMES[j]
        np.testing.assert_array_equal(line.get_xdata(), found.lams)
        np.testing.assert_array_equal(line.get_ydata(), found.coefs[:, j])
    np.testing.assert_array_equal(display.count_.get_ydata(), np.count_nonzero(found.coefs, axis=1))
    largest = np.argsort(-np.abs(found.coefs[-1]))[:2]
    assert {label.get_text() for label in display.labels_} == {NAMES[j] for j in largest}
    for ax in display.axes_:
        assert ax.get_xscale() == "log" and ax.get_xlim() == (found.lams[0], found.lams[-1])


def test_lines_of_groups_are_lengths(found):
    groups = ["a", "a", "b", "c", "b"]
    lengths = np.stack([np.linalg.norm(found.coefs[:, some], axis=1) for some in ([0, 1], [2, 4], [3])])
    for given, names in [(groups, ["a", "b", "c"]), ([[0, 1], [2, 4], [3]], ["group 0", "group 1", "group 2"]),
                         (np.array([7, 7, 8, 10, 8]), ["group 7", "group 8", "group 10"])]:  # fmt: skip
        display = PathDisplay.from_path(found, groups=given)
        assert display.names == names
        np.testing.assert_allclose(display.values, lengths.T)
        np.testing.assert_array_equal(display.count_.get_ydata(), np.count_nonzero(lengths, axis=0))


def test_several_targets_show_lengths_of_rows():
    Y = np.stack([NUMBERS, -NUMBERS], axis=1)
    found = pdprox.path(Problem(X, Y, "l2-loss", "l21", lam=1), n_lams=3, tol=1e-4)
    display = PathDisplay.from_path(found)
    np.testing.assert_allclose(display.values, np.linalg.norm(found.coefs, axis=2))
    assert display.names[3] == "feature 3"


def test_zero_is_left_out_and_a_path_of_zeros_is_drawn():
    problem = Problem(X, NUMBERS, "absolute", lam=1)
    display = PathDisplay.from_path(pdprox.path(problem, lams=[0.5, 0.1, 0.0]))
    np.testing.assert_array_equal(display.lams, [0.5, 0.1])
    top = 2 * pdprox.lam_max(problem)
    nothing = PathDisplay.from_path(pdprox.path(problem, lams=[2 * top, top]))
    assert not nothing.lines_ and not nothing.labels_
    nothing.figure_.canvas.draw()


def test_names_keep_apart():
    """The nearest ascending heights: one cluster is spread about its mean, and all stay inside."""
    np.testing.assert_allclose(apart(np.array([0.1, 0.5, 0.5, 0.9]), 0.1), [0.1, 0.45, 0.55, 0.9])
    np.testing.assert_allclose(apart(np.array([0.0, 0.0, 1.0, 1.0]), 0.1), [0.0, 0.1, 0.9, 1.0])
    assert apart(np.array([]), 0.1).size == 0


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"feature_names": ["a", "b"]}, ValueError, "one name for each of the 5 features, got 2"),
        ({"groups": [0, 0, 1]}, ValueError, "groups must hold each of the 5 features, got 3"),
        ({"groups": [0, 0, 1, 1, 0.5]}, ValueError, "group labels must be integers"),
        ({"groups": "education"}, ValueError, "groups must be labels or lists"),
        ({"groups": []}, ValueError, "groups is empty"),
        ({"ax": [1, 2, 3]}, ValueError, "ax must be one Axes or 2 of them, got 3"),
    ],
)
def test_wrong_requests_for_a_path_are_named(found, options, kind, message):
    with pytest.raises(kind, match=message):
        PathDisplay.from_path(found, **options)


def test_what_is_no_path_is_named():
    with pytest.raises(TypeError, match=r"must be what pdprox\.path"):
        PathDisplay.from_path(pdprox.path)
    with pytest.raises(ValueError, match="two lams > 0 or more"):
        PathDisplay.from_path(pdprox.path(Problem(X, NUMBERS, "absolute", lam=1), lams=[0.1, 0.0]))
    with pytest.raises(ValueError, match=r"values must have a row .* got shape \(2, 1\)"):
        PathDisplay([1.0, 0.5], [[1.0], [2.0]], ["a", "b"])


# --- validation -------------------------------------------------------------------------------------------------


def test_band_is_one_standard_error_to_either_side():
    model = LinearClassifierCV(alphas=4, cv=3, ratio=0.01, scoring="accuracy", tol=1e-4).fit(X, CLASSES)
    display = ValidationDisplay.from_estimator(model)
    mean = model.scores_.mean(axis=1)
    error = model.scores_.std(axis=1, ddof=1) / np.sqrt(3)
    line, mark = display.lines_
    np.testing.assert_array_equal(line.get_xdata(), model.alphas_)
    np.testing.assert_allclose(line.get_ydata(), mean)
    corners = display.band_.get_paths()[0].vertices
    for alpha, low, high in zip(model.alphas_, mean - error, mean + error, strict=True):
        ys = corners[corners[:, 0] == alpha, 1]
        assert ys.min() == pytest.approx(low) and ys.max() == pytest.approx(high)
    assert list(mark.get_xdata()) == [model.alpha_] * 2
    assert display.ax_.get_ylabel() == "accuracy"
    left, right = display.ax_.get_xlim()
    assert left > model.alphas_[0] > model.alphas_[-1] > right


def test_scores_of_one_fold_and_an_alpha_of_zero():
    model = LinearRegressorCV(alphas=[1.0, 0.5, 0.0], cv=[(np.arange(40), np.arange(40, 80))]).fit(X, NUMBERS)
    display = ValidationDisplay.from_estimator(model)
    assert display.band_ is None and np.all(np.isnan(display.standard_error))
    np.testing.assert_array_equal(display.alphas, [1.0, 0.5])
    assert model.alpha_ == 0 and display.chosen is None and len(display.lines_) == 1
    assert display.ax_.get_ylabel() == "mean loss, negated"


def test_wrong_scores_are_named():
    with pytest.raises(TypeError, match="fit a LinearClassifierCV or a LinearRegressorCV"):
        ValidationDisplay.from_estimator(LinearClassifier().fit(X, CLASSES))
    with pytest.raises(
        ValueError, match=r"scores must have a row for each of 2 alphas .* got shape \(3, 1\)"
    ):
        ValidationDisplay([1.0, 0.1], np.ones((3, 1)))
    with pytest.raises(ValueError, match="two alphas > 0 or more"):
        ValidationDisplay([0.1], np.ones((1, 3)))


# --- support ----------------------------------------------------------------------------------------------------


def test_samples_on_the_kink_are_between_slopes():
    """One feature, no penalty to speak of: written out, the margin is 1 where the slope is between -1 and 0."""
    y = np.where(CLASSES == "yes", 1.0, -1.0)
    problem = Problem(X, y, "hinge", "l1", lam=0.02)
    solution = solve(problem, tol=1e-9)
    display = SupportDisplay.from_solution(problem, solution)
    margins = y * (X @ solution.w + solution.intercept)
    np.testing.assert_allclose(display.arguments, margins, atol=1e-12)
    np.testing.assert_array_equal(display.slopes, solution.alpha)
    assert list(display.parts_) == ["slope -1", "slope 0", "between slopes"]
    np.testing.assert_allclose(margins[display.parts_["between slopes"]], 1.0, atol=1e-5)
    assert np.all(margins[display.parts_["slope -1"]] <= 1 + 1e-5)
    assert np.all(margins[display.parts_["slope 0"]] >= 1 - 1e-5)
    assert sorted(np.concatenate(list(display.parts_.values()))) == list(range(80))
    for line, some in zip(display.lines_, display.parts_.values(), strict=False):
        np.testing.assert_array_equal(line.get_ydata(), solution.alpha[some])
    for bars, some in zip(display.bars_, display.parts_.values(), strict=True):
        assert sum(bar.get_height() for bar in bars) == len(some)
    t, slope = display.lines_[-1].get_data()
    np.testing.assert_array_equal(slope, [-1, -1, 0, 0])
    np.testing.assert_array_equal(t[1:3], [1, 1])
    assert display.axes_[1].get_xlabel() == "margin"


def test_an_estimator_shows_what_its_problem_shows():
    y = np.where(CLASSES == "yes", 1.0, -1.0)
    problem = Problem(scale(X), y, losses.GeneralizedHinge(3.0), "l1", lam=0.02)
    solution = solve(problem, tol=1e-9)
    model = make_pipeline(
        StandardScaler(), LinearClassifier(losses.GeneralizedHinge(3.0), alpha=0.02, tol=1e-9)
    )
    display = SupportDisplay.from_estimator(model.fit(X, CLASSES), X, CLASSES)
    other = SupportDisplay.from_solution(problem, solution)
    np.testing.assert_allclose(display.arguments, other.arguments, atol=1e-6)
    np.testing.assert_allclose(display.slopes, other.slopes, atol=1e-6)
    assert list(display.parts_) == list(other.parts_) and "slope -3" in display.parts_


def test_one_model_of_several():
    irises, kinds = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[kinds]
    model = LinearClassifier(alpha=0.01).fit(irises, names)
    display = SupportDisplay.from_estimator(model, irises, names, which="virginica")
    np.testing.assert_array_equal(display.slopes, model.dual_coef_[2])
    margins = np.where(names == "virginica", 1, -1) * model.decision_function(irises)[:, 2]
    np.testing.assert_allclose(display.arguments, margins)
    quantiles = QuantileRegressor([0.25, 0.75]).fit(X, NUMBERS)
    display = SupportDisplay.from_estimator(quantiles, X, NUMBERS, which=0.75)
    np.testing.assert_array_equal(display.slopes, quantiles.dual_coef_[1])
    np.testing.assert_allclose(display.arguments, quantiles.predict(X)[:, 1] - NUMBERS)
    assert {"slope -0.75", "slope 0.25"} <= set(display.parts_) and display.axes_[
        1
    ].get_xlabel() == "residual"


def test_samples_without_weight_are_left_out():
    weights = np.where(np.arange(80) < 10, 0.0, 1.0)
    model = LinearRegressor().fit(X, NUMBERS, sample_weight=weights)
    assert len(SupportDisplay.from_estimator(model, X, NUMBERS, sample_weight=weights).slopes) == 70
    problem = Problem(X, NUMBERS, "absolute", lam=0.01, sample_weight=weights)
    assert len(SupportDisplay.from_solution(problem, solve(problem)).slopes) == 70


@pytest.mark.parametrize(
    ("loss", "parts"),
    [
        ("logistic", ("slope 0", "slope not 0")),
        ("squared-hinge", ("slope 0", "slope not 0")),
        (losses.Huber(0.5), ("slope -0.5", "slope 0.5", "between slopes")),
        (losses.EpsilonInsensitive(0.5), ("slope -1", "slope 0", "slope 1", "between slopes")),
    ],
    ids=repr,
)
def test_parts_of_other_losses(loss, parts):
    margin = loss in ("logistic", "squared-hinge")
    model = LinearClassifier(loss) if margin else LinearRegressor(loss)
    y = CLASSES if margin else NUMBERS
    display = SupportDisplay.from_estimator(model.fit(X, y), X, y)
    assert set(display.parts_) <= set(parts) and display.parts_
    t, slope = display.lines_[-1].get_data()
    assert np.all(np.diff(t) >= 0) and np.all(np.diff(slope) >= 0)


def test_paper_form_several_targets_and_a_budget():
    problem = Problem(X, NUMBERS, losses.EpsilonInsensitive(0.5), lam=0.05, dual_form="paper")
    display = SupportDisplay.from_solution(problem, solve(problem, method="pdprox-restarted"))
    assert {"slope -1", "slope 0", "slope 1"} <= set(display.parts_)
    Y = np.stack([NUMBERS, -NUMBERS], axis=1)
    problem = Problem(X, Y, "absolute", "l21", lam=0.05)
    assert len(SupportDisplay.from_solution(problem, solve(problem, tol=1e-4)).slopes) == 160
    model = LinearRegressor(penalty="l21", alpha=0.05, tol=1e-4).fit(X, Y)
    assert len(SupportDisplay.from_estimator(model, X, Y).slopes) == 160
    model = BudgetSVC(m=10, tol=1e-4).fit(X, CLASSES)
    display = SupportDisplay.from_estimator(model, X, CLASSES)
    assert np.abs(display.slopes).sum() <= 10 + 1e-9


def test_wrong_requests_for_support_are_named():
    y = np.where(CLASSES == "yes", 1.0, -1.0)
    problem = Problem(X, y, lam=0.1)
    solution = solve(problem)
    with pytest.raises(TypeError, match="problem must be a Problem"):
        SupportDisplay.from_solution(solution, problem)
    with pytest.raises(ValueError, match=r"alpha must have shape \(50,\)"):
        SupportDisplay.from_solution(Problem(X[:50], y[:50], lam=0.1), solution)
    Y = np.stack([NUMBERS, -NUMBERS], axis=1)
    several = Problem(X, Y, "l2-loss", "l21", lam=0.1)
    with pytest.raises(ValueError, match="L2Loss bounds the slopes of a sample together"):
        SupportDisplay.from_solution(several, solve(several, tol=1e-3))
    with pytest.raises(ValueError, match=r"arguments and slopes must have one entry .* \(2,\) and \(3,\)"):
        SupportDisplay(np.zeros(2), np.zeros(3), losses.Hinge())
    model = LinearClassifier().fit(X, CLASSES)
    with pytest.raises(ValueError, match="for 80 samples, but y has 50; give the data of the fit"):
        SupportDisplay.from_estimator(model, X[:50], CLASSES[:50])
    with pytest.raises(ValueError, match="y holds 'maybe', which is none of the classes"):
        SupportDisplay.from_estimator(model, X, np.where(CLASSES == "no", "maybe", CLASSES))
    with pytest.raises(ValueError, match="has one model only; leave which='yes' out"):
        SupportDisplay.from_estimator(model, X, CLASSES, which="yes")
    irises, kinds = load_iris(return_X_y=True)
    model = LinearClassifier(alpha=0.1).fit(irises, kinds)
    for which, got in [(None, "say which"), (7, "got which=7")]:
        with pytest.raises(ValueError, match=rf"one model for each class of \[0, 1, 2\]; {got}"):
            SupportDisplay.from_estimator(model, irises, kinds, which=which)
    sorted_ones = QuantileRegressor([0.25, 0.75], rearrange=True).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="rearrange=True mixes"):
        SupportDisplay.from_estimator(sorted_ones, X, NUMBERS, which=0.25)


# --- quantiles --------------------------------------------------------------------------------------------------


def test_lines_are_quantiles_and_bands_lie_between_symmetric_ones():
    incomes, food = load_engel()
    quantiles = [0.05, 0.25, 0.5, 0.6, 0.75, 0.95]
    model = QuantileRegressor(quantiles, alpha=0).fit(incomes, food)
    display = QuantileFanDisplay.from_estimator(model, incomes, food)
    for k, line in enumerate(display.lines_):
        expected = model.coef_[k] * line.get_xdata() + model.intercept_[k]
        np.testing.assert_allclose(line.get_ydata(), expected)
    np.testing.assert_array_equal(display.points_.get_data(), [incomes[:, 0], food])
    assert [band.get_label() for band in display.bands_] == ["5 % to 95 %", "25 % to 75 %"]
    for band, (low, high) in zip(display.bands_, [(0, 5), (1, 4)], strict=True):
        corners = band.get_paths()[0].vertices
        end = corners[corners[:, 0] == display.grid[-1], 1]
        assert end.min() == pytest.approx(display.curves[-1, low])
        assert end.max() == pytest.approx(display.curves[-1, high])
    told = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert told == ["data", "5 % to 95 %", "25 % to 75 %", "median", "60 %"]
    assert display.ax_.get_xlabel() == "feature 0"


def test_other_features_are_at_their_medians_in_any_form_of_X():
    frame, y = load_diabetes(return_X_y=True, as_frame=True)
    y = y.rename("progression")
    model = QuantileRegressor([0.1, 0.9], alpha=0).fit(frame, y)
    display = QuantileFanDisplay.from_estimator(model, frame, y, feature="bmi")
    at = np.median(frame, axis=0)
    at[2] = frame["bmi"].max()
    np.testing.assert_allclose(display.curves[-1], model.coef_ @ at + model.intercept_)
    assert display.ax_.get_xlabel() == "bmi (other features at their medians)"
    assert display.ax_.get_ylabel() == "progression"
    plain = QuantileRegressor([0.1, 0.9], alpha=0).fit(frame.to_numpy(), y)
    for form in (frame.to_numpy(), sp.csr_array(frame), sp.csc_array(frame), frame.to_numpy().tolist()):
        same = QuantileFanDisplay.from_estimator(plain, form, y, feature=2)
        np.testing.assert_allclose(same.curves, display.curves, rtol=1e-6)
    pipeline = make_pipeline(StandardScaler(), QuantileRegressor([0.1, 0.9], alpha=0)).fit(frame, y)
    same = QuantileFanDisplay.from_estimator(pipeline, frame, y, feature="bmi")
    np.testing.assert_allclose(same.curves, display.curves, rtol=1e-3)


def test_wrong_requests_for_a_fan_are_named():
    model = QuantileRegressor([0.1, 0.9]).fit(X, NUMBERS)
    for single in (QuantileRegressor().fit(X, NUMBERS), QuantileRegressor([0.5]).fit(X, NUMBERS)):
        with pytest.raises(ValueError, match="a fan needs several quantiles, got quantile="):
            QuantileFanDisplay.from_estimator(single, X, NUMBERS)
    for feature in (5, -1, True, 0.5, None):
        with pytest.raises(ValueError, match=f"a name or a number from 0 to 4, got {feature}"):
            QuantileFanDisplay.from_estimator(model, X, NUMBERS, feature=feature)
    with pytest.raises(
        ValueError, match="feature 'income' is a name, but X has no names; give its number, 0 to 4"
    ):
        QuantileFanDisplay.from_estimator(model, X, NUMBERS, feature="income")
    with pytest.raises(ValueError, match=r"y must have shape \(80,\), .* got \(50,\)"):
        QuantileFanDisplay.from_estimator(model, X, NUMBERS[:50])
    with pytest.raises(ValueError, match=r"X must have a row for each sample, got shape \(80,\)"):
        QuantileFanDisplay.from_estimator(model, X[:, 0], NUMBERS)
    frame = pd.DataFrame(X, columns=NAMES)
    named = QuantileRegressor([0.1, 0.9]).fit(frame, NUMBERS)
    with pytest.raises(
        ValueError, match="no feature is called 'six'; there are: one, two, three, four, five"
    ):
        QuantileFanDisplay.from_estimator(named, frame, NUMBERS, feature="six")
    mixed = frame.assign(five=CLASSES)
    with pytest.raises(TypeError, match="column 'five' holds no numbers"):
        QuantileFanDisplay.from_estimator(named, mixed, NUMBERS)
    with pytest.raises(ValueError, match="x and y must have one entry for each sample"):
        QuantileFanDisplay([1.0], [1.0, 2.0], [0.0], [[1.0]], [0.5])
    with pytest.raises(ValueError, match="curves must have a row for each of 1 points"):
        QuantileFanDisplay([1.0], [1.0], [0.0], [1.0], [0.5])


# --- the demo ---------------------------------------------------------------------------------------------------


def test_demo_prints_a_certificate_and_draws_a_picture(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(demo, "TOL", 0.5)
    picture = tmp_path / "demo.png"
    demo.main(picture)
    said = capsys.readouterr().out
    assert "converged" in said and "relative gap" in said and str(picture) in said
    height, width, _ = plt.imread(picture).shape
    assert height > 300 and width > 500
