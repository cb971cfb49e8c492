"""The places of events and fluents that rules join, and the places that derived constants come from.

A rule joins two places if one variable occurs in both, and not only in different branches of a disjunction. A join of
numbers with text is always empty. The constants of a derived place have one kind if every rule for the place takes them
from places of that kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain, combinations, product
from typing import Literal, NamedTuple

from holdsfor.analysis.sorts import Place, places
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Either,
    Ends,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    IntervalRule,
    Not,
    Starts,
    Terminated,
    Union,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Term, Var

__all__ = ["ConstantKind", "KindConflict", "PlaceJoin", "PlaceJoins", "place_joins"]

ConstantKind = Literal["number", "text"]


class PlaceJoin(NamedTuple):
    """Two places with one variable of a rule, and the events or FVPs that contain them."""

    places: tuple[Place, Place]
    terms: tuple[Term, Term]
    span: Span | None


class KindConflict(NamedTuple):
    """A join of text and numbers: the place of the input with the text, and the events or FVPs of both."""

    text_place: Place
    text: Term
    number: Term
    span: Span | None


class _Kind(NamedTuple):
    kind: ConstantKind
    origin: Place


@dataclass(frozen=True)
class PlaceJoins:
    """The joins of all rules; `sources` maps derived places to the places of their constants, one entry per rule."""

    joins: list[PlaceJoin] = field(default_factory=list)
    sources: dict[Place, list[tuple[Place, ...]]] = field(default_factory=dict)

    @cached_property
    def joined(self) -> frozenset[Place]:
        """The places of joins, and the places that their constants come from."""
        sources = (place for rules in self.sources.values() for origins in rules for place in origins)
        return frozenset(chain((place for join in self.joins for place in join.places), sources))

    def conflicts(self, given: Mapping[Place, ConstantKind]) -> Iterator[KindConflict]:
        """The joins of text and numbers, given the kinds of constants in places of the input."""
        kinds = self._all_kinds(given)
        for join in self.joins:
            left, right = (kinds.get(place) for place in join.places)
            if left is not None and right is not None and left.kind != right.kind:
                text = 0 if left.kind == "text" else 1
                origin = (left, right)[text].origin
                yield KindConflict(origin, join.terms[text], join.terms[1 - text], join.span)

    def _all_kinds(self, given: Mapping[Place, ConstantKind]) -> dict[Place, _Kind]:
        kinds = {place: _Kind(kind, place) for place, kind in given.items() if place not in self.sources}
        while more := {p: k for p in self.sources if p not in kinds and (k := self._derived_kind(p, kinds))}:
            kinds |= more
        return kinds

    def _derived_kind(self, place: Place, kinds: Mapping[Place, _Kind]) -> _Kind | None:
        """The kind of a derived place, if all its rules agree."""
        found = [next((kinds[p] for p in origins if p in kinds), None) for origins in self.sources[place]]
        known = [kind for kind in found if kind is not None]
        is_one_kind = len(known) == len(found) and len({kind.kind for kind in known}) == 1
        return known[0] if is_one_kind else None


def place_joins(description: EventDescription) -> PlaceJoins:
    """The joins of all rules of an event description."""
    found = PlaceJoins()
    for rule in description.point_rules:
        is_effect = rule.kind == "terminatedAt"
        _add_joins(found, _joined(rule.body, (rule.head_term,) if is_effect else ()), rule.span)
        if not is_effect:
            _add_sources(found, rule.head_term, _entities(rule.body))
    for interval_rule in description.interval_rules:
        literals = [step.fvp.term for step in interval_rule.body if isinstance(step, HoldsFor)]
        if not _has_unions(interval_rule):
            _add_joins(found, combinations(literals, 2), interval_rule.span)
        _add_sources(found, interval_rule.fvp.term, literals)
    for initially in description.initially:
        _add_sources(found, initially.fvp.term, [])
    for delay in description.delays:
        if delay.target is not None:
            _add_sources(found, delay.target.term, [delay.source.term])
    return found


def _has_unions(rule: IntervalRule) -> bool:
    return any(isinstance(step, Union) for step in rule.body)


def _entity(condition: Condition) -> Term | None:
    match condition:
        case Happens(event):
            return event
        case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
            return fvp.term
    return None


def _entities(body: Iterable[Condition]) -> list[Term]:
    return [entity for condition in body if (entity := _entity(condition)) is not None]


def _joined(body: tuple[Condition, ...], around: tuple[Term, ...]) -> Iterator[tuple[Term, Term]]:
    """The pairs of events and FVPs that are joined on their common variables."""
    own = _entities(body)
    yield from combinations(own, 2)
    yield from product(own, around)
    for condition in body:
        match condition:
            case Not(inner) | Collect(body=inner):
                yield from _joined(inner, (*around, *own))
            case Either(branches):
                for branch in branches:
                    yield from _joined(branch, (*around, *own))


def _add_joins(found: PlaceJoins, pairs: Iterable[tuple[Term, Term]], span: Span | None) -> None:
    variables = cache(_variables)
    for left, right in pairs:
        for (one, name), (other, same) in product(variables(left), variables(right)):
            if name == same and one != other:
                found.joins.append(PlaceJoin((one, other), (left, right), span))


def _add_sources(found: PlaceJoins, head: Term, entities: list[Term]) -> None:
    standing = [each for entity in entities for each in _variables(entity)]
    for place, part in places(head):
        name = part.name if isinstance(part, Var) else None
        found.sources.setdefault(place, []).append(tuple(p for p, other in standing if other == name))


def _variables(term: Term) -> list[tuple[Place, str]]:
    return [(place, part.name) for place, part in places(term) if isinstance(part, Var)]
