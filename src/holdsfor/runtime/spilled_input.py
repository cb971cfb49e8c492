"""Records on disk that a session receives as its query times advance.

All records that arrive by a query time are inserted before it is evaluated, and some more: an insertion sorts the
records of the session again, so the records of many query times are inserted together. The session holds the records
of its window and at least as many as one insertion adds.
"""

from __future__ import annotations

from holdsfor.columns.query_times import ALL_ARRIVED, LONG_AGO, QueryTimes
from holdsfor.runtime.record_store import last_admitted
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.sorted_runs import Merge
from holdsfor.sources.spilled_reading import SpilledReading

__all__ = ["SpilledInput"]

_INSERTED = 1 << 18
"""The least number of records that are inserted together."""


class SpilledInput:
    """The records of a reading on disk, as the input of a session with the query times `queries`.

    `n_outside` is the number of records that share no time-point with the run, `last` the last query time.
    """

    def __init__(self, reading: SpilledReading, session: EngineSession, queries: QueryTimes) -> None:
        self._session = session
        self._queries = queries
        self._merge = Merge(reading.runs)
        self._inserted_until = LONG_AGO
        session.records.add_unmatched(reading.incomplete)
        self.n_outside = reading.count_outside(session.start, queries.end)
        self.last = self._last_query_time(reading)
        session.announce_spilled(reading, queries)

    def _last_query_time(self, reading: SpilledReading) -> int:
        """The last query time; only runs with late arrivals are read."""
        last = self._session.last_query_time(self._queries)
        for run in reading.runs.runs:
            if run.last_arrival > last:
                admitted = last_admitted([reading.runs.scan(run)[0]], self._queries)
                last = max(last, self._queries.at_or_after(admitted))
        return last

    @property
    def inserted_until(self) -> int:
        """The query time up to which all records are inserted; `ALL_ARRIVED` after the last record."""
        return self._inserted_until

    def insert_until(self, time: int) -> None:
        """Insert the records that arrive up to a time and are not inserted, with the records of more query times."""
        if time <= self._inserted_until:
            return
        n_stored = sum(map(len, self._session.records.all))
        until = max(time, self._merge.arrival_after(self._inserted_until, max(_INSERTED, n_stored // 2)))
        self._inserted_until = until if until == ALL_ARRIVED else self._queries.at_or_after(until)
        operations = self._merge.take_until(self._inserted_until)
        if self._merge.next_arrival is None:
            self._inserted_until = ALL_ARRIVED
        self._session.insert_sorted(operations, self._inserted_until)

    def next_change(self) -> int | None:
        """The first time after the last query time at which a result may change."""
        moments = (self._session.next_change(), self._merge.next_arrival)
        return min((moment for moment in moments if moment is not None), default=None)

    def conclude(self) -> None:
        """Count the records that arrive after the last query time: no window admits them."""
        self._session.count_not_admitted(self._queries)
        for batch in self._merge.batches(_INSERTED):
            self._session.insert_sorted(batch, ALL_ARRIVED)
            self._session.count_not_admitted(self._queries)
