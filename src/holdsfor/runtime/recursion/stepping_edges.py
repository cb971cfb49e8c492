"""`startI` and `endI` of the fluents that time stepping computes: they follow a change at the next time-point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.columns.tables import FluentTable, Key
from holdsfor.physical.operators.context import EdgeKind
from holdsfor.physical.plan import PlannedComponent
from holdsfor.runtime.edges import edges_at
from holdsfor.runtime.recursion.grounding_checks import Cell

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["SteppingEdges"]

_Edges: TypeAlias = dict[tuple[EdgeKind, Key], list[Cell]]


class SteppingEdges:
    """The edges of intervals at the current time-point of time stepping, and the scheduled ones.

    All scheduled edges are at one time-point: the one after the last change.
    """

    def __init__(self, component: PlannedComponent, part: Evaluation, state: dict[Key, FluentTable]) -> None:
        self.time_range = part.time_range
        self.keys = {key for _, key in _asked(component)}
        self.ahead: _Edges = {}
        self.time: int | None = None
        self.now: _Edges = {}
        for kind, key in _asked(component):
            points = edges_at(part.edge_points(kind, key, state[key]), self.time_range.first)
            numbers = points.numbers(tuple(range(key[1])), part.instances).tolist()
            if numbers:
                self.ahead[kind, key] = list(zip(numbers, points.column(key[1]).tolist(), strict=True))
                self.time = self.time_range.first

    def reach(self, time: int) -> None:
        """Make the edges scheduled up to a time-point the current ones."""
        is_there = self.time == time
        self.now = self.ahead if is_there else {}
        if is_there:
            self.ahead, self.time = {}, None

    def change(self, key: Key, cell: int, before: int | None, after: int | None, time: int) -> None:
        """Schedule the edges that follow a change of a fluent's value."""
        if before == after:
            return
        self.time = self.time_range.next_of(time)
        if before is not None:
            self.ahead.setdefault(("endI", key), []).append((cell, before))
        if after is not None:
            self.ahead.setdefault(("startI", key), []).append((cell, after))


def _asked(component: PlannedComponent) -> Iterator[tuple[EdgeKind, Key]]:
    """The edges of its own intervals that a component reads."""
    found: dict[tuple[EdgeKind, Key], None] = {}
    for step in component.point_operators:
        if step.edge is not None and step.edge[1] in component.fluents and step.reads_from(component.own):
            found[step.edge] = None
    return iter(found)
