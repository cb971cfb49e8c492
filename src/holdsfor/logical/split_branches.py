"""Split a rule with a disjunction that binds a variable only in some branches into one rule per branch.

In `(holdsAt(on(X)=true, T) ; weight(X, N)), happensAt(weigh(X, N), T)` the variable N has a value after the second
branch and none after the first, but all rows have the same columns. One rule per branch has the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdsfor.logical.rewritten import RewriteContext, Rewritten
from holdsfor.syntax.rules import Condition, Either, PointRule, Test, condition_variables, outer_variables
from holdsfor.syntax.terms import variables

__all__ = ["split_branches"]


def split_branches(given: Rewritten, context: RewriteContext) -> list[Rewritten]:
    """The rules that together replace one rule, one per branch of such a disjunction."""
    return [replace(given, rule=rule) for rule in _rules_of_branches(given.rule)]


def _rules_of_branches(rule: PointRule) -> list[PointRule]:
    """The rules that together replace one rule; a disjunction comes after the conditions that bind its variables."""
    for i, condition in enumerate(rule.body):
        if isinstance(condition, Either):
            names = _binds_sometimes(condition) & _mentioned(rule, i)
            if names - _bound(rule, [*rule.body[:i], *rule.body[i + 1 :]]):
                bodies = [(*rule.body[:i], *branch, *rule.body[i + 1 :]) for branch in condition.branches]
                return [each for body in bodies for each in _rules_of_branches(replace(rule, body=body))]
            if names - _bound(rule, rule.body[:i]):
                return _rules_of_branches(replace(rule, body=(*rule.body[:i], *rule.body[i + 1 :], condition)))
    return [rule]


def _bound(rule: PointRule, body: Sequence[Condition]) -> set[str]:
    """The variables that conditions bind in every case."""
    sure = [c for c in body if not isinstance(c, Test | Either)]
    return {rule.time.name}.union(*map(outer_variables, sure))


def _binds_sometimes(condition: Either) -> set[str]:
    """The variables that some branches mention outside negations, and other branches do not."""
    names = [_outer(branch) for branch in condition.branches]
    return names[0].union(*names) - names[0].intersection(*names)


def _outer(branch: tuple[Condition, ...]) -> set[str]:
    return {name for condition in branch for name in outer_variables(condition)}


def _mentioned(rule: PointRule, position: int) -> set[str]:
    """The variables of the head and of the other conditions."""
    others = (*rule.body[:position], *rule.body[position + 1 :])
    return set(variables(rule.head_term)).union(*map(condition_variables, others))
