"""The outputs of a query: feeds and the sinks that write their rows, micro-batch by micro-batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.errors import Diagnostic, ExecutionProblem, HoldsforError, UsageProblem
from holdsfor.spark.cluster.failures import unwritten
from holdsfor.spark.output.folders import HadoopFiles
from holdsfor.spark.streaming.current_view import SnapshotSink
from holdsfor.spark.streaming.feed_rows import FeedRows
from holdsfor.spark.streaming.folder_sinks import FolderSink, ParquetSink
from holdsfor.spark.streaming.micro_batches import MicroBatch
from holdsfor.spark.streaming.output_history import OutputHistory, ViewHistory
from holdsfor.spark.streaming.sinks import NumberedSink, Sink, SinkSettings, ViewSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from holdsfor.spark.streaming.feeds import Feed

__all__ = ["FeedOutput", "refuse_nested_places", "refuse_shared_places", "write_outputs"]


@dataclass(frozen=True)
class FeedOutput:
    """A feed and its sink; a function of the user has no settings."""

    feed: Feed
    sink: Sink
    settings: SinkSettings | None

    @property
    def is_view(self) -> bool:
        """Whether micro-batches change the rows of those before."""
        return isinstance(self.sink, ViewSink)

    def checked(self, spark: SparkSession, history: OutputHistory, views: ViewHistory) -> str | None:
        """The name of the output, if it needs all micro-batches of the stream.

        A folder of another stream or feed is refused, and so is an output that lacks micro-batches of the checkpoint or
        has later ones.
        """
        named = self.sink.owner.output(spark) if isinstance(self.sink, FolderSink | SnapshotSink) else None
        name = None if self.settings is None else self.settings.output(spark)
        if self.settings is not None and name is not None:
            name = named or name
            history.check(name, f"`{self.settings.place}`")
        self._check_last(spark, history)
        self._check_view(spark, views)
        return name

    def has_rows(self, output: MicroBatch) -> bool:
        """Whether the sink writes a micro-batch."""
        return self.sink.needs_every_batch or self.feed.n_rows(output) > 0

    def write(self, output: MicroBatch, views: ViewHistory) -> None:
        """Write the rows of a micro-batch."""
        rows = self.feed.rows(output)
        self._check_view(rows.blocks.sparkSession if isinstance(rows, FeedRows) else rows.sparkSession, views)
        with self._failures():
            self._write(rows, output.number)

    def _write(self, rows: DataFrame | FeedRows, number: int) -> None:
        if not isinstance(rows, FeedRows):
            self.sink.write(rows, number)
        elif isinstance(self.sink, ParquetSink):
            self.sink.write_rows(rows, number)
        else:
            self.sink.write(rows.frame, number)

    def _check_last(self, spark: SparkSession, history: OutputHistory) -> None:
        """Refuse an output with later micro-batches than the checkpoint, which is an older copy."""
        if not isinstance(self.sink, NumberedSink) or self.settings is None:
            return
        with self._failures():
            last = self.sink.last_number(spark)
        if last is not None:
            history.check_last(last, self.settings.place)

    def _check_view(self, spark: SparkSession, views: ViewHistory) -> None:
        """Refuse a current view without the rows of the last micro-batch."""
        if not isinstance(self.sink, ViewSink) or self.settings is None or views.last is None:
            return
        with self._failures():
            has_last = self.sink.has_written(spark, views.last)
        if not has_last:
            views.refuse(self.settings.place)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Report a failure of the place as HF620, with the place."""
        try:
            yield
        except HoldsforError:
            raise
        except Exception as problem:
            failure = None if self.settings is None else unwritten(problem, self.settings.place)
            if failure is None:
                raise
            raise ExecutionProblem(failure) from problem


def write_outputs(outputs: Sequence[FeedOutput], output: MicroBatch, views: ViewHistory) -> None:
    """Write a micro-batch to each output in order, and note its number if there are current views."""
    written = [each for each in outputs if each.has_rows(output)]
    for each in written:
        each.write(output, views)
    if any(each.is_view for each in written):
        views.note(output.number)


def refuse_shared_places(spark: SparkSession, outputs: Sequence[FeedOutput]) -> None:
    """Refuse two outputs that would take the micro-batches of one for those of the other."""
    known: set[tuple[str, str]] = set()
    for output in outputs:
        if (settings := output.settings) is None:
            continue
        if settings.form == "jdbc":  # the table of numbers distinguishes feeds
            own = "jdbc", output.feed.name
            shown = f"the feed `{output.feed.name}` to several tables"
        elif (folder := _folder(spark, settings)) is not None:
            own = "path", folder
            shown = f"several feeds to `{settings.place.rstrip('/')}`"
        else:
            continue
        if own in known:
            message = f"one query cannot write {shown}"
            raise UsageProblem(Diagnostic("HF795", message, hint="give each a place of its own, or start two queries"))
        known.add(own)


def refuse_nested_places(spark: SparkSession, outputs: Sequence[FeedOutput], checkpoint: str) -> None:
    """Refuse an output in the checkpoint, and a checkpoint that a reader of the output would read (HF795)."""
    for settings in (output.settings for output in outputs):
        folder = None if settings is None else _folder(spark, settings)
        if settings is None or folder is None:
            continue
        relative = checkpoint.removeprefix(f"{folder}/")
        if f"{folder}/".startswith(f"{checkpoint}/"):
            message = f"the output `{settings.place}` is inside the checkpoint"
        elif relative != checkpoint and not relative.startswith(("_", ".")):
            message = f"the checkpoint is inside the output `{settings.place}`"
        else:
            continue
        hint = "give two folders side by side; inside an output, the name of a checkpoint begins with `_`"
        raise UsageProblem(Diagnostic("HF795", message, hint=hint))


def _folder(spark: SparkSession, settings: SinkSettings) -> str | None:
    """The qualified path of an output that is a folder."""
    if settings.path is None or settings.known_form == "webhook":
        return None
    return HadoopFiles(spark, settings.path).root
