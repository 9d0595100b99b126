"""The kernels mean what the dense formulas say, whatever the layout, the types and the threads."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from pdprox import _kernels as kernels
from pdprox._kernels import specification
from pdprox.losses.base import Line

INF = np.inf


def line(kinks, slopes, smoothing=0.0, margin=False):
    return Line(np.array(kinks, dtype=float), np.array(slopes, dtype=float), smoothing, margin)


LINES = {
    "hinge": line([1], [-1, 0], margin=True),
    "generalized hinge": line([0, 1], [-3, -1, 0], margin=True),
    "squared hinge": line([1], [-INF, 0], 0.5, margin=True),
    "absolute": line([0], [-1, 1]),
    "epsilon-insensitive": line([-0.1, 0.1], [-1, 0, 1]),
    "pinball": line([0], [-0.3, 0.7]),
    "square": line([0], [-INF, INF], 1.0),
    "huber": line([0], [-1, 1], 0.5),
    "many kinks": line(np.linspace(-1, 1, 9), np.linspace(-2, 3, 10)),
    "straight": line([], [0.5]),
}
HINGE = LINES["hinge"]


def sparse(values, index, pointer):
    def parts(A):
        S = csr_array(A)
        return (S.data.astype(values), S.indices.astype(index), S.indptr.astype(pointer), A.shape[1])

    return parts


LAYOUTS = {
    "C float64": np.ascontiguousarray,
    "F float64": np.asfortranarray,
    "C float32": lambda A: np.ascontiguousarray(A, dtype=np.float32),
    "F float32": lambda A: np.asfortranarray(A, dtype=np.float32),
    "CSR float64 int32": sparse(np.float64, np.int32, np.int32),
    "CSR float64 int64": sparse(np.float64, np.int64, np.int64),
    "CSR float32 int32": sparse(np.float32, np.int32, np.int32),
    "CSR float32 int64": sparse(np.float32, np.int64, np.int64),
    "CSR float64 int32 int64": sparse(np.float64, np.int32, np.int64),
    "CSR float32 int64 int32": sparse(np.float32, np.int64, np.int32),
}

# rows and columns around the lengths of registers, lines of cache and panels; the last ones use threads
SHAPES = [
    *((n, d) for n in (0, 1, 2, 3, 5, 8, 13) for d in (1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 54)),
    (70, 1), (1030, 3), (131, 200), (64, 513), (7, 1100), (3, 5000), (1500, 70), (40, 4000), (5000, 24),
]  # fmt: skip
SOME_SHAPES = [(1, 1), (3, 9), (1, 40), (70, 1), (131, 54), (40, 1000)]


def matrix(n, d, seed=0):
    """Half zeros, an empty row, numbers that float32 holds exactly."""
    rng = np.random.default_rng(seed)
    A = np.round(rng.normal(size=(n, d)) * 256) / 256 * (rng.random((n, d)) < 0.5)
    A[n // 2 : n // 2 + 1] = 0.0
    return A


def problem(n, d, seed=0):
    rng = np.random.default_rng(seed + 1)
    return {
        "w": rng.normal(size=d) / np.sqrt(d),
        "b": 0.25,
        "alpha": rng.uniform(-1, 0, n),
        "y": np.where(rng.random(n) < 0.5, -1.0, 1.0),
        "c": rng.random(n) / max(n, 1),
        "step": 0.5 + rng.random(n),
    }


def by_hand(A, w, b, alpha, y, c, line, step):
    """The kernel as it is written on paper, for a float64 matrix."""
    z = A @ w + b
    t = y * z if line.margin else z - y
    shrink = 1 + step * line.smoothing
    u, s = (alpha + step * t) / shrink, step / shrink
    a = np.full(len(y), line.slopes[0])
    for kink, slope in zip(line.kinks, line.slopes[1:], strict=True):
        a = np.maximum(a, np.minimum(u - s * kink, slope))
    theta = c * a * (y if line.margin else 1.0)
    return a, A.T @ theta, theta.sum(), (c * (a - alpha) ** 2).sum()


def run(X, line, halpern=None, kernel=kernels.sweep, **p):
    out = np.full(len(p["y"]), np.nan)
    return out, *kernel(X, line=line, out=out, halpern=halpern, **p)


def assert_close(got, wanted, scale=1.0):
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13 * scale)


def assert_same_sweep(got, wanted):
    for one, other in zip(got, wanted, strict=True):
        assert_close(one, other)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("margin", [True, False])
def test_all_shapes(layout, margin):
    for n, d in SHAPES:
        A, p = matrix(n, d), problem(n, d)
        X, line = LAYOUTS[layout](A), replace(LINES["epsilon-insensitive"], margin=margin)
        assert_same_sweep(run(X, line, **p), by_hand(A, line=line, **p))
        assert_close(kernels.forward(X, p["w"], p["b"]), A @ p["w"] + p["b"])
        assert_close(kernels.backward(X, p["c"]), A.T @ p["c"])


def test_all_instruction_sets():
    """Machines differ in the registers they have, not in what the kernels mean."""
    if not kernels.compiled:
        return
    names = kernels._compiled.instruction_sets
    try:
        for name in names:
            kernels._compiled.use(name)
            for layout in LAYOUTS:
                test_all_shapes(layout, margin=True)
    finally:
        kernels._compiled.use(names[0])
    with pytest.raises(ValueError, match="cannot run"):
        kernels._compiled.use("rows_abacus")


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_lines_and_steps(layout, name):
    for n, d in SOME_SHAPES:
        A, p = matrix(n, d), problem(n, d)
        for step in (p["step"], 0.7, 0.0, 2, np.float64(0.3)):
            p["step"] = step
            assert_same_sweep(run(LAYOUTS[layout](A), LINES[name], **p), by_hand(A, line=LINES[name], **p))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", LINES)
def test_kernels_match_their_specification(layout, name):
    A, p = matrix(131, 54), problem(131, 54)
    X = LAYOUTS[layout](A)
    assert_same_sweep(run(X, LINES[name], **p), run(X, LINES[name], kernel=specification.sweep, **p))


@pytest.mark.parametrize("name", LINES)
def test_dual_step_is_optimal(name):
    """a minimises step conj(a) + (a - u)^2 / 2 exactly when a is a slope of the line at the x it implies."""
    line, n = LINES[name], 400
    rng = np.random.default_rng(3)
    u, step = 3 * rng.normal(size=n), 0.1 + rng.random(n)
    p = {"w": np.zeros(1), "b": 0.0, "alpha": u, "y": np.zeros(n), "c": np.ones(n), "step": step}
    a = run(np.zeros((n, 1)), line, **p)[0]  # w = 0 and y = 0, so t = 0 and u = alpha
    x = (u - a) / step - line.smoothing * a
    assert np.all(line.slopes[np.searchsorted(line.kinks, x - 1e-9)] <= a + 1e-9)
    assert np.all(a - 1e-9 <= line.slopes[np.searchsorted(line.kinks, x + 1e-9)])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_halpern_step(layout):
    for n, d in SOME_SHAPES:
        A, p, following = matrix(n, d), problem(n, d), np.empty(n)
        anchor = np.linspace(-1, 1, n)
        out, *sums = run(LAYOUTS[layout](A), HINGE, (anchor, 0.8, following), **p)
        assert_same_sweep((out, *sums), by_hand(A, line=HINGE, **p))
        assert_close(following, 0.8 * (2 * out - p["alpha"]) + 0.2 * anchor)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_place(layout):
    A, p = matrix(131, 54), problem(131, 54)
    X, anchor, following = LAYOUTS[layout](A), np.linspace(-1, 1, 131), np.empty(131)
    wanted = run(X, HINGE, (anchor, 0.8, following), **p)

    alpha = p["alpha"].copy()
    sums = kernels.sweep(X, **{**p, "alpha": alpha}, line=HINGE, out=alpha)
    assert_same_sweep((alpha, *sums), wanted)

    alpha, out = p["alpha"].copy(), np.empty(131)
    sums = kernels.sweep(X, **{**p, "alpha": alpha}, line=HINGE, out=out, halpern=(anchor, 0.8, alpha))
    assert_same_sweep((out, *sums), wanted)
    assert_close(alpha, following)

    kernels.sweep(X, **p, line=HINGE, out=out, halpern=(anchor, 0.8, anchor))
    assert_close(anchor, following)


def test_inputs_stay_untouched():
    A, p = matrix(131, 54), problem(131, 54)
    copies = {name: np.copy(value) for name, value in p.items()}
    X = A.copy()
    run(X, HINGE, **p)
    np.testing.assert_array_equal(X, A)
    for name, value in copies.items():
        np.testing.assert_array_equal(p[name], value)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nan_comes_through(layout):
    """A NaN in w must not be clipped away: the caller would take garbage for a solution."""
    A, p = np.ones((20, 12)), problem(20, 12)
    p["w"][3] = np.nan
    for name in ("hinge", "squared hinge", "absolute", "square"):
        out, g, gb, moved = run(LAYOUTS[layout](A), LINES[name], **p)
        assert np.isnan(out).all() and np.isnan(g).all() and np.isnan(gb) and np.isnan(moved)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_threads(layout):
    """Same number of threads, same bits; another number, another rounding; threadpoolctl decides."""
    n, d = 4001, 100
    A, p = matrix(n, d), problem(n, d)
    X, bits = LAYOUTS[layout](A), set()
    wanted = by_hand(A, line=HINGE, **p)
    for threads in (1, 2, 3, 7):
        with threadpool_limits(threads):
            sweeps = [run(X, HINGE, **p) for _ in range(5)]
            assert_same_sweep(sweeps[0], wanted)
            assert len({b"".join(np.asarray(part).tobytes() for part in sweep) for sweep in sweeps}) == 1
            g = kernels.backward(X, p["c"])
            assert_close(g, A.T @ p["c"])
            assert g.tobytes() == kernels.backward(X, p["c"]).tobytes()
            assert_close(kernels.forward(X, p["w"], p["b"]), A @ p["w"] + p["b"])
            bits.add(sweeps[0][1].tobytes())
    threaded = kernels.compiled and kernels._compiled.openmp
    assert len(bits) == (4 if threaded else 1)


def test_more_threads_than_the_pool_takes():
    X = np.ones((90_000, 100), dtype=np.float32)
    with threadpool_limits(300):
        assert_close(kernels.forward(X, np.full(100, 0.5), 1.0), 51.0)
        assert_close(kernels.backward(X, np.full(90_000, 0.5)), 45_000.0)


AFTER_A_FORK = """
import os
import numpy as np
from threadpoolctl import threadpool_limits
from pdprox import _kernels as kernels

