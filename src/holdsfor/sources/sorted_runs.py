"""Records on disk, sorted by arrival: the runs of an external merge sort.

A reading that is larger than memory is written in runs. A run has some hundred thousand operations (records and
retractions) of one name, in the order of their arrival, then of reading. `Merge` reads all runs side by side and
returns operations in the order of all. Runs of a file in order of arrival follow one another; runs of other files
overlap, and a merge then reads a slice of each.

Of each run, every thousandth arrival is in memory. These samples find the rows of a slice, and the arrivals between
which there is a given number of operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.column_file import ColumnFile, StoredColumn
from holdsfor.columns.query_times import ALL_ARRIVED
from holdsfor.columns.records import Records, concatenate_records
from holdsfor.columns.retractions import Retractions
from holdsfor.kernels.keys import Int64
from holdsfor.sources.reading import Group, Operations
from holdsfor.sources.text_records import SetAside

__all__ = ["Extent", "Merge", "SortedRun", "SortedRuns"]

_SAMPLED = 1024


@dataclass(frozen=True)
class Extent:
    """The first start, the last start, and the last end of records; events have no end.

    The end of an interval without an end is the time after its start, the only time-point at which it surely holds.
    """

    first: int
    last: int
    end: int | None

    @staticmethod
    def of(records: Records) -> Extent | None:
        if not len(records):
            return None
        end = None if records.ends is None else records.last_time_point(1) + 1
        return Extent(int(records.starts.min()), int(records.starts.max()), end)

    @staticmethod
    def around(extents: Sequence[Extent]) -> Extent | None:
        """The extent of all records."""
        if not extents:
            return None
        ends = [each.end for each in extents if each.end is not None]
        first, last = min(each.first for each in extents), max(each.last for each in extents)
        return Extent(first, last, max(ends, default=None))

    def is_within(self, start: int, end: int) -> bool:
        """Whether all records share a time-point with a run, as far as this is known."""
        return self.first >= start and self.last <= end


@dataclass(frozen=True)
class SortedRun:
    """Operations of one name in the order of arrival; `origins` is 0 for a record, else the number of a retraction.

    Times are stored as differences: those of records that arrive when they start take no space.
    """

    group: Group
    n: int
    words: tuple[StoredColumn, ...]
    arrivals: StoredColumn
    delays: StoredColumn
    durations: StoredColumn | None
    origins: StoredColumn
    samples: Int64
    last_arrival: int
    extent: Extent | None

    def n_until(self, time: int, file: ColumnFile) -> int:
        """The number of operations that arrive up to a time."""
        if time >= self.last_arrival:
            return self.n
        after = int(self.samples.searchsorted(time, side="right"))
        if not after:
            return 0
        first = (after - 1) * _SAMPLED
        arrivals = file.read(self.arrivals, first, min(self.n, first + _SAMPLED))
        return first + int(arrivals.searchsorted(time, side="right"))

    def read(self, file: ColumnFile, first: int, last: int) -> tuple[Records, Int64]:
        """The operations from one row up to another as records, and the numbers of their origins."""
        arrivals = file.read(self.arrivals, first, last)
        starts = arrivals - file.read(self.delays, first, last)
        ends = None if self.durations is None else starts + file.read(self.durations, first, last)
        words = [file.read(column, first, last) for column in self.words]
        return Records(words, arrivals, starts, ends), file.read(self.origins, first, last)


class SortedRuns:
    """All runs of a reading, in the order of reading, and the origins of its retractions."""

    def __init__(self) -> None:
        self.file = ColumnFile()
        self.runs: list[SortedRun] = []
        self.origins: list[SetAside] = []

    def append(self, operations: Sequence[Operations]) -> None:
        """Write operations with their places as a run for each name."""
        numbers = self._number_retractions(operations)
        for each in operations:
            records, origins = each.records, np.zeros(len(each.records), dtype=np.int64)
            extent = Extent.of(records)
            if each.retractions is not None:
                named = each.retractions.records
                origins = np.concatenate((origins, [numbers[place] for place in named.read_at.tolist()]))
                records = records.joined(named)
            order = _order_of_arrival(records)
            if order is not None:
                records, origins = records.take(order), origins[order]
            self.runs.append(self._stored((each.is_event, each.key), records, origins, extent))

    def _number_retractions(self, operations: Sequence[Operations]) -> dict[int, int]:
        """Add the origins of retractions in the order of reading; return the number of each by its place."""
        taken = [each.retractions for each in operations if each.retractions is not None]
        read = [pair for each in taken for pair in zip(each.records.read_at.tolist(), each.origins, strict=True)]
        read.sort(key=lambda pair: pair[0])
        first = len(self.origins) + 1
        self.origins += [origin for _, origin in read]
        return {place: first + i for i, (place, _) in enumerate(read)}

    def _stored(self, group: Group, records: Records, origins: Int64, extent: Extent | None) -> SortedRun:
        append, ends = self.file.append, records.ends
        return SortedRun(
            group,
            len(records),
            tuple(append(column) for column in records.columns),
            append(records.arrivals),
            append(records.arrivals - records.starts),
            None if ends is None else append(ends - records.starts),
            append(origins),
            records.arrivals[::_SAMPLED].copy(),
            int(records.arrivals[-1]),
            extent,
        )

    @property
    def position(self) -> tuple[int, int, int]:
        """The position after the last run, for `rewind`."""
        return len(self.runs), len(self.origins), self.file.size

    def rewind(self, position: tuple[int, int, int]) -> None:
        """Remove the runs after a position."""
        n_runs, n_origins, size = position
        del self.runs[n_runs:], self.origins[n_origins:]
        self.file.truncate(size)

    @property
    def retracted(self) -> set[Group]:
        """The names with retractions."""
        return {run.group for run in self.runs if run.origins.kind is not None or run.origins.base}

    def close(self) -> None:
        """Remove the file."""
        self.file.close()

    def scan(self, run: SortedRun) -> tuple[Records, Int64]:
        """All operations of a run, as `SortedRun.read`."""
        return run.read(self.file, 0, run.n)


def _order_of_arrival(records: Records) -> Int64 | None:
    """The rows in order of arrival, then of reading; None if they are in this order."""
    arrivals, places = records.arrivals, records.read_at
    is_later = arrivals[1:] > arrivals[:-1]
    if (is_later | ((arrivals[1:] == arrivals[:-1]) & (places[1:] > places[:-1]))).all():
        return None
    return np.lexsort((places, arrivals))


@dataclass
class _Cursor:
    """A run and the first row that is not taken, with its arrival."""

    run: SortedRun
    row: int
    arrival: int


class Merge:
    """Takes the operations of runs in order of arrival, those of equal arrivals in the order of reading."""

    def __init__(self, runs: SortedRuns, groups: set[Group] | None = None) -> None:
        self._runs = runs
        chosen = [run for run in runs.runs if groups is None or run.group in groups]
        self._cursors = [_Cursor(run, 0, int(run.samples[0])) for run in chosen]
        self._retracted = runs.retracted
        self._samples = np.sort(np.concatenate([run.samples for run in chosen])) if chosen else np.empty(0, np.int64)

    @property
    def next_arrival(self) -> int | None:
        """The first arrival that is not taken; None if all are taken."""
        return min((cursor.arrival for cursor in self._cursors), default=None)

    def arrival_after(self, time: int, n: int) -> int:
        """An arrival after a time, with about `n` operations in between; `ALL_ARRIVED` if there are fewer."""
        place = int(self._samples.searchsorted(time, side="right")) + max(1, n // _SAMPLED)
        return ALL_ARRIVED if place >= len(self._samples) else int(self._samples[place])

    def take_until(self, time: int) -> list[Operations]:
        """The operations that arrive up to a time and are not taken, by name.

        For a name with retractions in any run, `retractions` is not None, and `places` are ordered as the operations
        take effect; those of retractions also between names.
        """
        taken: dict[Group, list[tuple[Records, Int64]]] = {}
        for cursor in self._cursors:
            if cursor.arrival <= time:
                taken.setdefault(cursor.run.group, []).append(self._advance(cursor, time))
        self._cursors = [cursor for cursor in self._cursors if cursor.row < cursor.run.n]
        merged = {group: _merged(parts) for group, parts in taken.items()}
        ranks = _retraction_ranks(merged.values())
        return [self._operations(group, *each, ranks) for group, each in merged.items()]

    def batches(self, n: int) -> Iterator[list[Operations]]:
        """All operations that are not taken, about `n` at a time."""
        while (first := self.next_arrival) is not None:
            yield self.take_until(self.arrival_after(first, n))

    def _advance(self, cursor: _Cursor, time: int) -> tuple[Records, Int64]:
        run, first, file = cursor.run, cursor.row, self._runs.file
        cursor.row = run.n_until(time, file)
        if cursor.row < run.n:
            cursor.arrival = int(file.read(run.arrivals, cursor.row, cursor.row + 1)[0])
        return run.read(file, first, cursor.row)

    def _operations(self, group: Group, records: Records, origins: Int64, ranks: dict[int, int]) -> Operations:
        if group not in self._retracted:
            return Operations(*group, records, None)
        numbers = origins.tolist()
        of_retractions = np.array([ranks.get(number, 0) for number in numbers], dtype=np.int64)
        records.places = np.maximum.accumulate(of_retractions) * _LARGER + np.arange(len(records))
        is_retraction = origins > 0
        rows = is_retraction.nonzero()[0]
        named = [self._runs.origins[numbers[row] - 1] for row in rows.tolist()]
        kept = records.take((~is_retraction).nonzero()[0])
        return Operations(*group, kept, Retractions(records.take(rows), named))


_LARGER = 1 << 32
"""More than the operations of one batch."""


def _merged(parts: Sequence[tuple[Records, Int64]]) -> tuple[Records, Int64]:
    """The operations of one name in order of arrival; of equal arrivals, those of earlier parts first."""
    records = concatenate_records([part for part, _ in parts])
    origins = np.concatenate([numbers for _, numbers in parts])
    if len(parts) > 1 and (records.arrivals[1:] < records.arrivals[:-1]).any():
        order = records.arrivals.argsort(kind="stable")
        return records.take(order), origins[order]
    return records, origins


def _retraction_ranks(merged: Iterable[tuple[Records, Int64]]) -> dict[int, int]:
    """The ranks of the retractions of all names, from 1, in order of arrival, then of reading, by their numbers."""
    found: list[tuple[int, int]] = []
    for records, origins in merged:
        rows = origins.nonzero()[0]
        found += zip(records.arrivals[rows].tolist(), origins[rows].tolist(), strict=True)
    return {number: rank for rank, (_, number) in enumerate(sorted(found), start=1)}
