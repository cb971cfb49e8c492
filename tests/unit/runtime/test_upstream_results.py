"""What others have computed: at each query time what was known then, and how far back what is to come reaches."""

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
    """Rows with the query times between which they are known, each given twice: they may come in two ways."""
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


def test_a_query_time_knows_what_was_known_then() -> None:
    found = computed([((7, 1, 4, OPEN), 10, 20), ((7, 1, 4, 15), 20, NEVER), ((8, 1, 30, OPEN), 30, NEVER)])
    assert [as_rows(found.fluents(at, 0)[KEY].columns) for at in (10, 20, 30)] == [
        [(7, 1, 4, OPEN)],
        [(7, 1, 4, 15)],
        [(7, 1, 4, 15), (8, 1, 30, OPEN)],
    ]


def test_what_is_over_is_not_told_again() -> None:
    found = computed([((7, 1, 4, 6), 10, NEVER)], [((7, 4), 10, NEVER), ((7, 6), 10, NEVER)])
    assert found.fluents(10, 5)[KEY].n == 1
    assert found.fluents(20, 6)[KEY].n == 0
    assert sorted(as_rows(found.events(10, 4)[KEY].columns)) == [(7, 4), (7, 6)]
    assert as_rows(found.events(20, 6)[KEY].columns) == [(7, 6)]


def test_an_interval_that_ends_changes_nothing_before_its_end() -> None:
    found = computed([((7, 1, 4, OPEN), 10, 20), ((7, 1, 4, 15), 20, NEVER)])
    assert [found.unchanged_until(at) for at in (10, 20, 21)] == [3, 14, OPEN]


def test_intervals_that_grow_together_change_what_lay_between_them() -> None:
    found = computed([((7, 1, 4, 6), 10, 20), ((7, 1, 9, 12), 10, 20), ((7, 1, 4, 12), 20, NEVER)])
    assert found.unchanged_until(20) == 5


def test_what_is_known_late_reaches_back_to_its_start_and_so_does_every_query_time_before() -> None:
    found = computed([((7, 1, 25, OPEN), 30, NEVER), ((8, 1, 2, OPEN), 50, NEVER)], [((7, 1), 20, 40)])
    assert [found.unchanged_until(at) for at in (20, 30, 40, 41, 50)] == [0, 0, 0, 1, 1]


def test_nothing_computed_never_changes() -> None:
    assert computed().unchanged_until(0) == OPEN
