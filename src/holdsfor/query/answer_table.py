"""Answers as an Arrow table: one column for each variable of the goal, one row for each answer.

A column of integers is int64, a column of floats float64, a column of interval lists a list of `start` and `end`. An
open end is null. Times are timestamps if those of the results are. Any other column is text: an atom without quotes, a
term as it is written in rules. A variable that an answer leaves open is null.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from holdsfor.query.goals import Goal
from holdsfor.query.time_variables import time_variables
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import EMPTY_LIST, Atom, Float, Int, Struct, Term, Var, list_items

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

    from holdsfor.columns.time_type import TimeType

__all__ = ["answer_table", "intervals_of"]

_INF = Atom("inf")
_BOUNDS = ["start", "end"]


def answer_table(goal: Goal, answers: Sequence[dict[str, Term]], times: TimeType | None = None) -> pa.Table:
    """The table of the answers. A goal without variables has one column, `answer`."""
    import pyarrow as pa

    found = time_variables(goal.term)
    columns = {}
    for name in goal.names:
        values = [answer[name] for answer in answers]
        columns[name] = _column(values, times, is_list=name in found.lists, is_time=name in found.times)
    return pa.table(columns) if columns else pa.table({"answer": pa.array([True] * len(answers), pa.bool_())})


def _column(values: list[Term], times: TimeType | None, *, is_list: bool, is_time: bool) -> Any:
    import pyarrow as pa

    bound = [value for value in values if not isinstance(value, Var)]
    if is_list and all(intervals_of(value) is not None for value in bound):
        return _interval_lists([None if isinstance(value, Var) else intervals_of(value) for value in values], times)
    if (bound or is_time) and all(isinstance(value, Int) or value == _INF for value in bound):
        return _numbers(values, Int, pa.int64(), times if is_time else None)
    if bound and all(isinstance(value, Float) for value in bound):
        return _numbers(values, Float, pa.float64())
    return pa.array([None if isinstance(value, Var) else _text(value) for value in values], pa.string())


def _interval_lists(lists: Sequence[list[tuple[int, int | None]] | None], times: TimeType | None) -> Any:
    """Lists of intervals as a column; None is null."""
    import pyarrow as pa

    pairs = [pair for each in lists for pair in each or ()]
    bounds = [pa.array([pair[i] for pair in pairs], pa.int64()) for i in range(2)]
    intervals = pa.StructArray.from_arrays([each if times is None else times.column(each) for each in bounds], _BOUNDS)
    offsets = [0, *accumulate(len(each or ()) for each in lists)]
    return pa.ListArray.from_arrays(offsets, intervals, mask=pa.array([each is None for each in lists], pa.bool_()))


def _numbers(values: list[Term], kind: type[Int | Float], of: Any, times: TimeType | None = None) -> Any:
    """A column of numbers, or of the times that they are; of texts if the type cannot represent one of them."""
    import pyarrow as pa

    try:
        numbers = pa.array([value.value if isinstance(value, kind) else None for value in values], of)
        return numbers if times is None else times.column(numbers)
    except (OverflowError, pa.ArrowInvalid):
        return pa.array([None if isinstance(value, Var) else _text(value) for value in values], pa.string())


def _text(value: Term) -> str:
    return value.name if isinstance(value, Atom) else show(value)


def intervals_of(value: Term) -> list[tuple[int, int | None]] | None:
    """The intervals of a list of intervals, or None for any other term.

    >>> from holdsfor.syntax.parser import parse_term
    >>> intervals_of(parse_term("[(3,7),(9,inf)]")), intervals_of(parse_term("[a]"))
    ([(3, 7), (9, None)], None)
    """
    items, tail = list_items(value)
    if tail != EMPTY_LIST:
        return None
    found: list[tuple[int, int | None]] = []
    for item in items:
        match item:
            case Struct(name=",", args=(Int(start), Int(end))):
                found.append((start, end))
            case Struct(name=",", args=(Int(start), Atom("inf"))):
                found.append((start, None))
            case _:
                return None
    return found
