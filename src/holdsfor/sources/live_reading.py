"""The records that a live input has delivered and that no query time has taken yet.

The order of delivery decides: a record arrives at the arrival that it states, but no earlier than the records delivered
before it. So the arrivals of an input never decrease, and the latest arrival is the input's clock. The records that
have arrived by a query time depend on the stream alone, not on its division into chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from holdsfor.columns.recoding import Recoding
from holdsfor.columns.retractions import Retractions as Retracted
from holdsfor.columns.tables import Key
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.sources.reading import ColumnReading, Group, Operations, ReadRecords, Retraction
from holdsfor.sources.revision_ids import pair_revisions
from holdsfor.sources.text_records import SetAside

__all__ = ["LiveReading", "take_due"]

Pieces = dict[Group, list[ReadRecords]]
Retractions = dict[Group, list[Retraction]]


@dataclass
class LiveReading(ColumnReading):
    """Records of a chunk `arrive`, then wait for the query time that takes all due records.

    `clock` is the latest arrival, `first_start` the time-point of the first record delivered, `last` the last
    time-point of any record, `n_waiting` the number of records and retractions that have arrived and are not taken.
    """

    follows_time: ClassVar[bool] = True

    clock: int | None = None
    first_start: int | None = None
    last: int | None = None
    n_waiting: int = 0
    _new: list[ReadRecords] = field(default_factory=list)
    _new_retractions: list[tuple[Group, Retraction]] = field(default_factory=list)
    _passed: list[tuple[Int64, Int64]] = field(default_factory=list)

    def add(self, piece: ReadRecords) -> None:
        self._new.append(piece)

    def retract(self, is_event: bool, key: Key, retractions: Iterable[Retraction]) -> None:
        self._new_retractions += [((is_event, key), retraction) for retraction in retractions]

    def note_unused(self, arrivals: Int64, places: Int64) -> None:
        self._passed.append((arrivals, places))

    def arrive(self, earliest: int) -> None:
        """Assign arrivals to the records read since the last call, at or after `earliest` and all earlier arrivals."""
        if self.revisions:
            self.revisions, alone = pair_revisions(self.revisions)
            self.unmatched += alone
        pieces, retractions = self._new, self._new_retractions
        stated = [(piece.records.arrivals, piece.places) for piece in pieces]
        stated += [(_column(r.arrival), _column(r.place)) for _, r in retractions]
        stated += self._passed
        arrivals = _ascending_arrivals(stated, earliest if self.clock is None else max(earliest, self.clock))
        self.clock = max((int(each.max()) for each in arrivals if len(each)), default=self.clock)
        self._new, self._new_retractions, self._passed = [], [], []
        for piece, arrived in zip(pieces, arrivals, strict=False):
            super().add(replace(piece, records=replace(piece.records, arrivals=arrived)))
        for ((is_event, key), retraction), arrived in zip(retractions, arrivals[len(pieces) :], strict=False):
            super().retract(is_event, key, [replace(retraction, arrival=int(arrived[0]))])
        self._extend(pieces, len(retractions))

    def _extend(self, pieces: list[ReadRecords], n_retractions: int) -> None:
        self.n_waiting += n_retractions
        if not pieces:
            return
        self.n_waiting += sum(len(piece.records) for piece in pieces)
        if self.first_start is None:
            first = min(pieces, key=lambda piece: int(piece.places[0]))
            self.first_start = int(first.records.starts[0])
        lasts = [piece.records.last_time_point(1) for piece in pieces]
        self.last = max([*lasts, *([] if self.last is None else [self.last])])

    @property
    def next_arrival(self) -> int:
        """The first arrival among the records that are not taken."""
        arrivals = [int(piece.records.arrivals.min()) for pieces in self._pieces.values() for piece in pieces]
        return min(arrivals + [each.arrival for group in self._retractions.values() for each in group])

    def admits(self, query_time: int, oldest: int, end: int | None) -> bool:
        """Whether a record has arrived by a query time that reaches into its window."""
        pieces = [piece.records for pieces in self._pieces.values() for piece in pieces]
        pieces += [named.retractions.records for named in self.unsettled() if named.retractions is not None]
        for records in pieces:
            lasts = records.lasts if end is None else np.minimum(records.lasts, end)
            is_of_run = True if end is None else records.starts <= end
            if ((records.arrivals <= query_time) & (lasts > oldest) & is_of_run).any():
                return True
        return False

    def recode(self, recoding: Recoding) -> None:
        """Translate the words of the records that are not taken to a new table of symbols."""
        for pieces in self._pieces.values():
            for piece in pieces:
                piece.records.columns = recoding.all_words(piece.records.columns)
        for (is_event, _), group in self._retractions.items():
            n_times = 1 if is_event else 2
            group[:] = [replace(each, row=_recoded(each.row, n_times, recoding)) for each in group]

    def move_arrived(self, query_time: int, target: ColumnReading, first_place: int) -> None:
        """Move the records that have arrived by a query time to another reading, with places from `first_place` on."""
        arrived, self._pieces = _cut_pieces(self._pieces, query_time)
        retractions, self._retractions = _cut_retractions(self._retractions, query_time)
        for pieces in arrived.values():
            self.n_waiting -= sum(len(piece.records) for piece in pieces)
            for piece in pieces:
                target.add(replace(piece, places=piece.places + first_place))
        for (is_event, key), group in retractions.items():
            self.n_waiting -= len(group)
            target.retract(is_event, key, [replace(each, place=each.place + first_place) for each in group])

    def restore_waiting(self, operations: Iterable[Operations]) -> None:
        """Add the `unsettled` operations of another reading to those that are not taken."""
        for each in operations:
            group = each.is_event, each.key
            if len(each.records):
                records = replace(each.records, places=None)
                self._pieces[group] = [ReadRecords(*group, records, each.records.read_at)]
            if each.retractions is not None:
                self._retractions[group] = _as_read(each.retractions)
            self.n_waiting += each.n


def take_due(readings: Sequence[LiveReading], query_time: int) -> list[Operations]:
    """Take the records that have arrived by a query time on several inputs: in order of arrival, then of the inputs."""
    together = ColumnReading()
    for number, reading in enumerate(readings):
        reading.move_arrived(query_time, together, number * _PLACES)
    return together.unsettled()


_PLACES = 1 << 48
"""More places than an input has records."""


def _recoded(row: tuple[int, ...], n_times: int, recoding: Recoding) -> tuple[int, ...]:
    """The words and times of a retraction, with its words translated."""
    words = np.array(row[:-n_times], dtype=np.int64)
    return (*recoding.words(words).tolist(), *row[-n_times:])


def _as_read(retractions: Retracted[SetAside]) -> list[Retraction]:
    """Retractions one by one."""
    named = retractions.records
    columns = [*named.columns, named.starts, *([] if named.ends is None else [named.ends])]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    placed = zip(rows, named.arrivals.tolist(), named.read_at.tolist(), retractions.origins, strict=True)
    return [Retraction(*each) for each in placed]


def _column(value: int) -> Int64:
    return np.array([value], dtype=np.int64)


def _ascending_arrivals(stated: list[tuple[Int64, Int64]], earliest: int) -> list[Int64]:
    """The arrivals of records, given as (arrivals, places), raised so that they never decrease from place to place."""
    if not stated:
        return []
    arrivals, places = concatenate_columns(stated)
    order = np.argsort(places)
    arrivals[order] = np.maximum(np.maximum.accumulate(arrivals[order]), earliest)
    return np.split(arrivals, np.cumsum([len(places) for _, places in stated])[:-1])


def _cut_pieces(pieces: Pieces, query_time: int) -> tuple[Pieces, Pieces]:
    """The records that have arrived by a query time, and the remaining records."""
    arrived: Pieces = {}
    later: Pieces = {}
    for group, waiting in pieces.items():
        for piece in waiting:
            is_due = piece.records.arrivals <= query_time
            for mask, side in ((is_due, arrived), (~is_due, later)):
                if mask.any():
                    side.setdefault(group, []).append(piece if mask.all() else piece.take(mask))
    return arrived, later


def _cut_retractions(retractions: Retractions, query_time: int) -> tuple[Retractions, Retractions]:
    """The retractions that have arrived by a query time, and the remaining retractions."""
    arrived: Retractions = {}
    later: Retractions = {}
    for group, waiting in retractions.items():
        for retraction in waiting:
            side = arrived if retraction.arrival <= query_time else later
            side.setdefault(group, []).append(retraction)
    return arrived, later
