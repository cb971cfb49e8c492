"""Rewritten rules, with records of the rewrites that changed them."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.logical.knowledge import Knowledge
from holdsfor.syntax.rules import Condition, IntervalRule, PointRule
from holdsfor.syntax.terms import Term

__all__ = ["RewriteContext", "Rewritten", "RewrittenIntervals"]


@dataclass(frozen=True)
class Rewritten:
    """A rule with a time-point, the facts folded into it, and the conditions moved forward."""

    rule: PointRule
    facts: tuple[Term, ...] = ()
    first: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class RewrittenIntervals:
    """An interval rule, and the facts folded into it."""

    rule: IntervalRule
    facts: tuple[Term, ...] = ()


@dataclass(frozen=True)
class RewriteContext:
    """The input of a rewrite besides the rule: the vertices of the rule's component, and the background knowledge."""

    component: PatternIndex[Vertex]
    knowledge: Knowledge
