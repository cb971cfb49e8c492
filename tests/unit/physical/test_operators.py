"""Single operators on small tables, where a whole program would hide which of them is wrong."""

from __future__ import annotations

import pytest

from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.compute_numbers import ComputeNumbers
from holdsfor.physical.operators.join_facts import JoinFacts
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Operator, run_operators
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.stamp_time import StampTime
from holdsfor.physical.operators.unify import Unify
from holdsfor.physical.operators.union_branches import UnionBranches
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import one_row
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Var
from tests.unit.physical.world import World, parse_goal, patterns, small_world

E1 = JoinPoints("events", ("e", 1), patterns("e(X)"))


@pytest.fixture
def world() -> World:
    return small_world()


def test_the_first_points_bind_the_time_and_later_ones_are_joined_on_it(world: World) -> None:
    assert world.found([E1]) == [("a", "1"), ("a", "5"), ("b", "1")]
    again = JoinPoints("events", ("n", 2), patterns("n(X, N)"))
    assert world.found([E1, again]) == [("a", "2.5", "5"), ("a", "3", "1"), ("b", "4", "1")]
    other = JoinPoints("events", ("e", 1), patterns("e(Y)"))
    assert world.found([E1, other]) == [
        ("a", "a", "1"),
        ("a", "a", "5"),
        ("a", "b", "1"),
        ("b", "a", "1"),
        ("b", "b", "1"),
    ]


def test_fluents_are_joined_at_the_time_point(world: World) -> None:
    assert world.found([E1, JoinFluents(("f", 1), (Var("X"), Atom("on")))]) == [("a", "1")]
    assert world.found([E1, JoinFluents(("f", 1), (Var("X"), Var("V")))]) == [
        ("a", "off", "5"),
        ("a", "on", "1"),
        ("b", "off", "1"),
    ]


def test_an_anti_join_tests_each_row(world: World) -> None:
    holds = JoinFluents(("f", 1), (Var("X"), Atom("off")))
    assert world.found([E1, AntiJoin((holds,))]) == [("a", "1")]
    assert world.found([E1, AntiJoin((JoinFluents(("f", 1), (Var("Q"), Atom("off"))),))]) == []
    assert world.found([E1, AntiJoin((AntiJoin((holds,)),))]) == [("a", "5"), ("b", "1")]


def test_a_union_keeps_the_columns_that_all_branches_bind(world: World) -> None:
    branches = (
        (JoinFluents(("f", 1), (Var("X"), Var("V"))),),
        (JoinFacts(("bg", 2), (Var("X"), Var("V"))), Unify(Var("W"), Var("V"))),
    )
    assert world.found([E1, UnionBranches(branches, ("V",))]) == [
        ("a", "c", "1"),
        ("a", "c", "5"),
        ("a", "d", "1"),
        ("a", "d", "5"),
        ("a", "off", "5"),
        ("a", "on", "1"),
        ("b", "c", "1"),
        ("b", "off", "1"),
    ]


def test_a_union_of_empty_branches_is_empty(world: World) -> None:
    never = (JoinFluents(("f", 1), (Var("X"), Atom("never"))),)
    assert world.found([E1, UnionBranches((never, never), ())]) == []


def test_facts_are_joined(world: World) -> None:
    assert world.found([E1, JoinFacts(("bg", 2), (Var("X"), Var("Z")))])[:2] == [("a", "c", "1"), ("a", "c", "5")]


def test_a_goal_is_proved_once_for_each_input(world: World) -> None:
    prove = Prove(parse_term("bg(X, Z)"), ("X",), ("Z",), is_stable=True)
    assert world.found([E1, prove]) == world.found([E1, JoinFacts(("bg", 2), (Var("X"), Var("Z")))])
    assert len(prove._answers) == 2
    assert world.n_synchronised == 0


def test_a_goal_on_a_domain_is_proved_again_when_the_domain_changes(world: World) -> None:
    prove = Prove(parse_term("bg(X, Z)"), ("X",), ("Z",), is_stable=False)
    before = world.found([E1, prove])
    world.engine.database.add_clause(parse_term("bg(b, new)"), None, None)
    assert world.found([E1, prove]) == before
    world.version += 1
    assert world.found([E1, prove]) == sorted([*before, ("b", "new", "1")])
    assert world.n_synchronised == 3


