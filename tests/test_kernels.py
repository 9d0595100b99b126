"""The kernels mean what the dense formulas say, whatever the layout, the types and the threads."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
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


# --- augmented losses: what Newton's method asks of vectors alone ------------------------------------------

#: around the registers; one below the length from which threads share the work, and some far above
LENGTHS = (0, 1, 7, 8, 9, 131)
LONG = (2**15 - 1, 2**16 + 3, 3 * 2**15 + 13)


def surroundings(line, n, seed=0):
    """Predictions far and near, some dual variables that are slopes of the line, some weights 0."""
    rng = np.random.default_rng(seed + 2)
    slopes = line.slopes[np.isfinite(line.slopes)]
    alpha = rng.uniform(-1, 1, n)
    settled = rng.random(n) < (0.6 if slopes.size else 0.0)
    alpha[settled] = rng.choice(slopes, np.count_nonzero(settled)) if slopes.size else alpha[settled]
    return {
        "z": 2 * rng.normal(size=n),
        "y": np.where(rng.random(n) < 0.5, -1.0, 1.0),
        "alpha": alpha,
        "c": rng.random(n) * (rng.random(n) < 0.9) / max(n, 1),
        "line": line,
        "step": 0.7,
    }


def augment(kernel=kernels.augmented, **p):
    """a, theta, weights and moved."""
    a, theta, weights = (np.full(len(p["z"]), np.nan) for _ in range(3))
    moved = kernel(**p, out=a, theta=theta, weights=weights)
    return a, theta, weights, moved


def argument(line, z, y):
    return y * z if line.margin else z - y


def augmented_losses(a, line, z, y, alpha, step):
    """psi_i, but for a constant, if a maximises: the conjugate of a broken line is the best of its kinks."""
    heights = np.concatenate([[0.0], np.cumsum(np.diff(line.kinks) * line.slopes[1:-1])])
    conjugate = 0.5 * line.smoothing * a**2
    if line.kinks.size:
        conjugate = conjugate + np.max(np.outer(a, line.kinks) - heights, axis=1)
    return a * argument(line, z, y) - conjugate - (a - alpha) ** 2 / (2 * step)


def room_of(z, y, alpha, line, **_):
    return kernels.room(z, y, alpha, line)


@pytest.mark.parametrize("name", LINES)
def test_augmented_losses_match_their_specification(name):
    for n in LENGTHS:
        p = surroundings(LINES[name], n)
        for step in (0.7, 0.0, 2, np.float64(30.0)):
            p["step"] = step
            for one, other in zip(augment(**p), augment(specification.augmented, **p), strict=True):
                assert_close(one, other)
            dz = np.random.default_rng(n).normal(size=n)
            for length in (0.0, 0.3, -2):
                wanted = specification.along(dz=dz, length=length, **p)
                assert_close(kernels.along(dz=dz, length=length, **p), wanted)
        found, stuck = room_of(**p)
        wanted = np.empty(n)
        assert stuck == specification.room(p["z"], p["y"], p["alpha"], p["line"], wanted)
        assert_close(found, wanted)


@pytest.mark.parametrize("name", LINES)
def test_augmented_slopes_are_the_best(name):
    """No slope of the line nearby makes the augmented loss larger; the step is that of a sweep."""
    p = surroundings(LINES[name], 400)
    a, *_, moved = augment(**p)
    plain = {key: p[key] for key in ("line", "z", "y", "alpha", "step")}
    best = augmented_losses(a, **plain)
    for change in (-0.1, -1e-3, 1e-3, 0.1):
        other = np.clip(a + change, p["line"].slopes[0], p["line"].slopes[-1])
        assert np.all(augmented_losses(other, **plain) <= best + 1e-12)
    X, at_one = p.pop("z")[:, None], {"w": np.ones(1), "b": 0.0}
    swept, _, _, moved_too = run(X, **at_one, **p)
    assert_close(a, swept)
    assert_close(moved, moved_too)


@pytest.mark.parametrize("name", LINES)
def test_theta_and_weights_are_derivatives_of_augmented_losses(name):
    p, h = surroundings(LINES[name], 400), 1e-5
    _, theta, weights, _ = augment(**p)
    ends = {}
    for side in (-1, 1):
        moved = {**p, "z": p["z"] + side * h}
        a, slope, rate, _ = augment(**moved)
        values = augmented_losses(a, p["line"], moved["z"], p["y"], p["alpha"], p["step"])
        ends[side] = p["c"] * values, slope, rate
    first, second = ((ends[1][k] - ends[-1][k]) / (2 * h) for k in (0, 1))
    np.testing.assert_allclose(first, theta, atol=1e-7)
    smooth = ends[1][2] == ends[-1][2]  # else a kink of the slope is near
    assert np.count_nonzero(smooth) > 390
    np.testing.assert_allclose(second[smooth], weights[smooth], atol=1e-9)


@pytest.mark.parametrize("name", LINES)
def test_along_has_the_derivatives_of_the_augmented_losses(name):
    p, h, length = surroundings(LINES[name], 400), 1e-5, 0.4
    dz = np.random.default_rng(5).normal(size=400)

    def total(at):
        moved = {**p, "z": p["z"] + at * dz}
        values = augmented_losses(augment(**moved)[0], p["line"], moved["z"], p["y"], p["alpha"], p["step"])
        return float(p["c"] @ values)

    first, second = kernels.along(dz=dz, length=length, **p)
    assert (total(length + h) - total(length - h)) / (2 * h) == pytest.approx(first, abs=1e-7)
    _, theta, weights, _ = augment(**{**p, "z": p["z"] + length * dz})
    assert_close((first, second), (theta @ dz, weights @ dz**2))


@pytest.mark.parametrize("name", LINES)
def test_within_its_room_a_sample_keeps_its_slope(name):
    p = surroundings(LINES[name], 2000)
    line, alpha = p["line"], p["alpha"]
    found, stuck = room_of(**p)
    assert stuck == np.count_nonzero(found < 0)
    held = found >= 0
    assert np.any(held) or not np.any(np.isfinite(line.slopes)), "nothing to test"
    limited = held & np.isfinite(found)
    reach, kept = np.where(limited, found, 0.0), {}
    for share in (0.0, 0.99, -0.99, 1.01, -1.01):
        kept[share] = np.isclose(augment(**{**p, "z": p["z"] + share * reach})[0], alpha, rtol=0, atol=1e-14)
    assert np.all((kept[0.99] & kept[-0.99])[held])
    assert not np.any((kept[1.01] & kept[-1.01])[limited & (found > 1e-9)])
    between = np.all(np.abs(alpha[:, None] - line.slopes) > 1e-9, axis=1)
    assert np.all(found[between] == -INF)
    assert not np.any(kept[0.0][~held & ~between])


@pytest.mark.parametrize("n", LONG)
@pytest.mark.parametrize("name", ["hinge", "epsilon-insensitive", "huber"])
def test_augmented_losses_in_threads(name, n):
    """Same number of threads, same bits; another number, another rounding of the sums."""
    p = surroundings(LINES[name], n)
    dz = np.random.default_rng(6).normal(size=n)
    wanted = (*augment(specification.augmented, **p), *specification.along(dz=dz, length=0.3, **p))
    wanted_room = np.empty(n)
    stuck = specification.room(p["z"], p["y"], p["alpha"], p["line"], wanted_room)
    for threads in (1, 2, 3, 7):
        with threadpool_limits(threads):
            results = [(*augment(**p), *kernels.along(dz=dz, length=0.3, **p)) for _ in range(3)]
            for one, other in zip(results[0], wanted, strict=True):
                assert_close(one, other)
            assert len({b"".join(np.asarray(part).tobytes() for part in result) for result in results}) == 1
            found, count = room_of(**p)
            assert count == stuck
            assert_close(found, wanted_room)


def test_augmented_losses_in_place():
    p = surroundings(HINGE, 131)
    a, theta, weights, moved = augment(**p)
    alpha, others = p["alpha"].copy(), (np.empty(131), np.empty(131))
    same = kernels.augmented(**{**p, "alpha": alpha}, out=alpha, theta=others[0], weights=others[1])
    for one, other in zip((alpha, *others, same), (a, theta, weights, moved), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["hinge", "squared hinge", "absolute", "square"])
def test_nan_comes_through_augmented_losses(name):
    for n in (8, 9):  # in a register and behind it
        p = surroundings(LINES[name], n)
        p["z"][-1], p["c"][-1] = np.nan, 1.0
        a, theta, _, moved = augment(**p)
        assert np.isnan(a[-1]) and np.isnan(theta[-1]) and np.isnan(moved)
        assert not np.isnan(a[:-1]).any()
        assert np.isnan(kernels.along(dz=np.ones(n), length=1.0, **p)[0])
        found, stuck = room_of(**p)
        assert found[-1] == -INF and stuck >= 1


# --- curvature ---------------------------------------------------------------------------------------------

#: widths around the tiles of H, rows around the blocks that are packed together
CURVED_SHAPES = [
    *((n, d) for n in (0, 1, 40) for d in (1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 33, 54)),
    (520, 3), (1100, 20), (60, 130), (30, 400),
]  # fmt: skip
SOME_CURVED_SHAPES = [(1, 1), (40, 7), (9, 17), (40, 33), (1100, 20)]


def signed(n, seed=0):
    """Both signs, some 0."""
    rng = np.random.default_rng(seed + 3)
    return rng.normal(size=n) * (rng.random(n) < 0.7)


def choices(d, seed=0):
    """All columns, none, the last, and some."""
    rng = np.random.default_rng(seed + 4)
    some = np.flatnonzero(rng.random(d) < 0.4)
    return [None, np.arange(d), np.zeros(0, np.intp), np.array([d - 1]), some]


def assert_curvature(X, A, h, columns):
    H, mixed, total = kernels.curvature(X, h, columns)
    chosen = A if columns is None else A[:, columns]
    scale = 1 + np.abs(h) @ np.square(A).max(axis=1, initial=0.0)
    assert_close(H, chosen.T @ (h[:, None] * chosen), scale)
    assert_close(mixed, chosen.T @ h, scale)
    assert_close(total, h.sum(), scale)
    assert H.flags.c_contiguous


def check_curvature(layout, shapes):
    for n, d in shapes:
        A, h = matrix(n, d), signed(n)
        X = LAYOUTS[layout](A)
        for columns in choices(d):
            assert_curvature(X, A, h, columns)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_curvature(layout):
    check_curvature(layout, CURVED_SHAPES)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_curvature_matches_its_specification(layout):
    A, h = matrix(131, 54), signed(131)
    X = LAYOUTS[layout](A)
    for columns in choices(54):
        width = 54 if columns is None else len(columns)
        H, mixed = np.full((width, width), np.nan), np.full(width, np.nan)
        total = specification.curvature(X, h, columns, H, mixed)
        for one, other in zip(kernels.curvature(X, h, columns), (H, mixed, total), strict=True):
            assert_close(one, other, 100.0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_curvature_without_rows_that_count(layout):
    X = LAYOUTS[layout](matrix(40, 17))
    for columns in choices(17):
        H, mixed, total = kernels.curvature(X, np.zeros(40), columns)
        assert not H.any() and not mixed.any() and total == 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_curvature_in_threads(layout):
    """Same number of threads, same bits; another number, another rounding."""
    n, d = 2001, 60
    A, h = matrix(n, d), signed(n)
    X, bits = LAYOUTS[layout](A), set()
    for threads in (1, 2, 3, 7):
        with threadpool_limits(threads):
            for columns in (None, np.arange(3, d, 2)):
                assert_curvature(X, A, h, columns)
            results = [kernels.curvature(X, h) for _ in range(3)]
            found = {b"".join(np.asarray(part).tobytes() for part in result[:2]) for result in results}
            assert len(found) == 1
            bits |= found
    if kernels.compiled:  # else BLAS decides
        assert len(bits) == (4 if kernels._compiled.openmp else 1)


def test_newton_kernels_on_all_instruction_sets():
    if not kernels.compiled:
        return
    names = kernels._compiled.instruction_sets
    try:
        for name in names:
            kernels._compiled.use(name)
            for layout in LAYOUTS:
                check_curvature(layout, SOME_CURVED_SHAPES)
            for line in LINES:
                test_augmented_losses_match_their_specification(line)
                test_within_its_room_a_sample_keeps_its_slope(line)
            test_augmented_losses_in_threads("hinge", LONG[1])
    finally:
        kernels._compiled.use(names[0])


# --- descent on a charged quadratic ------------------------------------------------------------------------


def parted(sizes, charges, squared=False, seed=0):
    """Groups of these sizes, their members mixed up."""
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    members = np.random.default_rng(seed + 5).permutation(starts[-1]).astype(np.intp)
    return starts, members, np.array(charges, dtype=float), squared


P = 14
GROUPS = {
    "none": (),
    "singletons": parted([1] * P, np.linspace(0.0, 0.6, P)),
    "sizes": parted([1, 4, 2, 6, 1], [0.3, 0.9, 0.0, 2.0, 0.1]),
    "one": parted([P], [1.5]),
    "squared": parted([1, 4, 2, 6, 1], [0.3, 0.9, 0.1, 1.2, 0.0], squared=True),
    "squared singletons": parted([1] * P, np.linspace(0.1, 0.5, P), squared=True),
}
SINGLE = {
    "free": np.zeros(P),
    "charged": np.linspace(0.0, 0.5, P),
}
RIDGE = {
    "flat": np.zeros(P),
    "round": np.linspace(0.7, 0.0, P),
}


def quadratic(seed=0):
    """Q of correlated columns, q, and a point with zeros."""
    rng = np.random.default_rng(seed + 6)
    B = rng.normal(size=(60, P)) + rng.normal(size=(60, 1))
    return B.T @ B / 60, rng.normal(size=P), rng.normal(size=P) * (rng.random(P) < 0.7)


def charged(Q, q, single, ridge, groups, w):
    total = 0.5 * w @ Q @ w + q @ w + single @ np.abs(w) + 0.5 * ridge @ w**2
    if not groups:
        return total
    starts, members, charges, squared = groups
    sum_of_lengths = charges @ [np.linalg.norm(w[members[lo:hi]]) for lo, hi in pairwise(starts)]
    return total + (sum_of_lengths**2 if squared else sum_of_lengths)


def prox_step(Q, q, single, ridge, groups, w):
    """Where one proximal gradient step of length 1 leads from w: to w itself exactly at the minimum."""
    v = w - (Q @ w + q + ridge * w)
    v = np.sign(v) * np.maximum(np.abs(v) - single, 0.0)
    if groups:
        starts, members, charges, squared = groups
        blocks = [members[lo:hi] for lo, hi in pairwise(starts)]
        if squared:
            charges = 2 * (charges @ [np.linalg.norm(w[block]) for block in blocks]) * charges
        for block, charge in zip(blocks, charges, strict=True):
            size = np.linalg.norm(v[block])
            v[block] *= max(0.0, 1 - charge / size) if size > 0 else 0.0
    return v


DESCENTS = pytest.mark.parametrize(
    ("single", "ridge", "groups"),
    [(SINGLE[s], RIDGE[r], GROUPS[g]) for s in SINGLE for r in RIDGE for g in GROUPS],
    ids=[f"{s}-{r}-{g}" for s in SINGLE for r in RIDGE for g in GROUPS],
)


@DESCENTS
def test_descend_matches_its_specification(single, ridge, groups):
    Q, q, start = quadratic()
    for sweeps in (0, 1, 2, 30):
        w, g = start.copy(), Q @ start + q
        v, f = w.copy(), g.copy()
        moved = kernels.descend(Q, single, ridge, groups, w, g, sweeps)
        wanted = specification.descend(Q, single, ridge, groups, v, f, sweeps, 0.0)
        for one, other in zip((w, g, *moved), (v, f, *wanted), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


@DESCENTS
def test_descend_goes_down(single, ridge, groups):
    """Sweep by sweep; g stays the gradient, and the energy is that of the change."""
    for seed in range(5):
        Q, q, w = quadratic(seed)
        g = Q @ w + q
        value = charged(Q, q, single, ridge, groups, w)
        start = value
        for _ in range(20):
            before = w.copy()
            first, last = kernels.descend(Q, single, ridge, groups, w, g, 1)
            assert first == last == pytest.approx(np.diag(Q) @ (w - before) ** 2, rel=1e-12)
            new = charged(Q, q, single, ridge, groups, w)
            assert new <= value + 1e-13 * (1 + abs(value))
            value = new
            assert_close(g, Q @ w + q, 10.0)
        assert value < start


@DESCENTS
def test_descend_ends_at_the_minimum(single, ridge, groups):
    Q, q, w = quadratic()
    g = Q @ w + q
    kernels.descend(Q, single, ridge, groups, w, g, 20_000, 1e-28)
    np.testing.assert_allclose(prox_step(Q, q, single, ridge, groups, w), w, atol=1e-10)


def test_single_coordinates_descend_to_their_exact_minimum():
    """By hand: w^2 + 2 w + |w| / 2 is least at -3/4; charged 2 and more it stays at 0."""
    for single, least in ((0.5, -0.75), (2.0, 0.0), (3.0, 0.0)):
        w, g = np.array([5.0]), np.array([12.0])
        first, _ = kernels.descend(np.array([[2.0]]), np.array([single]), np.zeros(1), (), w, g, 1)
        assert w[0] == least and g[0] == 2 * least + 2
        assert first == 2 * (5 - least) ** 2


@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_descend_stops_at_its_goal(groups):
    """With the sweep, not before and not after, whose energy is at most the goal."""
    Q, q, start = quadratic()
    charges = SINGLE["charged"], RIDGE["flat"], groups
    w, g, energies = start.copy(), Q @ start + q, []
    while not energies or energies[-1] > 1e-3 * energies[0]:
        energies.append(kernels.descend(Q, *charges, w, g, 1)[1])
    assert len(energies) > 1
    v, f = start.copy(), Q @ start + q
    first, last = kernels.descend(Q, *charges, v, f, 10_000, 1e-3 * energies[0])
    np.testing.assert_allclose([first, last], [energies[0], energies[-1]], rtol=1e-9)
    np.testing.assert_allclose(v, w, atol=1e-11)


def columns_problem(seed=0, p=9, m=14):
    """A sparse factor, what is added to and taken from its Gram matrix, and the matrix that makes."""
    rng = np.random.default_rng(seed)
    A = csc_array(rng.normal(size=(m, p)) * (rng.random((m, p)) < 0.4))
    own, bias = rng.uniform(0.1, 1.0, p), 0.2 * rng.normal(size=p)
    own += bias @ bias  # so that Q is positive semidefinite
    parts = (A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32))
    return (
        parts,
        own,
        bias,
        A.toarray(),
        A.T.toarray() @ A.toarray() + np.diag(own) - np.outer(bias, bias),
        rng,
    )


@pytest.mark.parametrize("single", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_descent_by_columns_is_descent(single, ridge):
    """The same as with the matrix, and as in the specification; r and t follow w."""
    for seed in range(5):
        parts, own, bias, A, Q, rng = columns_problem(seed)
        p, q, start = len(own), rng.normal(size=len(own)), rng.normal(size=len(own))
        charges = np.full(p, single), np.full(p, ridge)
        w, r = start.copy(), A @ start
        moved = kernels.descend_columns(parts, own, bias, q, *charges, w, r, float(bias @ start), 7)
        v, s = start.copy(), A @ start
        wanted = specification.descend_columns(
            parts, own, bias, q, *charges, v, s, float(bias @ start), 7, 0.0
        )
        u, g = start.copy(), Q @ start + q
        energies = kernels.descend(Q, *charges, (), u, g, 7)
        for one, other in ((w, v), (w, u), (r, s), (r, A @ w), (moved, wanted), (moved[:2], energies)):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
        assert moved[2] == pytest.approx(float(bias @ w), abs=1e-12)


def test_descent_by_columns_stops_at_its_goal():
    parts, own, bias, A, _, rng = columns_problem()
    p = len(own)
    w, r, q = np.zeros(p), np.zeros(A.shape[0]), rng.normal(size=p)
    first, last, _ = kernels.descend_columns(
        parts, own, bias, q, np.full(p, 0.1), np.zeros(p), w, r, 0.0, 10_000, 1e-20
    )
    assert last <= 1e-20 < first


@pytest.mark.parametrize(
    ("error", "message", "changes"),
    [
        (ValueError, "w must have shape", {"w": np.zeros(3)}),
        (TypeError, "q must be a float64", {"q": [1.0]}),
        (ValueError, "rows of A must lie", {"r": np.zeros(2)}),
        (ValueError, "indices of int32", {"A": 2}),
    ],
)
def test_wrong_arguments_of_descent_by_columns(error, message, changes):
    parts, own, bias, A, _, _ = columns_problem()
    p = len(own)
    if "A" in changes:
        changes = {"A": (parts[0], parts[1].astype(np.int64), parts[2])}
    good = {
        "A": parts, "own": own, "bias": bias, "q": np.zeros(p), "single": np.ones(p), "ridge": np.zeros(p),
        "w": np.zeros(p), "r": np.zeros(A.shape[0]), "t": 0.0, "sweeps": 1,
    }  # fmt: skip
    with pytest.raises(error, match=message):
        kernels.descend_columns(**(good | changes))


# --- steps on single dual variables ----------------------------------------------------------------------------


def single_problem(line, layout="C float64", n=23, d=6, seed=0, **changes):
    """Arguments of a good call of ``epochs``, with v and w that belong to alpha."""
    rng = np.random.default_rng(seed + 5)
    A, given = matrix(n, d, seed), surroundings(line, n, seed)
    alpha = np.clip(given["alpha"], line.slopes[0], line.slopes[-1])
    inverse = np.append(np.full(d, 0.6), 0.3)
    arguments = {
        "y": given["y"], "c": given["c"], "line": line, "inverse": inverse, "single": None, "alpha": alpha,
        "order": rng.permutation(n), "last": kernels.Epoch(n), "visits": 1, "goal": 0.0,
    }  # fmt: skip
    arguments |= changes
    inverse, single = arguments["inverse"], arguments["single"]
    arguments["squares"] = A**2 @ inverse[:d] + inverse[d]
    theta = given["c"] * alpha * (given["y"] if line.margin else 1.0)
    v = -np.append(A.T @ theta, theta.sum())
    q = np.append(np.zeros(d) if single is None else single, 0.0)
    w = np.sign(v) * np.maximum(np.abs(v) - q, 0.0) * inverse
    return {"X": LAYOUTS[layout](A), **arguments, "v": v, "w": w}


CHANGED = ("alpha", "v", "w", "order")
CURVED = {"plain": {}, "charged": {"single": np.linspace(0.0, 0.05, 6), "inverse": np.linspace(0.2, 1.4, 7)}}


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if not name.startswith("F")])
@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
@pytest.mark.parametrize("curved", CURVED.values(), ids=CURVED)
def test_epochs_are_as_specified(layout, line, curved):
    """Bit for bit but for rounding, the order and who is left out included."""
    for seed in range(3):
        for visits in (1, 70):
            ours = single_problem(line, layout, seed=seed, visits=visits, **curved)
            theirs = {name: value.copy() if name in CHANGED else value for name, value in ours.items()}
            found, wanted = kernels.epochs(**ours), specification.epochs(**theirs)
            np.testing.assert_array_equal(ours["order"], theirs["order"])
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
            for name in ("alpha", "w") if curved == {} else ("alpha", "v", "w"):
                np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("line", [line for line in LINES.values() if len(line.kinks)], ids=str)
@pytest.mark.parametrize("curved", CURVED.values(), ids=CURVED)
def test_epochs_rise_and_keep_their_coefficients(line, curved):
    """The dual value never falls, w stays that of alpha, and in the end nobody wants to move."""
    q = single_problem(line, n=40, **curved)
    A, d = matrix(40, 6), 6
    orientation = q["c"] * (q["y"] if line.margin else 1.0)
    single = np.append(np.zeros(d) if q["single"] is None else q["single"], 0.0)

    def value():
        held = np.maximum(
            np.abs(-np.append(A.T @ (orientation * q["alpha"]), orientation @ q["alpha"])) - single, 0
        )
        targets = 0.0 if line.margin else q["y"]
        return float(
            -q["c"] @ (conjugate(line, q["alpha"]) + targets * q["alpha"]) - 0.5 * held**2 @ q["inverse"]
        )

    values = [value()]
    for _ in range(400):
        q["last"] = kernels.epochs(**(q | {"last": q["last"]._replace(active=40)}))
        values.append(value())
    assert np.all(np.diff(values) >= -1e-13 * (1 + np.abs(values[-1])))
    v = -np.append(A.T @ (orientation * q["alpha"]), orientation @ q["alpha"])
    np.testing.assert_allclose(
        q["w"], np.sign(v) * np.maximum(np.abs(v) - single, 0) * q["inverse"], atol=1e-12
    )
    assert q["last"].gap <= 1e-9


def conjugate(line, a):
    """By integrating the kinks' positions from slope to slope."""
    total = 0.5 * line.smoothing * a**2
    for kink, start, stop in zip(line.kinks, line.slopes[:-1], line.slopes[1:], strict=True):
        total = total + kink * (np.clip(a, start, stop) - np.clip(0.0, start, stop))
    return total


