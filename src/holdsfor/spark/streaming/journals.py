"""Journals: the records of a micro-batch for a bucket, written instead of its whole state.

The state of a bucket after a micro-batch is a function of the state before it, the shuffle blocks that the bucket has
received, and the last due query time. A journal has the blocks and the query time, so its size follows the records. The
state is restored from the last snapshot: the journals after it are replayed in their order.

One thing is not such a function: the time-points that a session settles depend on measured costs, and the results up
to there were written as settled. So a journal also has the settled time-point, and a replay settles no further.

A *history* is a digest of all micro-batches of a bucket since its first snapshot: their numbers, query times, and the
numbers of rows that the bucket has received and changed. Repetitions of a micro-batch have the same history, with
their blocks in any order. So a journal continues any snapshot with its history, and no other one, and a replay that
derives other changes than the first evaluation is detected.

    "holdsfor journal\\n"    the first bytes of every journal
    format                  4 bytes, little endian: the version of this layout
    digest                  16 bytes: BLAKE2b of everything after it
    length of the header    8 bytes, little endian
    header                  JSON: the query time, the settled time-point, the histories before and after
    shuffle blocks          an Arrow stream
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.exchange.facts import FAULT, Facts
from holdsfor.parallel.stages.stream_buckets import SETTLED

__all__ = ["Journal", "RowCounts", "counted_rows", "history_after", "is_journal"]

RowCounts: TypeAlias = Counter[tuple[str, str, int]]
"""The number of rows in shuffle blocks by their kind, name and arity."""

_FORMAT = 1
_MAGIC = b"holdsfor journal\n"
_FIXED = len(_MAGIC) + 4 + 16 + 8


@dataclass(frozen=True)
class Journal:
    """The blocks of a micro-batch, its last query time, the time-point settled then, and the histories around it."""

    last: int
    settled: int
    before: str
    after: str
    blocks: bytes

    def to_bytes(self) -> bytes:
        """The content of a file."""
        fields = {name: getattr(self, name) for name in ("last", "settled", "before", "after")}
        header = json.dumps(fields).encode()
        rest = b"".join([len(header).to_bytes(8, "little"), header, self.blocks])
        return b"".join([_MAGIC, _FORMAT.to_bytes(4, "little"), _digest(rest), rest])

    @staticmethod
    def from_bytes(data: bytes, name: str) -> Journal:
        """The journal in the content of a file; HF792 if it is damaged, or of a later version."""
        version = int.from_bytes(data[len(_MAGIC) : len(_MAGIC) + 4], "little")
        if data.startswith(_MAGIC) and version > _FORMAT:
            message = f"the journal `{name}` is from a newer version of holdsfor: format {version}, expected {_FORMAT}"
            raise DataProblem(Diagnostic("HF792", message, hint="continue the stream with the version that wrote it"))
        rest = data[_FIXED - 8 :]
        if not data.startswith(_MAGIC) or len(rest) < 8 or _digest(rest) != data[_FIXED - 24 : _FIXED - 8]:
            message = f"the journal `{name}` is damaged or cut off"
            raise DataProblem(Diagnostic("HF792", message, hint="use a copy of the checkpoint"))
        size = 8 + int.from_bytes(rest[:8], "little")
        return Journal(**json.loads(rest[8:size]), blocks=rest[size:])


def is_journal(content: bytes) -> bool:
    """Whether the content of a file is a journal."""
    return content.startswith(_MAGIC)


def history_after(before: str, batch: int, last: int, received: RowCounts, changed: RowCounts) -> str:
    """The history of a bucket after a micro-batch."""
    rows = [sorted(found.items()) for found in (received, changed)]
    return _digest(json.dumps([before, batch, last, rows]).encode()).hex()


def counted_rows(found: Iterable[Facts]) -> RowCounts:
    """The numbers of rows in records and changes.

    Settled results and time-points are left out, and so are the true starts of intervals that windows cut: they depend
    on the time-points that a session has settled. A session reports a condition without a result once.
    """
    counts: RowCounts = Counter()
    for facts in found:
        if facts.n and not facts.kind.startswith((SETTLED, FAULT)) and "true_start" not in facts.times:
            counts[facts.kind, facts.name, facts.arity] += facts.n
    return counts


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
