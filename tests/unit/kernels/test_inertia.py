"""The law of inertia against time stepping of every fluent.

Families: one value, several values, ties of every kind (two initiations, initiation and termination, both with a value
that runs already), terminations of any value, and fluents that have a value to begin with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.kernels.inertia import ANY_VALUE, BEFORE_EVERYTHING, Effects, inertial_intervals
from holdsfor.kernels.packing import OPEN
from tests.unit.kernels.lists import as_columns, huge_times, law, small_times

VALUES = [7, -(2**51), 0]
Stretch = tuple[int, int, int, int]


@dataclass(frozen=True)
class Effect:
    """An initiation or a termination; the value of a termination may be `ANY_VALUE`."""

    fluent: int
    value: int
    time: int
    is_initiation: bool


def stepped(effects: list[Effect], state: dict[int, int]) -> list[Stretch]:
    """The intervals, by stepping through the time-points with at most one current value."""
    found: list[Stretch] = []
    for fluent in sorted({*state, *(effect.fluent for effect in effects)}):
        own = [effect for effect in effects if effect.fluent == fluent]
        value, since = state.get(fluent), BEFORE_EVERYTHING
        for time in sorted({effect.time for effect in own}):
            initiated = {e.value for e in own if e.time == time and e.is_initiation}
            terminated = {e.value for e in own if e.time == time and not e.is_initiation}

            def is_broken(value: int, initiated: set[int] = initiated, terminated: set[int] = terminated) -> bool:
                return bool(initiated - {value} or terminated & {value, ANY_VALUE})

            if value is not None and is_broken(value):
                found.append((fluent, value, since, time))
                value = None
            for new in initiated:
                if value is None and not is_broken(new):
                    value, since = new, time
        if value is not None:
            found.append((fluent, value, since, OPEN))
    return found


def part_of(effects: list[Effect], *, is_initiation: bool) -> Effects:
    chosen = [(e.fluent, e.value, e.time) for e in effects if e.is_initiation == is_initiation]
    fluents, values, times = as_columns(chosen, 3)
    return Effects(fluents, values, times, is_initiation)


def computed(effects: list[Effect], state: dict[int, int]) -> list[Stretch]:
    parts = [part_of(effects, is_initiation=kind) for kind in (False, True)]
    known = np.array(list(state), dtype=np.int64), np.array(list(state.values()), dtype=np.int64)
    changes = inertial_intervals(parts, known)
    columns = (changes.fluents, changes.values, changes.begins, changes.stops)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def effects_at(times: st.SearchStrategy[int]) -> st.SearchStrategy[list[Effect]]:
    fluents = st.integers(0, 2)
    initiations = st.builds(Effect, fluents, st.sampled_from(VALUES), times, st.just(True))
    terminations = st.builds(Effect, fluents, st.sampled_from([*VALUES, ANY_VALUE]), times, st.just(False))
    return st.lists(st.one_of(initiations, terminations), max_size=14)


states = st.dictionaries(st.integers(0, 3), st.sampled_from(VALUES))


@law
@given(effects_at(small_times), states)
@example([], {})
@example([], {0: 7})
@example([Effect(0, 7, 10, True), Effect(0, 7, 20, True), Effect(0, 7, 25, False), Effect(0, 7, 30, False)], {})
def test_intervals_are_those_of_time_stepping(effects: list[Effect], state: dict[int, int]) -> None:
    assert computed(effects, state) == stepped(effects, state)


@law
@given(effects_at(st.integers(0, 2)), states)
def test_ties_are_those_of_time_stepping(effects: list[Effect], state: dict[int, int]) -> None:
    assert computed(effects, state) == stepped(effects, state)


@law
@given(effects_at(huge_times.filter(lambda time: time < OPEN - 1)), states)
def test_times_of_any_size_are_accepted(effects: list[Effect], state: dict[int, int]) -> None:
    assert computed(effects, state) == stepped(effects, state)


def test_two_values_at_once_leave_no_value() -> None:
    both = [Effect(0, 7, 5, True), Effect(0, 0, 5, True)]
    assert computed(both, {}) == []
    assert computed(both, {0: 7}) == [(0, 7, BEFORE_EVERYTHING, 5)]


def test_a_break_wins_over_an_initiation() -> None:
    effects = [Effect(0, 7, 5, True), Effect(0, 7, 5, False)]
    assert computed(effects, {}) == []
    assert computed([Effect(0, 7, 1, True), *effects], {}) == [(0, 7, 1, 5)]


def test_terminating_another_value_changes_nothing() -> None:
    assert computed([Effect(0, 7, 1, True), Effect(0, 0, 3, False)], {}) == [(0, 7, 1, OPEN)]


def test_terminating_any_value_ends_the_current_value() -> None:
    effects = [Effect(0, 7, 1, True), Effect(0, ANY_VALUE, 3, False), Effect(1, 0, 2, True)]
    assert computed(effects, {}) == [(0, 7, 1, 3), (1, 0, 2, OPEN)]


def test_a_carried_value_that_is_initiated_again_began_before() -> None:
    assert computed([Effect(0, 7, 3, True)], {0: 7}) == [(0, 7, BEFORE_EVERYTHING, OPEN)]
