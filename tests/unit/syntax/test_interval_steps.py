"""The steps of `holdsFor` rules; optimisations that cannot change the answer are dropped."""

from __future__ import annotations

import pytest

from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.rules import (
    Allen,
    Complement,
    Duration,
    HoldsFor,
    Intersect,
    IntervalCall,
    IntervalStep,
    Not,
    RelativeComplement,
    Union,
)
from holdsfor.syntax.rules import Test as Goal
from holdsfor.syntax.terms import Atom, Var
from tests.unit.syntax.reading import described, refused

READ = "holdsFor(a(X)=true, A), holdsFor(b(X)=true, B)"


def steps(goals: str) -> tuple[IntervalStep, ...]:
    """The steps behind the two lists `A` and `B`."""
    (rule,) = described(f"holdsFor(f(X)=true, I) :- {READ}, {goals}.").interval_rules
    return rule.body[2:]


def codes(goals: str) -> list[str]:
    return [d.code for d in refused(f"holdsFor(f(X)=true, I) :- {READ}, {goals}.")]


@pytest.mark.parametrize(
    ("goal", "step"),
    [
        ("union_all([A, B], I)", Union((Var("A"), Var("B")), Var("I"))),
        ("intersect_all([A, B], I)", Intersect((Var("A"), Var("B")), Var("I"))),
        ("complement_all([A], I)", Complement((Var("A"),), Var("I"))),
        ("relative_complement_all(A, [B], I)", RelativeComplement(Var("A"), (Var("B"),), Var("I"))),
        ("intDurGreater(A, 10, I)", Duration("greater", Var("A"), parse_term("10"), Var("I"))),
        ("intDurLess(A, D, I)", Duration("less", Var("A"), Var("D"), Var("I"))),
        ("union_all([A, [(3,7)]], I)", Union((Var("A"), parse_term("[(3,7)]")), Var("I"))),
        ("union_all([], I)", Union((), Var("I"))),
        ("I = A", Union((Var("A"),), Var("I"))),
        ("A = I", Union((Var("A"),), Var("I"))),
        ("allen(before, A, B, source, I)", Allen("before", Var("A"), Var("B"), "source", Var("I"))),
    ],
)
def test_interval_operations(goal: str, step: IntervalStep) -> None:
    assert steps(goal) == (step,)


@pytest.mark.parametrize("relation", ["before", "meets", "starts", "finishes", "during", "overlaps", "equal"])
def test_rtecs_spelling_of_allen_relations_is_the_same(relation: str) -> None:
    assert steps(f"{relation}(A, B, union, I)") == steps(f"allen({relation}, A, B, union, I)")


@pytest.mark.parametrize(
    ("inverse", "relation"),
    [
        ("after", "before"),
        ("met_by", "meets"),
        ("started_by", "starts"),
        ("finished_by", "finishes"),
        ("contains", "during"),
        ("overlapped_by", "overlaps"),
    ],
)
@pytest.mark.parametrize(
    ("mode", "swapped"),
    [
        ("source", "target"),
        ("target", "source"),
        ("union", "union"),
        ("intersect", "intersect"),
        ("complement", "complement_inv"),
        ("complement_inv", "complement"),
    ],
)
def test_an_inverse_relation_is_the_relation_with_both_sides_swapped(
    inverse: str, relation: str, mode: str, swapped: str
) -> None:
    expected = steps(f"allen({relation}, B, A, {swapped}, I)")
    assert steps(f"allen({inverse}, A, B, {mode}, I)") == expected
    assert steps(f"{inverse}(A, B, {mode}, I)") == expected


@pytest.mark.parametrize(
    ("other", "mode"),
    [
        ("lhs", "source"),
        ("rhs", "target"),
        ("intersection", "intersect"),
        ("relative_complement", "complement"),
        ("relative_complement_inverse", "complement_inv"),
    ],
)
def test_output_modes_have_two_names(other: str, mode: str) -> None:
    assert steps(f"during(A, B, {other}, I)") == steps(f"during(A, B, {mode}, I)")


@pytest.mark.parametrize(
    ("goal", "hint"),
    [
        ("allen(durign, A, B, source, I)", "did you mean `during`?"),
        ("allen(during, A, B, sorce, I)", "did you mean `source`?"),
    ],
)
def test_an_unknown_relation_or_mode_has_a_hint(goal: str, hint: str) -> None:
    (error,) = refused(f"holdsFor(f(X)=true, I) :- {READ}, {goal}.")
    assert (error.code, error.hint) == ("HF209", hint)


# -- goals that are no interval operations -----------------------------------------------------------------------------


def test_atemporal_goals_are_tests() -> None:
    assert steps("person(X), \\+ banned(X), union_all([A, B], I)")[:2] == (
        Goal(parse_term("person(X)")),
        Not((Goal(parse_term("banned(X)")),)),
    )


