"""Sorts: groups of places in events, fluents and background predicates that have common members.

A *place* is an argument position, such as the first argument of `go_to/2`, or the value of a fluent. Two places have
the same sort if some rule uses one variable in both, or two variables that an equation makes equal. The members of a
sort are the constants in its places: in the input, in the facts of the background knowledge and in the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from holdsfor.prolog import Database, standard_order_key
from holdsfor.prolog.background import called_predicates, inner_calls
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause
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
from holdsfor.syntax.terms import Struct, Term, Var, equations, is_ground, name_and_arity

__all__ = ["Place", "Sorts", "sorts_of"]

Place = tuple[str | int, ...]


_LONGEST_PLACE = 40
_PLACE_OF_AN_ARGUMENT = 3  # its name, arity and position


def places(term: Term) -> Iterator[tuple[Place, Term]]:
    """The variables and ground parts of an event, FVP or goal, with their places.

    >>> from holdsfor.syntax.parser import parse_term
    >>> [place for place, _ in places(parse_term("location(X)=Y"))]
    [('location', 1, 0), ('location', 1, 'value')]
    """
    if isinstance(term, Struct) and term.name == "=" and len(term.args) == 2:
        fluent, value = term.args
        name, arity = (fluent.name, len(fluent.args)) if isinstance(fluent, Struct) else (_name(fluent), 0)
        yield from _inside(fluent, (name, arity))
        yield from _part(value, (name, arity, "value"))
    elif isinstance(term, Struct):
        yield from _inside(term, (term.name, len(term.args)))


def _name(term: Term) -> str:
    return getattr(term, "name", "")


def _inside(term: Term, place: Place) -> Iterator[tuple[Place, Term]]:
    """The places inside a term, from the outside in; very deep parts are left out."""
    stack: list[tuple[Place, Term]] = _arguments(term, place)
    while stack:
        here, part = stack.pop()
        if isinstance(part, Var) or is_ground(part):
            yield here, part
        if isinstance(part, Struct) and len(here) < _LONGEST_PLACE:
            stack += _arguments(part, (*here, part.name, len(part.args)))


def _arguments(term: Term, place: Place) -> list[tuple[Place, Term]]:
    """The arguments of a term with their places, in reverse order."""
    args = term.args if isinstance(term, Struct) else ()
    return [((*place, i), arg) for i, arg in reversed(list(enumerate(args)))]


def _part(term: Term, place: Place) -> Iterator[tuple[Place, Term]]:
    if isinstance(term, Var) or is_ground(term):
        yield place, term
    if isinstance(term, Struct):
        yield from _inside(term, (*place, term.name, len(term.args)))


class _Equal:
    """The terms equal to the variables of one rule, by the equations among its goals."""

    def __init__(self, goals: Iterable[Term]) -> None:
        self._same: dict[str, str] = {}
        self._terms: dict[str, list[Term]] = {}
        found = [each for goal in goals for call in inner_calls(goal) for each in equations(call)]
        sides = [each.args for each in found if isinstance(each, Struct) and name_and_arity(each) == ("=", 2)]
        for left, right in sides:
            if isinstance(left, Var) and isinstance(right, Var):
                self._same[self.name(left.name)] = self.name(right.name)
        for left, right in [*sides, *((right, left) for left, right in sides)]:
            if isinstance(left, Var) and not isinstance(right, Var):
                self._terms.setdefault(self.name(left.name), []).append(right)

    def name(self, name: str) -> str:
        """One name for all variables that are equal."""
        while name in self._same and self._same[name] != name:
            name = self._same[name]
        return name

    def with_equal_terms(self, parts: Iterable[tuple[Place, Term]]) -> Iterator[tuple[Place, Term]]:
        """The parts in their places; for a variable, also the terms equal to it."""
        stack = [(place, part, frozenset[str]()) for place, part in parts]
        while stack:
            place, part, above = stack.pop()
            yield place, part
            name = self.name(part.name) if isinstance(part, Var) else ""
            if name not in above:
                inner = (one for term in self._terms.get(name, ()) for one in _part(term, place))
                stack += [(at, one, above | {name}) for at, one in inner]


class Sorts:
    """Places grouped into sorts, and the members of each sort.

    `of_input` are the constants of the input by place, `lasting` the constants that `clear_input` keeps.
    """

    def __init__(self) -> None:
        self._parent: dict[Place, Place] = {}
        self._mentioned: dict[Place, set[Term]] = {}
        self.of_input: dict[Place, set[Term]] = {}
        self.lasting: dict[Place, set[Term]] = {}
        self._members: dict[Place, list[Term]] | None = None
        self._followed: set[Place] | None = None

    def follow(self, patterns: Iterable[Term]) -> None:
        """Record only constants of the sorts of the patterns' variables from now on; other sorts cannot be queried."""
        parts = [part for pattern in patterns for part in places(pattern)]
        self._followed = {self.root(place) for place, part in parts if isinstance(part, Var)}

    def root(self, place: Place) -> Place:
        parent = self._parent.setdefault(place, place)
        while parent != place:
            place, parent = parent, self._parent[parent]
        return place

    @property
    def mentioned(self) -> Mapping[Place, set[Term]]:
        """The constants of the rules by place."""
        return self._mentioned

    def nested_places(self) -> list[Place]:
        """The places inside structures."""
        return [place for place in self._parent if len(place) > _PLACE_OF_AN_ARGUMENT]

    def join(self, terms: Iterable[Term], goals: Iterable[Term] = ()) -> None:
        """Join the places that share a variable in one rule, in its events, FVPs and goals."""
        goals = list(goals)
        first: dict[str, Place] = {}
        equal = _Equal(goals)
        called = (call for goal in goals for call in called_predicates(goal))
        for term in (*terms, *called):
            for place, part in equal.with_equal_terms(places(term)):
                if isinstance(part, Var):
                    here = first.setdefault(equal.name(part.name), place)
                    self._parent[self.root(place)] = self.root(here)
                else:
                    self._mentioned.setdefault(place, set()).add(part)

    def mention(self, term: Term) -> None:
        """Record the constants of a ground event, FVP or fact."""
        for place, part in places(term):
            self._mentioned.setdefault(place, set()).add(part)
        self._members = None

    def mention_at(self, place: Place, terms: Iterable[Term], *, is_lasting: bool = False) -> None:
        """Record the constants in one argument position of the input; `clear_input` keeps lasting ones."""
        mentioned = self.lasting if is_lasting else self.of_input
        for term in terms:
            for inner, part in _part(term, place):
                if self._followed is None or self.root(inner) in self._followed:
                    mentioned.setdefault(inner, set()).add(part)
        self._members = None

    def clear_input(self) -> None:
        """Drop the constants of the input, except the lasting ones."""
        self.of_input.clear()
        self._members = None

    def restore_input(self, of_input: dict[Place, set[Term]], lasting: dict[Place, set[Term]]) -> None:
        """Set the constants of the input by place, and the lasting ones among them."""
        self.of_input, self.lasting, self._members = of_input, lasting, None

    def members(self, pattern: Term, name: str) -> list[Term]:
        """The members of the sort of a variable of the pattern, in standard order."""
        if self._members is None:
            together: dict[Place, set[Term]] = {}
            for place, terms in (*self._mentioned.items(), *self.of_input.items(), *self.lasting.items()):
                together.setdefault(self.root(place), set()).update(terms)
            self._members = {root: sorted(terms, key=standard_order_key) for root, terms in together.items()}
        named = [place for place, part in places(pattern) if isinstance(part, Var) and part.name == name]
        if not named:
            return []
        place = named[0]
        assert self._followed is None or self.root(place) in self._followed, f"the sort of {name} is not followed"
        return self._members.get(self.root(place), [])


