"""Estimators have scikit-learn's manners."""

from __future__ import annotations

import io
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import pdprox
from pdprox import (
    BudgetSVC,
    LinearClassifier,
    LinearClassifierCV,
    LinearRegressor,
    LinearRegressorCV,
    QuantileRegressor,
    estimators,
    losses,
    penalties,
)  # fmt: skip
from pdprox.datasets import load_engel


# weights and repeated rows must give equal predictions to 1e-7, so the fits must be as exact as that
@parametrize_with_checks([estimator(tol=1e-9) for estimator in estimators.ALL])
def test_manners(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X, y / y.std()


# --- what a fit is ------------------------------------------------------------------------------------------


def test_it_is_the_problem_of_pdprox(cancer):
    X, y = cancer
    model = LinearClassifier(alpha=0.02, tol=1e-9).fit(X, y)
    solution = pdprox.solve(pdprox.Problem(X, np.where(y == 1, 1.0, -1.0), lam=0.02), tol=1e-9)
    np.testing.assert_allclose(model.coef_[0], solution.w, atol=1e-9)
    assert model.objective_ == pytest.approx(solution.certificate.primal)
    assert model.status_ == "converged" and 0 <= model.dual_gap_ <= 1e-9 * model.objective_
    assert set(model.support_) == set(np.flatnonzero(model.dual_coef_))
    assert model.history_.relative_gap[-1] <= 1e-9


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = LinearClassifier(alpha=1e-3).fit(X, names)
    assert (
        model.coef_.shape == (3, 4) and model.intercept_.shape == (3,) and model.dual_coef_.shape == (3, 150)
    )
    assert model.decision_function(X).shape == (150, 3) and model.score(X, names) > 0.9
    assert model.objective_.shape == (3,) and model.status_ == ["converged"] * 3 and len(model.support_) == 3
    alone = LinearClassifier(alpha=1e-3).fit(X, names == "virginica")
    np.testing.assert_allclose(model.coef_[2], alone.coef_[0], atol=1e-6)
    threads = LinearClassifier(alpha=1e-3, n_jobs=2).fit(X, names)
    np.testing.assert_array_equal(threads.coef_, model.coef_)


def test_class_weight_is_weight(cancer):
    X, y = cancer
    weights = np.where(y == 0, 3.0, 1.0)
    one = LinearClassifier(class_weight={0: 3.0}, tol=1e-9).fit(X, y)
    other = LinearClassifier(tol=1e-9).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-8)
    balanced = LinearClassifier(class_weight="balanced").fit(X, y)
    assert balanced.class_weight == "balanced" and not np.allclose(balanced.coef_, one.coef_)


def test_several_targets_are_tied_by_their_penalty(diabetes):
    X, y = diabetes
    Y = np.column_stack([y, -y, y**2])
    model = LinearRegressor(penalty=penalties.L21(), alpha=0.01, tol=1e-4).fit(X, Y)
    assert (
        model.coef_.shape == (3, 10)
        and model.predict(X).shape == Y.shape
        and model.dual_coef_.shape == Y.shape
    )
    dead = np.all(model.coef_ == 0, axis=0)
    assert dead.any() and not dead.all()
    assert np.all((model.coef_ != 0).any(axis=0) == ~dead)


