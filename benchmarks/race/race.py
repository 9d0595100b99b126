"""The race: pdprox and its peers to the same certified gaps, one table, one picture.

    python benchmarks/race/race.py [--quick] [--only PATTERN] [--peers NAME ...] [--limit SECONDS] [--resume]

benchopt loads objective, data sets and solvers and runs them.  What it has no words for is here: pdprox goes
first on each instance, because a peer's time limit is a multiple of what pdprox needs.  Each run is on disk as
soon as it is judged; ``--resume`` goes on where a race stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from benchopt.benchmark import Benchmark
from benchopt.runner import run_benchmark

HERE = Path(__file__).resolve().parent

#: where the table puts the data sets
ORDER = (
    "gaussian", "gaussian-tall", "shifted-means", "a9a", "w8a", "covtype", "news20", "bigrams", "dorothea",
    "arcene", "make-classification", "make-regression", "cal-housing", "quantile", "splice", "bardet", "groups",
)  # fmt: skip
#: the quick race: small instances of every kind
QUICK = (
    "shifted means*0.1 lam_max",
    "a9a*l1, 0.1 lam_max",
    "a9a*C = 1",
    "make_classification*C = 0.01",
    "make_regression 10000x100, pinball 0.5*0.1 lam_max",
    "Gaussian + 100 100x50, pinball 0.5*",
    "splice junction*, 0.1 lam_max",
    "bardet*group*, 0.1 lam_max",
)


def main() -> None:
    """Run what is asked for, then print the table."""
    options = arguments()
    path = HERE / "results" / ("quick.csv" if options.quick else "race.csv")
    os.environ["PDPROX_RACE_BOARD"] = str(path)
    if options.limit:
        least = min(2.0, options.limit)
        os.environ["PDPROX_RACE_LIMITS"] = f"60,{least},{options.limit}"
    elif options.quick:
        os.environ["PDPROX_RACE_LIMITS"] = "60,1,3"
    benchmark = Benchmark(HERE, seed=0, no_cache=True)
    # only now that benchopt has made it importable
    from benchmark_utils import board
    from benchmark_utils.table import report

    if path.exists() and not (options.resume or options.table):
        path.rename(path.with_suffix(".old.csv"))
    board.current = board.Board(path, datetime.now(UTC).strftime("%Y%m%dT%H%M%S"))
    entries = [entry for entry in start_list(benchmark) if chosen(entry[0].instance_title, options)]
    if not entries:
        raise SystemExit(f"no instance matches {options.only!r}; titles are as in the table")
    if not options.table:
        race(benchmark, board.current, [dataset for dataset, _ in entries], options)
    tuned = {dataset.instance_title for dataset, marked in entries if marked}
    print(report(board.current, [dataset.instance_title for dataset, _ in entries], tuned))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small instances, a few minutes")
    parser.add_argument("--only", metavar="PATTERN", help="instances with this in their title; * and ? work")
    parser.add_argument("--peers", nargs="*", metavar="NAME", help="these peers only; none for pdprox alone")
    parser.add_argument("--limit", type=float, help="seconds at most for one run (default: 60)")
    parser.add_argument("--resume", action="store_true", help="keep the results there are and go on")
    parser.add_argument(
        "--again", nargs="*", default=[], metavar="NAME", help="with --resume: run these anew"
    )
    parser.add_argument("--table", action="store_true", help="run nothing, make table and picture again")
    return parser.parse_args()


def start_list(benchmark: Benchmark) -> Iterator[tuple[Any, bool]]:
    """All data sets with their problems, in a fixed order; constants may be tuned on every second one."""
    number = 0
    for cls in sorted(benchmark.get_datasets(), key=lambda cls: ORDER.index(cls.name)):
        sizes = cls.parameters.get("n", [None])
        for n in sizes:
            for problem in cls.parameters["problem"]:
                size = {} if n is None else {"n": n}
                yield cls.get_instance(problem=problem, **size), number % 2 == 0
                number += 1


def chosen(title: str, options: argparse.Namespace) -> bool:
    """Whether the instance is asked for."""
    wanted = not options.quick or any(fnmatch(title, pattern) for pattern in QUICK)
    return wanted and (options.only is None or fnmatch(title, f"*{options.only}*"))


def solvers(benchmark: Benchmark, options: argparse.Namespace) -> list[str]:
    """The names of the solvers to run, pdprox first."""
    names = []
    for cls in benchmark.get_solvers():
        values = next(iter(cls.parameters.values()), [None])
        key = next(iter(cls.parameters), None)
        names += [str(cls.get_instance(**({key: value} if key else {}))) for value in values]
    if options.peers is not None:
        names = [name for name in names if any(peer in name for peer in (*options.peers, "pdprox"))]
    return sorted(names, key=lambda name: name != "pdprox")


def race(benchmark: Benchmark, board: Any, datasets: list[Any], options: argparse.Namespace) -> None:
    """One instance after the other, one solver after the other."""
    names, begin = solvers(benchmark, options), time.perf_counter()
    for number, dataset in enumerate(datasets, 1):
        title, minutes = dataset.instance_title, (time.perf_counter() - begin) / 60
        todo = [name for name in names if name in options.again or not board.ended(title, name)]
        if not todo:
            continue
        print(f"[{number}/{len(datasets)}, {minutes:.1f} min] {title}", flush=True)
        data = dataset.get_data()
        if data["instance"] is None:
            print(f"    skipped: {data['reason']}", flush=True)
            continue
        for name in todo:
            ((cls, parameters),) = benchmark.check_solver_patterns([name])
            if not cls.get_instance(**parameters).skip(**data)[0]:
                run(benchmark, str(dataset), name)
                board.end(title, data["instance"].family, name)


def run(benchmark: Benchmark, dataset: str, solver: str) -> None:
    """Let benchopt run one solver on one instance; the objective writes what it sees on the board.

    What benchopt itself has to say and to save is shown only when it fails.
    """
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with contextlib.redirect_stdout(said):
                run_benchmark(
                    benchmark, [solver], dataset_names=[dataset], max_runs=1000, plot_result=False,
                    display=False, show_progress=False, no_cache=True, output_file=f"{folder}/runs.parquet",
                )  # fmt: skip
        except RuntimeError:
            print(said.getvalue(), flush=True)


if __name__ == "__main__":
    main()
