"""Which random cases a run of the tests tries, and how many.

A law about random programs has a pool of seeds. `make test` tries one share of every pool; the *rotation* says which.
`make test-long` tries whole pools, so no rotation has a seed that `make test-long` has not tried.

The rotation is derived from the committed files: a commit has the same tests on every machine and every day, and the
next commit has the next ones. `HOLDSFOR_ROTATION` sets it, `HOLDSFOR_LONG=1` asks for whole pools, and
`HOLDSFOR_FIRST_SEED` moves all pools to other seeds. Tests that take long are marked `in_turn(n)`: one rotation of `n`
has them. A file or a test that is named on the command line is run whole.
"""

from __future__ import annotations

import os
import subprocess
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

__all__ = ["IS_LONG", "ROTATION", "chunks", "examples", "is_due", "named", "share", "some"]

Choice = TypeVar("Choice")

ROOT = Path(__file__).parents[1]
CHUNK = 25
IS_LONG = os.environ.get("HOLDSFOR_LONG") == "1"
FIRST_SEED = int(os.environ.get("HOLDSFOR_FIRST_SEED", "0"))


def _derived_rotation() -> int:
    """A number that depends on the committed files alone; 0 where there is no commit."""
    tree = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", "HEAD^{tree}"]
    try:
        done = subprocess.run(tree, capture_output=True, text=True, check=False)
    except OSError:
        return 0
    return int(done.stdout[:4], 16) if done.returncode == 0 else 0


# Workers inherit the environment: a commit in the middle of a run does not give them other tests.
ROTATION = int(os.environ.setdefault("HOLDSFOR_ROTATION", str(_derived_rotation())))


def share(
    pool: range, n: int, rotation: int = ROTATION, *, is_long: bool = IS_LONG, first_seed: int = FIRST_SEED
) -> range:
    """The `n` seeds of a pool that this run tries; the whole pool in a long run."""
    assert len(pool) % n == 0, f"{len(pool)} seeds do not make whole shares of {n}"
    begin = rotation % (len(pool) // n) * n
    tried = pool if is_long else pool[begin : begin + n]
    return range(tried.start + first_seed, tried.stop + first_seed)


def some(choices: Iterable[Choice], n: int, rotation: int = ROTATION, *, is_long: bool = IS_LONG) -> list[Choice]:
    """The `n` of some choices that this run tries, and the next `n` in the next rotation; all in a long run.

    >>> some("abc", 2, 0, is_long=False), some("abc", 2, 1, is_long=False)
    (['a', 'b'], ['c', 'a'])
    """
    pool = list(choices)
    return pool if is_long else [pool[(rotation * n + i) % len(pool)] for i in range(min(n, len(pool)))]


def is_due(name: str, n: int, rotation: int = ROTATION, *, is_long: bool = IS_LONG) -> bool:
    """Whether this run has a test that is marked `in_turn(n)`: one rotation of `n` has it, and every long run."""
    return is_long or (zlib.crc32(name.encode()) + rotation) % n == 0


def chunks(seeds: range, size: int = CHUNK) -> list[range]:
    """Each chunk of seeds is one test, so that workers can share them."""
    return [seeds[i : i + size] for i in range(0, len(seeds), size)]


def named(seeds: range) -> str:
    """The name of a chunk in the name of its test."""
    return f"seeds {seeds.start} to {seeds.stop - 1}"


def examples(n: int) -> int:
    """The number of examples that Hypothesis tries: `make test` tries `n`, the same ones every time."""
    return 20 * n if IS_LONG else n
