"""The calendar: the hour, the day of the week and the date of a time-point, in the time zone of the run.

    hour_of_day(T, H)     H is 0 to 23
    day_of_week(T, D)     D is 1 for Monday to 7 for Sunday
    date(T, Y, M, D)      year, month and day

The fact `'$clock'(N, Zone)` has the number of time-points in a second and the name of the time zone.
"""

from __future__ import annotations

import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from holdsfor.prolog.builtins.numbers import integer_value
from holdsfor.prolog.database import Database
from holdsfor.prolog.problems import GoalProblem
from holdsfor.prolog.registry import Arguments, BuiltinContext, deterministic
from holdsfor.prolog.unify import unify
from holdsfor.syntax.terms import Atom, Int

__all__ = ["CALENDAR", "clock_of"]

CALENDAR = frozenset([("hour_of_day", 2), ("day_of_week", 2), ("date", 4)])
"""The predicates of the calendar."""

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def clock_of(database: Database) -> tuple[int, str]:
    """The number of time-points in a second, and the name of the time zone."""
    for per_second, zone in database.facts("$clock", 2):
        if isinstance(per_second, Int) and isinstance(zone, Atom):
            return per_second.value, zone.name
    return 1, "UTC"


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _moment(args: Arguments, run: BuiltinContext) -> datetime.datetime:
    time = integer_value(args[0])
    per_second, zone = clock_of(run.database)
    try:
        return (_EPOCH + datetime.timedelta(seconds=time // per_second)).astimezone(_zone(zone))
    except OverflowError:
        raise GoalProblem("HF604", f"the time-point {time} has no date between the years 1 and 9999") from None


@deterministic(("hour_of_day", 2))
def _hour_of_day(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], Int(_moment(args, run).hour), run.trail)


@deterministic(("day_of_week", 2))
def _day_of_week(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], Int(_moment(args, run).isoweekday()), run.trail)


@deterministic(("date", 4))
def _date(args: Arguments, run: BuiltinContext) -> bool:
    moment = _moment(args, run)
    parts = (moment.year, moment.month, moment.day)
    return all(unify(arg, Int(part), run.trail) for arg, part in zip(args[1:], parts, strict=True))
