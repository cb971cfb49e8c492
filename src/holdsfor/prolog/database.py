"""The predicates of a program by name and arity, each a table of facts or a list of clauses.

>>> from holdsfor.syntax.parser import parse_term
>>> database = Database()
>>> database.add_clause(parse_term("likes(ann, bob)"))
>>> database.defines("likes", 2), database.defines("likes", 3)
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.prolog.clauses import Clauses, CompiledClause
from holdsfor.prolog.compiler import CONTROL, TESTS
from holdsfor.prolog.problems import shown
from holdsfor.prolog.tables import Table
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Constant, Struct, Term, is_ground, name_and_arity

__all__ = ["Database", "Foreign", "Predicate"]

Key = tuple[str, int]
Foreign: TypeAlias = Callable[[tuple[Term, ...], Any], Iterator[tuple[Term, ...]]]
"""A predicate written in Python, which returns rows; see the enumerated built-ins of `holdsfor.prolog.registry`."""


class Predicate:
    """One predicate: its facts as a table, or its clauses.

    `is_shared` is true while a copy of the database uses the same table or clauses; a change then copies them first.
    """

    __slots__ = ("clauses", "is_shared", "name", "table")

    def __init__(self, name: str) -> None:
        self.name = name
        self.table: Table | None = None
        self.clauses: Clauses | None = Clauses([])
        self.is_shared = False

    def share(self) -> Predicate:
        """A predicate with the same facts or clauses, copied when either changes."""
        twin = Predicate(self.name)
        twin.table, twin.clauses = self.table, self.clauses
        twin.is_shared = self.is_shared = True
        return twin

    def own_clauses(self) -> Clauses:
        """The clauses in a form that may be changed."""
        if self.table is not None:
            self.clauses = Clauses(self.table.clauses(self.name))
            self.table = None
        assert self.clauses is not None
        if self.is_shared:
            self.clauses = Clauses(list(self.clauses.living()))
        self.is_shared = False
        return self.clauses

    def add_table(self, columns: Sequence[Sequence[Constant]]) -> None:
        if self.table is not None:
            self.table = self.table.extend(columns)
        elif self.clauses is not None and not self.clauses.all:
            self.table, self.clauses = Table(columns), None
        else:
            clauses = self.own_clauses()
            for clause in Table(columns).clauses(self.name):
                clauses.append(clause)

    def living(self) -> Iterator[CompiledClause]:
        """The current clauses; the facts of a table are converted on the way."""
        if self.table is not None:
            return iter(self.table.clauses(self.name))
        assert self.clauses is not None
        return iter(list(self.clauses.living()))


class Database:
    """Predicates by name and arity. Goals of an `Engine` read it and change it with `assertz/1` and similar predicates.

    Goals cannot change a database that `is_frozen`: the answers of rules must not depend on the order of evaluation.
    """

    def __init__(self) -> None:
        self.contents: dict[Key, Predicate] = {}
        self.foreign: dict[Key, Foreign] = {}
        self.time = 0
        self.is_frozen = False

    def copy(self) -> Database:
        """An independent copy with the same contents. O(number of predicates)."""
        twin = Database()
        twin.contents = {key: predicate.share() for key, predicate in self.contents.items()}
        twin.foreign = dict(self.foreign)
        return twin

    # reading

    def predicates(self) -> Iterable[Key]:
        """Name and arity of every predicate that has a clause, is declared dynamic or is foreign."""
        return {**self.contents, **self.foreign}.keys()

    def defines(self, name: str, arity: int) -> bool:
        return (name, arity) in self.contents

    def n_clauses(self, name: str, arity: int) -> int:
        """The current number of clauses of a predicate."""
        predicate = self.contents.get((name, arity))
        return 0 if predicate is None else sum(1 for _ in predicate.living())

    def facts(self, name: str, arity: int) -> Iterator[tuple[Term, ...]]:
        """The arguments of the ground facts of a predicate, in order."""
        predicate = self.contents.get((name, arity))
        if predicate is None:
            return iter(())
        if predicate.table is not None:
            return zip(*predicate.table.columns, strict=True)
        return (c.args for c in predicate.living() if c.body is None and is_ground(c.head))

    def fact_columns(self, name: str, arity: int) -> Sequence[Sequence[Term]]:
        """The arguments of the ground facts of a predicate as columns, in order."""
        predicate = self.contents.get((name, arity))
        if predicate is not None and predicate.table is not None:
            return predicate.table.columns
        rows = list(self.facts(name, arity))
        return [[row[i] for row in rows] for i in range(arity)]

    # writing

    def declare_dynamic(self, name: str, arity: int) -> None:
        """Declare a predicate, so that a call without clauses fails instead of raising an error."""
        self._predicate((name, arity))

    def add_clause(
        self,
        head: Term,
        body: Term | None = None,
        span: Span | None = None,
        *,
        first: bool = False,
        library: Mapping[Key, Any] | None = None,
    ) -> None:
        """Add a clause after the others of its predicate, or before them."""
        key = _definable(head, span)
        clauses = self._predicate(key).own_clauses()
        clause = CompiledClause(head, None if body == Atom("true") else body, span, library)
        if first:
            clauses.prepend(clause)
        else:
            clauses.append(clause)

    def add_table(self, name: str, arity: int, columns: Sequence[Sequence[Constant]]) -> None:
        """Add facts after the clauses of a predicate, given as one list of constants for each argument.

        The columns are kept, not copied, and must not change afterwards. O(1) unless the predicate has clauses.
        """
        assert arity == len(columns) > 0
        _definable(Struct(name, tuple(Atom("_") for _ in columns)), None)
        self._predicate((name, arity)).add_table(columns)

    def add_foreign(self, name: str, arity: int, rows: Foreign) -> None:
        """Define a predicate in Python. It replaces the clauses of a predicate with the same name and arity."""
        self.contents.pop((name, arity), None)
        self.foreign[name, arity] = rows

    def set_fact(self, head: Term) -> None:
        """Replace all clauses of a predicate by one fact."""
        key = _definable(head, None)
        for clause in list(self._predicate(key).living()):
            self.erase(key, clause)
        self.add_clause(head)

    def erase(self, key: Key, clause: CompiledClause) -> bool:
        """Erase a clause; False if it is already erased."""
        self.time += 1
        return self.contents[key].own_clauses().erase(clause, self.time)

    def erase_facts(self, key: Key, rows: Container[tuple[Term, ...]]) -> None:
        """Erase the facts of a predicate whose arguments are among the rows."""
        for clause in list(self._predicate(key).own_clauses().living()):
            if clause.body is None and clause.args in rows:
                self.erase(key, clause)

    def _predicate(self, key: Key) -> Predicate:
        predicate = self.contents.get(key)
        if predicate is None:
            predicate = self.contents[key] = Predicate(key[0])
        return predicate


def _definable(head: Term, span: Span | None) -> Key:
    """The name and arity of a head, if it may have clauses."""
    if not isinstance(head, Atom | Struct):
        raise ExecutionProblem(Diagnostic("HF603", f"`{shown(head)}` cannot be the head of a clause", span))
    key = name_and_arity(head)
    if key in CONTROL or key in TESTS:
        message = f"`{key[0]}/{key[1]}` is built in and cannot be defined"
        raise ExecutionProblem(Diagnostic("HF603", message, span or head.span, "choose another name"))
    return key
