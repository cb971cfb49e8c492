"""Colocated records: records of prepared history that are already in the bucket of the stage that reads them.

If a stage reads a table by the argument by which the table was prepared, and both have the same number of buckets, no
shuffle is needed: the task of a bucket opens the files of this bucket. The same holds for members of domains that
depend on the key of such records alone. All other records are routed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import Key
from holdsfor.distribution.stages import HashRoute, Table
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.exchange.routing import Destination
from holdsfor.parallel.stages.admission import CountScope, JobAdmission
from holdsfor.runtime.domain_members import domain_sources
from holdsfor.spark.exchange.shuffle_rows import SHUFFLE_SCHEMA, loads_of
from holdsfor.spark.prepared.history import Prepared
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity

__all__ = ["Colocated", "Division", "divide"]

_LABELS = [name for name in SHUFFLE_SCHEMA.names if name not in ("stage", "bucket", "place", "payload")]


@dataclass(frozen=True)
class Colocated:
    """The tables that a stage reads in place, those of them that its rules use, and the admission of their records.

    `files` are the files of each bucket; without files, Spark reads the colocated blocks.
    """

    tables: frozenset[Table]
    wanted: frozenset[Table]
    admission: JobAdmission
    files: Mapping[int, tuple[str, ...]]

    def facts(self, bucket: int, shuffle_blocks: Iterable[Any], symbols: Symbols) -> Iterator[Facts]:
        """The admitted records of a bucket, the members in them, and the number of records outside the run."""
        batches = [*shuffle_blocks, *(batch for file in self.files.get(bucket, ()) for batch in self._read(file))]
        kept = [batch.take(pa.array(self._reaching(batch))) for batch in batches]
        n_outside = sum(map(self._n_outside, batches)) - sum(map(self._n_outside, kept))
        if n_outside:
            yield Facts("outside", "", 0, n_outside)
        for load in self.admission(loads_of(kept, symbols)):
            for facts in load.facts:
                if facts.kind not in ("event", "fluent") or facts.table in self.wanted:
                    yield facts

    def _read(self, path: str) -> Iterator[Any]:
        """The shuffle blocks of the tables, without the payload of row groups outside the run."""
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                labels = file.read_row_group(group, columns=_LABELS, use_threads=False).combine_chunks()
                labels = labels.take(pa.array(self._of_tables(labels)))
                columns = [*_LABELS, "payload"]
                if len(self._reaching(labels)):
                    table = file.read_row_group(group, columns=columns, use_threads=False)
                    labels = table.take(pa.array(self._of_tables(table))).combine_chunks()
                else:
                    labels = labels.append_column("payload", pa.nulls(labels.num_rows, pa.binary()))
                yield from labels.to_batches()

    def _of_tables(self, labels: Any) -> Any:
        kinds, names, arities = (labels.column(name).to_pylist() for name in ("kind", "name", "arity"))
        return np.flatnonzero([what in self.tables for what in zip(kinds, names, arities, strict=True)])

    def _reaching(self, labels: Any) -> Any:
        """The shuffle blocks that overlap the run; with windows, earlier records count as well."""
        run = self.admission.run
        reaches = labels.column("first").to_numpy() <= run.end
        if run.window is None:
            reaches &= labels.column("last").to_numpy() + run.tick > run.start
        return np.flatnonzero(reaches)

    def _n_outside(self, labels: Any) -> int:
        """The number of records of the tables that this stage counts."""
        tables = zip(*(labels.column(name).to_pylist() for name in ("kind", "name", "arity", "n")), strict=True)
        return sum(n for kind, name, arity, n in tables if self.admission.count_scope.counts((kind, name, arity)))


# -- colocated and routed tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Division:
    """Prepared history divided into colocated tables, by the number of the stage, and tables that are routed.

    `destinations` are the stages with the tables routed to them, `left` are the routed tables, and `count_scope` has
    the counts and domains that routed records are responsible for.
    """

    colocated: dict[int, tuple[frozenset[Table], frozenset[Table], CountScope]]
    destinations: tuple[Destination, ...]
    left: frozenset[Table]
    count_scope: CountScope


@dataclass(frozen=True)
class _Source:
    """Records that fill a domain: their table and columns, and the domain."""

    table: Table
    columns: tuple[Term, ...]
    domain: Struct

    @property
    def pair(self) -> tuple[Table, Key]:
        return self.table, name_and_arity(self.domain)

    def is_colocated(self, destination: Destination, key: int | None) -> bool:
        """Whether the members in a record are needed only in the bucket of the record."""
        distributions = destination.distributions(("domain", *name_and_arity(self.domain)))
        if (
            key is None
            or key >= len(self.columns)
            or len(distributions) != 1
            or not isinstance(distributions[0], HashRoute)
        ):
            return False
        here = self.columns[key]
        return isinstance(here, Var) and self.domain.args[distributions[0].argument] == here

    def is_asked(self, destination: Destination) -> bool:
        return bool(destination.distributions(("domain", *name_and_arity(self.domain))))


def divide(prepared: Prepared, rules: Compiled, destinations: tuple[Destination, ...]) -> Division:
    """The division of prepared history for rules that have passed its check."""
    keys = {each.table: each.key for each in prepared.used(rules.names)}
    sources = [each for each in _sources(rules) if each.table in keys]
    colocated: dict[int, tuple[frozenset[Table], frozenset[Table], CountScope]] = {}
    rest: list[Destination] = []
    far = set[tuple[Table, Key]]()
    counted = set[Table]()
    for destination in destinations:
        fits = destination.n_buckets == prepared.n_buckets
        near = {
            t
            for t, key in keys.items()
            if fits and key is not None and destination.distributions(t) == [HashRoute(key)]
        }
        pairs = {each.pair for each in sources if fits and each.is_colocated(destination, keys[each.table])}
        far |= {each.pair for each in sources if each.is_asked(destination)} - pairs
        opened = near | {table for table, _ in pairs}
        scope = CountScope(frozenset(opened - counted), frozenset(pairs))
        colocated |= {destination.stage: (frozenset(opened), frozenset(near), scope)} if opened else {}
        counted |= opened
        rest.append(replace(destination, receives=tuple(each for each in destination.receives if each[0] not in near)))
    asked = {table for each in rest for table, _ in each.receives} | {how.guard for d in rest for how in d.guards}
    left = (set(keys) & asked) | {table for table, _ in far} | (set(keys) - counted)
    return Division(colocated, tuple(rest), frozenset(left), CountScope(frozenset(set(keys) - counted), frozenset(far)))


def _sources(rules: Compiled) -> Iterator[_Source]:
    for is_fvp, key, columns, domain in domain_sources(rules):
        if isinstance(domain, Struct):
            yield _Source(("fluent" if is_fvp else "event", *key), columns, domain)
