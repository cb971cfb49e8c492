"""Shuffle blocks as rows of a DataFrame, each with the serialized facts for one bucket of a stage.

Spark shuffles blocks by their address and does not decode them: a block of a hundred thousand facts is one row. The
`place` of a block is a number whose hash in Spark is the partition of the bucket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import Facts, Load, Texts
from holdsfor.parallel.exchange.serialization import pack, unpack
from holdsfor.parallel.exchange.shuffle_blocks import ShuffleBlock

__all__ = ["SHUFFLE_SCHEMA", "by_bucket", "loads_of", "partition_values", "rows_of", "sent_rows"]

SHUFFLE_SCHEMA = pa.schema(
    [
        ("stage", pa.int32()),
        ("bucket", pa.int32()),
        ("place", pa.int32()),
        ("kind", pa.string()),
        ("name", pa.string()),
        ("arity", pa.int32()),
        ("n", pa.int64()),
        ("first", pa.int64()),
        ("last", pa.int64()),
        ("payload", pa.binary()),
    ]
)

_MOST_BYTES = 1 << 25  # per batch that Spark receives


def sent_rows(loads: Iterable[Load], send: Callable[[Facts, Texts], Iterator[ShuffleBlock]]) -> Iterator[Any]:
    """Batches of rows with the shuffle blocks that `send` makes of the facts of each load."""
    for load in loads:
        texts = Texts(load.symbols)
        yield from rows_of((block for facts in load.facts for block in send(facts, texts)), texts)


def rows_of(shuffle_blocks: Iterable[ShuffleBlock], texts: Texts) -> Iterator[Any]:
    """Batches of rows, one row for each shuffle block and bucket; facts are serialized once for all buckets."""
    rows: list[tuple[Any, ...]] = []
    n_bytes = 0
    for shuffle_block in shuffle_blocks:
        facts, place = shuffle_block.facts, partition_values(shuffle_block.n_buckets)
        payload = pack(facts, texts)
        what = (facts.kind, facts.name, facts.arity, facts.n, shuffle_block.first, shuffle_block.last, payload)
        rows += [(shuffle_block.stage, bucket, int(place[bucket]), *what) for bucket in shuffle_block.buckets]
        n_bytes += len(payload) * len(shuffle_block.buckets)
        if n_bytes > _MOST_BYTES:
            yield _batch(rows)
            rows, n_bytes = [], 0
    if rows:
        yield _batch(rows)


def _batch(rows: list[tuple[Any, ...]]) -> Any:
    columns = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, kind) for column, kind in zip(columns, SHUFFLE_SCHEMA.types, strict=True)],
        schema=SHUFFLE_SCHEMA,
    )


def by_bucket(batches: Iterable[Any]) -> dict[int, list[Any]]:
    """The rows of batches, grouped by bucket."""
    found: dict[int, list[Any]] = {}
    for batch in batches:
        buckets = batch.column("bucket").to_numpy()
        for bucket in np.unique(buckets).tolist():
            rows = np.flatnonzero(buckets == bucket)
            found.setdefault(bucket, []).append(batch if len(rows) == len(batch) else batch.take(pa.array(rows)))
    return found


def loads_of(batches: Iterable[Any], symbols: Symbols | None = None) -> Iterator[Load]:
    """The facts of shuffle blocks, batch by batch."""
    for batch in batches:
        table = Symbols() if symbols is None else symbols
        tables = zip(*(batch.column(column).to_pylist() for column in ("kind", "name", "arity", "n")), strict=True)
        payloads = batch.column("payload")
        yield Load([unpack(what, payloads[i].as_buffer(), table) for i, what in enumerate(tables) if what[-1]], table)


# -- partition values --------------------------------------------------------------------------------------------------

_SEED = 42


@lru_cache(maxsize=64)
def partition_values(n_buckets: int) -> Int64:
    """For each bucket, a number that Spark's `repartition` into `n_buckets` partitions sends to this partition.

    >>> sorted((_hashes(partition_values(7).astype(np.int32)) % 7).tolist())
    [0, 1, 2, 3, 4, 5, 6]
    """
    found = np.full(n_buckets, -1, dtype=np.int64)
    first, n = 0, 8 * n_buckets
    while (found < 0).any():
        numbers = np.arange(first, first + n, dtype=np.int32)
        partitions = _hashes(numbers) % n_buckets
        found[partitions[::-1]] = numbers[::-1]
        first += n
    return found


def _hashes(numbers: NDArray[np.int32]) -> Int64:
    """Spark's hash of integers: 32-bit MurmurHash3 of four bytes, as a signed integer."""
    mixed = _rotated(numbers.view(np.uint32) * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
    mixed = _rotated(np.uint32(_SEED) ^ mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)
    mixed = mixed ^ np.uint32(4)
    mixed = (mixed ^ (mixed >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    hashes: Int64 = (mixed ^ (mixed >> np.uint32(16))).view(np.int32).astype(np.int64)
    return hashes


def _rotated(values: Any, bits: int) -> Any:
    return (values << np.uint32(bits)) | (values >> np.uint32(32 - bits))
