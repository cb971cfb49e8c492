"""Rows to the buckets that need them, as the stage says (`holdsfor.physical.stages`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.kernels.keys import Int64
from holdsfor.physical.stages import Along, ByArgument, Everywhere, How, Table
from holdsfor.spark.exchange import Group, Layout, owners, texts_of

__all__ = ["Sender"]


@dataclass(frozen=True)
class Sender:
    """Sends rows to the buckets of one stage; `receives` is what it needs and how that gets there."""

    layout: Layout
    receives: tuple[tuple[Table, How], ...]
    n_buckets: int

    @property
    def has_guards(self) -> bool:
        return any(isinstance(how, Along) for _, how in self.receives)

    @property
    def sent_schema(self) -> Any:
        return self.layout.schema.append(pa.field("bucket", pa.int32()))

    @property
    def waiting_schema(self) -> Any:
        return self.layout.schema.append(pa.field("route", pa.string()))

    @property
    def route_schema(self) -> Any:
        return pa.schema([("route", pa.string()), ("bucket", pa.int32())])

    def send(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The rows whose buckets they tell themselves, once for each bucket."""
        for group in self._groups(batches):
            hows = self._hows(group)
            if any(isinstance(how, Everywhere) for how in hows):
                n = group.table.num_rows
                everyone = np.tile(np.arange(self.n_buckets, dtype=np.int64), n)
                yield from self._sent(group, np.repeat(np.arange(n, dtype=np.int64), self.n_buckets), everyone)
                continue
            found = [
                owners(group.constant(how.argument), self.n_buckets) for how in hows if isinstance(how, ByArgument)
            ]
            if found:
                yield from self._sent(group, *_each_once(found))

    def _sent(self, group: Group, rows: Int64, buckets: Int64) -> Iterator[Any]:
        table = group.table.select(self.layout.schema.names).take(pa.array(rows))
        yield from table.append_column("bucket", pa.array(buckets.astype(np.int32))).to_batches()

    def wait(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The rows whose buckets a guard tells, each with the route that it waits for."""
        for group in self._groups(batches):
            for how in dict.fromkeys(self._hows(group)):
                if isinstance(how, Along):
                    routes = _routes(how, group.constant(how.argument))
                    table = group.table.select(self.layout.schema.names)
                    yield from table.append_column("route", routes).to_batches()

    def routes(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The buckets at the end of each route, as guards tell them."""
        along = list(dict.fromkeys(how for _, how in self.receives if isinstance(how, Along)))
        for group in self._groups(batches):
            for how in along:
                if how.guard == (group.kind, group.name, group.arity):
                    routes = _routes(how, group.constant(how.partner))
                    buckets = pa.array(owners(group.constant(how.owner), self.n_buckets).astype(np.int32))
                    yield pa.RecordBatch.from_arrays([routes, buckets], schema=self.route_schema)

    def _groups(self, batches: Iterable[Any]) -> Iterator[Group]:
        for batch in batches:
            yield from Group.all_of(pa.Table.from_batches([batch]))

    def _hows(self, group: Group) -> list[How]:
        return [how for table, how in self.receives if table == (group.kind, group.name, group.arity)]


def _each_once(found: list[Int64]) -> tuple[Int64, Int64]:
    """Rows with their buckets, no row twice to the same bucket."""
    n = len(found[0])
    rows = [np.arange(n, dtype=np.int64)]
    for i in range(1, len(found)):
        is_new = np.ones(n, dtype=bool)
        for earlier in found[:i]:
            is_new &= earlier != found[i]
        rows.append(np.flatnonzero(is_new))
    return np.concatenate(rows), np.concatenate([each[which] for each, which in zip(found, rows, strict=True)])


def _routes(how: Along, constants: Any) -> Any:
    """The names of the routes for constants: one for each guard and constant."""
    _, name, arity = how.guard
    prefix = f"{name}/{arity}/{how.partner}/{how.owner}/"
    texts = texts_of(constants)
    return pc.binary_join_element_wise(pa.scalar(prefix), texts, "")
