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
    json_lists,
    json_names,
    open_times,
    text_block,
    times_as_text,
)
from holdsfor.sinks.time_formats import ShowTime

__all__ = ["csv_blocks", "csv_entities", "json_entities", "jsonl_blocks", "text_blocks"]


def text_blocks(fvps: Extents, events: Extents, shown: ShowTime) -> Iterator[str]:
    """`holdsFor(F=V, [(S,E),…]).` and `happensAt(E, [T,…]).`"""
    names = fvps.entities.names()
    for a, b, first, last in blocks(fvps.counts):
        starts = times_as_text(fvps.starts[first:last], shown, "'")
        ends = open_times(fvps.ends[first:last], shown, "inf", "'")
        spans = joined(concatenated("(", starts, ",", ends, ")"), fvps.counts[a:b], ",")
        yield text_block("holdsFor(", names.slice(a, b - a), ", [", spans, "]).")
    names = events.entities.names()
    for a, b, first, last in blocks(events.counts):
        times = joined(times_as_text(events.starts[first:last], shown, "'"), events.counts[a:b], ",")
        yield text_block("happensAt(", names.slice(a, b - a), ", [", times, "]).")


def jsonl_blocks(before: Mapping[str, object], fvps: Extents, events: Extents, shown: ShowTime) -> Iterator[str]:
    """One object per interval and per time-point, each with the given fields before its own."""
    opening = "{" + "".join(f"{as_json(name)}: {as_json(field)}, " for name, field in before.items())
    for kind, found in (("fluent", fvps), ("event", events)):
        described = concatenated(f'{opening}"kind": "{kind}", ', json_entities(found.entities), ', "start": ')
        for rows, first, last in _row_blocks(found):
            starts = times_as_text(found.starts[first:last], shown, '"')
            ends = open_times(found.ends[first:last], shown, "null", '"')
            yield text_block(described.take(rows), starts, ', "end": ', ends, "}")


def csv_blocks(before: Sequence[int | str], fvps: Extents, events: Extents, shown: ShowTime) -> Iterator[str]:
    """One row per interval and per time-point, each with the given fields before its own."""
    opening = "".join(f"{field}," for field in before)
    for kind, found in (("fluent", fvps), ("event", events)):
        described = concatenated(f"{opening}{kind},", csv_entities(found.entities), ",")
        for rows, first, last in _row_blocks(found):
            starts = times_as_text(found.starts[first:last], shown)
            yield text_block(described.take(rows), starts, ",", open_times(found.ends[first:last], shown, ""))


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


def _row_blocks(found: Extents) -> Iterator[tuple[Any, int, int]]:
    """For blocks of rows: the entity of each row, and the first and last row."""
    for a, b, first, last in blocks(found.counts):
        yield pa.array(np.repeat(np.arange(a, b), found.counts[a:b])), first, last
