"""The place for the results of a run on Spark, and its checks before Spark starts."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.cli.spark.properties import database_properties

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark.output.result_tables import Form
    from holdsfor.spark.output.targets import OutputTarget

__all__ = ["check_output", "place_from", "shown_place"]

_IS_ELSEWHERE = ("jdbc:", "table:")


def check_output(options: argparse.Namespace) -> None:
    """Refuse places that can be refused before Spark starts."""
    from holdsfor.spark.output.databases import check_url
    from holdsfor.spark.output.write import DEFAULT_TABLE, check_place

    check_place(options.output, _form(options), options.table, has_properties=options.jdbc_properties is not None)
    if options.output.startswith("jdbc:"):
        check_url(options.output, options.table or DEFAULT_TABLE)
    elif not options.output.startswith(_IS_ELSEWHERE) and not _has_other_default(options):
        _check_local(Path(options.output), overwrite=options.overwrite)


def place_from(options: argparse.Namespace, spark: SparkSession) -> OutputTarget:
    from holdsfor.spark.output.write import place_of

    properties = database_properties(options.jdbc_properties) if options.output.startswith("jdbc:") else None
    form = _form(options)
    return place_of(spark, options.output, form, options.table, properties, overwrite=options.overwrite)


def shown_place(options: argparse.Namespace) -> str:
    """The place in messages, without secrets."""
    from holdsfor.spark.output.databases import without_secrets

    return without_secrets(options.output) if options.output.startswith("jdbc:") else str(options.output)


def _form(options: argparse.Namespace) -> Form:
    from holdsfor.spark.output.result_tables import Form

    return Form(options.format, tuple(dict.fromkeys(options.partition_by or ())), options.time_unit)


def _has_other_default(options: argparse.Namespace) -> bool:
    """Whether a path without a scheme may be on another file system than the local one."""
    return "HADOOP_CONF_DIR" in os.environ or any("fs.defaultFS" in setting for setting in options.conf)


def _check_local(path: Path, *, overwrite: bool) -> None:
    from holdsfor.spark.output.folders import refuse_unmarked_folder
    from holdsfor.spark.output.result_tables import TABLES
    from holdsfor.spark.output.targets import refuse_existing

    if path.exists() and not overwrite:
        refuse_existing(str(path))
    if path.is_file() or (path.is_dir() and any(path.iterdir()) and not (path / TABLES).is_dir()):
        refuse_unmarked_folder(str(path))
