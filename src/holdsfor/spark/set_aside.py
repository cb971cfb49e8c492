"""Records that do not fit, with the file and line where they stand, as `holdsfor run` tells them.

A big file is read in blocks, by several workers, and none of them knows how many lines are before its block. Each
therefore counts the lines of its block, and says of a record in which line of the block it is. Only when somebody asks
for what is set aside are the two put together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.kernels.keys import Int64
from holdsfor.sources.text import SetAside
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.exchange import Layout

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Place", "set_aside_frame", "set_aside_rows", "unreadable_rows"]

_PACKED = "file string, block bigint, line bigint, text string"
_LONGEST_FILE = 1 << 43


@dataclass(frozen=True)
class Place:
    """Where records stand: a file, and the block of it that begins at a byte; without a block they have no lines.

    `order` is the place of the file among all that is read.
    """

    file: str
    block: int | None = None
    order: int = 0

    def in_order(self, n_before: int) -> int:
        """The place of a line of the block in the order of reading.

        A line has at least one byte, its break: the byte at which a block begins is behind all lines of those before.
        """
        return self.order * _LONGEST_FILE + (self.block or 0) + n_before

    def known(self, places: Int64, *, is_retraction: bool = False) -> Int64:
        """The places of records; where they have no order, a record comes before what takes it back."""
        return places if self.block is not None else np.full(len(places), self.in_order(int(is_retraction)))

    def packed(self, misfit: SetAside) -> str:
        """What to show of a record, and where it stands, as one text that travels."""
        line = 0 if self.block is None else misfit.line
        found = {"file": self.file, "block": self.block or 0, "line": line, "text": misfit.text}
        return json.dumps(found, ensure_ascii=False)

    def lines(self, layout: Layout, n_lines: int) -> Any:
        """A row that says how many lines the block has."""
        times = {"start": pa.array([self.block], pa.int64()), "end": pa.array([n_lines], pa.int64())}
        return layout.rows(1, "lines", self.file, 0, **times)


def set_aside_rows(layout: Layout, packed: Iterable[str], reasons: Iterable[str]) -> Iterator[Any]:
    """Records that do not fit, as rows."""
    texts, why = pa.array(packed, pa.string()), pa.array(reasons, pa.string())
    if len(texts):
        yield layout.rows(len(texts), "set aside", "", 0, text=texts, reason=why)


def unreadable_rows(spark: SparkSession, layout: Layout, unreadable: Sequence[Unreadable]) -> DataFrame:
    """Whole files that cannot be read, as rows: they stand in line 0."""
    batches = []
    for each in unreadable:
        misfit = each.set_aside()
        texts = {"text": pa.array([Place(each.file).packed(misfit)]), "reason": pa.array([misfit.reason])}
        batches.append(layout.rows(1, "unreadable", each.file, 0, **texts))
    return spark.createDataFrame(pa.Table.from_batches(batches, layout.schema))


def set_aside_frame(rows: DataFrame) -> DataFrame:
    """`file`, `line`, `text` and `reason` of what is set aside among rows; line 0 is none."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    told = F.from_json("text", _PACKED)
    is_count = F.col("kind") == "lines"
    found = rows.where("kind in ('set aside', 'unreadable', 'lines')").select(
        F.when(is_count, F.col("name")).otherwise(told["file"]).alias("file"),
        F.when(is_count, F.col("start")).otherwise(told["block"]).alias("block"),
        F.when(is_count, F.col("end")).otherwise(F.lit(0)).alias("n_lines"),
        told["line"].alias("line"),
        told["text"].alias("text"),
        F.col("reason"),
    )
    blocks_before = Window.partitionBy("file").orderBy("block").rangeBetween(Window.unboundedPreceding, -1)
    n_before = F.coalesce(F.sum("n_lines").over(blocks_before), F.lit(0))
    line = F.when(F.col("line") > 0, F.col("line") + n_before).otherwise(F.lit(0))
    numbered = found.withColumn("line", line)
    return numbered.where("reason is not null").select("file", "line", "text", "reason")
