"""Set operations on lists of intervals, key by key, in the caller's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from holdsfor.arrow_stream import ArrowStream
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.intervals.conversion import CallerLists, read_lists
from holdsfor.intervals.forms import Arrays, Columns, Table, Time
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import Keyed, intersect_intervals, merge_intervals, subtract_intervals

__all__ = ["complement", "intersect", "merge", "subtract", "union"]

Keys = str | Sequence[str] | None
Times = tuple[str, str]
_COLUMNS: Times = ("start", "end")


@overload
def merge(intervals: Arrays, *, keys: None = None, times: Times = ...) -> Columns: ...
@overload
def merge(intervals: Table, *, keys: Keys = None, times: Times = ...) -> Table: ...
def merge(intervals: Arrays | ArrowStream, *, keys: Keys = None, times: Times = _COLUMNS) -> Columns | ArrowStream:
    """The maximal intervals of a list: overlapping and touching intervals are joined. O(n log n).

    >>> starts, ends = merge(([5, 1, 3, 7], [9, 3, 4, 12]))
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(1, 4), (5, 12)]
    """
    return _union([intervals], keys, times)


@overload
def union(*lists: Arrays, keys: None = None, times: Times = ...) -> Columns: ...
@overload
def union(*lists: Table, keys: Keys = None, times: Times = ...) -> Table: ...
def union(*lists: Arrays | ArrowStream, keys: Keys = None, times: Times = _COLUMNS) -> Columns | ArrowStream:
    """The times that are in some list.

    >>> starts, ends, vessels = union(([1], [4], ["a"]), ([4, 4], [9, 6], ["a", "b"]))
    >>> list(zip(vessels.tolist(), starts.tolist(), ends.tolist()))
    [('a', 1, 9), ('b', 4, 6)]
    """
    return _union(lists, keys, times)


def _union(lists: Sequence[Arrays | ArrowStream], keys: Keys, times: Times) -> Columns | ArrowStream:
    given = read_lists(lists, keys, times)
    columns = concatenate_columns(given.lists)
    return given.to_caller(merge_intervals(columns[0], columns[1], columns[2]))


@overload
def intersect(*lists: Arrays, keys: None = None, times: Times = ...) -> Columns: ...
@overload
def intersect(*lists: Table, keys: Keys = None, times: Times = ...) -> Table: ...
def intersect(*lists: Arrays | ArrowStream, keys: Keys = None, times: Times = _COLUMNS) -> Columns | ArrowStream:
    """The times that are in every list.

    >>> starts, ends = intersect(([26], [31]), ([21, 30], [26, 40]))
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(30, 31)]
    """
    given = read_lists(lists, keys, times)
    return given.to_caller(intersect_intervals(_maximal(given), len(given.lists)))


@overload
def subtract(base: Arrays, *others: Arrays, keys: None = None, times: Times = ...) -> Columns: ...
@overload
def subtract(base: Table, *others: Table, keys: Keys = None, times: Times = ...) -> Table: ...
def subtract(
    base: Arrays | ArrowStream, *others: Arrays | ArrowStream, keys: Keys = None, times: Times = _COLUMNS
) -> Columns | ArrowStream:
    """The times that are in the base and in none of the other lists: the relative complement.

    >>> starts, ends = subtract(([5, 26], [20, 50]), ([1, 18], [4, 22]), ([28], [35]))
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(5, 18), (26, 28), (35, 50)]
    """
    given = read_lists([base, *others], keys, times)
    first, *rest = _maximal(given)
    return given.to_caller(subtract_intervals(first, rest))


@overload
def complement(
    *lists: Arrays, since: Time, until: Time | None = None, keys: None = None, times: Times = ...
) -> Columns: ...
@overload
def complement(
    *lists: Table, since: Time, until: Time | None = None, keys: Keys = None, times: Times = ...
) -> Table: ...
def complement(
    *lists: Arrays | ArrowStream, since: Time, until: Time | None = None, keys: Keys = None, times: Times = _COLUMNS
) -> Columns | ArrowStream:
    """The times from `since` on, up to `until` if it is given, that are in none of the lists.

    Only keys that occur in a list have a complement.

    >>> starts, ends = complement(([2], [5]), ([8], [12]), since=0, until=10)
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(0, 2), (5, 8)]
    """
    given = read_lists(lists, keys, times)
    begin = given.kind.integer(since)
    stop = OPEN if until is None else given.kind.integer(until)
    if stop < begin:
        message = f"expected `until` not before `since`, found {until} and {since}"
        raise UsageProblem(Diagnostic("HF761", message))
    numbers = np.arange(given.n_keys, dtype=np.int64)
    whole = (numbers, np.full(given.n_keys, begin), np.full(given.n_keys, stop))
    return given.to_caller(subtract_intervals(merge_intervals(*whole), _maximal(given)))


def _maximal(given: CallerLists) -> list[Keyed]:
    return [merge_intervals(*each) for each in given.lists]
