"""The state of a bucket of a stage, divided by the buckets of another number.

Computed rows belong to one key, so a new bucket takes those of its keys from the bucket that owned them before. Input
and results of earlier stages have routes: a new bucket takes the rows that it would have received. All rows are true at
the settled time-point of the state, so the parts of states with the same settled time-point can be joined
(`joined_states`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from holdsfor.columns.records import AdmissionCounts
from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.kernels.keys import Int64
from holdsfor.logical.nodes import NodeId
from holdsfor.parallel.exchange.facts import Facts, Texts, owners
from holdsfor.parallel.exchange.routing import Destination
from holdsfor.parallel.stages.stream_buckets import StreamBucket
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.plan import PhysicalProgram
from holdsfor.physical.rows import Rows
from holdsfor.runtime.allen_constructs import KeptIntervals
from holdsfor.runtime.cuts import DatedCuts
from holdsfor.runtime.delays import SetUp
from holdsfor.runtime.initial_values import InitialValues
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.state import State
from holdsfor.runtime.state_snapshot import Members
from holdsfor.runtime.upstream_results import UpstreamResults
from holdsfor.syntax.terms import Term, Var

__all__ = ["BucketState", "DividedState", "StageDivision"]

Table = TypeVar("Table", FluentTable, PointTable, Relation)
Value = TypeVar("Value")
By: TypeAlias = dict[int, Int64]
"""The rows of a table for each bucket."""
Effects: TypeAlias = tuple[SetUp | None, ...]
"""The pending effects of each delay of a component."""


@dataclass
class BucketState:
    """The state of a bucket with its last report and the members of its domains, with words of one symbol table."""

    state: State
    report: ReportColumns | None
    members: Members


@dataclass(frozen=True)
class StageDivision:
    """The rows of a stage for the buckets of `new`, from those of `old`; `domains` has the routes of domains."""

    old: StreamBucket
    new: StreamBucket
    domains: Destination
    program: PhysicalProgram
    texts: Texts

    def rows(self, number: int, kind: str, key: Key, words: Sequence[Int64], n: int) -> By:
        """The rows of a table in an old bucket by new bucket: computed rows by their keys, others by their routes."""
        is_computed = np.zeros(n, dtype=bool)
        found: dict[int, list[Int64]] = {}
        for rows, keys in self.old.keyed_rows((kind, key), Relation(tuple(words), n), self.texts):
            is_computed[rows] = True
            for bucket, positions in self._owned(number, keys).items():
                found.setdefault(bucket, []).append(rows[positions])
        others = (~is_computed).nonzero()[0]
        facts = Facts(kind, *key, len(others), [column[others] for column in words], {"row": others})
        for bucket, rows in self.routed(facts, self.new.destination).items():
            found.setdefault(bucket, []).append(rows)
        return {bucket: np.unique(np.concatenate(parts)) for bucket, parts in found.items()}

    def routed(self, facts: Facts, destination: Destination) -> By:
        """The rows of facts, by their column `row`, that a stage receives in each bucket."""
        found: dict[int, list[Int64]] = {}
        for block in destination.shuffle_blocks(facts, self.texts) if facts.n else ():
            if block.stage == destination.stage:
                for bucket in block.buckets:
                    found.setdefault(bucket, []).append(block.facts.times["row"])
        return {bucket: np.unique(np.concatenate(parts)) for bucket, parts in found.items()}

    def _owned(self, number: int, keys: Int64) -> By:
        """The positions of the keys that an old bucket owned, by the new bucket that owns them."""
        own = (owners(keys, self.old.destination.n_buckets, self.texts) == number).nonzero()[0]
        buckets = owners(keys[own], self.new.destination.n_buckets, self.texts)
        return {bucket: own[buckets == bucket] for bucket in np.unique(buckets).tolist()}

    def lists(self, number: int, node: NodeId, names: Sequence[str], rows: Rows) -> By | None:
        """The rows of a list of a rule by bucket, None if every bucket has all of them."""
        term = self._key_of_rule(node[0])
        if isinstance(term, Var):
            return self._owned(number, rows.columns[term.name]) if term.name in names else None
        everything = np.arange(rows.n, dtype=np.int64)
        keys = self.texts.symbols.words([term])
        return {bucket: everything for bucket, positions in self._owned(number, keys).items() if len(positions)}

    def _key_of_rule(self, number: int) -> Term:
        """The key in the head of an interval rule."""
        terms: set[Term | None] = set()
        for component in map(self.program.by_number.__getitem__, self.old.components):
            for planned in component.interval_rules:
                if planned.rule.number == number:
                    terms |= self.old.key_terms(planned.head.shape.key, planned.rule.fvp.term)
        found = terms.pop() if len(terms) == 1 else None
        if found is None:
            message = f"the state of interval rule {number} cannot be divided: its heads have different keys"
            raise DataProblem(Diagnostic("HF797", message, hint="keep the number of buckets"))
        return found

    def effects(self, number: int, component: int, found: Effects, bucket: int) -> Effects:
        """The pending effects of a component whose sources belong to a bucket."""
        return tuple(
            None if each is None else self._owned_effects(number, delay.key, each, bucket)
            for each, delay in zip(found, self.program.by_number[component].delays, strict=True)
        )

    def _owned_effects(self, number: int, source: Key, found: SetUp, bucket: int) -> SetUp:
        rows = self.rows(number, "fluent", source, found.sources, len(found.delays)).get(bucket, np.empty(0, np.int64))
        chosen = np.zeros(len(found.delays), dtype=bool)
        chosen[rows] = True
        return found.take(chosen)


class DividedState:
    """The state of an old bucket in parts, one for each new bucket."""

    def __init__(self, division: StageDivision, number: int, whole: BucketState, buckets: Sequence[int]) -> None:
        self._division = division
        self._number = number
        self._whole = whole
        self._buckets = buckets
        self._known: dict[Any, By] = {}

    def part(self, bucket: int) -> BucketState:
        """The part of a new bucket."""
        state, division, number = self._whole.state, self._division, self._number
        fluents = self._fluents
        initial = {
            place: self._taken(("initial", *place), "fluent", place[1:], relation, bucket)
            for place, relation in state.initial.known.items()
        }
        divided = replace(
            state,
            records=self._records(bucket),
            computed=self._computed(bucket),
            held=fluents("held", state.held, bucket),
            edges={
                (kind, key): self._taken(("edges", kind, key), "fluent", key, points, bucket)
                for (kind, key), points in state.edges.items()
            },
            pending={
                component: division.effects(number, component, found, bucket)
                for component, found in state.pending.items()
            },
            prefixes=self._lists(state.prefixes, bucket),
            made=self._lists(state.made, bucket),
            allen={node: self._kept(node, kept, bucket) for node, kept in state.allen.items()},
            complements={node: self._instances(node, rows, bucket) for node, rows in state.complements.items()},
            settled_cuts=fluents("settled cuts", state.settled_cuts, bucket),
            settled_input_cuts=fluents("settled input cuts", state.settled_input_cuts, bucket),
            initial=InitialValues(initial),
            computed_cuts=self._computed_cuts(bucket),
            cuts={
                key: [(at, self._taken(("cuts", key, at), "fluent", key, table, bucket)) for at, table in found]
                for key, found in state.cuts.items()
            },
        )
        return BucketState(divided, self._report(bucket), self._members(bucket))

    # -- tables --------------------------------------------------------------------------------------------------------

    def _rows(self, place: Any, bucket: int, by: Callable[[], By]) -> Int64:
        if place not in self._known:
            self._known[place] = by()
        return self._known[place].get(bucket, np.empty(0, np.int64))

    def _taken(self, place: Any, kind: str, key: Key, table: Table, bucket: int) -> Table:
        words = _words(kind, key, table)
        rows = self._rows(place, bucket, lambda: self._division.rows(self._number, kind, key, words, table.n))
        return table.take(rows)

    def _fluents(self, what: str, tables: Mapping[Key, FluentTable], bucket: int) -> dict[Key, FluentTable]:
        return {key: self._taken((what, key), "fluent", key, table, bucket) for key, table in tables.items()}

    def _report(self, bucket: int) -> ReportColumns | None:
        report = self._whole.report
        if report is None:
            return None
        events = {
            key: self._taken(("reported", key), "event", key, points, bucket) for key, points in report.events.items()
        }
        return ReportColumns(report.query_time, self._fluents("report", report.fluents, bucket), events)

    def _computed(self, bucket: int) -> UpstreamResults:
        computed = UpstreamResults(self._division.texts.symbols.instances)
        before = self._whole.state.computed
        for key, points, since, until in before.all_events():
            rows = self._routed("computed", "event", key, _words("event", key, points), points.n, bucket)
            if len(rows):
                computed.add_events(key, points.take(rows), since[rows], until[rows])
        for key, table, since, until in before.all_fluents():
            rows = self._routed("computed", "fluent", key, _words("fluent", key, table), table.n, bucket)
            if len(rows):
                computed.add_fluents(key, table.take(rows), since[rows], until[rows])
        return computed

    def _computed_cuts(self, bucket: int) -> dict[Key, DatedCuts]:
        found: dict[Key, DatedCuts] = {}
        for key, (table, since, until) in self._whole.state.computed_cuts.items():
            rows = self._routed("computed cuts", "fluent", key, _words("fluent", key, table), table.n, bucket)
            found[key] = table.take(rows), since[rows], until[rows]
        return found

    def _routed(self, what: str, kind: str, key: Key, words: Sequence[Int64], n: int, bucket: int) -> Int64:
        """The rows that the routes of a table send to a bucket."""
        division = self._division
        destination = division.domains if kind == "domain" else division.new.destination
        facts = Facts(kind, *key, n, words, {"row": np.arange(n, dtype=np.int64)})
        return self._rows((what, kind, key), bucket, lambda: division.routed(facts, destination))

    # -- lists ---------------------------------------------------------------------------------------------------------

    def _lists(self, found: Mapping[NodeId, Lists], bucket: int) -> dict[NodeId, Lists]:
        return {node: self._list(node, lists, bucket) for node, lists in found.items()}

    def _list(self, node: NodeId, lists: Lists, bucket: int) -> Lists:
        by = self._division.lists(self._number, node, lists.names, lists.rows) if lists.n else None
        return lists if by is None else lists.take(by.get(bucket, np.empty(0, np.int64)))

    def _kept(self, node: NodeId, kept: KeptIntervals, bucket: int) -> KeptIntervals:
        return KeptIntervals(
            self._list(node, kept.sources, bucket),
            self._list(node, kept.targets, bucket),
            None if kept.cut is None else self._kept(node, kept.cut, bucket),
        )

    def _instances(self, node: NodeId, rows: Rows, bucket: int) -> Rows:
        by = self._division.lists(self._number, node, list(rows.columns), rows) if rows.n else None
        return rows if by is None else rows.take(by.get(bucket, np.empty(0, np.int64)))

    # -- records -------------------------------------------------------------------------------------------------------

    def _records(self, bucket: int) -> RecordStore:
        before, store = self._whole.state.records, RecordStore()
        for kind, old, new in (("event", before.events, store.events), ("fluent", before.fluents, store.fluents)):
            for key, records in old.items():
                new[key] = records.take(self._routed("records", kind, key, records.columns, len(records), bucket))
        for (is_event, key), waiting in before.retractions.items():
            kind, named = "event" if is_event else "fluent", waiting.records
            rows = self._routed("retractions", kind, key, named.columns, len(named), bucket)
            if len(rows):
                store.retractions[is_event, key] = waiting.take(rows)
        store.n_places = before.n_places
        if bucket == self._buckets[0]:
            store.admission_counts = AdmissionCounts(**vars(before.admission_counts))
            store.unmatched = before.unmatched
            store.n_unmatched, store.n_retracted = before.n_unmatched, before.n_retracted
        return store

    # -- members -------------------------------------------------------------------------------------------------------

    def _members(self, bucket: int) -> Members:
        return {
            name: {key: self._of_domain(name, key, columns, bucket) for key, columns in found.items()}
            for name, found in self._whole.members.items()
        }

    def _of_domain(self, what: str, key: Any, columns: list[Int64], bucket: int) -> list[Int64]:
        """The members of a domain that are sent by key; those of others are everywhere."""
        if len(key) != 2 or not columns or not self._division.domains.distributions(("domain", *key)):
            return columns
        rows = self._routed(what, "domain", key, columns, len(columns[0]), bucket)
        return [column[rows] for column in columns]


def _words(kind: str, key: Key, table: Relation) -> list[Int64]:
    """The columns of a table that are words; tables of initial values have no value."""
    return list(table.columns[: key[1] + (kind == "fluent" and isinstance(table, PointTable | FluentTable))])
