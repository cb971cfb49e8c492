"""The changes of query times, as lines and as a table.

The lines of many changes are made as columns (`change_column_lines.py`) and come in blocks of several lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from holdsfor.columns.entities import Entity
from holdsfor.sinks.changes import Change, Interval
from holdsfor.sinks.result_lines import ENTITY_COLUMNS, entity_fields
from holdsfor.sinks.row_texts import as_json, csv_row
from holdsfor.sinks.time_formats import ShowTime, as_integer, as_term, as_values
from holdsfor.syntax.parser import parse_term

if TYPE_CHECKING:
    from holdsfor.columns.change_table import ChangeColumns
    from holdsfor.columns.time_type import TimeType

__all__ = ["CHANGE_LINES", "ChangeReport", "change_schema"]

_TIMES = ("old_start", "old_end", "start", "end")


@dataclass(frozen=True)
class ChangeReport:
    """The changes of a query time: a list, or `columns` if there are many."""

    query_time: int
    changes: list[Change]
    columns: tuple[ChangeColumns, ...] | None = None

    def table(self, times: TimeType | None = None, *, has_query_time: bool = True) -> Any:
        """A row per change; a missing old or new interval is null, and so is an open end."""
        import pyarrow as pa  # type: ignore[import-untyped]

        if self.columns is not None:
            return pa.concat_tables(part.table(self.query_time, times) for part in self.columns)
        rows = [(self.query_time, *_described(change), *_times(change)) for change in self.changes]
        columns = list(zip(*rows, strict=True)) or [()] * len(change_schema())
        arrays = [_column(list(each), field, times) for each, field in zip(columns, change_schema(times), strict=True)]
        return pa.table(arrays, schema=change_schema(times))


def change_schema(times: TimeType | None = None, *, has_query_time: bool = True) -> Any:
    """The columns of changes as a table, the same as those of the CSV lines."""
    from holdsfor.columns import change_table

    return change_table.change_schema(times)


def _column(values: list[Any], field: Any, times: TimeType | None) -> Any:
    import pyarrow as pa

    if times is not None and pa.types.is_timestamp(field.type):
        return times.column(pa.array(values, pa.int64()))
    return pa.array(values, field.type)


def _described(change: Change) -> tuple[str, str, str, list[str], str | None, str]:
    entity, kind = _entity(change.name), "event" if change.is_of_event else "fluent"
    return change.kind, kind, entity.functor, entity.args, entity.value, entity.name


@lru_cache(maxsize=1 << 16)
def _entity(name: str) -> Entity:
    """The FVP or event of a text."""
    return Entity(parse_term(name))


def _times(change: Change) -> tuple[int | None, ...]:
    return *_bounds(change.old), *_bounds(change.new)


def _bounds(span: Interval | int | None) -> Interval | tuple[None, None]:
    if span is None:
        return None, None
    return (span, span) if isinstance(span, int) else span


def _text_lines(
    reports: Iterable[ChangeReport], shown: ShowTime = as_integer, *, has_query_time: bool = True
) -> Iterator[str]:
    """`added(F=V, (S,E)).`, `shortened(F=V, (S,E), (S,F)).` and so on, one per line; events have a time-point."""
    for changed in reports:
        yield f"% query time {shown(changed.query_time)}"
        if changed.columns is not None:
            from holdsfor.sinks.change_column_lines import change_text_blocks

            yield from change_text_blocks(changed.columns, shown)
        for change in changed.changes:
            spans = [_as_term(span, shown) for span in (change.old, change.new) if span is not None]
            yield f"{change.kind}({', '.join([change.name, *spans])})."


def _as_term(span: Interval | int, shown: ShowTime) -> str:
    if isinstance(span, int):
        return as_term(span, shown)
    return f"({as_term(span[0], shown)},{as_term(span[1], shown)})"


def _jsonl_lines(
    reports: Iterable[ChangeReport], shown: ShowTime = as_integer, *, has_query_time: bool = True
) -> Iterator[str]:
    """One object per change; an open end is `null`, and so are start and end of a missing interval."""
    for changed in reports:
        if changed.columns is not None:
            from holdsfor.sinks.change_column_lines import change_jsonl_blocks

            yield from change_jsonl_blocks(shown(changed.query_time), changed.columns, shown)
        for change in changed.changes:
            row = dict(zip(("change", "kind", *ENTITY_COLUMNS), _described(change), strict=True))
            times = dict(zip(_TIMES, as_values(_times(change), shown), strict=True))
            yield as_json({"query_time": shown(changed.query_time), **row, **times})


def _csv_lines(
    reports: Iterable[ChangeReport], shown: ShowTime = as_integer, *, has_query_time: bool = True
) -> Iterator[str]:
    """One row per change; an open end is empty, and so are start and end of a missing interval."""
    yield csv_row("query_time", "change", "kind", *ENTITY_COLUMNS, *_TIMES)
    for changed in reports:
        if changed.columns is not None:
            from holdsfor.sinks.change_column_lines import change_csv_blocks

            yield from change_csv_blocks(shown(changed.query_time), changed.columns, shown)
        for change in changed.changes:
            kind = "event" if change.is_of_event else "fluent"
            times = ["" if time is None else time for time in as_values(_times(change), shown)]
            fields = entity_fields(_entity(change.name))
            yield csv_row(shown(changed.query_time), change.kind, kind, *fields, *times)


CHANGE_LINES = {"text": _text_lines, "jsonl": _jsonl_lines, "csv": _csv_lines}
