"""Passes over sparse data to a certified relative gap: steps on single samples against methods that read all of them.

    python benchmarks/stochastic_against_batch.py [--only NAME ...] [--max-time 20] [--picture PATH]

Hinge with squares (no intercept, lam = 1 / (C n)) and with absolute values (free intercept) on the race's sparse
data; a9a comes with the package, the others are skipped where PDPROX_DATA does not lead to them.  A pass is one
product with X and one with its transpose; audits are counted, linear algebra on what was read is not.  Each gap has
a cold run of its own: steps on single samples have their audits go by the gap that is wanted.  Where a gap was not
reached the table says after how many passes the run was stopped, and in brackets at which gap.
"""

from __future__ import annotations

import argparse
import runpy
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pdprox import ConvergenceWarning, solve

RACE = Path(__file__).resolve().parent / "race"
DATA = ("a9a", "w8a", "news20", "dorothea", "bigrams")
#: as the race names them
POSED = ("hinge-l2-0.01", "hinge-l2-1", "hinge-l2-100", "hinge-l1-0.1", "hinge-l1-0.01")
METHODS = ("stochastic", "restarted", "newton")
LEVELS = (1e-2, 1e-4, 1e-6)
#: the gap at which the last column compares
JUDGED = 1e-4


@dataclass(frozen=True)
class Run:
    """Passes and relative gaps at the audits of one method on one instance: a run to each gap, the strictest last."""

    audits: list[tuple[np.ndarray, np.ndarray]]

    def spent(self, level: float) -> tuple[float, bool]:
        """Passes until the run to this gap ended, and whether it got there."""
        passes, gaps = self.audits[min(LEVELS.index(level), len(self.audits) - 1)]
        return float(passes[-1]), bool(gaps[-1] <= level)

    def told(self, level: float) -> str:
        """Passes to the gap, or how far the run got."""
        passes, reached = self.spent(level)
        needed = f"{passes:.0f}" if passes >= 10 else f"{passes:.1f}"
        gap = f"{self.audits[-1][1][-1]:.1e}".replace("e-0", "e-")
        return needed if reached else f"> {needed} ({gap})"


def instances(name: str) -> Iterator[Any]:
    """The race's instances on one of its data sets, and others that are posed there alike."""
    made = runpy.run_path(str(RACE / "datasets" / f"{name}.py"))["Dataset"]
    for posed in POSED:
        data = made.get_instance(problem=posed).get_data()
        if data["instance"] is None:
            print(f"{name}: skipped, {data['reason']}", file=sys.stderr)
            return
        yield data["instance"]


def run(instance: Any, method: str, max_time: float) -> Run:
    """A cold run to each gap, until one of them does not get there."""
    audits = []
    for level in LEVELS:
        problem = replace(instance).problem  # what a problem remembers would make the next run warm
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = solve(problem, level, f"pdprox-{method}", max_iter=10**9, max_time=max_time)
        audits.append((solution.history.passes, solution.history.relative_gap))
        if not solution.converged:
            break
    return Run(audits)


def row(instance: Any, runs: dict[str, Run]) -> str:
    """One line of the table."""
    cells = [runs[method].told(level) for method in METHODS for level in LEVELS]
    (ours, ours_known), (batch, batch_known) = (runs[method].spent(JUDGED) for method in METHODS[:2])
    sign = {(True, True): "", (True, False): "> ", (False, True): "< "}.get((ours_known, batch_known))
    times = batch / ours
    ratio = "-" if sign is None else f"{sign}{times:.0f}" if times >= 10 else f"{sign}{times:.2g}"
    return "| " + " | ".join([instance.title, *cells, ratio]) + " |"


def draw(found: dict[str, list[tuple[str, dict[str, Run]]]], path: Path) -> None:
    """The audits of the strictest runs: a row of panels for each data set, a column for each problem."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(
        len(found), len(POSED), figsize=(11, 0.7 + 1.9 * len(found)), sharex=True, sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for line, columns in zip(axes, found.values(), strict=True):
        for ax, (_, runs) in zip(line, columns, strict=True):
            for method in METHODS:
                ax.loglog(*runs[method].audits[-1], ".-", ms=3, lw=1.2, label=f"pdprox-{method}")
            ax.axhline(JUDGED, color="grey", lw=0.6, ls=":")
            ax.grid(which="major", lw=0.3)
            ax.tick_params(labelsize=8)
    for ax, (posed, _) in zip(axes[0], next(iter(found.values())), strict=True):
        ax.set_title(posed, fontsize=9)
    for ax, name in zip(axes[:, 0], found, strict=True):
        ax.set_ylabel(name, fontsize=9)
    figure.supxlabel("passes over the data", fontsize=9)
    figure.supylabel("certified relative gap", fontsize=9)
    axes[0, 0].set(ylim=(3e-8, 2.0), yticks=LEVELS)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(path, dpi=120)


def main() -> None:
    """The table, and the picture if there is a path for it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=DATA, default=DATA, help="data sets")
    parser.add_argument("--max-time", type=float, default=20.0, help="seconds a run at most (default: 20)")
    parser.add_argument("--picture", type=Path, help="where to draw gaps against passes")
    options = parser.parse_args()
    sys.path.insert(0, str(RACE))
    heads = [f"{method} {level:.0e}".replace("e-0", "e-") for method in METHODS for level in LEVELS]
    print("| instance | " + " | ".join(heads) + " | restarted / stochastic to 1e-4 |")
    print("|---|" + "---:|" * (len(heads) + 1))
    found: dict[str, list[tuple[str, dict[str, Run]]]] = {}
    for name in options.only:
        for instance in instances(name):
            runs = {method: run(instance, method, options.max_time) for method in METHODS}
            print(row(instance, runs), flush=True)
            found.setdefault(name, []).append((instance.title.split(", ", 1)[1], runs))
    if options.picture and found:
        draw(found, options.picture)


if __name__ == "__main__":
    main()
