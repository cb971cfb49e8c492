"""The broken values of a fluent, for a condition `terminatedAt(F=V, T)` whose value is a variable.

A value can be broken only at a time-point at which the fluent is initiated or terminated. There the value ranges over
the fluent's grounding, over its sort, and over the values that hold, are initiated or are terminated. The result is the
same if another condition binds the value first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.tables import Key, PointTable, Relation
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import distinct_rows
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.join_breaks import BreakOperator
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.patterns import join, join_holding, unify_column
from holdsfor.physical.rows import Rows, concatenate_rows
from holdsfor.syntax.terms import Atom, Struct, Term, Var

__all__ = ["JoinBrokenValues"]

_VALUE = Var("#value")


def _any_value_of(key: Key) -> Term:
    """The FVP `F=V` of a fluent with distinct variables."""
    arguments = _arguments(key)
    return Struct("=", (Struct(key[0], arguments) if arguments else Atom(key[0]), _VALUE))


def _arguments(key: Key) -> tuple[Term, ...]:
    return tuple(Var(f"#argument{i}") for i in range(key[1]))


@dataclass(frozen=True)
class JoinBrokenValues(BreakOperator):
    """A value of a fluent is broken at the rows' time-points: terminated, or another value is initiated."""

    @property
    def ranged(self) -> Term:
        return _any_value_of(self.key)

    def run(self, rows: Rows, context: Context) -> Rows:
        terminations, initiations = context.terminations(self.key), context.points("initiations", self.key)
        affected = self.affected(rows, [terminations, initiations], context)
        found = [part for part in self.candidates(affected, terminations, initiations, context) if part.n]
        if not found:
            return affected.take(np.zeros(affected.n, dtype=bool))
        broken = self.broken(concatenate_rows(found).distinct(), terminations, initiations, context)
        unified = unify_column(self.patterns[-1], broken.columns[_VALUE.name], broken, context.symbols)
        own = {_VALUE.name, *(argument.name for argument in _arguments(self.key) if isinstance(argument, Var))}
        return Rows(unified.n, {name: c for name, c in unified.columns.items() if name not in own}, unified.times)

    def affected(self, rows: Rows, tables: Sequence[PointTable], context: Context) -> Rows:
        """The rows with the fluents that are initiated or terminated, each once, and their arguments as columns."""
        width = self.key[1]
        columns = [np.concatenate([table.columns[i] for table in tables]) for i in range(width)]
        times = np.concatenate([table.times for table in tables])
        kept = distinct_rows([*columns, times], len(times))
        if kept is not None:
            columns, times = [column[kept] for column in columns], times[kept]
        effects = Relation((*columns, times), len(times))
        also = None if rows.times is None else (width, rows.times)
        joined, partner = join(rows, effects, self.patterns[:-1], context.symbols, also)
        words = {f"#argument{i}": column[partner] for i, column in enumerate(columns)}
        return Rows(joined.n, {**joined.columns, **words}, times[partner])

    def candidates(
        self, affected: Rows, terminations: PointTable, initiations: PointTable, context: Context
    ) -> Iterator[Rows]:
        """The rows with every value that may be broken."""
        if affected.n == 0:
            return
        assert affected.times is not None
        yield context.ground(_any_value_of(self.key), affected)
        yield RangeOver(_VALUE.name, _any_value_of(self.key), ()).run(affected, context)
        columns = [*_arguments(self.key), _VALUE]
        for table in (terminations, initiations):
            found, _ = join(affected, table, columns, context.symbols, (len(columns), affected.times))
            yield found.take(found.columns[_VALUE.name] != ANY_VALUE)
        yield join_holding(affected, context.fluents(self.key), columns, context.symbols)

    def broken(self, rows: Rows, terminations: PointTable, initiations: PointTable, context: Context) -> Rows:
        """The rows whose value is terminated, or whose fluent is initiated with another value."""
        assert rows.times is not None
        is_broken = np.zeros(rows.n, dtype=bool)
        numbered = rows.with_columns({"#row": np.arange(rows.n, dtype=np.int64)})
        for table, is_other in ((terminations, False), (initiations, True)):
            arguments = _arguments(self.key)
            found, partner = join(numbered, table, arguments, context.symbols, (len(arguments) + 1, rows.times))
            words = table.columns[len(arguments)][partner]
            same = words == found.columns[_VALUE.name]
            is_broken[found.columns["#row"][~same if is_other else same | (words == ANY_VALUE)]] = True
        return rows.take(is_broken)
