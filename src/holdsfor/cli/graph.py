"""`holdsfor graph`: the dependency graph as a picture."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from holdsfor.analysis.compiled import Compiled, compile_files
from holdsfor.cli.arguments import Commands, add_command, add_rule_files
from holdsfor.sinks.files import refuse_overwriting
from holdsfor.views.graph import Drawing, Edge, Vertex, render_graph

__all__ = ["add_parser", "drawing"]


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "graph",
        "draw the dependency graph of the rules",
        "holdsfor graph rules.prolog background.prolog -o graph.svg --include-input",
    )
    add_rule_files(parser)
    parser.add_argument("-o", "--output", required=True, metavar="PICTURE", help="a .svg, .png, .dot or .mmd file")
    parser.add_argument("--include-input", action="store_true", help="draw the input events and fluents too")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    path = Path(options.output)
    refuse_overwriting({"--output": [options.output]}, options.files)
    render_graph(drawing(compile_files(options.files), include_input=options.include_input), path)
    print(f"wrote {path}", file=sys.stderr)
    return 0


def drawing(compiled: Compiled, *, include_input: bool) -> Drawing:
    """What to draw of an event description."""
    levels = compiled.levels
    shown = [v for v in compiled.graph.vertices if include_input or not v.is_input]
    vertices = [Vertex(v.label, v.label, v.kind, levels.level_of(v), levels.component_of[v]) for v in shown]
    labels = {v.label for v in shown}
    edges = [
        Edge(e.source.label, e.target.label, e.kind, e.delay)
        for e in compiled.graph.edges
        if e.source.label in labels and e.target.label in labels
    ]
    return Drawing(vertices, edges)
