"""Which definitions two event descriptions have in common: for a part of a definition that is not compared."""

from __future__ import annotations

import pytest

from holdsfor.analysis.definitions import unchanged_names
from holdsfor.analysis.pipeline import compile_text
from holdsfor.syntax.parser import parse_term

RULES = """
collectIntervals(near(_)=true).
dynamicDomain(thing(_)).
collectGrounds([go(X)], thing(X)).
fast(X) :- of(X, G), large(G), !.
fast(bob).
of(ann, 1). of(bob, 2). of(eve, 3).
large(N) :- N > 1.
grounding(moving(X)=true) :- thing(X).
initiatedAt(moving(X)=true, T) :- happensAt(go(X), T), fast(X).
terminatedAt(moving(X)=true, T) :- happensAt(stop(X), T).
initially(moving(ann)=true).
initiatedAt(tired(X)=true, T) :- happensAt(stop(X), T).
fi(tired(X)=true, tired(X)=false, 5).
p(tired(_)=true).
holdsFor(both(X)=true, I) :- holdsFor(moving(X)=true, I1), holdsFor(near(X)=true, I2), intersect_all([I1, I2], I).
happensAt(left(X), T) :- happensAt(end(both(X)=true), T).
happensAt(quiet(X), T) :- happensAt(stop(X), T), \\+ of(X, _).
"""
OUTPUT = {"moving", "tired", "both", "left", "quiet"}


def changed(before: str, after: str) -> set[str]:
    """The output names that an edit changes."""
    assert before in RULES
    found = unchanged_names(compile_text(RULES), compile_text(RULES.replace(before, after)))
    return OUTPUT - {name for name, _ in found.names}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("happensAt(go(X), T), fast(X)", "happensAt(go(X), T)", {"moving", "both", "left"}),
        ("initially(moving(ann)=true).", "", {"moving", "both", "left"}),
        ("fi(tired(X)=true, tired(X)=false, 5).", "fi(tired(X)=true, tired(X)=false, 6).", {"tired"}),
        ("p(tired(_)=true).", "", {"tired"}),
        ("intersect_all([I1, I2], I)", "union_all([I1, I2], I)", {"both", "left"}),
        ("collectIntervals(near(_)=true).", "points(near(_)=true).", {"both", "left"}),
        ("N > 1", "N > 2", {"moving", "both", "left"}),
        ("of(eve, 3).", "of(eve, 4).", {"moving", "both", "left", "quiet"}),
        ("fast(bob).", "fast(eve).", {"moving", "both", "left"}),
        ("collectGrounds([go(X)], thing(X)).", "collectGrounds([stop(X)], thing(X)).", {"moving", "both", "left"}),
        ("\\+ of(X, _)", "\\+ of(X, 1)", {"quiet"}),
        ("of(ann, 1). of(bob, 2)", "of(bob, 2). of(ann, 1)", {"moving", "both", "left", "quiet"}),
    ],
)
def test_an_edit_changes_a_definition_and_what_depends_on_it(before: str, after: str, expected: set[str]) -> None:
    assert changed(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("happensAt(left(X), T)", "initiatedAt(new(X)=true, T) :- happensAt(go(X), T).\nhappensAt(left(X), T)"),
        ("initiatedAt(tired(X)=true, T)", "% a comment\ninitiatedAt(tired(X)=true, T)"),
        (
            "terminatedAt(moving(X)=true, T) :- happensAt(stop(X), T)",
            "terminatedAt(moving(_A)=true,B):-happensAt(stop(_A),B)",
        ),
    ],
)
def test_an_edit_of_layout_names_or_other_definitions_changes_nothing(before: str, after: str) -> None:
    assert not changed(before, after)


def test_the_order_of_rules_does_not_matter() -> None:
    rules = [line for line in RULES.splitlines() if line.startswith(("initiatedAt", "terminatedAt", "happensAt"))]
    others = [line for line in RULES.splitlines() if line not in rules]
    found = unchanged_names(compile_text(RULES), compile_text("\n".join([*others, *reversed(rules)])))
    assert found.are_all


def test_start_up_goals_are_part_of_all_definitions() -> None:
    rules, goal = compile_text(RULES), parse_term("assertz(of(joe, 5))")
    assert not unchanged_names(rules, rules, [], [goal]).names
    assert unchanged_names(rules, rules, [goal], [goal]).are_all
    facts = compile_text(RULES.replace("of(eve, 3)", "of(eve, 4)"))
    assert not unchanged_names(rules, facts, [goal], [goal]).names
