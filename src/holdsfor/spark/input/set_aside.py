"""Records that are set aside because they do not fit, with their file and line, as `holdsfor run` reports them.

Several workers read the blocks of a big file, and the number of lines before a block is unknown in its worker. The
worker returns the number of lines of the block, and for each record set aside the line within the block. The table of
records set aside adds the two when it is computed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import FAULT, KINDS, Facts
from holdsfor.parallel.exchange.retractions import UNORDERED, UNORDERED_PLACE
from holdsfor.prolog.faults import Fault, Faults
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.sources.set_aside_reasons import ReasonCounts
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.exchange.shuffle_rows import loads_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "TALLIED",
    "FileBlock",
    "Tally",
    "faults_of",
    "first_set_aside",
    "reasons_of",
    "set_aside_of",
    "tally_of",
    "unmatched_of",
    "unreadable_facts",
]

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
"""Columns of records set aside (`text` includes their place), and of the line counts of blocks."""

_PACKED = "file string, block bigint, line bigint, text string"
_LONGEST_FILE = 1 << 43


class Tally(NamedTuple):
    """The numbers of records, of those set aside, and of retractions whose order is not known."""

    n_read: int = 0
    n_set_aside: int = 0
    n_unordered: int = 0


TALLIED = ("read", "set aside", UNORDERED)
"""The kinds of facts of the numbers of a tally."""


@dataclass(frozen=True)
class FileBlock:
    """The place of records: a file, and the byte at which their block begins; without a block there are no lines.

    `order` is the number of the file in the order of reading. The rows of a block have an order. Rows without a block
    have one if they are `is_ordered`: their places then begin at `begin`. They have lines if they are `is_numbered`:
    the first one is the first line of its file.
    """

    file: str
    block: int | None = None
    order: int = 0
    is_ordered: bool = False
    begin: int = 0
    is_numbered: bool = False

    def in_order(self, n_before: int) -> int:
        """The place of a line of the block in the order of reading.

        A line has at least one byte, its break, so the first byte of a block exceeds the number of lines before it.
        """
        return self.order * _LONGEST_FILE + (self.block or 0) + self.begin + n_before

    def known(self, places: Int64, *, is_retraction: bool = False) -> Int64:
        """The places of records; if lines have no order, a record comes before its retraction."""
        has_order = self.block is not None or self.is_ordered
        return places if has_order else np.full(len(places), self.in_order(UNORDERED_PLACE + is_retraction))

    def packed(self, misfit: SetAside) -> str:
        """A record set aside and its place as one text, for the shuffle."""
        line = 0 if self.block is None and not self.is_numbered else misfit.line
        found = {"file": self.file, "block": self.block or 0, "line": line, "text": misfit.text}
        return json.dumps(found, ensure_ascii=False)

    def lines(self, n_lines: int) -> Facts:
        """The number of lines of the block, as a fact."""
        times = {"block": np.array([self.block], np.int64), "n_lines": np.array([n_lines], np.int64)}
        return Facts("lines", self.file, 0, 1, times=times)


def unreadable_facts(unreadable: Unreadable) -> Facts:
    """A file that cannot be read, as a record set aside in line 0."""
    misfit = unreadable.set_aside()
    texts = {"text": pa.array([FileBlock(unreadable.file).packed(misfit)]), "reason": pa.array([misfit.reason])}
    return Facts("unreadable", unreadable.file, 0, 1, texts=texts)


def _place_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every record set aside, and for the line count of every block."""
    for load in loads_of(batches):
        for facts in load.facts:
            columns = {name: pa.array(column) for name, column in facts.times.items()} | dict(facts.texts)
            columns |= {"kind": pa.array([facts.kind] * facts.n), "name": pa.array([facts.name] * facts.n)}
            arrays = [columns.get(field.name, pa.nulls(facts.n, field.type)) for field in _PLACES]
            yield pa.RecordBatch.from_arrays(arrays, schema=_PLACES)


def set_aside_of(shuffle_blocks: DataFrame) -> DataFrame:
    """`file`, `line`, `text` and `reason` of records set aside; line 0 means unknown."""
    return _numbered(shuffle_blocks, "set aside", "unreadable")


