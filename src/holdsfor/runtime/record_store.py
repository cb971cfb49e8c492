"""The records of a session: inserted records, pending retractions, and the outcome of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.columns.query_times import ALL_ARRIVED, OneQuery, QuerySchedule, QueryTimes
from holdsfor.columns.records import AdmissionCounts, Records
from holdsfor.columns.retractions import Retracted, Retractions, apply_retractions
from holdsfor.columns.tables import Key
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64
from holdsfor.sources.reading import Group, Operations
from holdsfor.sources.text_records import SetAside

__all__ = ["AppliedRetractions", "RecordStore", "last_admitted"]


@dataclass(frozen=True)
class AppliedRetractions:
    """The retractions that query times have applied.

    `removed` has the records of events that they have removed, by name, with the query time that sees each retraction;
    `unmatched` the retractions without a record, each with its query time.
    """

    removed: dict[Key, tuple[Records, Int64]] = field(default_factory=dict)
    unmatched: list[tuple[int, SetAside]] = field(default_factory=list)


class RecordStore:
    """Records by name. Retractions are pending until the query time that applies them.

    `admission_counts` counts records and retractions by outcome, `unmatched` has the retractions without a record,
    `n_retracted` counts the retractions with one.
    """

    def __init__(self) -> None:
        self.events: dict[Key, Records] = {}
        self.fluents: dict[Key, Records] = {}
        self.retractions: dict[tuple[bool, Key], Retractions[SetAside]] = {}
        self.admission_counts = AdmissionCounts()
        self.unmatched: list[SetAside] = []
        self.n_unmatched = 0
        self.n_retracted = 0
        self.n_places = 0
        self._moments: Int64 | None = None

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The numbers of records and retractions that are late, dropped, cut and unmatched."""
        counts = self.admission_counts
        return counts.n_late, counts.n_dropped, counts.n_cut, self.n_unmatched

    @property
    def all(self) -> Iterator[Records]:
        """The records of each name."""
        yield from (*self.events.values(), *self.fluents.values())

    def insert(self, key: Key, records: Records, earliest: int | None) -> None:
        """Add records of one name, which arrive at `earliest` or later."""
        self._moments = None
        store = self.events if records.ends is None else self.fluents
        records = _arriving_from(records, earliest)
        if key in store:
            store[key].append(records)
        else:
            store[key] = records

    def discard(self, groups: Iterable[Group]) -> None:
        """Drop all records of some names."""
        self._moments = None
        for is_event, key in groups:
            (self.events if is_event else self.fluents).pop(key, None)

    def apply(self, operations: Iterable[Operations], earliest: int | None) -> None:
        """Add the operations after all earlier ones; exact duplicates are the same record."""
        n_places = self.n_places
        for each in operations:
            records, retractions = self._placed(each, earliest)
            self.insert(each.key, self._new(each, records), None)
            if retractions is not None:
                self._wait(each, retractions)
            self._moments = None
            taken = records.read_at if retractions is None else retractions.records.read_at
            n_places = max(n_places, 1 + int(max(records.read_at.max(initial=-1), taken.max(initial=-1))))
        self.n_places = n_places

    def _placed(self, each: Operations, earliest: int | None) -> tuple[Records, Retractions[SetAside] | None]:
        """The records and retractions, in order after all earlier ones, which arrive at `earliest` or later."""

        def placed(records: Records) -> Records:
            return _arriving_from(replace(records, places=records.read_at + self.n_places), earliest)

        taken = each.retractions
        return placed(each.records), None if taken is None else Retractions(placed(taken.records), taken.origins)

    def _new(self, each: Operations, records: Records) -> Records:
        """The records without duplicates of existing ones, unless retractions make their order significant."""
        if each.retractions is not None or (each.is_event, each.key) in self.retractions or not len(records):
            return records
        records = records.distinct()
        store = (self.events if each.is_event else self.fluents).get(each.key)
        return records if store is None else records.without(store)

    def _wait(self, each: Operations, retractions: Retractions[SetAside]) -> None:
        group = each.is_event, each.key
        waiting = self.retractions.get(group)
        self.retractions[group] = retractions if waiting is None else waiting.joined(retractions)

    def missing(
        self, operations: Iterable[Operations], earliest: int | None, settled: int
    ) -> list[tuple[Operations, int]]:
        """The retractions among operations that would be unmatched if they were added now, with the number of each.

        Operations arrive at `earliest` or later. Retractions of records that end by the settled time-point are not
        checked.
        """
        found: list[tuple[Operations, int]] = []
        for each in operations:
            if each.retractions is None:
                continue
            records, retractions = self._placed(each, earliest)
            store = (self.events if each.is_event else self.fluents).get(each.key)
            waiting = self.retractions.get((each.is_event, each.key))
            together = records if store is None else store.joined(records)
            named = retractions if waiting is None or retractions is None else waiting.joined(retractions)
            assert named is not None
            query = OneQuery(ALL_ARRIVED, ALL_ARRIVED, settled, settled)
            first_new = len(named.origins) - len(each.retractions.origins)
            unmatched = apply_retractions(together, named.records, query, 1).unmatched
            found += [(each, number - first_new) for number in unmatched if number >= first_new]
        return found

    def admit(self, queries: QuerySchedule, until: int, end: int, tick: int) -> AppliedRetractions:
        """Apply the window rules to records that arrive until `until`, and apply the retractions among them."""
        for records in self.all:
            self.admission_counts.add(records.admit(queries, end, tick))
        waiting: dict[tuple[bool, Key], Retractions[SetAside]] = {}
        applied, unmatched = AppliedRetractions(), list[tuple[int, int, SetAside]]()
        for (is_event, key), retractions in self.retractions.items():
            is_due = retractions.records.arrivals <= until
            if is_due.any():
                due = retractions.take(is_due.nonzero()[0])
                records, done = self._retract(is_event, key, due, queries, tick)
                arrivals, places = due.records.arrivals, due.records.read_at
                unmatched += ((int(arrivals[n]), int(places[n]), due.origins[n]) for n in done.unmatched)
                if is_event and done.removed:
                    rows, seen_at = np.array(done.removed, dtype=np.int64).T
                    applied.removed[key] = records.take(rows), seen_at
            if not is_due.all():
                waiting[is_event, key] = retractions.take((~is_due).nonzero()[0])
        self.retractions = waiting
        unmatched.sort(key=lambda each: each[:2])
        self.add_unmatched([origin for _, _, origin in unmatched])
        seen_at = queries.seen_at(np.array([arrival for arrival, _, _ in unmatched], dtype=np.int64))
        applied.unmatched.extend(zip(seen_at.tolist(), (origin for _, _, origin in unmatched), strict=True))
        return applied

    def _retract(
        self, is_event: bool, key: Key, due: Retractions[SetAside], queries: QuerySchedule, tick: int
    ) -> tuple[Records, Retracted]:
        """Apply retractions of one name to the records of the name."""
        store = self.events if is_event else self.fluents
        known = store.get(key)
        records = due.records.take(np.empty(0, dtype=np.int64)) if known is None else known
        done = apply_retractions(records, due.records, queries, tick)
        store[key] = done.records
        self._moments = None
        self.admission_counts.add(AdmissionCounts.of(done.outcome, due.records.starts, tick))
        self.n_retracted += len(due.origins) - len(done.unmatched)
        return records, done

    def after_retractions(self, queries: QuerySchedule, tick: int) -> tuple[dict[Key, Records], dict[Key, Records]]:
        """The records of events and of fluents, except records that a pending retraction removes."""
        events, fluents = dict(self.events), dict(self.fluents)
        for (is_event, key), retractions in self.retractions.items():
            store = events if is_event else fluents
            if key in store:
                store[key] = apply_retractions(store[key], retractions.records, queries, tick).records
        return events, fluents

    def add_unmatched(self, origins: list[SetAside]) -> None:
        """Count retractions without a record."""
        self.n_unmatched += len(origins)
        self.unmatched += origins

    def take_unmatched(self) -> list[SetAside]:
        """The retractions without a record since the last call."""
        found, self.unmatched = self.unmatched, []
        return found

    def n_between(self, first: int, last: int) -> int:
        """The number of records that begin between two time-points."""
        return sum(records.n_between(first, last) for records in self.all if len(records))

    def next_moment(self, time: int, tick: int) -> int | None:
        """The first moment after a time at which a record arrives, begins or ends, or a retraction arrives."""
        moments = self.moments(tick)
        position = int(moments.searchsorted(time, side="right"))
        return None if position == len(moments) else int(moments[position])

    def moments(self, tick: int) -> Int64:
        """The moments at which a record arrives, begins or ends, or a retraction arrives, in order.

        A record begins and ends when it arrives, if it arrives later.
        """
        if self._moments is None:
            self._moments = distinct_values(concatenate_column(self._all_moments(tick)))
        return self._moments

    def _all_moments(self, tick: int) -> Iterator[Int64]:
        for records in self.all:
            rows = slice(None) if records.arrivals.max(initial=0) <= ALL_ARRIVED else records.arrivals <= ALL_ARRIVED
            arrivals = records.arrivals[rows]
            yield from (arrivals, np.maximum(arrivals, records.starts[rows]))
            if records.ends is not None:
                ends = records.ends[rows]
                yield from (np.maximum(arrivals, ends - tick), np.maximum(arrivals, ends))
        yield from (each.records.arrivals for each in self.retractions.values())

    def last_admitted(self, queries: QueryTimes) -> int:
        """The last arrival of a record or retraction that some window admits, at least the end."""
        if queries.step is None:
            return queries.end
        return last_admitted((*self.all, *(each.records for each in self.retractions.values())), queries)


def _arriving_from(records: Records, earliest: int | None) -> Records:
    """The records, with arrivals at `earliest` or later."""
    return records if earliest is None else replace(records, arrivals=np.maximum(records.arrivals, earliest))


def last_admitted(stored: Iterable[Records], queries: QueryTimes) -> int:
    """The last arrival of a record that some window admits, at least the end."""
    found = [queries.end]
    for records in stored:
        arrivals = records.arrivals
        is_admitted = np.minimum(records.lasts, queries.end) > queries.oldest(queries.seen_at(arrivals))
        is_admitted &= records.starts <= queries.end
        found.append(int(arrivals[is_admitted].max(initial=queries.end)))
    return max(found)