def test_one_exact_step_by_hand():
    """Hinge, one sample x = 2, y = 1, c = 1, curvature 1: from alpha 0, w = 0 the margin 1 needs alpha = -1/4."""
    order, alpha, v, w = np.array([0]), np.zeros(1), np.zeros(2), np.zeros(2)
    found = kernels.epochs(
        np.array([[2.0]]), np.ones(1), np.ones(1), HINGE, np.array([1.0, 0.0]), None, np.array([4.0]), alpha, v, w,
        order, kernels.Epoch(1), 1, 0.0,
    )  # fmt: skip
    assert alpha[0] == -0.25 and w[0] == 0.5 and w[1] == 0.0
    assert found.gap == 1.0 and found.free == found.changed == found.moved == 1


def test_settled_samples_are_left_out():
    """A sample far beyond its kink leaves when nobody was drawn as strongly; others stay."""
    X = np.array([[3.0], [0.1], [-0.1]])
    arguments = (X, np.ones(3), np.full(3, 1 / 3), HINGE, np.array([1.0, 0.0]), None, X.ravel() ** 2)
    order, alpha, v, w = np.arange(3), np.array([-0.0, -0.5, -0.5]), np.zeros(2), np.array([1.0, 0.0])
    last = kernels.epochs(*arguments, alpha, v, w, order, kernels.Epoch(3, -2.0, 1.5), 1, 0.0)
    assert last.active == 2 and order[2] == 0
    assert kernels.epochs(*arguments, alpha, v, w, order, kernels.Epoch(3, -2.0, 5.0), 1, 0.0).active == 3


