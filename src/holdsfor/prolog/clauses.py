"""Clauses, compiled at their first call, and ordered lists of clauses with an index on every argument.

A list of clauses only grows at its end. An erased clause is entered in `dead` with the time of the erasure. Goals
called later skip the clause, goals called earlier still see it (the *logical update view*). When half of a list is
dead, or a clause is inserted at the front, the list is replaced, and running goals keep the old list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from holdsfor.prolog.code import PROCEED, Step
from holdsfor.prolog.compiler import compile_body
from holdsfor.prolog.patterns import Matcher, Scope
from holdsfor.prolog.unify import Ref
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Struct, Term, Var

__all__ = ["Clauses", "CompiledClause", "IndexKey", "index_key"]

IndexKey: TypeAlias = str | int | float | tuple[str, int]

_FEW_CLAUSES = 64
_GOOD_ENOUGH = 8


def index_key(term: Term) -> IndexKey | None:
    """The common key of terms that unify: the constant or the functor; None for a variable.

    Different terms may share a key (`3` and `3.0`), so a lookup may return too many candidates, but never too few.
    """
    kind = type(term)
    if kind is Ref or kind is Var:
        return None
    if kind is Atom:
        return term.name  # type: ignore[union-attr]
    if kind is Struct:
        return term.name, len(term.args)  # type: ignore[union-attr]
    value: IndexKey = term.value  # type: ignore[union-attr]
    return value if value == value else "nan"


class CompiledClause:
    """`head :- body`. `prepare` creates the steps and matchers."""

    __slots__ = ("blank", "body", "code", "head", "library", "matchers", "span")

    def __init__(
        self,
        head: Term,
        body: Term | None,
        span: Span | None = None,
        library: Mapping[tuple[str, int], Any] | None = None,
    ) -> None:
        self.head = head
        self.body = body
        self.span = span
        self.library = library
        self.code: Step | None = None
        self.matchers: list[tuple[int, Matcher]] = []
        self.blank: tuple[None, ...] = ()

    @property
    def args(self) -> tuple[Term, ...]:
        return self.head.args if isinstance(self.head, Struct) else ()

    def prepare(self) -> Step:
        """Compile the clause and return its first step."""
        args = self.args
        scope = Scope(len(args))
        self.matchers = scope.head_matchers(args)
        code = PROCEED if self.body is None else compile_body(self.body, scope, self.library)
        self.blank = (None,) * (scope.size - 1 - len(args))
        self.code = code
        return code


class _Index:
    """The clauses of a list by the key of one argument. Clauses with a variable as argument are in every bucket."""

    __slots__ = ("at", "buckets", "others")

    def __init__(self, at: int, clauses: list[CompiledClause]) -> None:
        self.at = at
        self.buckets: dict[IndexKey, list[CompiledClause]] = {}
        self.others: list[CompiledClause] = []
        for clause in clauses:
            self.append(clause)

    def append(self, clause: CompiledClause) -> None:
        key = index_key(clause.args[self.at])
        if key is None:
            self.others.append(clause)
            for bucket in self.buckets.values():
                bucket.append(clause)
        elif key in self.buckets:
            self.buckets[key].append(clause)
        else:
            self.buckets[key] = [*self.others, clause]


class Clauses:
    """The clauses of a predicate in order.

    Contract: `all`, the buckets and `dead` may grow while a goal iterates over them, but are otherwise replaced rather
    than changed; a goal records the length at its call. Appending is O(1), erasing O(1) on average. A lookup that binds
    an argument in which clauses differ is O(1) after the index of that argument is built, at its first use.
    """

    __slots__ = ("all", "dead", "indexes", "n_dead_ahead", "selective")

    def __init__(self, clauses: list[CompiledClause]) -> None:
        self.all = clauses
        self.n_dead_ahead = 0
        self.dead: dict[CompiledClause, int] = {}
        self.indexes: dict[int, _Index] = {}
        self.selective: list[int] = []
        for clause in clauses:
            self._note_arguments(clause)

    def _note_arguments(self, clause: CompiledClause) -> None:
        """Record the arguments in which clauses differ."""
        args = clause.args
        if len(self.selective) < len(args):
            new = [at for at, arg in enumerate(args) if not isinstance(arg, Var) and at not in self.selective]
            if new:
                self.selective = sorted([*self.selective, *new])

    def append(self, clause: CompiledClause) -> None:
        self.all.append(clause)
        self._note_arguments(clause)
        for index in self.indexes.values():
            index.append(clause)

    def prepend(self, clause: CompiledClause) -> None:
        self._replace([clause, *self.living()])

    def living(self) -> list[CompiledClause]:
        return [clause for clause in self.all if clause not in self.dead] if self.dead else self.all

    def erase(self, clause: CompiledClause, time: int) -> bool:
        """Erase a clause; False if it is already erased."""
        if clause in self.dead:
            return False
        self.dead[clause] = time
        if 2 * len(self.dead) >= len(self.all):
            self._replace(self.living())
        while self.n_dead_ahead < len(self.all) and self.all[self.n_dead_ahead] in self.dead:
            self.n_dead_ahead += 1
        return True

    def _replace(self, clauses: list[CompiledClause]) -> None:
        self.all = clauses
        self.n_dead_ahead = 0
        self.dead = {}
        self.indexes = {}
        for clause in clauses[:1]:
            self._note_arguments(clause)

    def candidates(self, args: tuple[Term, ...]) -> list[CompiledClause]:
        """The clauses in order, including all whose heads unify with the dereferenced arguments.

        A long list may contain dead clauses. The first `n_dead_ahead` of `all` are dead and can be skipped.
        """
        best = self.all
        if len(best) < 2:
            return best
        for at in self.selective:
            key = index_key(args[at])
            if key is None:
                continue
            index = self.indexes.get(at) or self._make_index(at, len(best))
            if index is not None:
                found = index.buckets.get(key, index.others)
                if len(found) < len(best):
                    best = found
                    if len(best) < 2:
                        break
        if self.dead and len(best) <= _GOOD_ENOUGH:
            return [clause for clause in best if clause not in self.dead]
        return best

    def _make_index(self, at: int, n_found: int) -> _Index | None:
        """An index, if its cost is justified: the list is short, or the lookups so far returned many clauses."""
        if len(self.all) > _FEW_CLAUSES and n_found <= _GOOD_ENOUGH:
            return None
        self.indexes[at] = _Index(at, self.all)
        return self.indexes[at]
