"""Members of sets: by table if the members are close to each other, by binary search otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from holdsfor.kernels.membership import is_member

EXTREME = np.iinfo(np.int64)


@pytest.mark.parametrize(
    "members",
    [[], [3], [2, 3, 5], [-(2**40), 0, 2**40], [EXTREME.min, -1, 2, EXTREME.max]],
    ids=["none", "one", "near", "far", "extreme"],
)
def test_members_are_found_among_all_values(members: list[int]) -> None:
    values = [*members, 0, 1, 2, 3, 4, -5, 2**40, -(2**40), EXTREME.max, EXTREME.min, EXTREME.max - 1]
    found = is_member(np.array(values, dtype=np.int64), np.array(members, dtype=np.int64))
    assert found.tolist() == [value in members for value in values]
    assert is_member(np.empty(0, np.int64), np.array(members, dtype=np.int64)).tolist() == []
