"""Prepared bodies: negations with their variables that are visible outside, disjunctions in disjunctive normal form.

Inside the oracle `\\+ G` is `$not(G, $v(X…))` where X… occur outside of it too: in the head, or positively in the same
conjunction or an enclosing one. Any other variable is quantified inside. `forall` is two negations, `findall` and
`aggregate_all` carry the variables that are visible outside in the same way.
"""

from __future__ import annotations

from holdsfor.syntax.terms import Atom, Struct, Term, Var, conjuncts
from tests.oracle.terms import names_in

__all__ = ["alternatives", "scoped"]

TRUE = Atom("true")


def _is(term: Term, name: str, arity: int) -> bool:
    return isinstance(term, Struct) and term.name == name and len(term.args) == arity


def is_negation(term: Term) -> bool:
    return _is(term, "\\+", 1) or _is(term, "not", 1)


def _shown(goal: Term) -> set[str]:
    """The variables of a goal that are visible to its neighbours."""
    if not isinstance(goal, Struct) or is_negation(goal) or _is(goal, "forall", 2):
        return names_in(goal) if isinstance(goal, Var) else set()
    if _is(goal, "findall", 3) or _is(goal, "aggregate_all", 3):
        return names_in(goal.args[2])
    if goal.name in (",", ";", "->"):
        return set().union(*(_shown(arg) for arg in goal.args))
    return names_in(goal)


def _visible(names: set[str]) -> Term:
    return Struct("$v", (Atom("$"), *(Var(name) for name in sorted(names))))


def scoped(goal: Term, outside: set[str], *, is_rule: bool) -> Term:
    """The goal with every negation and aggregate made ready; in rules, `->` becomes a choice between two cases."""
    literals = conjuncts(goal)
    ready: list[Term] = []
    for literal in literals:
        # The branches of a disjunction do not see each other.
        seen = [other for other in literals if other is not literal or not _is(other, ";", 2)]
        visible = outside | set().union(*(_shown(other) for other in seen))
        ready.append(_literal(literal, visible, is_rule=is_rule))
    result = ready[-1]
    for literal in reversed(ready[:-1]):
        result = Struct(",", (literal, result))
    return result


def _negation(inner: Term, visible: set[str], *, is_rule: bool) -> Term:
    return Struct("$not", (scoped(inner, visible, is_rule=is_rule), _visible(names_in(inner) & visible)))


def _literal(goal: Term, visible: set[str], *, is_rule: bool) -> Term:
    if not isinstance(goal, Struct):
        return goal
    if is_negation(goal):
        return _negation(goal.args[0], visible, is_rule=is_rule)
    if _is(goal, "forall", 2):
        test = Struct("\\+", (goal.args[1],))
        return _negation(Struct(",", (goal.args[0], test)), visible, is_rule=is_rule)
    if _is(goal, "findall", 3) or _is(goal, "aggregate_all", 3):
        template, inner, result = goal.args
        # The template is shown to the goal, so that negations in the goal see its variables as bound outside.
        inside = scoped(inner, visible | names_in(template), is_rule=is_rule)
        seen = _visible(names_in(inner) & visible)
        return Struct(f"${goal.name}", (template, inside, result, seen))
    if _is(goal, ";", 2) and _is(goal.args[0], "->", 2) and is_rule:
        condition, then = goal.args[0].args  # type: ignore[union-attr]
        yes = Struct(",", (condition, then))
        no = Struct(",", (Struct("\\+", (condition,)), goal.args[1]))
        return Struct(";", (scoped(yes, visible, is_rule=True), scoped(no, visible, is_rule=True)))
    if goal.name in (";", "->"):
        return Struct(goal.name, tuple(scoped(arg, visible, is_rule=is_rule) for arg in goal.args))
    return goal


def alternatives(goal: Term) -> list[list[Term]]:
    """The conjunctions of which one has to hold."""
    if _is(goal, ",", 2):
        left, right = (alternatives(arg) for arg in goal.args)  # type: ignore[union-attr]
        return [[*one, *other] for one in left for other in right]
    if _is(goal, ";", 2):
        return [found for arg in goal.args for found in alternatives(arg)]  # type: ignore[union-attr]
    return [[goal]]
