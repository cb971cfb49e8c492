"""A session computes the components that the selected output needs, and no others."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import Compiled, compile_text, with_output
from holdsfor.physical.profile import Profile
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records
from holdsfor.syntax.printer import show

RULES = """
initiatedAt(a(X)=true, T) :- happensAt(e(X), T).
terminatedAt(a(X)=true, T) :- happensAt(f(X), T).
initiatedAt(b(X)=N, T) :- happensAt(start(a(X)=true), T), N is 1.
holdsFor(c(X)=true, I) :- holdsFor(b(X)=1, J), intDurGreater(J, 3, I).
initiatedAt(broken(X)=N, T) :- happensAt(e(X), T), N is 1 / 0.
holdsFor(after_broken(X)=true, I) :- holdsFor(broken(X)=1, I).
happensAt(g(X), T) :- happensAt(e(X), T).
happensAt(h(X), T) :- happensAt(g(X), T).
"""
RECORDS = ["e|1|1|x", "f|9|9|x", "e|4|4|y"]


def session(*selectors: str, text: str = RULES, window: int | None = None) -> EngineSession:
    compiled: Compiled = compile_text(text)
    made, reading = EngineSession(with_output(compiled, selectors or None), start=0, window=window), Reading()
    read_text_records(RECORDS, "records", compiled.names, 1, reading)
    made.insert((10, fact) for fact in reading.facts())
    return made


def answered(*selectors: str) -> list[str]:
    made = session(*selectors)
    report = made.query(10)
    return [show(term) for term in (*report.intervals(made.symbols), *report.times(made.symbols))]


@pytest.mark.parametrize(
    ("selector", "computed", "reported"),
    [
        ("a", ["a(_)=true"], ["a(x)=true", "a(y)=true"]),
        ("b", ["a(_)=true", "b(_)=_"], ["b(x)=1", "b(y)=1"]),
        ("c", ["a(_)=true", "b(_)=_", "c(_)=true"], ["c(x)=true", "c(y)=true"]),
        ("g(x)", ["g(_)"], ["g(x)"]),
        ("h/1", ["g(_)", "h(_)"], ["h(x)", "h(y)"]),
        ("a(y)=true", ["a(_)=true"], ["a(y)=true"]),
    ],
)
def test_only_needed_components_are_evaluated(selector: str, computed: list[str], reported: list[str]) -> None:
    made = session(selector)
    made.profile = Profile()
    report = made.query(10)
    logical = made.rules.program.logical.components
    assert sorted(vertex.label for each in logical for vertex in each.vertices) == sorted(computed)
    assert set(report.fluents) | set(report.events) == {(selector[0], 1)}
    assert answered(selector) == reported


def test_a_condition_without_a_result_is_not_evaluated_if_no_shown_output_needs_it() -> None:
    for selectors in ([], ["after_broken"], ["a", "broken"]):
        made = session(*selectors)
        made.query(10)
        assert [fault.reason for fault in made.faults] == ["division by zero"]
    made = session("c", "g")
    made.query(10)
    assert not made.faults
    assert answered("c", "g") == ["c(x)=true", "c(y)=true", "g(x)", "g(y)"]


def test_a_predicate_over_lists_is_refused_in_windows_only_if_it_is_needed() -> None:
    text = "p(I, I).\nholdsFor(whole(X)=true, J) :- holdsFor(a(X)=true, I), p(I, J).\n" + RULES
    assert session("a", text=text, window=5).query(10).fluents
    with pytest.raises(Exception, match="HF402"):
        session("whole", text=text, window=5)


def test_patterns_may_repeat_variables_and_name_structures() -> None:
    text = """
    initiatedAt(near(X, Y)=pair(X, N), T) :- happensAt(e2(X, Y, N), T).
    """
    records = ["e2|1|1|p|p|1", "e2|2|2|p|q|2", "e2|3|3|q|q|1"]
    compiled = compile_text(text)
    for selector, expected in {
        "near(X, X)": ["near(p,p)=pair(p,1)", "near(q,q)=pair(q,1)"],
        "near(_, _)=pair(_, 1)": ["near(p,p)=pair(p,1)", "near(q,q)=pair(q,1)"],
        "near(X, Y)=pair(Y, _)": ["near(p,p)=pair(p,1)", "near(q,q)=pair(q,1)"],
        "near(p, _)": ["near(p,p)=pair(p,1)", "near(p,q)=pair(p,2)"],
    }.items():
        made, reading = EngineSession(with_output(compiled, selector), start=0), Reading()
        read_text_records(records, "records", compiled.names, 1, reading)
        made.insert((10, fact) for fact in reading.facts())
        assert [show(fvp) for fvp in made.query(10).intervals(made.symbols)] == expected, selector