def test_quantiles(diabetes):
    X, y = diabetes
    model = QuantileRegressor([0.1, 0.5, 0.9], alpha=1e-3).fit(X, y)
    assert model.coef_.shape == (3, 10) and model.predict(X).shape == (len(y), 3)
    below = np.mean(y[:, None] <= model.predict(X) + 1e-9, axis=0)
    np.testing.assert_allclose(below, [0.1, 0.5, 0.9], atol=0.04)
    alone = QuantileRegressor(0.9, alpha=1e-3, tol=1e-9).fit(X, y)
    exact = QuantileRegressor([0.1, 0.5, 0.9], alpha=1e-3, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(exact.coef_[2], alone.coef_, atol=1e-7)
    sorted_ = QuantileRegressor([0.1, 0.5, 0.9], alpha=1e-3, rearrange=True).fit(X, y).predict(X)
    assert np.all(np.diff(sorted_, axis=1) >= 0)


def test_quantiles_against_scikit_learn(diabetes):
    """The same problem: its alpha is that of the mean loss, too."""
    X, y = diabetes
    theirs = sklearn.linear_model.QuantileRegressor(quantile=0.3, alpha=0.01, solver="highs").fit(X, y)
    ours = QuantileRegressor(0.3, alpha=0.01, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)


def test_a_budget_bounds_what_is_listened_to(cancer):
    X, y = cancer
    model = BudgetSVC(m=15).fit(X, y)
    assert np.abs(model.dual_coef_).sum() <= 15 * (1 + 1e-9)
    free = BudgetSVC(m=10_000, tol=1e-6).fit(X, y)
    plain = LinearClassifier(penalty="squared-l2", alpha=0.01, tol=1e-6).fit(X, y)
    assert free.objective_ == pytest.approx(plain.objective_, rel=2e-6)


def test_cross_validation(cancer, diabetes):
    for kind, (X, y) in ((LinearClassifierCV, cancer), (LinearRegressorCV, diabetes)):
        best = kind(alphas=8, cv=3).fit(X, y)
        careful = kind(alphas=8, cv=3, rule="one-standard-error").fit(X, y)
        assert best.scores_.shape == (8, 3) and careful.alpha_ >= best.alpha_
        assert best.alpha_ == best.alphas_[np.argmax(best.scores_.mean(axis=1))]
        alone = {LinearClassifierCV: LinearClassifier, LinearRegressorCV: LinearRegressor}[kind](
            alpha=best.alpha_
        )
        assert alone.fit(X, y).objective_ == pytest.approx(best.objective_, rel=2e-6)
        threads = kind(alphas=8, cv=3, n_jobs=2).fit(X, y)
        np.testing.assert_array_equal(threads.scores_, best.scores_)


def test_cross_validation_is_what_it_says(cancer):
    """Scores by hand for one alpha, by the mean loss and by a scorer."""
    X, y = cancer
    folds = [(np.arange(0, 300), np.arange(300, 569)), (np.arange(269, 569), np.arange(0, 269))]
    for scoring in (None, "balanced_accuracy"):
        model = LinearClassifierCV(alphas=[0.03], cv=folds, scoring=scoring, tol=1e-9).fit(X, y)
        for k, (train, test) in enumerate(folds):
            one = LinearClassifier(alpha=0.03, tol=1e-9).fit(X[train], y[train])
            if scoring is None:
                margins = np.where(y[test] == 1, 1, -1) * one.decision_function(X[test])
                wanted = -np.mean(np.maximum(1 - margins, 0))
            else:
                wanted = sklearn.metrics.get_scorer(scoring)(one, X[test], y[test])
            assert model.scores_[0, k] == pytest.approx(wanted, abs=1e-6)


def test_warm_start(cancer):
    X, y = cancer
    model = LinearClassifier(penalty="squared-l2", alpha=0.02, warm_start=True).fit(X, y)
    cold = model.n_iter_
    assert model.fit(X, y).n_iter_ <= 2 < cold
    assert model.set_params(alpha=0.019).fit(X, y).status_ == "converged"
    assert model.fit(X[:, :5], y).coef_.shape == (1, 5)  # what does not fit is no start


def test_a_short_fit_says_so(cancer):
    X, y = cancer
    with pytest.warns(ConvergenceWarning, match=r"LinearClassifier.*gap.*Raise max_iter") as caught:
        model = LinearClassifier(max_iter=1, method="pdprox-restarted").fit(X, y)
    told = caught[0].message
    assert isinstance(told, pdprox.FitWarning) and isinstance(told, pdprox.ConvergenceWarning)
    assert told.status == model.status_ == "max_iter" and told.relative_gap > 1e-6
    assert model.predict(X).shape == y.shape


# --- data of all kinds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse(cancer, container, index):
    X, y = cancer
    data = container(np.where(np.abs(X) > 1, X, 0.0))
    for name in ("indices", "indptr", "row", "col"):
        if hasattr(data, name) and not isinstance(data, sp.coo_matrix):
            setattr(data, name, getattr(data, name).astype(index))
    model = LinearClassifier(tol=1e-9).fit(data, y)
    dense = LinearClassifier(tol=1e-9).fit(data.toarray(), y)
    np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-7)
    np.testing.assert_array_equal(model.predict(data), dense.predict(data.toarray()))


