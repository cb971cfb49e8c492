"""Predicates on lists that have at most one answer, or a finite list of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from holdsfor.prolog.arithmetic import number_term, value_of
from holdsfor.prolog.builtins.numbers import integer_value
from holdsfor.prolog.functions import FUNCTIONS, Number
from holdsfor.prolog.inline import list_parts, proper_list
from holdsfor.prolog.order import compare, sort_terms, sort_unique
from holdsfor.prolog.problems import not_a
from holdsfor.prolog.registry import Answers, Arguments, BuiltinContext, deterministic, enumerated
from holdsfor.prolog.unify import Ref, Trail, resolve, unifies, unify, unify_or_undo
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Int, Struct, Term, Var, is_ground, list_term

__all__: list[str] = []


# length and position


@deterministic(("$length", 4))
def _length(args: Arguments, run: BuiltinContext) -> bool:
    """The number of leading items of a list and its tail, which must be `[]` or a variable."""
    items, tail = list_parts(args[0], run.trail)
    if tail != EMPTY_LIST and not isinstance(tail, Var):
        raise not_a("a list", resolve(args[0]))
    if not isinstance(args[1], Var | Int):
        raise not_a("an integer", args[1])
    return unify(args[2], number_term(len(items)), run.trail) and unify(args[3], tail, run.trail)


@deterministic(("$cells", 2))
def _cells(args: Arguments, run: BuiltinContext) -> bool:
    """A list of `n` new variables."""
    n = integer_value(args[0])
    run.trail.charge(max(0, n))
    return n >= 0 and unify(args[1], list_term(Ref(run.trail.stamp) for _ in range(n)), run.trail)


def _nth(args: Arguments, run: BuiltinContext, base: int) -> Answers:
    number, whole, _ = args
    items, tail = list_parts(whole, run.trail)
    if isinstance(number, Var):
        return ((number_term(at), whole, item) for at, item in enumerate(items, base))
    at = integer_value(number) - base
    if at >= len(items) and isinstance(tail, Var):
        raise not_a("a list", tail)
    return iter([(number, whole, items[at])] if 0 <= at < len(items) else [])


@enumerated(("nth0", 3))
def _nth0(args: Arguments, run: BuiltinContext) -> Answers:
    return _nth(args, run, 0)


@enumerated(("nth1", 3))
def _nth1(args: Arguments, run: BuiltinContext) -> Answers:
    return _nth(args, run, 1)


@deterministic(("numlist", 3))
def _numlist(args: Arguments, run: BuiltinContext) -> bool:
    low, high = integer_value(args[0]), integer_value(args[1])
    run.trail.charge(max(0, high + 1 - low))
    return low <= high and unify(args[2], list_term(map(number_term, range(low, high + 1))), run.trail)


@deterministic(("reverse", 2))
def _reverse(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], list_term(reversed(proper_list(args[0], run.trail))), run.trail)


# sorting


@deterministic(("msort", 2))
def _msort(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], list_term(sort_terms(proper_list(args[0], run.trail), lambda item: item)), run.trail)


@deterministic(("sort", 2))
def _sort(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], list_term(sort_unique(proper_list(args[0], run.trail))), run.trail)


@deterministic(("sort", 4))
def _sort_by(args: Arguments, run: BuiltinContext) -> bool:
    """`sort(Key, Order, List, Sorted)`: by an argument (0: the whole term), stable; `@<` and `@>` drop duplicates."""
    at, order = integer_value(args[0]), args[1]
    if not isinstance(order, Atom) or order.name not in ("@<", "@=<", "@>", "@>="):
        raise not_a("an order (@<, @=<, @> or @>=)", order)
    items = sort_terms(
        proper_list(args[2], run.trail),
        lambda item: _sort_key(item, at),
        reverse=order.name in ("@>", "@>="),
        unique=order.name in ("@<", "@>"),
    )
    return unify(args[3], list_term(items), run.trail)


def _sort_key(item: Term, at: int) -> Term:
    if at == 0:
        return item
    if not isinstance(item, Struct) or not 1 <= at <= len(item.args):
        raise not_a(f"a structure with {at} arguments", resolve(item))
    return item.args[at - 1]


@deterministic(("keysort", 2))
def _keysort(args: Arguments, run: BuiltinContext) -> bool:
    pairs = sort_terms(_pairs(args[0], run), lambda pair: pair.args[0])
    return unify(args[1], list_term(pairs), run.trail)


def _pairs(term: Term, run: BuiltinContext) -> list[Struct]:
    found: list[Struct] = []
    for item in proper_list(term, run.trail):
        if not isinstance(item, Struct) or item.name != "-" or len(item.args) != 2:
            raise not_a("a pair Key-Value", resolve(item))
        found.append(item)
    return found


@deterministic(("pairs_keys_values", 3))
def _pairs_keys_values(args: Arguments, run: BuiltinContext) -> bool:
    if list_parts(args[0], run.trail)[1] == EMPTY_LIST:
        pairs = _pairs(args[0], run)
        keys, values = [list_term(pair.args[at] for pair in pairs) for at in (0, 1)]
        return unify(args[1], keys, run.trail) and unify(args[2], values, run.trail)
    both = zip(proper_list(args[1], run.trail), proper_list(args[2], run.trail), strict=False)
    return unify(args[0], list_term(Struct("-", pair) for pair in both), run.trail)


@deterministic(("pairs_keys", 2))
def _pairs_keys(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], list_term(pair.args[0] for pair in _pairs(args[0], run)), run.trail)


@deterministic(("pairs_values", 2))
def _pairs_values(args: Arguments, run: BuiltinContext) -> bool:
    return unify(args[1], list_term(pair.args[1] for pair in _pairs(args[0], run)), run.trail)


# numbers and extremes


@deterministic(("sum_list", 2), ("sumlist", 2))
def _sum_list(args: Arguments, run: BuiltinContext) -> bool:
    total: Number = reduce(FUNCTIONS["+", 2], [0, *map(value_of, proper_list(args[0], run.trail))])
    return unify(args[1], number_term(total), run.trail)


def _extreme(args: Arguments, run: BuiltinContext, function: str) -> bool:
    values = [value_of(item) for item in proper_list(args[0], run.trail)]
    return bool(values) and unify(args[1], number_term(reduce(FUNCTIONS[function, 2], values)), run.trail)


@deterministic(("max_list", 2))
def _max_list(args: Arguments, run: BuiltinContext) -> bool:
    return _extreme(args, run, "max")


@deterministic(("min_list", 2))
def _min_list(args: Arguments, run: BuiltinContext) -> bool:
    return _extreme(args, run, "min")


def _member_where(args: Arguments, run: BuiltinContext, better: Callable[[int], bool]) -> bool:
    items = proper_list(args[1], run.trail)
    if not items:
        return False
    best = reduce(lambda best, item: item if better(compare(item, best)) else best, items)
    return unify(args[0], best, run.trail)


@deterministic(("max_member", 2))
def _max_member(args: Arguments, run: BuiltinContext) -> bool:
    return _member_where(args, run, lambda sign: sign > 0)


@deterministic(("min_member", 2))
def _min_member(args: Arguments, run: BuiltinContext) -> bool:
    return _member_where(args, run, lambda sign: sign < 0)


# membership and sets


@deterministic(("memberchk", 2))
def _memberchk(args: Arguments, run: BuiltinContext) -> bool:
    items, tail = list_parts(args[1], run.trail)
    if any(unify_or_undo(args[0], item, run.trail) for item in items):
        return True
    return isinstance(tail, Var) and unify(tail, Struct("[|]", (args[0], Ref(run.trail.stamp))), run.trail)


class _Members:
    """`memberchk/2` on a list that is searched often: ground items are hashed, the others unified one by one."""

    def __init__(self, items: Iterable[Term], trail: Trail) -> None:
        self.trail = trail
        self.items = [resolve(item) for item in items]
        self.all_ground = all(map(is_ground, self.items))
        self.ground = {item for item in self.items if is_ground(item)}

    def __contains__(self, term: Term) -> bool:
        term = resolve(term)
        if is_ground(term) and self.all_ground:
            return term in self.ground
        return any(unify_or_undo(term, item, self.trail) for item in self.items)


@deterministic(("subtract", 3))
def _subtract(args: Arguments, run: BuiltinContext) -> bool:
    members = _Members(proper_list(args[1], run.trail), run.trail)
    return unify(args[2], list_term(item for item in proper_list(args[0], run.trail) if item not in members), run.trail)


@deterministic(("intersection", 3))
def _intersection(args: Arguments, run: BuiltinContext) -> bool:
    members = _Members(proper_list(args[1], run.trail), run.trail)
    return unify(args[2], list_term(item for item in proper_list(args[0], run.trail) if item in members), run.trail)


@deterministic(("union", 3))
def _union(args: Arguments, run: BuiltinContext) -> bool:
    right = proper_list(args[1], run.trail)
    members = _Members(right, run.trail)
    only_left = [item for item in proper_list(args[0], run.trail) if item not in members]
    return unify(args[2], list_term([*only_left, *right]), run.trail)


@deterministic(("delete", 3))
def _delete(args: Arguments, run: BuiltinContext) -> bool:
    """The items that do not unify with the second argument."""
    kept = [item for item in proper_list(args[0], run.trail) if not unifies(item, args[1])]
    return unify(args[2], list_term(kept), run.trail)


@deterministic(("list_to_set", 2))
def _list_to_set(args: Arguments, run: BuiltinContext) -> bool:
    """The items without duplicates of earlier items."""
    items = sort_terms(enumerate(proper_list(args[0], run.trail)), lambda pair: pair[1], unique=True)
    return unify(args[1], list_term(item for _, item in sorted(items, key=lambda pair: pair[0])), run.trail)
