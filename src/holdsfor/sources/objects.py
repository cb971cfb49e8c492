"""Records as Python objects, for the few that a program makes itself.

>>> Event("go_to", "chris", "pub", at=17)
Event(name='go_to', args=('chris', 'pub'), start=17, arrival=17)
>>> Fluent("near", "v1", "v2", start=3, end=9)
Fluent(name='near', args=('v1', 'v2'), value=True, start=3, end=9, arrival=3)

Text means what it means in a file (`"3"` is a number, `"003"` an atom, `"per(c1)"` a structure); `True` and `False` are
the atoms `true` and `false`. A record arrives when it begins, unless it says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.fields import EARLIEST, LATEST

__all__ = ["Constant", "Event", "Fluent", "table_of"]

Constant: TypeAlias = str | int | float | bool


@dataclass(frozen=True, init=False)
class Event:
    """An event that happens at a time-point."""

    name: str
    args: tuple[Constant, ...]
    start: int
    arrival: int

    def __init__(self, name: str, *args: Constant, at: int, arrival: int | None = None) -> None:
        _set(self, name=name, args=args, start=at, arrival=at if arrival is None else arrival)


@dataclass(frozen=True, init=False)
class Fluent:
    """An input fluent that has a value at a time-point (`at`) or over an interval (`start`, `end`)."""

    name: str
    args: tuple[Constant, ...]
    value: Constant
    start: int
    end: int | None
    arrival: int

    def __init__(
        self,
        name: str,
        *args: Constant,
        value: Constant = True,
        at: int | None = None,
        start: int | None = None,
        end: int | None = None,
        arrival: int | None = None,
    ) -> None:
        begin = at if at is not None else start
        if begin is None or (at is None) == (end is None) or (at is not None and start is not None):
            message = f"expected `at`, or `start` and `end`, for the fluent `{name}`"
            raise DataProblem(Diagnostic("HF502", message, hint="`at` is a time-point, `start` and `end` an interval"))
        _set(
            self, name=name, args=args, value=value, start=begin, end=end, arrival=begin if arrival is None else arrival
        )


def _set(record: object, **fields: object) -> None:
    for name, value in fields.items():
        object.__setattr__(record, name, value)


def table_of(records: Sequence[Event | Fluent]) -> Any:
    """The records as an Arrow table; constants are text, as they would be in a file."""
    import pyarrow as pa  # type: ignore[import-untyped]

    n_args = max((len(record.args) for record in records), default=0)
    columns: dict[str, Any] = {
        "name": pa.array([_name(record.name) for record in records], pa.string()),
        "arrival": pa.array([_time(record.arrival, record) for record in records], pa.int64()),
        "start": pa.array([_time(record.start, record) for record in records], pa.int64()),
        "end": pa.array([_end(record) for record in records], pa.int64()),
        "value": pa.array([_value(record) for record in records], pa.string()),
    }
    for i in range(n_args):
        texts = [_text(record.args[i], record) if i < len(record.args) else None for record in records]
        columns[f"arg{i + 1}"] = pa.array(texts, pa.string())
    return pa.table(columns)


def _name(name: object) -> str:
    if isinstance(name, str):
        return name
    raise DataProblem(Diagnostic("HF502", f"expected text as the name of a record, found `{name!r}`"))


def _time(time: object, record: Event | Fluent) -> int:
    if type(time) is not bool and isinstance(time, Integral) and EARLIEST <= int(time) <= LATEST:
        return int(time)
    raise DataProblem(Diagnostic("HF502", f"expected a 64-bit integer as a time of `{record.name}`, found `{time!r}`"))


def _end(record: Event | Fluent) -> int | None:
    return None if isinstance(record, Event) or record.end is None else _time(record.end, record)


def _value(record: Event | Fluent) -> str | None:
    return None if isinstance(record, Event) else _text(record.value, record)


def _text(value: object, record: Event | Fluent) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real) and math.isfinite(value):
        return repr(float(value))
    message = f"expected text or a finite number in a record of `{record.name}`, found `{value!r}`"
    raise DataProblem(Diagnostic("HF502", message))
