"""Seeds rotate: every seed of a pool has its turn, and one rotation always has the same ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.seeds import ROOT, chunks, is_due, named, share

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


def test_a_test_in_turn_is_due_in_one_rotation_of_some_and_in_a_long_run() -> None:
    names = [f"tests/test_{number}.py::test" for number in range(30)]
    for name in names:
        assert sum(is_due(name, 3, rotation, is_long=False) for rotation in range(7, 10)) == 1
        assert is_due(name, 3, 8, is_long=True)
    assert 3 <= sum(is_due(name, 3, 8, is_long=False) for name in names) <= 20


def test_tests_in_turn_are_left_out_unless_their_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = in_turn(n): in one rotation of n\n")
    lines = [f"@pytest.mark.in_turn(2)\ndef test_{number}(): pass" for number in range(20)]
    (tmp_path / "test_some.py").write_text("\n".join(["import pytest", *lines]))
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}

    def shown(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        environment = {**own, "PYTHONPATH": str(ROOT), "HOLDSFOR_ROTATION": "1", "HOLDSFOR_LONG": "0"}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout.splitlines()[-1]

    assert re.search(r"\d+ passed, \d+ deselected", shown("."))
    assert "= 20 passed in" in shown("test_some.py")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"HOLDSFOR_ROTATION": "2"}, "range(20, 30) 100"),
        ({"HOLDSFOR_ROTATION": "2", "HOLDSFOR_FIRST_SEED": "500"}, "range(520, 530) 100"),
        ({"HOLDSFOR_ROTATION": "2", "HOLDSFOR_LONG": "1"}, "range(0, 100) 2000"),
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
