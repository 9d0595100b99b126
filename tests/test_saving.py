"""Files: what was saved comes back bit for bit, what is damaged is refused, and nothing is ever half written."""

import dataclasses
import io
import json
import os
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest

import pdprox
from pdprox import Problem, losses, methods, penalties, sets, solve
from pdprox.naming import specimens
from pdprox.saving import CLASSES, KINDS

ROOMS = [losses, penalties, sets, methods]
OBJECTS = [thing for room in ROOMS for thing in specimens(room.ALL)]


def same(one, other):
    """Equal to the last bit, type by type, all the way down."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if dataclasses.is_dataclass(one):
        names = [field.name for field in dataclasses.fields(one)]
        return type(one) is type(other) and all(same(getattr(one, k), getattr(other, k)) for k in names)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return type(one) is type(other) and repr(one) == repr(other)


def again(thing, path):
    pdprox.save(thing, path)
    return pdprox.load(path)


def data(loss, n=30, d=6, targets=()):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    z = X @ rng.normal(size=(d, *targets)) + 0.3 * rng.normal(size=(n, *targets))
    return X, (np.where(z > 0, 1.0, -1.0) if loss.reads == "margin" else z)


def names(folder):
    return [path.name for path in folder.iterdir()]


def quick(problem, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdprox.ConvergenceWarning)
        return solve(problem, max_iter=25, **options)


# -- there and back -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: repr(thing)[:40])
def test_every_loss_penalty_set_and_method(thing, tmp_path):
    assert same(again(thing, tmp_path / "it.npz"), thing)


@pytest.mark.parametrize("loss", specimens(losses.ALL), ids=str)
@pytest.mark.parametrize(
    "penalty", [penalties.L1(), penalties.GroupLasso([0, 0, 1, 1, 1, 2])], ids=["l1", "gl"]
)
def test_solutions_of_every_loss(loss, penalty, tmp_path):
    X, y = data(loss)
    solution = quick(Problem(X, y, loss, penalty, lam=0.05))
    assert same(again(solution, tmp_path / "it.npz"), solution)


@pytest.mark.parametrize("penalty", [p() for p in (penalties.L21, penalties.TraceNorm)], ids=str)
@pytest.mark.parametrize("loss", [losses.L2Loss(), losses.Hinge()], ids=str)
@pytest.mark.parametrize("intercept", [True, False])
def test_solutions_with_several_targets(loss, penalty, intercept, tmp_path):
    X, y = data(loss, targets=(3,))
    solution = quick(Problem(X, y, loss, penalty, lam=0.05, intercept=intercept))
    assert same(again(solution, tmp_path / "it.npz"), solution)


PARTS = [
    {"penalty": "squared-l2", "primal_set": sets.Simplex()},
    {"penalty": "l1", "primal_set": sets.Box(-0.5, np.inf)},
    {"penalty": "l1", "dual_set": sets.Budget(3.0)},
    {"penalty": "l1", "dual_form": "paper"},
    {"penalty": "l1", "intercept": False},
]


@pytest.mark.parametrize("parts", PARTS, ids=lambda parts: str(list(parts)[-1]))
@pytest.mark.parametrize("method", ["auto", "pdprox-dual", methods.PdproxRestarted(smoothing=0.3)], ids=str)
def test_solutions_with_sets_and_by_any_method(parts, method, tmp_path):
    X, y = data(losses.GeneralizedHinge())
    solution = quick(Problem(X, y, losses.GeneralizedHinge(), lam=0.05, **parts), method=method)
    assert same(again(solution, tmp_path / "it.npz"), solution)


def test_paths(tmp_path):
    X, y = data(losses.Hinge())
    found = pdprox.path(Problem(X, y, lam=1.0), n_lams=4, tol=1e-3)
    back = again(found, tmp_path / "path.npz")
    assert same(back, found)
    np.testing.assert_array_equal(back.coefs, found.coefs)


def test_numbers_that_json_does_not_know(tmp_path):
    X, y = data(losses.Hinge())
    solution = quick(Problem(X, y, lam=0.1))
    odd = dataclasses.replace(solution, certificate=pdprox.Certificate(np.inf, -np.inf, np.nan, 5e-324))
    assert same(again(odd, tmp_path / "it.npz"), odd)


def test_a_loaded_solution_is_a_warm_start(tmp_path):
    X, y = data(losses.Hinge())
    problem = Problem(X, y, lam=0.05)
    solution = solve(problem, tol=1e-8)
    assert solve(problem, tol=1e-7, warm_start=again(solution, tmp_path / "it.npz")).iterations == 0


def test_numpy_reads_the_arrays_without_pickle(tmp_path):
    X, y = data(losses.Hinge())
    solution = quick(Problem(X, y, lam=0.05))
    pdprox.save(solution, str(tmp_path / "model"))
    assert names(tmp_path) == ["model"], "nothing is added to the name"
    with np.load(tmp_path / "model", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["w"], solution.w)
        np.testing.assert_array_equal(arrays["history.primal"], solution.history.primal)
    with zipfile.ZipFile(tmp_path / "model") as archive:
        page = json.loads(archive.read("pdprox.json"))
    assert (page["format"], page["version"], page["kind"]) == ("pdprox", 1, "solution")
    assert page["pdprox"] == pdprox.__version__


def test_equal_things_make_equal_files(tmp_path):
    for name in ("one", "other"):
        pdprox.save(penalties.GroupLasso([0, 1, 1]), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_the_classes_of_all_rooms_are_known_and_no_others():
    assert {*(member for room in ROOMS for member in room.ALL)} <= {*CLASSES.values()}
    assert all(cls.__module__.startswith("pdprox.") for cls in CLASSES.values())
    assert all(
        getattr(getattr(pdprox, name.split(".")[0]), cls.__name__) is cls for name, cls in CLASSES.items()
    )
    assert len({kind.name for kind in KINDS}) == len(KINDS)


# -- what cannot be saved -------------------------------------------------------------------------------------


class MyHinge(losses.Hinge):
    pass


NOT = [
    (MyHinge(), "a", TypeError, "only classes of pdprox itself can be saved, got MyHinge"),
    (penalties.Shaped(type("V", (penalties.Power,), {})(), penalties.L1()), "a", TypeError, "only classes"),
    ({"w": 1}, "a", TypeError, "save takes one of Solution, Path, .*; got dict"),
    (losses.Hinge(), 3, TypeError, 'path must be the name of a file, such as "model.npz", got 3'),
    (losses.Hinge(), b"a", TypeError, "path must be the name of a file"),
    (losses.Hinge(), "no/such/a", FileNotFoundError, "there is no folder .*no/such; make it first"),
    (losses.Hinge(), ".", IsADirectoryError, "it is a folder; name a file in it"),
]


@pytest.mark.parametrize(("thing", "path", "kind", "message"), NOT, ids=[n[3][:30] for n in NOT])
def test_what_cannot_be_saved_is_named(thing, path, kind, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=message):
        pdprox.save(thing, path)
    assert names(tmp_path) == []


# -- what cannot be read --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solution():
    X, y = data(losses.Hinge(), n=5, d=2)
    return quick(Problem(X, y, lam=0.05))


def rewritten(path, change, arrays=None):
    """Change the page of a file, or arrays of it (None takes one away)."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    page = json.loads(entries["pdprox.json"])
    change(page)
    entries["pdprox.json"] = json.dumps(page).encode()
    for name, array in (arrays or {}).items():
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=True)
        entries[f"{name}.npy"] = buffer.getvalue()
        if array is None:
            del entries[f"{name}.npy"]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def refused(path, message):
    with pytest.raises(pdprox.FileError, match=message) as caught:
        pdprox.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pattern", [0xFF, 0x01])
