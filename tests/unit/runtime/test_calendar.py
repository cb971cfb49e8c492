"""Hours, days of the week and dates in rules: exact in every zone, and the same on every engine."""

from __future__ import annotations

import datetime
import random
from zoneinfo import ZoneInfo

import numpy as np
import pytest

import holdsfor as hf
from holdsfor.analysis.pipeline import with_clock
from holdsfor.errors import NoResultWarning, UsageProblem
from holdsfor.kernels.calendar import EARLIEST_SECOND, LATEST_SECOND, calendar_days, local_seconds
from tests.unit.runtime.comparison import engine_answer, reference_answer

RULES = """
happensAt(at(X, H), T) :- happensAt(ping(X), T), hour_of_day(T, H).
happensAt(on(X, D), T) :- happensAt(ping(X), T), day_of_week(T, D).
happensAt(dated(X, Y, M, D), T) :- happensAt(ping(X), T), date(T, Y, M, D).
happensAt(first(X, M), T) :- happensAt(ping(X), T), date(T, _, M, 1).
happensAt(weekday(X), T) :- happensAt(ping(X), T), day_of_week(T, D), D < 6, \\+ hour_of_day(T, 12).
initiatedAt(night(X)=true, T) :- happensAt(ping(X), T), is_night(T).
terminatedAt(night(X)=true, T) :- happensAt(ping(X), T), \\+ is_night(T).
is_night(T) :- hour_of_day(T, H), (H >= 22 ; H < 6).
"""
ZONES = ["UTC", "Europe/Athens", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca"]


def moments(n: int, seed: int) -> list[int]:
    """Times of all centuries, and around the changes to and from summer time."""
    pick = random.Random(seed)
    changes = [1_711_846_800, 1_729_990_800, 1_710_054_000, 1_730_613_600, 1_712_415_600]
    near = [pick.choice(changes) + pick.randint(-7_200, 7_200) for _ in range(n)]
    return near + [pick.randint(-2_000_000_000, 8_000_000_000) for _ in range(n)]


@pytest.mark.parametrize("zone", ZONES)
def test_columns_have_the_dates_of_the_time_zone_database(zone: str) -> None:
    seconds = np.array([*moments(300, 1), EARLIEST_SECOND, LATEST_SECOND], np.int64)
    local = local_seconds(seconds, zone)
    days = list(zip(*(part.tolist() for part in calendar_days(local)), strict=True))
    for second, here, day in zip(seconds.tolist(), local.tolist(), days, strict=True):
        moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(seconds=second)
        wall = moment.astimezone(ZoneInfo(zone))
        assert (wall.year, wall.month, wall.day) == day
        assert (wall.hour, wall.isoweekday()) == (here // 3_600 % 24, (here // 86_400 + 3) % 7 + 1)


@pytest.mark.parametrize("zone", ZONES[:4])
def test_the_engine_has_the_calendar_of_the_reference(zone: str) -> None:
    """In one window and in many, for seconds and milliseconds."""
    for unit, per_second in (("s", 1), ("ms", 1000)):
        rules = with_clock(hf.load_text(RULES), unit, zone)
        times = sorted({at * per_second + (at % 3) * (per_second > 1) for at in moments(6, per_second)})
        records = [hf.Event("ping", f"x{i % 3}", at=at) for i, at in enumerate(times)]
        expected = reference_answer(rules, records, times[0], times[-1])
        assert engine_answer(rules, records, time_unit=unit, tz=zone) == expected
        assert len(expected) > 10


def test_a_session_and_windows_have_the_zone_of_the_run() -> None:
    rules = hf.load_text("happensAt(at(X, H), T) :- happensAt(ping(X), T), hour_of_day(T, H).")
    session = hf.Session(rules, start=0, window=100_000, tz="Asia/Kathmandu", time_unit="s")
    session.insert(hf.Event("ping", "x", at=3_600))
    assert session.query().happens_at("at(x,6)") == [3_600]
    found = hf.recognise(rules, hf.Event("ping", "x", at=3_600), window=10, tz="Asia/Kathmandu", time_unit="s")
    assert found.happens_at("at(x,6)") == [3_600]


def test_a_loaded_session_has_the_unit_and_the_zone_of_the_saved_one() -> None:
    text = "happensAt(at(X, H), T) :- happensAt(ping(X), T), hour_of_day(T, H), T > 1*second."
    session = hf.Session(hf.load_text(text), start=0, window=9_000_000, tz="Asia/Kathmandu", time_unit="ms")
    session.insert(hf.Event("ping", "x", at=3_600_000))
    again = hf.Session.restore(session.snapshot(), hf.load_text(text))
    assert again.query().happens_at("at(x,6)") == session.query().happens_at("at(x,6)") == [3_600_000]


def test_a_definition_of_the_same_name_comes_first() -> None:
    rules = hf.load_text(
        "happensAt(at(X, H), T) :- happensAt(ping(X), T), hour_of_day(T, H).\nhour_of_day(T, H) :- H is T mod 7."
    )
    assert hf.recognise(rules, hf.Event("ping", "x", at=9), time_unit="s").happens_at("at(x,2)") == [9]


def test_a_time_point_without_a_date_has_no_hour() -> None:
    rules = hf.load_text("happensAt(at(H), T) :- happensAt(ping, T), hour_of_day(T, H).")
    with pytest.warns(NoResultWarning, match="has no date between the years 1 and 9999"):
        found = hf.recognise(rules, [hf.Event("ping", at=0), hf.Event("ping", at=2**60)], time_unit="s")
    assert found.happens_at("at(0)") == [0]


def test_a_zone_or_a_unit_that_does_not_exist_is_an_error() -> None:
    rules = hf.load_text("happensAt(at(H), T) :- happensAt(ping, T), hour_of_day(T, H).")
    with pytest.raises(UsageProblem, match="`Middle/Earth` is not a time zone"):
        hf.recognise(rules, hf.Event("ping", at=3), tz="Middle/Earth")
    with pytest.raises(UsageProblem, match="the times are integers of an unknown unit"):
        hf.recognise(rules, hf.Event("ping", at=3))
