"""Whether a rule computes with a text of a record: guards, expected texts, and texts that rules pass on."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show

KNOWLEDGE = """
tug(b2). odd(unknown). worse(X) :- odd(X). limit(temperature, 30). limit(pressure, 5).
high(X) :- over(X). over(X) :- X > 50. checked(X) :- number(X), X > 50.
"""


def computed(rules: str, record: str) -> str | None:
    names = compile_text(rules + KNOWLEDGE).names
    found = names.computed_texts.found_in(parse_term(record))
    assert not isinstance(found, str)
    return None if found is None else show(found)


@pytest.mark.parametrize(
    "conditions",
    [
        "K > 50",
        "X is K * 2, X > 50",
        "K > 50, V \\= b1",
        "tug(V2), K > 50",
        "high(K)",
        "\\+ K > 50",
        "(K == unknown ; K > 50)",
        "limit(_, Max), K > Max",
        "holdsAt(moving(V)=true, T), K > 50",
        "not (holdsAt(moving(V)=true, T), K > 50)",
        "(holdsAt(moving(V)=true, T), K > 50 ; V = b9)",
        "between(0, 100, K)",
        "in_area(K, 5.0, _)",
        "X = V, K < 3",
    ],
)
def test_a_rule_computes_with_the_text(conditions: str) -> None:
    rules = f"happensAt(fast(V), T) :- happensAt(speed(V, K), T), {conditions}."
    assert computed(rules, "speed(b1, 'n/a')") == "'n/a'"
    assert computed(rules, "speed(b1, 60)") is None


@pytest.mark.parametrize(
    "conditions",
    [
        "V \\= b1, K > 50",
        "tug(V), K > 50",
        "number(K), K > 50",
        "checked(K)",
        "(number(K) -> K > Max ; fail), limit(_, Max)",
        "K \\= 'n/a', K > 50",
        "\\+ member(K, ['n/a', none]), K > 50",
        "limit(V, Max), K > Max",
        "holdsAt(moving(V)=true, T)",
    ],
)
def test_a_condition_before_the_arithmetic_guards_it(conditions: str) -> None:
    rules = f"happensAt(fast(V), T) :- happensAt(speed(V, K), T), {conditions}."
    assert computed(rules, "speed(b1, 'n/a')") is None


@pytest.mark.parametrize(
    "rule",
    [
        "happensAt(silent(V), T) :- happensAt(speed(V, unknown), T).",
        "happensAt(silent(V), T) :- happensAt(speed(V, K), T), K = unknown.",
        "happensAt(silent(V), T) :- happensAt(speed(V, K), T), odd(K).",
        "happensAt(silent(V), T) :- happensAt(speed(V, K), T), worse(K).",
    ],
)
def test_a_text_that_a_rule_expects_is_no_mistake(rule: str) -> None:
    rules = f"happensAt(fast(V), T) :- happensAt(speed(V, K), T), K > 50.\n{rule}"
    assert computed(rules, "speed(b1, unknown)") is None
    assert computed(rules, "speed(b1, 'n/a')") == "'n/a'"


PASSED_ON = """
initiatedAt(last(V)=K, T) :- happensAt(speed(V, K), T), V \\= b7.
holdsFor(known(V, K)=true, I) :- holdsFor(last(V)=K, I).
terminatedAt(last(V)=K, T) :- happensAt(stop(V), T).
initiatedAt(fast(V)=true, T) :- happensAt(tick(V), T), holdsAt(known(V, K)=true, T), K > 50.
terminatedAt(fast(V)=true, T) :- happensAt(stop(V), T).
happensAt(seen(V), T) :- happensAt(speed(V, _), T).
"""


def test_a_text_that_rules_pass_on_is_followed() -> None:
    assert computed(PASSED_ON, "speed(b1, 'n/a')") == "'n/a'"
    assert computed(PASSED_ON, "speed(b7, 'n/a')") is None
    names = compile_text(PASSED_ON).names
    assert names.computed_texts.computed("speed", 2) == [1]
    assert names.computed_texts.relevant("speed", 2) == [0, 1]


def test_a_text_that_is_a_duration_a_delay_or_a_sum() -> None:
    durations = "holdsFor(long(V)=true, I) :- holdsFor(stay(V, D)=true, I0), intDurGreater(I0, D, I)."
    assert computed(durations, "stay(b1, soon)=true") == "soon"
    delays = "initiatedAt(parked(V, D)=true, T) :- happensAt(park(V, D), T).\nft(parked(V, D)=true, D)."
    assert computed(delays, "park(b1, soon)") == "soon"
    sums = """happensAt(full(S), T) :- happensAt(close(S), T),
        aggregate_all(sum(N), happensAt(boarded(S, N), T), Total), Total > 5."""
    assert computed(sums, "boarded(s, many)") == "many"


def test_collections_have_variables_of_their_own() -> None:
    rules = """happensAt(full(S), T) :- happensAt(close(S), T),
        aggregate_all(max(N), (happensAt(boarded(S, N), T), number(N)), Most),
        aggregate_all(max(N), happensAt(weighed(S, N), T), Heaviest), Most > 5, Heaviest > 7."""
    assert computed(rules, "boarded(s, many)") is None
    assert computed(rules, "weighed(s, much)") == "much"


def test_domains_that_the_input_fills_guard_nothing() -> None:
    rules = """
    happensAt(fast(V), T) :- happensAt(speed(V, K), T), vessel(V), K > 50.
    dynamicDomain(vessel(_)).
    collectGrounds([speed(V, _)], vessel(V)).
    """
    assert computed(rules, "speed(b1, 'n/a')") == "'n/a'"


# -- numbers -----------------------------------------------------------------------------------------------------------


def reason(conditions: str, record: str) -> str | None:
    rules = f"happensAt(found(V), T) :- happensAt(speed(V, K), T), {conditions}.\n"
    knowledge = "even(X) :- X mod 2 =:= 0. inverse(X, Y) :- Y is 1 / (X - 2). limit(b1, 0)."
    found = compile_text(rules + knowledge).names.computed_texts.found_in(parse_term(record))
    assert found is None or isinstance(found, str)
    return found


@pytest.mark.parametrize(
    ("conditions", "value", "expected"),
    [
        ("K mod 2 =:= 0", "3.5", "expected an integer in `K mod 2=:=0`, found `3.5`"),
        ("limit(V, Max), Max mod K > 1", "0", "division by zero in `Max mod K>1`"),
        ("K mod M =:= 0, limit(_, M)", "3.5", "expected an integer in `K mod M=:=0`, found `3.5`"),
        ("X is 10 / K, X > 3", "0", "division by zero in `X is 10/K`"),
        ("X is K - 2, Y is 3 / X, Y > 1", "2", "division by zero in `Y is 3/X`"),
        ("sqrt(K) > 1", "-4", "the result is undefined in `sqrt(K)>1`"),
        ("even(K)", "2.5", "expected an integer in `even(K)`, found `2.5`"),
        ("inverse(K, Y), Y > 0", "2", "division by zero in `inverse(K,Y)`"),
        ("(K > 3 ; K mod 2 =:= 0)", "3.5", "expected an integer in `K>3;K mod 2=:=0`, found `3.5`"),
        ("between(0, 9, K)", "3.5", "expected an integer in `between(0,9,K)`, found `3.5`"),
        ("round(K) mod 2 =:= 0", "3.5", None),
        ("integer(K), K mod 2 =:= 0", "3.5", None),
        ("K \\= 0, X is 10 / K, X > 3", "0", None),
        ("K > 0, sqrt(K) > 1", "-4", None),
        ("holdsAt(before(V)=M, T), X is 10 / (K - M), X > 3", "0", None),
        ("limit(V, Max), X is K / Max, X > 3", "5", None),
    ],
)
def test_a_rule_cannot_compute_with_a_number(conditions: str, value: str, expected: str | None) -> None:
    assert reason(conditions, f"speed(b1, {value})") == expected
    assert reason(conditions, "speed(b1, 3)") is None


def test_a_number_that_rules_pass_on_is_followed() -> None:
    rules = """
    initiatedAt(last(V)=K, T) :- happensAt(speed(V, K), T), V \\= b7.
    initiatedAt(odd(V)=true, T) :- happensAt(tick(V), T), holdsAt(last(V)=K, T), K mod 2 =:= 1.
    """
    texts = compile_text(rules).names.computed_texts
    assert texts.found_in(parse_term("speed(b1, 2.5)")) == "expected an integer in `K mod 2=:=1`, found `2.5`"
    assert texts.found_in(parse_term("speed(b7, 2.5)")) is None
    assert {(risk.kind, show(risk.operand)) for risk in texts.risks("speed", 2)} == {("fraction", "1")}
