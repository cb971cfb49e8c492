"""Records as they are seen at a query time: by occurrence, by arrival, and by what was settled before."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.records import Records, Sight
from tests.unit.kernels.lists import as_columns, as_rows, law

Row = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    rows: list[Row]
    sight: Sight


def sights() -> st.SearchStrategy[Sight]:
    """What a query time may see: the boundary, then the window before it, then the query time before."""

    def sight(first: int, oldest: int, known: int, last: int) -> Sight:
        first, oldest, known, last = sorted((first, oldest, known, last))
        return Sight(first, last, oldest, known)

    at = st.integers(-10, 10)
    return st.builds(sight, at, at, at, at)


SIGHT = Sight(first=5, last=15, oldest=10, known=12)
_at = st.integers(-12, 12)
_events = st.lists(st.tuples(st.integers(0, 1), _at, _at), max_size=8)
_intervals = st.lists(st.tuples(st.integers(0, 1), _at, _at, st.integers(1, 8)), max_size=8).map(
    lambda rows: [(word, arrival, start, start + length) for word, arrival, start, length in rows]
)


def event_records(rows: list[Row]) -> Records:
    word, arrivals, starts = as_columns(rows, 3)
    return Records([word], arrivals, starts, None)


def interval_records(rows: list[Row]) -> Records:
    word, arrivals, starts, ends = as_columns(rows, 4)
    return Records([word], arrivals, starts, ends)


def is_in_time(start: int, arrival: int, sight: Sight) -> bool:
    return arrival <= (sight.last if start > sight.oldest else sight.known)


@law
@given(_events, sights())
def test_events_are_seen_if_they_came_in_time(rows: list[Row], sight: Sight) -> None:
    found = event_records(rows).events(sight)
    expected = {
        (word, start)
        for word, arrival, start in rows
        if sight.first <= start <= sight.last and is_in_time(start, arrival, sight)
    }
    assert sorted(as_rows(found.columns)) == sorted(expected)


@law
@given(_intervals, sights())
def test_intervals_are_seen_whole_unless_they_came_late(rows: list[Row], sight: Sight) -> None:
    """Time-point by time-point: what lies before the window must have been known at the query time before."""
    found = interval_records(rows).intervals(sight, 1)
    seen = {(word, t) for word, start, end in as_rows(found.columns) for t in range(start, end)}
    expected: set[tuple[int, int]] = set()
    for word, arrival, start, end in rows:
        if start <= sight.last and end > sight.first and arrival <= sight.last:
            begin = start if is_in_time(start, arrival, sight) else sight.oldest + 1
            expected |= {(word, t) for t in range(begin, end)}
    assert seen == expected


@law
@given(_intervals, sights(), st.integers(-10, 10))
def test_forgetting_what_is_over_changes_nothing_that_can_be_seen(rows: list[Row], sight: Sight, before: int) -> None:
    records = interval_records(rows)
    records.forget(min(before, sight.first), sight.last)
    assert as_rows(records.intervals(sight, 1).columns) == as_rows(interval_records(rows).intervals(sight, 1).columns)


@law
@given(_events, _events, sights())
def test_records_may_be_added_in_any_order(first: list[Row], second: list[Row], sight: Sight) -> None:
    records = event_records(first)
    records.events(sight)
    records.append(event_records(second))
    expected = event_records(second + first).events(sight)
    assert sorted(as_rows(records.events(sight).columns)) == sorted(as_rows(expected.columns))


@law
@given(_events, sights())
def test_late_and_dropped_records_are_counted_apart(rows: list[Row], sight: Sight) -> None:
    late, dropped = event_records(rows).count_late(sight)
    new = [(start, arrival) for _, arrival, start in rows if sight.known < arrival <= sight.last]
    assert dropped == sum(start <= sight.oldest for start, _ in new)
    assert late == sum(sight.oldest < start <= sight.known for start, _ in new)


def test_a_touching_record_extends_an_interval() -> None:
    records = interval_records([(0, 0, 1, 3), (0, 0, 3, 6), (0, 0, 8, 9)])
    assert as_rows(records.intervals(Sight(0, 9, -1, 9), 1).columns) == [(0, 1, 6), (0, 8, 9)]


def test_no_records_are_seen_as_nothing() -> None:
    sight = Sight(0, 9, -1, 9)
    assert event_records([]).events(sight).n == 0
    assert interval_records([]).intervals(sight, 1).n == 0
    assert np.array_equal(event_records([]).up_to(3).starts, np.empty(0, dtype=np.int64))


# -- retractions -------------------------------------------------------------------------------------------------------


def facts(rows: list[Row]) -> list[Row]:
    """What makes records equal: everything but the arrival."""
    return [(word, *times) for word, _, *times in rows]


@law
@given(_intervals, st.data())
def test_every_record_finds_an_equal_one_as_long_as_there_is_one(here: list[Row], data: st.DataObject) -> None:
    taken = data.draw(st.lists(st.sampled_from([*here, (0, 0, 99, 100)]), max_size=6))
    records = interval_records(here)
    partners = records.partners(interval_records(taken)).tolist()
    assert records.ends is not None
    stored = as_rows([records.columns[0], records.starts, records.ends])
    found = [partner for partner in partners if partner >= 0]
    assert len(set(found)) == len(found)
    assert all(stored[p] == fact for p, fact in zip(partners, facts(taken), strict=True) if p >= 0)
    expected = Counter(facts(here)) & Counter(facts(taken))
    assert Counter(stored[partner] for partner in found) == expected


def test_of_equal_records_the_last_to_arrive_is_taken_back() -> None:
    records = event_records([(0, 7, 3), (0, 9, 3), (0, 8, 3)])
    partners = records.partners(event_records([(0, 20, 3)]))
    assert records.arrivals[partners].tolist() == [9]


def test_of_a_record_that_was_known_only_what_lies_in_the_window_is_taken_back() -> None:
    records = interval_records([(0, 1, 1, 20), (1, 1, 12, 20), (2, 14, 1, 20)])
    records.take_back(records.partners(interval_records([(0, 15, 1, 20), (1, 15, 12, 20), (2, 15, 1, 20)])), SIGHT, 1)
    assert as_rows(records.intervals(SIGHT, 1).columns) == [(0, 1, 11)]


@law
@given(_events, _events, sights())
def test_what_is_added_and_taken_back_leaves_nothing(stay: list[Row], passing: list[Row], sight: Sight) -> None:
    records = event_records(stay)
    records.append(event_records(passing))
    records.take_back(records.partners(event_records(passing)), sight, 1)
    assert Counter(as_rows([records.columns[0], records.starts])) == Counter(facts(stay))
