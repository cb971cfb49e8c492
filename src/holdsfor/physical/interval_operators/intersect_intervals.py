"""The intersection of interval lists: `intersect_all`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.kernels.keys import dense_ids
from holdsfor.kernels.overlaps import overlapping_pairs
from holdsfor.kernels.sweep import intersect_intervals
from holdsfor.physical.interval_lists import Lists, natural_join, onto
from holdsfor.physical.interval_operators.alignment import aligned
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import NaryOperator, Registers
from holdsfor.physical.operators.description import Description, Wording

__all__ = ["IntersectIntervals"]


@dataclass(frozen=True)
class IntersectIntervals(NaryOperator):
    """The time-points in all lists. `varies` are the variables of each list.

    Lists that share variables are combined by instance, other lists by overlapping intervals.
    """

    output: str
    names: tuple[str, ...]
    lists: tuple[str, ...]
    varies: tuple[tuple[str, ...], ...]

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        lists = [registers.lists[name] for name in self.lists]
        if all(set(each.names) == set(lists[0].names) for each in lists):
            keyed, back = aligned(lists, context.symbols.instances)
            return back(intersect_intervals(keyed, len(lists)))
        result, *others = _in_join_order(lists)
        for each in others:
            result = _both(result, each)
        return result

    def describe(self, wording: Wording) -> Description:
        how = "overlaps of instances that share no variable" if _has_disjoint_variables(self.varies) else "sweep"
        return Description("intersect", "", how)


def _in_join_order(lists: Sequence[Lists]) -> list[Lists]:
    """The lists in an order in which each shares variables with the lists before it, if possible.

    The smallest list comes first. Then comes the list that adds the fewest variables, the smaller one of two. A list
    that shares no variable comes last.
    """
    waiting = sorted(lists, key=lambda each: each.n)
    ordered = [waiting.pop(0)]
    known = set(ordered[0].names)
    while waiting:
        following = min(waiting, key=lambda each: (not known & set(each.names), len(set(each.names) - known), each.n))
        waiting = [each for each in waiting if each is not following]
        ordered.append(following)
        known |= set(following.names)
    return ordered


def _both(one: Lists, other: Lists) -> Lists:
    """The time-points in both of two lists that vary by different variables."""
    if set(one.names) < set(other.names):
        one, other = other, one
    if set(other.names) < set(one.names):
        return _narrowed(one, other)
    if set(one.names) & set(other.names) or not one.names or not other.names:
        keys = natural_join(one.rows.distinct(), other.rows.distinct())
        key, starts, ends = intersect_intervals([onto(keys, one), onto(keys, other)], 2)
        return Lists(keys.take(key), starts, ends)
    left, right = overlapping_pairs(one.starts, one.ends, other.starts, other.ends)
    rows = one.rows.take(left).with_columns(other.rows.take(right).columns)
    starts = np.maximum(one.starts[left], other.starts[right])
    return Lists(rows, starts, np.minimum(one.ends[left], other.ends[right]))


def _narrowed(wide: Lists, other: Lists) -> Lists:
    """The time-points in a list and in another one that varies by some of its variables."""
    instances = wide.instances
    own = list(wide.rows.columns.values()) if instances is None else [wide.numbers(wide.names, instances)]
    ids, first = dense_ids(own, wide.n)
    keys = wide.rows.take(first)
    key, starts, ends = intersect_intervals([(ids, wide.starts, wide.ends), onto(keys, other)], 2)
    return Lists(keys.take(key), starts, ends)


def _has_disjoint_variables(varies: Sequence[tuple[str, ...]]) -> bool:
    """Whether a list shares no variable with the lists before it."""
    before: set[str] = set()
    for names in varies:
        if before and names and not before & set(names):
            return True
        before |= set(names)
    return False
