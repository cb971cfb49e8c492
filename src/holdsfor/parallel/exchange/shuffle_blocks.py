"""Shuffle blocks: many facts for some buckets of a stage.

The *stage* is the number of the receiving stage, from 1. Blocks for the semijoin before a stage have the negative
number. Blocks for no stage (results, counts, records set aside) have 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.parallel.exchange.facts import Facts

__all__ = ["NO_STAGE", "ShuffleBlock"]

NO_STAGE = 0
"""The stage number of blocks that no stage receives."""


@dataclass(frozen=True)
class ShuffleBlock:
    """Facts for some of the `n_buckets` buckets of a stage; `first` and `last` are their extreme time-points.

    Facts without columns are a count, such as the number of records read.
    """

    stage: int
    buckets: tuple[int, ...]
    n_buckets: int
    facts: Facts
    first: int | None = None
    last: int | None = None
