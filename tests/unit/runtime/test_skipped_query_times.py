"""Time ranges without records cost nothing, however long, and change nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import HoldsforError
from holdsfor.runtime import windows
from holdsfor.syntax.printer import show

WILD = 2**61
RULES = """
initiatedAt(s(X)=on, T) :- happensAt(a(X), T).
terminatedAt(s(X)=on, T) :- happensAt(b(X), T).
fi(s(X)=on, s(X)=off, 25).
holdsFor(long(X)=true, J) :- holdsFor(s(X)=off, I), intDurGreater(I, 40, J).
collectIntervals(f(_)=true).
happensAt(ended(X), T) :- happensAt(end(f(X)=true), T).
holdsFor(both(X)=true, K) :- holdsFor(s(X)=off, I), holdsFor(f(X)=true, J), allen(during, J, I, source, K).
holdsFor(neither(X)=true, K) :- holdsFor(s(X)=off, I), holdsFor(f(X)=true, J), complement_all([I, J], K).
"""
LINES = ["a|3|3|p", "f|9|9|130|true|p", f"a|{WILD}|{WILD}|q", f"b|{WILD + 5}|{WILD + 5}|q"]
EXPECTED = {
    "s(p)=on": [(4, 29)],
    "s(p)=off": [(29, None)],
    "long(p)=true": [(29, None)],
    "both(p)=true": [],
    "neither(p)=true": [(3, 9)],
    "s(q)=on": [(WILD + 1, WILD + 6)],
    "ended(p)": [129],
}


def test_one_wild_timestamp_costs_nothing() -> None:
    rules = hf.load_text(RULES)
    for options in ({}, {"window": 20}, {"window": 20, "step": 10}):
        for merge in (True, False):
            result = hf.recognise(rules, LINES, merge_windows=merge, **options)  # type: ignore[arg-type]
            found = {**result.intervals, **result.times}
            named = {show(term): spans for term, spans in found.items()}
            assert {name: named.get(name, []) for name in EXPECTED} == EXPECTED, (options, merge)


def test_a_session_reaches_a_wild_query_time() -> None:
    session = hf.Session(hf.load_text(RULES), start=0, window=20, step=10)
    session.insert(LINES[:2])
    session.query(10)
    session.insert(LINES[2:])
    report = session.query(WILD + 10)
    assert (report.holds_for("s(p)=off"), report.late) == ([(29, None)], 0)
    assert report.holds_for("s(q)=on") == [(WILD + 1, WILD + 6)]


@pytest.mark.parametrize("mode", [[], ["--live"], ["--report", "changes"], ["--final"], ["--replay", "max"]])
def test_the_command_leaves_out_reports_that_repeat_the_last(
    mode: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_REPEATED", 5)
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.txt"
    rules.write_text(RULES, encoding="utf-8")
    records.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    assert (
        main(["run", str(rules), "--input", str(records), "--start", "0", "--window", "20", "--step", "10", *mode]) == 0
    )
    reports = capsys.readouterr().out.split("% query time ")[1:]
    assert len(reports) < 60
    assert f"{WILD + 6}" in reports[-1]


def random_lines(chance: random.Random) -> list[str]:
    """Records in a few bursts, some of which arrive late."""
    lines: list[str] = []
    for burst in sorted(chance.sample(range(0, 5000, 50), 4)):
        for _ in range(chance.randint(1, 4)):
            time = burst + chance.randint(0, 30)
            late = chance.choice([0, 0, 3, 15, 400])
            name, who = chance.choice("abf"), chance.choice("pq")
            end = f"|{time + chance.choice([1, 30, 700])}|true" if name == "f" else ""
            lines.append(f"{name}|{time + late}|{time}{end}|{who}")
    return lines


@pytest.mark.parametrize("seed", range(12))
def test_skipped_query_times_change_no_report(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    rules, lines = hf.load_text(RULES), random_lines(chance)
    step = chance.choice([7, 10, 40])
    window = step * chance.choice([1, 2]) + chance.choice([0, 3])
    few = hf.recognise(rules, lines, window=window, step=step, merge_windows=False)
    monkeypatch.setattr(windows, "busy_query_times", lambda session, queries, last, **_: queries.up_to(last))
    all_of_them = hf.recognise(rules, lines, window=window, step=step, merge_windows=False)
    assert (few.intervals, few.times) == (all_of_them.intervals, all_of_them.times)
    assert (few.late, few.dropped, few.cut) == (all_of_them.late, all_of_them.dropped, all_of_them.cut)


RULES_WITH_THE_QUERY_TIME = RULES + "happensAt(recent(X), T) :- happensAt(a(X), T), queryTime(Q), T > Q - 5.\n"


@pytest.mark.parametrize(
    "mode", [[], ["--live"], ["--report", "changes"], ["--final"], ["--no-merge-windows", "--final"]], ids=" ".join
)
def test_a_wild_timestamp_is_refused_where_every_query_time_matters(
    mode: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.txt"
    rules.write_text(RULES_WITH_THE_QUERY_TIME, encoding="utf-8")
    records.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    run = ["run", str(rules), "--input", str(records), "--start", "0", "--window", "20", "--step", "10", *mode]
    assert main(run) != 0
    assert "query times" in capsys.readouterr().err
    if "--live" not in mode:
        assert main([*run, "--end", "200"]) == 0


def test_a_wild_query_time_of_a_session_is_refused_where_every_query_time_matters() -> None:
    session = hf.Session(hf.load_text(RULES_WITH_THE_QUERY_TIME), start=0, window=20, step=10)
    session.insert(LINES[:2])
    session.query(10)
    with pytest.raises(HoldsforError, match="query times without a record"):
        session.query(WILD + 10)
    assert session.query(20).holds_for("s(p)=on") == [(4, None)]


def test_wild_times_at_both_ends_of_all_time_points_are_counted() -> None:
    rules = hf.load_text(RULES_WITH_THE_QUERY_TIME)
    lines = [f"a|{-(2**62)}|{-(2**62)}|p", f"a|{2**62}|{2**62}|q"]
    with pytest.raises(HoldsforError, match="query times"):
        hf.recognise(rules, lines, window=20, step=10, merge_windows=False)
