"""Admission: the records that the windows of a run admit, and the members that records add to dynamic domains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import NO_ARRIVAL, QueryTimes
from holdsfor.columns.records import AdmissionCounts, AdmissionOutcome, Records
from holdsfor.columns.retractions import Retracted, Retractions, apply_retractions
from holdsfor.columns.tables import Key, fluent_table, point_table
from holdsfor.distribution.stages import Table
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.parallel.exchange.facts import Facts, Load, facts_of_records
from holdsfor.parallel.exchange.retractions import operations_of, unmatched_facts
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.physical.patterns import build, join
from holdsfor.physical.rows import one_row
from holdsfor.runtime.domain_members import distinct_positions, domain_sources
from holdsfor.runtime.windows import check_query_times
from holdsfor.sources.text_records import SetAside
from holdsfor.syntax.terms import Struct, name_and_arity, variables

__all__ = ["COUNTED", "CountScope", "JobAdmission", "RunSchedule"]

COUNTED = ("outside", "late", "dropped", "cut")
"""Kinds of facts that count the records outside the run, and the late, dropped and cut ones."""


@dataclass(frozen=True)
class RunSchedule:
    """The first and last time-point of a run, its query times, and the memory of Allen relations."""

    start: int
    end: int
    tick: int
    window: int | None
    step: int | None
    allen_memory: int | None = None
    last_query_time: int | None = None
    """The last query time, if the arrivals of all records are known."""

    @property
    def first(self) -> int:
        """The first time-point."""
        return -(-self.start // self.tick) * self.tick

    @property
    def reach(self) -> int | None:
        """The longest gap between two intervals in the relation `before`: by default the window."""
        return self.window if self.allen_memory is None else self.allen_memory

    @property
    def queries(self) -> QueryTimes:
        step = self.step if self.step is not None else self.window
        return QueryTimes(self.start, self.end, step, self.window, self.tick)

    @property
    def last(self) -> int:
        """The last query time whose window may admit a record of the run."""
        if self.last_query_time is not None:
            return self.last_query_time
        if self.window is None:
            return self.end
        queries = self.queries
        return max(
            queries.at_or_after(self.end), queries.at_or_after(self.end + self.window) - (self.step or self.window)
        )

    def before_window(self, query_time: int) -> int:
        """The time before the window of a query time; the first window begins at the start of the run."""
        if self.window is None or query_time <= self.queries.at_or_after(self.start):
            return self.start - 1
        return max(self.start - 1, query_time - self.window)

    @property
    def query_times(self) -> Sequence[int]:
        """All query times; a run with too many of them is refused."""
        check_query_times(self.queries, self.last)
        return self.queries.up_to(self.last)


@dataclass(frozen=True)
class CountScope:
    """The tables whose records are counted, and the pairs of a table and a domain that it fills; None means all."""

    counted: frozenset[Table] | None = None
    filling: frozenset[tuple[Table, Key]] | None = None

    def counts(self, table: tuple[str, str, int]) -> bool:
        return self.counted is None or table in self.counted

    def fills(self, table: Table, domain: Key) -> bool:
        return self.filling is None or (table, domain) in self.filling


@dataclass(frozen=True)
class JobAdmission:
    """Admits records once for all query times. Settled results do not depend on windows after that.

    Every record of the run fills domains, also a record that is too late for its window. If rules range over sorts,
    the constants of late records are needed too: such records are sent with an arrival after the last query time.
    `totals` are the counts of the records that this object has admitted.
    """

    rules: Rules
    run: RunSchedule
    ranges_over_sorts: bool = False
    count_scope: CountScope = CountScope()
    totals: AdmissionCounts = field(default_factory=AdmissionCounts, compare=False, repr=False)

    def __call__(self, loads: Iterable[Load]) -> Iterator[Load]:
        """The admitted records, the members that records add to domains, and counts."""
        members = _Members(self.rules, self.count_scope)
        for load in loads:
            facts: list[Facts] = []
            counts: Counter[tuple[str, int]] = Counter()
            for each in load.facts:
                if "op" in each.times:
                    records, retractions = operations_of(each)
                    done = apply_retractions(records, retractions.records, self.run.queries, self.run.tick)
                    facts += self._mentions(each, done.records, members, load.symbols)
                    self._count(each, records, counts)
                    facts += self.retracted(each, records, retractions, counts)
                elif each.kind in ("event", "fluent"):
                    records = each.records()
                    facts += self._mentions(each, records, members, load.symbols)
                    facts.append(facts_of_records(each.key, self._count(each, records, counts)))
                else:
                    facts.append(each)
            yield Load([*facts, *self.counted(counts)], load.symbols)

    def _mentions(self, each: Facts, records: Records, members: _Members, symbols: Symbols) -> Iterator[Facts]:
        """The members and constants that occur in records."""
        inside = self._inside(records.up_to(self.run.end))
        yield from members.of(each.key, inside, symbols)
        if self.ranges_over_sorts and self.run.window is not None:
            yield facts_of_records(each.key, self._mentioned(inside))

    def _count(self, each: Facts, records: Records, counts: Counter[tuple[str, int]]) -> Records:
        """The admitted records; `counts` gets the number of records by outcome."""
        outside = records.count_outside(self.run.start, self.run.end)
        seen = copy(records.up_to(self.run.end))
        admitted = self.admit_and_count(seen)
        if self.count_scope.counts(each.table):
            counts.update({**admitted, ("outside", self.run.end): outside})
        return seen

    def retracted(
        self,
        each: Facts,
        records: Records,
        retractions: Retractions[SetAside],
        counts: Counter[tuple[str, int]],
    ) -> Iterator[Facts]:
        """The admitted records that remain after retractions, and the unmatched retractions."""
        self.admit(records)
        done = self.applied(records, retractions, counts)
        remaining = done.records.up_to(self.run.end)
        remaining.arrivals = np.full(len(remaining), self.run.first, np.int64)
        yield facts_of_records(each.key, remaining)
        yield from unmatched_facts(retractions, done.unmatched)

    def applied(
        self, records: Records, retractions: Retractions[SetAside], counts: Counter[tuple[str, int]]
    ) -> Retracted:
        """The result of retractions at the query times of the run; `counts` gets their number by outcome."""
        done = apply_retractions(records, retractions.records, self.run.queries, self.run.tick)
        counts.update(self.retraction_counts(done.outcome))
        return done

    def retraction_counts(self, outcome: AdmissionOutcome) -> dict[tuple[str, int], int]:
        """The number of retractions by outcome."""
        masks = {"late": outcome.late, "dropped": outcome.dropped, "cut": outcome.cut}
        return {(what, self.run.end): int(np.count_nonzero(mask)) for what, mask in masks.items()}

    def admit_and_count(self, records: Records) -> dict[tuple[str, int], int]:
        """Keep the records that some query time admits, with arrivals at the start; return their number by outcome."""
        admission_counts = self.admit(records)
        records.arrivals = np.broadcast_to(np.int64(self.run.first), len(records))
        counts = {"late": admission_counts.n_late, "dropped": admission_counts.n_dropped, "cut": admission_counts.n_cut}
        return {(what, self.run.end): n for what, n in counts.items()}

    def counted(self, counts: Mapping[tuple[str, int], int]) -> Iterator[Facts]:
        """The counts as facts."""
        yield from (Facts(what, "", 0, n) for (what, _), n in counts.items() if n)

    def admit(self, records: Records) -> AdmissionCounts:
        """Keep the records that some query time admits; return their number by outcome."""
        found = records.admit(self.run.queries, self.run.end, self.run.tick)
        self.totals.add(found)
        return found

    def _mentioned(self, records: Records) -> Records:
        """One record for each combination of constants, with an arrival after all query times."""
        mentioned = records.take(dense_ids(records.columns, len(records))[1])
        mentioned.arrivals = np.full(len(mentioned), NO_ARRIVAL, dtype=np.int64)
        return mentioned

    def _inside(self, records: Records) -> Records:
        """The records that have a time-point in the run."""
        is_inside = records.starts >= self.run.first if records.ends is None else records.ends > self.run.first
        return records if is_inside.all() else records.take(np.flatnonzero(is_inside))


class _Members:
    """The members of dynamic domains that occur in records."""

    def __init__(self, rules: Rules, count_scope: CountScope) -> None:
        self.sources = [
            (is_fvp, key, patterns, domain)
            for is_fvp, key, patterns, domain in domain_sources(rules.compiled())
            if isinstance(domain, Struct)
            and count_scope.fills(("fluent" if is_fvp else "event", *key), name_and_arity(domain))
        ]

    def of(self, key: Key, records: Records, symbols: Symbols) -> Iterator[Facts]:
        is_fvp = records.ends is not None
        for is_wanted, source, patterns, domain in self.sources:
            if (is_wanted, source) != (is_fvp, key) or not len(records):
                continue
            positions = distinct_positions(patterns, domain)
            if positions is not None:
                yield _each_once(name_and_arity(domain), [records.columns[i] for i in positions], len(records))
                continue
            zeros = np.zeros(len(records), dtype=np.int64)
            table = (
                fluent_table(records.columns, zeros, zeros + 1) if is_fvp else point_table([*records.columns, zeros])
            )
            found, _ = join(one_row(), table, patterns, symbols)
            if found.n and set(variables(domain)) <= set(found.columns):
                yield _each_once(name_and_arity(domain), [build(p, found, symbols) for p in domain.args], found.n)


def _each_once(key: Key, columns: list[Int64], n: int) -> Facts:
    first = dense_ids(columns, n)[1]
    return Facts("domain", *key, len(first), [column[first] for column in columns])
