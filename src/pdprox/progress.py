"""Showing how a run goes: log lines or a progress bar.  Solvers do not print."""

from __future__ import annotations

import logging
import multiprocessing
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Lock
from typing import Any, TextIO

import numpy as np

from pdprox.certificate import Certificate

#: a bar is redrawn so many times a second at most; where none can be drawn, so many seconds lie between lines
_REDRAWN, _SECONDS = 10, 5.0

log = logging.getLogger("pdprox")
#: held by the one bar of this process
_screen = Lock()


class Progress(ABC):
    """What is told of a run."""

    @abstractmethod
    def audit(
        self, seconds: float, passes: float, iteration: int, certificate: Certificate, doing: str
    ) -> None:
        """Tell where the run stands, and what the method does."""

    @abstractmethod
    def end(self, line: str) -> None:
        """Tell what came out, in one line."""


@contextmanager
def progress(verbose: bool | str, tol: float) -> Iterator[Progress]:
    """What to tell at every audit: nothing, a log line, or a bar that fills as the gap falls."""
    if not _wants_bar(verbose):
        yield Lines() if verbose else Silent()
        return
    with _bar(("gap {task.fields[gap]} of " + f"{tol:.0e}", "{task.fields[doing]}")) as bar:
        yield Lines(_SECONDS) if bar is None else Bar(bar, tol)


@contextmanager
def counting(verbose: bool | str, total: int, what: str) -> Iterator[Callable[[], None]]:
    """What to call whenever one of so many runs has ended: a bar that fills if one is wanted, else nothing."""
    if not _wants_bar(verbose):
        yield lambda: None
        return
    with _bar(("{task.completed:.0f} of " + f"{total} {what}",)) as bar:
        if bar is None:
            yield Count(total, what)
            return
        task = bar.add_task("", total=total)
        yield lambda: bar.advance(task)


def _wants_bar(verbose: bool | str) -> bool:
    if verbose != "bar" and verbose is not True and verbose is not False:
        raise ValueError(f'verbose must be True, False or "bar", got {verbose!r}')
    return verbose == "bar"


class Silent(Progress):
    """Nothing."""

    def audit(
        self, seconds: float, passes: float, iteration: int, certificate: Certificate, doing: str
    ) -> None:
        pass

    def end(self, line: str) -> None:
        pass


@dataclass
class Lines(Progress):
    """Log lines: for each audit or, in place of a bar, one in a while and one at the end."""

    every: float = 0.0
    latest: float = 0.0

    def audit(
        self, seconds: float, passes: float, iteration: int, certificate: Certificate, doing: str
    ) -> None:
        if seconds < self.latest + self.every:
            return
        self.latest = seconds
        _tell(
            "%8.2f s  %s  iteration %6d  passes %8.1f  primal %.8g  dual %.8g  relative gap %.2e",
            seconds, doing, iteration, passes, certificate.primal, certificate.dual, certificate.relative_gap,
        )  # fmt: skip

    def end(self, line: str) -> None:
        if self.every:
            _tell("%s", line)


class Bar(Progress):
    """A bar that fills as the logarithm of the gap falls to that of tol."""

    def __init__(self, bar: Any, tol: float) -> None:
        self._bar, self._tol = bar, tol
        self._task = bar.add_task("", total=1.0, gap="-", doing="")

    def audit(
        self, seconds: float, passes: float, iteration: int, certificate: Certificate, doing: str
    ) -> None:
        gap = certificate.relative_gap
        self._bar.update(self._task, completed=share(gap, self._tol), gap=f"{gap:.1e}", doing=doing)

    def end(self, line: str) -> None:
        self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)


@dataclass
class Count:
    """Log lines in place of a bar that counts: one in a while."""

    total: int
    what: str
    done: int = 0

    def __post_init__(self) -> None:
        self._began = self._latest = time.perf_counter()
        self._lock = Lock()

    def __call__(self) -> None:
        now = time.perf_counter()
        with self._lock:
            self.done += 1
            if now < self._latest + _SECONDS:
                return
            self._latest = now
            _tell("%8.2f s  %d of %d %s", now - self._began, self.done, self.total, self.what)


def share(gap: float, tol: float) -> float:
    """How much of the way from a relative gap of 1 to tol is done, on a logarithmic scale; 0 for NaN."""
    smallest = 1e-16  # no gap is smaller, for all that rounding can tell
    goal = -np.log10(max(tol, smallest))
    if gap <= tol or goal <= 0:
        return float(gap <= tol)
    return float(np.clip(-np.log10(max(gap, smallest)) / goal, 0.0, 1.0)) if gap < 1 else 0.0


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to what is stderr now, not to what it was: while a bar is drawn, lines go above it."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def _tell(message: str, *values: Any) -> None:
    if not log.handlers and not logging.getLogger().handlers:
        log.addHandler(_Stderr())
        log.setLevel(logging.INFO)
    log.info(message, *values)


@contextmanager
def _bar(texts: tuple[str, ...]) -> Iterator[Any]:
    """rich's progress bar on stderr, gone at the end; None where none can be drawn."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
        from rich.progress import Progress as RichProgress
        from rich.text import Text
    except ImportError:
        raise ImportError('verbose="bar" needs rich: pip install "pdprox[cli]"') from None

    class Cut(ProgressColumn):
        """A text that is cut where the line ends."""

        def render(self, task: Task) -> Text:
            return Text(texts[-1].format(task=task), no_wrap=True, overflow="ellipsis")

    console = Console(stderr=True)
    if not _drawable(console) or not _screen.acquire(blocking=False):
        yield None
        return
    columns: list[Any] = [TextColumn("{task.elapsed:.1f} s"), BarColumn(bar_width=20)]
    columns += [TextColumn(text, markup=False) for text in texts[:-1]]
    to_screen = sys.stdout is not None and sys.stdout.isatty()  # what goes to a file must still go there
    try:
        with RichProgress(
            *columns, Cut(), console=console, transient=True, refresh_per_second=_REDRAWN,
            redirect_stdout=to_screen,
        ) as bar:  # fmt: skip
            yield bar
    finally:
        _screen.release()


def _drawable(console: Any) -> bool:
    """Whether there is a screen, and nothing of rich's is drawn on it yet."""
    if console.is_jupyter:
        return find_spec("ipywidgets") is not None
    terminal = sys.stderr is not None and sys.stderr.isatty() and console.is_terminal
    shared = multiprocessing.current_process().name != "MainProcess"  # other processes may draw there
    return terminal and not (console.is_dumb_terminal or shared or hasattr(sys.stderr, "rich_proxied_file"))
