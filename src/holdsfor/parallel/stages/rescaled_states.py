"""The states of the buckets of a stage for another number of buckets.

A new bucket has keys of several old ones, and a session has one settled time-point. So states are first settled up to
the latest of their settled time-points. Then each state is divided by the new buckets (`divided_states`), and the parts
of a bucket are joined (`joined_states`). Where intervals are undecided before the latest settled time-point, the parts
stay apart (`state_parts`), until a later query time decides them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import gcd, lcm
from typing import Any

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import Key, Relation
from holdsfor.distribution.stages import Distribution, Stage, Table
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.kernels.inertia import BEFORE_EVERYTHING
from holdsfor.parallel.exchange.facts import Texts
from holdsfor.parallel.stages.divided_states import BucketState, DividedState, StageDivision
from holdsfor.parallel.stages.joined_states import joined_state
from holdsfor.parallel.stages.rule_pool import borrowed_rules, new_rules
from holdsfor.parallel.stages.state_parts import StatePart, bucket_of, common_part, read_parts, written_parts
from holdsfor.parallel.stages.stream_buckets import StreamBucket
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.runtime.state_snapshot import report_of, snapshot_with, stored_members, stored_state

__all__ = ["RescaledState", "joined_parts", "rescaled_states", "settled_until"]

_MOST_PARTS = 64
"""The most sessions of a bucket; each takes milliseconds in a micro-batch, also without records."""


@dataclass(frozen=True)
class RescaledState:
    """The state of a new bucket as bytes, the number of its keys with results, and that of its parts."""

    bucket: int
    content: bytes
    n_keys: int
    n_parts: int


def settled_until(parts: Sequence[StatePart]) -> int:
    """The last time-point up to which the results of all parts of a state do not change any more."""
    return min(max(_settled(part), _reported_until(part)) for part in parts)


def rescaled_states(
    stage: Stage, old: StreamBucket, new: StreamBucket, states: Callable[[int], bytes], boundary: int
) -> Iterator[RescaledState]:
    """The states of the new buckets of a keyed stage, from those of the old ones.

    No later record and no result of an earlier stage changes time-points up to the `boundary`. Old and new buckets with
    the same remainder by the common divisor of their numbers have keys in common; they are processed together.
    """
    n_old, n_new = old.destination.n_buckets, new.destination.n_buckets
    common = gcd(n_old, n_new)
    for remainder in range(common):
        numbers, buckets = range(remainder, n_old, common), range(remainder, n_new, common)
        parts = [
            part
            for number in numbers
            for part in read_parts(states(number), f"state of bucket {number}", old, number)[0]
        ]
        aligned = _aligned(parts, boundary)
        rescaling = _Rescaling(new, stage.receives, new_rules(old.rules, old.components, is_last=old.is_last))
        if aligned is None:
            _check_number_of_parts(parts, n_new)
            yield from rescaling.apart(parts, buckets, boundary)
        else:
            yield from rescaling.joined(aligned, buckets)


def joined_parts(
    parts: Sequence[StatePart], bucket: StreamBucket, number: int, boundary: int, more: dict[str, Any]
) -> Snapshot | None:
    """The parts of a bucket as one state, with `more` data; None if intervals are undecided that others have settled.

    No later record and no result of an earlier stage changes time-points up to the `boundary`.
    """
    aligned = _aligned(parts, boundary)
    if aligned is None:
        return None
    rescaling = _Rescaling(bucket, (), new_rules(bucket.rules, bucket.components, is_last=bucket.is_last))
    divided = [rescaling.divided(part, bucket.destination.n_buckets, [number]) for part in aligned]
    joined = joined_state([each.part(number) for each in divided], rescaling.symbols)
    return rescaling.snapshot(joined, aligned[0].snapshot, more)


def _check_number_of_parts(parts: Sequence[StatePart], n_new: int) -> None:
    """Refuse a number of buckets that divides states into too many sessions, with numbers that do not."""
    modulus = lcm(*(part.n_buckets for part in parts))

    def n_apart(n: int) -> int:
        return modulus // gcd(modulus, n)

    if n_apart(n_new) <= _MOST_PARTS:
        return
    near = (n for distance in range(1, modulus) for n in (n_new - distance, n_new + distance))
    found = sorted(islice((n for n in near if n > 0 and n_apart(n) <= _MOST_PARTS), 2))
    message = f"intervals are undecided, and a bucket would have {n_apart(n_new)} sessions until they are decided"
    hint = f"give {found[0]} or {found[1]} buckets, or continue the stream with the old number first"
    raise DataProblem(Diagnostic("HF797", f"{message}, expected at most {_MOST_PARTS}", hint=hint))


# -- settled time-points -----------------------------------------------------------------------------------------------


def _aligned(parts: Sequence[StatePart], boundary: int) -> list[StatePart] | None:
    """The parts, all settled up to the latest of their settled time-points; None if some have not decided so far."""
    latest = max(max(_settled(part), _reported_until(part)) for part in parts)
    aligned: list[StatePart] = []
    for part in parts:
        found = part if _settled(part) == latest else _settled_to(part, latest, boundary)
        if found is None:
            return None
        aligned.append(found)
    return aligned


def _settled_to(part: StatePart, latest: int, boundary: int) -> StatePart | None:
    if latest > boundary:
        return None
    bucket = part.bucket
    with borrowed_rules(bucket.rules, bucket.components, is_last=bucket.is_last) as prepared:
        session = bucket.restored(part.number, part.snapshot, prepared, "state")
        if not session.settle_until(latest, boundary):
            return None
        return replace(part, snapshot=Snapshot.from_bytes(session.snapshot(has_report=True).to_bytes()))


def _settled(part: StatePart) -> int:
    settled: int = part.snapshot.parts["state"]["settled"]
    return settled


def _reported_until(part: StatePart) -> int:
    """The time-point up to which results were reported as settled; older states do not have it."""
    until: int = part.snapshot.parts["state"].get("reported_until", BEFORE_EVERYTHING)
    return until


# -- new buckets -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rescaling:
    """Divides and joins states for the buckets of `new`; `receives` are the routes of its stage, with domains."""

    new: StreamBucket
    receives: tuple[tuple[Table, Distribution], ...]
    rules: PreparedRules

    @property
    def symbols(self) -> Symbols:
        return self.rules.symbols

    @cached_property
    def texts(self) -> Texts:
        return Texts(self.symbols)

    def joined(self, parts: Sequence[StatePart], buckets: Sequence[int]) -> Iterator[RescaledState]:
        """The states of new buckets; all parts have the same settled time-point."""
        divided = [self.divided(part, self.new.destination.n_buckets, buckets) for part in parts]
        for bucket in buckets:
            joined = joined_state([each.part(bucket) for each in divided], self.symbols)
            content = self.snapshot(joined, parts[0].snapshot).to_bytes()
            yield RescaledState(bucket, content, self._n_keys(joined), 1)

    def apart(self, parts: Sequence[StatePart], buckets: Sequence[int], boundary: int) -> Iterator[RescaledState]:
        """The states of new buckets, with a part for each old part that has keys in common with them.

        Undecided intervals are those of some keys only, so the parts of most buckets are joined all the same.
        """
        found: dict[int, list[StatePart]] = {bucket: [] for bucket in buckets}
        n_keys: Counter[int] = Counter()
        for part in parts:
            for bucket, number, n, state in self._common_states(part, buckets):
                found[bucket].append(StatePart(bucket_of(self.new, n), number, self.snapshot(state, part.snapshot)))
                n_keys[bucket] += self._n_keys(state)
        for bucket, own in found.items():
            joined = joined_parts(own, self.new, bucket, boundary, {})
            content = written_parts(own) if joined is None else joined.to_bytes()
            yield RescaledState(bucket, content, n_keys[bucket], len(own) if joined is None else 1)

    def _common_states(self, part: StatePart, buckets: Sequence[int]) -> Iterator[tuple[int, int, int, BucketState]]:
        """The states of the keys that a part has in common with buckets, each with the bucket of a larger number."""
        places = [(bucket, common_part(part, self.new.destination.n_buckets, bucket)) for bucket in buckets]
        common = [(bucket, *place) for bucket, place in places if place is not None]
        divided = self.divided(part, common[0][1], [number for *_, number in common])
        yield from ((bucket, number, n, divided.part(number)) for bucket, n, number in common)

    def divided(self, part: StatePart, n_buckets: int, numbers: Sequence[int]) -> DividedState:
        """The state of a part for some of a number of buckets."""
        new = bucket_of(self.new, n_buckets)
        domains = replace(new.destination, receives=self.receives)
        division = StageDivision(part.bucket, new, domains, self.rules.program, self.texts)
        snapshot = part.snapshot
        state, report = stored_state(snapshot, self.symbols), report_of(snapshot, self.symbols)
        return DividedState(
            division, part.number, BucketState(state, report, stored_members(snapshot, self.symbols)), numbers
        )

    def snapshot(self, found: BucketState, before: Snapshot, more: dict[str, Any] | None = None) -> Snapshot:
        """A state with the settings of a snapshot before."""
        given = self.symbols, before.fingerprint, before.settings
        return snapshot_with(found.state, found.members, *given, more, found.report)

    def _n_keys(self, found: BucketState) -> int:
        """The number of keys with a result that holds or may still change."""
        tables: list[tuple[str, Key, Relation]] = [("fluent", key, table) for key, table in found.state.held.items()]
        if found.report is not None:
            tables += [("fluent", key, table) for key, table in found.report.fluents.items()]
            tables += [("event", key, points) for key, points in found.report.events.items()]
        words = [keys for kind, key, table in tables for _, keys in self.new.keyed_rows((kind, key), table, self.texts)]
        return len(np.unique(np.concatenate(words))) if words else 0
