"""Timestamps in, timestamps out: in every table, report and change; and times and durations as arguments."""

from __future__ import annotations

import datetime as dt
import math
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem, UsageProblem

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
terminatedAt(on(X)=true, T) :- happensAt(down(X), T).
happensAt(seen(X), T) :- happensAt(up(X), T).
"""
UTC = dt.UTC
FIRST, LAST = dt.datetime(2026, 3, 1, 8, 0, tzinfo=UTC), dt.datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SECOND = dt.timedelta(seconds=1)
UP, DOWN = "happensAt(up(x), ts)", "happensAt(down(x), ts)"


def table(time: Any, kind: Any) -> Any:
    return pa.table({"x": ["a"], "ts": pa.array([time], kind)})


def recognised(kind: Any, **more: Any) -> hf.Result:
    times = [time if kind.tz else time.replace(tzinfo=None) for time in (FIRST, LAST)]
    return hf.recognise(hf.load_text(RULES), (table(times[0], kind), UP), (table(times[1], kind), DOWN), **more)


@pytest.mark.parametrize(
    ("kind", "unit", "zone"),
    [
        (pa.timestamp("us", "Europe/Athens"), "s", "Europe/Athens"),
        (pa.timestamp("ns", "UTC"), "ms", "UTC"),
        (pa.timestamp("s"), "s", None),
    ],
)
def test_tables_have_timestamps_with_a_unit_and_a_zone(kind: Any, unit: Any, zone: str | None) -> None:
    result = recognised(kind, time_unit=unit)
    expected = pa.timestamp(kind.unit, zone)
    assert result["on"].schema.field("start").type == result["on"].schema.field("end").type == expected
    assert result["seen"].schema.field("time").type == expected
    assert result.to_arrow().schema.field("end").type == expected
    tick = dt.timedelta(milliseconds=1) if unit == "ms" else SECOND
    starts = [FIRST + tick, LAST + tick]
    starts = starts if zone else [time.replace(tzinfo=None) for time in starts]
    assert list(result["on"].to_pylist()[0].values()) == ["a", "true", *starts]
    assert result.holds_for("on(a)=true") == [tuple(starts)]


def test_integers_stay_integers_and_can_be_chosen() -> None:
    assert hf.recognise(hf.load_text(RULES), ["up|3|3|a"]).holds_for("on(a)=true") == [(4, None)]
    result = recognised(pa.timestamp("s", "UTC"), times="integer")
    assert result["on"].schema.field("start").type == pa.int64()
    assert result.holds_for("on(a)=true") == [(int(FIRST.timestamp()) + 1, int(LAST.timestamp()) + 1)]


def test_a_zone_is_that_of_naive_times_and_of_results() -> None:
    athens = ZoneInfo("Europe/Athens")
    naive = recognised(pa.timestamp("s"), tz="Europe/Athens")
    assert naive["on"].schema.field("start").type == pa.timestamp("s", "Europe/Athens")
    assert naive.holds_for("on(a)=true")[0][0] == dt.datetime(2026, 3, 1, 8, 0, 1, tzinfo=athens)
    assert recognised(pa.timestamp("s", "UTC"), tz="Europe/Athens").holds_for("on(a)=true")[0][0] == FIRST + SECOND
    with pytest.raises(UsageProblem, match="`Europe/Athen` is not a time zone"):
        recognised(pa.timestamp("s"), tz="Europe/Athen")


@pytest.mark.parametrize("time", ["2026-03-29T03:30:00", "2026-10-25T03:30:00"], ids=["skipped", "twice"])
@pytest.mark.filterwarnings("ignore::holdsfor.errors.SetAsideWarning")
def test_a_local_time_that_does_not_exist_once_is_set_aside(time: str) -> None:
    rows = pa.table({"x": ["a", "b"], "ts": [time, "2026-03-01T08:00:00"]})
    for given in (rows, rows.set_column(1, "ts", rows["ts"].cast(pa.timestamp("s")))):
        result = hf.recognise(hf.load_text(RULES), (given, UP), tz="Europe/Athens")
        assert result.set_aside == 1
        assert "does not exist in the time zone `Europe/Athens`" in result.reading.set_aside[0].reason


@pytest.mark.parametrize("start", ["2026-03-01T08:00:00Z", FIRST, FIRST.astimezone(ZoneInfo("Europe/Athens"))])
@pytest.mark.parametrize("window", ["2h", dt.timedelta(hours=2), 7200])
def test_times_and_durations_as_arguments(start: Any, window: Any) -> None:
    result = recognised(pa.timestamp("s", "UTC"), start=start, end=LAST, window=window, step="1h", allen_memory="1d")
    assert result.holds_for("on(a)=true") == [(FIRST + SECOND, LAST + SECOND)]
    session = hf.Session(hf.load_text(RULES), start=start, window=window)
    session.insert((table(FIRST, pa.timestamp("s", "UTC")), UP))
    assert session.query(LAST, window=window).query_time == int(LAST.timestamp())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"window": "soon"}, "expected a duration as `window`, found `soon`"),
        ({"window": dt.timedelta(milliseconds=5)}, "the unit of time is `s`"),
        ({"start": "soon"}, "found `soon`"),
        ({"start": 3.5}, "expected a time-point, a time or text as `start`, found `float`"),
    ],
)
def test_other_arguments_are_errors(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageProblem, match=message):
        recognised(pa.timestamp("s", "UTC"), **given)


def test_reports_and_changes_of_a_session_have_timestamps() -> None:
    session = hf.Session(hf.load_text(RULES), window="2h")
    session.insert((table(FIRST, pa.timestamp("s", "UTC")), UP))
    report = session.query(FIRST + dt.timedelta(hours=1))
    assert repr(report).splitlines() == [
        "Report at 2026-03-01T09:00:00Z: 1 FVP, 1 event, 2 changes",
        "  on(a)=true  [(2026-03-01T08:00:01Z,inf)]",
        "  seen(a)  [2026-03-01T08:00:00Z]",
    ]
    assert [change.new for change in report.changes] == [(FIRST + SECOND, None), FIRST]
    assert str(report.changes[0]) == "added on(a)=true (2026-03-01T08:00:01+00:00,inf)"
    again = hf.Session.restore(session.snapshot(), hf.load_text(RULES))
    assert again.query().holds_for("on(a)=true") == [(FIRST + SECOND, None)]


@pytest.mark.parametrize(
    ("times", "zone"),
    [
        ((FIRST, LAST), UTC),
        ((FIRST.isoformat(), LAST.isoformat()), UTC),
        ((FIRST.replace(tzinfo=None), LAST.replace(tzinfo=None)), None),
    ],
    ids=["datetimes", "texts", "naive"],
)
def test_objects_have_datetimes_or_texts_as_times(times: tuple[Any, Any], zone: dt.tzinfo | None) -> None:
    text = "collectIntervals(near(_)=true).\nholdsFor(close(X)=true, I) :- holdsFor(near(X)=true, I).\n"
    rules, (start, end) = hf.load_text(text + RULES), times
    records: list[hf.Event | hf.Fluent] = [
        hf.Event("up", "a", at=start, arrival=end),
        hf.Fluent("near", "a", start=start, end=end),
        hf.Fluent("near", "b", start=start, end=math.inf),
    ]
    result = hf.recognise(rules, records)
    first, last = FIRST.replace(tzinfo=zone), LAST.replace(tzinfo=zone)
    assert result.holds_for("close") == {"close(a)=true": [(first, last)], "close(b)=true": [(first, None)]}
    assert result.happens_at("seen(a)") == [first]
    session = hf.Session(rules, start=first - SECOND, window="1d")
    session.insert(*records)
    session.retract(records[0])
    assert session.query(last).happens_at("seen(a)") == []


def test_objects_mix_integers_and_datetimes() -> None:
    events = [hf.Event("up", "a", at=FIRST), hf.Event("up", "b", at=int(FIRST.timestamp()) + 60)]
    result = hf.recognise(hf.load_text(RULES), events)
    assert result.happens_at("seen(b)") == [FIRST + dt.timedelta(minutes=1)]
    day = hf.recognise(hf.load_text(RULES), hf.Event("up", "a", at=dt.date(2026, 3, 1)), tz="Europe/Athens")
    assert day.happens_at("seen(a)") == [dt.datetime(2026, 3, 1, tzinfo=ZoneInfo("Europe/Athens"))]


def test_a_saved_session_takes_durations_as_it_was_made_with(tmp_path: Path) -> None:
    rules = hf.load_text(RULES)
    hf.Session(rules, start=FIRST, window="2h", step="1h").save(tmp_path / "state")
    for window in ("2h", 7200, dt.timedelta(hours=2)):
        assert hf.Session.load(tmp_path / "state", rules, window=window, step="1h").window == 7200
    with pytest.raises(UsageProblem, match="has the window 7200, expected 10800"):
        hf.Session.load(tmp_path / "state", rules, window="3h")


def test_several_processes_have_the_times_of_one(tmp_path: Path) -> None:
    file = tmp_path / "up.csv"
    lines = [f"v{i % 9},2026-03-01T08:{i // 60:02}:{i % 60:02}Z" for i in range(3000)]
    file.write_text("\n".join(["x,ts", *lines]), encoding="utf-8")
    found = [hf.recognise(hf.load_text(RULES), f"{file}: {UP}", jobs=n) for n in (1, 2)]
    assert [each.n_processes for each in found] == [1, 2]
    assert found[0].time_type == found[1].time_type is not None
    assert found[0]["on"].equals(found[1]["on"])


def test_files_have_timestamps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "up.csv").write_text("x,ts\na,2026-03-01T08:00:00Z\n", encoding="utf-8")
    run = ["run", str(tmp_path / "rules.prolog"), "--input", f"{tmp_path}/up.csv: {UP}"]
    for output in ("all.parquet", "out/"):
        assert main([*run, "-o", f"{tmp_path}/{output}", "--tz", "Europe/Athens"]) == 0
    for file in ("all.parquet", "out/on.parquet"):
        found = pyarrow.parquet.read_table(tmp_path / file)
        assert str(found.schema.field("start").type) in (
            "timestamp[ms, tz=Europe/Athens]",
            "timestamp[s, tz=Europe/Athens]",
        )
        assert found["start"][0].as_py() == FIRST + SECOND
    assert main([*run, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith(",on(a)=true,2026-03-01T08:00:01Z,")
    assert main([*run, "--times", "integer", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith(f",on(a)=true,{int(FIRST.timestamp()) + 1},")


def test_wrong_arguments_are_sentences() -> None:
    with pytest.raises(UsageProblem, match="expected rules, found `r") as caught:
        hf.recognise("r.prolog", ["up|1|1|a"])  # type: ignore[arg-type]
    assert 'hint: load them first: `hf.load("r.prolog")`' in str(caught.value)
    with pytest.raises(UsageProblem, match="expected data to recognise the rules in, found none"):
        hf.recognise(hf.load_text(RULES))
    with pytest.raises((UsageProblem, DataProblem)):
        hf.recognise(hf.load_text(RULES), None)  # type: ignore[arg-type]
