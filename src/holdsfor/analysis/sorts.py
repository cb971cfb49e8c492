"""Sorts: which places of events, fluents and background predicates speak about the same things.

A *place* is an argument position, such as the first argument of `go_to/2`, or the value of a fluent. Two places are of
one sort when some rule uses one variable in both. The members of a sort are the constants that stand in its places: in
the input, in the facts of the background knowledge and in the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.prolog import Database, standard_order_key
from holdsfor.prolog.background import called_predicates
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
from holdsfor.syntax.terms import Struct, Term, Var, is_ground

__all__ = ["Place", "Sorts", "sorts_of"]

Place = tuple[str | int, ...]


_LONGEST_PLACE = 40


def places(term: Term) -> Iterator[tuple[Place, Term]]:
    """The variables and ground parts of an event, FVP or goal, with the places they stand in.

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
    """The places inside a term, from the outside in; what is nested very deeply has none."""
    stack: list[tuple[Place, Term]] = _arguments(term, place)
    while stack:
        here, part = stack.pop()
        if isinstance(part, Var) or is_ground(part):
            yield here, part
        if isinstance(part, Struct) and len(here) < _LONGEST_PLACE:
            stack += _arguments(part, (*here, part.name, len(part.args)))


def _arguments(term: Term, place: Place) -> list[tuple[Place, Term]]:
    """The arguments of a term with their places, the first one last."""
    args = term.args if isinstance(term, Struct) else ()
    return [((*place, i), arg) for i, arg in reversed(list(enumerate(args)))]


def _part(term: Term, place: Place) -> Iterator[tuple[Place, Term]]:
    if isinstance(term, Var) or is_ground(term):
        yield place, term
    if isinstance(term, Struct):
        yield from _inside(term, (*place, term.name, len(term.args)))


class Sorts:
    """Places joined into sorts, and the members of each."""

    def __init__(self) -> None:
        self._parent: dict[Place, Place] = {}
        self._mentioned: dict[Place, set[Term]] = {}
        self._of_input: dict[Place, set[Term]] = {}
        self._members: dict[Place, list[Term]] | None = None
        self._followed: set[Place] | None = None

    def follow(self, patterns: Iterable[Term]) -> None:
        """From now on note only constants of the sorts of the patterns' variables; no other sort may be asked for."""
        parts = [part for pattern in patterns for part in places(pattern)]
        self._followed = {self.root(place) for place, part in parts if isinstance(part, Var)}

    def root(self, place: Place) -> Place:
        parent = self._parent.setdefault(place, place)
        while parent != place:
            place, parent = parent, self._parent[parent]
        return place

    def join(self, terms: Iterable[Term]) -> None:
        """Let each variable of one rule connect the places in which it stands."""
        first: dict[str, Place] = {}
        for term in terms:
            for place, part in places(term):
                if isinstance(part, Var):
                    here = first.setdefault(part.name, place)
                    self._parent[self.root(place)] = self.root(here)
                else:
                    self._mentioned.setdefault(place, set()).add(part)

    def mention(self, term: Term) -> None:
        """Note the constants of a ground event, FVP or fact."""
        for place, part in places(term):
            self._mentioned.setdefault(place, set()).add(part)
        self._members = None

    def mention_at(self, place: Place, terms: Iterable[Term], *, is_lasting: bool = False) -> None:
        """Note the constants that stand in one argument position of the input; lasting ones are never forgotten."""
        mentioned = self._mentioned if is_lasting else self._of_input
        for term in terms:
            for inner, part in _part(term, place):
                if self._followed is None or self.root(inner) in self._followed:
                    mentioned.setdefault(inner, set()).add(part)
        self._members = None

    def forget_input(self) -> None:
        """Forget the constants of the input that are not lasting."""
        self._of_input.clear()
        self._members = None

    def members(self, pattern: Term, name: str) -> list[Term]:
        """The members of the sort of a variable of the pattern, in standard order."""
        if self._members is None:
            together: dict[Place, set[Term]] = {}
            for place, terms in (*self._mentioned.items(), *self._of_input.items()):
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
        sorts.join([rule.head_term, *_condition_terms(rule.body)])
    for interval_rule in description.interval_rules:
        sorts.join([interval_rule.fvp.term, *_step_terms(interval_rule.body)])
    for delay in description.delays:
        targets = [delay.target.term] if delay.target else []
        sorts.join([delay.source.term, *targets, *_condition_terms(delay.body)])
    for initially in description.initially:
        sorts.join([initially.fvp.term, *_condition_terms(initially.body)])
    for grounding in description.groundings:
        entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
        sorts.join([entity, *(called for goal in grounding.goals for called in called_predicates(goal))])
    for collected in description.collected:
        sorts.join([*collected.entities, collected.domain])
    for clause in description.background:
        if isinstance(clause, Clause):
            sorts.join([clause.head, *(called_predicates(clause.body) if clause.body is not None else ())])
    for name, arity in database.predicates():
        for args in database.facts(name, arity):
            if args:
                sorts.mention(Struct(name, args))
    for term in input_terms:
        sorts.mention(term)
    return sorts


def _condition_terms(body: tuple[Condition, ...]) -> Iterator[Term]:
    for condition, _ in flat_conditions(body):
        match condition:
            case Happens(event):
                yield event
            case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
                yield fvp.term
            case Test(goal):
                yield from called_predicates(goal)


def _step_terms(body: Iterable[object]) -> Iterator[Term]:
    for step in body:
        if isinstance(step, HoldsFor):
            yield step.fvp.term
        elif isinstance(step, IntervalCall):
            yield from called_predicates(step.goal)
        elif isinstance(step, Test | Not):
            yield from _condition_terms((step,))
