"""The places to which a stream writes the rows of its micro-batches, each once.

After a crash, Spark repeats a micro-batch with the same number, and the rows are the same. A sink therefore writes the
rows of a number once: a folder with the number exists or not, a table has the number in its transactions or not. Kafka
has no such number. There, rows are written at least once, and have a key by which a consumer recognises them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, TypeAlias, runtime_checkable

from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean
from holdsfor.spark.output.databases import without_secrets
from holdsfor.spark.output.folders import HadoopFiles
from holdsfor.spark.streaming.delta_tables import DeltaSink
from holdsfor.spark.streaming.folder_sinks import BATCH, FolderSink, ParquetSink
from holdsfor.spark.streaming.output_owner import FolderOwner, StreamId
from holdsfor.spark.streaming.postgres_tables import PostgresSink, with_json_lists

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "ConsoleSink",
    "CsvSink",
    "FunctionSink",
    "KafkaSink",
    "MemorySink",
    "NumberedSink",
    "Sink",
    "SinkOf",
    "SinkSettings",
    "ViewSink",
    "check_options",
    "refuse_output",
    "sink_of",
]

_FILES = ("parquet", "json", "csv", "orc", "avro")
_COLUMNS_OF_KAFKA = ("key", "value")
_NEEDED = {"kafka": ("kafka.bootstrap.servers", "topic"), "jdbc": ("url", "dbtable")}
"""The options without which a format has no place."""


class Sink(Protocol):
    """Writes the rows of a micro-batch by its number; some sinks also need the micro-batches without rows."""

    needs_every_batch: ClassVar[bool]

    def write(self, frame: DataFrame, number: int) -> None: ...


@runtime_checkable
class NumberedSink(Sink, Protocol):
    """Has the numbers of its micro-batches."""

    def last_number(self, spark: SparkSession) -> int | None:
        """The last micro-batch that was written, with rows."""
        ...


@runtime_checkable
class ViewSink(Sink, Protocol):
    """Changes a table of the current results: micro-batches need the rows of those before."""

    def has_written(self, spark: SparkSession, number: int) -> bool:
        """Whether the table has the rows of a micro-batch that was written before."""
        ...


@dataclass(frozen=True)
class FunctionSink:
    """A function of the user, as in `foreachBatch`."""

    needs_every_batch: ClassVar[bool] = True

    function: Callable[[DataFrame, int], None]

    def write(self, frame: DataFrame, number: int) -> None:
        self.function(frame, number)


@dataclass(frozen=True)
class KafkaSink:
    """A topic of Kafka: rows as JSON, with a key that is the same when they are written again."""

    needs_every_batch: ClassVar[bool] = False

    options: Mapping[str, str]

    def write(self, frame: DataFrame, number: int) -> None:
        from pyspark.sql import functions as F

        if not set(frame.columns) <= {*_COLUMNS_OF_KAFKA, "topic", "headers", "partition"}:
            value = F.to_json(F.struct("*"))
            frame = frame.select(F.sha2(value, 256).alias("key"), value.alias("value"))
        frame.write.format("kafka").options(**self.options).save()


@dataclass(frozen=True)
class CsvSink(FolderSink):
    """A folder of CSV files, which have no lists: a list is a text of JSON."""

    def write(self, frame: DataFrame, number: int) -> None:
        super().write(with_json_lists(frame), number)


@dataclass
class MemorySink:
    """A temporary view with all rows, for tests and notebooks; its rows are in the memory of the driver."""

    needs_every_batch: ClassVar[bool] = True

    name: str
    tables: dict[int, Any] = field(default_factory=dict)

    def write(self, frame: DataFrame, number: int) -> None:
        import pyarrow as pa  # type: ignore[import-untyped]

        self.tables[number] = frame.toArrow()
        session: Any = frame.sparkSession
        together = pa.concat_tables([self.tables[each] for each in sorted(self.tables)])
        rows = session.createDataFrame(together, frame.schema)
        rows.createOrReplaceGlobalTempView(self.name)
        rows.createOrReplaceTempView(self.name)


@dataclass(frozen=True)
class ConsoleSink:
    """The standard output, for trials."""

    needs_every_batch: ClassVar[bool] = False

    options: Mapping[str, str] = field(default_factory=dict)

    def write(self, frame: DataFrame, number: int) -> None:
        print(f"micro-batch {number}")  # noqa: T201
        frame.show(int(self.options.get("numRows", "20")), truncate=self.options.get("truncate", "true") == "true")


@dataclass(frozen=True)
class SinkSettings:
    """The settings of a writer that choose and describe a sink.

    `options` are those of the sink itself. `default_form` is the format of Spark's writers. `stream` and
    `feed` identify the output in tables and folders that note the numbers of micro-batches.
    """

    form: str | None
    options: Mapping[str, str]
    path: str | None
    table: str | None
    partition_by: tuple[str, ...]
    query_name: str | None
    stream: StreamId
    feed: str
    checkpoint: str
    default_form: str = "parquet"

    @property
    def known_form(self) -> str:
        return self.form or self.default_form

    @property
    def application(self) -> str:
        """The name of the feed of this stream in tables."""
        return f"holdsfor {self.stream.id} {self.feed}"

    def owner(self, path: str, form: str, column: str) -> FolderOwner:
        """The owner of a folder whose content is partitioned by a column."""
        return FolderOwner(path, self.stream, self.feed, form, column)

    @property
    def place(self) -> str:
        """The place of the output in messages, without secrets."""
        if self.form == "jdbc":
            return f"{without_secrets(self.options.get('url', ''))} {self.options.get('dbtable', '')}".rstrip()
        if self.form == "kafka":
            return f"kafka://{self.options.get('kafka.bootstrap.servers', '')}/{self.options.get('topic', '')}"
        return self.path or self.table or self.query_name or self.known_form

    def output(self, spark: SparkSession) -> str | None:
        """The name of an output that needs all micro-batches of a stream; None for alerts, problems and trials.

        A server may have another address later, so a table or topic is known by its own name.
        """
        if self.feed in ("alerts", "problems") or self.form in ("memory", "console"):
            return None
        place = self.options.get("dbtable" if self.form == "jdbc" else "topic") or self.table
        return f"{self.feed} in {place or HadoopFiles(spark, self.path or '').root}"


SinkOf: TypeAlias = Callable[[SinkSettings], Sink]
"""The sink of one format, or of all formats of a feed."""


def sink_of(settings: SinkSettings) -> Sink:
    """The sink of a format with its options; HF795 for formats that cannot be written once."""
    form = settings.known_form
    if settings.table is not None and form != "delta":
        refuse_output(f"a table of the format `{form}` cannot be written once", 'write `.format("delta").toTable(…)`')
    if form == "text":
        hint = f"write {', '.join(f'`{each}`' for each in _FILES)} or `delta`"
        refuse_output("the format `text` has one column, and the rows of a stream have several", hint)
    if form not in _SINKS:
        hint = did_you_mean(form, _SINKS) or "write it with `foreachBatch`"
        refuse_output(f"the format `{form}` is not one of {', '.join(_SINKS)}", hint)
    return _SINKS[form](settings)


def check_options(settings: SinkSettings) -> None:
    """Refuse a format without the options that it needs (HF795)."""
    form = settings.known_form
    for name in _NEEDED.get(form, ()):
        if not settings.options.get(name):
            refuse_output(f"the format `{form}` needs the option `{name}`", f'write `.option("{name}", …)`')


def _folder_sink(settings: SinkSettings) -> Sink:
    form = settings.known_form
    if settings.path is None:
        refuse_output(f"the format `{form}` needs a path", 'write `.start(path)` or `.option("path", …)`')
    owner = settings.owner(settings.path, form, BATCH)
    if form == "parquet" and not settings.options and not settings.partition_by:
        return ParquetSink(settings.path, form, owner, checkpoint=settings.checkpoint)
    kind = CsvSink if form == "csv" else FolderSink
    return kind(settings.path, form, owner, settings.options, settings.partition_by)


def _delta_sink(settings: SinkSettings) -> Sink:
    if settings.path is None and settings.table is None:
        hint = 'write `.start(path)`, `.option("path", …)` or `.toTable(name)`'
        refuse_output("the format `delta` needs a path or a table", hint)
    return DeltaSink(settings.application, settings.path, settings.table, settings.options, settings.partition_by)


def _memory_sink(settings: SinkSettings) -> Sink:
    if settings.query_name is None:
        refuse_output("the format `memory` needs a name", "write `.queryName(…)`")
    return MemorySink(settings.query_name)


_SINKS: Mapping[str, SinkOf] = {
    **dict.fromkeys(_FILES, _folder_sink),
    "delta": _delta_sink,
    "kafka": lambda settings: KafkaSink(settings.options),
    "jdbc": lambda settings: PostgresSink(settings.application, settings.options),
    "memory": _memory_sink,
    "console": lambda settings: ConsoleSink(settings.options),
}


def refuse_output(message: str, hint: str) -> NoReturn:
    """Refuse an output of a stream."""
    raise UsageProblem(Diagnostic("HF795", message, hint=hint))