def sorts_of(description: EventDescription, database: Database, input_terms: Iterable[Term] = ()) -> Sorts:
    """The sorts of an event description with its background knowledge and input."""
    sorts = Sorts()
    for rule in description.point_rules:
        sorts.join([rule.head_term, *_entities(rule.body)], _goals(rule.body))
    for interval_rule in description.interval_rules:
        sorts.join([interval_rule.fvp.term, *_operands(interval_rule.body)], _interval_goals(interval_rule.body))
    for delay in description.delays:
        targets = [delay.target.term] if delay.target else []
        sorts.join([delay.source.term, *targets, *_entities(delay.body)], _goals(delay.body))
    for initially in description.initially:
        sorts.join([initially.fvp.term, *_entities(initially.body)], _goals(initially.body))
    for grounding in description.groundings:
        entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
        sorts.join([entity], grounding.goals)
    for collected in description.collected:
        sorts.join([*collected.entities, collected.domain])
    for clause in description.background:
        if isinstance(clause, Clause):
            sorts.join([clause.head], () if clause.body is None else (clause.body,))
    for name, arity in database.predicates():
        for args in database.facts(name, arity):
            if args:
                sorts.mention(Struct(name, args))
    for term in input_terms:
        sorts.mention(term)
    return sorts


def _entities(body: Iterable[Condition]) -> Iterator[Term]:
    """The events and FVPs in conditions."""
    for condition, _ in flat_conditions(tuple(body)):
        match condition:
            case Happens(event):
                yield event
            case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
                yield fvp.term


def _goals(body: Iterable[Condition]) -> Iterator[Term]:
    """The atemporal goals of conditions."""
    return (condition.goal for condition, _ in flat_conditions(tuple(body)) if isinstance(condition, Test))


def _operands(body: Iterable[object]) -> Iterator[Term]:
    """The FVPs whose intervals a rule uses."""
    return (step.fvp.term for step in body if isinstance(step, HoldsFor))


def _interval_goals(body: Iterable[object]) -> Iterator[Term]:
    """The goals of an interval rule."""
    for step in body:
        if isinstance(step, IntervalCall):
            yield step.goal
        elif isinstance(step, Test | Not):
            yield from _goals((step,))
