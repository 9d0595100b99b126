"""The race's peers solve the problem they are given: each one's objective is that of an independent solver."""

import math
import multiprocessing
import os
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from pdprox import Problem, certify, losses, penalties

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

RACE = Path(__file__).resolve().parent.parent / "benchmarks" / "race"
GROUPS = np.repeat(np.arange(4), 3)
LOSSES = {
    "hinge": losses.Hinge(),
    "pinball": losses.Pinball(0.8),
    "absolute": losses.Absolute(),
    "eps": losses.EpsilonInsensitive(0.3),
}
PENALTIES = {
    "l1": (penalties.L1,),
    "l2": (penalties.SquaredL2,),
    "group": (penalties.GroupLasso, GROUPS),
    "sparse_group": (penalties.SparseGroupLasso, GROUPS, 0.5),
    "square": (penalties.SquaredSumOfNorms, GROUPS),
}
PROBLEMS = [
    *((loss, "l1") for loss in LOSSES),
    *((loss, "l2") for loss in ("hinge", "eps")),
    *((loss, penalty) for loss in ("hinge", "pinball", "eps") for penalty in ("group", "sparse_group")),
    ("hinge", "square"),
]
SHAPES = ((40, 12), (8, 12))  # linear programs have one form for each
CASES = [
    (loss, penalty, shape)
    for loss, penalty in PROBLEMS
    for shape in (SHAPES if penalty == "l1" and loss != "absolute" else SHAPES[:1])
]
#: how near each peer gets; the others are held to 1e-6
NEAR = {"sgd": 0.2, "asgl": 1e-5, "rehline": 1e-5}


def data(loss, n, d):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    z = X[:, 0] - X[:, 3] + 0.5 + rng.standard_normal(n)
    return X, np.where(z > 0, 1.0, -1.0) if loss == "hinge" else z


def lam_of(penalty):
    return 0.2 if penalty in ("l2", "square") else 0.05


def answers_of_all():
    """What each peer answers to each problem.  Called in a fresh process: OR-tools does not load beside cvxpy."""
    warnings.simplefilter("ignore")
    os.environ["PDPROX_RACE_LIMITS"] = "60,1,1"
    os.environ["PDPROX_RACE_BOARD"] = str(Path(tempfile.mkdtemp()) / "board.csv")
    from benchopt.benchmark import Benchmark

    benchmark, answers = Benchmark(RACE, no_cache=True), {}
    from benchmark_utils.instance import Instance

    ((skglm, _),) = benchmark.check_solver_patterns(["skglm"])
    first = Instance("tiny", *data("pinball", *SHAPES[0]), LOSSES["pinball"], "l1", 0.1, True)
    if not skglm.get_instance().skip(first)[0]:
        skglm.get_instance().convert(first)  # compiled once, for all the processes that are forked
    for case in CASES:
        loss, penalty, shape = case
        fit = (LOSSES[loss], penalty, lam_of(penalty), penalty != "l2", GROUPS)
        tiny = Instance("tiny", *data(loss, *shape), *fit)
        for cls in benchmark.get_solvers():
            name, values = next(iter(cls.parameters.items()), (None, [None]))
            for value in values:
                peer = cls.get_instance(**({name: value} if name else {}))
                if peer.skip(tiny)[0] or value == "optimal":  # sgd's other schedule is translated alike
                    continue
                peer.set_objective(tiny)
                peer.run(peer.tolerances[-1])
                result = peer.get_result()
                found = result["found"]
                told = (found.w, found.intercept, found.alpha) if found else result["note"]
                answers.setdefault(case, {})[str(peer)] = told
                if found and found.cut and not peer.over:
                    answers.setdefault("cut", []).append((case, str(peer)))
    return answers


@pytest.fixture(scope="module")
def answers():
    pytest.importorskip("benchopt", reason="the race needs the extra `bench`")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as fresh:
        return fresh.submit(answers_of_all).result()


@pytest.mark.parametrize(("loss", "penalty", "shape"), CASES)
def test_every_translation_is_exact(answers, loss, penalty, shape):
    """The primal value of each peer's tightest run is the optimum; so is its dual value, if it has duals."""
    from oracle import grouped, optimum

    make, *arguments = PENALTIES[penalty]
    told = grouped(make, *arguments) if arguments else make()
    X, y = data(loss, *shape)
    fit = (X, y, LOSSES[loss], told, lam_of(penalty), penalty != "l2")
    expected, problem = optimum(*fit), Problem(*fit)
    assert len(answers[loss, penalty, shape]) >= 2
    for peer, answer in answers[loss, penalty, shape].items():
        assert not isinstance(answer, str), f"{peer}: {answer}"
        near = NEAR.get(peer.split("[")[0], 1e-6)
        certificate = certify(problem, *answer)
        assert math.isclose(certificate.primal, expected, rel_tol=near, abs_tol=near), peer
        if answer[2] is not None:  # some keep their duals to themselves
            assert math.isclose(certificate.dual, expected, rel_tol=near, abs_tol=10 * near), peer


def test_no_peer_is_stopped_by_a_number_of_passes(answers):
    """A peer that is cut short while there is time would be shown as failing, and it is not."""
    assert "cut" not in answers


def test_a_cut_run_is_run_longer():
    """The number of passes grows until the run ends by itself."""
    pytest.importorskip("benchopt", reason="the race needs the extra `bench`")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as fresh:
        few, many = fresh.submit(passes_of_liblinear).result()
    assert few is False and many is False


def passes_of_liblinear():
    """Whether liblinear ends cut when it may take 1000 passes at first, and when it may take 2."""
    warnings.simplefilter("ignore")
    os.environ["PDPROX_RACE_LIMITS"] = "60,5,5"
    os.environ["PDPROX_RACE_BOARD"] = str(Path(tempfile.mkdtemp()) / "board.csv")
    from benchopt.benchmark import Benchmark

    benchmark, cut = Benchmark(RACE, no_cache=True), []
    from benchmark_utils.instance import Instance

    for passes in (1000, 2):
        ((cls, _),) = benchmark.check_solver_patterns(["liblinear"])
        peer = cls.get_instance()
        peer.passes = passes
        peer.set_objective(Instance("tiny", *data("hinge", 40, 12), LOSSES["hinge"], "l2", 0.02, False))
        peer.run(1e-6)
        cut.append(peer.found.cut)
    return cut
