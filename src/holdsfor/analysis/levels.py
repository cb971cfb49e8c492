"""Levels, cd-components and the processing order.

The f-connected vertices are contracted, then the strongly connected components of the result; the final graph is
acyclic (JAIR 2025, Definitions 12 to 17). The paper assumes that the values of one fluent have the same level. Here the
values of a simple fluent are contracted as well, because each value breaks the others. A cycle is accepted if it
advances time; any other cycle is reported with its members.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from holdsfor.analysis.connected_components import (
    cycle_through,
    longest_path_levels,
    strong_components,
    weak_components,
)
from holdsfor.analysis.dependencies import (
    DependencyGraph,
    Edge,
    Vertex,
    condition_edges,
    effective_delays,
    head_vertices,
)
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.analysis.patterns import anonymous
from holdsfor.analysis.static_cycles import check_static_cycles
from holdsfor.errors import Diagnostics
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.rules import Condition
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Term, is_ground

__all__ = ["Component", "Levels", "Moment", "MomentKind", "check_cycles", "levels", "moment_order"]


@dataclass(frozen=True)
class Component:
    """A cd-component: vertices that are computed together, in processing order."""

    level: int
    vertices: tuple[Vertex, ...]
    is_cyclic: bool

    @property
    def is_input(self) -> bool:
        return all(vertex.is_input for vertex in self.vertices)


@dataclass(frozen=True)
class Levels:
    """The cd-components in processing order: level by level."""

    components: tuple[Component, ...]

    @cached_property
    def component_of(self) -> dict[Vertex, int]:
        return {v: i for i, component in enumerate(self.components) for v in component.vertices}

    def level_of(self, vertex: Vertex) -> int:
        return self.components[self.component_of[vertex]].level

    def __str__(self) -> str:
        lines: list[str] = []
        last = None
        for component in self.components:
            if component.level != last:
                lines.append(f"level {component.level}" + ("  input" if component.level == 0 else ""))
                last = component.level
            names = ", ".join(v.label for v in component.vertices)
            lines.append(f"  {{{names}}}" + ("  cyclic" if component.is_cyclic else ""))
        return "\n".join(lines) + "\n" if lines else ""


def levels(graph: DependencyGraph) -> Levels:
    """The cd-components of the graph with their levels and processing order."""
    groups = weak_components(graph.vertices, _contracted(graph))
    group_of = {vertex: i for i, group in enumerate(groups) for vertex in group}
    following: dict[int, list[int]] = {i: [] for i in range(len(groups))}
    for edge in graph.edges:
        source, target = group_of[edge.source], group_of[edge.target]
        if source != target:
            following[source].append(target)
    strong = strong_components(range(len(groups)), following.__getitem__)[::-1]
    component_of = {group: i for i, component in enumerate(strong) for group in component}
    after: dict[int, set[int]] = {i: set() for i in range(len(strong))}
    for source, targets in following.items():
        after[component_of[source]].update(component_of[t] for t in targets)
    members = [[v for group in component for v in groups[group]] for component in strong]
    level = longest_path_levels(
        range(len(strong)),
        lambda i: sorted(after[i] - {i}),
        lambda i: 0 if all(v.is_input for v in members[i]) else 1,
    )
    place = {vertex: i for i, vertex in enumerate(graph.vertices)}
    ordered = sorted(range(len(strong)), key=lambda i: (level[i], min(place[v] for v in members[i])))
    return Levels(tuple(_component(graph, level[i], sorted(members[i], key=place.__getitem__)) for i in ordered))


def _contracted(graph: DependencyGraph) -> Iterable[tuple[Vertex, Vertex]]:
    """The pairs of vertices in one group: connected by an f-edge, or values of one simple fluent."""
    yield from ((edge.source, edge.target) for edge in graph.edges if edge.kind == "f")
    first: dict[Term, Vertex] = {}
    for vertex in (each for each in graph.vertices if each.kind == "simple"):
        yield vertex, first.setdefault(anonymous(vertex.fluent), vertex)
    for vertex in first.values():
        yield from ((vertex, other) for other in graph.siblings(vertex))


def _component(graph: DependencyGraph, level: int, members: list[Vertex]) -> Component:
    inside = set(members)
    following = {v: [e.target for e in graph.successors[v] if e.target in inside and not _is_ft(e)] for v in members}
    strong = strong_components(members, following.__getitem__)[::-1]
    is_cyclic = any(len(part) > 1 or part[0] in following[part[0]] for part in strong)
    order = members if is_cyclic else [part[0] for part in strong]
    return Component(level, tuple(order), is_cyclic)


def _is_ft(edge: Edge) -> bool:
    """Whether the edge is a delayed termination. It affects only its own FVP, so it makes no cycle."""
    return edge.through == "ft"


# -- dependencies at the same time-point
# --------------------------------------------------------------------------------


MomentKind = Literal["happens", "initiated", "terminated", "broken", "started", "preceded", "followed"]
_AUXILIARY: tuple[MomentKind, ...] = ("preceded", "followed")
_MANY_VALUES = 16


@dataclass(frozen=True, slots=True)
class Moment:
    """A fact that is decided at a time-point.

    An event happens; an FVP is initiated or terminated (by rules or delays), broken (terminated, or another value is
    initiated), started (initiated and not broken). Of a fluent with many values, a value is preceded or followed if one
    of the values before it, or after it, is initiated; these moments only keep the graph small.
    """

    what: MomentKind
    vertex: Vertex

    @property
    def is_auxiliary(self) -> bool:
        return self.what in _AUXILIARY

    def __str__(self) -> str:
        verb = {"happens": "happens", "started": "starts"}.get(self.what, f"is {self.what}")
        return f"`{self.vertex.label}` {verb}"


@dataclass(frozen=True, slots=True)
class _Dependence:
    before: Moment
    after: Moment
    span: Span | None
    is_postponement: bool = False


def _moments(description: EventDescription, graph: DependencyGraph) -> list[_Dependence]:
    """The pairs of moments of which the first must be decided before the second, at one time-point."""
    found: list[_Dependence] = []
    for values in _values_by_fluent(graph):
        found.extend(_breaks(graph, values))
    for rule in description.point_rules:
        for vertex in head_vertices(graph, rule):
            found.extend(_same_time(graph, rule.body, Moment(_DECIDED[rule.kind], vertex)))
    postponable = PatternIndex((p.fvp.term, None) for p in description.postponable)
    for delay in effective_delays(description):
        what: MomentKind = "terminated" if delay.target is None else "initiated"
        effect = delay.source if delay.target is None else delay.target
        for vertex in graph.matching(effect.term, ["simple"]):
            found.extend(_same_time(graph, delay.body, Moment(what, vertex)))
            for source in graph.matching(delay.source.term, ["simple"]):
                if postponable.has(source.pattern):
                    before = Moment("initiated", source)
                    found.append(_Dependence(before, Moment(what, vertex), delay.span, is_postponement=True))
    return found


_DECIDED: dict[str, MomentKind] = {"happensAt": "happens", "initiatedAt": "initiated", "terminatedAt": "terminated"}
_ASKED: dict[str, MomentKind] = {
    "happensAt": "happens",
    "initiatedAt": "initiated",
    "terminatedAt": "broken",
    "end": "broken",
    "start": "started",
}


def _values_by_fluent(graph: DependencyGraph) -> Iterable[list[Vertex]]:
    """The vertices of each simple fluent, for all of its values."""
    found: dict[Term, list[Vertex]] = {}
    for vertex in graph.vertices:
        if vertex.kind == "simple":
            found.setdefault(anonymous(vertex.fluent), []).append(vertex)
    return found.values()


def _breaks(graph: DependencyGraph, values: list[Vertex]) -> Iterable[_Dependence]:
    """The moments that decide whether the values of a fluent are broken and started."""
    inside = set(values)
    is_large = len(values) > _MANY_VALUES
    siblings = [sibling for sibling in graph.siblings(values[0]) if not is_large or sibling not in inside]
    for vertex in values:
        broken, started = Moment("broken", vertex), Moment("started", vertex)
        yield _Dependence(Moment("terminated", vertex), broken, None)
        for sibling in siblings:
            if sibling != vertex or not is_ground(vertex.value):
                yield _Dependence(Moment("initiated", sibling), broken, None)
        if is_large and not is_ground(vertex.value):
            yield _Dependence(Moment("initiated", vertex), broken, None)
        yield _Dependence(Moment("initiated", vertex), started, None)
        yield _Dependence(broken, started, None)
    if is_large:
        yield from _chained(values, "preceded")
        yield from _chained(values[::-1], "followed")


def _chained(values: list[Vertex], what: MomentKind) -> Iterable[_Dependence]:
    """Each value is broken if one of the values before it is initiated, with two dependences for each value."""
    for before, vertex in pairwise(values):
        yield _Dependence(Moment("initiated", before), Moment(what, vertex), None)
        yield _Dependence(Moment(what, before), Moment(what, vertex), None)
        yield _Dependence(Moment(what, vertex), Moment("broken", vertex), None)


def _same_time(graph: DependencyGraph, body: tuple[Condition, ...], after: Moment) -> Iterable[_Dependence]:
    for edge in condition_edges(graph, body, after.vertex):
        if edge.source.kind == "event" or (edge.source.kind == "simple" and not edge.advances):
            yield _Dependence(Moment(_ASKED[edge.through], edge.source), after, edge.span)


def moment_order(description: EventDescription, graph: DependencyGraph) -> list[tuple[Moment, ...]]:
    """The moments in an order in which they can be decided at a time-point.

    Initiations by effects that may postpone each other when they are due together form one group.
    """
    nodes = _nodes(graph)
    following = _following(nodes, _moments(description, graph))
    parts = strong_components(nodes, following.__getitem__)[::-1]
    decided = ([moment for moment in part if not moment.is_auxiliary] for part in parts)
    return [tuple(sorted(part, key=str)) for part in decided if part]


def _nodes(graph: DependencyGraph) -> list[Moment]:
    nodes: list[Moment] = []
    for vertex in graph.vertices:
        if vertex.kind == "event":
            nodes.append(Moment("happens", vertex))
        elif vertex.kind == "simple":
            nodes += [Moment(what, vertex) for what in ("initiated", "terminated", "broken", "started")]
    for values in _values_by_fluent(graph):
        if len(values) > _MANY_VALUES:
            nodes += [Moment(what, vertex) for vertex in values for what in _AUXILIARY]
    return nodes


def _following(nodes: list[Moment], dependences: list[_Dependence]) -> dict[Moment, list[Moment]]:
    following: dict[Moment, list[Moment]] = {node: [] for node in nodes}
    for dependence in dependences:
        following[dependence.before].append(dependence.after)
    return following


# -- cycles ------------------------------------------------------------------------------------------------------------


def check_cycles(
    description: EventDescription, graph: DependencyGraph, found: Levels, diagnostics: Diagnostics
) -> None:
    """Report cycles through a statically determined fluent, and cycles that do not advance time."""
    components = (component.vertices for component in found.components)
    refused = check_static_cycles(description, graph, components, diagnostics)
    _check_moments(description, graph, refused, diagnostics)


def _has_an_order(graph: DependencyGraph, cycle: list[_Dependence]) -> bool:
    """Whether a cycle consists of postponements of one fluent's values: at most one of them is pending at a time."""
    if not all(dependence.is_postponement for dependence in cycle):
        return False
    siblings = set(graph.siblings(cycle[0].before.vertex))
    return all(dependence.after.vertex in siblings for dependence in cycle)


