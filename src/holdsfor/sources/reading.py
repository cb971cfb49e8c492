"""Records read as columns: the twin of `Reading` for millions of records.

Records of one name are collected in pieces, as they are read, each with its place in the order of reading. `settle`
concatenates the pieces and removes retracted records, as `Reading.facts` does: in order of arrival, then of reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.sorts import Place
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QueryTimes
from holdsfor.columns.records import Records, concatenate_records
from holdsfor.columns.retractions import Retractions, apply_retractions
from holdsfor.columns.tables import Key
from holdsfor.columns.time_type import TimeType
from holdsfor.kernels.keys import Int64
from holdsfor.sources.fields import Horizon
from holdsfor.sources.number_checks import TypedColumn
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.sources.revision_ids import RevisionRecord, unmatched_revisions
from holdsfor.sources.text_records import NOWHERE, Fact, SetAside
from holdsfor.syntax.terms import Atom, Struct, name_and_arity

__all__ = ["ColumnReading", "Group", "Operation", "Operations", "ReadRecords", "Retraction"]

Group = tuple[bool, Key]
"""Whether the records are events, and their name and arity."""

Operation = tuple[int, int, bool, Fact, SetAside]
"""Arrival, place, whether it is a retraction, the fact, and where the record was read."""


@dataclass(frozen=True)
class ReadRecords:
    """Records of one name, and the place of each in the order of reading."""

    is_event: bool
    key: Key
    records: Records
    places: Int64

    def take(self, which: NDArray[np.bool_]) -> ReadRecords:
        """Some of the records."""
        return ReadRecords(self.is_event, self.key, _picked(self.records, which), self.places[which])


@dataclass(frozen=True)
class Retraction:
    """A record that retracts another: its words and times, and the message if there is no record to retract."""

    row: tuple[int, ...]
    arrival: int
    place: int
    origin: SetAside


@dataclass(frozen=True)
class Operations:
    """The records and the retractions of one name, with their places in the order of reading."""

    is_event: bool
    key: Key
    records: Records
    retractions: Retractions[SetAside] | None

    def inverted(self, origin: SetAside) -> Operations:
        """The retractions of the records."""
        taken = Retractions(self.records, [origin] * len(self.records))
        return replace(self, records=self.records.take(np.zeros(0, np.int64)), retractions=taken)

    @property
    def n(self) -> int:
        """The number of records and retractions."""
        return len(self.records) + (0 if self.retractions is None else len(self.retractions.origins))


@dataclass
class ColumnReading:
    """All records read so far; `settle` moves them to `events` and `fluents`.

    A record that is read twice is stored twice. `note_unused` is called only if the reading `follows_time`.
    """

    follows_time: ClassVar[bool] = False

    n_records: int = 0
    unused: Counter[str] = field(default_factory=Counter)
    set_aside: list[SetAside] = field(default_factory=list)
    unmatched: list[SetAside] = field(default_factory=list)
    retracted: dict[Group, Operations] = field(default_factory=dict)
    events: dict[Key, Records] = field(default_factory=dict)
    fluents: dict[Key, Records] = field(default_factory=dict)
    n_places: int = 0
    revisions: list[RevisionRecord] = field(default_factory=list)
    typed: dict[Place, TypedColumn] = field(default_factory=dict)
    kinds: PlaceKinds = field(default_factory=PlaceKinds)
    """The types of the constants in the places that rules join, of records that are not in memory."""
    with_facts: set[Group] = field(default_factory=set)
    time_type: TimeType | None = None
    """The type of the times of results: None if the times of the records are integers."""
    has_moments: bool = True
    """Whether a time is not an integer, so that the unit of time is known."""
    horizon: Horizon = field(default_factory=Horizon)
    """Records after the horizon are set aside."""
    _pieces: dict[Group, list[ReadRecords]] = field(default_factory=dict)
    _retractions: dict[Group, list[Retraction]] = field(default_factory=dict)

    @property
    def incomplete(self) -> list[SetAside]:
        """The records of revisions that are not one retraction and one insertion."""
        return unmatched_revisions(self.revisions)

    def take_unmatched(self) -> list[SetAside]:
        """The records without a partner that were found since the last call."""
        found, self.unmatched = self.unmatched, []
        return found

    def extent(self, tick: int) -> tuple[int | None, int | None]:
        """The first and the last time-point of the settled records."""
        records = [r for r in (*self.events.values(), *self.fluents.values()) if len(r)]
        first = min((int(r.starts.min()) for r in records), default=None)
        return first, max((r.last_time_point(tick) for r in records), default=None)

    def add(self, piece: ReadRecords) -> None:
        """Add records that were read as columns."""
        self._pieces.setdefault((piece.is_event, piece.key), []).append(piece)

    @property
    def pieces(self) -> Iterator[ReadRecords]:
        """The records that are read and not settled, in pieces."""
        for group in self._pieces.values():
            yield from group

    def end_of_block(self) -> None:
        """Called after each block of an input is read."""

    def mark(self) -> dict[str, Any]:
        """The state of the reading between two inputs, for `rewind`."""
        state = {each.name: getattr(self, each.name) for each in fields(ColumnReading)}
        copied = {name: value.copy() if hasattr(value, "copy") else value for name, value in state.items()}
        pieces = {group: list(each) for group, each in self._pieces.items()}
        retractions = {group: list(each) for group, each in self._retractions.items()}
        return {**copied, "_pieces": pieces, "_retractions": retractions}

    def rewind(self, mark: dict[str, Any]) -> None:
        """Remove the records of an input that could not be read to its end."""
        for name, value in mark.items():
            setattr(self, name, value)

    def note_unused(self, arrivals: Int64, places: Int64) -> None:
        """Note the arrivals of records that no rule uses."""

    def retract(self, is_event: bool, key: Key, retractions: Iterable[Retraction]) -> None:
        self._retractions.setdefault((is_event, key), []).extend(retractions)

    def add_operations(self, operations: Iterable[Operation], symbols: Symbols) -> None:
        """Add records that were read one by one."""
        added: dict[tuple[bool, Key], list[tuple[tuple[int, ...], int, int]]] = {}
        for arrival, place, is_retraction, fact, origin in operations:
            group = (fact.value is None, name_and_arity(fact.entity))
            row = _row(fact, symbols)
            if is_retraction:
                self.retract(*group, [Retraction(row, arrival, place, origin)])
            else:
                added.setdefault(group, []).append((row, arrival, place))
        for (is_event, key), rows in added.items():
            columns = list(np.array([row for row, _, _ in rows], dtype=np.int64).T)
            ends = None if is_event else columns.pop()
            starts = columns.pop()
            arrivals, places = np.array([times for _, *times in rows], dtype=np.int64).T
            self.add(ReadRecords(is_event, key, Records(columns, arrivals, starts, ends), places))

    def operations(self, symbols: Symbols) -> list[Operation]:
        """The records that are read and not settled, one by one, for the slow reader."""
        found: list[Operation] = []
        for (_, (name, _)), pieces in self._pieces.items():
            for piece in pieces:
                arrivals, places = piece.records.arrivals.tolist(), piece.places.tolist()
                rows = zip(*(column.tolist() for column in _columns(piece.records)), strict=True)
                for arrival, place, row in zip(arrivals, places, rows, strict=True):
                    found.append((arrival, place, False, _fact(name, row, piece.is_event, symbols), NOWHERE))
        for (is_event, (name, _)), retractions in self._retractions.items():
            for each in retractions:
                found.append((each.arrival, each.place, True, _fact(name, each.row, is_event, symbols), each.origin))
        return sorted(found, key=lambda operation: operation[1])

    def settle(self, facts: Iterable[tuple[Key, Records]] = ()) -> None:
        """Move the records to `events` and `fluents`, without retracted records.

        Retractions may also retract facts of the rules. `with_facts` are the names whose records include such facts.

        Settled records cannot be retracted any more. `retracted` keeps the operations of names with retractions as
        they were read: in windows, the effect of a retraction depends on its arrival.
        """
        left_over: list[tuple[int, int, SetAside]] = []
        given = {(records.ends is None, key): records for key, records in facts}
        for operations in self._grouped(needs_places=False):
            records, retractions = operations.records, operations.retractions
            if retractions is not None:
                group = operations.is_event, operations.key
                self.retracted[group] = operations
                if group in given:
                    self.with_facts.add(group)
                    records = given[group].joined(records)
                done = apply_retractions(records, retractions.records, QueryTimes(0, 0), 1)
                records, named = done.records, retractions.records
                left_over += [
                    (int(named.arrivals[i]), int(named.read_at[i]), retractions.origins[i]) for i in done.unmatched
                ]
            records.places = None
            store = self.events if operations.is_event else self.fluents
            if len(records):
                store[operations.key] = (
                    concatenate_records([store[operations.key], records]) if operations.key in store else records
                )
        self.unmatched += [origin for _, _, origin in sorted(left_over, key=lambda each: each[:2])]
        self._pieces.clear()
        self._retractions.clear()

    def unsettled(self) -> list[Operations]:
        """The operations that are read and not settled, by name, with the order of reading."""
        return self._grouped(needs_places=True)

    def _grouped(self, *, needs_places: bool) -> list[Operations]:
        """The operations by name; without retractions, records have their places only if these are needed."""
        groups = dict.fromkeys([*self._pieces, *self._retractions])
        return [self._operations(group, needs_places) for group in sorted(groups, key=lambda group: not group[0])]

    def _operations(self, group: Group, needs_places: bool) -> Operations:
        is_event, key = group
        pieces, retractions = self._pieces.get(group, []), self._retractions.get(group)
        parts = [piece.records for piece in pieces]
        if needs_places or retractions is not None:
            parts = [replace(piece.records, places=piece.places) for piece in pieces]
        taken = None if retractions is None else _retracted(is_event, retractions)
        if not parts:
            assert taken is not None
            parts = [taken.records.take(np.zeros(0, np.int64))]
        return Operations(is_event, key, concatenate_records(parts), taken)


def _retracted(is_event: bool, retractions: Sequence[Retraction]) -> Retractions[SetAside]:
    """The records that retractions name, with the arrivals of the retractions."""
    columns = list(np.array([retraction.row for retraction in retractions], dtype=np.int64).T)
    ends = None if is_event else columns.pop()
    starts = columns.pop()
    arrivals, places = np.array([(each.arrival, each.place) for each in retractions], dtype=np.int64).T
    named = Records(columns, arrivals, starts, ends, places=places)
    return Retractions(named, [retraction.origin for retraction in retractions])


def _row(fact: Fact, symbols: Symbols) -> tuple[int, ...]:
    """The words of a fact and its times, in the order of the columns of its records."""
    args = fact.entity.args if isinstance(fact.entity, Struct) else ()
    words = [symbols.word(arg) for arg in args]
    if fact.value is None:
        return (*words, fact.start)
    return (*words, symbols.word(fact.value), fact.start, fact.end)


def _fact(name: str, row: tuple[int, ...], is_event: bool, symbols: Symbols) -> Fact:
    """The inverse of `_row`."""
    times = row[-1:] * 2 if is_event else row[-2:]
    terms = tuple(symbols.term(word) for word in (row[:-1] if is_event else row[:-2]))
    args, value = (terms, None) if is_event else (terms[:-1], terms[-1])
    return Fact(Struct(name, args) if args else Atom(name), value, *times)


def _columns(records: Records) -> list[Int64]:
    """The columns that decide whether two records are equal: all but the arrival."""
    return [*records.columns, records.starts, *([] if records.ends is None else [records.ends])]


def _picked(records: Records, which: NDArray[np.bool_]) -> Records:
    ends = None if records.ends is None else records.ends[which]
    return Records([column[which] for column in records.columns], records.arrivals[which], records.starts[which], ends)
