"""Goals that leave variables open: facts and clauses with variables, and branches that bind in one place only.

The order of conditions never changes the meaning, so every body is tried in all orders.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.unit.runtime.cases import Example

BACKGROUND = """
decrypt(_, _, _).
price(_, 10).
price(c, 3).
same(X, X).
link(a, b).
w(a, 1).
w(b, 2).
w(c, 7).
num(1).
num(2).
num(7).
double(X, Y) :- Y is 2 * X.
kind(X, Y) :- w(X, N), ( N > 1 -> Y = big ; Y = small ).
any(X, Y) :- link(X, Y).
any(_, _).
part(f(_), a).
path(X, Y) :- link(X, Y).
path(X, Z) :- link(X, Y), path(Y, Z).
first([X|_], X) :- !.
"""
RECORDS = ("e|1|a", "e|3|b", "e|5|c", "m|1|a|1", "m|3|b|7", "m|5|c|7", "x|9|a")

BODIES = {
    "nothing bound": ["decrypt(_, _, _)"],
    "dropped outputs": ["decrypt(X, _, _)", "decrypt(_, Y, _)"],
    "open before the event": ["price(X, 10)"],
    "value of an open fact": ["price(X, N)", "N < 5"],
    "shared open variable": ["same(Y, Z)", "num(Y)", "Z > 1"],
    "only open goals": ["same(Y, Z)", "same(Z, W)", "same(W, 2)", "Y > 1"],
    "one branch binds": ["(\\+ link(X, _) ; w(X, N))"],
    "one branch binds and a goal": ["(\\+ link(X, _) ; w(X, N))", "num(N)", "N > 1"],
    "a goal that needs values": ["double(N, Y)", "w(X, N)", "Y < 10"],
    "negation of an open goal": ["\\+ price(X, 3)", "price(X, _)"],
    "negation with a shared variable": ["any(X, Y)", "w(Y, _)", "\\+ link(X, Y)"],
    "member of an open list": ["same(L, [X, b])", "member(b, L)"],
    "partial list": ["first([X|_], Y)", "w(Y, N)", "N > 1"],
    "clause with a choice": ["kind(X, big)", "price(X, _)"],
    "recursion": ["path(X, Y)", "any(Y, _)"],
    "quantified": ["forall(link(X, Y), w(Y, _))", "any(X, _)"],
    "set": ["setof(Y, any(X, Y), L)", "same(L, [_|_])"],
}


def orders(goals: list[str]) -> list[str]:
    conditions = ["happensAt(e(X), T)", *goals]
    return [", ".join(order) for order in permutations(conditions)][::5]


@pytest.mark.parametrize("body", BODIES)
def test_the_order_of_conditions_does_not_matter(body: str) -> None:
    answers = []
    for order in orders(BODIES[body]):
        example = Example(f"initiatedAt(f(X)=true, T) :- {order}.\n{BACKGROUND}", RECORDS)
        answers.append(example.reference())
        assert example.batch() == answers[-1], order
    assert all(answer == answers[0] for answer in answers)


EXPECTED = {
    "dropped outputs": {"a": 2, "b": 4, "c": 6},
    "value of an open fact": {"c": 6},
    "shared open variable": {"a": 2, "b": 4, "c": 6},
    "only open goals": {"a": 2, "b": 4, "c": 6},
    "one branch binds and a goal": {"b": 4, "c": 6},
    "a goal that needs values": {"a": 2, "b": 4},
    "negation of an open goal": {"a": 2, "b": 4},
    "clause with a choice": {"b": 4, "c": 6},
}


@pytest.mark.parametrize("body", EXPECTED)
def test_the_answer_is_the_one_worked_out_by_hand(body: str) -> None:
    rule = f"initiatedAt(f(X)=true, T) :- {orders(BODIES[body])[-1]}.\n{BACKGROUND}"
    found = Example(rule, RECORDS).batch()
    assert found == {f"f({x})=true": [(start, None)] for x, start in EXPECTED[body].items()}


HEADS = {
    "open head variable": "initiatedAt(f(X, Y)=true, T) :- price(X, _), any(X, Y), happensAt(e(X), T).",
    "open value": "initiatedAt(f(X, a)=V, T) :- any(X, V), happensAt(e(X), T).",
    "linked head variables": "initiatedAt(f(Y, Z)=true, T) :- happensAt(e(_), T), same(Y, Z).",
    "partly bound": "initiatedAt(f(Y, X)=true, T) :- part(Y, X), happensAt(e(X), T).",
    "event": "happensAt(h(X, Y), T) :- any(X, Y), happensAt(e(X), T).",
    "negated later": "initiatedAt(f(X, Y)=true, T) :- any(X, Y), happensAt(e(X), T), \\+ happensAt(x(Y), T).",
    "initially": "initially(f(X, Y)=true) :- any(X, Y).",
    "initially with a choice": "initially(f(X, Y)=true) :- (\\+ link(X, _), Y = a ; link(X, Y)).",
    "delay": "initiatedAt(f(X, a)=true, T) :- happensAt(e(X), T).\n"
    "fi(f(X, Y)=true, f(X, Y)=false, R) :- price(Z, R), same(Z, X), decrypt(_, _, _).",
    "termination": "initiatedAt(f(X, a)=true, T) :- happensAt(e(X), T).\n"
    "terminatedAt(f(X, Y)=true, T) :- happensAt(x(X), T), any(X, Y).",
    "intervals": "holdsFor(g(X, Y)=true, J) :- any(X, Y), holdsFor(f(X, Y)=true, I), complement_all([I], J).\n"
    "initiatedAt(f(X, a)=true, T) :- happensAt(e(X), T).",
    "intervals with an unused variable": "holdsFor(g(X, a)=true, I) :- decrypt(X, _, _), holdsFor(f(X, a)=true, I).\n"
    "initiatedAt(f(X, a)=true, T) :- happensAt(e(X), T).",
    "temporal branches": "initiatedAt(f(X, N)=true, T) :- (\\+ happensAt(x(X), T) ; w(X, N)), happensAt(m(X, N), T).",
    "temporal branches, one open": "initiatedAt(f(X, N)=true, T) :- happensAt(e(X), T),\n"
    "(holdsAt(q(X)=true, T) ; w(X, N)).\n"
    "initiatedAt(q(a)=true, T) :- happensAt(x(a), T).",
}
GROUNDINGS = {
    "declared": "grounding(f(X, Y)=V) :- w(X, _), member(Y, [a, b, 1, 2, 7]), member(V, [true, false, a, b]).\n"
    "grounding(g(X, Y)=true) :- w(X, _), member(Y, [a, b]).\n"
    "grounding(h(X, Y)) :- w(X, _), member(Y, [a, b]).",
    "none": "",
}


@pytest.mark.parametrize("grounding", GROUNDINGS)
@pytest.mark.parametrize("head", HEADS)
def test_open_variables_of_a_head_range_over_its_grounding(head: str, grounding: str) -> None:
    example = Example(f"{HEADS[head]}\n{GROUNDINGS[grounding]}\n{BACKGROUND}", RECORDS)
    assert example.batch() == example.reference()


COLLECTED = {
    "count": "aggregate_all(count, (happensAt(e(Z), T), price(Z, _), any(Z, Y)), N)",
    "list of a bound variable": "findall(Z, (happensAt(e(Z), T), any(Z, Y)), N)",
    "goal in front": "findall(Z, (any(Z, Y), happensAt(e(Z), T)), N)",
    "joined": "aggregate_all(count, (happensAt(e(Z), T), any(Z, Y), same(Y, V), num(V)), N)",
    "branches": "aggregate_all(count, (happensAt(e(Z), T), (any(Z, Y) ; happensAt(m(Z, Y), T))), N)",
    "template from outside": "any(X, N), findall(N, happensAt(e(_), T), L), L = [_|_]",
}


@pytest.mark.parametrize("condition", COLLECTED)
def test_solutions_of_a_collection_may_leave_variables_open(condition: str) -> None:
    rule = f"initiatedAt(f(X, N)=true, T) :- happensAt(e(X), T), {COLLECTED[condition]}."
    example = Example(f"{rule}\n{BACKGROUND}", RECORDS)
    assert isinstance(example.reference(), dict)
    example.check(4)


LISTS = {
    "member": ["findall(Z, happensAt(m(Z, _), T), L)", "member(N, L)"],
    "length": ["findall(Z, happensAt(m(Z, _), T), L)", "length(L, N)"],
    "of itself": ["findall(N, happensAt(m(N, _), T), L)", "member(N, L)"],
    "of itself, left open": ["any(X, N)", "findall(N, happensAt(m(N, _), T), L)", "member(N, L)"],
}


@pytest.mark.parametrize("goals", LISTS)
def test_goals_on_a_list_wait_until_it_is_collected(goals: str) -> None:
    """An unbound list would give them infinitely many answers."""
    answers = []
    for body in permutations(LISTS[goals]):
        example = Example(
            f"initiatedAt(f(X, N)=true, T) :- happensAt(e(X), T), {', '.join(body)}.\n{BACKGROUND}", RECORDS
        )
        answers.append(example.reference())
        example.check(4)
    assert isinstance(answers[0], dict)
    assert all(answer == answers[0] for answer in answers)


WITHOUT_VALUES = {
    "collected": "findall(Y, (happensAt(e(Z), T), any(Z, Y)), N)",
    "summed": "aggregate_all(sum(Y), (happensAt(e(Z), T), any(Z, Y)), N)",
    "used by a negation": "findall(Z, (happensAt(e(Z), T), any(Z, Y), \\+ happensAt(x(Y), T)), N)",
    "used by another collection": "any(X, Y), aggregate_all(count, (happensAt(e(Z), T), any(Z, Y)), N)",
}


@pytest.mark.parametrize("condition", WITHOUT_VALUES)
def test_an_open_variable_whose_value_matters_is_an_error(condition: str) -> None:
    rule = f"initiatedAt(f(X, N)=true, T) :- happensAt(e(X), T), {WITHOUT_VALUES[condition]}."
    example = Example(f"{rule}\n{BACKGROUND}", RECORDS)
    assert example.batch() == example.reference() == "fails with HF602"


@pytest.mark.parametrize("grounding", ["", "grounding(f(X)=true) :- w(X, _)."])
def test_a_head_variable_that_one_branch_binds_ranges_before_a_count_that_needs_it(grounding: str) -> None:
    rules = """
    initiatedAt(f(X)=true, T) :-
        (happensAt(e(X), T) ; terminatedAt(q(_)=_, T)), U = k(X), aggregate_all(count, holdsAt(g(U)=_, T), N), N > 0.
    initiatedAt(g(k(X))=true, T) :- happensAt(e(X), T), X \\= b.
    initiatedAt(q(X)=true, T) :- happensAt(e(X), T).
    terminatedAt(q(X)=true, T) :- happensAt(x(X), T).
    """
    example = Example(f"{rules}\n{grounding}\n{BACKGROUND}", RECORDS)
    example.check(4)
    found = example.batch()
    assert isinstance(found, dict)
    assert {name: found[name] for name in found if name.startswith("f(")} == {
        "f(a)=true": [(10, None)],
        "f(c)=true": [(10, None)],
    }
