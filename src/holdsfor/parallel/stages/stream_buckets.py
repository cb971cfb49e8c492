"""A bucket of a stage in a stream: its state, the facts of a micro-batch, and the results of the query times.

A micro-batch brings new records and makes some query times due. A bucket restores its session, inserts the records, and
evaluates the due query times. Its results go to later stages as changes: rows that a query time adds or removes. A
later stage applies them to the results of its state, so each of its query times reads the results known then.

A stage must not settle time-points that an earlier stage may still change. In a job, all changes are there when a
bucket starts (`dated_buckets`); here they are not. So a bucket also sends its settled time-point at each query time: no
change at this query time or later reaches back to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.query_times import QueryTimes
from holdsfor.columns.retractions import Retractions
from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.distribution.stages import Broadcast, Distribution, HashRoute, SemijoinRoute, Stages, Table
from holdsfor.kernels.keys import Int64, rows_with_a_partner
from holdsfor.parallel.exchange.facts import KINDS, Facts, Texts, by_name, fault_facts
from holdsfor.parallel.exchange.routing import Destination, Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.parallel.stages.buckets import Bucket, shown_facts
from holdsfor.parallel.stages.owned_keys import owned_keys
from holdsfor.parallel.stages.stage_functions import received_tables
from holdsfor.runtime.domain_members import distinct_positions, domain_sources
from holdsfor.runtime.incremental.batch_changes import BatchChanges
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.reports.changes import changes_since
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.reports.shown_rows import ShownRows
from holdsfor.runtime.session import EngineSession, Incremental
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.runtime.state import State
from holdsfor.runtime.upstream_results import changed_rows
from holdsfor.runtime.windows import busy_query_times
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.sources.reading import Operations
from holdsfor.sources.text_records import SetAside
from holdsfor.syntax.terms import Struct, name_and_arity

__all__ = ["SETTLED", "UNMATCHED", "StreamBucket", "StreamRouter", "stream_buckets", "stream_destinations"]

SETTLED = "settled"
"""The kind of facts with the settled time-points of a bucket, and the prefix of the kinds of settled results."""

UNMATCHED = "unmatched"
"""The kind of facts with retractions whose record is not there."""

_RETRACTED = {"-event": "event", "-fluent": "fluent"}
_NO_RECORD = "retracts a record that is not there"


# -- routes ------------------------------------------------------------------------------------------------------------


def stream_destinations(stages: Stages, rules: Rules, n_buckets: int) -> tuple[Destination, ...]:
    """The stages as destinations of a stream.

    Members of dynamic domains change with the records that mention them, so a bucket receives these records and finds
    the members itself; results of earlier stages bring the members that they imply. A guard of a semijoin may arrive
    after the rows that it selects, so these rows are broadcast.
    """
    compiled = rules.compiled()
    return tuple(
        Destination(
            number,
            tuple(dict.fromkeys(_lasting_routes(received_tables(stage, stages, compiled), rules))),
            n_buckets if stage.is_keyed else 1,
            rules,
        )
        for number, stage in enumerate(stages.stages, start=1)
    )


def _lasting_routes(
    receives: Iterable[tuple[Table, Distribution]], rules: Rules
) -> Iterator[tuple[Table, Distribution]]:
    for table, how in receives:
        if table[0] == "domain":
            yield from _filling_routes(table[1:], how, rules)
        else:
            yield table, Broadcast() if isinstance(how, SemijoinRoute) else how


def _filling_routes(domain: Key, how: Distribution, rules: Rules) -> Iterator[tuple[Table, Distribution]]:
    """The routes of the records that fill a domain."""
    for is_fvp, key, patterns, filled in domain_sources(rules.compiled()):
        if name_and_arity(filled) != domain or not isinstance(filled, Struct):
            continue
        positions = distinct_positions(patterns, filled)
        route: Distribution = Broadcast()
        if isinstance(how, HashRoute) and positions is not None:
            route = HashRoute(positions[how.argument])
        yield ("fluent" if is_fvp else "event", *key), route


@dataclass(frozen=True)
class StreamRouter:
    """Sends records, retractions, changes and settled time-points to the stages that read them.

    `senders` are, for each destination, the numbers of the earlier stages whose results it reads.
    """

    router: Router
    senders: dict[int, frozenset[int]] = field(default_factory=dict)

    def shuffle_blocks(self, facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
        """Facts for all stages that read them. A retraction takes the routes of its record."""
        if facts.kind not in _RETRACTED:
            yield from self.router.shuffle_blocks(facts, texts)
            return
        record = replace(facts, kind=_RETRACTED[facts.kind])
        for block in self.router.shuffle_blocks(record, texts):
            yield replace(block, facts=replace(block.facts, kind=facts.kind))

    def settled_blocks(self, stage: int, facts: Facts) -> Iterator[ShuffleBlock]:
        """The settled time-points of a bucket of a stage, for all buckets of the stages that read its results."""
        for destination in self.router.destinations:
            if stage in self.senders.get(destination.stage, ()):
                n = destination.n_buckets
                yield ShuffleBlock(destination.stage, tuple(range(n)), n, facts)


def stream_buckets(
    stages: Stages, destinations: tuple[Destination, ...], rules: Rules, run: RunSchedule
) -> list[StreamBucket]:
    """The function that evaluates the buckets of each stage."""
    tables = [stage.tables for stage in stages.stages]
    senders = {
        destination.stage: frozenset(
            number
            for number, computed in enumerate(tables[: destination.stage - 1], start=1)
            if any(table in computed for table, _ in destination.receives)
        )
        for destination in destinations
    }
    return [
        StreamBucket(
            rules,
            run,
            destination,
            stage.components,
            {vertex.label: path for vertex, path in stage.paths.items()},
            stages.ranges_over_sorts and not stage.is_keyed,
            Router(destinations[destination.stage :]),
            StreamRouter(Router(destinations[destination.stage :]), senders),
        )
        for stage, destination in zip(stages.stages, destinations, strict=True)
    ]


# -- evaluation --------------------------------------------------------------------------------------------------------


@dataclass
class _Evaluated:
    """The results of query times: the settled time-point of each, and facts.

    `found` are changes for the output and for later stages, `output` and `inside` those for one of both.
    """

    settled: dict[int, int] = field(default_factory=dict)
    found: list[Facts] = field(default_factory=list)
    output: list[Facts] = field(default_factory=list)
    inside: list[Facts] = field(default_factory=list)
    unmatched: list[ShuffleBlock] = field(default_factory=list)


@dataclass(frozen=True)
class StreamBucket(Bucket):
    """Evaluates one stage for one bucket after another, at the due query times of a micro-batch.

    `incremental` says whether query times evaluate only what changed. New sessions evaluate the query times `after` a
    query time, by default after the start of the run. The output of a session that begins later than the stream, at
    `stream_start`, has the part of each interval that is not before the session.
    """

    sender: StreamRouter = field(default_factory=lambda: StreamRouter(Router(())))
    incremental: Incremental = "auto"
    after: int | None = None
    stream_start: int | None = None

    def step(
        self, bucket: int, session: EngineSession, batches: Iterable[Iterable[Facts]], last: int
    ) -> Iterator[ShuffleBlock]:
        """The results of the query times up to `last` that are not evaluated yet, with the new facts of a bucket.

        The facts are those of consecutive micro-batches, with the symbols of the session. They are inserted at once;
        the query times are evaluated while the results are taken.
        """
        texts = Texts(session.symbols)
        for facts in batches:
            self._insert_all(session, by_name(facts))
        return self._advanced(session, bucket, texts, last)

    def restored(self, bucket: int, snapshot: Snapshot | None, prepared: PreparedRules, name: str) -> EngineSession:
        """The session of a bucket, new without a snapshot."""
        run, compiled = self.run, self.rules.compiled()
        prepared.compute_only(owned_keys(self, bucket, prepared.symbols))
        if snapshot is not None:
            session = EngineSession.restored(snapshot, compiled, self.rules.goal_terms(), prepared=prepared, name=name)
            session.incremental = self.incremental
            return session
        session = EngineSession(
            compiled,
            start=run.start,
            tick=run.tick,
            window=run.window,
            allen_memory=run.reach,
            goals=self.rules.goal_terms(),
            components=self.components,
            prepared=prepared,
            incremental=self.incremental,
        )
        session.keeps_cuts = not self.is_last
        return session

    def _insert_all(self, session: EngineSession, facts: list[Facts]) -> None:
        """Insert the facts of a micro-batch: records, retractions, and changes and settled times of earlier stages."""
        _apply_operations(session, [each for each in facts if "arrival" in each.times])
        for each in facts:
            if each.kind == KINDS:
                self._check_kinds(session, each)
            elif "is_gone" in each.times and "true_start" in each.times:
                _change_cuts(session, each)
            elif "is_gone" in each.times:
                _change_results(session, each)
        bounds = _bounds([each for each in facts if each.kind == SETTLED])
        if bounds is not None:
            session.state.computed.bound(*bounds)

    def _check_kinds(self, session: EngineSession, facts: Facts) -> None:
        known = session.state.place_kinds
        for written in facts.texts["text"].to_pylist():
            known = known.merged(PlaceKinds().with_json(json.loads(written)))
        known.check(self.rules.compiled().names.joins)
        session.state.place_kinds = known

    def _advanced(self, session: EngineSession, bucket: int, texts: Texts, last: int) -> Iterator[ShuffleBlock]:
        """The changes and settled results of each query time, and the settled time-points, as shuffle blocks."""
        selection = self.rules.compiled().selection
        shown = None if selection is None else ShownRows(selection, session.symbols)
        evaluated = self._together(session, last) or self._one_by_one(session, last)
        if session.replayed is not None:
            self._settle_again(session, evaluated, session.replayed, last)
        yield from evaluated.unmatched
        kinds = ((evaluated.found, True, True), (evaluated.output, True, False), (evaluated.inside, False, True))
        for each, is_output, is_sent in kinds:
            for facts in (self._owned_rows(rows, bucket, texts) for rows in by_name(each)):
                yield from _shown(facts, shown) if is_output else ()
                yield from self.sender.shuffle_blocks(facts, texts) if is_sent and facts.n else ()
        session.state.computed.drop(last, session.frontier)
        _drop_cuts(session, last)
        yield from (ShuffleBlock(NO_STAGE, (0,), 1, facts) for facts in fault_facts(session.faults.unreported()))
        columns = np.array(list(evaluated.settled.items()), np.int64).T
        facts = Facts(SETTLED, "", 0, len(evaluated.settled), times={"query_time": columns[0], "settled": columns[1]})
        yield from self.sender.settled_blocks(self.destination.stage, facts)

    def _one_by_one(self, session: EngineSession, last: int) -> _Evaluated:
        """The results of the query times up to the last one, each evaluated."""
        before = self.run.start if self.after is None else self.after
        before = before if session.previous is None else session.previous
        queries = QueryTimes(before, last, self.run.step, self.run.window)
        evaluated = _Evaluated()
        for at in busy_query_times(session, queries, last):
            known = session.last_report() or ReportColumns(session.start - 1, {}, {})
            evaluated.settled[at] = session.settled_at(at)
            seen = self._since_start(known, session.start)
            evaluated.output += _settled_facts(seen.before(evaluated.settled[at]), session.state)
            report = session.query(at)
            shown_report = self._since_start(report, session.start)
            is_same = seen is known and shown_report is report
            (evaluated.found if is_same else evaluated.inside).extend(_changed_facts(known, report, session.frontier))
            if not is_same:
                evaluated.output += _changed_facts(seen, shown_report, session.frontier)
            evaluated.inside += _cut_changes(session, at)
            evaluated.unmatched += _unmatched([(at, each) for each in session.records.take_unmatched()])
        return evaluated

    def _together(self, session: EngineSession, last: int) -> _Evaluated | None:
        """The same from one evaluation of most keys, if that is possible and pays."""
        begins_later = self.stream_start is not None and session.start > self.stream_start
        if begins_later or self.run.step is None:
            return None
        changes = session.changes_until(last, self.run.step)
        if changes is None:
            return None
        evaluated = _Evaluated({last - self.run.step: changes.settled_at, last: session.state.settled})
        evaluated.found += _facts_in(changes)
        for report in changes.settled:
            evaluated.output += _settled_facts(report, session.state)
        session.records.take_unmatched()
        evaluated.unmatched += _unmatched(changes.unmatched)
        return evaluated

    def _settle_again(self, session: EngineSession, evaluated: _Evaluated, settled: int, last: int) -> None:
        """Report as settled what the first evaluation of query times has reported, also if this one settles less."""
        report = session.last_report()
        if report is not None:
            found = self._since_start(report, session.start).before(settled)
            evaluated.output += _settled_facts(found, session.state)
        evaluated.settled[last] = max(settled, evaluated.settled.get(last, settled))
        session.state.reported_until = max(settled, session.state.reported_until)
        session.replayed = None

    def _since_start(self, report: ReportColumns, first: int) -> ReportColumns:
        """The part of a report that is not before its session, if the session begins later than the stream."""
        if self.stream_start is None or first <= self.stream_start:
            return report
        reaching = [key for key, table in report.fluents.items() if table.n and int(table.starts.min()) < first]
        if not reaching:
            return report
        cut = {key: report.fluents[key].with_starts(np.maximum(report.fluents[key].starts, first)) for key in reaching}
        return ReportColumns(report.query_time, {**report.fluents, **cut}, report.events)

    def known_facts(self, report: ReportColumns, state: State, bucket: int, texts: Texts) -> Iterator[Facts]:
        """The rows of a last report, and the true starts of cut intervals, as changes for a new session."""
        found = [_dated(each, report.query_time, 0) for each in _facts_of(report)]
        for key, cuts in state.cuts.items():
            found += _cut_facts(key, cuts[-1][1], report.query_time, 0)
        for facts in by_name(found):
            yield self._owned_rows(facts, bucket, texts)

    def withdrawn(
        self, report: ReportColumns, state: State, bucket: int, texts: Texts, at: int, boundary: int
    ) -> Iterator[ShuffleBlock]:
        """The rows of a last report as output: those before a boundary are settled, a query time removes the others.

        The state is that of the session of the report.
        """
        report = self._since_start(report, state.start)
        selection = self.rules.compiled().selection
        shown = None if selection is None else ShownRows(selection, texts.symbols)
        found = list(_settled_facts(report.before(boundary), state))
        found += [_dated(each, at, 1) for each in _facts_of(report.since(boundary))]
        for facts in found:
            yield from _shown(self._owned_rows(facts, bucket, texts), shown)

    def _owned_rows(self, facts: Facts, bucket: int, texts: Texts) -> Facts:
        """The rows for the keys that the bucket owns."""
        starts = facts.times["start"]
        if facts.kind.endswith("event"):
            points = PointTable((*facts.words, starts), facts.n)
            rows = self.owned(("event", facts.key), points, bucket, texts)
        else:
            table = FluentTable((*facts.words, starts, starts), facts.n)
            rows = self.owned(("fluent", facts.key), table, bucket, texts)
        return facts if len(rows) == facts.n else facts.take(rows)


def _shown(facts: Facts, shown: ShownRows | None) -> Iterator[ShuffleBlock]:
    """Changes and settled results as output, if they are shown."""
    return shown_facts(facts, "event" if facts.kind.endswith("event") else "fluent", shown)


def _changed_facts(known: ReportColumns, report: ReportColumns, frontier: int) -> Iterator[Facts]:
    """The rows that a query time adds or removes."""
    changes = changes_since(known, report, frontier)
    for rows, is_gone in ((changes.gone, 1), (changes.come, 0)):
        yield from (_dated(each, report.query_time, is_gone) for each in _facts_of(rows))


def _facts_in(changes: BatchChanges) -> Iterator[Facts]:
    """The rows that several query times add or remove."""
    for key, fluents in changes.fluents.items():
        table, dates = fluents.table, {"query_time": fluents.query_times, "is_gone": fluents.is_gone}
        times = {"start": table.starts, "end": table.ends, **dates}
        yield Facts("fluent", *key, table.n, list(table.keys), times)
    for key, events in changes.events.items():
        points, dates = events.table, {"query_time": events.query_times, "is_gone": events.is_gone}
        yield Facts("event", *key, points.n, list(points.columns[:-1]), {"start": points.times, **dates})


def _settled_facts(report: ReportColumns, state: State) -> Iterator[Facts]:
    """Rows that do not change any more, and were not reported as such before the state was restored."""
    return (replace(each, kind=f"{SETTLED} {each.kind}") for each in _facts_of(report.since(state.reported_until)))


def _facts_of(report: ReportColumns) -> Iterator[Facts]:
    """The rows of a report."""
    for key, table in report.fluents.items():
        yield Facts("fluent", *key, table.n, list(table.keys), {"start": table.starts, "end": table.ends})
    for key, points in report.events.items():
        yield Facts("event", *key, points.n, list(points.columns[:-1]), {"start": points.times})


def _dated(facts: Facts, at: int, is_gone: int) -> Facts:
    """Rows that a query time adds or removes."""
    return replace(facts, times={**facts.times, **_change(facts.n, at, is_gone)})


def _change(n: int, at: int, is_gone: int) -> dict[str, Int64]:
    """The columns of changes besides the extents of their rows."""
    return {"query_time": np.full(n, at, np.int64), "is_gone": np.full(n, is_gone, np.int64)}


def _apply_operations(session: EngineSession, facts: Iterable[Facts]) -> None:
    """Insert records and retractions, in their order."""
    groups: dict[tuple[str, Key], dict[bool, Facts]] = {}
    for each in facts:
        is_retraction = each.kind in _RETRACTED
        groups.setdefault((each.kind.removeprefix("-"), each.key), {})[is_retraction] = each
    session.apply([_operations(kind, key, found) for (kind, key), found in groups.items()])


def _operations(kind: str, key: Key, found: dict[bool, Facts]) -> Operations:
    """The records and retractions of one name, numbered in their order: places are far apart, and add up over time."""
    given = found[False] if False in found else found[True].take(np.empty(0, np.int64))
    if True not in found:
        return Operations(kind == "event", key, replace(given.records(), places=_ranks(given)), None)
    facts = found[True]
    ranks = _ranks(given, facts)
    added = replace(given.records(), places=ranks[: given.n])
    taken = replace(facts.records(), places=ranks[given.n :])
    origins = [SetAside("", 0, text, _NO_RECORD) for text in facts.texts["text"].to_pylist()]
    return Operations(kind == "event", key, added, Retractions(taken, origins))


def _ranks(*facts: Facts) -> Int64:
    ranks: Int64 = np.unique(np.concatenate([each.times["place"] for each in facts]), return_inverse=True)[1]
    return ranks.astype(np.int64)


def _change_results(session: EngineSession, facts: Facts) -> None:
    starts = facts.times["start"]
    table: PointTable | FluentTable = (
        PointTable((*facts.words, starts), facts.n)
        if facts.kind == "event"
        else FluentTable((*facts.words, starts, facts.times["end"]), facts.n)
    )
    session.change_computed(facts.key, table, facts.times["query_time"], facts.times["is_gone"])


def _bounds(found: list[Facts]) -> tuple[Int64, Int64] | None:
    """The query times of other buckets, and the time-point that all of them have settled at each.

    A bucket that skips a query time has no change before the next one that it evaluates.
    """
    if not found:
        return None
    parts = [each for joined in found for each in _by_bucket(joined)]
    query_times = np.unique(np.concatenate([times for times, _ in parts]))
    settled = [values[np.minimum(times.searchsorted(query_times), len(times) - 1)] for times, values in parts]
    return query_times, np.minimum.reduce(settled)


def _by_bucket(facts: Facts) -> Iterator[tuple[Int64, Int64]]:
    """The query times and settled time-points of each bucket; those of one bucket ascend, up to the same last one."""
    query_times, settled = facts.times["query_time"], facts.times["settled"]
    ends = (query_times == query_times.max()).nonzero()[0] + 1
    for first, last in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        yield query_times[first:last], settled[first:last]


# -- cut intervals -----------------------------------------------------------------------------------------------------


def _cut_changes(session: EngineSession, at: int) -> Iterator[Facts]:
    """For later stages: the true starts of results that the window of a query time cuts, as changes.

    Those of settled results stay, so they are not removed, and the session drops them.
    """
    for key, found in session.state.cuts.items():
        current = found[-1][1]
        before = found[-2][1] if len(found) > 1 else current.take(np.empty(0, np.int64))
        for one, other, is_gone in ((before, current, 1), (current, before, 0)):
            new = one.take((~rows_with_a_partner(one.columns, one.n, other.columns, other.n)).nonzero()[0])
            yield from _cut_facts(key, new, at, is_gone)
        found[:] = [(at, current.take((current.starts >= session.frontier).nonzero()[0]))]


def _cut_facts(key: Key, cuts: FluentTable, at: int, is_gone: int) -> Iterator[Facts]:
    if cuts.n:
        times = {"start": cuts.starts, "true_start": cuts.ends, **_change(cuts.n, at, is_gone)}
        yield Facts("fluent", *key, cuts.n, list(cuts.keys), times)


def _change_cuts(session: EngineSession, facts: Facts) -> None:
    times, cuts = facts.times, session.state.computed_cuts
    table = FluentTable((*facts.words, times["start"], times["true_start"]), facts.n)
    cuts[facts.key] = changed_rows(cuts.get(facts.key), table, times["query_time"], times["is_gone"])


def _drop_cuts(session: EngineSession, last: int) -> None:
    """Drop the cuts that are removed, and those of results that are dropped."""
    needed = {key: table for key, table, *_ in session.state.computed.all_fluents()}
    cuts = session.state.computed_cuts
    for key, (table, since, until) in list(cuts.items()):
        kept = (until > last).nonzero()[0]
        one, other = table.take(kept), needed.get(key)
        if other is None or not len(kept):
            del cuts[key]
            continue
        kept = kept[rows_with_a_partner((*one.keys, one.starts), one.n, (*other.keys, other.starts), other.n)]
        cuts[key] = table.take(kept), since[kept], until[kept]


def _unmatched(found: Sequence[tuple[int, SetAside]]) -> Iterator[ShuffleBlock]:
    """The retractions without a record, each with the query time that has found it."""
    if found:
        texts = {"text": pa.array([each.text for _, each in found], pa.string())}
        times = {"query_time": np.array([at for at, _ in found], np.int64)}
        yield ShuffleBlock(NO_STAGE, (0,), 1, Facts(UNMATCHED, "", 0, len(found), times=times, texts=texts))
