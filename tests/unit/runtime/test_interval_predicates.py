"""Predicates over interval lists: whole lists without windows, interval by interval where they are declared so.

Possible errors in windows: the predicate sees a cut interval, the result for an open interval is settled, and a result
that extends beyond its interval is dropped with the interval.
"""

from __future__ import annotations

import random

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.errors import AnalysisProblem, ExecutionProblem, PlanningProblem
from holdsfor.runtime.session import EngineSession
from tests.properties.staged import staged_answer, stages_of
from tests.unit.runtime.cases import Example

PREDICATES = """
:- intervalwise(made/2).
:- intervalwise(made_for/3).
collectIntervals(on(_)=true).
collectIntervals(in(_)=true).
initiatedAt(s(X)=true, T) :- happensAt(start(X), T).
terminatedAt(s(X)=true, T) :- happensAt(stop(X), T).
"""
MADE = {
    "as it is": "made(L, L).",
    "closed and long enough": "made([(S, E)], [(S, E)]) :- E \\== inf, E - S > 3.\nmade([(S, E)], []) :- E == inf.",
    "without its first time-points": "made([(S, E)], [(S2, E)]) :- S2 is S + 2, (E == inf -> true ; S2 < E).",
    "the first and the last": "made([(S, E)], [(S, S1), (E1, E)]) :- E \\== inf, S1 is S + 1, E1 is E - 1, S1 < E1.",
    "as two answers": "made([(S, _)], [(S, S1)]) :- S1 is S + 1.\n"
    "made([(S, E)], [(E1, E)]) :- E \\== inf, E1 is E - 1, S < E1.",
    "with what follows": "made([(S, E)], [(S, E2)]) :- (E == inf -> E2 = inf ; E2 is E + 7).",
    "only what follows": "made([(_, E)], [(E2, E3)]) :- E \\== inf, E2 is E + 4, E3 is E + 9.",
    "if it has ended": "made([(S, E)], [(S, E)]) :- E \\== inf.",
    "as far as the query time": "made([(S, inf)], [(S, Q)]) :- queryTime(Q), S < Q.\n"
    "made([(S, E)], [(S, E)]) :- E \\== inf.",
}
RULES = {
    "of input": "holdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), made(I, J).",
    "of a simple fluent": "holdsFor(d(X)=true, J) :- holdsFor(s(X)=true, I), made(I, J).",
    "of a union": "holdsFor(d(X)=true, J) :- holdsFor(s(X)=true, I), holdsFor(on(X)=true, K), union_all([I, K], L),"
    " made(L, J).",
    "subtracted": "holdsFor(d(X)=true, J) :- holdsFor(s(X)=true, I), holdsFor(on(X)=true, K), made(K, L),"
    " relative_complement_all(I, [L], J).",
    "of the result of a call": "holdsFor(d(X)=true, J) :- holdsFor(s(X)=true, I), made(I, K), made(K, J).",
    "related": "holdsFor(d(X)=true, J) :- holdsFor(s(X)=true, I), made(I, K), holdsFor(on(X)=true, L),"
    " allen(overlaps, K, L, union, J).\nhappensAt(begun(X), T) :- happensAt(start(d(X)=true), T).",
}


def records(seed: int) -> tuple[str, ...]:
    chance = random.Random(seed)
    found = []
    for x in "ab":
        at = chance.randint(1, 4)
        while at < 38:
            until = at + chance.choice([1, 2, 4, 5, 9])
            found.append(f"on|{at}|{until}|true|{x}")
            at = until + chance.choice([0, 1, 3, 5])
        for time in sorted(chance.sample(range(1, 38), 7)):
            found.append(f"{chance.choice(['start', 'start', 'stop'])}|{time}|{x}")
    return tuple(found)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_windows_agree_with_the_reference(made: str, rule: str) -> None:
    example = Example(f"{PREDICATES}{made}\n{rule}", records(len(made)), end=40)
    assert example.batch() == example.reference()
    for window, step in ((1, 1), (4, 4), (7, 3), (40, 10)):
        expected, found = example.windows(window, step)
        assert found == expected, (window, step)


