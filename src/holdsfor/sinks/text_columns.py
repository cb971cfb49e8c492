"""Columns of text for the lines of long outputs: time-points, quoted names, lists and whole lines.

A line is the concatenation of its parts, for all lines at once. Lines are written in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.sinks.row_texts import as_json
from holdsfor.sinks.time_formats import IsoTimes, ShowTime, as_integer

__all__ = [
    "Texts",
    "blocks",
    "concatenated",
    "csv_names",
    "joined",
    "joined_lines",
    "json_lists",
    "json_names",
    "lengths_and_bytes",
    "line_column",
    "lines_by_entity",
    "open_times",
    "text_block",
    "times_as_text",
]

Texts: TypeAlias = Any
"""An Arrow array of strings, or one string for all lines."""

Quotes: TypeAlias = Literal["", "'", '"']
_BLOCK = 1 << 17
_SPECIAL_IN_JSON = r'["\\]|[^\pL\pM\pN\pP\pS ]'


def times_as_text(times: Int64, shown: ShowTime, quotes: Quotes = "") -> Texts:
    """Time-points in their format; texts have quotes around them."""
    if shown is as_integer:
        return pa.array(times).cast(pa.string())
    if isinstance(shown, IsoTimes):
        texts = pa.array(shown.column(times), pa.string())
    else:
        texts = pa.array([str(shown(time)) for time in times.tolist()], pa.string())
    return concatenated(quotes, texts, quotes) if quotes else texts


def open_times(times: Int64, shown: ShowTime, open_end: str, quotes: Quotes = "") -> Texts:
    """Time-points, some of which are open ends."""
    is_open = times == OPEN
    texts = times_as_text(np.where(is_open, 0, times), shown, quotes)
    return pc.if_else(pa.array(is_open), open_end, texts) if is_open.any() else texts


def json_names(names: Texts) -> Texts:
    """Names as JSON strings."""
    plain = concatenated('"', names, '"')
    special = pc.fill_null(pc.match_substring_regex(names, _SPECIAL_IN_JSON), False)
    if not pc.any(special).as_py():
        return plain
    return pc.replace_with_mask(plain, special, pa.array(list(map(as_json, names.filter(special).to_pylist()))))


def json_lists(lists: Any) -> Texts:
    """Lists of texts as the elements of JSON arrays, without brackets."""
    quoted = json_names(lists.flatten())
    offsets = np.zeros(len(lists) + 1, dtype=np.int32)
    np.cumsum(pc.list_value_length(lists).to_numpy(zero_copy_only=False), out=offsets[1:])
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), quoted), ", ")


def csv_names(names: Texts) -> Texts:
    """Names as fields of CSV."""
    special = pc.match_substring_regex(names, '[",\\r\\n]')
    quoted = concatenated('"', pc.replace_substring(names, '"', '""'), '"')
    return pc.if_else(special, quoted, names)


def concatenated(*parts: Texts) -> Texts:
    """The parts of each line, one after the other."""
    return pc.binary_join_element_wise(*parts, "")


def joined(texts: Texts, counts: Int64, separator: str) -> Texts:
    """The texts of each entity, with a separator between them; the first `counts[0]` belong to the first entity."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int32)
    np.cumsum(counts, out=offsets[1:])
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), separator)


def blocks(counts: Int64) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of entities, and of their rows, for blocks of bounded length."""
    last = np.cumsum(counts)
    n_rows = int(last[-1]) if len(last) else 0
    ends = np.unique(np.searchsorted(last, np.arange(_BLOCK, n_rows + _BLOCK, _BLOCK)) + 1).tolist()
    first = row = 0
    for end in (min(end, len(counts)) for end in ends):
        if end > first:
            yield first, end, row, int(last[end - 1])
            first, row = end, int(last[end - 1])


def text_block(*parts: Texts) -> str:
    """The lines made of the parts as one text, without the last line break."""
    return joined_lines(line_column(*parts))


def line_column(*parts: Texts) -> Texts:
    """The lines made of the parts, each with its line break, as a column."""
    return pc.binary_join_element_wise(*parts, "\n", "")


def joined_lines(lines: Texts) -> str:
    """A column of lines as one text, without the last line break: its bytes follow each other in memory."""
    if not len(lines):
        return ""
    bounds, content = _bounds(lines), lines.buffers()[2]
    return str(content.slice(int(bounds[0]), int(bounds[-1] - bounds[0] - 1)).to_pybytes(), "utf-8")


def lines_by_entity(lines: Texts, counts: Int64) -> Texts:
    """The lines of each entity as one text; the first `counts[0]` belong to the first entity. Nothing is copied."""
    ends = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=ends[1:])
    bounds = np.ascontiguousarray(_bounds(lines)[ends])
    return type(lines).from_buffers(len(counts), pa.py_buffer(bounds), lines.buffers()[2])


def lengths_and_bytes(texts: Texts) -> tuple[Int64, memoryview]:
    """The length of each text of a column in bytes, and the bytes of all, one after the other. They are not copied."""
    bounds = _bounds(texts).astype(np.int64)
    content = memoryview(texts.buffers()[2] or b"").cast("B")
    return bounds[1:] - bounds[:-1], content[int(bounds[0]) : int(bounds[-1])]


def _bounds(lines: Texts) -> Any:
    """Where each text of a column begins in its buffer, and where the last one ends."""
    is_large = pa.types.is_large_string(lines.type) or pa.types.is_large_binary(lines.type)
    width = np.int64 if is_large else np.int32
    return np.frombuffer(lines.buffers()[1], width)[lines.offset : lines.offset + len(lines) + 1]
