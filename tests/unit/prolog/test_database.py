"""The database: order, indexes, tables, changes while goals are under way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.prolog import Database, Engine
from holdsfor.prolog.clauses import index_key
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Constant, Float, Int
from tests.unit.prolog.programs import answers, database, engine, holds, values


def _edges(n: int) -> Database:
    result = Database()
    columns: list[list[Constant]] = [[Int(at) for at in range(n)], [Atom(f"n{at % 7}") for at in range(n)]]
    result.add_table("edge", 2, columns)
    return result


def test_a_table_answers_like_facts() -> None:
    asked = Engine(_edges(20))
    assert answers(asked, "edge(3, X)") == ["X=n3"]
    assert values(asked, "edge(X, n3)") == ["3", "10", "17"]
    assert holds("edge(10, n3)", asked)
    assert not holds("edge(10, n4)", asked)
    assert not holds("edge(f(x), Y)", asked)
    assert not holds("edge(3.0, Y)", asked)
    assert len(values(asked, "edge(X, Y)")) == 20


def test_a_variable_asked_twice_must_be_the_same_in_a_row() -> None:
    asked = Database()
    asked.add_table("p", 2, [[Int(1), Int(2), Int(3)], [Int(2), Int(2), Int(3)]])
    assert values(Engine(asked), "p(X, X)") == ["2", "3"]


def test_a_lookup_in_a_table_leaves_no_choice_point() -> None:
    asked = Engine(_edges(1000), max_depth=10)
    program = "walk(1000) :- !. walk(N) :- edge(N, _), M is N + 1, walk(M)."
    for clause in database(program).contents["walk", 1].living():
        asked.database.add_clause(clause.head, clause.body)
    assert holds("walk(0)", asked)


def test_tables_and_clauses_keep_their_order() -> None:
    mixed = Database()
    mixed.add_clause(parse_term("p(0)"))
    mixed.add_table("p", 1, [[Int(1), Int(2)]])
    mixed.add_clause(parse_term("p(X)"), parse_term("X = 3"))
    mixed.add_table("p", 1, [[Int(4)]])
    assert values(Engine(mixed), "p(X)") == ["0", "1", "2", "3", "4"]


def test_tables_of_one_predicate_follow_each_other() -> None:
    two = Database()
    first: list[list[Constant]] = [[Int(1), Int(2)]]
    two.add_table("p", 1, first)
    assert values(Engine(two), "p(X)") == ["1", "2"]
    two.add_table("p", 1, [[Int(3)]])
    assert values(Engine(two), "p(X)") == ["1", "2", "3"]
    assert first == [[Int(1), Int(2)]]


def test_facts_are_the_arguments_of_ground_facts() -> None:
    mixed = database("p(1, a). p(2, f(b)). p(X, c). p(3, d) :- q. q.")
    assert [[show(arg) for arg in row] for row in mixed.facts("p", 2)] == [["1", "a"], ["2", "f(b)"]]
    assert list(mixed.facts("q", 0)) == [()]
    assert list(mixed.facts("r", 1)) == []
    assert list(_edges(2).facts("edge", 2)) == [(Int(0), Atom("n0")), (Int(1), Atom("n1"))]


def test_predicates_are_listed_with_those_declared() -> None:
    assert set(database(":- dynamic d/3. p(1). q :- p(_).").predicates()) == {("d", 3), ("p", 1), ("q", 0)}


CHANGES = ":- dynamic p/1. p(1). p(2). p(3)."


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("assertz(p(4)), p(X)", ["1", "2", "3", "4"]),
        ("assert(p(4)), p(X)", ["1", "2", "3", "4"]),
        ("asserta(p(0)), p(X)", ["0", "1", "2", "3"]),
        ("assertz((p(X) :- member(X, [8, 9]))), p(X)", ["1", "2", "3", "8", "9"]),
        ("retract(p(2)), p(X)", ["1", "3"]),
        ("retract(p(X))", ["1", "2", "3"]),
        ("retract(p(9)), X = yes", []),
        ("retractall(p(_)), p(X)", []),
        ("retractall(new(_)), \\+ new(_), X = yes", ["yes"]),
        ("p(X), Y is X + 3, assertz(p(Y))", ["1", "2", "3"]),
        ("p(X), retractall(p(_))", ["1", "2", "3"]),
        ("p(X), ignore(retract(p(3)))", ["1", "2", "3"]),
        ("p(X), asserta(p(0))", ["1", "2", "3"]),
        ("clause(p(X), true)", ["1", "2", "3"]),
        ("assertz((p(X) :- X = 5, true)), clause(p(Y), (A = B, true)), X = found(B)", ["found(5)"]),
        ("assertz((r(X) :- p(X), X > 1)), retract((r(_) :- B)), arg(1, B, p(_)), \\+ r(_), X = yes", ["yes"]),
    ],
)
def test_changes_are_seen_by_goals_called_later_only(goal: str, expected: list[str]) -> None:
    assert values(CHANGES, goal) == expected


def test_a_table_can_be_changed() -> None:
    asked = Engine(_edges(5))
    assert values(asked, "edge(X, _), retract(edge(2, _)), assertz(edge(9, new))") == ["0"]
    assert values(asked, "edge(X, _)") == ["0", "1", "3", "4", "9"]


def test_a_counter_can_be_counted() -> None:
    program = ":- dynamic n/1. n(0). up(0) :- !. up(K) :- retract(n(X)), Y is X + 1, assertz(n(Y)), J is K - 1, up(J)."
    assert values(program, "up(500), n(X)") == ["500"]


def test_a_queue_can_be_emptied_from_the_front() -> None:
    program = ":- dynamic q/1. fill(N) :- forall(between(1, N, X), assertz(q(X))). take(X) :- retract(q(X)), !."
    assert values(program, "fill(200), take(1), take(2), take(X)") == ["3"]
    assert values(program, "fill(200), forall(between(1, 150, _), take(_)), take(X)") == ["151"]


def test_asserted_variables_are_the_clause_s_own() -> None:
    assert holds("assertz(p(X, X)), p(1, 1), p(2, A), A == 2, var(X)")


def test_a_copy_changes_on_its_own() -> None:
    original = database("p(1). p(2). q(1).")
    original.add_table("t", 1, [[Int(1), Int(2)]])
    copy = original.copy()
    Engine(copy).run(parse_term("assertz(p(3)), retract(p(1)), retract(t(1)), asserta(new)"))
    Engine(original).run(parse_term("assertz(q(2))"))
    assert values(Engine(original), "p(X)") == ["1", "2"]
    assert values(Engine(copy), "p(X)") == ["2", "3"]
    assert values(Engine(original), "t(X)") == ["1", "2"]
    assert values(Engine(copy), "t(X)") == ["2"]
    assert values(Engine(copy), "q(X)") == ["1"]
    assert not original.defines("new", 0)


def test_clauses_that_differ_in_any_argument_leave_no_choice_point() -> None:
    program = """
    second(_, [], 0).
    second(X, [_|T], N) :- second(X, T, M), N is M + 1.
    third(_, _, stop).
    third(N, X, go) :- ( N = 0 -> third(N, X, stop) ; M is N - 1, third(M, X, go) ).
    kind(f(_), 1). kind(g(_), 2). kind(h, 3). kind(4, 4).
    """
    asked = engine(program, max_depth=1200)
    assert values(asked, "numlist(1, 1000, L), second(a, L, X)") == ["1000"]
    assert holds("third(5000, a, go)", asked)
    assert values(engine(program, max_depth=3), "kind(g(1), X)") == ["2"]


def test_lookups_agree_for_all_sets_of_bound_arguments() -> None:
    rows = [(a, b, c) for a in "xyz" for b in "xy" for c in "xyzw"]
    program = " ".join(f"p({a}, {b}, {c})." for a, b, c in rows) + " p(V, V, V)."
    asked = engine(program)
    for a in ["A", "x"]:
        for b in ["B", "y"]:
            for c in ["C", "z"]:
                found = answers(asked, f"p({a}, {b}, {c}), true")
                expected = [r for r in rows if a in ("A", r[0]) and b in ("B", r[1]) and c in ("C", r[2])]
                n_general = 1 if len({t for t in (a, b, c) if t.islower()}) <= 1 else 0
                assert len(found) == len(expected) + n_general


CONSTANTS = st.one_of(
    st.sampled_from("abc").map(Atom),
    st.integers(0, 2).map(Int),
    st.sampled_from([0.0, 1.0]).map(Float),
)


@given(st.lists(st.tuples(CONSTANTS, CONSTANTS), min_size=1, max_size=30), CONSTANTS, CONSTANTS)
def test_a_table_and_its_clauses_give_the_same_answers(
    rows: list[tuple[Constant, Constant]], one: Constant, other: Constant
) -> None:
    table, clauses = Database(), Database()
    table.add_table("p", 2, [list(column) for column in zip(*rows, strict=True)])
    for a, b in rows:
        clauses.add_clause(parse_term(f"p({show(a)}, {show(b)})"))
    for goal in (f"p({show(one)}, X)", f"p(X, {show(one)})", f"p({show(one)}, {show(other)})", "p(X, Y)", "p(X, X)"):
        assert answers(Engine(table), goal) == answers(Engine(clauses), goal)


@given(CONSTANTS, CONSTANTS)
def test_equal_constants_have_equal_index_keys(one: Constant, other: Constant) -> None:
    assert one != other or index_key(one) == index_key(other)
