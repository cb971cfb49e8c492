"""Terms: the one data structure of the language, from the parser to the background engine.

A term is a variable, a constant (atom, integer, float, string) or a structure. Terms are values: two terms are equal if
they are written the same, and `3` and `3.0` are different. No function here recurses, so a list of a million elements
cannot overflow the stack.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from holdsfor.syntax.source import Span

__all__ = [
    "EMPTY_LIST",
    "Atom",
    "Constant",
    "Float",
    "Int",
    "Str",
    "Struct",
    "Term",
    "Var",
    "chained",
    "conjuncts",
    "equations",
    "inside_out",
    "is_callable",
    "is_constant",
    "is_ground",
    "is_larger",
    "list_items",
    "list_term",
    "name_and_arity",
    "substitute",
    "variables",
]


class Var:
    """A variable, named as in the text. The parser gives every `_` a name of its own (`_#1`, …)."""

    __slots__ = ("name", "span")

    def __init__(self, name: str, span: Span | None = None) -> None:
        self.name = name
        self.span = span

    @property
    def is_anonymous(self) -> bool:
        """Whether the variable is written as `_`."""
        return self.name.startswith("_#")

    def __eq__(self, other: object) -> bool:
        return self is other or (other.__class__ is Var and self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Var({self.name!r})"


@dataclass(frozen=True, slots=True)
class Atom:
    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Int:
    value: int
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Float:
    """A float. Both zeros are one constant, and all NaNs are one constant."""

    value: float
    span: Span | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.value:
            object.__setattr__(self, "value", 0.0)
        elif math.isnan(self.value):
            object.__setattr__(self, "value", math.nan)


@dataclass(frozen=True, slots=True)
class Str:
    """Text in a column mapping, where names denote columns. In rules, double-quoted text is an atom."""

    value: str
    span: Span | None = field(default=None, compare=False, repr=False)


class Struct:
    """A name applied to one or more arguments. A list is `'[|]'(Head, Tail)` down to the atom `[]`."""

    __slots__ = ("_hash", "args", "name", "span")

    def __init__(self, name: str, args: tuple[Term, ...], span: Span | None = None) -> None:
        self.name = name
        self.args = args
        self.span = span
        self._hash: int | None = None

    @property
    def arity(self) -> int:
        return len(self.args)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Struct):
            return NotImplemented
        if self._hash is not None and other._hash is not None and self._hash != other._hash:
            return False
        pairs: list[tuple[Term, Term]] = [(self, other)]
        while pairs:
            left, right = pairs.pop()
            if left is right:
                continue
            if isinstance(left, Struct) and isinstance(right, Struct):
                if left.name != right.name or len(left.args) != len(right.args):
                    return False
                pairs.extend(zip(left.args, right.args, strict=True))
            elif left != right:
                return False
        return True

    def __hash__(self) -> int:
        if self._hash is None:
            is_flat = not any(isinstance(arg, Struct) for arg in self.args)
            for term in (self,) if is_flat else inside_out(self):
                if term._hash is None:
                    term._hash = hash((term.name, *map(hash, term.args)))
        assert self._hash is not None
        return self._hash

    def __repr__(self) -> str:
        from holdsfor.syntax.printer import show

        return f"Struct({show(self)})"


Constant: TypeAlias = Atom | Int | Float | Str
Term: TypeAlias = Var | Atom | Int | Float | Str | Struct

EMPTY_LIST = Atom("[]")

_LONG_WALK = 10_000


def inside_out(term: Struct) -> list[Struct]:
    """The structures of a term, each once and after the structures inside it, however often they are shared."""
    order: list[Struct] = []
    done: set[int] = set()
    stack: list[tuple[Struct, bool]] = [(term, False)]
    while stack:
        here, is_opened = stack.pop()
        if is_opened:
            order.append(here)
        elif id(here) not in done:
            done.add(id(here))
            stack.append((here, True))
            stack.extend((arg, False) for arg in here.args if isinstance(arg, Struct))
    return order


def variables(*terms: Term) -> dict[str, Var]:
    """The variables of the terms by name, in order of first occurrence."""
    found: dict[str, Var] = {}
    for term in terms:
        if isinstance(term, Var):
            found.setdefault(term.name, term)
        elif isinstance(term, Struct):
            _add_variables(term, found)
    return found


def _add_variables(term: Struct, found: dict[str, Var]) -> None:
    stack: list[Term] = [term]
    seen = _Seen()
    while stack:
        here = stack.pop()
        if isinstance(here, Var):
            found.setdefault(here.name, here)
        elif isinstance(here, Struct) and seen.is_new(here):
            stack.extend(reversed(here.args))


class _Seen:
    """The structures that a traversal has visited. Short traversals do not record them."""

    __slots__ = ("_n", "_seen")

    def __init__(self) -> None:
        self._n = 0
        self._seen: set[int] = set()

    def is_new(self, term: Struct) -> bool:
        self._n += 1
        if self._n < _LONG_WALK:
            return True
        if id(term) in self._seen:
            return False
        self._seen.add(id(term))
        return True


def is_ground(term: Term) -> bool:
    """Whether the term has no variable."""
    if not isinstance(term, Struct):
        return not isinstance(term, Var)
    stack: list[Struct] = [term]
    seen = _Seen()
    while stack:
        here = stack.pop()
        if seen.is_new(here):
            for argument in here.args:
                if isinstance(argument, Struct):
                    stack.append(argument)
                elif isinstance(argument, Var):
                    return False
    return True


def is_larger(term: Term, limit: int) -> bool:
    """Whether a term has more than `limit` parts when it is written out."""
    stack: list[Term] = [term]
    n_parts = 0
    while stack and n_parts <= limit:
        here = stack.pop()
        n_parts += 1
        if isinstance(here, Struct):
            stack.extend(here.args)
    return n_parts > limit


def is_constant(term: Term) -> bool:
    return not isinstance(term, Var | Struct)


def is_callable(term: Term) -> bool:
    """Whether the term may be a goal, an event or a fluent: an atom or a structure."""
    return isinstance(term, Atom | Struct)


def name_and_arity(term: Term) -> tuple[str, int]:
    """The name and arity of an atom or structure."""
    if isinstance(term, Struct):
        return term.name, len(term.args)
    assert isinstance(term, Atom)
    return term.name, 0


def list_term(items: Iterable[Term], tail: Term = EMPTY_LIST) -> Term:
    """The list of the items as a term."""
    result = tail
    for item in reversed(list(items)):
        result = Struct("[|]", (item, result))
    return result


def list_items(term: Term) -> tuple[list[Term], Term]:
    """The leading items of a list term and its tail: `[]` for a proper list."""
    items: list[Term] = []
    while isinstance(term, Struct) and term.name == "[|]" and len(term.args) == 2:
        items.append(term.args[0])
        term = term.args[1]
    return items, term


def conjuncts(term: Term) -> list[Term]:
    """The goals of `a, b, c`, regardless of brackets."""
    goals: list[Term] = []
    stack: list[Term] = [term]
    while stack:
        here = stack.pop()
        if isinstance(here, Struct) and here.name == "," and len(here.args) == 2:
            stack.extend((here.args[1], here.args[0]))
        else:
            goals.append(here)
    return goals


def chained(term: Struct) -> list[Term]:
    """The operands of `a ; b ; c`, for any binary operator that associates to the right: a chain of any length."""
    operands: list[Term] = []
    rest: Term = term
    while isinstance(rest, Struct) and rest.name == term.name and len(rest.args) == 2:
        operands.append(rest.args[0])
        rest = rest.args[1]
    return [*operands, rest]


def equations(goal: Term) -> list[Term]:
    """A unification of structures as unifications of their arguments; any other goal unchanged.

    One argument may then bind the variables that the next argument needs: `f(X, Y) = f(Y, b)` is `X = Y, Y = b`.
    """
    if not (isinstance(goal, Struct) and goal.name == "=" and len(goal.args) == 2):
        return [goal]
    if any(is_ground(side) for side in goal.args):
        return [goal]
    found: list[Term] = []
    stack: list[tuple[Term, Term]] = [(goal.args[0], goal.args[1])]
    while stack:
        left, right = stack.pop()
        if isinstance(left, Struct) and isinstance(right, Struct) and name_and_arity(left) == name_and_arity(right):
            stack.extend(reversed(list(zip(left.args, right.args, strict=True))))
        elif isinstance(left, Struct) or left != right:
            found.append(Struct("=", (left, right), goal.span))
    return found or [goal]


def substitute(term: Term, binding: dict[str, Term]) -> Term:
    """The term with each variable of the binding replaced. Ground parts are shared, not copied."""
    if isinstance(term, Var):
        return binding.get(term.name, term)
    if not isinstance(term, Struct) or is_ground(term):
        return term
    done: dict[int, Term] = {}
    for here in inside_out(term):
        args = tuple(done[id(arg)] if isinstance(arg, Struct) else _bound(arg, binding) for arg in here.args)
        done[id(here)] = Struct(here.name, args, here.span)
    return done[id(term)]


def _bound(term: Term, binding: dict[str, Term]) -> Term:
    return binding.get(term.name, term) if isinstance(term, Var) else term
