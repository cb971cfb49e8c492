"""Join with points: events, starts and ends of intervals, initiations."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import Key, PointTable
from holdsfor.kernels.keys import Int64
from holdsfor.physical.number_columns import numbered_variables
from holdsfor.physical.operators.context import Context, EdgeKind, PointKind
from holdsfor.physical.operators.description import Description, Wording, is_scan, join_kind
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import Binding, ScalarCompiler, ScalarOperator, ScalarTest, is_bound
from holdsfor.physical.ownership import Lookup, event_lookup, fvp_lookup
from holdsfor.physical.patterns import (
    is_filter,
    is_free,
    is_plain,
    join,
    named_variables,
    prune_patterns,
    scan,
    semijoin,
)
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Term, Var

__all__ = ["JoinPoints"]


@dataclass(frozen=True)
class JoinPoints(Operator):
    """A point at the rows' time-points: an event, a start or end of an interval, or an initiation.

    `numbered` are the columns of instance numbers that the join adds: their names, and the positions whose words are
    numbered together.
    """

    kind: PointKind
    key: Key
    patterns: tuple[Term, ...]
    numbered: tuple[tuple[str, tuple[int, ...]], ...] = ()

    # -- bound columns
    # ---------------------------------------------------------------------------------------------------

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | named_variables(self.patterns) | {name for name, _ in self.numbered}

    @property
    def binds_time(self) -> bool:
        return True

    @property
    def lookup(self) -> Lookup:
        return (event_lookup if self.kind == "events" else fvp_lookup)(self.key, self.patterns)

    @property
    def edge(self) -> tuple[EdgeKind, Key] | None:
        return (self.kind, self.key) if self.kind == "startI" or self.kind == "endI" else None

    @cached_property
    def _are_plain(self) -> bool:
        return is_plain(self.patterns)

    def pruned(self, bound: Collection[str], keep: Collection[str]) -> JoinPoints:
        return replace(self, patterns=prune_patterns(self.patterns, bound, keep))

    # -- on rows -------------------------------------------------------------------------------------------------------

    def run(self, rows: Rows, context: Context) -> Rows:
        table = context.points(self.kind, self.key)
        if table.n == 0:
            return Rows(0, {}, np.empty(0, dtype=np.int64))
        if rows.times is not None and not self.numbered and is_filter(self.patterns, rows.columns):
            return rows.take(self.happening(rows, rows.times, table, context))
        joined, partner = self.matches(rows, table, context)
        more = {
            name: _at(table.numbers(positions, context.symbols.instances), partner) for name, positions in self.numbered
        }
        times = _at(table.times, partner) if rows.times is None else joined.times
        return Rows(joined.n, {**joined.columns, **more}, times)

    def matched(self, rows: Rows, context: Context) -> NDArray[np.bool_] | None:
        if rows.times is None or not is_free(self.patterns, rows.columns):
            return None
        return self.happening(rows, rows.times, context.points(self.kind, self.key), context)

    def happening(self, rows: Rows, times: Int64, table: PointTable, context: Context) -> NDArray[np.bool_]:
        """At which rows some point of the table matches; variables that are not bound match every word."""
        return semijoin(rows, table, self.patterns, context.symbols, (len(self.patterns), times))

    def matches(self, rows: Rows, table: PointTable, context: Context) -> tuple[Rows, Int64 | None]:
        """The rows combined with the matching rows of the table, and the positions of the latter; None for all."""
        if rows.times is not None:
            return join(rows, table, self.patterns, context.symbols, (len(self.patterns), rows.times))
        if rows.is_empty_binding and self._are_plain:
            return scan(table, self.patterns, context.symbols)
        return join(rows, table, self.patterns, context.symbols)

    # -- on single bindings --------------------------------------------------------------------------------------------

    def scalar_test(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarTest | None:
        if not is_bound(self.patterns, bound) or compiler.is_own(self.lookup):
            return None
        columns = compiler.context.points(self.kind, self.key).columns
        known = set(zip(*(column.tolist() for column in columns), strict=True))
        get, now = compiler.key_getter(self.patterns), compiler.now
        return lambda binding: (*get(binding), now.time) in known

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        if compiler.is_own(self.lookup):
            return self.of_component(compiler, bound)
        table = compiler.context.points(self.kind, self.key)
        return compiler.indexed(table, self.patterns, bound, is_timed=True)

    def of_component(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        """The join with points of the component itself."""
        kind, key, match, now = self.kind, self.key, compiler.matcher(self.patterns, bound), compiler.now

        def run(bindings: list[Binding]) -> list[Binding]:
            words = list(now.happening(kind, key))
            matched = [match(each, b) for b in bindings for each in words]
            return [b for b in matched if b is not None]

        return run

    # -- in words ------------------------------------------------------------------------------------------------------

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        is_event = self.kind == "events"
        key = wording.key_of(self.patterns, bound, has_value=not is_event, is_timed=is_timed)
        key = "" if is_scan(self.patterns, bound, is_timed=is_timed) else key
        operator = f"{join_kind(key, bound, is_timed=is_timed)} {self.kind}"
        subject = (wording.event if is_event else wording.fvp)(self.key, self.written)
        return Description(operator, subject, key, self.binds(wording, bound, is_timed=is_timed))

    @property
    def written(self) -> list[Term]:
        """The patterns, including variables that are bound only as part of a number."""
        patterns = list(self.patterns)
        for column, positions in self.numbered:
            for name, position in zip(numbered_variables(column), positions, strict=True):
                patterns[position] = Var(name)
        return patterns


def _at(column: Int64, rows: Int64 | None) -> Int64:
    return column if rows is None else column[rows]
