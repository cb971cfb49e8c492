"""The logical program: the rules of each component after the rewrites, in processing order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdsfor.analysis.dependencies import Vertex, effective_delays
from holdsfor.analysis.levels import Component
from holdsfor.analysis.patterns import may_match
from holdsfor.analysis.pipeline import Compiled
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.rewrites import REWRITES, Rewrite
from holdsfor.logical.rewritten import RewriteContext, Rewritten, RewrittenIntervals
from holdsfor.syntax.rules import Delay, Initially, IntervalRule, PointRule
from holdsfor.syntax.terms import Term

__all__ = ["LogicalComponent", "LogicalProgram", "concerns", "rewrite_program"]

Key = tuple[str, int]


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


def rewrite_program(compiled: Compiled, knowledge: Knowledge, rewrites: Sequence[Rewrite] = REWRITES) -> LogicalProgram:
    """The logical program of an event description after these rewrites."""
    components = [component for component in compiled.levels.components if not component.is_input]
    return LogicalProgram(
        tuple(
            _component(compiled, i, each, RewriteContext(each.vertices, knowledge), rewrites)
            for i, each in enumerate(components)
        )
    )


def concerns(vertices: tuple[Vertex, ...], head: Term) -> bool:
    """Whether a rule with this head may define an instance of one of the vertices."""
    return any(may_match(vertex.pattern, head) for vertex in vertices)


def _component(
    compiled: Compiled, number: int, component: Component, context: RewriteContext, rewrites: Sequence[Rewrite]
) -> LogicalComponent:
    description, vertices = compiled.description, component.vertices
    own = LogicalComponent(number, component.level, vertices, (), (), (), ())
    if own.is_static:
        intervals = [r for r in description.interval_rules if not r.is_empty and concerns(vertices, r.fvp.term)]
        return replace(own, intervals=tuple(_interval_rule(rule, context, rewrites) for rule in intervals))
    written = [rule for rule in description.point_rules if concerns(vertices, rule.head_term)]
    return replace(
        own,
        rules=tuple(each for rule in written for each in _point_rules(rule, context, rewrites)),
        initially=tuple(each for each in description.initially if concerns(vertices, each.fvp.term)),
        delays=tuple(each for each in effective_delays(description) if concerns(vertices, each.source.term)),
    )


def _point_rules(rule: PointRule, context: RewriteContext, rewrites: Sequence[Rewrite]) -> list[Rewritten]:
    rules = [Rewritten(rule)]
    for rewrite in rewrites:
        if rewrite.point_rules is not None:
            rules = [after for before in rules for after in rewrite.point_rules(before, context)]
    return rules


def _interval_rule(rule: IntervalRule, context: RewriteContext, rewrites: Sequence[Rewrite]) -> RewrittenIntervals:
    rewritten = RewrittenIntervals(rule)
    for rewrite in rewrites:
        if rewrite.interval_rules is not None:
            rewritten = rewrite.interval_rules(rewritten, context)
    return rewritten
