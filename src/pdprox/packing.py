"""What can be saved: each kind of thing says how it becomes a tree of arrays and plain data, and how it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, cast

from pdprox.certificate import Certificate
from pdprox.files import FileError, Reader, Tree
from pdprox.solution import ADVICE, History, Solution, Status


@dataclass(frozen=True)
class Kind:
    """A kind of thing that can be saved.

    ``pack`` makes a dictionary of arrays, numbers, strings, lists and dictionaries; ``unpack`` takes it out of a
    ``Reader``, and checks that shapes agree.
    """

    name: str
    type: type
    pack: Callable[[Any], Tree]
    unpack: Callable[[Reader], Any]


def _pack(solution: Solution) -> Tree:
    certificate, history = solution.certificate, solution.history
    return {
        "w": solution.w,
        "intercept": solution.intercept,
        "alpha": solution.alpha,
        "status": solution.status,
        "iterations": solution.iterations,
        "method": solution.method,
        "certificate": {field.name: getattr(certificate, field.name) for field in fields(certificate)},
        "history": {field.name: getattr(history, field.name) for field in fields(history)},
    }


def _unpack(reader: Reader) -> Solution:
    w = reader.array("w", *(None,) * min(max(reader.dimensions("w"), 1), 2))
    alpha = reader.array("alpha", None, *w.shape[1:])
    status = cast("Status", reader.text("status", tuple(ADVICE)))
    bounds, audits = reader.inner("certificate"), reader.inner("history")
    certificate = Certificate(
        bounds.number("primal"),
        bounds.number("dual"),
        _intercept(bounds, w.shape[1:]),
        bounds.number("rounding"),
        bounds.number("noise"),
    )
    length = len(audits.array("seconds", None))
    history = History(*(audits.array(field.name, length) for field in fields(History)))
    return Solution(
        w, _intercept(reader, w.shape[1:]), alpha, status, certificate, history, reader.count("iterations"),
        reader.text("method"),
    )  # fmt: skip


def _intercept(reader: Reader, shape: tuple[int, ...]) -> Any:
    """A number, or an array with one for each target."""
    return reader.array("intercept", *shape) if shape else reader.number("intercept")


SOLUTION = Kind("solution", Solution, _pack, _unpack)


def only(kind: Kind, path: Any, found: str, reader: Reader) -> Any:
    """The thing of this kind that a file holds; an error if it holds something else."""
    if found != kind.name:
        raise FileError(f"{path} holds a {found}, not a {kind.name}")
    return kind.unpack(reader)
