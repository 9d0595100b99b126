"""Models in files: ``save`` and ``load``."""

from __future__ import annotations

import os
import sys
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

from pdprox import files, losses, methods, penalties, sets
from pdprox.checkpoint import CHECKPOINT
from pdprox.files import FileError, Reader, Tree
from pdprox.losses import Loss
from pdprox.methods import Method
from pdprox.packing import SOLUTION, Kind
from pdprox.path import Path
from pdprox.penalties import Penalty
from pdprox.sets import ConvexSet

#: the classes that a file may name, the small ones that others take as parameters among them
CLASSES: dict[str, type] = {
    f"{room}.{member.__name__}": member
    for room, members in (
        ("losses", losses.ALL),
        ("penalties", penalties.ALL),
        ("penalties", (penalties.Groups, penalties.EveryRow, penalties.Power, penalties.Excess)),
        ("sets", sets.ALL),
        ("methods", methods.ALL),
        ("methods", (methods.StepRule,)),
    )
    for member in members
}
_NAMES = {member: name for name, member in CLASSES.items()}


def described(thing: Any) -> Tree:
    """A loss, penalty, set or method as the name of its class and its parameters.

    Raises
    ------
    TypeError
        For classes of your own, which ``load`` would not know.
    """
    if type(thing) not in _NAMES:
        raise TypeError(
            f"only classes of pdprox itself can be saved, got {thing!r}; save its parameters, and make it anew"
        )
    parameters = {field.name: _parameter(getattr(thing, field.name)) for field in fields(thing) if field.init}
    return {"class": _NAMES[type(thing)], "parameters": parameters}


def _parameter(value: Any) -> Tree:
    if isinstance(value, (list, tuple)):
        return [_parameter(part) for part in value]
    return described(value) if is_dataclass(value) else value


def made(reader: Reader) -> Any:
    """The object of a description; only known classes are made, by their constructors."""
    name = reader.text("class")
    if name not in CLASSES:
        raise FileError(f"{reader.path} names an unknown class: {name}")
    given = reader.inner("parameters")
    parameters = {key: _value(given, key) for key in given}
    strange = parameters.keys() - {field.name for field in fields(CLASSES[name]) if field.init}
    if strange:
        raise FileError(f"{reader.path} gives {name} an unknown parameter: {min(strange)}")
    try:
        return CLASSES[name](**parameters)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise FileError(f"{reader.path} gives {name} parameters that it refuses: {error}") from error


def _value(reader: Reader, name: str) -> Any:
    value = reader.any(name)
    if isinstance(value, dict):
        return made(reader.inner(name))
    if isinstance(value, list):
        numbered = {str(number): part for number, part in enumerate(value)}
        items = Reader(reader.path, numbered, f"{reader.where}{name}.")
        return tuple(_value(items, number) for number in items)
    return value


def _pack_path(found: Path) -> Tree:
    return {"lams": found.lams, "solutions": [SOLUTION.pack(solution) for solution in found.solutions]}


def _unpack_path(reader: Reader) -> Path:
    solutions = tuple(SOLUTION.unpack(each) for each in reader.each("solutions"))
    shapes = {solution.w.shape for solution in solutions}
    if len(shapes) > 1:
        raise FileError(
            f"{reader.path} is damaged: its solutions have coefficients of shapes {sorted(shapes)}"
        )
    return Path(reader.array("lams", len(solutions)), solutions)


def _object(name: str, base: type) -> Kind:
    """A loss, a penalty, a set or a method by itself."""

    def unpack(reader: Reader) -> Any:
        thing = made(reader)
        if not isinstance(thing, base):
            raise FileError(f"{reader.path} is damaged: it should hold a {name}, and holds {thing!r}")
        return thing

    return Kind(name, base, described, unpack)


#: every kind of thing that can be saved; a new one needs no more than an entry here
KINDS: tuple[Kind, ...] = (
    SOLUTION,
    Kind("path", Path, _pack_path, _unpack_path),
    CHECKPOINT,
    _object("loss", Loss),
    _object("penalty", Penalty),
    _object("set", ConvexSet),
    _object("method", Method),
)


def save(thing: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, a solution, a path, a checkpoint, or a loss, penalty, set or method to a file.

    The file is there as a whole or not at all, even if the power fails; one of the same name is replaced.
    It is a zip archive of NumPy's arrays and a page of JSON, so that ``numpy.load`` reads its arrays, too.

    Parameters
    ----------
    thing : estimator, Solution, Path, Checkpoint, Loss, Penalty, ConvexSet or Method
        Numbers are kept to the last bit.
    path : str or path
        The name of the file; ``.npz`` is usual, and nothing is added to it.

    Examples
    --------
    >>> import numpy as np, pdprox
    >>> from tempfile import TemporaryDirectory
    >>> problem = pdprox.Problem(np.eye(4), [1, -1, 1, -1], "hinge", "l1", lam=0.01)
    >>> solution = pdprox.solve(problem)
    >>> with TemporaryDirectory() as folder:
    ...     pdprox.save(solution, f"{folder}/model.npz")
    ...     again = pdprox.load(f"{folder}/model.npz")
    >>> again.status, bool(np.all(again.w == solution.w))
    ('converged', True)
    """
    kinds = _kinds("pdprox.estimators" in sys.modules)
    for kind in kinds:
        if isinstance(thing, kind.type):
            return files.write(files.place(path, "path"), kind.name, kind.pack(thing))
    known = ", ".join(kind.type.__name__ for kind in kinds)
    raise TypeError(f"save takes one of {known}; got {type(thing).__name__}")


def load(path: str | os.PathLike[str]) -> Any:
    """Read what ``save`` wrote, or a checkpoint of ``solve``.

    Nothing in a file is executed, whoever wrote it: arrays and numbers are read, and objects are made of
    pdprox' own classes only.

    Parameters
    ----------
    path : str or path
        The name of the file.

    Returns
    -------
    estimator, Solution, Path, Checkpoint, Loss, Penalty, ConvexSet or Method
        What was saved.

    Raises
    ------
    FileError
        If the file is damaged, was written by a later version, or is no file of pdprox; it says which.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pdprox
    >>> from pdprox.penalties import GroupLasso
    >>> with TemporaryDirectory() as folder:
    ...     pdprox.save(GroupLasso([0, 0, 1]), f"{folder}/penalty.npz")
    ...     again = pdprox.load(f"{folder}/penalty.npz")
    >>> again == GroupLasso([0, 0, 1])
    True
    """
    place = files.place(path, "path")
    name, reader = files.read(place)
    kinds = _kinds(name == "estimator")
    for kind in kinds:
        if kind.name == name:
            return kind.unpack(reader)
    raise FileError(
        f"{place} holds a thing of unknown kind {name!r}; known: {', '.join(kind.name for kind in kinds)}"
    )


def _kinds(estimators: bool) -> tuple[Kind, ...]:
    """All kinds; those of estimators only where there can be some, as they bring scikit-learn along."""
    return (*KINDS, import_module("pdprox.estimators.saved").ESTIMATOR) if estimators else KINDS
