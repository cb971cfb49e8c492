"""Statically determined fluents: the instances of a rule, and the interval operations of its body (section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from holdsfor.syntax.terms import EMPTY_LIST, Atom, Int, Struct, Term, Var, list_items, list_term
from tests.oracle.conditions import Ranges, Solver
from tests.oracle.description import StaticRule
from tests.oracle.domains import fluent_of
from tests.oracle.intervals import RELATIONS, Interval, allen, longer, shorter
from tests.oracle.scopes import alternatives, is_negation, scoped
from tests.oracle.terms import Binding, Refused, free_names, in_order, names_in, resolve, unify, value_if_any

if TYPE_CHECKING:
    from tests.oracle.model import Model

__all__ = ["StaticFluents"]

Lists = dict[str, list[Interval]]
MAX_ROUNDS = 40


class StaticFluents:
    def __init__(self, model: Model, memory: int | None) -> None:
        self.model, self.memory, self.line = model, memory, model.line
        self.found: dict[Term, list[Interval]] = {}
        self.rules = [_Rule(rule, model) for rule in model.description.static]

    def evaluate(self) -> None:
        """Apply the rules until nothing changes."""
        for _ in range(MAX_ROUNDS):
            before = dict(self.found)
            lists: dict[Term, list[list[Interval]]] = {}
            for rule in self.rules:
                for binding in rule.instances:
                    fvp = resolve(rule.rule.head, binding)
                    if self.model.domains.allows(fvp):
                        lists.setdefault(fvp, []).append(self._result(rule, binding))
            self.found = {fvp: found for fvp in lists if (found := self.line.union(lists[fvp]))}
            if self.found == before:
                return
        raise Refused("statically determined fluents depend on each other in a cycle")

    def _result(self, rule: _Rule, binding: Binding) -> list[Interval]:
        lists: Lists = {}
        waiting = list(rule.steps)
        while waiting:
            step = next((step for step in waiting if self._step(rule, step, binding, lists)), None)
            if step is None:
                raise Refused(f"interval operations cannot be ordered: {waiting}")
            waiting.remove(step)
        found = self._list(rule.rule.intervals, lists)
        assert found is not None
        return found

    def _step(self, rule: _Rule, step: Struct, binding: Binding, lists: Lists) -> bool:
        """Whether the step could be taken: its result is in `lists` then."""
        *_, target = step.args
        if step.name == "holdsFor":
            result: list[Interval] | None = self._operand(rule, step.args[0], binding)
        elif step.name == "=":
            left, right = (self._list(arg, lists) for arg in step.args)
            result, target = (right, step.args[0]) if left is None else (left, step.args[1])
        else:
            result = self._operation(step, binding, lists)
        if result is None:
            return False
        assert isinstance(target, Var)
        lists[target.name] = result
        return True

    def _operand(self, rule: _Rule, fvp: Term, binding: Binding) -> list[Interval]:
        here = resolve(fvp, binding)
        assert isinstance(here, Struct)
        if isinstance(here.args[1], Var):
            matching = [one for one in self.model.fvps(here.args[0]) if fluent_of(one) == here.args[0]]
            return self.line.union([self.model.intervals(one) for one in matching])
        return self.model.intervals(here)

    def _list(self, term: Term, lists: Lists) -> list[Interval] | None:
        """The intervals that a variable stands for, or that are written out."""
        if isinstance(term, Var):
            return lists.get(term.name)
        items, tail = list_items(term)
        if tail != EMPTY_LIST:
            raise Refused("not a list of intervals")
        return self.line.maximal(self.line.covered(map(_written, items)))

    def _lists(self, term: Term, lists: Lists) -> list[list[Interval]] | None:
        found = [self._list(item, lists) for item in list_items(term)[0]]
        return None if any(one is None for one in found) else [one for one in found if one is not None]

    def _operation(self, step: Struct, binding: Binding, lists: Lists) -> list[Interval] | None:
        args = step.args
        if step.name in ("union_all", "intersect_all", "complement_all"):
            operands = self._lists(args[0], lists)
            kernel = {"union": self.line.union, "intersect": self.line.intersection, "complement": self.line.complement}
            return None if operands is None else kernel[step.name.removesuffix("_all")](operands)
        if step.name == "relative_complement_all":
            base, operands = self._list(args[0], lists), self._lists(args[1], lists)
            return None if base is None or operands is None else self.line.difference(base, operands)
        if step.name in ("intDurGreater", "intDurLess"):
            base = self._list(args[0], lists)
            kernel2: Callable[..., list[Interval]] = longer if step.name == "intDurGreater" else shorter
            bound = value_if_any(args[1], binding)
            if base is None or bound is None:
                return None if base is None else []
            return kernel2(self.line, base, bound)
        if step.name not in _OPERATIONS:
            return self._predicate(step, binding, lists)
        relation, s, t, mode = args[:4] if step.name == "allen" else (Atom(step.name), *args[:3])
        left, right = self._list(s, lists), self._list(t, lists)
        if left is None or right is None:
            return None
        assert isinstance(relation, Atom)
        assert isinstance(mode, Atom)
        return allen(self.line, relation.name, left, right, mode.name, self.memory)

    def _predicate(self, step: Struct, binding: Binding, lists: Lists) -> list[Interval] | None:
        """A predicate of the background knowledge over lists of intervals, written as terms."""
        *given, result = step.args
        known = [_as_term(lists[arg.name]) if isinstance(arg, Var) and arg.name in lists else arg for arg in given]
        open_names = names_in(*known) & self._names(step)
        if open_names:
            return None
        found = self.model.background.answers(Struct(step.name, (*known, result)), binding)
        return [_written(item) for item in list_items(resolve(result, found[0]))[0]] if found else []

    def _names(self, step: Struct) -> set[str]:
        return set().union(*(rule.lists for rule in self.rules if step in rule.steps))


def _as_term(intervals: list[Interval]) -> Term:
    return list_term(Struct(",", (Int(i.start), Atom("inf") if i.end == inf else Int(int(i.end)))) for i in intervals)


def _written(term: Term) -> Interval:
    assert isinstance(term, Struct)
    start, end = term.args
    assert isinstance(start, Int)
    return Interval(start.value, end.value if isinstance(end, Int) else inf, start.value)


class _Rule:
    """A rule split into steps over intervals and goals that determine the instances."""

    def __init__(self, rule: StaticRule, model: Model) -> None:
        self.rule = rule
        self.steps: list[Struct] = []
        goals: list[Term] = []
        self.lists = lists = _interval_names(rule)
        for goal in rule.goals:
            if _is_step(goal, lists):
                assert isinstance(goal, Struct)
                self.steps.append(goal)
            elif goal != Atom("!") and not names_in(goal) & lists:
                goals.append(goal)
            elif isinstance(goal, Struct) and not _is_emptiness_test(goal):
                self.steps.append(goal)
        self.free_values = self._some_value(rule)
        self.instances = self._instances(model, goals, lists)

    @staticmethod
    def _some_value(rule: StaticRule) -> set[str]:
        """Value variables that stand nowhere else in the rule."""
        counts = Counter(_occurrences(rule.head))
        for goal in rule.goals:
            counts.update(_occurrences(goal))
        values = {
            goal.args[0].args[1].name
            for goal in rule.goals
            if isinstance(goal, Struct)
            and goal.name == "holdsFor"
            and isinstance(goal.args[0], Struct)
            and isinstance(goal.args[0].args[1], Var)
        }
        return {name for name in values if counts[name] == 1}

    def _instances(self, model: Model, goals: list[Term], lists: set[str]) -> list[Binding]:
        head = self.rule.head
        clause = (self.rule.text.head, self.rule.text.body)
        ranging = names_in(head, *(step.args[0] for step in self.steps if step.name == "holdsFor"))
        ranging |= {name for step in self.steps for name in names_in(step)}
        ranging -= lists | self.free_values
        body: Term = Atom("true")
        for goal in goals:
            body = goal if body == Atom("true") else Struct(",", (body, goal))
        found: dict[Term, Binding] = {}
        whole = Struct("$", (head, *(Var(name) for name in sorted(ranging))))
        for conjunction in alternatives(scoped(body, ranging, is_rule=True)):
            for binding in Solver(model.background).solve(conjunction, {}, self._ranges(model, clause, ranging)):
                found.setdefault(resolve(whole, binding), binding)
        return list(found.values())

    def _ranges(self, model: Model, clause: object, ranging: set[str]) -> Ranges:
        head = self.rule.head
        names = dict.fromkeys([*in_order(head), *sorted(ranging)])

        def one(name: str, binding: Binding) -> list[Binding]:
            is_of_head = name in free_names(head, binding) and model.domains.has_grounding(head)
            named = in_order(head) if is_of_head else [name]
            return self._widen(model, head if is_of_head else Atom("none"), clause, set(named), binding)

        return Ranges(list(names), one, lambda b: self._widen(model, head, clause, ranging, b))

    @staticmethod
    def _widen(model: Model, head: Term, clause: object, ranging: set[str], binding: Binding) -> list[Binding]:
        """A variable that no goal binds ranges over the head's grounding if there is one, else over its sort."""
        wide = [binding]
        if model.domains.has_grounding(head):
            fvps = model.domains.grounded(fluent_of(head))
            wide = [one for fvp in fvps if (one := unify(head, fvp, binding)) is not None]
        return [one for b in wide for one in model.domains.by_sort(ranging, clause, b)]  # type: ignore[arg-type]


