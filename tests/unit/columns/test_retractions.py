"""Retractions on columns against a model by time-points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.query_times import QueryTimes
from holdsfor.columns.records import Records
from holdsfor.columns.retractions import apply_retractions
from tests.unit.kernels.lists import law

START, END = 0, 40
EVERYTHING = QueryTimes(START, END)


@dataclass(frozen=True)
class Operation:
    """An insertion or retraction of `[start, end)`; its place is its number."""

    word: int
    arrival: int
    start: int
    end: int
    is_retraction: bool


_operations = st.lists(
    st.builds(
        lambda word, late, start, length, is_retraction: Operation(
            word, start + late, start, start + length, is_retraction
        ),
        st.integers(0, 1),
        st.integers(0, 25),
        st.integers(0, 12),
        st.sampled_from([1, 2, 4, 8]),
        st.booleans(),
    ),
    max_size=10,
)
_queries = st.tuples(st.integers(1, 8), st.integers(0, 8)).map(
    lambda drawn: QueryTimes(START, END, drawn[0], drawn[0] + drawn[1])
)


def records_of(operations: list[Operation], *, are_retractions: bool) -> Records:
    rows = [(each, place) for place, each in enumerate(operations) if each.is_retraction == are_retractions]

    def column(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(values, dtype=np.int64)

    return Records(
        [column([each.word for each, _ in rows])],
        column([each.arrival for each, _ in rows]),
        column([each.start for each, _ in rows]),
        column([each.end for each, _ in rows]),
        places=column([place for _, place in rows]),
    )


Seen = set[tuple[int, int]]


def model(operations: list[Operation], queries: QueryTimes) -> tuple[Seen, int]:
    """The remaining time-points of each word, and the number of unmatched retractions."""
    names: dict[tuple[int, int, int], None] = {}
    seen: Seen = set()
    unmatched = 0
    order = sorted(range(len(operations)), key=lambda i: (operations[i].arrival, i))
    by_query: dict[int, list[Operation]] = {}
    for i in order:
        by_query.setdefault(queries.at_or_after(operations[i].arrival), []).append(operations[i])
    for at, due in sorted(by_query.items()):
        oldest = int(queries.oldest(np.array([at], dtype=np.int64))[0])
        for each in due:
            name = (each.word, each.start, each.end)
            if each.end - 1 <= oldest:
                continue
            if not each.is_retraction:
                names.setdefault(name)
                continue
            around = [n for n in names if n[0] == each.word and n[1] <= each.start and each.end <= n[2]]
            if not around:
                unmatched += 1
                continue
            whole = name if name in names else around[-1]
            del names[whole]
            for start, end in ((whole[1], each.start), (each.end, whole[2])):
                if start < end and end - 1 > oldest:
                    names.setdefault((each.word, start, end))
        inside = {(word, t) for word, start, end in names for t in range(start, end) if t > oldest}
        seen = {point for point in seen if point[1] <= oldest} | inside
    return seen, unmatched


def points(records: Records) -> Seen:
    assert records.ends is not None
    rows = zip(records.columns[0].tolist(), records.seen_from.tolist(), records.ends.tolist(), strict=True)
    return {(word, t) for word, start, end in rows for t in range(start, end)}


@law
@given(_operations)
def test_without_windows_operations_apply_in_their_order(operations: list[Operation]) -> None:
    records, taken = (records_of(operations, are_retractions=which) for which in (False, True))
    done = apply_retractions(records, taken, EVERYTHING, 1)
    assert (points(done.records), len(done.unmatched)) == model(operations, EVERYTHING)


@law
@given(_operations, _queries)
def test_retractions_do_not_change_settled_time_points(operations: list[Operation], queries: QueryTimes) -> None:
    records, taken = (records_of(operations, are_retractions=which) for which in (False, True))
    records.admit(queries, END, 1)
    done = apply_retractions(records, taken, queries, 1)
    assert (points(done.records), len(done.unmatched)) == model(operations, queries)


def test_a_partial_retraction_splits_a_record_into_records() -> None:
    operations = [
        Operation(0, 1, 0, 20, False),
        Operation(0, 2, 5, 8, True),
        Operation(0, 3, 0, 20, True),
        Operation(0, 4, 8, 20, True),
    ]
    records, taken = (records_of(operations, are_retractions=which) for which in (False, True))
    done = apply_retractions(records, taken, EVERYTHING, 1)
    assert (points(done.records), done.unmatched) == ({(0, t) for t in range(5)}, [1])
