"""Replace a fact that has exactly one match by its constants: thresholds and other parameters need no join.

`threshold(moving, Least), Speed >= Least` with the one fact `threshold(moving, 0.5)` is `Speed >= 0.5`.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.rewritten import RewriteContext, Rewritten, RewrittenIntervals
from holdsfor.logical.substitution import bind_body, bind_fvp, bind_step
from holdsfor.syntax.rules import Condition, Fvp, Test
from holdsfor.syntax.terms import Term, substitute, variables

__all__ = ["fold_facts", "fold_interval_facts"]


def fold_facts(given: Rewritten, context: RewriteContext) -> list[Rewritten]:
    """The rule with the variables of folded facts replaced by their values, and these facts."""
    rule, knowledge = given.rule, context.knowledge
    head, body, time = rule.head, rule.body, rule.time.name
    facts: list[Term] = []
    while (folded := _foldable(body, knowledge)) is not None and time not in folded[1]:
        position, binding = folded
        facts.append(_fact(body[position], binding))
        body = bind_body((*body[:position], *body[position + 1 :]), binding)
        head = bind_fvp(head, binding) if isinstance(head, Fvp) else substitute(head, binding)
    return [replace(given, rule=replace(rule, head=head, body=body), facts=tuple(facts))]


def _fact(test: Condition, binding: dict[str, Term]) -> Term:
    assert isinstance(test, Test)
    return substitute(test.goal, binding)


def _foldable(body: tuple[Condition, ...], knowledge: Knowledge) -> tuple[int, dict[str, Term]] | None:
    for i, condition in enumerate(body):
        if isinstance(condition, Test):
            answer = knowledge.only_answer(condition.goal)
            if answer is not None:
                return i, answer
    return None


def fold_interval_facts(given: RewrittenIntervals, context: RewriteContext) -> RewrittenIntervals:
    """The same for an interval rule; a ground test that holds is removed, too."""
    rule, knowledge = given.rule, context.knowledge
    fvp, body = rule.fvp, rule.body
    facts: list[Term] = []
    tests = [step for step in body if isinstance(step, Test)]
    for test in tests:
        current = next((step for step in body if isinstance(step, Test) and step.span is test.span), None)
        answer = None if current is None else knowledge.only_answer(current.goal)
        if current is None or answer is None or not set(variables(test.goal)).isdisjoint(variables(rule.result)):
            continue
        body = tuple(bind_step(step, answer) for step in body if step is not current)
        fvp = bind_fvp(fvp, answer)
        facts.append(_fact(current, answer))
    return RewrittenIntervals(replace(rule, fvp=fvp, body=body), tuple(facts))
