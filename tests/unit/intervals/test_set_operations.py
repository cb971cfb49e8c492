"""Set operations on lists of intervals, key by key, against the reference's, in every form of lists."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdsfor as hf
from holdsfor.errors import UsageProblem
from holdsfor.intervals import OPEN, complement, intersect, merge, subtract, union
from holdsfor.reference import intervals as reference
from tests.unit.kernels.lists import KeyedList, as_columns, keyed_intervals, law, small_times, times

N_KEYS = 3
any_intervals = keyed_intervals(st.one_of(small_times, times), N_KEYS).map(
    lambda rows: [row for row in rows if row[1] < row[2]]
)
Row = tuple[int, int, int]


def arrays(rows: KeyedList) -> tuple[Any, ...]:
    keys, starts, ends = as_columns(rows, 3)
    return starts, ends, keys


def table(rows: KeyedList) -> Any:
    keys, starts, ends = as_columns(rows, 3)
    names = pa.array([f"v{key}" for key in keys.tolist()], pa.string()).dictionary_encode()
    return pa.table({"vessel": names, "start": starts, "end": pa.array(ends, mask=ends == OPEN)})


def of_arrays(result: tuple[Any, ...]) -> set[Row]:
    return {(k, s, e) for s, e, k in zip(*(column.tolist() for column in result), strict=True)}


def of_table(result: Any) -> set[Row]:
    return {
        (int(row["vessel"][1:]), row["start"], OPEN if row["end"] is None else row["end"]) for row in result.to_pylist()
    }


def of_key(rows: KeyedList, key: int) -> reference.Intervals:
    return reference.maximal([(s, reference.INF if e == OPEN else e) for k, s, e in rows if k == key])


def by_key(operation: Any, *lists: KeyedList) -> set[Row]:
    """The lists of the reference, for the keys that occur."""
    keys = {row[0] for rows in lists for row in rows}
    return {
        (key, start, OPEN if end == reference.INF else int(end))
        for key in keys
        for start, end in operation([of_key(rows, key) for rows in lists])
    }


@law
@given(st.lists(any_intervals, min_size=1, max_size=3))
def test_the_union_is_the_reference_union(lists: list[KeyedList]) -> None:
    expected = by_key(reference.union, *lists)
    assert of_arrays(union(*map(arrays, lists))) == expected
    assert of_table(union(*map(table, lists))) == expected


@law
@given(st.lists(any_intervals, min_size=1, max_size=3))
def test_the_intersection_is_the_reference_intersection(lists: list[KeyedList]) -> None:
    expected = by_key(reference.intersect, *lists)
    assert of_arrays(intersect(*map(arrays, lists))) == expected
    assert of_table(intersect(*map(table, lists), keys="vessel")) == expected


@law
@given(any_intervals, st.lists(any_intervals, max_size=2))
def test_the_difference_is_the_reference_difference(base: KeyedList, others: list[KeyedList]) -> None:
    expected = by_key(lambda lists: reference.relative_complement(lists[0], lists[1:]), base, *others)
    assert of_arrays(subtract(arrays(base), *map(arrays, others))) == expected
    assert of_table(subtract(table(base), *map(table, others))) == expected


@law
@given(st.lists(any_intervals, min_size=1, max_size=2), small_times)
def test_the_complement_is_the_reference_complement(lists: list[KeyedList], since: int) -> None:
    expected = by_key(lambda own: reference.complement(own, since), *lists)
    assert of_arrays(complement(*map(arrays, lists), since=since)) == expected
    assert of_table(complement(*map(table, lists), since=since)) == expected


@law
@given(any_intervals)
def test_the_result_is_sorted_by_key_and_start(rows: KeyedList) -> None:
    starts, _, keys = merge(arrays(rows))
    first = list(dict.fromkeys(row[0] for row in rows))
    found = list(zip([first.index(key) for key in keys.tolist()], starts.tolist(), strict=True))
    assert found == sorted(found)


def test_without_keys_an_empty_list_has_a_complement() -> None:
    starts, ends = complement(([], []), since=3)
    assert (starts.tolist(), ends.tolist()) == ([3], [OPEN])


def test_a_complement_ends_at_until() -> None:
    starts, ends = complement(([2, 8], [5, 20]), since=0, until=10)
    assert (starts.tolist(), ends.tolist()) == ([0, 5], [2, 8])
    assert len(complement(([2], [5]), since=3, until=3)[0]) == 0


def test_a_key_may_have_several_columns() -> None:
    found = merge(([1, 2, 3], [2, 3, 4], ["a", "a", "a"], [7, 7, 8]))
    assert [column.tolist() for column in found] == [[1, 3], [3, 4], ["a", "a"], [7, 8]]


def test_a_table_keeps_its_names_and_types() -> None:
    input_fact_table = pa.table(
        {
            "mmsi": pa.array([1, None, None], pa.int32()),
            "from": pa.array([3, 1, 2], pa.int16()),
            "to": pa.array([5, 2, None], pa.int16()),
            "speed": [0.1, 0.2, 0.3],
        }
    )
    found = merge(input_fact_table, keys=["mmsi"], times=("from", "to"))
    assert found.schema.names == ["mmsi", "from", "to"]
    assert found.schema.field("mmsi").type == pa.int32()
    assert found.to_pylist() == [{"mmsi": 1, "from": 3, "to": 5}, {"mmsi": None, "from": 1, "to": None}]


def test_dates_and_timestamps_keep_their_types() -> None:
    days = np.array(["2024-03-01", "2024-03-02"], dtype="datetime64[D]")
    starts, ends = merge((days, np.array(["2024-03-02", "NaT"], dtype="datetime64[D]")))
    assert starts.tolist() == [days[0].item()]
    assert np.isnat(ends).all()
    for kind in (pa.timestamp("us", tz="Europe/Athens"), pa.date32(), pa.date64(), pa.timestamp("s")):
        spans = pa.table(
            {
                "start": pa.array([datetime(2024, 3, 1), datetime(2024, 3, 3)]).cast(pa.timestamp("s")).cast(kind),
                "end": pa.array([datetime(2024, 3, 2), None], pa.timestamp("s")).cast(kind),
            }
        )
        assert merge(spans).equals(spans)
        gap = complement(spans, since=datetime(2024, 3, 1))
        assert gap.schema == spans.schema
        assert gap["start"].to_pylist() == spans["end"].to_pylist()[:1]


def test_a_record_batch_is_a_table() -> None:
    batch = pa.record_batch({"start": [1, 2], "end": [2, 5]})
    assert merge(batch).to_pylist() == [{"start": 1, "end": 5}]


def test_frames_of_pandas_are_returned_as_frames() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(
        {"vessel": ["b", "a", "a"], "start": [1, 2**60 + 1, 7], "end": [4, 2**60 + 3, 9]}, index=[5, 6, 7]
    )
    found = merge(frame)
    assert type(found) is pandas.DataFrame
    assert found.to_dict("list") == {"vessel": ["b", "a", "a"], "start": [1, 7, 2**60 + 1], "end": [4, 9, 2**60 + 3]}
    rest = complement(frame, since=0)
    assert rest["start"].tolist()[-1] == 2**60 + 3
    assert rest["end"].isna().tolist() == [False, True, False, False, True]
    moments = pandas.DataFrame({"start": ["2024-01-01"], "end": [None]}).astype("datetime64[us]")
    assert merge(moments)["end"].isna().all()


def test_frames_of_polars_are_returned_as_frames() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame({"vessel": ["a", "a"], "start": [1, 4], "end": [4, None]})
    found = merge(frame)
    assert isinstance(found, polars.DataFrame)
    assert found.rows() == [("a", 1, None)]


@pytest.mark.parametrize(
    ("lists", "options", "message"),
    [
        ([], {}, "HF760.*at least one list of intervals, found none"),
        ([7], {}, "HF760.*expected a list of intervals, found `int`"),
        ([([1],)], {}, "HF760.*starts and ends of the list, found 1"),
        ([([1], [2, 3])], {}, "HF760.*as many ends as starts of the list, found 2 and 1"),
        ([([1], [2], [1, 2])], {}, "HF760.*as many keys as starts of the list, found 2 and 1"),
        ([([1], [2]), ([1], [2], [3])], {}, "HF760.*keys of 0 parts in every list, found one with 1"),
        ([([1.0], [2.0])], {}, "HF760.*array of float64"),
        ([([[1]], [[2]])], {}, "HF760.*one dimension"),
        ([([1], [2])], {"keys": "vessel"}, "HF760.*no names of keys with arrays"),
        ([([1], [2]), pa.table({"start": [1], "end": [2]})], {}, "HF760.*arrays and tables"),
        ([pa.table({"start": [1], "ende": [2]})], {}, "(?s)HF760.*column `end` of the list not found.*`ende`"),
        ([pa.table({"start": [1], "end": [2]})], {"keys": ["who"]}, "HF760.*`who` of the list not found"),
        ([pa.table({"start": ["x"], "end": ["y"]})], {}, "HF760.*expected times .* found string"),
        (
            [pa.table({"start": pa.array([None, 1]), "end": [3, 4]})],
            {},
            "HF760.*start of the list of row 0, found noth",
        ),
        ([(np.array([2**63], dtype=np.uint64), np.array([2**63 + 5], dtype=np.uint64))], {}, "HF760.*63 bits"),
        ([(np.array([1]), np.array(["2024-01-01"], dtype="M8[D]"))], {}, "HF760.*of one kind, found integers and"),
        ([pa.table({"start": [1], "end": [2], "k": [[1]]})], {}, "HF760.*keys that can be compared, found list"),
        ([([1], [2], ["a"]), ([1], [2], [object()])], {}, "HF760.*keys that can be compared, found object"),
        ([([1], [2], ["1"]), ([1], [2], [1])], {}, "HF760.*keys of one kind on all sides, found texts and integers"),
        ([([1], [2], [1.0]), ([1], [2], [2**53 + 1])], {}, "HF760.*found double and integers"),
        ([[(1, 2), (3, 4)]], {}, "(?s)HF760.*found pairs.*zip"),
        ([((1, 2), (3, 4))], {}, "HF760.*found pairs"),
        ([pa.table({"start": [1], "end": [2]})], {"keys": 3}, "HF760.*names of columns as keys, found `3`"),
        ([([3, 5], [2, 5])], {}, "(?s)HF761.*row 0 of the list ends at 2, not after its start 3.*1 other row too"),
    ],
)
def test_an_invalid_list_of_intervals_is_refused(lists: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageProblem, match=message):
        union(*lists, **options)


@pytest.mark.parametrize("since", ["today", 1.5, 2**70, None])
def test_a_complement_begins_at_a_time(since: Any) -> None:
    with pytest.raises(UsageProblem, match=r"HF760.*as time"):
        complement(([1], [2]), since=since)
    with pytest.raises(UsageProblem, match=r"HF761.*`until` not before `since`"):
        complement(([1], [2]), since=5, until=4)


def test_the_package_exports_the_set_operations() -> None:
    assert hf.intervals.merge is merge
    assert not hasattr(hf, "interval")
