"""Keys: whether the rules of a unit can be evaluated by one, and what must be sent to whom for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdsfor.analysis.dependencies import Vertex
from holdsfor.distribution.joins import Join, Path, Question, arguments, paths, position, term_at
from holdsfor.syntax.printer import show_indicator
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity

__all__ = [
    "Broadcast",
    "Distribution",
    "DomainUse",
    "HashRoute",
    "Keying",
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
    """Each row goes to the owner of one of its arguments."""

    argument: int

    def __str__(self) -> str:
        return f"by argument {self.argument + 1}"


@dataclass(frozen=True)
class SemijoinRoute:
    """Each row goes to the owner of argument `owner` of every row of the guard whose `partner` is its `argument`."""

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
    """Each row goes to all buckets."""

    def __str__(self) -> str:
        return "broadcast"


Distribution: TypeAlias = HashRoute | SemijoinRoute | Broadcast
Routed: TypeAlias = tuple[Table, Distribution]


def table_of(vertex: Vertex) -> Table:
    if vertex.kind in ("event", "input event"):
        return ("event", *name_and_arity(vertex.pattern))
    return ("fluent", *name_and_arity(vertex.fluent))


@dataclass(frozen=True)
class DomainUse:
    """A rule depends on a dynamic domain: by a goal, or by the `grounding` of an event or FVP that it is about.

    Without a `call` it is called by way of background knowledge, with arguments that nobody can tell.
    """

    domain: Table
    call: Term | None = None
    entity: Term | None = None
    grounding: Term | None = None

    def how(self, key: Term, head_paths: Mapping[Term, Path]) -> Distribution:
        """How the members that matter to a key get to it."""
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
    """A rule with the vertices that its heads and questions stand for."""

    join: Join
    about: tuple[tuple[Term, Vertex], ...]
    asked: tuple[tuple[Question, tuple[Vertex, ...]], ...]
    uses: tuple[DomainUse, ...]

    @property
    def asks(self) -> Iterator[Vertex]:
        return (vertex for _, vertices in self.asked for vertex in vertices)

    @property
    def domains(self) -> list[Table]:
        return [use.domain for use in self.uses]

    def keys(self) -> list[Term]:
        """The terms of the head that stand in all questions."""
        head, vertex = self.about[0]
        candidates = [term_at(head, path) for path in paths(vertex.pattern)]
        return [
            key
            for key in candidates
            if key is not None and all(_mentions(question.pattern, key) for question in self.join.questions)
        ]

    def fit(self, placed: Paths, *, along_guards: bool) -> list[Routed] | None:
        """What must be sent where so that the rule can be evaluated by the key of its heads, or None if it cannot."""
        found = {term_at(head, placed[vertex]) for head, vertex in self.about}
        key = next(iter(found))
        if len(found) != 1 or key is None:
            return None
        receives: list[Routed] = []
        for question, vertices in self.asked:
            for vertex in vertices:
                if vertex in placed:
                    if term_at(question.pattern, placed[vertex]) != key:
                        return None
                    continue
                how = self._sent(question, key, placed, along_guards=along_guards)
                if how is None:
                    return None
                receives.append((table_of(vertex), how))
        head_paths = {head: placed[vertex] for head, vertex in self.about}
        return receives + [(use.domain, use.how(key, head_paths)) for use in self.uses]

    def _sent(self, question: Question, key: Term, placed: Paths, *, along_guards: bool) -> Distribution | None:
        """How what a question asks for, and the stage does not compute, gets to where the question is asked."""
        at = position(question.pattern, key)
        if at is not None:
            return HashRoute(at)
        if not arguments(question.pattern):
            return Broadcast()
        return self._along(question, key, placed) if along_guards else None

    def _along(self, question: Question, key: Term, placed: Paths) -> SemijoinRoute | None:
        for guard, vertices in self.asked:
            owner = position(guard.pattern, key)
            if not guard.is_guard or owner is None or not vertices or any(vertex in placed for vertex in vertices):
                continue
            for i, argument in enumerate(arguments(question.pattern)):
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
    """Paths for the events and FVPs of a unit, and what it must be sent then."""

    paths: dict[Vertex, Path]
    receives: tuple[Routed, ...]


@dataclass(frozen=True)
class Unit:
    """Components that must be computed in one stage; with a `reason`, in one place.

    The vertices of a group go by the same path: they are values of one fluent.
    """

    components: tuple[int, ...]
    vertices: tuple[Vertex, ...]
    groups: tuple[tuple[Vertex, ...], ...]
    rules: tuple[Rule, ...]
    depends_on: frozenset[int]
    reason: str | None = None
    ranges_over_sorts: bool = False

    def keyings(self, placed: Paths, *, along_guards: bool) -> list[Keying]:
        """The ways to tell the unit's entities apart, in a stage that computes what is `placed`."""
        found: list[Keying] = []
        waiting: list[dict[Vertex, Path]] = [{}]
        while waiting and len(found) < _MOST_KEYINGS:
            chosen = waiting.pop()
            group = next((group for group in self.groups if group[0] not in chosen), None)
            if group is None:
                keying = self._keying(chosen, placed, along_guards=along_guards)
                found += [] if keying is None else [keying]
                continue
            more = [chosen | dict.fromkeys(group, path) for path in _common_paths(group)]
            waiting += [each for each in reversed(more) if self._may_fit(each, group)]
        return found

    def _may_fit(self, chosen: dict[Vertex, Path], group: tuple[Vertex, ...]) -> bool:
        """Whether the rules about a group whose path was just chosen have one key each."""
        for rule in self.rules:
            if any(vertex in group for _, vertex in rule.about):
                found = {term_at(head, chosen[vertex]) for head, vertex in rule.about if vertex in chosen}
                if len(found) != 1 or None in found:
                    return False
        return True

    def _keying(self, chosen: dict[Vertex, Path], placed: Paths, *, along_guards: bool) -> Keying | None:
        together = {**placed, **chosen}
        receives: dict[Routed, None] = {}
        for rule in self.rules:
            sent = rule.fit(together, along_guards=along_guards)
            if sent is None:
                return None
            receives.update(dict.fromkeys(sent))
        return Keying(chosen, tuple(receives))


def _common_paths(group: tuple[Vertex, ...]) -> list[Path]:
    first, *others = group
    return [path for path in paths(first.pattern) if all(path in paths(other.pattern) for other in others)]