X, theta = np.ones((4000, 100)), np.ones(4000)
with threadpool_limits(3):
    kernels.backward(X, theta)
    child = os.fork()
    assert (kernels.backward(X, theta) == 4000).all()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_threads_after_a_fork():
    """The child has none of the threads of its parent, and does not wait for them."""
    subprocess.run([sys.executable, "-c", AFTER_A_FORK], check=True, timeout=60)


def test_unbalanced_rows_in_threads():
    """One row holds nearly all entries, so most threads find nothing to do."""
    n, d = 50, 200_000
    rows = [np.arange(d) if i == 20 else np.array([i]) for i in range(n)]
    indptr = np.cumsum([0] + [len(row) for row in rows])
    X = (np.ones(indptr[-1]), np.concatenate(rows), indptr, d)
    A, p = csr_array(X[:3], shape=(n, d)), problem(n, d)
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            assert_same_sweep(run(X, HINGE, **p), by_hand(A, line=HINGE, **p))


def test_calls_from_many_threads():
    """The interpreter is released, and kernels called side by side do not meet."""
    A, p = matrix(2000, 50), problem(2000, 50)
    wanted, failures = by_hand(A, line=HINGE, **p), []

    def work():
        for _ in range(20):
            try:
                assert_same_sweep(run(A, HINGE, **p), wanted)
            except AssertionError as error:
                failures.append(error)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_read_only_memory_map(tmp_path):
    A, p = matrix(131, 54), problem(131, 54)
    np.save(tmp_path / "X.npy", A)
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    for value in p.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    assert_same_sweep(run(X, HINGE, **p), by_hand(A, line=HINGE, **p))
    assert_close(kernels.backward(X, p["c"]), A.T @ p["c"])


