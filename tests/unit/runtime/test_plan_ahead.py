"""Plans of groundings and columns of facts that are made before the first window."""

from __future__ import annotations

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.tables import Key
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records

RULES = """
dynamicDomain(person(_)).
grounding(join(P)) :- person(P).
grounding(quiet(P)=true) :- person(P).
grounding(invited(P, M)=true) :- voter(P), motion(M).
grounding(near(_, P)=true) :- voter(P).
voter(P) :- person(P), weight(P, W), W > 1.
weight(a, 1). weight(b, 2). weight(c, 3).
motion(m). motion(n).
initially(quiet(_)=true).
terminatedAt(quiet(P)=true, T) :- happensAt(join(P), T).
initiatedAt(invited(_, M)=true, T) :- happensAt(join(P), T), weight(P, _), motion(M).
initiatedAt(near(P, Q)=true, T) :- happensAt(join(P), T), weight(Q, _).
"""
RECORDS = ("join|1|1|a", "join|3|3|b", "join|12|12|c")


def plans_and_relations(rules: PreparedRules) -> tuple[list[list[str]], set[Key]]:
    plans = [given for plans in rules.domains.plans.values() for plan in plans for given, _ in plan.planned]
    return plans, set(rules.background._relations)


def test_no_window_makes_a_plan_or_columns_of_facts() -> None:
    compiled, reading = compile_text(RULES, "rules"), Reading()
    read_text_records(RECORDS, "records", compiled.names, 1, reading)
    ahead, later = (EngineSession(compiled, start=0, window=10) for _ in range(2))
    for session in (ahead, later):
        session.insert((fact.start, fact) for fact in reading.facts())
    ahead.rules.plan_ahead()
    planned = plans_and_relations(ahead.rules)
    for at in (10, 20):
        found = ahead.query(at).intervals(ahead.symbols)
        assert found
        assert found == later.query(at).intervals(later.symbols)
    assert plans_and_relations(ahead.rules) == planned
