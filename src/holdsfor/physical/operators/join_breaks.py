"""Join with breaks of an FVP: its terminations, and initiations of other values of its fluent."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.columns.tables import Key, PointTable
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarTest, is_bound
from holdsfor.physical.ownership import Lookup, any_value_lookup
from holdsfor.physical.patterns import build, join
from holdsfor.physical.rows import Rows, concatenate_rows
from holdsfor.syntax.terms import Term, variables

__all__ = ["BreakOperator", "JoinBreaks"]


@dataclass(frozen=True)
class BreakOperator(Operator):
    """Operators that read the breaks of a fluent's values."""

    key: Key
    patterns: tuple[Term, ...]

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(variables(*self.patterns))

    @property
    def binds_time(self) -> bool:
        return True

    @property
    def lookup(self) -> Lookup:
        """Any value: the initiation of another value is a break."""
        return any_value_lookup(self.key, self.patterns)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        key = wording.key_of(self.patterns[:-1], bound, is_timed=is_timed)
        how = f"{key}; terminations and other values" if key else "terminations and other values"
        subject = wording.fvp(self.key, self.patterns)
        return Description("join breaks", subject, how, self.binds(wording, bound, is_timed=is_timed))


@dataclass(frozen=True)
class JoinBreaks(BreakOperator):
    """An FVP with a constant value is terminated, or another value of its fluent is initiated."""

    def run(self, rows: Rows, context: Context) -> Rows:
        terminated = self.matching(rows, context.terminations(self.key), context, is_other=False)
        replaced = self.matching(rows, context.points("initiations", self.key), context, is_other=True)
        return concatenate_rows([terminated, replaced]).distinct()

    def matching(self, rows: Rows, table: PointTable, context: Context, *, is_other: bool) -> Rows:
        *arguments, value = self.patterns
        own = rows.with_columns({"#value": build(value, rows, context.symbols)})
        also = None if rows.times is None else (len(self.patterns), rows.times)
        joined, partner = join(own, table, arguments, context.symbols, also)
        words = table.columns[len(arguments)][partner]
        same = words == joined.columns["#value"]
        mask = ~same if is_other else same | (words == ANY_VALUE)
        times = table.times[partner] if rows.times is None else joined.times
        columns = {name: column for name, column in joined.columns.items() if name != "#value"}
        return Rows(joined.n, columns, times).take(mask)

    def scalar_test(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarTest | None:
        if not is_bound(self.patterns, bound) or not compiler.own.includes(self.lookup):
            return None
        *arguments, value = self.patterns
        get, wanted = compiler.key_getter(arguments), compiler.getter(value)
        key, is_broken = self.key, compiler.now.is_broken
        return lambda binding: is_broken(key, get(binding), wanted(binding))
