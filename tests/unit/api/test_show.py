"""`show` and `output` directives choose the fluents and events of results; other output is an error, never empty."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.errors import AnalysisProblem, ExecutionProblem, HoldsforError, UsageProblem

TEXT = """
initiatedAt(stopped(V)=S, T) :- happensAt(stop(V, S), T).
terminatedAt(stopped(V)=_, T) :- happensAt(go(V), T).
holdsFor(gap(V)=true, I) :- holdsFor(stopped(V)=far, I).
holdsFor(meeting(V, W)=true, I) :-
    holdsFor(stopped(V)=far, I1), holdsFor(stopped(W)=far, I2), intersect_all([I1, I2], I), V @< W.
happensAt(alarm(V), T) :- happensAt(stop(V, near), T).
"""
DATA = ["stop|1|1|a|far", "stop|3|3|b|far", "stop|4|4|c|near", "go|9|9|a"]
RULES = hf.load_text(TEXT)


def names(result: hf.Result | hf.Report) -> list[str]:
    return sorted({row[1] for row in result})


def test_a_result_has_the_shown_output_in_every_form() -> None:
    result = hf.recognise(RULES, DATA, show=["meeting/2", "alarm"])
    assert names(result) == ["alarm(c)", "meeting(a,b)=true"]
    assert list(result.tables()) == ["meeting", "alarm"]
    assert set(result.to_arrow().column("name").to_pylist()) == {"meeting", "alarm"}
    assert result.query("holdsFor(F, I)").column("F").to_pylist() == ["meeting(a,b)=true"]
    assert len(result) == 2
    assert "stopped" not in repr(result) + result._repr_html_()


@pytest.mark.parametrize(
    ("show", "expected"),
    [
        ("gap", ["gap(a)=true", "gap(b)=true"]),
        ("stopped(_)=near", ["stopped(c)=near"]),
        ("stopped(a), alarm(_)", ["alarm(c)", "stopped(a)=far"]),
        (hf.term("meeting(_, _)=true"), ["meeting(a,b)=true"]),
        (("gap(a)", hf.term("alarm")), ["alarm(c)", "gap(a)=true"]),
    ],
)
def test_names_arities_and_patterns_select_output(show: object, expected: list[str]) -> None:
    assert names(hf.recognise(RULES, DATA, show=show)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "directive",
    [
        ":- output(gap/1), output(alarm).",
        ":- output([gap/1, alarm/1]).",
        ":- output((gap, alarm)).",
        ":- output(gap/1, alarm(_)).",
        ":- output(gap(_)=true).\n:- output(alarm).",
    ],
)
def test_directives_select_output_and_show_replaces_them(directive: str) -> None:
    rules = hf.load_text(f"{directive}\n{TEXT}")
    assert names(hf.recognise(rules, DATA)) == ["alarm(c)", "gap(a)=true", "gap(b)=true"]
    assert names(hf.recognise(rules, DATA, show="meeting")) == ["meeting(a,b)=true"]


def test_other_output_is_an_error_with_the_shown_output() -> None:
    result = hf.recognise(RULES, DATA, show=["stopped(_)=near", "gap"])
    assert result.holds_for("stopped(c)=near") == [(5, None)]
    assert list(result.holds_for("stopped")) == ["stopped(c)=near"]
    for asked in ("meeting(a, b)=true", "meeting", "stopped(a)=far", "stopped(_)=far"):
        with pytest.raises(KeyError, match=r"is not shown; the result has gap\(_\)=_, stopped\(_\)=near"):
            result.holds_for(asked)
    with pytest.raises(KeyError, match="is not shown"):
        result.happens_at("alarm(c)")
    with pytest.raises(KeyError, match="is not shown"):
        assert "alarm(_)" in result
    with pytest.raises(KeyError, match="`meeting` is not among the output that is shown: `gap`, `stopped`"):
        result["meeting"]
    for goal in ("holdsFor(meeting(X, Y)=true, I)", "holdsAt(stopped(a)=far, 3)", "happensAt(alarm(X), T)"):
        with pytest.raises(ExecutionProblem, match=r"HF630.*is not shown"):
            result.query(goal)
    with pytest.raises(ExecutionProblem, match=r"HF630.*`stopped\(a\)=far` is not shown"):
        result.query("member(S, [near, far]), holdsFor(stopped(a)=S, I)")


def test_tables_have_the_schema_that_they_have_without_a_selection() -> None:
    everything, some = hf.recognise(RULES, DATA), hf.recognise(RULES, DATA, show=["stopped(_)=far", "alarm"])
    for name, table in some.tables().items():
        assert table.schema == everything[name].schema
    overloaded = hf.load_text(TEXT + "happensAt(alarm(V, T), T) :- happensAt(go(V), T).")
    assert list(hf.recognise(overloaded, DATA, show="alarm/1").tables()) == ["alarm_1"]


def test_unknown_output_is_refused_with_the_known_names() -> None:
    cases = {
        "meetin": "did you mean `meeting`",
        "meeting/3": r"there is `meeting/2`, with `meeting\(_,_\)=true`",
        "stop": "`stop/2` is input",
        "qqq": "the rules define `stopped/1`, `gap/1`, `meeting/2`, `alarm/1`",
        "[]": "write a name",
        "3": "write a name",
    }
    for selector, hint in cases.items():
        with pytest.raises(AnalysisProblem, match=f"(?s)HF220.*{hint}"):
            hf.recognise(RULES, DATA, show=selector)
    for wrong in ([], [7], 7):
        with pytest.raises(HoldsforError, match="HF220"):
            hf.recognise(RULES, DATA, show=wrong)  # type: ignore[arg-type]


def test_a_session_reports_shown_output_and_its_changes() -> None:
    session = hf.Session(RULES, start=0, window=10, step=5, show="gap")
    session.insert(DATA)
    first = session.query()
    assert names(first) == ["gap(a)=true", "gap(b)=true"]
    assert {change.name for change in first.changes} == {"gap(a)=true", "gap(b)=true"}
    assert [change.name for change in session.query().changes] == ["gap(a)=true"]


def test_a_saved_session_keeps_its_selection(tmp_path: Path) -> None:
    session = hf.Session(RULES, start=0, window=10, step=5, show=["gap", "alarm"])
    session.insert(DATA)
    session.query()
    session.save(tmp_path / "state")
    again = hf.Session.load(tmp_path / "state", RULES, show=["alarm", "gap"])
    assert names(again.query()) == names(session.query())
    assert names(hf.Session.load(tmp_path / "state", RULES).query()) == ["alarm(c)", "gap(a)=true", "gap(b)=true"]
    with pytest.raises(UsageProblem, match=r"HF744.*has the output to show alarm, gap, expected gap"):
        hf.Session.load(tmp_path / "state", RULES, show="gap")
    hf.Session(RULES, start=0, window=10).save(tmp_path / "all")
    with pytest.raises(UsageProblem, match="HF744"):
        hf.Session.load(tmp_path / "all", RULES, show="gap")
    with pytest.raises(UsageProblem, match=r"HF744.*other rules"):
        hf.Session.load(tmp_path / "all", hf.load_text(":- output(gap)." + TEXT))
