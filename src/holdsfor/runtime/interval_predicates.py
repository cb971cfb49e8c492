"""Interval-wise predicates over windows: their results, and what is kept of them from one window to the next.

An interval-wise predicate is proved for each whole interval. What it makes of an interval that goes on may change until
the interval is over, and may begin where the interval begins. So the result is settled only before the start of the
earliest interval that goes on. What is made of an interval that is over stays as it is; the part of it behind a settled
time-point is kept, because the interval itself is forgotten.
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
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["MadeOneByOne", "make_one_by_one"]


@dataclass(frozen=True)
class MadeOneByOne:
    """What an interval-wise predicate made of the intervals of one stretch: `owner` is the interval of each result."""

    intervals: Lists
    made: Lists
    owner: Int64
    kept: Lists | None
    time_range: TimeRange

    def all(self) -> Lists:
        """Everything made, also of intervals that are forgotten."""
        return self.made if self.kept is None else concatenate_lists([self.made, self.kept])

    def decided_until(self, settled: int) -> int:
        """The last time-point up to which the result is settled, if the list is settled up to one."""
        cut = self.time_range.next_of(settled)
        goes_on = (self.intervals.starts < cut) & (self.intervals.ends >= cut)
        if not goes_on.any():
            return settled
        return self.time_range.previous_of(int(self.intervals.starts[goes_on].min()))

    def kept_at(self, settled: int) -> Lists:
        """What was made of intervals that are over at a settled time-point, as far as it is behind the time-point."""
        made = self.made.take(self.intervals.ends[self.owner] <= settled)
        together = made if self.kept is None else concatenate_lists([made, self.kept])
        return together.take(together.ends > settled)


def make_one_by_one(operator: MapIntervals, intervals: Lists, kept: Lists | None, context: Evaluation) -> MadeOneByOne:
    """What an interval-wise predicate makes of whole intervals."""
    owner: list[int] = []
    found: list[tuple[int, int]] = []
    columns = {name: context.symbols.terms(column) for name, column in intervals.rows.columns.items()}
    for i, span in enumerate(zip(intervals.starts.tolist(), intervals.ends.tolist(), strict=True)):
        binding: dict[str, Term] = {name: terms[i] for name, terms in columns.items()}
        goal = substitute(operator.goal, {**binding, operator.given: term_of_intervals([span])})
        for answer in context.engine.solve(goal):
            made = _made_of(answer[operator.result], span, operator)
            owner += [i] * len(made)
            found += made
    spans = np.array(found, dtype=np.int64).reshape(-1, 2)
    owners = np.array(owner, dtype=np.int64)
    lists = Lists(intervals.rows.take(owners), spans[:, 0], spans[:, 1])
    return MadeOneByOne(intervals, lists, owners, kept, context.time_range)


def _made_of(term: Term, span: tuple[int, int], operator: MapIntervals) -> list[tuple[int, int]]:
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