@pytest.mark.parametrize("kind", estimators.ALL)
def test_float32_stays(kind, cancer):
    X, y = cancer
    options = {"tol": 1e-4} | ({"alphas": 3, "cv": 2} if hasattr(kind(), "alphas") else {})
    model = kind(**options).fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == model.intercept_.dtype == np.float32


def test_frames():
    polars = pytest.importorskip("polars")
    data = load_engel()
    columns = {"income": data.X[:, 0], "twice": 2 * data.X[:, 0]}
    for frame in (pd.DataFrame(columns), polars.DataFrame(columns)):
        model = QuantileRegressor(alpha=0).fit(frame, data.y)
        assert list(model.feature_names_in_) == ["income", "twice"]
        assert model.predict(frame).shape == data.y.shape
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename({"twice": "thrice"}))


def test_groups_of_features(cancer):
    X, y = cancer
    frame = pd.DataFrame(X, columns=[f"{'abc'[j % 3]}_{j}" for j in range(30)])
    labels = np.arange(30) % 3
    by_labels = LinearClassifier(penalty="group-lasso", feature_groups=labels, alpha=0.05).fit(X, y)
    for groups in (
        ["a_", "b_", "c_"],
        [np.arange(k, 30, 3) for k in range(3)],
        np.array(["a", "b", "c"])[labels],
    ):
        data = frame if isinstance(groups[0], str) and groups[0] == "a_" else X
        model = LinearClassifier(penalty="group-lasso", feature_groups=groups, alpha=0.05).fit(data, y)
        np.testing.assert_allclose(model.coef_, by_labels.coef_, atol=1e-12)
    own = LinearClassifier(penalty="group-lasso", feature_groups=["a_", "b_"], alpha=0.05).fit(frame, y)
    assert own.status_ == "converged"  # columns without a prefix are groups of their own


# --- parameters, tools of scikit-learn ------------------------------------------------------------------------


def test_parameters_of_parts():
    model = LinearClassifier(penalty=penalties.ElasticNet(0.5), loss=losses.GeneralizedHinge(2.0))
    assert model.get_params()["penalty__l1_ratio"] == 0.5 and model.get_params()["loss__a"] == 2.0
    copy = clone(model).set_params(penalty__l1_ratio=0.2, loss__a=3.0)
    assert (copy.penalty, copy.loss) == (penalties.ElasticNet(0.2), losses.GeneralizedHinge(3.0))
    assert model.penalty == penalties.ElasticNet(0.5)
    assert LinearClassifier(penalty="elastic-net").set_params(penalty__l1_ratio=0.1).penalty.l1_ratio == 0.1
    with pytest.raises(ValueError, match="no parameter 'ratio'"):
        model.set_params(penalty__ratio=0.1)


