"""Imports point one way, and importing the package is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import holdsfor
from tests.seeds import IS_LONG, ROTATION

PACKAGE = Path(holdsfor.__file__).parent

# The parts that each part may import, besides itself. Every part is in the table.
ALLOWED: dict[str, set[str]] = {
    "codes": set(),
    "errors": {"codes", "syntax.source"},
    "arrow_stream": set(),
    "without_pandas": set(),
    "python_process": set(),
    "file_lock": set(),
    # text → terms → rules
    "syntax": {"errors", "codes"},
    "prolog": {"syntax", "errors"},
    "analysis": {"syntax", "prolog", "errors"},
    # the oracle shares nothing with the engine but the front half
    "reference": {"analysis", "prolog", "syntax", "errors"},
    # records in and out
    "sources": {"analysis", "syntax", "columns", "kernels", "errors"},
    "sinks": {"syntax", "columns", "kernels", "errors"},
    "generators": {"errors"},
    # the engine: analysis ← logical ← physical ← distribution ← runtime ← parallel ← spark; kernels ← columns
    "kernels": set(),
    "columns": {"kernels", "syntax", "errors"},
    "logical": {"analysis", "prolog", "syntax", "errors"},
    "physical": {"logical", "analysis", "prolog", "syntax", "columns", "kernels", "errors"},
    "distribution": {"physical", "analysis", "prolog", "syntax", "errors"},
    "runtime": {
        "distribution",
        "physical",
        "logical",
        "analysis",
        "prolog",
        "syntax",
        "columns",
        "kernels",
        "sources",
        "errors",
    },
    "parallel": {
        "without_pandas",
        "python_process",
        "runtime",
        "distribution",
        "physical",
        "logical.nodes",
        "analysis",
        "prolog",
        "syntax",
        "columns",
        "kernels",
        "sources",
        "sinks",
        "errors",
    },
    "spark": {
        "python_process",
        "file_lock",
        "parallel",
        "runtime",
        "distribution",
        "physical",
        "logical",
        "analysis",
        "prolog",
        "syntax",
        "columns",
        "kernels",
        "sources",
        "errors",
    },
    # the library for people
    "intervals": {"kernels", "arrow_stream", "errors"},
    "allen": {"intervals", "kernels", "arrow_stream", "errors"},
    # goals over results
    "query": {"runtime", "sources", "sinks", "analysis", "prolog", "syntax", "columns", "kernels", "errors"},
    "api": {
        "arrow_stream",
        "query",
        "parallel",
        "runtime",
        "columns",
        "sources",
        "sinks",
        "analysis",
        "prolog.faults",
        "syntax",
        "views",
        "errors",
    },
    # pictures import no rules; the commands import everything
    "views": {"python_process", "sinks", "errors"},
    "cli": {"*"},
    "__main__": {"cli", "without_pandas"},
}
HEAVY = ["pyspark", "matplotlib", "numpy", "pandas", "pyarrow", "pygraphviz", "polars"]
OPTIONAL = {"generators", "spark"}  # these need packages that the package itself does not


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def modules() -> Iterator[tuple[str, Path]]:
    """Every module below the package by its dotted name within it, such as `syntax.parser`."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        if parts:
            yield ".".join(parts), path


def imports(name: str, path: Path) -> Iterator[str]:
    """The modules of the package that a module imports, also inside functions, by dotted name within the package."""
    yield from imports_in(ast.walk(parsed(path)), name, path)


def imports_at_once(name: str, path: Path) -> Iterator[str]:
    """The modules of the package that must be loaded before a module: those at its top level and their packages."""
    for imported in imports_in(parsed(path).body, name, path):
        packages = imported.split(".")
        yield from {".".join(packages[: n + 1]) for n in range(len(packages))} - {name, *_packages(name)}


def _packages(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:n]) for n in range(1, len(parts))}


