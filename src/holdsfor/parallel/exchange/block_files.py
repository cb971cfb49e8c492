"""Shuffle blocks in files: what one process sends to another on the same machine.

A file is an Arrow file with one row for each block. It is mapped into memory, so a block is read without a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.column_file import naming_temporary_files
from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.facts import Texts
from holdsfor.parallel.exchange.serialization import pack, unpack
from holdsfor.parallel.exchange.shuffle_blocks import ShuffleBlock

__all__ = ["read_blocks", "write_blocks"]

_SCHEMA = pa.schema(
    [
        ("stage", pa.int32()),
        ("buckets", pa.list_(pa.int32())),
        ("n_buckets", pa.int32()),
        ("kind", pa.string()),
        ("name", pa.string()),
        ("arity", pa.int32()),
        ("n", pa.int64()),
        ("payload", pa.large_binary()),
    ]
)
_PAYLOAD = len(_SCHEMA) - 1


def write_blocks(path: str, blocks: Iterable[ShuffleBlock], texts: Texts) -> None:
    """Write blocks to a file, with the texts of their symbols."""
    with naming_temporary_files(), pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, _SCHEMA) as writer:
        for block in blocks:
            facts = block.facts
            what = (list(block.buckets), block.n_buckets, facts.kind, facts.name, facts.arity, facts.n)
            row = (block.stage, *what, pack(facts, texts))
            arrays = [pa.array([value], kind) for value, kind in zip(row, _SCHEMA.types, strict=True)]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA))


def read_blocks(path: str, symbols: Symbols) -> Iterator[ShuffleBlock]:
    """The blocks of a file, with symbols of this process."""
    with pa.memory_map(path) as source:
        reader = pa.ipc.open_file(source)
        for number in range(reader.num_record_batches):
            yield _block(reader.get_batch(number), symbols)


def _block(batch: Any, symbols: Symbols) -> ShuffleBlock:
    stage, buckets, n_buckets, *what = (batch.column(i)[0].as_py() for i in range(_PAYLOAD))
    facts = unpack(tuple(what), batch.column(_PAYLOAD)[0].as_buffer(), symbols)
    return ShuffleBlock(stage, tuple(buckets), n_buckets, facts)
