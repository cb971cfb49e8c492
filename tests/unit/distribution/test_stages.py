"""Stages of a program: one program per route, and per reason to compute in one bucket."""

from __future__ import annotations

from holdsfor.analysis.pipeline import compile_text, with_output
from holdsfor.distribution.background_maps import Hop
from holdsfor.distribution.stages import Broadcast, HashRoute, MapRoute, SemijoinRoute, Stage, plan_stages
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


def test_causes_are_the_rules_that_do_not_just_depend_on_others() -> None:
    stage = only("""
        initiatedAt(near=true, T) :- happensAt(come(_), T).
        holdsFor(here=true, I) :- holdsFor(near=true, I).
    """)
    assert [cause.name for cause in stage.causes] == ["near=true"]
    assert len(stage.reasons) == 2


def test_the_value_of_a_simple_fluent_is_not_a_key() -> None:
    stage = only("initiatedAt(near=Place, T) :- happensAt(come(Place), T).")
    reason = "no argument is in all conditions of initiatedAt(near=Place, …): no argument of `near=_` varies"
    assert why(stage) == {"near=_": reason}


def test_a_count_over_all_keys_is_a_reason() -> None:
    _, stage = stages("""
        initiatedAt(away(V)=true, T) :- happensAt(sail(V), T).
        initiatedAt(alarm(V)=true, T) :-
            happensAt(sail(V), T), aggregate_all(count, holdsAt(away(_)=true, T), N), N > 2.
    """)
    reason = "no argument is in all conditions of initiatedAt(alarm(V)=true, …): it collects all `away(_)=true`"
    assert why(stage) == {"alarm(_)=true": reason}


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


OWNERS = "owner(v1, o1). owner(v2, o1). owner(v3, o2). flag(o1, malta). flag(o2, panama)."


def test_facts_of_the_background_map_arguments_to_the_key() -> None:
    stage = only(f"""
        initiatedAt(busy(O)=true, T) :- happensAt(sail(V), T), owner(V, O).
        terminatedAt(busy(O)=true, T) :-
            happensAt(dock(V), T), owner(V, O), not (owner(W, O), happensAt(sail(W), T)).
        {OWNERS}
    """)
    to_owner = MapRoute(0, (Hop("owner", 2, 0, 1),))
    assert set(stage.receives) == {(("event", "sail", 1), to_owner), (("event", "dock", 1), to_owner)}


def test_a_count_over_the_things_of_a_key_is_made_with_the_key() -> None:
    _, stage = stages(f"""
        initiatedAt(atsea(V)=true, T) :- happensAt(sail(V), T).
        initiatedAt(crowded(O)=N, T) :-
            happensAt(sail(V), T), owner(V, O), findall(W, (owner(W, O), holdsAt(atsea(W)=true, T)), L), length(L, N).
        {OWNERS}
    """)
    assert (("fluent", "atsea", 1), MapRoute(0, (Hop("owner", 2, 0, 1),))) in stage.receives


def test_maps_lead_through_several_facts_and_through_clauses() -> None:
    rule = "initiatedAt(busy(F)=true, T) :- happensAt(sail(V), T), {goals}."
    hops = (Hop("owner", 2, 0, 1), Hop("flag", 2, 0, 1))
    for goals in ("flag(O, F), owner(V, O)", "flies(V, F)"):
        stage = only(f"{rule.format(goals=goals)} {OWNERS} flies(X, F) :- owner(X, O), flag(O, F).")
        assert stage.receives == ((("event", "sail", 1), MapRoute(0, hops)),)


def test_predicates_that_are_not_facts_do_not_map() -> None:
    rule = "initiatedAt(busy(O)=true, T) :- happensAt(sail(V), T), {goals}."
    others = f"{OWNERS} some(V, _). some(v1, o1). either(V, O) :- owner(V, O). either(V, O) :- flag(V, O)."
    for goals in ("some(V, O)", "either(V, O)", "not owner(V, O), flag(O, _)"):
        assert not only(f"{rule.format(goals=goals)} {others} grounding(busy(O)=true) :- flag(O, _).").is_keyed


def test_start_up_goals_may_change_facts_so_facts_do_not_map() -> None:
    compiled = compile_text(f"initiatedAt(busy(O)=true, T) :- happensAt(sail(V), T), owner(V, O). {OWNERS}")
    program = EngineSession(compiled, start=0).rules.program
    (stage,) = plan_stages(compiled, program, has_start_up_goals=True).stages
    assert not stage.is_keyed


def test_pairs_without_grounding_take_their_instances_from_the_list_that_restricts_them() -> None:
    _, stage = stages("""
        collectIntervals(near(_, _)=true).
        initiatedAt(slow(V)=true, T) :- happensAt(brake(V), T).
        holdsFor(watched(V, W)=true, I) :-
            holdsFor(slow(V)=true, I1), holdsFor(slow(W)=true, I2), union_all([I1, I2], I3),
            holdsFor(near(V, W)=true, I4), intersect_all([I3, I4], I).
    """)
    assert stage.is_keyed


def test_a_negated_condition_is_not_a_guard() -> None:
    (stage,) = stages("""
        initiatedAt(met(V)=true, T) :- happensAt(look(V), T), not (happensAt(meet(V, W), T), happensAt(wave(W), T)).
    """)
    reason = "no argument is in all conditions of initiatedAt(met(V)=true, …): `wave(_)` does not lead to `V`"
    assert why(stage) == {"met(_)=true": reason}


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
        initiatedAt(seen(A, B)=true, T) :- happensAt(start(on(A)=true), T).
    """)
    assert "ranges over the constants of the input" in why(stage)["seen(_,_)=true"]
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


TWO_STAGES = """
initiatedAt(on(X)=true, T) :- happensAt(push(X), T).
initiatedAt(seen(X)=true, T) :- happensAt(start(on(X)=true), T).
happensAt(alarm(Y), T) :- happensAt(start(on(X)=true), T), wire(X, Y), not happensAt(mute(Y), T).
initiatedAt(any=true, T) :- happensAt(alarm(_), T).
wire(a, b).
"""


def test_selected_output_has_the_stages_that_it_needs() -> None:
    computed = {}
    for selector in ("seen", "on", "alarm", "any"):
        compiled = with_output(compile_text(TWO_STAGES), selector)
        planned = plan_stages(compiled, EngineSession(compiled, start=0).rules.program).stages
        computed[selector] = [[vertex.label for vertex in stage.computes] for stage in planned]
    assert computed == {
        "seen": [["on(_)=true", "seen(_)=true"]],
        "on": [["on(_)=true"]],
        "alarm": [["on(_)=true"], ["alarm(_)"]],
        "any": [["on(_)=true"], ["alarm(_)"], ["any=true"]],
    }
