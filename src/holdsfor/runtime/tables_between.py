"""Tables of points in a part of a time range; a table is cut when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TypeVar

from holdsfor.columns.tables import Key, PointTable
from holdsfor.runtime.edges import EdgeKind

__all__ = ["TablesBetween", "between"]

Place = TypeVar("Place", Key, tuple[EdgeKind, Key])


class TablesBetween(MutableMapping[Place, PointTable]):
    """The tables with only the points from one time-point to another.

    A recursive component reads the tables of a few names. A program with thousands of components has thousands of
    tables, so they are not cut for every component.
    """

    def __init__(self, tables: Mapping[Place, PointTable], first: int, last: int) -> None:
        self._tables: Mapping[Place, PointTable] = tables
        self._first = first
        self._last = last
        self._cut: dict[Place, PointTable] = {}

    def __getitem__(self, place: Place) -> PointTable:
        if place not in self._cut:
            self._cut[place] = between(self._tables[place], self._first, self._last)
        return self._cut[place]

    def __setitem__(self, place: Place, table: PointTable) -> None:
        self._cut[place] = table

    def __delitem__(self, place: Place) -> None:
        raise NotImplementedError("tables are replaced, not deleted")

    def __iter__(self) -> Iterator[Place]:
        yield from self._tables
        yield from (place for place in self._cut if place not in self._tables)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def between(table: PointTable, first: int, last: int) -> PointTable:
    """The points of a table from one time-point to another."""
    if table.n == 0 or (int(table.times.min()) >= first and int(table.times.max()) <= last):
        return table
    return table.take(((table.times >= first) & (table.times <= last)).nonzero()[0])
