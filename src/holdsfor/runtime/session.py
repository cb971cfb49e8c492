"""A run over query times: records in, reports out, state carried from window to window."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NoReturn, SupportsIndex

import numpy as np

from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import ALL_ARRIVED, OneQuery
from holdsfor.columns.recoding import Recoding
from holdsfor.physical.profile import Profile
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.edges import next_edge
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.evaluation_input import input_tables, keep_cuts, note_cuts, with_upstream
from holdsfor.runtime.prepared_rules import PreparedRules, refuse_predicates_over_lists
from holdsfor.runtime.profiled_evaluation import ProfiledEvaluation
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session_records import SessionRecords
from holdsfor.runtime.snapshot import Snapshot, damaged
from holdsfor.runtime.state_snapshot import check_rules, recoded_state, snapshot_of, state_of
from holdsfor.sources.input_facts import input_fact_columns
from holdsfor.syntax.terms import Term

__all__ = ["EngineSession"]

_ROOM = 50_000  # symbols and instances that may be there for nothing


class EngineSession(SessionRecords):
    """One run of an event description; `start` is its first time-point, and none is evaluated after `end`.

    `without` are the names of rewrites that are switched off. With `components` only these of the program are
    computed; what they ask of others is inserted as if it were input. Unless it `takes_given`, facts of the rules that
    are input are inserted like other records. A `profile` counts what the query times do.
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
        takes_given: bool = True,
    ) -> None:
        symbols = Symbols() if symbols is None else symbols
        rules = PreparedRules(compiled, symbols, goals, without=without, components=components)
        super().__init__(rules, start=start, end=end, tick=tick, window=window)
        self.allen_memory = window if allen_memory is None else allen_memory
        self.keeps_cuts = False
        self.seconds = 0.0
        self.n_input = 0  # events and intervals that the last query time reasoned over
        self.profile: Profile | None = None
        self._evaluation: Evaluation | None = None
        self._known: ReportColumns | None = None
        self._worth_keeping: int | None = None  # symbols and instances after the last compaction
        if window is not None:
            refuse_predicates_over_lists(compiled)
        for key, records in input_fact_columns(compiled.names, tick, symbols) if takes_given else ():
            self.insert_columns(key, records)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse `copy`, `pickle` and their like: plans, caches and state refer to each other by identity."""
        message = "a session cannot be copied or pickled: save it with `save(path)`, read it with `load(path, rules)`"
        raise TypeError(message)

    # -- snapshots -----------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> dict[str, Any]:
        """What a session that goes on from a snapshot must have in common with this one, besides the rules."""
        components = self.rules.components
        return {
            "window": self.window,
            "tick": self.tick,
            "allen_memory": self.allen_memory,
            "components": None if components is None else sorted(components),
        }

    def snapshot(self, more: Mapping[str, Any] = MappingProxyType({})) -> Snapshot:
        """Everything that later query times depend on, and `more` of the caller, which must be JSON.

        A snapshot has the records that were inserted. A run that reads its input itself puts into `more` what it needs
        to go on after them: how far each input has been inserted, and how much output has been written. It takes the
        snapshot after the output of a query time, before anything else is inserted. `Snapshot.to_bytes` is what a file
        has; `replace_file` writes it as a whole. To go on: `Snapshot.from_bytes`, compare `settings` with the options
        of the run, `EngineSession.restored`, continue the output and the inputs as `more` says. A run that reports
        changes compares its next report with `last_report()`.
        """
        settings = {**self.settings, "end": self.end, "keeps_cuts": self.keeps_cuts}
        return snapshot_of(self.state, self.rules, settings, dict(more))

    @classmethod
    def restored(
        cls,
        snapshot: Snapshot,
        compiled: Compiled,
        goals: Iterable[Term] = (),
        *,
        symbols: Symbols | None = None,
        name: str = "snapshot",
    ) -> EngineSession:
        """A session that goes on where the one of the snapshot was; `name` is what errors call the snapshot.

        The rules and goals must be those of the snapshot. The last query time is evaluated again.
        """
        goals = tuple(goals)
        check_rules(snapshot, compiled, goals, name)
        try:
            given = {each: snapshot.settings[each] for each in ("window", "tick", "allen_memory", "components", "end")}
            session = cls(compiled, start=0, goals=goals, symbols=symbols, takes_given=False, **given)
            session.allen_memory, session.keeps_cuts = given["allen_memory"], snapshot.settings["keeps_cuts"]
            session.state = state_of(snapshot, session.rules)
        except (KeyError, IndexError, TypeError, ValueError):
            damaged(name)
        session._resume()
        return session

    def compact(self) -> Recoding | None:
        """Forget the symbols and instances that nothing refers to any more, if they have become many.

        Afterwards the table of symbols has other words for the rest: columns that were read and not inserted must be
        recoded as the result says, and reports are to be read with the `view` of the table that they were made with.
        Of a table that has doubled, O(n) in what is open and in the window, and the last time range is evaluated again.
        """
        if self._worth_keeping is None and self._evaluation is not None:
            self._worth_keeping = self.symbols.size
        if self._worth_keeping is None or self.symbols.size < 2 * self._worth_keeping + _ROOM:
            return None
        before = self.symbols.reset()
        recoding = Recoding(before, self.symbols)
        self.rules.recode(recoding)
        self.state = recoded_state(self.state, before, self.symbols)
        self._resume()
        self._worth_keeping = self.symbols.size
        return recoding

    def _resume(self) -> None:
        """Evaluate the last time range again. What was inserted after its query time arrives later."""
        at, time_range = self.state.evaluated_at, self.state.time_range
        if at is not None and time_range is not None:
            self._evaluation = self._evaluated(time_range, at, at)
            self._known = self._report(self._evaluation)

    # -- queries -------------------------------------------------------------------------------------------------------

    def settled_at(self, query_time: int) -> int:
        """The last time-point that a query time leaves as it was: before its window, and before what is undecided."""
        if self.window is None or self.previous is None:
            return self.start - 1
        boundary = min(self.last_point(query_time - self.window), self.state.computed.unchanged_until(query_time))
        boundary = self._decided_until(boundary)
        return max(self.state.settled, boundary if boundary >= self.start else self.start - 1)

    def _decided_until(self, boundary: int) -> int:
        """The last time-point at which nothing is undecided, if no record up to the boundary changes any more.

        A duration filter decides about an interval only when it is long enough, an Allen construct perhaps only when it
        is over, an interval-wise predicate always then. What they decide counts from the start of the interval. So
        effects reach back, those of one step further than those of the steps that it builds on.
        """
        assert self._evaluation is not None
        for place in self.rules.deciding:
            boundary -= self.state.horizons.get(place, 0)
            boundary -= boundary % self.tick
            construct = self._evaluation.constructs.get(place) or self._evaluation.made.get(place)
            if construct is not None and boundary > self.state.settled:
                boundary = construct.decided_until(boundary)
        return boundary - boundary % self.tick

    @property
    def n_kept_for_allen(self) -> int:
        """How many intervals from before the settled time-point Allen constructs keep."""
        return sum(kept.n for kept in self.state.allen.values())

    @property
    def frontier(self) -> int:
        """The first time-point that the last query time evaluated; what was over before it is settled."""
        return max(self.state.settled, self.start)

    def window_start(self, query_time: int) -> int:
        """The time-point before the window of a query time; the first window has all of the run up to then."""
        if self.window is None or query_time == self.state.first_query_time:
            return self.start - 1
        return max(self.start - 1, query_time - self.window)

    def last_point(self, query_time: int) -> int:
        """The last moment that a query time evaluates: none evaluates beyond the end of the run."""
        return query_time if self.end is None else min(query_time, self.end)

    def next_change(self) -> int | None:
        """The first moment after the last query time at which anything may change, if nothing is inserted.

        That is when a record arrives, begins or ends, an effect is due, an open interval becomes long enough, or an
        interval that begins or ends after the last query time has its `startI` or `endI`.
        """
        assert self.previous is not None
        assert self._evaluation is not None
        if self.rules.uses_query_time:
            return self.previous + 1
        last = self._evaluation.time_range.last
        found = [self.records.next_moment(min(self.previous, last), self.tick), self._evaluation.next_crossing]
        found.append(self.state.computed.next_query_time(self.previous))
        found += [next_edge(kind, self._evaluation.fluents(key), last) for kind, key in self.rules.asked_edges]
        for outcome in self._evaluation.recursions.values():
            for waiting in outcome.waiting(self._evaluation.time_range.after_last):
                due = np.empty(0, np.int64) if waiting is None else waiting.due[waiting.due > last]
                found.append(int(due.min()) if len(due) else None)
        after = [max(moment, self.previous + 1) for moment in found if moment is not None]
        return min(after, default=None)

    def pass_by(self, query_time: int) -> None:
        """Go on as if a query time had been evaluated at which nothing changes."""
        self.state.previous = query_time

    def query(self, at: int) -> ReportColumns:
        """What is known at a query time; query times must ascend."""
        began = time.perf_counter()
        settled, state = self.settled_at(at), self.state
        if self._evaluation is not None:
            self._settle(self._evaluation, settled)
        time_range = TimeRange(
            max(settled, self.start), self.last_point(at), self.tick, self.start, is_resumed=settled >= self.start
        )
        judge = OneQuery(at, ALL_ARRIVED if self.window is None else at, self.previous, self.oldest(at))
        self._admission.admit(judge, time_range.last, self.end, settled)
        self._evaluation = self._evaluated(time_range, at, judge.until)
        if self.keeps_cuts:
            keep_cuts(state.cuts, self._evaluation, at)
        state.note(self._evaluation, at, settled)
        state.forgotten = max(state.forgotten, self.oldest(at))
        if self.window is None:
            for records in self.records.all:
                records.arrive(ALL_ARRIVED)
        self._known = self._report(self._evaluation)
        self.seconds += time.perf_counter() - began
        return self._known

    def _evaluated(self, time_range: TimeRange, at: int, arrived_by: int) -> Evaluation:
        """A time range with the records that have arrived, evaluated for a query time."""
        self._admission.number()
        events, fluents = input_tables(self.rules, self.state, time_range, arrived_by)
        self.n_input = sum(table.n for table in (*events.values(), *fluents.values()))
        events, fluents = with_upstream(events, fluents, self.state.computed, at, time_range.first)
        if self.rules.uses_query_time:
            self.rules.members.version += 1
        kind = Evaluation if self.profile is None else ProfiledEvaluation
        evaluation = kind(self.rules, self.state, time_range, events, fluents, self.allen_memory)
        evaluation.profile = self.profile
        note_cuts(evaluation, at, arrived_by)
        self.rules.background.set_query_time(time_range.last)
        evaluation.run()
        return evaluation

    def last_report(self) -> ReportColumns | None:
        """What the last query time knew, before the window is cut out; None before the first one."""
        return self._known

    def _report(self, evaluation: Evaluation) -> ReportColumns:
        at, time_range = self.state.evaluated_at, evaluation.time_range
        assert at is not None
        events = {key: table for key, table in evaluation.events.items() if key in self.rules.output_events}
        known = ReportColumns(at, evaluation.output, events)
        return known.since(time_range.first if time_range.is_resumed else time_range.first_of_run)

    def _settle(self, evaluation: Evaluation, settled: int) -> None:
        """Keep, of what is settled now, what holds at the boundary, and forget the records before it."""
        assert self.previous is not None
        if settled >= self.start:
            self.state.settle(evaluation, settled)
            self._admission.forget(settled, self.previous)
