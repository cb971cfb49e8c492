"""Retractions: match each one with its record in the same bucket, and report those without a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.query_times import Judge, QueryTimes
from holdsfor.columns.records import Records
from holdsfor.columns.retractions import Retractions, apply_retractions
from holdsfor.sources.text_records import SetAside
from holdsfor.spark.exchange.facts import Facts, Load, Texts, by_name, facts_of_records, owners
from holdsfor.spark.exchange.routing import by_owner
from holdsfor.spark.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock, rows_of
from holdsfor.spark.input.set_aside import set_aside_facts

__all__ = ["Retractor", "operations_of", "standing_facts", "unmatched_facts"]

_KINDS = ("event", "fluent")
_UNMATCHED = "retracts a record that is not there"


@dataclass(frozen=True)
class Retractor:
    """Applies retractions after a shuffle that puts a record and all retractions that may match it into one bucket.

    Records have a `place` in the order of reading; prepared records come first, without a place.
    """

    n_buckets: int
    has_windows: bool = False

    def send(self, loads: Iterable[Load]) -> Iterator[Any]:
        """Rows of shuffle blocks with equal records in one bucket; facts that are no records go to bucket 0."""
        for load in loads:
            texts = Texts(load.symbols)
            yield from rows_of(
                (shuffle_block for facts in load.facts for shuffle_block in self._shuffle_blocks(facts, texts)), texts
            )

    def _shuffle_blocks(self, facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
        if "start" not in facts.times:
            yield ShuffleBlock(NO_STAGE, (0,), self.n_buckets, facts)
            return
        if "place" not in facts.times:
            facts = replace(facts, times={**facts.times, "place": np.zeros(facts.n, np.int64)})
        # A retraction may name a part of an interval, so the start is not part of the hash.
        is_interval = "end" in facts.times
        mixed = np.zeros(facts.n, dtype=np.int64) if is_interval else facts.times["start"].copy()
        for words in facts.words if is_interval else facts.words[:1]:
            mixed += owners(words, 1 << 40, texts)
        everything = np.arange(facts.n, dtype=np.int64)
        yield from by_owner(NO_STAGE, facts, everything, owners(np.abs(mixed), self.n_buckets, texts), self.n_buckets)

    def apply(self, loads: Iterable[Load]) -> Iterator[Load]:
        """The records of a bucket that remain after retractions. All loads have the same table of symbols.

        With windows, the effect of a retraction depends on the query times, so records and retractions stay together
        as facts with an `op`.
        """
        loads = list(loads)
        if loads:
            facts = by_name(facts for load in loads for facts in load.facts)
            yield Load(list(self._remaining(facts)), loads[0].symbols)

    def _remaining(self, facts: list[Facts]) -> Iterator[Facts]:
        taken = {(each.kind[1:], each.key): each for each in facts if each.kind.startswith("-")}
        added = {(each.kind, each.key): each for each in facts if each.kind in _KINDS}
        yield from (each for each in facts if not each.kind.startswith("-") and each.kind not in _KINDS)
        for kind, key in dict.fromkeys([*added, *taken]):
            retractions = taken.get((kind, key))
            if retractions is None:
                yield _without_places(added[kind, key])
                continue
            operations = _together(added.get((kind, key)), retractions)
            if self.has_windows:
                yield operations
            else:
                yield from standing_facts(operations, QueryTimes(0, 0), 1)


def _without_places(facts: Facts) -> Facts:
    return replace(facts, times={name: column for name, column in facts.times.items() if name != "place"})


def _together(added: Facts | None, taken: Facts) -> Facts:
    """Records and retractions of one name as facts of one kind; `op` is 1 for a retraction."""
    parts = [] if added is None else [replace(added, texts={"text": pa.array([""] * added.n, pa.string())})]
    parts.append(replace(taken, kind=taken.kind[1:]))
    ops = (np.full(part.n, number + 2 - len(parts), dtype=np.int64) for number, part in enumerate(parts))
    marked = [replace(part, times={**part.times, "op": op}) for part, op in zip(parts, ops, strict=True)]
    return by_name(marked)[0]


def operations_of(facts: Facts) -> tuple[Records, Retractions[SetAside]]:
    """The records and retractions of facts that have an `op`, with their places."""
    rows = [np.flatnonzero(facts.times["op"] == op) for op in (0, 1)]
    added, taken = (replace(part.records(), places=part.times["place"]) for part in map(facts.take, rows))
    texts = facts.texts["text"].take(pa.array(rows[1])).to_pylist() if "text" in facts.texts else [""] * len(rows[1])
    return added, Retractions(taken, [SetAside("", 0, text, _UNMATCHED) for text in texts])


def unmatched_facts(retractions: Retractions[SetAside], numbers: Iterable[int]) -> Iterator[Facts]:
    """Unmatched retractions as facts, by number."""
    found = [retractions.origins[number] for number in numbers]
    yield from set_aside_facts([each.text for each in found], [each.reason for each in found], "unmatched")


def standing_facts(facts: Facts, judge: Judge, tick: int) -> Iterator[Facts]:
    """The records of operations that remain after retractions, and the unmatched retractions."""
    records, retractions = operations_of(facts)
    done = apply_retractions(records, retractions.records, judge, tick)
    if len(done.records):
        yield facts_of_records(facts.key, done.records)
    yield from unmatched_facts(retractions, done.unmatched)
