"""Rules to steps: which operator answers which condition, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from holdsfor.analysis.safety import bound_by, scoped, take_ready
from holdsfor.columns.tables import Key
from holdsfor.errors import Diagnostic, PlanningProblem
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.unfold import unfolded
from holdsfor.physical.arithmetic import COMPARISONS
from holdsfor.physical.patterns import ANYTHING
from holdsfor.physical.steps import (
    AnyClause,
    AnyOf,
    Broken,
    Forget,
    Gather,
    GroundHead,
    HoldsNow,
    JoinFacts,
    MatchPoints,
    NoneOf,
    PointKind,
    Prove,
    StampTime,
    Step,
    TestNumbers,
    Unify,
)
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Either,
    Ends,
    Fvp,
    Happens,
    Holds,
    Initiated,
    IntervalRule,
    Not,
    Starts,
    Terminated,
    Test,
    condition_variables,
)
from holdsfor.syntax.terms import Struct, Term, Var, is_callable, name_and_arity, variables

__all__ = ["Planner", "fvp_patterns"]


def fvp_patterns(fvp: Fvp) -> tuple[Key, tuple[Term, ...]]:
    """The key of a fluent and the patterns of its columns: arguments, then value."""
    arguments = fvp.fluent.args if isinstance(fvp.fluent, Struct) else ()
    return name_and_arity(fvp.fluent), (*arguments, fvp.value)


_POINT_KINDS: dict[type[Condition], PointKind] = {Starts: "starts", Ends: "ends", Initiated: "initiations"}


@dataclass(frozen=True)
class Planner:
    """Plans the bodies of rules; one that is not `is_rewriting` takes them as they are written."""

    knowledge: Knowledge
    is_rewriting: bool = field(default=True, kw_only=True)
    _tests: dict[tuple[int, frozenset[str]], tuple[Step, ...]] = field(default_factory=dict, repr=False, compare=False)

    def steps(self, head: Term, time: Var, body: tuple[Condition, ...]) -> tuple[tuple[Step, ...], set[str]]:
        """The steps of a rule and the variables they bind; head variables may be left to the grounding."""
        bound = {time.name}
        before, rest = take_ready(scoped(body, set(variables(head)) | bound), bound)
        uses = [condition_variables(c) for c in _all_tests(body)] + [variables(head)]
        stamp = time.name if any(time.name in names for names in uses) else None
        done: set[str] = set()
        in_order = _time_first(before)
        used_after = {name for condition, _ in rest for name in condition_variables(condition)} | set(variables(head))
        steps = self.plan(in_order, done, stamp, _lives(in_order, used_after))
        if rest:
            steps.append(GroundHead(head))
            done.update(variables(head))
            bound.update(variables(head))
            after, stuck = take_ready(rest, bound)
            assert not stuck, "the safety analysis refuses rules that get stuck"
            steps += self.plan(after, done, None)
        return tuple(steps), done

    def atemporal_steps(self, head: Term, body: tuple[Condition, ...]) -> tuple[Step, ...]:
        """The steps of atemporal conditions; head variables that they need unbound range over the grounding."""
        bound: set[str] = set()
        before, rest = take_ready(scoped(body, set(variables(head))), bound)
        done: set[str] = set()
        steps = self.plan(before, done, None)
        if rest:
            steps.append(GroundHead(head))
            done.update(variables(head))
            after, _ = take_ready(rest, bound | set(variables(head)))
            steps += self.plan(after, done, None)
        return tuple(steps)

    def plan(
        self, body: Sequence[Condition], bound: set[str], stamp: str | None, lives: Sequence[set[str]] = ()
    ) -> list[Step]:
        """Steps for conditions in the order they stand; `bound` grows along.

        `lives` are the variables that are asked for after each condition; columns of others are dropped on the way.
        """
        steps: list[Step] = []
        for i, condition in enumerate(body):
            step = self.step(condition, bound)
            if lives:
                keep = lives[i] | ({stamp} if stamp is not None else set())
                steps += [*_blind(step, bound, keep), *_forget(bound | bound_by(condition), keep)]
            else:
                steps.append(step)
            bound.update(bound_by(condition))
            if stamp is not None and isinstance(condition, Happens | Starts | Ends | Initiated | Terminated | Either):
                steps.append(StampTime(stamp))
                bound.add(stamp)
                stamp = None
        return steps

    def step(self, condition: Condition, bound: set[str]) -> Step:
        match condition:
            case Happens(event):
                arguments = event.args if isinstance(event, Struct) else ()
                return MatchPoints("events", name_and_arity(event), arguments)
            case Starts(fvp) | Ends(fvp) | Initiated(fvp):
                return MatchPoints(_POINT_KINDS[type(condition)], *fvp_patterns(fvp))
            case Holds(fvp):
                return HoldsNow(*fvp_patterns(fvp))
            case Terminated(fvp):
                return self.broken(fvp, condition, bound)
            case Test(goal):
                return self.test(goal, bound)
            case Not(body):
                return NoneOf(tuple(self.inner(body, bound)))
            case Either(branches):
                names = tuple(sorted(bound_by(condition)))
                return AnyOf(tuple(tuple(self.inner(b, bound)) for b in branches), names)
            case Collect(template, body, result, aggregate):
                own = {name for c in body for name in condition_variables(c)}
                return Gather(template, tuple(self.inner(body, bound)), tuple(sorted(own)), result, aggregate)

    def broken(self, fvp: Fvp, condition: Condition, bound: set[str]) -> Step:
        if set(variables(fvp.value)) <= bound:
            return Broken(*fvp_patterns(fvp))
        message = f"`terminatedAt({fvp}, …)` with an unbound value is not supported by this engine as a condition"
        raise PlanningProblem(
            Diagnostic("HF401", message, condition.span, "bind them first, or use `--engine reference`")
        )

    def inner(self, body: tuple[Condition, ...], bound: set[str]) -> list[Step]:
        """Steps for a body inside a negation, a branch or a collection: what is bound outside is all it shares."""
        ready, rest = take_ready(scoped(body, set(bound)), set(bound))
        return self.plan([*ready, *(condition for condition, _ in rest)], set(bound), None)

    def tests(self, rule: IntervalRule, names: frozenset[str]) -> tuple[Step, ...]:
        """Steps for the atemporal conditions of a rule over intervals, given the variables that have values."""
        place = id(rule), names
        if place not in self._tests:
            conditions = tuple(step for step in rule.body if isinstance(step, Test | Not))
            self._tests[place] = tuple(self.inner(conditions, set(names)))
        return self._tests[place]

    def test(self, goal: Term, bound: set[str]) -> Step:
        """The operator for an atemporal goal."""
        assert is_callable(goal)
        key = name_and_arity(goal)
        names = list(variables(goal))
        inputs = tuple(name for name in names if name in bound)
        outputs = tuple(name for name in names if name not in bound)
        prove = Prove(goal, inputs, outputs, self.knowledge.is_stable(goal))
        if isinstance(goal, Struct):
            if key[0] in COMPARISONS and key[1] == 2:
                return TestNumbers(goal, prove)
            if key == ("is", 2) and set(variables(goal.args[1])) <= bound:
                return TestNumbers(goal, prove)
            if key == ("=", 2):
                left, right = goal.args
                if set(variables(right)) <= bound:
                    return Unify(left, right)
                if set(variables(left)) <= bound:
                    return Unify(right, left)
            if self.knowledge.is_relation(key):
                return JoinFacts(key, goal.args)
        either = unfolded(goal, bound, self.knowledge) if self.is_rewriting else None
        if either is not None:
            return AnyClause(tuple(tuple(self.inner(branch, bound)) for branch in either.branches), outputs, goal)
        return prove


def _lives(body: Sequence[Condition], used_after: set[str]) -> list[set[str]]:
    """For each condition the variables that later ones or the head ask for."""
    lives: list[set[str]] = []
    needed = set(used_after)
    for condition in reversed(body):
        lives.append(set(needed))
        needed |= set(condition_variables(condition))
    return lives[::-1]


def _blind(step: Step, bound: set[str], keep: set[str]) -> list[Step]:
    """The step without columns for variables that stand for nothing else."""
    if not isinstance(step, MatchPoints | JoinFacts | HoldsNow):
        return [step]
    names = Counter(name for pattern in step.patterns for name in variables(pattern))
    patterns = tuple(
        ANYTHING if isinstance(p, Var) and names[p.name] == 1 and p.name not in bound | keep else p
        for p in step.patterns
    )
    return [replace(step, patterns=patterns)]


def _forget(bound: set[str], keep: set[str]) -> list[Step]:
    return [Forget(tuple(sorted(bound - keep)))] if bound - keep else []


def _all_tests(body: Iterable[Condition]) -> list[Condition]:
    """Every condition of a body that is not made of others, at any depth."""
    found: list[Condition] = []
    for condition in body:
        match condition:
            case Happens() | Starts() | Ends() | Holds() | Initiated() | Terminated() | Test():
                found.append(condition)
            case Not(inner) | Collect(body=inner):
                found += _all_tests(inner)
            case Either(branches):
                found += [test for branch in branches for test in _all_tests(branch)]
    return found


def _time_first(body: list[Condition]) -> list[Condition]:
    """The conditions with one that says when in front: the others need the time-point."""
    needs_time = [i for i, c in enumerate(body) if isinstance(c, Holds | Not | Collect)]
    says_when = [
        i for i, c in enumerate(body) if isinstance(c, Happens | Starts | Ends | Initiated | Terminated | Either)
    ]
    if needs_time and says_when and says_when[0] > needs_time[0]:
        first = body[says_when[0]]
        return [first, *(c for c in body if c is not first)]
    return body
