"""The dependency graph as a file: SVG and PNG through Graphviz, DOT and Mermaid as text."""

from __future__ import annotations

from pathlib import Path

from holdsfor.views.dot import to_dot
from holdsfor.views.drawing import Drawing, DrawnEdge, DrawnVertex, EdgeKind, VertexKind
from holdsfor.views.graphviz import has_graphviz, run_graphviz
from holdsfor.views.mermaid import to_mermaid
from holdsfor.views.picture_file import check_suffix, write_picture

__all__ = [
    "GRAPH_SUFFIXES",
    "Drawing",
    "DrawnEdge",
    "DrawnVertex",
    "EdgeKind",
    "VertexKind",
    "has_graphviz",
    "render_graph",
    "to_dot",
    "to_mermaid",
]

GRAPH_SUFFIXES = (".svg", ".png", ".dot", ".mmd")


def render_graph(drawing: Drawing, path: Path) -> None:
    """Write the drawing to `path` in the format of its suffix.

    `UsageProblem` if the suffix is not in `GRAPH_SUFFIXES`, if .svg or .png is requested without Graphviz, or if the
    file cannot be written.
    """
    match check_suffix(path, GRAPH_SUFFIXES):
        case ".svg":
            content = run_graphviz(to_dot(drawing), "svg")
        case ".png":
            content = run_graphviz(to_dot(drawing), "png")
        case ".dot":
            content = to_dot(drawing).encode()
        case _:
            content = to_mermaid(drawing).encode()
    write_picture(path, content)
