"""Delayed effects in closed form against time stepping of every effect.

Families: breaks before, at and after the deadline, re-initiations at all of these, ties with the set-up, postponable
effects and others, several effects of one source, delays of one time-point and beyond int64. The effects
pending at a time-point are the only state that is carried over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.kernels.delays import NEVER, Breaks, EffectSchedule, due_times, schedule_effects
from tests.unit.kernels.lists import as_columns, huge_times, law, small_times

Point = tuple[int, int]


@dataclass(frozen=True)
class Kind:
    """The effect that the initiations of a source set up."""

    source: int
    delay: int
    is_postponable: bool


@dataclass(frozen=True)
class History:
    """Initiations and breaks of sources, as (source, time)."""

    kinds: list[Kind]
    initiations: set[Point]
    breaks: set[Point]

    def since(self, at: int) -> History:
        return History(self.kinds, _since(self.initiations, at), _since(self.breaks, at))

    @property
    def rows(self) -> list[Point]:
        """The effect of every initiation: (number of the kind, time)."""
        return [(i, time) for i, kind in enumerate(self.kinds) for s, time in self.initiations if s == kind.source]


def _since(points: set[Point], at: int) -> set[Point]:
    return {(source, time) for source, time in points if time >= at}


def stepped(history: History) -> set[Point]:
    """Which kinds act when, by stepping through the time-points with the pending effects."""
    found: set[Point] = set()
    for i, kind in enumerate(history.kinds):
        initiated = {time for source, time in history.initiations if source == kind.source}
        broken = {time for source, time in history.breaks if source == kind.source}
        due: set[int] = set()
        is_running = False
        for time in sorted(initiated | broken | {time + kind.delay for time in initiated}):
            if time in due and not (kind.is_postponable and time in initiated):
                found.add((i, time))
            if time in broken:
                due, is_running = set(), False
            if time in initiated and (kind.is_postponable or not is_running):
                due = {time + kind.delay} | (set() if kind.is_postponable else due)
                is_running = time not in broken
    return {(i, time) for i, time in found if time < NEVER}


def ahead_of(history: History, rows: list[Point]) -> tuple[EffectSchedule, np.ndarray, np.ndarray, np.ndarray]:
    """The schedule_effects of rows, with their times, when they are due, and whether they are postponable."""
    numbers, times = as_columns(rows, 2)
    sources = np.array([history.kinds[i].source for i, _ in rows], dtype=np.int64)
    is_postponable = np.array([history.kinds[i].is_postponable for i, _ in rows], dtype=bool)
    due = due_times(times, np.array([history.kinds[i].delay for i, _ in rows], dtype=np.int64))
    nothing = np.empty(0, dtype=np.int64)
    own = as_columns(sorted(history.breaks), 2)
    breaks = Breaks(nothing, nothing, (own[0], own[1]), (nothing, nothing), (nothing, nothing, nothing))
    ahead = schedule_effects(sources, numbers, times, is_postponable, breaks)
    return ahead, times, due, is_postponable


def computed(history: History, carried: Sequence[Point] = ()) -> set[Point]:
    """The kernel's result, from the initiations and the effects carried over."""
    rows = sorted({*history.rows, *carried})
    ahead, _, due, is_postponable = ahead_of(history, rows)
    acts = ahead.acts(due, is_postponable)
    return {(i, int(time)) for (i, _), time, act in zip(rows, due, acts, strict=True) if act and time < NEVER}


def waiting(history: History, at: int) -> dict[Point, bool]:
    """The effects that the kernel carries over to a time-point, and whether each started."""
    rows = sorted(history.rows)
    ahead, times, due, is_postponable = ahead_of(history, rows)
    waits = ahead.waits(times, due, is_postponable, at)
    return {row: bool(ahead.starts[i]) for i, row in enumerate(rows) if waits[i]}


def histories(times: st.SearchStrategy[int], delays: st.SearchStrategy[int]) -> st.SearchStrategy[History]:
    points = st.sets(st.tuples(st.integers(0, 1), times), max_size=10)
    kinds = st.lists(st.builds(Kind, st.integers(0, 1), delays, st.booleans()), min_size=1, max_size=4)
    return st.builds(History, kinds, points, points)


small = histories(small_times, st.integers(1, 8))
huge = histories(huge_times, st.one_of(st.integers(1, 8), st.sampled_from([2**40, 2**62, NEVER])))


