"""Files and tables as input of a run on Spark: which of them are read how."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.spark.inputs import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["FORMATS", "read_files"]

FORMATS = ("text", "csv", "json", "parquet", "orc", "table")
_BY_SUFFIX = {".csv": "csv", ".json": "json", ".jsonl": "json", ".parquet": "parquet", ".orc": "orc"}
_TIMES = ("arrival", "start", "end")


def read_files(spark: SparkSession, path: str, format_: str | None = None) -> Source:
    """The records of files, of folders and patterns of them, or of a table; the suffix tells how they are written."""
    from pyspark.errors import AnalysisException

    chosen = format_ or _BY_SUFFIX.get(PurePosixPath(path).suffix, "text")
    try:
        frame = _frame(spark, path, chosen)
    except AnalysisException as problem:
        message = f"`{path}` cannot be read as {chosen}: {_reason(problem)}"
        hint = "`--input-format` says how the input is written"
        raise DataProblem(Diagnostic("HF501", message, hint=hint, file=path)) from None
    return Source(frame, "text" if chosen == "text" else "table")


def _frame(spark: SparkSession, path: str, format_: str) -> DataFrame:
    match format_:
        case "text":
            return spark.read.text(path)
        case "table":
            return spark.read.table(path)
        case "csv":
            return _with_times(spark.read.csv(path, header=True))
        case "json":
            return _with_times(spark.read.json(path, primitivesAsString=True))
    return spark.read.format(format_).load(path)


def _with_times(frame: DataFrame) -> DataFrame:
    """The texts of a frame with its times as integers; what is none is null, and its record does not fit."""
    from pyspark.sql import functions as F

    times = [name for name in _TIMES if name in frame.columns]
    return frame.withColumns({name: F.expr(f"try_cast(`{name}` as bigint)") for name in times})


def _reason(problem: Exception) -> str:
    """What Spark says, in one sentence without its code."""
    first = str(problem).splitlines()[0]
    sentence = first.partition("] ")[2] or first
    return sentence.partition(". ")[0].rstrip(".").lower()
