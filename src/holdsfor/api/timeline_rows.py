"""A report as the rows of a timeline, with the axis that its times need, for `plot` and for the command."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator

from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.result_columns import ResultColumns
from holdsfor.sinks.result_lines import ReportView
from holdsfor.sinks.time_formats import IsoTimes, ShowTime
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Atom, Struct, Term, Var
from holdsfor.views.lanes import is_column_of
from holdsfor.views.time_axis import DateAxis, TimeAxis
from holdsfor.views.timeline import Row, RowKind

__all__ = ["ArgumentNames", "argument_names", "column_names", "report_rows", "time_axis", "variable_names"]

ArgumentNames = dict[tuple[str, int], tuple[str, ...]]
"""The names of the arguments of each fluent and event, by name and arity."""


def time_axis(shown: ShowTime) -> TimeAxis | None:
    """An axis of dates in the notation of times; None for integers."""
    if not isinstance(shown, IsoTimes):
        return None
    return DateAxis(shown.per_second, zoneinfo.ZoneInfo(shown.zone) if shown.zone else None)


def report_rows(known: ReportView, compiled: Compiled, names: ArgumentNames) -> Iterator[Row]:
    """The FVPs and events of a report; `names` are those of their arguments."""
    for fvp, intervals in known.intervals.items():
        assert isinstance(fvp, Struct)
        name, arguments = _parts(fvp.args[0])
        kind: RowKind = "static" if compiled.graph.matching(fvp, ["static"]) else "simple"
        columns = names.get((name, len(arguments)), ())
        yield Row(name, arguments, _text(fvp.args[1]), intervals, kind=kind, columns=columns)
    for event, times in known.times.items():
        name, arguments = _parts(event)
        yield Row(name, arguments, times=times, kind="event", columns=names.get((name, len(arguments)), ()))


def _parts(term: Term) -> tuple[str, tuple[str, ...]]:
    """The name of a fluent or event, and its arguments as text."""
    return (term.name, tuple(map(_text, term.args))) if isinstance(term, Struct) else (_text(term), ())


def _text(term: Term) -> str:
    """A constant as the data has it, a structure as a rule has it."""
    return term.name if isinstance(term, Atom) else show(term)


def argument_names(by: str | None, columns: ArgumentNames, compiled: Compiled) -> ArgumentNames:
    """The names that a grouping uses: those of the columns of the input, else those of the variables."""
    is_column = by is not None and any(is_column_of(by, each) for names in columns.values() for each in names)
    return columns if is_column else variable_names(compiled)


def column_names(tables: ResultColumns) -> ArgumentNames:
    """The names of the columns of the result tables."""
    return {table.key: tuple(name for name, _ in table.arguments) for table in tables}


def variable_names(compiled: Compiled) -> ArgumentNames:
    """The variables in the head of the first rule of each fluent and event, in lower case."""
    names: ArgumentNames = {}
    description = compiled.description
    heads = [rule.head for rule in description.point_rules] + [rule.fvp for rule in description.interval_rules]
    for head in heads:
        term, whole = (head.fluent, head.term) if isinstance(head, Fvp) else (head, head)
        is_shown = compiled.selection is None or compiled.selection.may_include(whole)
        if isinstance(term, Struct) and is_shown:
            found = tuple(each.name.lower() if isinstance(each, Var) else "" for each in term.args)
            names.setdefault((term.name, term.arity), found)
    return names
