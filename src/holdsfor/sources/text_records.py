"""Records as `|`-separated text, the format of RTEC.

    event                               name|arrival|occurrence|arg…
    input fluent at a time-point        name|arrival|occurrence|value|arg…
    input fluent over an interval       name|arrival|start|end|value|arg…

A line ends at `\\n`. Blanks around a field are ignored; control characters and other line breaks inside a field are a
part of its text. A leading `-` retracts a record. The event description determines the shape of a name. A record that
does not fit is set aside with its line and the reason; a record of a name that no rule uses is counted and skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from holdsfor.analysis.input_facts import input_fact_records
from holdsfor.analysis.names import Names, Record
from holdsfor.analysis.patterns import anonymous
from holdsfor.columns.time_type import TimeType
from holdsfor.sources.fields import Horizon, is_integer, out_of_range, read_field, read_time
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term
from holdsfor.syntax.time_points import OPEN_END

__all__ = [
    "NOWHERE",
    "Reading",
    "SetAside",
    "not_declared",
    "read_text_records",
]


@dataclass(frozen=True)
class SetAside:
    """A record that does not fit."""

    file: str
    line: int
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}: {self.text}"


NOWHERE = SetAside("", 0, "", "")
"""The origin of a record that is never set aside."""


@dataclass(frozen=True)
class Fact:
    """The content of one record: an event at `start`, or an FVP over `[start, end)`."""

    entity: Term
    value: Term | None
    start: int
    end: int

    @property
    def term(self) -> Term:
        """The event, or the FVP `F=V`."""
        return self.entity if self.value is None else Struct("=", (self.entity, self.value))


@dataclass
class Reading:
    """All records read so far."""

    n_records: int = 0
    unused: Counter[str] = field(default_factory=Counter)
    set_aside: list[SetAside] = field(default_factory=list)
    unmatched: list[SetAside] = field(default_factory=list)
    horizon: Horizon = field(default_factory=Horizon)
    time_type: TimeType | None = None
    has_moments: bool = True
    _operations: list[tuple[int, int, bool, Fact, SetAside]] = field(default_factory=list)
    _remaining: dict[Fact, None] = field(default_factory=dict)

    def add_operations(self, operations: Iterable[tuple[int, int, bool, Fact, SetAside]]) -> None:
        """Add the operations of another reader, in the order of reading."""
        for arrival, _, is_retraction, fact, origin in operations:
            self._operations.append((arrival, len(self._operations), is_retraction, fact, origin))

    def add_input_facts(self, names: Names, tick: int) -> None:
        """Add the input facts of the rules, before all records; each fact arrives at its start."""
        given = [Fact(*fact) for fact in input_fact_records(names, tick)]
        self._operations += [(fact.start, -1, False, fact, NOWHERE) for fact in given]

    def note_unused(self, arrival: int, line: int) -> None:
        """Note the arrival of a record that no rule uses."""

    def inserted(self) -> Iterator[Fact]:
        """The records that are read and not settled, without retractions."""
        return (fact for _, _, is_retraction, fact, _ in self._operations if not is_retraction)

    def facts(self) -> list[Fact]:
        """The records that remain after retractions, in order of arrival, without duplicates.

        A retraction of a part of an interval splits the interval. A retraction without its record is unmatched.
        """
        for operation in sorted(self._operations, key=lambda operation: operation[:2]):
            _, _, is_retraction, fact, origin = operation
            if not is_retraction:
                self._remaining[fact] = None
            elif (whole := self._whole(fact)) is None:
                self.unmatched.append(origin)
            else:
                del self._remaining[whole]
                for start, end in ((whole.start, fact.start), (fact.end, whole.end)):
                    if start < end:
                        self._remaining[replace(fact, start=start, end=end)] = None
        self._operations.clear()
        return list(self._remaining)

    def _whole(self, fact: Fact) -> Fact | None:
        """The record that a retraction names, else the last record of which it names a part."""
        if fact in self._remaining or fact.value is None:
            return fact if fact in self._remaining else None
        around = [
            each
            for each in self._remaining
            if (each.entity, each.value) == (fact.entity, fact.value)
            and each.start <= fact.start <= fact.end <= each.end
        ]
        return around[-1] if around else None


class _Misfit(Exception):
    """The record does not fit; the message is the reason."""


def read_text_records(lines: Iterable[str], file: str, names: Names, tick: int, reading: Reading) -> None:
    """Add the records of a text, cut at `\\n`, to the reading."""
    shapes: dict[str, list[Record]] = {}
    for record in names.records:
        shapes.setdefault(record.name, []).append(record)
    computed = {name for name, _ in (*names.events, *names.fluents)}
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text:
            continue
        reading.n_records += 1
        name = text.split("|", 1)[0].removeprefix("-").strip()
        if name in computed and name not in shapes:
            reading.set_aside.append(SetAside(file, number, text, f"`{name}` is computed by the rules"))
            continue
        if name not in shapes and "|" in text:
            arrival = read_time(text.split("|", 2)[1].strip())
            if arrival is not None and arrival > reading.horizon.integers:
                reason = reading.horizon.reason("arrival", are_dates=False)
                reading.set_aside.append(SetAside(file, number, text, reason))
                continue
            reading.unused[name] += 1
            if arrival is not None:
                reading.note_unused(arrival, number)
            continue
        try:
            arrived, fact = _fact(text.removeprefix("-"), shapes.get(name, []), tick, reading.horizon)
        except _Misfit as misfit:
            reading.set_aside.append(SetAside(file, number, text, str(misfit)))
            continue
        origin = SetAside(file, number, text, "retracts a record that is not there")
        reading._operations.append((arrived, len(reading._operations), text.startswith("-"), fact, origin))


def _fact(text: str, shapes: list[Record], tick: int, horizon: Horizon) -> tuple[int, Fact]:
    fields = [part.strip() for part in text.split("|")]
    fitting = [shape for shape in shapes if shape.n_fields == len(fields)]
    if not fitting:
        expected = " or ".join(f"`{shape.layout}`" for shape in shapes) or "fields separated by `|`"
        raise _Misfit(f"expected {expected}, found {len(fields)} field{'s' if len(fields) != 1 else ''}")
    shape = _shape_of(fields, fitting)
    starts = "start" if shape.shape == "intervals" else "occurrence"
    arrival, start = _time(fields[1], "arrival", 1), _time(fields[2], starts, tick)
    for what, time in ((starts, start), ("arrival", arrival)):
        if time > horizon.integers:
            raise _Misfit(horizon.reason(what, are_dates=False))
    if shape.shape == "event":
        return arrival, Fact(_entity(shape.name, fields[3:]), None, start, start)
    if shape.shape == "points":
        return arrival, Fact(_entity(shape.name, fields[4:]), read_field(fields[3]), start, start + tick)
    end = OPEN_END if fields[3] == "inf" else _time(fields[3], "end", tick)
    if end <= start:
        raise _Misfit(f"the interval ends at {end}, not after its start {start}")
    return arrival, Fact(_entity(shape.name, fields[5:]), read_field(fields[4]), start, end)


def _shape_of(fields: list[str], fitting: list[Record]) -> Record:
    """The first shape that also fits the FVP of the record."""
    for shape in fitting:
        fvp = _fvp(fields, shape)
        if fvp is None or shape.fits(fvp):
            return shape
    shape = fitting[0]
    fvp = _fvp(fields, shape)
    assert fvp is not None
    raise _Misfit(not_declared(fvp, shape))


def _fvp(fields: list[str], shape: Record) -> Term | None:
    if shape.shape == "event":
        return None
    value, *args = fields[3 if shape.shape == "points" else 4 :]
    return Struct("=", (_entity(shape.name, args), read_field(value)))


def not_declared(fvp: Term, shape: Record) -> str:
    """The message for an FVP that cannot arrive in a shape."""
    declared = " or ".join(f"`{show(anonymous(pattern))}`" for pattern in shape.patterns or ())
    return f"`{show(fvp)}` is not input as {shape.shape}, expected {declared}"


def _time(text: str, what: str, tick: int) -> int:
    time = read_time(text)
    if time is None and is_integer(text):
        raise _Misfit(out_of_range(what, text))
    if time is None:
        raise _Misfit(f"expected an integer as {what}, found `{text}`")
    if time % tick:
        raise _Misfit(f"the {what} {time} is not a time-point: the clock ticks every {tick}")
    return time


def _entity(name: str, args: list[str]) -> Term:
    return Struct(name, tuple(read_field(arg) for arg in args)) if args else Atom(name)
