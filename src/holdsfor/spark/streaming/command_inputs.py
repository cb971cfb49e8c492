"""The inputs of `holdsfor spark stream`: folders of files and topics of Kafka as streaming DataFrames."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from holdsfor.errors import DataProblem, Diagnostic, Hint, UsageProblem
from holdsfor.sources.column_mapping import split_mapping
from holdsfor.sources.formats import Format
from holdsfor.spark.input.frame_reader import SOURCE
from holdsfor.spark.input.inputs import Lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["check_inputs", "streams_of", "topic_of"]

_KAFKA = re.compile(r"kafka://(?P<brokers>[^/\s]+)/(?P<topic>[A-Za-z0-9._-]+)")


def check_inputs(inputs: Sequence[str], at_most: int | None = None) -> None:
    """Refuse addresses of topics that are not of the form `kafka://HOST:PORT/TOPIC`, and micro-batches of nothing."""
    if at_most is not None and at_most < 1:
        message = f"expected at least 1 file or record in a micro-batch, found {at_most}"
        hint = Hint("give at least 1", on_command_line="see `--max-per-batch`")
        raise UsageProblem(Diagnostic("HF794", message, hint=hint))
    for given in inputs:
        path = split_mapping(given)[0]
        if path.startswith("kafka:"):
            topic_of(path, "HF794")


def topic_of(place: str, code: str) -> tuple[str, str]:
    """The brokers and the topic of an address; another address is a problem with the code."""
    found = _KAFKA.fullmatch(place)
    if found is None:
        message = f"expected `kafka://HOST:PORT/TOPIC`, found `{place}`"
        raise UsageProblem(Diagnostic(code, message, hint="several brokers are separated by commas"))
    return found["brokers"], found["topic"]


def streams_of(
    spark: SparkSession,
    inputs: Sequence[str],
    form: Format | None,
    at_most: int | None = None,
    kafka: Mapping[str, str] | None = None,
) -> list[Any]:
    """The inputs as streams of lines, or of rows for Parquet files; a micro-batch has at most some files or records.

    `kafka` are options of the source for topics.
    """
    from pyspark.errors import AnalysisException

    found = []
    for given in inputs:
        path, mapping = split_mapping(given)
        try:
            found.append(_stream_of(spark, path, mapping, form, at_most, kafka or {}))
        except AnalysisException as problem:
            if problem.getCondition() != "PATH_NOT_FOUND":
                raise
            hint = "give a folder that Spark can see; files are added to it while the stream runs"
            raise DataProblem(Diagnostic("HF501", f"`{path}` not found", hint=hint)) from None
    return found


def _stream_of(
    spark: SparkSession,
    path: str,
    mapping: str | None,
    form: Format | None,
    at_most: int | None,
    kafka: Mapping[str, str],
) -> Any:
    from pyspark.sql import functions as F

    lines: Format = "jsonl" if form is None and mapping is not None else form or "text"
    if path.startswith("kafka:"):
        brokers, topic = topic_of(path, "HF794")
        options = {**kafka, "kafka.bootstrap.servers": brokers, "subscribe": topic}
        options |= {} if at_most is None else {"maxOffsetsPerTrigger": str(at_most)}
        records = spark.readStream.format("kafka").options(startingOffsets="earliest", **options).load()
        source = F.concat_ws("/", "topic", F.col("partition").cast("string"))
        frame = records.select(F.col("value").cast("string").alias("value"), source.alias(SOURCE))
        return Lines(frame, lines, mapping)
    reader = spark.readStream if at_most is None else spark.readStream.option("maxFilesPerTrigger", at_most)
    if lines == "parquet":
        frame = reader.schema(spark.read.parquet(path).schema).parquet(path)
        return frame if mapping is None else (frame, mapping)
    return Lines(reader.text(path), lines, mapping)
