"""What was read, as columns: the twin of `Reading` for records by the million.

Records of one name wait as they were read, piece by piece, each with its place in the order of reading. `settle` puts
the pieces together and leaves out what was taken back, as `Reading.facts` does: in order of arrival, then of reading.
Only records that equal a retraction are looked at one by one. A retraction takes back all that equal it, since an
exact duplicate is the same record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import Int64, mixed
from holdsfor.sources.text import Fact, SetAside
from holdsfor.syntax.terms import Atom, Struct, name_and_arity

__all__ = ["ColumnReading", "Group", "IsKnown", "Operation", "Piece", "Retraction"]

Group = tuple[bool, Key]
"""Whether they are events, and their name and arity."""

IsKnown = Callable[[Key, Records], NDArray[np.bool_]]
"""Which records of one name are known."""

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

    A record that comes twice is there twice. A reading that follows time is told when records arrive that no rule uses.
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

    def operations(self, symbols: Symbols) -> list[Operation]:
        """What was read and is not settled, one by one, for the reader that has no columns."""
        found: list[Operation] = []
        for (_, (name, _)), pieces in self._pieces.items():
            for piece in pieces:
                arrivals, places = piece.records.arrivals.tolist(), piece.places.tolist()
                rows = zip(*(column.tolist() for column in _columns(piece.records)), strict=True)
                for arrival, place, row in zip(arrivals, places, rows, strict=True):
                    found.append((arrival, place, False, _fact(name, row, piece.is_event, symbols), _NOWHERE))
        for (is_event, (name, _)), retractions in self._retractions.items():
            for each in retractions:
                found.append((each.arrival, each.place, True, _fact(name, each.row, is_event, symbols), each.origin))
        return sorted(found, key=lambda operation: operation[1])

    def settle(self) -> None:
        """Move what was read into `events` and `fluents`, without what was taken back.

        A retraction of a record that is not there is set aside. What is settled cannot be taken back any more.
        """
        self.settle_upon(_know_nothing)

    def settle_upon(self, is_known: IsKnown) -> list[tuple[Key, Records]]:
        """Settle upon records that are known already, and return those of them that are taken back."""
        taken: list[tuple[Key, Records]] = []
        left_over: list[Retraction] = []
        for group in [*self._pieces, *(group for group in self._retractions if group not in self._pieces)]:
            is_event, key = group
            pieces, retractions = self._pieces.get(group, []), self._retractions.get(group, [])
            nothing = np.zeros(0, np.int64)
            parts = [piece.records for piece in pieces] or [_retracted(is_event, retractions).take(nothing)]
            records = _joined(parts)
            if retractions:
                places = np.concatenate([nothing, *(piece.places for piece in pieces)])
                known = _known(is_event, key, retractions, is_known)
                outcome = _apply(retractions, records, places, known)
                left_over += outcome.left_over
                records = _picked(records, outcome.stands)
                taken += [(key, _retracted(is_event, outcome.taken))] if outcome.taken else []
            store = self.events if is_event else self.fluents
            if len(records.arrivals):
                store[key] = _joined([store[key], records]) if key in store else records
        left_over.sort(key=lambda retraction: (retraction.arrival, retraction.place))
        self.set_aside += [retraction.origin for retraction in left_over]
        self._pieces.clear()
        self._retractions.clear()
        return taken

    def unsettled_places(self) -> tuple[list[Int64], list[Int64]]:
        """The places of what `unsettled` returns, in its order: of events and fluents, and of retractions."""
        events_first = sorted(self._pieces.items(), key=lambda item: not item[0][0])
        added = [np.concatenate([piece.places for piece in pieces]) for _, pieces in events_first]
        return added, [np.array([each.place for each in some], np.int64) for some in self._retractions.values()]

    def unsettled(self) -> tuple[dict[Key, Records], dict[Key, Records], list[tuple[Key, Records, list[SetAside]]]]:
        """Events, fluents and retractions (with where they stand) as they were read, for a store that applies them."""
        events, fluents = (
            {
                key: _joined([p.records for p in pieces])
                for (is_event, key), pieces in self._pieces.items()
                if is_event == which
            }
            for which in (True, False)
        )
        taken = [
            (key, _retracted(is_event, retractions), [retraction.origin for retraction in retractions])
            for (is_event, key), retractions in self._retractions.items()
        ]
        return events, fluents, taken


def _retracted(is_event: bool, retractions: Sequence[Retraction]) -> Records:
    """The records that retractions name, arriving when these do."""
    columns = list(np.array([retraction.row for retraction in retractions], dtype=np.int64).T)
    ends = None if is_event else columns.pop()
    starts = columns.pop()
    return Records(columns, np.array([r.arrival for r in retractions], dtype=np.int64), starts, ends)


def _row(fact: Fact, symbols: Symbols) -> tuple[int, ...]:
    """The words of a fact and its times, as the columns of its records have them."""
    args = fact.entity.args if isinstance(fact.entity, Struct) else ()
    words = [symbols.word(arg) for arg in args]
    if fact.value is None:
        return (*words, fact.start)
    return (*words, symbols.word(fact.value), fact.start, fact.end)


_NOWHERE = SetAside("", 0, "", "")
"""Where a record stands that is never set aside."""


def _fact(name: str, row: tuple[int, ...], is_event: bool, symbols: Symbols) -> Fact:
    """The inverse of `_row`."""
    times = row[-1:] * 2 if is_event else row[-2:]
    terms = tuple(symbols.term(word) for word in (row[:-1] if is_event else row[:-2]))
    args, value = (terms, None) if is_event else (terms[:-1], terms[-1])
    return Fact(Struct(name, args) if args else Atom(name), value, *times)


def _columns(records: Records) -> list[Int64]:
    """All that makes two records equal: everything but their arrival."""
    return [*records.columns, records.starts, *([] if records.ends is None else [records.ends])]


def _know_nothing(key: Key, records: Records) -> NDArray[np.bool_]:
    return np.zeros(len(records), np.bool_)


def _known(is_event: bool, key: Key, retractions: Sequence[Retraction], is_known: IsKnown) -> set[tuple[int, ...]]:
    """The rows that retractions name and that are known."""
    distinct = list({retraction.row: retraction for retraction in retractions}.values())
    which = is_known(key, _retracted(is_event, distinct)).tolist()
    return {retraction.row for retraction, known in zip(distinct, which, strict=True) if known}


@dataclass(frozen=True)
class _Outcome:
    """Which records stand after retractions, the retractions of known records, and those of none."""

    stands: NDArray[np.bool_]
    taken: list[Retraction]
    left_over: list[Retraction]


def _apply(
    retractions: Sequence[Retraction], records: Records, places: Int64, known: Iterable[tuple[int, ...]]
) -> _Outcome:
    """What retractions do to records, upon rows that are known already, in order of arrival, then of reading."""
    outcome = _Outcome(np.ones(len(places), dtype=np.bool_), [], [])
    columns = _columns(records)
    named = list(np.array([retraction.row for retraction in retractions], dtype=np.int64).T)
    equal = np.flatnonzero(np.isin(mixed(columns, len(places)), mixed(named, len(retractions))))
    rows = zip(*(column[equal].tolist() for column in columns), strict=True)
    arrivals, order = records.arrivals[equal].tolist(), places[equal].tolist()
    steps: list[tuple[int, int, tuple[int, ...], int | Retraction]] = []
    steps += zip(arrivals, order, rows, equal.tolist(), strict=True)
    steps += [(retraction.arrival, retraction.place, retraction.row, retraction) for retraction in retractions]
    standing: dict[tuple[int, ...], list[int]] = {row: [] for row in known}
    untouched = set(standing)
    for _, _, row, step in sorted(steps, key=lambda step: step[:2]):
        if not isinstance(step, Retraction):
            standing.setdefault(row, []).append(step)
        elif row not in standing:
            outcome.left_over.append(step)
        else:
            outcome.stands[standing.pop(row)] = False
            if row in untouched:
                untouched.remove(row)
                outcome.taken.append(step)
    return outcome


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