@pytest.mark.parametrize(
    ("error", "message", "changes"),
    [
        (ValueError, "alpha must have shape", {"alpha": np.zeros(3)}),
        (ValueError, "w must have shape", {"w": np.zeros(6)}),
        (ValueError, "single must have shape", {"single": np.zeros(7)}),
        (TypeError, "squares must be a float64", {"squares": [1.0]}),
        (ValueError, "order must hold 23 numbers", {"order": np.arange(22)}),
        (ValueError, "at most as many be active", {"last": kernels.Epoch(24)}),
        (ValueError, "C order", {"X": np.asfortranarray(matrix(23, 6))}),
    ],
)
def test_wrong_arguments_of_epochs(error, message, changes):
    good = single_problem(HINGE)
    with pytest.raises(error, match=message):
        kernels.epochs(**(good | changes))
    with pytest.raises(ValueError, match="shares memory"):
        kernels.epochs(**(good | {"v": good["w"]}))


# --- pairs of variables and multipliers --------------------------------------------------------------------


def pair_state(m, seed=0):
    """A state of m pairs with a direction, all that must be positive positive."""
    rng = np.random.default_rng(seed + 6)
    state = rng.normal(size=(specification.PAIR_ROWS, m))
    state[1:6] = rng.uniform(0.1, 2.0, size=(5, m))
    return state


