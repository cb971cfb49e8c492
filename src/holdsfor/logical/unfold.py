"""Replace calls of predicates defined by joins, comparisons and negation by the conditions of their clauses.

An unfolded call is part of the plan and is evaluated for all rows at once, instead of being proved once per distinct
input. The background engine proves predicates that are recursive, cut, or use anything else.
"""

from __future__ import annotations

from itertools import count

from holdsfor.analysis.safety import bound_by, scoped, take_ready
from holdsfor.logical.knowledge import Knowledge
from holdsfor.syntax.program import Clause
from holdsfor.syntax.rules import Condition, Either, Not, Test
from holdsfor.syntax.terms import Atom, Struct, Term, Var, chained, name_and_arity, substitute, variables

__all__ = ["unfold"]

_COLUMN_TESTS = frozenset((name, 2) for name in ("<", ">", "=<", ">=", "=:=", "=\\=", "is", "="))
_numbers = count()


def unfold(goal: Term, bound: set[str], knowledge: Knowledge) -> Either | None:
    """One branch for each clause of the goal's predicate, or None if the background engine must prove the goal."""
    if not isinstance(goal, Struct):
        return None
    clauses = knowledge.definition(name_and_arity(goal))
    if clauses is None or not clauses:
        return None
    branches: list[tuple[Condition, ...]] = []
    outputs = set(variables(goal)) - bound
    for clause in clauses:
        branch = _branch(goal, clause, knowledge)
        if branch is None or not _is_complete(branch, bound, outputs):
            return None
        branches.append(branch)
    return Either(tuple(branches), goal.span)


def _branch(goal: Struct, clause: Clause, knowledge: Knowledge) -> tuple[Condition, ...] | None:
    """The conditions of a clause on the arguments of a call."""
    number = next(_numbers)
    names = variables(clause.head) | (variables(clause.body) if clause.body is not None else {})
    renaming: dict[str, Term] = {name: Var(f"{name}#{number}") for name in names}
    equations: list[Condition] = []
    assert isinstance(clause.head, Struct)
    for given, formal in zip(goal.args, clause.head.args, strict=True):
        if isinstance(formal, Var) and renaming[formal.name] == Var(f"{formal.name}#{number}"):
            renaming[formal.name] = given
        else:
            equations.append(Test(Struct("=", (given, substitute(formal, renaming)))))
    body = [] if clause.body is None else _conditions(substitute(clause.body, renaming), knowledge)
    return None if body is None else (*equations, *body)


def _conditions(body: Term, knowledge: Knowledge) -> list[Condition] | None:
    """The conditions of a body, or None if columns cannot evaluate one of them."""
    if body == Atom("true"):
        return []
    if not isinstance(body, Struct):
        return None
    if body.name == "," and len(body.args) == 2:
        parts = [_conditions(goal, knowledge) for goal in chained(body)]
        return [c for part in parts if part is not None for c in part] if None not in parts else None
    if body.name == ";" and len(body.args) == 2:
        goals = chained(body)
        branches = [None if _is_conditional(goal) else _conditions(goal, knowledge) for goal in goals]
        return [Either(tuple(tuple(b) for b in branches if b is not None))] if None not in branches else None
    if body.name in ("\\+", "not") and len(body.args) == 1:
        inner = _conditions(body.args[0], knowledge)
        return None if inner is None else [Not(tuple(inner))]
    key = name_and_arity(body)
    is_answerable = key in _COLUMN_TESTS or knowledge.is_relation(key) or knowledge.definition(key) is not None
    return [Test(body)] if is_answerable else None


def _is_conditional(term: Term) -> bool:
    return isinstance(term, Struct) and term.name in ("->", "*->")


def _is_complete(branch: tuple[Condition, ...], bound: set[str], outputs: set[str]) -> bool:
    """Whether the conditions can be evaluated in order, and bind the outputs of the call."""
    known = set(bound)
    in_order, rest = take_ready(scoped(branch, bound | outputs), known)
    binds = {name for condition in in_order for name in bound_by(condition)}
    return not rest and outputs <= binds and _keeps_order(branch, in_order)


def _keeps_order(branch: tuple[Condition, ...], in_order: list[Condition]) -> bool:
    """Whether no condition has to be moved: a goal that is called too early is an error, and must remain one."""
    return all(a is b for a, b in zip(branch, in_order, strict=True))
