"""The front end of the compiler: from rule files to an analysed event description."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdsfor.analysis.declarations import prove_declarations
from holdsfor.analysis.dependencies import DependencyGraph, dependency_graph
from holdsfor.analysis.domain_uses import DomainUses, domain_uses
from holdsfor.analysis.draft import Draft
from holdsfor.analysis.levels import Levels, Moment, check_cycles, levels, moment_order
from holdsfor.analysis.lints import LINTS
from holdsfor.analysis.names import Names, check_names, name_everything
from holdsfor.analysis.output_selection import OutputSelection, select_output
from holdsfor.analysis.safety import check_safety
from holdsfor.analysis.side_effects import check_side_effects
from holdsfor.analysis.switches import check_switches
from holdsfor.errors import AnalysisProblem, Diagnostic, Diagnostics, SyntaxProblem, UsageProblem, counted
from holdsfor.prolog.background import check_background, inner_calls
from holdsfor.prolog.builtins.calendar import CALENDAR
from holdsfor.syntax.description import EventDescription, describe
from holdsfor.syntax.durations import UNITS, is_time_zone
from holdsfor.syntax.load import load_programs
from holdsfor.syntax.output_selectors import Selectors, output_program
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause, Program
from holdsfor.syntax.rules import Test, flat_conditions
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, name_and_arity

__all__ = [
    "PASSES",
    "Compiled",
    "Pass",
    "analyse",
    "compile_files",
    "compile_text",
    "uses_calendar",
    "with_clock",
    "with_output",
    "with_programs",
]


@dataclass(frozen=True, repr=False)
class Compiled:
    """An event description without errors, and the results of the analyses.

    `domain_uses` says which members of dynamic domains a session must keep. `selection` is the output that runs report,
    None for all.
    """

    programs: tuple[Program, ...]
    description: EventDescription
    names: Names
    graph: DependencyGraph
    levels: Levels
    moments: tuple[tuple[Moment, ...], ...]
    domain_uses: DomainUses
    selection: OutputSelection | None = None
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        """The files, the output fluents and events, the input records and the number of warnings."""
        files = ", ".join(program.source.name for program in self.programs)
        lines = [f"Rules of {files}", *(f"  {line}" for line in str(self.names).splitlines())]
        more = [f"  … and {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
        n = len(self.warnings)
        noted = [f"{counted(n, 'warning')}: see `rules.warnings`"] if n else []
        return "\n".join([*lines[:_LINES], *more, *noted])


_LINES = 40


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


def _domain_uses(draft: Draft) -> None:
    draft.domain_uses = domain_uses(draft.description, draft.names)


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
    Pass("select_output", select_output, _COMPUTES, takes_errors=False),
    *(Pass(lint.__name__, lint, takes_errors=False) for lint in LINTS),
    Pass("moment_order", _moment_order, _COMPUTES, takes_errors=False),
    Pass("domain_uses", _domain_uses, _COMPUTES, takes_errors=False),
)
"""The passes of the analysis, in order. Lints can be switched off by name; the other passes are required."""


def analyse(
    programs: Iterable[Program],
    diagnostics: Diagnostics,
    without: Iterable[str] = (),
    provided: Collection[tuple[str, int]] = (),
) -> Compiled | None:
    """The analysed programs, or None if there are errors; `without` are the names of passes to switch off.

    `provided` are the fluents, by name and arity, that descriptions of inputs declare: they are no unknown names.

    All errors are collected. A text with syntax errors is not analysed, and lints do not run on rules with errors, to
    avoid messages about the parts that are missing.
    """
    off = check_switches(without, PASSES)
    programs = tuple(programs)
    is_readable = not diagnostics.has_errors
    draft = Draft(programs, describe(programs, diagnostics), diagnostics, provided)
    if not is_readable:
        return None
    for each in PASSES:
        if not each.takes_errors and diagnostics.has_errors:
            return None
        if each.name not in off:
            each.run(draft)
    found = draft.names, draft.graph, draft.levels, draft.moments, draft.domain_uses, draft.selection
    return Compiled(programs, draft.description, *found)


def with_programs(compiled: Compiled, programs: Iterable[Program]) -> Compiled:
    """An event description with more programs."""
    return _finish([*compiled.programs, *programs], Diagnostics())


def with_output(compiled: Compiled, selectors: Selectors | None, name: str = "show") -> Compiled:
    """An event description for a run that reports only some output; `name` is that of the argument, for messages."""
    return compiled if selectors is None else with_programs(compiled, [output_program(selectors, name)])


def with_clock(compiled: Compiled, unit: str, zone: str | None = None) -> Compiled:
    """An event description for a run with a unit of time and a time zone."""
    description, lines = compiled.description, list[str]()
    if unit != description.time_unit:
        lines.append(f":- '$time_unit'({unit}).")
    if zone is not None and zone != description.time_zone:
        lines.append(f":- '$time_zone'({show(Atom(zone))}).")
    if not lines or not (description.uses_durations or uses_calendar(description)):
        return compiled
    found = Diagnostics()
    return with_programs(compiled, [parse_program(Source("clock of the run", "\n".join(lines) + "\n"), found)])


def check_clock(unit: str | None, zone: str | None) -> None:
    """Refuse a unit of time or a time zone that does not exist (HF715)."""
    if unit is not None and unit not in UNITS:
        units = ", ".join(f"`{each}`" for each in UNITS)
        raise UsageProblem(Diagnostic("HF715", f"`{unit}` is not a unit of time", hint=f"the units are {units}"))
    if zone is not None and not (isinstance(zone, str) and is_time_zone(zone)):
        hint = "write a name of the time zone database, such as `Europe/Athens`"
        raise UsageProblem(Diagnostic("HF715", f"`{zone}` is not a time zone", hint=hint))


def refuse_unknown_unit(compiled: Compiled, hint: str) -> None:
    """Refuse rules with durations or dates for a run whose times are integers of an unknown unit (HF714)."""
    description = compiled.description
    if description.uses_durations or uses_calendar(description):
        what = "durations such as `hours`" if description.uses_durations else "dates or hours"
        message = f"the rules have {what}, but the times are integers of an unknown unit"
        raise UsageProblem(Diagnostic("HF714", message, hint=hint))


def uses_calendar(description: EventDescription) -> bool:
    """Whether a rule or a clause of the background knowledge calls a predicate of the calendar."""
    goals = [
        test.goal
        for rule in description.point_rules
        for test, _ in flat_conditions(rule.body)
        if isinstance(test, Test)
    ]
    goals += [step.goal for rule in description.interval_rules for step in rule.body if isinstance(step, Test)]
    goals += [goal for each in description.groundings for goal in each.goals]
    bodies = [delay.body for delay in description.delays]
    bodies += [initially.body for initially in description.initially]
    bodies += [postponable.body for postponable in description.postponable]
    goals += [test.goal for body in bodies for test, _ in flat_conditions(body) if isinstance(test, Test)]
    goals += [item.body for item in description.background if isinstance(item, Clause) and item.body is not None]
    return any(name_and_arity(call) in CALENDAR for goal in goals for call in inner_calls(goal))


def compile_files(
    paths: Iterable[Path | str],
    diagnostics: Diagnostics | None = None,
    without: Iterable[str] = (),
    more: Iterable[Program] = (),
    provided: Collection[tuple[str, int]] = (),
) -> Compiled:
    """The files, and `more` programs, as one event description; `without` and `provided` are those of `analyse`.

    Raises `SyntaxProblem` or `AnalysisProblem` with all errors of all files.
    """
    found = Diagnostics() if diagnostics is None else diagnostics
    programs = load_programs([Path(path) for path in paths], found)
    return _finish([*programs, *more], found, without, provided)


def compile_text(text: str, name: str = "text", diagnostics: Diagnostics | None = None) -> Compiled:
    """A text as an event description."""
    found = Diagnostics() if diagnostics is None else diagnostics
    return _finish([parse_program(Source(name, text), found)], found)


def _finish(
    programs: list[Program],
    diagnostics: Diagnostics,
    without: Iterable[str] = (),
    provided: Collection[tuple[str, int]] = (),
) -> Compiled:
    is_readable = not diagnostics.has_errors
    compiled = analyse(programs, diagnostics, without, provided)
    if compiled is None:
        raise (AnalysisProblem if is_readable else SyntaxProblem)(diagnostics)
    return replace(compiled, warnings=tuple(diagnostics.of("warning")))
