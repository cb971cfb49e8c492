"""A run over query times: records in, reports out, state carried from window to window."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, NoReturn, SupportsIndex, TypeAlias

from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.pending import Pending, merged_pending
from holdsfor.columns.query_times import ALL_ARRIVED, ConsecutiveQueries, OneQuery
from holdsfor.columns.recoding import Recoding
from holdsfor.columns.tables import FluentTable, PointTable
from holdsfor.physical.plan import PlannedDelay
from holdsfor.physical.profile import Profile
from holdsfor.physical.time_range import TimeRange
from holdsfor.prolog.faults import Faults
from holdsfor.runtime.delays import SetUp, counted_pending
from holdsfor.runtime.early_results import EarlyPart, continue_early, early_part
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.evaluation_input import has_cuts, input_tables, keep_cuts, note_cuts, with_upstream
from holdsfor.runtime.incremental.batch_changes import BatchChanges, batch_changes
from holdsfor.runtime.incremental.cost import MeasuredCost, is_worth_a_batch, is_worth_a_resumption, pays
from holdsfor.runtime.incremental.key_spans import SpanKeys, span_keys
from holdsfor.runtime.incremental.key_stages import KeyStage, key_stages
from holdsfor.runtime.incremental.record_changes import RecordChanges
from holdsfor.runtime.incremental.resumption import Resumption, resumption_after
from holdsfor.runtime.prepared_rules import PreparedRules, refuse_predicates_over_lists
from holdsfor.runtime.profiled_evaluation import ProfiledEvaluation
from holdsfor.runtime.query_batches import QueryBatch, batch_starts, last_of_batch
from holdsfor.runtime.reports.report import Replaced, ReportColumns, SameBefore
from holdsfor.runtime.session_records import SessionRecords
from holdsfor.runtime.settled_time import decided_until, next_change
from holdsfor.runtime.snapshot import Snapshot, integer, integer_or_none, reading_of
from holdsfor.runtime.state_snapshot import check_rules, recoded_state, report_of, snapshot_of, state_of
from holdsfor.sources.input_facts import input_fact_columns
from holdsfor.syntax.terms import Term

__all__ = ["INCREMENTAL_MEMORY", "EngineSession", "Incremental"]

Incremental: TypeAlias = Literal["auto", "on", "off"]
"""Whether query times evaluate only what changed."""

INCREMENTAL_MEMORY = 10**9
"""The bytes that may be kept for query times that evaluate only what changed, unless a session says otherwise."""

_LAGS = 4  # the settled time-point may lag behind the window by this part of it while query times are resumed
_ROOM = 50_000  # unused symbols and instances that do not justify a compaction


class EngineSession(SessionRecords):
    """One run of an event description from the time-point `start` to `end`.

    `without` names the rewrites that are switched off. The session computes and reports the output that the rules
    select. With `components`, it computes only these components of the program and reports all their results; results
    of other components that they depend on are inserted with `insert_computed`. With
    `inserts_input_facts`, input facts in the rule files are inserted as records. A `profile` counts rows and seconds of
    the operators. `prepared` are the rules of an earlier session, with their symbols, goals, rewrites and components.
    With `incremental` "on", a query time evaluates only what changed, where that is possible, with "off" always the
    whole window; "auto" chooses the cheaper one. Where more than `incremental_memory` bytes were kept for it, the whole
    window is evaluated.
    """

    def __init__(
        self,
        compiled: Compiled,
        *,
        start: int,
        end: int | None = None,
        tick: int = 1,
        window: int | None = None,
        allen_memory: int | None = None,
        goals: Iterable[Term] = (),
        symbols: Symbols | None = None,
        without: Iterable[str] = (),
        components: Collection[int] | None = None,
        inserts_input_facts: bool = True,
        prepared: PreparedRules | None = None,
        incremental: Incremental = "auto",
        incremental_memory: int = INCREMENTAL_MEMORY,
    ) -> None:
        if prepared is None:
            symbols = Symbols() if symbols is None else symbols
            prepared = PreparedRules(compiled, symbols, goals, without=without, components=components)
        super().__init__(prepared, start=start, end=end, tick=tick, window=window)
        self.allen_memory = window if allen_memory is None else allen_memory
        self.keeps_cuts = False
        self.seconds = 0.0
        self._input: tuple[PointTable | FluentTable, ...] = ()  # events and intervals of the last evaluation
        self.profile: Profile | None = None
        self.incremental: Incremental = incremental
        self.incremental_memory = incremental_memory
        self.n_resumed = 0  # query times that evaluated only what changed
        self.n_whole = 0  # evaluations of whole windows, of one query time or of several together
        self.n_over_memory = 0  # query times that did not, because more bytes were kept than allowed
        self.kept_bytes = 0  # the most that were kept from one query time to the next
        self._evaluation: Evaluation | None = None  # the last one, if it evaluated the whole window
        self._batch: QueryBatch | None = None
        self._resumption: Resumption | None = None
        self._cost = MeasuredCost()
        self.replayed: int | None = None  # the settled time-point of query times that are evaluated again
        self._settling: tuple[int, Evaluation] | None = None
        self._settled_to = self.start - 1  # the boundary up to which records were evaluated to settle time-points
        self._stages: tuple[KeyStage, ...] | None = None
        self._spans: tuple[SpanKeys | None] | None = None
        self._known: ReportColumns | None = None
        self._worth_keeping: int | None = None  # symbols and instances after the last compaction
        if window is not None:
            refuse_predicates_over_lists(self.rules.program)
        for key, records in input_fact_columns(compiled.names, tick, self.symbols) if inserts_input_facts else ():
            self.insert_columns(key, records)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse `copy` and `pickle`: plans, caches and state refer to each other by identity."""
        message = "a session cannot be copied or pickled: save it with `save(path)`, read it with `load(path, rules)`"
        raise TypeError(message)

    # -- snapshots -----------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that a session restored from a snapshot must share with this one, besides the rules."""
        components = self.rules.components
        return {
            "window": self.window,
            "tick": self.tick,
            "allen_memory": self.allen_memory,
            "components": None if components is None else sorted(components),
        }

    def snapshot(self, more: Mapping[str, Any] = MappingProxyType({}), *, has_report: bool = False) -> Snapshot:
        """The state on which later query times depend, with `more` data of the caller, which must be JSON.

        A snapshot has the inserted records. A run that reads its own input stores in `more` the position of each input
        after these records and the length of its output. It takes the snapshot after it has written the report of a
        query time and before it inserts further records. `Snapshot.to_bytes` is the content of a file; `replace_file`
        writes it atomically. To continue: read `Snapshot.from_bytes`, compare `settings` with the options of the run,
        call `EngineSession.restored`, and continue the inputs and the output from the positions in `more`. A run that
        reports changes compares its next report with `last_report()`. A snapshot that has the last report is longer,
        and restored without an evaluation.
        """
        self._leave_batch()
        settings = {**self.settings, "end": self.end, "keeps_cuts": self.keeps_cuts}
        return snapshot_of(self.state, self.rules, settings, dict(more), self._known if has_report else None)

    @classmethod
    def restored(
        cls,
        snapshot: Snapshot,
        compiled: Compiled,
        goals: Iterable[Term] = (),
        *,
        symbols: Symbols | None = None,
        prepared: PreparedRules | None = None,
        name: str = "snapshot",
    ) -> EngineSession:
        """A session that continues from a snapshot; `name` is the name of the snapshot in error messages.

        The rules and goals must be those of the snapshot. The last query time is evaluated again, unless the snapshot
        has its report. `prepared` are the rules of an earlier session, without members from records.
        """
        goals = tuple(goals)
        check_rules(snapshot, compiled, goals, name, prepared)
        with reading_of(name):
            given = _settings_of(snapshot)
            session = cls(
                compiled,
                start=0,
                goals=goals,
                symbols=symbols,
                inserts_input_facts=False,
                prepared=prepared,
                **given,
            )
            session.allen_memory, session.keeps_cuts = given["allen_memory"], bool(snapshot.settings["keeps_cuts"])
            session.state = state_of(snapshot, session.rules)
            session._settled_to = session.start - 1
            session._known = report_of(snapshot, session.symbols)
            if session._known is None:
                session._resume()
        return session

    def compact(self) -> Recoding | None:
        """Free the symbols and instances that the state does not refer to, if the tables have doubled.

        The remaining symbols get new words. The caller must recode columns that it has read but not inserted with the
        returned `Recoding`, and must decode earlier reports with the `view` of the symbol table that they were made
        with. O(n) in the open FVPs and the records in the window; the last time range is evaluated again.
        """
        if self._worth_keeping is None and self._evaluation is not None:
            self._worth_keeping = self.symbols.size
        if self._worth_keeping is None or self.symbols.size < 2 * self._worth_keeping + _ROOM:
            return None
        self._leave_batch()
        before = self.symbols.reset()
        recoding = Recoding(before, self.symbols)
        self.rules.recode(recoding)
        self._stages = self._spans = None
        self.state = recoded_state(self.state, before, self.symbols)
        self._resume()
        self._worth_keeping = self.symbols.size
        return recoding

    def _resume(self) -> None:
        """Evaluate the last time range again, without the records that were inserted after its query time."""
        at, time_range = self.state.evaluated_at, self.state.time_range
        if at is not None and time_range is not None:
            self._resumption = None
            self._evaluation = self._evaluated(time_range, at, at)
            self._known = self._report(self._evaluation)

    def begin_to_keep_cuts(self) -> None:
        """Keep the cuts of results from now on, with those of the last query time."""
        self.keeps_cuts = True
        at, time_range = self.state.evaluated_at, self.state.time_range
        if at is not None and time_range is not None and has_cuts(self.state, time_range.last, at):
            known = self._known
            self._resume()
            self._keep_cuts(time_range, at)
            self._known = known

    # -- queries -------------------------------------------------------------------------------------------------------

    def settled_at(self, query_time: int) -> int:
        """The last time-point that a query time does not change: before its window and before undecided intervals."""
        if self.window is None or self.previous is None:
            return self.start - 1
        boundary = self.unchanged_until(query_time)
        if self.replayed is not None and self.replayed <= self.state.settled:
            decided = self.state.settled
        elif self._evaluation is not None:
            decided = decided_until([self._evaluation], boundary)
        elif self.replayed is None and boundary - self._settled_to <= self._lag(query_time):
            decided = self.state.settled
        else:
            decided = self._decided_by_settling(boundary)
        # Which time-points are settled depends on measured costs: no more than by the first evaluation.
        decided = decided if self.replayed is None else min(decided, self.replayed)
        return max(self.state.settled, decided if decided >= self.start else self.start - 1)

    def _lag(self, query_time: int) -> int:
        """The time by which the settled time-point may lag behind the window while query times are resumed.

        Members of domains that are added or removed later must not change time-points before the window.
        """
        if self.window is None:
            return 0
        may_have_members = self.rules.members.is_needed and not self.state.is_announced
        if may_have_members and self._admission.may_change_members(self._one_query(query_time), query_time):
            return 0
        return self.window // _LAGS

    def _decided_by_settling(self, boundary: int) -> int:
        """The last decided time-point up to a boundary, from an evaluation of the records up to there."""
        if self._settling is None or self._settling[0] != boundary:
            assert self.previous is not None
            first, is_resumed = self.frontier, self.state.settled >= self.start
            time_range = TimeRange(first, boundary, self.tick, self.start, is_resumed=is_resumed)
            self._settling = boundary, self._evaluated(time_range, self.previous, self.previous)
        return decided_until([self._settling[1]], boundary)

    def settle_until(self, settled: int, boundary: int) -> bool:
        """Settle a restored session up to a time-point; False if it is not decided, and nothing changes.

        No later record or result of another session changes time-points up to the boundary.
        """
        if settled < self.start or self._decided_by_settling(boundary) < settled:
            self._settling = None
            return False
        self._settle(settled)
        assert self.state.time_range is not None
        self.state.time_range = replace(self.state.time_range, first=settled, is_resumed=True)
        return True

    def next_change(self) -> int | None:
        """The first time-point after the last query time at which a result may change, if no record is inserted."""
        assert self.previous is not None
        resumption = self._resumption if self._evaluation is None else None
        moments = None if resumption is None else resumption.moments
        return next_change(self.rules, self.state, self._last_evaluations, self.previous, moments)

    @property
    def _last_evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations of the last query time, which have evaluated all components or all that changed."""
        if self._resumption is not None and self._evaluation is None:
            return self._resumption.evaluations
        assert self._evaluation is not None
        return (self._evaluation,)

    def query(self, at: int) -> ReportColumns:
        """The report of a query time; query times must ascend."""
        began, cpu_began = time.perf_counter(), time.process_time()
        settled, state, batch = self.settled_at(at), self.state, self._batch
        before, known, is_continued = state.time_range, self._known, self._evaluation is not None
        time_range = TimeRange(
            max(settled, self.start), self.last_point(at), self.tick, self.start, is_resumed=settled >= self.start
        )
        self._finish_batch(at)
        if self._whole is None:
            self._settle(settled)
            self._evaluate(time_range, at, settled)
        if self._whole is not None:
            self._evaluation = self._whole.as_of(time_range)
        state.note(self._last_evaluations, time_range, at, settled)
        state.watermark = max(state.watermark, self.oldest(at))
        if self.window is None:
            for records in self.records.all:
                records.arrive(ALL_ARRIVED)
        self._known = self._report(self._evaluation)
        if self._whole is not None and batch is self._batch and before is not None and known is not None:
            self._known = replace(self._known, same_before=SameBefore(known.identity, before.after_last))
        if self.incremental == "auto" and self.window is not None and self._whole is None:
            self._note_cost(time.process_time() - cpu_began, time_range, is_continued=is_continued)
        self.seconds += time.perf_counter() - began
        return self._known

    def _note_cost(self, seconds: float, time_range: TimeRange, *, is_continued: bool) -> None:
        """Record the processor seconds of a query time.

        A whole evaluation that could not continue early components of an earlier one is dearer than the next one.
        """
        n_records = self.records.n_between(time_range.first, time_range.last)
        if self._evaluation is None:
            self._cost.note_resumed(seconds, n_records)
        elif is_continued or not self.rules.early.positions:
            self._cost.note_whole(seconds, n_records)

    def _evaluate(self, time_range: TimeRange, at: int, settled: int) -> None:
        """Evaluate a query time, with the following ones if they have the same results up to it."""
        query = self._one_query(at)
        changes = RecordChanges(self.records, query)
        self._admission.admit_at(query, time_range.last, self.end, settled)
        self._begin_batch(time_range, at)
        if self._whole is None and not self._resumed(changes, time_range, query):
            self._evaluation = self._evaluated(time_range, at, query.until, self._evaluation)
            self._resumption = None
            self.n_whole += 1
        if self.keeps_cuts:
            self._keep_cuts(time_range, at)

    def _keep_cuts(self, time_range: TimeRange, at: int) -> None:
        """Keep the cuts of the results of a query time."""
        if self._evaluation is not None:
            results, cuts = self._evaluation.output, self._evaluation.cuts
        else:
            assert self._resumption is not None
            results, cuts = self._resumption.results.fluents, self._resumption.cuts
        keep_cuts(self.state.cuts, {key: each for key, each in cuts.items() if key in results}, time_range.first, at)

    # -- changes of several query times --------------------------------------------------------------------------------

    def changes_until(self, last: int, step: int) -> BatchChanges | None:
        """The changes of all query times up to the last one, and the results that they have settled.

        None if the query times must be evaluated one by one, or if that is cheaper.
        """
        queries = self._consecutive_queries(last, step)
        keys = None if queries is None else self._span_keys
        if queries is None or keys is None or not self._may_batch(queries):
            return None
        began, known, settled = time.perf_counter(), self._known, self.settled_at(queries.at(1))
        assert known is not None
        done = known.before(settled)
        self._settle(settled)
        time_range = TimeRange(max(settled, self.start), last, self.tick, self.start, is_resumed=settled >= self.start)
        applied = self._admission.admit_at(queries, last, self.end, settled)
        evaluation = self._evaluated(time_range, last, last)
        changes = batch_changes(evaluation, known, keys, queries, applied.removed)
        self._evaluation, self._resumption = evaluation, None
        self.n_whole += 1
        self.state.note([evaluation], time_range, last, settled)
        self.state.watermark = max(self.state.watermark, self.oldest(last))
        self._known = self._report(evaluation)
        self.seconds += time.perf_counter() - began
        reports = done, self._settle_now()
        return replace(changes, settled_at=settled, settled=reports, unmatched=tuple(applied.unmatched))

    @property
    def _span_keys(self) -> SpanKeys | None:
        if self._spans is None:
            self._spans = (span_keys(self.rules, self._key_stages),)
        return self._spans[0]

    def _may_batch(self, queries: ConsecutiveQueries) -> bool:
        """Whether the changes of query times can be computed together, at a lower cost."""
        state, last, shows_all = self.state, queries.last, self.rules.shown is None
        if not shows_all or self.incremental != "auto" or not is_worth_a_batch(state, self.frontier, queries):
            return False
        waiting = [each.records for (is_event, _), each in state.records.retractions.items() if not is_event]
        if any((records.arrivals <= last).any() for records in waiting):
            return False
        outcomes = (records.admission_outcome(queries, last) for records in state.records.fluents.values())
        if state.cuts or has_cuts(state, last, last) or any(outcome.cut.any() for outcome in outcomes):
            return False
        may_have_members = self.rules.members.is_needed and not state.is_announced
        return not (may_have_members and self._admission.may_change_members(queries, last))

    def _settle_now(self) -> ReportColumns:
        """Settle the time-points that the last query time has decided, and return their results."""
        assert self.previous is not None
        assert self.state.time_range is not None
        assert self._evaluation is not None
        assert self._known is not None
        settled = self.settled_at(self.previous)
        done = self._known.before(settled)
        if settled > self.state.settled:
            self._settle(settled)
            self.state.time_range = replace(self.state.time_range, first=settled, is_resumed=True)
            self._evaluation = self._evaluation.as_of(self.state.time_range)
            self._known = self._known.since(settled)
        return done

    # -- batches of query times ----------------------------------------------------------------------------------------

    @property
    def _whole(self) -> Evaluation | None:
        """The evaluation of all components for the query times of a batch."""
        return None if self._batch is None else self._batch.whole

    def _finish_batch(self, at: int) -> None:
        """Drop the last batch if a query time does not belong to it."""
        batch = self._batch
        if batch is not None and not (batch.queries is self.queries and batch.has(at)):
            self._batch = None

    def _leave_batch(self) -> None:
        """Carry the state over to the settled time-point, which happens only at the end of a batch."""
        if self._whole is not None and self._evaluation is not None and self.state.settled >= self.start:
            self.state.settle(self._evaluation, self.state.settled)
        self._batch = None

    def _begin_batch(self, time_range: TimeRange, at: int) -> None:
        """Evaluate the batch that begins with a query time, if there is one."""
        queries, state, rules = self.queries, self.state, self.rules
        is_known = queries is not None and queries.step is not None and queries.window == self.window
        if self._batch is not None or queries is None or not is_known or queries.at_or_after(at) != at:
            return
        if self.incremental != "auto" or self.keeps_cuts or not state.computed.is_empty or rules.uses_query_time:
            return
        if self._batch_starts is None:
            self._batch_starts = batch_starts(rules, state, queries)
        starts = self._batch_starts
        if rules.is_causal and not has_cuts(state, time_range.last, at):
            last = last_of_batch(state, queries, starts.of_all, at, self.inserted_until)
            if last > at:
                whole = self._evaluated(replace(time_range, last=self.last_point(last)), last, last)
                self._batch, self._resumption = QueryBatch(queries, last, whole=whole), None
                self.n_whole += 1
        if self._batch is None and starts.early.positions:
            last = last_of_batch(state, queries, starts.of_early, at, self.inserted_until)
            if last > at:
                self._batch = QueryBatch(queries, last, early=self._early_part(time_range, at, last))

    def _early_part(self, time_range: TimeRange, at: int, last: int) -> EarlyPart:
        """The results of early components from the window of a query time to a later query time."""
        assert self._batch_starts is not None
        early, boundary, before = self._batch_starts.early, self._final_until(at), self._evaluation
        if before is not None and (before.version != self.rules.version or boundary <= time_range.first):
            before = None
        self._admission.number()
        kind = Evaluation if self.profile is None else ProfiledEvaluation
        evaluation = kind(self.rules, self.state, time_range, {}, {}, self.allen_memory)
        evaluation.profile = self.profile
        first = time_range.first if before is None else boundary
        return early_part(early, before, evaluation, (first, self.last_point(last)), last, last)

    def _resumed(self, changes: RecordChanges, time_range: TimeRange, query: OneQuery) -> bool:
        """Evaluate only what changed since the last query time, if that is possible and pays."""
        is_auto = self.incremental == "auto"
        if not self.state.computed.is_empty or (is_auto and not self._may_resume(time_range)):
            return False
        resumption, version = self._resumption, self.rules.answer_version
        if resumption is None:
            if self._evaluation is None or self._evaluation.answer_version != version:
                return False
            resumption = self._resumption_after(self._evaluation)
        elif resumption.version != version:
            return False
        # Records before the time range are dropped.
        if resumption is None or resumption.point < time_range.first or not self._fits(resumption):
            self._cost.postpone()
            return False
        self._admission.number()
        changed = changes.all
        if is_auto and not pays(resumption, self.state, changed, time_range, self.rules.background.facts):
            self._cost.postpone()
            return False
        self._resumption = resumption.advanced(self.state, changed, time_range, query)
        self._evaluation = None
        self.n_resumed += 1
        return True

    def _fits(self, resumption: Resumption) -> bool:
        """Whether the tables that are kept need at most the bytes that are allowed."""
        kept = resumption.n_bytes
        if kept > self.incremental_memory:
            self.n_over_memory += 1
            return False
        self.kept_bytes = max(self.kept_bytes, kept)
        return True

    def _may_resume(self, time_range: TimeRange) -> bool:
        """Whether a resumption was cheaper than whole evaluations of late, and few records are new."""
        n_records = self.records.n_between(time_range.first, time_range.last)
        is_allowed = self._cost.allows_resumption(n_records)
        return is_allowed and is_worth_a_resumption(self.state, time_range, n_records)

    def _resumption_after(self, evaluation: Evaluation) -> Resumption | None:
        """The resumption after an evaluation of the whole window, if later query times may need it."""
        if self.incremental == "off" or self.window is None or self.rules.uses_query_time:
            return None
        return resumption_after(evaluation, self._key_stages)

    @property
    def _key_stages(self) -> tuple[KeyStage, ...]:
        if self._stages is None:
            self._stages = key_stages(self.rules)
        return self._stages

    def _evaluated(
        self, time_range: TimeRange, at: int, arrived_by: int, before: Evaluation | None = None
    ) -> Evaluation:
        """The evaluation of a time range for a query time, with the records that have arrived.

        Components whose results before the window are final continue from the evaluation `before`, if it is given.
        """
        self._admission.number()
        events, fluents = input_tables(self.rules, self.state, time_range, arrived_by)
        self._input = (*events.values(), *fluents.values())
        events, fluents = with_upstream(events, fluents, self.state.computed, at, time_range.first)
        if self.rules.uses_query_time:
            self.rules.members.version += 1
        kind = Evaluation if self.profile is None else ProfiledEvaluation
        evaluation = kind(self.rules, self.state, time_range, events, fluents, self.allen_memory)
        evaluation.profile = self.profile
        note_cuts(evaluation, at, arrived_by)
        self.rules.background.set_query_time(time_range.last)
        boundary = self._final_until(at)
        early = None if self._batch is None else self._batch.early
        if early is not None and early.part.version == evaluation.version:
            early.add_to(evaluation)
        elif before is not None and before.version == evaluation.version and boundary > time_range.first:
            continue_early(self.rules.early, before, evaluation, boundary, at, arrived_by)
        evaluation.run()
        return evaluation

    @property
    def faults(self) -> Faults:
        """The conditions of rules and goals that have had no result for some values."""
        return self.rules.background.faults

    @property
    def n_input(self) -> int:
        """The number of input events and intervals of the last query time."""
        time_range = self.state.time_range
        return 0 if time_range is None else sum(time_range.n_inside(table) for table in self._input)

    def _final_until(self, at: int) -> int:
        """The last time-point before the window of a query time, as far as all components are part of the session."""
        if self.window is None or self.rules.components is not None or not self.rules.early.positions:
            return self.start - 1
        boundary = self.last_point(at - self.window)
        return boundary - boundary % self.tick

    def pending_effects(self) -> Iterator[tuple[PlannedDelay, SetUp]]:
        """The delayed effects that are due after the last query time, with their declarations.

        If the last query time evaluated only what changed, its whole time range is evaluated.
        """
        components = self.rules.program.by_number
        if self._evaluation is None and any(component.delays for component in components.values()):
            self._resume()
        if self._evaluation is None:
            return
        last = self._evaluation.time_range.last
        for number, outcome in self._evaluation.recursions.items():
            waiting = outcome.waiting(self._evaluation.time_range.after_last)
            for delay, each in zip(components[number].delays, waiting, strict=True):
                pending = None if each is None else each.take(each.due > last)
                if pending is not None and pending.rows.n:
                    yield delay, pending

    @property
    def pending(self) -> tuple[Pending, ...]:
        """The numbers of these effects."""
        found = self.pending_effects()
        return merged_pending(counted_pending(delay, set_up) for delay, set_up in found)

    def last_report(self) -> ReportColumns | None:
        """The report of the last query time, not restricted to its window; None before the first query time."""
        return self._known

    def _report(self, evaluation: Evaluation | None) -> ReportColumns:
        """The report of the last query time: of the whole evaluation, or of the results that were resumed."""
        at, time_range = self.state.evaluated_at, self.state.time_range
        assert at is not None
        assert time_range is not None
        if evaluation is not None:
            events = {key: table for key, table in evaluation.events.items() if key in self.rules.output_events}
            known = ReportColumns(at, dict(evaluation.output), events)
            return self._shown(known.since(time_range.first if time_range.is_resumed else time_range.first_of_run))
        assert self._resumption is not None
        known, removed, added = (
            self._shown(ReportColumns(at, each.fluents, each.events))
            for each in (self._resumption.results, self._resumption.removed, self._resumption.added)
        )
        return replace(known, replaced=None if self._known is None else Replaced(self._known.identity, removed, added))

    def _shown(self, report: ReportColumns) -> ReportColumns:
        return report if self.rules.shown is None else self.rules.shown.of_report(report)

    def _settle(self, settled: int) -> None:
        """Carry the state at the settled time-point over, and drop the records before it."""
        evaluation = self._evaluation
        if evaluation is None and self._settling is not None and settled > self.state.settled:
            evaluation = self._settling[1]
        self._settled_to = self._settled_to if evaluation is None else settled
        if self._settling is not None:
            self._settled_to, self._settling = self._settling[0], None
        if evaluation is not None and settled >= self.start:
            assert self.previous is not None
            self.state.settle(evaluation, settled)
            self.state.settled = settled
            self._admission.evict(settled, self.previous)
            self._admission.evict_members(self.last_point(self.previous), self.previous)


def _settings_of(snapshot: Snapshot) -> dict[str, Any]:
    """The settings of a snapshot with which its session is made."""
    given, components = snapshot.settings, snapshot.settings["components"]
    return {
        "window": integer_or_none(given["window"], 1),
        "tick": integer(given["tick"], 1),
        "allen_memory": integer_or_none(given["allen_memory"], 0),
        "components": None if components is None else [integer(each, 0) for each in components],
        "end": integer_or_none(given["end"]),
    }
