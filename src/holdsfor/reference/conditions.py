"""The bindings that satisfy the conditions of a rule at a time-point.

Conditions are evaluated in source order, except that a condition waits for the variables it needs: a comparison for all
of its variables, a negation or a collection for the variables that also occur outside it. A test that is written before
arithmetic guards it. Atemporal goals that bind variables come last. A goal that leaves a variable unbound is proved
again, together with the other such goals, after all other conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from holdsfor.analysis.safety import bound_by
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.prolog import Engine, standard_order_key
from holdsfor.prolog.library import open_lists
from holdsfor.reference.matching import Binding, match
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
    elsewhere,
    outer_variables,
    show_condition,
)
from holdsfor.syntax.terms import (
    Float,
    Int,
    Struct,
    Term,
    Var,
    is_callable,
    is_ground,
    list_term,
    name_and_arity,
    substitute,
    variables,
)

__all__ = ["Conditions", "TimePointView"]

_COMPARISONS = frozenset(["<", ">", "=<", ">=", "=:=", "=\\=", "\\=", "\\==", "@<", "@>", "@=<", "@>="])


class TimePointView(Protocol):
    """The ground events and FVPs (terms `F=V`) at one time-point."""

    time: int

    def events(self) -> Iterable[Term]: ...
    def started(self, pattern: Term) -> Iterable[Term]: ...
    def ended(self, pattern: Term) -> Iterable[Term]: ...
    def begun(self) -> Iterable[Term]: ...
    def over(self) -> Iterable[Term]: ...
    def holding(self, pattern: Term) -> Iterable[Term]: ...
    def initiated(self) -> Iterable[Term]: ...
    def broken(self, pattern: Term) -> Iterable[Term]: ...
    def ranging(self, head: Term, name: str, binding: Binding) -> Iterable[Binding]: ...


Waiting = list[tuple[Condition, set[str]]]


def scoped(body: tuple[Condition, ...], around: set[str]) -> Waiting:
    """Each condition with the variables that also occur outside it."""
    return list(zip(body, elsewhere(body, around), strict=True))


class Conditions:
    """The conditions of one rule, with its head."""

    def __init__(self, head: Term, time: Var | None, body: tuple[Condition, ...], engine: Engine) -> None:
        self.head = head
        self.time = time
        self.engine = engine
        around = set(variables(head)) | ({time.name} if time is not None else set())
        self.body = scoped(body, around)

    def solutions(self, moment: TimePointView, binding: Binding | None = None) -> Iterator[Binding]:
        """The bindings that satisfy all conditions at the time-point."""
        known = dict(binding or {})
        if self.time is not None:
            known[self.time.name] = Int(moment.time)
        yield from self.solve(self.body, known, moment)

    def solve(
        self, waiting: Waiting, binding: Binding, moment: TimePointView, again: tuple[Term, ...] = ()
    ) -> Iterator[Binding]:
        """The bindings that satisfy the waiting conditions; the goals `again` have left variables unbound."""
        ready = next((e for e in waiting if self.is_next(*e, waiting, binding)), None)
        if ready is not None:
            rest = [each for each in waiting if each is not ready]
            condition, outside = ready
            for extended in self.satisfy(condition, outside, binding, moment):
                yield from self.solve(rest, extended, moment, again)
            return
        for each in sorted(waiting, key=lambda each: self.rank(each[0], set(binding))):
            test, outside = each
            found = None
            if isinstance(test, Test) and not _awaits_list(test, waiting, binding):
                found = self.proved(test, outside, binding, again)
            if found is not None and isinstance(test, Test):
                rest = [other for other in waiting if other is not each]
                for extended, is_open in found:
                    yield from self.solve(rest, extended, moment, (*again, test.goal) if is_open else again)
                return
        yield from self.solve_open(waiting, binding, moment, again)

    def is_next(self, condition: Condition, outside: set[str], waiting: Waiting, binding: Binding) -> bool:
        """Whether a condition can be evaluated in source order: it is no goal that binds variables."""
        if isinstance(condition, Test):
            return set(variables(condition.goal)) <= set(binding) and not _awaits_list(condition, waiting, binding)
        return self.is_ready(condition, outside, set(binding))

    def rank(self, condition: Condition, bound: set[str]) -> int:
        """The order of goals: tests and facts, then goals that bind variables, then goals that may leave some open."""
        if not isinstance(condition, Test):
            return 3
        goal, groundness = condition.goal, self.engine.groundness
        if set(variables(goal)) <= bound or (is_callable(goal) and groundness.has_only_facts(name_and_arity(goal))):
            return 0
        return 1 if set(variables(goal)) <= groundness.after(goal, bound) else 2

    def proved(
        self, test: Test, outside: set[str], binding: Binding, again: tuple[Term, ...]
    ) -> list[tuple[Binding, bool]] | None:
        """The bindings that prove a goal, and whether it leaves a variable unbound; None if it must wait.

        The goal is proved together with the goals that have left its variables unbound.
        """
        is_equation = isinstance(test.goal, Struct) and test.goal.name == "="
        if not is_equation and not self.is_ready(test, outside, set(binding)):
            return None
        try:
            own = set(variables(test.goal)) - set(binding)
            sharing = [goal for goal in again if own & set(variables(goal))]
            return list(self.answers(_conjunction([*sharing, test.goal]), binding))
        except ExecutionProblem as problem:
            if set(variables(test.goal)) <= set(binding) or not _needs_values(problem):
                raise
            return None

    def solve_open(
        self, waiting: Waiting, binding: Binding, moment: TimePointView, again: tuple[Term, ...]
    ) -> Iterator[Binding]:
        """Satisfy the rest: goals that share unbound variables, then head variables, which range over the grounding."""
        joint = [extended for extended, _ in self.answers(_conjunction(again), binding)] if again else [binding]
        for extended in _distinct(joint):
            if len(extended) > len(binding):
                yield from self.solve(waiting, extended, moment, again)
            else:
                yield from self.over_instances(waiting, binding, moment, again)

    def over_instances(
        self, waiting: Waiting, binding: Binding, moment: TimePointView, again: tuple[Term, ...]
    ) -> Iterator[Binding]:
        unbound = set(variables(self.head)) - set(binding)
        if not waiting and not unbound & set(variables(*again)):
            yield binding
            return
        if not unbound & set(variables(*again)).union(*(_unblocking_names(each) for each, _ in waiting)):
            condition = waiting[0][0]
            raise self.open_variable(condition, min(set(condition_variables(condition)) - set(binding)))
        self.raise_problems(waiting, binding)
        for extended in moment.ranging(self.head, self.ranging_name(waiting, binding, again), binding):
            yield from self.solve(waiting, extended, moment, again)

    def ranging_name(self, waiting: Waiting, binding: Binding, again: tuple[Term, ...]) -> str:
        """The next head variable to range over its domain: one that is needed, and that no goal computes."""
        bound = set(binding)
        needs = [self.needed(*each, bound) for each in waiting]
        computed = {
            name
            for (condition, _), needed in zip(waiting, needs, strict=True)
            for name in outer_variables(condition) - needed
        }
        needed = set(variables(*again)).union(*needs)
        names = [name for name in variables(self.head) if name not in bound]
        return min(names, key=lambda name: (name not in needed, name in computed))

    def needed(self, condition: Condition, outside: set[str], bound: set[str]) -> set[str]:
        """The variables without values that a condition waits for."""
        match condition:
            case Test(Struct(name="is", args=(_, right))):
                return set(variables(right)) - bound
            case Test(Struct(name=name, args=(_, _)) as goal) if name in _COMPARISONS:
                return set(variables(goal)) - bound
            case Test(goal):
                return self.engine.groundness.needed(goal, bound) - bound
            case Not(body):
                return {name for inner in body for name in condition_variables(inner)} & outside - bound
            case Collect(template, body):
                own = {name for inner in body for name in condition_variables(inner)}
                return ((own & outside) | (set(variables(template)) - own)) - bound
            case Either(branches):
                return {name for branch in branches for name in self.needed_in(scoped(branch, outside), set(bound))}
        return set()

    def needed_in(self, waiting: Waiting, bound: set[str]) -> set[str]:
        """The variables that a branch waits for after all conditions that can be evaluated."""
        while ready := next((each for each in waiting if not self.needed(*each, bound)), None):
            waiting.remove(ready)
            bound |= bound_by(ready[0])
        return {name for each in waiting for name in self.needed(*each, bound)}

    def raise_problems(self, waiting: Waiting, binding: Binding) -> None:
        """Raise the problem of a goal that waits although it needs none of its variables: no value can help."""
        bound = set(binding)
        for test, outside in waiting:
            if isinstance(test, Test) and self.is_ready(test, outside, bound):
                if not _awaits_list(test, waiting, binding) and not self.engine.groundness.needed(test.goal, bound):
                    list(self.answers(test.goal, binding))

    def open_variable(self, condition: Condition, name: str) -> ExecutionProblem:
        """The problem of a condition that needs a variable which a goal has left unbound."""
        message = f"`{name}` has no value in `{show_condition(condition)}`"
        return ExecutionProblem(
            Diagnostic("HF602", message, condition.span, f"bind `{name}` by another condition of the same rule")
        )

    def is_ready(self, condition: Condition, outside: set[str], bound: set[str]) -> bool:
        match condition:
            case Test(Struct(name="is", args=(_, right))):
                return set(variables(right)) <= bound
            case Test(Struct(name="=", args=(left, right))):
                return set(variables(left)) <= bound or set(variables(right)) <= bound
            case Test(Struct(name=name, args=(_, _)) as goal) if name in _COMPARISONS:
                return set(variables(goal)) <= bound
            case Not(body):
                return {name for inner in body for name in condition_variables(inner)} & outside <= bound
            case Collect(template, body):
                own = {name for inner in body for name in condition_variables(inner)}
                return (own & outside) | (set(variables(template)) - own) <= bound
            case Either(branches):
                return all(self.can_finish(scoped(branch, outside), set(bound)) for branch in branches)
        return True

    def can_finish(self, waiting: Waiting, bound: set[str]) -> bool:
        while waiting:
            ready = next((each for each in waiting if self.is_ready(*each, bound)), None)
            if ready is None:
                return False
            waiting.remove(ready)
            bound |= bound_by(ready[0])
        return True

    # -- one condition -----------------------------------------------------------------------------------------------

    def satisfy(
        self, condition: Condition, outside: set[str], binding: Binding, moment: TimePointView
    ) -> Iterator[Binding]:
        match condition:
            case Happens(event):
                yield from _matches(event, moment.events(), binding)
            case StartsI(fvp):
                yield from _matches(fvp.term, moment.begun(), binding)
            case EndsI(fvp):
                yield from _matches(fvp.term, moment.over(), binding)
            case Starts(fvp):
                yield from _matches(fvp.term, moment.started(substitute(fvp.term, binding)), binding)
            case Ends(fvp):
                yield from _matches(fvp.term, moment.ended(substitute(fvp.term, binding)), binding)
            case Holds(fvp):
                pattern = substitute(fvp.term, binding)
                yield from _matches(fvp.term, moment.holding(pattern), binding)
            case Initiated(fvp):
                yield from _matches(fvp.term, moment.initiated(), binding)
            case Terminated(fvp):
                pattern = Struct("=", (substitute(fvp.fluent, binding), fvp.value))
                yield from _matches(fvp.term, moment.broken(pattern), binding)
            case Test(goal):
                yield from (extended for extended, _ in self.answers(goal, binding))
            case Not(body):
                if next(self.solve(scoped(body, outside), binding, moment), None) is None:
                    yield binding
            case Either(branches):
                for branch in branches:
                    yield from self.solve(scoped(branch, outside), binding, moment)
            case Collect():
                yield from self.collect(condition, outside, binding, moment)

    def answers(self, goal: Term, binding: Binding) -> Iterator[tuple[Binding, bool]]:
        """The bindings with which the background knowledge proves a goal, and whether it leaves a variable unbound."""
        for answer in self.engine.solve(substitute(goal, binding)):
            known = {name: term for name, term in answer.items() if is_ground(term)}
            yield {**binding, **known}, len(known) < len(answer)

    def collect(
        self, condition: Collect, outside: set[str], binding: Binding, moment: TimePointView
    ) -> Iterator[Binding]:
        """One answer: the aggregate over the distinct solutions of the body, in standard order."""
        found = {
            (substitute(condition.template, solution), tuple(sorted(solution.items(), key=lambda item: item[0])))
            for solution in self.solve(scoped(condition.body, outside), binding, moment)
        }
        items = sorted((template for template, _ in found), key=standard_order_key)
        open_names = variables(*items)
        if open_names:
            raise self.open_variable(condition, min(open_names))
        value = aggregate(condition, items, self.engine)
        extended = None if value is None else match(condition.result, value, binding)
        if extended is not None:
            yield extended


def _awaits_list(test: Test, waiting: Waiting, binding: Binding) -> bool:
    """Whether a goal iterates over a list that another condition has not computed yet."""
    awaited = open_lists(test.goal) - set(binding)
    return bool(awaited) and bool(awaited & _computed([condition for condition, _ in waiting], set(binding)))


def _computed(waiting: list[Condition], known: set[str]) -> set[str]:
    """The variables that conditions compute; a goal on a list computes variables once its list is computed."""
    found: set[str] = set()
    n = -1
    while n != len(found):
        n = len(found)
        for condition in waiting:
            lists = open_lists(condition.goal) if isinstance(condition, Test) else set[str]()
            if lists <= known | found and not _is_comparison(condition):
                found |= outer_variables(condition) - lists
    return found


def _is_comparison(condition: Condition) -> bool:
    is_goal = isinstance(condition, Test) and isinstance(condition.goal, Struct)
    return is_goal and condition.goal.name in _COMPARISONS  # type: ignore[union-attr]


def _unblocking_names(condition: Condition) -> set[str]:
    """The variables whose values may unblock a condition: not those that it computes itself."""
    if isinstance(condition, Collect):
        return set(variables(condition.template)).union(*map(condition_variables, condition.body))
    return set(condition_variables(condition))


def _needs_values(problem: ExecutionProblem) -> bool:
    return any(diagnostic.code == "HF602" for diagnostic in problem.diagnostics)


def _conjunction(goals: Sequence[Term]) -> Term:
    *first, joint = goals
    for goal in reversed(first):
        joint = Struct(",", (goal, joint))
    return joint


def _distinct(bindings: Iterable[Binding]) -> list[Binding]:
    return list({frozenset(binding.items()): binding for binding in bindings}.values())


def _matches(pattern: Term, grounds: Iterable[Term], binding: Binding) -> Iterator[Binding]:
    for ground in list(grounds):
        extended = match(pattern, ground, binding)
        if extended is not None:
            yield extended


def aggregate(condition: Collect, items: list[Term], engine: Engine) -> Term | None:
    """The aggregate of the items that have a value; None for the maximum or minimum of no items."""
    match condition.aggregate:
        case "list" | "bag":
            return list_term(items)
        case "set":
            return list_term(dict.fromkeys(items))
        case "count":
            return Int(len(items))
    numbers = [number for item in items if (number := engine.number(item, condition.span)) is not None]
    if condition.aggregate == "sum":
        total: Int | Float | None = Int(0)
        for number in numbers:
            total = None if total is None else engine.number(Struct("+", (total, number)), condition.span)
        return total
    if not numbers:
        return None
    return (max if condition.aggregate == "max" else min)(numbers, key=lambda number: number.value)
