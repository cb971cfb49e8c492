"""Whole CSV files to facts, in the workers: a row of Spark is a file, whose first line is the header.

Spark divides a file of lines into blocks, and only the first block has the header. A run over files finds the header
before the job; the files of a stream are not there yet, so one task reads a file as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdsfor.errors import DataProblem
from holdsfor.parallel.exchange.facts import Load
from holdsfor.sources.blocks import read_block, text_blocks
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.text_records import SetAside
from holdsfor.spark.input.frame_reader import ReaderSettings, mapping_of
from holdsfor.spark.input.lines import LINE, PATH, begin_of_file
from holdsfor.spark.input.listing import File
from holdsfor.spark.input.set_aside import FileBlock

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["BEGIN", "WholeFileReader", "whole_files"]

BEGIN = "__begin"
"""A column with the place of the first line of a file in a stream."""

_SHOWN = 200


def whole_files(frame: DataFrame) -> DataFrame:
    """The files of a DataFrame that reads whole text files, each as bytes, with its place in the order of reading."""
    from pyspark.sql import functions as F

    content, path = F.col("value").cast("binary").alias(LINE), F.col("_metadata.file_path").alias(PATH)
    return frame.select(content, path, begin_of_file().alias(BEGIN))


@dataclass(frozen=True)
class WholeFileReader:
    """Reads batches of whole CSV files; a file without the columns of records is set aside as one record."""

    setting: ReaderSettings
    mapping: str | None = None
    order: int = 0

    def __call__(self, batches: Iterable[Any]) -> Iterator[Load]:
        for batch in batches:
            places = zip(batch.column(PATH).to_pylist(), batch.column(BEGIN).to_pylist(), strict=True)
            for (uri, begin), content in zip(places, batch.column(LINE), strict=True):
                place = FileBlock(File(uri, 0).path, 0, self.order, begin=begin)
                input_reader = self.setting.input_reader(place)
                self.read(input_reader, place.file, content.as_py())
                yield self.setting.load(input_reader, place)

    def read(self, input_reader: InputReader, file: str, content: bytes) -> None:
        """Read the content of a file."""
        reader = input_reader.line_reader("csv", file, mapping_of(self.mapping))
        reading = input_reader.reading
        try:
            for block in text_blocks(content, file):
                read_block(reader, block)
        except DataProblem as problem:
            reason = next(iter(problem.diagnostics)).message  # of a later file: it does not end a stream
            header = content[:_SHOWN].partition(b"\n")[0].decode(errors="replace")
            reading.n_records += 1
            reading.set_aside.append(SetAside(file, 1, header, reason))
