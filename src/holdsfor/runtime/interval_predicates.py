"""Predicates over interval lists: lists as terms, and predicates that treat intervals one by one over windows.

An interval-wise predicate is proved for each whole interval. What it makes of an interval that goes on may change until
the interval is over, and may begin where the interval begins. So the result is settled only before the start of the
earliest interval that goes on. What is made of an interval that is over stays as it is; the part of it behind a settled
time-point is kept, because the interval itself is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.rows import concatenate
from holdsfor.runtime.interval_lists import Lists
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import IntervalCall
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Int, Struct, Term, list_items, list_term, substitute

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation
    from holdsfor.runtime.time_range import TimeRange

__all__ = ["MadeOneByOne", "intervals_of_term", "is_interval_list", "make_one_by_one", "term_of_intervals"]


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
        return self.made if self.kept is None or self.kept.n == 0 else _together(self.made, self.kept)

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
        together = made if self.kept is None or self.kept.n == 0 else _together(made, self.kept)
        return together.take(together.ends > settled)


def _together(one: Lists, other: Lists) -> Lists:
    if one.n == 0:
        return other
    rows = concatenate([one.rows, other.rows])
    return Lists(rows, np.concatenate((one.starts, other.starts)), np.concatenate((one.ends, other.ends)))


def make_one_by_one(step: IntervalCall, intervals: Lists, kept: Lists | None, context: Evaluation) -> MadeOneByOne:
    """What an interval-wise predicate makes of whole intervals."""
    (given,), (result,) = step.inputs, step.outputs
    owner: list[int] = []
    found: list[tuple[int, int]] = []
    columns = {name: context.symbols.terms(column) for name, column in intervals.rows.columns.items()}
    for i, span in enumerate(zip(intervals.starts.tolist(), intervals.ends.tolist(), strict=True)):
        binding: dict[str, Term] = {name: terms[i] for name, terms in columns.items()}
        goal = substitute(step.goal, {**binding, given: term_of_intervals([span])})
        for answer in context.engine.solve(goal):
            made = _made_of(answer[result], span, step)
            owner += [i] * len(made)
            found += made
    spans = np.array(found, dtype=np.int64).reshape(-1, 2)
    owners = np.array(owner, dtype=np.int64)
    lists = Lists(intervals.rows.take(owners), spans[:, 0], spans[:, 1])
    return MadeOneByOne(intervals, lists, owners, kept, context.time_range)


def _made_of(term: Term, span: tuple[int, int], step: IntervalCall) -> list[tuple[int, int]]:
    if not is_interval_list(term):
        message = f"expected intervals `[(S,E),…]`, found `{show(term)}`"
        raise ExecutionProblem(Diagnostic("HF609", message, step.span, "the second of a pair may be `inf`"))
    made = [(start, end) for start, end in intervals_of_term(term, step.span) if start < end]
    first = min((start for start, _ in made), default=span[0])
    if first < span[0]:
        shown = show(term_of_intervals([span]))
        message = f"expected intervals that begin at {span[0]} or later, found one that begins at {first}"
        raise ExecutionProblem(Diagnostic("HF609", f"{message}, in `{show(step.goal)}` of `{shown}`", step.span))
    return made


def term_of_intervals(intervals: Sequence[tuple[int, int]]) -> Term:
    """The list as the term `[(S,E),…]`, with `inf` for an open end."""
    return list_term(Struct(",", (Int(start), Atom("inf") if end == OPEN else Int(end))) for start, end in intervals)


def is_interval_list(term: Term) -> bool:
    """Whether a term is a list of pairs; what pairs mean is checked when it is read."""
    items, tail = list_items(term)
    return tail == Atom("[]") and all(isinstance(item, Struct) and item.name == "," for item in items)


def intervals_of_term(term: Term, span: Span | None) -> list[tuple[int, int]]:
    """The intervals that a term `[(S,E),…]` stands for."""
    found: list[tuple[int, int]] = []
    for item in list_items(term)[0]:
        match item:
            case Struct(name=",", args=(Int(start), Int(end))):
                found.append((start, end))
            case Struct(name=",", args=(Int(start), Atom("inf"))):
                found.append((start, OPEN))
            case _:
                message = f"expected an interval `(S,E)`, found `{show(item)}`"
                hint = "intervals are pairs of integers, the second may be `inf`"
                raise ExecutionProblem(Diagnostic("HF609", message, span, hint))
    return found
