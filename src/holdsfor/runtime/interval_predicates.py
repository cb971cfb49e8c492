"""Interval-wise predicates over windows: their results, and the results kept between windows.

An interval-wise predicate is proved for each whole interval. The result for an open interval may change until the
interval ends, and may begin where the interval begins. So the result is settled only before the start of the earliest
open interval. The result for a finished interval does not change; its part after a settled time-point is kept, because
the interval itself is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.keys import Int64
from holdsfor.physical.interval_lists import Lists, concatenate_lists
from holdsfor.physical.interval_operators.interval_terms import intervals_of_term, is_interval_list, term_of_intervals
from holdsfor.physical.interval_operators.map_intervals import MapIntervals
from holdsfor.physical.time_range import TimeRange
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term, substitute

if TYPE_CHECKING:
    from holdsfor.physical.time_range import TimeRange
    from holdsfor.runtime.evaluation_context import EvaluationContext

__all__ = ["MappedIntervals", "map_one_by_one"]


@dataclass(frozen=True)
class MappedIntervals:
    """The results of an interval-wise predicate in one time range: `owner` is the interval of each result."""

    intervals: Lists
    made: Lists
    owner: Int64
    kept: Lists | None
    time_range: TimeRange

    def all(self) -> Lists:
        """All results, including those of dropped intervals."""
        return self.made if self.kept is None else concatenate_lists([self.made, self.kept])

    def decided_until(self, settled: int) -> int:
        """The last time-point up to which the result is settled, if the list is settled up to `settled`."""
        cut = self.time_range.next_of(settled)
        goes_on = (self.intervals.starts < cut) & (self.intervals.ends >= cut)
        if not goes_on.any():
            return settled
        return self.time_range.previous_of(int(self.intervals.starts[goes_on].min()))

    def kept_at(self, settled: int) -> Lists:
        """The results for intervals that end by a settled time-point, from that time-point on."""
        made = self.made.take(self.intervals.ends[self.owner] <= settled)
        together = made if self.kept is None else concatenate_lists([made, self.kept])
        return together.take(together.ends > settled)


def map_one_by_one(
    operator: MapIntervals, intervals: Lists, kept: Lists | None, context: EvaluationContext
) -> MappedIntervals:
    """The results of an interval-wise predicate for whole intervals."""
    owner: list[int] = []
    found: list[tuple[int, int]] = []
    columns = {name: context.symbols.terms(column) for name, column in intervals.rows.columns.items()}
    for i, span in enumerate(zip(intervals.starts.tolist(), intervals.ends.tolist(), strict=True)):
        binding: dict[str, Term] = {name: terms[i] for name, terms in columns.items()}
        goal = substitute(operator.goal, {**binding, operator.given: term_of_intervals([span])})
        for answer in context.engine.solve(goal):
            made = _mapped(answer[operator.result], span, operator)
            owner += [i] * len(made)
            found += made
    spans = np.array(found, dtype=np.int64).reshape(-1, 2)
    owners = np.array(owner, dtype=np.int64)
    lists = Lists(intervals.rows.take(owners), spans[:, 0], spans[:, 1])
    return MappedIntervals(intervals, lists, owners, kept, context.time_range)


def _mapped(term: Term, span: tuple[int, int], operator: MapIntervals) -> list[tuple[int, int]]:
    if not is_interval_list(term):
        message = f"expected intervals `[(S,E),…]`, found `{show(term)}`"
        raise ExecutionProblem(Diagnostic("HF609", message, operator.span, "the second of a pair may be `inf`"))
    made = [(start, end) for start, end in intervals_of_term(term, operator.span) if start < end]
    first = min((start for start, _ in made), default=span[0])
    if first < span[0]:
        shown = show(term_of_intervals([span]))
        message = f"expected intervals that begin at {span[0]} or later, found one that begins at {first}"
        raise ExecutionProblem(
            Diagnostic("HF609", f"{message}, in `{show(operator.goal)}` of `{shown}`", operator.span)
        )
    return made
