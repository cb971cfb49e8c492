"""Cycles through statically determined fluents.

A statically determined fluent is computed from finished intervals, so it is computed alone: no other vertex may be in
its cd-component. The dependencies are not the only reason for a common cd-component:

- The values of a simple fluent exclude each other, so they are computed together.
- The source and the target of a delay are computed together: the breaks and initiations of the source cancel and
  postpone the effects that wait for the target.

A static fluent that depends on one of these vertices, and that another of them depends on, is therefore in a cycle. The
cycle with the fewest of these steps is reported: dependencies alone, then values, then delays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from holdsfor.analysis.connected_components import cycle_through
from holdsfor.analysis.dependencies import DependencyGraph, Edge, Vertex, effective_delays
from holdsfor.errors import Diagnostics
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import Delay, condition_variables
from holdsfor.syntax.terms import Atom, Struct, Term, Var, variables

__all__ = ["check_static_cycles"]

_Steps = Callable[[Vertex], Iterable[Vertex]]


def check_static_cycles(
    description: EventDescription,
    graph: DependencyGraph,
    components: Iterable[Sequence[Vertex]],
    diagnostics: Diagnostics,
) -> set[Vertex]:
    """Report cycles through statically determined fluents (HF212), one for each component; return their vertices."""
    refused: set[Vertex] = set()
    for component in components:
        static = [vertex for vertex in component if vertex.kind == "static"]
        if not static:
            continue
        inside = _Inside(graph, component)
        cycle = next(inside.cycles(static), None)
        if cycle is not None:
            refused.update(component)
            inside.report(description, cycle, diagnostics)
    return refused


class _Inside:
    """The steps between the vertices of one component."""

    def __init__(self, graph: DependencyGraph, component: Sequence[Vertex]) -> None:
        self.graph = graph
        inside = set(component)
        self.edges = {v: [edge for edge in graph.successors[v] if edge.target in inside] for v in component}
        self.delayed_from: dict[Vertex, list[Edge]] = {v: [] for v in component}
        for edge in (edge for edges in self.edges.values() for edge in edges if edge.kind == "f"):
            self.delayed_from[edge.target].append(edge)

    def cycles(self, static: Sequence[Vertex]) -> Iterator[list[Vertex]]:
        """Cycles from the static vertices, with the fewest kinds of steps first."""
        kinds: tuple[_Steps, ...] = (self.dependents, self.dependents_and_values, self.all_steps)
        for steps in kinds:
            for vertex in static:
                cycle = cycle_through(vertex, steps)
                if cycle is not None:
                    yield cycle

    def dependents(self, vertex: Vertex) -> list[Vertex]:
        return [edge.target for edge in self.edges[vertex]]

    def dependents_and_values(self, vertex: Vertex) -> list[Vertex]:
        return [*self.dependents(vertex), *self.values(vertex)]

    def all_steps(self, vertex: Vertex) -> list[Vertex]:
        sources = [edge.source for edge in self.delayed_from[vertex]]
        return [*self.dependents_and_values(vertex), *sources]

    def values(self, vertex: Vertex) -> list[Vertex]:
        """The other values of a simple fluent."""
        return [v for v in self.graph.siblings(vertex) if v != vertex] if vertex.kind == "simple" else []

    def delays_back(self, cycle: Sequence[Vertex]) -> dict[int, Edge]:
        """The steps of a cycle from the target of a delay to its source, by position."""
        found: dict[int, Edge] = {}
        for i, (before, after) in enumerate(_steps(cycle)):
            if after not in self.dependents_and_values(before):
                found[i] = next(edge for edge in self.delayed_from[before] if edge.source == after)
        return found

    def delay(self, description: EventDescription, edge: Edge) -> Delay:
        """The declaration of an f-edge between two fluents."""
        return next(
            delay
            for delay in effective_delays(description)
            if delay.target is not None
            and delay.span == edge.span
            and edge.source in self.graph.matching(delay.source.term, ["simple"])
            and edge.target in self.graph.matching(delay.target.term, ["simple"])
        )

    def spelt(self, cycle: Sequence[Vertex]) -> str:
        text = f"`{cycle[0].label}`"
        for before, after in _steps(cycle):
            if after in self.dependents(before):
                text += f" -> `{after.label}`"
            elif after in self.values(before):
                text += f", which excludes `{after.label}`"
            else:
                text += f", delayed from `{after.label}`"
        return text

    def report(self, description: EventDescription, cycle: list[Vertex], diagnostics: Diagnostics) -> None:
        delays = self.delays_back(cycle)
        if not delays:
            diagnostics.add(
                "HF212",
                f"the statically determined `{cycle[0].label}` depends on itself: {self.spelt(cycle)}",
                next(edge for edge in self.edges[cycle[-1]] if edge.target == cycle[0]).span,
                "make it a simple fluent, with `initiatedAt` and `terminatedAt`, or break the cycle",
            )
            return
        at, edge = max(delays.items())
        from_the_source = [*cycle[at + 1 :], *cycle[: at + 1]]
        where = "the source and the target of a delay" if len(delays) == 1 else "the sources and the targets of delays"
        diagnostics.add(
            "HF212",
            f"the statically determined `{cycle[0].label}` is between {where}: {self.spelt(from_the_source)}",
            edge.span,
            _hint(self.delay(description, edge)),
        )


def _steps(cycle: Sequence[Vertex]) -> Iterator[tuple[Vertex, Vertex]]:
    """The pairs of consecutive vertices of a cycle."""
    return zip(cycle, [*cycle[1:], cycle[0]], strict=True)


def _hint(delay: Delay) -> str:
    """How to write the delay in two steps, of which the second alone depends on the static fluent."""
    assert delay.target is not None
    target = show(delay.target.term)
    due = show(_due_fluent(delay))
    rest = ", …" if delay.conditions_when_due else ""
    return (
        f"delay a new fluent such as `{due}` instead of `{target}`, without the temporal conditions, and write "
        f"`initiatedAt({target}, T) :- initiatedAt({due}, T){rest}`"
    )


def _due_fluent(delay: Delay) -> Term:
    """An FVP with the variables that the conditions and the effect share with the set-up of the delay."""
    assert delay.target is not None
    known = dict.fromkeys(variables(delay.source.term, *(test.goal for test in delay.tests_at_set_up)))
    used = set(variables(delay.target.term)).union(*map(condition_variables, delay.conditions_when_due))
    arguments = tuple(Var(name) for name in known if name in used)
    return Struct("=", (Struct("due", arguments) if arguments else Atom("due"), Atom("true")))
