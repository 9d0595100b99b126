"""The command line: answers, exit statuses, one clear line for what is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import dump_svmlight_file
from sklearn.svm import LinearSVC

import pdprox
from pdprox import datasets
from pdprox.cli.commands import UNFINISHED
from pdprox.cli.commands import pdprox as command


def run(*words):
    return CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)


def facts(*words):
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small data set in every format, a model, a path, and files that are no use."""
    place = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(120, 4)), 3)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=120) > 0, 1, -1)
    rows = np.column_stack([X, y])
    dump_svmlight_file(X, y, str(place / "data.svm"), zero_based=False)
    np.savetxt(
        place / "data.csv", rows, "%g", ",", header="age_old,age_new,area_a,area_b,bought", comments=""
    )
    np.savetxt(place / "plain.csv", rows, "%g", ",")
    np.savez(place / "data.npz", X=X, y=y)
    words = np.where(y > 0, "yes", "no")
    (place / "words.csv").write_text(
        "a,b,c,d,bought\n" + "".join(f"{','.join(map(str, x))},{w}\n" for x, w in zip(X, words, strict=True))
    )
    three = np.column_stack([X, np.arange(120) % 3])
    np.savetxt(place / "three.csv", three, "%g", ",")
    (place / "empty.csv").write_text("")
    (place / "ragged.csv").write_text("a,b,y\n1,2,1\n1,2\n")
    (place / "letters.csv").write_text("a,b,y\n1,x,1\n1,2,-1\n")
    (place / "bad.svm").write_text("1 1:0.5 2:1\n-1 0:1\n")
    (place / "short.txt").write_text("1.0\n2.0\n")
    (place / "notes.txt").write_text("these are words\n")
    (place / "zero.txt").write_text("0\n0\n0\n0\n")
    assert run("fit", place / "data.csv", "--alpha", 0.05, "--model", place / "model.npz").exit_code == 0
    assert run("path", place / "data.csv", "--n-alphas", 4, "--model", place / "path.npz").exit_code == 0
    damaged = (place / "model.npz").read_bytes()
    (place / "damaged.npz").write_bytes(damaged[: len(damaged) // 2])
    return place


def test_fit_is_the_estimator(folder):
    told = facts("fit", folder / "data.svm", "--alpha", 0.05, "--tol", 1e-9)
    data = datasets.read(folder / "data.svm")
    model = pdprox.LinearClassifier(alpha=0.05, tol=1e-9).fit(data.X, data.y)
    assert told["status"] == "converged" and told["objective"] == pytest.approx(model.objective_, rel=1e-9)
    assert told["nonzero"] == np.count_nonzero(model.coef_) and told["relative gap"] <= 1e-9
    for name in ("data.csv", "plain.csv", "data.npz", "words.csv"):
        assert facts("fit", folder / name, "--alpha", 0.05, "--tol", 1e-9)["objective"] == pytest.approx(
            told["objective"], rel=1e-8
        )


def test_progress_goes_to_the_error_output(folder):
    done = run("fit", folder / "data.csv", "--json")
    assert json.loads(done.stdout)["status"] == "converged"
    quiet = run("fit", folder / "data.csv", "--json", "--quiet")
    assert quiet.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        ("--loss", "generalized-hinge:a=2", "--penalty", "elastic-net:0.5"),
        ("--loss", "squared-hinge", "--penalty", "squared-l2"),
        ("--penalty", "group-lasso", "--groups", "age_,area_"),
        ("--penalty", "group-lasso", "--groups", "0,0,1,1"),
        ("--loss", "absolute", "--no-intercept"),
        ("--loss", "epsilon-insensitive:epsilon=0.1"),
        ("--quantile", "0.9"),
        ("--quantile", "0.1,0.5,0.9"),
        ("--method", "pdprox-newton"),
    ],
    ids=" ".join,
)
def test_models_of_all_kinds(folder, words):
    model = folder / "other.npz"
    facts("fit", folder / "data.csv", "--alpha", 0.02, "--model", model, *words)
    predictions = run("predict", model, folder / "data.csv")
    assert predictions.exit_code == 0 and len(predictions.stdout.splitlines()) == 120


