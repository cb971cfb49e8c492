"""The fluents whose starts rules read, with the fluents from which these are computed.

An interval that a window cuts has no start at the edge, nor has an interval computed from it (`runtime/cuts.py`). For
other fluents it does not matter whether an interval starts at the edge or only continues there.
"""

from __future__ import annotations

from holdsfor.columns.tables import Key
from holdsfor.physical.interval_operators.read_fluent import ReadFluent
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.plan import PhysicalProgram

__all__ = ["started_fluents"]


def started_fluents(program: PhysicalProgram) -> frozenset[Key]:
    """The fluents whose `start` or `startI` a rule reads, and all fluents that their interval rules read."""
    read: dict[Key, set[Key]] = {}
    waiting: set[Key] = set()
    for component in program.components:
        for rule in component.interval_rules:
            sources = {each.shape.key for each in rule.operators if isinstance(each, ReadFluent)}
            read.setdefault(rule.head.shape.key, set()).update(sources)
        points = [each for each in component.point_operators if isinstance(each, JoinPoints)]
        waiting |= {each.key for each in points if each.kind in ("starts", "startI")}
    found: set[Key] = set()
    while waiting:
        key = waiting.pop()
        found.add(key)
        waiting |= read.get(key, set()) - found
    return frozenset(found)
