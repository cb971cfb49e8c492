"""The law of inertia: initiations and terminations to maximal intervals, for all fluents of one kind at once.

A *fluent* is a dense number, a *value* any int64. At one time-point of one fluent: a single initiated value that is not
terminated there sets the fluent; two initiated values, or one that is terminated at once, leave it without a value;
terminations alone remove the value if they terminate it. The effect of a point thus follows from the point itself,
except for terminations alone, whose effect depends on the last value set before them. If all effects are about one
value, a fluent has the value or not, and the rows at which this changes are the spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64, expand_ranges
from holdsfor.kernels.packing import OPEN, Packing, packing_for

__all__ = ["ANY_VALUE", "BEFORE_EVERYTHING", "NO_VALUE", "Effects", "ValueSpans", "inertial_intervals"]

ANY_VALUE = OPEN
NO_VALUE = OPEN - 1
BEFORE_EVERYTHING = int(np.iinfo(np.int64).min) + 1


@dataclass(frozen=True)
class Effects:
    """Initiations or terminations in any order; the value of a termination may be `ANY_VALUE`."""

    fluents: Int64
    values: Int64
    times: Int64
    is_initiation: bool


@dataclass(frozen=True)
class ValueSpans:
    """Maximal spans of one value: set at `begins` (exclusive), broken at `stops`, both time-points of effects.

    `stops` is `OPEN` where nothing breaks the value. A span from the given state begins before all effects.
    """

    fluents: Int64
    values: Int64
    begins: Int64
    stops: Int64


def inertial_intervals(effects: Sequence[Effects], state: tuple[Int64, Int64]) -> ValueSpans:
    """The spans in which fluents keep their values.

    `state` lists the fluents with an initial value, each once, and these values.

    Contract: fluents are dense numbers, values are less than `NO_VALUE - 1`. O(n log n).
    """
    parts = [part for part in effects if len(part.fluents)]
    before = None
    if len(state[0]):
        before = min((int(np.minimum.reduce(part.times)) for part in parts), default=1) - 1
        parts.insert(0, Effects(*state, np.broadcast_to(np.int64(before), len(state[0])), is_initiation=True))
    if not parts:
        nothing = np.empty(0, dtype=np.int64)
        return ValueSpans(nothing, nothing, nothing, nothing)
    n_fluents = max(int(np.maximum.reduce(part.fluents)) for part in parts) + 1
    packing = packing_for(n_fluents, *(part.times for part in parts))
    value = _one_value([part.values for part in parts])
    if value is not None and packing.ranks is None and n_fluents.bit_length() + packing.bits <= _BITS:
        return _spans_of_one_value(_packed_effects(parts, packing), packing, value, before)
    fluents, values, times = concatenate_columns([(part.fluents, part.values, part.times) for part in parts])
    is_initiation = np.repeat([part.is_initiation for part in parts], [len(part.fluents) for part in parts])
    packed, values, is_initiation = _in_order(packing.pack_finite(fluents, times), values, is_initiation)
    points = _points(packed)
    packed = packed[points.first]
    fluents, times = packing.keys(packed), packing.finite_times(packed)
    result = _set_values(points, values, is_initiation)
    matters = _effective_points(result, points, fluents, values)
    if len(matters) < len(result):
        fluents, times, result = fluents[matters], times[matters], result[matters]
    return _value_spans(fluents, times, result, before)


_BITS = 62  # of a pair that leaves room for one more bit


def _one_value(columns: Iterable[Int64]) -> int | None:
    """The value of all effects, or `ANY_VALUE`; None if there are several."""
    found: set[int] = set()
    for values in columns:
        low, high = (int(values[0]),) * 2 if values.strides == (0,) else (int(values.min()), int(values.max()))
        if low != high and (high != ANY_VALUE or not ((values == low) | (values == ANY_VALUE)).all()):
            return None
        found |= {low, high}
    found.discard(ANY_VALUE)
    return None if len(found) > 1 else max(found, default=ANY_VALUE)


def _packed_effects(parts: Sequence[Effects], packing: Packing) -> Int64:
    """Fluent, time and whether it is an initiation in one number for each effect."""
    packed = np.empty(sum(len(part.fluents) for part in parts), dtype=np.int64)
    first = 0
    for part in parts:
        own = packed[first : first + len(part.fluents)]
        np.left_shift(part.fluents, packing.bits, out=own)
        own += part.times
        own -= packing.low
        own <<= 1
        own += part.is_initiation
        first += len(own)
    return packed


def _spans_of_one_value(packed: Int64, packing: Packing, value: int, before: int | None) -> ValueSpans:
    """The spans of fluents with one value, which is set or not at every time-point; the numbers are overwritten.

    Of a time-point the first row counts, a termination if there is one. A span is a row that sets the value and the
    following row that differs from it.
    """
    packed.sort()
    differences = packed[1:] ^ packed[:-1]
    overridden = (differences == 1).nonzero()[0] + 1
    if len(overridden):
        counts = packed.searchsorted(packed[overridden], side="right") - overridden
        packed[expand_ranges(overridden, counts)[1]] -= 1
        np.bitwise_xor(packed[1:], packed[:-1], out=differences)
    differences &= ~(((1 << packing.bits) - 1) << 1)  # fluent and value: a row counts where either changes
    is_change = np.ones(len(packed), dtype=bool)
    np.not_equal(differences, 0, out=is_change[1:])
    packed = packed[is_change.nonzero()[0]]
    is_set = (packed & 1).astype(bool)
    packed >>= 1
    times = packing.finite_times(packed)
    packed >>= packing.bits
    stops = np.full(len(times), OPEN, dtype=np.int64)
    np.copyto(stops[:-1], times[1:], where=packed[1:] == packed[:-1])
    keep = is_set.nonzero()[0]
    begins = times[keep]
    if before is not None:
        begins[begins == before] = BEFORE_EVERYTHING
    return ValueSpans(packed[keep], np.broadcast_to(np.int64(value), len(keep)), begins, stops[keep])


def _in_order(packed: Int64, values: Int64, is_initiation: NDArray[np.bool_]) -> tuple[Int64, Int64, NDArray[np.bool_]]:
    """The three columns sorted by the first, which is not negative and is overwritten.

    If a row fits into one number, numbers are sorted, which is several times faster than sorting positions.
    """
    packing = packing_for(2 * int(packed.max()) + 2, values)
    if packing.ranks is not None:
        order = packed.argsort()
        return packed[order], values[order], is_initiation[order]
    packed <<= 1
    packed += is_initiation
    together = packing.pack_onto(packed, values)
    together.sort()
    values = packing.times(together)
    together >>= packing.bits
    is_initiation = (together & 1).astype(bool)
    together >>= 1
    return together, values, is_initiation


@dataclass(frozen=True)
class _Points:
    """The rows of each time-point of each fluent: the first row and, unless all points have one row, the number."""

    first: Int64
    sizes: Int64 | None

    def rows_of(self, points: Int64) -> tuple[Int64, Int64]:
        """The rows of some points, and for each row the position of its point among them."""
        if self.sizes is None or not np.count_nonzero(self.sizes[points] > 1):
            return self.first[points], np.arange(len(points), dtype=np.int64)
        owner, rows = expand_ranges(self.first[points], self.sizes[points])
        return rows, owner


def _points(packed: Int64) -> _Points:
    """The runs of equal numbers."""
    is_first = np.ones(len(packed), dtype=bool)
    np.not_equal(packed[1:], packed[:-1], out=is_first[1:])
    first = is_first.nonzero()[0]
    return _Points(first, None if len(first) == len(packed) else np.diff(first, append=len(packed)))


_UNDECIDED = OPEN - 2


def _set_values(points: _Points, values: Int64, is_initiation: NDArray[np.bool_]) -> Int64:
    """The value that each point sets: a value, `NO_VALUE`, or `_UNDECIDED` where there are only terminations."""
    result: Int64 = values[points.first]
    result[(~is_initiation[points.first]).nonzero()[0]] = _UNDECIDED
    if points.sizes is not None:
        several = (points.sizes > 1).nonzero()[0]
        rows, point = points.rows_of(several)
        result[several] = _set_together(point, len(several), values[rows], is_initiation[rows])
    return result


def _set_together(point: Int64, n_points: int, values: Int64, is_initiation: NDArray[np.bool_]) -> Int64:
    """The values that points with several initiations and terminations set."""
    initiated = is_initiation.nonzero()[0]
    result = np.full(n_points, _UNDECIDED, dtype=np.int64)
    where, given = point[initiated], values[initiated]
    result[where] = given
    result[where[given != result[where]]] = NO_VALUE
    terminated = (~is_initiation).nonzero()[0]
    where, given = point[terminated], values[terminated]
    here = result[where]
    result[where[(here != _UNDECIDED) & ((given == here) | (given == ANY_VALUE))]] = NO_VALUE
    return result


def _effective_points(result: Int64, points: _Points, fluents: Int64, values: Int64) -> Int64:
    """The points that have an effect; terminations alone have one if they terminate the last value set before them.

    The value that such terminations set becomes `NO_VALUE`.
    """
    is_undecided = result == _UNDECIDED
    undecided = is_undecided.nonzero()[0]
    if len(undecided) == 0:
        return np.arange(len(result), dtype=np.int64)
    before = _values_before(undecided, (~is_undecided).nonzero()[0], result, fluents)
    result[undecided] = NO_VALUE
    rows, point = points.rows_of(undecided)
    given, before = values[rows], before[point]
    is_hit = (before != NO_VALUE) & ((given == before) | (given == ANY_VALUE))
    matters: NDArray[np.bool_] = ~is_undecided
    matters[undecided[point[is_hit.nonzero()[0]]]] = True
    return matters.nonzero()[0]


def _values_before(undecided: Int64, decided: Int64, result: Int64, fluents: Int64) -> Int64:
    """For each undecided point, the value of the last decided point of its fluent, `NO_VALUE` if there is none."""
    if len(decided) == 0:
        return np.full(len(undecided), NO_VALUE, dtype=np.int64)
    # All points before the i-th undecided point are decided, except i of them.
    n_decided = undecided - np.arange(len(undecided), dtype=np.int64)
    last = decided[n_decided - 1]
    before: Int64 = result[last]
    before[((n_decided == 0) | (fluents[last] != fluents[undecided])).nonzero()[0]] = NO_VALUE
    return before


def _value_spans(fluents: Int64, times: Int64, values: Int64, first: int | None) -> ValueSpans:
    """Runs of points with the same value of the same fluent, each from its first point to the point that ends it."""
    is_new = np.ones(len(fluents), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    is_new[1:] |= fluents[1:] != fluents[:-1]
    runs = is_new.nonzero()[0]
    fluents, values, times = fluents[runs], values[runs], times[runs]
    stops = np.full(len(runs), OPEN, dtype=np.int64)
    np.copyto(stops[:-1], times[1:], where=fluents[1:] == fluents[:-1])
    keep = (values != NO_VALUE).nonzero()[0]
    begins = times[keep]
    if first is not None:
        begins[begins == first] = BEFORE_EVERYTHING
    return ValueSpans(fluents[keep], values[keep], begins, stops[keep])
