"""Programs of a few lines on which the engine once differed, or still differs, from the reference evaluator.

Each represents a family found by random programs; cases that are still open are expected to fail.
"""

from __future__ import annotations

import pytest

from holdsfor.errors import PlanningProblem
from tests.unit.runtime.cases import Example

RULES = "initiatedAt(s(X)=on, T) :- happensAt(e(X), T). terminatedAt(s(X)=on, T) :- happensAt(f(X), T). "

CLOSED = {
    "a duration by a fact when there is nothing to measure": Example(
        "limit(a, 3). collectIntervals(f(_)=_). "
        "holdsFor(d(X)=true, F) :- holdsFor(f(X)=on, I), intersect_all([I], J), limit(X, D), intDurLess(J, D, F).",
    ),
}

PROGRAMS = {
    "another value breaks a fluent that no place of the rules mentions": Example(
        "initiatedAt(s(k(X))=low, T) :- happensAt(e(X), T). initiatedAt(r(X)=on, T) :- terminatedAt(s(X)=high, T).",
        ("e|3|b",),
    ),
    "a cycle without events": Example(
        "initiatedAt(s(X)=on, T) :- happensAt(e(X), T), not holdsAt(r(X)=on, T). "
        "initiatedAt(r(X)=on, T) :- happensAt(f(X), T), holdsAt(s(X)=on, T). "
        "initiatedAt(q(X)=on, T) :- happensAt(g(X), T).",
        ("g|3|b",),
    ),
    "a termination of a fluent that nothing initiates": Example(
        "terminatedAt(s(X)=_, T) :- happensAt(e(X), T). initiatedAt(r(X)=on, T) :- terminatedAt(s(X)=high, T). "
        "grounding(s(X)=low) :- d(X). d(a).",
        ("e|3|b",),
    ),
    "a variable under a negation of `initially` stands in the head": Example(
        "bg(a, c). initiatedAt(s(X)=low, T) :- happensAt(e(X), T). initially(s(X)=low) :- \\+ bg(X, _).",
        ("e|4|b",),
    ),
    "a bound variable need not be of the sort of its place: a value": Example(
        "initiatedAt(s(G)=C, T) :- happensAt(e(X), T), findall(Q, holdsAt(f(Q)=on, T), L), length(L, C). "
        "initially(s(a)=2). collectIntervals(f(_)=_).",
        ("e|5|b",),
    ),
    "a bound variable need not be of the sort of its place: an argument": Example(
        "initiatedAt(s(X, X)=on, T) :- happensAt(e(X), T). initiatedAt(s(G, U)=on, T) :- happensAt(e(X), T), U = k(b).",
        ("e|5|a",),
    ),
    "a bound variable need not be of the sort of its place: a complement": Example(
        "collectIntervals(f(_)=_). initiatedAt(s(k(X))=X, T) :- happensAt(e(X), T). "
        "holdsFor(d(X)=true, J) :- holdsFor(s(X)=_, I), holdsFor(f(X)=_, K), complement_all([I, K], J).",
        ("e|5|a", "f|6|9|on|b"),
    ),
    "an input interval from before the run is seen whole": Example(
        "collectIntervals(f(_)=_). holdsFor(d(X)=true, J) :- holdsFor(f(X)=on, I), union_all([I], J).",
        ("f|-3|4|on|a",),
    ),
    "intervals that are written out hold for instances without any of their own": Example(
        "points(f(_)=_). holdsFor(d(X)=true, J) :- holdsFor(f(X)=true, I), union_all([I, [(3,7), (9,inf)]], J).",
        ("f|20|2|b",),
    ),
    "a duration without bound": Example(
        "collectIntervals(f(_)=_). holdsFor(d(X)=true, J) :- holdsFor(f(X)=on, I), intDurLess(I, inf, J).",
        ("f|3|7|on|a",),
    ),
    "integers and floats in one column keep their types": Example(
        "initiatedAt(s(X)=R, T) :- happensAt(n(X, N), T), R is N + 1.",
        ("n|5|a|1", "n|5|b|2.5"),
    ),
    "arithmetic with time-points beyond words": Example(
        "initiatedAt(s(X)=R, T) :- happensAt(e(X), T), R is T + 1.",
        (f"e|{10**15}|a",),
        start=10**15 - 5,
        end=10**15 + 5,
    ),
    "arithmetic that overflows has no value": Example(
        "initiatedAt(s(X)=on, T) :- happensAt(n(X, N), T), N * 10 > 1.",
        ("n|5|a|1e308", "n|6|b|1e307"),
    ),
    "integer powers may be large": Example(
        "initiatedAt(s(X)=on, T) :- happensAt(n(X, N), T), N ** 400 > 1.",
        ("n|5|a|10",),
    ),
    "rounding just below a half": Example(
        "initiatedAt(s(X)=R, T) :- happensAt(n(X, N), T), R is round(N).",
        ("n|5|a|0.49999999999999994",),
    ),
    "a structure in one of the same name": Example(
        "initiatedAt(s(X, Z)=on, T) :- happensAt(e(p(p(X, _), Z)), T).",
        ("e|5|p(p(u,v),w)",),
    ),
}

