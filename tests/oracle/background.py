"""Background knowledge by plain resolution, left to right, as in Prolog.

A goal that cannot be proved before a variable is bound (`N > 1`, a negation with unbound variables) raises `Unbound`;
the rule tries the goal again when other conditions have bound more variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

from holdsfor.syntax.terms import EMPTY_LIST, Atom, Float, Int, Struct, Term, Var
from tests.oracle.scopes import scoped
from tests.oracle.terms import (
    Binding,
    NoResult,
    Refused,
    Unbound,
    as_list,
    as_number,
    compute,
    free_names,
    ground,
    key_of,
    names_in,
    rename,
    resolve,
    to_list,
    unify,
    value_if_any,
    walk,
)

__all__ = ["Background", "aggregated", "arithmetic_test"]

MAX_DEPTH = 200


def arithmetic_test(goal: Struct, binding: Binding) -> bool | None:
    """Whether a comparison of numbers holds; None for any other goal."""
    if len(goal.args) != 2 or goal.name not in ("<", ">", "=<", ">=", "=:=", "=\\="):
        return None
    x, y = (compute(arg, binding) for arg in goal.args)
    tests = {"<": x < y, ">": x > y, "=<": x <= y, ">=": x >= y, "=:=": x == y, "=\\=": x != y}
    return tests[goal.name]


def aggregated(template: Term, found: list[Binding]) -> Term | None:
    """The result of `aggregate_all` for its solutions; None if it fails."""
    if template == Atom("count"):
        return Int(len(found))
    if not isinstance(template, Struct) or len(template.args) != 1:
        raise Refused("aggregate")
    if template.name == "count":
        return Int(len(found))
    if template.name == "bag":
        return as_list([resolve(template.args[0], binding) for binding in found])
    given = [value_if_any(template.args[0], binding) for binding in found]
    values = [value for value in given if value is not None]
    if template.name == "sum":
        return as_number(sum(values))
    if template.name in ("max", "min"):
        return as_number((max if template.name == "max" else min)(values)) if values else None
    raise Refused(f"aggregate {template.name}")


@dataclass
class _Frame:
    """A call of a predicate: whether it was cut."""

    is_cut: bool = False


@dataclass
class Background:
    """Clauses by name and arity."""

    clauses: dict[tuple[str, int], list[tuple[Term, Term | None]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._fresh = count()

    def add(self, head: Term, body: Term | None = None) -> None:
        ready = None if body is None else scoped(body, names_in(head), is_rule=False)
        self.clauses.setdefault(key_of(head), []).append((head, ready))

    def answers(self, goal: Term, binding: Binding) -> list[Binding]:
        """All solutions; a solution with several proofs occurs several times."""
        return list(self.solve(goal, binding, _Frame(), 0))

    def solve(self, goal: Term, binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        if depth > MAX_DEPTH:
            raise Refused("the proof is too deep")
        goal = walk(goal, binding)
        if isinstance(goal, Var):
            raise Unbound
        name, arity = key_of(goal)
        args = goal.args if isinstance(goal, Struct) else ()
        builtin = _BUILTINS.get((name, arity))
        try:
            if builtin is not None:
                yield from builtin(self, args, binding, frame, depth)
                return
            holds = arithmetic_test(goal, binding) if isinstance(goal, Struct) else None
        except NoResult:
            return
        if holds:
            yield binding
        elif holds is None:
            yield from self._call(goal, binding, depth)

    def _call(self, goal: Term, binding: Binding, depth: int) -> Iterator[Binding]:
        frame = _Frame()
        for clause in self.clauses.get(key_of(goal), []):
            suffix = f"~{next(self._fresh)}"
            found = unify(goal, rename(clause[0], suffix), binding)
            if found is None:
                continue
            if clause[1] is None:
                yield found
            else:
                yield from self.solve(rename(clause[1], suffix), found, frame, depth + 1)
            if frame.is_cut:
                return

    # -- control ---------------------------------------------------------------------------------------------------

    def _and(self, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        for found in self.solve(args[0], binding, frame, depth):
            yield from self.solve(args[1], found, frame, depth)
            if frame.is_cut:
                return

    def _or(self, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        first = args[0]
        if isinstance(first, Struct) and first.name == "->":
            found = next(self.solve(first.args[0], binding, _Frame(), depth), None)
            if found is not None:
                yield from self.solve(first.args[1], found, frame, depth)
                return
        else:
            yield from self.solve(first, binding, frame, depth)
        if not frame.is_cut:
            yield from self.solve(args[1], binding, frame, depth)

    def _if(self, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        found = next(self.solve(args[0], binding, _Frame(), depth), None)
        if found is not None:
            yield from self.solve(args[1], found, frame, depth)

    def _not(self, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        if not ground(args[1], binding):
            raise Unbound
        if next(self.solve(args[0], binding, _Frame(), depth), None) is None:
            yield binding

    def _cut(self, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        yield binding
        frame.is_cut = True

    def _findall(self, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        if not ground(args[3], binding):
            raise Unbound
        items = [resolve(args[0], found) for found in self.solve(args[1], binding, _Frame(), depth)]
        yield from _one(unify(args[2], as_list(items), binding))

    def _aggregate(self, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        if not ground(args[3], binding):
            raise Unbound
        value = aggregated(args[0], list(self.solve(args[1], binding, _Frame(), depth)))
        yield from _one(None if value is None else unify(args[2], value, binding))


def _one(binding: Binding | None) -> Iterator[Binding]:
    if binding is not None:
        yield binding


def _test(passes: Callable[[Term, Term], bool]) -> Callable[..., Iterator[Binding]]:
    def run(self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        left, right = (resolve(arg, binding) for arg in args)
        if names_in(left, right):
            raise Unbound
        if passes(left, right):
            yield binding

    return run


def _type(*kinds: type) -> Callable[..., Iterator[Binding]]:
    def run(self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
        if isinstance(term := walk(args[0], binding), Var):
            raise Unbound
        if isinstance(term, kinds):
            yield binding

    return run


def _is(self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
    yield from _one(unify(args[0], as_number(compute(args[1], binding)), binding))


def _equal(self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
    yield from _one(unify(args[0], args[1], binding))


def _true(self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
    yield binding


def _fail(self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
    yield from ()


def _member(self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
    for item in to_list(args[1], binding):
        yield from _one(unify(args[0], item, binding))


def _length(self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int) -> Iterator[Binding]:
    yield from _one(unify(args[1], Int(len(to_list(args[0], binding))), binding))


def _between(
    self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int
) -> Iterator[Binding]:
    low, high = (compute(arg, binding) for arg in args[:2])
    for value in range(int(low), int(high) + 1):
        yield from _one(unify(args[2], Int(value), binding))


def _different(
    self: Background, args: tuple[Term, ...], binding: Binding, frame: _Frame, depth: int
) -> Iterator[Binding]:
    if unify(args[0], args[1], binding) is None:
        yield binding
    elif free_names(args[0], binding) | free_names(args[1], binding):
        raise Unbound


_BUILTINS: dict[tuple[str, int], Callable[..., Iterator[Binding]]] = {
    (",", 2): Background._and,
    (";", 2): Background._or,
    ("->", 2): Background._if,
    ("$not", 2): Background._not,
    ("!", 0): Background._cut,
    ("$findall", 4): Background._findall,
    ("$aggregate_all", 4): Background._aggregate,
    ("true", 0): _true,
    ("fail", 0): _fail,
    ("false", 0): _fail,
    ("=", 2): _equal,
    ("\\=", 2): _different,
    ("==", 2): _test(lambda x, y: x == y),
    ("\\==", 2): _test(lambda x, y: x != y),
    ("is", 2): _is,
    ("member", 2): _member,
    ("length", 2): _length,
    ("between", 3): _between,
    ("number", 1): _type(Int, Float),
    ("integer", 1): _type(Int),
    ("atom", 1): _type(Atom),
    ("atomic", 1): _type(Atom, Int, Float),
}
assert Atom("[]") == EMPTY_LIST
