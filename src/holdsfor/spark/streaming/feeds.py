"""The feeds of a stream, and their writers, which have the methods of Spark's `DataStreamWriter`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.spark.output.folders import HadoopFiles
from holdsfor.spark.streaming.batch_progress import BatchProgress
from holdsfor.spark.streaming.checkpoint_lock import checkpoint_lock, release_after
from holdsfor.spark.streaming.feed_outputs import FeedOutput, refuse_nested_places, refuse_shared_places, write_outputs
from holdsfor.spark.streaming.feed_rows import FeedRows
from holdsfor.spark.streaming.micro_batches import MicroBatch
from holdsfor.spark.streaming.output_history import OutputHistory, ViewHistory
from holdsfor.spark.streaming.output_owner import StreamId
from holdsfor.spark.streaming.sinks import FunctionSink, SinkOf, SinkSettings, check_options, sink_of
from holdsfor.spark.streaming.state_files import FILES, StreamFiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from holdsfor.spark.streaming.stream import RecognitionStream

__all__ = ["Feed", "FeedWriter", "OutputWriter"]


@dataclass(frozen=True)
class Feed:
    """One feed of a stream: `writeStream` writes it. `n_rows` is the number of its rows in a micro-batch, at most.

    `sink_of` is the sink for a format with its options. Rows that are `FeedRows` may be decoded where they are written.
    """

    stream: RecognitionStream
    name: str
    rows: Callable[[MicroBatch], DataFrame | FeedRows]
    n_rows: Callable[[MicroBatch], int]
    sink_of: SinkOf = sink_of

    @property
    def writeStream(self) -> FeedWriter:
        """A writer with the methods of Spark's own."""
        return FeedWriter(self)

    def __repr__(self) -> str:
        return f"Feed of {self.name}"


class _Writer:
    """The options of a query, as of Spark's `DataStreamWriter`."""

    def __init__(self, stream: RecognitionStream) -> None:
        self._stream = stream
        self._writer: Any = stream.plan.input.frame.writeStream
        self._options: dict[str, str] = {}
        self._name: str | None = None
        self._on_progress: Callable[[BatchProgress], None] = lambda _: None
        self._is_stopping: Callable[[], bool] = lambda: False

    def option(self, key: str, value: Any) -> Any:
        """An option of the sink, or `checkpointLocation`."""
        self._options[key] = str(value).lower() if isinstance(value, bool) else str(value)
        return self

    def options(self, **options: Any) -> Any:
        for key, value in options.items():
            self.option(key, value)
        return self

    def queryName(self, name: str) -> Any:
        self._name = name
        self._writer = self._writer.queryName(name)
        return self

    def trigger(self, **trigger: Any) -> Any:
        """`processingTime`, `availableNow` or `once`, as of Spark."""
        self._writer = self._writer.trigger(**trigger)
        return self

    def outputMode(self, mode: str) -> Any:
        if mode.lower() != "append":
            message = f"the feeds of a stream are appended, found the output mode `{mode}`"
            hint = "`stream.current` writes a table of the current results"
            raise UsageProblem(Diagnostic("HF795", message, hint=hint))
        return self

    def onProgress(self, function: Callable[[BatchProgress], None]) -> Any:
        """Call a function after every micro-batch, with its decision, its counts and its seconds."""
        self._on_progress = function
        return self

    def stopWhen(self, function: Callable[[], bool]) -> Any:
        """End the query between two micro-batches when a function, called before each of them, returns True.

        The query then fails with `StreamStopped`, and continues from its checkpoint when it is started again.
        """
        self._is_stopping = function
        return self

    def _checkpoint(self, *, is_optional: bool) -> str:
        given = self._options.get("checkpointLocation")
        spark = self._stream.plan.input.spark
        if given is None and self._name is not None:
            parent = spark.conf.get("spark.sql.streaming.checkpointLocation", None)
            given = None if parent is None else f"{parent}/{self._name}"
        if given is None and is_optional:
            given = tempfile.mkdtemp(prefix="holdsfor-stream-")
        if given is None:
            message = "a stream needs a place for its checkpoint"
            hint = 'write `.option("checkpointLocation", path)`'
            raise UsageProblem(Diagnostic("HF795", message, hint=hint))
        return HadoopFiles(spark, given).root

    def _stream_id(self, checkpoint: str) -> StreamId:
        _files(checkpoint).check()
        return StreamId.read(checkpoint)

    def _started(
        self,
        checkpoint: str,
        stream: StreamId,
        outputs: Sequence[FeedOutput],
        more: Callable[[MicroBatch], None] = lambda _: None,
    ) -> StreamingQuery:
        """Start the query, which writes its outputs in order and calls a function; refused outputs stop it before."""
        refuse_nested_places(self._stream.plan.input.spark, outputs, checkpoint)
        files = _files(checkpoint)
        lock = checkpoint_lock(files)
        try:
            history, views = OutputHistory.read(checkpoint), ViewHistory(files)
            checked = [each.checked(self._stream.plan.input.spark, history, views) for each in outputs]
            names = [name for name in checked if name is not None]

            def write(output: MicroBatch) -> None:
                write_outputs(outputs, output, views)
                more(output)
                history.note(names, output.number)

            self._stream.adapt(checkpoint)
            # Spark refuses to begin if a full disk or a crash has left a part of its first file.
            for folder in ("offsets", "commits"):
                StreamFiles(checkpoint).delete_unfinished(folder)
            stream.save(checkpoint)
            batches = self._stream.micro_batches(checkpoint, self._on_progress, self._is_stopping)
            writer = self._writer.option("checkpointLocation", checkpoint)
            query: StreamingQuery = writer.foreachBatch(lambda batch, number: batches.run(batch, number, write)).start()
        except BaseException:
            lock.release()
            raise
        release_after(query, lock)
        return query


