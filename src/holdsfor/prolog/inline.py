"""Built-ins that depend only on their arguments and are evaluated in place: type tests, comparison, term structure.

Like the control constructs, these predicates cannot be redefined by a program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from holdsfor.prolog.arithmetic import number_term
from holdsfor.prolog.order import compare, same
from holdsfor.prolog.problems import GoalProblem, needs_bound, not_a
from holdsfor.prolog.unify import MAX_PAIRS, Ref, Trail, copy_term, cyclic, deref, resolve, unifies, unify
from holdsfor.syntax.terms import (
    EMPTY_LIST,
    Atom,
    Float,
    Int,
    Struct,
    Term,
    Var,
    is_ground,
    list_term,
    variables,
)

__all__ = ["INLINE", "Arguments", "list_parts", "proper_list"]

Arguments: TypeAlias = tuple[Term, ...]
Inline: TypeAlias = Callable[[Arguments, Trail], bool]


def proper_list(term: Term, trail: Trail) -> list[Term]:
    """The items of a list; a `GoalProblem` if the term is not a list or has an unbound tail."""
    items, end = list_parts(term, trail)
    if end != EMPTY_LIST:
        raise not_a("a list", end if isinstance(end, Var) else resolve(term))
    return items


def list_parts(term: Term, trail: Trail) -> tuple[list[Term], Term]:
    """The leading items of a list, and its tail; several items are charged as one step."""
    items: list[Term] = []
    term = deref(term)
    while type(term) is Struct and term.name == "[|]" and len(term.args) == 2:
        items.append(deref(term.args[0]))
        term = deref(term.args[1])
        if len(items) > MAX_PAIRS:
            raise cyclic()
    trail.charge(len(items) >> 4)
    return items, term


def _kind(*kinds: type) -> Inline:
    """The type test for some classes of terms."""
    return lambda args, trail: isinstance(args[0], kinds)


def _order(accept: Callable[[int], bool]) -> Inline:
    return lambda args, trail: accept(compare(args[0], args[1]))


def _compare(args: Arguments, trail: Trail) -> bool:
    sign = compare(args[1], args[2])
    return unify(args[0], Atom("<" if sign < 0 else ">" if sign else "="), trail)


def _functor(args: Arguments, trail: Trail) -> bool:
    term, name, arity = args
    match term:
        case Var():
            return unify(term, _with_functor(name, arity, trail), trail)
        case Struct():
            return unify(name, Atom(term.name), trail) and unify(arity, number_term(len(term.args)), trail)
        case _:
            return unify(name, term, trail) and unify(arity, Int(0), trail)


def _with_functor(name: Term, arity: Term, trail: Trail) -> Term:
    if not isinstance(arity, Int):
        raise not_a("an arity", arity)
    if isinstance(name, Var):
        raise needs_bound("the name")
    if arity.value == 0:
        return name
    if not isinstance(name, Atom):
        raise not_a("an atom", name)
    if not 0 < arity.value <= 10_000:
        raise GoalProblem("HF603", f"a structure cannot have {arity.value} arguments")
    trail.charge(arity.value)
    return Struct(name.name, tuple(Ref(trail.stamp) for _ in range(arity.value)))


def _univ(args: Arguments, trail: Trail) -> bool:
    term, parts = args
    if isinstance(term, Var):
        return unify(term, _from_parts(proper_list(parts, trail)), trail)
    items = [Atom(term.name), *term.args] if isinstance(term, Struct) else [term]
    return unify(parts, list_term(items), trail)


def _from_parts(parts: list[Term]) -> Term:
    if not parts:
        raise GoalProblem("HF603", "expected a list with a name, found `[]`")
    name, *args = parts
    if not args:
        return name
    if not isinstance(name, Atom):
        raise not_a("an atom", name)
    return Struct(name.name, tuple(args))


def _term_variables(args: Arguments, trail: Trail) -> bool:
    return unify(args[1], list_term(variables(resolve(args[0])).values()), trail)


INLINE: dict[tuple[str, int], Inline] = {
    ("var", 1): _kind(Var),
    ("nonvar", 1): lambda args, trail: not isinstance(args[0], Var),
    ("atom", 1): _kind(Atom),
    ("number", 1): _kind(Int, Float),
    ("integer", 1): _kind(Int),
    ("float", 1): _kind(Float),
    ("string", 1): _kind(Atom),
    ("atomic", 1): _kind(Atom, Int, Float),
    ("compound", 1): _kind(Struct),
    ("callable", 1): _kind(Atom, Struct),
    ("is_list", 1): lambda args, trail: list_parts(args[0], trail)[1] == EMPTY_LIST,
    ("ground", 1): lambda args, trail: is_ground(resolve(args[0])),
    ("\\=", 2): lambda args, trail: not unifies(args[0], args[1]),
    ("==", 2): lambda args, trail: same(args[0], args[1]),
    ("\\==", 2): lambda args, trail: not same(args[0], args[1]),
    ("@<", 2): _order(lambda sign: sign < 0),
    ("@=<", 2): _order(lambda sign: sign <= 0),
    ("@>", 2): _order(lambda sign: sign > 0),
    ("@>=", 2): _order(lambda sign: sign >= 0),
    ("compare", 3): _compare,
    ("functor", 3): _functor,
    ("=..", 2): _univ,
    ("copy_term", 2): lambda args, trail: unify(args[1], copy_term(args[0], trail), trail),
    ("term_variables", 2): _term_variables,
}
