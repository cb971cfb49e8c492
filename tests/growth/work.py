"""The work of a run, counted in rows: joins and filters take rows, kernels pair them, and the background engine proves
goals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import holdsfor as hf
from holdsfor.kernels.keys import KeyIndex
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.rows import Rows

__all__ = ["Work", "counted", "growth"]


@dataclass
class Work:
    """Counts of one run."""

    rows: int = 0
    goals: int = 0

    @property
    def total(self) -> int:
        return self.rows + 100 * self.goals


@contextmanager
def counted() -> Iterator[Work]:
    """Count the rows that operators take, the pairs of rows with equal keys, and the goals that are proved."""
    work = Work()
    take, pairs, answers = Rows.take, KeyIndex.pairs, Prove.answers

    def taking(rows: Rows, positions: Any) -> Rows:
        taken = take(rows, positions)
        work.rows += max(len(positions), taken.n)
        return taken

    def pairing(index: KeyIndex, keys: Any) -> Any:
        found = pairs(index, keys)
        work.rows += len(found[0])
        return found

    def proving(prove: Prove, *given: Any) -> Any:
        work.goals += 1
        return answers(prove, *given)

    counting = (Rows, "take", taking), (KeyIndex, "pairs", pairing), (Prove, "answers", proving)
    with ExitStack() as patches:
        for owner, name, function in counting:
            patches.enter_context(patch.object(owner, name, function))
        yield work


def growth(rules: str, records: Callable[[int], list[str]], n: int) -> float:
    """How many times as much work ten times as many records take."""
    return _work(rules, records(10 * n)) / _work(rules, records(n))


def _work(rules: str, records: list[str]) -> int:
    compiled = hf.load_text(rules)
    with counted() as work:
        hf.recognise(compiled, records)
    return work.total + len(records)
