"""The first time-point of a run: records before and across it, and runs that start between two time-points."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.runtime.reports.revisions import revisions
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records
from tests.unit.runtime.cases import Example

WHOLE = "collectIntervals(f(_)=_). holdsFor(d(X)=true, J) :- holdsFor(f(X)=on, I), union_all([I], J)."
CROSSING = Example(WHOLE, ("f|-3|4|on|a", "f|-9|29|on|b"))


def test_an_interval_that_crosses_the_start_is_seen_whole() -> None:
    assert CROSSING.reference() == {"d(a)=true": [(-3, 4)], "d(b)=true": [(-9, 29)]}
    assert CROSSING.batch() == CROSSING.reference()


@pytest.mark.parametrize(("window", "step"), [(40, 30), (31, 30), (7, 3), (30, 30), (5, 5), (1, 1)])
def test_an_interval_that_crosses_the_start_is_seen_whole_in_windows(window: int, step: int) -> None:
    expected, found = CROSSING.windows(window, step)
    assert found == expected


def test_an_interval_without_a_time_point_of_the_run_is_not_of_the_run() -> None:
    """The run starts at 3, its first time-point is 40; a record over `[0, 40)` mentions nothing."""
    rules = "collectIntervals(f(_)=_). holdsFor(d(X)=true, J) :- holdsFor(f(X)=on, I), complement_all([I], J)."
    example = Example(rules, ("f|0|40|on|a", "f|80|120|on|b"), start=3, end=403, tick=40)
    assert example.reference() == {"d(b)=true": [(40, 80), (120, None)]}
    example.check(1, 3)


@pytest.mark.parametrize("merge_windows", [False, True])
def test_a_window_with_the_first_time_point_cuts_nothing(merge_windows: bool) -> None:
    """The run starts at 3, so its first time-point is 40 and the second window, (3, 83], has all of the run."""
    rules = hf.load_text(WHOLE)
    lines = ["f|60|0|200|on|a"]
    found = hf.recognise(rules, lines, start=3, end=403, tick=40, window=80, step=40, merge_windows=merge_windows)
    assert (found.late, found.dropped, found.cut) == (1, 0, 0)
    assert found.holds_for("d(a)=true") == [(0, 200)]


BRIEF = "initially(f=true). terminatedAt(f=true, T) :- happensAt(x, T). happensAt(o, T) :- happensAt(x, T)."


def test_the_first_report_has_intervals_of_the_start_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.prolog").write_text(BRIEF)
    (tmp_path / "records.txt").write_text("x|0|0\n")
    files = [str(tmp_path / "rules.prolog"), "--input", str(tmp_path / "records.txt")]
    main(["run", *files, "--start", "0", "--end", "9", "--window", "3", "--step", "3"])
    reports = capsys.readouterr().out.split("% query time ")
    assert reports[1] == "3\nholdsFor(f=true, [(0,1)]).\nhappensAt(o, [0]).\n"
    assert [report.strip() for report in reports[2:]] == ["6", "9"]


def test_the_first_report_of_a_session_has_intervals_of_the_start_alone() -> None:
    session = hf.Session(hf.load_text(BRIEF), start=0, window=3)
    session.insert(["x|0|0"])
    first, second = session.query(), session.query()
    assert (first.holds_for("f=true"), first.happens_at("o")) == ([(0, 1)], [0])
    assert (second.intervals, second.times, second.changes) == ({}, {}, [])


def test_the_first_report_of_revisions_has_intervals_of_the_start_alone() -> None:
    rules, reading = hf.load_text(BRIEF), Reading()
    session = EngineSession(rules, start=0, end=9, window=3)
    read_text_records(["x|0|0"], "records", rules.names, 1, reading)
    session.insert((0, fact) for fact in reading.facts())
    found = revisions(session, [3, 6, 9])
    for known in (found.fluents["f", 0], found.events["o", 0]):
        assert (known.known_from.tolist(), known.last_report.tolist()) == ([3], [3])
