"""The rows of a feed before they are decoded: as a DataFrame, or as columns in the workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.time_type import TimeType
from holdsfor.spark.input.ingestion import frame_of
from holdsfor.spark.output.time_columns import with_times

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Decoding", "FeedRows"]


class RowDecoder(Protocol):
    """Decodes batches of shuffle blocks into batches of rows."""

    @property
    def schema(self) -> Any: ...

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]: ...


@dataclass(frozen=True)
class Decoding:
    """How shuffle blocks become rows; `time_columns` have time-points, which are timestamps if there are `times`."""

    decoder: RowDecoder
    time_columns: tuple[str, ...]
    times: TimeType | None

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The rows of shuffle blocks, with the types that Spark has for them."""
        decoded = self.decoder(batches)
        if self.times is None:
            yield from decoded
            return
        kind = TimeType(self.times.unit, None if self.times.zone is None else "UTC", "us")
        for batch in decoded:
            columns = [
                kind.column(column) if name in self.time_columns else column
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, batch.schema.names)


@dataclass(frozen=True)
class FeedRows:
    """The rows of a feed in a micro-batch."""

    blocks: DataFrame
    decoding: Decoding

    @property
    def frame(self) -> DataFrame:
        """The rows as a DataFrame."""
        decoder = self.decoding.decoder
        found = frame_of(self.blocks, decoder, decoder.schema)
        return with_times(found, self.decoding.time_columns, self.decoding.times)
