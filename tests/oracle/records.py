"""Text records (section 8), and the records that remain after retractions (section 7)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import inf

from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term
from tests.oracle.description import Description
from tests.oracle.intervals import Line
from tests.oracle.terms import plain

__all__ = [
    "Piece",
    "Record",
    "admitted",
    "given_records",
    "mentioned",
    "query_times",
    "read_records",
    "surviving",
    "whole",
    "within",
]

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Record:
    """One line: an event (`value` is None, `end` is the start) or an interval of an FVP."""

    arrival: int
    is_retraction: bool
    entity: Term
    value: Term | None
    start: int
    end: float

    @property
    def fact(self) -> tuple[Term, Term | None, int, float]:
        return self.entity, self.value, self.start, self.end


@dataclass(frozen=True)
class Piece:
    """The part of a record inside the run: from `start`, although it began at `origin`."""

    entity: Term
    value: Term | None
    start: int
    end: float
    origin: int


def constant(text: str) -> Term:
    """The constant of a field."""
    if _INTEGER.fullmatch(text) and text != "-0":
        return Int(int(text))
    if _DECIMAL.fullmatch(text):
        return Float(float(text))
    if re.fullmatch(r"[a-z]\w*\(.*\)|'.*'", text):
        return plain(parse_term(text))
    return Atom(text)


def given_records(description: Description, tick: int) -> list[Record]:
    """The facts of the description that are input, as records that arrive when they begin."""
    found = [Record(t, False, event, None, t, t) for event, t in description.events]
    for fvp, when in description.intervals:
        assert isinstance(fvp, Struct)
        fluent, value = fvp.args
        if isinstance(when, Int):
            found.append(Record(when.value, False, fluent, value, when.value, (when.value // tick + 1) * tick))
        else:
            assert isinstance(when, Struct)
            start, end = when.args
            assert isinstance(start, Int)
            found.append(Record(start.value, False, fluent, value, start.value, getattr(end, "value", inf)))
    return found


def read_records(lines: list[str], description: Description, tick: int) -> list[Record]:
    return [_record(line, description, tick) for line in lines]


def _record(line: str, description: Description, tick: int) -> Record:
    is_retraction = line.startswith("-")
    name, arrival, *fields = line.lstrip("+-").split("|")
    shape = description.shape(name)
    start = int(fields[0])
    value: Term | None = None
    end: float = start
    if shape == "points":
        value, end, fields = constant(fields[1]), (start // tick + 1) * tick, fields[2:]
    elif shape == "intervals":
        value, end, fields = constant(fields[2]), inf if fields[1] == "inf" else int(fields[1]), fields[3:]
    else:
        fields = fields[1:]
    entity = Struct(name, tuple(map(constant, fields))) if fields else Atom(name)
    return Record(int(arrival), is_retraction, entity, value, start, end)


def surviving(records: list[Record]) -> list[Record]:
    """The records that remain after all operations, in the order of arrival, then of the input."""
    alive: list[Record] = []
    for record in sorted(records, key=lambda record: record.arrival):
        same = [other for other in alive if other.fact == record.fact]
        if not record.is_retraction:
            alive += [] if same else [record]
        elif same:
            alive.remove(same[0])
        else:
            _split(alive, record)
    return alive


def _split(alive: list[Record], taken: Record) -> None:
    """Remove a part of a record; a part at its start or end leaves one record, a part inside leaves two."""
    for other in alive:
        is_same = (other.entity, other.value) == (taken.entity, taken.value)
        if is_same and other.start <= taken.start < taken.end <= other.end:
            alive.remove(other)
            left = Record(other.arrival, False, other.entity, other.value, other.start, taken.start)
            right = Record(other.arrival, False, other.entity, other.value, int(taken.end), other.end)
            parts = [part for part in (left, right) if part.start < part.end]
            alive += [part for part in parts if part.fact not in [one.fact for one in alive]]
            return


def within(records: list[Record], line: Line) -> list[Record]:
    """The parts of the records in the time-points of the run."""
    alive = [record for record in surviving(records) if record.start <= line.last]
    return [record for record in alive if (record.start if record.value is None else record.end - 1) >= line.first]


def mentioned(records: list[Record], pieces: list[Piece], line: Line) -> list[Record]:
    """The records that the run has seen: those that remain, and those that a window has admitted."""
    seen = [Record(0, False, piece.entity, piece.value, piece.start, piece.end) for piece in pieces]
    return within([*(record for record in surviving(records)), *seen], line)


def whole(records: list[Record]) -> list[Piece]:
    """The records of a run without windows."""
    return [Piece(r.entity, r.value, r.start, r.end, r.start) for r in surviving(records)]


def query_times(records: list[Record], start: int, end: int, window: int, step: int) -> list[int]:
    """The query times: up to the first at or after the end, and after the last arrival that some window admits."""
    last = end
    for record in records:
        first = start + max(1, -(-(record.arrival - start) // step)) * step
        if record.start <= end and _reaches(replace(record, end=min(record.end, end + 1)), first - window):
            last = max(last, record.arrival)
    return [start + k * step for k in range(1, max(1, -(-(last - start) // step)) + 1)]


def admitted(records: list[Record], query_times: list[int], window: int) -> list[Piece]:
    """The records of a run over windows at its last query time.

    At each query time the records that have arrived replace the earlier contents of the window; earlier records before
    the window stay. No time-point is settled before the first query time, so the first window covers the run so far.
    """
    seen: list[Piece] = []
    for q in query_times:
        edge = q - window if seen or q != query_times[0] else -(2**62)
        arrived = surviving([record for record in records if record.arrival <= q])
        kept = [piece for piece in seen if piece.value is None and piece.start <= edge]
        kept += [_until(piece, edge + 1) for piece in seen if piece.value is not None and piece.start <= edge]
        new = [_from(record, edge + 1) for record in arrived if record.start <= q and _reaches(record, edge)]
        seen = kept + new
    return seen


def _reaches(record: Record, edge: int) -> bool:
    return record.start > edge if record.value is None else record.end > edge + 1


def _until(piece: Piece, edge: int) -> Piece:
    return Piece(piece.entity, piece.value, piece.start, min(piece.end, edge), piece.origin)


def _from(record: Record, edge: int) -> Piece:
    return Piece(record.entity, record.value, max(record.start, edge), record.end, record.start)
