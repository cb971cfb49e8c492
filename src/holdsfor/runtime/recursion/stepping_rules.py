"""The rules of time stepping: the rows of their external conditions by time, and the conditions left to test.

A rule is *guarded* if only tests of values of its component's fluents are left. Such rules are kept as columns of cells
(numbers of fluents), grouped by shared rows. Other rules are functions on bindings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import Key
from holdsfor.columns.tuple_ids import Words
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Plan, run_operators
from holdsfor.physical.operators.scalar import Binding, NotScalar, ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import build
from holdsfor.physical.plan import PlannedComponent, PlannedRule
from holdsfor.physical.rows import Rows, one_row
from holdsfor.syntax.terms import Term, Var, is_ground, variables

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = [
    "Change",
    "Effect",
    "Group",
    "GuardedRule",
    "SteppingRule",
    "SteppingRules",
    "check_rule",
    "effects_of",
    "stepping_delays",
]

Effect = Literal["happens", "initiated", "terminated"]
Change = Literal["initiated", "terminated"]
_Outside: TypeAlias = dict[Plan, Rows]


@dataclass(frozen=True)
class Guard:
    """The column with the cells of a fluent, and the value that it must have, or must not have."""

    key: Key
    column: int
    value: int
    is_wanted: bool


@dataclass(frozen=True)
class GuardedRule:
    """A rule of a group: the column with the cells that it changes, and the value for each row, or for all rows."""

    effect: Change
    key: Key
    column: int
    guards: tuple[Guard, ...]
    values: Int64 | int


@dataclass(frozen=True)
class Group:
    """Rows, by time, that some guarded rules share, and the cells of their patterns in every row."""

    rows: Rows
    columns: dict[tuple[Term, ...], Int64] = field(default_factory=dict)
    rules: list[GuardedRule] = field(default_factory=list)

    @property
    def times(self) -> Int64:
        assert self.rows.times is not None
        return self.rows.times

    def column(self, patterns: tuple[Term, ...], symbols: Symbols) -> int:
        """The number of the column with the cells of a fluent."""
        if patterns not in self.columns:
            words = [build(pattern, self.rows, symbols) for pattern in patterns]
            self.columns[patterns] = symbols.instances.numbers(words, self.rows.n)
        return list(self.columns).index(patterns)

    def cells(self, column: int) -> Int64:
        return list(self.columns.values())[column]


@dataclass(frozen=True)
class SteppingRule:
    """A rule, or a delay that is due, with effects at a time-point for bindings.

    `rows` are the bindings of the external conditions, by time; a rule without them is triggered by its component.
    """

    rank: int
    effect: Effect
    key: Key
    operators: list[ScalarOperator]
    head: Callable[[Binding], Words]
    rows: Rows | None = None

    def ranges(self) -> Iterator[tuple[int, int, int]]:
        """The time-points of the rows, with the first and the last row of each."""
        times = None if self.rows is None else self.rows.times
        if times is None or len(times) == 0:
            return iter(())
        begins = np.flatnonzero(np.append(True, times[1:] != times[:-1]))
        return zip(times[begins].tolist(), begins.tolist(), [*begins[1:].tolist(), len(times)], strict=True)

    def bindings(self, first: int, last: int) -> list[Binding]:
        assert self.rows is not None
        if not self.rows.columns:
            return [{}]
        names = tuple(self.rows.columns)
        rows = zip(*(column[first:last].tolist() for column in self.rows.columns.values()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows]


class SteppingRules:
    """The rules of a component in a time range, without rules whose external conditions have no rows."""

    def __init__(self, component: PlannedComponent, part: Evaluation, compiler: ScalarCompiler) -> None:
        self.part = part
        self.compiler = compiler
        self.groups: list[Group] = []
        self.others: list[SteppingRule] = []
        self._outside: _Outside = {}
        for rule, effect in effects_of(component):
            self.add(rule, effect)
        self.groups = [group for group in self.groups if group.rules and group.rows.n]
        self.others.sort(key=lambda rule: rule.rank)

    def add(self, rule: PlannedRule, effect: Effect) -> None:
        if rule.n_outside == 0:
            operators, head = check_rule(rule, effect, self.compiler, set(), is_timed=False)
            self.others.append(SteppingRule(rule.rank, effect, rule.key, operators, head))
            return
        rows = self.outside(rule.operators[: rule.n_outside])
        if rows.n == 0:
            return
        guards = None if effect == "happens" else self.guards(rule, rows)
        if effect != "happens" and guards is not None:
            self.add_guarded(rule, effect, guards, rows)
            return
        operators, head = check_rule(rule, effect, self.compiler, set(rows.columns), is_timed=rows.times is not None)
        self.others.append(SteppingRule(rule.rank, effect, rule.key, operators, head, rows))

    def outside(self, plan: Plan) -> Rows:
        """The bindings that a plan finds, by time; rules with equal plans share them."""
        if plan not in self._outside:
            rows = run_operators(plan, one_row(), self.part).distinct()
            if rows.times is not None and np.any(rows.times[1:] < rows.times[:-1]):
                rows = rows.take(np.argsort(rows.times, kind="stable"))
            self._outside[plan] = rows
        return self._outside[plan]

    # -- guarded rules -------------------------------------------------------------------------------------------------

    def guards(self, rule: PlannedRule, rows: Rows) -> list[tuple[JoinFluents, bool]] | None:
        """The fluents whose values a rule is left to test, and whether they must have them; None for other rules."""
        found: list[tuple[JoinFluents, bool]] = []
        bound = set(rows.columns)
        for step in rule.operators[rule.n_outside :]:
            guards = step.guards
            if guards is None or not all(self.is_own_value(holds, bound) for holds, _ in guards):
                return None
            found += guards
        return None if rows.times is None or set(variables(*rule.columns[:-1])) - bound else found

    def is_own_value(self, holds: JoinFluents, bound: set[str]) -> bool:
        """Whether the operator tests a bound fluent of the component for a constant value."""
        if not self.compiler.is_own(holds.lookup):
            return False
        return is_ground(holds.patterns[-1]) and set(variables(*holds.patterns)) <= bound

    def add_guarded(
        self, rule: PlannedRule, effect: Change, guards: Sequence[tuple[JoinFluents, bool]], rows: Rows
    ) -> None:
        symbols = self.part.symbols
        group = self.group(rows) if effect == "terminated" else self.in_grounding(self.group(rows), rule)
        tests = tuple(
            Guard(holds.key, group.column(holds.patterns[:-1], symbols), symbols.word(holds.patterns[-1]), is_wanted)
            for holds, is_wanted in guards
        )
        column = group.column(rule.columns[:-1], symbols)
        values = _values(rule.columns[-1], effect, group.rows, symbols)
        group.rules.append(GuardedRule(effect, rule.key, column, tests, values))

    def group(self, rows: Rows) -> Group:
        """The group of the rules with these rows."""
        known = next((group for group in self.groups if group.rows is rows), None)
        if known is None:
            known = Group(rows)
            self.groups.append(known)
        return known

    def in_grounding(self, group: Group, rule: PlannedRule) -> Group:
        """The group with only the rows for which the fluent of a rule is in the grounding."""
        numbers = group.cells(group.column(rule.columns[:-1], self.part.symbols))
        inside = self.part.domains.inside((True, *rule.key), numbers, None, self.part, self.part.version)
        return group if inside is None else self.group(group.rows.take(inside))


def _values(value: Term, effect: Change, rows: Rows, symbols: Symbols) -> Int64 | int:
    """The value in the head of a rule, for each row or for all rows; a termination may leave it open."""
    if is_ground(value):
        return symbols.word(value)
    if set(variables(value)) <= set(rows.columns):
        return build(value, rows, symbols)
    if effect == "initiated" or not isinstance(value, Var):
        raise NotScalar
    return ANY_VALUE


def effects_of(component: PlannedComponent) -> list[tuple[PlannedRule, Effect]]:
    """The rules of a component with their kinds of effect."""
    rules: list[tuple[PlannedRule, Effect]] = [(rule, "happens") for rule in component.events]
    for fluent in component.fluents.values():
        rules += [(rule, "initiated") for rule in fluent.initiations]
        rules += [(rule, "terminated") for rule in fluent.terminations]
    return rules


def check_rule(
    rule: PlannedRule, effect: Effect, compiler: ScalarCompiler, bound: set[str], *, is_timed: bool
) -> tuple[list[ScalarOperator], Callable[[Binding], Words]]:
    """The operators of a rule that are left for time stepping; `NotScalar` if one has no scalar form."""
    head = _head(rule.columns, set(rule.unbound), compiler, may_leave_value_open=effect == "terminated")
    is_triggered_inside = rule.n_outside == 0 and bool(rule.operators) and isinstance(rule.operators[0], JoinPoints)
    if not is_timed and not is_triggered_inside:
        raise NotScalar
    return compiler.compiled(rule.operators[rule.n_outside :], bound), head


def _head(
    columns: Sequence[Term], unbound: set[str], compiler: ScalarCompiler, *, may_leave_value_open: bool
) -> Callable[[Binding], Words]:
    """The words of a head; a termination may leave its value open."""
    if may_leave_value_open and isinstance(columns[-1], Var) and columns[-1].name in unbound:
        if set(variables(*columns[:-1])) & unbound:
            raise NotScalar
        get = compiler.key_getter(columns[:-1])
        return lambda binding: (*get(binding), ANY_VALUE)
    if unbound:
        raise NotScalar
    return compiler.key_getter(columns)


def stepping_delays(component: PlannedComponent, compiler: ScalarCompiler) -> list[SteppingRule]:
    """The effects of the component's delays when they are due."""
    found: list[SteppingRule] = []
    for delay in component.delays:
        if delay.may_contend:
            raise NotScalar
        bound = set(delay.bound)
        operators = compiler.compiled(delay.when_due, bound)
        if set(variables(*delay.target)) - bound:
            raise NotScalar
        effect: Effect = "terminated" if delay.is_termination else "initiated"
        found.append(SteppingRule(delay.rank, effect, delay.target_key, operators, compiler.key_getter(delay.target)))
    return found
