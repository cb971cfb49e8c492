"""What was read, as columns: the twin of `Reading` for records by the million.

Records of one name wait as they were read, piece by piece, each with its place in the order of reading. `settle` puts
the pieces together and leaves out what was taken back, as `Reading.facts` does: in order of arrival, then of reading.
Only records that equal a retraction are looked at one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import Int64, mixed
from holdsfor.sources.text import Fact, SetAside
from holdsfor.syntax.terms import Struct, name_and_arity

__all__ = ["ColumnReading", "Group", "Operation", "Piece", "Retraction"]

Group = tuple[bool, Key]
"""Whether they are events, and their name and arity."""

Operation = tuple[int, int, bool, Fact, SetAside]
"""Arrival, place, whether it takes back, what it says, where it stands."""


@dataclass(frozen=True)
class Piece:
    """Records of one name, and the place of each in the order of reading."""

    is_event: bool
    key: Key
    records: Records
    places: Int64

    def take(self, which: NDArray[np.bool_]) -> Piece:
        """Some of the records."""
        return Piece(self.is_event, self.key, _picked(self.records, which), self.places[which])


@dataclass(frozen=True)
class Retraction:
    """A record that takes another back: its words and times, and what to say if there is nothing to take back."""

    row: tuple[int, ...]
    arrival: int
    place: int
    origin: SetAside


@dataclass
class ColumnReading:
    """Everything read so far; `events` and `fluents` hold it once it is settled.

    A record that comes twice is there twice. One that follows time is told when records arrive that no rule uses.
    """

    follows_time: ClassVar[bool] = False

    n_records: int = 0
    unused: Counter[str] = field(default_factory=Counter)
    set_aside: list[SetAside] = field(default_factory=list)
    events: dict[Key, Records] = field(default_factory=dict)
    fluents: dict[Key, Records] = field(default_factory=dict)
    n_places: int = 0
    _pieces: dict[Group, list[Piece]] = field(default_factory=dict)
    _retractions: dict[Group, list[Retraction]] = field(default_factory=dict)

    def extent(self, tick: int) -> tuple[int | None, int | None]:
        """The first and the last time-point of the settled records."""
        records = [r for r in (*self.events.values(), *self.fluents.values()) if len(r)]
        first = min((int(r.starts.min()) for r in records), default=None)
        lasts = [int(r.starts.max()) if r.ends is None else (int(r.ends.max()) - 1) // tick * tick for r in records]
        return first, max(lasts, default=None)

    def add(self, piece: Piece) -> None:
        """Add records that were read as columns."""
        self._pieces.setdefault((piece.is_event, piece.key), []).append(piece)

    def pass_over(self, arrivals: Int64, places: Int64) -> None:
        """Hear of records that no rule uses."""

    def take_back(self, is_event: bool, key: Key, retractions: Iterable[Retraction]) -> None:
        self._retractions.setdefault((is_event, key), []).extend(retractions)

    def add_operations(self, operations: Iterable[Operation], symbols: Symbols) -> None:
        """Add records that were read one by one."""
        added: dict[tuple[bool, Key], list[tuple[tuple[int, ...], int, int]]] = {}
        for arrival, place, is_retraction, fact, origin in operations:
            group = (fact.value is None, name_and_arity(fact.entity))
            row = _row(fact, symbols)
            if is_retraction:
                self.take_back(*group, [Retraction(row, arrival, place, origin)])
            else:
                added.setdefault(group, []).append((row, arrival, place))
        for (is_event, key), rows in added.items():
            columns = list(np.array([row for row, _, _ in rows], dtype=np.int64).T)
            ends = None if is_event else columns.pop()
            starts = columns.pop()
            arrivals, places = np.array([times for _, *times in rows], dtype=np.int64).T
            self.add(Piece(is_event, key, Records(columns, arrivals, starts, ends), places))

    def settle(self) -> None:
        """Move what was read into `events` and `fluents`, without what was taken back.

        A retraction of a record that is not there is set aside. What is settled cannot be taken back any more.
        """
        left_over = [retraction for _, retraction in self._settle()]
        left_over.sort(key=lambda retraction: (retraction.arrival, retraction.place))
        self.set_aside += [retraction.origin for retraction in left_over]

    def _settle(self) -> list[tuple[Group, Retraction]]:
        """Settle, and return the retractions that took back nothing."""
        left_over: list[tuple[Group, Retraction]] = []
        for group, pieces in self._pieces.items():
            is_event, key = group
            records = _joined([piece.records for piece in pieces])
            retractions = self._retractions.pop(group, [])
            if retractions:
                places = np.concatenate([piece.places for piece in pieces])
                stands, unmatched = _apply(retractions, records, places)
                left_over += [(group, retraction) for retraction in unmatched]
                records = _picked(records, stands)
            store = self.events if is_event else self.fluents
            if len(records.arrivals):
                store[key] = _joined([store[key], records]) if key in store else records
        for group, retractions in self._retractions.items():
            left_over += [(group, retraction) for retraction in retractions]
        self._pieces.clear()
        self._retractions.clear()
        return left_over


def _row(fact: Fact, symbols: Symbols) -> tuple[int, ...]:
    """The words of a fact and its times, as the columns of its records have them."""
    args = fact.entity.args if isinstance(fact.entity, Struct) else ()
    words = [symbols.word(arg) for arg in args]
    if fact.value is None:
        return (*words, fact.start)
    return (*words, symbols.word(fact.value), fact.start, fact.end)


def _columns(records: Records) -> list[Int64]:
    """All that makes two records equal: everything but their arrival."""
    return [*records.columns, records.starts, *([] if records.ends is None else [records.ends])]


def _apply(
    retractions: Sequence[Retraction], records: Records, places: Int64
) -> tuple[NDArray[np.bool_], list[Retraction]]:
    """Which records stand after the retractions, and the retractions that take back nothing."""
    left_over: list[Retraction] = []
    columns = _columns(records)
    taken = list(np.array([retraction.row for retraction in retractions], dtype=np.int64).T)
    equal = np.flatnonzero(np.isin(mixed(columns, len(places)), mixed(taken, len(retractions))))
    rows = zip(*(column[equal].tolist() for column in columns), strict=True)
    arrivals, order = records.arrivals[equal].tolist(), places[equal].tolist()
    steps: list[tuple[int, int, tuple[int, ...], int | Retraction]] = []
    steps += zip(arrivals, order, rows, equal.tolist(), strict=True)
    steps += [(retraction.arrival, retraction.place, retraction.row, retraction) for retraction in retractions]
    stands = np.ones(len(places), dtype=np.bool_)
    standing: dict[tuple[int, ...], list[int]] = {}
    for _, _, row, step in sorted(steps, key=lambda step: step[:2]):
        if not isinstance(step, Retraction):
            standing.setdefault(row, []).append(step)
        elif row in standing:
            stands[standing.pop(row)] = False
        else:
            left_over.append(step)
    return stands, left_over


def _picked(records: Records, which: NDArray[np.bool_]) -> Records:
    ends = None if records.ends is None else records.ends[which]
    return Records([column[which] for column in records.columns], records.arrivals[which], records.starts[which], ends)


def _joined(parts: Sequence[Records]) -> Records:
    """The records of all parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    ends = [part.ends for part in parts if part.ends is not None]
    return Records(
        [np.concatenate(column) for column in zip(*(part.columns for part in parts), strict=True)],
        np.concatenate([part.arrivals for part in parts]),
        np.concatenate([part.starts for part in parts]),
        np.concatenate(ends) if ends else None,
    )
