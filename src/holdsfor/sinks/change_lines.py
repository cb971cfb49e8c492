"""The changes of query times, as lines and as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from holdsfor.sinks.changes import Change, Interval
from holdsfor.sinks.result_lines import csv_row
from holdsfor.sinks.time_formats import ShowTime, as_integer, as_term

__all__ = ["CHANGE_LINES", "ChangeReport", "change_schema"]

_TEXTS = ("change", "kind", "name")
_TIMES = ("old_start", "old_end", "start", "end")


@dataclass(frozen=True)
class ChangeReport:
    """The changes of a query time."""

    query_time: int
    changes: list[Change]

    def table(self) -> Any:
        """A row per change; a missing old or new interval is null, and so is an open end."""
        import pyarrow as pa  # type: ignore[import-untyped]

        names = change_schema().names
        rows = [dict(zip(names, (self.query_time, *_columns(change)), strict=True)) for change in self.changes]
        return pa.Table.from_pylist(rows, schema=change_schema())


def change_schema() -> Any:
    """The columns of changes as a table, the same as those of the CSV lines."""
    import pyarrow as pa

    columns = [("query_time", pa.int64()), *((name, pa.string()) for name in _TEXTS)]
    return pa.schema([*columns, *((name, pa.int64()) for name in _TIMES)])


def _columns(change: Change) -> tuple[str | int | None, ...]:
    kind = "event" if change.is_of_event else "fvp"
    return change.kind, kind, change.name, *_bounds(change.old), *_bounds(change.new)


def _bounds(span: Interval | int | None) -> Interval | tuple[None, None]:
    if span is None:
        return None, None
    return (span, span) if isinstance(span, int) else span


def _text_lines(reports: Iterable[ChangeReport], shown: ShowTime = as_integer) -> Iterator[str]:
    """`added(F=V, (S,E)).`, `shortened(F=V, (S,E), (S,F)).` and so on, one per line; events have a time-point."""
    for changed in reports:
        yield f"% query time {shown(changed.query_time)}"
        for change in changed.changes:
            spans = [_as_term(span, shown) for span in (change.old, change.new) if span is not None]
            yield f"{change.kind}({', '.join([change.name, *spans])})."


def _as_term(span: Interval | int, shown: ShowTime) -> str:
    if isinstance(span, int):
        return as_term(span, shown)
    return f"({as_term(span[0], shown)},{as_term(span[1], shown)})"


def _jsonl_lines(reports: Iterable[ChangeReport], shown: ShowTime = as_integer) -> Iterator[str]:
    """One object per change; a missing old or new interval is left out, an open end is `null`."""
    for changed in reports:
        for change in changed.changes:
            name = "event" if change.is_of_event else "fvp"
            spans = {key: span for key, span in (("old", change.old), ("new", change.new)) if span is not None}
            row = {"query_time": shown(changed.query_time), "change": change.kind, name: change.name}
            yield json.dumps({**row, **{key: _as_json(span, shown) for key, span in spans.items()}}, ensure_ascii=False)


def _as_json(span: Interval | int, shown: ShowTime) -> object:
    if isinstance(span, int):
        return shown(span)
    return [None if time is None else shown(time) for time in span]


def _csv_lines(reports: Iterable[ChangeReport], shown: ShowTime = as_integer) -> Iterator[str]:
    """One row per change; an open end is empty, and so are start and end of a missing interval."""
    yield csv_row(*("query_time", *_TEXTS, *_TIMES))
    for changed in reports:
        for change in changed.changes:
            texts, times = _columns(change)[: len(_TEXTS)], _columns(change)[len(_TEXTS) :]
            written = [shown(time) if isinstance(time, int) else "" for time in times]
            yield csv_row(shown(changed.query_time), *texts, *written)


CHANGE_LINES = {"text": _text_lines, "jsonl": _jsonl_lines, "csv": _csv_lines}
