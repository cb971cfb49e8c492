"""The front end of the compiler: from rule files to an analysed event description."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from holdsfor.analysis.declarations import prove_declarations
from holdsfor.analysis.dependencies import DependencyGraph, dependency_graph
from holdsfor.analysis.draft import Draft
from holdsfor.analysis.levels import Levels, Moment, check_cycles, levels, moment_order
from holdsfor.analysis.lints import LINTS
from holdsfor.analysis.names import Names, check_names, name_everything
from holdsfor.analysis.safety import check_safety
from holdsfor.analysis.side_effects import check_side_effects
from holdsfor.analysis.switches import check_switches
from holdsfor.errors import AnalysisProblem, Diagnostics, SyntaxProblem
from holdsfor.prolog.background import check_background
from holdsfor.syntax.description import EventDescription, describe
from holdsfor.syntax.load import load_programs
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import Program
from holdsfor.syntax.source import Source

__all__ = ["PASSES", "Compiled", "Pass", "analyse", "compile_files", "compile_text"]


@dataclass(frozen=True)
class Compiled:
    """An event description without errors, and the results of the analyses."""

    programs: tuple[Program, ...]
    description: EventDescription
    names: Names
    graph: DependencyGraph
    levels: Levels
    moments: tuple[tuple[Moment, ...], ...]


@dataclass(frozen=True)
class Pass:
    """An analysis pass with its name; `required` is the reason why the pass cannot be switched off.

    A pass with `takes_errors` also runs after passes that reported errors; the others do not.
    """

    name: str
    run: Callable[[Draft], None]
    required: str = ""
    takes_errors: bool = True


def _name_everything(draft: Draft) -> None:
    draft.names = name_everything(draft.description)


def _dependency_graph(draft: Draft) -> None:
    draft.graph = dependency_graph(draft.description, draft.names)


def _levels(draft: Draft) -> None:
    draft.levels = levels(draft.graph)


def _moment_order(draft: Draft) -> None:
    draft.moments = tuple(moment_order(draft.description, draft.graph))


_COMPUTES = "later stages use its result"
_REFUSES = "it refuses rules that have no meaning"

PASSES: tuple[Pass, ...] = (
    Pass("prove_declarations", lambda d: prove_declarations(d.description, d.diagnostics), _COMPUTES),
    Pass("name_everything", _name_everything, _COMPUTES),
    Pass("check_background", lambda d: check_background(d.description, d.diagnostics), _REFUSES),
    Pass("check_side_effects", lambda d: check_side_effects(d.description, d.diagnostics), _REFUSES),
    Pass("check_names", lambda d: check_names(d.description, d.names, d.diagnostics), _REFUSES),
    Pass("check_safety", lambda d: check_safety(d.description, d.diagnostics), _REFUSES),
    Pass("dependency_graph", _dependency_graph, _COMPUTES),
    Pass("levels", _levels, _COMPUTES),
    Pass("check_cycles", lambda d: check_cycles(d.description, d.graph, d.levels, d.diagnostics), _REFUSES),
    *(Pass(lint.__name__, lint, takes_errors=False) for lint in LINTS),
    Pass("moment_order", _moment_order, _COMPUTES, takes_errors=False),
)
"""The passes of the analysis, in order. Lints can be switched off by name; the other passes are required."""


def analyse(programs: Iterable[Program], diagnostics: Diagnostics, without: Iterable[str] = ()) -> Compiled | None:
    """The analysed programs, or None if there are errors; `without` are the names of passes to switch off.

    All errors are collected. A text with syntax errors is not analysed, and lints do not run on rules with errors, to
    avoid messages about the parts that are missing.
    """
    off = check_switches(without, PASSES)
    programs = tuple(programs)
    is_readable = not diagnostics.has_errors
    draft = Draft(programs, describe(programs, diagnostics), diagnostics)
    if not is_readable:
        return None
    for each in PASSES:
        if not each.takes_errors and diagnostics.has_errors:
            return None
        if each.name not in off:
            each.run(draft)
    return Compiled(programs, draft.description, draft.names, draft.graph, draft.levels, draft.moments)


def compile_files(
    paths: Iterable[Path | str], diagnostics: Diagnostics | None = None, without: Iterable[str] = ()
) -> Compiled:
    """The files as one event description; `without` are the names of passes to switch off.

    Raises `SyntaxProblem` or `AnalysisProblem` with all errors of all files.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    programs = load_programs([Path(path) for path in paths], found)
    return _finish(programs, found, without)


def compile_text(text: str, name: str = "text", diagnostics: Diagnostics | None = None) -> Compiled:
    """A text as an event description."""
    found = Diagnostics() if diagnostics is None else diagnostics
    return _finish([parse_program(Source(name, text), found)], found)


def _finish(programs: list[Program], diagnostics: Diagnostics, without: Iterable[str] = ()) -> Compiled:
    is_readable = not diagnostics.has_errors
    compiled = analyse(programs, diagnostics, without)
    if compiled is None:
        raise (AnalysisProblem if is_readable else SyntaxProblem)(diagnostics)
    return compiled