def first_set_aside(shuffle_blocks: DataFrame, n: int) -> list[SetAside]:
    """The first records set aside of files that are not divided into blocks; line 0 means unknown. Runs a job."""
    from pyspark.sql.pandas.types import from_arrow_schema

    places = shuffle_blocks.where("kind = 'set aside'").mapInArrow(_place_rows, from_arrow_schema(_PLACES))
    rows = [(json.loads(row["text"]), row["reason"]) for row in places.select("text", "reason").limit(n).collect()]
    return [SetAside(place["file"], place["line"], place["text"], reason) for place, reason in rows]


def faults_of(shuffle_blocks: DataFrame) -> Faults:
    """The conditions without a result that the buckets of stages report. Runs a job."""
    faults = Faults()
    faults.add(map(Fault.of_text, _texts_of(shuffle_blocks, FAULT)))
    return faults


def kinds_of(shuffle_blocks: DataFrame) -> PlaceKinds:
    """The types of the constants of all records that were read. Runs a job."""
    kinds = PlaceKinds()
    for text in _texts_of(shuffle_blocks, KINDS):
        kinds = kinds.with_json(json.loads(text))
    return kinds


def _texts_of(shuffle_blocks: DataFrame, kind: str) -> list[str]:
    """The texts of the facts of a kind."""
    from pyspark.sql.pandas.types import from_arrow_schema

    places = shuffle_blocks.where(f"kind = '{kind}'").mapInArrow(_place_rows, from_arrow_schema(_PLACES))
    return [row["text"] for row in places.select("text").collect()]


def unmatched_of(shuffle_blocks: DataFrame) -> DataFrame:
    """`file`, `line`, `text` and `reason` of retractions without a record; line 0 means unknown."""
    return _numbered(shuffle_blocks, "unmatched")


def tally_of(shuffle_blocks: DataFrame) -> Tally:
    """The numbers of records. Runs a job."""
    from pyspark.sql import functions as F

    counted = shuffle_blocks.where(F.col("kind").isin(*TALLIED)).groupBy("kind").agg(F.sum("n"))
    counts = {kind: int(n) for kind, n in counted.collect()}
    return Tally(*(counts.get(kind, 0) for kind in TALLIED))


def reasons_of(set_aside: DataFrame) -> ReasonCounts:
    """The reasons of records set aside, each with its first record; workers count equal reasons. Runs a job."""
    from pyspark.sql import functions as F

    counts = ReasonCounts()
    records = set_aside.where("line > 0 or text != ''")  # others are unreadable files
    earliest = F.min(F.struct("file", "line", "text")).alias("earliest")
    for row in records.groupBy("reason").agg(F.count("*").alias("n"), earliest).toLocalIterator():
        first = row.earliest
        counts.add_many(row.n, SetAside(first.file, first.line, first.text, row.reason))
    return counts


def _numbered(shuffle_blocks: DataFrame, *kinds: str) -> DataFrame:
    """The rows of some kinds, with their line in the whole file."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.types import from_arrow_schema

    wanted = shuffle_blocks.where(F.col("kind").isin(*kinds, "lines"))
    places = wanted.mapInArrow(_place_rows, from_arrow_schema(_PLACES))

    place = F.from_json("text", _PACKED)
    is_count = F.col("kind") == "lines"
    found = places.select(
        F.when(is_count, F.col("name")).otherwise(place["file"]).alias("file"),
        F.when(is_count, F.col("block")).otherwise(place["block"]).alias("block"),
        F.coalesce("n_lines", F.lit(0)).alias("n_lines"),
        place["line"].alias("line"),
        place["text"].alias("text"),
        F.col("reason"),
    )
    blocks_before = Window.partitionBy("file").orderBy("block").rangeBetween(Window.unboundedPreceding, -1)
    n_before = F.coalesce(F.sum("n_lines").over(blocks_before), F.lit(0))
    line = F.when(F.col("line") > 0, F.col("line") + n_before).otherwise(F.lit(0))
    numbered = found.withColumn("line", line)
    return numbered.where("reason is not null").select("file", "line", "text", "reason")
