"""What a run sees of its records: those inside its time-points that are there in time, and the domains they fill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key, fluent_table, point_table
from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import dense_ids
from holdsfor.physical.patterns import build, join
from holdsfor.physical.rows import one_row
from holdsfor.runtime.session import domain_sources
from holdsfor.runtime.windows import query_times
from holdsfor.spark.exchange import Group, Layout, constants_of
from holdsfor.spark.reading import records_of, rows_of_records
from holdsfor.spark.rules import Rules
from holdsfor.syntax.terms import Struct, name_and_arity, variables

__all__ = ["COUNTS", "COUNTS_AT", "Admission", "Run"]

COUNTS = pa.schema([("what", pa.string()), ("name", pa.string()), ("n", pa.int64())])
COUNTS_AT = pa.schema([("query_time", pa.int64()), ("what", pa.string()), ("n", pa.int64())])


@dataclass(frozen=True)
class Run:
    """The time-points of a run, both ends included, its query times, and what Allen relations remember."""

    start: int
    end: int
    tick: int
    window: int | None
    step: int | None
    allen_memory: int | None = None

    @property
    def first(self) -> int:
        """The first time-point."""
        return -(-self.start // self.tick) * self.tick

    @property
    def reach(self) -> int | None:
        """How long one interval may be over when another one begins that it is `before`: by default the window."""
        return self.window if self.allen_memory is None else self.allen_memory

    @property
    def queries(self) -> list[int]:
        return query_times(self.start, self.end, self.step if self.step is not None else self.window)


@dataclass(frozen=True)
class Admission:
    """Judges records once, for all query times: windows then make no difference to what is settled.

    Domains are filled by every record of the run, also by those too late for a window. Where rules range over sorts,
    what such a record mentions matters too: then it goes along, arriving after the last query time.
    """

    rules: Rules
    run: Run
    layout: Layout
    ranges_over_sorts: bool = False

    def rows(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The rows of records that are seen, as they are seen, and of the members that they bring to domains."""
        members = _Members(self.rules, self.layout)
        for batch in batches:
            for group in Group.all_of(pa.Table.from_batches([batch])):
                if group.kind in ("event", "fluent"):
                    symbols = Symbols()
                    records = records_of(group, symbols).up_to(self.run.end)
                    key = (group.name, group.arity)
                    inside = self._inside(records)
                    yield from members.rows(key, inside, symbols)
                    if self.ranges_over_sorts and self.run.window is not None:
                        yield rows_of_records(self.layout, key, self._mentioned(inside), symbols)
                    self.judge(records)
                    yield rows_of_records(self.layout, key, records, symbols)

    def counts(self, batches: Iterator[Any]) -> Iterator[Any]:
        """What becomes of the records, counted batch by batch."""
        for batch in batches:
            counts: Counter[tuple[str, str]] = Counter()
            for group in Group.all_of(pa.Table.from_batches([batch])):
                if group.kind in ("unused", "read"):
                    counts[group.kind, group.name] += int(group.times("start").sum())
                elif group.kind == "set aside":
                    counts["set aside", ""] += group.table.num_rows
                else:
                    records = records_of(group, Symbols())
                    counts["outside", ""] += records.count_outside(self.run.start, self.run.end)
                    late, dropped = self.judge(records.up_to(self.run.end))
                    counts["late", ""] += late
                    counts["dropped", ""] += dropped
            yield pa.RecordBatch.from_pylist(
                [{"what": what, "name": name, "n": n} for (what, name), n in counts.items() if n], COUNTS
            )

    def counts_at(self, batches: Iterator[Any]) -> Iterator[Any]:
        """How many records come late and too late for each query time, counted batch by batch."""
        for batch in batches:
            counts: Counter[tuple[int, str]] = Counter()
            for group in Group.all_of(pa.Table.from_batches([batch])):
                if group.kind in ("event", "fluent"):
                    for query_time, late, dropped in self._judged_at(records_of(group, Symbols()).up_to(self.run.end)):
                        counts[query_time, "late"] += late
                        counts[query_time, "dropped"] += dropped
            yield pa.RecordBatch.from_pylist(
                [{"query_time": at, "what": what, "n": n} for (at, what), n in counts.items() if n], COUNTS_AT
            )

    def _judged_at(self, records: Records) -> Iterator[tuple[int, int, int]]:
        """The query times that see records first, with how many are late for them, and how many too late."""
        run, queries = self.run, self.run.queries
        seen = np.searchsorted(queries, records.arrivals)
        for number in np.unique(seen[(seen > 0) & (seen < len(queries))]).tolist():
            here, before = queries[number], queries[number - 1]
            arriving = records.take(np.flatnonzero(seen == number))
            yield here, *arriving.admit([here], before, run.window, run.first, run.tick)

    def judge(self, records: Records) -> tuple[int, int]:
        """Leave the records that some query time sees; how many are late, and how many too late."""
        run, queries = self.run, self.run.queries
        counts = records.admit(queries, None, run.window, run.first, run.tick)
        seen = records.take(np.flatnonzero(records.arrivals <= queries[-1]))
        records.columns, records.arrivals, records.starts = seen.columns, seen.arrivals, seen.starts
        records.ends, records.begins = seen.ends, seen.begins
        return counts

    def _mentioned(self, records: Records) -> Records:
        """A record for all that have the same constants, which no query time sees."""
        mentioned = records.take(dense_ids(records.columns, len(records))[1])
        mentioned.arrivals = np.full(len(mentioned), self.run.queries[-1] + 1, dtype=np.int64)
        return mentioned

    def _inside(self, records: Records) -> Records:
        """The records that have a time-point in the run."""
        is_inside = records.starts >= self.run.first if records.ends is None else records.ends > self.run.first
        return records.take(np.flatnonzero(is_inside))


class _Members:
    """Members of dynamic domains, each told once."""

    def __init__(self, rules: Rules, layout: Layout) -> None:
        self.layout = layout
        self.sources = domain_sources(rules.compiled())
        self.told: dict[Key, set[tuple[object, ...]]] = {}

    def rows(self, key: Key, records: Records, symbols: Symbols) -> Iterator[Any]:
        zeros = np.zeros(len(records), dtype=np.int64)
        is_fvp = records.ends is not None
        for is_wanted, source, patterns, domain in self.sources:
            if (is_wanted, source) != (is_fvp, key) or not len(records) or not isinstance(domain, Struct):
                continue
            table = (
                fluent_table(records.columns, zeros, zeros + 1) if is_fvp else point_table([*records.columns, zeros])
            )
            found, _ = join(one_row(), table, patterns, symbols)
            if found.n and set(variables(domain)) <= set(found.columns):
                yield from self._new(name_and_arity(domain), [build(p, found, symbols) for p in domain.args], symbols)

    def _new(self, key: Key, columns: list[Any], symbols: Symbols) -> Iterator[Any]:
        columns = list(point_table([*columns, np.zeros(len(columns[0]), dtype=np.int64)]).columns[:-1])
        rows = list(zip(*(symbols.terms(column) for column in columns), strict=True))
        told = self.told.setdefault(key, set())
        fresh = [i for i, row in enumerate(rows) if row not in told]
        told.update(rows)
        if fresh:
            constants = [constants_of(column[fresh], symbols) for column in columns]
            yield self.layout.rows(len(fresh), "domain", *key, constants)
