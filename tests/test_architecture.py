"""Imports point one way, towards the small mathematical objects; solvers name no hardware and no concrete parts."""

import ast
import pathlib
import re

import pdprox

ROOT = pathlib.Path(pdprox.__file__).parent

#: what each room may import from; a room missing here fails the test
MAY_IMPORT = {
    "typing": set(),
    "naming": set(),
    "vectors": {"typing"},
    "values": {"typing"},
    "files": set(),
    "fingerprint": set(),
    "losses": {"typing", "vectors", "values"},
    "penalties": {"typing", "vectors", "values"},
    "sets": {"typing", "vectors", "values"},
    "_kernels": {"typing", "losses"},
    "samples": {"typing", "vectors", "losses", "sets", "_kernels", "fingerprint"},
    "features": {"typing", "penalties", "sets"},
    "problem": {"typing", "values", "naming", "losses", "penalties", "sets", "samples", "features"},
    "certificate": {"typing", "problem", "samples"},
    "solution": {"typing", "certificate"},
    "packing": {"certificate", "files", "solution"},
    "progress": {"certificate"},
    "threads": set(),
    "methods": {"typing", "_kernels", "penalties", "problem", "samples", "certificate", "threads"},
    "checkpoint": {
        "values",
        "losses",
        "problem",
        "methods",
        "solution",
        "files",
        "fingerprint",
        "packing",
    },
    "solve": {
        "typing",
        "naming",
        "problem",
        "samples",
        "certificate",
        "solution",
        "progress",
        "methods",
        "checkpoint",
    },
    "path": {"typing", "penalties", "problem", "certificate", "solution", "solve", "values"},
    "estimators": {
        "typing",
        "values",
        "naming",
        "losses",
        "penalties",
        "sets",
        "problem",
        "solution",
        "progress",
        "solve",
        "path",
        "certificate",
        "files",
        "packing",
        "saving",
    },
    "cli": {
        "files",
        "datasets",
        "displays",
        "estimators",
        "losses",
        "naming",
        "penalties",
        "solution",
    },
    "saving": {
        "losses",
        "penalties",
        "sets",
        "methods",
        "path",
        "files",
        "packing",
        "checkpoint",
    },
    "checks": {"typing", "values", "losses", "penalties", "sets", "samples"},
    "datasets": {"typing"},
    "displays": {"typing", "naming", "losses", "penalties", "problem", "solution", "path"},
    "demo": {
        "typing",
        "methods",
        "datasets",
        "displays",
        "problem",
        "solve",
        "certificate",
        "solution",
        "losses",
        "penalties",
    },
}


def room(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "pdprox":
            parts = node.module.split(".")
            yield from [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("pdprox."))


def test_imports_point_one_way():
    for path in ROOT.rglob("*.py"):
        here = room(path)
        if here == "__init__":
            continue
        for other in set(imports(path)) - {here, "__version__"}:
            assert other in MAY_IMPORT[here], f"{path.relative_to(ROOT)} imports {other}; {here} may not"


def test_no_loops_of_rooms():
    def reaches(start, seen=()):
        for other in MAY_IMPORT[start]:
            assert other not in (*seen, start), f"rooms import each other: {(*seen, start, other)}"
            reaches(other, (*seen, start))

    for start in MAY_IMPORT:
        reaches(start)


def test_the_engine_asks_for_no_concrete_loss_or_penalty():
    concrete = [c.__name__ for c in (*pdprox.losses.ALL, *pdprox.penalties.ALL, *pdprox.sets.ALL)]
    pattern = re.compile(rf"isinstance\([^)]*\b({'|'.join(concrete)})\b")
    for name in ("methods", "solve.py", "certificate.py", "samples"):
        here = ROOT / name
        for path in [here] if here.is_file() else here.rglob("*.py"):
            assert not pattern.search(path.read_text()), f"{path.name} asks for a concrete class"


def test_no_solver_names_its_hardware_or_its_storage():
    words = re.compile(r"\b(numba|cupy|torch|cuda|gpu|dask|csr|scipy\.sparse|issparse)\b", re.IGNORECASE)
    for path in [*(ROOT / "methods").rglob("*.py"), ROOT / "solve.py", ROOT / "certificate.py"]:
        assert not words.search(path.read_text()), f"{path.name} names hardware or storage"


def test_solvers_do_not_print():
    for path in ROOT.rglob("*.py"):
        if path.name != "demo.py":
            calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
            assert not [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"], (
                f"{path.name} prints"
            )
