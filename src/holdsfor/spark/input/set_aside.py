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
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.exchange.facts import Facts
from holdsfor.spark.exchange.shuffle_blocks import loads_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["FileBlock", "set_aside_facts", "set_aside_of", "unmatched_of", "unreadable_facts"]

_PLACES = pa.schema(
    [
        ("kind", pa.string()),
        ("name", pa.string()),
        ("block", pa.int64()),
        ("n_lines", pa.int64()),
        ("text", pa.string()),
        ("reason", pa.string()),
    ]
)
"""Columns of what does not fit (its text says where it stands), and of how many lines a block has."""

_PACKED = "file string, block bigint, line bigint, text string"
_LONGEST_FILE = 1 << 43


@dataclass(frozen=True)
class FileBlock:
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
        """The places of records; where they have no order, a record comes before what retracts it."""
        return places if self.block is not None else np.full(len(places), self.in_order(int(is_retraction)))

    def packed(self, misfit: SetAside) -> str:
        """What to show of a record, and where it stands, as one text that travels."""
        line = 0 if self.block is None else misfit.line
        found = {"file": self.file, "block": self.block or 0, "line": line, "text": misfit.text}
        return json.dumps(found, ensure_ascii=False)

    def lines(self, n_lines: int) -> Facts:
        """How many lines the block has."""
        times = {"block": np.array([self.block], np.int64), "n_lines": np.array([n_lines], np.int64)}
        return Facts("lines", self.file, 0, 1, times=times)


def set_aside_facts(packed: Sequence[str], reasons: Sequence[str], kind: str = "set aside") -> Iterator[Facts]:
    """Records that do not fit, or retractions that are `unmatched`."""
    if packed:
        texts = {"text": pa.array(packed, pa.string()), "reason": pa.array(reasons, pa.string())}
        yield Facts(kind, "", 0, len(packed), texts=texts)


def unreadable_facts(unreadable: Unreadable) -> Facts:
    """A whole file that cannot be read: it stands in line 0."""
    misfit = unreadable.set_aside()
    texts = {"text": pa.array([FileBlock(unreadable.file).packed(misfit)]), "reason": pa.array([misfit.reason])}
    return Facts("unreadable", unreadable.file, 0, 1, texts=texts)


def _told(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for all that does not fit, and for the lines of every block."""
    for load in loads_of(batches):
        for facts in load.facts:
            columns = {name: pa.array(column) for name, column in facts.times.items()} | dict(facts.texts)
            columns |= {"kind": pa.array([facts.kind] * facts.n), "name": pa.array([facts.name] * facts.n)}
            arrays = [columns.get(field.name, pa.nulls(facts.n, field.type)) for field in _PLACES]
            yield pa.RecordBatch.from_arrays(arrays, schema=_PLACES)


def set_aside_of(shuffle_blocks: DataFrame) -> DataFrame:
    """`file`, `line`, `text` and `reason` of records that do not fit; line 0 is none."""
    return _numbered(shuffle_blocks, "set aside", "unreadable")


def unmatched_of(shuffle_blocks: DataFrame) -> DataFrame:
    """`file`, `line`, `text` and `reason` of retractions without a record; line 0 is none."""
    return _numbered(shuffle_blocks, "unmatched")


def _numbered(shuffle_blocks: DataFrame, *kinds: str) -> DataFrame:
    """What has one of the kinds, with its line in the whole file."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import from_arrow_schema

    wanted = shuffle_blocks.where(F.col("kind").isin(*kinds, "lines"))
    places = wanted.mapInArrow(_told, from_arrow_schema(_PLACES))

    told = F.from_json("text", _PACKED)
    is_count = F.col("kind") == "lines"
    found = places.select(
        F.when(is_count, F.col("name")).otherwise(told["file"]).alias("file"),
        F.when(is_count, F.col("block")).otherwise(told["block"]).alias("block"),
        F.coalesce("n_lines", F.lit(0)).alias("n_lines"),
        told["line"].alias("line"),
        told["text"].alias("text"),
        F.col("reason"),
    )
    blocks_before = Window.partitionBy("file").orderBy("block").rangeBetween(Window.unboundedPreceding, -1)
    n_before = F.coalesce(F.sum("n_lines").over(blocks_before), F.lit(0))
    line = F.when(F.col("line") > 0, F.col("line") + n_before).otherwise(F.lit(0))
    numbered = found.withColumn("line", line)
    return numbered.where("reason is not null").select("file", "line", "text", "reason")
