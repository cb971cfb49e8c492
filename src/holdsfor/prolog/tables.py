"""Facts as columns, for large background knowledge.

No term is created for a fact. An index from a column's constants to row numbers is built when a lookup first binds that
column, so a table without lookups costs only its columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdsfor.prolog.clauses import CompiledClause, IndexKey, index_key
from holdsfor.syntax.terms import Constant, Struct, Term, Var

__all__ = ["Table"]

_GOOD_ENOUGH = 8

Row = tuple[Constant, ...]


class Table:
    """Ground facts of one predicate with constant arguments, as one or more runs of columns."""

    def __init__(self, columns: Sequence[Sequence[Constant]]) -> None:
        self._runs: list[Sequence[Sequence[Constant]]] = [columns]
        self._indexes: dict[int, dict[IndexKey, int | list[int]]] = {}

    def extend(self, columns: Sequence[Sequence[Constant]]) -> Table:
        """A table with the rows of both; running goals keep seeing this table."""
        longer = Table(columns)
        longer._runs = [*self._runs, columns]
        return longer

    @property
    def columns(self) -> Sequence[Sequence[Constant]]:
        if len(self._runs) > 1:
            self._runs = [[[c for column in run for c in column] for run in zip(*self._runs, strict=True)]]
        return self._runs[0]

    def __len__(self) -> int:
        return sum(len(run[0]) for run in self._runs)

    def rows(self, args: tuple[Term, ...]) -> Iterator[Row]:
        """The rows that agree with the constants among the dereferenced arguments, in order."""
        bound: list[tuple[int, Term]] = [(at, arg) for at, arg in enumerate(args) if not isinstance(arg, Var)]
        columns = self.columns
        if not bound:
            return zip(*columns, strict=True)
        numbers = self._smallest_bucket(bound)
        return self._agreeing(numbers, bound)

    def _agreeing(self, numbers: Iterable[int], bound: list[tuple[int, Term]]) -> Iterator[Row]:
        columns = self.columns
        tests = [(columns[at], arg) for at, arg in bound]
        for number in numbers:
            if all(column[number] == arg for column, arg in tests):
                yield tuple([column[number] for column in columns])

    def _smallest_bucket(self, bound: list[tuple[int, Term]]) -> Sequence[int]:
        """Row numbers that include all matching rows. Later columns are tried while the bucket is large."""
        best: Sequence[int] = range(len(self))
        for at, arg in bound:
            if len(best) <= _GOOD_ENOUGH:
                break
            key = index_key(arg)
            assert key is not None
            found = self._index(at).get(key, ())
            numbers = (found,) if isinstance(found, int) else found
            if len(numbers) < len(best):
                best = numbers
        return best

    def _index(self, at: int) -> dict[IndexKey, int | list[int]]:
        if at not in self._indexes:
            self._indexes[at] = _index_column(self.columns[at])
        return self._indexes[at]

    def clauses(self, name: str) -> list[CompiledClause]:
        """The facts as clauses, for a predicate that also has rules or that changes."""
        return [CompiledClause(Struct(name, row), None) for row in zip(*self.columns, strict=True)]


def _index_column(column: Sequence[Constant]) -> dict[IndexKey, int | list[int]]:
    """Row numbers by constant: a number for a single row, otherwise a list."""
    buckets: dict[IndexKey, int | list[int]] = {}
    for number, constant in enumerate(column):
        key = index_key(constant)
        assert key is not None
        found = buckets.setdefault(key, number)
        if found is number:
            continue
        if isinstance(found, int):
            buckets[key] = [found, number]
        else:
            found.append(number)
    return buckets
