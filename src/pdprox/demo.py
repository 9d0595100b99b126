"""What ``make demo`` runs: a sparse support vector machine on real data, its certificate and a picture."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

from pdprox.datasets import Dataset, load_adult
from pdprox.methods import PdproxDual, PdproxRestarted
from pdprox.problem import Problem
from pdprox.solution import ConvergenceWarning, Solution
from pdprox.solve import solve

LAM = 1e-3
TOL = 1e-4


def main(picture: Path) -> None:
    """Fit, print what came out and what it proves, draw how fast it went."""
    data = load_adult()
    n, d = data.X.shape
    print(f"Data: {data.description}")
    print(f"      {n} samples, {d} features")
    print(f"Problem: mean hinge loss + {LAM:g} * (sum of |w_j|), with intercept")
    problem = Problem(data.X, data.y, loss="hinge", penalty="l1", lam=LAM)
    solution = solve(problem, tol=TOL)
    report(solution, data)
    draw(problem, solution, picture)
    print(f"\nThe picture is in {picture}")


def report(solution: Solution, data: Dataset) -> None:
    """The certificate in words, and the largest coefficients."""
    certificate = solution.certificate
    print(f"\n{solution}")
    seconds, passes = solution.history.seconds[-1], solution.history.passes[-1]
    print(f"in {seconds:.2f} seconds and {passes:.0f} passes over the data.")
    print("So the best value that any coefficients can have lies between the two numbers:")
    print(f"no model beats this one by more than {certificate.gap:.1e}.")
    print(f"\n{np.count_nonzero(solution.w)} of {solution.w.size} coefficients are not zero; the largest:")
    for j in np.argsort(-np.abs(solution.w))[:8]:
        print(f"  {solution.w[j]:+.3f}  {data.feature_names[j]}")


def draw(problem: Problem, solution: Solution, picture: Path) -> None:
    """How the gap of the default, of restarted Pdprox, and of the paper's Algorithm 1 fell.

    Against seconds: where Newton's method reads the data once it does more than one product with them.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        sys.exit('the picture needs matplotlib: pip install "pdprox[plot]"')
    from pdprox.displays import ConvergenceDisplay

    restarted = solve(problem, tol=TOL, method=PdproxRestarted())
    solutions = {"auto, the default": solution, "restarted": restarted}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # as many iterations do not suffice here
        for label, method in (
            ("Algorithm 1, last iterate", PdproxDual(output="last")),
            ("Algorithm 1, average", PdproxDual()),
        ):
            solutions[label] = solve(problem, tol=TOL, method=method, max_iter=restarted.iterations)
    figure = Figure(figsize=(7, 4), layout="constrained")
    ax = figure.subplots()
    ConvergenceDisplay.from_solutions(solutions, against="seconds", ax=ax)
    ax.set_xscale("log")  # the times differ as much as the gaps do
    ax.set_title(f"hinge loss + l1, Adult, lam = {LAM:g}")
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo.png"))
