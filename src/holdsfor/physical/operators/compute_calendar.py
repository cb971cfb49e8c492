"""Hours, days of the week and dates of time-points, on columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.columns.encoding import integer_values, integer_words, is_integer
from holdsfor.kernels.calendar import EARLIEST_SECOND, LATEST_SECOND, calendar_days, local_seconds
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import unify_column
from holdsfor.physical.rows import Rows
from holdsfor.prolog.builtins.calendar import clock_of
from holdsfor.syntax.terms import Struct, Var, variables

__all__ = ["ComputeCalendar"]


@dataclass(frozen=True)
class ComputeCalendar(Operator):
    """A predicate of the calendar; the background engine proves it for rows without a date (`otherwise`)."""

    goal: Struct
    otherwise: Prove

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(variables(self.goal))

    def run(self, rows: Rows, context: Context) -> Rows:
        time, *parts = self.goal.args
        if rows.n == 0 or not isinstance(time, Var) or time.name not in rows.columns:
            return self.otherwise.run(rows, context)
        words = rows.columns[time.name]
        per_second, zone = clock_of(context.engine.database)
        if not is_integer(words).all():
            return self.otherwise.run(rows, context)
        seconds = integer_values(words) // per_second
        if ((seconds < EARLIEST_SECOND) | (seconds > LATEST_SECOND)).any():
            return self.otherwise.run(rows, context)
        distinct, codes = np.unique(seconds, return_inverse=True)
        for part, values in zip(parts, self.values(local_seconds(distinct, zone)), strict=True):
            column = integer_words(values)[codes]
            rows = rows.with_columns({"#calendar": column})
            rows = unify_column(part, rows.columns["#calendar"], rows, context.symbols)
            codes = codes if rows.n == len(codes) else self.codes(rows, time.name, distinct, per_second)
        return rows.keep([name for name in rows.columns if name != "#calendar"])

    def codes(self, rows: Rows, time: str, distinct: Int64, per_second: int) -> Int64:
        """The positions of the rows that are left among the distinct seconds."""
        found: Int64 = np.searchsorted(distinct, integer_values(rows.columns[time]) // per_second)
        return found

    def values(self, local: Int64) -> tuple[Int64, ...]:
        """The values of the predicate for seconds of the clock on the wall."""
        if self.goal.name == "hour_of_day":
            return (local // 3_600 % 24,)
        if self.goal.name == "day_of_week":
            return ((local // 86_400 + 3) % 7 + 1,)
        return calendar_days(local)

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        return self.otherwise.scalar(compiler, bound)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description("compute", wording.show(self.goal), "in columns", binds)
