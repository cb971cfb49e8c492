"""Distances between positions, and areas around positions, on columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import as_numbers, float_words, is_symbol
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import build, unify_column
from holdsfor.physical.rows import Rows, concatenate_rows
from holdsfor.prolog.areas import areas_of, haversine
from holdsfor.prolog.builtins.spatial import SPATIAL
from holdsfor.prolog.problems import GoalProblem
from holdsfor.syntax.terms import Struct, variables

__all__ = ["ComputePositions"]

_RESULT = "#position"


@dataclass(frozen=True)
class ComputePositions(Operator):
    """A predicate on positions; the background engine notes rows whose arguments are not numbers (`otherwise`)."""

    goal: Struct
    otherwise: Prove

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(variables(self.goal))

    def run(self, rows: Rows, context: Context) -> Rows:
        n_inputs = SPATIAL[self.goal.name, len(self.goal.args)]
        words = [build(arg, rows, context.symbols) for arg in self.goal.args[:n_inputs]]
        if rows.n == 0:
            return self.otherwise.run(rows, context)
        are_numbers = np.logical_and.reduce([~is_symbol(each) & np.isfinite(as_numbers(each)) for each in words])
        if not are_numbers.all():
            parts = [self.otherwise.run(rows.take(~are_numbers), context), self.run(rows.take(are_numbers), context)]
            return concatenate_rows([part for part in parts if part.n] or parts[:1])
        ids, first = dense_ids(words, rows.n)
        columns = [as_numbers(column[first]).astype(np.float64) for column in words]
        try:
            owner, results = self.results(columns, context)
        except GoalProblem:
            return self.otherwise.run(rows, context)
        starts = np.searchsorted(owner, np.arange(len(first) + 1))
        counts = np.diff(starts)[ids]
        rows = rows.with_columns({_RESULT: ids}).take(np.repeat(np.arange(rows.n), counts))
        offsets = np.arange(len(rows.columns[_RESULT])) - np.repeat(np.cumsum(counts) - counts, counts)
        found = results[starts[rows.columns[_RESULT]] + offsets]
        rows = rows.keep([name for name in rows.columns if name != _RESULT])
        return unify_column(self.goal.args[-1], found, rows, context.symbols)

    def results(self, columns: list[NDArray[np.float64]], context: Context) -> tuple[Int64, Int64]:
        """The words of the last argument, and the row of each, for distinct numbers of the other arguments."""
        if self.goal.name == "distance":
            metres = map(haversine, *(column.tolist() for column in columns))
            return np.arange(len(columns[0])), float_words(np.fromiter(metres, np.float64, len(columns[0])))
        areas = areas_of(context.engine.database)
        pairs = areas.containing(*columns) if self.goal.name == "in_area" else areas.near(*columns)
        return pairs[0], context.symbols.words(areas.names)[pairs[1]]

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        return self.otherwise.scalar(compiler, bound)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description("compute", wording.show(self.goal), "in columns", binds)
