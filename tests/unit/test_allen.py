"""Allen's relations as people call them: by rows in any order, on lists in any form."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdsfor as hf
from holdsfor.allen import MODES, RELATIONS, Relation, compare, pairs, relate
from holdsfor.errors import UsageProblem
from holdsfor.intervals import OPEN
from holdsfor.reference.intervals import INF, allen, maximal
from holdsfor.syntax.rules import AllenMode, AllenRelation
from tests.unit.kernels.lists import KeyedList, as_columns, law
from tests.unit.kernels.test_allen import any_intervals, interval, maximal_intervals, slow_pairs

shuffled = maximal_intervals.flatmap(lambda rows: st.permutations(rows))


def columns(rows: KeyedList) -> tuple[Any, Any, Any]:
    keys, starts, ends = as_columns(rows, 3)
    return keys, starts, ends


@law
@given(any_intervals, shuffled, st.sampled_from(RELATIONS))
def test_the_pairs_are_those_of_the_callers_rows(sources: KeyedList, targets: KeyedList, relation: Relation) -> None:
    keys, starts, ends = columns(sources)
    keys2, starts2, ends2 = columns(targets)
    found = pairs(starts, ends, starts2, ends2, relation, keys=keys, keys2=keys2)
    expected = slow_pairs(relation, sources, targets)
    rows, other_rows = found.expand()
    assert sorted(zip(rows.tolist(), other_rows.tolist(), strict=True)) == expected
    assert len(found) == len(expected)
    assert np.flatnonzero(found.sources_matched).tolist() == sorted({n for n, _ in expected})
    assert np.flatnonzero(found.targets_matched).tolist() == sorted({m for _, m in expected})
    by_hand = [(n, m) for n, (lo, hi) in zip(found.sources, found.ranges, strict=True) for m in found.targets[lo:hi]]
    assert sorted(by_hand) == expected


@law
@given(any_intervals, shuffled, st.integers(0, 5), st.integers(1, 4))
def test_many_pairs_can_be_had_piece_by_piece(sources: KeyedList, targets: KeyedList, first: int, size: int) -> None:
    _, starts, ends = columns([(0, start, end) for _, start, end in sources])
    _, starts2, ends2 = columns([row for row in targets if row[0] == 0])
    found = pairs(starts, ends, starts2, ends2, "before")
    whole = list(zip(*(column.tolist() for column in found.expand()), strict=True))
    piece = list(zip(*(column.tolist() for column in found.expand(first, first + size)), strict=True))
    assert piece == whole[first : first + size]


@law
@given(any_intervals, any_intervals, st.sampled_from(get_args(AllenRelation)), st.sampled_from(MODES))
def test_lists_are_made_maximal_and_related_as_in_the_language(
    sources: KeyedList, targets: KeyedList, relation: AllenRelation, mode: AllenMode
) -> None:
    expected = {
        (key, start, OPEN if end == INF else end)
        for key in range(3)
        for start, end in allen(
            relation,
            maximal([interval(row) for row in sources if row[0] == key]),
            maximal([interval(row) for row in targets if row[0] == key]),
            mode,
        )
    }
    one, two = ((starts, ends, keys) for keys, starts, ends in (columns(sources), columns(targets)))
    starts, ends, keys = relate(one, two, relation, mode)
    assert set(zip(keys.tolist(), starts.tolist(), ends.tolist(), strict=True)) == expected


def test_all_relations_are_counted_from_one_comparison() -> None:
    found = compare([5, 0], [10, 3], [10, 20], [12, 30])
    assert {name: n for name, n in found.counts().items() if n} == {"meets": 1, "before": 3}
    assert repr(found) == "Compared: 2 sources, 2 targets"
    assert repr(found.pairs("meets")) == "Pairs: `meets` holds once, between 1 of 2 sources and 1 of 2 targets"


def test_columns_may_be_arrow_with_keys_of_several_columns() -> None:
    ends = pa.chunked_array([[4], [None]])
    found = pairs(
        pa.array([1, 6]),
        ends,
        [0, 5],
        [5, 9],
        "finishes",
        keys=[pa.array(["a", "b"]), [1, 1]],
        keys2=[np.array(["b", "a"]), np.array([1, 2])],
    )
    assert len(found) == 0
    again = pairs(pa.array([1, 6]), ends, [0, 5], [4, OPEN], "finishes", keys=["a", "b"], keys2=["a", "b"])
    assert again.expand()[0].tolist() == [0, 1]


def test_touching_targets_are_compared_as_they_are() -> None:
    found = pairs([0], [10], [2, 4], [4, 6], "contains")
    assert found.expand()[1].tolist() == [0, 1]


def test_dates_are_times() -> None:
    days = np.array(["2024-03-01", "2024-03-05"], dtype="datetime64[D]")
    assert len(pairs(days[:1], days[1:], days[1:], days[1:] + 3, "meets")) == 1
    frame = pa.table({"start": days, "end": days + 2})
    assert relate(frame, frame, "equal").to_pylist() == frame.to_pylist()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0], [1], [0, 4, 2], [3, 9, 5], "meets"), {}, "(?s)HF762.*rows 0 and 2 that do, and 1 more.*merge"),
        (([0], [1], [0], [1], "meet"), {}, "(?s)HF763.*relation `meet` not found.*`meets`"),
        (([0], [1], [0], [1], "sideways"), {}, "(?s)HF763.*there are `before`, `meets`"),
        (([0], [1], [0], [1], None), {}, "HF763.*relation `None` not found"),
        (([0], [1], [0], [1], "before"), {"reach": 1.5}, "HF763.*reach of 0 or more, found `1.5`"),
        (([0], [1], [0], [1], "meets"), {"reach": 5}, "HF763.*`meets` has no reach"),
        (([0], [1], [0], [1], "before"), {"reach": -1}, "HF763.*reach of 0 or more, found `-1`"),
        (([0], [1], [0], [0], "meets"), {}, "HF761.*row 0 of the targets ends at 0"),
        (([0], [1], [0], [1], "meets"), {"keys": [1]}, "HF760.*as many columns of keys"),
        (
            ([0], [1], [0], [1], "meets"),
            {"keys": [1, 2], "keys2": [1]},
            "HF760.*as many keys as sources, found 2 and 1",
        ),
        ((pa.array([0]), [1], [0], [1], "meets"), {"keys": pa.array([1]), "keys2": pa.array(["x"])}, "HF760.*one kind"),
        (([0], [1], np.array(["2024-01-01"], "M8[D]"), np.array(["2024-01-02"], "M8[D]"), "meets"), {}, "HF760.*kind"),
        (([[0]], [[1]], [0], [1], "meets"), {}, "HF760.*one dimension"),
    ],
)
def test_invalid_arguments_of_pairs_are_refused(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageProblem, match=message):
        pairs(*arguments, **options)


def test_an_output_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageProblem, match=r"(?s)HF763.*`unions` not found.*`union`"):
        relate(([0], [1]), ([0], [1]), "meets", "unions")  # type: ignore[call-overload]


def test_the_package_has_the_relations() -> None:
    assert hf.allen.pairs is pairs