def test_a_damaged_byte_is_noticed_or_does_no_harm(pattern, solution, tmp_path):
    path = tmp_path / "it.npz"
    for thing, stride in ((penalties.GroupLasso([0, 1, 1]), 3), (solution, 37)):
        pdprox.save(thing, path)
        whole = bytearray(path.read_bytes())
        noticed = 0
        for place in range(pattern % 2, len(whole), stride):
            whole[place] ^= pattern
            path.write_bytes(whole)
            whole[place] ^= pattern
            try:
                assert same(pdprox.load(path), thing)
            except pdprox.FileError as error:
                noticed += str(path) in str(error)
        assert noticed > 0.5 * len(whole) / stride


def test_a_truncated_file_is_refused(solution, tmp_path):
    path = tmp_path / "it.npz"
    pdprox.save(solution, path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 37):
        path.write_bytes(whole[:length])
        with pytest.raises(
            pdprox.FileError, match=r"is damaged|is no file of pdprox: it is not a zip archive"
        ):
            pdprox.load(path)


PAGES = [
    (
        lambda page: page.update(version=2, pdprox="9.1"),
        None,
        "version 2, written by pdprox 9.1; .*: update it",
    ),
    (lambda page: page.update(version="1"), None, "damaged: its format has version '1'"),
    (lambda page: page.update(format="other"), None, "no file of pdprox: its pdprox.json does not say so"),
    (lambda page: page.update(kind="teapot"), None, "of unknown kind 'teapot'; known: solution, path"),
    (lambda page: page.update(kind="path"), None, "lacks solutions"),
    (lambda page: page.update(kind="loss"), None, "lacks class"),
    (lambda page: page.update(kind=None), None, "lacks a kind or data"),
    (lambda page: page.update(data=[]), None, "lacks a kind or data"),
    (lambda page: page["data"].pop("status"), None, "lacks status"),
    (
        lambda page: page["data"].update(status="fine"),
        None,
        "status must be one of converged.*, and is 'fine'",
    ),
    (
        lambda page: page["data"].update(iterations=-1),
        None,
        "iterations must be a whole number >= 0, and is -1",
    ),
    (lambda page: page["data"].update(method=7), None, "method must be a string, and is 7"),
    (lambda page: page["data"].update(intercept="0"), None, "intercept must be a number, and is '0'"),
    (lambda page: page["data"].update(w=[0.0, 0.0]), None, r"w must be an array, and is \[0.0, 0.0\]"),
    (lambda page: page["data"].update(history=3), None, "history holds 3, not names"),
    (lambda page: page["data"]["certificate"].pop("dual"), None, "lacks certificate.dual"),
    (lambda page: page["data"]["w"].update(array="v"), None, "lacks the array 'v'"),
    (lambda page: None, {"w": None}, "lacks the array 'w'"),
    (
        lambda page: None,
        {"w": np.zeros(3)},
        r"the array 'w' of .* shape \(3,\), where <f8 of shape \[2\] was",
    ),
    (lambda page: None, {"w": np.zeros(2, "f4")}, "is float32 .*, where <f8"),
    (lambda page: None, {"w": np.array([{}, {}])}, "Object arrays cannot be loaded"),
    (
        lambda page: page["data"]["alpha"].update(shape=[5, 1]),
        {"alpha": np.zeros((5, 1))},
        r"alpha must be an array of shape \(any\), and is an array of float64 of shape \(5, 1\)",
    ),
    (
        lambda page: page["data"]["w"].update(shape=[2, 1]),
        {"w": np.zeros((2, 1))},
        r"alpha must be an array of shape \(any, 1\)",
    ),
    (
        lambda page: page["data"]["w"].update(dtype="<i8"),
        {"w": np.zeros(2, "i8")},
        "w must be an array of float64, and is an array of int64",
    ),
    (
        lambda page: page["data"]["history"]["primal"].update(shape=[1]),
        {"history.primal": np.zeros(1)},
        "history.primal must be an array of shape",
    ),
]