def test_grid_search_reaches_them(cancer):
    X, y = cancer
    grid = {"penalty__l1_ratio": [0.2, 0.9], "alpha": [0.01, 0.1]}
    search = GridSearchCV(LinearClassifier(penalty=penalties.ElasticNet(0.5)), grid, cv=2).fit(X, y)
    assert search.best_estimator_.penalty == penalties.ElasticNet(search.best_params_["penalty__l1_ratio"])
    pipe = make_pipeline(StandardScaler(), LinearClassifier(penalty=penalties.ElasticNet(0.5)))
    assert (
        GridSearchCV(pipe, {"linearclassifier__penalty__l1_ratio": [0.3]}, cv=2).fit(X, y).best_score_ > 0.9
    )
    assert cross_val_score(LinearClassifier(), X, y, cv=3).min() > 0.9
    assert CalibratedClassifierCV(LinearClassifier(), cv=2).fit(X, y).predict_proba(X).shape == (569, 2)


@pytest.mark.parametrize("kind", estimators.ALL)
def test_copies(kind, cancer, tmp_path):
    X, y = cancer
    options = {"tol": 1e-4} | ({"alphas": 3, "cv": 2} if hasattr(kind(), "alphas") else {})
    model = kind(**options).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(model)
    other = skops.loads(data, trusted=skops.get_untrusted_types(data=data))
    np.testing.assert_array_equal(other.predict(X), model.predict(X))


@pytest.mark.parametrize("kind", estimators.ALL)
def test_files(kind, cancer, tmp_path):
    """All that a fit is comes back, bit for bit; classes that are words, names of columns, groups and objects, too."""
    X, y = cancer
    options = {"tol": 1e-4} | ({"alphas": 3, "cv": 2} if hasattr(kind(), "alphas") else {})
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(30)])
    told = np.array(["bad", "good"])[y] if sklearn.base.is_classifier(kind()) else y
    model = kind(**options).fit(frame, told)
    pdprox.save(model, tmp_path / "model.npz")
    again = pdprox.load(tmp_path / "model.npz")
    assert type(again) is kind and again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    for name in vars(model):
        if name.endswith("_") and name != "history_":
            np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    np.testing.assert_array_equal(again.history_.seconds, model.history_.seconds)


def test_files_of_estimators_with_parts(cancer, tmp_path):
    X, y = cancer
    model = LinearClassifier(
        losses.GeneralizedHinge(2.0), "group-lasso", 0.05, np.arange(30) % 3, class_weight={0: 2.0, 1: 1.0},
        method=pdprox.methods.PdproxNewton(),
    ).fit(X.astype(np.float32), y)  # fmt: skip
    pdprox.save(model, tmp_path / "model.npz")
    again = pdprox.load(tmp_path / "model.npz")
    assert (
        again.loss == model.loss and again.class_weight == model.class_weight and again.method == model.method
    )
    np.testing.assert_array_equal(again.feature_groups, model.feature_groups)
    assert again.coef_.dtype == np.float32
    several = QuantileRegressor([0.2, 0.8], alpha=0.1).fit(X, X[:, 0])
    pdprox.save(several, tmp_path / "several.npz")
    assert pdprox.load(tmp_path / "several.npz").coef_.shape == (2, 30)
    one = QuantileRegressor([0.2], alpha=0.1).fit(X, X[:, 0])
    pdprox.save(one, tmp_path / "one.npz")
    assert pdprox.load(tmp_path / "one.npz").coef_.shape == one.coef_.shape == (1, 30)
    with pytest.raises(ValueError, match="is not fitted"):
        pdprox.save(LinearClassifier(), tmp_path / "none.npz")
    split = LinearClassifierCV(alphas=2, cv=sklearn.model_selection.KFold(2)).fit(X, y)
    with pytest.raises(TypeError, match=r"cv=.* cannot be saved"):
        pdprox.save(split, tmp_path / "none.npz")


