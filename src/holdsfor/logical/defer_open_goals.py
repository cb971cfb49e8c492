"""Move goals that may leave a variable unbound to the end, and join the goals that share an unbound variable.

`price(_, 10).` says that everything costs 10. In `price(X, N), happensAt(buy(X), T)` the event binds X, whichever
condition comes first. In `same(X, Y), open(Y)` no condition may bind Y; then the conjunction needs one proof, because
an unbound variable has no column. A variable that only one goal mentions is renamed to an anonymous one, and has no
column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from holdsfor.analysis.safety import awaiting_lists, bound_by, needed_variables
from holdsfor.logical.join_goals import is_join_goal
from holdsfor.logical.knowledge import Knowledge
from holdsfor.syntax.rules import Condition, Either, Not, Test, condition_variables, outer_variables
from holdsfor.syntax.terms import Struct, Term, Var, is_callable, substitute, variables

__all__ = ["UNUSED", "defer_choices", "defer_open_goals", "names_left_open"]

UNUSED = "_#?"
"""The prefix of names of variables that a goal may leave unbound and that only this goal mentions."""


def defer_open_goals(
    body: tuple[Condition, ...],
    bound: set[str],
    used: set[str] | None,
    knowledge: Knowledge,
    ranging: frozenset[str] = frozenset(),
) -> tuple[Condition, ...]:
    """The conditions in an order in which every goal binds its variables, followed by the joined goals that may not.

    `bound` are the variables with values before the body, `used` the variables that are used after it (None: all), and
    `ranging` the variables that range over a domain if a goal leaves them unbound.
    """
    if not any(isinstance(condition, Test) for condition in body):
        return body
    ordered, waiting, known = _in_order(body, bound, knowledge)
    if not waiting:
        return tuple(ordered) if used is None else _anonymous(ordered, bound, used, knowledge)
    open_names = {name for test in waiting for name in variables(test.goal)} - known - ranging
    together = [*ordered, *_joined(_needing_last(waiting, known, knowledge), open_names)]
    return tuple(together) if used is None else _anonymous(together, bound, used, knowledge)


def defer_choices(body: tuple[Condition, ...], bound: set[str]) -> tuple[Condition, ...]:
    """The conditions, with disjunctions after the conditions that share a variable which only some branches bind.

    After the disjunction, the rows of the other branches have no value for such a variable.
    """
    mentioned = [set(condition_variables(condition)) for condition in body]

    def is_partial(i: int) -> bool:
        others = set().union(*mentioned[:i], *mentioned[i + 1 :])
        return bool((outer_variables(body[i]) - bound_by(body[i]) - bound) & others)

    last = [i for i, condition in enumerate(body) if isinstance(condition, Either) and is_partial(i)]
    return (*(body[i] for i in range(len(body)) if i not in last), *(body[i] for i in last))


def names_left_open(body: tuple[Condition, ...], bound: set[str], knowledge: Knowledge) -> frozenset[str]:
    """The variables that goals of a body may leave unbound, and that no other condition of the body binds."""
    _, waiting, known = _in_order(body, bound, knowledge)
    able = [test for test in waiting if needed_variables(test, set(), known) <= known]
    return frozenset(name for test in able for name in set(variables(test.goal)) - known)


def _in_order(
    body: tuple[Condition, ...], bound: set[str], knowledge: Knowledge
) -> tuple[list[Condition], list[Test], set[str]]:
    """The conditions, each goal after the goals that it needs; goals that may leave variables unbound; bound names."""
    known = set(bound)
    ordered: list[Condition] = []
    waiting: list[Test] = []
    for condition in body:
        if isinstance(condition, Test):
            waiting.append(condition)
        else:
            ordered.append(condition)
            known |= bound_by(condition)
        while (sure := next((t for t in waiting if _is_in_place(t, body, known, knowledge)), None)) is not None:
            waiting = [test for test in waiting if test is not sure]
            ordered.append(sure)
            known |= set(variables(sure.goal))
    while (sure := next((test for test in waiting if _binds_all(test, known, knowledge)), None)) is not None:
        waiting = [test for test in waiting if test is not sure]
        ordered.append(sure)
        known |= set(variables(sure.goal))
    return ordered, waiting, known


def _is_in_place(test: Test, body: tuple[Condition, ...], known: set[str], knowledge: Knowledge) -> bool:
    """Whether a goal binds all its variables and keeps its place; other goals' bindings could change a cut's effect."""
    if not _binds_all(test, known, knowledge):
        return False
    if not is_callable(test.goal) or is_join_goal(test.goal, knowledge):
        return True
    others = (condition for condition in body if condition is not test and _binds_early(condition, knowledge))
    return set(variables(test.goal)).isdisjoint(set().union(*map(bound_by, others)) - known)


def _binds_early(condition: Condition, knowledge: Knowledge) -> bool:
    """Whether a condition binds its variables before goals are proved."""
    if isinstance(condition, Test):
        return is_join_goal(condition.goal, knowledge)
    return not isinstance(condition, Not)


def _binds_all(test: Test, known: set[str], knowledge: Knowledge) -> bool:
    if not needed_variables(test, set(), known) <= known or knowledge.needed(test.goal, known):
        return False
    return set(variables(test.goal)) <= knowledge.ground_after(test.goal, known)


def _needing_last(waiting: Sequence[Test], known: set[str], knowledge: Knowledge) -> list[Test]:
    """The goals, each after the goals that may bind the variables that it needs."""
    bound, left, ordered = set(known), list(waiting), list[Test]()
    while left:
        awaiting = awaiting_lists(left, bound)
        able = (
            t
            for t in left
            if t not in awaiting and not (needed_variables(t, set(), bound) | knowledge.needed(t.goal, bound)) - bound
        )
        taken = next(able, left[0])
        left = [test for test in left if test is not taken]
        ordered.append(taken)
        bound |= set(variables(taken.goal))
    return ordered


def _joined(waiting: Sequence[Test], open_names: set[str]) -> list[Test]:
    """The goals, with goals that share unbound variables joined to one."""
    groups: list[tuple[set[str], list[int]]] = []
    for i, test in enumerate(waiting):
        names = set(variables(test.goal)) & open_names
        touching = [group for group in groups if group[0] & names]
        groups = [group for group in groups if not group[0] & names]
        merged = [member for _, members in touching for member in members]
        groups.append((names.union(*(shared for shared, _ in touching)), [*merged, i]))
    return [_conjunction([waiting[i] for i in sorted(members)]) for _, members in groups]


def _conjunction(tests: Sequence[Test]) -> Test:
    """One goal for several, in their order."""
    goal = tests[-1].goal
    for test in reversed(tests[:-1]):
        goal = Struct(",", (test.goal, goal))
    return Test(goal, tests[0].span)


def _anonymous(
    body: Iterable[Condition], bound: set[str], used: set[str], knowledge: Knowledge
) -> tuple[Condition, ...]:
    """The conditions, with anonymous variables for those that only one goal mentions and may leave unbound."""
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
