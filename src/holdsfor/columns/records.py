"""Input records as columns, indexed by time.

The records of one name are sorted by start, so that a window is a slice. Properties of all records are computed once
and not for every window: which events are duplicates, whether the intervals are maximal, and the ids of instances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.query_times import LONG_AGO, QuerySchedule
from holdsfor.columns.tables import FluentTable, PointTable
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64, dense_ids, distinct_rows, rows_with_a_partner
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import merge_intervals
from holdsfor.syntax.time_points import OPEN_END

Mask = NDArray[np.bool_]

Wanted = Callable[[Sequence[Int64]], Mask | None]
"""Chooses rows by their columns of words; None for all rows."""

_LONG_RUN = 1_000  # rows in ascending order, on average, from which a merge is faster than a sort
_NO_NUMBER = -1  # of the instances in records that have been appended
_ROWS_AT_A_TIME = 64  # with more records at a time-point, records in the order of time are not nearly sorted

__all__ = ["AdmissionCounts", "AdmissionOutcome", "Mask", "Records", "Wanted", "concatenate_records"]


@dataclass(frozen=True)
class AdmissionOutcome:
    """Rows, the query time that sees each first, the last time-point before its window, and the row's admission."""

    rows: Int64
    seen_at: Int64
    oldest: Int64
    dropped: Mask
    cut: Mask
    late: Mask


@dataclass
class AdmissionCounts:
    """The numbers of late, dropped and cut records; `widest` is the size of a window that would have cut none."""

    n_late: int = 0
    n_dropped: int = 0
    n_cut: int = 0
    widest: int = 0

    @staticmethod
    def of(outcome: AdmissionOutcome, starts: Int64, tick: int) -> AdmissionCounts:
        """The counts for records with these starts."""
        cut = outcome.cut
        ages = (outcome.seen_at - starts)[cut] // tick + 1
        n_late, n_dropped = np.count_nonzero(outcome.late), np.count_nonzero(outcome.dropped)
        return AdmissionCounts(int(n_late), int(n_dropped), int(np.count_nonzero(cut)), int(ages.max(initial=0)) * tick)

    def add(self, more: AdmissionCounts) -> None:
        self.n_late += more.n_late
        self.n_dropped += more.n_dropped
        self.n_cut += more.n_cut
        self.widest = max(self.widest, more.widest)