@law
@given(st.one_of(small, huge))
@example(History([Kind(0, 5, True)], {(0, 0), (0, 5)}, set()))
@example(History([Kind(0, 5, False)], {(0, 0), (0, 5)}, {(0, 5)}))
@example(History([Kind(0, 5, False)], {(0, 0), (0, 3)}, {(0, 0)}))
def test_effects_act_as_in_time_stepping(history: History) -> None:
    assert computed(history) == stepped(history)


@law
@given(small, small_times)
@example(History([Kind(0, 4, False)], {(0, 5), (0, 7)}, {(0, 5)}), 6)
@example(History([Kind(0, 4, False)], {(0, 5), (0, 7), (0, 8)}, {(0, 5)}), 8)
def test_pending_effects_determine_the_future(history: History, at: int) -> None:
    later = {(i, time) for i, time in stepped(history) if time >= at}
    carried = waiting(history, at)
    since = history.since(at)
    broken = {(history.kinds[i].source, time) for (i, time), starts in carried.items() if not starts}
    resumed = computed(History(since.kinds, since.initiations, since.breaks | broken), list(carried))
    assert {(i, time) for i, time in resumed if time >= at} == later


@law
@given(small, small_times)
def test_at_most_one_started_and_one_unstarted_effect_of_a_kind_are_pending(history: History, at: int) -> None:
    """Effects set up at the time-point itself may still be revised."""
    carried = waiting(history, at)
    assert len(carried) == len({(i, starts) for (i, _), starts in carried.items()})
    assert all(time < at for _, time in carried)


@law
@given(small, st.sets(st.integers(0, 3), max_size=3))
def test_a_contested_initiation_at_the_deadline_does_not_postpone(history: History, contested: set[int]) -> None:
    """The additional effects are postponable, contested and initiated exactly when due."""
    rows = sorted(history.rows)
    ahead, _, due, is_postponable = ahead_of(history, rows)
    is_contested = np.array([i in contested for i, _ in rows], dtype=bool)
    plain, open_ = ahead.acts(due, is_postponable), ahead.acts(due, is_postponable, is_contested)
    for row, time, before, after in zip(rows, due.tolist(), plain, open_, strict=True):
        at_deadline = (history.kinds[row[0]].source, time) in history.initiations
        assert before <= after
        assert before == after or (row[0] in contested and at_deadline and history.kinds[row[0]].is_postponable)


@law
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=4, unique=True),
    st.sets(st.tuples(st.integers(0, 1), st.integers(0, 3), small_times), max_size=8),
    st.sets(st.tuples(st.integers(0, 1), small_times), max_size=3),
    st.sets(st.tuples(st.integers(0, 3), small_times), max_size=8),
)
def test_initiations_break_the_other_values_of_their_fluent(
    fvps: list[Point], initiations: set[tuple[int, int, int]], ends: set[Point], rows: set[Point]
) -> None:
    """As breaks of each of these values do, and breaks of whole fluents those of all values."""
    rows = {(i, time) for i, time in rows if i < len(fvps)}
    each = {(i, t) for i, (f, v) in enumerate(fvps) for of, value, t in initiations if of == f and value != v}
    each |= {(i, time) for i, (fluent, _) in enumerate(fvps) for of, time in ends if of == fluent}
    (fluents, values), own = as_columns(fvps, 2), as_columns(sorted(each), 2)
    begun, ended = as_columns(sorted(initiations), 3), as_columns(sorted(ends), 2)
    none = np.empty(0, dtype=np.int64)
    written_out = Breaks(none, none, (own[0], own[1]), (none, none), (none, none, none))
    implied = Breaks(fluents, values, (none, none), (ended[0], ended[1]), (begun[0], begun[1], begun[2]))
    numbers, times = as_columns(sorted(rows), 2)
    is_postponable = np.zeros(len(times), dtype=bool)
    one, other = (schedule_effects(numbers, numbers, times, is_postponable, b) for b in (written_out, implied))
    for left, right in ((one.sets_up, other.sets_up), (one.starts, other.starts), (one.broken, other.broken)):
        assert left.tolist() == right.tolist()


def test_an_effect_due_beyond_int64_is_never_due() -> None:
    times, delays = as_columns([(5, 3), (5, NEVER), (-5, NEVER), (NEVER - 2, 1), (NEVER - 2, 9)], 2)
    assert due_times(times, delays).tolist() == [8, NEVER, NEVER - 5, NEVER - 1, NEVER]