def test_misaligned_memory():
    """Arrays may start anywhere that suits a double."""
    A, p = matrix(131, 56), problem(131, 56)
    for dtype in (np.float64, np.float32):
        for shift in range(17):
            buffer = np.zeros(A.size + shift, dtype=dtype)
            X = buffer[shift:].reshape(A.shape)
            X[:] = A
            assert_same_sweep(run(X, HINGE, **p), by_hand(A, line=HINGE, **p))


def test_many_calls_keep_no_memory():
    n, d = 100, 20_000  # a lost g would be 160 kB
    dense, p = matrix(n, d), problem(n, d)
    X = LAYOUTS["CSR float64 int32"](dense[:, :200])
    X = (*X[:3], d)
    out, theta = np.empty(n), np.ones(n)

    def calls(times):
        for _ in range(times):
            kernels.sweep(X, **p, line=HINGE, out=out, halpern=(theta, 0.5, np.empty(n)))
            kernels.forward(X, p["w"])
            kernels.backward(X, theta)
            with pytest.raises(ValueError, match="shape"):
                kernels.backward(X, theta[1:])
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = calls(1000)  # a sanitizer holds back 256 MB of what is freed
    assert calls(1500) <= before * 1.05 + 8 * 1024


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer keeps what is freed")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_thousand_calls_lose_not_one_byte_each(layout):
    n, d = 300, 40
    X, p = LAYOUTS[layout](matrix(n, d)), problem(n, d)
    out, following, theta = np.empty(n), np.empty(n), np.ones(n)

    def calls(times):
        for _ in range(times):
            kernels.sweep(X, **p, line=HINGE, out=out)
            kernels.sweep(X, **p, line=HINGE, out=out, halpern=(theta, 0.5, following))
            kernels.forward(X, p["w"])
            kernels.backward(X, theta)
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    before = calls(200)
    assert calls(1000) - before < 64 * 1024  # a lost reference would be 48 bytes and more, four times a call


