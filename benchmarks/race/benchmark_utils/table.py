"""What the board says: a table of all instances, geometric means per family, and a picture of the ratios."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from benchmark_utils.board import LEVELS, OURS, STRICT, Board

GOAL = LEVELS[-1]
COLOURS = {"l1": "#0072b2", "l2": "#d55e00", "group": "#009e73", "square": "#cc79a7", "sizes": "#e69f00"}


@dataclass(frozen=True)
class Time:
    """Seconds to a gap, or the limit within which it was not reached."""

    seconds: float
    reached: bool = True

    def __str__(self) -> str:
        return ("" if self.reached else "> ") + _short(self.seconds)


@dataclass(frozen=True)
class Ratio:
    """The best peer's time over ours; a bound where only one of them got there."""

    value: float
    sign: str = ""

    def __str__(self) -> str:
        return f"{self.sign}{_short(self.value)}"


@dataclass(frozen=True)
class Line:
    """One instance."""

    title: str
    family: str
    tuned: bool
    board: Board

    def time(self, peer: str, level: float) -> Time:
        """The shortest run that got there; else the limit."""
        seconds = self.board.time_to(self.title, peer, level)
        if math.isfinite(seconds):
            return Time(seconds)
        limits = [row.limit for row in self.board.of(self.title, peer) if math.isfinite(row.limit)]
        return Time(max(limits, default=math.inf), reached=False)

    @property
    def peers(self) -> list[str]:
        """Who ran, but for pdprox."""
        return sorted({row.peer for row in self.board.of(self.title)} - {OURS})

    def best(self, level: float) -> tuple[str, Time] | None:
        """The first of the peers; of those that failed the one with the smallest gap."""
        if not self.peers:
            return None
        times = {peer: self.time(peer, level) for peer in self.peers}
        name = min(times, key=lambda peer: (not times[peer].reached, times[peer].seconds, self.gap(peer)))
        return name, times[name]

    def gap(self, peer: str) -> float:
        """The smallest gap that a peer reached in any run, in time or not."""
        return min((self.board.gap(row) for row in self.board.of(self.title, peer)), default=math.inf)

    def ratio(self, level: float) -> Ratio | None:
        """Best peer over ours; None when neither got there."""
        best, ours = self.best(level), self.time(OURS, level)
        if best is None or not (best[1].reached or ours.reached):
            return None
        sign = "" if best[1].reached and ours.reached else "> " if ours.reached else "< "
        return Ratio(best[1].seconds / ours.seconds, sign)

    def failed(self) -> str:
        """Who did not reach the goal, and how far off they stopped."""
        off = [peer for peer in self.peers if not self.time(peer, GOAL).reached]
        return ", ".join(
            f"{_name(peer)} {'late' if self.gap(peer) <= GOAL else _gap(self.gap(peer))}" for peer in off
        )

    def markdown(self) -> str:
        """The row of the table."""
        ours = " | ".join(str(self.time(OURS, level)) for level in (*LEVELS, STRICT))
        best, ratio = self.best(GOAL), self.ratio(GOAL)
        told = "- | -" if best is None else f"{_name(best[0])} | {best[1]}"
        mark = "\\*" if self.tuned else ""
        return f"| {self.title}{mark} | {ours} | {told} | {ratio or '-'} | {self.failed()} |"


def report(board: Board, titles: list[str], tuned: set[str]) -> str:
    """The table as Markdown, also in a file beside the board; the picture in another."""
    lines = []
    for title in titles:
        rows = board.of(title)
        if rows:
            lines.append(Line(title, rows[0].family, title in tuned, board))
    if not lines:
        return "no results yet"
    text = "\n".join([*_table(lines), "", *_means(lines), ""])
    board.path.with_suffix(".md").write_text(text)
    _picture(lines, board.path.with_suffix(".png"))
    return text


def _table(lines: list[Line]) -> Iterable[str]:
    yield (
        "Seconds to certified relative gaps; ratio = best peer / pdprox, both to 1e-6. "
        "A time after > is the limit of who did not get there. \\* = constants may have been tuned on it."
    )
    yield ""
    heads = [f"{level:.0e}".replace("e-0", "e-") for level in (*LEVELS, STRICT)]
    yield f"| instance | pdprox {' | '.join(heads)} | best peer | its 1e-6 | ratio | stopped short, at gap |"
    yield "|---|" + "---:|" * 4 + "---|---:|---:|---|"
    yield from (line.markdown() for line in lines)


