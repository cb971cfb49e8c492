"""The front half of the system: from files to an analysed event description."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from holdsfor.analysis.declarations import prove_declarations
from holdsfor.analysis.dependencies import DependencyGraph, dependency_graph
from holdsfor.analysis.levels import Levels, Moment, check_circles, levels, moment_order
from holdsfor.analysis.lints import lint
from holdsfor.analysis.names import Names, check_names, name_everything
from holdsfor.analysis.safety import check_safety
from holdsfor.analysis.side_effects import check_side_effects
from holdsfor.errors import AnalysisProblem, Diagnostics, SyntaxProblem
from holdsfor.prolog.background import check_background
from holdsfor.syntax.description import EventDescription, describe
from holdsfor.syntax.load import load_programs
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import Program
from holdsfor.syntax.source import Source

__all__ = ["Compiled", "analyse", "compile_files", "compile_text"]


@dataclass(frozen=True)
class Compiled:
    """An event description without errors, and what the analyses found out about it."""

    programs: tuple[Program, ...]
    description: EventDescription
    names: Names
    graph: DependencyGraph
    levels: Levels
    moments: tuple[tuple[Moment, ...], ...]


def analyse(programs: Iterable[Program], diagnostics: Diagnostics) -> Compiled | None:
    """The analysed programs, or None if there are errors.

    All errors are collected first. A text with syntax errors is not analysed further, and rules with errors are not
    suspected of anything: half a program would only bring messages about the missing half.
    """
    programs = tuple(programs)
    is_readable = not diagnostics.has_errors
    description = describe(programs, diagnostics)
    if not is_readable:
        return None
    prove_declarations(description, diagnostics)
    names = name_everything(description)
    check_background(description, diagnostics)
    check_side_effects(description, diagnostics)
    check_names(description, names, diagnostics)
    check_safety(description, diagnostics)
    graph = dependency_graph(description, names)
    found = levels(graph)
    check_circles(description, graph, found, diagnostics)
    if diagnostics.has_errors:
        return None
    lint(programs, description, names, diagnostics)
    return Compiled(programs, description, names, graph, found, tuple(moment_order(description, graph)))


def compile_files(paths: Iterable[Path | str], diagnostics: Diagnostics | None = None) -> Compiled:
    """The files as one event description.

    Raises `SyntaxProblem` or `AnalysisProblem` with all errors of all files.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    programs = load_programs([Path(path) for path in paths], found)
    return _finish(programs, found)


def compile_text(text: str, name: str = "text", diagnostics: Diagnostics | None = None) -> Compiled:
    """A text as an event description."""
    found = Diagnostics() if diagnostics is None else diagnostics
    return _finish([parse_program(Source(name, text), found)], found)


def _finish(programs: list[Program], diagnostics: Diagnostics) -> Compiled:
    is_readable = not diagnostics.has_errors
    compiled = analyse(programs, diagnostics)
    if compiled is None:
        raise (AnalysisProblem if is_readable else SyntaxProblem)(diagnostics)
    return compiled
