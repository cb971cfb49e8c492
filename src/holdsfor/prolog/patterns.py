"""The terms of a clause as functions: to match an argument of a call, and to build an argument for a call.

The variables of a clause live in *slots*, a list created for each call: slot 0 is the stamp for new cells, slots 1 to n
are the n arguments of the call, and the rest are the other variables. A variable that is an argument of the head needs
no work, its first occurrence elsewhere is an assignment, and only later occurrences unify. A *matcher* tests whether a
term of the call matches; a *builder* returns a new term. Deeply nested parts are built in a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from holdsfor.prolog.unify import Ref, Trail, deref, unify
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var, is_ground, substitute, variables

__all__ = ["ArgumentsBuilder", "Builder", "Matcher", "Scope", "Slots"]

Slots: TypeAlias = list[Any]
Builder: TypeAlias = Callable[[Slots], Term]
ArgumentsBuilder: TypeAlias = Callable[[Slots], tuple[Term, ...]]
Matcher: TypeAlias = Callable[[Term, Slots, Trail], bool]

_DEEPEST_COMPILED = 6


class Scope:
    """The slots of one clause, and the slots that are filled at the current position of the compiler."""

    def __init__(self, arity: int = 0, *, runtime: bool = False) -> None:
        self.slots: dict[str, int] = {}
        self.filled: set[int] = set()
        self.size = arity + 1
        self.runtime = runtime

    def slot_of(self, variable: Var) -> int:
        """The slot of a variable, a new slot at its first mention."""
        if variable.name not in self.slots:
            self.slots[variable.name] = self.new_slot()
        return self.slots[variable.name]

    def new_slot(self) -> int:
        self.size += 1
        return self.size - 1

    def unfilled(self, *terms: Term) -> list[int]:
        """The unfilled slots of the variables of the terms; marks them as filled."""
        if self.runtime:
            return []
        slots = [self.slot_of(var) for var in variables(*terms).values()]
        found = [slot for slot in slots if slot not in self.filled]
        self.filled.update(found)
        return found

    # building

    def builder(self, term: Term, depth: int = 0) -> Builder:
        """A function that returns the term, dereferenced, for given slots."""
        if type(term) is Var and not self.runtime:
            return self._variable_builder(self.slot_of(term))
        if type(term) is Ref:
            return lambda slots: deref(term)
        if self.runtime or not isinstance(term, Struct) or is_ground(term):
            return lambda slots: term
        if depth >= _DEEPEST_COMPILED:
            return self._deep_builder(term)
        return _structure_builder(term.name, [self.builder(arg, depth + 1) for arg in term.args])

    def arguments_builder(self, terms: tuple[Term, ...]) -> ArgumentsBuilder:
        """A function that returns the terms, dereferenced, for given slots."""
        if self.runtime:
            return lambda slots: tuple(map(deref, terms))
        return _tuple_builder([self.builder(term) for term in terms])

    def _variable_builder(self, slot: int) -> Builder:
        if slot in self.filled:
            return lambda slots: deref(slots[slot])
        self.filled.add(slot)

        def new_cell(slots: Slots) -> Term:
            cell = slots[slot] = Ref(slots[0])
            return cell

        return new_cell

    def _deep_builder(self, term: Struct) -> Builder:
        parts = [(name, self.builder(var)) for name, var in variables(term).items()]
        return lambda slots: substitute(term, {name: build(slots) for name, build in parts})

    # matching

    def head_matchers(self, args: tuple[Term, ...]) -> list[tuple[int, Matcher]]:
        """The matchers of a head's arguments with their slots; arguments that match any term have no matcher."""
        rest: list[tuple[int, Term]] = []
        for slot, arg in enumerate(args, 1):
            if isinstance(arg, Var) and arg.name not in self.slots:
                self.slots[arg.name] = slot
                self.filled.add(slot)
            else:
                rest.append((slot, arg))
        return [(slot, self.matcher(arg)) for slot, arg in rest]

    def matcher(self, term: Term, depth: int = 0) -> Matcher:
        match term:
            case Var():
                return self._variable_matcher(self.slot_of(term))
            case Atom():
                return _atom_matcher(term, term.name)
            case Int():
                return _integer_matcher(term, term.value)
            case Struct() if not is_ground(term):
                return self._structure_matcher(term, depth)
            case _:
                return lambda found, slots, trail: unify(term, found, trail)

    def _variable_matcher(self, slot: int) -> Matcher:
        if slot in self.filled:
            return lambda found, slots, trail: unify(slots[slot], found, trail)
        self.filled.add(slot)

        def take(found: Term, slots: Slots, trail: Trail) -> bool:
            slots[slot] = found
            return True

        return take

    def _structure_matcher(self, term: Struct, depth: int) -> Matcher:
        before = set(self.filled)
        build = self.builder(term)
        if depth >= _DEEPEST_COMPILED:
            return lambda found, slots, trail: unify(build(slots), found, trail)
        self.filled = before
        fresh = self._fresh_slots(term.args)
        if fresh is not None:
            return _unpacking_matcher(term.name, fresh, build)
        return _nested_matcher(term.name, [self.matcher(arg, depth + 1) for arg in term.args], build)

    def _fresh_slots(self, args: Iterable[Term]) -> list[int] | None:
        """The slots of arguments that are distinct variables without a value; None for any other arguments."""
        slots = [self.slot_of(arg) for arg in args if isinstance(arg, Var)]
        if len(slots) < len(tuple(args)) or len(set(slots)) < len(slots) or self.filled.intersection(slots):
            return None
        self.filled.update(slots)
        return slots