def test_a_call_over_intervals_has_inputs_and_outputs() -> None:
    (call,) = steps("longest(A, X, I)")
    assert call == IntervalCall(parse_term("longest(A, X, I)"), ("A",), ("I",))


def test_true_is_no_step() -> None:
    assert steps("true, union_all([A], I)") == steps("union_all([A], I)")


def test_a_value_left_open_is_a_variable() -> None:
    (rule,) = described("holdsFor(f=true, I) :- holdsFor(g(_)=_, I).").interval_rules
    (step,) = rule.body
    assert isinstance(step, HoldsFor)
    assert isinstance(step.fvp.value, Var)


@pytest.mark.parametrize(
    ("goals", "code"),
    [
        ("union_all([A, C], I)", "HF208"),
        ("union_all(A, I)", "HF208"),
        ("union_all([A, x], I)", "HF208"),
        ("union_all([A|B], I)", "HF208"),
        ("union_all([A], A)", "HF208"),
        ("union_all([A], [])", "HF208"),
        ("intersect_all([], I)", "HF208"),
        ("relative_complement_all(C, [A], I)", "HF208"),
        ("union_all([A, B], J)", "HF208"),
        ("holdsFor(c(X), I)", "HF202"),
        ("happensAt(e, T), union_all([A], I)", "HF204"),
        ("holdsAt(c=true, T), union_all([A], I)", "HF204"),
        ("initiatedAt(c=true, _, T, _), union_all([A], I)", "HF204"),
        ("Goal, union_all([A], I)", "HF204"),
        ("3, union_all([A], I)", "HF204"),
        ("initiates(e, c=true, T), union_all([A], I)", "HF204"),
        ("findall(V, holdsAt(c=V, T), L), union_all([A], I)", "HF204"),
        ("\\+ holdsFor(c=true, _), union_all([A], I)", "HF207"),
        ("\\+ long(A), union_all([A], I)", "HF207"),
    ],
)
def test_invalid_steps_are_refused(goals: str, code: str) -> None:
    assert codes(goals) == [code]


# -- emptiness tests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "test",
    [
        *("\\+ A=[]", "not A=[]", "not(A=[])", "A \\= []", "A\\=[]", "A \\== []", "\\+ A==[]", "[] \\= A", "\\+ []=A"),
        *("A = [_|_]", "(A \\= [] ; \\+ A=[])", "\\+ (A=[], A=[])"),
    ],
)
@pytest.mark.parametrize(
    "rest",
    [
        "intersect_all([A, B], I)",
        "relative_complement_all(A, [B], I)",
        "during(A, B, source, I)",
        "during(B, A, source, I)",
        "intDurGreater(A, 10, I)",
        "union_all([A], I)",
        "I = A",
        "intDurLess(A, 3, C), intersect_all([C, B], D), union_all([D, []], I)",
    ],
)
def test_a_test_for_a_list_that_the_result_needs_is_dropped(test: str, rest: str) -> None:
    assert steps(f"{test}, {rest}") == steps(rest)


@pytest.mark.parametrize("test", ["\\+ A=[]", "A \\= []", "A \\== []"])
@pytest.mark.parametrize(
    "rest",
    [
        "union_all([A, B], I)",
        "relative_complement_all(B, [A], I)",
        "complement_all([A], I)",
        "intDurGreater(B, 10, I)",
        "I = B",
        "longest(A, I)",
    ],
)
def test_a_test_whose_removal_could_change_the_answer_is_refused(test: str, rest: str) -> None:
    (error,) = refused(f"holdsFor(f(X)=true, I) :- {READ}, {test}, {rest}.")
    assert error.code == "HF207"
    assert error.hint
    assert error.span
    assert error.span.text == test


@pytest.mark.parametrize("test", ["(A \\= [] ; B \\= [])", "(\\+ A=[] ; \\+ B=[])", "\\+ (A=[], B=[])"])
def test_a_test_of_two_lists_is_dropped_if_the_result_needs_one_of_them(test: str) -> None:
    assert steps(f"{test}, union_all([A, B], I)") == steps("union_all([A, B], I)")
    assert codes(f"{test}, complement_all([A, B], I)") == ["HF207"]


def test_a_test_may_stand_before_its_list() -> None:
    text = (
        "holdsFor(f(X)=true, I) :- A \\= [], holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), intersect_all([A, B], I)."
    )
    (rule,) = described(text).interval_rules
    assert rule.body[2:] == steps("intersect_all([A, B], I)")


def test_a_result_may_be_written_out() -> None:
    (rule,) = described("holdsFor(f(X)=true, I) :- odd(X), I = [].").interval_rules
    assert rule.body[1:] == (Union((Atom("[]"),), Var("I")),)
    (rule,) = described("holdsFor(f(X)=true, I) :- odd(X), [(3,7)] = I.").interval_rules
    assert rule.body[1:] == (Union((parse_term("[(3,7)]"),), Var("I")),)


