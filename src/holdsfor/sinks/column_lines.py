"""Lines of long reports, in columns: the lines that `result_lines.py` makes one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.columns.entities import Described
from holdsfor.columns.result_table import Extents
from holdsfor.sinks.row_texts import as_json
from holdsfor.sinks.text_columns import (
    Texts,
    blocks,
    concatenated,
    csv_names,
    joined,
    joined_lines,
    json_lists,
    json_names,
    line_column,
    lines_by_entity,
    open_times,
    times_as_text,
)
from holdsfor.sinks.time_formats import ShowTime

__all__ = ["ENTITY_TEXTS", "csv_blocks", "csv_entities", "json_entities", "jsonl_blocks", "text_blocks"]


def text_blocks(fvps: Extents, events: Extents, shown: ShowTime) -> Iterator[str]:
    """`holdsFor(F=V, [(S,E),…]).` and `happensAt(E, [T,…]).`"""
    for is_event, found in ((False, fvps), (True, events)):
        yield from (joined_lines(lines) for _, _, lines in _text_lines(found, shown, is_event=is_event))


def jsonl_blocks(before: Mapping[str, object], fvps: Extents, events: Extents, shown: ShowTime) -> Iterator[str]:
    """One object per interval and per time-point, each with the given fields before its own."""
    for is_event, found in ((False, fvps), (True, events)):
        yield from (joined_lines(lines) for _, _, lines in _jsonl_lines(before, found, shown, is_event=is_event))


def csv_blocks(before: Sequence[int | str], fvps: Extents, events: Extents, shown: ShowTime) -> Iterator[str]:
    """One row per interval and per time-point, each with the given fields before its own."""
    for is_event, found in ((False, fvps), (True, events)):
        yield from (joined_lines(lines) for _, _, lines in _csv_lines(before, found, shown, is_event=is_event))


# -- columns of lines --------------------------------------------------------------------------------------------------


def _text_lines(found: Extents, shown: ShowTime, *, is_event: bool) -> Iterator[tuple[int, int, Texts]]:
    """A line for each entity, for ranges of entities."""
    names = found.entities.names()
    for a, b, first, last in blocks(found.counts):
        starts = times_as_text(found.starts[first:last], shown, "'")
        if is_event:
            yield (
                a,
                b,
                line_column("happensAt(", names.slice(a, b - a), ", [", joined(starts, found.counts[a:b], ","), "])."),
            )
            continue
        ends = open_times(found.ends[first:last], shown, "inf", "'")
        spans = joined(concatenated("(", starts, ",", ends, ")"), found.counts[a:b], ",")
        yield a, b, line_column("holdsFor(", names.slice(a, b - a), ", [", spans, "]).")


def _jsonl_lines(
    before: Mapping[str, object], found: Extents, shown: ShowTime, *, is_event: bool
) -> Iterator[tuple[int, int, Texts]]:
    """A line for each interval or time-point, for ranges of entities."""
    opening = "{" + "".join(f"{as_json(name)}: {as_json(field)}, " for name, field in before.items())
    kind = "event" if is_event else "fluent"
    described = concatenated(f'{opening}"kind": "{kind}", ', json_entities(found.entities), ', "start": ')
    for a, b, first, last in blocks(found.counts):
        starts = times_as_text(found.starts[first:last], shown, '"')
        ends = open_times(found.ends[first:last], shown, "null", '"')
        yield a, b, line_column(described.take(_rows(found, a, b)), starts, ', "end": ', ends, "}")


def _csv_lines(
    before: Sequence[int | str], found: Extents, shown: ShowTime, *, is_event: bool
) -> Iterator[tuple[int, int, Texts]]:
    """A line for each interval or time-point, for ranges of entities."""
    opening = "".join(f"{field}," for field in before)
    kind = "event" if is_event else "fluent"
    described = concatenated(f"{opening}{kind},", csv_entities(found.entities), ",")
    for a, b, first, last in blocks(found.counts):
        starts = times_as_text(found.starts[first:last], shown)
        ends = open_times(found.ends[first:last], shown, "")
        yield a, b, line_column(described.take(_rows(found, a, b)), starts, ",", ends)


def _rows(found: Extents, a: int, b: int) -> Any:
    """The entity of each row of a range of entities."""
    return pa.array(np.repeat(np.arange(a, b), found.counts[a:b]))


# -- texts of entities -------------------------------------------------------------------------------------------------


def _entity_text(
    at: int | str | None, found: Extents, shown: ShowTime, *, is_event: bool
) -> Iterator[tuple[int, int, Texts]]:
    return _text_lines(found, shown, is_event=is_event)


def _entity_jsonl(
    at: int | str | None, found: Extents, shown: ShowTime, *, is_event: bool
) -> Iterator[tuple[int, int, Texts]]:
    for a, b, lines in _jsonl_lines({} if at is None else {"query_time": at}, found, shown, is_event=is_event):
        yield a, b, lines_by_entity(lines, found.counts[a:b])


def _entity_csv(
    at: int | str | None, found: Extents, shown: ShowTime, *, is_event: bool
) -> Iterator[tuple[int, int, Texts]]:
    for a, b, lines in _csv_lines([] if at is None else [at], found, shown, is_event=is_event):
        yield a, b, lines_by_entity(lines, found.counts[a:b])


ENTITY_TEXTS = {"text": _entity_text, "jsonl": _entity_jsonl, "csv": _entity_csv}
"""By format: for ranges of entities, a column with the lines of each entity in a report, given its query time or None.

The texts of all entities, one after the other, are the lines of the report.
"""


def json_entities(entities: Described) -> Texts:
    """Names, arguments, values and whole FVPs or events as fields of JSON objects."""
    values = pc.fill_null(json_names(entities.values()), "null")
    lists = concatenated(', "arguments": [', json_lists(entities.args()), '], "value": ')
    return concatenated(
        '"name": ', json_names(entities.functors()), lists, values, ', "fvp": ', json_names(entities.names())
    )


def csv_entities(entities: Described) -> Texts:
    """Names, arguments, values and whole FVPs or events as fields of CSV; arguments are a list of JSON."""
    lists = csv_names(concatenated("[", json_lists(entities.args()), "]"))
    values = csv_names(pc.fill_null(entities.values(), ""))
    return concatenated(csv_names(entities.functors()), ",", lists, ",", values, ",", csv_names(entities.names()))
