"""`holdsfor spark run`: recognise what the rules describe, on Apache Spark."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdsfor.analysis.compiled import Compiled, compile_files
from holdsfor.cli.arguments import Commands, add_command, add_rule_files
from holdsfor.cli.durations import duration_text, make_points
from holdsfor.cli.interruption import Interruption
from holdsfor.cli.progress import Line
from holdsfor.cli.spark_input import add_input_options, files_from, put_aside, refuse_misfits
from holdsfor.cli.spark_outcome import SparkOutcome, outcome_of
from holdsfor.cli.spark_output import add_output_options, check_output, place_from, shown_place
from holdsfor.cli.summary import summarise, write_stats
from holdsfor.errors import Diagnostic, Diagnostics, HoldsforError, UsageProblem
from holdsfor.syntax.parser import parse_term

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark.files import Files
    from holdsfor.spark.recognition import Recognition
    from holdsfor.spark.starting import Log

__all__ = ["add_parser"]

_EVERY_SECONDS = 0.2


def add_parser(commands: Commands) -> None:
    example = (
        "holdsfor spark run rules.prolog background.prolog --input 'events/*.parquet' -o found --master 'local[4]'"
    )
    parser = add_command(commands, "spark", "the same on Apache Spark", example)
    inner = parser.add_subparsers(dest="spark_command", required=True, metavar="COMMAND")
    _add_run(add_command(inner, "run", "recognise what the rules describe in the input, on Apache Spark", example))


def _add_run(parser: argparse.ArgumentParser) -> None:
    add_rule_files(parser)
    add_input_options(parser)
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
    parser.add_argument("--buckets", type=int, metavar="N", help="parts of the entities (default: 2 for each core)")
    parser.add_argument("--master", help="where Spark runs, such as `local[4]` (default: as Spark is configured)")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    parser.add_argument("--stats", metavar="FILE", help="write counts and seconds as JSON")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.spark.recognition import check_buckets
    from holdsfor.spark.starting import log

    make_points(options)
    check_buckets(options.buckets)
    check_output(options)
    settings = dict(map(_setting, options.conf))
    diagnostics = Diagnostics()
    compiled = compile_files(options.files, diagnostics)
    for warning in diagnostics.of("warning"):
        print(warning.render(), end="\n\n", file=sys.stderr)
    with log() as said:
        try:
            outcome = _start(compiled, options, settings, said)
        except HoldsforError:
            raise
        except Exception as problem:
            from holdsfor.spark.failures import failure_of

            failure = failure_of(problem, shown_place(options), said)
            print(failure.text, file=sys.stderr)
            return failure.exit_code
    summarise(outcome, compiled, is_wanted=True)
    if options.stats:
        write_stats(outcome, options.stats, **outcome.more)
    return 2 if outcome.counts.n_unreadable else 0


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageProblem(Diagnostic("HF772", f"expected `NAME=VALUE` as a setting of Spark, found `{text}`"))
    return name, value


def _start(compiled: Compiled, options: argparse.Namespace, settings: dict[str, str], said: Log) -> SparkOutcome:
    from holdsfor.spark.attempts import without_failing_files
    from holdsfor.spark.catalogue import refuse_forgetful
    from holdsfor.spark.starting import started

    began = time.perf_counter()
    with started(options.master, settings, said) as (spark, is_new):
        if is_new and options.output.startswith("table:"):
            refuse_forgetful(spark)
        seconds = {"start": time.perf_counter() - began}

        def run(files: Sequence[Files]) -> SparkOutcome:
            return _run(spark, files, compiled, options, seconds)

        return _until_interrupted(spark, lambda: without_failing_files(files_from(options), run))


def _until_interrupted(spark: SparkSession, work: Callable[[], SparkOutcome]) -> SparkOutcome:
    """Do the work in a thread; when somebody asks for an end, cancel its jobs, and let it clean up.

    The thread waits for the answer of a JVM, and does not hear of signals; this one can still talk to Spark.
    """
    with Interruption() as stop, ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        while not done.done():
            wait([done], _EVERY_SECONDS)
            if stop.is_asked:
                spark.sparkContext.cancelAllJobs()
    if stop.is_asked and done.exception() is not None:
        raise KeyboardInterrupt
    return done.result()


def _run(
    spark: SparkSession,
    files: Sequence[Files],
    compiled: Compiled,
    options: argparse.Namespace,
    seconds: dict[str, float],
) -> SparkOutcome:
    from holdsfor.spark.output import write_results
    from holdsfor.spark.places import replacing
    from holdsfor.spark.watching import described

    began = time.perf_counter()
    with _shown_progress(spark), replacing(place_from(options, spark)) as place:
        with described(spark, "read"):
            found = _recognise(files, compiled, options)
            if options.strict:
                refuse_misfits(found)
        seconds["plan"] = time.perf_counter() - began
        write_results(found, place)
        with described(spark, "count"):
            outcome = outcome_of(found, seconds)
            put_aside(found, options.set_aside)
        found.unpersist()
    seconds["recognise"] = time.perf_counter() - began - seconds["plan"]
    return outcome


@contextmanager
def _shown_progress(spark: SparkSession) -> Iterator[None]:
    """A line for a person at a terminal, as long as the block runs."""
    from holdsfor.spark.watching import watched

    with Line() as line, watched(spark, lambda reached, seconds: line.show(f"{reached}, {seconds:.0f} s")):
        yield


def _recognise(files: Sequence[Files], compiled: Compiled, options: argparse.Namespace) -> Recognition:
    from holdsfor.spark.recognition import recognise

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
