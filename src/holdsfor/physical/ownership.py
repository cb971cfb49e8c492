"""What a component computes itself: a step that asks for it cannot be answered before the component is evaluated.

Values of one fluent may belong to different components, or be input, so that the name of a fluent is not enough.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.analysis.dependencies import DependencyGraph, Vertex
from holdsfor.analysis.patterns import may_match
from holdsfor.columns.tables import Key
from holdsfor.physical.steps import (
    AnyClause,
    AnyOf,
    Broken,
    Gather,
    HoldsNow,
    MatchPoints,
    NoneOf,
    Prove,
    RangeHead,
    Step,
)
from holdsfor.syntax.terms import Atom, Struct, Term, Var, name_and_arity

__all__ = ["Owned", "asks_for", "owned_by"]

_ANY_VALUE = Var("_#value")


@dataclass(frozen=True)
class Owned:
    """The events and FVPs of a component; `others` are values of its fluents that it does not compute."""

    vertices: tuple[Vertex, ...]
    others: tuple[Vertex, ...] = ()

    def includes(self, step: MatchPoints | HoldsNow | Broken) -> bool:
        """Whether a step may ask for something of the component."""
        return _matches(step, self.vertices)

    def is_shared(self, step: MatchPoints | HoldsNow | Broken) -> bool:
        """Whether a step may also ask for values that the component does not compute."""
        return _matches(step, self.others)


def owned_by(vertices: tuple[Vertex, ...], graph: DependencyGraph) -> Owned:
    """What the component of these vertices computes."""
    keys = dict.fromkeys(name_and_arity(vertex.fluent) for vertex in vertices if vertex.kind == "simple")
    others = tuple(vertex for key in keys for vertex in graph.named(key) if vertex not in vertices)
    return Owned(vertices, others)


def asks_for(step: Step, own: Owned) -> bool:
    """Whether a step asks for what a component computes."""
    match step:
        case MatchPoints() | HoldsNow() | Broken():
            return own.includes(step)
        case RangeHead(is_termination=True):
            return True
        case Prove(ranges=ranges):
            return any(asks_for(each, own) for _, each in ranges)
        case NoneOf(steps=inner) | Gather(steps=inner):
            return any(asks_for(each, own) for each in inner)
        case AnyOf(branches=branches) | AnyClause(branches=branches):
            return any(asks_for(each, own) for branch in branches for each in branch)
    return False


def _matches(step: MatchPoints | HoldsNow | Broken, vertices: tuple[Vertex, ...]) -> bool:
    asked = _asked(step)
    is_event = isinstance(step, MatchPoints) and step.kind == "events"
    return any(may_match(vertex.pattern, asked) for vertex in vertices if (vertex.kind == "event") == is_event)


def _asked(step: MatchPoints | HoldsNow | Broken) -> Term:
    """The event or FVP that a step asks for; what breaks an FVP may be any other value."""
    if isinstance(step, MatchPoints) and step.kind == "events":
        return _named(step.key, step.patterns)
    *arguments, value = step.patterns
    return Struct("=", (_named(step.key, tuple(arguments)), _ANY_VALUE if isinstance(step, Broken) else value))


def _named(key: Key, arguments: tuple[Term, ...]) -> Term:
    return Struct(key[0], arguments) if arguments else Atom(key[0])
