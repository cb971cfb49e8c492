"""The records of a session and its time-points: insertion, windows, and admission by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from holdsfor.analysis.sorts import Place
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import ALL_ARRIVED, LONG_AGO, ConsecutiveQueries, OneQuery, QueryTimes
from holdsfor.columns.records import Records
from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.kernels.inertia import BEFORE_EVERYTHING
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.runtime.admission import Admission
from holdsfor.runtime.domain_members import Mentioned
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.query_batches import BatchStarts
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.state import State
from holdsfor.runtime.upstream_results import ALWAYS, NEVER, UpstreamResults
from holdsfor.sources.number_checks import TypedColumn
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.sources.reading import ColumnReading, Operations
from holdsfor.sources.spilled_reading import SpilledReading
from holdsfor.sources.text_records import Fact
from holdsfor.syntax.terms import Struct, name_and_arity
from holdsfor.syntax.time_points import LATEST

__all__ = ["SessionRecords"]


class SessionRecords:
    """A run with its rules, its state and its window; `EngineSession` adds the evaluation of query times."""

    def __init__(self, rules: PreparedRules, *, start: int, end: int | None, tick: int, window: int | None) -> None:
        self.rules = rules
        self.tick = tick
        self.end = end
        self.window = window
        self.state = State(start, start, RecordStore(), UpstreamResults(rules.symbols.instances))
        self.queries: QueryTimes | None = None  # the query times to come, if they and all their records are known
        self.inserted_until = LONG_AGO  # the arrival up to which all records of these query times are inserted
        self._batch_starts: BatchStarts | None = None
        self.begin(start)

    def begin(self, start: int) -> None:
        """Set the first time-point of the run, before the first query time."""
        self.state.start = -(-start // self.tick) * self.tick
        self.state.settled = self.state.start - 1

    @property
    def symbols(self) -> Symbols:
        return self.rules.symbols

    @property
    def records(self) -> RecordStore:
        return self.state.records

    @property
    def start(self) -> int:
        """The first time-point of the run."""
        return self.state.start

    @property
    def previous(self) -> int | None:
        """The last query time."""
        return self.state.previous

    @property
    def _admission(self) -> Admission:
        return Admission(self.rules, self.state, self.tick)

    # -- time-points ---------------------------------------------------------------------------------------------------

    @property
    def n_kept_for_allen(self) -> int:
        """The number of intervals before the settled time-point that Allen constructs keep."""
        return sum(kept.n for kept in self.state.allen.values())

    @property
    def frontier(self) -> int:
        """The first time-point that the last query time evaluated; intervals that end before it are settled."""
        return max(self.state.settled, self.start)

    def window_start(self, query_time: int) -> int:
        """The time-point before the window of a query time; the first window begins at the start of the run."""
        if self.window is None or query_time == self.state.first_query_time:
            return self.start - 1
        return max(self.start - 1, query_time - self.window)

    def last_point(self, query_time: int) -> int:
        """The last time-point that a query time evaluates: the query time, or the end of the run."""
        return query_time if self.end is None else min(query_time, self.end)

    def unchanged_until(self, query_time: int) -> int:
        """The last time-point that no record or result of another session changes at a query time or later."""
        reach = OPEN if self.window is None else self.last_point(query_time - self.window)
        return min(reach, self.state.computed.unchanged_until(query_time))

    def oldest(self, query_time: int) -> int:
        """A query time drops records that end by this time-point: none while the window reaches back to the start."""
        boundary = BEFORE_EVERYTHING if self.window is None else query_time - self.window
        return max(self.state.watermark, boundary if boundary >= self.start else BEFORE_EVERYTHING)

    def skip_to(self, query_time: int) -> None:
        """Skip a query time at which nothing changes."""
        self.state.previous = query_time

    def _one_query(self, at: int) -> OneQuery:
        return OneQuery(at, ALL_ARRIVED if self.window is None else at, self.previous, self.oldest(at))

    def _consecutive_queries(self, last: int, step: int) -> ConsecutiveQueries | None:
        """The query times after the last one, if there are several of them."""
        if self.previous is None or self.window is None or self.end is not None or last < self.previous + 2 * step:
            return None
        return ConsecutiveQueries(self.previous, last, step, self.window, self.start, self.state.watermark)

    # -- records -------------------------------------------------------------------------------------------------------

    def insert(self, facts: Iterable[tuple[int, Fact]]) -> None:
        """Add records with their arrivals."""
        grouped: dict[tuple[bool, Key], list[tuple[int, Fact]]] = {}
        for arrival, fact in facts:
            grouped.setdefault((fact.value is None, name_and_arity(fact.entity)), []).append((arrival, fact))
        for (is_event, key), records in grouped.items():
            self._insert(is_event, key, records)

    def _insert(self, is_event: bool, key: Key, records: list[tuple[int, Fact]]) -> None:
        rows = [fact.entity.args if isinstance(fact.entity, Struct) else () for _, fact in records]
        columns = [self.symbols.words(row[i] for row in rows) for i in range(key[1])]
        if not is_event:
            columns.append(self.symbols.words(fact.value for _, fact in records if fact.value is not None))
        new = Records(
            columns,
            np.array([arrival for arrival, _ in records], dtype=np.int64),
            np.array([fact.start for _, fact in records], dtype=np.int64),
            None if is_event else np.array([fact.end for _, fact in records], dtype=np.int64),
        )
        self.insert_columns(key, new)

    def insert_columns(self, key: Key, records: Records) -> None:
        """Insert records of one name, with words of this session's symbols.

        A record that is inserted after a query time arrives after that query time, even if its arrival is earlier.
        """
        self.state.is_announced, self.queries = False, None
        self.records.insert(key, records, self._earliest)

    def check_joins(self, operations: Iterable[Operations], typed: Mapping[Place, TypedColumn]) -> None:
        """Refuse operations whose typed columns a rule joins with constants of another type, of these or earlier ones.

        `typed` are the columns with a declared type. Refused operations leave no trace.
        """
        joins = self.rules.compiled.names.joins
        known = PlaceKinds(joins.joined).merged(self.state.place_kinds).extended(operations, typed, self.symbols)
        known.check(joins)
        self.state.place_kinds = known

    def apply(self, operations: Iterable[Operations]) -> None:
        """Apply records and retractions in the order of reading, after all earlier ones."""
        self.state.is_announced, self.queries = False, None
        self.records.apply(operations, self._earliest)

    def insert_reading(self, reading: ColumnReading) -> int:
        """Insert the records of files that belong to the run; return the number of records outside the run.

        Without a window, arrival times have no effect, so retracted records are not inserted.
        """
        end = LATEST if self.end is None else self.end
        taken = {} if self.window is None else reading.retracted
        self.records.add_unmatched(reading.incomplete)
        if self.window is None:
            self.records.add_unmatched(reading.unmatched)
            self.records.discard(reading.with_facts)
        n_outside = 0
        for key, records in (*reading.events.items(), *reading.fluents.items()):
            n_outside += records.count_outside(self.start, end)
            if (records.ends is None, key) not in taken:
                self.insert_columns(key, records.up_to(end))
        self.apply(taken.values())
        return n_outside

    def insert_sorted(self, operations: Sequence[Operations], until: int) -> None:
        """Insert all operations up to an arrival, after all earlier ones, whose constants are announced, if any are.

        Their `retractions` are None if their name has no retraction in the whole input.
        """
        end, is_announced = LATEST if self.end is None else self.end, self.state.is_announced
        queries = self.queries
        ordered = [each for each in operations if each.retractions is not None]
        for each in operations:
            if each.retractions is None:
                self.insert_columns(each.key, each.records.up_to(end))
        self.apply(ordered)
        self.state.is_announced, self.queries = is_announced, queries
        self.inserted_until, self._batch_starts = until, None

    @property
    def _earliest(self) -> int | None:
        """The earliest arrival of a record that is inserted now."""
        return None if self.previous is None else self.previous + 1

    def insert_computed(
        self,
        key: Key,
        table: FluentTable | PointTable,
        known_from: Int64 | None = None,
        known_until: Int64 | None = None,
    ) -> None:
        """Insert FVPs or events of components that this session does not compute.

        A row is known from the query time `known_from` until before `known_until`, by default at all query times. These
        rows are not records: they may begin after the query time, as complements do, and add no members to domains.
        """
        since = np.full(table.n, ALWAYS, np.int64) if known_from is None else known_from
        until = np.full(table.n, NEVER, np.int64) if known_until is None else known_until
        if isinstance(table, FluentTable):
            self.state.computed.add_fluents(key, table, since, until)
        else:
            self.state.computed.add_events(key, table, since, until)

    def change_computed(self, key: Key, table: FluentTable | PointTable, query_times: Int64, is_gone: Int64) -> None:
        """Add and remove FVPs or events of components that this session does not compute, at query times.

        The query times are after those of all earlier changes. Rows that are added bring the members that they imply.
        """
        come = (is_gone == 0).nonzero()[0]
        if isinstance(table, FluentTable):
            self.state.computed.change_fluents(key, table, query_times, is_gone)
            self.rules.members.keep_implied(Mentioned({}, {key: table.take(come)}))
        else:
            self.state.computed.change_events(key, table, query_times, is_gone)
            self.rules.members.keep_implied(Mentioned({key: table.take(come)}, {}))

    def missing(self, operations: Iterable[Operations]) -> list[tuple[Operations, int]]:
        """The retractions among operations that would match no record, if they were applied now."""
        settled = LONG_AGO if self.previous is None else self.oldest(self.previous)
        return self.records.missing(operations, self._earliest, settled)

    def announce(self, queries: QueryTimes) -> None:
        """Add the constants of all records of a run to the domains before the first query time."""
        self._admission.announce(queries)
        self.expect(queries)

    def expect(self, queries: QueryTimes) -> None:
        """Set the query times to come; all their records are inserted, and no others will be."""
        self.queries, self.inserted_until, self._batch_starts = queries, ALL_ARRIVED, None

    def announce_spilled(self, reading: SpilledReading, queries: QueryTimes) -> None:
        """Add the constants of all records of a run, some of which are on disk, to the domains."""
        self._admission.announce_spilled(reading, queries)
        self.queries, self.inserted_until, self._batch_starts = queries, LONG_AGO, None

    def admit_all(self, queries: QueryTimes) -> None:
        """Admit all records and retractions by all query times at once, so that later evaluations see all of them."""
        self.queries = None
        self._admission.admit_records(queries, ALL_ARRIVED, self.end)
        for records in self.records.all:
            records.arrive(ALL_ARRIVED)

    def count_not_admitted(self, queries: QueryTimes) -> None:
        """Count the records that arrive after the last query time: no window admits them."""
        if self.window is not None:
            self._admission.admit_records(replace(queries, admitted_until=self.previous), ALL_ARRIVED, self.end)

    def last_query_time(self, queries: QueryTimes) -> int:
        """The first query time at or after both the end and the last arrival that a window admits."""
        return queries.at_or_after(self.records.last_admitted(queries))
