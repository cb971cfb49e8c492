"""Allen constructs over windows, on lists of a few intervals: the edge of a window must not change relations."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import UsageProblem
from holdsfor.runtime import windows


def rule(relation: str, mode: str = "source") -> str:
    return f"""
    holdsFor(d(X)=true, I) :-
        holdsFor(s(X)=true, S),
        holdsFor(t(X)=true, U),
        allen({relation}, S, U, {mode}, I).
    """


SWITCHES = """
initiatedAt(s(a)=true, T) :- happensAt(on(s), T).
terminatedAt(s(a)=true, T) :- happensAt(off(s), T).
initiatedAt(t(a)=true, T) :- happensAt(on(t), T).
terminatedAt(t(a)=true, T) :- happensAt(off(t), T).
"""


def intervals(name: str, *spans: tuple[int, int], of: str = "a") -> list[hf.Fluent]:
    return [hf.Fluent(name, of, value="true", start=start, end=end) for start, end in spans]


@pytest.mark.parametrize(
    ("relation", "source", "target"),
    [
        ("equal", (1, 30), (3, 30)),
        ("starts", (1, 30), (3, 40)),
        ("finishes", (5, 9), (2, 30)),
        ("during", (2, 30), (3, 40)),
        ("before", (1, 30), (22, 40)),
    ],
)
@pytest.mark.parametrize("window", [4, 7, 10])
def test_an_interval_that_a_window_cuts_is_not_related_for_that(
    relation: str, source: tuple[int, int], target: tuple[int, int], window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_WORTH_A_WINDOW", 0)
    records = [*intervals("s", source), *intervals("t", target)]
    assert hf.recognise(hf.load_text(rule(relation)), records, start=0, end=50, window=window).intervals == {}


def test_an_interval_is_reported_from_its_true_start_when_it_is_decided_long_after() -> None:
    session = hf.Session(hf.load_text(SWITCHES + rule("during")), start=0, window=5)
    session.insert(hf.Event("on", "t", at=1), hf.Event("on", "s", at=2))
    session.insert(hf.Event("off", "s", at=42), hf.Event("off", "t", at=52))
    reports = {at: session.query(at) for at in range(5, 65, 5)}
    assert {at: known.holds_for("d(a)=true") for at, known in reports.items() if known.holds_for("d(a)=true")} == {
        45: [(3, 43)]
    }
    changes = [str(change) for known in reports.values() for change in known.changes if "d(a)" in str(change)]
    assert changes == ["added d(a)=true (3,43)"]


def test_a_target_that_is_first_seen_late_finds_sources_that_have_been_there_for_long() -> None:
    rules = hf.load_text("""
    holdsFor(d(X, Y)=true, I) :-
        holdsFor(s(X)=true, S),
        holdsFor(t(X, Y)=true, U),
        allen(before, S, U, target, I).
    """)
    session = hf.Session(rules, start=0, window=10, allen_memory=100)
    session.insert(*intervals("s", (3, 6)))
    session.query(60)
    session.insert(hf.Fluent("t", "a", "b", value="true", start=65, end=68))
    assert session.query(70).holds_for("d(a,b)=true") == [(65, 68)]


def test_kept_intervals_do_not_grow_with_the_stream() -> None:
    session = hf.Session(hf.load_text(rule("overlaps", "union")), start=0, window=20)
    kept = []
    for at in range(20, 2020, 20):
        session.insert(*intervals("s", (at - 19, at - 12)), *intervals("t", (at - 15, at - 9)))
        session.query(at)
        kept.append(session.n_kept_for_allen)
    assert max(kept) <= 2


def test_a_memory_bounds_before_and_nothing_else() -> None:
    records = [*intervals("s", (1, 4), (20, 25)), *intervals("t", (6, 9), (22, 40))]
    for relation, expected in (("before", [(1, 4)]), ("overlaps", [(20, 25)])):
        rules = hf.load_text(rule(relation))
        assert hf.recognise(rules, records, allen_memory=2).holds_for("d(a)=true") == expected
    assert hf.recognise(hf.load_text(rule("before")), records, allen_memory=1).holds_for("d(a)=true") == []


def test_a_memory_below_zero_is_refused() -> None:
    with pytest.raises(UsageProblem, match="the memory of Allen relations is -1, expected at least 0"):
        hf.recognise(hf.load_text(rule("before")), [], allen_memory=-1)


EXAMPLE_3 = """
initiatedAt(within_area(V, A)=true, T) :- happensAt(enters(V, A), T).
terminatedAt(within_area(V, A)=true, T) :- happensAt(leaves(V, A), T).
terminatedAt(within_area(V, _)=true, T) :- happensAt(gap_start(V), T).
initiatedAt(gap(V)=far, T) :- happensAt(gap_start(V), T).
terminatedAt(gap(V)=far, T) :- happensAt(gap_end(V), T).
holdsFor(disappeared(V, A)=true, I) :-
    holdsFor(within_area(V, A)=true, S),
    holdsFor(gap(V)=far, J),
    allen(meets, S, J, target, I).
"""


@pytest.mark.parametrize("window", [None, 1, 2, 3, 7, 20])
def test_a_gap_that_ends_the_stay_in_an_area_is_met_by_it(window: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Example 3 of the paper: one event ends an interval and begins the other."""
    monkeypatch.setattr(windows, "_WORTH_A_WINDOW", 0)
    records = [
        hf.Event("enters", "v", "park", at=2),
        hf.Event("gap_start", "v", at=9),
        hf.Event("gap_end", "v", at=13),
    ]
    found = hf.recognise(hf.load_text(EXAMPLE_3), records, start=0, end=20, window=window)
    assert found.holds_for("within_area(v,park)=true") == [(3, 10)]
    assert found.holds_for("gap(v)=far") == [(10, 14)]
    assert found.holds_for("disappeared(v,park)=true") == [(10, 14)]


@pytest.mark.parametrize("window", [None, 5])
def test_a_memory_of_zero_relates_nothing_before_anything(window: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "_WORTH_A_WINDOW", 0)
    records = [*intervals("s", (1, 4), (9, 12)), *intervals("t", (4, 6), (13, 20))]
    for relation, memory, expected in (("before", 0, []), ("before", 1, [(9, 12)]), ("meets", 0, [(1, 4)])):
        found = hf.recognise(hf.load_text(rule(relation)), records, start=0, end=30, window=window, allen_memory=memory)
        assert found.holds_for("d(a)=true") == expected, relation


def test_the_command_takes_a_memory_of_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.prolog").write_text(
        "collectIntervals(s(_)=true).\ncollectIntervals(t(_)=true).\n" + rule("before"), encoding="utf-8"
    )
    (tmp_path / "records").write_text("s|1|1|4|true|a\nt|6|6|9|true|a\n", encoding="utf-8")
    arguments = ["run", str(tmp_path / "rules.prolog"), "--input", str(tmp_path / "records")]
    for memory, is_found in (("0", False), ("2", True)):
        for more in ([], ["--window", "5"], ["--engine", "reference"]):
            assert main([*arguments, "--allen-memory", memory, *more]) == 0
            assert ("d(a)=true" in capsys.readouterr().out) == is_found, more