def changed(**changes):
    """Arguments of a good call with some of them replaced."""
    arguments = {"X": matrix(6, 4), **problem(6, 4), "line": HINGE, "out": np.empty(6), "halpern": None}
    for name, change in changes.items():
        arguments[name] = change(arguments) if callable(change) else change
    return arguments


def csr_with(**parts):
    good = dict(
        zip(("data", "indices", "indptr", "d"), LAYOUTS["CSR float64 int32"](matrix(6, 4)), strict=True)
    )
    return tuple({**good, **parts}.values())


WRONG = [
    (TypeError, "float32 or float64", changed(X=np.ones((6, 4), dtype=int))),
    (TypeError, "float32 or float64", changed(X=np.ones((6, 4), dtype=">f8"))),
    (TypeError, "an array or", changed(X=[[1.0]])),
    (ValueError, "two dimensions", changed(X=np.ones(6))),
    (ValueError, "contiguous", changed(X=np.ones((12, 8))[::2, ::2])),
    (TypeError, "data must be", changed(X=csr_with(data=np.ones(3, dtype=int)))),
    (TypeError, "indices must be", changed(X=csr_with(indices=np.ones(3)))),
    (TypeError, "indptr must be", changed(X=csr_with(indptr=[0, 1]))),
    (ValueError, "indptr does not fit", changed(X=csr_with(indptr=np.full(7, 100)))),
    (ValueError, "indptr does not fit", changed(X=csr_with(indices=np.zeros(1, dtype=np.int32)))),
    (ValueError, "indptr does not fit", changed(X=csr_with(indptr=np.zeros(0, dtype=np.int32)))),
    (ValueError, "dimension", changed(X=csr_with(data=np.ones((2, 2))))),
    (TypeError, "w must be", changed(w=np.ones(4, dtype=np.float32))),
    (TypeError, "w must be", changed(w=[1.0, 2.0, 3.0, 4.0])),
    (ValueError, r"w must have shape \(4,\), got \(5,\)", changed(w=np.ones(5))),
    (ValueError, "alpha must have shape", changed(alpha=np.ones(5))),
    (ValueError, "y must have shape", changed(y=np.ones((6, 1)))),
    (ValueError, "c must be contiguous", changed(c=np.ones(12)[::2])),
    (TypeError, "step must be", changed(step="fast")),
    (ValueError, "step must have shape", changed(step=np.ones(1))),
    (ValueError, "slopes must have shape", changed(line=replace(HINGE, kinks=np.array([0.0, 1.0])))),
    (TypeError, "kinks must be", changed(line=replace(HINGE, kinks=np.array([1])))),
    (ValueError, "out must have shape", changed(out=np.empty(5))),
    (ValueError, "out shares memory", changed(out=lambda p: p["y"])),
    (ValueError, "out shares memory", changed(out=lambda p: p["alpha"][:])),
    (ValueError, "out shares memory", changed(out=lambda p: p["X"].ravel()[:6])),
    (ValueError, "out shares memory", changed(out=lambda p: p["step"])),
    (ValueError, "out is read-only", changed(out=np.frombuffer(bytes(48)))),
    (ValueError, "next must have shape", changed(halpern=(np.ones(6), 0.5, np.ones(5)))),
    (ValueError, "anchor must have shape", changed(halpern=(np.ones(5), 0.5, np.ones(6)))),
    (ValueError, "out shares memory", changed(halpern=lambda p: (np.ones(6), 0.5, p["out"]))),
    (ValueError, "out shares memory", changed(halpern=lambda p: (p["out"], 0.5, np.ones(6)))),
    (ValueError, "next shares memory", changed(halpern=lambda p: (np.ones(6), 0.5, p["c"]))),
]


@pytest.mark.parametrize(("error", "message", "arguments"), WRONG)
def test_wrong_arguments(error, message, arguments):
    """Refused before any work is done."""
    before = arguments["out"].copy()
    with pytest.raises(error, match=message):
        kernels.sweep(**arguments)
    np.testing.assert_array_equal(arguments["out"], before)


def test_wrong_arguments_of_products():
    X = matrix(6, 4)
    with pytest.raises(ValueError, match=r"w must have shape \(4,\)"):
        kernels.forward(X, np.ones(6))
    with pytest.raises(ValueError, match=r"theta must have shape \(6,\)"):
        kernels.backward(X, np.ones(4))
