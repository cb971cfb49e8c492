"""Tables of points and of intervals in a part of a time range; a table is cut when it is read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Generic, TypeVar

from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation
from holdsfor.runtime.edges import EdgeKind

__all__ = ["FluentsAsOf", "TablesBetween", "between"]

Place = TypeVar("Place", Key, tuple[EdgeKind, Key])
Table = TypeVar("Table", bound=Relation)


class CutTables(MutableMapping[Place, Table], Generic[Place, Table]):
    """Tables that are cut when they are read.

    A recursive component reads the tables of a few names. A program with thousands of components has thousands of
    tables, so they are not cut for every component.
    """

    def __init__(self, tables: Mapping[Place, Table]) -> None:
        self._tables: Mapping[Place, Table] = tables
        self._cut: dict[Place, Table] = {}

    @abstractmethod
    def cut(self, table: Table) -> Table:
        """The part of a table."""

    def __getitem__(self, place: Place) -> Table:
        if place not in self._cut:
            self._cut[place] = self.cut(self._tables[place])
        return self._cut[place]

    def __setitem__(self, place: Place, table: Table) -> None:
        self._cut[place] = table

    def __delitem__(self, place: Place) -> None:
        raise NotImplementedError("tables are replaced, not deleted")

    def __iter__(self) -> Iterator[Place]:
        yield from self._tables
        yield from (place for place in self._cut if place not in self._tables)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class TablesBetween(CutTables[Place, PointTable]):
    """The tables with only the points from one time-point to another."""

    def __init__(self, tables: Mapping[Place, PointTable], first: int, last: int) -> None:
        CutTables.__init__(self, tables)
        self._first = first
        self._last = last

    def cut(self, table: PointTable) -> PointTable:
        return between(table, self._first, self._last)


class FluentsAsOf(CutTables[Key, FluentTable]):
    """The intervals from one time-point on, as known before another: those that continue there are open."""

    def __init__(self, tables: Mapping[Key, FluentTable], first: int, after_last: int) -> None:
        super().__init__(tables)
        self._first = first
        self._after_last = after_last

    def cut(self, table: FluentTable) -> FluentTable:
        rows = ((table.starts <= self._after_last) & (table.ends >= self._first)).nonzero()[0]
        return table.take(rows).open_after(self._after_last)


def between(table: PointTable, first: int, last: int) -> PointTable:
    """The points of a table from one time-point to another."""
    if table.n == 0 or (int(table.times.min()) >= first and int(table.times.max()) <= last):
        return table
    return table.take(((table.times >= first) & (table.times <= last)).nonzero()[0])
