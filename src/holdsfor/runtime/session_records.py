"""The records of a session: inserted as they come, and judged by the windows of the query times that see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import ALL_ARRIVED, LONG_AGO, QueryTimes
from holdsfor.columns.records import Records
from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.kernels.inertia import BEFORE_EVERYTHING
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.admission import Admission
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.state import State
from holdsfor.runtime.upstream_results import ALWAYS, NEVER, UpstreamResults
from holdsfor.sources.fields import LATEST
from holdsfor.sources.reading import ColumnReading, Operations
from holdsfor.sources.text_records import Fact
from holdsfor.syntax.terms import Struct, name_and_arity

__all__ = ["SessionRecords"]


class SessionRecords:
    """A run with its rules, its state and its window; what query times do with the records is up to the engine."""

    def __init__(self, rules: PreparedRules, *, start: int, end: int | None, tick: int, window: int | None) -> None:
        self.rules = rules
        self.tick = tick
        self.end = end
        self.window = window
        self.state = State(start, start, RecordStore(), UpstreamResults(rules.symbols.instances))
        self.begin(start)

    def begin(self, start: int) -> None:
        """Let the run start at another time-point; nothing may have been queried yet."""
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

    def oldest(self, query_time: int) -> int:
        """What is over by then is too late for a query time; nothing is while the window reaches back to the start."""
        boundary = BEFORE_EVERYTHING if self.window is None else query_time - self.window
        return max(self.state.forgotten, boundary if boundary >= self.start else BEFORE_EVERYTHING)

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
        """Add records of one name; words must be of this session's symbols.

        What is added after a query time arrives after it, whatever it says.
        """
        self.state.is_announced = False
        self.records.insert(key, records, self._earliest)

    def apply(self, operations: Iterable[Operations]) -> None:
        """Add records and retractions as they were read, after all that was added before."""
        self.state.is_announced = False
        self.records.apply(operations, self._earliest)

    def insert_reading(self, reading: ColumnReading) -> int:
        """Add what was read of files, as far as it belongs to the run; return how many records do not.

        Without a window arrival times do not matter, so what was retracted was never there.
        """
        end = LATEST if self.end is None else self.end
        taken = {} if self.window is None else reading.retracted
        if self.window is None:
            self.records.add_unmatched(reading.unmatched)
            self.records.forget(reading.with_facts)
        n_outside = 0
        for key, records in (*reading.events.items(), *reading.fluents.items()):
            n_outside += records.count_outside(self.start, end)
            if (records.ends is None, key) not in taken:
                self.insert_columns(key, records.up_to(end))
        self.apply(taken.values())
        return n_outside

    @property
    def _earliest(self) -> int | None:
        """When something arrives at the earliest that is added now."""
        return None if self.previous is None else self.previous + 1

    def insert_computed(
        self,
        key: Key,
        table: FluentTable | PointTable,
        known_from: Int64 | None = None,
        known_until: Int64 | None = None,
    ) -> None:
        """Let FVPs or events of components that this session does not compute be known between two query times each.

        By default they are known at every one. They are no records: they may begin after the query time, as complements
        do, and fill no domains.
        """
        since = np.full(table.n, ALWAYS, np.int64) if known_from is None else known_from
        until = np.full(table.n, NEVER, np.int64) if known_until is None else known_until
        if isinstance(table, FluentTable):
            self.state.computed.add_fluents(key, table, since, until)
        else:
            self.state.computed.add_events(key, table, since, until)

    def missing(self, operations: Iterable[Operations]) -> list[tuple[Operations, int]]:
        """The retractions among operations that no record would match, if they were added now."""
        return self.records.missing(operations, LONG_AGO if self.previous is None else self.oldest(self.previous))

    def announce(self, queries: QueryTimes) -> None:
        """Let everything that the records of a run mention belong to the domains from the first query time on."""
        self._admission.announce(queries)

    def judge_all(self, queries: QueryTimes) -> None:
        """Judge all records and retractions by all query times at once; then nothing is late any more."""
        self._admission.judge(queries, ALL_ARRIVED, self.end)
        for records in self.records.all:
            records.arrive(ALL_ARRIVED)

    def judge_rest(self, queries: QueryTimes) -> None:
        """Count what arrives after the last query time: no window admits it."""
        if self.window is not None:
            self._admission.judge(replace(queries, judged_until=self.previous), ALL_ARRIVED, self.end)

    def last_query_time(self, queries: QueryTimes) -> int:
        """The first query time that is not before the end nor the last arrival that some window admits."""
        return queries.at_or_after(self.records.last_admitted(queries))
