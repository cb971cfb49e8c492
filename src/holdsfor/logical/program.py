"""The logical program: the rules of each component after the rewrites, in processing order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from holdsfor.analysis.dependencies import Vertex, effective_delays
from holdsfor.analysis.levels import Component
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.analysis.pipeline import Compiled
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.rewrites import REWRITES, Rewrite
from holdsfor.logical.rewritten import RewriteContext, Rewritten, RewrittenIntervals
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.rules import Delay, Initially, IntervalRule, PointRule

__all__ = ["LogicalComponent", "LogicalProgram", "rewrite_program"]

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


def rewrite_program(
    compiled: Compiled,
    knowledge: Knowledge,
    rewrites: Sequence[Rewrite] = REWRITES,
    numbers: Collection[int] | None = None,
) -> LogicalProgram:
    """The logical program of an event description after these rewrites; `numbers` are the components, None for all."""
    components = [component for component in compiled.levels.components if not component.is_input]
    chosen = range(len(components)) if numbers is None else sorted(numbers)
    heads = _Heads(compiled.description)
    return LogicalProgram(tuple(_component(heads, i, components[i], knowledge, rewrites) for i in chosen))


class _Heads:
    """The rules of an event description by their heads."""

    def __init__(self, description: EventDescription) -> None:
        self.rules = PatternIndex((rule.head_term, rule) for rule in description.point_rules)
        intervals = (rule for rule in description.interval_rules if not rule.is_empty)
        self.intervals = PatternIndex((rule.fvp.term, rule) for rule in intervals)
        self.initially = PatternIndex((each.fvp.term, each) for each in description.initially)
        self.delays = PatternIndex((each.source.term, each) for each in effective_delays(description))


def _component(
    heads: _Heads, number: int, component: Component, knowledge: Knowledge, rewrites: Sequence[Rewrite]
) -> LogicalComponent:
    vertices = component.vertices
    patterns = [vertex.pattern for vertex in vertices]
    context = RewriteContext(PatternIndex((vertex.pattern, vertex) for vertex in vertices), knowledge)
    own = LogicalComponent(number, component.level, vertices, (), (), (), ())
    if own.is_static:
        intervals = heads.intervals.matching_any(patterns)
        return replace(own, intervals=tuple(_interval_rule(rule, context, rewrites) for rule in intervals))
    written = heads.rules.matching_any(patterns)
    return replace(
        own,
        rules=tuple(each for rule in written for each in _point_rules(rule, context, rewrites)),
        initially=tuple(heads.initially.matching_any(patterns)),
        delays=tuple(heads.delays.matching_any(patterns)),
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
