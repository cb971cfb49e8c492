"""Components whose results before the window never change.

A query time evaluates the time range from the settled time-point on. An Allen construct or a duration filter may keep
the settled time-point long before the window, until it has decided about an interval that is still open. *Early*
components do not depend on such a construct. A time-point before the window is final for them, whether or not it is
settled, so they are evaluated over the window only (`runtime/early_results.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.tables import Key
from holdsfor.physical.interval_operators.intersect_intervals import IntersectIntervals
from holdsfor.physical.interval_operators.read_fluent import ReadFluent
from holdsfor.physical.interval_operators.subtract_intervals import SubtractIntervals
from holdsfor.physical.interval_operators.union_intervals import UnionIntervals
from holdsfor.physical.operators.operator import Operator, all_operators
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.plan import PhysicalProgram, PlannedComponent
from holdsfor.syntax.terms import name_and_arity

__all__ = ["EarlyComponents", "Name", "early_components"]

Name: TypeAlias = tuple[bool, Key]
"""A name, and whether it is that of an event."""

_POINTWISE = (IntersectIntervals, ReadFluent, SubtractIntervals, UnionIntervals)


@dataclass(frozen=True)
class EarlyComponents:
    """The positions of early components in the program, and the names of the events and fluents that they compute."""

    positions: frozenset[int]
    events: frozenset[Key]
    fluents: frozenset[Key]


def early_components(
    compiled: Compiled, program: PhysicalProgram, without: frozenset[Name] = frozenset()
) -> EarlyComponents:
    """The components that depend on no construct which decides about whole intervals, nor on instances so far.

    Components that depend on the input `without` are left out.
    """
    sources: dict[Vertex, list[Vertex]] = {}
    for edge in compiled.graph.edges:
        sources.setdefault(edge.target, []).append(edge.source)
    names = compiled.names
    late_keys = {(True, key) for key in names.input_events} | {(False, key) for key in names.input_fluents}
    while True:
        positions = _early_positions(program, sources, late_keys, without)
        late = [c for position, c in enumerate(program.components) if position not in positions]
        more = {key for component in late for key in _computed(component)} - late_keys
        if not more:
            break
        late_keys |= more
    found = [key for position in positions for key in _computed(program.components[position])]
    return EarlyComponents(
        frozenset(positions),
        frozenset(key for is_event, key in found if is_event),
        frozenset(key for is_event, key in found if not is_event),
    )


def _early_positions(
    program: PhysicalProgram, sources: dict[Vertex, list[Vertex]], late_keys: set[Name], without: frozenset[Name]
) -> set[int]:
    positions: set[int] = set()
    known: set[Vertex] = set()
    for position, component in enumerate(program.components):
        own = set(component.own.vertices)
        read = {source for vertex in own for source in sources.get(vertex, ())} - own
        if not component.interval_rules:
            read = {source for source in read if not source.is_input or _input_name(source) in without}
        if read <= known and _is_pointwise(component) and late_keys.isdisjoint(_computed(component)):
            positions.add(position)
            known |= own
    return positions


def _input_name(vertex: Vertex) -> Name:
    is_event = vertex.kind == "input event"
    return is_event, name_and_arity(vertex.pattern if is_event else vertex.fluent)


def _computed(component: PlannedComponent) -> set[Name]:
    """The names that a component computes, each with whether it is an event."""
    fluents = {*component.fluents, *(rule.head.shape.key for rule in component.interval_rules)}
    return {(True, rule.key) for rule in component.events} | {(False, key) for key in fluents}


def _is_pointwise(component: PlannedComponent) -> bool:
    """Whether results at a time-point depend on earlier time-points only through holding FVPs and pending effects."""
    operators = [operator for rule in component.interval_rules for operator in rule.operators]
    tests = [test for rule in component.interval_rules for test in all_operators(rule.head.tests)]
    return (
        all(isinstance(operator, _POINTWISE) for operator in operators)
        and not any(fluent.initially for fluent in component.fluents.values())
        and not _ranges((*component.point_operators, *tests))
    )


def _ranges(operators: Iterable[Operator]) -> bool:
    return any(isinstance(operator, RangeOver) or operator.ranged is not None for operator in operators)