class FeedWriter(_Writer):
    """Writes one feed. Rows are written once for the formats of files, Delta Lake and PostgreSQL."""

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed.stream)
        self._feed = feed
        self._format: str | None = None
        self._partition_by: list[str] = []
        self._function: Callable[[DataFrame, int], None] | None = None

    def format(self, source: str) -> FeedWriter:
        self._format = source
        return self

    def partitionBy(self, *columns: str | Sequence[str]) -> FeedWriter:
        """Partition files and tables by columns, which are given one by one or as a list."""
        self._partition_by = [name for each in columns for name in ([each] if isinstance(each, str) else each)]
        return self

    def foreachBatch(self, func: Callable[[DataFrame, int], None]) -> FeedWriter:
        self._function = func
        return self

    def start(
        self,
        path: str | None = None,
        format: str | None = None,  # noqa: A002
        outputMode: str | None = None,
        partitionBy: str | Sequence[str] | None = None,
        queryName: str | None = None,
        **options: Any,
    ) -> StreamingQuery:
        """Start the query; `path` is that of files or of a Delta table. The arguments are those of Spark's `start`."""
        self._set(options, format=format, outputMode=outputMode, partitionBy=partitionBy, queryName=queryName)
        return self._start(path, None)

    def toTable(
        self,
        tableName: str,
        format: str | None = None,  # noqa: A002
        outputMode: str | None = None,
        partitionBy: str | Sequence[str] | None = None,
        queryName: str | None = None,
        **options: Any,
    ) -> StreamingQuery:
        """Start the query; its rows are added to a table of the catalogue. The arguments are those of Spark's own."""
        self._set(options, format=format, outputMode=outputMode, partitionBy=partitionBy, queryName=queryName)
        return self._start(None, tableName)

    def _set(self, options: Mapping[str, Any], **given: Any) -> None:
        """Set options, and call the methods of the given names with the values that are not None."""
        self.options(**options)
        for name, value in given.items():
            if value is not None:
                getattr(self, name)(value)

    def _start(self, path: str | None, table: str | None) -> StreamingQuery:
        is_trial = self._format in ("memory", "console") and self._function is None
        checkpoint = self._checkpoint(is_optional=is_trial)
        stream = self._stream_id(checkpoint)
        return self._started(checkpoint, stream, [self.output_of(checkpoint, stream, path, table)])

    def output_of(
        self, checkpoint: str, stream: StreamId, path: str | None = None, table: str | None = None
    ) -> FeedOutput:
        """The output of the feed in a query of a stream with a checkpoint."""
        if self._function is not None:
            return FeedOutput(self._feed, FunctionSink(self._function), None)
        spark = self._stream.plan.input.spark
        own = {key: value for key, value in self._options.items() if key not in ("path", "checkpointLocation")}
        settings = SinkSettings(
            form=self._format,
            options=own,
            path=path or self._options.get("path") or None,
            table=table,
            partition_by=tuple(self._partition_by),
            query_name=self._name,
            stream=stream,
            feed=self._feed.name,
            checkpoint=checkpoint,
            default_form=str(spark.conf.get("spark.sql.sources.default", "parquet")),
        )
        sink = self._feed.sink_of(settings)
        check_options(settings)
        return FeedOutput(self._feed, sink, settings)


class OutputWriter(_Writer):
    """Writes several feeds with one evaluation: by their writers, or by a function that gets a `MicroBatch`."""

    def __init__(self, stream: RecognitionStream) -> None:
        super().__init__(stream)
        self._function: Callable[[MicroBatch], None] | None = None
        self._writers: tuple[FeedWriter, ...] = ()

    def foreachBatch(self, func: Callable[[MicroBatch], None]) -> OutputWriter:
        self._function = func
        return self

    def feeds(self, *writers: FeedWriter) -> OutputWriter:
        """Write feeds with the formats and options of their writers, each micro-batch in the given order.

        The path of files is the option `path`. Checkpoint and trigger are those of this writer.
        """
        if any(writer._stream is not self._stream for writer in writers):
            message = "the feeds of one query must be those of one stream"
            raise UsageProblem(Diagnostic("HF795", message, hint="start a query for each stream"))
        self._writers = writers
        return self

    def start(self) -> StreamingQuery:
        checkpoint = self._checkpoint(is_optional=False)
        stream = self._stream_id(checkpoint)
        outputs = [writer.output_of(checkpoint, stream) for writer in self._writers]
        refuse_shared_places(self._stream.plan.input.spark, outputs)
        if not outputs and self._function is None:
            message = "the writer of several feeds needs their writers or a function"
            raise UsageProblem(
                Diagnostic("HF795", message, hint="write `.feeds(writer, …)` or `.foreachBatch(function)`")
            )
        return self._started(checkpoint, stream, outputs, self._function or (lambda _: None))


def _files(checkpoint: str) -> StreamFiles:
    return StreamFiles(f"{checkpoint}/{FILES}")
