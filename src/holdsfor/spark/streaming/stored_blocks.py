"""Shuffle blocks as bytes: in messages and journals, and in files of their own with a digest.

"holdsfor blocks\\n"     the first bytes of every file
digest                  16 bytes: BLAKE2b of everything after it
shuffle blocks          an Arrow stream
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.spark.exchange.shuffle_rows import SHUFFLE_SCHEMA
from holdsfor.spark.streaming.state_files import RESTART

__all__ = ["file_of_blocks", "read_blocks", "read_file", "written_blocks"]

_MAGIC = b"holdsfor blocks\n"
_DIGEST = 16


def written_blocks(batches: Sequence[Any]) -> bytes:
    """Batches of shuffle blocks as an Arrow stream."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, SHUFFLE_SCHEMA) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(SHUFFLE_SCHEMA))
    return sink.getvalue()


def read_blocks(content: bytes) -> list[Any]:
    """The batches of an Arrow stream."""
    with pa.ipc.open_stream(content) as reader:
        return list(reader)


def file_of_blocks(batches: Sequence[Any]) -> bytes:
    """Batches of shuffle blocks as the content of a file."""
    content = written_blocks(batches)
    return b"".join([_MAGIC, _digest(content), content])


def read_file(data: bytes, name: str) -> list[Any]:
    """The batches in the content of a file; HF792 if it is damaged."""
    begin = len(_MAGIC) + _DIGEST
    content = data[begin:]
    if not data.startswith(_MAGIC) or _digest(content) != data[len(_MAGIC) : begin]:
        raise _damaged(name)
    try:
        return read_blocks(content)
    except (OSError, pa.ArrowInvalid):
        raise _damaged(name) from None


def _damaged(name: str) -> DataProblem:
    return DataProblem(Diagnostic("HF792", f"the file `{name}` of the stream is damaged or cut off", hint=RESTART))


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
