"""Results that commands write, as rows."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

__all__ = ["by_entity", "read_csv_table"]


def by_entity(lines: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of JSON lines with all intervals of an FVP, and all time-points of an event, in one row.

    Rows that have this form already are returned without their query time.
    """
    rows = [json.loads(line) for line in lines]
    if rows and "kind" not in rows[0]:
        return [{name: value for name, value in row.items() if name != "query_time"} for row in rows]
    found = []
    for (kind, entity), group in groupby(rows, lambda row: (row["kind"], row["fvp"])):
        if kind == "fluent":
            found.append({"fvp": entity, "intervals": [[row["start"], row["end"]] for row in group]})
        else:
            found.append({"event": entity, "times": [row["start"] for row in group]})
    return found


def read_csv_table(path: Path, schema: Any) -> pa.Table:
    """The rows of a CSV file in the types of a schema; lists are texts of JSON."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return pa.table({field.name: [_value(row[field.name], field) for row in rows] for field in schema}, schema=schema)


def _value(text: str, field: Any) -> Any:
    if pa.types.is_list(field.type):
        return json.loads(text)
    return (text or None) if pa.types.is_string(field.type) else int(text) if text else None
