"""The order in which interval operators decide their results.

An operator that reads whole intervals decides a result only when an interval has ended or is long enough, and the
result counts from the start of the interval. Results that depend on such results are decided later still. Operators
that do not depend on each other are on one level, and do not add up.
"""

from __future__ import annotations

from typing import TypeAlias

from holdsfor.analysis.dependencies import DependencyGraph
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.plan import PhysicalProgram, PlannedComponent

__all__ = ["DecidingLevels", "deciding_levels", "deciding_nodes"]

DecidingLevels: TypeAlias = tuple[tuple[tuple[NodeId, ...], ...], ...]
"""By level, for each component, the ids of its operators that read whole intervals, in processing order."""


def deciding_nodes(component: PlannedComponent) -> tuple[NodeId, ...]:
    """The operators of a component that read whole intervals, in processing order."""
    operators = (operator for rule in component.interval_rules for operator in rule.operators)
    return tuple(each.id for each in operators if each.looks_at_whole_intervals and each.id is not None)


def deciding_levels(program: PhysicalProgram, graph: DependencyGraph) -> DecidingLevels:
    """The levels of a program; an operator depends only on operators of lower levels and of its own component."""
    component_of = {v: i for i, each in enumerate(program.logical.components) for v in each.vertices}
    before: dict[int, set[int]] = {i: set() for i in range(len(program.components))}
    for edge in graph.edges:
        source, target = component_of.get(edge.source), component_of.get(edge.target)
        if source is not None and target is not None and source < target:
            before[target].add(source)
    levels: list[list[tuple[NodeId, ...]]] = []
    depths: list[int] = []
    for i, component in enumerate(program.components):
        depth, nodes = max((depths[j] for j in before[i]), default=0), deciding_nodes(component)
        if nodes:
            if depth == len(levels):
                levels.append([])
            levels[depth].append(nodes)
            depth += 1
        depths.append(depth)
    return tuple(map(tuple, levels))
