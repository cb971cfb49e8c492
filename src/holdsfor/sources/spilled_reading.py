"""A reading that writes its records to disk, for inputs that are larger than the memory for them.

`ColumnReading.settle` removes retracted records from all records. Here, only the records that a retraction concerns
are in memory; `_SettledGroup` has those of one name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QuerySchedule, QueryTimes
from holdsfor.columns.records import Records, concatenate_records
from holdsfor.columns.retractions import Retracted, Retractions, apply_retractions, related_rows
from holdsfor.columns.tables import Key
from holdsfor.kernels.keys import Int64
from holdsfor.sources.reading import ColumnReading, Group, ReadRecords, Retraction
from holdsfor.sources.sorted_runs import Extent, Merge, SortedRuns
from holdsfor.sources.text_records import SetAside

__all__ = ["SpilledReading"]

_RUN = 1 << 18
"""The number of operations of all names that are sorted in memory."""


@dataclass
class _SettledGroup:
    """The retractions of one name, the records that they concern, and the extent of the other records."""

    taken: Retractions[SetAside]
    related: Records
    others: Extent | None

    def apply(self, given: Records | None, queries: QuerySchedule, tick: int) -> Retracted:
        """The outcome of the retractions for the records that they concern, and for records given by the rules."""
        records = self.related if given is None else given.joined(self.related)
        return apply_retractions(records, self.taken.records, queries, tick)

    def others_of(self, records: Records) -> Records:
        """The records that no retraction concerns."""
        return records.take(np.delete(np.arange(len(records), dtype=np.int64), _concerned(records, self.taken.records)))


@dataclass
class SpilledReading(ColumnReading):
    """Records are written to `runs` when there are many; `finish` writes the rest and applies the retractions."""

    symbols: Symbols = field(default_factory=Symbols)
    runs: SortedRuns = field(default_factory=SortedRuns)
    _n_waiting: int = 0
    _settled: dict[Group, _SettledGroup] = field(default_factory=dict)
    _remaining: dict[Group, Records] = field(default_factory=dict)

    def add(self, piece: ReadRecords) -> None:
        super().add(piece)
        self._n_waiting += len(piece.records)

    def retract(self, is_event: bool, key: Key, retractions: Iterable[Retraction]) -> None:
        listed = list(retractions)
        super().retract(is_event, key, listed)
        self._n_waiting += len(listed)

    def end_of_block(self) -> None:
        if self._n_waiting >= _RUN:
            self._spill()

    def _spill(self) -> None:
        """Write the records that were read."""
        self.kinds = self.kinds.extended(self.pieces, {}, self.symbols)
        self.runs.append(self.unsettled())
        self._pieces.clear()
        self._retractions.clear()
        self._n_waiting = 0

    # -- inputs that turn out to be broken -----------------------------------------------------------------------------

    def mark(self) -> dict[str, Any]:
        self._spill()
        return {**super().mark(), "kinds": self.kinds, "position": self.runs.position}

    def rewind(self, mark: dict[str, Any]) -> None:
        self.runs.rewind(mark.pop("position"))
        super().rewind(mark)
        self._n_waiting = 0

    # -- retractions ---------------------------------------------------------------------------------------------------

    def finish(self, names: Names, facts: Iterable[tuple[Key, Records]] = ()) -> None:
        """Write the rest of the records, check their kinds, and find the records that retractions concern.

        Retractions may also retract facts of the rules.
        """
        self._spill()
        if self.typed:
            self.kinds.extended((), self.typed, self.symbols).check(names.joins)
        given = {(records.ends is None, key): records for key, records in facts}
        numbers = {id(origin): number for number, origin in enumerate(self.runs.origins)}
        left_over: list[tuple[int, int]] = []
        for group in self.runs.retracted:
            settled = self._settled[group] = _settled_group(self.runs, group)
            done = settled.apply(given.get(group), QueryTimes(0, 0), 1)
            self._remaining[group] = done.records
            arrivals, origins = settled.taken.records.arrivals, settled.taken.origins
            left_over += [(int(arrivals[i]), numbers[id(origins[i])]) for i in done.unmatched]
        self.unmatched += [self.runs.origins[number] for _, number in sorted(left_over)]

    def after_retractions(
        self, group: Group, given: Records | None, queries: QuerySchedule, tick: int
    ) -> Records | None:
        """The records of a name that retractions concern, after the retractions; None if the name has none."""
        settled = self._settled.get(group)
        return None if settled is None else settled.apply(given, queries, tick).records

    def others_of(self, group: Group, records: Records) -> Records:
        """The records that no retraction concerns, among some records of a name."""
        return records if group not in self._settled else self._settled[group].others_of(records)

    # -- extents -------------------------------------------------------------------------------------------------------

    def extent(self, tick: int) -> tuple[int | None, int | None]:
        """The first and the last time-point of the records that remain after all retractions."""
        found = [run.extent for run in self.runs.runs if run.group not in self._settled]
        found += [settled.others for settled in self._settled.values()]
        found += [Extent.of(records) for records in self._remaining.values()]
        extents = [each for each in found if each is not None]
        lasts = [each.last if each.end is None else (each.end - 1) // tick * tick for each in extents]
        return min((each.first for each in extents), default=None), max(lasts, default=None)

    def count_outside(self, start: int, end: int) -> int:
        """The number of records, of those that remain, that share no time-point with a run."""
        n = sum(records.count_outside(start, end) for records in self._remaining.values())
        for run in self.runs.runs:
            if run.extent is not None and not run.extent.is_within(start, end):
                records, origins = self.runs.scan(run)
                records = records.take((origins == 0).nonzero()[0])
                n += self.others_of(run.group, records).count_outside(start, end)
        return n


def _settled_group(runs: SortedRuns, group: Group) -> _SettledGroup:
    """The retractions of a name and the records that they concern, with places in the order of arrival."""
    taken = [retractions for _, retractions in _placed(runs, group)]
    together = Retractions(
        concatenate_records([each.records for each in taken]), [origin for each in taken for origin in each.origins]
    )
    related: list[Records] = []
    others: list[Extent] = []
    for records, _ in _placed(runs, group):
        rows = _concerned(records, together.records)
        related.append(records.take(rows))
        extent = Extent.of(records.take(np.delete(np.arange(len(records), dtype=np.int64), rows)))
        others += [] if extent is None else [extent]
    return _SettledGroup(together, concatenate_records(related), Extent.around(others))


def _placed(runs: SortedRuns, group: Group) -> Iterator[tuple[Records, Retractions[SetAside]]]:
    """The records and retractions of a name, with places in the order of all."""
    n = 0
    for batch in Merge(runs, {group}).batches(_RUN):
        for each in batch:
            assert each.retractions is not None
            for records in (each.records, each.retractions.records):
                records.places = records.read_at + n
            n = 1 + int(max(records.read_at.max(initial=n) for records in (each.records, each.retractions.records)))
            yield each.records, each.retractions


def _concerned(records: Records, taken: Records) -> Int64:
    """The rows that retractions concern; only retractions of the same time can."""
    if not len(records):
        return np.empty(0, dtype=np.int64)
    first, last = records.starts.min(), records.lasts.max()
    near = taken.take(((taken.starts <= last) & (taken.lasts >= first)).nonzero()[0])
    return related_rows(records, near)[0] if len(near) else np.empty(0, dtype=np.int64)
