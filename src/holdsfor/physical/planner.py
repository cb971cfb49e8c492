"""Rules to steps: which operator answers which condition, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from holdsfor.analysis.safety import Scoped, binds_time, bound_by, needed_variables, scoped, take_ready
from holdsfor.columns.tables import Key
from holdsfor.logical.defer_open_goals import UNUSED, defer_open_goals, names_left_open
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.nodes import variable_id
from holdsfor.logical.rewrites import REWRITES, Rewrite
from holdsfor.logical.time_first import time_first, without_time
from holdsfor.logical.unfold import unfold
from holdsfor.physical.arithmetic import COMPARISONS
from holdsfor.physical.head_ranges import HeadRanges
from holdsfor.physical.number_columns import number_column_of
from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.compute_numbers import ComputeNumbers
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.operators.count_fluents import CountFluents, counts_fluents
from holdsfor.physical.operators.ground_head import GroundHead
from holdsfor.physical.operators.join_breaks import JoinBreaks
from holdsfor.physical.operators.join_broken_values import JoinBrokenValues
from holdsfor.physical.operators.join_facts import JoinFacts
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Operator, Plan
from holdsfor.physical.operators.project import Project
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.operators.stamp_time import StampTime
from holdsfor.physical.operators.unify import Unify
from holdsfor.physical.operators.union_branches import UnionBranches
from holdsfor.physical.operators.union_clauses import UnionClauses
from holdsfor.physical.rule_scope import RuleScope, connected
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Either,
    Ends,
    EndsI,
    Fvp,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    IntervalRule,
    Not,
    Starts,
    StartsI,
    Terminated,
    Test,
    condition_variables,
)
from holdsfor.syntax.terms import Struct, Term, Var, is_callable, is_ground, name_and_arity, variables

__all__ = ["Planner", "Shape", "distinct_variables", "fvp_patterns"]


def fvp_patterns(fvp: Fvp) -> tuple[Key, tuple[Term, ...]]:
    """The key of a fluent and the patterns of its columns: arguments, then value."""
    arguments = fvp.fluent.args if isinstance(fvp.fluent, Struct) else ()
    return name_and_arity(fvp.fluent), (*arguments, fvp.value)


@dataclass(frozen=True)
class Shape:
    """How an FVP of a rule is written.

    `arguments` are the names of the variables if each argument is one of its own; `value` is a value without variables.
    """

    key: Key
    patterns: tuple[Term, ...]
    arguments: tuple[str, ...] | None
    value: Term | None

    @property
    def is_plain(self) -> bool:
        """Whether its instances are those of the fluent, with one value."""
        return self.arguments is not None and self.value is not None


def shape_of(fvp: Fvp) -> Shape:
    key, patterns = fvp_patterns(fvp)
    value = patterns[-1] if is_ground(patterns[-1]) else None
    return Shape(key, patterns, distinct_variables(patterns[:-1]), value)


def distinct_variables(patterns: Sequence[Term]) -> tuple[str, ...] | None:
    """The names of the patterns, if they are variables, none of them twice."""
    names = tuple(pattern.name for pattern in patterns if isinstance(pattern, Var))
    return names if len(set(names)) == len(patterns) else None


_POINT_KINDS: dict[type[Condition], PointKind] = {
    Starts: "starts",
    Ends: "ends",
    StartsI: "startI",
    EndsI: "endI",
    Initiated: "initiations",
}


@dataclass(frozen=True)
class Untimed:
    """Rows that have no time-points yet: the variable for them, and whether it is mentioned anywhere."""

    time: str
    is_used: bool


Carriers: TypeAlias = Mapping[tuple[str, ...], Condition]
"""For tuples of variables the condition that numbers their instances."""


@dataclass(frozen=True)
class Planner:
    """Plans the bodies of rules; `rewrites` are those that are switched on."""

    knowledge: Knowledge
    rewrites: tuple[Rewrite, ...] = field(default=REWRITES, kw_only=True)
    _tests: dict[tuple[int, frozenset[str], frozenset[str] | None], Plan] = field(
        default_factory=dict, repr=False, compare=False
    )
    _scopes: dict[int, RuleScope] = field(default_factory=dict, repr=False, compare=False)
    _shapes: dict[int, tuple[Fvp, Shape]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_unfolding(self) -> bool:
        return any(rewrite.name == "unfold" for rewrite in self.rewrites)

    def shape(self, fvp: Fvp) -> Shape:
        """How an FVP is written, looked at once."""
        if id(fvp) not in self._shapes:
            self._shapes[id(fvp)] = fvp, shape_of(fvp)
        return self._shapes[id(fvp)][1]

    def steps(
        self,
        head: Term,
        time: Var,
        body: tuple[Condition, ...],
        arguments: tuple[str, ...] | None = None,
        open_value: str | None = None,
        *,
        is_termination: bool = False,
    ) -> tuple[Plan, set[str]]:
        """The steps of a rule and the variables they bind; head variables may be left to the grounding.

        With `arguments` given, instances come as numbers instead of words where that is of use: those of the arguments
        if one condition has all of them, unless the head has to be grounded, which it need not be for an `open_value`.
        """
        bound = {time.name}
        ranges = HeadRanges(head, self.knowledge, is_termination)
        body = tuple(time_first(body, time.name))
        body = defer_open_goals(body, bound, set(variables(head)), self.knowledge, frozenset(variables(head)))
        if names_left_open(body, bound, self.knowledge):
            arguments = None
        before, rest = ranges.take_ready(scoped(body, set(variables(head)) | bound), bound)
        untimed = Untimed(time.name, _mentions(body, time.name) or time.name in variables(head))
        waiting: list[Condition] = []
        if not binds_time(tuple(before)):
            before, waiting = without_time(before, time.name)
        done: set[str] = set()
        in_order = time_first(before, time.name)
        later = [*waiting, *(condition for condition, _ in rest)]
        used_after = {name for condition in later for name in condition_variables(condition)} | set(variables(head))
        is_grounded = not rest and set(variables(head)) <= bound | {open_value}
        carriers = {} if arguments is None else _carriers(in_order, arguments if is_grounded else ())
        if is_grounded and arguments in carriers:
            used_after = set(variables(*_beside_the_arguments(head)))
        steps = self.plan(in_order, done, untimed, _lives(in_order, used_after, carriers), carriers)
        is_untimed = not binds_time(tuple(in_order))
        for step, ready in ranges.rounds(rest, bound):
            steps.append(step)
            done |= step.bound_after(done)
            if is_untimed and binds_time(tuple(ready)):
                ready, waiting = time_first([*waiting, *ready], time.name), []
            elif is_untimed:
                ready, more = without_time(ready, time.name)
                waiting += more
            steps += self.plan(ready, done, untimed if is_untimed else None)
            is_untimed = is_untimed and not binds_time(tuple(ready))
        return self._with_head_ranges(steps, ranges), done

    def atemporal_steps(self, head: Term, body: tuple[Condition, ...]) -> Plan:
        """The steps of atemporal conditions; head variables that they need and do not bind range over their domain."""
        bound: set[str] = set()
        ranges = HeadRanges(head, self.knowledge)
        body = defer_open_goals(body, bound, set(variables(head)), self.knowledge, frozenset(variables(head)))
        before, rest = ranges.take_ready(scoped(body, set(variables(head))), bound)
        done: set[str] = set()
        steps = self.plan(before, done, None)
        for step, ready in ranges.rounds(rest, bound):
            steps.append(step)
            done |= step.bound_after(done)
            steps += self.plan(ready, done, None)
        return self._with_head_ranges(steps, ranges)

    @staticmethod
    def _with_head_ranges(steps: Sequence[Operator], ranges: HeadRanges) -> Plan:
        """The steps, where head variables that a goal leaves open range over their domain."""
        names = tuple((name, ranges.step(name, set(variables(ranges.head)))) for name in variables(ranges.head))
        return tuple(step.with_ranges(names) for step in steps)

    def grounding_steps(self, entity: Term, goals: Sequence[Term], given: Set[str]) -> Plan:
        """The steps of a grounding rule; variables of the entity that goals leave open, or need, range over sorts."""
        names, bound, done = set(variables(entity)), set(given), set(given)
        ranges: dict[str, Operator] = {name: RangeOver(name, entity, ()) for name in variables(entity)}
        body = defer_open_goals(_grounding_body(goals), bound, names, self.knowledge, frozenset(names))
        ready, rest = take_ready(scoped(body, bound | names), bound)
        steps = self.plan(ready, done, None)
        while rest:
            needed = set().union(*(needed_variables(*each, bound) for each in rest)) - bound
            ranged = next((name for name in ranges if name in needed), None)
            assert ranged is not None, "the safety analysis refuses groundings that get stuck"
            steps.append(ranges[ranged])
            bound.add(ranged)
            done.add(ranged)
            ready, rest = take_ready(rest, bound)
            steps += self.plan(ready, done, None)
        return tuple(step.with_ranges(tuple(ranges.items())) for step in steps)

    def open_grounding(self, entity: Term, body: Term, given: Set[str]) -> tuple[list[str], list[str]]:
        """The variables of an entity that the body of its grounding rule needs, and those that it may leave open."""
        needed = self.knowledge.needed(body, set(given))
        bound = self.knowledge.ground_after(body, needed | given)
        names = [name for name in variables(entity) if name in variables(body) and name not in given]
        return [name for name in names if name in needed], [n for n in names if n not in needed | bound]

    def leaves_open(self, entity: Term, body: Term) -> bool:
        """Whether a grounding rule leaves variables of the entity to their sorts."""
        return any(self.open_grounding(entity, body, set())) or not set(variables(entity)) <= set(variables(body))

    def plan(
        self,
        body: Sequence[Condition],
        bound: set[str],
        untimed: Untimed | None,
        lives: Sequence[set[str]] = (),
        carriers: Carriers = MappingProxyType({}),
    ) -> list[Operator]:
        """Steps for conditions in the order they stand; `bound` grows along. Rows may be `untimed` before them.

        `lives` are the variables that are asked for after each condition; columns of others are dropped on the way.
        `carriers` are conditions that number the instances of some variables.
        """
        steps: list[Operator] = []
        for i, condition in enumerate(body):
            step = self.step(condition, bound, carriers, untimed)
            if lives:
                keep = lives[i] | ({untimed.time} if untimed is not None else set())
                steps += [step.pruned(bound, keep), *_dropping(bound | bound_by(condition), keep)]
            else:
                steps.append(step)
            bound.update(bound_by(condition))
            if untimed is not None and binds_time((condition,)):
                steps += [StampTime(untimed.time)] if untimed.is_used else []
                bound |= {untimed.time} if untimed.is_used else set()
                untimed = None
        return steps

    def step(
        self,
        condition: Condition,
        bound: set[str],
        carriers: Carriers = MappingProxyType({}),
        untimed: Untimed | None = None,
    ) -> Operator:
        match condition:
            case Happens(event):
                arguments = event.args if isinstance(event, Struct) else ()
                return JoinPoints("events", name_and_arity(event), arguments, _numbered(condition, carriers))
            case Starts(fvp) | Ends(fvp) | Initiated(fvp):
                return JoinPoints(_POINT_KINDS[type(condition)], *fvp_patterns(fvp), _numbered(condition, carriers))
            case Holds(fvp):
                names = _asked_arguments(condition)
                return JoinFluents(*fvp_patterns(fvp), number_column_of(names) if names and names in carriers else None)
            case Terminated(fvp):
                return (JoinBreaks if is_ground(fvp.value) else JoinBrokenValues)(*fvp_patterns(fvp))
            case Test(goal):
                return self.test(goal, bound)
            case Not(body):
                return AntiJoin(tuple(self.inner(body, bound, carriers, used=set())))
            case Either(branches):
                outputs = tuple(sorted(bound_by(condition)))
                return UnionBranches(
                    tuple(tuple(self.branch(b, bound, set(outputs), untimed)) for b in branches), outputs
                )
            case Collect(template, body, result, aggregate):
                own = {name for c in body for name in condition_variables(c)} | set(variables(template))
                steps = tuple(self.collected(template, body, bound))
                is_count = aggregate == "count" and counts_fluents(steps, bound)
                return (CountFluents if is_count else Aggregate)(template, steps, tuple(sorted(own)), result, aggregate)

    def branch(
        self, body: tuple[Condition, ...], bound: set[str], used: set[str], untimed: Untimed | None
    ) -> list[Operator]:
        """Steps for a branch of a choice, which may be the condition that says when."""
        if untimed is None:
            return self.inner(body, bound, used=used)
        known = bound | {untimed.time}
        body = defer_open_goals(body, known, used, self.knowledge)
        ready, rest = take_ready(scoped(body, set(known)), set(known))
        in_order = time_first([*ready, *(condition for condition, _ in rest)], untimed.time)
        return self.plan(in_order, set(bound), Untimed(untimed.time, _mentions(body, untimed.time)))

    def inner(
        self,
        body: tuple[Condition, ...],
        bound: set[str],
        carriers: Carriers = MappingProxyType({}),
        *,
        used: set[str] | None = None,
    ) -> list[Operator]:
        """Steps for a body inside a negation, a branch or a collection: what is bound outside is all it shares.

        `used` are the variables whose values are used behind the body; None: of all variables.
        """
        body = defer_open_goals(body, bound, used, self.knowledge)
        ready, rest = take_ready(scoped(body, set(bound)), set(bound))
        return self.plan([*ready, *(condition for condition, _ in rest)], set(bound), None, (), carriers)

    def collected(self, template: Term, body: tuple[Condition, ...], bound: set[str]) -> list[Operator]:
        """Steps for the body of a collection. What is not collected may stay open, if one condition mentions it."""
        ordered = defer_open_goals(body, bound, None, self.knowledge)
        may_stay = frozenset(_mentioned_once(ordered) - set(variables(template)))
        return [step.leaving_open(may_stay) for step in self.inner(ordered, bound)]

    def scope(self, rule: IntervalRule) -> RuleScope:
        """What the variables of a rule over intervals range over, looked at once."""
        if id(rule) not in self._scopes:
            key = name_and_arity(rule.fvp.fluent)
            is_grounded = self.knowledge.is_grounded(key)
            bound = set(variables(rule.fvp.term)) if is_grounded else set[str]()
            goals = tuple(step for step in rule.body if isinstance(step, Test | Not))
            open_names = names_left_open(goals, bound, self.knowledge)
            self._scopes[id(rule)] = RuleScope(rule, is_grounded, open_names)
        return self._scopes[id(rule)]

    def tests(self, rule: IntervalRule, given: frozenset[str], wanted: frozenset[str] | None = None) -> Plan:
        """Steps for the atemporal goals of a rule over intervals, given the variables that have values.

        Variables that no goal binds range over the grounding of the head or over their sorts: the `wanted` ones. By
        default all goals must hold, head variables are wanted, and other variables need only have some value.
        """
        place = id(rule), given, wanted
        if place not in self._tests:
            self._tests[place] = tuple(self._instances(self.scope(rule), set(given), wanted))
        return self._tests[place]

    def _instances(self, scope: RuleScope, bound: set[str], wanted: frozenset[str] | None) -> list[Operator]:
        asked = scope.head if wanted is None else wanted
        waiting = scope.scoped(scope.tests if wanted is None else connected(scope.tests, asked - bound))
        names = [name for name in scope.names if wanted is None or name in wanted]
        steps: list[Operator] = []
        scope_names = set(scope.names)
        while True:
            ready, waiting = self._take_sure(waiting, bound, scope)
            goals = defer_open_goals(tuple(ready), bound, scope_names, self.knowledge, frozenset(scope_names))
            steps += self._ranging(self.plan(goals, bound, None), scope)
            needed = self._needed_first(waiting, bound, scope)
            missing = [name for name in (*needed, *names) if name not in bound]
            if not missing:
                return [*steps, *self.plan([condition for condition, _ in waiting], bound, None)]
            if scope.is_grounded and missing[0] in scope.head:
                steps.append(GroundHead(scope.rule.fvp.term))
                bound |= scope.head
            else:
                is_any = missing[0] not in needed and missing[0] not in asked
                steps.append(_range_over(scope, missing[0], is_any=is_any))
                bound.add(missing[0])

    def _take_sure(self, waiting: Scoped, bound: Set[str], scope: RuleScope) -> tuple[list[Condition], Scoped]:
        """The goals in an order in which each has what it needs, and binds the variables of lists that it mentions."""
        known, taken = set(bound), list[Condition]()
        while ready := next((each for each in waiting if self._needed(each, known, scope) <= known), None):
            waiting = [each for each in waiting if each is not ready]
            taken.append(ready[0])
            known |= bound_by(ready[0])
        return taken, waiting

    def _needed_first(self, waiting: Scoped, bound: set[str], scope: RuleScope) -> list[str]:
        """The variables that goals need; last come those that a goal binds once it has what it needs."""
        needed = {name for each in waiting for name in self._needed(each, bound, scope)}
        made: set[str] = set()
        for condition, outside in waiting:
            if isinstance(condition, Test):
                own = needed_variables(condition, outside, bound) | self.knowledge.needed(condition.goal, bound)
                made |= set(variables(condition.goal)) - own
        return sorted((name for name in scope.names if name in needed), key=lambda name: name in made)

    def _needed(self, each: tuple[Condition, set[str]], bound: set[str], scope: RuleScope) -> set[str]:
        """The variables that a goal needs; those that it may only test range over their sorts before it is proved."""
        condition, outside = each
        needed = needed_variables(condition, outside, bound)
        if not isinstance(condition, Test):
            return needed
        tested = scope.ranging & {*variables(condition.goal)}
        needed |= self.knowledge.needed(condition.goal, bound) & {*scope.names}
        return needed | (tested - self.knowledge.ground_after(condition.goal, bound | needed))

    def _ranging(self, steps: Sequence[Operator], scope: RuleScope) -> list[Operator]:
        """The steps, where variables that a goal leaves open range over the grounding of the head or their sorts."""
        ranges: list[tuple[str, Operator]] = []
        for name in scope.names:
            is_of_head = scope.is_grounded and name in scope.head
            ranges.append(
                (name, GroundHead(scope.rule.fvp.term) if is_of_head else _range_over(scope, name, is_any=False))
            )
        return [step.with_ranges(tuple(ranges)) for step in steps]

    def test(self, goal: Term, bound: set[str]) -> Operator:
        """The operator for an atemporal goal."""
        assert is_callable(goal)
        key = name_and_arity(goal)
        names = list(variables(goal))
        inputs = tuple(name for name in names if name in bound)
        outputs = tuple(name for name in names if name not in bound and not name.startswith(UNUSED))
        is_needing = bool(self.knowledge.needed(goal, bound))
        is_sure = set(outputs) <= self.knowledge.ground_after(goal, bound) and not is_needing
        prove = Prove(goal, inputs, outputs, self.knowledge.is_stable(goal), is_sure, is_needing)
        if isinstance(goal, Struct):
            if key[0] in COMPARISONS and key[1] == 2:
                return ComputeNumbers(goal, prove)
            if key == ("is", 2) and set(variables(goal.args[1])) <= bound:
                return ComputeNumbers(goal, prove)
            if key == ("=", 2):
                left, right = goal.args
                if set(variables(right)) <= bound:
                    return Unify(left, right)
                if set(variables(left)) <= bound:
                    return Unify(right, left)
            if self.knowledge.is_relation(key):
                return JoinFacts(key, goal.args)
        either = unfold(goal, bound, self.knowledge) if self.is_unfolding and is_sure else None
        if either is not None:
            branches = tuple(tuple(self.inner(branch, bound, used=set(outputs))) for branch in either.branches)
            return UnionClauses(branches, outputs, goal)
        return prove


def _mentioned_once(body: Sequence[Condition]) -> set[str]:
    """The variables that one condition mentions, and inside of branches also one."""
    counts = Counter(name for condition in body for name in {*condition_variables(condition)})
    for condition in body:
        for branch in condition.branches if isinstance(condition, Either) else ():
            once = _mentioned_once(branch)
            counts.update({name for each in branch for name in condition_variables(each)} - once)
    return {name for name, n in counts.items() if n == 1}


def _grounding_body(goals: Sequence[Term]) -> tuple[Test | Not, ...]:
    return tuple(map(_grounding_condition, goals))


def _grounding_condition(goal: Term) -> Test | Not:
    if isinstance(goal, Struct) and goal.name in ("\\+", "not") and len(goal.args) == 1:
        return Not((Test(goal.args[0], goal.span),), goal.span)
    return Test(goal, goal.span)


def _range_over(scope: RuleScope, name: str, *, is_any: bool) -> RangeOver:
    literals = [s for s in scope.rule.body if isinstance(s, HoldsFor) and name in s.instance_variables]
    known = tuple(fvp_patterns(s.fvp) for s in literals)
    return RangeOver(name, scope.pattern(name), known, is_any=is_any, id=variable_id(scope.rule, name))


def _beside_the_arguments(head: Term) -> tuple[Term, ...]:
    """What a head has besides the arguments of a fluent: its value."""
    return head.args[1:] if isinstance(head, Struct) and head.name == "=" else ()


def _carriers(body: Sequence[Condition], arguments: tuple[str, ...]) -> dict[tuple[str, ...], Condition]:
    """For the tuples of variables whose numbers are of use, the first condition that has them all.

    Such are the arguments of the head and of what must hold; who asks what holds must come after it.
    """
    asked = {names: i for i, c in reversed(list(enumerate(body))) if (names := _asked_arguments(c))}
    carriers: dict[tuple[str, ...], Condition] = {}
    for names in dict.fromkeys([*([arguments] if arguments else []), *asked]):
        for condition in body[: asked.get(names, len(body))]:
            is_of_use = isinstance(condition, Happens | Starts | Ends | Initiated)
            if is_of_use and _places(condition, names) is not None:
                carriers.setdefault(names, condition)
    return carriers


def _asked_arguments(condition: Condition) -> tuple[str, ...] | None:
    """The arguments of a fluent that must have a certain value, or must not, if they are variables of their own."""
    if isinstance(condition, Not) and len(condition.body) == 1:
        return _asked_arguments(condition.body[0])
    shape = shape_of(condition.fvp) if isinstance(condition, Holds) else None
    return shape.arguments if shape is not None and shape.value is not None else None


def _places(condition: Condition, names: tuple[str, ...]) -> tuple[int, ...] | None:
    """The positions of variables among the columns of a condition that says when, if all of them are there."""
    if isinstance(condition, Happens):
        patterns = condition.event.args if isinstance(condition.event, Struct) else ()
    else:
        assert isinstance(condition, Starts | Ends | Initiated)
        patterns = fvp_patterns(condition.fvp)[1]
    places = {pattern.name: i for i, pattern in enumerate(patterns) if isinstance(pattern, Var)}
    return tuple(places[name] for name in names) if set(names) <= set(places) else None


def _numbered(condition: Condition, carriers: Carriers) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The columns of numbers that a condition carries, and the positions whose words are numbered together."""
    carried = [names for names, carrier in carriers.items() if carrier is condition]
    return tuple((number_column_of(names), _places(condition, names) or ()) for names in carried)


def _lives(body: Sequence[Condition], used_after: set[str], carriers: Carriers) -> list[set[str]]:
    """For each condition the variables that later ones or the head ask for."""
    lives: list[set[str]] = []
    needed = set(used_after)
    for condition in reversed(body):
        lives.append(set(needed))
        if _asked_arguments(condition) not in carriers:
            needed |= set(condition_variables(condition))
    return lives[::-1]


def _dropping(bound: set[str], keep: set[str]) -> list[Operator]:
    return [Project(tuple(sorted(bound - keep)))] if bound - keep else []


def _mentions(body: Iterable[Condition], name: str) -> bool:
    return any(name in condition_variables(condition) for condition in body)
