"""The buckets of a stage as functions on the batches that Spark delivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.facts import Load, Texts, by_name
from holdsfor.parallel.exchange.routing import Destination
from holdsfor.parallel.stages.buckets import Bucket
from holdsfor.parallel.stages.rule_pool import borrowed_rules
from holdsfor.spark.exchange.shuffle_rows import by_bucket, loads_of, rows_of
from holdsfor.spark.prepared.colocated import Colocated

__all__ = ["BucketTask", "semijoin_rows"]


@dataclass(frozen=True)
class BucketTask:
    """Evaluates one stage for the buckets of the batches, one after another."""

    bucket: Bucket
    colocated: Colocated | None = None

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The results of all buckets in the batches, as rows."""
        for number, shuffle_blocks in by_bucket(batches).items():
            yield from self.evaluated(number, shuffle_blocks)

    def evaluated(self, number: int, shuffle_blocks: list[Any]) -> Iterator[Any]:
        """The results and counts of a bucket, as rows."""
        borrowed = borrowed_rules(self.bucket.rules, self.bucket.components, is_last=self.bucket.is_last)
        with borrowed as prepared:
            load, texts = self._load(number, shuffle_blocks, prepared.symbols), Texts(prepared.symbols)
            yield from rows_of(self.bucket.evaluated(number, load, texts, prepared), texts)

    def _load(self, number: int, shuffle_blocks: list[Any], symbols: Symbols) -> Load:
        """The facts sent to a bucket, and those of colocated blocks; only colocated blocks have a first time-point."""
        sent = [batch.filter(pc.is_null(batch.column("first"))) for batch in shuffle_blocks]
        facts = [facts for load in loads_of(sent, symbols) for facts in load.facts]
        if self.colocated is not None:
            prepared = [batch.filter(pc.is_valid(batch.column("first"))) for batch in shuffle_blocks]
            facts += self.colocated.facts(number, prepared, symbols)
        return Load(by_name(facts), symbols)


def semijoin_rows(destination: Destination, batches: Iterable[Any]) -> Iterator[Any]:
    """The second half of a semijoin: the facts of each bucket joined with routes, as rows."""
    for shuffle_blocks in by_bucket(batches).values():
        symbols = Symbols()
        arrived = (facts for load in loads_of(shuffle_blocks, symbols) for facts in load.facts)
        yield from rows_of(destination.semijoined(arrived), Texts(symbols))