def _structure_builder(name: str, parts: list[Builder]) -> Builder:
    if len(parts) == 1:
        (only,) = parts
        return lambda slots: Struct(name, (only(slots),))
    if len(parts) == 2:
        left, right = parts
        return lambda slots: Struct(name, (left(slots), right(slots)))
    return lambda slots: Struct(name, tuple([part(slots) for part in parts]))


def _tuple_builder(parts: list[Builder]) -> ArgumentsBuilder:
    match parts:
        case [a]:
            return lambda slots: (a(slots),)
        case [a, b]:
            return lambda slots: (a(slots), b(slots))
        case [a, b, c]:
            return lambda slots: (a(slots), b(slots), c(slots))
        case _:
            return lambda slots: tuple([part(slots) for part in parts])


def _atom_matcher(term: Atom, name: str) -> Matcher:
    def match(found: Term, slots: Slots, trail: Trail) -> bool:
        found = deref(found)
        if type(found) is Atom:
            return found.name == name
        if type(found) is Ref:
            trail.bind(found, term)
            return True
        return False

    return match


def _integer_matcher(term: Int, value: int) -> Matcher:
    def match(found: Term, slots: Slots, trail: Trail) -> bool:
        found = deref(found)
        if type(found) is Int:
            return found.value == value
        if type(found) is Ref:
            trail.bind(found, term)
            return True
        return False

    return match


def _unpacking_matcher(name: str, targets: list[int], build: Builder) -> Matcher:
    """The matcher of a structure of new variables such as `[Head|Tail]`."""
    arity = len(targets)

    def match(found: Term, slots: Slots, trail: Trail) -> bool:
        if type(found) is Ref:
            found = deref(found)
        if type(found) is Struct:
            args = found.args
            if found.name != name or len(args) != arity:
                return False
            for target, arg in zip(targets, args):  # noqa: B905
                slots[target] = arg
            return True
        if type(found) is Ref:
            found.value = build(slots)
            if found.stamp < trail.barrier:
                trail.entries.append(found)
            return True
        return False

    return match


def _nested_matcher(name: str, parts: list[Matcher], build: Builder) -> Matcher:
    arity = len(parts)

    def match(found: Term, slots: Slots, trail: Trail) -> bool:
        found = deref(found)
        if type(found) is Struct:
            if found.name != name or len(found.args) != arity:
                return False
            for part, arg in zip(parts, found.args):  # noqa: B905
                if not part(arg, slots, trail):
                    return False
            return True
        if type(found) is Ref:
            trail.bind(found, build(slots))
            return True
        return False

    return match
