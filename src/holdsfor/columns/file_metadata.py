"""Metadata of result files, from which the exact terms and time-points of results are read again.

Parquet stores seconds as milliseconds, so the unit of time-points is in the metadata. The table of one fluent or event
has the name, the columns of the arguments, and the columns that may have both texts and numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdsfor.columns.result_table import TableLayout
    from holdsfor.columns.time_type import TimeType

__all__ = ["FileLayout", "file_layout", "table_metadata", "time_metadata", "time_unit"]

_TABLE = "holdsfor.table"
_TIME_UNIT = "holdsfor.time_unit"


@dataclass(frozen=True)
class FileLayout:
    """The table of one fluent or event, as described by its metadata."""

    name: str
    arguments: tuple[str, ...]
    mixed: frozenset[str]
    is_event: bool

    @property
    def key(self) -> tuple[str, int]:
        """The name and arity of the fluent or event."""
        return self.name, len(self.arguments)


def time_metadata(times: TimeType | None) -> dict[str, str]:
    """The unit of timestamps."""
    return {} if times is None else {_TIME_UNIT: times.unit}


def table_metadata(layout: TableLayout, times: TimeType | None) -> dict[str, str]:
    """The metadata of the table of one fluent or event."""
    described = {
        "name": layout.key[0],
        "arguments": [name for name, _ in layout.arguments],
        "mixed": sorted(layout.mixed),
        "is_event": layout.value is None,
    }
    return {_TABLE: json.dumps(described, ensure_ascii=False), **time_metadata(times)}


def time_unit(metadata: Mapping[bytes, bytes] | None) -> str | None:
    """The unit of time-points, None if the metadata has none."""
    found = (metadata or {}).get(_TIME_UNIT.encode())
    return None if found is None else found.decode()


def file_layout(metadata: Mapping[bytes, bytes] | None) -> FileLayout | None:
    """The layout of the table of one fluent or event; None for other tables."""
    stated = (metadata or {}).get(_TABLE.encode())
    if stated is None:
        return None
    given: dict[str, Any] = json.loads(stated)
    return FileLayout(given["name"], tuple(given["arguments"]), frozenset(given["mixed"]), given["is_event"])
