"""`holdsfor spark run`: recognise what the rules describe, on Apache Spark."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.compiled import compile_files
from holdsfor.cli.arguments import Commands, add_command, add_rule_files
from holdsfor.cli.durations import duration
from holdsfor.cli.spark_prepare import add_prepare
from holdsfor.errors import Diagnostic, Diagnostics, UsageProblem
from holdsfor.syntax.parser import parse_term

if TYPE_CHECKING:
    from holdsfor.spark.recognition import Recognition

__all__ = ["add_parser", "settings"]

_SHOWN_MISFITS = 10


def add_parser(commands: Commands) -> None:
    example = (
        "holdsfor spark run rules.prolog background.prolog --input 'events/*.parquet' -o found --master 'local[4]'"
    )
    parser = add_command(commands, "spark", "the same on Apache Spark", example)
    inner = parser.add_subparsers(dest="spark_command", required=True, metavar="COMMAND")
    add_prepare(inner)
    _add_run(add_command(inner, "run", "recognise what the rules describe in the input, on Apache Spark", example))


def _add_run(parser: argparse.ArgumentParser) -> None:
    add_rule_files(parser)
    parser.add_argument("--input", nargs="+", required=True, metavar="PATH", help="files, folders, patterns or tables")
    formats = ("text", "csv", "json", "parquet", "orc", "table")
    parser.add_argument("--input-format", choices=formats, help="of the input (default: by its suffix, else text)")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where the tables of results go")
    parser.add_argument("--format", choices=("parquet", "csv", "json"), default="parquet", help="default: parquet")
    parser.add_argument("--overwrite", action="store_true", help="replace results that are there")
    parser.add_argument("--goal", action="append", default=[], help="a goal to prove before the run; may be repeated")
    parser.add_argument("--start", type=int, metavar="N", help="first time-point (default: of the first record)")
    parser.add_argument("--end", type=int, metavar="N", help="last time-point (default: of the last record)")
    parser.add_argument("--tick", type=int, default=1, metavar="N", help="distance of time-points (default: 1)")
    parser.add_argument("--window", type=duration, metavar="T", help="how far back a query time looks (default: all)")
    parser.add_argument(
        "--step", type=duration, metavar="T", help="from query time to query time (default: the window)"
    )
    parser.add_argument(
        "--allen-memory", type=duration, metavar="T", help="how far back `before` looks (default: the window)"
    )
    told = "write besides what each query time tells; may be repeated"
    parser.add_argument("--report", action="append", choices=("known", "changes"), default=[], help=told)
    parser.add_argument("--buckets", type=int, metavar="N", help="parts of the entities (default: by size and cores)")
    parser.add_argument("--master", help="where Spark runs, such as `local[4]` (default: as Spark is configured)")
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    parser.add_argument("--stats", metavar="FILE", help="write counts and seconds as JSON")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.spark.intake import check_buckets
    from holdsfor.spark.output import refuse_existing
    from holdsfor.spark.starting import started, told_by_worker

    check_buckets(options.buckets)
    if not options.overwrite and Path(options.output).exists():
        refuse_existing(options.output)
    diagnostics = Diagnostics()
    compiled = compile_files(options.files, diagnostics)
    for warning in diagnostics.of("warning"):
        print(warning.render(), end="\n\n", file=sys.stderr)
    began = time.perf_counter()
    with started(options.master, settings(options.conf)) as spark:
        seconds = {"start": time.perf_counter() - began}
        try:
            _run(spark, compiled, options, seconds)
        except Exception as problem:
            told = told_by_worker(problem)
            if told is None:
                raise
            print(told, file=sys.stderr)
            return 2
    return 0


def settings(texts: Iterable[str]) -> dict[str, str]:
    """The settings of Spark that were asked for."""
    return dict(map(_setting, texts))


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageProblem(Diagnostic("HF772", f"expected `NAME=VALUE` as a setting of Spark, found `{text}`"))
    return name, value


def _run(spark: Any, compiled: Any, options: argparse.Namespace, seconds: dict[str, float]) -> None:
    from holdsfor.spark.files import read_files
    from holdsfor.spark.output import Place
    from holdsfor.spark.prepared import is_prepared, prepared
    from holdsfor.spark.recognition import recognise

    began = time.perf_counter()
    found = recognise(
        [
            prepared(spark, path) if is_prepared(spark, path) else read_files(spark, path, options.input_format)
            for path in options.input
        ],
        compiled,
        start=options.start,
        end=options.end,
        tick=options.tick,
        window=options.window,
        step=options.step,
        allen_memory=options.allen_memory,
        buckets=options.buckets,
        goals=[parse_term(text, "--goal") for text in options.goal],
    )
    seconds["plan"] = time.perf_counter() - began
    Place(spark, options.output, overwrite=options.overwrite).write(found, options.format, options.report)
    seconds["recognise"] = time.perf_counter() - began - seconds["plan"]
    stats = _counted(found, seconds)
    _summarise(found, stats)
    if options.stats:
        Path(options.stats).write_text(json.dumps(stats, indent=2) + "\n", encoding="utf-8")
    found.unpersist()


def _counted(found: Recognition, seconds: dict[str, float]) -> dict[str, Any]:
    counts = [(row.what, row.name, row.n) for row in found.counts.collect()]
    totals = {what: sum(n for each, _, n in counts if each == what) for what in ("read", "late", "dropped", "outside")}
    return {
        "records": totals.pop("read"),
        **totals,
        "set_aside": sum(n for what, _, n in counts if what == "set aside"),
        "unused": {name: n for what, name, n in sorted(counts) if what == "unused"},
        "intervals": found.intervals.count(),
        "events": found.events.count(),
        "start": found.run.start,
        "end": found.run.end,
        "query_times": len(found.run.queries),
        "seconds": seconds,
    }


def _summarise(found: Recognition, stats: dict[str, Any]) -> None:
    """Say what was read and found."""
    parts = [f"{stats['set_aside']} set aside"] if stats["set_aside"] else []
    parts += [f"{stats['dropped']} too late"] if stats["dropped"] else []
    parts += [f"{stats['outside']} outside the run"] if stats["outside"] else []
    unused = sum(stats["unused"].values())
    parts += [f"{unused} of names that no rule uses"] if unused else []
    print(", ".join([f"{stats['records']} records read", *parts]), file=sys.stderr)
    for row in found.set_aside.limit(_SHOWN_MISFITS).collect() if stats["set_aside"] else ():
        print(f"  {row.reason}: {row.text}", file=sys.stderr)
    seconds = stats["seconds"]["plan"] + stats["seconds"]["recognise"]
    print(f"{stats['intervals']} intervals, {stats['events']} events, {seconds:.1f} s", file=sys.stderr)
