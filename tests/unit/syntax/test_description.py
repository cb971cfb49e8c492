"""Which clause is which rule, which is background knowledge, and which is refused."""

from __future__ import annotations

import pytest

from holdsfor.errors import Diagnostics
from holdsfor.syntax.description import CollectGrounds, Index, describe
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.program import Clause
from holdsfor.syntax.rules import Fvp, InputDeclaration, Postponable
from holdsfor.syntax.terms import Atom, Int, Var
from tests.unit.syntax.reading import described, program, refused


def fvp(text: str) -> Fvp:
    term = parse_term(text)
    return Fvp(*term.args)  # type: ignore[union-attr]


def said(text: str) -> list[str]:
    return [d.code for d in refused(text)]


# -- rules -------------------------------------------------------------------------------------------------------------


def test_every_kind_of_clause_has_its_place() -> None:
    description = described("""
        initiatedAt(f=true, T) :- happensAt(e, T).
        terminatedAt(f=true, T) :- happensAt(e2, T).
        happensAt(alarm, T) :- happensAt(start(f=true), T).
        holdsFor(g=true, I) :- holdsFor(f=true, I).
        initially(f=true).
        fi(f=true, f=false, 10).
        ft(f=false, 5).
        p(f=true).
        grounding(f=true).
        dynamicDomain(person(_)).
        collectGrounds([e(X)], person(X)).
        collectIntervals(h=true).
        points(k=true).
        index(e(X), X).
        person(chris).
        :- intervalwise(longest/2).
        :- output(f).
        happensAt(e, 3).
        points(k=false) :- person(chris).
    """)
    assert [rule.kind for rule in description.point_rules] == ["initiatedAt", "terminatedAt", "happensAt"]
    lists = vars(description)
    others = ("point_rules", "dynamic_predicates", "shown", "time_unit", "time_zone", "uses_durations")
    sizes = {name: len(items) for name, items in lists.items() if name not in others}
    assert sizes.pop("delays") == 2
    assert sizes.pop("inputs") == 2
    assert set(sizes.values()) == {1}


def test_clauses_may_stand_in_any_order_and_in_several_files() -> None:
    texts = ["p(f=true). initiatedAt(f=true, T) :- happensAt(e, T).", "person(a). initially(f=true). person(b)."]
    diagnostics = Diagnostics()
    apart = describe(map(program, texts), diagnostics)
    assert apart == described(" ".join(texts))
    assert not len(diagnostics)


def test_an_initial_value_may_have_conditions() -> None:
    (initially,) = described("initially(f(X)=off) :- person(X), \\+ banned(X).").initially
    assert (initially.fvp, len(initially.body)) == (fvp("f(X)=off"), 2)


# -- delays ------------------------------------------------------------------------------------------------------------


def test_max_duration_is_an_older_name_of_a_delay() -> None:
    newer = described("fi(f=a, f=b, 10).").delays
    assert described("maxDuration(f=a, f=b, 10).").delays == newer
    prolonged = described("maxDurationUE(f=a, f=b, 10).")
    assert prolonged.delays == newer
    assert prolonged.postponable == [Postponable(fvp("f=a"))]


def test_a_delay_may_be_computed_and_conditions_may_be_about_the_due_time() -> None:
    (delay,) = described("fi(f(X)=a, f(X)=b, R) :- patience(X, R), \\+ holdsAt(g(X)=true, T).").delays
    assert (delay.delay, delay.time, len(delay.body)) == (Var("R"), Var("T"), 2)
    (ending,) = described("ft(f=a, 3).").delays
    assert (ending.target, ending.delay) == (None, Int(3))


@pytest.mark.parametrize("delay", ["0", "-5", "1.5", "soon", '"3"', "1+2"])
def test_a_delay_is_a_positive_integer(delay: str) -> None:
    assert said(f"fi(f=a, f=b, {delay}).") == ["HF210"]
    assert said(f"ft(f=a, {delay}).") == ["HF210"]


def test_a_value_cannot_initiate_itself() -> None:
    assert said("fi(f(X)=a, f(X)=a, 3).") == ["HF210"]


def test_p_of_a_pair_is_a_postponement_and_p_of_anything_else_is_background_knowledge() -> None:
    description = described("p(f(_)=true).\np(x).\np(X) :- q(X).\np(a, b).\np(X-Y).")
    assert len(description.postponable) == 1
    assert len(description.background) == 4


# -- declarations ------------------------------------------------------------------------------------------------------


def test_how_an_input_fluent_arrives() -> None:
    inputs = described("collectIntervals(a(_)=true). buildFromPoints(b(_)=true). points(c(_)=_).").inputs
    assert [declaration.shape for declaration in inputs] == ["intervals", "points", "points"]
    assert isinstance(inputs[0], InputDeclaration)


@pytest.mark.parametrize(
    "name", ["buildFromPoints(_)", "collectIntervals(_)", "points(_)", "grounding(_)", "index(_, _)"]
)
@pytest.mark.parametrize("failure", ["fail", "false"])
def test_a_declaration_that_fails_declares_nothing(name: str, failure: str) -> None:
    assert described(f"{name} :- {failure}.") == described("")


def test_groundings_are_of_events_and_of_pairs() -> None:
    event, pair = described("grounding(e(X)) :- person(X). grounding(f(X)=V) :- person(X), value(V).").groundings
    assert event.entity == parse_term("e(X)")
    assert pair.entity == fvp("f(X)=V")
    assert pair.goals == (parse_term("person(X)"), parse_term("value(V)"))


