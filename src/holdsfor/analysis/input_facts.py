"""Input records that the rule files state as facts."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.analysis.names import Names
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.syntax.rules import Fvp, InputFact
from holdsfor.syntax.terms import Term, name_and_arity
from holdsfor.syntax.time_points import OPEN_END, last_time_point

__all__ = ["input_fact_records", "with_input_facts"]

Extent = tuple[int | None, int | None]


def input_fact_records(names: Names, tick: int) -> Iterator[tuple[Term, Term | None, int, int]]:
    """The input facts that rules use: events, or fluents with their values, with start and end.

    A fact at a time that is not a time-point is reported as HF215.
    """
    for given in names.input_facts:
        _check_times(given, tick)
        if not isinstance(given.entity, Fvp):
            if name_and_arity(given.entity) in names.input_events:
                yield given.entity, None, given.start, given.start
        elif name_and_arity(given.entity.fluent) in names.input_fluents:
            end = given.start + tick if given.end is None else given.end
            yield given.entity.fluent, given.entity.value, given.start, end


def _check_times(given: InputFact, tick: int) -> None:
    for time in (given.start, given.end):
        if time is not None and time != OPEN_END and time % tick:
            message = f"{time} is not a time-point: the clock ticks every {tick}"
            raise UsageProblem(Diagnostic("HF215", message, given.span))


def with_input_facts(extent: Extent, names: Names, tick: int) -> Extent:
    """The first and last time-point of the records and of the input facts."""
    first, last = extent
    for _, value, start, end in input_fact_records(names, tick):
        first = start if first is None else min(first, start)
        until = start if value is None else last_time_point(start, end, tick)
        last = until if last is None else max(last, until)
    return first, last
