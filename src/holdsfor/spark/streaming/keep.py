"""Other rules for a stopped stream that keep the state of unchanged definitions; the others are computed anew.

Unchanged definitions continue in their stages, with their keys (`distribution/kept_stages.py`), and have the output of
a stream whose rules were not changed. The others are computed in new stages after these, whose sessions begin with the
window of the next query time, as after a restart. They read the records in the window and the results of the unchanged
definitions: the last report of their buckets, and then the changes, as any later stage does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from holdsfor.columns.encoding import Symbols
from holdsfor.distribution.kept_stages import KeptStages, PlannedRules, keep_stages
from holdsfor.distribution.stages import Table
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.exchange.facts import Facts, Texts
from holdsfor.parallel.exchange.routing import Destination, Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import ShuffleBlock
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.parallel.stages.rule_pool import borrowed_rules
from holdsfor.parallel.stages.state_parts import bucket_of, written_parts
from holdsfor.parallel.stages.stream_buckets import StreamBucket, StreamRouter, stream_buckets, stream_destinations
from holdsfor.runtime.domain_members import domain_sources
from holdsfor.runtime.kept_state import CommonRules, common_rules, kept_state
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.runtime.state_snapshot import DOMAINS, Members, report_of, snapshot_with, stored_members, stored_state
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.spark.streaming.identity import Identity, Manifest, write_manifest
from holdsfor.spark.streaming.restart import kept_records, restart, write_replaced
from holdsfor.spark.streaming.state_files import RESTART, StateFiles, StreamFiles, number_of
from holdsfor.spark.streaming.stopped_stream import (
    StoppedStream,
    digest_of_stages,
    planned_rules,
    state_files,
    state_parts,
    wait_for,
    waiting_facts,
)
from holdsfor.spark.streaming.stored_rules import store_rules
from holdsfor.syntax.terms import name_and_arity
from holdsfor.syntax.time_points import LATEST

__all__ = ["keep"]


def keep(stream: StoppedStream, identity: Identity, rules: Rules) -> Manifest:
    """Rewrite the state of a stopped stream for other rules; HF797 if unchanged definitions cannot continue."""
    stream.check_results()
    stream.check_complete()
    new = planned_rules(rules, identity.tick, identity.window)
    kept = keep_stages(stream.planned, stream.stages, new)
    begins = stream.begins()
    if begins is None or not kept.fixed:
        return restart(stream, identity, rules, new.plan())
    return _Keeping(stream, identity, rules, new, kept, begins).run()


@dataclass
class _Found:
    """What the states of all buckets have for new sessions, with words of one symbol table."""

    symbols: Symbols = field(default_factory=Symbols)
    stores: list[RecordStore] = field(default_factory=list)
    kinds: PlaceKinds = field(default_factory=PlaceKinds)
    results: list[Facts] = field(default_factory=list)

    @cached_property
    def texts(self) -> Texts:
        return Texts(self.symbols)


@dataclass(frozen=True)
class _Keeping:
    """The change of one checkpoint; the new sessions begin at a time-point."""

    stream: StoppedStream
    identity: Identity
    rules: Rules
    planned: PlannedRules
    kept: KeptStages
    begins: int

    def run(self) -> Manifest:
        stream, manifest = self.stream, self.stream.manifest
        old, new = stream.files.inside(manifest.folder), stream.files.inside(manifest.next_folder)
        stream.write_snapshots()
        stream.files.delete_folder(manifest.next_folder)
        before = stream.buckets(self.identity.n_buckets)
        every = [(bucket, each) for bucket in before for each in state_files(bucket, old)]
        name = self._state_name([each for _, each in every])
        found = _Found()
        for bucket, files in every:
            self._read(bucket, files, name, new, found)
        for position, number in enumerate(self.kept.positions):
            self._write(position, state_files(before[number], old), name, new, found)
        later = StreamRouter(Router(self._destinations[len(self.kept.fixed) :]))
        facts = [*kept_records(found.stores, self.begins), *found.results]
        wait_for(new, number_of(name), later, facts, found.texts)
        sender = StreamRouter(Router(self._destinations))
        for batch, waiting, texts in waiting_facts([each for _, each in every], stream.next):
            wait_for(new, batch, sender, waiting, texts)
        store_rules(new, self.rules)
        changed = self._manifest()
        write_manifest(stream.files, changed)
        return changed

    def _manifest(self) -> Manifest:
        fixed = [
            {name: None if path is None else list(path) for name, path in each.items()} for each in self.kept.fixed
        ]
        return Manifest(
            self.identity,
            self.stream.manifest.next_folder,
            self.stream.next - 1,
            digest_of_stages(self.kept.stages),
            self.stream.decision.last,
            self.begins,
            fixed,
        )

    def _state_name(self, every: list[StateFiles]) -> str:
        """The name of the last states, which all buckets have written in the same micro-batch."""
        names = {each.needed_by(self.stream.next).snapshot for each in every}
        name = names.pop()
        if names or name is None:
            message = "the buckets of the stream have states of different micro-batches"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        return name

    @cached_property
    def _destinations(self) -> tuple[Destination, ...]:
        return stream_destinations(self.kept.stages, self.rules, self.identity.n_buckets)

    @cached_property
    def _buckets(self) -> list[StreamBucket]:
        """The functions of the new stages."""
        given, start = self.identity, self.stream.decision.start
        assert start is not None
        run = RunSchedule(start, LATEST, given.tick, given.window, given.step, given.allen_memory)
        return stream_buckets(self.kept.stages, self._destinations, self.rules, run)

    # -- states --------------------------------------------------------------------------------------------------------

    @cached_property
    def _common(self) -> CommonRules:
        return common_rules(self.stream.planned, self.planned, self.kept.components)

    @cached_property
    def _continued(self) -> set[Table]:
        """The tables that kept components compute."""
        stages = self.kept.stages.stages[: len(self.kept.fixed)]
        return {table for stage in stages for table in stage.tables}

    def _read(self, bucket: StreamBucket, files: StateFiles, name: str, new: StreamFiles, found: _Found) -> None:
        """Collect the records and kinds of a state, and write the rows that the next query time removes."""
        assert self.stream.decision.last is not None
        at, replaced = self.stream.decision.last + self.identity.step, list[ShuffleBlock]()
        for part in state_parts(bucket, files, name):
            state, report = stored_state(part.snapshot, found.symbols), report_of(part.snapshot, found.symbols)
            found.stores.append(state.records)
            found.kinds = found.kinds.merged(state.place_kinds)
            if report is not None:
                others = _part(report, self._continued, is_inside=False)
                replaced += part.bucket.withdrawn(others, state, part.number, found.texts, at, self.begins)
        write_replaced(new, files, replaced, found.texts)

    def _write(self, position: int, old: list[StateFiles], name: str, new: StreamFiles, found: _Found) -> None:
        """Write the states of a stage that continues, and collect its results for the new stages."""
        bucket = self._buckets[position]
        for files, target in zip(old, state_files(bucket, new), strict=True):
            parts = []
            for part in state_parts(bucket, files, name):
                content = self._rewritten(part.snapshot, bucket, found.kinds if position == 0 else None)
                content = self._with_cuts(content, bucket_of(bucket, part.n_buckets), part.number)
                report, state = report_of(content, found.symbols), stored_state(content, found.symbols)
                if report is not None:
                    found.results += part.bucket.known_facts(report, state, part.number, found.texts)
                parts.append(replace(part, snapshot=content))
            target.save(number_of(name), written_parts(parts))

    def _rewritten(self, snapshot: Snapshot, bucket: StreamBucket, kinds: PlaceKinds | None) -> Snapshot:
        """The snapshot of a bucket for the new rules."""
        symbols = Symbols()
        tables = self.kept.stages.stages[bucket.destination.stage - 1].tables
        read = {table for table, _ in bucket.destination.receives}
        state = kept_state(stored_state(snapshot, symbols), self._common, tables | read, symbols)
        state = state if kinds is None else replace(state, place_kinds=kinds)
        report = report_of(snapshot, symbols)
        settings = {**snapshot.settings, "components": sorted(bucket.components)}
        return snapshot_with(
            state,
            self._members(stored_members(snapshot, symbols)),
            symbols,
            self.rules.fingerprint(),
            settings,
            report=None if report is None else _part(report, tables, is_inside=True),
        )

    def _members(self, members: Members) -> Members:
        """The members of sorts, and of the domains that the new rules have."""
        domains = {name_and_arity(domain) for *_, domain in domain_sources(self.rules.compiled())}
        return {
            name: {key: columns for key, columns in found.items() if key in domains or name not in DOMAINS}
            for name, found in members.items()
        }

    def _with_cuts(self, snapshot: Snapshot, bucket: StreamBucket, number: int) -> Snapshot:
        """The snapshot of a bucket that keeps the cuts of its results, if later stages read them."""
        if snapshot.settings["keeps_cuts"] or not bucket.onward.destinations:
            return snapshot
        with borrowed_rules(bucket.rules, bucket.components) as prepared:
            session = bucket.restored(number, Snapshot.from_bytes(snapshot.to_bytes()), prepared, "state")
            session.begin_to_keep_cuts()
            return Snapshot.from_bytes(session.snapshot(has_report=True).to_bytes(), "state")


def _part(report: ReportColumns, tables: set[Table], *, is_inside: bool) -> ReportColumns:
    """The part of a report about the names of tables, or about all others."""
    fluents = {key: each for key, each in report.fluents.items() if (("fluent", *key) in tables) == is_inside}
    events = {key: each for key, each in report.events.items() if (("event", *key) in tables) == is_inside}
    return ReportColumns(report.query_time, fluents, events)