def test_collected_domains_and_indices() -> None:
    description = described("dynamicDomain(d(_)). collectGrounds([e(X), f(X)=true], d(X)). index(f(X)=_, X).")
    assert description.collected == [CollectGrounds((parse_term("e(X)"), parse_term("f(X)=true")), parse_term("d(X)"))]
    assert description.indices[0].argument == Var("X")
    assert isinstance(description.indices[0], Index)


@pytest.mark.parametrize(
    "text",
    [
        "grounding(X) :- person(X).",
        "grounding(3).",
        "dynamicDomain(person).",
        "dynamicDomain(X).",
        "collectGrounds(e(X), d(X)).",
        "collectGrounds([e(X)], d).",
        "collectGrounds([e|_], d(X)).",
        "collectIntervals(f).",
        "initially(f).",
        "initially(X).",
        "p(X=true).",
        "fi(f, f=b, 3).",
        "initiatedAt(f, T) :- happensAt(e, T).",
        "happensAt(f=true, T) :- happensAt(e, T).",
        "happensAt(X, T) :- happensAt(e, T).",
    ],
)
def test_a_part_of_the_wrong_form_is_refused(text: str) -> None:
    assert said(text) == ["HF202"]


@pytest.mark.parametrize("head", ["initiatedAt(f=true, 5)", "terminatedAt(f=true, _, now, _)", "happensAt(e2, 5)"])
def test_the_time_point_of_a_rule_is_a_variable(head: str) -> None:
    assert said(f"{head} :- happensAt(e, T).") == ["HF203"]


# -- predicates that cannot be defined
# -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "holdsAt(f=true, T) :- happensAt(e, T).",
        "union_all(A, B).",
        "intersect_all(A, B) :- c.",
        "relative_complement_all(A, B, C).",
        "complement_all(A, B).",
        "allen(A, B, C, D, E).",
        "happensAt(start(f=true), T) :- happensAt(e, T).",
        "happensAt(end(f=true), T) :- happensAt(e, T).",
    ],
)
def test_predicates_of_the_language_cannot_be_defined(text: str) -> None:
    assert said(text) == ["HF201"]


def test_the_duration_filters_win_over_definitions_of_the_same_name() -> None:
    described("intDurGreater([], _, []). holdsFor(f=true, I) :- holdsFor(g=true, A), intDurGreater(A, 3, I).")


@pytest.mark.parametrize("text", ["preProcessing(X).", "iePList(A, B, C, D) :- x.", "simpleFPList(A, B, C, D)."])
def test_hooks_into_rtecs_engine_are_refused_with_a_hint(text: str) -> None:
    (error,) = refused(text)
    assert error.code == "HF213"
    assert error.hint


@pytest.mark.parametrize(
    "text", ["needsGrounding(a, b, c).", "cachingOrder(f=true).", "needsGrounding(_, _, _) :- fail."]
)
def test_leftovers_of_older_versions_are_noted_and_ignored(text: str) -> None:
    (note,) = refused(text)
    assert (note.code, note.severity) == ("HF392", "note")
    assert described(text) == described("")


@pytest.mark.parametrize(
    "text",
    [
        "preProcessing(a).\n",
        "iePList(a, b, c, d).\n",
        "needsGrounding(a, b, c).\n",
        "union_all(a, b).\n",
        "maxDuration(a, b, 3).\n",
        "p(a).\n",
        "initially(a).\n",
        "holdsAt(a, b).\n",
        "collectIntervals(a).\n",
        "happensAt(a, 3).\n",
    ],
)
def test_a_long_run_of_clauses_is_treated_as_one_is(text: str) -> None:
    assert said(text * 100) == said(text) * 100


def test_an_event_as_a_fact_is_input() -> None:
    (given,) = described("happensAt(go_to(chris, 'The Pub'), 17).").given
    assert (given.entity, given.start, given.end) == (parse_term("go_to(chris, 'The Pub')"), 17, None)


@pytest.mark.parametrize(
    "directive", ["discontiguous f/1", "use_module(library(lists))", "set_prolog_flag(a, b)", "main"]
)
def test_directives_without_effect_are_noted(directive: str) -> None:
    (note,) = refused(f":- {directive}.")
    assert (note.code, note.severity) == ("HF391", "note")


@pytest.mark.parametrize("directive", ["op(700, xfx, near)", "[]", "dynamic a/1"])
def test_directives_with_effect_are_not(directive: str) -> None:
    assert all(d.severity != "error" for d in refused(f":- {directive}."))


@pytest.mark.parametrize("directive", ["3", "X"])
def test_a_directive_that_is_no_goal_is_refused(directive: str) -> None:
    assert said(f":- {directive}.") == ["HF202"]


def test_dynamic_predicates_are_declared() -> None:
    assert described(":- dynamic a/1, b/2.\n:- dynamic([c/3]).").dynamic_predicates == [("a", 1), ("b", 2), ("c", 3)]


# -- background knowledge ----------------------------------------------------------------------------------------------


def test_anything_else_is_background_knowledge() -> None:
    description = described("likes(X, Y) :- X \\= Y, !.\nhappy.\nfi(a, b).\ninitiatedAt(x).\n'HappensAt'(a, b).")
    assert len(description.background) == 5
    assert description.background[1] == Clause(Atom("happy"))


def test_background_knowledge_cannot_have_temporal_conditions() -> None:
    (error,) = refused("likes(X, Y) :- holdsAt(f(X)=Y, T).")
    assert error.code == "HF204"
    assert error.hint


def test_the_errors_of_all_clauses_are_collected() -> None:
    text = "holdsAt(f=true, T) :- ok(T).\ninitially(f).\npreProcessing(X).\nfi(f=a, f=b, 0).\nok(1).\n"
    assert said(text) == ["HF201", "HF202", "HF213", "HF210"]