def imports_in(nodes: Iterable[ast.AST], name: str, path: Path) -> Iterator[str]:
    """The modules of the package that statements import."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (
                alias.name.removeprefix("holdsfor.") for alias in node.names if alias.name.startswith("holdsfor.")
            )
        elif isinstance(node, ast.ImportFrom) and node.level:
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            yield ".".join([*parents, node.module or ""]).strip(".")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdsfor."):
            yield (node.module or "").removeprefix("holdsfor.")
        elif isinstance(node, ast.ImportFrom) and node.module == "holdsfor":
            yield from (alias.name for alias in node.names if not alias.name.startswith("_"))


def part(module: str) -> str:
    return module.partition(".")[0]


def is_allowed(importer: str, imported: str) -> bool:
    allowed = ALLOWED[part(importer)]
    if part(imported) == part(importer) or "*" in allowed:
        return True
    return any(imported == target or imported.startswith(target + ".") for target in allowed)


def test_imports_point_one_way() -> None:
    against = [
        f"{name} imports {imported}"
        for name, path in modules()
        for imported in imports(name, path)
        if not is_allowed(name, imported)
    ]
    assert against == []


def test_every_part_has_its_place_in_the_table() -> None:
    assert {part(name) for name, _ in modules()} <= ALLOWED.keys()


def test_only_the_entry_point_imports_the_commands() -> None:
    importers = {part(name) for name, path in modules() if "cli" in map(part, imports(name, path))}
    assert importers == {"cli", "__main__"}


def test_only_commands_configure_the_garbage_collector() -> None:
    """The collector belongs to the process, so a library leaves it alone, except in a process that it has started."""
    importers = {
        name
        for name, path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Import) and any(alias.name == "gc" for alias in node.names)
    }
    started = {"parallel.processes.process_start", "spark.streaming.bucket_processes"}
    assert {part(name) for name in importers - started} <= {"cli", "__main__"}


def test_the_table_has_no_cycle() -> None:
    """Errors and the positions they point at are the one exception: `syntax.source` imports nothing."""
    done: set[str] = set()
    waiting = {name: {part(t) for t in targets if t not in ("*", "syntax.source")} for name, targets in ALLOWED.items()}
    while ready := [name for name, targets in waiting.items() if targets <= done]:
        done.update(ready)
        waiting = {name: targets for name, targets in waiting.items() if name not in done}
    assert waiting == {}
    assert list(imports("syntax.source", PACKAGE / "syntax" / "source.py")) == []


def test_imports_are_found_in_every_form(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "import holdsfor.cli.main\nfrom holdsfor.views import graph\nfrom holdsfor import errors, __version__\n"
        "from . import terms\nfrom ..prolog import engine\nimport sys\n"
        "def f():\n    from holdsfor.reference.evaluator import evaluate\n"
    )
    found = set(imports("syntax.module", path))
    assert found == {"cli.main", "views", "errors", "syntax", "prolog", "reference.evaluator"}


@pytest.mark.parametrize("module", ["holdsfor", "holdsfor.cli.main"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    program = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "[]"


def test_imports_of_modules_have_no_cycle() -> None:
    """Then the order in which modules are imported does not matter; imports in functions come later."""
    known = {name for name, _ in modules()}
    graph = {name: {each for each in imports_at_once(name, path) if each in known} for name, path in modules()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(known)


def test_modules_can_be_imported_first() -> None:
    """No module relies on another having been imported before it; a run tries every tenth module, a long run all."""
    names = [f"holdsfor.{name}" for name, _ in modules() if part(name) not in OPTIONAL]
    tried = names if IS_LONG else names[ROTATION % 10 :: 10]
    program = (
        "import importlib, sys\n"
        f"for name in {tried!r}:\n"
        "    for loaded in [m for m in sys.modules if m.partition('.')[0] == 'holdsfor']: del sys.modules[loaded]\n"
        "    importlib.import_module(name)\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
    )
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
