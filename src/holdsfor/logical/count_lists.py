"""Count the solutions of a collection of which a rule only uses the length.

`findall(V, holdsAt(voted(V,M)=aye, T), L), length(L, N)` is `aggregate_all(count, holdsAt(voted(V,M)=aye, T), N)` if
nothing else uses `L`. A count is a column of numbers; a list is a term for each row.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from holdsfor.logical.rewritten import RewriteContext, Rewritten
from holdsfor.syntax.rules import Collect, Condition, Test, condition_variables
from holdsfor.syntax.terms import Struct, Term, Var, variables

__all__ = ["count_lists"]


def count_lists(given: Rewritten, context: RewriteContext) -> list[Rewritten]:
    """The rule with counts instead of lists whose length alone is used."""
    if context.knowledge.definition(("length", 2)) is not None:
        return [given]
    body, head = given.rule.body, set(variables(given.rule.head_term))
    counts = Counter(name for condition in body for name in set(condition_variables(condition)))
    replaced: dict[int, Condition | None] = {}
    for i, condition in enumerate(body):
        if isinstance(condition, Collect) and condition.aggregate in ("list", "bag"):
            at = _length_of(condition.result, body, i)
            if at is not None and counts[_name(condition.result)] == 2 and _name(condition.result) not in head:
                replaced[i] = replace(condition, aggregate="count", result=_length(body[at]))
                replaced[at] = None
    if not replaced:
        return [given]
    changed = [replaced.get(i, condition) for i, condition in enumerate(body)]
    return [replace(given, rule=replace(given.rule, body=tuple(c for c in changed if c is not None)))]


def _name(result: Term) -> str:
    return result.name if isinstance(result, Var) else ""


def _length_of(result: Term, body: tuple[Condition, ...], i: int) -> int | None:
    """The position of the condition that computes the length of a list as a new variable."""
    for at, condition in enumerate(body[i + 1 :], i + 1):
        match condition:
            case Test(Struct(name="length", args=(Var() as counted, Var() as n))) if counted == result != n:
                earlier = {name for each in body[:at] for name in condition_variables(each)}
                return None if n.name in earlier else at
    return None


def _length(condition: Condition) -> Term:
    assert isinstance(condition, Test)
    assert isinstance(condition.goal, Struct)
    return condition.goal.args[1]
