"""Passes over the data to a certified relative gap: restarted Pdprox against the paper's fixed-step methods.

    python benchmarks/restarted_against_paper.py

Five problems, two of them on real data that ship with the package.  A pass is one product with X and one with its
transpose; what audits, norms and step-size trials cost is counted.  A method that has not reached the gap within the
limit shows the gap that it did reach, in brackets.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from pdprox import ConvergenceWarning, Problem, datasets, methods, penalties, solve
from pdprox.losses import EpsilonInsensitive, Pinball
from pdprox.methods import PdproxDual, PdproxRestarted, StepRule

LEVELS = (1e-3, 1e-4)


def gaussian(n, d, relevant, seed=0):
    """Correlated Gaussian columns, a sparse truth, unit noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for j in range(1, d):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
    w = np.zeros(d)
    w[rng.choice(d, relevant, replace=False)] = rng.normal(size=relevant)
    return X, X @ w + rng.normal(size=n)


def problems():
    """Name and problem of each instance."""
    adult = datasets.load_adult()
    yield "adult a9a, hinge + l1, lam 1e-3", Problem(adult.X, adult.y, "hinge", "l1", lam=1e-3)
    splice = datasets.load_splice_junction()
    group = penalties.GroupLasso(splice.groups)
    yield (
        "splice junction, hinge + group lasso, lam 1e-3",
        Problem(splice.X, splice.y, "hinge", group, lam=1e-3),
    )
    X, z = gaussian(2000, 200, 20)
    yield "Gaussian 2000 x 200, hinge + l1, lam 0.02", Problem(X, np.sign(z), "hinge", "l1", lam=0.02)
    yield "Gaussian 2000 x 200, pinball 0.9 + l1, lam 0.01", Problem(X, z, Pinball(0.9), "l1", lam=0.01)
    sparse_group = penalties.SparseGroupLasso(np.arange(200) // 5)
    yield (
        "Gaussian 2000 x 200, eps-insensitive + sparse group, lam 0.01",
        Problem(X, z, EpsilonInsensitive(0.1), sparse_group, lam=0.01),
    )


def passes_to(problem, method, limit, spent=0.0):
    """For each level the passes until the certificate said so, or the best gap in brackets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        history = solve(problem, tol=LEVELS[-1], method=method, max_iter=limit).history
    for level in LEVELS:
        reached = np.flatnonzero(history.relative_gap <= level)
        yield history.passes[reached[0]] + spent if len(reached) else None, history.relative_gap[-1]


def main() -> None:
    """Print one Markdown table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=20_000, help="iterations at most (default: 20000)")
    limit = parser.parse_args().limit
    heads = ("paper, average", "paper, last", "paper, scaled up, last", "restarted")
    print("| problem | gap | " + " | ".join(heads) + " | best of the paper's / restarted |")
    print("|---|---|" + "---|" * (len(heads) + 1))
    for name, problem in problems():
        tuned = methods.tune(PdproxDual(output="last"), problem, scale=2.0 ** np.arange(7), iterations=50)
        trials = [
            list(passes_to(problem, PdproxDual(), limit)),
            list(passes_to(problem, PdproxDual(StepRule(), "last"), limit)),
            list(passes_to(problem, tuned.method, limit, tuned.passes)),
            list(passes_to(problem, PdproxRestarted(), limit)),
        ]
        for k, level in enumerate(LEVELS):
            cells = [f"{passes:.0f}" if passes else f"({gap:.1e})" for passes, gap in (t[k] for t in trials)]
            papers = [t[k][0] for t in trials[:-1] if t[k][0]]
            ours = trials[-1][k][0]
            least = (
                f"{min(papers) / ours:.1f}" if papers and ours else f"> {limit / ours:.0f}" if ours else "-"
            )
            print(f"| {name} | {level:.0e} | " + " | ".join(cells) + f" | {least} |", flush=True)


if __name__ == "__main__":
    main()
