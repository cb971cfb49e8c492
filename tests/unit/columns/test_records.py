"""Records that query times see: by occurrence, by arrival, and by earlier query times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.query_times import LONG_AGO, OneQuery, QueryTimes
from holdsfor.columns.records import AdmissionCounts, Records
from holdsfor.columns.tuple_ids import TupleIds
from tests.unit.kernels.lists import as_columns, as_rows, law

Row = tuple[int, ...]
START = -10

_at = st.integers(-12, 12)
_time_ranges = st.tuples(st.integers(-10, 10), st.integers(0, 10)).map(lambda pair: (pair[0], pair[0] + pair[1]))
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


@law
@given(_events, _time_ranges)
def test_events_are_seen_after_their_arrival(rows: list[Row], time_range: tuple[int, int]) -> None:
    first, last = time_range
    found = event_records(rows).events(first, last, last)
    expected = {(word, start) for word, arrival, start in rows if first <= start <= last and arrival <= last}
    assert sorted(as_rows(found.columns)) == sorted(expected)


@law
@given(_intervals, _time_ranges)
def test_intervals_that_overlap_the_range_are_seen_whole(rows: list[Row], time_range: tuple[int, int]) -> None:
    first, last = time_range
    found = interval_records(rows).intervals(first, last, last)
    seen = {(word, t) for word, start, end in as_rows(found.columns) for t in range(start, end)}
    here = [row for row in rows if row[2] <= last and row[3] > first and row[1] <= last]
    assert seen == {(word, t) for word, _, start, end in here for t in range(start, end)}


AdmissionOutcome = tuple[list[Row], int, int, int]


def expected_outcome(rows: list[Row], queries: QueryTimes) -> AdmissionOutcome:
    """Row by row: the first query time after its arrival admits or drops a record; the first of the run admits all."""
    assert queries.window is not None
    kept: list[Row] = []
    late = dropped = cut = 0
    for word, arrival, start, end in rows:
        if start > queries.end:
            kept.append((word, start, end))
            continue
        at = queries.at_or_after(arrival)
        boundary, is_first = at - queries.window, at == queries.at_or_after(START)
        oldest = -1000 if is_first or boundary < START else boundary
        if min(end - 1, queries.end) <= oldest:
            dropped += 1
            continue
        cut += start <= oldest
        late += bool(not is_first and oldest < start <= at - queries.step)  # type: ignore[operator]
        kept.append((word, max(start, oldest + 1), end))
    return sorted(kept), late, dropped, cut


_queries = st.tuples(st.integers(1, 6), st.integers(0, 8), st.integers(-5, 30)).map(
    lambda drawn: QueryTimes(START, drawn[2], drawn[0], drawn[0] + drawn[1])
)


@law
@given(_intervals, _queries)
def test_records_are_judged_by_the_query_time_that_sees_them_first(rows: list[Row], queries: QueryTimes) -> None:
    records = interval_records(rows)
    admission_counts = records.admit(queries, queries.end, 1)
    assert records.ends is not None
    kept = sorted(zip(records.columns[0].tolist(), records.seen_from.tolist(), records.ends.tolist(), strict=True))
    assert (kept, admission_counts.n_late, admission_counts.n_dropped, admission_counts.n_cut) == expected_outcome(
        rows, queries
    )


@law
@given(_intervals, _queries)
def test_judging_by_single_query_times_agrees_with_judging_all(rows: list[Row], queries: QueryTimes) -> None:
    assert queries.window is not None
    together, apart, admission_counts = interval_records(rows), interval_records(rows), AdmissionCounts()
    expected = together.admit(queries, queries.end, 1)
    previous: int | None = None
    for at in queries.up_to(queries.at_or_after(20)):
        boundary = at - queries.window
        query = OneQuery(at, at, previous, boundary if boundary >= START else LONG_AGO)
        admission_counts.add(apart.admit(query, queries.end, 1))
        previous = at
    assert admission_counts == expected
    assert np.array_equal(apart.seen_from, together.seen_from)


@law
@given(_intervals, _queries)
def test_a_window_that_is_wide_enough_cuts_nothing(rows: list[Row], queries: QueryTimes) -> None:
    admission_counts = interval_records(rows).admit(queries, queries.end, 1)
    wide = replace(queries, window=max(admission_counts.widest, queries.window or 0))
    assert interval_records(rows).admit(wide, queries.end, 1).n_cut <= admission_counts.n_dropped


@law
@given(_intervals, _time_ranges, st.integers(-10, 10))
def test_dropping_ended_records_does_not_change_later_windows(
    rows: list[Row], time_range: tuple[int, int], before: int
) -> None:
    records = interval_records(rows)
    records.evict(min(before, time_range[0]), time_range[1])
    seen, expected = (
        records.intervals(*time_range, time_range[1]),
        interval_records(rows).intervals(*time_range, time_range[1]),
    )
    assert sorted(as_rows(seen.columns)) == sorted(as_rows(expected.columns))


@law
@given(_events, _events, _time_ranges)
def test_records_may_be_added_in_any_order(first: list[Row], second: list[Row], time_range: tuple[int, int]) -> None:
    records = event_records(first)
    records.events(*time_range, time_range[1])
    records.append(event_records(second))
    expected = event_records(second + first).events(*time_range, time_range[1])
    assert sorted(as_rows(records.events(*time_range, time_range[1]).columns)) == sorted(as_rows(expected.columns))


@law
@given(st.lists(_events, max_size=4), st.booleans())
def test_records_added_in_pieces_are_numbered_and_compared_like_records_added_at_once(
    pieces: list[list[Row]], are_sorted_between: bool
) -> None:
    instances, records, rows = TupleIds(), event_records([]), [row for piece in pieces for row in piece]
    for piece in pieces:
        records.append(event_records(piece))
        assert not records.events(-20, 20, 20).is_numbered((0,))
        records.number((0,), instances)
        if are_sorted_between:
            records.sort()
    found = records.events(-20, 20, 20)
    assert sorted(as_rows(found.columns)) == sorted({(word, start) for word, arrival, start in rows if arrival <= 20})
    if rows:
        assert found.is_numbered((0,))
        assert instances.words(1, found.numbers((0,), instances))[0].tolist() == found.columns[0].tolist()


def test_a_touching_record_extends_an_interval() -> None:
    records = interval_records([(0, 0, 1, 3), (0, 0, 3, 6), (0, 0, 8, 9)])
    assert as_rows(records.intervals(0, 9, 9).columns) == [(0, 1, 6), (0, 8, 9)]


def test_a_cut_record_is_not_seen_before_its_window() -> None:
    records = interval_records([(0, 13, 6, 26)])
    records.admit(QueryTimes(0, 18, 6, 12), 18, 1)
    records.arrive(18)
    assert records.intervals(0, 6, 6).n == 0
    assert as_rows(records.intervals(0, 7, 7).columns) == [(0, 7, 26)]


def test_no_records_give_empty_tables() -> None:
    assert event_records([]).events(0, 9, 9).n == 0
    assert interval_records([]).intervals(0, 9, 9).n == 0
    assert np.array_equal(event_records([]).up_to(3).starts, np.empty(0, dtype=np.int64))
