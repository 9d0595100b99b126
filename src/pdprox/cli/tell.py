"""What commands print: answers on the standard output, all else on the error output."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np


def answer(facts: dict[str, Any], as_json: bool) -> None:
    """Facts, a line each, or as one JSON object."""
    if as_json:
        click.echo(json.dumps(facts, default=plain, allow_nan=True))
        return
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        click.echo(f"{name:<{width}}  {_shown(value)}")


def aside(text: str) -> None:
    """A line that is no answer."""
    click.echo(text, err=True)


def plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"cannot be written as JSON: {type(value).__name__}")


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ", ".join(_shown(each) for each in value)
    return str(value)
