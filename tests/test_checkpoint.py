"""Checkpoints: interrupted runs go on to the answer of an undisturbed one, and never on another problem."""

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from functools import cached_property

import numpy as np
import pytest
import scipy.sparse as sp

import pdprox
from pdprox import Checkpoint, ConvergenceWarning, FileError, Problem, losses, methods, penalties, sets, solve
from pdprox.checks import check_samples
from pdprox.fingerprint import of, of_array


def data(n=150, d=12, targets=()):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    z = X @ rng.normal(size=(d, *targets)) * (np.arange(d) < 4)[:, None].any() + rng.normal(
        size=(n, *targets)
    )
    return X, z


def classes(n=150, d=12):
    X, z = data(n, d)
    return X, np.where(z > 0, 1.0, -1.0)


def cut_off(problem, path, max_iter, **options):
    with pytest.warns(ConvergenceWarning, match="'max_iter'"):
        return solve(problem, tol=1e-9, max_iter=max_iter, checkpoint=path, **options)


PROBLEMS = {
    "hinge": lambda: Problem(*classes(), "hinge", "squared-l2", lam=0.1),
    "hinge, no intercept": lambda: Problem(*classes(), "hinge", "squared-l2", lam=0.1, intercept=False),
    "pinball in the paper's form": lambda: Problem(
        *data(), losses.Pinball(0.3), penalties.ElasticNet(0.5), lam=0.1, dual_form="paper"
    ),
    "a budget": lambda: Problem(*classes(), "hinge", "squared-l2", lam=0.1, dual_set=sets.Budget(40.0)),
    "a set": lambda: Problem(*data(), "absolute", "squared-l2", lam=0.1, primal_set=sets.NonNegative()),
    "free coefficients": lambda: Problem(*data(), "huber", penalties.L1([0.0, 0.0] + 10 * [1.0]), lam=0.1),
    "several targets": lambda: Problem(*data(targets=(2,)), "l2-loss", penalties.L21(), lam=0.05),
    "several targets of classes": lambda: Problem(
        data()[0], np.sign(data(targets=(2,))[1]), "squared-hinge", "squared-l2", lam=0.1
    ),
    "weights": lambda: Problem(*classes(), "hinge", "squared-l2", lam=0.1, sample_weight=np.arange(150.0)),
    "shifted columns": lambda: Problem(
        pdprox.standardized(data()[0]), data()[1], "absolute", "squared-l2", lam=0.1
    ),
    "sparse": lambda: Problem(
        sp.csr_array(np.where(np.abs(data()[0]) > 1, data()[0], 0)),
        data()[1],
        "absolute",
        "squared-l2",
        lam=0.1,
    ),
}


