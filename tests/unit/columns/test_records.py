"""Records as they are seen at query times: by occurrence, by arrival, and by what was settled before."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.records import Records
from tests.unit.kernels.lists import as_columns, as_rows, law

Row = tuple[int, ...]
START = -10

_at = st.integers(-12, 12)
_stretches = st.tuples(st.integers(-10, 10), st.integers(0, 10)).map(lambda pair: (pair[0], pair[0] + pair[1]))
_events = st.lists(st.tuples(st.integers(0, 1), _at, _at), max_size=8)
_intervals = st.lists(st.tuples(st.integers(0, 1), _at, _at, st.integers(1, 8)), max_size=8).map(
    lambda rows: [(word, arrival, start, start + length) for word, arrival, start, length in rows]
)
_queries = st.lists(st.integers(-9, 14), min_size=1, max_size=4, unique=True).map(sorted)


def event_records(rows: list[Row]) -> Records:
    word, arrivals, starts = as_columns(rows, 3)
    return Records([word], arrivals, starts, None)


def interval_records(rows: list[Row]) -> Records:
    word, arrivals, starts, ends = as_columns(rows, 4)
    return Records([word], arrivals, starts, ends)


@law
@given(_events, _stretches)
def test_events_are_seen_once_they_arrived(rows: list[Row], stretch: tuple[int, int]) -> None:
    first, last = stretch
    found = event_records(rows).events(first, last)
    expected = {(word, start) for word, arrival, start in rows if first <= start <= last and arrival <= last}
    assert sorted(as_rows(found.columns)) == sorted(expected)


@law
@given(_intervals, _stretches)
def test_intervals_that_reach_into_the_stretch_are_seen_whole(rows: list[Row], stretch: tuple[int, int]) -> None:
    first, last = stretch
    found = interval_records(rows).intervals(first, last)
    seen = {(word, t) for word, start, end in as_rows(found.columns) for t in range(start, end)}
    here = [row for row in rows if row[2] <= last and row[3] > first and row[1] <= last]
    assert seen == {(word, t) for word, _, start, end in here for t in range(start, end)}


def judged(rows: list[Row], queries: list[int], window: int) -> tuple[list[Row], int, int]:
    """Row by row: each is judged by the first query time after its arrival, unless that is the very first."""
    kept: list[Row] = []
    late = dropped = 0
    for word, arrival, start, end in rows:
        position = next((i for i, at in enumerate(queries) if arrival <= at), None)
        boundary = queries[position] - window if position else START - 1
        oldest = boundary if boundary >= START else -1000
        if position and end - 1 <= oldest:
            dropped += 1
            continue
        late += bool(position and end - 1 <= queries[position - 1])
        kept.append((word, max(start, oldest + 1) if position else start, end))
    return sorted(kept), late, dropped


@law
@given(_intervals, _queries, st.integers(1, 12))
def test_records_are_judged_by_the_query_time_that_sees_them_first(
    rows: list[Row], queries: list[int], window: int
) -> None:
    records = interval_records(rows)
    late, dropped = records.admit(queries, None, window, START, 1)
    assert records.ends is not None
    kept = sorted(zip(records.columns[0].tolist(), records.seen_from.tolist(), records.ends.tolist(), strict=True))
    assert (kept, late, dropped) == judged(rows, queries, window)


@law
@given(_events, _queries, st.integers(1, 12))
def test_judging_one_query_time_after_another_is_judging_all(rows: list[Row], queries: list[int], window: int) -> None:
    together, apart = event_records(rows), event_records(rows)
    expected = together.admit(queries, None, window, START, 1)
    counts = [
        apart.admit([at], previous, window, START, 1)
        for previous, at in zip([None, *queries[:-1]], queries, strict=True)
    ]
    assert (sum(late for late, _ in counts), sum(dropped for _, dropped in counts)) == expected
    assert np.array_equal(apart.starts, together.starts)


@law
@given(_intervals, _stretches, st.integers(-10, 10))
def test_forgetting_what_is_over_changes_nothing_that_can_be_seen(
    rows: list[Row], stretch: tuple[int, int], before: int
) -> None:
    records = interval_records(rows)
    records.forget(min(before, stretch[0]), stretch[1])
    seen, expected = records.intervals(*stretch), interval_records(rows).intervals(*stretch)
    assert sorted(as_rows(seen.columns)) == sorted(as_rows(expected.columns))


@law
@given(_events, _events, _stretches)
def test_records_may_be_added_in_any_order(first: list[Row], second: list[Row], stretch: tuple[int, int]) -> None:
    records = event_records(first)
    records.events(*stretch)
    records.append(event_records(second))
    expected = event_records(second + first).events(*stretch)
    assert sorted(as_rows(records.events(*stretch).columns)) == sorted(as_rows(expected.columns))


def test_a_touching_record_extends_an_interval() -> None:
    records = interval_records([(0, 0, 1, 3), (0, 0, 3, 6), (0, 0, 8, 9)])
    assert as_rows(records.intervals(0, 9).columns) == [(0, 1, 6), (0, 8, 9)]


def test_what_a_window_cuts_is_not_seen_before_it_begins() -> None:
    records = interval_records([(0, 13, 6, 26)])
    records.admit([6, 12, 18], None, 12, 0, 1)
    records.arrive(18)
    assert records.intervals(0, 6).n == 0
    assert as_rows(records.intervals(0, 7).columns) == [(0, 7, 26)]


def test_no_records_are_seen_as_nothing() -> None:
    assert event_records([]).events(0, 9).n == 0
    assert interval_records([]).intervals(0, 9).n == 0
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
    records.take_back(records.partners(interval_records([(0, 15, 1, 20), (1, 15, 12, 20), (2, 15, 1, 20)])), 12, 10, 1)
    assert as_rows(records.intervals(5, 15).columns) == [(0, 1, 11)]


@law
@given(_events, _events)
def test_what_is_added_and_taken_back_leaves_nothing(stay: list[Row], passing: list[Row]) -> None:
    records = event_records(stay)
    records.append(event_records(passing))
    records.take_back(records.partners(event_records(passing)), None, 0, 1)
    assert Counter(as_rows([records.columns[0], records.starts])) == Counter(facts(stay))


@law
@given(_events, _events, _stretches)
def test_an_event_is_seen_until_the_last_of_equal_ones_is_taken_back(
    here: list[Row], taken: list[Row], stretch: tuple[int, int]
) -> None:
    records = event_records(here)
    records.events(*stretch)
    partners = records.partners(event_records(taken))
    stored = as_rows([records.columns[0], records.arrivals, records.starts])
    left = [row for i, row in enumerate(stored) if i not in partners.tolist()]
    records.take_back(partners[partners >= 0], None, 0, 1)
    seen, expected = records.events(*stretch), event_records(left).events(*stretch)
    assert sorted(as_rows(seen.columns)) == sorted(as_rows(expected.columns))