def test_stages_agree_with_the_reference() -> None:
    for made in MADE.values():
        example = Example(f"{PREDICATES}{made}\n{RULES['of a simple fluent']}", records(3), end=40)
        answer, expected = staged_answer(example.given, stages_of(example.given), 3), example.reference()
        assert isinstance(answer, dict)
        assert isinstance(expected, dict)
        assert {name: sorted(found, key=str) for name, found in answer.items()} == {
            name: sorted(found, key=str) for name, found in expected.items()
        }


def test_data_may_be_bound_by_goals_before_and_after() -> None:
    made = "made_for(D, [(S, E)], [(S, E)]) :- E \\== inf, E - S > D.\nlimit(a, 2).\nlimit(b, 5).\n"
    before = "holdsFor(d(X)=true, J) :- limit(X, D), holdsFor(on(X)=true, I), made_for(D, I, J)."
    after = "holdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), made_for(D, I, J), limit(X, D)."
    given = ("on|3|6|true|a", "on|8|10|true|a", "on|3|7|true|b", "on|9|16|true|b")
    expected = {"d(a)=true": [(3, 6)], "d(b)=true": [(9, 16)]}
    for rule in (before, after):
        example = Example(PREDICATES + made + rule, given)
        assert example.reference() == example.batch() == expected
        assert example.windows(3)[1] == expected


def test_the_declaration_may_stand_after_the_rule() -> None:
    text = "collectIntervals(on(_)=true).\nholdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), p(I, J).\np(L, L).\n"
    EngineSession(compile_text(text + ":- intervalwise(p/2)."), start=0, window=5)


def test_a_predicate_over_a_whole_list_is_refused_with_a_window() -> None:
    text = "collectIntervals(on(_)=true).\nholdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), p(I, J).\np(L, L).\n"
    EngineSession(compile_text(text), start=0)
    with pytest.raises(PlanningProblem, match=r"(?s)HF402.*:- intervalwise\(p/2\)\."):
        EngineSession(compile_text(text), start=0, window=5)


@pytest.mark.parametrize("goal", ["p(I, [])", "p(I, I)", "p(I, X)"])
def test_an_interval_wise_predicate_reads_one_list_and_makes_another(goal: str) -> None:
    text = f":- intervalwise(p/2).\np(L, L).\nholdsFor(d(X)=true, I) :- holdsFor(on(X)=true, I), {goal}.\n"
    with pytest.raises(AnalysisProblem, match="HF219"):
        compile_text(text)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("made([(S, E)], [(S2, E)]) :- S2 is S - 1.", "begin at 3 or later, found one that begins at 2"),
        ("made(_, 7).", r"expected intervals `\[\(S,E\),…\]`, found `7`"),
        ("made(_, [(a, b)]).", r"expected an interval `\(S,E\)`"),
    ],
)
def test_invalid_results_for_an_interval_are_errors(made: str, message: str) -> None:
    given = Example(f"{PREDICATES}{made}\n{RULES['of input']}", ("on|3|6|true|a",)).given
    assert Example(f"{PREDICATES}{made}\n{RULES['of input']}", ("on|3|6|true|a",)).reference() == "fails with HF609"
    session = EngineSession(given.compiled, start=0)
    session.insert((30, fact) for fact in given.facts)
    with pytest.raises(ExecutionProblem, match=message):
        session.query(30)


def test_the_built_in_duration_filters_win_over_definitions() -> None:
    rules = "collectIntervals(on(_)=true).\nintDurGreater(_, _, [(0, 99)]).\n"
    rules += "holdsFor(d(X)=true, J) :- holdsFor(on(X)=true, I), intDurGreater(I, 3, J)."
    example = Example(rules, ("on|3|6|true|a", "on|10|16|true|a"))
    assert example.reference() == example.batch() == {"d(a)=true": [(10, 16)]}