@pytest.mark.parametrize("m", [0, 1, 7, 8, 50, 200_000])
def test_pairs_are_as_specified(m):
    ours, theirs = pair_state(m), pair_state(m)
    for both in (0.0, 0.4, 1.0):
        kernels.pairs_push(ours, 0.3, both)
        specification.pairs_push(theirs, 0.3, both)
        limits = kernels.pairs_follow(ours)
        np.testing.assert_allclose(limits, specification.pairs_follow(theirs), rtol=1e-12)
        steps = [0.9 / limit if limit > 0 else 1.0 for limit in limits]
        ahead = kernels.pairs_ahead(ours, *steps)
        assert ahead == pytest.approx(specification.pairs_ahead(theirs, *steps), rel=1e-10)
        kernels.pairs_move(ours, *steps)
        specification.pairs_move(theirs, *steps)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)
        assert np.all(ours[1:5] > 0)
        assert kernels.pairs_ahead(ours, 0.0, 0.0) == pytest.approx(ahead, rel=1e-9)


@pytest.mark.parametrize(
    "state", [np.ones((13, 4)), np.ones((14, 4), np.float32), np.ones((14, 4), order="F"), np.ones(14)]
)
def test_wrong_state_of_pairs(state):
    for call in (kernels.pairs_push, kernels.pairs_ahead, kernels.pairs_move):
        with pytest.raises(ValueError, match="contiguous float64 array of 14 rows"):
            call(state, 0.5, 0.5)
    with pytest.raises(ValueError, match="contiguous float64 array of 14 rows"):
        kernels.pairs_follow(state)


