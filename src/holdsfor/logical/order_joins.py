"""Order the conditions of a rule so that each joins with those before it: the written order does not matter for speed.

In `happensAt(start(s(A)=true), T), holdsAt(s(B)=true, T), holdsAt(near(A,B)=true, T)` the second condition shares only
the time-point with the first, and every pair would be formed. The third condition shares `A`, so it comes first.

Conditions on events, conditions on fluents, facts, and predicates that joins of facts define change places, where no
other condition stands between them. A comparison of terms (`A @< B`) is never an error, so it comes as soon as its
variables have values, before joins that add variables. Other tests, negations, collections and disjunctions stay where
they are: a test may be an error for bindings that earlier conditions exclude.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from holdsfor.analysis.safety import binds_time, bound_by
from holdsfor.logical.join_goals import is_join_goal
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.rewritten import RewriteContext, Rewritten
from holdsfor.syntax.rules import Condition, Ends, Happens, Holds, Initiated, Starts, Test, condition_variables
from holdsfor.syntax.terms import Struct, Term

__all__ = ["is_term_comparison", "order_joins"]

_TERM_COMPARISONS = ("==", "\\==", "\\=", "@<", "@>", "@=<", "@>=")
_FIRST, _LAST = (-1, 0), (9, 0)


def is_term_comparison(goal: Term) -> bool:
    """Whether a goal is true or false for all ground terms, and never an error."""
    return isinstance(goal, Struct) and goal.name in _TERM_COMPARISONS and len(goal.args) == 2


def order_joins(given: Rewritten, context: RewriteContext) -> list[Rewritten]:
    """The rule with its joins in an order in which each shares variables with the conditions before it."""
    ordered = tuple(_ordered(given.rule.body, given.rule.time.name, context.knowledge))
    return [given if ordered == given.rule.body else replace(given, rule=replace(given.rule, body=ordered))]


def _ordered(body: tuple[Condition, ...], time: str, knowledge: Knowledge) -> Iterator[Condition]:
    bound: set[str] = set()
    for is_join, run in groupby(body, lambda condition: _is_join(condition, knowledge)):
        for condition in _by_shared_variables(list(run), bound, time) if is_join else list(run):
            yield condition
            bound |= bound_by(condition) | ({time} if binds_time((condition,)) else set())


def _is_join(condition: Condition, knowledge: Knowledge) -> bool:
    if isinstance(condition, Test):
        return is_term_comparison(condition.goal) or is_join_goal(condition.goal, knowledge)
    return isinstance(condition, Happens | Starts | Ends | Initiated | Holds)


def _by_shared_variables(run: list[Condition], bound: set[str], time: str) -> Iterator[Condition]:
    """The joins of a run, each the best one after those before it; of equal ones, the one that is written first."""
    waiting, known = list(run), set(bound)
    while waiting:
        compared = [set(condition_variables(each)) for each in waiting if _is_comparison(each)]
        following = min(waiting, key=lambda condition: _preference(condition, compared, known, time))
        waiting = [condition for condition in waiting if condition is not following]
        known |= bound_by(following) | ({time} if binds_time((following,)) else set())
        yield following


def _preference(condition: Condition, compared: list[set[str]], known: set[str], time: str) -> tuple[int, bool, int]:
    """The rank of a join, whether no comparison can follow it at once, and the number of variables that it adds.

    `compared` are the variables of the comparisons that wait.
    """
    rank, new = _rank(condition, known, time)
    after = known | set(condition_variables(condition))
    return rank, not any(names <= after and not names <= known for names in compared), new


def _is_comparison(condition: Condition) -> bool:
    return isinstance(condition, Test) and is_term_comparison(condition.goal)


def _rank(condition: Condition, known: set[str], time: str) -> tuple[int, int]:
    """The rank of a join, lowest first, and the number of variables that it adds.

    Filters come first, then conditions on events, because few events happen at one time-point, then joins by shared
    variables. A fluent that shares only the time-point comes last. A comparison of terms waits for its variables.
    """
    if _is_comparison(condition):
        return _FIRST if set(condition_variables(condition)) <= known else _LAST
    own = set(condition_variables(condition)) - {time}
    new = len(own - known)
    is_connected = not own or bool(own & known)
    if isinstance(condition, Holds):
        has_time = time in known
        return (0 if has_time and new == 0 else 2 if has_time and is_connected else 4, new)
    if binds_time((condition,)):
        return (0 if time in known and new == 0 else 1, new if known else 0)
    return (0 if is_connected and new == 0 else 2 if is_connected else 3, new)
