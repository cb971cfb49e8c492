"""Answers as files: CSV, JSON lines, Parquet and Arrow, and text."""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator
from typing import Any

from holdsfor.cli.prompt.answers import answer_line
from holdsfor.cli.terminal.streams import STANDARD_OUTPUT
from holdsfor.query.query_engine import QueryEngine
from holdsfor.sinks.output_files import naming, replace_file
from holdsfor.sinks.row_texts import csv_row

__all__ = ["write_answers"]


def write_answers(engine: QueryEngine, goal: str, form: str, output: str | None) -> None:
    """Write all answers of a goal to a file, or as lines to standard output."""
    if form in ("parquet", "arrow"):
        assert output is not None
        replace_file(output, _table_bytes(engine.table(goal), form))
        return
    lines = text_lines(engine, goal) if form == "text" else _LINES[form](engine.table(goal))
    if output is not None:
        replace_file(output, "".join(f"{line}\n" for line in lines).encode())
        return
    with naming(STANDARD_OUTPUT):
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()


def text_lines(engine: QueryEngine, goal: str) -> Iterator[str]:
    """One line for each answer, each before the next is computed; `false` if there is none."""
    answers = engine.shown(engine.read(goal))
    first = next(answers, None)
    if first is None:
        yield "false"
        return
    yield answer_line(first)
    yield from map(answer_line, answers)


def csv_lines(table: Any) -> Iterator[str]:
    """A header, then one row for each answer. Interval lists are written as in rules, null as an empty field.

    >>> import pyarrow as pa
    >>> list(csv_lines(pa.table({"X": ["a"], "I": [[{"start": 3, "end": None}]]})))
    ['X,I', 'a,"[(3,inf)]"']
    """
    yield csv_row(*table.column_names)
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        yield csv_row(*map(_field, row))


def _field(value: Any) -> Any:
    if isinstance(value, list):
        pairs = [(_field(each["start"]), "inf" if each["end"] is None else _field(each["end"])) for each in value]
        return f"[{','.join(f'({start},{end})' for start, end in pairs)}]"
    return "" if value is None else _value(value)


def jsonl_lines(table: Any) -> Iterator[str]:
    """One object for each answer; an interval is a list of its start and end, and an open end is `null`.

    >>> import pyarrow as pa
    >>> list(jsonl_lines(pa.table({"X": ["a"], "I": [[{"start": 3, "end": None}]]})))
    ['{"X": "a", "I": [[3, null]]}']
    """
    for row in table.to_pylist():
        yield json.dumps({name: _value(value) for name, value in row.items()}, ensure_ascii=False)


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return [[_value(each["start"]), _value(each["end"])] for each in value]
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime.datetime) else value


def _table_bytes(table: Any, form: str) -> bytes:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    sink = pa.BufferOutputStream()
    if form == "parquet":
        pyarrow.parquet.write_table(table, sink, compression="zstd")
    else:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


_LINES = {"csv": csv_lines, "jsonl": jsonl_lines}
