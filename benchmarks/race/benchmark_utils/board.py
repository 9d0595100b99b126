"""The board of the race: one line of a CSV file for each run of each peer, written as soon as it is known.

It is what a race goes on from, what the time limits of the peers are taken from, and what the table is made of.
"""

from __future__ import annotations

import csv
import math
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path

#: relative gaps that are timed; pdprox runs to STRICT, too
LEVELS = (1e-2, 1e-4, 1e-6)
STRICT = 1e-9
OURS = "pdprox"
#: the note of the line that ends the runs of one peer on one instance
END = "end"


@dataclass(frozen=True)
class Row:
    """One run; ``gap`` is the one known at the time, the table takes the best dual bound of all runs."""

    run: str
    instance: str
    family: str
    peer: str
    tolerance: float
    seconds: float
    primal: float
    dual: float
    gap: float
    limit: float
    note: str = ""


class Board:
    """The rows of one file; ``run`` names the race they were written in."""

    def __init__(self, path: Path, run: str = "") -> None:
        self.path, self.run = path, run
        self.rows: list[Row] = list(_read(path)) if path.exists() else []

    def write(self, row: Row) -> None:
        """Keep a row, on disk at once."""
        self.rows.append(row)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        with self.path.open("a", newline="") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow([field.name for field in fields(Row)])
            writer.writerow(asdict(row).values())

    def end(self, instance: str, family: str, peer: str) -> None:
        """Note that a peer has done all its runs on an instance."""
        nothing = (math.inf, math.inf, math.inf, -math.inf, math.inf, math.inf)
        self.write(Row(self.run, instance, family, peer, *nothing, END))

    def of(self, instance: str, peer: str | None = None) -> list[Row]:
        """The rows of an instance; of each peer, those of its latest race."""
        here = [row for row in self.rows if row.instance == instance and peer in (None, row.peer)]
        latest = {row.peer: row.run for row in here}
        return [row for row in here if row.run == latest[row.peer]]

    def ended(self, instance: str, peer: str) -> bool:
        """Whether a peer has done all its runs on an instance."""
        return any(row.note == END for row in self.of(instance, peer))

    def best_dual(self, instance: str) -> float:
        """The largest lower bound that anybody has certified; it stays true whoever found it, and when."""
        return max((row.dual for row in self.rows if row.instance == instance), default=-math.inf)

    def time_to(self, instance: str, peer: str, level: float) -> float:
        """Seconds of the shortest run that got to the gap; infinite if none did."""
        return min((row.seconds for row in self.reached(instance, peer, level)), default=math.inf)

    def reached(self, instance: str, peer: str, level: float) -> list[Row]:
        """The runs that got to the gap within their limit."""
        return [
            row
            for row in self.of(instance, peer)
            if self.gap(row) <= level and row.seconds <= 1.1 * row.limit
        ]

    def gap(self, row: Row) -> float:
        """The relative gap: of pdprox as it was certified, of a peer with the best bound of all."""
        return row.gap if row.peer == OURS else relative_gap(row.primal, self.best_dual(row.instance))


def relative_gap(primal: float, dual: float) -> float:
    """The gap over the larger of the two values' sizes; 0 where rounding makes it negative."""
    if not (math.isfinite(primal) and math.isfinite(dual)):
        return math.inf
    return max(primal - dual, 0.0) / max(abs(primal), abs(dual), 1e-300)


def _read(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return [
            Row(**{f.name: line[f.name] if f.type == "str" else float(line[f.name]) for f in fields(Row)})
            for line in csv.DictReader(file)
        ]


def limits() -> tuple[float, float, float]:
    """How many times our time to 1e-6 a peer gets, and at least and at most how many seconds."""
    times, least, most = os.environ.get("PDPROX_RACE_LIMITS", "60,2,60").split(",")
    return float(times), float(least), float(most)


def default_path() -> Path:
    """Where results go."""
    given = os.environ.get("PDPROX_RACE_BOARD")
    return Path(given) if given else Path(__file__).resolve().parent.parent / "results" / "race.csv"


#: the board that objective and solvers write on and read from; the race may put another one here
current = Board(default_path())
