"""Parquet files that are added to a folder, as a stream of rows.

Spark takes a folder `day=1` for a partition by a column `day`, and then skips the files beside it. Here all files below
the folder are read, and the columns of partitions come from the paths of the files: null for a file outside.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdsfor.spark.input.frame_sources import quoted
from holdsfor.spark.output.folders import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

__all__ = ["parquet_stream"]

_EVERYWHERE = {"recursiveFileLookup": "true"}
_AUTHORITY = r"^(?:[^:/]+:(?://[^/]*)?)?"
_NULL = "__HIVE_DEFAULT_PARTITION__"


def parquet_stream(spark: SparkSession, reader: DataStreamReader, path: str) -> DataFrame:
    """The rows of the Parquet files below a folder, with the columns that Spark reads from a table there.

    The reader reads the files in all folders inside.
    """
    whole = spark.read.parquet(path).schema
    stored = spark.read.options(**_EVERYWHERE).parquet(path).schema
    rows = reader.schema(stored).parquet(path)
    partitions = {each.name: each.dataType for each in whole if each.name not in stored.names}
    if not partitions:
        return rows
    inside = _folders_inside(HadoopFiles(spark, path).root)
    named = {name: _value_in(inside, name).cast(kind).alias(name) for name, kind in partitions.items()}
    return rows.select(*(named.get(name, quoted(name)) for name in whole.names))


def _folders_inside(root: str) -> Column:
    """The path of a file from a folder on, which may be a pattern; names and values in it are escaped."""
    from pyspark.sql import functions as F

    depth = len([each for each in re.sub(_AUTHORITY, "", root).split("/") if each])
    return F.regexp_extract(_unescaped(F.col("_metadata.file_path")), f"{_AUTHORITY}(?:/+[^/]+){{{depth}}}(/.*)$", 1)


def _value_in(folders: Column, name: str) -> Column:
    """The value of a partition column in the path of a file, null if the path has none."""
    from pyspark.sql import functions as F

    found = F.regexp_extract(folders, f"/{re.escape(_escaped(name))}=([^/]*)/", 1)
    value = _unescaped(found)
    return F.when((found == "") | (value == _NULL), F.lit(None)).otherwise(value)


def _unescaped(text: Column) -> Column:
    from pyspark.sql import functions as F

    return F.url_decode(F.replace(text, F.lit("+"), F.lit("%2B")))


def _escaped(name: str) -> str:
    """The name of a column as Spark writes it into the names of folders.

    >>> _escaped("day of/week")
    'day of%2Fweek'
    """
    return re.sub(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]", lambda found: f"%{ord(found[0]):02X}", name)
