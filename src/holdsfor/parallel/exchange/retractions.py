"""Retractions: match each one with its record in the same bucket, and report those without a record."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.query_times import QuerySchedule, QueryTimes
from holdsfor.columns.records import Records
from holdsfor.columns.retractions import Retractions, apply_retractions
from holdsfor.kernels.keys import dense_ids
from holdsfor.parallel.exchange.facts import (
    REVISION,
    Facts,
    Load,
    Texts,
    by_name,
    facts_of_records,
    owners,
    set_aside_facts,
)
from holdsfor.parallel.exchange.routing import by_owner
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.sources.revision_ids import incomplete_revisions
from holdsfor.sources.text_records import SetAside

__all__ = ["UNORDERED", "UNORDERED_PLACE", "Retractor", "operations_of", "remaining_facts", "unmatched_facts"]

UNORDERED = "unordered"
"""The kind of facts that count retractions whose place among records of the same arrival is not known."""

UNORDERED_PLACE = 1 << 42
"""The bit in the place of a record whose input has no order."""

_KINDS = ("event", "fluent")
_UNMATCHED = "retracts a record that is not there"


@dataclass(frozen=True)
class Retractor:
    """Applies retractions after a shuffle that puts a record and all retractions that may match it into one bucket.

    Records have a `place` in the order of reading; prepared records come first, without a place.
    """

    n_buckets: int
    has_windows: bool = False

    def shuffle_blocks(self, facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
        """Shuffle blocks with equal records, and records of one revision, in one bucket; other facts go to bucket 0."""
        if facts.kind == REVISION:
            ids = [zlib.crc32(each.encode()) % self.n_buckets for each in facts.texts["id"].to_pylist()]
            yield from by_owner(NO_STAGE, facts, None, np.array(ids, dtype=np.int64), self.n_buckets)
            return
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
        yield from by_owner(NO_STAGE, facts, None, owners(np.abs(mixed), self.n_buckets, texts), self.n_buckets)

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
        others = [each for each in facts if not each.kind.startswith("-") and each.kind not in _KINDS]
        for each in others:
            yield from _unmatched_revisions(each) if each.kind == REVISION else [each]
        for kind, key in dict.fromkeys([*added, *taken]):
            retractions = taken.get((kind, key))
            if retractions is None:
                yield _without_places(added[kind, key])
                continue
            operations = _operations(added.get((kind, key)), retractions)
            yield from _unordered(operations)
            if self.has_windows:
                yield operations
            else:
                yield from remaining_facts(operations, QueryTimes(0, 0), 1)


def _unmatched_revisions(facts: Facts) -> Iterator[Facts]:
    """The records of incomplete revisions, as unmatched."""
    wrong = incomplete_revisions(facts.texts["id"].to_pylist(), (facts.times["is_retraction"] == 1).tolist())
    texts = facts.texts["text"].to_pylist()
    yield from set_aside_facts([texts[i] for i in wrong], list(wrong.values()), "unmatched")


def _unordered(operations: Facts) -> Iterator[Facts]:
    """The number of retractions that arrive with a record of the same name, from inputs without an order."""
    are_unordered = np.flatnonzero(operations.times["place"] & UNORDERED_PLACE)
    if len(are_unordered):
        found = operations.take(are_unordered)
        is_record = found.times["op"] == 0
        starts = [] if "end" in found.times else [found.times["start"]]  # a part of an interval has another start
        names = dense_ids([*found.words, found.times["arrival"], *starts], found.n)[0]
        n = int(np.isin(names[~is_record], names[is_record]).sum())
        if n:
            yield Facts(UNORDERED, "", 0, n)


def _without_places(facts: Facts) -> Facts:
    return replace(facts, times={name: column for name, column in facts.times.items() if name != "place"})


def _operations(added: Facts | None, taken: Facts) -> Facts:
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


def remaining_facts(facts: Facts, queries: QuerySchedule, tick: int) -> Iterator[Facts]:
    """The records of operations that remain after retractions, and the unmatched retractions."""
    records, retractions = operations_of(facts)
    done = apply_retractions(records, retractions.records, queries, tick)
    if len(done.records):
        yield facts_of_records(facts.key, done.records)
    yield from unmatched_facts(retractions, done.unmatched)
