"""Join with FVPs that hold: a stabbing search if the fluent and its value are bound.

If they are not, the rows inside an interval are a range of the rows in the order of their keys and time-points: the
join costs its result, also where a fluent has many values one after the other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import FluentTable, Key
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording, column_name
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import (
    Binding,
    NotScalar,
    ScalarCompiler,
    ScalarOperator,
    ScalarTest,
    is_bound,
)
from holdsfor.physical.ownership import Lookup, fvp_lookup
from holdsfor.physical.patterns import (
    bound_positions,
    build,
    is_filter,
    is_free,
    join_holding,
    n_holding,
    named_variables,
    prune_patterns,
)
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Term, is_ground

__all__ = ["JoinFluents"]


@dataclass(frozen=True)
class JoinFluents(Operator):
    """An FVP holds at the rows' time-points. If its arguments are numbered, `numbered` is the column of numbers."""

    key: Key
    patterns: tuple[Term, ...]
    numbered: str | None = None

    # -- bound columns
    # ---------------------------------------------------------------------------------------------------

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | named_variables(self.patterns) if self.numbered is None else bound

    @property
    def lookup(self) -> Lookup:
        return fvp_lookup(self.key, self.patterns)

    def pruned(self, bound: Collection[str], keep: Collection[str]) -> JoinFluents:
        return replace(self, patterns=prune_patterns(self.patterns, bound, keep))

    # -- on rows -------------------------------------------------------------------------------------------------------

    def run(self, rows: Rows, context: Context) -> Rows:
        if self.numbered is not None or is_filter(self.patterns, rows.columns):
            mask = self.matched(rows, context)
            assert mask is not None
            return rows.take(mask)
        return join_holding(rows, context.fluents(self.key), self.patterns, context.symbols)

    def matched(self, rows: Rows, context: Context) -> NDArray[np.bool_] | None:
        table = context.fluents(self.key)
        assert rows.times is not None
        if self.numbered is not None:
            value = context.symbols.word(self.patterns[-1])
            return table.holds(value, context.symbols.instances, rows.columns[self.numbered], rows.times)
        if len(bound_positions(self.patterns, rows.columns)) < len(self.patterns):
            if not is_free(self.patterns, rows.columns):
                return None
            return n_holding(rows, table, self.patterns, context.symbols) > 0
        if is_ground(self.patterns[-1]):
            return self.holds(rows, table, context)
        keys = [build(pattern, rows, context.symbols) for pattern in self.patterns]
        return table.holding(keys, rows.times) >= 0

    def holds(self, rows: Rows, table: FluentTable, context: Context) -> NDArray[np.bool_]:
        """Whether bound fluents have a constant value; instances without a number have none."""
        assert rows.times is not None
        instances, value = context.symbols.instances, context.symbols.word(self.patterns[-1])
        table.arguments(instances)
        numbers = instances.known([build(pattern, rows, context.symbols) for pattern in self.patterns[:-1]], rows.n)
        return table.holds(value, instances, numbers, rows.times)

    # -- on single bindings --------------------------------------------------------------------------------------------

    @property
    def guards(self) -> list[tuple[JoinFluents, bool]]:
        return [(self, True)]

    def scalar_test(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarTest | None:
        if not is_bound(self.patterns, bound):
            return None
        return self.test_component(compiler) if compiler.is_own(self.lookup) else self.test_table(compiler)

    def test_component(self, compiler: ScalarCompiler) -> ScalarTest:
        """Whether a fluent of the component has the value now."""
        *arguments, value = self.patterns
        get, wanted = compiler.key_getter(arguments), compiler.getter(value)
        key, value_of = self.key, compiler.now.value_of
        return lambda binding: value_of(key, get(binding)) == wanted(binding)

    def test_table(self, compiler: ScalarCompiler) -> ScalarTest:
        """Whether a fluent of another component has the value now."""
        *arguments, value = self.patterns
        table, instances = compiler.context.fluents(self.key), compiler.symbols.instances
        get, wanted, now = compiler.key_getter(arguments), compiler.getter(value), compiler.now
        known: dict[int, _Intervals] = {}

        def holds(binding: Binding) -> bool:
            word = wanted(binding)
            if word not in known:
                known[word] = _Intervals(*table.of_value(word, instances))
            number = instances.find(get(binding))
            return number is not None and known[word].contain(number, now.time)

        return holds

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        """The value that a fluent of the component has, if the value is unbound."""
        *arguments, value = self.patterns
        if not compiler.is_own(self.lookup) or not is_bound(arguments, bound):
            raise NotScalar
        key, get, value_of = self.key, compiler.key_getter(arguments), compiler.now.value_of
        match = compiler.matcher([value], bound)

        def run(bindings: list[Binding]) -> list[Binding]:
            now = [(b, value_of(key, get(b))) for b in bindings]
            matched = [match((word,), b) for b, word in now if word is not None]
            return [b for b in matched if b is not None]

        return run

    # -- in words ------------------------------------------------------------------------------------------------------

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        at = bound_positions(self.patterns, bound)
        if self.numbered is not None:
            operator, how = "stab fluents", f"at time, binary search in ({wording.name(self.numbered)}, start)"
        elif len(at) == len(self.patterns):
            columns = [column_name(i, len(self.patterns), has_value=True) for i in at]
            operator, how = "stab fluents", f"at time, binary search in ({', '.join([*columns, 'start'])})"
        else:
            operator, how = "join fluents", wording.key_of(self.patterns, bound, has_value=True, is_timed=True)
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description(operator, wording.fvp(self.key, self.patterns), how, binds)


class _Intervals:
    """The intervals of fluents that have a value, by the numbers of their arguments."""

    def __init__(self, numbers: Int64, starts: Int64, ends: Int64) -> None:
        order = np.lexsort((starts, numbers))
        numbers = numbers[order]
        begins = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])) if len(numbers) else numbers
        stops = [*begins[1:].tolist(), len(numbers)]
        self.starts: list[int] = starts[order].tolist()
        self.ends: list[int] = ends[order].tolist()
        self.ranges = dict(zip(numbers[begins].tolist(), zip(begins.tolist(), stops, strict=False), strict=False))

    def contain(self, number: int, time: int) -> bool:
        first, last = self.ranges.get(number, (0, 0))
        position = bisect_right(self.starts, time, first, last) - 1
        return position >= first and time < self.ends[position]
