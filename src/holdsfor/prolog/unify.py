"""Variables, the trail that undoes their bindings, and unification.

A variable of a running goal is a `Ref`: a cell that is empty or holds a term. Binding the variable is an assignment;
backtracking to a choice point empties the cells that were filled since, which the trail records. A cell that is newer
than the newest choice point is not recorded, because no backtracking can return to a time when the cell existed and was
empty. `stamp` and `barrier` decide this, so a deterministic loop leaves no trail however long it runs.

No function here recurses. A term that contains itself (`X = f(X)`) can be created, since unification has no occurs
check, but a function that would traverse it without end raises a `GoalProblem`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import repeat

from holdsfor.prolog.problems import GoalProblem
from holdsfor.syntax.terms import Atom, Struct, Term, Var

__all__ = [
    "MAX_PAIRS",
    "Ref",
    "Trail",
    "copy_term",
    "cyclic",
    "deref",
    "resolve",
    "resolve_counted",
    "unifies",
    "unify",
    "unify_or_undo",
]

MAX_PAIRS = 10_000_000


class Ref(Var):
    """A variable at run time: empty while `value is None`. Equal only to itself."""

    __slots__ = ("stamp", "value")

    def __init__(self, stamp: int = 0) -> None:
        self.stamp = stamp
        self.value: Term | None = None

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"_G{id(self)}"

    @property
    def span(self) -> None:  # type: ignore[override]
        return None

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"Ref({self.name})" if self.value is None else f"Ref({self.value!r})"


def _free(n_terms: int) -> None:
    """Charge nothing."""


class Trail:
    """The cells to empty when backtracking.

    `stamp` is the number of choice points ever created, `barrier` the number of the newest one that still exists (0:
    none). A cell carries the stamp of its creation and is recorded when bound if it is older than the barrier. A
    function that creates many terms calls `charge` with their number first, which stops a goal beyond its budget.
    """

    __slots__ = ("barrier", "charge", "entries", "stamp")

    def __init__(self, charge: Callable[[int], None] = _free) -> None:
        self.barrier = 0
        self.charge = charge
        self.stamp = 0
        self.entries: list[Ref] = []

    def bind(self, ref: Ref, term: Term) -> None:
        ref.value = term
        if ref.stamp < self.barrier:
            self.entries.append(ref)

    def undo(self, mark: int) -> None:
        """Empty the cells bound since the trail was `mark` long."""
        entries = self.entries
        while len(entries) > mark:
            entries.pop().value = None

    def tidy(self, mark: int) -> None:
        """Drop entries from `mark` on that are newer than the current barrier."""
        entries = self.entries
        if len(entries) > mark:
            barrier = self.barrier
            entries[mark:] = [ref for ref in entries[mark:] if ref.stamp < barrier]


def deref(term: Term) -> Term:
    """The value of a bound cell, or the term itself."""
    while type(term) is Ref:
        value = term.value
        if value is None:
            return term
        term = value
    return term


def unify(left: Term, right: Term, trail: Trail) -> bool:
    """Make the terms equal by binding cells; False if they do not unify (some cells may then be bound)."""
    left, right = deref(left), deref(right)
    if type(left) is Struct and type(right) is Struct:
        return _unify_structures(left, right, trail)
    return _unify_simple(left, right, trail)


def _unify_simple(left: Term, right: Term, trail: Trail) -> bool:
    """Unify dereferenced terms of which at most one is a structure."""
    if left is right:
        return True
    if type(left) is Ref:
        if type(right) is Ref and right.stamp > left.stamp:
            left, right = right, left
        left.value = right
        if left.stamp < trail.barrier:
            trail.entries.append(left)
        return True
    if type(right) is Ref:
        right.value = left
        if right.stamp < trail.barrier:
            trail.entries.append(right)
        return True
    if type(left) is not type(right):
        return False
    if type(left) is Atom:
        return left.name == right.name  # type: ignore[union-attr]
    return left.value == right.value  # type: ignore[union-attr]


def _unify_structures(left: Struct, right: Struct, trail: Trail) -> bool:
    pairs: list[tuple[Struct, Struct]] = [(left, right)]
    for _ in repeat(None, MAX_PAIRS):
        if not pairs:
            return True
        left, right = pairs.pop()
        if left is right:
            continue
        if left.name != right.name or len(left.args) != len(right.args):
            return False
        for a, b in zip(left.args, right.args, strict=True):
            a, b = deref(a), deref(b)
            if type(a) is Struct and type(b) is Struct:
                pairs.append((a, b))
            elif not _unify_simple(a, b, trail):
                return False
    raise cyclic()


def unify_or_undo(left: Term, right: Term, trail: Trail) -> bool:
    """Unify, and undo all bindings on failure."""
    mark, barrier = len(trail.entries), trail.barrier
    trail.barrier = sys.maxsize
    try:
        unified = unify(left, right, trail)
    finally:
        trail.barrier = barrier
    if unified:
        trail.tidy(mark)
    else:
        trail.undo(mark)
    return unified


def unifies(left: Term, right: Term) -> bool:
    """Whether the terms can be made equal; binds nothing."""
    trail = Trail()
    trail.barrier = sys.maxsize
    try:
        return unify(left, right, trail)
    finally:
        trail.undo(0)


def cyclic() -> GoalProblem:
    """The problem of a term that contains itself."""
    return GoalProblem("HF603", "a term contains itself", "a variable was unified with a term it occurs in")


def resolve(term: Term, leaf: Callable[[Ref], Term] | None = None) -> Term:
    """The term with every bound cell replaced by its value and every empty one by `leaf(cell)`.

    Unchanged parts are shared, and a part that occurs twice is visited once. `leaf` may be called several times for a
    cell and must return the same term.
    """
    return resolve_counted(term, leaf)[0]


def resolve_counted(term: Term, leaf: Callable[[Ref], Term] | None) -> tuple[Term, int]:
    """The resolved term, and the number of structures created for it, at least one."""
    term = deref(term)
    if type(term) is Ref:
        return (leaf(term) if leaf else term), 1
    if type(term) is not Struct:
        return term, 1
    return _resolve_tree(term, leaf) or _resolve_graph(term, leaf)


def _resolve_tree(term: Struct, leaf: Callable[[Ref], Term] | None) -> tuple[Term, int] | None:
    """The resolved term if no part of it occurs twice, else None. Empty cells are visited from the outside in."""
    order = [term]
    seen = {id(term)}
    has_cells = False
    for here in order:
        for value in here.args:
            if type(value) is Ref:
                has_cells = True
                value = deref(value)
                if type(value) is Ref and leaf is not None:
                    leaf(value)
            if type(value) is Struct:
                if id(value) in seen:
                    return None
                seen.add(id(value))
                order.append(value)
    if not has_cells:
        return term, 1
    done: dict[int, Term] = {}
    for here in reversed(order):
        _resolve_arguments(here, done, leaf)
    return done[id(term)], len(order)


def _resolve_graph(term: Struct, leaf: Callable[[Ref], Term] | None) -> tuple[Term, int]:
    done: dict[int, Term] = {}
    opened: set[int] = set()
    stack = [term]
    while stack:
        here = stack[-1]
        pending = _resolve_arguments(here, done, leaf)
        if not pending:
            stack.pop()
        elif id(here) in opened:
            raise cyclic()
        else:
            opened.add(id(here))
            stack.extend(pending)
    return done[id(term)], len(done)


def _resolve_arguments(here: Struct, done: dict[int, Term], leaf: Callable[[Ref], Term] | None) -> list[Struct]:
    """Put the resolved structure in `done`, or return the arguments that must be resolved before it."""
    if id(here) in done:
        return []
    args: list[Term] = []
    pending: list[Struct] = []
    is_changed = False
    for arg in here.args:
        value = deref(arg) if type(arg) is Ref else arg
        if type(value) is Struct:
            if id(value) in done:
                value = done[id(value)]
            else:
                pending.append(value)
        elif leaf is not None and type(value) is Ref:
            value = leaf(value)
        is_changed = is_changed or value is not arg
        args.append(value)
    if not pending:
        done[id(here)] = Struct(here.name, tuple(args), here.span) if is_changed else here
    return pending


def copy_term(term: Term, trail: Trail) -> Term:
    """The term with its empty cells replaced by new cells, equal cells by equal cells; charged for its size."""
    copies: dict[Ref, Ref] = {}

    def copy_of(ref: Ref) -> Ref:
        if ref not in copies:
            copies[ref] = Ref(trail.stamp)
        return copies[ref]

    copy, n_terms = resolve_counted(term, copy_of)
    trail.charge(n_terms)
    return copy
