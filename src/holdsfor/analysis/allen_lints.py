"""Warn about Allen relations that cannot hold between intervals with a common edge.

If one event terminates a simple fluent and initiates another, their intervals touch: they meet, and the first is not
before the second. If `endI` of the first initiates the second, there is one time-point between them: the first is
before the second, and they do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from holdsfor.analysis.draft import Draft
from holdsfor.analysis.patterns import anonymous, may_match
from holdsfor.errors import Diagnostics
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import Allen, Ends, EndsI, Fvp, Happens, HoldsFor, PointRule, Starts, StartsI
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity

__all__ = ["allen_relations"]


def allen_relations(draft: Draft) -> None:
    """`before` between intervals that touch, and `meets` between intervals that do not."""
    description, diagnostics = draft.description, draft.diagnostics
    for rule in description.interval_rules:
        lists = {step.result.name: step.fvp for step in rule.body if isinstance(step, HoldsFor)}
        for step in rule.body:
            if not isinstance(step, Allen) or step.relation not in ("before", "meets"):
                continue
            operands = [lists.get(each.name) if isinstance(each, Var) else None for each in (step.source, step.target)]
            source, target = operands
            if source is not None and target is not None:
                _suspect(description, step, source, target, diagnostics)


def _suspect(description: EventDescription, step: Allen, source: Fvp, target: Fvp, diagnostics: Diagnostics) -> None:
    ends, starts = list(_ending(description, source)), list(_starting(description, target))
    if step.relation == "before":
        common = [end for end in ends if any(may_match(end, start) for start in starts)]
        if common:
            message = f"`{show(anonymous(common[0]))}` ends `{source}` and starts `{target}`: they meet, without a gap"
            diagnostics.add("HF312", message, step.span, "to find these pairs, use `meets` instead of `before`")
    elif any(may_match(_edge("endI", source), start) for start in starts):
        message = f"`{target}` starts one time-point after `endI({source})`: they do not meet"
        diagnostics.add("HF312", message, step.span, "use `end` instead of `endI`, or `before` instead of `meets`")


def _edge(name: Literal["start", "end", "startI", "endI"], fvp: Fvp) -> Term:
    return anonymous(Struct(name, (fvp.term,)))


def _starting(description: EventDescription, fvp: Fvp) -> Iterator[Term]:
    """The events that initiate an FVP."""
    for rule in description.point_rules:
        if rule.kind == "initiatedAt" and may_match(rule.fvp.term, fvp.term):
            yield from _events(rule)
    yield _edge("start", fvp)


def _ending(description: EventDescription, fvp: Fvp) -> Iterator[Term]:
    """The events that break an FVP: terminations, and initiations of other values."""
    for rule in description.point_rules:
        if rule.kind == "happensAt" or name_and_arity(rule.fvp.fluent) != name_and_arity(fvp.fluent):
            continue
        is_same = may_match(rule.fvp.value, fvp.value)
        if may_match(rule.fvp.fluent, fvp.fluent) and is_same == (rule.kind == "terminatedAt"):
            yield from _events(rule)
    yield _edge("end", fvp)


def _events(rule: PointRule) -> Iterator[Term]:
    """The positive events in the body of a rule."""
    for condition in rule.body:
        match condition:
            case Happens(event):
                yield anonymous(event)
            case StartsI(fvp):
                yield _edge("startI", fvp)
            case EndsI(fvp):
                yield _edge("endI", fvp)
            case Starts(fvp):
                yield _edge("start", fvp)
            case Ends(fvp):
                yield _edge("end", fvp)
