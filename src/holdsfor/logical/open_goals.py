"""Goals that may leave a variable open come last, and those that share an open variable are proved together.

`price(_, 10).` says that everything costs 10. In `price(X, N), happensAt(buy(X), T)` the event gives X a value,
whichever condition stands first. In `same(X, Y), open(Y)` no condition may do so; then one proof of the conjunction is
needed, because an open variable has no column. A variable that nothing else mentions is renamed to an anonymous one,
and no column is made for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from holdsfor.analysis.safety import needed_variables, scoped, take_ready
from holdsfor.logical.knowledge import Knowledge
from holdsfor.syntax.rules import Condition, Not, Test, condition_variables, outer_variables
from holdsfor.syntax.terms import Struct, Term, Var, substitute, variables

__all__ = ["UNUSED", "names_left_open", "open_goals_last"]

UNUSED = "_#?"
"""How the names of variables begin that a goal may leave open, and that nothing else mentions."""


def open_goals_last(
    body: tuple[Condition, ...],
    bound: set[str],
    used: set[str] | None,
    knowledge: Knowledge,
    ranging: frozenset[str] = frozenset(),
) -> tuple[Condition, ...]:
    """The conditions in an order in which every goal binds its variables, then goals that may not, joined.

    `bound` are the variables that have values before the body, `used` those that are used behind it (None: all), and
    `ranging` those that range over a domain where a goal leaves them open.
    """
    if not any(isinstance(condition, Test) for condition in body):
        return body
    ordered, waiting, known = _in_order(body, bound, knowledge)
    if not waiting:
        return tuple(ordered) if used is None else _anonymous(ordered, bound, used, knowledge)
    open_names = {name for test in waiting for name in variables(test.goal)} - known - ranging
    joined, rest = _joined(waiting, ordered, open_names, known)
    together = [*rest, *joined]
    return tuple(together) if used is None else _anonymous(together, bound, used, knowledge)


def names_left_open(body: tuple[Condition, ...], bound: set[str], knowledge: Knowledge) -> frozenset[str]:
    """The variables that goals of a body may leave open, and that nothing else in it binds."""
    _, waiting, known = _in_order(body, bound, knowledge)
    able = [test for test in waiting if needed_variables(test, set(), known) <= known]
    return frozenset(name for test in able for name in set(variables(test.goal)) - known)


def _in_order(
    body: tuple[Condition, ...], bound: set[str], knowledge: Knowledge
) -> tuple[list[Condition], list[Test], set[str]]:
    """The conditions, each goal behind those that it needs; the goals that may leave variables open; what is bound."""
    known = set(bound)
    ordered: list[Condition] = []
    waiting: list[Test] = []
    for condition in body:
        if isinstance(condition, Test):
            waiting.append(condition)
        else:
            ordered.append(condition)
            known |= set() if isinstance(condition, Not) else outer_variables(condition)
        while (sure := next((test for test in waiting if _binds_all(test, known, knowledge)), None)) is not None:
            waiting = [test for test in waiting if test is not sure]
            ordered.append(sure)
            known |= set(variables(sure.goal))
    return ordered, waiting, known


def _binds_all(test: Test, known: set[str], knowledge: Knowledge) -> bool:
    if not needed_variables(test, set(), known) <= known:
        return False
    return set(variables(test.goal)) <= knowledge.ground_after(test.goal, known)


def _joined(
    waiting: Sequence[Test], ordered: Sequence[Condition], open_names: set[str], known: set[str]
) -> tuple[list[Test], list[Condition]]:
    """Goals that share open variables as one goal each, negations of goals with them, and the other conditions."""
    negations = [c for c in ordered if isinstance(c, Not) and _is_atemporal(c) and open_names & _shared(c, open_names)]
    groups: list[tuple[set[str], list[Condition]]] = []
    conditions: list[Condition] = [*waiting, *negations]
    for condition in conditions:
        names = set(condition_variables(condition)) & open_names
        touching = [group for group in groups if group[0] & names]
        groups = [group for group in groups if not group[0] & names]
        merged = [c for _, members in touching for c in members]
        groups.append((names.union(*(shared for shared, _ in touching)), [*merged, condition]))
    rest = [c for c in ordered if not any(c is negation for negation in negations)]
    return [_conjunction(members, known) for _, members in groups], rest


def _is_atemporal(negation: Not) -> bool:
    return all(isinstance(c, Test) or (isinstance(c, Not) and _is_atemporal(c)) for c in negation.body)


def _shared(negation: Not, open_names: set[str]) -> set[str]:
    return set(condition_variables(negation)) & open_names


def _conjunction(conditions: Sequence[Condition], known: set[str]) -> Test:
    bound = set(known)
    body = scoped(tuple(conditions), set(known))
    ready, stuck = take_ready(body, bound)
    goals = [_goal(condition) for condition in (*ready, *(condition for condition, _ in stuck))]
    return replace(_test(goals), span=conditions[0].span)


def _test(goals: Sequence[Term]) -> Test:
    *first, goal = goals
    for each in reversed(first):
        goal = Struct(",", (each, goal))
    return Test(goal)


def _goal(condition: Condition) -> Term:
    if isinstance(condition, Not):
        return Struct("\\+", (_test([_goal(inner) for inner in condition.body]).goal,), condition.span)
    assert isinstance(condition, Test)
    return condition.goal


def _anonymous(
    body: Iterable[Condition], bound: set[str], used: set[str], knowledge: Knowledge
) -> tuple[Condition, ...]:
    """The conditions, where variables that only one goal mentions, and that it may leave open, are anonymous."""
    conditions = tuple(body)
    mentioned = [set(condition_variables(condition)) for condition in conditions]
    others = [bound.union(used, *mentioned[:i], *mentioned[i + 1 :]) for i in range(len(conditions))]
    return tuple(
        _without_open(condition, others[i], knowledge) if isinstance(condition, Test) else condition
        for i, condition in enumerate(conditions)
    )


def _without_open(test: Test, used: set[str], knowledge: Knowledge) -> Test:
    unused = set(variables(test.goal)) - used
    if unused <= knowledge.ground_after(test.goal, used):
        return test
    renamed: dict[str, Term] = {name: Var(f"{UNUSED}{name}") for name in unused}
    return replace(test, goal=substitute(test.goal, renamed))
