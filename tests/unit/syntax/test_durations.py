"""Durations in rules are numbers of time-points."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.analysis.pipeline import with_clock
from holdsfor.cli.main import main
from holdsfor.errors import AnalysisProblem
from holdsfor.syntax.durations import Durations
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show_clause
from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Struct, Term
from tests.unit.runtime.comparison import engine_answer, reference_answer


def replaced(text: str, per_second: int = 1) -> str:
    term = parse_term(text)
    body: Term | None = None
    if isinstance(term, Struct) and term.name == ":-":
        term, body = term.args
    return show_clause(Durations(per_second).replaced(Clause(term, body)))


@pytest.mark.parametrize(
    ("text", "per_second", "expected"),
    [
        ("fi(f=a, f=b, 60*days)", 1, "fi(f=a,f=b,5184000)."),
        ("fi(f=a, f=b, 2*hours+30*minutes)", 1000, "fi(f=a,f=b,9000000)."),
        ("ft(f=a, week)", 1, "ft(f=a,604800)."),
        ("fi(f=a, f=b, 1.5*minutes)", 1, "fi(f=a,f=b,90)."),
        ("fi(f=a, f=b, 250*milliseconds)", 1000, "fi(f=a,f=b,250)."),
        ("late(X, Y) :- Y - X > 2*hours", 1, "late(X,Y) :- Y-X>7200."),
        ("due(X, D) :- D is X + N*days", 1, "due(X,D) :- D is X+N*86400."),
        ("p(days, hours) :- q(minutes)", 1, "p(days,hours) :- q(minutes)."),
    ],
)
def test_a_duration_is_a_number_where_rules_compute(text: str, per_second: int, expected: str) -> None:
    assert " ".join(replaced(text, per_second).split()) == expected


RULES = """
initiatedAt(fined(C)=true, T) :- happensAt(fine(C), T).
terminatedAt(fined(C)=overdue, T) :- happensAt(pay(C), T).
fi(fined(C)=true, fined(C)=overdue, N*minutes) :- patience(N).
patience(2).
holdsFor(long(C)=true, I) :- holdsFor(fined(C)=overdue, J), intDurGreater(J, M*seconds, I), least(M).
least(90).
"""


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_durations_depend_on_the_unit_of_the_run(unit: str) -> None:
    rules, n = with_clock(hf.load_text(RULES), unit), {"s": 1, "ms": 1000}[unit]
    records = [hf.Event("fine", "c", at=10 * n), hf.Event("pay", "c", at=300 * n)]
    expected = reference_answer(rules, records, 0, 400 * n) if unit == "s" else None
    found = engine_answer(hf.load_text(RULES), records, start=0, end=400 * n, time_unit=unit)
    assert found["fined(c)=overdue"] == found["long(c)=true"] == [(130 * n + 1, 300 * n + 1)]
    assert expected in (None, found)


def test_a_delay_between_two_time_points_is_an_error() -> None:
    with pytest.raises(AnalysisProblem, match="expected a delay of at least one time-point"):
        hf.load_text("initiatedAt(f=a, T) :- happensAt(e, T).\nfi(f=a, f=b, 500*milliseconds).")


def test_integers_of_an_unknown_unit_need_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "e.txt").write_text("fine|10|10|c\npay|300|300|c\n", encoding="utf-8")
    (tmp_path / "e.csv").write_text("ts,c\n1970-01-01T00:00:10Z,c\n", encoding="utf-8")
    rules, records = str(tmp_path / "r.prolog"), str(tmp_path / "e.txt")
    assert main(["run", rules, "--input", records]) == 2
    assert "hint: write `--time-unit s`" in capsys.readouterr().err
    for jobs in ("1", "2"):
        assert main(["run", rules, "--input", records, "--time-unit", "s", "--jobs", jobs]) == 0
        assert "holdsFor(long(c)=true, [(131,301)])." in capsys.readouterr().out
    assert main(["run", rules, "--input", f"{tmp_path / 'e.csv'}: happensAt(fine(c), ts)"]) == 0
