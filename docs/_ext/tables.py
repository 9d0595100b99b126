"""Tables made from the ``ALL`` tuples and the catalogue of data, so that the pages list what there is.

Before pages are read, one file for each table is written to ``docs/generated``; the pages include them.
Sentence and formula come from the docstrings.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from pdprox import losses, methods, penalties, sets
from pdprox.datasets.catalogue import ENTRIES
from pdprox.datasets.shipped import SHIPPED
from pdprox.naming import by_name, name_of


def summary(member: type) -> str:
    """The first paragraph of the docstring, as Markdown."""
    paragraph = inspect.getdoc(member).split("\n\n")[0].replace("\n", " ")
    return re.sub(r":math:`(.+?)`", r"$\1$", paragraph).replace("``", "`")


def formula(member: type) -> str:
    """The first formula of the docstring, up to the first wide space, as inline mathematics."""
    found = re.search(r"\.\. math::(.+?)(\n\s*\n|\Z)", inspect.getdoc(member), re.DOTALL)
    if found is None:
        return ""
    first = " ".join(found[1].split()).split(r"\qquad")[0].rstrip(" ,")
    return f"${first}$"


def broken_line(loss: type) -> tuple[str, str]:
    """Kinks and slopes of the first specimen; empty cells for what is no plain broken line."""
    line = loss.specimens()[0].broken_line
    if line is None:
        return "", ""
    smooth = f", smoothing {line.smoothing:g}" if line.smoothing else ""
    return _numbers(line.kinks), _numbers(line.slopes) + smooth


def _numbers(values: np.ndarray) -> str:
    return ", ".join(
        f"{value:g}".replace("-", "\N{MINUS SIGN}").replace("inf", "\N{INFINITY}") for value in values
    )


def table(header: Iterable[str], rows: Iterable[Iterable[str]], widths: str) -> str:
    """A list table of MyST; cells may hold any characters, bars too."""
    lines = ["```{list-table}", ":header-rows: 1", f":widths: {widths}", ""]
    for row in (header, *rows):
        for number, cell in enumerate(row):
            lines.append(f"{'* -' if number == 0 else '  -'} {cell}".rstrip())
    return "\n".join([*lines, "```", ""])


def string(member: type, members: tuple[type, ...]) -> str:
    """The name that works as a string; nothing where there are parameters without a default."""
    name = name_of(member)
    try:
        by_name(name, members, "member")
    except ValueError:
        return ""
    return f"`{name}`"


def _reference(package: Any, member: type) -> str:
    return f"{{class}}`~{package.__name__}.{member.__name__}`"


def losses_table() -> str:
    """Losses, with kinks and slopes."""
    rows = []
    for member in losses.ALL:
        kinks, slopes = broken_line(member)
        reads = member.specimens()[0].reads if member is not losses.PaperForm else "as the loss in it"
        rows.append(
            (_reference(losses, member), string(member, losses.ALL), reads, kinks, slopes, formula(member))
        )
    return table(("loss", "name", "reads", "kinks", "slopes", "formula"), rows, "18 16 10 12 14 30")


def penalties_table() -> str:
    """Penalties."""
    rows = [
        (_reference(penalties, m), string(m, penalties.ALL), formula(m), summary(m)) for m in penalties.ALL
    ]
    return table(("penalty", "name", "formula", "in words"), rows, "18 18 32 32")


def sets_table() -> str:
    """Sets."""
    rows = [(_reference(sets, m), formula(m), summary(m)) for m in sets.ALL]
    return table(("set", "formula", "in words"), rows, "16 44 40")


def methods_table() -> str:
    """Methods."""
    rows = [(_reference(methods, m), string(m, methods.ALL), summary(m)) for m in methods.ALL]
    return table(("method", "name", "in words"), rows, "24 26 50")


def data_table() -> str:
    """Data sets, and how one gets them."""
    rows = [(f"`{one.call}`", _size(one.shape), one.description, "the package") for one in SHIPPED]
    for entry in ENTRIES:
        one, files = entry.listing, " or ".join(f"`{file}`" for file in entry.files)
        checked = ", sha256 known" if entry.sha256 else ""
        download = f"; [download]({entry.url}){checked}" if entry.url else "; no download"
        rows.append((f"`{one.call}`", _size(one.shape), one.description, files + download))
    return table(("call", "size", "what", "from"), rows, "24 14 38 24")


def _size(shape: tuple[int, ...]) -> str:
    tasks = f"{shape[0]} tasks, " if len(shape) == 3 else ""
    return tasks + " x ".join(map(str, shape[-2:]))


TABLES: dict[str, Callable[[], str]] = {
    "losses": losses_table,
    "penalties": penalties_table,
    "sets": sets_table,
    "methods": methods_table,
    "data": data_table,
}


def write_tables(app: Any) -> None:
    """Write every table, before Sphinx reads the pages."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    for name, make in TABLES.items():
        (folder / f"{name}.md").write_text(make(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("builder-inited", write_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
