"""How time and memory grow with the data: seconds to a certified gap of 1e-6, and peak memory over the data.

    python benchmarks/growth.py [--rows N] [--columns D] [--picture PATH]

Hinge + l1 at 0.01 lam_max on independent Gaussian columns, twenty of which matter, a tenth of the labels flipped.
Rows grow with 50 columns (float64), columns with 1000 rows (float32).  Each size runs in a process of its own, cold,
three times while that is quick.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import time
from pathlib import Path

import numpy as np

import pdprox

ROWS = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000]
COLUMNS = [1_000, 10_000, 100_000, 1_000_000]


def data(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """X, in float32 where it is wide, and labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float32 if d > n else np.float64)
    margin = X[:, :20] @ rng.standard_normal(20).astype(X.dtype)
    return X, np.where((margin > 0) != (rng.random(n) < 0.1), 1.0, -1.0)


def measure(n: int, d: int, pipe) -> None:
    """Bytes of the data, median seconds, certified gap, and the peak of memory since the data were there."""
    X, y = data(n, d)
    lam = 0.01 * pdprox.lam_max(pdprox.Problem(X, y, "hinge", "l1", lam=1.0))
    times = []
    while not times or (len(times) < 3 and times[-1] < 5.0):
        problem = pdprox.Problem(X, y, "hinge", "l1", lam=lam)
        begin = time.perf_counter()
        solution = pdprox.solve(problem, tol=1e-6)
        times.append(time.perf_counter() - begin)
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pipe.send((X.nbytes, statistics.median(times), solution.certificate.relative_gap, peak))


def row(n: int, d: int) -> tuple[int, float, float]:
    """Print one size."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    child = multiprocessing.get_context("spawn").Process(target=measure, args=(n, d, theirs))
    child.start()
    size, seconds, gap, peak = ours.recv()
    child.join()
    print(
        f"| {n} x {d} | {size / 2**20:.0f} | {seconds:.3g} | {1e9 * seconds / (n * d):.3g} | {gap:.0e} "
        f"| {peak / 2**20:.0f} | {peak / size:.2f} |",
        flush=True,
    )
    return size, seconds, peak


def draw(tables: dict[str, tuple[list[int], list[tuple[int, float, float]]]], path: Path) -> None:
    """Seconds on logarithmic axes, with a line of slope 1."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    for ax, (name, (sizes, found)) in zip(axes, tables.items(), strict=True):
        seconds = [each[1] for each in found]
        ax.loglog(sizes, seconds, "o-", label="to a certified gap of 1e-6")
        linear = seconds[-1] * np.array(sizes) / sizes[-1]
        ax.loglog(sizes, linear, "--", color="grey", lw=1, label="linear")
        ax.set(xlabel=name, ylabel="seconds")
        ax.grid(which="major", lw=0.4)
    axes[0].legend(frameon=False)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Both tables and the picture."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS[-1], help="rows at most")
    parser.add_argument("--columns", type=int, default=COLUMNS[-1], help="columns at most")
    parser.add_argument("--picture", type=Path, help="where to draw seconds against size")
    options = parser.parse_args()
    print("| X | MiB | seconds | ns an entry | gap | peak MiB, python and all | peak / data |")
    print("|---|---|---|---|---|---|---|")
    rows = [n for n in ROWS if n <= options.rows]
    columns = [d for d in COLUMNS if d <= options.columns]
    tables = {
        "rows, with 50 columns": (rows, [row(n, 50) for n in rows]),
        "columns, with 1000 rows": (columns, [row(1000, d) for d in columns]),
    }
    if options.picture:
        draw(tables, options.picture)


if __name__ == "__main__":
    main()
