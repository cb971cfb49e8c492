"""Warn about rules that combine all instances of one condition with all instances of another.

Conditions that share a variable are joined, in any order, and so are conditions that a third one connects: with
`near(X,Y)`, the conditions `slow(X)` and `slow(Y)` are joined through it. Events of one time-point are joined by time,
because few events happen at a time-point. A fluent that only the time-point connects with the events is combined with
each of them for all instances that hold. If nothing else uses the variables of one side, one instance is enough, and
there is no product. In a negation, one instance is enough unless a comparison with a condition outside excludes it.
Facts alone are no product either: the background knowledge does not grow with the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from holdsfor.analysis.draft import Draft
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.analysis.safety import binds_time
from holdsfor.syntax.rules import (
    Condition,
    Fvp,
    Holds,
    HoldsFor,
    IntervalCall,
    IntervalRule,
    Not,
    PointRule,
    Test,
    condition_variables,
    step_variables,
)
from holdsfor.syntax.terms import Struct, Term, name_and_arity, variables

__all__ = ["cross_products"]

_COMPARISONS = {"<", ">", "=<", ">=", "=:=", "=\\=", "@<", "@>", "@=<", "@>=", "\\=", "\\==", "dif"}
_HINT = "add a condition with variables of both, or check the names of the variables"


def cross_products(draft: Draft) -> None:
    """Rules with conditions that share no variable, and that no other condition connects."""
    for rule in draft.description.point_rules:
        found = _unconnected_fluent(rule) or _compared_fluent(rule)
        if found is not None:
            message = (
                f"`{found.fvp}` shares only the time-point with the other conditions: each of them is combined with"
            )
            draft.diagnostics.add("HF314", f"{message} all instances that hold", found.span, _HINT)
    groundings = PatternIndex(
        (each.entity.term, each.goals) for each in draft.description.groundings if isinstance(each.entity, Fvp)
    )
    for interval_rule in draft.description.interval_rules:
        pair = _unconnected_lists(interval_rule, groundings)
        if pair is not None:
            first, second = pair
            message = f"`{first.fvp}` and `{second.fvp}` share no variable: all of their instances are combined"
            draft.diagnostics.add("HF314", message, second.span, _HINT)


class _Groups:
    """Names of variables, grouped by the conditions that mention them together."""

    def __init__(self, conditions: Iterable[Iterable[str]]) -> None:
        self._parent: dict[str, str] = {}
        for names in conditions:
            for one, other in pairwise(names):
                self._parent[self.of(other)] = self.of(one)

    def of(self, name: str) -> str:
        """One name of the group."""
        while self._parent.get(name, name) != name:
            name = self._parent[name]
        return name


# -- rules with a time-point -------------------------------------------------------------------------------------------


def _unconnected_fluent(rule: PointRule) -> Holds | None:
    """The first fluent that only the time-point connects with an event, if something else uses its variables."""
    time = rule.time.name
    groups = _Groups(_joined_names(condition, time) for condition in rule.body if _connects(condition))
    for condition in rule.body:
        if isinstance(condition, Holds):
            own = [name for name in variables(condition.fvp.fluent) if name != time]
            if own and groups.of(own[0]) != groups.of(time) and _are_used(rule, groups, own[0]):
                return condition
    return None


def _joined_names(condition: Condition, time: str) -> list[str]:
    """The variables of a condition; an event also has the time-point."""
    own = [name for name in condition_variables(condition) if name != time]
    return [time, *own] if binds_time((condition,)) else own


def _connects(condition: Condition) -> bool:
    """Whether a condition joins its variables: not a negation, nor a comparison."""
    return not isinstance(condition, Not) and not (isinstance(condition, Test) and _is_comparison(condition.goal))


def _is_comparison(goal: Term) -> bool:
    return isinstance(goal, Struct) and name_and_arity(goal)[1] == 2 and goal.name in _COMPARISONS


def _are_used(rule: PointRule, groups: _Groups, name: str) -> bool:
    """Whether the head, or a condition that is no join, mentions variables of a fluent and of the events.

    Otherwise one instance of the fluent or of the events is enough.
    """
    time = rule.time.name
    others = (name for each in rule.body if not _connects(each) for name in condition_variables(each))
    used = {groups.of(each) for each in (*variables(rule.head_term), *others) if each != time}
    return {groups.of(name), groups.of(time)} <= used


def _compared_fluent(rule: PointRule) -> Holds | None:
    """The first fluent in a negation that only a comparison connects with the conditions outside."""
    time = rule.time.name
    outside = [_joined_names(condition, time) for condition in rule.body if _connects(condition)]
    for negation in rule.body:
        body = negation.body if isinstance(negation, Not) else ()
        inside = [_joined_names(condition, time) for condition in body if _connects(condition)]
        groups = _Groups([*outside, *inside])
        compared = [{groups.of(name) for name in condition_variables(each)} for each in body if not _connects(each)]
        for condition in body:
            if isinstance(condition, Holds):
                own = {groups.of(name) for name in variables(condition.fvp.fluent) if name != time} - {groups.of(time)}
                if any(own & names and groups.of(time) in names for names in compared):
                    return condition
    return None


# -- rules over intervals ----------------------------------------------------------------------------------------------


def _unconnected_lists(
    rule: IntervalRule, groundings: PatternIndex[tuple[Term, ...]]
) -> tuple[HoldsFor, HoldsFor] | None:
    """Two fluents of which no condition, and no grounding of the head, connects the variables."""
    read = [step for step in rule.body if isinstance(step, HoldsFor) and step.instance_variables]
    inside = list(_connected_names(rule))
    for goals in groundings.matching(rule.fvp.term) or [()]:
        groups = _Groups([*inside, *([*variables(goal)] for goal in goals if not _is_comparison(goal))])
        for step in read[1:]:
            if groups.of(step.instance_variables[0]) != groups.of(read[0].instance_variables[0]):
                return read[0], step
    return None


def _connected_names(rule: IntervalRule) -> Iterator[list[str]]:
    for step in rule.body:
        if isinstance(step, HoldsFor):
            yield list(step.instance_variables)
        elif isinstance(step, IntervalCall) or (isinstance(step, Test) and not _is_comparison(step.goal)):
            yield list(step_variables(step))
