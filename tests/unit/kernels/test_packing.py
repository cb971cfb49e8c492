"""Packed (key, time) pairs sort like the pairs themselves, also when the times do not fit beside the keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.packing import OPEN, Packing, packing_for
from tests.unit.kernels.lists import as_columns, law, small_times, times

_pairs = st.lists(st.tuples(st.integers(0, 3), st.one_of(times, st.just(OPEN))), min_size=1, max_size=12)


def packed(pairs: list[tuple[int, int]], n_keys: int) -> tuple[Packing, list[int]]:
    keys, at = as_columns(pairs, 2)
    packing = packing_for(n_keys, at)
    return packing, packing.pack(keys, at).tolist()


@law
@given(_pairs)
def test_packed_pairs_compare_like_the_pairs(pairs: list[tuple[int, int]]) -> None:
    _, words = packed(pairs, 4)
    assert [words[i] < words[j] for i in range(len(pairs)) for j in range(len(pairs))] == [
        a < b for a in pairs for b in pairs
    ]


@law
@given(st.lists(st.tuples(st.integers(0, 3), small_times), min_size=1))
def test_small_times_need_no_ranks(pairs: list[tuple[int, int]]) -> None:
    assert packed(pairs, 4)[0].ranks is None


@pytest.mark.parametrize(
    ("n_keys", "at", "needs_ranks"),
    [
        (1, [0, 2**62], False),
        (3, [0, 2**62], True),
        (1, [-(2**63), 2**62], True),
        (2**40, [0, 2**22], False),
        (2**40, [0, 2**23], True),
        (2**62, [5], False),
        (2**63, [5], True),
        (3, [0, OPEN], False),
    ],
)
def test_ranks_are_used_when_keys_and_times_do_not_fit(n_keys: int, at: list[int], needs_ranks: bool) -> None:
    packing = packing_for(n_keys, np.array(at, dtype=np.int64))
    assert (packing.ranks is not None) == needs_ranks
    keys = np.array([0, n_keys - 1] if n_keys < 2**63 else [0, 7], dtype=np.int64)
    words = [packing.pack(keys, np.full(2, time, dtype=np.int64)).tolist() for time in at]
    assert [w[0] for w in words] == sorted(w[0] for w in words)
    assert all(low < high or n_keys == 1 for low, high in words)


def test_open_sorts_behind_every_other_time() -> None:
    at = np.array([OPEN, 3, OPEN, -3], dtype=np.int64)
    packing = packing_for(2, at)
    keys = np.zeros(4, dtype=np.int64)
    assert np.argsort(packing.pack(keys, at), kind="stable").tolist() == [3, 1, 0, 2]
    assert packing.pack(keys[:1], at[:1]) < packing.pack(keys[:1] + 1, at[3:])


def test_the_last_time_before_open_is_not_open() -> None:
    at = np.array([OPEN - 1, OPEN], dtype=np.int64)
    low, high = packing_for(1, at).pack(np.zeros(2, dtype=np.int64), at).tolist()
    assert low < high


def test_several_columns_of_times_share_one_packing() -> None:
    early, late = np.array([-5], dtype=np.int64), np.array([7, OPEN], dtype=np.int64)
    packing = packing_for(2, early, np.empty(0, dtype=np.int64), late)
    key = np.zeros(1, dtype=np.int64)
    assert packing.pack(key, early) < packing.pack(key, late[:1]) < packing.pack(key, late[1:])


def test_an_empty_packing_packs_no_rows() -> None:
    empty = np.empty(0, dtype=np.int64)
    assert len(packing_for(3, empty).pack(empty, empty)) == 0


@pytest.mark.parametrize("n_keys", [4, 2**60])
def test_a_time_between_two_sorts_behind_the_earlier(n_keys: int) -> None:
    at = np.array([-40, 0, 50], dtype=np.int64)
    packing = packing_for(n_keys, at)
    keys = np.array([2, 2, 2], dtype=np.int64)
    words = packing.pack(keys, at)
    wanted = packing.pack_preceding(keys, np.array([-40, 7, 50], dtype=np.int64))
    assert np.searchsorted(words, wanted, side="right").tolist() == [1, 2, 3]
    assert packing.times(words).tolist() == at.tolist()
    assert packing.keys(words).tolist() == [2, 2, 2]
