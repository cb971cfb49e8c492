"""The dependency graph in the language of Mermaid, which many wikis and code hosts render.

Levels are subgraphs, components with more than one vertex are subgraphs in them. Every character that is markup in
Mermaid or in the Markdown of its labels is written as a numeric entity.
"""

from __future__ import annotations

import re

from holdsfor.errors import printable
from holdsfor.views.drawing import Drawing, DrawnEdge, DrawnVertex, VertexKind

__all__ = ["to_mermaid"]

_SHAPE: dict[VertexKind, tuple[str, str]] = {
    "input event": ("([", "])"),
    "input fluent": ("(", ")"),
    "event": ("([", "])"),
    "simple": ("(", ")"),
    "static": ("[[", "]]"),
}

_CLASS: dict[VertexKind, tuple[str, str]] = {
    "input event": ("inputEvent", "fill:#f1f3f5,stroke:#868e96,color:#212529"),
    "input fluent": ("inputFluent", "fill:#ece8f7,stroke:#7565ad,color:#212529"),
    "event": ("outputEvent", "fill:#fff3d6,stroke:#c77700,color:#212529"),
    "simple": ("simpleFluent", "fill:#dcebfb,stroke:#1f6fb5,color:#212529"),
    "static": ("staticFluent", "fill:#def3e6,stroke:#1e8449,color:#212529"),
}


def to_mermaid(drawing: Drawing) -> str:
    """The drawing as a Mermaid flowchart.

    >>> print(to_mermaid(Drawing([DrawnVertex("a", "alarm(X)", "event", 1, 1)], [])))
    flowchart LR
      subgraph level1["level 1"]
        v0(["alarm(X)"]):::outputEvent
      end
      classDef outputEvent fill:#fff3d6,stroke:#c77700,color:#212529
    <BLANKLINE>
    """
    names = {vertex.id: f"v{number}" for number, vertex in enumerate(drawing.vertices)}
    lines = ["flowchart LR"]
    for level in drawing.levels:
        lines += _level(drawing, level, names)
    lines += [f"  {_edge(edge, names)}" for edge in drawing.edges]
    lines += _delays(drawing)
    for kind in drawing.kinds:
        name, style = _CLASS[kind]
        lines.append(f"  classDef {name} {style}")
    return "\n".join([*lines, ""])


def _level(drawing: Drawing, level: int, names: dict[str, str]) -> list[str]:
    lines = [f'  subgraph {_identifier("level", level)}["level {level}"]']
    for component in drawing.components_at(level):
        if len(component) > 1:
            lines.append(f'    subgraph {_identifier("component", component[0].component)}[" "]')
            lines += [f"      {_vertex(vertex, names)}" for vertex in component]
            lines.append("    end")
        else:
            lines.append(f"    {_vertex(component[0], names)}")
    return [*lines, "  end"]


def _identifier(prefix: str, number: int) -> str:
    return f"{prefix}{number}" if number >= 0 else f"{prefix}Minus{-number}"


def _vertex(vertex: DrawnVertex, names: dict[str, str]) -> str:
    opening, closing = _SHAPE[vertex.kind]
    return f"{names[vertex.id]}{opening}{_quoted(vertex.label)}{closing}:::{_CLASS[vertex.kind][0]}"


def _edge(edge: DrawnEdge, names: dict[str, str]) -> str:
    arrow = "-.->" if edge.kind == "f" else "-->"
    label = f"|{_quoted(edge.label)}|" if edge.label else ""
    return f"{names[edge.source]} {arrow}{label} {names[edge.target]}"


def _delays(drawing: Drawing) -> list[str]:
    numbers = [str(number) for number, edge in enumerate(drawing.edges) if edge.kind == "f"]
    return [f"  linkStyle {','.join(numbers)} stroke:#c92a2a,color:#c92a2a"] if numbers else []


# An underscore inside a word is plain; at the edge of a word it is emphasis.
_MARKUP = re.compile(r"""["#&<>\\`*~$|;{}\[\]!:@^%]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^\s|\s$|^[-+.\d]+(?=[.)\s])""")


def _quoted(text: str) -> str:
    lines = [
        _MARKUP.sub(lambda found: "".join(f"#{ord(c)};" for c in found[0]), printable(line))
        for line in text.split("\n")
    ]
    return '"' + ("<br>".join(lines) or " ") + '"'  # an empty label is an error in Mermaid
