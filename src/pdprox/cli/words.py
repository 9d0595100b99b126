"""What is written on a command line, as objects."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import click

from pdprox import losses, penalties
from pdprox.naming import class_by_name


def loss(text: str) -> Any:
    """A loss from ``hinge``, ``pinball:0.9`` or ``generalized-hinge:a=2``."""
    return _object(text, losses.ALL, "loss", {})


def penalty(text: str, groups: Any = None) -> Any:
    """A penalty from ``l1``, ``elastic-net:0.5`` or ``group-lasso``, which needs the groups."""
    return _object(text, penalties.ALL, "penalty", {} if groups is None else {"groups": groups})


def _object(text: str, members: Any, kind: str, given: dict[str, Any]) -> Any:
    name, _, rest = text.partition(":")
    try:
        member = class_by_name(name, members, kind)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    names = [field.name for field in fields(member)] if is_dataclass(member) else []
    takes = [name for name in names if name not in given]
    parameters = {name: value for name, value in given.items() if name in names}
    if given and not parameters:
        raise click.BadParameter(f"{kind} {name!r} knows no groups")
    for place, word in enumerate(rest.split(",") if rest else []):
        key, equals, value = word.partition("=")
        if not equals:
            if place >= len(takes):
                raise click.BadParameter(f"{kind} {name!r} takes {len(takes)} parameters, got {rest!r}")
            key, value = takes[place], word
        if key not in takes:
            told = ", ".join(takes) or "none"
            raise click.BadParameter(f"{kind} {name!r} has no parameter {key!r}; it has: {told}")
        parameters[key] = _number(value, f"{kind} {name!r}, {key}")
    try:
        made = member(**parameters)
        if kind == "loss":
            made.check()
        return made
    except TypeError as error:
        lacking = [name for name in names if name not in parameters]
        raise click.BadParameter(
            f"{kind} {name!r} needs {', '.join(lacking) or 'other parameters'}: {error}"
        ) from None
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(f"{what} must be a number, got {text!r}") from None


def numbers(text: str, what: str) -> list[float]:
    """Numbers with commas between them."""
    return [_number(word, what) for word in text.split(",")]