# --- memory and bad arguments ------------------------------------------------------------------------------


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer keeps what is freed")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_thousand_calls_for_newton_lose_not_one_byte_each(layout):
    n, d = 300, 40
    X, p, h = LAYOUTS[layout](matrix(n, d)), surroundings(HINGE, n), signed(n)
    a, theta, weights, dz, some = np.empty(n), np.empty(n), np.empty(n), np.ones(n), np.arange(0, d, 3)
    Q, q, start = quadratic()
    w, g = start.copy(), Q @ start + q

    def calls(times):
        for _ in range(times):
            kernels.augmented(**p, out=a, theta=theta, weights=weights)
            kernels.along(dz=dz, length=0.5, **p)
            room_of(**p)
            kernels.curvature(X, h)
            kernels.curvature(X, h, some)
            for groups in ((), GROUPS["squared"]):
                kernels.descend(Q, SINGLE["charged"], RIDGE["flat"], groups, w, g, 2)
            with pytest.raises(ValueError, match="shape"):
                kernels.curvature(X, h[1:])
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    before = calls(200)
    assert calls(1000) - before < 64 * 1024


def around(**changes):
    """Arguments of a good call of ``augmented`` with some of them replaced."""
    arguments = {**surroundings(HINGE, 6), "out": np.empty(6), "theta": np.empty(6), "weights": np.empty(6)}
    for name, change in changes.items():
        arguments[name] = change(arguments) if callable(change) else change
    return arguments


