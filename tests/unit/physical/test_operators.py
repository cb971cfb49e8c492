"""Single operators on small tables, where a whole program would hide which of them is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, PointTable, Relation, empty_fluents, empty_points
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.compute_numbers import ComputeNumbers
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.operators.join_facts import JoinFacts
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Operator, run_operators
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.range_head import RangeHead
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.operators.stamp_time import StampTime
from holdsfor.physical.operators.unify import Unify
from holdsfor.physical.operators.union_branches import UnionBranches
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows, one_row
from holdsfor.prolog import Database, Engine
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, Var
from tests.unit.columns.merging import fluent_table

Key = tuple[str, int]


@dataclass
class World:
    """A context with tables given as they are written."""

    symbols: Symbols = field(default_factory=Symbols)
    engine: Engine = field(default_factory=lambda: Engine(Database()))
    events: dict[Key, PointTable] = field(default_factory=dict)
    holding: dict[Key, FluentTable] = field(default_factory=dict)
    relations: dict[Key, Relation] = field(default_factory=dict)
    n_synchronised: int = 0
    profile: Profile | None = None

    def happen(self, *happenings: tuple[str, int]) -> None:
        for text, time in happenings:
            event = parse_term(text)
            assert isinstance(event, Struct)
            key = (event.name, event.arity)
            table = self.points("events", key)
            new = (*event.args, time)
            words = [np.append(c, self.symbols.word(t)) for c, t in zip(table.columns, event.args, strict=False)]
            self.events[key] = PointTable((*words, np.append(table.times, new[-1])), table.n + 1)  # type: ignore[arg-type]

    def hold(self, *fvps: tuple[str, int, int]) -> None:
        for text, start, end in fvps:
            fvp = parse_term(text)
            assert isinstance(fvp, Struct)
            fluent, value = fvp.args
            assert isinstance(fluent, Struct)
            key = (fluent.name, fluent.arity)
            table = self.fluents(key)
            words = self.symbols.words([*fluent.args, value]).tolist()
            columns = [np.append(c, w) for c, w in zip(table.columns, [*words, start, end], strict=True)]
            self.holding[key] = fluent_table(columns[:-2], columns[-2], columns[-1])

    def know(self, *facts: str) -> None:
        terms = [parse_term(fact) for fact in facts]
        for term in terms:
            assert isinstance(term, Struct)
            self.engine.database.add_clause(term, None, None)
            key = (term.name, term.arity)
            rows = [t.args for t in terms if isinstance(t, Struct) and t.name == term.name]
            self.relations[key] = Relation(
                tuple(self.symbols.words(row[i] for row in rows) for i in range(term.arity)), len(rows)
            )

    def points(self, kind: PointKind, key: Key) -> PointTable:
        return self.events.get(key) or empty_points(key[1])

    def terminations(self, key: Key) -> PointTable:
        return empty_points(key[1] + 1)

    def fluents(self, key: Key) -> FluentTable:
        return self.holding.get(key) or empty_fluents(key[1])

    def facts(self, key: Key) -> Relation:
        return self.relations[key]

    def ground(self, head: Term, rows: Rows, *, over_all_values: bool = False) -> Rows:
        raise AssertionError("nothing is enumerated here")

    def head_members(self, ranging: RangeHead) -> Int64:
        return np.empty(0, dtype=np.int64)

    def members(self, ranging: RangeOver, known: Int64) -> Int64:
        raise AssertionError("nothing is enumerated here")

    def synchronise(self) -> None:
        self.n_synchronised += 1

    def found(self, steps: Sequence[Operator], rows: Rows | None = None) -> list[tuple[str, ...]]:
        """The bindings and time-points after the steps, as they are written."""
        after = run_operators(steps, rows or one_row(), self)
        columns = [
            [str(getattr(t, "name", None) or getattr(t, "value", t)) for t in self.symbols.terms(c)]
            for c in after.columns.values()
        ]
        times = [] if after.times is None else [list(map(str, after.times.tolist()))]
        return sorted(zip(*columns, *times, strict=True)) if columns or times else [()] * after.n


def patterns(text: str) -> tuple[Term, ...]:
    term = parse_term(text)
    assert isinstance(term, Struct)
    return term.args


E1 = JoinPoints("events", ("e", 1), patterns("e(X)"))


@pytest.fixture
def world() -> World:
    world = World()
    world.happen(("e(a)", 1), ("e(b)", 1), ("e(a)", 5), ("n(a, 3)", 1), ("n(b, 4)", 1), ("n(a, 2.5)", 5))
    world.hold(("f(a)=on", 0, 4), ("f(b)=off", 1, 2), ("f(a)=off", 5, 9))
    world.know("bg(a, c)", "bg(a, d)", "bg(b, c)")
    return world


def test_the_first_points_say_when_and_later_ones_must_happen_then(world: World) -> None:
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


def test_holding_is_asked_at_the_time_point(world: World) -> None:
    assert world.found([E1, JoinFluents(("f", 1), (Var("X"), Atom("on")))]) == [("a", "1")]
    assert world.found([E1, JoinFluents(("f", 1), (Var("X"), Var("V")))]) == [
        ("a", "off", "5"),
        ("a", "on", "1"),
        ("b", "off", "1"),
    ]


def test_none_of_asks_row_by_row(world: World) -> None:
    holds = JoinFluents(("f", 1), (Var("X"), Atom("off")))
    assert world.found([E1, AntiJoin((holds,))]) == [("a", "1")]
    assert world.found([E1, AntiJoin((JoinFluents(("f", 1), (Var("Q"), Atom("off"))),))]) == []
    assert world.found([E1, AntiJoin((AntiJoin((holds,)),))]) == [("a", "5"), ("b", "1")]


def test_any_of_keeps_what_all_branches_bind(world: World) -> None:
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


def test_any_of_nothing_is_nothing(world: World) -> None:
    never = (JoinFluents(("f", 1), (Var("X"), Atom("never"))),)
    assert world.found([E1, UnionBranches((never, never), ())]) == []


def test_facts_are_joined(world: World) -> None:
    assert world.found([E1, JoinFacts(("bg", 2), (Var("X"), Var("Z")))])[:2] == [("a", "c", "1"), ("a", "c", "5")]


def test_a_goal_is_proved_once_for_each_input(world: World) -> None:
    prove = Prove(parse_term("bg(X, Z)"), ("X",), ("Z",), is_stable=True)
    assert world.found([E1, prove]) == world.found([E1, JoinFacts(("bg", 2), (Var("X"), Var("Z")))])
    assert len(prove._answers) == 2
    assert world.n_synchronised == 0


def test_a_goal_that_may_change_is_proved_anew(world: World) -> None:
    prove = Prove(parse_term("bg(X, Z)"), ("X",), ("Z",), is_stable=False)
    before = world.found([E1, prove])
    world.engine.database.add_clause(parse_term("bg(b, new)"), None, None)
    assert world.found([E1, prove]) == sorted([*before, ("b", "new", "1")])
    assert world.n_synchronised == 2


def test_the_time_point_becomes_a_number(world: World) -> None:
    goal = parse_goal("T > 2")
    steps: list[Operator] = [E1, StampTime("T"), ComputeNumbers(goal, Prove(goal, ("T",), (), is_stable=True))]
    assert world.found(steps) == [("a", "5", "5")]


def test_what_has_no_column_is_proved_row_by_row(world: World) -> None:
    goal = parse_goal("R is gcd(truncate(N), 2)")
    numbers = JoinPoints("events", ("n", 2), patterns("n(X, N)"))
    steps: list[Operator] = [numbers, ComputeNumbers(goal, Prove(goal, ("N",), ("R",), is_stable=True))]
    assert world.found(steps) == [("a", "2.5", "2", "5"), ("a", "3", "1", "1"), ("b", "4", "2", "1")]


def parse_goal(text: str) -> Struct:
    goal = parse_term(text)
    assert isinstance(goal, Struct)
    return goal


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("count", [("a", "1", "5"), ("a", "2", "1"), ("b", "2", "1")]),
        ("sum", [("a", "2.5", "5"), ("a", "7", "1"), ("b", "7", "1")]),
        ("max", [("a", "2.5", "5"), ("a", "4", "1"), ("b", "4", "1")]),
        ("min", [("a", "2.5", "5"), ("a", "3", "1"), ("b", "3", "1")]),
    ],
)
def test_gathering_gives_every_row_its_own(world: World, aggregate: str, expected: list[tuple[str, ...]]) -> None:
    inner = JoinPoints("events", ("n", 2), patterns("n(P, Q)"))
    gather = Aggregate(Var("Q"), (inner,), ("P", "Q"), Var("K"), aggregate)  # type: ignore[arg-type]
    assert world.found([E1, gather]) == expected


def test_gathering_nothing_counts_zero_and_has_no_greatest(world: World) -> None:
    inner = JoinPoints("events", ("n", 2), patterns("n(zz, Q)"))
    assert world.found([E1, Aggregate(Var("Q"), (inner,), ("Q",), Var("K"), "count")])[0] == ("a", "0", "1")
    assert world.found([E1, Aggregate(Var("Q"), (inner,), ("Q",), Var("K"), "sum")])[0] == ("a", "0", "1")
    assert world.found([E1, Aggregate(Var("Q"), (inner,), ("Q",), Var("K"), "max")]) == []
    empty = Aggregate(Var("Q"), (inner,), ("Q",), Atom("[]"), "list")
    assert world.found([E1, empty]) == world.found([E1])


def test_lists_are_in_standard_order(world: World) -> None:
    inner = JoinPoints("events", ("n", 2), patterns("n(P, Q)"))
    rows = run_operators([E1, Aggregate(Var("Q"), (inner,), ("P", "Q"), Var("L"), "list")], one_row(), world)
    assert {show(items) for items in world.symbols.terms(rows.columns["L"])} == {"[3,4]", "[2.5]"}


def test_unifying_takes_apart_and_puts_together(world: World) -> None:
    steps: list[Operator] = [E1, Unify(Var("W"), parse_term("p(X, 1)")), Unify(parse_term("p(Y, 1)"), Var("W"))]
    rows = run_operators(steps, one_row(), world)
    assert world.symbols.terms(rows.columns["Y"]) == world.symbols.terms(rows.columns["X"])
    assert run_operators([E1, Unify(parse_term("p(X, 1.0)"), parse_term("p(X, 1)"))], one_row(), world).n == 0
