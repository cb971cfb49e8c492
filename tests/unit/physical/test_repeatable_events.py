"""Events that are used for effects only are evaluated with their duplicates; others are not."""

from __future__ import annotations

import pytest

import holdsfor as hf
from holdsfor.columns.encoding import Symbols
from holdsfor.runtime.prepared_rules import PreparedRules

EFFECT = "initiatedAt(lit(X)=true, T) :- happensAt(on(X), T)"
COUNT = "initiatedAt(many=true, T) :- happensAt(off(_), T), findall(X, happensAt(on(X), T), L), length(L, N), N > 1"
CIRCLE = "initiatedAt(dim(X)=true, T) :- happensAt(on(X), T), not holdsAt(lit(X)=true, T)"


@pytest.mark.parametrize(
    ("rules", "repeatable"),
    [
        (f"{EFFECT}.", {"on"}),
        (f"{EFFECT}, holdsAt(armed(X)=true, T), not holdsAt(old(X)=true, T), X > 3.", {"on"}),
        (f"{EFFECT}, happensAt(off(X), T).", set()),
        (f"{EFFECT}, not happensAt(off(X), T).", {"on"}),
        (f"{EFFECT}. happensAt(seen(X), T) :- happensAt(on(X), T).", set()),
        (f"{EFFECT}. terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).", {"on", "off"}),
        (f"{EFFECT}. {COUNT}.", set()),
        (f"{EFFECT}, not holdsAt(dim(X)=true, T). {CIRCLE}.", set()),
    ],
)
def test_events_may_be_repeated_if_rules_use_them_first_and_for_effects(rules: str, repeatable: set[str]) -> None:
    declared = "\n".join(f"{line}." for line in rules.removesuffix(".").split(". "))
    inputs = "inputEntity(armed(_)=true). inputEntity(old(_)=true)."
    prepared = PreparedRules(hf.load_text(f"{inputs}\n{declared}" if "armed" in rules else declared), Symbols())
    assert {name for name, _ in prepared.repeatable_events} == repeatable


def test_duplicates_change_no_interval() -> None:
    rules = hf.load_text(f"{EFFECT}. terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).")
    times = [("on", 1), ("off", 3), ("on", 3), ("on", 5), ("off", 7), ("on", 9)]
    records = [f"{name}|{at}|{at}|a" for name, at in times]
    once, often = (hf.recognise(rules, records * n).holds_for("lit(a)=true") for n in (1, 3))
    assert once == often == [(2, 4), (6, 8), (10, None)]
