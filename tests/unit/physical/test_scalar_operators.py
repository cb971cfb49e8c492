"""An operator has the same results on single bindings as on rows, for tables of other components and of its own."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from holdsfor.columns.tables import Key
from holdsfor.columns.tuple_ids import Words
from holdsfor.physical.operators import OPERATORS
from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.compare_terms import CompareTerms
from holdsfor.physical.operators.compute_calendar import ComputeCalendar
from holdsfor.physical.operators.compute_numbers import ComputeNumbers
from holdsfor.physical.operators.compute_positions import ComputePositions
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.operators.count_fluents import CountFluents
from holdsfor.physical.operators.join_breaks import JoinBreaks
from holdsfor.physical.operators.join_facts import JoinFacts
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Operator, run_operators
from holdsfor.physical.operators.project import Project
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.scalar import NotScalar, ScalarCompiler, run_scalar
from holdsfor.physical.operators.stamp_time import StampTime
from holdsfor.physical.operators.unify import Unify
from holdsfor.physical.operators.union_branches import UnionBranches
from holdsfor.physical.operators.union_clauses import UnionClauses
from holdsfor.physical.ownership import Owned
from holdsfor.physical.rows import one_row
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Var
from tests.unit.physical.world import World, parse_goal, patterns, small_world

X, V = Var("X"), Var("V")
FIRST = JoinPoints("events", ("e", 1), patterns("e(X)"))
NUMBERS = JoinPoints("events", ("n", 2), patterns("n(X, N)"))
HOLDS = JoinFluents(("f", 1), (X, Atom("on")))
GREATER = parse_goal("N > 2")
HALF = parse_goal("H is N / 2")
HOUR = parse_goal("hour_of_day(T, H)")
METRES = parse_goal("distance(0, 0, N, N, D)")
FACTS = JoinFacts(("bg", 2), patterns("bg(X, Z)"))

PLANS: dict[str, list[Operator]] = {
    "JoinPoints": [NUMBERS],
    "JoinPoints, bound": [NUMBERS, JoinPoints("events", ("n", 2), patterns("n(X, N)"))],
    "JoinFluents": [HOLDS],
    "JoinFacts": [FACTS],
    "Prove": [Prove(parse_term("bg(X, Z)"), ("X",), ("Z",), is_stable=True)],
    "ComputeNumbers": [NUMBERS, ComputeNumbers(GREATER, Prove(GREATER, ("N",), (), is_stable=True))],
    "ComputeNumbers of a value": [NUMBERS, ComputeNumbers(HALF, Prove(HALF, ("N",), ("H",), is_stable=True))],
    "ComputeCalendar": [StampTime("T"), ComputeCalendar(HOUR, Prove(HOUR, ("T",), ("H",), is_stable=True))],
    "ComputePositions": [NUMBERS, ComputePositions(METRES, Prove(METRES, ("N",), ("D",), is_stable=True))],
    "CompareTerms": [NUMBERS, CompareTerms(parse_goal("N @< X"))],
    "CompareTerms, different": [NUMBERS, CompareTerms(parse_goal("f(N) \\== X"))],
    "Unify": [Unify(Var("W"), parse_term("p(X, 1)")), Unify(parse_term("p(Y, 1)"), Var("W"))],
    "StampTime": [StampTime("T")],
    "AntiJoin": [AntiJoin((HOLDS,))],
    "AntiJoin of a plan": [AntiJoin((FACTS, Unify(Var("Z"), Atom("d"))))],
    "UnionBranches": [UnionBranches(((FACTS,), (NUMBERS, Unify(Var("Z"), Var("N")))), ("Z",))],
    "UnionClauses": [UnionClauses(((FACTS,),), ("Z",), parse_term("p(X, Z)"))],
    "Aggregate": [Aggregate(Var("Z"), (FACTS,), ("X", "Z"), Var("K"), "count")],
    "Project": [FACTS, Project(("X",))],
}


@pytest.fixture
def world() -> World:
    return small_world()


class Moment:
    """A component of which nothing holds or happens, at a time-point."""

    time = 0

    def value_of(self, key: Key, arguments: Words) -> int | None:
        return None

    def happening(self, kind: PointKind, key: Key) -> Iterable[Words]:
        return ()

    def is_broken(self, key: Key, arguments: Words, value: int) -> bool:
        return False


def scalar_rows(world: World, plan: list[Operator], names: list[str]) -> list[tuple[int, ...]]:
    """The bindings after a plan, one time-point after another."""
    now = Moment()
    compiled = ScalarCompiler(now, world, Owned(())).compiled(plan, {"X"})
    before = run_operators([FIRST], one_row(), world)
    assert before.times is not None
    found: list[tuple[int, ...]] = []
    for word, time in zip(before.columns["X"].tolist(), before.times.tolist(), strict=True):
        now.time = time
        found += [(time, *(b[name] for name in names)) for b in run_scalar(compiled, [{"X": word}])]
    return sorted(found)


@pytest.mark.parametrize("name", PLANS)
def test_single_bindings_have_the_results_of_rows(world: World, name: str) -> None:
    rows = run_operators([FIRST, *PLANS[name]], one_row(), world)
    assert rows.n > 0
    assert rows.times is not None
    columns = [rows.times.tolist(), *(column.tolist() for column in rows.columns.values())]
    assert scalar_rows(world, PLANS[name], list(rows.columns)) == sorted(zip(*columns, strict=True))


@pytest.mark.parametrize(
    "operator",
    [
        Prove(parse_term("bg(X, Z)"), ("X",), ("Z",), is_stable=False),
        Aggregate(Var("Z"), (FACTS,), ("X", "Z"), Var("K"), "sum"),
        CountFluents(Var("Q"), (JoinFluents(("f", 1), (Var("Q"), V)),), ("Q", "V"), Var("K"), "count"),
        JoinFluents(("f", 1), (X, V)),
        JoinBreaks(("f", 1), (X, Atom("on"))),
    ],
    ids=lambda operator: type(operator).__name__,
)
def test_operators_without_a_scalar_form_are_refused(world: World, operator: Operator) -> None:
    with pytest.raises(NotScalar):
        ScalarCompiler(Moment(), world, Owned(())).compiled([operator], {"X"})


def test_every_operator_with_a_scalar_form_is_compared() -> None:
    """Breaks and counts have a scalar form only for the component itself."""
    named = {name.partition(",")[0].partition(" ")[0] for name in PLANS}
    forms = ("scalar", "scalar_test")
    scalar = {each.__name__ for each in OPERATORS if any(getattr(each, f) is not getattr(Operator, f) for f in forms)}
    assert scalar - named == {"CountFluents", "JoinBreaks"}