@pytest.mark.parametrize("method", ["auto", "pdprox-restarted"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_resumed_run_ends_where_an_undisturbed_one_does(name, method, tmp_path):
    path, problem = tmp_path / "run.npz", PROBLEMS[name]()
    early = cut_off(problem, path, 4, method=method)
    late = solve(PROBLEMS[name](), tol=1e-9, method=method, checkpoint=path, resume_from=path)
    whole = solve(problem, tol=1e-9, method=method)
    assert late.converged and late.iterations >= early.iterations == 4
    assert late.certificate.primal == pytest.approx(whole.certificate.primal, rel=2e-9)
    audit = pdprox.certify(problem, late.w, late.intercept, late.alpha)
    assert audit.relative_gap <= 1e-9 * (1 + 1e-3)
    if isinstance(problem.penalty, penalties.SquaredL2):  # |w - w*|^2 <= 2 gap / lam, for either of them
        far = np.sqrt(2 * 2e-9 * whole.certificate.primal / problem.lam)
        assert np.linalg.norm(late.w - whole.w) <= 2 * far
    kept = pdprox.load(path).solution
    np.testing.assert_array_equal(kept.w, late.w)
    assert kept.status == "converged"


@pytest.mark.parametrize(
    "method",
    [*(m for m in methods.ALL if m not in (methods.Auto, methods.PdproxAccelerated))],
    ids=lambda m: m.__name__,
)
def test_every_method_goes_on(method, tmp_path):
    problem = PROBLEMS["hinge"]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        early = solve(problem, tol=1e-4, method=method(), max_iter=3, checkpoint=tmp_path / "run")
        late = solve(problem, tol=1e-4, method=method(), max_iter=300, resume_from=tmp_path / "run")
    assert 3 <= late.iterations <= 300
    assert late.certificate.primal <= early.certificate.primal * (1 + 1e-12)
    assert late.certificate.dual >= early.certificate.dual - 1e-12
    assert late.certificate.relative_gap < 0.5 * early.certificate.relative_gap or early.converged


def test_history_iterations_seconds_and_passes_count_on(tmp_path):
    problem, path = PROBLEMS["hinge"](), tmp_path / "run.npz"
    early = cut_off(problem, path, 30, method="pdprox-restarted")
    kept = pdprox.load(path)
    assert isinstance(kept, Checkpoint) and kept.solution.status == "max_iter"
    time.sleep(0.05)  # time between two runs is nobody's
    seen = []
    late = solve(problem, tol=1e-9, method="pdprox-restarted", resume_from=path, callback=seen.append)
    then, now = early.history, late.history
    for name in ("seconds", "passes", "iterations", "primal", "dual"):
        np.testing.assert_array_equal(getattr(now, name)[: len(then.seconds)], getattr(then, name))
    assert np.all(np.diff(now.seconds) >= 0) and np.all(np.diff(now.iterations) >= 0)
    assert np.all(np.diff(now.passes) > 0)
    assert np.all(np.diff(now.primal) <= 1e-14) and np.all(np.diff(now.dual) >= -1e-14)
    assert now.seconds[len(then.seconds)] < then.seconds[-1] + 0.05
    assert seen[0].iteration == 30 and seen[0].seconds >= kept.seconds and seen[0].passes > kept.passes
    assert seen[0].certificate.relative_gap == pytest.approx(early.certificate.relative_gap, rel=1e-9)


def test_limits_are_those_of_the_whole_run(tmp_path):
    problem, path = PROBLEMS["hinge"](), tmp_path / "run.npz"
    early = cut_off(problem, path, 20, method="pdprox-dual")
    same = cut_off(problem, path, 20, method="pdprox-dual", resume_from=path)
    assert same.iterations == early.iterations == 20
    assert same.certificate.relative_gap == pytest.approx(early.certificate.relative_gap, rel=1e-9)
    assert cut_off(problem, path, 25, method="pdprox-dual", resume_from=path).iterations == 25
    spent = pdprox.load(path).seconds
    with pytest.warns(ConvergenceWarning, match="'time_limit'"):
        late = solve(problem, tol=1e-9, method="pdprox-dual", resume_from=path, max_time=spent)
    assert late.iterations == 25
    easy = solve(problem, tol=0.9, method="pdprox-dual", resume_from=path)
    assert (easy.status, easy.iterations) == ("converged", 25)


def test_a_stalled_run_gets_another_chance(tmp_path):
    """It starts anew from its points; whether it stalls is told by what it does from then on."""
    problem, path = Problem(*classes(), "hinge", "l1", lam=0.02), tmp_path / "run.npz"
    with pytest.warns(ConvergenceWarning, match="'stalled'"):
        early = solve(problem, tol=0.0, checkpoint=path)
    with pytest.warns(ConvergenceWarning, match="'stalled'"):
        late = solve(problem, tol=0.0, resume_from=path)
    assert len(late.history.seconds) >= len(early.history.seconds) + 30


# -- when they are written ------------------------------------------------------------------------------------


def test_a_checkpoint_is_written_at_the_end_whatever_the_end(tmp_path):
    problem = Problem(*classes(), "hinge", "l1", lam=0.02)

    def ends(name, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = solve(problem, checkpoint=tmp_path / name, every=1e9, **options)
        kept = pdprox.load(tmp_path / name)
        assert found.status == kept.solution.status == name
        assert kept.solution.certificate == found.certificate
        np.testing.assert_array_equal(kept.solution.alpha, found.alpha)

    def press(report):
        if report.iteration >= 3:
            raise KeyboardInterrupt

    ends("converged", tol=1e-6)
    ends("max_iter", tol=1e-12, max_iter=2)
    ends("time_limit", tol=0.0, max_time=1e-9)
    ends("stalled", tol=0.0)
    ends("callback_stop", tol=0.0, callback=lambda report: True)
    ends("interrupted", tol=0.0, callback=press)


def test_they_are_written_at_audits_and_no_more_often_than_asked(tmp_path):
    problem, path = PROBLEMS["hinge"](), tmp_path / "run.npz"
    there, gaps = [], []

    def look(report):
        there.append(path.exists())
        if there[-1]:
            gaps.append(pdprox.load(path).solution.certificate.relative_gap)

    options = {"tol": 1e-6, "method": "pdprox-restarted", "checkpoint": path, "callback": look}
    found = solve(problem, every=0, **options)
    assert there == [False] + [True] * (len(found.history.seconds) - 1)
    np.testing.assert_array_equal(gaps, found.history.relative_gap[:-1])
    path.unlink()
    there.clear()
    solve(problem, **options)
    assert not any(there) and path.exists()


def test_an_error_in_a_callback_leaves_the_checkpoint_before(tmp_path):
    problem, path = PROBLEMS["hinge"](), tmp_path / "run.npz"

    def fail(report):
        if report.iteration >= 20:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        solve(problem, tol=0.0, method="pdprox-dual", checkpoint=path, every=0, callback=fail)
    assert 0 < pdprox.load(path).solution.iterations < 20
    assert solve(problem, tol=1e-2, method="pdprox-dual", resume_from=path).converged


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(tmp_path):
    problem, folder = PROBLEMS["hinge"](), tmp_path / "folder"
    folder.mkdir()

    def lose(report):
        if folder.exists() and report.iteration > 10:
            shutil.rmtree(folder)

    with pytest.warns(RuntimeWarning, match="no checkpoint could be written to .*run.npz: .*the run goes on"):
        found = solve(
            problem, checkpoint=folder / "run.npz", every=0, callback=lose, method="pdprox-restarted"
        )
    assert found.converged


def test_ctrl_c_within_the_first_audit_after_resuming(tmp_path, monkeypatch):
    problem, path = PROBLEMS["hinge"](), tmp_path / "run.npz"
    early = cut_off(problem, path, 5)
    feasible, calls = problem.samples.feasible, []

    def interrupted_once(*args):
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return feasible(*args)

    monkeypatch.setattr(problem.samples, "feasible", interrupted_once)
    late = solve(problem, checkpoint=path, resume_from=path)
    assert (late.status, late.iterations) == ("interrupted", early.iterations)
    assert late.certificate.relative_gap == pytest.approx(early.certificate.relative_gap, rel=1e-9)


def test_without_files_nothing_is_hashed(monkeypatch):
    problem = PROBLEMS["hinge"]()
    monkeypatch.setattr(problem.samples, "marks", None)
    assert solve(problem).converged


# -- killed for real ------------------------------------------------------------------------------------------

RUN = """
import sys, time
import numpy as np, pdprox

def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 30))
    y = np.where(X[:, 0] - X[:, 1] + rng.normal(size=400) > 0, 1.0, -1.0)
    return pdprox.Problem(X, y, "hinge", "squared-l2", lam=0.1)

if __name__ == "__main__":
    slowly = lambda report: time.sleep(0.05)  # so that it takes many seconds, wherever it runs
    pdprox.solve(problem(), 1e-13, "pdprox-restarted", checkpoint=sys.argv[1], every=0.02, callback=slowly)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_goes_on_in_another_process(tmp_path):
    path, names = tmp_path / "run.npz", {"__name__": "other"}
    child = subprocess.Popen([sys.executable, "-c", RUN, str(path)], env={**os.environ})
    while not path.exists() and child.poll() is None:
        time.sleep(0.01)
    child.kill()
    assert child.wait() == -signal.SIGKILL, "it was running when it was killed"
    kept = pdprox.load(path)
    assert kept.solution.certificate.relative_gap > 1e-6, "it was far from done"

    exec(RUN, names)
    problem = names["problem"]()
    resumed = solve(problem, 1e-13, "pdprox-restarted", checkpoint=path, resume_from=path)
    undisturbed = solve(problem, 1e-13, "pdprox-restarted")
    assert resumed.status == undisturbed.status == "converged"
    assert resumed.iterations > kept.solution.iterations
    assert resumed.certificate.primal == pytest.approx(undisturbed.certificate.primal, rel=1e-13)
    np.testing.assert_allclose(resumed.w, undisturbed.w, rtol=0, atol=1e-6)
    assert len(resumed.history.seconds) > len(kept.solution.history.seconds)
    np.testing.assert_array_equal(
        resumed.history.primal[: len(kept.solution.history.primal)], kept.solution.history.primal
    )


# -- never on another problem ---------------------------------------------------------------------------------

X, Z = data(40, 6)
Y = np.where(Z > 0, 1.0, -1.0)
ONE = np.ones(40)
PLAIN = {
    "X": X, "y": Y, "loss": losses.GeneralizedHinge(3.0), "penalty": penalties.L1(), "lam": 0.1, "intercept": True,
    "sample_weight": ONE, "primal_set": None, "dual_set": None, "dual_form": "compact",
}  # fmt: skip


def changed(array, place, value):
    other = array.copy()
    other[place] = value
    return other


OTHERS = [
    ("X", changed(X, (39, 5), np.nextafter(X[39, 5], 9)), "X differs, 40 x 6 float64 both times"),
    ("X", X[::-1], "X differs"),
    ("X", X[:, ::-1], "X differs"),
    ("X", X[:, :5], "X was 40 x 6 float64 and is 40 x 5 float64"),
    ("X", X.astype(np.float32), "X was 40 x 6 float64 and is 40 x 6 float32"),
    ("X", sp.csr_array(X), "X was 40 x 6 float64 and is 40 x 6 float64, sparse"),
    ("X", pdprox.ShiftedColumns(X), "X was 40 x 6 float64 and is 40 x 6 float64, columns shifted"),
    ("y", changed(Y, 7, -Y[7]), "y differs, 40 targets both times"),
    ("sample_weight", changed(ONE, 0, 2.0), "sample_weight differs, 40 weights both times"),
    (
        "loss",
        losses.GeneralizedHinge(2.5),
        r"loss was GeneralizedHinge\(a=3.0\) and is GeneralizedHinge\(a=2.5\)",
    ),
    ("loss", losses.Hinge(), r"loss was GeneralizedHinge\(a=3.0\) and is Hinge\(\)"),
    (
        "penalty",
        penalties.L1([1.0, 1, 1, 1, 1, 2]),
        r"penalty was L1\(weights=None\) and is L1\(weights=array",
    ),
    ("penalty", penalties.GroupLasso([0, 0, 1, 1, 2, 2]), r"penalty was .* and is GroupLasso"),
    ("lam", 0.10000000000000002, "lam was 0.1 and is 0.10000000000000002"),
    ("intercept", False, "intercept was True and is False"),
    ("primal_set", sets.NonNegative(), r"primal_set was None and is NonNegative\(\)"),
    ("dual_set", sets.Budget(9.0), "dual_set was None and is a budget of 9"),
    ("dual_form", "paper", "dual_form was compact and is paper"),
]


@pytest.fixture(scope="module")
def plain_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run.npz"
    solve(Problem(**PLAIN), tol=1e-3, checkpoint=path)
    return path


@pytest.mark.parametrize(
    ("part", "value", "message"), OTHERS, ids=[f"{o[0]} {n}" for n, o in enumerate(OTHERS)]
)
def test_a_checkpoint_of_another_problem_is_refused(part, value, message, plain_run):
    with pytest.raises(
        FileError, match=f"is a checkpoint of something else: {message}.*leave resume_from out"
    ) as e:
        solve(Problem(**{**PLAIN, part: value}), resume_from=plain_run)
    assert "; " not in str(e.value).split(". Give")[0], "one part differs, and one is named"


def test_all_that_differs_is_named(plain_run):
    with pytest.raises(FileError, match=r"lam was 0.1 and is 0.2; method was Auto\(\) and is PdproxDual\("):
        solve(Problem(**{**PLAIN, "lam": 0.2}), method="pdprox-dual", resume_from=plain_run)
    with pytest.raises(FileError, match=r"method was Auto\(\) and is PdproxRestarted\(.*smoothing=0.3"):
        solve(Problem(**PLAIN), method=methods.PdproxRestarted(smoothing=0.3), resume_from=plain_run)


SAME = [
    {"X": np.asfortranarray(X)},
    {"X": np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2]},
    {"X": X.tolist(), "y": Y.astype(int).tolist()},
    {"sample_weight": None},
    {"primal_set": sets.WholeSpace()},
    {"loss": losses.GeneralizedHinge(3)},
    {"penalty": "l1"},
    {"lam": np.float64(0.1)},
]


@pytest.mark.parametrize("parts", SAME, ids=lambda parts: str(list(parts)))
def test_the_same_problem_in_other_words_is_taken(parts, plain_run):
    assert solve(
        Problem(**{**PLAIN, **parts}), tol=1e-3, resume_from=plain_run, method=methods.Auto()
    ).converged


def test_the_paper_form_is_known_by_either_name(tmp_path):
    solve(Problem(**{**PLAIN, "dual_form": "paper"}), tol=1e-3, checkpoint=tmp_path / "run")
    wrapped = Problem(**{**PLAIN, "loss": losses.PaperForm(losses.GeneralizedHinge(3.0))})
    assert solve(wrapped, tol=1e-3, resume_from=tmp_path / "run").converged


# -- parts of your own ----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Late(losses.BrokenLineLoss):
    late: float = 3.0
    reads = "residual"
    kinks = (-1.0, 0.0)

    @property
    def slopes(self):
        return (-1.0, 0.0, self.late)


class Scaled(penalties.Penalty):
    def __init__(self, factor):
        self.factor = factor

    def value(self, w):
        return float(self.factor * np.abs(w).sum())

    def prox(self, v, step):
        return penalties.L1().prox(v, np.asarray(step) * self.factor)

    def conjugate(self, u):
        return 0.0 if np.abs(u).max() <= self.factor else np.inf


def test_losses_and_penalties_of_your_own(tmp_path):
    problem = Problem(X, Z, Late(), Scaled(2.0), lam=0.05)
    solve(problem, tol=1e-3, checkpoint=tmp_path / "run")
    assert solve(
        Problem(X, Z, Late(), Scaled(2.0), lam=0.05), tol=1e-4, resume_from=tmp_path / "run"
    ).converged
    with pytest.raises(
        FileError, match=r"loss was Late\(late=3.0\) and is Late\(late=2.0\); penalty .*Scaled"
    ):
        solve(Problem(X, Z, Late(2.0), Scaled(2.5), lam=0.05), resume_from=tmp_path / "run")


def test_parts_that_cannot_be_told_from_others_are_refused_before_the_run(tmp_path):
    problem = Problem(X, Z, "absolute", Scaled(2.0), lam=0.05)
    problem.penalty.memory = lambda w: w
    with pytest.raises(
        TypeError, match=r"must tell this penalty from others, but .*lambda.*make Scaled a dataclass"
    ):
        solve(problem, tol=1e-3, checkpoint=tmp_path / "run")
    assert not (tmp_path / "run").exists()


# -- hashes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2", "b1"])
@pytest.mark.parametrize(
    "shape", [(), (1,), (256,), (257,), (1000,), (3, 400000), (5000, 30), (4, 5, 6), (0,), (3, 0)]
)
def test_a_hash_sees_entries_shape_and_dtype_but_not_the_order_in_memory(shape, dtype):
    rng = np.random.default_rng(1)
    array = np.asarray(rng.integers(0, 2, size=shape)).astype(dtype)
    found = of_array(array)
    assert found == of_array(array.copy()) == of_array(np.array(array, order="F"))
    assert found == of_array(np.repeat(array, 2, axis=0)[::2]) if array.ndim else True
    assert found != of_array(array.astype("f8" if dtype != "f8" else "f4"))
    assert found != of_array(array[None])
    for place in rng.integers(0, array.size, size=5) if array.size else ():
        other = array.copy()
        other.flat[place] = not other.flat[place]
        assert found != of_array(other)


def test_hashes_of_shuffled_zeros_and_ones_differ():
    """Rows of few ones in other places, whose plain sums are the same."""
    rng = np.random.default_rng(2)
    ones = [np.sort(rng.permutation(200)[:3]) for _ in range(2000)]
    seen = {of_array((np.arange(200) == places[:, None]).any(axis=0).astype(float)[None]) for places in ones}
    assert len(seen) == len({tuple(places) for places in ones})


def test_hashes_of_parameters():
    different = [
        None, True, 1, 2.5, "1", "None", (1, 2), (2, 1), ((1,), 2), (), np.array([1.0, 2.0]), np.array([1, 2]),
        penalties.L1(), penalties.L1([1.0, 2.0]), losses.Hinge(), losses.SquaredHinge(), np.inf, -np.inf,
        penalties.GroupLasso([0, 1]), penalties.GroupLasso([0, 0]), penalties.PerGroup(penalties.L2(), [0, 1]),
    ]  # fmt: skip
    assert len({of(thing) for thing in different}) == len(different)
    assert of(1) == of(1.0) == of(np.float32(1)) == of(np.int64(1))
    assert of([1, 2]) == of((1, 2))
    with pytest.raises(TypeError, match="cannot be told from others"):
        of(np.array([{}]))


class Lazy:
    @cached_property
    def table(self):
        return [1, 2, 3]


def test_what_an_object_has_worked_out_does_not_count():
    one, other = penalties.GroupLasso([0, 0, 1]), penalties.GroupLasso([0, 0, 1])
    one.prox(np.ones(3), 0.1)
    assert of(one) == of(other)
    mine, yours = Lazy(), Lazy()
    assert mine.table is mine.table
    assert vars(mine) != vars(yours) and of(mine) == of(yours)


def test_marks_obey_the_laws_of_samples():
    for name in ("hinge", "sparse", "a budget"):
        check_samples(PROBLEMS[name]().samples)


# -- wrong options --------------------------------------------------------------------------------------------

BAD = [
    ({"checkpoint": 3}, TypeError, "checkpoint must be the name of a file, .* got 3"),
    ({"checkpoint": True}, TypeError, "checkpoint must be the name of a file, .* got True"),
    ({"resume_from": 1.5}, TypeError, "resume_from must be the name of a file, .* got 1.5"),
    ({"every": "often"}, TypeError, "every, .*, must be a number, got 'often'"),
    ({"every": True}, TypeError, "every, .*, must be a number, got True"),
    ({"every": -1.0}, ValueError, "every must be a number of seconds >= 0, got -1.0; 0 writes"),
    ({"every": np.nan}, ValueError, "every must be a number of seconds >= 0, got nan"),
    ({"checkpoint": "no/such/run.npz"}, FileNotFoundError, "there is no folder .*no/such; make it first"),
    ({"checkpoint": "."}, IsADirectoryError, "it is a folder; name a file in it"),
    ({"resume_from": "nothing.npz"}, FileNotFoundError, "nothing.npz"),
    ({"resume_from": "text"}, FileError, "text is no file of pdprox"),
    (
        {"resume_from": "solution"},
        FileError,
        "holds a solution, not a checkpoint; go on from it by warm_start",
    ),
    ({"resume_from": "loss"}, FileError, "holds a loss, not a checkpoint"),
    (
        {"resume_from": "text", "warm_start": (0, 0, None)},
        ValueError,
        "both say where to start; leave warm_start out",
    ),
]


@pytest.mark.parametrize(("options", "kind", "message"), BAD, ids=[b[2][:25] for b in BAD])
def test_wrong_options_are_named_before_the_run(options, kind, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problem = Problem(**PLAIN)
    (tmp_path / "text").write_text("hello")
    pdprox.save(solve(problem, tol=1e-2), "solution")
    pdprox.save(losses.Hinge(), "loss")
    with pytest.raises(kind, match=message):
        solve(problem, callback=lambda report: pytest.fail("the run began"), **options)
