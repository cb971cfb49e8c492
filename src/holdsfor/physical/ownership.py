"""The events and FVPs that a component computes: an operator that reads them cannot run before the component.

Values of one fluent may belong to different components, or be input, so the name of a fluent is not enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from holdsfor.analysis.dependencies import DependencyGraph, Vertex
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.columns.tables import Key
from holdsfor.syntax.terms import Atom, Struct, Term, Var, name_and_arity

__all__ = ["Lookup", "Owned", "any_value_lookup", "event_lookup", "fvp_lookup", "owned_by"]

_ANY_VALUE = Var("_#value")


@dataclass(frozen=True)
class Lookup:
    """The pattern of the events or FVPs that an operator reads."""

    key: Key
    pattern: Term
    is_event: bool = False


def event_lookup(key: Key, arguments: Sequence[Term]) -> Lookup:
    """The events that match the arguments."""
    return Lookup(key, _named(key, arguments), is_event=True)


def fvp_lookup(key: Key, patterns: Sequence[Term]) -> Lookup:
    """The FVPs that match the patterns of arguments and value."""
    *arguments, value = patterns
    return Lookup(key, Struct("=", (_named(key, arguments), value)))


def any_value_lookup(key: Key, patterns: Sequence[Term]) -> Lookup:
    """The FVPs that match the arguments, with any value."""
    return fvp_lookup(key, (*patterns[:-1], _ANY_VALUE))


def _named(key: Key, arguments: Sequence[Term]) -> Term:
    return Struct(key[0], tuple(arguments)) if arguments else Atom(key[0])


@dataclass(frozen=True)
class Owned:
    """The events and FVPs of a component; `others` are values of its fluents that it does not compute."""

    vertices: tuple[Vertex, ...]
    others: tuple[Vertex, ...] = ()

    def includes(self, lookup: Lookup) -> bool:
        """Whether a lookup may match an event or FVP of the component."""
        return self._computed[lookup.is_event].has(lookup.pattern)

    def is_shared(self, lookup: Lookup) -> bool:
        """Whether a lookup may also match values that the component does not compute."""
        return self._not_computed[lookup.is_event].has(lookup.pattern)

    @cached_property
    def _computed(self) -> dict[bool, PatternIndex[None]]:
        return _by_kind(self.vertices)

    @cached_property
    def _not_computed(self) -> dict[bool, PatternIndex[None]]:
        return _by_kind(self.others)


def owned_by(vertices: tuple[Vertex, ...], graph: DependencyGraph) -> Owned:
    """The events and FVPs that the component of these vertices computes."""
    keys = dict.fromkeys(name_and_arity(vertex.fluent) for vertex in vertices if vertex.kind == "simple")
    inside = set(vertices)
    others = tuple(vertex for key in keys for vertex in graph.named(key) if vertex not in inside)
    return Owned(vertices, others)


def _by_kind(vertices: tuple[Vertex, ...]) -> dict[bool, PatternIndex[None]]:
    """The events, and the FVPs, of the vertices."""
    patterns = {
        is_event: [v.pattern for v in vertices if (v.kind == "event") == is_event] for is_event in (True, False)
    }
    return {is_event: PatternIndex((pattern, None) for pattern in found) for is_event, found in patterns.items()}
