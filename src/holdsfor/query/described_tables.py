"""Tables of single fluents and events from formats without metadata: CSV, JSON lines, DuckDB, and files of Spark.

The names and types of the columns are in the file `_tables.json` of the folder, or in the comment of the table. Spark
writes the folder of a table, perhaps with folders for its partitions; `_tables.json` is beside the folder.
"""

from __future__ import annotations

import csv
import datetime
import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from holdsfor.columns.file_metadata import TABLES_FILE, TableDescription, described_table
from holdsfor.columns.time_type import TimeType
from holdsfor.sinks.table_sets import duckdb
from holdsfor.syntax.source import read_bounded_lines

__all__ = [
    "described_folders",
    "description_of",
    "read_described_csv",
    "read_described_duckdb",
    "read_described_json",
    "read_described_parquet",
    "read_time",
]

_DEEPEST = 3  # a table, and a folder for a day in it
_1970 = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def read_time(given: object) -> tuple[int | None, TimeType | None]:
    """A time-point and its type: an integer, or a time in ISO 8601 in the unit that its digits show.

    >>> read_time("1970-01-01T01:00:00+01:00"), read_time("1970-01-01T00:00:01.500Z")[0], read_time("7")[0]
    ((0, TimeType(unit='s', zone='UTC')), 1500, 7)
    """
    if isinstance(given, int) and not isinstance(given, bool):
        return given, None
    text = given if isinstance(given, str) else ""
    if re.fullmatch(r"-?\d{1,19}", text, re.ASCII):
        return int(text), None
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None, None
    digits = re.search(r"\.(\d+)", text)
    unit, microseconds = ("s", 1_000_000) if digits is None else ("ms", 1_000) if len(digits[1]) <= 3 else ("us", 1)
    since = (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)) - _1970
    kind = TimeType(unit, "UTC" if moment.tzinfo else None)  # type: ignore[arg-type]
    return since // datetime.timedelta(microseconds=microseconds), kind


def description_of(file: Path) -> TableDescription | None:
    """The description of a file, or of the folder of a table in which the file is."""
    for part in (file, *islice(file.absolute().parents, _DEEPEST)):
        found = TableDescription.from_json(_descriptions(part.parent).get(part.name))
        if found is not None:
            return found
    return None


def described_folders(place: Path) -> list[Path]:
    """The folders of tables that Spark has written to a place."""
    return [place / name for name in sorted(_descriptions(place)) if (place / name).is_dir()]


def _descriptions(folder: Path) -> dict[str, Any]:
    try:
        described = json.loads((folder / TABLES_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return described if isinstance(described, dict) else {}


def read_described_parquet(name: str, description: TableDescription) -> Any:
    """The table of a Parquet file of Spark; partition columns are not part of it."""
    import pyarrow.parquet  # type: ignore[import-untyped]

    table = pyarrow.parquet.ParquetFile(name).read()
    return described_table(description, {each: table[each] for each in description.types})


def read_described_csv(name: str, description: TableDescription) -> Any:
    """The table of a CSV file."""
    with Path(name).open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows, [])
        columns = list(zip(*rows, strict=True)) or [()] * len(header)
    return _typed(dict(zip(header, columns, strict=True)), description)


def read_described_json(name: str, description: TableDescription) -> Any:
    """The table of a file of JSON lines."""
    lines = [json.loads(line) for line in read_bounded_lines(Path(name)).split(b"\n") if line]
    return _typed({column: [line[column] for line in lines] for column in description.types}, description)


def _typed(columns: Mapping[str, Sequence[Any]], description: TableDescription) -> Any:
    import pyarrow as pa

    found: dict[str, Any] = {}
    for name, kind in description.types.items():
        if name not in columns:
            raise ValueError(f"the file has no column `{name}`")
        if kind.startswith("timestamp[") or name in ("start", "end", "time", "query_time"):
            found[name] = _times(columns[name])
        else:
            read = {"int64": int, "double": float}.get(kind, str)
            found[name] = pa.array([read(text) for text in columns[name]], {"int64": pa.int64()}.get(kind))
    return described_table(description, found)


def _times(texts: Sequence[Any]) -> Any:
    """Texts as integers, or as timestamps of the unit that their digits show."""
    import pyarrow as pa

    read = [(None, None) if text in (None, "") else read_time(text) for text in texts]
    for text, (time, _) in zip(texts, read, strict=True):
        if time is None and text not in (None, ""):
            raise ValueError(f"expected a time, found `{text}`")
    times = pa.array([time for time, _ in read], pa.int64())
    kind = next((kind for _, kind in read if kind is not None), None)
    return times if kind is None else kind.column(times)


def read_described_duckdb(file: Path) -> list[Any] | None:
    """The tables of results of a DuckDB database; None if the file is not a database."""
    module = duckdb()
    try:
        connection = module.connect(str(file), read_only=True)
    except module.Error:
        return None
    with connection:
        connection.execute("SET TimeZone = 'UTC'")
        listed = connection.execute("SELECT table_name, comment FROM duckdb_tables() ORDER BY table_name").fetchall()
        tables = []
        for name, comment in listed:
            description = _of_comment(comment)
            if description is not None:
                quoted = name.replace('"', '""')
                table = connection.sql(f'SELECT * FROM "{quoted}"').to_arrow_table()
                tables.append(described_table(description, {each: table[each] for each in table.column_names}))
    return tables


def _of_comment(comment: str | None) -> TableDescription | None:
    try:
        return TableDescription.from_json(json.loads(comment or ""))
    except ValueError:
        return None