def _means(lines: list[Line]) -> Iterable[str]:
    yield "| family | instances | to 1e-4 | to 1e-6 | smallest at 1e-6 | to 1e-6, not tuned on | ours 1e-9 / 1e-6 |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    families = [family for family in COLOURS if any(line.family == family for line in lines)]
    for family in [*families, *(["all"] if len(families) > 1 else [])]:
        own = [line for line in lines if family in (line.family, "all")]
        ratios = [ratio for ratio in (line.ratio(GOAL) for line in own) if ratio]
        smallest = min(ratios, key=lambda ratio: ratio.value, default="-")
        untuned = _mean([line for line in own if not line.tuned], GOAL)
        yield (
            f"| {family} | {len(own)} | {_mean(own, LEVELS[1])} | {_mean(own, GOAL)} | {smallest} "
            f"| {untuned} | {_strict(own)} |"
        )


def _mean(lines: list[Line], level: float) -> str:
    """Geometric mean of the ratios; a bound as soon as one of them is."""
    ratios = [ratio for ratio in (line.ratio(level) for line in lines) if ratio]
    if not ratios:
        return "-"
    signs = {ratio.sign for ratio in ratios} - {""}
    sign = signs.pop() if len(signs) == 1 else "~ " if signs else ""
    return str(Ratio(geometric_mean(ratio.value for ratio in ratios), sign))


def _strict(lines: list[Line]) -> str:
    both = [(line.time(OURS, STRICT), line.time(OURS, GOAL)) for line in lines]
    ratios = [strict.seconds / goal.seconds for strict, goal in both if strict.reached and goal.reached]
    missed = sum(goal.reached and not strict.reached for strict, goal in both)
    mean = _short(geometric_mean(ratios)) if ratios else "-"
    return mean + (f" ({missed} missed)" if missed else "")


def _picture(lines: list[Line], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    shown = [(line, ratio) for line in lines if (ratio := line.ratio(GOAL))]
    if not shown:
        return
    shown.sort(key=lambda pair: (list(COLOURS).index(pair[0].family), pair[1].value), reverse=True)
    figure, axes = plt.subplots(figsize=(9.5, 1.6 + 0.19 * len(shown)), layout="constrained")
    for place, (line, ratio) in enumerate(shown):
        colour, exact = COLOURS[line.family], not ratio.sign
        axes.plot([1, ratio.value], [place, place], color=colour, lw=1, alpha=0.5)
        marker = "o" if exact else ">" if ratio.sign == "> " else "<"
        axes.plot(ratio.value, place, marker, color=colour, ms=5, mfc=colour if exact else "white")
    for family, colour in COLOURS.items():
        own = [line for line, _ in shown if line.family == family]
        if own:
            axes.plot([], [], "o", color=colour, label=f"{family}: geometric mean {_mean(own, GOAL)}")
    axes.axvline(1, color="black", lw=0.8)
    axes.set(xscale="log", ylim=(-0.8, len(shown) - 0.2), yticks=range(len(shown)))
    axes.set_yticklabels([line.title + ("*" if line.tuned else "") for line, _ in shown], fontsize=7)
    axes.set_xlabel("time of the best peer / time of pdprox, both to certified gap 1e-6\n(hollow: a bound)")
    axes.grid(axis="x", which="major", lw=0.4)
    figure.legend(loc="outside upper center", ncols=2, fontsize=8, frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _name(peer: str) -> str:
    """``highs[algorithm=ipm]`` as ``highs ipm``; a solver of the same name is not said twice."""
    name, _, rest = peer.partition("[")
    return f"{name} {rest.rstrip(']').partition('=')[2]}".strip()


def _gap(gap: float) -> str:
    return f"{gap:.0e}".replace("e-0", "e-").replace("e+0", "e") if math.isfinite(gap) else "no answer"


def _short(number: float) -> str:
    if not math.isfinite(number):
        return "-"
    return f"{number:.0f}" if number >= 100 else f"{number:.2g}"
