"""Cycles through statically determined fluents: every form is refused with the cycle, and nothing else is."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.errors import AnalysisProblem
from tests.oracle.questions import ENGINES, Question

MODE = """
initiatedAt(mode(X)=on, T) :- happensAt(switch_on(X), T).
initiatedAt(mode(X)=mid, T) :- happensAt(switch_mid(X), T).
terminatedAt(warm(X)=true, T) :- happensAt(ping(X), T).
"""
BRIEF = "holdsFor(brief(X)=true, J) :- holdsFor(mode(X)=mid, I), intDurLess(I, 13, J).\n"
SOURCE = "`mode(_)=on`, which excludes `mode(_)=mid`"
CYCLE = f"{SOURCE} -> `brief(_)=true` -> `warm(_)=true`, delayed from `mode(_)=on`"


def delay(*conditions: str, length: str = "14") -> str:
    return f"fi(mode(X)=on, warm(X)=true, {length}) :- {', '.join(conditions)}.\n"


def problems(text: str) -> list[str]:
    """The messages of the errors of a text."""
    try:
        compile_text(text)
    except AnalysisProblem as problem:
        found = problem.diagnostics.of("error")
        assert all(each.code == "HF212" and each.span is not None and each.hint for each in found), found
        return [each.message for each in found]
    return []


BETWEEN = {
    "holdsAt": BRIEF + delay("holdsAt(brief(X)=true, T)"),
    "negated holdsAt": BRIEF + delay("\\+ holdsAt(brief(X)=true, T)"),
    "start": BRIEF + delay("happensAt(start(brief(X)=true), T)"),
    "end": BRIEF + delay("happensAt(end(brief(X)=true), T)"),
    "startI": BRIEF + delay("happensAt(startI(brief(X)=true), T)"),
    "endI": BRIEF + delay("happensAt(endI(brief(X)=true), T)"),
    "negated pair": BRIEF + delay("\\+ (happensAt(ping(X), T), holdsAt(brief(X)=true, T))"),
    "count": BRIEF + delay("findall(Y, holdsAt(brief(Y)=true, T), L), length(L, N)", "N > 1"),
    "with a computed length": BRIEF + delay("limit(X, R)", "holdsAt(brief(X)=true, T)", length="R") + "limit(a, 3).",
    "with p": BRIEF + delay("holdsAt(brief(X)=true, T)") + "p(mode(X)=on).",
    "with a body of p": BRIEF + delay("holdsAt(brief(X)=true, T)") + "p(mode(X)=on) :- limit(X, _). limit(a, 3).",
    "maxDuration": BRIEF + delay("holdsAt(brief(X)=true, T)").replace("fi(", "maxDuration("),
    "of an operation": (
        "holdsFor(brief(X)=true, J) :- holdsFor(mode(X)=mid, I), holdsFor(mode(X)=on, K), intersect_all([I, K], J).\n"
        "" + delay("holdsAt(brief(X)=true, T)")
    ),
    "of a relation": (
        "holdsFor(brief(X)=true, J) :- holdsFor(mode(X)=mid, I), holdsFor(gap(X)=true, K), during(I, K, source, J).\n"
        "collectIntervals(gap(_)=true).\n" + delay("holdsAt(brief(X)=true, T)")
    ),
    "of an interval-wise predicate": (
        ":- intervalwise(first/2).\nfirst([(S, _)], [(S, E)]) :- E is S + 1.\n"
        "holdsFor(brief(X)=true, J) :- holdsFor(mode(X)=mid, I), first(I, J).\n" + delay("holdsAt(brief(X)=true, T)")
    ),
}


@pytest.mark.parametrize("form", BETWEEN)
def test_a_static_fluent_between_the_source_and_the_target_of_a_delay_is_refused(form: str) -> None:
    (message,) = problems(MODE + BETWEEN[form])
    assert message.startswith("the statically determined `brief(_)=true` is between the source and the target of a")
    assert message.endswith("-> `brief(_)=true` -> `warm(_)=true`, delayed from `mode(_)=on`")


STEPS = {
    "through two static fluents": (
        BRIEF + "holdsFor(more(X)=true, J) :- holdsFor(brief(X)=true, I), union_all([I], J).\n"
        "" + delay("holdsAt(more(X)=true, T)"),
        f"{SOURCE} -> `brief(_)=true` -> `more(_)=true` -> `warm(_)=true`, delayed from `mode(_)=on`",
    ),
    "through an event": (
        BRIEF + "happensAt(over(X), T) :- happensAt(end(brief(X)=true), T).\n" + delay("happensAt(over(X), T)"),
        f"{SOURCE} -> `brief(_)=true` -> `over(_)` -> `warm(_)=true`, delayed from `mode(_)=on`",
    ),
    "through a simple fluent": (
        BRIEF + "initiatedAt(seen(X)=true, T) :- happensAt(start(brief(X)=true), T).\n"
        "terminatedAt(seen(X)=true, T) :- happensAt(ping(X), T).\n" + delay("holdsAt(seen(X)=true, T)"),
        f"{SOURCE} -> `brief(_)=true` -> `seen(_)=true` -> `warm(_)=true`, delayed from `mode(_)=on`",
    ),
    "through a rule of the target": (
        BRIEF + "initiatedAt(warm(X)=true, T) :- happensAt(start(brief(X)=true), T).\n"
        "fi(mode(X)=on, warm(X)=true, 14).",
        CYCLE,
    ),
    "through another delay to the target": (
        BRIEF + "initiatedAt(seen(X)=true, T) :- happensAt(start(brief(X)=true), T).\n"
        "fi(mode(X)=on, warm(X)=true, 14). fi(seen(X)=true, warm(X)=true, 3).",
        f"{SOURCE} -> `brief(_)=true` -> `seen(_)=true` -> `warm(_)=true`, delayed from `mode(_)=on`",
    ),
    "through another delay of the source": (
        "fi(mode(X)=on, late(X)=true, 5). holdsFor(brief(X)=true, J) :- holdsFor(late(X)=true, I), union_all([I], J).\n"
        "" + delay("holdsAt(brief(X)=true, T)"),
        "`mode(_)=on` -> `late(_)=true` -> `brief(_)=true` -> `warm(_)=true`, delayed from `mode(_)=on`",
    ),
}


@pytest.mark.parametrize("form", STEPS)
def test_the_cycle_has_every_step(form: str) -> None:
    rules, cycle = STEPS[form]
    (message,) = problems(MODE + rules)
    assert message.endswith(f"of a delay: {cycle}")


REAL = {
    "condition of the delay depends on its target": (
        "holdsFor(hot(X)=true, J) :- holdsFor(warm(X)=true, I), intDurGreater(I, 3, J).\n"
        "" + delay("\\+ holdsAt(hot(X)=true, T)"),
        "`hot(_)=true` -> `warm(_)=true` -> `hot(_)=true`",
    ),
    "source depends on the target": (
        "holdsFor(hot(X)=true, J) :- holdsFor(warm(X)=true, I), intDurGreater(I, 3, J).\n"
        "fi(mode(X)=on, warm(X)=true, 4). terminatedAt(mode(X)=on, T) :- happensAt(start(hot(X)=true), T).",
        "`hot(_)=true` -> `mode(_)=on` -> `warm(_)=true` -> `hot(_)=true`",
    ),
    "condition of ft": (
        BRIEF + "ft(mode(X)=mid, 5) :- holdsAt(brief(X)=true, T).",
        "`brief(_)=true` -> `mode(_)=mid` -> `brief(_)=true`",
    ),
    "condition of ft of another value": (
        BRIEF + "ft(mode(X)=on, 5) :- holdsAt(brief(X)=true, T).",
        "`brief(_)=true` -> `mode(_)=on`, which excludes `mode(_)=mid` -> `brief(_)=true`",
    ),
    "delay to another value": (
        BRIEF + "fi(mode(X)=on, mode(X)=off, 5) :- \\+ holdsAt(brief(X)=true, T).",
        "`brief(_)=true` -> `mode(_)=off`, which excludes `mode(_)=mid` -> `brief(_)=true`",
    ),
    "rule of another value": (
        BRIEF + "initiatedAt(mode(X)=off, T) :- happensAt(end(brief(X)=true), T).",
        "`brief(_)=true` -> `mode(_)=off`, which excludes `mode(_)=mid` -> `brief(_)=true`",
    ),
    "event of a static fluent": (
        BRIEF + "happensAt(over(X), T) :- happensAt(end(brief(X)=true), T).\n"
        "initiatedAt(mode(X)=off, T) :- happensAt(over(X), T).",
        "`brief(_)=true` -> `over(_)` -> `mode(_)=off`, which excludes `mode(_)=mid` -> `brief(_)=true`",
    ),
}


@pytest.mark.parametrize("form", REAL)
def test_a_static_fluent_that_depends_on_itself_is_refused(form: str) -> None:
    rules, cycle = REAL[form]
    (message,) = problems(MODE + rules)
    assert message.endswith(f" depends on itself: {cycle}")


GIVEN = (
    "holdsFor(quiet(X)=true, J) :- holdsFor(noise(X)=true, I), complement_all([I], J).\ncollectIntervals(noise(_)=_).\n"
)
ACCEPTED = {
    "condition on a static fluent of the input": GIVEN + delay("holdsAt(quiet(X)=true, T)"),
    "condition of ft": GIVEN + "ft(mode(X)=on, 5) :- \\+ holdsAt(quiet(X)=true, T).",
    "static fluent of another simple fluent": (
        "initiatedAt(door(X)=open, T) :- happensAt(opened(X), T). ft(door(X)=open, 5).\n"
        "holdsFor(brief(X)=true, J) :- holdsFor(door(X)=open, I), intDurLess(I, 13, J).\n"
        "" + delay("\\+ holdsAt(brief(X)=true, T)")
    ),
    "static fluent of the target": (
        "fi(mode(X)=on, warm(X)=true, 14). holdsFor(hot(X)=true, J) :- holdsFor(warm(X)=true, I), intDurLess(I, 9, J)."
    ),
    "static fluent of the source": BRIEF + "fi(mode(X)=on, warm(X)=true, 14).",
    "static fluent of source and target": (
        "fi(mode(X)=on, warm(X)=true, 14).\n"
        "holdsFor(both(X)=true, J) :- holdsFor(mode(X)=mid, I), holdsFor(warm(X)=true, K), union_all([I, K], J)."
    ),
    "event between source and target": (
        "happensAt(over(X), T) :- happensAt(end(mode(X)=mid), T).\n" + delay("\\+ happensAt(over(X), T)")
    ),
    "delay that a shorter one cancels": (
        "holdsFor(brief(X)=true, J) :- holdsFor(mode(X)=mid, I), intDurLess(I, 13, J).\n"
        "ft(mode(X)=on, 3). fi(mode(X)=on, warm(X)=true, 14) :- holdsAt(brief(X)=true, T)."
    ),
}


@pytest.mark.parametrize("form", ACCEPTED)
def test_other_conditions_on_static_fluents_are_accepted(form: str) -> None:
    text = MODE + ACCEPTED[form]
    assert problems(text) == []
    lines = ("switch_on|1|1|a", "switch_mid|5|5|a", "opened|7|7|a", "noise|8|8|9|true|a", "switch_on|9|9|a")
    question = Question(text, (*lines, "ping|30|30|a"), end=40, window=7, step=7)
    expected = ENGINES["oracle"](question)
    assert expected
    for engine in ("reference", "batch", "windows"):
        assert ENGINES[engine](question) == expected, engine


def test_every_component_with_a_cycle_is_reported_once() -> None:
    text = MODE + BETWEEN["holdsAt"]
    messages = problems(text + text.replace("mode", "mood").replace("warm", "mild").replace("brief", "short"))
    assert [message.split("`")[1] for message in messages] == ["brief(_)=true", "short(_)=true"]


TWO_STEPS = """
fi(mode(X)=on, due(X)=true, 14).
terminatedAt(due(X)=true, T) :- initiatedAt(due(X)=true, T).
initiatedAt(warm(X)=true, T) :- initiatedAt(due(X)=true, T), \\+ holdsAt(brief(X)=true, T).
"""


@pytest.mark.parametrize("engine", ["oracle", "reference", "batch", "windows"])
def test_a_delay_in_two_steps_has_the_meaning_of_one(engine: str) -> None:
    """The hint of the error: the oracle has the answer of the rules as written."""
    lines = ("switch_on|1|1|a", "switch_mid|5|5|a", "switch_on|9|9|a", "ping|60|60|a")
    one = Question(MODE + BETWEEN["negated holdsAt"], lines, end=70)
    assert ENGINES["oracle"](one)["warm(a)=true"] == [(24, 61)]
    assert compile_text(MODE + BRIEF + TWO_STEPS).warnings == ()
    two = Question(MODE + BRIEF + TWO_STEPS, lines, end=70, window=6, step=6)
    assert ENGINES[engine](two) == ENGINES["oracle"](one)
