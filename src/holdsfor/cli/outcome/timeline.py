"""The timeline of a run: its report as rows, with the axis that its times need."""

from __future__ import annotations

import argparse
import sys
import zoneinfo
from collections.abc import Iterator, Sequence
from pathlib import Path

from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.result_columns import result_columns
from holdsfor.cli.engines.engine import Engine
from holdsfor.sinks.result_lines import ReportView
from holdsfor.sinks.time_formats import IsoTimes, ShowTime
from holdsfor.sources.column_mapping import split_mapping
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Atom, Struct, Term, Var
from holdsfor.views.lanes import check_grouping, is_column_of
from holdsfor.views.time_axis import DateAxis, TimeAxis
from holdsfor.views.timeline import Row, RowKind, draw_timeline

__all__ = ["check_by", "draw_answer"]

ArgumentNames = dict[tuple[str, int], tuple[str, ...]]
"""The names of the arguments of each fluent and event, by name and arity."""


def draw_answer(known: ReportView, engine: Engine, paths: Sequence[str]) -> None:
    """Draw the report into each file, and print the names of the files and the rows that they leave out."""
    options = engine.options
    axis = _axis(engine.shown)
    rows = list(_rows(known, engine.compiled, _argument_names(options, engine.compiled)))
    for path in map(Path, paths):
        drawn = draw_timeline(
            rows, start=engine.start, end=known.query_time, path=path, by=options.by or "fluent", axis=axis
        )
        left_out = f", without {drawn.n_left_out:,} of {drawn.n_rows:,} rows" if drawn.n_left_out else ""
        print(f"wrote {drawn.path}{left_out}", file=sys.stderr)


def _axis(shown: ShowTime) -> TimeAxis | None:
    """An axis of dates in the notation of times; None for integers."""
    if not isinstance(shown, IsoTimes):
        return None
    return DateAxis(shown.per_second, zoneinfo.ZoneInfo(shown.zone) if shown.zone else None)


def check_by(options: argparse.Namespace, compiled: Compiled) -> None:
    """Refuse a grouping that no fluent or event of the rules has."""
    if options.by is not None:
        names = [*_column_names(options, compiled).items(), *_variable_names(compiled).items()]
        longest = max((arity for (_, arity), _ in names), default=0)
        check_grouping(options.by, [columns for _, columns in names], longest)


def _rows(known: ReportView, compiled: Compiled, names: ArgumentNames) -> Iterator[Row]:
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


def _argument_names(options: argparse.Namespace, compiled: Compiled) -> ArgumentNames:
    """The names that `--by` uses: those of the columns of the input, else those of the variables."""
    named = _column_names(options, compiled) if options.by is not None else {}
    is_column = any(is_column_of(options.by, column) for columns in named.values() for column in columns)
    return named if is_column else _variable_names(compiled)


def _column_names(options: argparse.Namespace, compiled: Compiled) -> ArgumentNames:
    """The names of the columns of the result tables, as far as the files of the input have names."""
    from holdsfor.sources.input_columns import input_columns

    files = [each for each in options.input if Path(split_mapping(each)[0]).is_file()]
    given = input_columns(files, compiled.names, options.input_format)
    tables = result_columns(compiled.description, compiled.names, given)
    return {table.key: tuple(name for name, _ in table.arguments) for table in tables}


def _variable_names(compiled: Compiled) -> ArgumentNames:
    """The variables in the head of the first rule of each fluent and event, in lower case."""
    names: ArgumentNames = {}
    description = compiled.description
    heads = [rule.head for rule in description.point_rules] + [rule.fvp for rule in description.interval_rules]
    for head in heads:
        term = head.fluent if isinstance(head, Fvp) else head
        if isinstance(term, Struct):
            found = tuple(each.name.lower() if isinstance(each, Var) else "" for each in term.args)
            names.setdefault((term.name, term.arity), found)
    return names
