"""A process of its own for one peer on one instance.

Peers without a clock have to be stopped from outside; some clash when loaded together (OR-tools and
HiGHS); and a peer that runs out of memory must not take the race along.  The process is forked, so that
the data are shared, and it is the same for everybody: pdprox runs in one, too.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
import traceback
import warnings
from typing import Any

_CONVERSION = 180.0  # seconds at most, not timed


class StoppedError(Exception):
    """The peer gave no answer; the message says why."""


class Child:
    """Converts the data once; then runs, each from scratch, as often as asked."""

    _alive: Child | None = None

    def __init__(self, peer: Any, instance: Any) -> None:
        if Child._alive is not None:
            Child._alive.close()  # never two at a time
        fork = multiprocessing.get_context("fork")
        self._pipe, theirs = fork.Pipe()
        self._process = fork.Process(target=_serve, args=(peer, instance, theirs, self._pipe), daemon=True)
        self._process.start()
        theirs.close()
        Child._alive = self
        self._hear(_CONVERSION, "no answer after {:.0f} s of converting data")

    def ask(self, tolerance: float, limit: float) -> tuple[float, Any]:
        """Seconds and answer of a run; ``StoppedError`` when there is none after twice the limit."""
        try:
            self._pipe.send((tolerance, limit))
        except OSError:
            raise StoppedError("no longer running") from None
        self._hear(_CONVERSION, "no answer after {:.0f} s of preparing a run")
        return self._hear(2 * limit, "no answer after {:.1f} s")

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        Child._alive = None if Child._alive is self else Child._alive

    def _hear(self, seconds: float, otherwise: str) -> Any:
        try:
            if not self._pipe.poll(seconds):
                self.close()
                raise StoppedError(otherwise.format(seconds))
            kind, content = self._pipe.recv()
        except (EOFError, OSError):
            self.close()
            raise StoppedError(f"its process ended (exit code {self._process.exitcode})") from None
        if kind == "failed":
            raise StoppedError(content)
        return content


def _serve(peer: Any, instance: Any, pipe: Any, theirs: Any) -> None:
    theirs.close()
    warnings.simplefilter("ignore")
    _limit_memory()
    _silence()
    try:
        peer.convert(instance)
        pipe.send(("converted", None))
        while True:
            tolerance, limit = pipe.recv()
            run = peer.ready(tolerance, limit)
            pipe.send(("ready", None))
            begin = time.perf_counter()
            outcome = run()
            seconds = time.perf_counter() - begin
            pipe.send(("answer", (seconds, peer.answer(outcome))))
    except EOFError:  # the race has closed the pipe
        pass
    except Exception as error:  # noqa: BLE001 - whatever stops a peer is a result
        pipe.send(("failed", f"{type(error).__name__}: {error}".splitlines()[0][:120]))
        if os.environ.get("PDPROX_RACE_DEBUG"):
            traceback.print_exc()


def _limit_memory() -> None:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    most = int(0.7 * pages * size)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _silence() -> None:
    """Some peers print whatever they are told; errors still show with PDPROX_RACE_DEBUG."""
    if not os.environ.get("PDPROX_RACE_DEBUG"):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
