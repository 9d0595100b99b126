"""One read of X against two: the compiled sweep and the two products it replaces.

    python benchmarks/fused_pass.py [--rounds 11]

Dense X against numpy's two BLAS products, sparse X against scipy's two.  ``read`` is the speed at
which BLAS reads the same memory (the dot product of X with itself), measured in the same rounds;
``share`` says how much of it the sweep reaches, counting the bytes of X only.  Contenders take turns
and medians are shown.  Set PDPROX_DATA to a folder with 20newsgroups_bigrams.npz for real text.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from pdprox import _kernels as kernels
from pdprox.losses import Hinge

Contenders = dict[str, Callable[[], object]]


def text() -> tuple[str, sp.csr_array]:
    """Word counts of 20 newsgroups, or a matrix with as many words that follow a power law."""
    folder = os.environ.get("PDPROX_DATA")
    path = Path(folder, "20newsgroups_bigrams.npz") if folder else None
    if path is not None and path.exists():
        z = np.load(path)
        parts = (z["train_counts"].astype(float), z["train_indices"], z["train_indptr"])
        return "20 newsgroups", sp.csr_array(parts, shape=(z["train_y"].size, int(z["n_features"])))
    rng = np.random.default_rng(0)
    n, d, words = 11_000, 900_000, 360
    rows = [np.unique((d ** rng.random(words)).astype(np.int32) - 1) for _ in range(n)]
    indptr = np.cumsum([0, *(row.size for row in rows)])
    parts = (np.ones(indptr[-1]), np.concatenate(rows), indptr.astype(np.int32))
    return "synthetic text", sp.csr_array(parts, shape=(n, d))


def cases() -> Iterator[tuple[str, np.ndarray | sp.csr_array, float]]:
    """Name, matrix, and the share of rows whose dual variable stays at 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 200))
    yield "200000 x 200, float64, C", X, 0.0
    yield "200000 x 200, float64, F", np.asfortranarray(X), 0.0
    yield "200000 x 200, float32, C", X.astype(np.float32), 0.0
    yield "200000 x 200, float32, F", np.asfortranarray(X, dtype=np.float32), 0.0
    yield "200000 x 203, float64, C", rng.normal(size=(200_000, 203)), 0.0
    yield "580000 x 54, float64, C", rng.normal(size=(580_000, 54)), 0.0
    yield "100 x 100000, float64, C", rng.normal(size=(100, 100_000)), 0.0
    yield "1000 x 50, float64, C", rng.normal(size=(1000, 50)), 0.0
    name, S = text()
    yield f"{name}, float64", S, 0.0
    yield f"{name}, float32", S.astype(np.float32), 0.0
    yield f"{name}, 3 of 4 duals 0", S, 0.75
    yield f"{name}, 20000 words", S[:, :20_000], 0.0


def contenders(X: np.ndarray | sp.csr_array, zeros: float) -> tuple[Contenders, int]:
    """What takes turns, and the bytes of X."""
    rng = np.random.default_rng(1)
    n, d = X.shape
    w, theta = rng.normal(size=d) / np.sqrt(d), rng.normal(size=n)
    asleep = rng.random(n) < zeros
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    alpha, c = np.where(asleep, 0.0, rng.uniform(-0.9, -0.1, n)), np.full(n, 1.0 / n)
    # Steps so short that no dual variable reaches its bounds; those at 0 would have to turn positive.
    step = np.where(asleep, 0.0, 1e-3)
    line, out, following, anchor = Hinge().broken_line, np.empty(n), np.empty(n), alpha.copy()
    raw = (X.data, X.indices, X.indptr, d) if sp.issparse(X) else X
    arguments = (raw, w, 0.1, alpha, y, c, line, step, out)
    # BLAS is given vectors of the type of X: otherwise numpy would first copy a float32 X.
    w_typed, theta_typed = w.astype(X.dtype), theta.astype(X.dtype)
    timed: Contenders = {
        "sweep": lambda: kernels.sweep(*arguments),
        "halpern": lambda: kernels.sweep(*arguments, (anchor, 0.9, following)),
        "X w": lambda: X @ w_typed,
        "X' theta": lambda: X.T @ theta_typed,
    }
    if sp.issparse(X):
        return timed, X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    flat = X.ravel(order="K")
    timed["read"] = lambda: flat @ flat
    return timed, X.nbytes


def medians(timed: Contenders, rounds: int, pause: float) -> dict[str, float]:
    """Median seconds of each contender, as in a run of iterations: it has been at it for a while."""
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(rounds):
        for name, call in timed.items():
            time.sleep(pause)
            warm = time.perf_counter() + pause
            call()
            while time.perf_counter() < warm:
                call()
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    sets = kernels._compiled.instruction_sets[0] if kernels.compiled else "NumPy specification"
    print(f"kernels: {sets}; times in milliseconds, medians of {options.rounds} rounds")
    print(f"{'X':32} threads   sweep halpern two products  ratio   GB/s   read  share")
    for name, X, zeros in cases():
        timed, size = contenders(X, zeros)
        for threads in options.threads:
            # The threads of BLAS wait for work by turning round and round, which would take a core from the
            # sweep; after a pause they sleep, and so does the core, which then takes some calls to wake up.
            with threadpool_limits(threads):
                t = medians(timed, options.rounds, 0.0 if threads == 1 else 0.1)
            two, speed = t["X w"] + t["X' theta"], size / t["sweep"] * 1e-9
            row = f"{name:32} {threads:7} {t['sweep'] * 1e3:7.3f} {t['halpern'] * 1e3:7.3f} {two * 1e3:12.3f}"
            row += f" {two / t['sweep']:6.2f} {speed:6.1f}"
            if "read" in t:
                read = size / t["read"] * 1e-9
                row += f" {read:6.1f} {speed / read:6.0%}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