WRONG_AROUND = [
    (TypeError, "z must be", {"z": [1.0] * 6}),
    (TypeError, "z must be", {"z": np.ones(6, dtype=np.float32)}),
    (ValueError, "z must have shape", {"z": np.ones((6, 1))}),
    (ValueError, r"y must have shape \(5,\), got \(6,\)", {"z": np.ones(5)}),
    (ValueError, "y must have shape", {"y": np.ones(5)}),
    (ValueError, "alpha must be contiguous", {"alpha": np.ones(12)[::2]}),
    (TypeError, "c must be", {"c": np.ones(6, dtype=int)}),
    (ValueError, "slopes must have shape", {"line": replace(HINGE, kinks=np.array([0.0, 1.0]))}),
    (TypeError, "kinks must be", {"line": replace(HINGE, kinks=np.array([1]))}),
    (ValueError, "out must have shape", {"out": np.empty(5)}),
    (TypeError, "theta must be", {"theta": np.empty(6, dtype=np.float32)}),
    (ValueError, "weights must have shape", {"weights": np.empty(7)}),
    (ValueError, "weights is read-only", {"weights": np.frombuffer(bytes(48))}),
    (ValueError, "out shares memory", {"out": lambda p: p["z"]}),
    (ValueError, "out shares memory", {"out": lambda p: p["alpha"][:]}),
    (ValueError, "theta shares memory", {"theta": lambda p: p["alpha"]}),
    (ValueError, "theta shares memory", {"theta": lambda p: p["c"]}),
    (ValueError, "theta shares memory", {"theta": lambda p: p["out"]}),
    (ValueError, "theta shares memory", {"theta": lambda p: p["weights"]}),
    (ValueError, "weights shares memory", {"weights": lambda p: p["out"]}),
    (ValueError, "weights shares memory", {"weights": lambda p: p["y"]}),
]


