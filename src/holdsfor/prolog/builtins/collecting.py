"""The Python parts of `bagof/3`, `setof/3` and `aggregate_all/3`."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.prolog.arithmetic import number_term, value_of
from holdsfor.prolog.functions import FUNCTIONS
from holdsfor.prolog.inline import proper_list
from holdsfor.prolog.order import compare, same, sort_terms, sort_unique
from holdsfor.prolog.problems import not_a
from holdsfor.prolog.registry import Arguments, BuiltinContext, deterministic
from holdsfor.prolog.unify import deref, resolve, unify
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, is_ground, list_term, variables

__all__: list[str] = []


@deterministic(("$witness", 4))
def _witness(args: Arguments, run: BuiltinContext) -> bool:
    """The variables of a goal that are neither in the template nor bound by `^`, and the goal without its `^`."""
    template, goal, witness, inner = args
    bound: list[Term] = [template]
    while isinstance(goal, Struct) and goal.name == "^" and len(goal.args) == 2:
        bound.append(goal.args[0])
        goal = deref(goal.args[1])
    known = variables(*map(resolve, bound))
    free = [var for name, var in variables(resolve(goal)).items() if name not in known]
    return unify(witness, list_term(free), run.trail) and unify(inner, goal, run.trail)


@deterministic(("$groups", 2))
def _groups(args: Arguments, run: BuiltinContext) -> bool:
    """Witness-value pairs as witness-values pairs, in standard order of the witnesses; variants form one group."""
    pairs = sort_terms(map(_pair, proper_list(args[0], run.trail)), lambda pair: pair[0])
    groups: list[tuple[Term, list[Term]]] = []
    for witness, value in pairs:
        values = _group_of(witness, groups, run)
        if values is None:
            groups.append((witness, [value]))
        else:
            values.append(value)
    items: list[Term] = [Struct("-", (witness, list_term(values))) for witness, values in groups]
    return unify(args[1], list_term(items), run.trail)


def _pair(item: Term) -> tuple[Term, Term]:
    assert isinstance(item, Struct)
    return resolve(item.args[0]), item.args[1]


def _group_of(witness: Term, groups: list[tuple[Term, list[Term]]], run: BuiltinContext) -> list[Term] | None:
    """The values of the group with this witness. The cells of a variant are bound to the cells of the group."""
    if is_ground(witness):
        return groups[-1][1] if groups and same(groups[-1][0], witness) else None
    for other, values in groups:
        if _is_variant(witness, other):
            unify(witness, other, run.trail)
            return values
    return None


def _is_variant(left: Term, right: Term) -> bool:
    """Whether the terms are equal up to the names of their variables."""
    one, other = variables(left), variables(right)
    if len(one) != len(other):
        return False
    return same(_numbered(left, one), _numbered(right, other))


def _numbered(term: Term, names: Iterable[str]) -> Term:
    numbers = {name: number for number, name in enumerate(names)}
    return resolve(term, lambda ref: Atom(f"$VAR{numbers[ref.name]}"))


# aggregate_all

_ONE = ("sum", "max", "min", "bag", "set")
_TWO = ("max", "min")


@deterministic(("$aggregate_template", 4))
def _aggregate_template(args: Arguments, run: BuiltinContext) -> bool:
    """The expression of an aggregate, and the collected term: the value of the expression, perhaps with its witness."""
    what, expression, value, template = args
    match what:
        case Atom("count"):
            return unify(expression, what, run.trail) and unify(template, value, run.trail)
        case Struct(name=name, args=(given,)) if name in _ONE or name == "count":
            return unify(expression, given, run.trail) and unify(template, value, run.trail)
        case Struct(name=name, args=(given, witness)) if name in _TWO:
            return unify(expression, given, run.trail) and unify(template, Struct("-", (value, witness)), run.trail)
    raise not_a("count, sum(E), max(E), min(E), max(E, W), min(E, W), bag(E) or set(E)", resolve(what))


@deterministic(("$aggregate_value", 3))
def _aggregate_value(args: Arguments, run: BuiltinContext) -> bool:
    """The number of a solution, for a sum; for an extreme that of an expression. Other terms are their own values."""
    what, expression, value = args
    name = what.name if isinstance(what, Struct) else ""
    is_computed = name == "sum" or (name in _TWO and isinstance(expression, Struct))
    return unify(value, number_term(value_of(expression)) if is_computed else expression, run.trail)


@deterministic(("$aggregate", 3))
def _aggregate(args: Arguments, run: BuiltinContext) -> bool:
    what, items = args[0], proper_list(args[1], run.trail)
    name = what.name if isinstance(what, Atom | Struct) else ""
    n_args = len(what.args) if isinstance(what, Struct) else 0
    result = _extreme(name, items, n_args) if name in _TWO else _total(name, items)
    return result is not None and unify(args[2], result, run.trail)


def _total(name: str, items: list[Term]) -> Term:
    match name:
        case "count":
            return number_term(len(items))
        case "sum":
            total: int | float = 0
            for item in items:
                total = FUNCTIONS["+", 2](total, value_of(item))
            return number_term(total)
        case "set":
            return list_term(sort_unique(items))
        case _:
            return list_term(items)


def _extreme(name: str, items: list[Term], n_args: int) -> Term | None:
    """The largest or smallest item, the first of equal items; None for an empty list."""
    ranked = [_pair(item) if n_args == 2 else (item, None) for item in items]
    if not ranked:
        return None
    wanted = 1 if name == "max" else -1
    best, witness = deref(ranked[0][0]), ranked[0][1]
    for item, other in ranked[1:]:
        value = deref(item)
        if _rank(value, best) == wanted:
            best, witness = value, other
    return best if witness is None else Struct(name, (best, witness))


def _rank(left: Term, right: Term) -> int:
    if isinstance(left, Int | Float) and isinstance(right, Int | Float):
        return (left.value > right.value) - (left.value < right.value)
    return compare(left, right)