def test_predictions(folder):
    y = datasets.read(folder / "data.csv").y
    out = np.array(run("predict", folder / "model.npz", folder / "data.csv").stdout.split(), dtype=float)
    accuracy = facts("predict", folder / "model.npz", folder / "data.csv", "--score")["accuracy"]
    assert accuracy == pytest.approx(np.mean(out == y)) and accuracy > 0.8
    scores = facts("predict", folder / "model.npz", folder / "data.csv", "--decision")["predictions"]
    assert np.all((np.array(scores) > 0) == (out > 0))
    written = run("predict", folder / "model.npz", folder / "data.csv", "--output", folder / "out.txt")
    assert written.stdout == "" and len((folder / "out.txt").read_text().split()) == 120
    run("fit", folder / "words.csv", "--model", folder / "words.npz")
    assert set(run("predict", folder / "words.npz", folder / "words.csv").stdout.split()) == {"yes", "no"}


def test_path_is_csv(folder):
    lines = run("path", folder / "data.csv", "--n-alphas", 5).stdout.splitlines()
    assert lines[0] == "alpha,objective,relative_gap,nonzero,status" and len(lines) == 6
    counts = [int(line.split(",")[3]) for line in lines[1:]]
    assert counts[0] == 0 < counts[-1]
    assert len(facts("path", folder / "data.csv", "--n-alphas", 5)["alpha"]) == 5
    assert isinstance(pdprox.load(folder / "path.npz"), pdprox.Path)


def test_certificates_of_anybody(folder):
    ours = facts("certify", folder / "model.npz", folder / "data.csv")
    assert ours["relative gap"] <= 1e-6
    model = pdprox.load(folder / "model.npz")
    np.savetxt(folder / "theirs.txt", model.coef_[0])
    theirs = run("certify", folder / "theirs.txt", folder / "data.csv", "--alpha", 0.05, "--json")
    assert json.loads(theirs.stdout)["primal"] == pytest.approx(ours["primal"], rel=1e-9)
    zero = run("certify", folder / "zero.txt", folder / "data.csv", "--alpha", 0.05, "--json")
    assert zero.exit_code == UNFINISHED and json.loads(zero.stdout)["relative gap"] > 0.1


def test_a_fit_that_is_cut_short_says_so(folder):
    done = run(
        "fit", folder / "data.csv", "--max-iter", 1, "--method", "pdprox-restarted", "--json", "--quiet"
    )
    assert done.exit_code == UNFINISHED and json.loads(done.stdout)["status"] == "max_iter"
    assert "Raise max_iter" in done.stderr


def test_pictures(folder):
    for name in ("model.npz", "path.npz"):
        assert run("plot", folder / name, "--output", folder / "it.png").exit_code == 0
        assert (folder / "it.png").read_bytes()[:4] == b"\x89PNG"


def test_lists_and_help():
    assert "adult" in run("datasets").stdout and "adult" in facts("datasets")
    assert run("datasets", "engel").exit_code == 0
    for listing in datasets.available():  # each name is one that can be fetched, or is told what it lacks
        done = run("datasets", listing.name) if listing.at_hand == "package" else None
        assert done is None or (done.exit_code == 0 and listing.name in done.stderr)
    for words in ((), ("fit",), ("predict",), ("path",), ("certify",), ("plot",), ("datasets",), ("bench",)):
        done = run(*words, "--help")
        assert done.exit_code == 0 and "Usage" in done.stdout
    assert "Example" in run("fit", "--help").stdout
    assert pdprox.__version__ in run("--version").stdout


def test_bench():
    table = facts("bench")
    assert len(table) == 4 and all(len(seconds) == 3 and min(seconds) > 0 for seconds in table.values())