@pytest.mark.parametrize(
    "goal", ["(A = [] -> I = B ; intersect_all([A, B], I))", "(union_all([A], I) ; union_all([B], I))"]
)
def test_interval_operations_do_not_stand_inside_control_constructs(goal: str) -> None:
    assert "HF204" in codes(goal)


@pytest.mark.parametrize("test", ["A = []", "A == []", "[] = A"])
def test_a_test_that_a_list_is_empty_is_refused(test: str) -> None:
    """Whether a list is empty depends on the window, so the answer of such a rule would, too."""
    assert codes(f"{test}, union_all([B], I)") == ["HF207"]


def test_a_test_of_something_that_is_no_list_of_intervals_is_a_goal() -> None:
    assert steps("neighbours(X, L), L \\= [], union_all([A], I)")[:2] == (
        Goal(parse_term("neighbours(X, L)")),
        Goal(parse_term("L \\= []")),
    )


# -- cuts and fall-back clauses ----------------------------------------------------------------------------------------


def test_a_cut_before_an_empty_fall_back_clause_is_dropped() -> None:
    text = (
        f"holdsFor(f(X)=true, I) :- {READ}, A \\= [], B \\= [], !, intersect_all([A, B], I).\nholdsFor(f(_)=true, [])."
    )
    rule, fall_back = described(text).interval_rules
    assert rule.body[2:] == (Intersect((Var("A"), Var("B")), Var("I")),)
    assert (fall_back.is_empty, fall_back.result, fall_back.body) == (True, Atom("[]"), ())


def test_a_cut_in_the_last_clause_is_dropped() -> None:
    assert steps("!, union_all([A, B], I)") == steps("union_all([A, B], I)")


def test_a_cut_that_keeps_a_later_clause_from_adding_intervals_is_refused() -> None:
    text = (
        f"holdsFor(f(X)=true, I) :- {READ}, !, union_all([A, B], I).\nholdsFor(f(X)=true, I) :- holdsFor(c(X)=true, I)."
    )
    (error,) = refused(text)
    assert error.code == "HF207"
    assert "(line 2)" in error.message


def test_a_cut_does_not_concern_other_values_and_fluents() -> None:
    text = f"""holdsFor(f(X)=true, I) :- {READ}, !, union_all([A, B], I).
        holdsFor(f(X)=false, I) :- holdsFor(c(X)=true, I).
        holdsFor(f(X, X)=true, I) :- holdsFor(c(X)=true, I).
        holdsFor(g(X)=true, I) :- holdsFor(c(X)=true, I)."""
    assert len(described(text).interval_rules) == 4


def test_a_cut_in_a_later_clause_does_not_concern_the_earlier_ones() -> None:
    text = (
        f"holdsFor(f(X)=true, I) :- holdsFor(c(X)=true, I).\nholdsFor(f(X)=true, I) :- {READ}, !, union_all([A, B], I)."
    )
    assert len(described(text).interval_rules) == 2


@pytest.mark.parametrize(
    "before",
    [
        "member(Y, [1, 2])",
        "holdsFor(c(X, Y)=true, C)",
        "holdsFor(c(X)=V, C), odd(V)",
        "longest(A, Y)",
    ],
)
def test_a_cut_behind_a_goal_with_several_answers_is_refused(before: str) -> None:
    """The cut would keep only the first of them."""
    assert codes(f"{before}, !, union_all([A, B], I)") == ["HF207"]


def test_a_cut_behind_some_value_is_dropped() -> None:
    assert steps("holdsFor(c(X)=_, C), !, union_all([A, C], I)")[1:] == (Union((Var("A"), Var("C")), Var("I")),)


def test_a_cut_does_not_concern_instances_with_other_arguments() -> None:
    text = """holdsFor(f(a, X)=true, I) :- holdsFor(c(X)=true, I), !.
        holdsFor(f(b, X)=true, I) :- holdsFor(c(X)=true, I).
        holdsFor(f(g(1), X)=true, I) :- holdsFor(c(X)=true, I)."""
    assert len(described(text).interval_rules) == 3


def test_a_rule_without_a_body_or_without_a_variable_is_refused() -> None:
    assert [d.code for d in refused("holdsFor(f=true, I).")] == ["HF208"]
    assert [d.code for d in refused("holdsFor(f=true, [(1,2)]) :- a.")] == ["HF208"]
    assert [d.code for d in refused("holdsFor(f, I) :- holdsFor(g=true, I).")] == ["HF202"]


def test_an_index_before_the_fvp_has_no_effect() -> None:
    (rule,) = described("holdsFor(f(X)=true, I) :- holdsFor(X, a(X)=true, A), union_all([A], I).").interval_rules
    (plain,) = described("holdsFor(f(X)=true, I) :- holdsFor(a(X)=true, A), union_all([A], I).").interval_rules
    assert rule.body == plain.body
