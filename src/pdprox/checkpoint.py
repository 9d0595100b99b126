"""Checkpoints: where a run stands, written while it goes on, and taken up by another one."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pdprox import files
from pdprox.files import FileError, Reader, Tree
from pdprox.fingerprint import Mark, mark
from pdprox.losses import PaperForm
from pdprox.methods import Method
from pdprox.packing import SOLUTION, Kind, only
from pdprox.problem import Problem
from pdprox.solution import Solution
from pdprox.values import number


@dataclass(frozen=True)
class Checkpoint:
    """The best points of a run so far with what they prove, what it has cost, and the marks of its problem.

    ``solution`` can be used like any other, as a ``warm_start`` of any problem of its shape.
    """

    solution: Solution
    #: what the run has cost until then; the solution's history ends at its last audit
    seconds: float
    passes: float
    #: one for each part of the problem, and one for the method
    marks: dict[str, Mark]


def marks(problem: Problem, method: Method) -> dict[str, Mark]:
    """The marks of all that must be the same when a run is taken up, by the names that the arguments have."""
    loss, form = problem.loss, "compact"
    if isinstance(loss, PaperForm):
        loss, form = loss.loss, "paper"
    return {
        **problem.samples.marks(),
        "loss": _mark("loss", loss),
        "dual_form": mark(form, form),
        "penalty": _mark("penalty", problem.penalty),
        "lam": mark(problem.lam),
        "intercept": mark(problem.features.intercept),
        "primal_set": _mark("primal_set", problem.features.term.domain),
        "method": _mark("method", method),
    }


def _mark(name: str, thing: Any) -> Mark:
    try:
        return mark(thing)
    except TypeError as error:
        raise TypeError(
            f"a checkpoint must tell this {name} from others, but {error}; make {type(thing).__name__} a dataclass "
            "whose fields are numbers, strings or arrays"
        ) from None


def resumed(path: Path, present: dict[str, Mark]) -> Checkpoint:
    """The checkpoint of a file; an error that says what differs if it is not of this problem and method."""
    kind, reader = files.read(path)
    if kind == SOLUTION.name:
        raise FileError(
            f"{path} holds a solution, not a checkpoint; go on from it by warm_start=pdprox.load(...)"
        )
    found: Checkpoint = only(CHECKPOINT, path, kind, reader)
    told = [
        _difference(name, found.marks.get(name), now)
        for name, now in present.items()
        if name not in found.marks or found.marks[name].digest != now.digest
    ]
    if told:
        raise FileError(
            f"{path} is a checkpoint of something else: {'; '.join(told)}. Give what it was made with, or leave "
            "resume_from out; warm_start=pdprox.load(...).solution starts another problem from its points"
        )
    return found


def _difference(name: str, then: Mark | None, now: Mark) -> str:
    if then is None:
        return f"it does not know {name}"
    if then.text == now.text:
        return f"{name} differs, {now.text} both times"
    return f"{name} was {then.text} and is {now.text}"


def checked(
    checkpoint: Any, every: Any, resume_from: Any, warm_start: Any
) -> tuple[Path | None, float, Path | None]:
    """The options of ``solve`` that deal with files, before any work is done."""
    target = None if checkpoint is None else files.place(checkpoint, "checkpoint")
    source = None if resume_from is None else files.place(resume_from, "resume_from")
    every = number(every, "every, the seconds between two checkpoints,")
    if not 0 <= every < np.inf:
        raise ValueError(
            f"every must be a number of seconds >= 0, got {every}; 0 writes a checkpoint at every audit"
        )
    if source is not None and warm_start is not None:
        raise ValueError(
            "resume_from and warm_start both say where to start; leave warm_start out, the checkpoint has its points"
        )
    if target is not None:
        files.room_for(target)
    return target, every, source


class Keeper:
    """Writes the checkpoints of a run to one file, each in place of the one before."""

    def __init__(self, path: Path, every: float, marks: dict[str, Mark]) -> None:
        self._path, self._every, self._marks = path, every, marks
        self._last = time.perf_counter()

    def due(self) -> bool:
        """Whether it is time for the next one."""
        return time.perf_counter() - self._last >= self._every

    def keep(self, solution: Solution, seconds: float, passes: float) -> None:
        """Write one.  A full disk does not end the run: it warns, and the file has the checkpoint before."""
        standing = Checkpoint(solution, seconds, passes, self._marks)
        try:
            files.write(self._path, CHECKPOINT.name, _pack(standing))
        except OSError as error:
            warnings.warn(
                f"no checkpoint could be written to {self._path}: {error}; the run goes on",
                RuntimeWarning,
                stacklevel=2,
            )
        self._last = time.perf_counter()


def _pack(checkpoint: Checkpoint) -> Tree:
    return {
        "solution": SOLUTION.pack(checkpoint.solution),
        "seconds": checkpoint.seconds,
        "passes": checkpoint.passes,
        "marks": {name: {"text": m.text, "digest": m.digest} for name, m in checkpoint.marks.items()},
    }


def _unpack(reader: Reader) -> Checkpoint:
    told = reader.inner("marks")
    found = {name: Mark(told.inner(name).text("text"), told.inner(name).text("digest")) for name in told}
    solution = SOLUTION.unpack(reader.inner("solution"))
    return Checkpoint(solution, reader.number("seconds"), reader.number("passes"), found)


CHECKPOINT = Kind("checkpoint", Checkpoint, _pack, _unpack)
