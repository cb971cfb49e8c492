"""The logical program: the rules of each component after the rewrites, in processing order.

A rule with a choice that binds in one branch only becomes several rules first (`branches`). The rewrites come one after
another: `fold_facts`, then `hoist_external`. Unfolding a predicate, and the order of goals that may leave variables
open (`open_goals`), depend on what is bound, so the planner asks for them on its way through a body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdsfor.analysis.dependencies import Vertex, effective_delays
from holdsfor.analysis.levels import Component
from holdsfor.analysis.patterns import may_match
from holdsfor.analysis.pipeline import Compiled
from holdsfor.logical.fold_facts import fold_facts, fold_facts_of_intervals
from holdsfor.logical.hoist_external import hoist_external
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.split_branches import split_branches
from holdsfor.syntax.rules import Condition, Delay, Initially, IntervalRule, PointRule
from holdsfor.syntax.terms import Term

__all__ = ["LogicalComponent", "LogicalProgram", "Rewritten", "RewrittenIntervals", "concerns", "rewrite_program"]

Key = tuple[str, int]


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
class LogicalComponent:
    """The rules of one component; `number` is its position among the components, in processing order."""

    number: int
    level: int
    vertices: tuple[Vertex, ...]
    rules: tuple[Rewritten, ...]
    intervals: tuple[RewrittenIntervals, ...]
    initially: tuple[Initially, ...]
    delays: tuple[Delay, ...]

    @property
    def is_static(self) -> bool:
        return self.vertices[0].kind == "static"

    @property
    def label(self) -> str:
        return ", ".join(vertex.label for vertex in self.vertices)


@dataclass(frozen=True)
class LogicalProgram:
    """The components in processing order."""

    components: tuple[LogicalComponent, ...]


def rewrite_program(compiled: Compiled, knowledge: Knowledge, *, is_rewriting: bool = True) -> LogicalProgram:
    """The logical program of an event description; unless `is_rewriting`, its rules stay as they are written."""
    components = [component for component in compiled.levels.components if not component.is_input]
    return LogicalProgram(
        tuple(_component(compiled, i, each, knowledge, is_rewriting) for i, each in enumerate(components))
    )


def concerns(vertices: tuple[Vertex, ...], head: Term) -> bool:
    """Whether a rule with this head may have to do with one of the vertices."""
    return any(may_match(vertex.pattern, head) for vertex in vertices)


def _component(
    compiled: Compiled, number: int, component: Component, knowledge: Knowledge, is_rewriting: bool
) -> LogicalComponent:
    description, vertices = compiled.description, component.vertices
    own = LogicalComponent(number, component.level, vertices, (), (), (), ())
    if own.is_static:
        intervals = [r for r in description.interval_rules if not r.is_empty and concerns(vertices, r.fvp.term)]
        return replace(own, intervals=tuple(_intervals(rule, knowledge, is_rewriting) for rule in intervals))
    written = [rule for rule in description.point_rules if concerns(vertices, rule.head_term)]
    rules = [each for rule in written for each in split_branches(rule)]
    return replace(
        own,
        rules=tuple(_rule(rule, vertices, knowledge) if is_rewriting else Rewritten(rule) for rule in rules),
        initially=tuple(each for each in description.initially if concerns(vertices, each.fvp.term)),
        delays=tuple(each for each in effective_delays(description) if concerns(vertices, each.source.term)),
    )


def _rule(rule: PointRule, own: tuple[Vertex, ...], knowledge: Knowledge) -> Rewritten:
    folded, facts = fold_facts(rule, knowledge)
    ordered = hoist_external(folded, own, knowledge)
    return Rewritten(ordered, facts, _moved(folded.body, ordered.body))


def _moved(before: tuple[Condition, ...], after: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The conditions that now stand before one they stood behind."""
    place = {id(condition): i for i, condition in enumerate(before)}
    places = [place[id(condition)] for condition in after]
    return tuple(c for i, c in enumerate(after) if any(later < places[i] for later in places[i + 1 :]))


def _intervals(rule: IntervalRule, knowledge: Knowledge, is_rewriting: bool) -> RewrittenIntervals:
    return RewrittenIntervals(*fold_facts_of_intervals(rule, knowledge)) if is_rewriting else RewrittenIntervals(rule)
