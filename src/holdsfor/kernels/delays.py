"""Delayed effects: which initiations set one up, and which of these effects act.

An initiation of a *source* at T sets up an effect that is due at T + R. A break of the source strictly before T + R
cancels the effect. Unless the source is postponable, the first initiation counts: later ones have no effect until a
break. An initiation that is broken at T itself starts nothing: it sets up its effect, and the next initiation counts
too. For a postponable source the last initiation counts: one at or before T + R moves the effect. So each effect
follows from the initiations and breaks around it, without stepping through time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN, Packing, packing_for
from holdsfor.kernels.searching import search_sorted

__all__ = ["NEVER", "EffectSchedule", "due_times", "schedule_effects"]

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


def schedule_effects(
    sources: Int64,
    effects: Int64,
    times: Int64,
    is_postponable: NDArray[np.bool_],
    breaks: tuple[Int64, Int64],
) -> EffectSchedule:
    """The next break and the next initiation of each initiation.

    `sources` and `effects` number the initiated FVPs and the effects that they set up; `breaks`: sources, times.

    Contract: dense numbers; equal effects have equal sources; no effect is set up twice at one time. O(n log n).
    """
    broken_sources, broken_times = breaks
    n = 1 + max(int(column.max()) if len(column) else 0 for column in (sources, effects, broken_sources))
    packing = packing_for(n, times, broken_times)
    by_break = np.sort(packing.pack(broken_sources, broken_times))
    by_effect = np.sort(packing.pack(effects, times))
    broken = _following(by_break, packing, sources, times)
    starts = _from(by_break, packing, sources, times) > times
    renewed = _following(by_effect, packing, effects, times)
    earlier = _preceding(by_effect, packing, effects, times)
    is_first = earlier == NEVER
    ended = _from(by_break, packing, sources, np.where(is_first, times, earlier))
    return EffectSchedule(is_postponable | is_first | (ended <= times), starts, broken, renewed)


def _following(packed: Int64, packing: Packing, keys: Int64, times: Int64) -> Int64:
    """For each key and time, the first later time packed with the same key, or `NEVER`."""
    position = search_sorted(packed, packing.pack(keys, times), side="right")
    return _at(packed, packing, position, keys)


def _from(packed: Int64, packing: Packing, keys: Int64, times: Int64) -> Int64:
    """For each key and time, the first time packed with the same key that is not earlier, or `NEVER`."""
    position = search_sorted(packed, packing.pack(keys, times), side="left")
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
