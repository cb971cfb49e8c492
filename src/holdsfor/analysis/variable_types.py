"""The types of constants that the conditions of one rule allow for its variables.

A variable has the types that all its conditions allow. Negations allow everything, and a disjunction allows what one of
its branches allows. Conditions have no order, so they are applied until no type changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import IntFlag
from typing import TypeAlias

from holdsfor.analysis.sorts import Place
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Either,
    Ends,
    Happens,
    Holds,
    Initiated,
    Starts,
    Terminated,
    Test,
)
from holdsfor.syntax.terms import Float, Int, Struct, Term, Var, chained, name_and_arity, variables

__all__ = ["Allowed", "Bindings", "ConstantType", "argument_places", "type_of"]


class ConstantType(IntFlag):
    """A set of types of constants; a structure is text."""

    NOTHING = 0
    INTEGER = 1
    FLOAT = 2
    TEXT = 4
    NUMBER = 3
    ANY = 7


Allowed: TypeAlias = Callable[[Condition | Term, Place], ConstantType | None]
"""The types of a place in a condition or a call; None if the call is not of a predicate of the rules."""

_COMPARISONS = frozenset(["<", ">", "=<", ">=", "=:=", "=\\="])
_WHOLE = frozenset(["+", "-", "*", "//", "mod", "rem", "div", "min", "max", "abs", "sign", ">>", "<<", "/\\", "\\/"])
_ROUNDED = frozenset(["truncate", "round", "floor", "ceiling", "integer"])
_INTEGERS_OF = {("length", 2): (1,), ("between", 3): (0, 1, 2), ("queryTime", 1): (0,), ("atom_length", 2): (1,)}
_INNER = frozenset([("call", 1), ("once", 1)])
_NEGATIONS = frozenset([("\\+", 1), ("not", 1), ("forall", 2)])
_AND = frozenset([(",", 2), ("->", 2), ("*->", 2)])


def type_of(term: Term) -> ConstantType:
    """The type of a term that is not a variable."""
    match term:
        case Int():
            return ConstantType.INTEGER
        case Float():
            return ConstantType.FLOAT
    return ConstantType.TEXT


def argument_places(entity: Term) -> Iterator[tuple[Place, Term]]:
    """The arguments of an event, FVP or call, and the value, with their places.

    >>> from holdsfor.syntax.parser import parse_term
    >>> [place for place, _ in argument_places(parse_term("location(X)=Y"))]
    [('location', 1, 0), ('location', 1, 'value')]
    """
    value: Term | None = None
    if isinstance(entity, Struct) and name_and_arity(entity) == ("=", 2):
        entity, value = entity.args
    args = entity.args if isinstance(entity, Struct) else ()
    name, arity = getattr(entity, "name", ""), len(args)
    yield from (((name, arity, i), arg) for i, arg in enumerate(args))
    if value is not None:
        yield (name, arity, "value"), value


class Bindings:
    """The types of the variables of one rule. `bound` are the variables that a condition binds, not only tests."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._types: dict[str, ConstantType] = {}
        self.bound: set[str] = set()

    def type_of(self, term: Term) -> ConstantType:
        """The types that a term may have."""
        return self._types.get(term.name, ConstantType.ANY) if isinstance(term, Var) else type_of(term)

    def narrow(self, term: Term, types: ConstantType, *, binds: bool = True) -> None:
        """Restrict a variable to some types."""
        if isinstance(term, Var):
            self._types[term.name] = self.type_of(term) & types
            if binds:
                self.bound.add(term.name)

    def apply(self, body: Iterable[Condition]) -> None:
        """Apply the conditions until no type changes."""
        body = tuple(body)
        before = None
        while before != (before := (dict(self._types), set(self.bound))):
            for condition in body:
                self._condition(condition)

    def apply_goals(self, goals: Iterable[Term]) -> None:
        """Apply atemporal goals until no type changes."""
        self.apply(tuple(Test(goal) for goal in goals))

    def _condition(self, condition: Condition) -> None:
        match condition:
            case Happens(event):
                self._entity(condition, event)
            case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
                self._entity(condition, fvp.term)
            case Test(goal):
                self._goal(goal)
            case Either(branches):
                self._either(branches)
            case Collect(result=result, aggregate=aggregate):
                self.narrow(result, _of_aggregate(aggregate))

    def _entity(self, condition: Condition | Term, entity: Term) -> bool:
        for place, part in argument_places(entity):
            types = self._allowed(condition, place)
            if types is None:
                return False
            self.narrow(part, types)
        return True

    def _either(self, branches: Iterable[tuple[Condition, ...]]) -> None:
        """Apply a disjunction: a variable has the types that some branch allows, and is bound if all branches bind."""
        found: list[Bindings] = []
        for branch in branches:
            inner = Bindings(self._allowed)
            inner._types, inner.bound = dict(self._types), set(self.bound)
            inner.apply(branch)
            found.append(inner)
        for name in {name for inner in found for name in inner._types}:
            types = ConstantType.NOTHING
            for inner in found:
                types |= inner.type_of(Var(name))
            self.narrow(Var(name), types, binds=all(name in inner.bound for inner in found))

    def _goal(self, goal: Term) -> None:
        if not isinstance(goal, Struct):
            return
        key = name_and_arity(goal)
        if key in _AND:
            self.apply_goals(chained(goal))
        elif key == (";", 2):
            self._either([(Test(branch),) for branch in chained(goal)])
        elif key == ("=", 2):
            self._equation(*goal.args)
        elif len(goal.args) == 2 and goal.name in _COMPARISONS:
            for name in variables(goal):
                self.narrow(Var(name), ConstantType.NUMBER, binds=False)
        elif key == ("is", 2):
            for name in variables(goal.args[1]):
                self.narrow(Var(name), ConstantType.NUMBER, binds=False)
            self.narrow(goal.args[0], self._arithmetic(goal.args[1]))
        elif key in _INNER:
            self._goal(goal.args[0])
        elif key not in _NEGATIONS and not self._entity(goal, goal):
            self._builtin(goal)

    def _equation(self, left: Term, right: Term) -> None:
        for one, other in ((left, right), (right, left)):
            is_bound = not isinstance(other, Var) or other.name in self.bound
            self.narrow(one, self.type_of(other), binds=is_bound)

    def _builtin(self, goal: Struct) -> None:
        whole = _INTEGERS_OF.get(name_and_arity(goal), ())
        for i, arg in enumerate(goal.args):
            for name in variables(arg):
                is_whole = i in whole and isinstance(arg, Var)
                self.narrow(Var(name), ConstantType.INTEGER if is_whole else ConstantType.ANY)

    def _arithmetic(self, expression: Term) -> ConstantType:
        match expression:
            case Struct(name=name) if name in _ROUNDED:
                return ConstantType.INTEGER
            case Struct(name=name, args=args) if name in _WHOLE:
                is_whole = all(self._arithmetic(arg) == ConstantType.INTEGER for arg in args)
                return ConstantType.INTEGER if is_whole else ConstantType.NUMBER
            case Struct():
                return ConstantType.NUMBER
        return self.type_of(expression) & ConstantType.NUMBER


def _of_aggregate(aggregate: str) -> ConstantType:
    match aggregate:
        case "count":
            return ConstantType.INTEGER
        case "sum":
            return ConstantType.NUMBER
        case "list" | "bag" | "set":
            return ConstantType.TEXT
    return ConstantType.ANY
