"""The verbs: set operations on lists of intervals, key by key, in the caller's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.intervals.conversion import CallerLists, read_lists
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import Keyed, intersect_intervals, merge_intervals, subtract_intervals

__all__ = ["complement", "intersect", "merge", "subtract", "union"]

Keys = str | Sequence[str] | None
Times = tuple[str, str]
_COLUMNS: Times = ("start", "end")


def merge(intervals: Any, *, keys: Keys = None, times: Times = _COLUMNS) -> Any:
    """The maximal intervals of a list: what overlaps or touches is one interval. O(n log n).

    >>> starts, ends = merge(([5, 1, 3, 7], [9, 3, 4, 12]))
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(1, 4), (5, 12)]
    """
    return union(intervals, keys=keys, times=times)


def union(*lists: Any, keys: Keys = None, times: Times = _COLUMNS) -> Any:
    """The times that lie in some list.

    >>> starts, ends, vessels = union(([1], [4], ["a"]), ([4, 4], [9, 6], ["a", "b"]))
    >>> list(zip(vessels.tolist(), starts.tolist(), ends.tolist()))
    [('a', 1, 9), ('b', 4, 6)]
    """
    given = read_lists(lists, keys, times)
    columns = [np.concatenate(column) for column in zip(*given.lists, strict=True)]
    return given.give_back(merge_intervals(columns[0], columns[1], columns[2]))


def intersect(*lists: Any, keys: Keys = None, times: Times = _COLUMNS) -> Any:
    """The times that lie in every list.

    >>> starts, ends = intersect(([26], [31]), ([21, 30], [26, 40]))
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(30, 31)]
    """
    given = read_lists(lists, keys, times)
    return given.give_back(intersect_intervals(_maximal(given), len(given.lists)))


def subtract(base: Any, *others: Any, keys: Keys = None, times: Times = _COLUMNS) -> Any:
    """The times that lie in the base and in none of the other lists: the relative complement.

    >>> starts, ends = subtract(([5, 26], [20, 50]), ([1, 18], [4, 22]), ([28], [35]))
    >>> list(zip(starts.tolist(), ends.tolist()))
    [(5, 18), (26, 28), (35, 50)]
    """
    given = read_lists([base, *others], keys, times)
    first, *rest = _maximal(given)
    return given.give_back(subtract_intervals(first, rest))


def complement(*lists: Any, since: Any, until: Any = None, keys: Keys = None, times: Times = _COLUMNS) -> Any:
    """The times from `since` on, up to `until` if it is given, that lie in none of the lists.

    Every key that occurs has a complement; of a key that does not occur nothing can be known here.

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
    return given.give_back(subtract_intervals(merge_intervals(*whole), _maximal(given)))


def _maximal(given: CallerLists) -> list[Keyed]:
    return [merge_intervals(*each) for each in given.lists]
