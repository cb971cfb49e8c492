"""The end of a run, arrivals, and outcomes of records: the smallest programs that depend on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem
from holdsfor.syntax.printer import show

SWITCH = """
initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
terminatedAt(s(X)=on, T) :- happensAt(b(X), T).
"""
DELAY = SWITCH + "fi(s(X)=on, s(X)=off, 8).\n"
LONG = SWITCH + "holdsFor(long(X)=true, J) :- holdsFor(s(X)=on, I), intDurGreater(I, 8, J).\n"
POINTS = """
points(f(_)=true).
happensAt(ended(X), T) :- happensAt(end(f(X)=true), T).
holdsFor(g(X)=true, I) :- holdsFor(f(X)=true, I).
"""
INTERVALS = POINTS.replace("points", "collectIntervals")

Spans = list[tuple[int, int | None]]


def everywhere(rules: str, *lines: str, **options: int) -> hf.Result:
    """The answer of a run in one window, in merged windows and in real ones; they must be equal."""
    compiled = hf.load_text(rules)
    results = [hf.recognise(compiled, list(lines), merge_windows=merge, **options) for merge in (True, False)]  # type: ignore[arg-type]
    first = results[0]
    for other in results[1:]:
        assert (other.intervals, other.times) == (first.intervals, first.times)
        assert counts(other) == counts(first)
    return first


def counts(result: hf.Result | hf.Report) -> tuple[int, int, int, int]:
    return result.late, result.dropped, result.cut, result.unmatched


# -- the end of the run ------------------------------------------------------------------------------------------------


def test_a_delay_that_is_due_after_the_end_stays_pending() -> None:
    for options in ({}, {"window": 10}, {"window": 10, "step": 5}):
        result = everywhere(DELAY, "a|10|10|p", start=0, end=17, **options)
        assert result.holds_for("s(p)=on") == [(11, None)], options
        assert everywhere(DELAY, "a|10|10|p", start=0, end=18, **options).holds_for("s(p)=off") == [(19, None)]


def test_an_open_interval_is_as_long_as_it_is_at_the_end() -> None:
    for options in ({}, {"window": 10}, {"window": 10, "step": 5}):
        assert everywhere(LONG, "a|10|10|p", start=0, end=18, **options).holds_for("long(p)=true") == [], options
        assert everywhere(LONG, "a|10|10|p", start=0, end=19, **options).holds_for("long(p)=true") == [(11, None)]


def test_query_times_go_on_to_the_last_arrival_that_a_window_admits() -> None:
    lines = ("a|3|3|p", "b|33|22|p", "b|52|24|q")
    result = everywhere(SWITCH, *lines, start=0, end=25, window=20, step=10)
    assert (result.query_time, result.holds_for("s(p)=on")) == (40, [(4, 23)])
    assert counts(result) == (1, 1, 0, 0)


def test_the_run_ends_with_the_last_occurrence() -> None:
    result = everywhere(DELAY, "a|10|10|p", "b|17|17|q", start=0, window=10)
    assert (result.query_time, result.holds_for("s(p)=on")) == (20, [(11, None)])


def test_records_at_the_very_edges_belong_to_the_run() -> None:
    for tick in (1, 5):
        start, end = -10 * tick, 7 * tick
        lines = [f"a|{start}|{start}|p", f"b|{end}|{end}|p", f"a|{end + tick}|{end + tick}|q"]
        for options in ({}, {"window": 4 * tick}, {"window": 6 * tick, "step": 2 * tick}):
            result = everywhere(SWITCH, *lines, start=start, end=end, tick=tick, **options)
            assert list(result.rows()) == [("fluent", "s(p)=on", start + tick, end + tick)]


# -- batch -------------------------------------------------------------------------------------------------------------


def test_without_a_window_all_records_have_arrived() -> None:
    result = everywhere(SWITCH, "a|3|3|p", "b|99|5|p", start=0, end=10)
    assert (result.holds_for("s(p)=on"), counts(result)) == ([(4, 6)], (0, 0, 0, 0))


def test_without_a_window_a_reinsertion_stands_whenever_it_arrives() -> None:
    assert everywhere(SWITCH, "a|3|3|p", "-a|40|3|p", "a|50|3|p", start=0, end=10).holds_for("s(p)=on") == [(4, None)]
    assert everywhere(SWITCH, "a|3|3|p", "a|50|3|p", "-a|40|3|p", start=0, end=10).holds_for("s(p)=on") == [(4, None)]
    assert everywhere(SWITCH, "a|3|3|p", "a|40|3|p", "-a|50|3|p", start=0, end=10).holds_for("s(p)=on") == []


def test_a_session_without_a_window_has_all_that_was_inserted() -> None:
    session = hf.Session(hf.load_text(SWITCH), start=0)
    session.insert(["a|3|3|p", "b|99|5|p"])
    assert session.query(10).holds_for("s(p)=on") == [(4, 6)]
    report = session.query(200)
    assert (report.holds_for("s(p)=on"), counts(report)) == ([(4, 6)], (0, 0, 0, 0))


# -- points and open intervals -----------------------------------------------------------------------------------------


def points(first: int, last: int) -> list[str]:
    return [f"f|{t}|{t}|true|p" for t in range(first, last + 1)]


def test_a_point_at_the_query_time_has_not_ended() -> None:
    session = hf.Session(hf.load_text(POINTS), start=0, window=10, step=5)
    session.insert(points(1, 12))
    reports = [session.query() for _ in range(4)]
    assert [report.holds_for("g(p)=true") for report in reports] == [[(1, None)], [(1, None)], [(1, 13)], [(1, 13)]]
    assert [report.happens_at("ended(p)") for report in reports] == [[], [], [12], [12]]
    assert [len(report.changes) for report in reports] == [1, 0, 2, 0]


def test_a_point_at_the_end_of_the_run_has_not_ended() -> None:
    for options in ({}, {"window": 4}, {"window": 6, "step": 3}):
        result = everywhere(POINTS, *points(1, 9), start=0, **options)
        assert (result.holds_for("g(p)=true"), result.happens_at("ended(p)")) == ([(1, None)], [])


def test_an_interval_that_ends_behind_the_run_counts_as_open() -> None:
    for options in ({}, {"window": 4}, {"window": 6, "step": 3}):
        spans = [
            everywhere(INTERVALS, f"f|1|1|{end}|true|p", start=0, end=9, **options).holds_for("g(p)=true")
            for end in (9, 10, 11)
        ]
        assert spans == [[(1, 9)], [(1, 10)], [(1, None)]], options


def test_an_open_interval_is_no_longer_than_the_query_time() -> None:
    rules = INTERVALS + "holdsFor(long(X)=true, J) :- holdsFor(f(X)=true, I), intDurGreater(I, 8, J).\n"
    session = hf.Session(hf.load_text(rules), start=0, window=10, step=5)
    session.insert("f|1|1|30|true|p".splitlines())
    assert [session.query().holds_for("long(p)=true") for _ in range(2)] == [[], [(1, None)]]


@pytest.mark.parametrize("shape", ["points", "intervals"])
def test_the_reference_agrees_about_the_end(shape: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.txt"
    rules.write_text(POINTS if shape == "points" else INTERVALS, encoding="utf-8")
    records.write_text("\n".join(points(1, 9) if shape == "points" else ["f|1|1|40|true|p"]) + "\n", encoding="utf-8")
    for engine in ("columnar", "reference"):
        assert main(["run", str(rules), "--input", str(records), "--start", "0", "--end", "9", "--engine", engine]) == 0
        assert capsys.readouterr().out == "% query time 9\nholdsFor(g(p)=true, [(1,inf)]).\n"


# -- retractions -------------------------------------------------------------------------------------------------------


def test_a_part_of_an_interval_is_retracted() -> None:
    lines = ("f|1|1|20|true|p", "-f|2|5|8|true|p", "-f|3|10|20|true|p", "-f|4|30|40|true|p")
    for options in ({}, {"window": 30}, {"window": 30, "step": 10}):
        result = everywhere(INTERVALS, *lines, start=0, end=25, **options)
        assert result.holds_for("g(p)=true") == [(1, 5), (8, 10)]
        assert counts(result) == (0, 0, 0, 1)


def test_in_windows_a_retraction_takes_effect_when_it_arrives() -> None:
    session = hf.Session(hf.load_text(SWITCH), start=0, window=20, step=10)
    session.insert(["a|3|3|p", "-a|15|3|p", "a|25|3|p"])
    reports = [session.query() for _ in range(3)]
    assert [report.holds_for("s(p)=on") for report in reports] == [[(4, None)], [], []]
    assert [counts(report) for report in reports] == [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)]
    result = everywhere(SWITCH, "a|3|3|p", "-a|15|3|p", "a|25|3|p", start=0, end=30, window=20, step=10)
    assert (result.intervals, counts(result)) == ({}, (1, 1, 0, 0))


def test_a_retraction_that_is_too_late_changes_nothing() -> None:
    result = everywhere(SWITCH, "a|3|3|p", "-a|35|3|p", start=0, end=40, window=20, step=10)
    assert (result.holds_for("s(p)=on"), counts(result)) == ([(4, None)], (0, 1, 0, 0))


def test_the_order_within_one_insertion_counts() -> None:
    session = hf.Session(hf.load_text(SWITCH), start=0, window=20)
    done = session.insert(["a|3|3|p", "-a|3|3|p", "a|3|3|p", "-a|3|3|q", "a|3|3|q"])
    assert [each.line for each in done.unmatched] == [4]
    report = session.query()
    assert (report.holds_at(5), report.unmatched) == (["s(p)=on", "s(q)=on"], 1)


def test_a_strict_insertion_is_atomic() -> None:
    session = hf.Session(hf.load_text(SWITCH), start=0, window=20, strict=True)
    with pytest.raises(DataProblem, match="HF503"):
        session.insert(["a|3|3|p", "-a|3|3|q"])
    assert (session.n_records, session.query().intervals) == (0, {})


# -- counts ------------------------------------------------------------------------------------------------------------


def test_every_outcome_has_one_name_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["a|3|3|p", "-a|6|6|r", "a|x|6|r", "b|14|5|p", "a|35|4|q", "f|48|12|49|true|p", "a|50|50|z"]
    rules, records, stats = tmp_path / "rules.prolog", tmp_path / "records.txt", tmp_path / "stats.json"
    rules.write_text(SWITCH + INTERVALS, encoding="utf-8")
    records.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["--start", "0", "--window", "20", "--step", "10"]
    for more in ([], ["--final"], ["--final", "--no-merge-windows"], ["--live"], ["--report", "changes"]):
        assert main(["run", str(rules), "--input", str(records), *options, *more, "--stats", str(stats)]) == 0
        written = json.loads(stats.read_text(encoding="utf-8"))
        admission_counts = {
            name: written[name] for name in ("late", "dropped", "cut", "set_aside", "unmatched", "new_member")
        }
        assert admission_counts == {
            "late": 1,
            "dropped": 1,
            "cut": 1,
            "set_aside": 1,
            "unmatched": 1,
            "new_member": 0,
        }, more
        summary = capsys.readouterr().err
        assert "1 late" in summary
        assert "1 set aside, 1 unmatched, 1 dropped, 1 cut (a window of 39 keeps all whole)" in summary
    result = hf.recognise(hf.load(rules), records, start=0, window=20, step=10)
    assert (*counts(result), result.set_aside) == (1, 1, 1, 1, 1)
    session = hf.Session(hf.load(rules), start=0, window=20, step=10)
    session.insert(records)
    report = session.query(10)
    assert (report.set_aside, report.unmatched) == (1, 1)


# -- members of dynamic domains ----------------------------------------------------------------------------------------

MEMBERS = """
collectGrounds([off(X), on(X)], d(X)). grounding(f(X)=true) :- d(X). grounding(idle(X)=true) :- d(X).
initially(f(X)=true).
initiatedAt(f(X)=true, T) :- happensAt(on(X), T).
terminatedAt(f(X)=true, T) :- happensAt(off(X), T).
holdsFor(idle(X)=true, J) :- holdsFor(f(X)=true, I), complement_all([I], J).
"""


def test_an_entity_whose_only_record_is_retracted_is_no_member() -> None:
    for options, arrival in (({}, 10), ({"window": 15}, 10), ({"window": 15, "step": 5}, 20)):
        lines = "on|9|9|a", "on|9|9|b", f"-on|{arrival}|9|b"
        result = everywhere(MEMBERS, *lines, start=0, end=30, **options)
        assert [show(fvp) for fvp in result.intervals] == ["f(a)=true"], options
        assert result.new_member == 0


def test_an_entity_whose_record_is_retracted_too_late_stays_a_member() -> None:
    result = everywhere(MEMBERS, "on|9|9|a", "-on|29|9|a", start=0, end=30, window=10, step=5)
    assert (result.dropped, result.holds_for("f(a)=true")) == (1, [(0, None)])


def test_a_member_that_a_goal_proves_is_gone_with_its_record() -> None:
    rules = MEMBERS.replace("grounding(f(X)=true) :- d(X).", "grounding(f(X)=true) :- known(X).")
    made = hf.Session(hf.load_text(rules + "known(X) :- d(X), X \\== c.\n"), window=20, step=10, start=0)
    made.insert(hf.Event("on", "a", at=3), hf.Event("on", "b", at=3))
    assert len(made.query(10).intervals) == 2
    made.retract(hf.Event("on", "b", at=3))
    assert [show(fvp) for fvp in made.query(20).intervals] == ["f(a)=true"]
