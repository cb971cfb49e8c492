"""The interval lists that a predicate over lists computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.alignment import maximal
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.interval_terms import intervals_of_term, is_interval_list
from holdsfor.physical.interval_operators.operator import LeafOperator, Registers
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.syntax.printer import show
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Term

__all__ = ["ReadComputed"]


@dataclass(frozen=True)
class ReadComputed(LeafOperator):
    """The list in the column `output`, a term, of the rows that were computed last."""

    output: str
    names: tuple[str, ...]
    span: Span | None

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        rows = registers.computed[-1]
        terms = context.symbols.terms(rows.columns[self.output])
        spans = [(i, *span) for i, term in enumerate(terms) for span in self._intervals(term)]
        found = np.array(spans, dtype=np.int64).reshape(-1, 3)
        return maximal(
            Lists(rows.keep(self.names).take(found[:, 0]), found[:, 1], found[:, 2]), context.symbols.instances
        )

    def _intervals(self, term: Term) -> list[tuple[int, int]]:
        if not is_interval_list(term):
            message = f"expected intervals `[(S,E),…]`, found `{show(term)}`"
            raise ExecutionProblem(Diagnostic("HF609", message, self.span, "the second of a pair may be `inf`"))
        return intervals_of_term(term, self.span)

    def describe(self, wording: Wording) -> Description:
        return Description("computed list", wording.name(self.output))