def _occurrences(term: Term) -> list[str]:
    if isinstance(term, Var):
        return [term.name]
    return [name for arg in term.args for name in _occurrences(arg)] if isinstance(term, Struct) else []


_OPERATIONS = frozenset(
    ["holdsFor", "union_all", "intersect_all", "relative_complement_all", "complement_all", "intDurGreater"]
) | frozenset(["intDurLess", "allen", *RELATIONS])


def _interval_names(rule: StaticRule) -> set[str]:
    """The variables that stand for lists of intervals."""
    found = names_in(rule.intervals)
    for goal in rule.goals:
        if isinstance(goal, Struct) and goal.name in _OPERATIONS:
            found |= names_in(goal.args[-1])
            if goal.name != "holdsFor":
                found |= names_in(*(arg for arg in goal.args[:-1] if not _is_duration(goal, arg)))
        elif isinstance(goal, Struct) and names_in(goal.args[0]) & found and not _is_emptiness_test(goal):
            found |= names_in(goal.args[-1])
    n = -1
    while n != len(found):
        n = len(found)
        for goal in rule.goals:
            if isinstance(goal, Struct) and goal.name == "=" and names_in(goal) & found:
                found |= names_in(goal)
    return found


def _is_duration(goal: Struct, arg: Term) -> bool:
    return goal.name in ("intDurGreater", "intDurLess") and arg is goal.args[1]


def _is_emptiness_test(goal: Term) -> bool:
    return is_negation(goal) or (isinstance(goal, Struct) and goal.name in ("=", "\\=", "==", "\\=="))


def _is_step(goal: Term, lists: set[str]) -> bool:
    """Whether a goal computes intervals; tests of emptiness change nothing and are no steps."""
    if not isinstance(goal, Struct) or is_negation(goal):
        return False
    if goal.name == "=" and names_in(goal) & lists:
        return EMPTY_LIST not in goal.args
    return goal.name in _OPERATIONS
