"""`holdsfor spark prepare`: write history once, for many runs on Apache Spark."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from holdsfor.analysis.compiled import compile_files
from holdsfor.cli.arguments import Commands, add_command, add_rule_files
from holdsfor.errors import Diagnostics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark.prepared import Prepared

__all__ = ["add_prepare"]

_SHOWN_MISFITS = 10


def add_prepare(commands: Commands) -> None:
    example = "holdsfor spark prepare rules.prolog background.prolog --input 'events/*.parquet' -o history"
    parser = add_command(commands, "prepare", "write history once, from which later runs are faster", example)
    add_rule_files(parser)
    parser.add_argument("--input", nargs="+", required=True, metavar="PATH", help="files, folders, patterns or tables")
    formats = ("text", "csv", "json", "parquet", "orc", "table")
    parser.add_argument("--input-format", choices=formats, help="of the input (default: by its suffix, else text)")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where the prepared history goes")
    parser.add_argument("--overwrite", action="store_true", help="replace history that is there")
    parser.add_argument("--tick", type=int, default=1, metavar="N", help="distance of time-points (default: 1)")
    parser.add_argument("--buckets", type=int, metavar="N", help="parts of the entities (default: by size and cores)")
    parser.add_argument("--master", help="where Spark runs, such as `local[4]` (default: as Spark is configured)")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.cli.spark import settings
    from holdsfor.spark.intake import check_buckets
    from holdsfor.spark.starting import started

    check_buckets(options.buckets)
    compiled = compile_files(options.files, Diagnostics())
    with started(options.master, settings(options.conf)) as spark:
        from holdsfor.spark.files import read_files
        from holdsfor.spark.preparing import prepare

        began = time.perf_counter()
        history = prepare(
            [read_files(spark, path, options.input_format) for path in options.input],
            compiled,
            options.output,
            tick=options.tick,
            buckets=options.buckets,
            overwrite=options.overwrite,
        )
        _summarise(spark, history, time.perf_counter() - began)
    return 0


def _summarise(spark: SparkSession, history: Prepared, seconds: float) -> None:
    """Say what was read and what is there."""
    from holdsfor.spark.intake import frame_of
    from holdsfor.spark.telling import SET_ASIDE, told_set_aside

    remarks = history.remarks()
    counts = {row.kind: row["sum(n)"] for row in remarks.groupBy("kind").sum("n").collect()}
    parts = [f"{counts.get('read', 0)} records read"]
    parts += [f"{counts['set aside']} set aside"] if "set aside" in counts else []
    parts += [f"{counts['unused']} of names that no rule uses"] if "unused" in counts else []
    print(", ".join(parts), file=sys.stderr)
    misfits = frame_of(remarks.where("kind = 'set aside'"), told_set_aside, SET_ASIDE)
    for row in misfits.limit(_SHOWN_MISFITS).collect() if "set aside" in counts else ():
        print(f"  {row.reason}: {row.text}", file=sys.stderr)
    n = sum(each.n for each in history.known)
    print(f"{n} records prepared in {history.n_buckets} buckets, {seconds:.1f} s", file=sys.stderr)