def test_a_fit_goes_on_from_a_checkpoint(cancer, tmp_path):
    X, y = cancer
    path = tmp_path / "run.npz"
    short = LinearClassifier(
        penalty="squared-l2", alpha=1e-3, tol=1e-9, max_iter=3, method="pdprox-restarted"
    )
    with pytest.warns(pdprox.FitWarning):
        short.checkpointed(path, every=1e-9).fit(X, y)
    model = LinearClassifier(penalty="squared-l2", alpha=1e-3, tol=1e-9, method="pdprox-restarted")
    model.checkpointed(None, resume_from=path).fit(X, y)
    whole = LinearClassifier(penalty="squared-l2", alpha=1e-3, tol=1e-9).fit(X, y)
    assert model.status_ == "converged"
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-4)
    with pytest.raises(ValueError, match="each quantile is one"):
        QuantileRegressor([0.2, 0.8]).checkpointed(path).fit(X, X[:, 0])


@pytest.mark.parametrize("kind", estimators.ALL)
def test_certify(kind, cancer):
    """On the data of the fit it is the certificate of the fit; coefficients that were changed are worse."""
    X, y = cancer
    options = {"tol": 1e-4} | ({"alphas": 3, "cv": 2} if hasattr(kind(), "alphas") else {})
    model = kind(**options).fit(X, y)
    certificate = model.certify(X, y)
    assert certificate.relative_gap <= 1e-4
    assert certificate.primal == pytest.approx(model.objective_, rel=1e-9)


def test_metadata_routing(cancer):
    X, y = cancer
    with sklearn.config_context(enable_metadata_routing=True):
        model = LinearClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"alpha": [0.01]}, cv=2).fit(
            X, y, sample_weight=np.arange(len(y)) % 2 + 1.0
        )
    assert search.best_estimator_.status_ == "converged"


def test_callbacks_of_scikit_learn(cancer):
    pytest.importorskip("sklearn.callback")
    X, y = cancer

    class Watch:
        def __init__(self, stop_at):
            self.stop_at, self.gaps, self.scores, self.done = stop_at, [], [], False

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            self.done = True

        def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None):
            pass

        def on_fit_task_end(
            self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None
        ):
            if metadata is None or context.task_name != "audit":
                return False
            self.gaps.append(metadata["relative_gap"])
            self.scores.append(fitted_estimator.score(X, y))
            return self.gaps[-1] <= self.stop_at

    watch = Watch(1e-2)
    model = LinearClassifier(method="pdprox-restarted").set_callbacks(watch).fit(X, y)
    assert watch.done and model.status_ == "callback_stop"
    assert watch.gaps[-1] <= 1e-2 < watch.gaps[-2] and watch.scores[-1] > 0.9


# --- wrong input ---------------------------------------------------------------------------------------------

X0, Y0 = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]]), np.array([0, 1, 0, 1])

