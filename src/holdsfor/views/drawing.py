"""The dependency graph to draw: vertices with a level and a component, edges with a kind and a label.

A vertex is an event or a fluent-value pair. An edge leads from a vertex to a vertex that depends on it. An i-edge is an
immediate effect, an f-edge a delayed effect, with the delay as its label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["KINDS", "Drawing", "DrawnEdge", "DrawnVertex", "EdgeKind", "VertexKind"]

VertexKind = Literal["input event", "input fluent", "event", "simple", "static"]
EdgeKind = Literal["i", "f"]

KINDS: tuple[VertexKind, ...] = get_args(VertexKind)


@dataclass(frozen=True)
class DrawnVertex:
    """A box of the picture. Vertices of one component share a level."""

    id: str
    label: str
    kind: VertexKind
    level: int
    component: int


@dataclass(frozen=True)
class DrawnEdge:
    """An arrow of the picture, from a vertex to a vertex that depends on it."""

    source: str
    target: str
    kind: EdgeKind
    label: str = ""


@dataclass(frozen=True, init=False)
class Drawing:
    """Vertices and edges in the order of output; duplicate edges are drawn once.

    Contract: the identifiers of the vertices are distinct, and every edge joins two of them; `ValueError` otherwise.
    """

    vertices: tuple[DrawnVertex, ...]
    edges: tuple[DrawnEdge, ...]

    def __init__(self, vertices: Iterable[DrawnVertex], edges: Iterable[DrawnEdge]) -> None:
        object.__setattr__(self, "vertices", tuple(vertices))
        object.__setattr__(self, "edges", tuple(dict.fromkeys(edges)))
        self._check()

    def _check(self) -> None:
        for name, count in Counter(v.id for v in self.vertices).items():
            if count > 1:
                raise ValueError(f"two vertices have the name `{name}`")
        known = {v.id for v in self.vertices}
        for edge in self.edges:
            for end in (edge.source, edge.target):
                if end not in known:
                    raise ValueError(f"vertex `{end}` not found")

    @property
    def levels(self) -> list[int]:
        """The levels that have a vertex, lowest first."""
        return sorted({v.level for v in self.vertices})

    @property
    def kinds(self) -> list[VertexKind]:
        """The kinds that occur, in the order of the legend."""
        present = {v.kind for v in self.vertices}
        return [kind for kind in KINDS if kind in present]

    def components_at(self, level: int) -> list[list[DrawnVertex]]:
        """The vertices of a level, component by component, both in the order given."""
        components: dict[int, list[DrawnVertex]] = {}
        for vertex in self.vertices:
            if vertex.level == level:
                components.setdefault(vertex.component, []).append(vertex)
        return list(components.values())

    def has_edges(self, kind: EdgeKind) -> bool:
        return any(edge.kind == kind for edge in self.edges)
