"""Journals: the records of a micro-batch for a bucket, written instead of its whole state.

The state of a bucket after a micro-batch is a function of the state before it, the shuffle blocks that the bucket has
received, and the last due query time. A journal has the blocks and the query time, so its size follows the records. The
state is restored from the last snapshot: the journals after it are replayed in their order.

A *history* is a digest of all micro-batches of a bucket since its first snapshot: their numbers, query times, and the
numbers of rows that the bucket has received and sent. Repetitions of a micro-batch have the same history, whatever the
order of their blocks. So a journal continues any snapshot with its history, and no other one, and a replay that derives
other rows than the first evaluation is detected.

    "holdsfor journal\\n"    the first bytes of every journal
    format                  4 bytes, little endian: the version of this layout
    digest                  16 bytes: BLAKE2b of everything after it
    length of the header    8 bytes, little endian
    header                  JSON: the query time, and the histories before and after the micro-batch
    shuffle blocks          an Arrow stream
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from holdsfor.errors import DataProblem, Diagnostic

__all__ = ["Journal", "RowCounts", "history_after", "received_rows"]

RowCounts: TypeAlias = Counter[tuple[str, str, int]]
"""The number of rows in shuffle blocks by their kind, name and arity."""

_FORMAT = 1
_MAGIC = b"holdsfor journal\n"
_FIXED = len(_MAGIC) + 4 + 16 + 8


@dataclass(frozen=True)
class Journal:
    """The blocks of a micro-batch, its last query time, and the history of the bucket before and after it."""

    last: int
    before: str
    after: str
    blocks: bytes

    def to_bytes(self) -> bytes:
        """The content of a file."""
        header = json.dumps({"last": self.last, "before": self.before, "after": self.after}).encode()
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


def history_after(before: str, batch: int, last: int, received: RowCounts, sent: RowCounts) -> str:
    """The history of a bucket after a micro-batch."""
    rows = [sorted(found.items()) for found in (received, sent)]
    return _digest(json.dumps([before, batch, last, rows]).encode()).hex()


def received_rows(batches: Iterable[Any]) -> RowCounts:
    """The numbers of rows in the shuffle blocks of batches."""
    found: RowCounts = Counter()
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in ("kind", "name", "arity", "n"))
        for kind, name, arity, n in zip(*columns, strict=True):
            if n:
                found[kind, name, arity] += n
    return found


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
