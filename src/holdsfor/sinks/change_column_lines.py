"""Lines of many changes, in columns: the lines that `change_lines.py` makes one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.columns.change_table import CHANGE_KINDS, CHANGE_TIMES, NOTHING, ChangeColumns
from holdsfor.columns.entities import Described
from holdsfor.kernels.keys import Int64
from holdsfor.sinks.column_lines import csv_entities, json_entities
from holdsfor.sinks.text_columns import (
    Quotes,
    Texts,
    concatenated,
    open_times,
    text_block,
    times_as_text,
)
from holdsfor.sinks.time_formats import ShowTime

__all__ = ["change_csv_blocks", "change_jsonl_blocks", "change_text_blocks"]

_BLOCK = 1 << 17


def change_text_blocks(parts: Sequence[ChangeColumns], shown: ShowTime) -> Iterator[str]:
    """`added(F=V, (S,E)).`, `shortened(F=V, (S,E), (S,F)).` and so on."""
    for part, names, rows in _blocks(parts, lambda entities: entities.names()):
        spans = [_span(part, rows, bounds, shown, "'", "inf", (", (", ",", ")"), (", ", "")) for bounds in _OLD_AND_NEW]
        yield text_block(_kinds(part, rows), "(", names, *spans, ").")


def change_jsonl_blocks(at: int | str, parts: Sequence[ChangeColumns], shown: ShowTime) -> Iterator[str]:
    """One object per change."""
    opening = f'{{"query_time": {json.dumps(at, ensure_ascii=False)}, "change": "'
    for part, described, rows in _blocks(parts, json_entities):
        kind = '", "kind": "event", ' if part.is_of_event else '", "kind": "fluent", '
        fields: list[Texts] = []
        for name, times in zip(CHANGE_TIMES, part.times, strict=True):
            fields += [f', "{name}": ', _bound(times[rows], shown, "null", '"')]
        yield text_block(opening, _kinds(part, rows), kind, described, *fields, "}")


def change_csv_blocks(at: int | str, parts: Sequence[ChangeColumns], shown: ShowTime) -> Iterator[str]:
    """One row per change."""
    for part, described, rows in _blocks(parts, csv_entities):
        kind = ",event," if part.is_of_event else ",fluent,"
        fields = [text for times in part.times for text in (",", _bound(times[rows], shown, ""))]
        yield text_block(f"{at},", _kinds(part, rows), kind, described, *fields)


def _bound(times: Int64, shown: ShowTime, nothing: str, quotes: Quotes = "") -> Texts:
    """A column of starts or ends; open ends and missing times are `nothing`."""
    return _optional(times, open_times(_present(times), shown, nothing, quotes), nothing)


_OLD_AND_NEW = ((0, 1), (2, 3))


def _blocks(
    parts: Sequence[ChangeColumns], written: Callable[[Described], Texts]
) -> Iterator[tuple[ChangeColumns, Texts, slice]]:
    """The changes in blocks of bounded length, with the texts of their entities."""
    for part in parts:
        if part.n == 0:
            continue
        names = written(part.entities)
        for first in range(0, part.n, _BLOCK):
            rows = slice(first, min(first + _BLOCK, part.n))
            yield part, names.take(pa.array(part.rows[rows])), rows


def _kinds(part: ChangeColumns, rows: slice) -> Texts:
    return pa.DictionaryArray.from_arrays(pa.array(part.kinds[rows]), pa.array(CHANGE_KINDS)).dictionary_decode()


def _span(
    part: ChangeColumns,
    rows: slice,
    bounds: tuple[int, int],
    shown: ShowTime,
    quotes: Quotes,
    open_end: str,
    of_interval: tuple[str, str, str],
    of_time: tuple[str, str],
) -> Texts:
    """An interval or time-point before or after the changes, with the text around it; empty if it is missing."""
    starts, ends = (part.times[bound][rows] for bound in bounds)
    first = times_as_text(_present(starts), shown, quotes)
    if part.is_of_event:
        return _optional(starts, concatenated(of_time[0], first, of_time[1]), "")
    last = open_times(_present(ends), shown, open_end, quotes)
    return _optional(starts, concatenated(of_interval[0], first, of_interval[1], last, of_interval[2]), "")


def _present(times: Int64) -> Int64:
    """The time-points, with 0 for missing ones."""
    return np.where(times == NOTHING, 0, times)


def _optional(times: Int64, texts: Texts, missing: str) -> Texts:
    is_missing: NDArray[np.bool_] = times == NOTHING
    return pc.if_else(pa.array(is_missing), missing, texts) if is_missing.any() else texts
