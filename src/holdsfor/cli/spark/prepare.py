"""`holdsfor spark prepare`: write a prepared history for many runs on Apache Spark."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdsfor.analysis.pipeline import Compiled, check_clock, compile_files, with_clock
from holdsfor.cli.options.arguments import Commands, add_command, add_options
from holdsfor.cli.options.config import fill_in
from holdsfor.cli.options.facts import fact_programs
from holdsfor.cli.spark.input import files_from, print_unreadable
from holdsfor.cli.spark.session import Failed, on_spark, shown_progress
from holdsfor.cli.terminal.diagnostics import print_warnings
from holdsfor.errors import Diagnostics, counted
from holdsfor.sources.column_mapping import described_fluents
from holdsfor.sources.text_records import SetAside

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark.input.files import Files
    from holdsfor.spark.prepared.history import Prepared

__all__ = ["add_parser"]

_SHOWN_MISFITS = 10


def add_parser(commands: Commands) -> None:
    example = "holdsfor spark prepare rules.prolog background.prolog --input 'events/*.parquet' -o history"
    parser = add_command(commands, "prepare", "write a prepared history, from which later runs are faster", example)
    add_options(parser, "spark prepare")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    fill_in(options, "spark prepare")
    from holdsfor.spark.input.ingestion import check_buckets

    check_buckets(options.buckets)
    diagnostics = Diagnostics()
    check_clock(options.time_unit, options.tz)
    files, provided = [*options.rules, *options.background], described_fluents(options.input)
    compiled = compile_files(files, diagnostics, more=fact_programs(options), provided=provided)
    compiled = with_clock(compiled, options.time_unit, options.tz)
    print_warnings(diagnostics.in_order(), [*options.rules, *options.background])
    try:
        n_unreadable = on_spark(options, options.output, lambda spark, _: _work(spark, compiled, options))
    except Failed as failed:
        return failed.exit_code
    return 2 if n_unreadable else 0


def _work(spark: SparkSession, compiled: Compiled, options: argparse.Namespace) -> int:
    """Prepare the history, print a summary, and return the number of unreadable files."""
    from holdsfor.spark.cluster.connect import refuse_connect
    from holdsfor.spark.job.retry import without_failing_files

    refuse_connect(spark, f"`{options.output}`")
    began = time.perf_counter()
    with shown_progress(spark):
        history = without_failing_files(files_from(options), lambda files: _prepared(files, compiled, options))
        misfits = history.set_aside().limit(_SHOWN_MISFITS).collect()
    print_unreadable(history.unreadable)
    _summarise(history, [SetAside(*row) for row in misfits], time.perf_counter() - began)
    return len(history.unreadable)


def _prepared(files: Sequence[Files], compiled: Compiled, options: argparse.Namespace) -> Prepared:
    from holdsfor.spark.prepared.preparation import prepare

    return prepare(
        files,
        compiled,
        options.output,
        tick=options.tick,
        buckets=options.buckets,
        overwrite=options.overwrite,
        time_unit=options.given_time_unit,
        tz=options.tz,
    )


def _summarise(history: Prepared, misfits: list[SetAside], seconds: float) -> None:
    counts = {row.kind: row["sum(n)"] for row in history.remarks().groupBy("kind").sum("n").collect()}
    parts = [f"{counted(counts.get('read', 0), 'record')} read"]
    parts += [f"{counts['set aside']} set aside"] if "set aside" in counts else []
    parts += [f"{counts['unused']} of names that no rule uses"] if "unused" in counts else []
    print(", ".join(parts), file=sys.stderr)
    for misfit in misfits:
        print(f"  {misfit}", file=sys.stderr)
    n = sum(each.n for each in history.known)
    print(
        f"{counted(n, 'record')} prepared in {counted(history.n_buckets, 'bucket')}, {seconds:.1f} s", file=sys.stderr
    )
