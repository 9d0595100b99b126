"""What a first fit in a fresh process costs, over a second one: nothing is compiled at run time.

Each run starts Python anew, imports pdprox, makes two equal problems and times both fits.  Medians of runs in turn.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

PROGRAM = """
import json, time
import numpy as np
import pdprox
from pdprox.datasets import load_splice_junction
{data}
times = []
for _ in range(3):
    begin = time.perf_counter()
    problem = pdprox.Problem(X, y, {problem})
    pdprox.solve(problem, tol=1e-6)
    times.append(time.perf_counter() - begin)
print(json.dumps(times))
"""
GAUSSIAN = """rng = np.random.default_rng(0)
X = rng.standard_normal(({n}, {d}))
y = np.where(X[:, :9].sum(axis=1) + rng.standard_normal({n}) > 0, 1.0, -1.0)"""
CASES = {
    "splice junctions 3186 x 180, hinge + group lasso": (
        "data = load_splice_junction(); X, y = data.X, data.y",
        "penalty=pdprox.penalties.GroupLasso(data.groups), lam=0.005",
    ),
    "Gaussian 5000 x 500, hinge + l1": (GAUSSIAN.format(n=5000, d=500), "lam=0.003"),
    "Gaussian 100000 x 50, hinge + l2^2": (
        GAUSSIAN.format(n=100_000, d=50),
        'penalty="squared-l2", lam=1e-5',
    ),
}
RUNS = 9


def main() -> None:
    """One line for each case."""
    print("| problem | first fit, ms | second | third | first / second |")
    print("|---|---|---|---|---|")
    for name, (data, problem) in CASES.items():
        program = PROGRAM.format(data=data, problem=problem)
        runs = [
            json.loads(
                subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
            )
            for _ in range(RUNS)
        ]
        first, second, third = (1e3 * statistics.median(times) for times in zip(*runs, strict=True))
        print(f"| {name} | {first:.1f} | {second:.1f} | {third:.1f} | {first / second:.2f} |", flush=True)


if __name__ == "__main__":
    main()
