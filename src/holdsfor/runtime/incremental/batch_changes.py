"""The changes of several query times, from few evaluations.

A micro-batch of a stream has the records of many query times. If none of them were late, one evaluation up to the last
query time would have the results of all (`runtime/query_batches.py`). Late records change the results of their keys, so
the query times of each key are divided into spans (`runtime/incremental/key_spans.py`): all keys are evaluated at the
last query time, and each other span of a key at its own last query time, together with the keys that have a span with
the same end. At most every query time is evaluated, most of them for few keys.

The rows of an evaluation are then dated: in a span, an interval is known from the first query time that reaches its
start, as an open interval until a query time reaches its end. Rows that a span and the next one have in common do not
change. No report is made for the query times between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from holdsfor.columns.query_times import LONG_AGO, ConsecutiveQueries
from holdsfor.columns.records import Mask, Records
from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables, empty_fluents, empty_points
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64, pairs_of_equal_keys
from holdsfor.kernels.membership import is_member
from holdsfor.kernels.packing import OPEN
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.evaluation_input import input_tables
from holdsfor.runtime.incremental.key_spans import (
    SpanKeys,
    SpanStarts,
    crossing_starts,
    first_numbers,
    late_starts,
    removal_starts,
)
from holdsfor.runtime.incremental.key_stages import Keys, TableName
from holdsfor.runtime.incremental.state_parts import restricted
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.state import State
from holdsfor.sources.text_records import SetAside

__all__ = ["BatchChanges", "ChangedTable", "batch_changes"]

Table = TypeVar("Table", FluentTable, PointTable)


@dataclass(frozen=True)
class ChangedTable(Generic[Table]):
    """Rows that query times add or remove, in the order of the query times, removed rows first."""

    table: Table
    query_times: Int64
    is_gone: Int64


@dataclass(frozen=True)
class BatchChanges:
    """The changes of several query times, by name, and the results that they have settled.

    None of the query times changes a result up to `settled_at`. `unmatched` are the retractions without a record, each
    with its query time.
    """

    fluents: dict[Key, ChangedTable[FluentTable]]
    events: dict[Key, ChangedTable[PointTable]]
    settled_at: int = LONG_AGO
    settled: tuple[ReportColumns, ...] = ()
    unmatched: tuple[tuple[int, SetAside], ...] = ()


Removed: TypeAlias = Mapping[Key, tuple[Records, Int64]]
"""Records of events that were retracted, with the query times that see the retractions."""


def batch_changes(
    whole: Evaluation, known: ReportColumns, keys: SpanKeys, queries: ConsecutiveQueries, removed: Removed
) -> BatchChanges:
    """The changes of query times, given the report before them and an evaluation at the last one.

    Contract: the state of the evaluation has the records of all these query times, without those that they have
    `removed`. No interval of the input is retracted, and a window cuts none. No query time changes the members of a
    domain that rules need for ever.
    """
    return _Batch(whole, keys, queries, removed).run(known)


@dataclass(frozen=True)
class _Numbered(Generic[Table]):
    """Rows, each with the number of a query time."""

    table: Table
    numbers: Int64

    def take(self, rows: Int64) -> _Numbered[Table]:
        return _Numbered(self.table.take(rows), self.numbers[rows])

    @property
    def columns(self) -> tuple[Int64, ...]:
        return (*self.table.columns, self.numbers)


class _DatedRows(Generic[Table]):
    """Rows of one name, with the numbers of the query times that add or remove them."""

    def __init__(self, nothing: Table) -> None:
        self.come: list[_Numbered[Table]] = [_Numbered(nothing, np.empty(0, np.int64))]
        self.gone: list[_Numbered[Table]] = list(self.come)

    def add(self, table: Table, begins: Int64, ends: Int64, n: int) -> None:
        """Add rows that are known from one query time to before another, of `n` query times.

        Rows that begin before the first query time are known from before; those that end after the last one stay.
        """
        is_there = begins < ends
        self.come.append(_Numbered(table, begins).take((is_there & (begins > 0)).nonzero()[0]))
        self.gone.append(_Numbered(table, ends).take((is_there & (ends <= n)).nonzero()[0]))

    def changes(self, queries: ConsecutiveQueries) -> ChangedTable[Table] | None:
        """The rows that are added and removed, without those that one query time removes and adds; None without any."""
        come, gone = _joined(self.come), _joined(self.gone)
        pairs = pairs_of_equal_keys(come.columns, come.table.n, gone.columns, gone.table.n)
        come, gone = come.take(_others(come.table.n, pairs[0])), gone.take(_others(gone.table.n, pairs[1]))
        both = _joined([gone, come])
        if both.table.n == 0:
            return None
        is_gone = np.repeat(np.array([1, 0], np.int64), [gone.table.n, come.table.n])
        order = (2 * both.numbers - is_gone).argsort(kind="stable")
        both = both.take(order)
        return ChangedTable(both.table, queries.previous + queries.step * both.numbers, is_gone[order])


def _joined(parts: Sequence[_Numbered[Table]]) -> _Numbered[Table]:
    tables = concatenate_tables([each.table for each in parts])
    return _Numbered(tables, concatenate_column([each.numbers for each in parts]))


def _others(n: int, rows: Int64) -> Int64:
    """The numbers from 0 that are not among some rows."""
    are_others = np.ones(n, dtype=bool)
    are_others[rows] = False
    return are_others.nonzero()[0]


class _Batch:
    """The spans of all keys, from the last to the first.

    `waiting` has, by the number of a query time, the keys with a span that ends there. `replaced` are the keys with a
    span that starts at the first query time.
    """

    def __init__(self, whole: Evaluation, keys: SpanKeys, queries: ConsecutiveQueries, removed: Removed) -> None:
        self.whole = whole
        self.keys = keys
        self.queries = queries
        self.tick = whole.time_range.tick
        self.state = whole.state
        self.removed = {key: (records, queries.numbers(gone_at)) for key, (records, gone_at) in removed.items()}
        late = late_starts(whole.state.records, keys, whole.rules, queries, self.tick)
        self.late = SpanStarts([*late, *removal_starts(self.removed, keys, queries)], queries.n)
        self.waiting: dict[int, list[Int64]] = {}
        self.replaced: list[Int64] = []
        self.fluents: dict[Key, _DatedRows[FluentTable]] = {}
        self.events: dict[Key, _DatedRows[PointTable]] = {}

    @property
    def first(self) -> int:
        """The first time-point of the results that may change."""
        time_range = self.whole.time_range
        return time_range.first if time_range.is_resumed else time_range.first_of_run

    def run(self, known: ReportColumns) -> BatchChanges:
        crossings = self.crossings(self.whole, self.queries.n)
        keys = distinct_values(np.concatenate((self.late.keys, crossings.keys)))
        self.conclude(self.whole, self.queries.n, keys, crossings)
        self.state = self.state_of(keys)
        while self.waiting:
            number = max(self.waiting)
            keys = distinct_values(concatenate_column(self.waiting.pop(number)))
            evaluation = self.evaluated(number, keys)
            self.conclude(evaluation, number, keys, self.crossings(evaluation, number))
        self.remove(known)
        fluents = {key: rows.changes(self.queries) for key, rows in self.fluents.items()}
        events = {key: rows.changes(self.queries) for key, rows in self.events.items()}
        return BatchChanges(
            {key: each for key, each in fluents.items() if each is not None},
            {key: each for key, each in events.items() if each is not None},
        )

    def crossings(self, evaluation: Evaluation, number: int) -> SpanStarts:
        return crossing_starts(evaluation, self.keys, self.queries, number)

    def conclude(self, evaluation: Evaluation, number: int, keys: Int64, crossings: SpanStarts) -> None:
        """Date the results of spans that end at a query time, and expect the spans before them.

        All other keys in the evaluation have one span, which began before the first query time.
        """
        since = np.maximum(self.late.latest(keys, number), crossings.latest(keys, number))
        for start in distinct_values(since[since > 0]).tolist():
            (self.replaced if start == 1 else self.waiting.setdefault(start - 1, [])).append(keys[since == start])
        chosen = None if evaluation is self.whole else keys
        for key, table in evaluation.output.items():
            rows = self.rows_of((True, key), table, table.ends > self.first, chosen)
            found = table.take(rows)
            self.date_intervals(key, found, _looked_up(self.key_of((True, key), found), keys, since), number)
        for key, points in evaluation.events.items():
            if key in evaluation.rules.output_events:
                rows = self.rows_of((False, key), points, points.times >= self.first, chosen)
                some = points.take(rows)
                self.date_points(key, some, _looked_up(self.key_of((False, key), some), keys, since), number)

    def key_of(self, name: TableName, table: FluentTable | PointTable) -> Int64:
        """The keys of results."""
        return table.columns[self.keys.results[name]]

    def rows_of(self, name: TableName, table: FluentTable | PointTable, is_recent: Mask, keys: Keys) -> Int64:
        """The recent rows of some keys."""
        if keys is not None:
            is_recent = is_recent & is_member(self.key_of(name, table), keys)
        rows: Int64 = is_recent.nonzero()[0]
        return rows

    # -- dated rows ----------------------------------------------------------------------------------------------------

    def intervals_of(self, key: Key) -> _DatedRows[FluentTable]:
        return self.fluents.setdefault(key, _DatedRows(empty_fluents(key[1])))

    def points_of(self, key: Key) -> _DatedRows[PointTable]:
        return self.events.setdefault(key, _DatedRows(empty_points(key[1])))

    def date_intervals(self, key: Key, table: FluentTable, since: Int64, number: int) -> None:
        """Add the intervals of spans from `since` to a query time; they are open until a query time reaches the end."""
        rows = self.intervals_of(key)
        begins = np.maximum(since, first_numbers(table.starts, self.queries, self.tick))
        ends = np.maximum(begins, first_numbers(table.ends, self.queries, self.tick))
        while_open = table.with_bounds(table.starts, np.full(table.n, OPEN, np.int64))
        rows.add(while_open, begins, np.minimum(ends, number + 1), self.queries.n)
        rows.add(table, ends, np.full(table.n, number + 1, np.int64), self.queries.n)

    def date_points(self, key: Key, table: PointTable, since: Int64, number: int) -> None:
        """Add the events of spans from `since` to a query time."""
        begins = np.maximum(since, self.queries.numbers(table.times))
        rows = self.points_of(key)
        rows.add(table, begins, np.full(table.n, number + 1, np.int64), self.queries.n)

    def remove(self, known: ReportColumns) -> None:
        """Remove the results known before the first query time, of the keys with a span that starts with it."""
        keys, current = distinct_values(concatenate_column(self.replaced)), known.since(self.first)
        for key, table in current.fluents.items():
            own = table.take(is_member(self.key_of((True, key), table), keys).nonzero()[0])
            ones = np.ones(own.n, np.int64)
            self.intervals_of(key).add(own, 0 * ones, ones, self.queries.n)
        for key, points in current.events.items():
            some = points.take(is_member(self.key_of((False, key), points), keys).nonzero()[0])
            ones = np.ones(some.n, np.int64)
            self.points_of(key).add(some, 0 * ones, ones, self.queries.n)

    # -- evaluations of some keys --------------------------------------------------------------------------------------

    def evaluated(self, number: int, keys: Int64) -> Evaluation:
        """The evaluation of some keys at a query time."""
        whole, at = self.whole, self.queries.at(number)
        time_range, state = replace(whole.time_range, last=at), self.state_of(keys)
        self.restore(state.records, number, keys)
        events, fluents = input_tables(whole.rules, state, time_range, at)
        found = Evaluation(
            whole.rules,
            state,
            time_range,
            {key: table for key, table in events.items() if table.n},
            {key: table for key, table in fluents.items() if table.n},
            whole.allen_memory,
        )
        found.run()
        return found

    def restore(self, records: RecordStore, number: int, keys: Int64) -> None:
        """Add the records of some keys that are retracted after a query time."""
        for key, (removed, gone_at) in self.removed.items():
            arguments = self.keys.inputs.get((False, key), ())
            later = (gone_at > number).nonzero()[0]
            if arguments and len(later):
                own = later[_rows_of([removed.columns[argument][later] for argument in arguments], keys)]
                some = removed.take(own)
                records.events[key] = records.events[key].joined(some) if key in records.events else some

    def state_of(self, keys: Int64) -> State:
        """The state of some keys, with their records."""
        state, records = self.state, RecordStore()
        for (is_fvp, key), arguments in self.keys.inputs.items():
            each = (state.records.fluents if is_fvp else state.records.events).get(key)
            if each is not None:
                each.sort()
                rows = _rows_of([each.columns[argument] for argument in arguments], keys)
                (records.fluents if is_fvp else records.events)[key] = each.subset(rows)
        held: dict[Key, FluentTable] = {}
        for key, table in state.held.items():
            own = self.keys.results.get((True, key))
            arguments = self.keys.inputs.get((True, key), ()) if own is None else (own,)
            if arguments:
                held[key] = table.take(_rows_of([table.columns[argument] for argument in arguments], keys))
        for stage in self.keys.stages:
            state = restricted(state, stage, keys, records, held)
        return state


def _rows_of(columns: Sequence[Int64], keys: Int64) -> Int64:
    """The rows with a key in one of some columns."""
    masks = [is_member(column, keys) for column in columns]
    rows: Int64 = (masks[0] if len(masks) == 1 else np.logical_or.reduce(masks)).nonzero()[0]
    return rows


def _looked_up(words: Int64, keys: Int64, values: Int64) -> Int64:
    """The value of each word among sorted keys, 0 for other words."""
    if len(keys) == 0:
        return np.zeros(len(words), dtype=np.int64)
    places = np.minimum(keys.searchsorted(words), len(keys) - 1)
    return np.where(keys[places] == words, values[places], 0)
