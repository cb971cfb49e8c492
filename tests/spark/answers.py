"""The same question to Spark and to the embedded engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import holdsfor as hf
from tests.apps.runs import SmallRun

if TYPE_CHECKING:
    from holdsfor.spark import Recognition

__all__ = ["embedded_rows", "options_of", "records_of", "spark_rows"]

Row = tuple[str, int, int | None]


def spark_rows(found: Recognition) -> list[Row]:
    """Every interval and time-point, in order."""
    rows: list[Row] = [(row.fvp, row.start, row.end) for row in found.intervals.collect()]
    rows += [(row.event, row.time, row.time) for row in found.events.collect()]
    found.unpersist()
    return sorted(rows, key=str)


def embedded_rows(rules: Any, *data: Any, **options: Any) -> list[Row]:
    return sorted(((name, start, end) for _, name, start, end in hf.recognise(rules, *data, **options).rows()), key=str)


def options_of(run: SmallRun) -> dict[str, Any]:
    """`--start 0 --end 30` as keyword arguments."""
    return {name[2:]: int(value) for name, value in zip(run.options[::2], run.options[1::2], strict=True)}


def records_of(run: SmallRun) -> Path:
    return Path(run.arguments[run.arguments.index("--input") + 1])
