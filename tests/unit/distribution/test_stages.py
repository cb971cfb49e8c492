"""Stages of a program: one program per route, and per reason to compute in one bucket."""

from __future__ import annotations

from holdsfor.analysis.pipeline import compile_text
from holdsfor.distribution.stages import Broadcast, HashRoute, SemijoinRoute, Stage, plan_stages
from holdsfor.runtime.session import EngineSession


def stages(text: str) -> tuple[Stage, ...]:
    compiled = compile_text(text)
    return plan_stages(compiled, EngineSession(compiled, start=0).rules.program).stages


def only(text: str) -> Stage:
    (stage,) = stages(text)
    return stage


def why(stage: Stage) -> dict[str, str]:
    assert not stage.is_keyed
    return {vertex.label: reason for vertex, reason in stage.reasons}


def test_the_key_of_a_rule_is_the_argument_that_all_its_conditions_share() -> None:
    stage = only("""
        initiatedAt(on(A, B)=true, T) :- happensAt(push(B, A), T), not holdsAt(locked(B)=true, T).
    """)
    assert set(stage.paths.values()) == {(1,)}
    assert set(stage.receives) == {
        (("event", "push", 2), HashRoute(0)),
        (("fluent", "locked", 1), HashRoute(0)),
    }


def test_the_value_of_a_simple_fluent_is_not_a_key() -> None:
    stage = only("initiatedAt(near=Place, T) :- happensAt(come(Place), T).")
    assert why(stage) == {"near=_": "no argument is in all conditions of initiatedAt(near=Place, …)"}


def test_an_index_declaration_chooses_between_equally_good_keys() -> None:
    rule = "initiatedAt(on(A, B)=true, T) :- happensAt(push(A, B), T)."
    assert set(only(rule).paths.values()) == {(0,)}
    assert set(only(f"{rule} index(push(_, B), B).").paths.values()) == {(1,)}


def test_the_key_that_more_rules_share_is_chosen() -> None:
    stage = only("""
        initiatedAt(on(A, B)=true, T) :- happensAt(push(A, B), T).
        initiatedAt(lit(B)=true, T) :- happensAt(ask(B), T), holdsAt(on(a, B)=true, T).
    """)
    assert set(stage.paths.values()) == {(0,), (1,)}
    assert (("event", "push", 2), HashRoute(1)) in stage.receives


def test_results_of_earlier_stages_are_routed_by_semijoin_with_a_guard() -> None:
    first, second = stages("""
        initiatedAt(slow(V)=true, T) :- happensAt(brake(V), T).
        terminatedAt(slow(V)=true, T) :- happensAt(speed_up(V), T).
        initiatedAt(met(V, W)=true, T) :-
            happensAt(meet(V, W), T), holdsAt(slow(V)=true, T), not holdsAt(slow(W)=true, T).
    """)
    assert [vertex.label for vertex in first.computes] == ["slow(_)=true"]
    assert second.is_keyed
    assert set(second.receives) == {
        (("event", "meet", 2), HashRoute(0)),
        (("fluent", "slow", 1), HashRoute(0)),
        (("fluent", "slow", 1), SemijoinRoute(0, ("event", "meet", 2), partner=1, owner=0)),
    }


def test_a_negated_condition_is_not_a_guard() -> None:
    (stage,) = stages("""
        initiatedAt(met(V)=true, T) :- happensAt(look(V), T), not (happensAt(meet(V, W), T), happensAt(wave(W), T)).
    """)
    assert why(stage) == {"met(_)=true": "no argument is in all conditions of initiatedAt(met(V)=true, …)"}


def test_a_list_that_does_not_contain_the_result_is_not_a_guard() -> None:
    (stage,) = stages("""
        holdsFor(either(V, W)=true, I) :-
            holdsFor(near(V, W)=true, I1), holdsFor(lit(W)=true, I2), holdsFor(loud(V)=true, I3),
            union_all([I1, I2, I3], I).
        grounding(either(V, W)=true) :- thing(V), thing(W).
        grounding(near(V, W)=true) :- thing(V), thing(W).
        grounding(lit(W)=true) :- thing(W).
        grounding(loud(W)=true) :- thing(W).
        thing(a).
    """)
    assert not stage.is_keyed


def test_an_event_without_arguments_is_broadcast() -> None:
    stage = only("""
        initiatedAt(on(A)=true, T) :- happensAt(push(A), T).
        terminatedAt(on(A)=true, T) :- happensAt(push(A), T), happensAt(blackout, T).
    """)
    assert (("event", "blackout", 0), Broadcast()) in stage.receives


def test_a_rule_that_uses_initiations_runs_in_the_stage_that_computes_them() -> None:
    (stage,) = stages("""
        initiatedAt(slow(V)=true, T) :- happensAt(brake(V), T).
        happensAt(crash(W), T) :- happensAt(meet(W, V), T), initiatedAt(slow(V)=true, T).
    """)
    assert len(stage.computes) == 2
    assert not stage.is_keyed


def test_rules_over_all_constants_of_the_input_run_in_one_bucket_with_their_dependencies() -> None:
    (stage,) = stages("""
        initiatedAt(on(A)=true, T) :- happensAt(push(A), T).
        initiatedAt(told(A, B)=true, T) :- happensAt(start(on(A)=true), T).
    """)
    assert "ranges over the constants of the input" in why(stage)["told(_,_)=true"]
    assert "on(_)=true" in why(stage)


def test_members_of_a_domain_are_routed_by_key_or_broadcast() -> None:
    stage = only("""
        dynamicDomain(vessel(_)).
        dynamicDomain(area(_)).
        grounding(enters(V, A)) :- vessel(V), area(A).
        grounding(inside(V, A)=true) :- vessel(V), area(A).
        initially(inside(_, _)=true).
        initiatedAt(inside(V, A)=true, T) :- happensAt(enters(V, A), T).
        index(enters(V, _), V).
    """)
    assert (("domain", "vessel", 1), HashRoute(0)) in stage.receives
    assert (("domain", "area", 1), Broadcast()) in stage.receives


def test_a_cycle_with_two_keys_runs_in_one_bucket() -> None:
    (stage,) = stages("""
        initiatedAt(up(A, B)=true, T) :-
            happensAt(go(A, B), T), not holdsAt(tired(A)=true, T), not holdsAt(tired(B)=true, T).
        initiatedAt(tired(A)=true, T) :- happensAt(start(up(A, _)=true), T).
        initiatedAt(tired(B)=true, T) :- happensAt(start(up(_, B)=true), T).
    """)
    assert not stage.is_keyed
