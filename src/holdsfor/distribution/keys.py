"""Partition keys: whether the rules of a unit can be evaluated key by key, and the route that each table then needs.

Each join of a rule is local to a bucket (`HashRoute`), follows facts of the background knowledge (`MapRoute`), is a
semijoin with a guard (`SemijoinRoute`) or a broadcast (`Broadcast`); `Rule.fit` chooses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.patterns import anonymous
from holdsfor.distribution.background_maps import BackgroundMaps, Hop
from holdsfor.distribution.joins import BodyAtom, Join, Path, arguments, paths, position, term_at
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity

__all__ = [
    "Broadcast",
    "Distribution",
    "DomainUse",
    "HashRoute",
    "Joins",
    "Keying",
    "MapRoute",
    "Paths",
    "Routed",
    "Rule",
    "SemijoinRoute",
    "Table",
    "Unit",
    "table_of",
]

Table: TypeAlias = tuple[Literal["domain", "event", "fluent"], str, int]
"""Records or results of one name and arity, or the members of a dynamic domain."""

Paths: TypeAlias = Mapping[Vertex, Path]
_MOST_KEYINGS = 64


@dataclass(frozen=True)
class HashRoute:
    """Send each row to the owner of one of its arguments."""

    argument: int

    def __str__(self) -> str:
        return f"by argument {self.argument + 1}"


@dataclass(frozen=True)
class MapRoute:
    """Send each row to the owners of all keys to which the hops lead from one of its arguments."""

    argument: int
    hops: tuple[Hop, ...]

    def __str__(self) -> str:
        return f"by argument {self.argument + 1} mapped with {', then '.join(map(str, self.hops))}"


@dataclass(frozen=True)
class SemijoinRoute:
    """Send each row to the owner of argument `owner` of every guard row whose `partner` equals its `argument`."""

    argument: int
    guard: Table
    partner: int
    owner: int

    def __str__(self) -> str:
        _, name, arity = self.guard
        ends = f"from argument {self.partner + 1} to {self.owner + 1}"
        return f"by semijoin of argument {self.argument + 1} with {show_indicator(name, arity)} {ends}"


@dataclass(frozen=True)
class Broadcast:
    """Send each row to all buckets."""

    def __str__(self) -> str:
        return "broadcast"


Distribution: TypeAlias = HashRoute | MapRoute | SemijoinRoute | Broadcast
Routed: TypeAlias = tuple[Table, Distribution]


class Joins(IntEnum):
    """The joins that a stage may have besides local ones and broadcasts, each with those before it."""

    LOCAL = 0
    MAPPED = 1
    SEMIJOINED = 2


def table_of(vertex: Vertex) -> Table:
    if vertex.kind in ("event", "input event"):
        return ("event", *name_and_arity(vertex.pattern))
    return ("fluent", *name_and_arity(vertex.fluent))


@dataclass(frozen=True)
class DomainUse:
    """The use of a dynamic domain by a rule: in a goal, or in the `grounding` of an event or FVP of the rule.

    Without a `call`, background knowledge calls the domain with unknown arguments.
    """

    domain: Table
    call: Term | None = None
    entity: Term | None = None
    grounding: Term | None = None

    def route(self, key: Term, head_paths: Mapping[Term, Path]) -> Distribution:
        """The route of the members that a key needs."""
        inside = key
        if self.entity is not None and self.grounding is not None:
            path = head_paths.get(self.entity) or _where(self.entity, key)
            found = None if path is None else term_at(self.grounding, path)
            if found is None:
                return Broadcast()
            inside = found
        at = None if self.call is None else position(self.call, inside)
        return Broadcast() if at is None else HashRoute(at)


def _where(entity: Term, key: Term) -> Path | None:
    at = position(entity, key)
    return None if at is None else (at,)


@dataclass(frozen=True)
class Rule:
    """A rule with the vertices that its heads and body atoms match."""

    join: Join
    about: tuple[tuple[Term, Vertex], ...]
    body: tuple[tuple[BodyAtom, tuple[Vertex, ...]], ...]
    uses: tuple[DomainUse, ...]
    maps: BackgroundMaps

    @property
    def reads(self) -> Iterator[Vertex]:
        return (vertex for _, vertices in self.body for vertex in vertices)

    @property
    def domains(self) -> list[Table]:
        return [use.domain for use in self.uses]

    def keys(self) -> list[Term]:
        """The terms of the head that occur in all body atoms, or to which facts lead from them."""
        return [key for key, without in self._candidates() if not without]

    def _candidates(self) -> list[tuple[Term, list[BodyAtom]]]:
        """The terms of the head that may be keys, each with the body atoms that do not lead to it."""
        head, vertex = self.about[0]
        terms = [term for path in paths(vertex.pattern) if (term := term_at(head, path)) is not None]
        return [(term, [atom for atom in self.join.atoms if not self._leads(atom, term)]) for term in terms]

    def _leads(self, atom: BodyAtom, key: Term) -> bool:
        return _mentions(atom.pattern, key) or self._map(atom, key) is not None

    def why_no_key(self) -> str | None:
        """The condition that prevents the best key, if there is none."""
        if self.keys():
            return None
        why = f"no argument is in all conditions of {self.join.what}"
        found = min(self._candidates(), key=lambda each: len(each[1]), default=None)
        if found is None:
            return f"{why}: no argument of `{self.about[0][1].label}` varies"
        key, (atom, *_) = found
        what, name = show(anonymous(atom.pattern)), show(key)
        return f"{why}: it collects all `{what}`" if atom.is_collected else f"{why}: `{what}` does not lead to `{name}`"

    def fit(self, placed: Paths, *, joins: Joins) -> list[Routed] | None:
        """The routes that let each bucket evaluate the rule for its own keys, or None if no routes do."""
        found = {term_at(head, placed[vertex]) for head, vertex in self.about}
        key = next(iter(found))
        if len(found) != 1 or key is None:
            return None
        receives: list[Routed] = []
        for atom, vertices in self.body:
            for vertex in vertices:
                if vertex in placed:
                    if term_at(atom.pattern, placed[vertex]) != key:
                        return None
                    continue
                route = self._route(atom, key, placed, joins=joins)
                if route is None:
                    return None
                receives.append((table_of(vertex), route))
        head_paths = {head: placed[vertex] for head, vertex in self.about}
        return receives + [(use.domain, use.route(key, head_paths)) for use in self.uses]

    def _route(self, atom: BodyAtom, key: Term, placed: Paths, *, joins: Joins) -> Distribution | None:
        """The route of a body atom that the stage does not compute itself."""
        at = position(atom.pattern, key)
        if at is not None:
            return HashRoute(at)
        if not arguments(atom.pattern):
            return Broadcast()
        mapped = self._map(atom, key) if joins >= Joins.MAPPED else None
        if mapped is not None:
            return mapped
        return self._semijoin(atom, key, placed) if joins >= Joins.SEMIJOINED else None

    def _map(self, atom: BodyAtom, key: Term) -> MapRoute | None:
        """The route along facts of the background knowledge."""
        found = self.maps.route(arguments(atom.pattern), key, atom.goals)
        return None if found is None else MapRoute(*found)

    def _semijoin(self, atom: BodyAtom, key: Term, placed: Paths) -> SemijoinRoute | None:
        for guard, vertices in self.body:
            owner = position(guard.pattern, key)
            if not guard.is_guard or owner is None or not vertices or any(vertex in placed for vertex in vertices):
                continue
            for i, argument in enumerate(arguments(atom.pattern)):
                partner = position(guard.pattern, argument) if isinstance(argument, Var) else None
                if partner is not None:
                    return SemijoinRoute(i, table_of(vertices[0]), partner, owner)
        return None


def _mentions(entity: Term, key: Term) -> bool:
    stack = list(arguments(entity))
    while stack:
        term = stack.pop()
        if term == key:
            return True
        stack += term.args if isinstance(term, Struct) else ()
    return False


@dataclass(frozen=True)
class Keying:
    """A choice of paths for the events and FVPs of a unit, with the routes that it requires."""

    paths: dict[Vertex, Path]
    receives: tuple[Routed, ...]


@dataclass(frozen=True)
class Unit:
    """Components that must be computed in one stage; with a `reason`, in one bucket, because of the text at `span`.

    The vertices of a group are values of one fluent and have the same path.
    """

    components: tuple[int, ...]
    vertices: tuple[Vertex, ...]
    groups: tuple[tuple[Vertex, ...], ...]
    rules: tuple[Rule, ...]
    depends_on: frozenset[int]
    reason: str | None = None
    span: Span | None = None
    ranges_over_sorts: bool = False

    def keyings(self, placed: Paths, *, joins: Joins) -> list[Keying]:
        """The possible keyings of the unit, in a stage that also computes the `placed` vertices."""
        found: list[Keying] = []
        waiting: list[dict[Vertex, Path]] = [{}]
        while waiting and len(found) < _MOST_KEYINGS:
            chosen = waiting.pop()
            group = next((group for group in self.groups if group[0] not in chosen), None)
            if group is None:
                keying = self.keyed_by(chosen, placed, joins=joins)
                found += [] if keying is None else [keying]
                continue
            more = [chosen | dict.fromkeys(group, path) for path in _common_paths(group)]
            waiting += [each for each in reversed(more) if self._may_fit(each, group)]
        return found

    def _may_fit(self, chosen: dict[Vertex, Path], group: tuple[Vertex, ...]) -> bool:
        """Whether each rule about a group has one key, given the path just chosen for the group."""
        for rule in self.rules:
            if any(vertex in group for _, vertex in rule.about):
                found = {term_at(head, chosen[vertex]) for head, vertex in rule.about if vertex in chosen}
                if len(found) != 1 or None in found:
                    return False
        return True

    def keyed_by(self, chosen: dict[Vertex, Path], placed: Paths, *, joins: Joins) -> Keying | None:
        """The keying with the chosen paths, in a stage that also computes the `placed` vertices, if routes allow it."""
        together = {**placed, **chosen}
        receives: dict[Routed, None] = {}
        for rule in self.rules:
            sent = rule.fit(together, joins=joins)
            if sent is None:
                return None
            receives.update(dict.fromkeys(sent))
        return Keying(chosen, tuple(receives))


def _common_paths(group: tuple[Vertex, ...]) -> list[Path]:
    first, *others = group
    return [path for path in paths(first.pattern) if all(path in paths(other.pattern) for other in others)]
