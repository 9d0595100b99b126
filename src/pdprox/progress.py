"""Showing how a run goes: log lines or a progress bar.  Solvers do not print."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pdprox.certificate import Certificate

Progress = Callable[[float, float, int, Certificate, str], None]

log = logging.getLogger("pdprox")


@contextmanager
def progress(verbose: bool | str, tol: float) -> Iterator[Progress]:
    """What to call at every audit: nothing, a log line, or a bar that fills as the gap falls."""
    if verbose == "bar":
        with _bar(tol) as show:
            yield show
    elif verbose is True or verbose is False:
        yield _log_line if verbose else _silent
    else:
        raise ValueError(f'verbose must be True, False or "bar", got {verbose!r}')


def _silent(seconds: float, passes: float, iteration: int, certificate: Certificate, name: str) -> None:
    pass


def _log_line(seconds: float, passes: float, iteration: int, certificate: Certificate, name: str) -> None:
    if not log.handlers and not logging.getLogger().handlers:
        log.addHandler(logging.StreamHandler())
        log.setLevel(logging.INFO)
    log.info(
        "%8.2f s  %s  iteration %6d  passes %8.1f  primal %.8g  dual %.8g  relative gap %.2e",
        seconds, name, iteration, passes, certificate.primal, certificate.dual, certificate.relative_gap,
    )  # fmt: skip


@contextmanager
def _bar(tol: float) -> Iterator[Progress]:
    try:
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress
    except ImportError:
        raise ImportError('verbose="bar" needs rich: pip install "pdprox[cli]"') from None
    columns: Any = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with RichProgress(*columns) as bar:
        task = bar.add_task("", total=1.0)

        def show(seconds: float, passes: float, iteration: int, certificate: Certificate, name: str) -> None:
            gap = certificate.relative_gap
            goal = -np.log10(max(tol, 1e-16))
            share = np.clip(-np.log10(max(gap, 1e-16)) / goal, 0.0, 1.0) if goal > 0 else float(gap <= tol)
            bar.update(
                task, completed=float(share), description=f"{name}: {iteration} iterations, gap {gap:.1e}"
            )

        yield show
