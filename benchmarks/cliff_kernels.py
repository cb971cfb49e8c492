"""Shapes of kernels: functions on arrays of `n` rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from cliff_shapes import Shape, Work, function_shape

from holdsfor.kernels.allen import compare_intervals, relate_intervals
from holdsfor.kernels.allen_memory import AllenMemory
from holdsfor.kernels.compact import ascending_order
from holdsfor.kernels.delays import Breaks, schedule_effects
from holdsfor.kernels.inertia import Effects, inertial_intervals
from holdsfor.kernels.keys import (
    Int64,
    dense_ids,
    distinct_rows,
    expand_ranges,
    index_of,
    mixed,
    pairs_of_equal_keys,
    rows_with_a_partner,
)
from holdsfor.kernels.overlaps import overlapping_pairs
from holdsfor.kernels.packing import packing_for
from holdsfor.kernels.searching import search_sorted
from holdsfor.kernels.stabbing import Depths, Stabbing, containing_pairs
from holdsfor.kernels.sweep import Keyed, intersect_intervals, merge_intervals, subtract_intervals, unite_intervals

__all__ = ["KERNEL_SHAPES"]

_FEW = 400


def intervals(n: int, seed: int) -> Keyed:
    """Maximal intervals of `n / 100` keys, by key and start."""
    random = np.random.default_rng(seed)
    edges = random.integers(1, 9, 2 * n).cumsum()
    keys = np.arange(n) // 100
    return keys, edges[::2], edges[1::2]


def words(n: int, seed: int, distinct: int) -> Int64:
    """Words that are far apart."""
    return np.random.default_rng(seed).integers(0, distinct, n) * np.int64(2**40 + 7)


def _two(kernel: Callable[[Keyed, Keyed], Sequence[Int64]]) -> Callable[[int], Callable[[], Work]]:
    """A kernel on two lists of intervals."""

    def start(n: int) -> Callable[[], Work]:
        left, right = intervals(n, 1), intervals(n, 2)
        return lambda: lambda: len(kernel(left, right)[0])

    return start


def _columns(kernel: Callable[[Int64, Int64], Sequence[Int64]]) -> Callable[[int], Callable[[], Work]]:
    """A kernel on two columns of words with ten rows each."""

    def start(n: int) -> Callable[[], Work]:
        left, right = words(n, 1, n // 10), words(n, 2, n // 10)
        return lambda: lambda: len(kernel(left, right)[0])

    return start


def _looked_up(n: int) -> Callable[[], Work]:
    """A few keys among many known ones, whose index exists."""
    index = index_of(words(n, 1, n))
    wanted = words(_FEW, 3, n)
    index.numbers(wanted)
    return lambda: lambda: len(index.numbers(wanted))


def _inertia(n: int) -> Callable[[], Work]:
    random = np.random.default_rng(1)
    fluents, values, times = random.integers(0, n // 100, n), random.integers(0, 5, n), random.integers(0, 10 * n, n)
    n_set = 7 * n // 10
    initiations = fluents[:n_set], values[:n_set], times[:n_set]
    terminations = fluents[n_set:], values[n_set:], times[n_set:]
    none = np.empty(0, dtype=np.int64)
    effects = [Effects(*initiations, is_initiation=True), Effects(*terminations, is_initiation=False)]
    return lambda: lambda: len(inertial_intervals(effects, (none, none)).fluents)


def _delays(n: int) -> Callable[[], Work]:
    random = np.random.default_rng(1)
    keys, times = random.integers(0, n // 100, n), np.arange(n, dtype=np.int64)
    return lambda: lambda: _n_acting(keys, times)


def _n_acting(keys: Int64, times: Int64) -> int:
    is_postponable = np.zeros(len(times), dtype=bool)
    values = times % 5
    breaks = Breaks(keys, values, (times[::3], times[::3] + 1), (keys[::9], times[::9] + 2), (keys, values, times))
    schedule = schedule_effects(times, times, times, is_postponable, breaks)
    return int(schedule.acts(times + 5, is_postponable).sum())


def _memory(n: int) -> Callable[[], Work]:
    sources, targets = intervals(n, 1), intervals(n, 2)
    memory = AllenMemory("overlaps", "source")
    return lambda: lambda: len(memory.answer(sources, targets)[0])


def _at_points(keyed: Keyed, points: Keyed) -> list[Int64]:
    return [Stabbing(*keyed).find(points[0], points[1])]


def _depths(keyed: Keyed, points: Keyed) -> list[Int64]:
    return [Depths(*keyed).count(points[0], points[1])]


def _packed(keyed: Keyed, _: Keyed) -> list[Int64]:
    packing = packing_for(len(keyed[0]), keyed[1])
    return [packing.times(packing.pack(keyed[0], keyed[1]))]


def _first(left: Int64, right: Int64) -> Int64:
    rows = distinct_rows([left & 1023, right & 1023], len(left))
    return left if rows is None else rows


KERNEL_SHAPES: tuple[Shape, ...] = tuple(
    function_shape(name, "kernel", start)
    for name, start in (
        ("merge intervals", _two(lambda a, b: merge_intervals(*(np.concatenate(c) for c in zip(a, b, strict=True))))),
        ("unite intervals", _two(lambda a, b: unite_intervals([a, b]))),
        ("intersect intervals", _two(lambda a, b: intersect_intervals([a, b], 2))),
        ("subtract intervals", _two(lambda a, b: subtract_intervals(a, [b]))),
        ("compare intervals by Allen's relations", _two(lambda a, b: compare_intervals(a, b).ranges("overlaps"))),
        ("intervals in an Allen relation", _two(lambda a, b: relate_intervals("during", a, b, "union"))),
        ("Allen's relations between windows", _memory),
        ("pairs of intervals that overlap", _two(lambda a, b: overlapping_pairs(a[1], a[2], b[1], b[2]))),
        ("pairs of time-points and intervals", _two(lambda a, b: containing_pairs(b[0], b[1], *a))),
        ("intervals at time-points", _two(_at_points)),
        ("the number of intervals at time-points", _two(_depths)),
        ("packed keys and times", _two(_packed)),
        ("search in a sorted column", _two(lambda a, b: [search_sorted(a[1], b[1])])),
        ("inertia", _inertia),
        ("delayed effects", _delays),
        ("mixed keys", _columns(lambda a, b: [mixed([a, b], len(a))])),
        ("an index of keys", _columns(lambda a, b: [index_of(a).numbers(b)])),
        ("a few keys among many", _looked_up),
        ("a hash join", _columns(lambda a, b: pairs_of_equal_keys([a], len(a), [b], len(b)))),
        ("a semijoin", _columns(lambda a, b: [rows_with_a_partner([a], len(a), [b], len(b)).nonzero()[0]])),
        ("dense ids", _columns(lambda a, b: dense_ids([a, b], len(a)))),
        ("distinct rows", _columns(lambda a, b: [_first(a, b)])),
        ("a sort of keys", _columns(lambda a, _: [ascending_order(a)])),
        ("ranges expanded", _columns(lambda a, b: expand_ranges(a & 7, b & 3))),
    )
)
