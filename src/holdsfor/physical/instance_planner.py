"""Plans of the instances of interval rules: their atemporal goals, and the variables that no goal binds."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from holdsfor.analysis.safety import Scoped, bound_by, needed_variables
from holdsfor.logical.defer_open_goals import defer_open_goals, names_left_open
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.nodes import variable_id
from holdsfor.physical.fvp_shape import fvp_patterns
from holdsfor.physical.operators.ground_head import GroundHead
from holdsfor.physical.operators.operator import Operator, Plan
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.planner import Planner
from holdsfor.physical.rule_scope import RuleScope, connected
from holdsfor.syntax.rules import Condition, HoldsFor, IntervalRule, Not, Test
from holdsfor.syntax.terms import name_and_arity, variables

__all__ = ["plan_instances", "scope_of"]


def scope_of(rule: IntervalRule, knowledge: Knowledge) -> RuleScope:
    """The ranges of the variables of an interval rule."""
    is_grounded = knowledge.is_grounded(name_and_arity(rule.fvp.fluent))
    bound = set(variables(rule.fvp.term)) if is_grounded else set[str]()
    goals = tuple(step for step in rule.body if isinstance(step, Test | Not))
    return RuleScope(rule, is_grounded, names_left_open(goals, bound, knowledge))


def plan_instances(
    planner: Planner, scope: RuleScope, given: frozenset[str], wanted: frozenset[str] | None = None
) -> Plan:
    """The plan of the atemporal goals of an interval rule, given the bound variables.

    The `wanted` variables that no goal binds range over the grounding of the head or over their sorts. By default all
    goals must hold, head variables are wanted, and other variables need only have some value.
    """
    return tuple(_Instances(planner, scope).plan(set(given), wanted))


@dataclass(frozen=True)
class _Instances:
    """The planning of one rule's instances."""

    planner: Planner
    scope: RuleScope

    def plan(self, bound: set[str], wanted: frozenset[str] | None) -> list[Operator]:
        scope = self.scope
        wanted_names = scope.head if wanted is None else wanted
        waiting = scope.scoped(scope.tests if wanted is None else connected(scope.tests, wanted_names - bound))
        names = [name for name in scope.names if wanted is None or name in wanted]
        operators: list[Operator] = []
        scope_names = set(scope.names)
        while True:
            ready, waiting = self.take_sure(waiting, bound)
            goals = defer_open_goals(tuple(ready), bound, scope_names, self.planner.knowledge, frozenset(scope_names))
            operators += self.with_ranges(self.planner.plan_conditions(goals, bound, None))
            needed = self.needed_first(waiting, bound)
            missing = [name for name in (*needed, *names) if name not in bound]
            if not missing:
                return [*operators, *self.planner.plan_conditions([condition for condition, _ in waiting], bound, None)]
            if scope.is_grounded and missing[0] in scope.head:
                operators.append(GroundHead(scope.rule.fvp.term))
                bound |= scope.head
            else:
                is_any = missing[0] not in needed and missing[0] not in wanted_names
                operators.append(self.range_over(missing[0], is_any=is_any))
                bound.add(missing[0])

    def take_sure(self, waiting: Scoped, bound: Set[str]) -> tuple[list[Condition], Scoped]:
        """The goals in an order of evaluation in which each binds the list variables that it mentions; the other
        goals.
        """
        known, taken = set(bound), list[Condition]()
        while ready := next((each for each in waiting if self.needed(each, known) <= known), None):
            waiting = [each for each in waiting if each is not ready]
            taken.append(ready[0])
            known |= bound_by(ready[0])
        return taken, waiting

    def needed_first(self, waiting: Scoped, bound: set[str]) -> list[str]:
        """The variables that goals need; variables that a goal can bind come last."""
        needed = {name for each in waiting for name in self.needed(each, bound)}
        made: set[str] = set()
        for condition, outside in waiting:
            if isinstance(condition, Test):
                own = needed_variables(condition, outside, bound) | self.planner.knowledge.needed(condition.goal, bound)
                made |= set(variables(condition.goal)) - own
        return sorted((name for name in self.scope.names if name in needed), key=lambda name: name in made)

    def needed(self, each: tuple[Condition, set[str]], bound: set[str]) -> set[str]:
        """The variables that a goal needs; variables that it may only test range over their sorts before its proof."""
        condition, outside = each
        needed = needed_variables(condition, outside, bound)
        if not isinstance(condition, Test):
            return needed
        tested = self.scope.ranging & {*variables(condition.goal)}
        needed |= self.planner.knowledge.needed(condition.goal, bound) & {*self.scope.names}
        return needed | (tested - self.planner.knowledge.ground_after(condition.goal, bound | needed))

    def with_ranges(self, operators: Sequence[Operator]) -> list[Operator]:
        """The operators, with ranges for variables that a goal leaves unbound: the head's grounding or their sorts."""
        scope = self.scope
        ranges: list[tuple[str, Operator]] = []
        for name in scope.names:
            is_of_head = scope.is_grounded and name in scope.head
            ranges.append(
                (name, GroundHead(scope.rule.fvp.term) if is_of_head else self.range_over(name, is_any=False))
            )
        return [operator.with_ranges(tuple(ranges)) for operator in operators]

    def range_over(self, name: str, *, is_any: bool) -> RangeOver:
        """The operator that enumerates a variable."""
        scope = self.scope
        literals = [s for s in scope.rule.body if isinstance(s, HoldsFor) and name in s.instance_variables]
        known = tuple(fvp_patterns(s.fvp) for s in literals)
        return RangeOver(name, scope.pattern(name), known, is_any=is_any, id=variable_id(scope.rule, name))
