"""Goals that are joins: facts, and calls of predicates that joins of facts define.

The order of joins does not change their answers, so such goals may change places. Goals with cuts, negations or
comparisons may not: their answers, or their errors, depend on the variables that are bound at the call.
"""

from __future__ import annotations

from holdsfor.logical.knowledge import Knowledge
from holdsfor.syntax.terms import Atom, Struct, Term, chained, is_callable, name_and_arity, variables

__all__ = ["is_join_goal"]


def is_join_goal(goal: Term, knowledge: Knowledge) -> bool:
    """Whether a goal is a fact, or a call of a predicate that joins of facts define and that binds all variables."""
    if not is_callable(goal):
        return False
    if knowledge.is_relation(name_and_arity(goal)):
        return True
    return _joins_facts(goal, knowledge) and set(variables(goal)) <= knowledge.ground_after(goal, set())


def _joins_facts(goal: Term, knowledge: Knowledge) -> bool:
    """Whether a proof of a goal only looks facts up; predicates that call themselves have no definition."""
    if goal == Atom("true"):
        return True
    if not isinstance(goal, Struct):
        return False
    key = name_and_arity(goal)
    if key in ((",", 2), (";", 2)):
        return all(_joins_facts(part, knowledge) for part in chained(goal))
    if knowledge.is_relation(key):
        return True
    clauses = knowledge.definition(key)
    return bool(clauses) and all(c.body is None or _joins_facts(c.body, knowledge) for c in clauses or ())
