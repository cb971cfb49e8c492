"""Results of Spark and of the embedded engine in one form, for comparison."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

import holdsfor as hf
from tests.apps.runs import SmallRun
from tests.properties.staged import Reports, Tables, in_any_order

if TYPE_CHECKING:
    from holdsfor.spark import Recognition

__all__ = [
    "embedded_rows",
    "embedded_tables",
    "options_of",
    "records_of",
    "spark_reports",
    "spark_rows",
    "spark_tables",
]

Row = tuple[str, int, int | None]


def spark_rows(found: Recognition) -> list[Row]:
    """Every interval and time-point, in order."""
    rows = [(row.fvp, row.start, row.end) for row in found.results.select("fvp", "start", "end").collect()]
    found.unpersist()
    return sorted(rows, key=str)


def spark_tables(found: Recognition) -> Tables:
    """The schema and the sorted rows of each table, as Arrow has them."""
    tables = {name: in_any_order(table.toArrow()) for name, table in found.tables().items()}
    found.unpersist()
    return tables


def embedded_tables(rules: Any, *data: Any, **options: Any) -> Tables:
    """The same tables of the embedded engine, with the types of times of Spark."""
    tables = hf.recognise(rules, *data, **options).tables()
    return {name: in_any_order(table.cast(_on_spark(table.schema))) for name, table in tables.items()}


def _on_spark(schema: Any) -> Any:
    """A schema in which timestamps are microseconds, in UTC or without a zone."""
    kinds = [
        pa.timestamp("us", None if each.type.tz is None else "UTC") if pt.is_timestamp(each.type) else each.type
        for each in schema
    ]
    return pa.schema(zip(schema.names, kinds, strict=True))


def spark_reports(found: Recognition) -> Reports:
    """The reports and changes of each query time in the DataFrames."""
    reports = Reports({at: {} for at in found.run.query_times}, {at: set() for at in found.run.query_times})
    for row in found.reports.results.collect():
        reports.known[row.query_time].setdefault(row.fvp, set()).add(_extent(row.kind, row.start, row.end))
    for row in found.reports.changes.collect():
        old, new = _extent(row.kind, row.old_start, row.old_end), _extent(row.kind, row.start, row.end)
        reports.changes[row.query_time].add((row.fvp, old, new))
        assert row.change == _change(old, new)
    return reports


def _extent(kind: str, start: int | None, end: int | None) -> Any:
    if start is None or kind == "fluent":
        return None if start is None else (start, end)
    assert start == end
    return start


def _change(old: Any, new: Any) -> str:
    if old is None or new is None:
        return "added" if old is None else "retracted"
    (start, end), (begin, stop) = old, new
    if begin != start:
        return "extended" if begin < start else "shortened"
    return "extended" if stop is None or (end is not None and stop > end) else "shortened"


def embedded_rows(rules: Any, *data: Any, **options: Any) -> list[Row]:
    """The same rows of the embedded engine, with integers as times."""
    result = hf.recognise(rules, *data, times="integer", **options)
    return sorted(((name, start, end) for _, name, start, end in result.rows()), key=str)


def options_of(run: SmallRun) -> dict[str, Any]:
    """`--start 0 --end 30` as keyword arguments."""
    return {name[2:]: int(value) for name, value in zip(run.options[::2], run.options[1::2], strict=True)}


def records_of(run: SmallRun) -> Path:
    return Path(run.arguments[run.arguments.index("--input") + 1])
