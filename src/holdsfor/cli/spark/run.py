"""`holdsfor spark run`: recognise what the rules describe, on Apache Spark."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdsfor.analysis.pipeline import Compiled, compile_files
from holdsfor.cli.options.arguments import Commands, add_command, add_rule_files
from holdsfor.cli.options.durations import duration_text, make_points
from holdsfor.cli.outcome.summary import summarise, write_stats
from holdsfor.cli.spark.input import add_input_options, add_misfit_options, files_from, put_aside, refuse_misfits
from holdsfor.cli.spark.outcome import SparkOutcome, outcome_of
from holdsfor.cli.spark.output import add_output_options, check_output, place_from, shown_place
from holdsfor.cli.spark.session import Failed, add_spark_options, on_spark, shown_progress
from holdsfor.errors import Diagnostics
from holdsfor.sinks.output_files import refuse_overwriting
from holdsfor.sources.column_mapping import split_mapping
from holdsfor.syntax.parser import parse_term

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark.input.files import Files
    from holdsfor.spark.job.recognition import Recognition

__all__ = ["EXAMPLE", "add_parser"]


EXAMPLE = "holdsfor spark run rules.prolog background.prolog --input 'events/*.parquet' -o found --master 'local[4]'"


def add_parser(commands: Commands) -> None:
    summary = "recognise what the rules describe in the input, on Apache Spark"
    parser = add_command(commands, "run", summary, EXAMPLE)
    add_rule_files(parser)
    add_input_options(parser)
    add_misfit_options(parser)
    add_output_options(parser)
    parser.add_argument("--goal", action="append", default=[], help="a goal to prove before the run; may be repeated")
    parser.add_argument("--start", metavar="TIME", help="first time-point (default: of the first record)")
    parser.add_argument("--end", metavar="TIME", help="last time-point (default: of the last record)")
    parser.add_argument("--tick", type=int, default=1, metavar="N", help="distance of time-points (default: 1)")
    parser.add_argument("--window", type=duration_text, metavar="T", help="how far a query time looks (default: all)")
    parser.add_argument("--step", type=duration_text, metavar="T", help="between query times (default: the window)")
    parser.add_argument(
        "--allen-memory", type=duration_text, metavar="T", help="how far back `before` looks (default: the window)"
    )
    told = "write besides what each query time tells; may be repeated"
    parser.add_argument("--report", action="append", choices=("known", "changes"), default=[], help=told)
    add_spark_options(parser)
    parser.add_argument("--stats", metavar="FILE", help="write counts and seconds as JSON")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.spark.input.ingestion import check_buckets

    make_points(options)
    check_buckets(options.buckets)
    check_output(options)
    outputs = {"--stats": [options.stats], "--set-aside": [options.set_aside]}
    refuse_overwriting(outputs, [*options.files, *(split_mapping(each)[0] for each in options.input)])
    diagnostics = Diagnostics()
    compiled = compile_files(options.files, diagnostics)
    for warning in diagnostics.of("warning"):
        print(warning.render(), end="\n\n", file=sys.stderr)
    began = time.perf_counter()

    def work(spark: SparkSession, is_new: bool) -> SparkOutcome:
        return _work(spark, is_new, compiled, options, {"start": time.perf_counter() - began})

    try:
        outcome = on_spark(options, shown_place(options), work)
    except Failed as failed:
        return failed.exit_code
    summarise(outcome, compiled, is_wanted=True)
    if options.stats:
        write_stats(outcome, options.stats, **outcome.more)
    return 2 if outcome.counts.n_unreadable else 0


def _work(
    spark: SparkSession, is_new: bool, compiled: Compiled, options: argparse.Namespace, seconds: dict[str, float]
) -> SparkOutcome:
    from holdsfor.spark.job.retry import without_failing_files
    from holdsfor.spark.output.catalogue import refuse_forgetful

    if is_new and options.output.startswith("table:"):
        refuse_forgetful(spark)
    return without_failing_files(files_from(options), lambda files: _run(spark, files, compiled, options, seconds))


def _run(
    spark: SparkSession,
    files: Sequence[Files],
    compiled: Compiled,
    options: argparse.Namespace,
    seconds: dict[str, float],
) -> SparkOutcome:
    from holdsfor.spark.cluster.progress import described
    from holdsfor.spark.output.targets import replacing
    from holdsfor.spark.output.write import write_results

    began = time.perf_counter()
    results = place_from(options, spark)
    with shown_progress(spark), replacing(results) as place:
        with described(spark, "read"):
            found = _recognise(files, compiled, options)
            if options.strict:
                refuse_misfits(found)
        seconds["plan"] = time.perf_counter() - began
        write_results(found, place, options.report)
        with described(spark, "count"):
            outcome = outcome_of(found, seconds)
            put_aside(found, options.set_aside)
        found.unpersist()
    seconds["recognise"] = time.perf_counter() - began - seconds["plan"]
    return outcome


def _recognise(files: Sequence[Files], compiled: Compiled, options: argparse.Namespace) -> Recognition:
    from holdsfor.spark.job.recognition import recognise

    return recognise(
        files,
        compiled,
        start=options.start,
        end=options.end,
        tick=options.tick,
        window=options.window,
        step=options.step,
        allen_memory=options.allen_memory,
        buckets=options.buckets,
        goals=[parse_term(text, "--goal") for text in options.goal],
        time_unit=options.time_unit,
    )