def _within(parts: list[list[Moment]], dependences: list[_Dependence]) -> list[list[_Dependence]]:
    """For each part, the dependences between its moments."""
    part_of = {moment: i for i, part in enumerate(parts) for moment in part}
    found: list[list[_Dependence]] = [[] for _ in parts]
    for dependence in dependences:
        if part_of[dependence.before] == part_of[dependence.after]:
            found[part_of[dependence.before]].append(dependence)
    return found


def _check_moments(
    description: EventDescription, graph: DependencyGraph, refused: set[Vertex], diagnostics: Diagnostics
) -> None:
    dependences = _moments(description, graph)
    nodes = _nodes(graph)
    following = _following(nodes, dependences)
    parts = strong_components(nodes, following.__getitem__)
    for part, within in zip(parts, _within(parts, dependences), strict=True):
        inside = set(part)
        if not within or _has_an_order(graph, within) or any(m.vertex in refused for m in part):
            continue
        start = next((m for m in part if m.what in ("happens", "initiated", "terminated")), part[0])
        cycle = cycle_through(start, lambda m, inside=inside: [n for n in following[m] if n in inside])  # type: ignore[misc]
        if cycle is None:
            continue
        spelt = ", then ".join(str(m) for m in (*cycle, cycle[0]) if not m.is_auxiliary)
        span = next((d.span for d in within if d.after == cycle[0] and d.span), None)
        diagnostics.add(
            "HF211",
            f"a cycle does not advance time: {spelt}",
            span,
            "let one step of the cycle use `holdsAt` or a delay",
        )
