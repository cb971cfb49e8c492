"""Delayed effects: which initiations set one up, and which of these effects act.

An initiation of a *source* at T sets up an effect that is due at T + R. A break of the source strictly before T + R
cancels the effect. Unless the source is postponable, the first initiation counts: later ones have no effect until a
break. An initiation that is broken at T itself starts nothing: it sets up its effect, and the next initiation counts
too. For a postponable source the last initiation counts: one at or before T + R moves the effect. So each effect
follows from the initiations and breaks around it, without stepping through time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN, Packing, packing_for
from holdsfor.kernels.searching import search_sorted

__all__ = ["NEVER", "Breaks", "EffectSchedule", "due_times", "schedule_effects"]

NEVER = OPEN


def due_times(times: Int64, delays: Int64) -> Int64:
    """The due times of effects; `NEVER` where the sum exceeds int64."""
    in_time = delays <= NEVER - np.maximum(times, 0)
    return np.where(in_time, times + np.where(in_time, delays, 0), NEVER)


@dataclass(frozen=True)
class EffectSchedule:
    """For each initiation: whether it sets up an effect, and when its source is next broken and next initiated.

    An initiation that `starts` is not broken at its own time-point.
    """

    sets_up: NDArray[np.bool_]
    starts: NDArray[np.bool_]
    broken: Int64
    renewed: Int64

    def acts(
        self, due: Int64, is_postponable: NDArray[np.bool_], is_contested: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """Whether the effect due at that time acts.

        An initiation exactly at the due time postpones the effect, unless the initiation is contested: then the caller
        decides.
        """
        in_time = self.renewed > due
        if is_contested is not None:
            in_time |= (self.renewed == due) & is_contested
        return self.sets_up & (self.broken >= due) & (~is_postponable | in_time)

    def waits(self, times: Int64, due: Int64, is_postponable: NDArray[np.bool_], at: int) -> NDArray[np.bool_]:
        """Whether, just before a time-point, the effect is pending, or has acted and prevents others."""
        is_set_up = self.sets_up & (times < at) & (self.broken >= at)
        return is_set_up & np.where(is_postponable, (self.renewed >= at) & (due >= at), self.starts | (due >= at))


@dataclass(frozen=True)
class Breaks:
    """The breaks of sources, as columns of numbers and times.

    `of_sources` break one source, `of_fluents` all values of a fluent. `initiations` have values between numbers and
    times, and break the other values of their fluents. `fluents` and `values` are those of each source.
    """

    fluents: Int64
    values: Int64
    of_sources: tuple[Int64, Int64]
    of_fluents: tuple[Int64, Int64]
    initiations: tuple[Int64, Int64, Int64]


def schedule_effects(
    sources: Int64, effects: Int64, times: Int64, is_postponable: NDArray[np.bool_], breaks: Breaks
) -> EffectSchedule:
    """The next break and the next initiation of each initiation.

    `sources` and `effects` number the initiated FVPs and the effects that they set up.

    Contract: dense numbers; equal effects have equal sources; no effect is set up twice at one time. O(n log n).
    """
    numbers, _, initiated_at = breaks.initiations
    pairs = (sources, times), (effects, times), breaks.of_sources, breaks.of_fluents, (numbers, initiated_at)
    n = 1 + max(int(each.max(initial=0)) for each, _ in pairs)
    packing = packing_for(n, *(column for _, column in pairs))
    by_break = _SortedBreaks(breaks, packing)
    by_effect = np.sort(packing.pack(effects, times))
    broken = by_break.first(sources, times, "right")
    starts = by_break.first(sources, times, "left") > times
    renewed = _first(by_effect, packing, effects, times, "right")
    earlier = _preceding(by_effect, packing, effects, times)
    is_first = earlier == NEVER
    ended = by_break.first(sources, np.where(is_first, times, earlier), "left")
    return EffectSchedule(is_postponable | is_first | (ended <= times), starts, broken, renewed)


class _SortedBreaks:
    """Breaks by source or fluent, then time."""

    def __init__(self, breaks: Breaks, packing: Packing) -> None:
        self.breaks = breaks
        self.packing = packing
        self.of_sources, self.of_fluents = (
            np.sort(packing.pack(*each)) for each in (breaks.of_sources, breaks.of_fluents)
        )
        fluents, values, times = breaks.initiations
        packed = packing.pack(fluents, times)
        order = packed.argsort(kind="stable")
        packed, values = packed[order], values[order]
        firsts = np.flatnonzero(np.diff(packed, prepend=-1))
        self.initiations = packed[firsts]
        lowest, highest = (
            each.reduceat(values, firsts) if len(firsts) else firsts for each in (np.minimum, np.maximum)
        )
        # Two values at one time-point break all values.
        self.values = np.where(lowest == highest, lowest, ANY_VALUE)
        fluents = packing.keys(self.initiations)
        is_last = (self.values[1:] != self.values[:-1]) | (fluents[1:] != fluents[:-1])
        lasts = np.append(np.flatnonzero(is_last), len(firsts) - 1)
        self.after_value = lasts[lasts.searchsorted(np.arange(len(firsts)))] + 1

    def first(self, sources: Int64, times: Int64, side: Literal["left", "right"]) -> Int64:
        """For each source, the first break at or after a time, on the right side only after it; or `NEVER`."""
        found = _first(self.of_sources, self.packing, sources, times, side)
        if len(self.of_fluents):
            fluents = self.breaks.fluents[sources]
            found = np.minimum(found, _first(self.of_fluents, self.packing, fluents, times, side))
        if len(self.initiations):
            fluents, values = self.breaks.fluents[sources], self.breaks.values[sources]
            at = search_sorted(self.initiations, self.packing.pack(fluents, times), side=side)
            inside = np.minimum(at, len(self.initiations) - 1)
            has_value = (at == inside) & (self.values[inside] == values)
            at = np.where(has_value, self.after_value[inside], at)
            found = np.minimum(found, _at(self.initiations, self.packing, at, fluents))
        return found


def _first(packed: Int64, packing: Packing, keys: Int64, times: Int64, side: Literal["left", "right"]) -> Int64:
    """For each key, the first time packed with it that is not earlier, on the right side later; or `NEVER`."""
    position = search_sorted(packed, packing.pack(keys, times), side=side)
    return _at(packed, packing, position, keys)


def _preceding(packed: Int64, packing: Packing, keys: Int64, times: Int64) -> Int64:
    """For each key and time, the last earlier time packed with the same key, or `NEVER`."""
    position = search_sorted(packed, packing.pack(keys, times), side="left") - 1
    return _at(packed, packing, position, keys)


def _at(packed: Int64, packing: Packing, position: Int64, keys: Int64) -> Int64:
    found = np.full(len(keys), NEVER, dtype=np.int64)
    inside = np.flatnonzero((position >= 0) & (position < len(packed)))
    at = packed[position[inside]]
    same = packing.keys(at) == keys[inside]
    found[inside[same]] = packing.times(at)[same]
    return found
