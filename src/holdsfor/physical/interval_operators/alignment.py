"""Lists with the same variables as intervals by number of instance, and the inverse."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.kernels.sweep import Keyed, merge_intervals, subtract_intervals
from holdsfor.physical.interval_lists import Lists, onto
from holdsfor.physical.rows import Rows

__all__ = ["aligned", "maximal", "subtracted"]


def aligned(lists: Sequence[Lists], instances: TupleIds) -> tuple[list[Keyed], Callable[[Keyed], Lists]]:
    """The intervals of lists with the same variables by number of instance, and the inverse function.

    Instances of fluents have numbers already. Other combinations of words, which may be new every time, get temporary
    numbers.
    """
    names = lists[0].names
    if all(each.is_numbered(names) for each in lists):
        numbers = [each.numbers(names, instances) for each in lists]
        return _keyed(numbers, lists), lambda found: Lists.numbered(names, instances, *found)
    columns = [np.concatenate([each.rows.columns[name] for each in lists]) for name in names]
    ids, first = dense_ids(columns, sum(each.n for each in lists))
    rows = Rows(len(first), {name: column[first] for name, column in zip(names, columns, strict=True)})
    numbers = np.split(ids, np.cumsum([each.n for each in lists])[:-1])
    return _keyed(numbers, lists), lambda found: Lists(rows.take(found[0]), found[1], found[2])


def _keyed(numbers: Sequence[Int64], lists: Sequence[Lists]) -> list[Keyed]:
    return [(own, each.starts, each.ends) for own, each in zip(numbers, lists, strict=True)]


def maximal(intervals: Lists, instances: TupleIds) -> Lists:
    """The maximal intervals of any intervals, by instance."""
    keyed, back = aligned([intervals], instances)
    return back(merge_intervals(*keyed[0]))


def subtracted(base: Lists, others: Sequence[Lists], instances: TupleIds) -> Lists:
    """The intervals of a list without those of others, which vary by all or some of its variables."""
    others = [each for each in others if each.n]
    if not others or base.n == 0:
        return base
    if all(len(each.names) == len(base.names) for each in others):
        keyed, back = aligned([base, *others], instances)
        return back(subtract_intervals(keyed[0], keyed[1:]))
    keys = base.rows.distinct()
    key, starts, ends = subtract_intervals(onto(keys, base), [onto(keys, each) for each in others])
    return Lists(keys.take(key), starts, ends)
