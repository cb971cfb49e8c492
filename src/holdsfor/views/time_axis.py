"""The time axis of a timeline: round numbers, or round dates and times.

Dates have two lines: the time or the day at every tick, and below it the day or the year where it changes.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from holdsfor.views.timeline_rows import tick_times

__all__ = ["DateAxis", "IntegerAxis", "Tick", "TimeAxis"]

_1970 = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_STEPS = (
    *(1, 2, 5, 10, 15, 30),
    *(_MINUTE * n for n in (1, 2, 5, 10, 15, 30)),
    *(_HOUR * n for n in (1, 2, 3, 6, 12)),
    *(_DAY * n for n in (1, 2, 7, 14)),
)
_MONTH_STEPS = (1, 2, 3, 6)
_LENGTHS = ((_DAY, "days"), (_HOUR, "h"), (_MINUTE, "min"), (1, "s"))


@dataclass(frozen=True)
class Tick:
    """A place of the axis with its label, and a second line where it changes."""

    time: int
    label: str
    context: str = ""


class TimeAxis(Protocol):
    """Labels for the time-points of a picture."""

    def ticks(self, start: int, end: int, most: int) -> list[Tick]:
        """At most `most` ticks from `start` to `end`."""

    def length(self, n: float) -> str:
        """A number of time-points as text, rounded up."""

    def note(self) -> str:
        """A remark for readers of the axis, such as its zone."""


class IntegerAxis:
    """Time-points as integers."""

    def ticks(self, start: int, end: int, most: int) -> list[Tick]:
        """Round numbers.

        >>> [tick.label for tick in IntegerAxis().ticks(0, 30, 5)]
        ['0', '10', '20', '30']
        """
        return [Tick(time, str(time)) for time in tick_times(start, end, most)]

    def length(self, n: float) -> str:
        """A number of time-points.

        >>> IntegerAxis().length(3.2), IntegerAxis().length(1)
        ('4 time-points', '1 time-point')
        """
        whole = int(-(-n // 1))
        return f"{whole:,} time-point{'s' * (whole != 1)}"

    def note(self) -> str:
        return ""


@dataclass(frozen=True)
class DateAxis:
    """Dates and times of a zone, for time-points that count fractions `1/per_second` of a second since 1970.

    Without a zone, they are local times of an unknown zone, and time-points count from 1970 of this zone.
    """

    per_second: int = 1
    zone: datetime.tzinfo | None = None

    def ticks(self, start: int, end: int, most: int) -> list[Tick]:
        """Round dates and times; integers if the calendar does not reach that far.

        >>> [(tick.label, tick.context) for tick in DateAxis().ticks(1530403200, 1530489600, 5)]
        [('00:00', '1 Jul 2018'), ('06:00', ''), ('12:00', ''), ('18:00', ''), ('00:00', '2 Jul 2018')]
        """
        try:
            return self._dates(start, end, max(2, most))
        except (OverflowError, ValueError):
            return IntegerAxis().ticks(start, end, most)

    def length(self, n: float) -> str:
        """A length of time, rounded up to two digits.

        >>> DateAxis().length(44.1), DateAxis().length(5000), DateAxis(1000).length(20), DateAxis().length(200_000)
        ('45 s', '84 min', '0.02 s', '2.4 days')
        """
        seconds = n / self.per_second
        size, unit = next((each for each in _LENGTHS if seconds >= 2 * each[0]), _LENGTHS[-1])
        if seconds < 1:
            return f"{seconds:.2g} s"
        digits = 10 if seconds < 10 * size else 1
        return f"{-(-seconds * digits // size) / digits:g} {unit}"

    def note(self) -> str:
        return f"times in {getattr(self.zone, 'key', None) or self.zone}" if self.zone else ""

    def _dates(self, start: int, end: int, most: int) -> list[Tick]:
        first, last = self._moment(start), self._moment(end)
        for step in _STEPS:
            if (end - start) / self.per_second / step + 1 <= most:
                return self._labelled(start, end, _by_seconds(first, last, step), step)
        for months in _month_steps():
            if (last.year - first.year) * 12 + last.month - first.month + months <= most * months:
                return self._labelled(start, end, _by_months(first, last, months), months * 31 * _DAY)
        return []

    def _moment(self, time: int) -> datetime.datetime:
        """The local date and time, without its zone."""
        moment = _1970 + datetime.timedelta(microseconds=time * 1_000_000 // self.per_second)
        return moment.astimezone(self.zone or datetime.UTC).replace(tzinfo=None)

    def _time(self, moment: datetime.datetime) -> int:
        since = moment.replace(tzinfo=self.zone or datetime.UTC) - _1970
        return (since.days * _DAY + since.seconds) * self.per_second

    def _labelled(self, start: int, end: int, moments: Iterator[datetime.datetime], step: int) -> list[Tick]:
        ticks: list[Tick] = []
        before = ""
        for moment in moments:
            time = self._time(moment)
            if time > end:
                break
            if time >= start and (not ticks or time > ticks[-1].time):
                label, context = _words(moment, step)
                ticks.append(Tick(time, label, "" if context == before else context))
                before = context
        return ticks


def _by_seconds(first: datetime.datetime, last: datetime.datetime, step: int) -> Iterator[datetime.datetime]:
    """Multiples of a step: of the day, or of days since a Monday."""
    monday = datetime.datetime(1, 1, 1)
    since = (first - monday) // datetime.timedelta(seconds=step)
    while (moment := monday + since * datetime.timedelta(seconds=step)) <= last:
        yield moment
        since += 1


def _by_months(first: datetime.datetime, last: datetime.datetime, months: int) -> Iterator[datetime.datetime]:
    number = (first.year * 12 + first.month - 1) // months * months
    while number <= last.year * 12 + last.month - 1:
        if number >= 12:
            yield datetime.datetime(number // 12, number % 12 + 1, 1)
        number += months


def _month_steps() -> Iterator[int]:
    yield from _MONTH_STEPS
    power = 12
    while power <= 12 * 10_000:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _words(moment: datetime.datetime, step: int) -> tuple[str, str]:
    """The two lines of a tick."""
    day, month = f"{moment.day} {_MONTHS[moment.month - 1]}", _MONTHS[moment.month - 1]
    if step < _DAY:
        return f"{moment:%H:%M:%S}" if step < _MINUTE else f"{moment:%H:%M}", f"{day} {moment.year}"
    if step < 28 * _DAY:
        return day, str(moment.year)
    return (month, str(moment.year)) if step < 360 * _DAY else (str(moment.year), "")