def test_the_script_itself():
    """As a process of its own, and without a traceback."""
    script = Path(sys.executable).with_name("pdprox")
    done = subprocess.run([script, "fit", "no.svm"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == "" and done.stderr == "Error: there is no file 'no.svm'\n"


def test_killed_and_gone_on_with(folder):
    """SIGKILL in the middle; the same coefficients as of a run that nobody disturbed."""
    script = Path(sys.executable).with_name("pdprox")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 80)) * np.geomspace(0.03, 3, 80)
    y = np.sign(X @ rng.normal(size=80) + 3 * rng.normal(size=4000))
    np.savez(folder / "long.npz", X=X, y=y)
    words = [
        "fit", str(folder / "long.npz"), "--penalty", "squared-l2", "--alpha", "1e-4", "--tol", "1e-11", "--quiet",
        "--method", "pdprox-restarted",
    ]  # fmt: skip
    checkpoint, killed, whole = folder / "run.npz", folder / "killed.npz", folder / "whole.npz"
    process = subprocess.Popen(
        [script, *words, "--checkpoint", checkpoint, "--every", "0.01", "--model", killed],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL and not killed.exists()
    assert run(*words, "--resume", checkpoint, "--model", killed).exit_code == 0
    assert run(*words, "--model", whole).exit_code == 0
    np.testing.assert_allclose(pdprox.load(killed).coef_, pdprox.load(whole).coef_, atol=1e-6)
    other = run("fit", folder / "data.csv", "--resume", checkpoint)
    assert other.exit_code == 1 and "run.npz" in other.stderr


WRONG = [
    # words, exit status, what the one line says
    (("fit",), 2, "Missing argument 'DATA'"),
    (("fit", "nothing.svm"), 1, "there is no file 'nothing.svm'"),
    (("fit", "."), 1, "is a folder"),
    (("fit", "{}/empty.csv"), 1, "empty"),
    (("fit", "{}/ragged.csv"), 1, "line 3"),
    (("fit", "{}/letters.csv"), 1, "line 2"),
    (("fit", "{}/bad.svm"), 1, "line 2"),
    (("fit", "{}/data.csv", "--target", "sold"), 1, "sold"),
    (("fit", "{}/data.csv", "--target", "9"), 1, "9"),
    (("fit", "{}/data.csv", "--format", "xls"), 2, "'xls' is not one of"),
    (("fit", "{}/data.csv", "--format", "npz"), 1, "npz"),
    (("fit", "{}/data.svm", "--n-features", "0"), 2, "--n-features"),
    (("fit", "{}/data.svm", "--n-features", "2"), 1, "2"),
    (("fit", "{}/data.csv", "--loss", "hing"), 2, "unknown loss 'hing'"),
    (("fit", "{}/data.csv", "--loss", "pinball:2"), 2, "strictly between 0 and 1"),
    (("fit", "{}/data.csv", "--loss", "pinball:half"), 2, "must be a number, got 'half'"),
    (("fit", "{}/data.csv", "--loss", "hinge:1"), 2, "takes 0 parameters"),
    (("fit", "{}/data.csv", "--loss", "pinball:level=0.5"), 2, "no parameter 'level'"),
    (("fit", "{}/data.csv", "--penalty", "l7"), 2, "unknown penalty 'l7'"),
    (("fit", "{}/data.csv", "--penalty", "elastic-net:2"), 2, "l1_ratio"),
    (("fit", "{}/data.csv", "--penalty", "group-lasso"), 2, "groups"),
    (("fit", "{}/data.csv", "--groups", "age_"), 2, "knows no groups"),
    (
        ("fit", "{}/data.csv", "--penalty", "group-lasso", "--groups", "size_"),
        1,
        "no column name begins with 'size_'",
    ),
    (("fit", "{}/data.npz", "--penalty", "group-lasso", "--groups", "age_"), 1, "age_"),
    (
        ("fit", "{}/data.csv", "--penalty", "group-lasso", "--groups", "0,1"),
        1,
        "one label for each of the 4 features",
    ),
    (("fit", "{}/data.csv", "--alpha", "-1"), 1, "alpha must be a number >= 0, got -1"),
    (("fit", "{}/data.csv", "--alpha", "much"), 2, "'much' is not a valid float"),
    (("fit", "{}/data.csv", "--tol", "-1"), 1, "tol must be a number >= 0"),
    (("fit", "{}/data.csv", "--max-iter", "-5"), 1, "max_iter must be an integer >= 0"),
    (("fit", "{}/data.csv", "--max-time", "0"), 1, "max_time must be a number of seconds > 0"),
    (("fit", "{}/data.csv", "--method", "simplex"), 1, "unknown method 'simplex'"),
    (("fit", "{}/data.csv", "--quantile", "1.5"), 1, "strictly between 0 and 1"),
    (("fit", "{}/data.csv", "--quantile", "0.9,0.1"), 1, "ascend"),
    (("fit", "{}/data.csv", "--quantile", "a,b"), 2, "must be a number"),
    (("fit", "{}/words.csv", "--loss", "absolute"), 1, "y must hold numbers"),
    (("fit", "{}/data.csv", "--model", "{}/no/model.npz"), 1, "no folder"),
    (("fit", "{}/data.csv", "--checkpoint", "{}/no/run.npz"), 1, "no folder"),
    (("fit", "{}/data.csv", "--checkpoint", "{}/run2.npz", "--every", "-1"), 1, "every"),
    (("fit", "{}/data.csv", "--resume", "{}/none.npz"), 1, "none.npz"),
    (("fit", "{}/data.csv", "--resume", "{}/notes.txt"), 1, "notes.txt"),
    (("fit", "{}/data.csv", "--resume", "{}/model.npz"), 1, "not a checkpoint"),
    (("fit", "{}/three.csv", "--checkpoint", "{}/run3.npz"), 1, "one by one"),
    (("fit", "{}/data.csv", "--colour", "red"), 2, "No such option"),
    (("predict",), 2, "Missing argument 'MODEL'"),
    (("predict", "{}/none.npz", "{}/data.csv"), 2, "does not exist"),
    (("predict", "{}/notes.txt", "{}/data.csv"), 1, "not a zip archive"),
    (("predict", "{}/damaged.npz", "{}/data.csv"), 1, "damaged"),
    (("predict", "{}/path.npz", "{}/data.csv"), 1, "holds a Path, not a fitted estimator"),
    (("predict", "{}/data.npz", "{}/data.csv"), 1, "no file of pdprox"),
    (("predict", "{}/model.npz", "{}/ragged.csv"), 1, "line 3"),
    (("predict", "{}/model.npz", "splice-junction"), 1, "features"),
    (("predict", "{}/model.npz"), 2, "Missing argument 'DATA'"),
    (("path", "{}/data.csv", "--n-alphas", "0"), 2, "--n-alphas"),
    (("path", "{}/data.csv", "--ratio", "2"), 1, "ratio must lie strictly between 0 and 1"),
    (("path", "{}/data.csv", "--penalty", "squared-l2"), 1, "no lam makes the coefficients"),
    (("path", "{}/three.csv"), 1, "two classes, and the target has 3"),
    (("certify", "{}/zero.txt", "{}/data.csv"), 2, "--alpha is needed"),
    (
        ("certify", "{}/short.txt", "{}/data.csv", "--alpha", "1"),
        1,
        "holds 2 numbers, and the data have 4 columns",
    ),
    (("certify", "{}/notes.txt", "{}/data.csv", "--alpha", "1"), 1, "must hold numbers"),
    (("certify", "{}/model.npz", "engel"), 1, "features"),
    (("certify", "{}/damaged.npz", "{}/data.csv"), 1, "damaged"),
    (("plot", "{}/none.npz"), 2, "does not exist"),
    (("plot", "{}/notes.txt"), 1, "not a zip archive"),
    (("plot", "{}/model.npz", "--output", "{}/no/it.png"), 1, "no/it.png"),
    (("plot", "{}/model.npz", "--against", "hours"), 2, "'hours' is not one of"),
    (("datasets", "moon"), 2, "unknown data set 'moon'"),
    (("fetch",), 2, "No such command"),
]


@pytest.mark.parametrize(("words", "status", "message"), WRONG, ids=lambda thing: str(thing)[:70])
def test_wrong_calls(folder, words, status, message):
    done = run(*(word.replace("{}", str(folder)) for word in words))
    assert done.exit_code == status, done.output
    assert done.stdout == "" and message in done.stderr
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error:")]
    assert len(errors) == 1


@pytest.mark.skipif(not os.environ.get("PDPROX_DATA"), reason="needs the data folder")
def test_adult_as_liblinear_sees_it(tmp_path):
    """From the LIBSVM file to the accuracy on the test file, as near to liblinear's as 0.3 points."""
    data = Path(os.environ["PDPROX_DATA"])
    n, C = 32561, 1.0
    told = facts(
        "fit", data / "a9a.xz", "--n-features", 123, "--penalty", "squared-l2", "--alpha", 1 / (C * n),
        "--model", tmp_path / "a9a.npz",
    )  # fmt: skip
    assert told["relative gap"] <= 1e-6
    accuracy = facts("predict", tmp_path / "a9a.npz", data / "a9a.t.xz", "--score")["accuracy"]
    train, test = datasets.fetch_a9a(), datasets.read(data / "a9a.t.xz", n_features=123)
    theirs = LinearSVC(loss="hinge", C=C, max_iter=100_000, random_state=0).fit(train.X, train.y)
    assert accuracy == pytest.approx(theirs.score(test.X, test.y), abs=0.003)
