"""Records as Python objects, for programs that create few records.

>>> Event("go_to", "chris", "pub", at=17)
Event(name='go_to', args=('chris', 'pub'), start=17, arrival=17)
>>> Fluent("near", "v1", "v2", start=3, end=9)
Fluent(name='near', args=('v1', 'v2'), value=True, start=3, end=9, arrival=3)

A text is an atom: `"3"` is not the number `3`. `True` and `False` are the atoms `true` and `false`; a structure is a
term, such as `hf.term("per(c1)")`. A record arrives at its start, unless `arrival` is given. Times are integers,
datetimes, dates or ISO 8601 text.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.column_kinds import as_field
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term, is_ground
from holdsfor.syntax.time_points import OPEN_END

if TYPE_CHECKING:
    from holdsfor.sources.time_arguments import TimeArgument

__all__ = ["Constant", "Event", "Fluent", "mixed_columns", "table_of"]

Constant: TypeAlias = str | int | float | bool | Term


@dataclass(frozen=True, init=False)
class Event:
    """An event that happens at a time-point.

    >>> Event("go_to", "chris", "pub", at=17)
    Event(name='go_to', args=('chris', 'pub'), start=17, arrival=17)
    >>> Event("go_to", "chris", "pub", at="2026-03-01T17:00:00Z").start
    '2026-03-01T17:00:00Z'
    """

    name: str
    args: tuple[Constant, ...]
    start: TimeArgument
    arrival: TimeArgument

    def __init__(self, name: str, *args: Constant, at: TimeArgument, arrival: TimeArgument | None = None) -> None:
        _set(self, name=name, args=args, start=at, arrival=at if arrival is None else arrival)


@dataclass(frozen=True, init=False)
class Fluent:
    """An input fluent that has a value at a time-point (`at`) or over an interval (`start`, `end`).

    The interval is open if `end` is None or `math.inf`.

    >>> Fluent("near", "v1", "v2", start=3, end=9)
    Fluent(name='near', args=('v1', 'v2'), value=True, start=3, end=9, arrival=3)
    >>> Fluent("near", "v1", "v2", start=3).end
    inf
    """

    name: str
    args: tuple[Constant, ...]
    value: Constant
    start: TimeArgument
    end: TimeArgument | float | None
    arrival: TimeArgument

    def __init__(
        self,
        name: str,
        *args: Constant,
        value: Constant = True,
        at: TimeArgument | None = None,
        start: TimeArgument | None = None,
        end: TimeArgument | float | None = None,
        arrival: TimeArgument | None = None,
    ) -> None:
        begin = start if at is None else at
        if begin is None or (at is not None and (start is not None or end is not None)):
            message = f"expected `at`, or `start` and `end`, for the fluent `{name}`"
            raise DataProblem(Diagnostic("HF502", message, hint="`at` is a time-point, `start` and `end` an interval"))
        end = math.inf if at is None and end is None else end
        _set(
            self, name=name, args=args, value=value, start=begin, end=end, arrival=begin if arrival is None else arrival
        )


def _set(record: object, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(record, name, value)


def table_of(records: Sequence[Event | Fluent]) -> Any:
    """The records as an Arrow table; the constants of `mixed_columns` are fields of a text file, others atoms."""
    import pyarrow as pa  # type: ignore[import-untyped]

    from holdsfor.sources.typed_columns import text_column

    times: dict[str, Any] = {
        "name": text_column([_name(record.name) for record in records]),
        "arrival": _times([_time(record.arrival, record) for record in records]),
        "start": _times([_time(record.start, record) for record in records]),
        "end": _times([_end(record) for record in records]),
    }
    mixed = mixed_columns(records)
    arrays = {
        name: text_column([_field(value) if name in mixed else value for value in values])
        for name, values in _constants(records).items()
    }
    return pa.table(times | arrays)


def mixed_columns(records: Sequence[Event | Fluent]) -> frozenset[str]:
    """The columns of values and arguments that have constants other than texts."""
    return frozenset(name for name, values in _constants(records).items() if not all(map(_is_text, values)))


def _constants(records: Sequence[Event | Fluent]) -> dict[str, list[Constant | None]]:
    """The values and arguments of records as columns."""
    n_args = max((len(record.args) for record in records), default=0)
    columns = {"value": [None if isinstance(record, Event) else _constant(record.value, record) for record in records]}
    for i in range(n_args):
        column = [_constant(record.args[i], record) if i < len(record.args) else None for record in records]
        columns[f"arg{i + 1}"] = column
    return columns


def _name(name: object) -> str:
    if isinstance(name, str):
        return name
    raise DataProblem(Diagnostic("HF502", f"expected text as the name of a record, found `{name!r}`"))


def _time(time: object, record: Event | Fluent) -> int | str:
    """A time as an integer, or as text in ISO 8601; HF502 for anything else."""
    if type(time) is not bool and isinstance(time, Integral) and -(2**63) <= int(time) < 2**63:
        return int(time)
    if isinstance(time, datetime.date):
        return time.isoformat()
    if isinstance(time, str):
        return time
    message = f"expected a 64-bit integer, a datetime or text as a time of `{record.name}`, found `{time!r}`"
    raise DataProblem(Diagnostic("HF502", message))


def _end(record: Event | Fluent) -> int | str | None:
    if isinstance(record, Event) or record.end is None:
        return None
    return OPEN_END if record.end == math.inf else _time(record.end, record)


def _times(times: Sequence[int | str | None]) -> Any:
    """A column of times: integers, or texts if one of the times is a text."""
    import pyarrow as pa

    from holdsfor.sources.typed_columns import text_column

    if not any(isinstance(time, str) for time in times):
        return pa.array(times, pa.int64())
    return text_column([None if time is None else "inf" if time == OPEN_END else str(time) for time in times])


def _is_text(value: Constant | None) -> bool:
    return value is None or isinstance(value, str)


def _constant(value: Any, record: Event | Fluent) -> Constant:
    """A constant of a record; HF502 if the value is not a constant."""
    if isinstance(value, str | bool) or (isinstance(value, Atom | Int | Float | Str | Struct) and is_ground(value)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    message = f"expected text or a finite number in a record of `{record.name}`, found `{value!r}`"
    raise DataProblem(Diagnostic("HF502", message))


def _field(value: Constant | None) -> str | None:
    """A constant as a field of a text file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return as_field(value)
    return repr(value) if isinstance(value, int | float) else None if value is None else show(value)
