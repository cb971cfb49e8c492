"""The inputs of `holdsfor spark stream`: folders of files and topics of Kafka as streaming DataFrames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sources.column_mapping import split_mapping
from holdsfor.sources.formats import Format
from holdsfor.spark.input.frame_reader import SOURCE
from holdsfor.spark.input.inputs import Lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["check_inputs", "streams_of"]

_KAFKA = re.compile(r"kafka://(?P<brokers>[^/\s]+)/(?P<topic>[A-Za-z0-9._-]+)")


def check_inputs(inputs: Sequence[str]) -> None:
    """Refuse addresses of topics that are not of the form `kafka://HOST:PORT/TOPIC`."""
    for given in inputs:
        path = split_mapping(given)[0]
        if path.startswith("kafka:") and _KAFKA.fullmatch(path) is None:
            message = f"expected `kafka://HOST:PORT/TOPIC`, found `{path}`"
            raise UsageProblem(Diagnostic("HF794", message, hint="several brokers are separated by commas"))


def streams_of(spark: SparkSession, inputs: Sequence[str], form: Format | None) -> list[Any]:
    """The inputs as streams of lines, or of rows for Parquet files."""
    return [_stream_of(spark, *split_mapping(given), form) for given in inputs]


def _stream_of(spark: SparkSession, path: str, mapping: str | None, form: Format | None) -> Any:
    from pyspark.sql import functions as F

    lines: Format = "jsonl" if form is None and mapping is not None else form or "text"
    topic = _KAFKA.fullmatch(path)
    if topic is not None:
        options = {"kafka.bootstrap.servers": topic["brokers"], "subscribe": topic["topic"]}
        records = spark.readStream.format("kafka").options(startingOffsets="earliest", **options).load()
        source = F.concat_ws("/", "topic", F.col("partition").cast("string"))
        frame = records.select(F.col("value").cast("string").alias("value"), source.alias(SOURCE))
        return Lines(frame, lines, mapping)
    if lines == "parquet":
        frame = spark.readStream.schema(spark.read.parquet(path).schema).parquet(path)
        return frame if mapping is None else (frame, mapping)
    return Lines(spark.readStream.text(path), lines, mapping)