def test_the_time_point_becomes_a_number(world: World) -> None:
    goal = parse_goal("T > 2")
    steps: list[Operator] = [E1, StampTime("T"), ComputeNumbers(goal, Prove(goal, ("T",), (), is_stable=True))]
    assert world.found(steps) == [("a", "5", "5")]


def test_expressions_without_a_column_are_proved_row_by_row(world: World) -> None:
    goal = parse_goal("R is gcd(truncate(N), 2)")
    numbers = JoinPoints("events", ("n", 2), patterns("n(X, N)"))
    steps: list[Operator] = [numbers, ComputeNumbers(goal, Prove(goal, ("N",), ("R",), is_stable=True))]
    assert world.found(steps) == [("a", "2.5", "2", "5"), ("a", "3", "1", "1"), ("b", "4", "2", "1")]


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("count", [("a", "1", "5"), ("a", "2", "1"), ("b", "2", "1")]),
        ("sum", [("a", "2.5", "5"), ("a", "7", "1"), ("b", "7", "1")]),
        ("max", [("a", "2.5", "5"), ("a", "4", "1"), ("b", "4", "1")]),
        ("min", [("a", "2.5", "5"), ("a", "3", "1"), ("b", "3", "1")]),
    ],
)
def test_an_aggregate_has_one_result_per_row(world: World, aggregate: str, expected: list[tuple[str, ...]]) -> None:
    inner = JoinPoints("events", ("n", 2), patterns("n(P, Q)"))
    gather = Aggregate(Var("Q"), (inner,), ("P", "Q"), Var("K"), aggregate)  # type: ignore[arg-type]
    assert world.found([E1, gather]) == expected


def test_aggregates_of_no_rows_are_zero_or_missing(world: World) -> None:
    inner = JoinPoints("events", ("n", 2), patterns("n(zz, Q)"))
    assert world.found([E1, Aggregate(Var("Q"), (inner,), ("Q",), Var("K"), "count")])[0] == ("a", "0", "1")
    assert world.found([E1, Aggregate(Var("Q"), (inner,), ("Q",), Var("K"), "sum")])[0] == ("a", "0", "1")
    assert world.found([E1, Aggregate(Var("Q"), (inner,), ("Q",), Var("K"), "max")]) == []
    empty = Aggregate(Var("Q"), (inner,), ("Q",), Atom("[]"), "list")
    assert world.found([E1, empty]) == world.found([E1])


@pytest.mark.parametrize(("aggregate", "many", "one"), [("count", "10", "1"), ("sum", "45", "99"), ("max", "9", "99")])
def test_an_aggregate_runs_once_for_rows_with_the_same_solutions(aggregate: str, many: str, one: str) -> None:
    """Ten events at one time-point, each with the aggregate of all ten: ten rows, not a hundred."""
    world = World(profile=Profile())
    world.happen(*((f"e({i})", 7) for i in range(10)), ("e(99)", 8))
    inner = JoinPoints("events", ("e", 1), patterns("e(Y)"))
    gather = Aggregate(Var("Y"), (inner,), ("Y",), Var("K"), aggregate)  # type: ignore[arg-type]
    assert world.found([E1, gather]) == [*((str(i), many, "7") for i in range(10)), ("99", one, "8")]
    assert world.profile is not None
    assert world.profile.of(id(inner)).rows_out == 11


def test_lists_are_in_standard_order(world: World) -> None:
    inner = JoinPoints("events", ("n", 2), patterns("n(P, Q)"))
    rows = run_operators([E1, Aggregate(Var("Q"), (inner,), ("P", "Q"), Var("L"), "list")], one_row(), world)
    assert {show(items) for items in world.symbols.terms(rows.columns["L"])} == {"[3,4]", "[2.5]"}


def test_unifying_takes_apart_and_puts_together(world: World) -> None:
    steps: list[Operator] = [E1, Unify(Var("W"), parse_term("p(X, 1)")), Unify(parse_term("p(Y, 1)"), Var("W"))]
    rows = run_operators(steps, one_row(), world)
    assert world.symbols.terms(rows.columns["Y"]) == world.symbols.terms(rows.columns["X"])
    assert run_operators([E1, Unify(parse_term("p(X, 1.0)"), parse_term("p(X, 1)"))], one_row(), world).n == 0