REFUSED = {
    "a predicate over lists sees whole intervals": (
        Example(
            "long([], []). long([(S,E)|Is], [(S,E)|Js]) :- E \\= inf, E - S > 8, !, long(Is, Js). "
            "long([_|Is], Js) :- long(Is, Js). "
            + RULES
            + "holdsFor(d(X)=true, J) :- holdsFor(s(X)=on, I), long(I, J).",
            ("e|1|p", "f|15|p"),
        ),
        5,
    ),
}

IN_WINDOWS = {
    "an open termination does not look ahead": (
        Example(
            "terminatedAt(s(_)=_, T) :- happensAt(e(X), T). initiatedAt(s(X)=true, T) :- happensAt(f(X), T). "
            "initiatedAt(r(X)=on, T) :- terminatedAt(s(X)=true, T).",
            ("e|3|b", "f|19|a"),
        ),
        5,
    ),
    "an open termination is a termination of every fluent": (
        Example(
            "terminatedAt(s(_)=_, T) :- happensAt(e(X), T). initiatedAt(s(X)=true, T) :- happensAt(f(X), T). "
            "happensAt(o(X), T) :- happensAt(g(X), T), terminatedAt(s(X)=true, T).",
            ("e|3|b", "g|3|a"),
        ),
        5,
    ),
    "a duration need not be a multiple of the tick": (
        Example(
            RULES + "holdsFor(d(X)=true, J) :- holdsFor(s(X)=on, I), intDurLess(I, 21, J).",
            ("e|50|p",),
            start=35,
            end=110,
            tick=5,
        ),
        8,
    ),
    "a complement keeps an instance that no input mentions": (
        Example(
            "collectIntervals(g(_)=_). initiatedAt(s(k(X))=on, T) :- happensAt(e(X), T). "
            "terminatedAt(s(k(X))=on, T) :- happensAt(f(X), T). "
            "holdsFor(d(X)=true, J) :- holdsFor(s(X)=on, I), holdsFor(g(a)=on, K), complement_all([I, K], J).",
            ("e|3|p", "f|6|p"),
        ),
        5,
    ),
    "intervals that are written out may be over before the run": (
        Example(
            "collectIntervals(f(_)=_). holdsFor(d(X)=true, J) :- holdsFor(f(X)=on, I), union_all([I, [(3,7)]], J).",
            ("f|9|12|on|a",),
            start=7,
            end=30,
        ),
        5,
    ),
}


@pytest.mark.parametrize("example", [*PROGRAMS.values(), *(example for example, _ in IN_WINDOWS.values())])
def test_the_reference_answers_every_example(example: Example) -> None:
    assert example.reference() or not example.records


@pytest.mark.parametrize("name", CLOSED)
def test_closed(name: str) -> None:
    CLOSED[name].check(5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_engine_agrees_with_the_reference(name: str) -> None:
    PROGRAMS[name].check()


@pytest.mark.parametrize("name", IN_WINDOWS)
def test_windows_do_not_change_the_answer(name: str) -> None:
    example, window = IN_WINDOWS[name]
    example.check(window)


@pytest.mark.parametrize("name", REFUSED)
def test_programs_without_an_exact_answer_are_refused(name: str) -> None:
    example, window = REFUSED[name]
    with pytest.raises(PlanningProblem, match="HF402"):
        example.windows(window)
