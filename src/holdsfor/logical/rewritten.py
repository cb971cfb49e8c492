"""Rules on their way through the rewrites, with remarks on what was done to them."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.analysis.dependencies import Vertex
from holdsfor.logical.knowledge import Knowledge
from holdsfor.syntax.rules import Condition, IntervalRule, PointRule
from holdsfor.syntax.terms import Term

__all__ = ["RewriteContext", "Rewritten", "RewrittenIntervals"]


@dataclass(frozen=True)
class Rewritten:
    """A rule with a time-point, the facts that were folded into it, and the conditions that were moved forward."""

    rule: PointRule
    facts: tuple[Term, ...] = ()
    first: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class RewrittenIntervals:
    """A rule over intervals, and the facts that were folded into it."""

    rule: IntervalRule
    facts: tuple[Term, ...] = ()


@dataclass(frozen=True)
class RewriteContext:
    """What a rewrite may use besides the rule: the vertices of the rule's component, and the background knowledge."""

    component: tuple[Vertex, ...]
    knowledge: Knowledge
