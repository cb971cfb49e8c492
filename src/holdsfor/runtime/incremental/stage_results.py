"""The results of a stage: all events and FVPs since the settled time-point, replaced key by key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from holdsfor.columns.records import Mask
from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column, concatenate_columns
from holdsfor.kernels.keys import Int64, rows_with_a_partner
from holdsfor.kernels.membership import is_member
from holdsfor.kernels.packing import OPEN
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.incremental.key_stages import Keys, KeyStage, TableName
from holdsfor.runtime.incremental.record_changes import Changed, ChangedRows

__all__ = ["ReplacedRows", "StageResults", "results_of"]

Table = TypeVar("Table", FluentTable, PointTable)


@dataclass(frozen=True)
class StageResults:
    """The FVPs and output events of a stage."""

    fluents: dict[Key, FluentTable]
    events: dict[Key, PointTable]

    @property
    def is_empty(self) -> bool:
        return not self.fluents and not self.events

    @cached_property
    def n_bytes(self) -> int:
        """The bytes of the tables."""
        return sum(table.n_bytes for _, table in self.tables)

    def columns(self, name: TableName) -> Sequence[Int64] | None:
        """The words of a table; None if it has no rows."""
        is_fvp, key = name
        table = self.fluents.get(key) if is_fvp else self.events.get(key)
        if table is None:
            return None
        return table.columns[:-2] if is_fvp else table.columns[:-1]

    def read_by(self, stage: KeyStage) -> StageResults:
        """The tables that a stage reads."""
        return self.named({name for name in self.names if stage.reads(name)})

    @property
    def names(self) -> Iterator[TableName]:
        yield from ((True, key) for key in self.fluents)
        yield from ((False, key) for key in self.events)

    def named(self, names: Collection[TableName]) -> StageResults:
        """The tables with some names."""
        return StageResults(
            {key: table for key, table in self.fluents.items() if (True, key) in names},
            {key: table for key, table in self.events.items() if (False, key) in names},
        )

    def since(self, point: int) -> StageResults:
        """The rows with a time-point after a point; events at the point are included."""
        return self._where(
            {key: table.ends > point for key, table in self.fluents.items()},
            {key: table.times >= point for key, table in self.events.items()},
        )

    def between(self, first: int, last: int, after_last: int) -> StageResults:
        """The rows with a time-point in a time range; intervals that end after the next time-point become open."""
        some = self._where(
            {key: (table.ends > first) & (table.starts <= last) for key, table in self.fluents.items()},
            {key: (table.times >= first) & (table.times <= last) for key, table in self.events.items()},
        )
        return StageResults({key: table.open_after(after_last) for key, table in some.fluents.items()}, some.events)

    def without(self, stage: KeyStage, keys: Keys) -> StageResults:
        """The rows without those of some keys."""
        if keys is None:
            return StageResults({}, {})
        if len(keys) == 0:
            return self
        return self._where(
            {key: ~_have(table, stage, (True, key), keys) for key, table in self.fluents.items()},
            {key: ~_have(table, stage, (False, key), keys) for key, table in self.events.items()},
        )

    def divided(
        self, first: int, point: int, stage: KeyStage, touched: Keys, active: Keys
    ) -> tuple[StageResults, StageResults]:
        """Rows that stay and rows that are computed again, without those that end by a first time-point.

        The rows of touched keys are computed again, and of active keys those that end after a point.
        """
        stays: dict[TableName, Mask] = {}
        again: dict[TableName, Mask] = {}
        for name, table in self.tables:
            ends = table.ends if isinstance(table, FluentTable) else table.times + 1
            is_again = ends > point
            if active is not None:
                is_again &= _have(table, stage, name, active)
            if touched is None:
                is_again[:] = True
            elif len(touched):
                is_again |= _have(table, stage, name, touched)
            known = ends > first
            stays[name], again[name] = known & ~is_again, known & is_again
        return self.where(stays), self.where(again)

    def divided_by_keys(self, point: int, stage: KeyStage, keys: Int64) -> tuple[StageResults, StageResults]:
        """Rows that stay, and the rows of some keys that end after a point."""
        stays, again = StageResults(dict(self.fluents), dict(self.events)), StageResults({}, {})
        for name, table in self.tables:
            rows = _have(table, stage, name, keys).nonzero()[0]
            if len(rows):
                rows = rows[(table.ends[rows] if isinstance(table, FluentTable) else table.times[rows] + 1) > point]
            if len(rows) == 0:
                continue
            is_kept = np.ones(table.n, dtype=bool)
            is_kept[rows] = False
            again.add(name, table.take(rows))
            stays.add(name, table.take(is_kept.nonzero()[0]))
        return stays, again

    def separated(self, first: int, mark: int, stage: KeyStage, keys: Keys) -> tuple[StageResults, StageResults]:
        """Other rows, and the rows of some keys from a first time-point to a mark.

        Intervals that hold at the mark are included, and events at the mark are not.
        """
        masks: dict[TableName, Mask] = {}
        for name, table in self.tables:
            mask = _between(table, first, mark)
            masks[name] = mask if keys is None else mask & _have(table, stage, name, keys)
        return self.where({name: ~mask for name, mask in masks.items()}), self.where(masks)

    def add(self, name: TableName, table: FluentTable | PointTable) -> None:
        """Add a table."""
        if isinstance(table, FluentTable):
            self.fluents[name[1]] = table
        else:
            self.events[name[1]] = table

    @property
    def tables(self) -> Iterator[tuple[TableName, FluentTable | PointTable]]:
        yield from (((True, key), table) for key, table in self.fluents.items())
        yield from (((False, key), table) for key, table in self.events.items())

    def where(self, masks: dict[TableName, Mask]) -> StageResults:
        """The rows of each table that a mask chooses."""
        return self._where(
            {key: masks[True, key] for key in self.fluents}, {key: masks[False, key] for key in self.events}
        )

    def of_keys(self, stage: KeyStage, keys: Keys) -> StageResults:
        """The rows with some keys."""
        if keys is None:
            return self
        return self._where(
            {key: _have(table, stage, (True, key), keys) for key, table in self.fluents.items()},
            {key: _have(table, stage, (False, key), keys) for key, table in self.events.items()},
        )

    def keys_changing_after(self, point: int, stage: KeyStage) -> Int64:
        """The keys of events at or after a point, and of intervals that begin or end after it."""
        found = [points.column(stage.results[False, key])[points.times >= point] for key, points in self.events.items()]
        for key, table in self.fluents.items():
            changes = (table.starts > point) | ((table.ends > point) & (table.ends != OPEN))
            found.append(table.column(stage.results[True, key])[changes])
        return distinct_values(concatenate_column(found)) if found else np.empty(0, np.int64)

    def rows_from(self, last: int) -> dict[TableName, Sequence[Int64]]:
        """The words of events from a last time-point on, and of intervals that begin or end after it."""
        found: dict[TableName, Sequence[Int64]] = {}
        for name, table in self.tables:
            if isinstance(table, FluentTable):
                rows = ((table.starts > last) | ((table.ends > last) & (table.ends != OPEN))).nonzero()[0]
            else:
                rows = (table.times >= last).nonzero()[0]
            if len(rows):
                found[name] = [column[rows] for column in table.columns[: -2 if name[0] else -1]]
        return found

    def joined(self, *more: StageResults) -> StageResults:
        """The rows of all parts."""
        parts = (self, *more)
        fluents = dict.fromkeys(key for part in parts for key in part.fluents)
        events = dict.fromkeys(key for part in parts for key in part.events)
        return StageResults(
            {key: concatenate_tables([part.fluents.get(key) for part in parts]) for key in fluents},
            {key: concatenate_tables([part.events.get(key) for part in parts]) for key in events},
        )

    def differences(self, other: StageResults, point: int, after_point: int) -> Changed:
        """The rows that differ up to a point, in either direction.

        Intervals count as equal if they differ only after the point.
        """
        found: Changed = {}
        for key in dict.fromkeys((*self.fluents, *other.fluents)):
            rows = [_until(each.fluents.get(key), point, after_point) for each in (self, other)]
            _add_difference(found, (True, key), rows, width=key[1] + 1)
        for key in dict.fromkeys((*self.events, *other.events)):
            points = [_points_until(each.events.get(key), point) for each in (self, other)]
            _add_difference(found, (False, key), points, width=key[1])
        return found

    def _where(self, fluents: dict[Key, Mask], events: dict[Key, Mask]) -> StageResults:
        return StageResults(_chosen(self.fluents, fluents), _chosen(self.events, events))


class ReplacedRows:
    """The results of a stage, from which rows of some keys are removed stretch by stretch."""

    def __init__(self, results: StageResults) -> None:
        self._results = results
        self._is_kept = {name: np.ones(table.n, dtype=bool) for name, table in results.tables}

    @property
    def kept(self) -> StageResults:
        return self._results.where(self._is_kept)

    @property
    def removed(self) -> StageResults:
        return self._results.where({name: ~is_kept for name, is_kept in self._is_kept.items()})

    def remove(self, first: int, mark: int, stage: KeyStage, keys: Int64) -> StageResults:
        """Remove the rows of some keys in a stretch, and return them, also those that were removed before."""
        found = StageResults({}, {})
        for name, table in self._results.tables:
            rows = _between(table, first, mark).nonzero()[0]
            rows = rows[is_member(table.column(stage.results[name])[rows], keys)]
            if len(rows):
                self._is_kept[name][rows] = False
                found.add(name, table.take(rows))
        return found

    def holding(self, at: int, stage: KeyStage, keys: Int64) -> dict[Key, FluentTable]:
        """The FVPs of some keys that hold at a time-point, without removed rows."""
        found: dict[Key, FluentTable] = {}
        for key, table in self._results.fluents.items():
            rows = ((table.starts <= at) & (at < table.ends) & self._is_kept[True, key]).nonzero()[0]
            rows = rows[is_member(table.column(stage.results[True, key])[rows], keys)]
            if len(rows):
                found[key] = table.take(rows)
        return found


def _between(table: FluentTable | PointTable, first: int, mark: int) -> Mask:
    """The rows from a first time-point to a mark: intervals that hold at the mark are included, events are not."""
    if isinstance(table, FluentTable):
        return (table.ends > first) & (table.starts <= mark)
    return (table.times >= first) & (table.times < mark)


def _have(table: FluentTable | PointTable, stage: KeyStage, name: TableName, keys: Int64) -> Mask:
    """Which rows of a table have some keys."""
    if len(keys) == 0:
        return np.zeros(table.n, dtype=bool)
    return is_member(table.column(stage.results[name]), keys)


def results_of(evaluation: Evaluation, stage: KeyStage) -> StageResults:
    """The results of a stage in an evaluation."""
    return StageResults(
        {key: table for key, table in evaluation.output.items() if (True, key) in stage.results and table.n},
        {key: table for key, table in evaluation.events.items() if (False, key) in stage.results and table.n},
    )


def _chosen(tables: dict[Key, Table], masks: dict[Key, Mask]) -> dict[Key, Table]:
    found: dict[Key, Table] = {}
    for key, table in tables.items():
        rows = masks[key].nonzero()[0]
        if len(rows):
            found[key] = table if len(rows) == table.n else table.take(rows)
    return found


def _until(table: FluentTable | None, point: int, after_point: int) -> list[Int64]:
    """The columns of the intervals that begin by a point, with ends up to the next time-point."""
    if table is None:
        return []
    some = table.take((table.starts <= point).nonzero()[0])
    return [*some.keys, some.starts, np.minimum(some.ends, after_point)]


def _points_until(table: PointTable | None, point: int) -> list[Int64]:
    return [] if table is None else list(table.take((table.times <= point).nonzero()[0]).columns)


def _add_difference(found: Changed, name: TableName, rows: list[list[Int64]], *, width: int) -> None:
    """Add the words of rows that only one of two tables has."""
    parts: list[list[Int64]] = []
    for own, other in (rows, rows[::-1]):
        n = len(own[0]) if own else 0
        if n == 0:
            continue
        is_equal = rows_with_a_partner(own, n, other, len(other[0])) if other else np.zeros(n, dtype=bool)
        changed = (~is_equal).nonzero()[0]
        if len(changed):
            parts.append([column[changed] for column in own])
    if parts:
        columns = concatenate_columns(parts)
        found[name] = ChangedRows(columns[:width], columns[width], columns[-1])
