"""Plan interval rules as interval operators.

The variables by which a list varies are known before the rule runs. If an operation needs lists with the same
variables, the planner repeats a list for the values of its missing variables. If an operation compares whole intervals,
the planner restores their true starts first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdsfor.logical.nodes import step_id
from holdsfor.physical.fvp_shape import FvpShape, shape_of
from holdsfor.physical.instance_planner import plan_instances, scope_of
from holdsfor.physical.interval_operators.call_predicate import CallPredicate
from holdsfor.physical.interval_operators.complement_intervals import ComplementIntervals
from holdsfor.physical.interval_operators.constant_intervals import ConstantIntervals
from holdsfor.physical.interval_operators.enumerate_instances import EnumerateInstances
from holdsfor.physical.interval_operators.filter_duration import FilterDuration
from holdsfor.physical.interval_operators.head import IntervalHead
from holdsfor.physical.interval_operators.intersect_intervals import IntersectIntervals
from holdsfor.physical.interval_operators.map_intervals import MapIntervals
from holdsfor.physical.interval_operators.operator import IntervalOperator, IntervalPlan
from holdsfor.physical.interval_operators.read_computed import ReadComputed
from holdsfor.physical.interval_operators.read_fluent import ReadFluent
from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals
from holdsfor.physical.interval_operators.repeat_intervals import RepeatIntervals
from holdsfor.physical.interval_operators.restore_starts import RestoreStarts
from holdsfor.physical.interval_operators.subtract_intervals import SubtractIntervals
from holdsfor.physical.interval_operators.union_intervals import UnionIntervals
from holdsfor.physical.interval_semijoins import with_semijoins
from holdsfor.physical.planner import Planner
from holdsfor.physical.rule_scope import RuleScope
from holdsfor.syntax.rules import (
    Allen,
    Complement,
    Duration,
    HoldsFor,
    Intersect,
    IntervalCall,
    IntervalRule,
    IntervalStep,
    Not,
    RelativeComplement,
    Test,
    Union,
    step_lists,
    step_variables,
)
from holdsfor.syntax.terms import Term, Var, variables

__all__ = ["PlannedIntervalRule", "are_maximal", "plan_interval_rule"]


@dataclass(frozen=True)
class PlannedIntervalRule:
    """An interval rule: `operators` compute its lists, and the head turns the last one into intervals of FVPs.

    `scope` has the ranges of the variables of the rule.
    """

    rule: IntervalRule
    scope: RuleScope
    operators: IntervalPlan
    head: IntervalHead

    @property
    def enumerates(self) -> bool:
        """Whether an operator needs instances without intervals, other than those of a restriction."""
        return any(
            each.restriction is None
            if isinstance(each, RepeatIntervals)
            else isinstance(each, CallPredicate | ComplementIntervals)
            for each in self.operators
        )


def are_maximal(rules: Sequence[PlannedIntervalRule]) -> bool:
    """Whether the intervals of rules are already maximal: each rule has a value of its own."""
    values = [rule.head.shape.value for rule in rules]
    return all(rule.head.has_own_instances for rule in rules) and len(set(values)) == len(values)


def plan_interval_rule(rule: IntervalRule, planner: Planner) -> PlannedIntervalRule:
    """The plan of an interval rule."""
    planning = _Planning(rule, planner)
    for step in rule.body:
        planning.plan(step)
    head = planning.head()
    return PlannedIntervalRule(rule, planning.scope, with_semijoins(planning.operators, head.result), head)


class _Planning:
    """The operators of one rule so far, and the variables by which its lists vary."""

    def __init__(self, rule: IntervalRule, planner: Planner) -> None:
        self.rule = rule
        self.planner = planner
        self.scope = scope_of(rule, planner.knowledge)
        self.operators: list[IntervalOperator] = []
        self.varies: dict[str, tuple[str, ...]] = {}
        self.computed: tuple[str, ...] = ()
        self.fluents: dict[str, FvpShape] = {}

    def add(self, operator: IntervalOperator) -> str:
        """Add an operator that computes a list and return the name of the list."""
        self.operators.append(operator)
        self.varies[operator.output] = operator.names
        return operator.output

    def plan(self, step: IntervalStep) -> None:
        """Add the operators of one step of the rule."""
        match step:
            case HoldsFor():
                self.read(step)
            case Union(lists, result):
                names = self.all_names(self.operands(lists))
                self.add(UnionIntervals(result.name, names, self.repeated_all(self.operands(lists), names)))
            case Intersect(lists, result):
                operands = self.operands(lists)
                varies = tuple(self.varies[name] for name in operands)
                self.add(IntersectIntervals(result.name, self.all_names(operands), operands, varies))
            case RelativeComplement(base, lists, result):
                self.subtract(self.operand(base), self.operands(lists), result.name)
            case Complement(lists, result):
                operands = self.operands(lists)
                names = self.all_names(operands)
                node = step_id(self.rule, step)
                self.add(ComplementIntervals(node, result.name, names, operands, self.instances(names)))
            case Duration():
                self.duration(step)
            case Allen():
                self.allen(step)
            case IntervalCall(is_intervalwise=True):
                self.map_intervals(step)
            case IntervalCall():
                self.call(step)
            case Test() | Not():
                pass  # the head tests all atemporal goals at once

    # -- lists ---------------------------------------------------------------------------------------------------------

    def operand(self, term: Term) -> str:
        """The name of a list; a literal list gets a name."""
        if isinstance(term, Var):
            return term.name
        return self.add(ConstantIntervals(f"#{len(self.operators)}", term, self.rule.span))

    def operands(self, terms: Iterable[Term]) -> tuple[str, ...]:
        return tuple(map(self.operand, terms))

    def all_names(self, lists: Iterable[str]) -> tuple[str, ...]:
        """The variables of some lists."""
        return tuple(dict.fromkeys(name for each in lists for name in self.varies[each]))

    def repeated(self, name: str, names: Sequence[str]) -> str:
        """The list repeated for the values of all the variables, in their order of appearance."""
        lacked = [each for each in names if each not in self.varies[name]]
        if not lacked:
            return name
        wanted = (*self.varies[name], *lacked)
        plan = plan_instances(self.planner, self.scope, frozenset(self.varies[name]), frozenset(wanted))
        return self.add(RepeatIntervals(f"{name}#{len(self.operators)}", wanted, name, plan))

    def repeated_all(self, lists: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.repeated(each, names) for each in lists)

    def instances(self, names: tuple[str, ...]) -> EnumerateInstances:
        """Every combination of values of the variables."""
        if self.scope.is_grounded and self.scope.head >= set(names):
            return EnumerateInstances(names, self.rule.fvp.term)
        return EnumerateInstances(names, None, plan_instances(self.planner, self.scope, frozenset(), frozenset(names)))

    # -- steps ---------------------------------------------------------------------------------------------------------

    def read(self, step: HoldsFor) -> None:
        shape = shape_of(step.fvp)
        if not step.some:
            self.fluents[step.result.name] = shape
        self.add(ReadFluent(step.result.name, tuple(step.instance_variables), shape, bool(step.some)))

    def subtract(self, base: str, others: tuple[str, ...], result: str) -> None:
        base = self.repeated(base, self.all_names((base, *others)))
        self.add(SubtractIntervals(result, self.varies[base], base, others))

    def whole(self, name: str, step: IntervalStep, needed: Iterable[str]) -> str:
        """The list with the true starts of its intervals, for the values of the variables that a step needs."""
        node = step_id(self.rule, step)
        whole = self.add(RestoreStarts(node, f"{name}#{len(self.operators)}", self.varies[name], name))
        return self.repeated(whole, tuple(dict.fromkeys((*self.varies[name], *needed))))

    def duration(self, step: Duration) -> None:
        operand = self.operand(step.intervals)
        whole = self.whole(operand, step, variables(step.bound))
        node, result, fluent = step_id(self.rule, step), step.result.name, self.fluents.get(operand)
        self.add(
            FilterDuration(node, result, self.varies[whole], whole, step.comparison, step.bound, fluent, step.span)
        )

    def allen(self, step: Allen) -> None:
        source, target = self.operand(step.source), self.operand(step.target)
        names = self.all_names((source, target))
        is_combined = len(names) not in (len(self.varies[source]), len(self.varies[target]))
        head = self.rule.fvp.term if is_combined and self.scope.is_grounded else None
        of_fluents = self.fluents.get(source), self.fluents.get(target)
        node, result = step_id(self.rule, step), step.result.name
        self.add(RelateIntervals(node, result, names, step.relation, step.mode, source, target, head, *of_fluents))

    def map_intervals(self, step: IntervalCall) -> None:
        (given,), (result,) = step.inputs, step.outputs
        whole = self.whole(given, step, (name for name in step_variables(step) if name not in step.outputs))
        node = step_id(self.rule, step)
        self.add(MapIntervals(node, result, self.varies[whole], whole, step.goal, given, result, step.span))

    def call(self, step: IntervalCall) -> None:
        lists = tuple(name for name in step.inputs if name in self.varies)
        known = {*lists, *step.outputs, *self.computed}
        data = [name for name in variables(step.goal) if name not in known and name in self.scope.names]
        own = tuple(name for name in dict.fromkeys((*self.all_names(lists), *data)) if name not in self.computed)
        outputs = tuple(name for name in step.outputs if self.is_used(name, step))
        keys = tuple(dict.fromkeys((*own, *self.computed)))
        self.operators.append(CallPredicate(step.goal, lists, outputs, self.instances(own), keys, step.span))
        made = [name for name in outputs if self.is_list(name)]
        self.computed = (*keys, *(name for name in outputs if name not in made))
        for name in made:
            self.add(ReadComputed(name, self.computed, step.span))

    def is_used(self, name: str, step: IntervalStep) -> bool:
        """Whether another part of the rule mentions a variable that a step binds."""
        others = [each for each in self.rule.body if each is not step]
        mentioned = (name in (*step_variables(each), *step_lists(each)[0]) for each in others)
        return name in (*variables(self.rule.fvp.term), *variables(self.rule.result)) or any(mentioned)

    def is_list(self, name: str) -> bool:
        """Whether a variable is read by an interval operation, or is the result."""
        operations = [step for step in self.rule.body if not isinstance(step, IntervalCall) or step.is_intervalwise]
        return name in variables(self.rule.result) or any(name in step_lists(step)[0] for step in operations)

    # -- the head ------------------------------------------------------------------------------------------------------

    def head(self) -> IntervalHead:
        assert isinstance(self.rule.result, Var)
        result = self.rule.result.name
        given = frozenset((*self.varies[result], *self.computed))
        tests = plan_instances(self.planner, self.scope, given)
        names = set(given)
        for operator in tests:
            names = operator.bound_after(names)
        return IntervalHead(shape_of(self.rule.fvp), result, given, frozenset(names), tests)