WRONG = [
    (
        LinearClassifier(loss="absolute"),
        Y0,
        "takes losses of the margin.*by name there are: generalized-hinge, hinge",
    ),
    (LinearClassifier(loss="hing"), Y0, "unknown loss 'hing'; known"),
    (LinearClassifier(penalty="l7"), Y0, "unknown penalty 'l7'; known"),
    (LinearClassifier(penalty="group-lasso"), Y0, "needs feature_groups"),
    (LinearClassifier(feature_groups=[0, 1]), Y0, "knows no groups"),
    (LinearClassifier(penalty=penalties.L1(), feature_groups=[0, 1]), Y0, "penalties by name"),
    (LinearClassifier(penalty="group-lasso", feature_groups=[0]), Y0, "one label for each of the 2 features"),
    (LinearClassifier(penalty="group-lasso", feature_groups=[[0]]), Y0, "leaves out feature 1"),
    (LinearClassifier(penalty="group-lasso", feature_groups=[[0, 1], [1]]), Y0, "feature 1 in two groups"),
    (LinearClassifier(penalty="group-lasso", feature_groups=[[0, 2], [1]]), Y0, "numbered 0 to 1"),
    (LinearClassifier(penalty="group-lasso", feature_groups=["a"]), Y0, "no column names"),
    (LinearClassifier(penalty="group-lasso", feature_groups=3), Y0, "got 3"),
    (LinearClassifier(alpha=-1), Y0, "alpha must be a number >= 0, got -1"),
    (LinearClassifier(alpha="much"), Y0, "alpha must be a number >= 0, got 'much'"),
    (LinearClassifier(alpha=np.nan), Y0, "nan"),
    (LinearClassifier(fit_intercept="yes"), Y0, "fit_intercept must be True or False"),
    (LinearClassifier(warm_start=2), Y0, "warm_start must be True or False"),
    (LinearClassifier(tol=-1.0), Y0, "tol must be a number >= 0"),
    (LinearClassifier(max_iter=1.5), Y0, "max_iter must be an integer"),
    (LinearClassifier(max_time=0), Y0, "max_time must be a number of seconds > 0"),
    (LinearClassifier(method="simplex"), Y0, "unknown method 'simplex'"),
    (LinearClassifier(verbose="loud"), Y0, "verbose must be True, False"),
    (LinearClassifier(class_weight="fair"), Y0, "class_weight|balanced"),
    (LinearClassifier(), np.zeros(4), "one class only"),
    (LinearClassifier(), np.array([0.5, 1.5, 2.5, 3.7]), "Unknown label type"),
    (LinearClassifier(), np.array([0, 1, 0]), "inconsistent numbers"),
    (BudgetSVC(m=0), Y0, "m must be a number > 0, got 0"),
    (BudgetSVC(m="all"), Y0, "m must be a number > 0"),
    (LinearRegressor(loss="hinge"), Y0 + 0.5, "takes losses of the residual"),
    (LinearRegressor(penalty=penalties.GroupLasso([0, 0, 1])), Y0, "was made for 3 features"),
    (QuantileRegressor(quantile=0), Y0, "strictly between 0 and 1, got 0"),
    (QuantileRegressor(quantile="half"), Y0, "strictly between 0 and 1, got 'half'"),
    (QuantileRegressor(quantile=[]), Y0, "must ascend"),
    (QuantileRegressor(quantile=[0.5, 0.2]), Y0, "must ascend"),
    (QuantileRegressor(rearrange=1), Y0, "rearrange must be True or False"),
    (LinearClassifierCV(alphas=0), Y0, "alphas must be a number of alphas"),
    (LinearClassifierCV(alphas=[-1.0], cv=2), Y0, "alphas must be a number of alphas"),
    (LinearClassifierCV(ratio=2.0, cv=2), Y0, "ratio must lie strictly between 0 and 1"),
    (LinearClassifierCV(rule="1se", cv=2), Y0, "rule must be one of"),
    (LinearRegressorCV(scoring="beauty", cv=2), Y0, "beauty"),
]


@pytest.mark.parametrize(("model", "y", "message"), WRONG, ids=lambda thing: str(thing)[:60])
def test_wrong_calls(model, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(X0, y)


def test_wrong_data():
    model = LinearClassifier()
    with pytest.raises(NotFittedError):
        model.predict(X0)
    for X, message in (
        (X0 * np.nan, "NaN"),
        (X0[0], "2D array"),
        (X0.astype(str) + "a", "convert string|float"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, Y0)
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(X0, Y0, sample_weight=[1.0, 2.0])
    with pytest.raises(ValueError, match="sample_weight must be finite and >= 0"):
        model.fit(X0, Y0, sample_weight=[1.0, -2.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="features"):
        model.fit(X0, Y0).predict(np.zeros((1, 3)))


def test_it_is_quiet(cancer, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearClassifier().fit(*cancer)
    assert capsys.readouterr() == ("", "")
    assert io.StringIO().getvalue() == ""


def test_import_is_light():
    """scikit-learn is imported by who asks for an estimator, not by ``import pdprox``."""
    import subprocess
    import sys

    code = "import sys, pdprox; assert 'sklearn' not in sys.modules; pdprox.LinearClassifier"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'LinearClasifier'"):
        _ = pdprox.LinearClasifier
