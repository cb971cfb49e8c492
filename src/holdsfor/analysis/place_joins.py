"""The places of events, fluents and facts that rules join, and the places that derived constants come from.

A rule joins two places if one variable occurs in both, and not only in different branches of a disjunction. Constants
of different types never join: neither numbers with text, nor integers with floats. The constants of a derived place
have the types of places that its rules take them from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations, product
from typing import NamedTuple

from holdsfor.analysis.sorts import Place, places
from holdsfor.analysis.variable_types import ConstantType, type_of
from holdsfor.prolog.background import called_predicates
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause, FactTable, constant_types
from holdsfor.syntax.rules import (
    Collect,
    Complement,
    Condition,
    Duration,
    Either,
    Ends,
    Fvp,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    Intersect,
    IntervalRule,
    Not,
    Starts,
    Terminated,
    Test,
    Union,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Float, Int, Struct, Term, Var, is_ground, name_and_arity

__all__ = ["JoinedSide", "PlaceJoin", "PlaceJoins", "TypeConflict", "fact_types", "is_fact_place", "place_joins"]

_CHOICES = frozenset([";", "->", "*->"])
_FACT = "fact"
"""The first part of the place of a predicate: an event may have its name and arity."""


class PlaceJoin(NamedTuple):
    """Two places with one variable of a rule, and the events, FVPs or goals that contain them."""

    places: tuple[Place, Place]
    terms: tuple[Term, Term]
    span: Span | None


class JoinedSide(NamedTuple):
    """A side of a join: the event, FVP or goal of the rule, the place that its constants come from, and their types."""

    term: Term
    origin: Place
    types: ConstantType


class TypeConflict(NamedTuple):
    """A join of constants without a common type."""

    sides: tuple[JoinedSide, JoinedSide]
    span: Span | None


class _Types(NamedTuple):
    types: ConstantType
    origin: Place


@dataclass(frozen=True)
class PlaceJoins:
    """The joins of all rules; `sources` maps derived places to the places of their constants, one entry per rule.

    `facts` are the types of the arguments of predicates that have only facts.
    """

    joins: list[PlaceJoin] = field(default_factory=list)
    sources: dict[Place, list[tuple[Place, ...]]] = field(default_factory=dict)
    facts: dict[Place, ConstantType] = field(default_factory=dict)

    @cached_property
    def joined(self) -> frozenset[Place]:
        """The places of joins, and the places that their constants come from."""
        sources = (place for rules in self.sources.values() for origins in rules for place in origins)
        return frozenset(chain((place for join in self.joins for place in join.places), sources))

    def conflicts(self, given: Mapping[Place, Sequence[ConstantType]]) -> Iterator[TypeConflict]:
        """The joins that are empty for a column, given the types of all columns that fill a place of the input."""
        columns = {place: types for place, types in given.items() if place not in self.sources}
        known = self._all_types(columns)
        for join in self.joins:
            one, other = (known.get(place) for place in join.places)
            if one is not None and other is not None:
                lefts = columns.get(join.places[0], (one.types,))
                rights = columns.get(join.places[1], (other.types,))
                for left, right in dict.fromkeys(product(lefts, rights)):
                    if _never_join(left, other.types) or _never_join(right, one.types):
                        side = JoinedSide(join.terms[0], one.origin, left)
                        yield TypeConflict((side, JoinedSide(join.terms[1], other.origin, right)), join.span)

    def types(self, given: Mapping[Place, ConstantType]) -> dict[Place, ConstantType]:
        """The types of all places that follow from those of the input; the results have no others."""
        columns = {place: (types,) for place, types in given.items() if place not in self.sources}
        return {place: each.types for place, each in self._all_types(columns).items()}

    def _all_types(self, columns: Mapping[Place, Sequence[ConstantType]]) -> dict[Place, _Types]:
        known = {place: _Types(_union(types), place) for place, types in columns.items()}
        known |= {place: _Types(types, place) for place, types in self.facts.items()}
        while more := {
            p: t for p in self.sources if p not in known and (t := self._derived_types(p, known)) is not None
        }:
            known |= more
        return known

    def _derived_types(self, place: Place, known: Mapping[Place, _Types]) -> _Types | None:
        """The types of a derived place, if those of all its rules are known."""
        found = [next((known[p] for p in origins if p in known), None) for origins in self.sources[place]]
        of_rules = [types for types in found if types is not None]
        if not of_rules or len(of_rules) < len(found):
            return None
        return _Types(_union(each.types for each in of_rules), of_rules[0].origin)


def _never_join(some: ConstantType, others: ConstantType) -> bool:
    return bool(some and others and not some & others)


def _union(types: Iterable[ConstantType]) -> ConstantType:
    found = ConstantType.NOTHING
    for each in types:
        found |= each
    return found


def is_fact_place(place: Place) -> bool:
    """Whether a place is an argument of a predicate, not of an event or fluent."""
    return place[0] == _FACT and isinstance(place[1], str)


def place_joins(description: EventDescription) -> PlaceJoins:
    """The joins of all rules of an event description."""
    facts = fact_types(description.background, description.dynamic_predicates)
    found = PlaceJoins(
        facts={(_FACT, *key, i): types for key, columns in facts.items() for i, types in enumerate(columns)}
    )
    for rule in description.point_rules:
        is_effect = rule.kind == "terminatedAt"
        _add_joins(found, _joined(rule.body, (_part(rule.head_term),) if is_effect else ()), rule.span)
        if not is_effect:
            _add_sources(found, rule.head_term, _parts(rule.body))
    for interval_rule in description.interval_rules:
        literals = [_part(step.fvp.term) for step in interval_rule.body if isinstance(step, HoldsFor)]
        if not _has_unions(interval_rule):
            tests = [step.goal for step in interval_rule.body if isinstance(step, Test)]
            _add_joins(found, chain(combinations(literals, 2), product(literals, _facts(tests))), interval_rule.span)
        for parts in _conjunctions(interval_rule, literals):
            _add_sources(found, interval_rule.fvp.term, parts)
    for initially in description.initially:
        _add_sources(found, initially.fvp.term, [])
    for delay in description.delays:
        if delay.target is not None:
            _add_sources(found, delay.target.term, [_part(delay.source.term)])
    _add_groundings(found, description)
    return found


def fact_types(
    background: Iterable[Clause | FactTable], changing: Iterable[tuple[str, int]] = ()
) -> dict[tuple[str, int], list[ConstantType]]:
    """The types in each argument of the predicates with only ground facts that start-up goals do not change."""
    found: dict[tuple[str, int], list[ConstantType]] = {}
    others = set(changing)
    for item in background:
        if isinstance(item, FactTable):
            key = item.name, item.arity
            columns = [_union(map(_type_of_class, constant_types(column))) for column in item.columns]
        elif item.body is None and isinstance(item.head, Struct) and is_ground(item.head):
            key, columns = name_and_arity(item.head), [type_of(arg) for arg in item.head.args]
        else:
            others.add(name_and_arity(item.head))
            continue
        known = found.get(key, [ConstantType.NOTHING] * len(columns))
        found[key] = [one | more for one, more in zip(known, columns, strict=True)]
    return {key: columns for key, columns in found.items() if key not in others}


def _type_of_class(constant: type) -> ConstantType:
    if issubclass(constant, Int):
        return ConstantType.INTEGER
    return ConstantType.FLOAT if issubclass(constant, Float) else ConstantType.TEXT


def _add_groundings(found: PlaceJoins, description: EventDescription) -> None:
    """Join derived places with the facts of their grounding, if they have one only: other FVPs are not derived."""
    parts = [
        _part(each.entity.term if isinstance(each.entity, Fvp) else each.entity) for each in description.groundings
    ]
    n_groundings = Counter(place for part in parts for place, _ in part.variables)
    for part, grounding in zip(parts, description.groundings, strict=True):
        if all(n_groundings[place] == 1 and place in found.sources for place, _ in part.variables):
            _add_joins(found, product([part], _facts(grounding.goals)), grounding.span)


def _conjunctions(rule: IntervalRule, literals: list[_Part]) -> list[list[_Part]]:
    """The literals of which all have the constants of the head, or one of several such lists.

    An instance of a complement need not have intervals.
    """
    if any(isinstance(step, Complement) for step in rule.body):
        return [[]]
    is_conjunction = all(isinstance(step, HoldsFor | Intersect | Duration | Test | Not) for step in rule.body)
    return [literals] if is_conjunction else [[literal] for literal in literals]


def _has_unions(rule: IntervalRule) -> bool:
    return any(isinstance(step, Union) for step in rule.body)


class _Part(NamedTuple):
    """An event, FVP or goal of a rule, and its variables with their places."""

    term: Term
    variables: tuple[tuple[Place, str], ...]


def _part(term: Term, *prefix: str) -> _Part:
    return _Part(term, tuple(((*prefix, *place), part.name) for place, part in places(term) if isinstance(part, Var)))


def _entity(condition: Condition) -> Term | None:
    match condition:
        case Happens(event):
            return event
        case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
            return fvp.term
    return None


def _parts(body: Iterable[Condition]) -> list[_Part]:
    """The events and FVPs of conditions."""
    return [_part(entity) for condition in body if (entity := _entity(condition)) is not None]


def _facts(goals: Iterable[Term]) -> list[_Part]:
    """The facts that a conjunction of goals needs."""
    plain = [goal for goal in goals if not (isinstance(goal, Struct) and goal.name in _CHOICES)]
    return [_part(call, _FACT) for goal in plain for call in called_predicates(goal)]


def _joined(body: tuple[Condition, ...], around: tuple[_Part, ...]) -> Iterator[tuple[_Part, _Part]]:
    """The pairs of events, FVPs and facts that are joined on their common variables, except pairs of facts."""
    own = _parts(body)
    yield from combinations(own, 2)
    yield from product(own, around)
    yield from product((*own, *around), _facts(each.goal for each in body if isinstance(each, Test)))
    for condition in body:
        match condition:
            case Not(inner) | Collect(body=inner):
                yield from _joined(inner, (*around, *own))
            case Either(branches):
                for branch in branches:
                    yield from _joined(branch, (*around, *own))


def _add_joins(found: PlaceJoins, pairs: Iterable[tuple[_Part, _Part]], span: Span | None) -> None:
    for left, right in pairs:
        for (one, name), (other, same) in product(left.variables, right.variables):
            if name == same and one != other:
                found.joins.append(PlaceJoin((one, other), (left.term, right.term), span))


def _add_sources(found: PlaceJoins, head: Term, parts: list[_Part]) -> None:
    standing = [each for part in parts for each in part.variables]
    for place, part in places(head):
        name = part.name if isinstance(part, Var) else None
        found.sources.setdefault(place, []).append(tuple(p for p, other in standing if other == name))
