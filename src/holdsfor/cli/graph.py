"""`holdsfor graph`: show the dependency graph or its contraction as text or as a picture."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from holdsfor.analysis import dependencies
from holdsfor.analysis.contraction import contract, group_name
from holdsfor.analysis.dependencies import DependencyGraph
from holdsfor.analysis.pipeline import Compiled, compile_files
from holdsfor.cli.options.arguments import Commands, add_command, add_rule_files
from holdsfor.sinks.output_files import refuse_overwriting
from holdsfor.views.graph import Drawing, DrawnEdge, DrawnVertex, render_graph

__all__ = ["add_parser", "contracted_drawing", "drawing"]


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "graph",
        "draw the dependency graph of the rules",
        "holdsfor graph rules.prolog background.prolog -o graph.svg --include-input",
    )
    add_rule_files(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="PICTURE",
        help="file for the picture: .svg, .png, .dot or .mmd (default: text on standard output)",
    )
    parser.add_argument("--include-input", action="store_true", help="also show input events and input fluents")
    parser.add_argument(
        "--contracted",
        action="store_true",
        help="show the f-contracted graph and the contracted graph of its components",
    )
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    compiled = compile_files(options.rules)
    if options.output is None:
        sys.stdout.write(_text(compiled, options))
        return 0
    draw = contracted_drawing if options.contracted else drawing
    path = Path(options.output)
    refuse_overwriting({"--output": [options.output]}, options.rules)
    render_graph(draw(compiled, include_input=options.include_input), path)
    print(f"wrote {path}", file=sys.stderr)
    return 0


def _text(compiled: Compiled, options: argparse.Namespace) -> str:
    """The graph as text."""
    shown = _shown(compiled, include_input=options.include_input)
    if options.contracted:
        return str(contract(compiled.graph, compiled.levels, shown))
    edges = tuple(e for e in compiled.graph.edges if e.source in shown and e.target in shown)
    return str(DependencyGraph(tuple(shown), edges))


def _shown(compiled: Compiled, *, include_input: bool) -> list[dependencies.Vertex]:
    return [v for v in compiled.graph.vertices if include_input or not v.is_input]


def contracted_drawing(compiled: Compiled, *, include_input: bool) -> Drawing:
    """The contracted graph as a drawing: a vertex for each f-connected group, a box for each cd-component."""
    found = contract(compiled.graph, compiled.levels, _shown(compiled, include_input=include_input))
    vertices = []
    for i, group in enumerate(found.groups):
        component = found.component_of(i)
        level = found.levels.components[component].level
        label = "\n".join(vertex.label for vertex in group)
        vertices.append(DrawnVertex(group_name(i), label, group[0].kind, level, component))
    return Drawing(vertices, [DrawnEdge(group_name(s), group_name(t), "i") for s, t in found.edges])


def drawing(compiled: Compiled, *, include_input: bool) -> Drawing:
    """The dependency graph as a drawing."""
    levels = compiled.levels
    shown = _shown(compiled, include_input=include_input)
    vertices = [DrawnVertex(v.label, v.label, v.kind, levels.level_of(v), levels.component_of[v]) for v in shown]
    labels = {v.label for v in shown}
    edges = [
        DrawnEdge(e.source.label, e.target.label, e.kind, e.delay)
        for e in compiled.graph.edges
        if e.source.label in labels and e.target.label in labels
    ]
    return Drawing(vertices, edges)
