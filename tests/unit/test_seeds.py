"""Seeds rotate: every seed of a pool has its turn, and one rotation always has the same ones."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.seeds import ROOT, chunks, named, share

POOL = range(1000, 1600)


def tried(rotation: int, *, is_long: bool = False) -> range:
    return share(POOL, 60, rotation, is_long=is_long, first_seed=0)


def test_all_rotations_together_have_every_seed_of_a_pool_once() -> None:
    shares = [tried(rotation) for rotation in range(10)]
    assert sorted(seed for each in shares for seed in each) == list(POOL)


def test_a_rotation_beyond_the_number_of_shares_begins_again() -> None:
    assert tried(12) == tried(2)


def test_a_long_run_has_the_whole_pool() -> None:
    assert tried(3, is_long=True) == POOL


def test_chunks_have_every_seed_once_and_say_which_in_their_names() -> None:
    assert [named(each) for each in chunks(range(60))] == ["seeds 0 to 24", "seeds 25 to 49", "seeds 50 to 59"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"HOLDSFOR_ROTATION": "2"}, "range(20, 30) 100"),
        ({"HOLDSFOR_ROTATION": "2", "HOLDSFOR_FIRST_SEED": "500"}, "range(520, 530) 100"),
        ({"HOLDSFOR_ROTATION": "2", "HOLDSFOR_LONG": "1"}, "range(0, 100) 1000"),
    ],
    ids=["rotation", "first seed", "long"],
)
def test_the_environment_says_which_seeds(given: dict[str, str], expected: str) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("HOLDSFOR_")}
    shown = "from tests.seeds import examples, share; print(share(range(100), 10), examples(100))"
    done = subprocess.run(
        [sys.executable, "-c", shown], cwd=ROOT, env={**own, **given}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == expected
