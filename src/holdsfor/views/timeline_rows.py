"""The rows of a timeline, one per fluent-value pair or event, for the picture and the text.

An interval is right-open: `(14, 22)` holds at 14 and no longer at 22. An end of `None` is an open end. The timeline
covers the time-points from `start` to `end`; parts of intervals outside are cut off, and an interval that continues
after `end` is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Bar", "Row", "RowKind", "bars", "grouped", "tick_times", "visible_times"]

RowKind = Literal["simple", "static", "event", "input"]


@dataclass(frozen=True)
class Row:
    """A line of the timeline: intervals for a fluent-value pair, times for an event.

    `columns` names the arguments where names are known. An event has no value.

    >>> Row("location", ("chris",), "home").label, Row("alarm", ("b1", "north")).label, Row("storm").label
    ('location(chris)=home', 'alarm(b1,north)', 'storm')
    """

    name: str
    arguments: tuple[str, ...] = ()
    value: str | None = None
    intervals: Sequence[tuple[int, int | None]] = ()
    times: Sequence[int] = ()
    kind: RowKind = "simple"
    columns: tuple[str, ...] = ()

    @property
    def instance(self) -> str:
        """The fluent or event with its arguments, without the value."""
        return f"{self.name}({','.join(self.arguments)})" if self.arguments else self.name

    @property
    def label(self) -> str:
        """The fluent-value pair or the event as text."""
        return self.instance if self.value is None else f"{self.instance}={self.value}"


@dataclass(frozen=True)
class Bar:
    """The visible part of an interval."""

    start: int
    end: int
    continues: bool
    began_before: bool


def bars(row: Row, start: int, end: int) -> list[Bar]:
    """The parts of a row's intervals between `start` and `end`.

    >>> bars(Row("f", value="v", intervals=[(0, 3), (5, 9), (20, None)]), 2, 8)
    [Bar(start=2, end=3, continues=False, began_before=True), Bar(start=5, end=8, continues=True, began_before=False)]
    """
    shown = []
    for first, last in row.intervals:
        if first < end and (last is None or last > max(first, start)):
            continues = last is None or last > end
            shown.append(Bar(max(first, start), end if continues or last is None else last, continues, first < start))
    return shown


def visible_times(row: Row, start: int, end: int) -> list[int]:
    """The times of a row from `start` to `end`, both included.

    >>> visible_times(Row("alarm", times=[1, 5, 9]), 2, 9)
    [5, 9]
    """
    return [time for time in row.times if start <= time <= end]


def grouped(rows: Iterable[Row]) -> list[list[Row]]:
    """The rows by fluent or event, groups and rows in the order in which they were given.

    >>> given = [Row("f", ("a",), "1"), Row("g", value="1"), Row("f", ("b",), "2")]
    >>> [[row.label for row in group] for group in grouped(given)]
    [['f(a)=1', 'f(b)=2'], ['g=1']]
    """
    groups: dict[tuple[bool, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.kind == "event", row.name), []).append(row)
    return list(groups.values())


def tick_times(start: int, end: int, most: int) -> list[int]:
    """Round times between `start` and `end`, at most `most` (at least two) of them, evenly spaced.

    >>> tick_times(0, 30, 8), tick_times(7, 93, 5)
    ([0, 5, 10, 15, 20, 25, 30], [20, 40, 60, 80])
    """
    span = max(1, end - start)
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if span // step + 1 <= max(2, most):
                return list(range(-(-start // step) * step, end + 1, step))
        power *= 10