@pytest.mark.parametrize(("error", "message", "changes"), WRONG_AROUND)
def test_wrong_arguments_of_augmented_losses(error, message, changes):
    """Refused before any work is done; by the other two, if they take the argument."""
    arguments = around(**changes)
    written = [arguments.pop(name) for name in ("out", "theta", "weights")]
    before = [array.copy() for array in written]
    with pytest.raises(error, match=message):
        kernels.augmented(**arguments, out=written[0], theta=written[1], weights=written[2])
    for array, kept in zip(written, before, strict=True):
        np.testing.assert_array_equal(array, kept)
    if not {"out", "theta", "weights"} & set(changes):
        with pytest.raises(error, match=message):
            kernels.along(dz=np.ones(len(arguments["z"])), length=1.0, **arguments)
        if "c" not in changes:
            with pytest.raises(error, match=message):
                room_of(**arguments)


def test_wrong_directions():
    p = surroundings(HINGE, 6)
    with pytest.raises(ValueError, match=r"dz must have shape \(6,\)"):
        kernels.along(dz=np.ones(5), length=1.0, **p)
    with pytest.raises(TypeError, match="dz must be"):
        kernels.along(dz=[1.0] * 6, length=1.0, **p)


WRONG_COLUMNS = [
    (TypeError, "intp", np.array([0, 1], dtype=np.int32)),
    (TypeError, "intp", np.array([0.0, 1.0])),
    (TypeError, "intp", np.array([True, False, True, False])),
    (TypeError, "intp", np.arange(4)[::2]),
    (TypeError, "intp", np.array([[0, 1]])),
    (TypeError, "intp", [0, 1]),
    (ValueError, "ascend", np.array([1, 0])),
    (ValueError, "ascend", np.array([1, 1])),
    (ValueError, "ascend", np.array([0, 3, 2, 3])),
    (ValueError, "ascend", np.array([-1, 2])),
    (ValueError, "at most 3", np.array([2, 4])),
]