@dataclass
class Records:
    """Records of one name: columns of words (for a fluent the value is the last), arrivals, starts and ends.

    `begins` are the starts of the admitted parts, later than `starts` for records that arrived too late for their
    window; None if all records are admitted whole. `places` is the order of reading, needed for retractions only.
    `is_clean` is whether no event is a duplicate, and no two intervals of an FVP overlap or touch; None if not computed
    yet. Events before `clean_until` are known to be no duplicates. `is_first` marks the first arrival of each group of
    duplicate events.
    """

    columns: list[Int64]
    arrivals: Int64
    starts: Int64
    ends: Int64 | None
    begins: Int64 | None = None
    places: Int64 | None = None
    is_sorted: bool = False
    longest: int = 0
    is_clean: bool | None = None
    clean_until: int = LONG_AGO
    is_first: NDArray[np.bool_] | None = None
    is_prompt: bool = False
    arrives_in_order: bool = False
    _numbers: dict[tuple[int, ...], Int64] = field(default_factory=dict, repr=False)
    _incomplete: dict[tuple[int, ...], Int64] = field(default_factory=dict, repr=False)
    """Numbers from before records were appended, which have none yet."""

    def __len__(self) -> int:
        return len(self.starts)

    def append(self, more: Records) -> None:
        """Add records of the same name."""
        arrive_at_start = self.arrivals is self.starts and more.arrivals is more.starts
        self.columns = list(concatenate_columns([self.columns, more.columns]))
        if self.begins is not None or more.begins is not None:
            self.begins = np.concatenate((self.seen_from, more.seen_from))
        if self.places is not None or more.places is not None:
            self.places = np.concatenate((self.read_at, more.read_at))
        starts = np.concatenate((self.starts, more.starts))
        self.arrivals = starts if arrive_at_start else np.concatenate((self.arrivals, more.arrivals))
        self.starts = starts
        if self.ends is not None and more.ends is not None:
            self.ends = np.concatenate((self.ends, more.ends))
        self._numbers.pop(_OWN, None)
        known, fill = {**self._incomplete, **self._numbers}, np.full(len(more), _NO_NUMBER, dtype=np.int64)
        self._incomplete = {positions: np.concatenate((each, fill)) for positions, each in known.items()}
        self._numbers = {}
        clean_until = self._clean_before(int(more.starts.min(initial=OPEN)))
        self._unsort()
        self.clean_until = clean_until

    def _clean_before(self, start: int) -> int:
        """The time-point before which events stay without duplicates if others from a start on are added."""
        if self.ends is not None:
            return LONG_AGO
        return start if self.is_clean else min(start, self.clean_until)

    def _unsort(self) -> None:
        """Invalidate the cached properties of all records."""
        self.is_sorted, self.is_clean, self.is_first, self.clean_until = False, None, None, LONG_AGO

    def sort(self) -> None:
        """Sort by time, and compute whether records arrive in time and in order."""
        if self.is_sorted:
            return
        n_descents = np.count_nonzero(self.starts[1:] < self.starts[:-1])
        if n_descents:
            # A stable sort merges sorted runs.
            self._keep(self.starts.argsort(kind="stable" if n_descents * _LONG_RUN < len(self) else None))
        if self.ends is not None and len(self.ends):
            self.longest = int((self.ends - self.starts).max())
        arrive_at_start = self.arrivals is self.starts
        self.is_prompt = arrive_at_start or not np.count_nonzero(self.arrivals > self.starts)
        self.arrives_in_order = arrive_at_start or not np.count_nonzero(self.arrivals[1:] < self.arrivals[:-1])
        self.is_sorted = True

    def _check(self) -> None:
        """Sort, and compare the records with each other."""
        self.sort()
        if self.is_clean is None:
            self.is_clean = self._is_distinct() if self.ends is None else self._is_maximal(self.ends)

    def _is_distinct(self) -> bool:
        later = [column[self.starts.searchsorted(self.clean_until) :] for column in (self.starts, *self.columns)]
        if len(later[0]) < len(self) and distinct_rows(later, len(later[0])) is None:
            return True
        n_times = np.count_nonzero(self.starts[1:] != self.starts[:-1]) + 1
        is_spread = bool(len(self) <= _ROWS_AT_A_TIME * n_times)
        rows = distinct_rows((self.starts, *self.columns), len(self), are_nearly_sorted=is_spread)
        if rows is None:
            return True
        if not self.arrives_in_order:
            order = self.arrivals.argsort(kind="stable")
            firsts = distinct_rows([column[order] for column in self._facts], len(self))
            assert firsts is not None
            rows = order[firsts]
        self.is_first = np.zeros(len(self), dtype=bool)
        self.is_first[rows] = True
        return False

    def _is_maximal(self, ends: Int64) -> bool:
        return len(merge_intervals(self._fvps(), self.seen_from, ends)[0]) == len(self)

    def _fvps(self) -> Int64:
        """A number for the FVP of each record of a fluent, valid for these records only."""
        if _OWN not in self._numbers:
            arguments = self._numbers.get(tuple(range(len(self.columns) - 1)))
            keys = self.columns if arguments is None else [arguments, self.columns[-1]]
            self._numbers[_OWN] = dense_ids(keys, len(self))[0]
        return self._numbers[_OWN]

    def number(self, positions: tuple[int, ...], instances: TupleIds) -> None:
        """Number the instances at some positions, for the tables made of these records."""
        if positions in self._numbers:
            return
        columns = [self.columns[position] for position in positions]
        numbers = self._incomplete.pop(positions, None)
        if numbers is None:
            numbers = instances.numbers(columns, len(self))
        else:
            rows = (numbers == _NO_NUMBER).nonzero()[0]
            numbers[rows] = instances.numbers([column[rows] for column in columns], len(rows))
        self._numbers[positions] = numbers

    def evict(self, before: int, known: int) -> None:
        """Drop the records that arrived by `known` and end before a time-point, once they are the larger part."""
        is_evictable = self._is_evictable(before, known)
        if is_evictable is not None:
            self._keep(np.flatnonzero(~is_evictable))

    def evictable(self, before: int, known: int) -> Records:
        """The records that `evict` would drop."""
        is_evictable = self._is_evictable(before, known)
        return self.take(np.empty(0, dtype=np.int64) if is_evictable is None else np.flatnonzero(is_evictable))

    def _is_evictable(self, before: int, known: int) -> Mask | None:
        if self.is_sorted and 2 * self.starts.searchsorted(before) < len(self):
            return None
        is_evictable = (self.lasts < before) & (self.arrivals <= known)
        return is_evictable if np.count_nonzero(is_evictable) * 2 > len(self) else None

    def _keep(self, rows: Int64) -> None:
        self.columns = [column[rows] for column in self.columns]
        starts = self.starts[rows]
        self.arrivals = starts if self.arrivals is self.starts else self.arrivals[rows]
        self.starts = starts
        self.begins = None if self.begins is None else self.begins[rows]
        self.places = None if self.places is None else self.places[rows]
        self.ends = None if self.ends is None else self.ends[rows]
        self.is_first = None if self.is_first is None else self.is_first[rows]
        self._numbers = {positions: numbers[rows] for positions, numbers in self._numbers.items()}
        self._incomplete = {positions: numbers[rows] for positions, numbers in self._incomplete.items()}

    def events(self, first: int, last: int, arrived_by: int, wanted: Wanted | None = None) -> PointTable:
        """The events between two time-points that have arrived by a third, without duplicates."""
        self._check()
        return self._slice(first, last, arrived_by, self.is_first, wanted)

    def mentioned(self, first: int, last: int, arrived_by: int, wanted: Wanted | None = None) -> PointTable:
        """The events between two time-points that have arrived by a third, with duplicates."""
        self.sort()
        return self._slice(first, last, arrived_by, None, wanted)

    def _slice(
        self, first: int, last: int, arrived_by: int, is_first: NDArray[np.bool_] | None, wanted: Wanted | None
    ) -> PointTable:
        low, high = self.starts.searchsorted((first, last + 1)).tolist()
        columns = tuple(column[low:high] for column in (*self.columns, self.starts))
        table = PointTable(columns, high - low)
        for positions, numbers in self._numbers.items():
            table.with_numbers(positions, numbers[low:high])
        masks = [] if wanted is None else [wanted(columns[:-1])]
        arrivals = self.arrivals[low:high]
        if int(arrivals.max(initial=LONG_AGO)) > arrived_by:
            masks.append(arrivals <= arrived_by)
        if is_first is not None:
            masks.append(is_first[low:high])
        chosen = [mask for mask in masks if mask is not None]
        if not chosen:
            return table
        is_seen = chosen[0] if len(chosen) == 1 else np.logical_and.reduce(chosen)
        return table if np.count_nonzero(is_seen) == table.n else table.take(is_seen.nonzero()[0])

    def intervals(
        self,
        first: int,
        last: int,
        arrived_by: int,
        *,
        left_open: tuple[int, int] | None = None,
        as_if_whole: bool = False,
    ) -> FluentTable:
        """The maximal intervals that overlap a range of time-points and have arrived by a third.

        A record over exactly the interval `left_open` counts as open. Cut intervals begin at `begins`, or with
        `as_if_whole` at their starts.
        """
        assert self.ends is not None
        self._check()
        low, high = self.starts.searchsorted((first - self.longest, last + 1)).tolist()
        is_there = (self.ends[low:high] > first) & (self.arrivals[low:high] <= arrived_by)
        if self.begins is not None:
            is_there &= self.begins[low:high] <= last
        rows = low + is_there.nonzero()[0]
        starts, ends = (self.starts if as_if_whole else self.seen_from)[rows], self.ends[rows]
        if left_open is not None:
            ends = np.where((self.starts[rows] == left_open[0]) & (ends == left_open[1]), OPEN, ends)
        if not self.is_clean or as_if_whole:
            rows, starts, ends = self._merged(rows, starts, ends)
        table = FluentTable((*(column[rows] for column in self.columns), starts, ends), len(rows))
        for positions, numbers in self._numbers.items():
            if positions != _OWN:
                table.with_numbers(positions, numbers[rows])
        return table

    def n_between(self, first: int, last: int) -> int:
        """The number of records that begin between two time-points."""
        self.sort()
        low, high = self.starts.searchsorted((first, last + 1)).tolist()
        return int(high - low)

    def dropped_by(self, queries: QuerySchedule, end: int) -> Records:
        """The records that the windows of query times drop."""
        if self.is_sorted and self.is_prompt:
            return self.take(np.empty(0, dtype=np.int64))
        outcome = self.admission_outcome(queries, end)
        return self.take(outcome.rows[outcome.dropped])

    def new_to(self, queries: QuerySchedule, first: int, last: int) -> Records:
        """The records between two time-points that have arrived, and had not arrived or not begun before."""
        after, until = queries.range
        after = LONG_AGO if after == until else after
        self.sort()
        rows = self.arriving(after, until)
        low, high = self.starts.searchsorted((after, last), side="right").tolist()
        if len(rows) == 0 and low == high:
            return self._nothing()
        begun = low + (self.arrivals[low:high] <= after).nonzero()[0]
        rows = np.concatenate((rows[self.starts[rows] <= last], begun))
        return self.take(rows[self.lasts[rows] >= first])

    def known(self, first: int, last: int, arrived_by: int) -> Records:
        """The records between two time-points that have arrived by a third."""
        return self.take(((self.starts <= last) & (self.lasts >= first) & (self.arrivals <= arrived_by)).nonzero()[0])

    def as_points(self) -> PointTable:
        """The records of events as a table, with duplicates."""
        return PointTable((*self.columns, self.starts), len(self))

    def as_intervals(self) -> FluentTable:
        """The records of FVPs as a table, not maximal."""
        assert self.ends is not None
        return FluentTable((*self.columns, self.starts, self.ends), len(self))

    def cut_rows(self, last: int, arrived_by: int) -> Int64:
        """The rows that have arrived and whose admitted part begins after their start, up to a time-point."""
        if self.begins is None:
            return np.empty(0, dtype=np.int64)
        is_cut = (self.begins > self.starts) & (self.begins <= last) & (self.arrivals <= arrived_by)
        rows: Int64 = is_cut.nonzero()[0]
        return rows

    @property
    def seen_from(self) -> Int64:
        """The start of the admitted part of each record."""
        return self.starts if self.begins is None else self.begins

    @property
    def read_at(self) -> Int64:
        """The place of each record in the order of reading; 0 if places are not stored."""
        return np.zeros(len(self), dtype=np.int64) if self.places is None else self.places

    @property
    def lasts(self) -> Int64:
        """The last time of each record."""
        return self.starts if self.ends is None else self.ends - 1

    def last_time_point(self, tick: int) -> int:
        """The last time-point of at least one record; of an interval without an end, its start."""
        if self.ends is None:
            return int(self.starts.max())
        return int(np.where(self.ends == OPEN_END, self.starts, (self.ends - 1) // tick * tick).max())

    @property
    def _facts(self) -> list[Int64]:
        """The columns that decide whether two records are equal: all but the arrival."""
        return [*self.columns, self.starts, *([] if self.ends is None else [self.ends])]

    def distinct(self) -> Records:
        """The records without duplicates; of equal records the first to arrive."""
        if distinct_rows(self._facts, len(self)) is None:
            return self
        order = np.argsort(self.arrivals, kind="stable")[::-1]
        ids = dense_ids([column[order] for column in self._facts], len(self))[0]
        first = np.empty(int(ids.max()) + 1 if len(ids) else 0, dtype=np.int64)
        first[ids] = order
        return self if len(first) == len(self) else self.take(np.sort(first))

    def without(self, others: Records) -> Records:
        """The records that are not among others of the same name; the others arrive before all of them."""
        if not len(self):
            return self
        others.sort()
        low, high = others.starts.searchsorted((self.starts.min(), self.starts.max() + 1)).tolist()
        rows = low + (others.arrivals[low:high] <= self.arrivals.min()).nonzero()[0]
        is_there = rows_with_a_partner(self._facts, len(self), [column[rows] for column in others._facts], len(rows))
        return self.take((~is_there).nonzero()[0]) if is_there.any() else self

    def take(self, rows: Int64) -> Records:
        """The records at some rows."""
        if len(rows) == 0:
            return self._nothing()
        taken = Records(self.columns, self.arrivals, self.starts, self.ends, self.begins, self.places)
        taken._keep(rows)
        return taken

    def _nothing(self) -> Records:
        """No records of this name."""
        ends, begins = (None if each is None else _NO_TIMES for each in (self.ends, self.begins))
        places = None if self.places is None else _NO_TIMES
        return Records([_NO_TIMES] * len(self.columns), _NO_TIMES, _NO_TIMES, ends, begins, places)

    def subset(self, rows: Int64) -> Records:
        """The records at ascending rows of sorted records, with the properties and numbers of all."""
        self.sort()
        taken = replace(self, _numbers=dict(self._numbers), _incomplete={})
        taken._keep(rows)
        return taken

    def joined(self, more: Records) -> Records:
        """These records, followed by others of the same name."""
        together = Records(self.columns, self.arrivals, self.starts, self.ends, self.begins, self.places)
        together.append(more)
        return together

    def _merged(self, rows: Int64, starts: Int64, ends: Int64) -> tuple[Int64, Int64, Int64]:
        """The maximal intervals of some rows, each with a row of its FVP."""
        fvps = self._fvps()[rows]
        row_of = np.empty(int(fvps.max(initial=-1)) + 1, dtype=np.int64)
        row_of[fvps] = rows
        merged, starts, ends = merge_intervals(fvps, starts, ends)
        return row_of[merged], starts, ends

    def up_to(self, end: int) -> Records:
        """The records that begin at or before the end of a run."""
        if int(self.starts.max(initial=LONG_AGO)) <= end:
            return self
        return self.take(np.flatnonzero(self.starts <= end))

    def count_outside(self, start: int, end: int) -> int:
        """The number of records that share no time-point with a run."""
        lasts = self.lasts
        if not len(self) or (int(self.starts.max()) <= end and int(lasts.min()) >= start):
            return 0
        return int(np.count_nonzero((self.starts > end) | (lasts < start)))

    def admit(self, queries: QuerySchedule, end: int, tick: int) -> AdmissionCounts:
        """Keep the records that the window of the query time which sees them first admits, and count the others.

        A record that ends before that window is dropped; a record that began before the window is cut to it. A record
        that arrives no later than its start is in time for every window, since no window is shorter than the step.
        """
        if self.is_sorted and self.is_prompt:
            return AdmissionCounts()
        outcome = self.admission_outcome(queries, end)
        counts = AdmissionCounts.of(outcome, self.starts[outcome.rows], tick)
        if counts.n_cut:
            self.begins = self.seen_from.copy()
            self.begins[outcome.rows[outcome.cut]] = (outcome.oldest[outcome.cut] // tick + 1) * tick
            self._unsort()
        if counts.n_dropped:
            self._keep(np.delete(np.arange(len(self), dtype=np.int64), outcome.rows[outcome.dropped]))
        return counts

    def admission_outcome(self, queries: QuerySchedule, end: int) -> AdmissionOutcome:
        """The admission of the records that arrive in the range of the query times, up to the end of the run."""
        rows = self.arriving(*queries.range)
        rows = rows[self.starts[rows] <= end]
        seen_at = queries.seen_at(self.arrivals[rows])
        oldest, starts = queries.oldest(seen_at), self.starts[rows]
        dropped = np.minimum(self.lasts[rows], end) <= oldest
        cut = ~dropped & (starts <= oldest)
        late = ~dropped & ~cut & (starts <= queries.before(seen_at))
        return AdmissionOutcome(rows, seen_at, oldest, dropped, cut, late)

    def arriving(self, after: int, until: int) -> Int64:
        """The rows that arrive after one time, up to another."""
        if self.is_sorted and self.arrives_in_order:
            low, high = self.arrivals.searchsorted((after, until), side="right").tolist()
            return np.arange(low, high, dtype=np.int64)
        rows: Int64 = ((self.arrivals <= until) & (self.arrivals > after)).nonzero()[0]
        return rows

    def arrive(self, at: int) -> None:
        """Set the arrival of all records that arrive by a time to `LONG_AGO`."""
        if int(self.arrivals.max(initial=LONG_AGO)) <= at:
            self.arrivals = np.broadcast_to(np.int64(LONG_AGO), len(self))
        else:
            self.arrivals = np.where(self.arrivals <= at, LONG_AGO, self.arrivals)


_NO_TIMES = np.empty(0, dtype=np.int64)
_OWN = (-1,)  # a key besides positions of columns, for numbers that are valid for these records only


def concatenate_records(parts: Sequence[Records]) -> Records:
    """The records of all parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    ends = [part.ends for part in parts if part.ends is not None]
    places = None if all(part.places is None for part in parts) else np.concatenate([part.read_at for part in parts])
    starts = np.concatenate([part.starts for part in parts])
    arrive_at_start = all(part.arrivals is part.starts for part in parts)
    return Records(
        list(concatenate_columns(part.columns for part in parts)),
        starts if arrive_at_start else np.concatenate([part.arrivals for part in parts]),
        starts,
        np.concatenate(ends) if ends else None,
        places=places,
    )
