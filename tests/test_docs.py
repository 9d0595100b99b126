"""The documentation is true: its code runs, its links lead somewhere, its lists are complete.

Every block marked ``python`` in README.md and in the pages of docs/ is run, from top to bottom, in one
namespace a page, with warnings as errors.  Blocks marked ``pycon`` are doctests of what the blocks above them
have made.  So a page is a program: nothing needs a notebook, an error names the page and the line, and what a
reader copies has run.
"""

import doctest
import importlib
import importlib.util
import linecache
import pkgutil
import re
import runpy
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

import pdprox
from pdprox import losses, methods, penalties, sets

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if not {"_build", "generated", "auto_gallery"} & set(page.parts)]
GALLERY = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))


@dataclass(frozen=True)
class Block:
    kind: str
    line: int
    code: str


def blocks(page):
    """The fenced blocks of a page that are to be run."""
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(python|pycon)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield Block(found[1], text[: found.start()].count("\n") + 2, found[2])


def run(page, names):
    for block in blocks(page):
        where = f"{page.name}, block at line {block.line}"
        if block.kind == "python":
            lines = block.code.splitlines(keepends=True)
            linecache.cache[where] = (len(block.code), None, lines, where)  # for tracebacks
            exec(compile(block.code, where, "exec"), names)
        else:
            test = doctest.DocTestParser().get_doctest(block.code, names, where, str(page), block.line - 1)
            wrong = []
            doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=wrong.append, clear_globs=False)
            assert not wrong, "".join(wrong)


PROGRAMS = [page for page in PAGES if any(blocks(page))]


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.name)
def test_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(page, {"__name__": "page"})


def test_the_pages_with_code_are_found():
    found = {page.name for page in PROGRAMS}
    assert found >= {"README.md", "getting_started.md", "problem.md", "methods.md", "your_own.md"}


@pytest.mark.slow
@pytest.mark.parametrize("script", GALLERY, ids=lambda script: script.stem)
def test_gallery_script_runs(script):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(script))
    plt = importlib.import_module("matplotlib.pyplot")
    assert plt.get_fignums(), "a gallery script draws a picture"
    plt.close("all")


def test_docstring_examples_are_right():
    attempted = 0
    for module in pkgutil.walk_packages(pdprox.__path__, "pdprox."):
        if module.name.rsplit(".", 1)[-1].startswith("_compiled"):
            continue
        result = doctest.testmod(importlib.import_module(module.name), optionflags=doctest.ELLIPSIS)
        assert result.failed == 0, f"an example in {module.name} fails"
        attempted += result.attempted
    assert attempted > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\$\$.*?\$\$|\$.*?\$|`.*?`", "", text, flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.split("#")[0]
        if not path or "://" in path or path.startswith("auto_gallery"):  # the gallery is made by the build
            continue
        place = page.parent / path
        assert place.exists(), f"{page.name} links to {target}, which does not exist"


@pytest.mark.parametrize("room", [losses, penalties], ids=lambda room: room.__name__)
def test_readme_names_every_member(room):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    missing = [member.__name__ for member in room.ALL if f"`{member.__name__}(" not in text]
    assert not missing, f"README.md does not mention {missing}"


@pytest.mark.parametrize("room", [losses, penalties, sets, methods], ids=lambda room: room.__name__)
def test_tables_have_a_sentence_and_a_formula_for_every_member(room):
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "_ext" / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    table = tables.TABLES[room.__name__.rsplit(".", 1)[-1]]()
    for member in room.ALL:
        assert f".{member.__name__}`" in table
        assert tables.summary(member).endswith((".", ":")), f"{member.__name__} has no sentence"
        if room is not methods:
            assert len(tables.formula(member)) > 4, f"{member.__name__} has no formula"


def test_citation_has_the_version_of_the_package():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (\S+)$", text, re.MULTILINE)[1] == pdprox.__version__