@pytest.mark.parametrize("layout", ["C float64", "CSR float64 int32"])
@pytest.mark.parametrize(("error", "message", "columns"), WRONG_COLUMNS)
def test_wrong_columns(error, message, columns, layout):
    with pytest.raises(error, match=message):
        kernels.curvature(LAYOUTS[layout](matrix(6, 4)), np.ones(6), columns)


def test_wrong_arguments_of_curvature():
    X = matrix(6, 4)
    with pytest.raises(ValueError, match=r"h must have shape \(6,\)"):
        kernels.curvature(X, np.ones(4))
    with pytest.raises(TypeError, match="h must be"):
        kernels.curvature(X, np.ones(6, dtype=np.float32))
    with pytest.raises(ValueError, match="contiguous"):
        kernels.curvature(np.ones((12, 8))[::2, ::2], np.ones(6))
    with pytest.raises(TypeError, match="float32 or float64"):
        kernels.curvature(np.ones((6, 4), dtype=int), np.ones(6))


def descent(**changes):
    """Arguments of a good call of ``descend`` with some of them replaced."""
    Q, q, w = quadratic()
    arguments = {
        "Q": Q, "single": SINGLE["charged"].copy(), "ridge": RIDGE["round"].copy(), "groups": GROUPS["sizes"],
        "w": w, "g": Q @ w + q, "sweeps": 3,
    }  # fmt: skip
    for name, change in changes.items():
        arguments[name] = change(arguments) if callable(change) else change
    return arguments


def regrouped(**changes):
    names = ("starts", "members", "charges", "squared")
    return tuple({**dict(zip(names, GROUPS["sizes"], strict=True)), **changes}.values())


STARTS, MEMBERS = GROUPS["sizes"][:2]
WRONG_DESCENTS = [
    (ValueError, "Q must be", {"Q": np.ones((P, P - 1))}),
    (ValueError, "Q must be", {"Q": np.ones((P, P), dtype=np.float32)}),
    (ValueError, "Q must be", {"Q": lambda p: np.asfortranarray(np.triu(p["Q"]))}),
    (ValueError, "Q must be", {"Q": lambda p: p["Q"].tolist()}),
    (ValueError, "ridge must have shape", {"ridge": np.ones(P - 1)}),
    (TypeError, "single must be", {"single": np.ones(P, dtype=int)}),
    (ValueError, "w must have shape", {"w": np.ones(P + 1)}),
    (ValueError, "g must be contiguous", {"g": np.ones(2 * P)[::2]}),
    (ValueError, "w is read-only", {"w": np.frombuffer(bytes(8 * P))}),
    (ValueError, "g is read-only", {"g": np.frombuffer(bytes(8 * P))}),
    (ValueError, "w shares memory", {"w": lambda p: p["g"]}),
    (ValueError, "w shares memory", {"w": lambda p: p["single"]}),
    (ValueError, "w shares memory", {"w": lambda p: p["Q"][0]}),
    (ValueError, "g shares memory", {"g": lambda p: p["Q"][1]}),
    (ValueError, "g shares memory", {"g": lambda p: p["ridge"]}),
    (ValueError, "charges of groups must have shape", {"groups": regrouped(charges=np.ones(4))}),
    (TypeError, "charges of groups must be", {"groups": regrouped(charges=np.ones(5, dtype=int))}),
    (ValueError, "must part the 14", {"groups": regrouped(starts=STARTS.astype(np.int32))}),
    (ValueError, "must part the 14", {"groups": regrouped(members=MEMBERS.astype(float))}),
    (ValueError, "must part the 14", {"groups": regrouped(members=MEMBERS[1:])}),
    (ValueError, "must part the 14", {"groups": regrouped(starts=STARTS + 1)}),
    (ValueError, "must part the 14", {"groups": regrouped(starts=np.array([0, 1, 5, 7, 13, 13]))}),
    (ValueError, "must part the 14", {"groups": regrouped(starts=np.array([0, 5, 1, 7, 13, 14]))}),
    (ValueError, "must part the 14", {"groups": regrouped(members=np.minimum(MEMBERS, 12))}),
    (ValueError, "must part the 14", {"groups": regrouped(members=MEMBERS + 1)}),
    (ValueError, "must part the 14", {"groups": regrouped(members=np.repeat(MEMBERS, 2)[::2])}),
]


@pytest.mark.parametrize(("error", "message", "changes"), WRONG_DESCENTS)
def test_wrong_arguments_of_descend(error, message, changes):
    arguments = descent(**changes)
    before = arguments["w"].copy()
    with pytest.raises(error, match=message):
        kernels.descend(**arguments)
    np.testing.assert_array_equal(arguments["w"], before)
