"""Results of other sessions: their versions at each query time, and the earliest time-point of future changes."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.columns.tables import FluentTable, PointTable
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.runtime.upstream_results import NEVER, UpstreamResults
from tests.unit.kernels.lists import as_columns, as_rows

KEY = ("f", 1)
Version = tuple[tuple[int, ...], int, int]


def computed(fluents: Sequence[Version] = (), events: Sequence[Version] = ()) -> UpstreamResults:
    """Rows with the query times between which they are valid, each given twice: rows may arrive on two routes."""
    found = UpstreamResults(TupleIds())
    for _ in range(2):
        if fluents:
            found.add_fluents(KEY, FluentTable(*rows_of(fluents, 4)), *dates_of(fluents))
        if events:
            found.add_events(KEY, PointTable(*rows_of(events, 2)), *dates_of(events))
    return found


def rows_of(versions: Sequence[Version], width: int) -> tuple[tuple[Int64, ...], int]:
    return tuple(as_columns([row for row, _, _ in versions], width)), len(versions)


def dates_of(versions: Sequence[Version]) -> tuple[Int64, Int64]:
    since, until = as_columns([(known_from, known_until) for _, known_from, known_until in versions], 2)
    return since, until


def test_a_query_time_reads_the_rows_that_are_valid_then() -> None:
    found = computed([((7, 1, 4, OPEN), 10, 20), ((7, 1, 4, 15), 20, NEVER), ((8, 1, 30, OPEN), 30, NEVER)])
    assert [as_rows(found.fluents(at, 0)[KEY].columns) for at in (10, 20, 30)] == [
        [(7, 1, 4, OPEN)],
        [(7, 1, 4, 15)],
        [(7, 1, 4, 15), (8, 1, 30, OPEN)],
    ]


def test_ended_rows_are_not_returned_again() -> None:
    found = computed([((7, 1, 4, 6), 10, NEVER)], [((7, 4), 10, NEVER), ((7, 6), 10, NEVER)])
    assert found.fluents(10, 5)[KEY].n == 1
    assert found.fluents(20, 6)[KEY].n == 0
    assert sorted(as_rows(found.events(10, 4)[KEY].columns)) == [(7, 4), (7, 6)]
    assert as_rows(found.events(20, 6)[KEY].columns) == [(7, 6)]


def test_an_interval_that_ends_changes_nothing_before_its_end() -> None:
    found = computed([((7, 1, 4, OPEN), 10, 20), ((7, 1, 4, 15), 20, NEVER)])
    assert [found.unchanged_until(at) for at in (10, 20, 21)] == [3, 14, OPEN]


def test_intervals_that_merge_change_the_gap_between_them() -> None:
    found = computed([((7, 1, 4, 6), 10, 20), ((7, 1, 9, 12), 10, 20), ((7, 1, 4, 12), 20, NEVER)])
    assert found.unchanged_until(20) == 5


def test_a_late_interval_changes_the_time_from_its_start_on_for_earlier_query_times_too() -> None:
    found = computed([((7, 1, 25, OPEN), 30, NEVER), ((8, 1, 2, OPEN), 50, NEVER)], [((7, 1), 20, 40)])
    assert [found.unchanged_until(at) for at in (20, 30, 40, 41, 50)] == [0, 0, 0, 1, 1]


def test_upstream_results_without_rows_never_change() -> None:
    assert computed().unchanged_until(0) == OPEN
