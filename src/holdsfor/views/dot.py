"""The dependency graph in the language of Graphviz.

Levels are columns from left to right, each below its heading; a chain of invisible edges between the headings separates
the columns even where no edge of the graph does. Only `newrank` allows both boxes around components and columns. The
legend is the label of the graph, so that it is not part of the layout.
"""

from __future__ import annotations

from holdsfor.errors import printable
from holdsfor.views.drawing import Drawing, DrawnEdge, DrawnVertex, VertexKind

__all__ = ["to_dot"]

_FONT = "DejaVu Sans,Helvetica,Arial,sans-serif"

_STYLE: dict[VertexKind, str] = {
    "input event": 'shape=ellipse, fillcolor="#f1f3f5", color="#868e96"',
    "input fluent": 'shape=box, style="filled,rounded", fillcolor="#ece8f7", color="#7565ad"',
    "event": 'shape=ellipse, fillcolor="#fff3d6", color="#c77700"',
    "simple": 'shape=box, style="filled,rounded", fillcolor="#dcebfb", color="#1f6fb5"',
    "static": 'shape=box, peripheries=2, fillcolor="#def3e6", color="#1e8449"',
}

_SWATCH: dict[VertexKind, tuple[str, str, str]] = {
    "input event": ("#f1f3f5", "#868e96", "input event"),
    "input fluent": ("#ece8f7", "#7565ad", "input fluent"),
    "event": ("#fff3d6", "#c77700", "output event"),
    "simple": ("#dcebfb", "#1f6fb5", "simple fluent"),
    "static": ("#def3e6", "#1e8449", "statically determined fluent"),
}


def to_dot(drawing: Drawing) -> str:
    """The drawing as a DOT file.

    >>> text = to_dot(Drawing([DrawnVertex("alarm/1", "alarm(X)", "event", 1, 1)], []))
    >>> [line.strip() for line in text.splitlines() if "alarm" in line]
    ['"alarm/1" [label="alarm(X)", shape=ellipse, fillcolor="#fff3d6", color="#c77700"];']
    """
    lines = ["digraph dependencies {", *_defaults(drawing)]
    for level in drawing.levels:
        lines += _level(drawing, level)
    lines += _chain(drawing.levels)
    lines += [f"  {_edge(edge)}" for edge in drawing.edges]
    return "\n".join([*lines, "}", ""])


def _defaults(drawing: Drawing) -> list[str]:
    return [
        "  graph [rankdir=LR, newrank=true, nodesep=0.28, ranksep=0.7, pad=0.2, bgcolor=white,",
        f'    fontname="{_FONT}", fontsize=10, fontcolor="#495057", labelloc=b, labeljust=l,',
        f"    label={_legend(drawing)}];",
        f'  node [fontname="{_FONT}", fontsize=11, style=filled, penwidth=1.2, margin="0.14,0.07", height=0.35];',
        f'  edge [fontname="{_FONT}", fontsize=9, color="#495057", fontcolor="#c92a2a", arrowsize=0.7];',
    ]


def _level(drawing: Drawing, level: int) -> list[str]:
    lines = [
        f"  subgraph {_identifier('level', level)} {{",
        "    rank=same;",
        f'    {_heading(level)} [label="level {level}", shape=plaintext, style="", fontcolor="#495057"];',
    ]
    for component in drawing.components_at(level):
        if len(component) > 1:
            lines += _box(component)
        else:
            lines.append(f"    {_vertex(component[0])}")
    return [*lines, "  }"]


def _box(component: list[DrawnVertex]) -> list[str]:
    name = _identifier("cluster", component[0].component)
    return [
        f"    subgraph {name} {{",
        '      label=""; style="rounded,filled"; color="#adb5bd"; fillcolor="#fafbfc"; penwidth=1.2; margin=12;',
        *(f"      {_vertex(vertex)}" for vertex in component),
        "    }",
    ]


def _identifier(prefix: str, number: int) -> str:
    return f"{prefix}_{number}" if number >= 0 else f"{prefix}_minus_{-number}"


def _heading(level: int) -> str:
    """The identifier of a heading; no vertex can have it, because `_quoted` doubles backslashes."""
    return f'"\\level {level}"'


def _chain(levels: list[int]) -> list[str]:
    if len(levels) < 2:
        return []
    return [f"  {' -> '.join(map(_heading, levels))} [style=invis, weight=100];"]


def _vertex(vertex: DrawnVertex) -> str:
    return f"{_quoted(vertex.id)} [label={_label(vertex.label)}, {_STYLE[vertex.kind]}];"


def _edge(edge: DrawnEdge) -> str:
    attributes = []
    if edge.label:
        attributes.append(f"label={_label(f' {edge.label} ')}")
    if edge.kind == "f":
        attributes.append('style=dashed, color="#c92a2a"')
    text = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
    return f"{text} [{', '.join(attributes)}];" if attributes else f"{text};"


def _quoted(name: str) -> str:
    """A name in quotes; distinct names have distinct results."""
    doubled = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in doubled) + '"'


def _label(text: str) -> str:
    """A text in quotes that Graphviz shows unchanged, without interpreting escapes or entities."""
    lines = [_quoted(printable(line).replace("&", "&amp;"))[1:-1] for line in text.split("\n")]
    return '"' + "\\n".join(lines) + '"'


def _legend(drawing: Drawing) -> str:
    cells = []
    for kind in drawing.kinds:
        fill, border, name = _SWATCH[kind]
        cells.append(f'<td border="1" color="{border}" bgcolor="{fill}" width="18"> </td><td>{name}  </td>')
    if drawing.has_edges("i"):
        cells.append("<td>→ at once  </td>")
    if drawing.has_edges("f"):
        cells.append('<td><font color="#c92a2a">⇢ after a delay</font></td>')
    if not cells:
        return '"no dependencies"'
    return f'<<table border="0" cellborder="0" cellspacing="4"><tr>{"".join(cells)}</tr></table>>'
