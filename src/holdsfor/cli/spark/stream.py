"""`holdsfor spark stream`: recognise what the rules describe in streams, on Apache Spark."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.output_selection import chosen_patterns
from holdsfor.analysis.pipeline import Compiled, check_clock, compile_files, with_clock
from holdsfor.cli.options.added_programs import added_programs
from holdsfor.cli.options.arguments import Commands, add_command, add_options
from holdsfor.cli.options.config import fill_in
from holdsfor.cli.options.durations import convert_times
from holdsfor.cli.spark.session import Failed, has_local_files, on_spark
from holdsfor.cli.spark.stream_outputs import StreamOutput, kafka_options, stream_outputs, writers_of
from holdsfor.cli.terminal.diagnostics import print_diagnostics, print_warnings
from holdsfor.cli.terminal.interruption import INTERRUPTED, Interruption
from holdsfor.errors import Diagnostic, Diagnostics, ParallelismWarning, UsageProblem, printable
from holdsfor.sinks.time_formats import shown_as
from holdsfor.sources.column_mapping import check_mappings, described_fluents
from holdsfor.sources.set_aside_reasons import SetAsideLimit, SetAsideProblem
from holdsfor.sources.text_records import SetAside

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from holdsfor.spark.streaming.batch_progress import BatchProgress
    from holdsfor.spark.streaming.stream import RecognitionStream

__all__ = ["add_parser"]

SPOOL = "holdsfor/spool"
"""The folder of the checkpoint with the lines of named pipes."""

_EVERY_SECONDS = 1
_UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours"}
_TRIGGER = re.compile(r"(\d{1,9}) ?(ms|s|m|h|(?:millisecond|second|minute|hour)s?)", re.ASCII)


def add_parser(commands: Commands) -> None:
    example = "holdsfor spark stream rules.prolog --input records/ --window 2h --step 5m -o changes --checkpoint state"
    parser = add_command(commands, "stream", "recognise what the rules describe in streams, on Apache Spark", example)
    add_options(parser, "spark stream")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    fill_in(options, "spark stream")
    from holdsfor.runtime.windows import check_bounds, check_windows
    from holdsfor.sources.time_arguments import duration_of
    from holdsfor.spark.input.ingestion import MOST_STREAM_BUCKETS, check_buckets
    from holdsfor.spark.streaming.command_inputs import check_folders, check_inputs, check_places
    from holdsfor.spark.streaming.decisions import check_idle

    convert_times(options)
    step = options.window if options.step is None else options.step
    check_windows(options.tick, options.window, step, options.allen_memory)
    check_bounds(options.start, None)
    check_buckets(options.buckets, MOST_STREAM_BUCKETS)
    check_inputs(options.input, options.max_per_batch, options.checkpoint)
    check_idle(duration_of(options.idle, "idle"))
    outputs = stream_outputs(options)
    places = {f"--{name}": getattr(options, name) for name in ("current", "alerts", "checkpoint")}
    check_places(options.input, {"-o": options.output, **places})
    options.trigger = _interval(options.trigger)
    files, diagnostics = [*options.rules, *options.background], Diagnostics()
    check_clock(options.time_unit, options.tz)
    compiled = compile_files(
        files, diagnostics, more=added_programs(options), provided=described_fluents(options.input)
    )
    compiled = with_clock(compiled, options.time_unit, options.tz)
    chosen_patterns(options.alert_on, "--alert-on", compiled.names, compiled.graph, compiled.selection)
    check_mappings(options.input, compiled.names)
    if has_local_files(options):
        check_folders(options.input)
    print_warnings(diagnostics.in_order(), files)
    stop = Interruption()
    progress = _Progress(is_json=options.progress == "json")
    with _metrics(options.metrics) as progress.add_to_metrics:
        try:
            on_spark(
                options,
                None,
                lambda spark, _: _work(spark, compiled, options, outputs, progress, stop),
                stop=stop,
                checkpoint=options.checkpoint,
            )
        except Failed as failed:
            return failed.exit_code
    if stop.is_asked:
        print("stopped: the same command continues the stream", file=sys.stderr)
        return INTERRUPTED
    progress.check()
    return 0


def _work(
    spark: SparkSession,
    compiled: Compiled,
    options: argparse.Namespace,
    outputs: Sequence[StreamOutput],
    progress: _Progress,
    stop: Interruption,
) -> None:
    """Run the stream until it ends, or until a signal stops it after the current micro-batch."""
    stream = _stream(spark, compiled, options)
    writer = stream.writeStream.feeds(*writers_of(stream, outputs, options))
    writer = writer.option("checkpointLocation", options.checkpoint)
    trigger: dict[str, Any] = {"availableNow": True} if options.once else {"processingTime": options.trigger}
    writer = writer.trigger(**trigger).stopWhen(lambda: stop.is_asked)
    _await_end(writer.onProgress(progress).start(), stop)


def _interval(trigger: str) -> str:
    """The time between two micro-batches, as Spark writes it; HF795 for another text.

    >>> _interval("5m"), _interval("30 seconds"), _interval("500ms")
    ('5 minutes', '30 seconds', '500 milliseconds')
    """
    match = _TRIGGER.fullmatch(trigger.strip())
    if match is None:
        message = f"expected a time such as `10s` or `5 minutes` for `--trigger`, found `{printable(trigger)}`"
        raise UsageProblem(Diagnostic("HF795", message))
    return f"{match[1]} {_UNITS.get(match[2], match[2])}"


@contextmanager
def _metrics(port: int | None) -> Iterator[Callable[[BatchProgress], None]]:
    """A function that adds a micro-batch to the metrics, which are served until the end of the context."""
    if port is None:
        yield lambda _: None
        return
    from holdsfor.spark.streaming.metrics import MetricsServer

    with MetricsServer(port) as server:
        print(f"metrics at {server.url}", file=sys.stderr, flush=True)
        yield server


def _await_end(query: StreamingQuery, stop: Interruption) -> None:
    """Wait until a query ends. After a signal, the running micro-batch completes, and the next one is refused."""
    from pyspark.errors import StreamingQueryException

    from holdsfor.spark.streaming.micro_batches import StreamStopped

    try:
        while not query.awaitTermination(_EVERY_SECONDS):
            if stop.is_asked and not query.status["isTriggerActive"]:
                query.stop()
    except StreamingQueryException as problem:
        if not stop.is_asked or StreamStopped.__name__ not in str(problem):
            raise


def _stream(spark: SparkSession, compiled: Compiled, options: argparse.Namespace) -> RecognitionStream:
    from holdsfor.spark.streaming.command_inputs import (
        InputSettings,
        check_read_folders,
        files_of,
        first_forms,
        has_offsets,
        streams_of,
    )
    from holdsfor.spark.streaming.stream import stream

    check_read_folders(spark, options.input, options.checkpoint)
    settings = InputSettings(
        options.input_format,
        options.max_per_batch,
        kafka_options(options),
        f"{options.checkpoint.rstrip('/')}/{SPOOL}",
        follows=not options.once,
        names=compiled.names,
        tick=options.tick,
        is_new=not has_offsets(spark, options.checkpoint),
        forms=first_forms(spark, options.checkpoint),
        files=files_of(spark, options.checkpoint),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ParallelismWarning)
        return stream(
            streams_of(spark, options.input, settings),
            compiled,
            window=options.window,
            step=options.step,
            start=options.start,
            tick=options.tick,
            allen_memory=options.allen_memory,
            buckets=options.buckets,
            time_unit=options.time_unit,
            tz=options.tz,
            idle=options.idle,
            max_ahead=options.max_ahead,
            clock=options.clock,
            on_change=options.on_change,
        )


class _Progress:
    """Prints a line for every micro-batch on standard error, as text or as JSON, and the first records set aside."""

    def __init__(self, *, is_json: bool) -> None:
        self._is_json = is_json
        self._n_batches = self._n_read = self._n_set_aside = 0
        self._first: SetAside | None = None
        self.add_to_metrics: Callable[[BatchProgress], None] = lambda _: None

    def __call__(self, progress: BatchProgress) -> None:
        self.add_to_metrics(progress)
        self._n_batches += 1
        self._n_read += progress.counts.get("read", 0)
        self._n_set_aside += progress.counts.get("set aside", 0)
        self._first = self._first or next(iter(progress.set_aside), None)
        line = progress.as_json() if self._is_json else progress.as_text(shown_as(progress.times))
        print(line, file=sys.stderr, flush=True)
        for misfit in () if self._is_json else progress.set_aside:
            print(printable(f"  {_shown(misfit)}"), file=sys.stderr, flush=True)
        print_diagnostics(() if self._is_json else progress.without_result)

    def check(self) -> None:
        """Say that there was no new record, or refuse a stream that has set aside all its records (HF510)."""
        if not self._n_batches and not self._is_json:
            print("there are no new records", file=sys.stderr)
        if self._first is None or SetAsideLimit().allows(self._n_set_aside, self._n_read):
            return
        message = f"all records set aside ({self._n_set_aside:,}), first: {_shown(self._first)}"
        hint = "compare the names, columns and types of the input with the rules"
        raise SetAsideProblem(Diagnostic("HF510", message, hint=hint))


def _shown(misfit: SetAside) -> str:
    """A record set aside, with its place if it has one."""
    return str(misfit) if misfit.line else f"{misfit.reason}: {misfit.text}"
