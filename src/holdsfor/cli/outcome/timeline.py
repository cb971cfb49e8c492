"""The timeline of a run: its report as rows, with the axis that its times need."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.result_columns import result_columns
from holdsfor.api.timeline_rows import (
    ArgumentNames,
    argument_names,
    column_names,
    report_rows,
    time_axis,
    variable_names,
)
from holdsfor.cli.engines.engine import Engine
from holdsfor.sinks.result_lines import ReportView
from holdsfor.sources.column_mapping import split_mapping
from holdsfor.views.lanes import check_grouping
from holdsfor.views.timeline import draw_timeline

__all__ = ["check_by", "draw_answer"]


def draw_answer(known: ReportView, engine: Engine, paths: Sequence[str]) -> None:
    """Draw the report into each file, and print the names of the files and the rows that they leave out."""
    options = engine.options
    axis = time_axis(engine.shown)
    columns = _column_names(options, engine.compiled) if options.by is not None else {}
    rows = list(report_rows(known, engine.compiled, argument_names(options.by, columns, engine.compiled)))
    for path in map(Path, paths):
        drawn = draw_timeline(
            rows, start=engine.start, end=known.query_time, path=path, by=options.by or "fluent", axis=axis
        )
        left_out = f", without {drawn.left_out}" if drawn.n_left_out else ""
        print(f"wrote {drawn.path}{left_out}", file=sys.stderr)


def check_by(options: argparse.Namespace, compiled: Compiled) -> None:
    """Refuse a grouping that no fluent or event of the rules has."""
    if options.by is not None:
        names = [*_column_names(options, compiled).items(), *variable_names(compiled).items()]
        longest = max((arity for (_, arity), _ in names), default=0)
        check_grouping(options.by, [columns for _, columns in names], longest)


def _column_names(options: argparse.Namespace, compiled: Compiled) -> ArgumentNames:
    """The names of the columns of the result tables, as far as the files of the input have names."""
    from holdsfor.sources.input_columns import input_columns

    files = [each for each in options.input if Path(split_mapping(each)[0]).is_file()]
    given = input_columns(files, compiled.names, options.input_format)
    return column_names(result_columns(compiled, given))
