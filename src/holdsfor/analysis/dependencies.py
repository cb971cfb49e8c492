"""The dependency graph of events and FVPs.

The vertices are patterns of FVPs and of events. There is an *i-edge* for every condition and an *f-edge* for every
delayed effect (Mantenoglou, Pitsikalis and Artikis, JAIR 2025, Definitions 8 and 11), extended here to statically
determined fluents, output events, `start`/`end` and `initiatedAt`/`terminatedAt` conditions. An edge *advances time* if
the target at a time-point depends on the source only at earlier time-points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from holdsfor.analysis.names import Names, simple_patterns
from holdsfor.analysis.pattern_index import PatternIndex, disjoint_patterns
from holdsfor.analysis.patterns import anonymous, may_match, pattern_name
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import (
    Condition,
    Delay,
    Ends,
    EndsI,
    Fvp,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    PointRule,
    Starts,
    StartsI,
    Terminated,
    flat_conditions,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Int, Struct, Term, Var, name_and_arity

__all__ = [
    "DependencyGraph",
    "Edge",
    "Vertex",
    "VertexKind",
    "breaks_its_source",
    "dependency_graph",
    "effective_delays",
]

VertexKind = Literal["input event", "input fluent", "event", "simple", "static"]
EdgeLabel = Literal[
    "happensAt", "holdsAt", "holdsFor", "start", "end", "startI", "endI", "initiatedAt", "terminatedAt", "fi", "ft"
]


@dataclass(frozen=True, slots=True)
class Vertex:
    """An event or an FVP; `pattern` is the event or the term `F=V`."""

    kind: VertexKind
    pattern: Term = field(compare=False)
    label: str

    @property
    def is_input(self) -> bool:
        return self.kind in ("input event", "input fluent")

    @property
    def fluent(self) -> Term:
        assert isinstance(self.pattern, Struct)
        return self.pattern.args[0]

    @property
    def value(self) -> Term:
        assert isinstance(self.pattern, Struct)
        return self.pattern.args[1]


@dataclass(frozen=True, slots=True)
class Edge:
    """`target` depends on `source`; `through` is the kind of the condition, or a delay."""

    source: Vertex
    target: Vertex
    through: EdgeLabel
    advances: bool
    delay: str = ""
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def kind(self) -> Literal["i", "f"]:
        return "f" if self.through in ("fi", "ft") else "i"


@dataclass(frozen=True)
class DependencyGraph:
    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def successors(self) -> dict[Vertex, list[Edge]]:
        found: dict[Vertex, list[Edge]] = {vertex: [] for vertex in self.vertices}
        for edge in self.edges:
            found[edge.source].append(edge)
        return found

    def matching(self, pattern: Term, kinds: Iterable[VertexKind]) -> list[Vertex]:
        """The vertices of these kinds that may share an instance with the pattern."""
        return [vertex for kind in kinds for vertex in self._index[kind].matching(pattern)]

    @cached_property
    def _index(self) -> dict[VertexKind, PatternIndex[Vertex]]:
        kinds = (*FVP_KINDS, *EVENT_KINDS)
        return {kind: PatternIndex((v.pattern, v) for v in self.vertices if v.kind == kind) for kind in kinds}

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, int], list[Vertex]]:
        found: dict[tuple[str, str, int], list[Vertex]] = {}
        for vertex in self.vertices:
            found.setdefault((vertex.kind, *pattern_name(vertex.pattern)), []).append(vertex)
        return found

    def named(self, key: tuple[str, int]) -> list[Vertex]:
        """The vertices of one fluent, of all kinds."""
        return [v for kind in FVP_KINDS for v in self._by_name.get((kind, *key), ())]

    def siblings(self, vertex: Vertex) -> list[Vertex]:
        """The vertices for values of the same simple fluent: an initiation of one breaks the others."""
        return self._with_any_value(vertex.fluent)

    def _with_any_value(self, fluent: Term) -> list[Vertex]:
        return self.matching(Struct("=", (fluent, Var("_#value"))), ["simple"])

    def other_values(self, fvp: Fvp) -> list[Vertex]:
        """The vertices whose initiation breaks an FVP and that are no siblings of a vertex that matches the FVP."""
        covered = {sibling for vertex in self.matching(fvp.term, ["simple"]) for sibling in self.siblings(vertex)}
        return [v for v in self._with_any_value(fvp.fluent) if v not in covered]

    def __str__(self) -> str:
        lines = ["vertices"]
        lines += [f"  {v.label}  {v.kind}" for v in self.vertices]
        lines.append("i-edges")
        lines += sorted({f"  {e.source.label} -> {e.target.label}" for e in self.edges if e.kind == "i"})
        lines.append("f-edges")
        lines += sorted({f"  {e.source.label} -> {e.target.label}  {_f_label(e)}" for e in self.edges if e.kind == "f"})
        return "\n".join(lines) + "\n"


def _f_label(edge: Edge) -> str:
    return f"after {edge.delay}" + (" ends" if edge.through == "ft" else "")


FVP_KINDS: tuple[VertexKind, ...] = ("simple", "static", "input fluent")
EVENT_KINDS: tuple[VertexKind, ...] = ("event", "input event")


def dependency_graph(description: EventDescription, names: Names) -> DependencyGraph:
    """The dependency graph of an event description."""
    graph = DependencyGraph(tuple(_vertices(description, names)), ())
    edges = list(dict.fromkeys(_edges(description, graph)))
    return DependencyGraph(graph.vertices, tuple(edges))


def _vertices(description: EventDescription, names: Names) -> Iterator[Vertex]:
    yield from _all("event", names.output_events)
    yield from _all("simple", simple_patterns(description))
    yield from _all("static", names.static)
    used = [e for e in names.used_events if name_and_arity(e) in names.input_events]
    yield from _all("input event", used)
    yield from _all("input fluent", _input_patterns(names))


def _all(kind: VertexKind, patterns: Iterable[Term]) -> list[Vertex]:
    """The vertices of the patterns; variables keep their names unless two labels would be equal."""
    disjoint = disjoint_patterns(patterns)
    return [Vertex(kind, pattern, show(anonymous(pattern))) for pattern in disjoint]


def _input_patterns(names: Names) -> list[Term]:
    """The input FVPs that rules use or declare."""
    used = [
        p
        for p in names.used_fvps
        if isinstance(p, Struct) and name_and_arity(p.args[0]) in names.input_fluents and not names.is_defined(p)
    ]
    declared = [*(p for p, _ in names.declared_inputs), *names.given_fvps]
    uses = PatternIndex((p, None) for p in names.used_fvps)
    return used + [p for p in declared if uses.has(p)]


def _edges(description: EventDescription, graph: DependencyGraph) -> Iterator[Edge]:
    for rule in description.point_rules:
        for target in head_vertices(graph, rule):
            yield from condition_edges(graph, rule.body, target)
    for interval_rule in description.interval_rules:
        for target in graph.matching(interval_rule.fvp.term, ["static"]):
            for step in interval_rule.body:
                if isinstance(step, HoldsFor):
                    for source in graph.matching(step.fvp.term, FVP_KINDS):
                        yield Edge(source, target, "holdsFor", advances=False, span=step.span)
    for delay in effective_delays(description):
        yield from _delay_edges(graph, delay)


def head_vertices(graph: DependencyGraph, rule: PointRule) -> list[Vertex]:
    return graph.matching(rule.head_term, ["event"] if rule.kind == "happensAt" else ["simple"])


def condition_edges(graph: DependencyGraph, body: tuple[Condition, ...], target: Vertex) -> Iterator[Edge]:
    """An i-edge for every condition of a body, including conditions of negations and collections."""
    for condition, _ in flat_conditions(body):
        match condition:
            case Happens(event, span):
                for source in graph.matching(event, EVENT_KINDS):
                    yield Edge(source, target, "happensAt", advances=False, span=span)
            case Holds(fvp, span):
                for source in graph.matching(fvp.term, FVP_KINDS):
                    yield Edge(source, target, "holdsAt", advances=source.kind == "simple", span=span)
            case Starts(fvp, span) | Ends(fvp, span) | Initiated(fvp, span) | Terminated(fvp, span):
                through, is_later = _THROUGH[type(condition)], isinstance(condition, StartsI | EndsI)
                for source in graph.matching(fvp.term, FVP_KINDS):
                    yield Edge(source, target, through, advances=is_later and source.kind == "simple", span=span)
                if isinstance(condition, Terminated):
                    for source in graph.other_values(fvp):
                        yield Edge(source, target, "initiatedAt", advances=False, span=span)


_THROUGH: dict[type[Condition], EdgeLabel] = {
    Starts: "start",
    Ends: "end",
    StartsI: "startI",
    EndsI: "endI",
    Initiated: "initiatedAt",
    Terminated: "terminatedAt",
}


def _delay_edges(graph: DependencyGraph, delay: Delay) -> Iterator[Edge]:
    label = show(delay.delay)
    targets = delay.source if delay.target is None else delay.target
    through: EdgeLabel = "ft" if delay.target is None else "fi"
    for source in graph.matching(delay.source.term, ["simple"]):
        for target in graph.matching(targets.term, ["simple"]):
            yield Edge(source, target, through, advances=True, delay=label, span=delay.span)
    for target in graph.matching(targets.term, ["simple"]):
        yield from condition_edges(graph, delay.body, target)


def effective_delays(description: EventDescription) -> list[Delay]:
    """The delays that can take effect. An unconditional delay that breaks its FVP cancels the longer delays."""
    shortest: dict[Fvp, int] = {}
    for delay in description.delays:
        if isinstance(delay.delay, Int) and not delay.body and breaks_its_source(delay):
            length = delay.delay.value
            shortest[delay.source] = min(length, shortest.get(delay.source, length))

    def is_beaten(delay: Delay) -> bool:
        return isinstance(delay.delay, Int) and shortest.get(delay.source, delay.delay.value) < delay.delay.value

    return [delay for delay in description.delays if not is_beaten(delay)]


def breaks_its_source(delay: Delay) -> bool:
    """Whether the effect certainly breaks the FVP that sets it up."""
    if delay.target is None:
        return True
    return delay.target.fluent == delay.source.fluent and not may_match(delay.target.value, delay.source.value)
