"""`holdsfor spark run`: recognise what the rules describe in files and tables, on Apache Spark."""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from holdsfor.analysis.pipeline import Compiled, check_clock, compile_files, with_clock
from holdsfor.cli.options.added_programs import added_programs
from holdsfor.cli.options.arguments import Commands, add_command, add_options
from holdsfor.cli.options.config import fill_in
from holdsfor.cli.options.durations import convert_times
from holdsfor.cli.outcome.run_log import RunLog
from holdsfor.cli.outcome.summary import summarise, write_stats
from holdsfor.cli.spark.input import files_from, refuse_misfits, write_set_aside
from holdsfor.cli.spark.outcome import SparkOutcome, outcome_of
from holdsfor.cli.spark.output import check_output, place_from, shown_place
from holdsfor.cli.spark.query_log import log_query_times
from holdsfor.cli.spark.session import Failed, on_spark, shown_progress
from holdsfor.cli.terminal.diagnostics import print_diagnostics, print_warnings
from holdsfor.errors import Diagnostics, ParallelismWarning, SetAsideWarning
from holdsfor.prolog.faults import fault_diagnostics
from holdsfor.sinks.output_files import refuse_overwriting
from holdsfor.sources.column_mapping import described_fluents, split_mapping
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
    add_options(parser, "spark run")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    app = fill_in(options, "spark run")
    from holdsfor.spark.input.ingestion import check_buckets

    print_diagnostics(app.notes)
    convert_times(options)
    check_buckets(options.buckets)
    check_output(options)
    files = [*options.rules, *options.background]
    outputs = {"--stats": [options.stats], "--log": [options.log], "--set-aside": [options.set_aside]}
    config = [options.config] if options.config else []
    refuse_overwriting(outputs, [*files, *config, *(split_mapping(each)[0] for each in options.input)])
    diagnostics = Diagnostics()
    check_clock(options.time_unit, options.tz)
    compiled = compile_files(
        files, diagnostics, more=added_programs(options), provided=described_fluents(options.input)
    )
    compiled = with_clock(compiled, options.time_unit, options.tz)
    print_warnings(diagnostics.in_order(), files)
    began = time.perf_counter()

    def work(spark: SparkSession, is_new: bool) -> SparkOutcome:
        return _work(spark, is_new, compiled, options, {"start": time.perf_counter() - began}, log)

    with closing(RunLog(options.log)) as log:
        try:
            outcome = on_spark(options, shown_place(options), work)
        except Failed as failed:
            return failed.exit_code
    print_diagnostics(fault_diagnostics(outcome.counts.faults, compiled.programs))
    summarise(outcome, compiled, is_wanted=True)
    if options.stats:
        per_query_time = {"per_query_time": log.averages()} if options.log else {}
        write_stats(outcome, options.stats, **outcome.more, **per_query_time)
    return 2 if outcome.counts.n_unreadable else 0


def _work(
    spark: SparkSession,
    is_new: bool,
    compiled: Compiled,
    options: argparse.Namespace,
    seconds: dict[str, float],
    log: RunLog,
) -> SparkOutcome:
    from holdsfor.spark.job.retry import without_failing_files
    from holdsfor.spark.output.catalogue import refuse_in_memory_catalogue

    if is_new and options.output.startswith("table:"):
        refuse_in_memory_catalogue(spark)
    return without_failing_files(files_from(options), lambda files: _run(spark, files, compiled, options, seconds, log))


def _run(
    spark: SparkSession,
    files: Sequence[Files],
    compiled: Compiled,
    options: argparse.Namespace,
    seconds: dict[str, float],
    log: RunLog,
) -> SparkOutcome:
    from holdsfor.spark.cluster.progress import described
    from holdsfor.spark.output.targets import replacing
    from holdsfor.spark.output.write import write_results

    began = time.perf_counter()
    with _without_warnings(), shown_progress(spark), replacing(place_from(options, spark)) as place:
        with described(spark, "read"):
            found = _recognise(files, compiled, options)
            if options.strict:
                refuse_misfits(found)
        seconds["plan"] = time.perf_counter() - began
        write_results(found, place, options.report)
        with described(spark, "count"):
            outcome = outcome_of(found, seconds)
            print_warnings(found.mismatches)
            write_set_aside(found, options.set_aside)
            if options.log:
                log_query_times(found, log)
        found.unpersist()
    seconds["recognise"] = time.perf_counter() - began - seconds["plan"]
    return outcome


@contextmanager
def _without_warnings() -> Iterator[None]:
    """A context without the warnings of the library that the summary has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ParallelismWarning)
        warnings.simplefilter("ignore", SetAsideWarning)
        yield


def _recognise(files: Sequence[Files], compiled: Compiled, options: argparse.Namespace) -> Recognition:
    from holdsfor.spark.job.recognition import recognise

    return recognise(
        compiled,
        files,
        start=options.start,
        end=options.end,
        tick=options.tick,
        window=options.window,
        step=options.step,
        allen_memory=options.allen_memory,
        buckets=options.buckets,
        goals=[parse_term(text, "--goal") for text in options.goal],
        time_unit=options.given_time_unit,
        tz=options.tz,
        times=options.times,
        max_set_aside=options.max_set_aside,
    )
