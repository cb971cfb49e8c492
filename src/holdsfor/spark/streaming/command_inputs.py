"""The inputs of `holdsfor spark stream`: folders, files, named pipes and topics of Kafka as streaming DataFrames."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.errors import DataProblem, Diagnostic, Hint, UsageProblem
from holdsfor.sources.column_mapping import split_mapping
from holdsfor.sources.formats import Format
from holdsfor.spark.input.frame_reader import SOURCE
from holdsfor.spark.input.inputs import Lines
from holdsfor.spark.input.pipe_spool import is_pipe
from holdsfor.spark.output.folders import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["InputSettings", "check_inputs", "streams_of", "topic_of"]

_KAFKA = re.compile(r"kafka://(?P<brokers>[^/\s]+)/(?P<topic>[A-Za-z0-9._-]+)")


@dataclass(frozen=True)
class InputSettings:
    """The settings of inputs; a micro-batch has at most some files, lines or records.

    `kafka` are options of the source for topics. `spool` is a folder for the lines of pipes, in the checkpoint. Lines
    that are appended to a file are read if the stream `follows` it; otherwise its last line needs no line break.
    """

    form: Format | None = None
    at_most: int | None = None
    kafka: Mapping[str, str] = field(default_factory=dict)
    spool: str | None = None
    follows: bool = True


def check_inputs(inputs: Sequence[str], at_most: int | None = None, checkpoint: str = "") -> None:
    """Refuse invalid addresses of topics, micro-batches of nothing, and pipes whose lines cannot be kept."""
    if at_most is not None and at_most < 1:
        message = f"expected at least 1 file or record in a micro-batch, found {at_most}"
        hint = Hint("give at least 1", on_command_line="see `--max-per-batch`")
        raise UsageProblem(Diagnostic("HF794", message, hint=hint))
    for given in inputs:
        path = split_mapping(given)[0]
        if path.startswith("kafka:"):
            topic_of(path, "HF794")
        if "://" in checkpoint and not checkpoint.startswith("file:") and is_pipe(path):
            message = f"the lines of the named pipe `{path}` cannot be kept in the checkpoint `{checkpoint}`"
            raise UsageProblem(Diagnostic("HF794", message, hint="give a folder of this machine for the checkpoint"))


def topic_of(place: str, code: str) -> tuple[str, str]:
    """The brokers and the topic of an address; another address is a problem with the code."""
    found = _KAFKA.fullmatch(place)
    if found is None:
        message = f"expected `kafka://HOST:PORT/TOPIC`, found `{place}`"
        raise UsageProblem(Diagnostic(code, message, hint="several brokers are separated by commas"))
    return found["brokers"], found["topic"]


def streams_of(spark: SparkSession, inputs: Sequence[str], settings: InputSettings) -> list[Any]:
    """The inputs as streams of lines, or of rows for Parquet files."""
    from pyspark.errors import AnalysisException

    found = []
    for number, given in enumerate(inputs):
        path, mapping = split_mapping(given)
        try:
            found.append(_stream_of(spark, path, mapping, number, settings))
        except AnalysisException as problem:
            if problem.getCondition() != "PATH_NOT_FOUND":
                raise
            hint = "give a folder that Spark can see; files are added to it while the stream runs"
            raise DataProblem(Diagnostic("HF501", f"`{path}` not found", hint=hint)) from None
    return found


def _stream_of(spark: SparkSession, path: str, mapping: str | None, number: int, settings: InputSettings) -> Any:
    from pyspark.sql import functions as F

    form, at_most = settings.form, settings.at_most
    lines: Format = "jsonl" if form is None and mapping is not None else form or "text"
    if path.startswith("kafka:"):
        brokers, topic = topic_of(path, "HF794")
        options = {**settings.kafka, "kafka.bootstrap.servers": brokers, "subscribe": topic}
        options |= {} if at_most is None else {"maxOffsetsPerTrigger": str(at_most)}
        records = spark.readStream.format("kafka").options(startingOffsets="earliest", **options).load()
        source = F.concat_ws("/", "topic", F.col("partition").cast("string"))
        frame = records.select(F.col("value").cast("string").alias("value"), source.alias(SOURCE))
        return Lines(frame, lines, mapping)
    if lines != "parquet" and _is_of_this_machine(spark, path):
        return Lines(_local_lines(spark, path, number, settings), lines, mapping)
    reader = spark.readStream if at_most is None else spark.readStream.option("maxFilesPerTrigger", at_most)
    if lines == "parquet":
        frame = reader.schema(spark.read.parquet(path).schema).parquet(path)
        return frame if mapping is None else (frame, mapping)
    return Lines(reader.text(path), lines, mapping)


def _is_of_this_machine(spark: SparkSession, path: str) -> bool:
    """Whether an input is a named pipe, or a plain file of this machine: Spark's own source reads it only once."""
    local = path.removeprefix("file://").removeprefix("file:")
    if is_pipe(local):
        return True
    is_file = "://" not in local and Path(local).is_file() and not local.endswith(".gz")
    return is_file and HadoopFiles(spark, path).root.startswith("file:")


def _local_lines(spark: SparkSession, path: str, number: int, settings: InputSettings) -> DataFrame:
    from holdsfor.spark.input.text_source import TextSource

    spark.dataSource.register(TextSource)
    reader = spark.readStream.format(TextSource.name()).option("follow", settings.follows)
    reader = reader if settings.at_most is None else reader.option("maxLinesPerTrigger", settings.at_most)
    reader = reader if settings.spool is None else reader.option("spool", f"{settings.spool}/{number}")
    return reader.load(path)