@pytest.mark.parametrize(("change", "arrays", "message"), PAGES, ids=[p[2][:30] for p in PAGES])
def test_what_does_not_fit_is_named(change, arrays, message, solution, tmp_path):
    pdprox.save(solution, tmp_path / "it.npz")
    rewritten(tmp_path / "it.npz", change, arrays)
    refused(tmp_path / "it.npz", message)


OBJECT_PAGES = [
    (lambda data: data.update({"class": "os.system"}), "names an unknown class: os.system"),
    (lambda data: data.update({"class": "losses.Loss"}), "names an unknown class: losses.Loss"),
    (lambda data: data.update({"class": "losses.Hinge"}), "gives losses.Hinge an unknown parameter: groups"),
    (
        lambda data: data.update({"class": "losses.Hinge", "parameters": {}}),
        "should hold a penalty, and holds Hinge",
    ),
    (lambda data: data.pop("parameters"), "lacks parameters"),
    (lambda data: data["parameters"].pop("groups"), "refuses: .*groups"),
    (lambda data: data["parameters"].update(weights=[-1.0, 1.0]), "refuses: weights must be >= 0"),
    (lambda data: data["parameters"].update(groups={"class": "x"}), "names an unknown class: x"),
    (lambda data: data["parameters"].update(groups={"class": 4}), "groups.class must be a string, and is 4"),
    (lambda data: data["parameters"].update(groups=None), "refuses: groups must be labels"),
]


@pytest.mark.parametrize(("change", "message"), OBJECT_PAGES, ids=[p[1][:35] for p in OBJECT_PAGES])
def test_only_known_classes_with_fitting_parameters_are_made(change, message, tmp_path):
    pdprox.save(penalties.GroupLasso([0, 1, 1]), tmp_path / "it.npz")
    rewritten(tmp_path / "it.npz", lambda page: change(page["data"]))
    refused(tmp_path / "it.npz", message)


