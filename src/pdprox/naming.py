"""One rule for names: ``GeneralizedHinge`` is called ``"generalized-hinge"`` wherever a string will do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any


def name_of(thing: Any) -> str:
    """The hyphenated lower-case name of a class or of an object's class."""
    cls = thing if isinstance(thing, type) else type(thing)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()


def class_by_name(name: str, members: Iterable[type], kind: str) -> type:
    """The member of ``ALL`` that has this name."""
    table = {name_of(member): member for member in members}
    key = name.lower().replace("_", "-")
    if key not in table:
        raise ValueError(f"unknown {kind} {name!r}; known: {', '.join(sorted(table))}")
    return table[key]


def by_name(name: str, members: Iterable[type], kind: str) -> Any:
    """An instance, with default parameters, of the member of ``ALL`` that has this name."""
    member = class_by_name(name, members, kind)
    try:
        return member()
    except TypeError as error:
        raise ValueError(
            f"{kind} {name!r} needs parameters; pass an object such as {member.__name__}(...)"
        ) from error


def specimens(members: Iterable[type]) -> list[Any]:
    """All specimens of all members: what laws, plots and benchmarks run over."""
    return [specimen for member in members for specimen in member.specimens()]  # type: ignore[attr-defined]
