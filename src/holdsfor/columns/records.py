"""Input records as columns, found by time.

The records of one name are kept sorted by the time-point they begin at, so that a window is a slice of them. What is
true of all of them is found out once and need not be looked at in every window: which events are there twice, that
intervals are maximal as they are, which instances the records are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.instances import Instances
from holdsfor.columns.tables import FluentTable, PointTable
from holdsfor.kernels.keys import Int64, dense_ids, distinct_rows, pairs_of_equal_keys
from holdsfor.kernels.sweep import merge_intervals

__all__ = ["Records"]


@dataclass
class Records:
    """Records of one name: columns of words (for a fluent the value is the last), arrivals, and when they hold.

    `begins` are the starts as they are seen, where they came too late for a part; None where all are seen whole. They
    are `is_clean` if no event is there twice, and no two intervals of an FVP overlap or touch; None is not known. Of
    events that are there twice, `is_first` tells which is the first to arrive: whoever sees one of them sees that one.
    """

    columns: list[Int64]
    arrivals: Int64
    starts: Int64
    ends: Int64 | None
    begins: Int64 | None = None
    is_sorted: bool = False
    longest: int = 0
    is_clean: bool | None = None
    is_first: NDArray[np.bool_] | None = None
    is_prompt: bool = False
    arrives_in_order: bool = False
    _numbers: dict[tuple[int, ...], Int64] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.starts)

    def append(self, more: Records) -> None:
        """Add records of the same name."""
        self.columns = [np.concatenate(pair) for pair in zip(self.columns, more.columns, strict=True)]
        self.arrivals = np.concatenate((self.arrivals, more.arrivals))
        if self.begins is not None or more.begins is not None:
            self.begins = np.concatenate((self.seen_from, more.seen_from))
        self.starts = np.concatenate((self.starts, more.starts))
        if self.ends is not None and more.ends is not None:
            self.ends = np.concatenate((self.ends, more.ends))
        self._numbers.clear()
        self._unsort()

    def _unsort(self) -> None:
        """Let be found out again what is true of all records."""
        self.is_sorted, self.is_clean, self.is_first = False, None, None

    def sort(self) -> None:
        """Sort by time, and find out what is true of all records."""
        if self.is_sorted:
            return
        if np.count_nonzero(self.starts[1:] < self.starts[:-1]):
            self._keep(self.starts.argsort())
        if self.ends is not None and len(self.ends):
            self.longest = int((self.ends - self.starts).max())
        self.is_prompt = not np.count_nonzero(self.arrivals > self.starts)
        self.arrives_in_order = not np.count_nonzero(self.arrivals[1:] < self.arrivals[:-1])
        if self.is_clean is None:
            self.is_clean = self._is_distinct() if self.ends is None else self._is_maximal(self.ends)
        self.is_sorted = True

    def _is_distinct(self) -> bool:
        rows = distinct_rows(self._facts, len(self))
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
        """A number for the FVP of each record of a fluent, for these records only."""
        if _OWN not in self._numbers:
            arguments = self._numbers.get(tuple(range(len(self.columns) - 1)))
            keys = self.columns if arguments is None else [arguments, self.columns[-1]]
            self._numbers[_OWN] = dense_ids(keys, len(self))[0]
        return self._numbers[_OWN]

    def number(self, positions: tuple[int, ...], instances: Instances) -> None:
        """Number the instances that columns make up: tables of these records will know them."""
        if positions not in self._numbers:
            columns = [self.columns[position] for position in positions]
            self._numbers[positions] = instances.numbers(columns, len(self))

    def forget(self, before: int, known: int) -> None:
        """Drop the records known by then that are over before a time-point, once they are the larger part."""
        if self.is_sorted and 2 * self.starts.searchsorted(before) < len(self):
            return
        keep = (self.lasts >= before) | (self.arrivals > known)
        if np.count_nonzero(keep) * 2 < len(keep):
            self._keep(np.flatnonzero(keep))

    def _keep(self, rows: Int64) -> None:
        self.columns = [column[rows] for column in self.columns]
        self.arrivals, self.starts = self.arrivals[rows], self.starts[rows]
        self.begins = None if self.begins is None else self.begins[rows]
        self.ends = None if self.ends is None else self.ends[rows]
        self.is_first = None if self.is_first is None else self.is_first[rows]
        self._numbers = {positions: numbers[rows] for positions, numbers in self._numbers.items()}

    def events(self, first: int, last: int) -> PointTable:
        """The events between two time-points that have arrived by the second, each once."""
        self.sort()
        return self._slice(first, last, last, self.is_first)

    def mentioned(self, first: int, last: int, arrived_by: int) -> PointTable:
        """The events between two time-points that have arrived by a third; one may be there several times."""
        self.sort()
        return self._slice(first, last, arrived_by, None)

    def _slice(self, first: int, last: int, arrived_by: int, is_wanted: NDArray[np.bool_] | None) -> PointTable:
        low, high = self.starts.searchsorted((first, last + 1)).tolist()
        columns = tuple(column[low:high] for column in (*self.columns, self.starts))
        table = PointTable(columns, high - low)
        for positions, numbers in self._numbers.items():
            table.with_numbers(positions, numbers[low:high])
        is_seen: NDArray[np.bool_] = self.arrivals[low:high] <= arrived_by
        if is_wanted is not None:
            is_seen &= is_wanted[low:high]
        return table if np.count_nonzero(is_seen) == table.n else table.take(is_seen.nonzero()[0])

    def intervals(self, first: int, last: int) -> FluentTable:
        """The maximal intervals that reach into a stretch of time-points and have arrived by its end."""
        assert self.ends is not None
        self.sort()
        low, high = self.starts.searchsorted((first - self.longest, last + 1)).tolist()
        is_there = (self.ends[low:high] > first) & (self.arrivals[low:high] <= last)
        if self.begins is not None:
            is_there &= self.begins[low:high] <= last
        rows = low + is_there.nonzero()[0]
        starts, ends = self.seen_from[rows], self.ends[rows]
        if not self.is_clean:
            rows, starts, ends = self._merged(rows, starts, ends)
        table = FluentTable((*(column[rows] for column in self.columns), starts, ends), len(rows))
        for positions, numbers in self._numbers.items():
            if positions != _OWN:
                table.with_numbers(positions, numbers[rows])
        return table

    @property
    def seen_from(self) -> Int64:
        """Where each record begins as it is seen."""
        return self.starts if self.begins is None else self.begins

    @property
    def lasts(self) -> Int64:
        """The last moment of each record."""
        return self.starts if self.ends is None else self.ends - 1

    def partners(self, taken: Records) -> Int64:
        """For each record of `taken` an equal one here (whatever their arrivals), or -1; none is given twice.

        Of equal records here the last to arrive is given first, of equal ones in `taken` the first is served first.
        Contract: `taken` is of the same name. O((n + m) log(n + m)) in the records here that begin when taken ones do.
        """
        partner = np.full(len(taken), -1, dtype=np.int64)
        if len(taken) == 0 or len(self) == 0:
            return partner
        self.sort()
        low = int(np.searchsorted(self.starts, taken.starts.min()))
        high = int(np.searchsorted(self.starts, taken.starts.max(), side="right"))
        columns = [np.concatenate((a[low:high], b)) for a, b in zip(self._facts, taken._facts, strict=True)]
        ids = dense_ids(columns, len(columns[0]))[0]
        here, there = ids[: high - low], ids[high - low :]
        given, served = np.lexsort((~self.arrivals[low:high], here)), np.argsort(there, kind="stable")
        here, there = here[given], there[served]
        row, position = pairs_of_equal_keys([there, _ranks(there)], len(there), [here, _ranks(here)], len(here))
        partner[served[row]] = low + given[position]
        return partner

    def take_back(self, rows: Int64, previous: int | None, oldest: int, tick: int) -> None:
        """Take records away; of one that a query time has seen, and that begins before the window, what lies in it."""
        keep = np.ones(len(self), dtype=bool)
        keep[rows] = False
        if self.ends is not None and previous is not None:
            begun = rows[(self.starts[rows] <= oldest) & (self.arrivals[rows] <= previous)]
            keep[begun] = True
            self.ends = self.ends.copy()
            self.ends[begun] = (oldest // tick + 1) * tick
            self._unsort()
        if self.is_first is not None:
            self._unsort()  # it may be the first of equal events that goes
        self._keep(np.flatnonzero(keep))

    @property
    def _facts(self) -> list[Int64]:
        """All that makes two records equal: everything but their arrival."""
        return [*self.columns, self.starts, *([] if self.ends is None else [self.ends])]

    def distinct(self) -> Records:
        """Each record once, whatever the arrivals: the first to arrive."""
        order = np.argsort(self.arrivals, kind="stable")[::-1]
        ids = dense_ids([column[order] for column in self._facts], len(self))[0]
        first = np.empty(int(ids.max()) + 1 if len(ids) else 0, dtype=np.int64)
        first[ids] = order
        return self if len(first) == len(self) else self.take(np.sort(first))

    def take(self, rows: Int64) -> Records:
        """The records at some places."""
        taken = Records(self.columns, self.arrivals, self.starts, self.ends, self.begins)
        taken._keep(rows)
        return taken

    def joined(self, more: Records) -> Records:
        """These records and then others of the same name."""
        together = Records(self.columns, self.arrivals, self.starts, self.ends, self.begins)
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
        rows = np.flatnonzero(self.starts <= end)
        return self if len(rows) == len(self) else self.take(rows)

    def count_outside(self, start: int, end: int) -> int:
        """How many records share no time-point with a run."""
        return int(np.count_nonzero((self.starts > end) | (self.lasts < start)))

    def admit(
        self, queries: Sequence[int], previous: int | None, window: int | None, start: int, tick: int
    ) -> tuple[int, int]:
        """Judge what arrives until the query times, after the `previous` one: how many are late, and how many too late.

        A record is seen first at the first query time after its arrival. If it is over by the window of that query
        time, it is gone; what began before that window begins with it. A record that arrives no later than it begins is
        in time for every window, since none is shorter than the step.
        """
        if (previous is None and len(queries) == 1) or (self.is_sorted and self.is_prompt):
            return 0, 0
        new = self._arriving(queries[0] if previous is None else previous, queries[-1])
        if len(new) == 0:
            return 0, 0
        known = np.array([_LONG_AGO if previous is None else previous, *queries], dtype=np.int64)
        position = known.searchsorted(self.arrivals[new])
        starts, last = self.starts[new], self.lasts[new]
        oldest = _oldest(known[position], window, start)
        dropped = last <= oldest
        late = ~dropped & (last <= known[position - 1])
        cut = (~dropped & (starts <= oldest)).nonzero()[0]
        if len(cut):
            self.begins = self.seen_from.copy()
            self.begins[new[cut]] = (oldest[cut] // tick + 1) * tick
            self._unsort()
        if np.count_nonzero(dropped):
            keep = np.ones(len(self), dtype=bool)
            keep[new[dropped]] = False
            self._keep(keep.nonzero()[0])
        return int(np.count_nonzero(late)), int(np.count_nonzero(dropped))

    def _arriving(self, after: int, until: int) -> Int64:
        """The rows that arrive between two time-points, the second included."""
        if self.is_sorted and self.arrives_in_order:
            low, high = self.arrivals.searchsorted((after, until), side="right").tolist()
            return np.arange(low, high, dtype=np.int64)
        rows: Int64 = ((self.arrivals <= until) & (self.arrivals > after)).nonzero()[0]
        return rows

    def arrive(self, at: int) -> None:
        """Let everything that arrives by then be there."""
        self.arrivals = np.where(self.arrivals <= at, _LONG_AGO, self.arrivals)


_OWN = (-1,)  # not the positions of columns: numbers that mean nothing to others
_LONG_AGO = int(np.iinfo(np.int64).min)


def _oldest(seen_at: Int64, window: int | None, start: int) -> Int64:
    """What is over by then is too late for a query time; nothing is while the window reaches back to the start."""
    if window is None:
        return np.full(len(seen_at), _LONG_AGO, dtype=np.int64)
    return np.where(seen_at - window >= start, seen_at - window, _LONG_AGO)


def _ranks(ordered: Int64) -> Int64:
    """How many equal numbers stand before each, in numbers that ascend.

    >>> _ranks(np.array([3, 3, 5, 9, 9, 9])).tolist()
    [0, 1, 0, 0, 1, 2]
    """
    return np.arange(len(ordered), dtype=np.int64) - np.searchsorted(ordered, ordered).astype(np.int64)