BASES = (losses.Loss, penalties.Penalty, sets.ConvexSet, methods.Method)
JUNK = [
    None,
    True,
    -1,
    1e300,
    "junk",
    [],
    [[1.0], 2],
    {},
    {"float": "nan"},
    {"float": "x"},
    {"class": "losses.Hinge"},
]


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: repr(thing)[:40])
def test_junk_for_a_parameter_is_refused_or_taken(thing, tmp_path):
    path = tmp_path / "it.npz"
    pdprox.save(thing, path)
    whole = path.read_bytes()
    strange = 0
    for name in (field.name for field in dataclasses.fields(thing) if field.init):
        for junk in JUNK:
            path.write_bytes(whole)
            rewritten(
                path, lambda page, name=name, junk=junk: page["data"]["parameters"].update({name: junk})
            )
            try:
                assert isinstance(pdprox.load(path), BASES)
            except pdprox.FileError as error:
                strange += str(path) not in str(error)
    assert strange == 0, "every error names the file"


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "it.npz"
    path.write_bytes(b"")
    refused(path, "no file of pdprox: it is not a zip archive")
    path.write_text("w = 3")
    refused(path, "no file of pdprox: it is not a zip archive")
    np.savez(path, w=np.zeros(3))
    refused(path, "no file of pdprox: the archive holds no pdprox.json")
    pdprox.save(losses.Hinge(), path)
    rewritten(
        path, lambda page: page.update(data={"class": "losses.Hinge", "parameters": {}, "deep": nested(3)})
    )
    assert pdprox.load(path) == losses.Hinge()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "pdprox.json", '{"format": "pdprox", "version": 1, "kind": "loss", "data": ' + "[" * 99999
        )
    refused(path, "nested too deep")


def nested(depth):
    return [nested(depth - 1)] if depth else []


def test_paths_must_fit_together(tmp_path):
    X, y = data(losses.Hinge(), n=12, d=3)
    found = pdprox.path(Problem(X, y, lam=1.0), [0.1, 0.05], tol=1e-2)
    pdprox.save(found, tmp_path / "path.npz")
    rewritten(tmp_path / "path.npz", lambda page: page["data"]["solutions"].pop())
    refused(tmp_path / "path.npz", r"lams must be an array of shape \(1\)")
    other = quick(Problem(X[:, :2], y, lam=0.1))
    pdprox.save(dataclasses.replace(found, solutions=(found.solutions[0], other)), tmp_path / "path.npz")
    refused(tmp_path / "path.npz", r"coefficients of shapes \[\(2,\), \(3,\)\]")


def test_errors_of_the_system_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError):
        pdprox.load(tmp_path / "nothing.npz")
    with pytest.raises(IsADirectoryError):
        pdprox.load(tmp_path)
    with pytest.raises(TypeError, match=r"path must be the name of a file, .* got 3"):
        pdprox.load(3)


def test_a_folder_that_is_not_open_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *args: False)
    with pytest.raises(PermissionError, match=r"the folder .* is not open to you; choose another one"):
        pdprox.save(losses.Hinge(), tmp_path / "it.npz")


# -- the old file or the new one ------------------------------------------------------------------------------


@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace", "numpy.lib.format.write_array"])
@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()], ids=["disk", "ctrl-c"])
def test_what_fails_leaves_the_old_file_and_nothing_else(failing, error, tmp_path, monkeypatch):
    path = tmp_path / "it.npz"
    pdprox.save(penalties.GroupLasso([0, 0, 1]), path)

    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(failing, fail)
    with pytest.raises(type(error)):
        pdprox.save(penalties.GroupLasso([0, 1, 2]), path)
    monkeypatch.undo()
    assert pdprox.load(path) == penalties.GroupLasso([0, 0, 1])
    assert names(tmp_path) == ["it.npz"]


def test_the_file_has_the_rights_of_any_new_file_and_links_stay(tmp_path):
    (tmp_path / "plain").touch()
    (tmp_path / "link").symlink_to("model")
    pdprox.save(losses.Hinge(), tmp_path / "link")
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert (tmp_path / "link").is_symlink() and pdprox.load(tmp_path / "link") == losses.Hinge()


KILLED = """
import os, signal, sys, time, pathlib
import numpy as np, pdprox
from pdprox.penalties import L1

path = pathlib.Path(sys.argv[1])
pdprox.save(L1(np.full(20000, 0.5)), path)
cut, last = 0, 0
for round in range(15):
    child = os.fork()
    if not child:
        for number in range(1, 1000000):
            pdprox.save(L1(np.full(20000, float(number))), path)
    time.sleep(0.01 + 0.0013 * round)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    weights = pdprox.load(path).weights
    assert weights.shape == (20000,) and np.all(weights == weights[0])
    last = max(last, weights[0])
    drafts = list(path.parent.glob(".*.part"))
    cut += len(drafts)
    for draft in drafts:
        draft.unlink()
print(cut, last)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_killed_while_it_saves_leaves_a_whole_file(tmp_path):
    """Some are killed in the middle of writing, and others have written many files before."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "it.npz")],
        capture_output=True, text=True, check=False, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cut, last = map(float, done.stdout.split())
    assert cut >= 1 and last >= 2
