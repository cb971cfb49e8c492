"""Plan conditions: choose the operator for each condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from holdsfor.analysis.safety import binds_time, bound_by, scoped, take_ready
from holdsfor.logical.defer_open_goals import UNUSED, defer_choices, defer_open_goals
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.order_joins import is_term_comparison
from holdsfor.logical.rewrites import REWRITES, Rewrite
from holdsfor.logical.time_first import time_first
from holdsfor.logical.unfold import unfold
from holdsfor.physical.arithmetic import COMPARISONS
from holdsfor.physical.carriers import Carriers, numbered_columns, tested_arguments
from holdsfor.physical.fvp_shape import fvp_patterns
from holdsfor.physical.number_columns import number_column_of
from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.compare_terms import CompareTerms
from holdsfor.physical.operators.compute_calendar import ComputeCalendar
from holdsfor.physical.operators.compute_numbers import ComputeNumbers
from holdsfor.physical.operators.compute_positions import ComputePositions
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.operators.count_fluents import CountFluents, counts_fluents
from holdsfor.physical.operators.join_breaks import JoinBreaks
from holdsfor.physical.operators.join_broken_values import JoinBrokenValues
from holdsfor.physical.operators.join_facts import JoinFacts
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.project import Project
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.stamp_time import StampTime
from holdsfor.physical.operators.unify import Unify
from holdsfor.physical.operators.union_branches import UnionBranches
from holdsfor.physical.operators.union_clauses import UnionClauses
from holdsfor.prolog.builtins.calendar import CALENDAR
from holdsfor.prolog.builtins.spatial import SPATIAL
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Either,
    Ends,
    EndsI,
    Happens,
    Holds,
    Initiated,
    Not,
    Starts,
    StartsI,
    Terminated,
    Test,
    condition_variables,
)
from holdsfor.syntax.terms import Struct, Term, is_callable, is_ground, name_and_arity, variables

__all__ = ["Planner", "Untimed", "mentions"]

_POINT_KINDS: dict[type[Condition], PointKind] = {
    Starts: "starts",
    Ends: "ends",
    StartsI: "startI",
    EndsI: "endI",
    Initiated: "initiations",
}


@dataclass(frozen=True)
class Untimed:
    """Rows without time-points: the variable for the time-point, and whether any condition mentions it."""

    time: str
    is_used: bool


@dataclass(frozen=True)
class Planner:
    """Plans conditions; `rewrites` are the enabled rewrites.

    `rule_planner`, `grounding_planner` and `instance_planner` decide which conditions form a plan, and their order.
    """

    knowledge: Knowledge
    rewrites: tuple[Rewrite, ...] = field(default=REWRITES, kw_only=True)

    @property
    def is_unfolding(self) -> bool:
        return any(rewrite.name == "unfold" for rewrite in self.rewrites)

    def plan_conditions(
        self,
        body: Sequence[Condition],
        bound: set[str],
        untimed: Untimed | None,
        lives: Sequence[set[str]] = (),
        carriers: Carriers = MappingProxyType({}),
    ) -> list[Operator]:
        """Operators for conditions in the given order; extends `bound`. Rows may be `untimed` before them.

        `lives` are the variables that are used after each condition; columns of other variables are dropped. `carriers`
        are conditions that number the instances of some variables.
        """
        operators: list[Operator] = []
        for i, condition in enumerate(body):
            operator = self.operator(condition, bound, carriers, untimed)
            if lives:
                keep = lives[i] | ({untimed.time} if untimed is not None else set())
                operators += [operator.pruned(bound, keep), *_dropping(bound | bound_by(condition), keep)]
            else:
                operators.append(operator)
            bound.update(bound_by(condition))
            if untimed is not None and binds_time((condition,)):
                operators += [StampTime(untimed.time)] if untimed.is_used else []
                bound |= {untimed.time} if untimed.is_used else set()
                untimed = None
        return operators

    def operator(
        self,
        condition: Condition,
        bound: set[str],
        carriers: Carriers = MappingProxyType({}),
        untimed: Untimed | None = None,
    ) -> Operator:
        match condition:
            case Happens(event):
                arguments = event.args if isinstance(event, Struct) else ()
                return JoinPoints("events", name_and_arity(event), arguments, numbered_columns(condition, carriers))
            case Starts(fvp) | Ends(fvp) | Initiated(fvp):
                return JoinPoints(
                    _POINT_KINDS[type(condition)], *fvp_patterns(fvp), numbered_columns(condition, carriers)
                )
            case Holds(fvp):
                names = tested_arguments(condition)
                return JoinFluents(*fvp_patterns(fvp), number_column_of(names) if names and names in carriers else None)
            case Terminated(fvp):
                return (JoinBreaks if is_ground(fvp.value) else JoinBrokenValues)(*fvp_patterns(fvp))
            case Test(goal):
                return self.goal_operator(goal, bound)
            case Not(body):
                return AntiJoin(tuple(self.plan_body(body, bound, carriers, used=set())))
            case Either(branches):
                outputs = tuple(sorted(bound_by(condition)))
                return UnionBranches(
                    tuple(tuple(self.plan_branch(b, bound, set(outputs), untimed)) for b in branches), outputs
                )
            case Collect(template, body, result, aggregate, span):
                own = {name for c in body for name in condition_variables(c)} | set(variables(template))
                plan = tuple(self.plan_collection(template, body, bound))
                is_count = aggregate == "count" and counts_fluents(plan, bound)
                return (CountFluents if is_count else Aggregate)(
                    template, plan, tuple(sorted(own)), result, aggregate, span
                )

    def plan_branch(
        self, body: tuple[Condition, ...], bound: set[str], used: set[str], untimed: Untimed | None
    ) -> list[Operator]:
        """Operators for a branch of a disjunction, which may bind the time-point."""
        if untimed is None:
            return self.plan_body(body, bound, used=used)
        known = bound | {untimed.time}
        body = defer_open_goals(body, known, used, self.knowledge)
        ready, rest = take_ready(scoped(body, set(known)), set(known))
        in_order = time_first([*ready, *(condition for condition, _ in rest)], untimed.time)
        return self.plan_conditions(in_order, set(bound), Untimed(untimed.time, mentions(body, untimed.time)))

    def plan_body(
        self,
        body: tuple[Condition, ...],
        bound: set[str],
        carriers: Carriers = MappingProxyType({}),
        *,
        used: set[str] | None = None,
    ) -> list[Operator]:
        """Operators for the body of a negation, a branch or a collection, which shares only the bound variables.

        `used` are the variables that are used after the body; None for all variables.
        """
        body = defer_open_goals(defer_choices(body, bound), bound, used, self.knowledge)
        ready, rest = take_ready(scoped(body, set(bound)), set(bound))
        return self.plan_conditions([*ready, *(condition for condition, _ in rest)], set(bound), None, (), carriers)

    def plan_collection(self, template: Term, body: tuple[Condition, ...], bound: set[str]) -> list[Operator]:
        """Operators for the body of a collection. Variables that only one condition uses may stay unbound."""
        ordered = defer_open_goals(body, bound, None, self.knowledge)
        may_stay = frozenset(_mentioned_once(ordered) - set(variables(template)))
        return [operator.leaving_open(may_stay) for operator in self.plan_body(ordered, bound)]

    def goal_operator(self, goal: Term, bound: set[str]) -> Operator:
        """The operator for an atemporal goal."""
        assert is_callable(goal)
        key = name_and_arity(goal)
        names = list(variables(goal))
        inputs = tuple(name for name in names if name in bound)
        outputs = tuple(name for name in names if name not in bound and not name.startswith(UNUSED))
        is_needing = bool(self.knowledge.needed(goal, bound))
        is_sure = set(outputs) <= self.knowledge.ground_after(goal, bound) and not is_needing
        is_stable = self.knowledge.is_stable(goal)
        members = () if is_stable else self.knowledge.tested_members(goal, set(inputs))
        prove = Prove(goal, inputs, outputs, is_stable, is_sure, is_needing, members)
        if isinstance(goal, Struct):
            if key[0] in COMPARISONS and key[1] == 2:
                return ComputeNumbers(goal, prove)
            if key == ("is", 2) and set(variables(goal.args[1])) <= bound:
                return ComputeNumbers(goal, prove)
            if is_term_comparison(goal) and set(names) <= bound:
                return CompareTerms(goal)
            if key == ("=", 2):
                left, right = goal.args
                if set(variables(right)) <= bound:
                    return Unify(left, right)
                if set(variables(left)) <= bound:
                    return Unify(right, left)
            if self.knowledge.is_relation(key):
                return JoinFacts(key, goal.args)
            if key in CALENDAR and not self.knowledge.is_defined(key) and set(variables(goal.args[0])) <= bound:
                return ComputeCalendar(goal, prove)
            if key in SPATIAL and not self.knowledge.is_defined(key):
                if set(variables(*goal.args[: SPATIAL[key]])) <= bound:
                    return ComputePositions(goal, prove)
        either = unfold(goal, bound, self.knowledge) if self.is_unfolding and is_sure else None
        if either is not None:
            branches = tuple(tuple(self.plan_body(branch, bound, used=set(outputs))) for branch in either.branches)
            return UnionClauses(branches, outputs, goal)
        return prove


def _mentioned_once(body: Sequence[Condition]) -> set[str]:
    """The variables that exactly one condition mentions, counted within branches too."""
    counts = Counter(name for condition in body for name in {*condition_variables(condition)})
    for condition in body:
        for branch in condition.branches if isinstance(condition, Either) else ():
            once = _mentioned_once(branch)
            counts.update({name for each in branch for name in condition_variables(each)} - once)
    return {name for name, n in counts.items() if n == 1}


def _dropping(bound: set[str], keep: set[str]) -> list[Operator]:
    return [Project(tuple(sorted(bound - keep)))] if bound - keep else []


def mentions(body: Iterable[Condition], name: str) -> bool:
    """Whether a condition mentions a variable."""
    return any(name in condition_variables(condition) for condition in body)
