"""The state of a bucket in parts: sessions for some of its keys, which have settled different time-points.

A session has one settled time-point. A stream that is rescaled gets buckets with keys of several old buckets, some of
which still have undecided intervals when the others have settled. Such a bucket has a part for each of the old ones. A
part is itself a bucket, of a larger number of buckets: keys whose hash has the remainders `a` by 8 and `b` by 6 have
one remainder by 24. So it is evaluated as any bucket, with the facts that a bucket of this number would receive.

The state of a bucket without parts is the snapshot of its session. That of parts is a snapshot, too: its columns are
the bytes of their snapshots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm
from types import MappingProxyType
from typing import Any

import numpy as np

from holdsfor.parallel.exchange.facts import Facts, Texts
from holdsfor.parallel.exchange.routing import Router
from holdsfor.parallel.stages.stream_buckets import StreamBucket, StreamRouter
from holdsfor.runtime.snapshot import Snapshot, damaged

__all__ = ["StatePart", "bucket_of", "common_part", "part_facts", "read_parts", "written_parts"]

_PARTS = "parts"


@dataclass(frozen=True)
class StatePart:
    """The state of the keys that the bucket `number` owns, if there are as many buckets as `bucket` says."""

    bucket: StreamBucket
    number: int
    snapshot: Snapshot

    @property
    def n_buckets(self) -> int:
        return self.bucket.destination.n_buckets


def bucket_of(bucket: StreamBucket, n_buckets: int) -> StreamBucket:
    """The same stage with another number of buckets."""
    return replace(bucket, destination=replace(bucket.destination, n_buckets=n_buckets))


def common_part(part: StatePart, n_buckets: int, number: int) -> tuple[int, int] | None:
    """The number of buckets, and the bucket, whose keys a part and a bucket have in common; None if there are none.

    >>> from types import SimpleNamespace
    >>> part = SimpleNamespace(n_buckets=8, number=5)
    >>> common_part(part, 6, 3), common_part(part, 6, 2)
    ((24, 21), None)
    """
    n = lcm(part.n_buckets, n_buckets)
    for each in range(number, n, n_buckets):
        if each % part.n_buckets == part.number:
            return n, each
    return None


def part_facts(bucket: StreamBucket, number: int, facts: Facts, texts: Texts) -> Iterator[Facts]:
    """The rows of facts that a bucket receives; facts without routes are for all buckets."""
    if facts.kind.removeprefix("-") not in ("event", "fluent"):
        yield facts
        return
    for block in StreamRouter(Router((bucket.destination,))).shuffle_blocks(facts, texts):
        if number in block.buckets:
            yield block.facts


# -- files -------------------------------------------------------------------------------------------------------------


def written_parts(parts: Sequence[StatePart], more: Mapping[str, Any] = MappingProxyType({})) -> bytes:
    """The content of a file with the parts of a bucket, and with `more` data of the caller.

    A bucket with one part has the snapshot of the part.
    """
    if len(parts) == 1:
        return replace(parts[0].snapshot, more=dict(more)).to_bytes()
    contents = [part.snapshot.to_bytes() for part in parts]
    table = [[part.n_buckets, part.number, len(each)] for part, each in zip(parts, contents, strict=True)]
    columns = [np.frombuffer(each + bytes(-len(each) % 8), "<i8").astype(np.int64) for each in contents]
    first = parts[0].snapshot
    return Snapshot(first.fingerprint, first.settings, {_PARTS: table}, columns, [], dict(more)).to_bytes()


def read_parts(content: bytes, name: str, bucket: StreamBucket, number: int) -> tuple[list[StatePart], dict[str, Any]]:
    """The parts of a bucket in the content of a file, one part without others; and the data of the caller."""
    whole = Snapshot.from_bytes(content, name)
    if _PARTS not in whole.parts:
        return [StatePart(bucket, number, whole)], whole.more
    try:
        found = [
            StatePart(bucket_of(bucket, n), each, Snapshot.from_bytes(column.astype("<i8").tobytes()[:length], name))
            for (n, each, length), column in zip(whole.parts[_PARTS], whole.columns, strict=True)
        ]
    except (TypeError, ValueError):
        damaged(name)
    return found, whole.more
