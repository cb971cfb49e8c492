"""The f-contracted and the contracted dependency graph (JAIR 2025, Definitions 12 and 13).

The f-contracted graph has one vertex for each set of vertices connected by f-edges, and an edge where an i-edge
connects two sets. The contracted graph has one vertex for each cd-component, and is acyclic. The paper assumes that all
values of a fluent have the same level; here the values of a simple fluent are always in one cd-component.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from holdsfor.analysis.connected_components import weak_components
from holdsfor.analysis.dependencies import DependencyGraph, Vertex
from holdsfor.analysis.levels import Levels

__all__ = ["Contracted", "contract", "group_name"]


@dataclass(frozen=True)
class Contracted:
    """Both graphs. `groups` are the vertices of the f-contracted graph, `edges` are pairs of their numbers.

    `components` are the vertices of the contracted graph: numbers of cd-components, each with its groups.
    """

    levels: Levels
    groups: tuple[tuple[Vertex, ...], ...]
    edges: tuple[tuple[int, int], ...]
    components: dict[int, tuple[int, ...]]

    def component_of(self, group: int) -> int:
        """The number of the cd-component that contains a group."""
        return self.levels.component_of[self.groups[group][0]]

    @property
    def component_edges(self) -> list[tuple[int, int]]:
        """The edges of the contracted graph, between numbers of cd-components."""
        found = {(self.component_of(source), self.component_of(target)) for source, target in self.edges}
        return sorted((source, target) for source, target in found if source != target)

    def __str__(self) -> str:
        place = {component: f"S{i}" for i, component in enumerate(self.components, start=1)}
        lines = ["f-contracted"]
        lines += [f"  {group_name(i)}  {_set(v.label for v in group)}" for i, group in enumerate(self.groups)]
        lines += [f"  {group_name(source)} -> {group_name(target)}" for source, target in self.edges]
        lines.append("contracted")
        for component, groups in self.components.items():
            found = self.levels.components[component]
            cyclic = "  cyclic" if found.is_cyclic else ""
            lines.append(f"  {place[component]}  level {found.level}  {_set(map(group_name, groups))}{cyclic}")
        lines += [f"  {place[source]} -> {place[target]}" for source, target in self.component_edges]
        return "\n".join(lines) + "\n"


def group_name(number: int) -> str:
    """The name of a vertex of the f-contracted graph."""
    return f"W{number + 1}"


def contract(graph: DependencyGraph, levels: Levels, shown: Collection[Vertex]) -> Contracted:
    """The contracted graphs of the vertices that are shown, in processing order."""
    delays = [(edge.source, edge.target) for edge in graph.edges if edge.kind == "f"]
    order = {vertex: i for i, component in enumerate(levels.components) for vertex in component.vertices}
    found = [group for group in weak_components(graph.vertices, delays) if group[0] in shown]
    groups = tuple(tuple(group) for group in sorted(found, key=lambda group: order[group[0]]))
    group_of = {vertex: i for i, group in enumerate(groups) for vertex in group}
    edges = {
        (group_of[edge.source], group_of[edge.target])
        for edge in graph.edges
        if edge.kind == "i" and edge.source in group_of and edge.target in group_of
    }
    components: dict[int, tuple[int, ...]] = {}
    for i, group in enumerate(groups):
        component = levels.component_of[group[0]]
        components[component] = (*components.get(component, ()), i)
    return Contracted(levels, groups, tuple(sorted(edges)), components)


def _set(names: Iterable[str]) -> str:
    return "{" + ", ".join(names) + "}"
