"""The types of the constants in the places of events, fluents and predicates, and the columns that they come from.

A *place* is an argument of an event, fluent or predicate, or the value of a fluent. The inputs give the types and the
column names of their places; those of all other places follow from the rules. Records are never read, so the types of
results are known before a run.

The analysis is a least fixpoint: a place has the types that some rule for it allows, and a variable of a rule has the
types that all its conditions allow (`variable_types.py`). Variables of a head that no condition binds range over their
sorts. A derived FVP is within its grounding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from holdsfor.analysis.names import domain_entities
from holdsfor.analysis.needed_fvps import needed_fvps
from holdsfor.analysis.sorts import Place, Sorts, sorts_of
from holdsfor.analysis.variable_types import Bindings, ConstantType, argument_places, type_of
from holdsfor.prolog import Database
from holdsfor.prolog.areas import AREA
from holdsfor.prolog.background import inner_calls
from holdsfor.prolog.builtins.spatial import SPATIAL
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.rules import (
    Condition,
    Ends,
    Fvp,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    IntervalCall,
    Not,
    Starts,
    Terminated,
    Test,
    flat_conditions,
)
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity

__all__ = ["InputColumn", "PlaceTypes", "place_types"]

Key = tuple[str, int]

_AREAS = {key: at for key, at in SPATIAL.items() if key != ("distance", 5)}
"""The goals on areas, and the argument with the name of the area."""


@dataclass(frozen=True)
class InputColumn:
    """The types of an input place, and the name of its column, if the input has one of its own.

    A column that `is_described` has records of this place only, a column `arg1` may have none. `merged` are the columns
    of several inputs that fill the place.
    """

    types: ConstantType
    name: str | None = None
    is_described: bool = field(default=False, compare=False)
    merged: tuple[InputColumn, ...] = field(default=(), compare=False)

    def __or__(self, other: InputColumn) -> InputColumn:
        """The column of two inputs with the same records; the first one names it."""
        columns = tuple(dict.fromkeys((*self.columns, *other.columns)))
        return InputColumn(
            self.types | other.types, self.name or other.name, merged=columns if len(columns) > 1 else ()
        )

    @property
    def columns(self) -> tuple[InputColumn, ...]:
        """The different columns that fill the place."""
        return self.merged or (self,)

    @property
    def declared(self) -> ConstantType:
        """The types of the constants that the column surely has."""
        return self.types if self.is_described else ConstantType.ANY


@dataclass(frozen=True)
class PlaceTypes:
    """The types and column names of places."""

    types: Mapping[Place, ConstantType]
    names: Mapping[Place, str]


@dataclass(frozen=True)
class _Rule:
    """The head of a rule, its conditions and goals, and the events and FVPs in them.

    `kind` is `derived` for rules that derive the head, `terminated` for terminations, `predicate` for clauses of the
    background knowledge and `grounding` for groundings.
    """

    head: Term
    body: tuple[Condition, ...] = ()
    entities: tuple[Term, ...] = ()
    times: tuple[Var, ...] = ()
    kind: str = "derived"


def place_types(description: EventDescription, given: Mapping[Place, InputColumn]) -> PlaceTypes:
    """The types and names of all places, from those of the input."""
    analysis = _Analysis(description, given)
    while analysis.extend():
        pass
    return PlaceTypes(analysis.reported, analysis.names)


@dataclass
class _Analysis:
    """The types found so far; they only grow."""

    description: EventDescription
    given: Mapping[Place, InputColumn]
    types: dict[tuple[str, Place], ConstantType] = field(default_factory=dict)
    names: dict[Place, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, column in self.given.items():
            self._add("derived", place, column.types)
            if column.name is not None:
                self.names[place] = column.name
        for grounding in self.description.groundings:
            for place, _ in argument_places(_entity(grounding.entity)):
                self._add("grounding", place, ConstantType.NOTHING)
        for fact in self.description.given:
            for place, part in argument_places(_entity(fact.entity)):
                self._add("derived", place, type_of(part))
        for item in self.description.background:
            if isinstance(item, FactTable):
                for i, constants in enumerate(item.columns):
                    for constant in {type(each): each for each in constants}.values():
                        self._add("predicate", (item.name, item.arity, i), type_of(constant))

    @property
    def reported(self) -> dict[Place, ConstantType]:
        """The types of the places of events and fluents."""
        return {place: self._within_grounding(place) for kind, place in self.types if kind == "derived"}

    def extend(self) -> bool:
        """Apply all rules once, and return whether a type or name was added."""
        before = dict(self.types), dict(self.names)
        by_sort = self._types_by_sort()
        for rule in self._rules:
            bindings = Bindings(self._allowed)
            for time in rule.times:
                bindings.narrow(time, ConstantType.INTEGER)
            bindings.apply(rule.body)
            for place, part in argument_places(rule.head):
                types = bindings.type_of(part)
                if isinstance(part, Var) and part.name not in bindings.bound and rule.kind != "predicate":
                    types &= by_sort.get(self._sorts.root(place), ConstantType.NOTHING)
                self._add(rule.kind, place, types)
            if rule.kind == "derived":
                self._name(rule)
        self._name_by_sort()
        return before != (self.types, self.names)

    def _add(self, kind: str, place: Place, types: ConstantType) -> None:
        known = self.types.get((kind, place), ConstantType.NOTHING)
        self.types[kind, place] = known | types

    def _allowed(self, condition: Condition | Term, place: Place) -> ConstantType | None:
        derived = self.types.get(("derived", place), ConstantType.NOTHING)
        match condition:
            case Initiated():
                return derived
            case Terminated():
                return derived | self.types.get(("terminated", place), ConstantType.NOTHING)
            case Happens() | Starts() | Ends() | Holds():
                return self._within_grounding(place)
        key = (str(place[0]), int(place[1]))
        if key in _AREAS:
            names = self.types.get(("predicate", (*AREA, 0)), ConstantType.ANY)
            return names if place[2] == _AREAS[key] else ConstantType.ANY
        if key in self._predicates:
            return self.types.get(("predicate", place), ConstantType.NOTHING)
        return None if key not in self._changing else ConstantType.ANY

    def _within_grounding(self, place: Place) -> ConstantType:
        """The types of a place; records need not be within a grounding."""
        derived = self.types.get(("derived", place), ConstantType.NOTHING)
        if place in self._input_places:
            return derived
        return derived & self.types.get(("grounding", place), ConstantType.ANY)

    def _types_by_sort(self) -> dict[Place, ConstantType]:
        """The types of the members of each sort."""
        found: dict[Place, ConstantType] = defaultdict(lambda: ConstantType.NOTHING)
        for (kind, place), types in self.types.items():
            if kind != "grounding":
                found[self._sorts.root(place)] |= types
        for place, terms in self._sorts.mentioned.items():
            for constant in {type(each): each for each in terms}.values():
                found[self._sorts.root(place)] |= type_of(constant)
        for place in self._sorts.nested_places():
            found[self._sorts.root(place)] |= ConstantType.ANY
        return found

    # -- names ---------------------------------------------------------------------------------------------------------

    def _name(self, rule: _Rule) -> None:
        """Name the places of a head after the columns that its variables come from; the first rule decides.

        A variable of an area has no column, and gives its own name.
        """
        columns: dict[str, str] = {}
        for entity in rule.entities:
            for place, part in argument_places(entity):
                if isinstance(part, Var) and place in self.names:
                    columns.setdefault(part.name, self.names[place])
        for area in _areas(rule.body):
            columns.setdefault(area.name, area.name.lower())
        for place, part in argument_places(rule.head):
            if isinstance(part, Var) and part.name in columns:
                self.names.setdefault(place, columns[part.name])

    def _name_by_sort(self) -> None:
        """Name places without a name after the only column of their sort."""
        by_sort: dict[Place, set[str]] = defaultdict(set)
        for place, name in self.names.items():
            by_sort[self._sorts.root(place)].add(name)
        for kind, place in self.types:
            candidates = by_sort.get(self._sorts.root(place), set())
            if kind == "derived" and len(candidates) == 1:
                self.names.setdefault(place, next(iter(candidates)))

    # -- rules ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _sorts(self) -> Sorts:
        return sorts_of(self.description, Database())

    @cached_property
    def _input_places(self) -> set[Place]:
        facts = (_entity(fact.entity) for fact in self.description.given)
        return {*self.given, *(place for fact in facts for place, _ in argument_places(fact))}

    @cached_property
    def _predicates(self) -> set[Key]:
        """The predicates whose answers follow from clauses, facts and the members of dynamic domains."""
        defined = {_key(item) for item in self.description.background}
        domains = {name_and_arity(domain) for domain in self.description.dynamic_domains}
        domains |= {name_and_arity(each.domain) for each in self.description.collected}
        return (defined | domains) - self._changing

    @cached_property
    def _changing(self) -> set[Key]:
        """The predicates that start-up goals may change."""
        return set(self.description.dynamic_predicates)

    @cached_property
    def _rules(self) -> list[_Rule]:
        return [*self._rules_of_entities(), *self._rules_of_predicates()]

    def _rules_of_entities(self) -> Iterator[_Rule]:
        for rule in self.description.point_rules:
            kind = "terminated" if rule.kind == "terminatedAt" else "derived"
            yield _Rule(rule.head_term, rule.body, tuple(_entities(rule.body)), (rule.time,), kind)
        for static in self.description.interval_rules:
            body = tuple(step for step in static.body if isinstance(step, Test | Not))
            entities = tuple(step.fvp.term for step in static.body if isinstance(step, HoldsFor))
            calls = tuple(Test(step.goal) for step in static.body if isinstance(step, IntervalCall))
            yield _Rule(static.fvp.term, (*needed_fvps(static), *body, *calls), entities)
        for delay in self.description.delays:
            if delay.target is not None:
                conditions = (Initiated(delay.source), *delay.body)
                times = () if delay.time is None else (delay.time,)
                yield _Rule(delay.target.term, conditions, tuple(_entities(conditions)), times)
        for initially in self.description.initially:
            yield _Rule(initially.fvp.term, initially.body)

    def _rules_of_predicates(self) -> Iterator[_Rule]:
        for item in self.description.background:
            if isinstance(item, Clause):
                yield _Rule(item.head, () if item.body is None else (Test(item.body),), kind="predicate")
        for entity, domain in domain_entities(self.description):
            match entity:
                case Struct(name="=", args=(fluent, value)):
                    yield _Rule(domain, (Holds(Fvp(fluent, value)),), kind="predicate")
                case _:
                    yield _Rule(domain, (Happens(entity),), kind="predicate")
        for grounding in self.description.groundings:
            yield _Rule(_entity(grounding.entity), tuple(map(Test, grounding.goals)), kind="grounding")


def _key(item: Clause | FactTable) -> Key:
    return (item.name, item.arity) if isinstance(item, FactTable) else name_and_arity(item.head)


def _entity(entity: Fvp | Term) -> Term:
    return entity.term if isinstance(entity, Fvp) else entity


def _areas(body: Iterable[Condition]) -> Iterator[Var]:
    """The variables of areas in goals."""
    goals = [condition.goal for condition, _ in flat_conditions(tuple(body)) if isinstance(condition, Test)]
    for call in (call for goal in goals for call in inner_calls(goal)):
        at = _AREAS.get(name_and_arity(call))
        area = call.args[at] if at is not None and isinstance(call, Struct) else None
        if isinstance(area, Var):
            yield area


def _entities(body: Iterable[Condition]) -> Iterator[Term]:
    """The events and FVPs of conditions, those outside negations first."""
    conditions = sorted(flat_conditions(tuple(body)), key=lambda each: not each[1])
    for condition, _ in conditions:
        match condition:
            case Happens(event):
                yield event
            case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
                yield fvp.term
