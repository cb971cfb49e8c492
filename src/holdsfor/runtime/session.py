"""A run over query times: records in, reports out, state carried from window to window."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import NoReturn, SupportsIndex

import numpy as np

from holdsfor.analysis.lints import atemporal_goals
from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.sorts import Sorts, sorts_of
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import ALL_ARRIVED, LONG_AGO, NO_ARRIVAL, Judge, OneQuery, QueryTimes
from holdsfor.columns.records import Records
from holdsfor.columns.tables import FluentTable, Key, PointTable, empty_fluents, stacked
from holdsfor.errors import Diagnostic, PlanningProblem
from holdsfor.kernels.inertia import BEFORE_EVERYTHING
from holdsfor.kernels.keys import Int64
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.plan import plan_program
from holdsfor.physical.planner import Planner
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows
from holdsfor.prolog.background import called_predicates
from holdsfor.runtime.allen_constructs import Kept
from holdsfor.runtime.background import Background
from holdsfor.runtime.cuts import DatedCuts, as_if_whole, cuts_of_input
from holdsfor.runtime.delays import SetUp
from holdsfor.runtime.domain_members import Members, Mentioned
from holdsfor.runtime.domains import Domains
from holdsfor.runtime.edges import CarriedEdges, edges_at, next_edge
from holdsfor.runtime.evaluation import Evaluation, TimeRange, true_starts
from holdsfor.runtime.initial_values import InitialValues
from holdsfor.runtime.input_facts import input_fact_columns
from holdsfor.runtime.interval_lists import Lists
from holdsfor.runtime.profiled_evaluation import ProfiledEvaluation
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.upstream_results import ALWAYS, NEVER, UpstreamResults
from holdsfor.sources.fields import LATEST
from holdsfor.sources.reading import ColumnReading, Operations
from holdsfor.sources.text_records import Fact
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.rules import IntervalCall
from holdsfor.syntax.terms import Struct, Term, name_and_arity

__all__ = ["EngineSession"]


class EngineSession:
    """One run of an event description; `start` is its first time-point, and none is evaluated after `end`.

    Unless it `is_rewriting`, rules are planned as they are written. With `components` only these of the program are
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
        is_rewriting: bool = True,
        components: Collection[int] | None = None,
        takes_given: bool = True,
    ) -> None:
        self.compiled = compiled
        self.symbols = Symbols() if symbols is None else symbols
        self.background = Background(compiled.description, self.symbols, tuple(goals))
        planner = Planner(self.background, is_rewriting=is_rewriting)
        self.program = plan_program(compiled, planner).part(components)
        self._sorts: Sorts | None = None
        self.domains = Domains(compiled.description, planner, self.sorts)
        self.ranges_over_sorts = bool(self.program.ranged) or any(
            map(self.domains.ranges_over_sorts, self.program.enumerated)
        )
        self.asks_for_the_query_time = _asks_for_the_query_time(compiled)
        self.is_announced = False
        self.n_new_members = 0
        self.tick = tick
        self.begin(start)
        self.end = end
        self.window = window
        self.allen_memory = window if allen_memory is None else allen_memory
        self.records = RecordStore()
        self.computed = UpstreamResults(self.symbols.instances)
        self.computed_cuts: dict[Key, DatedCuts] = {}
        self.keeps_cuts = False
        self.cuts: dict[Key, list[tuple[int, FluentTable]]] = {}
        """By query time, the computed intervals that only go on where they are seen first, with their true starts."""
        self.state: dict[Key, FluentTable] = {}
        self.prefixes: dict[NodeId, Lists] = {}
        self.kept: dict[NodeId, Kept] = {}
        self.kept_results: dict[NodeId, Lists] = {}
        self.initialised = InitialValues()
        self.horizons: dict[NodeId, int] = {}
        self.seen: dict[NodeId, Rows] = {}
        self.waiting: dict[int, tuple[SetUp | None, ...]] = {}
        self.edges: CarriedEdges = {}
        self.first_query_time: int | None = None
        self.previous: int | None = None
        self.forgotten = BEFORE_EVERYTHING
        """The last time-point before the windows of all query times so far: nothing changes any more until then."""
        self.seconds = 0.0
        self.n_input = 0  # events and intervals that the last query time reasoned over
        self.profile: Profile | None = None
        self._evaluation: Evaluation | None = None
        sorts = self.sorts if self.ranges_over_sorts else None
        self.members = Members(compiled, self.background, self.symbols, sorts)
        self._point_fluents = {key for key, shapes in compiled.names.input_fluents.items() if "points" in shapes}
        self._numbered_events = self.program.numbered_events
        self._asked_edges = self.program.edges
        self._deciding = self.program.deciding_steps
        if window is not None:
            _refuse_predicates_over_lists(compiled)
        for key, records in input_fact_columns(compiled, tick, self.symbols) if takes_given else ():
            self.insert_columns(key, records)

    def begin(self, start: int) -> None:
        """Let the run start at another time-point; nothing may have been queried yet."""
        self.start = -(-start // self.tick) * self.tick
        self.settled = self.start - 1

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse `copy`, `pickle` and their like: plans, caches and state refer to each other by identity."""
        message = "a session cannot be copied or pickled: save it with `save(path)`, read it with `load(path, rules)`"
        raise TypeError(message)

    # -- input ---------------------------------------------------------------------------------------------------------

    def insert(self, facts: Iterable[tuple[int, Fact]]) -> None:
        """Add records with their arrivals."""
        grouped: dict[tuple[bool, Key], list[tuple[int, Fact]]] = {}
        for arrival, fact in facts:
            grouped.setdefault((fact.value is None, name_and_arity(fact.entity)), []).append((arrival, fact))
        for (is_event, key), records in grouped.items():
            self._insert(is_event, key, records)

    def _insert(self, is_event: bool, key: Key, records: list[tuple[int, Fact]]) -> None:
        rows = [fact.entity.args if isinstance(fact.entity, Struct) else () for _, fact in records]
        columns = [self.symbols.words(row[i] for row in rows) for i in range(key[1])]
        if not is_event:
            columns.append(self.symbols.words(fact.value for _, fact in records if fact.value is not None))
        new = Records(
            columns,
            np.array([arrival for arrival, _ in records], dtype=np.int64),
            np.array([fact.start for _, fact in records], dtype=np.int64),
            None if is_event else np.array([fact.end for _, fact in records], dtype=np.int64),
        )
        self.insert_columns(key, new)

    def insert_columns(self, key: Key, records: Records) -> None:
        """Add records of one name; words must be of this session's symbols.

        What is added after a query time arrives after it, whatever it says.
        """
        self.is_announced = False
        self.records.insert(key, records, self._earliest)

    def apply(self, operations: Iterable[Operations]) -> None:
        """Add records and retractions as they were read, after all that was added before."""
        self.is_announced = False
        self.records.apply(operations, self._earliest)

    def insert_reading(self, reading: ColumnReading) -> int:
        """Add what was read of files, as far as it belongs to the run; return how many records do not.

        Without a window arrival times do not matter, so what was retracted was never there.
        """
        end = LATEST if self.end is None else self.end
        taken = {} if self.window is None else reading.retracted
        if self.window is None:
            self.records.add_unmatched(reading.unmatched)
        n_outside = 0
        for key, records in (*reading.events.items(), *reading.fluents.items()):
            n_outside += records.count_outside(self.start, end)
            if (records.ends is None, key) not in taken:
                self.insert_columns(key, records.up_to(end))
        self.apply(taken.values())
        return n_outside

    @property
    def _earliest(self) -> int | None:
        """When something arrives at the earliest that is added now."""
        return None if self.previous is None else self.previous + 1

    def insert_computed(
        self,
        key: Key,
        table: FluentTable | PointTable,
        known_from: Int64 | None = None,
        known_until: Int64 | None = None,
    ) -> None:
        """Let FVPs or events of components that this session does not compute be known between two query times each.

        By default they are known at every one. They are no records: they may begin after the query time, as complements
        do, and fill no domains.
        """
        since = np.full(table.n, ALWAYS, np.int64) if known_from is None else known_from
        until = np.full(table.n, NEVER, np.int64) if known_until is None else known_until
        if isinstance(table, FluentTable):
            self.computed.add_fluents(key, table, since, until)
        else:
            self.computed.add_events(key, table, since, until)

    def missing(self, operations: Iterable[Operations]) -> list[tuple[Operations, int]]:
        """The retractions among operations that no record would match, if they were added now."""
        return self.records.missing(operations, LONG_AGO if self.previous is None else self.oldest(self.previous))

    def announce(self, queries: QueryTimes) -> None:
        """Let everything that the records of a run mention belong to the domains from the first query time on.

        With all input at hand, an entity that appears late has its initial values and complements in every report, as
        it has in the answer over the whole history. An entity whose records are all retracted has them in none.
        """
        self._number()
        events, fluents = self.records.standing(queries, self.tick)
        self.members.add(
            Mentioned(
                {key: records.mentioned(self.start, queries.end, NO_ARRIVAL) for key, records in events.items()},
                {key: records.intervals(self.start, queries.end, NO_ARRIVAL) for key, records in fluents.items()},
            )
        )
        self.is_announced = True

    def judge_all(self, queries: QueryTimes) -> None:
        """Judge all records and retractions by all query times at once; then nothing is late any more."""
        self._judge(queries, ALL_ARRIVED)
        for records in self.records.all:
            records.arrive(ALL_ARRIVED)

    def judge_rest(self, queries: QueryTimes) -> None:
        """Count what arrives after the last query time: no window admits it."""
        if self.window is not None:
            self._judge(replace(queries, judged_until=self.previous), ALL_ARRIVED)

    def last_query_time(self, queries: QueryTimes) -> int:
        """The first query time that is not before the end nor the last arrival that some window admits."""
        return queries.at_or_after(self.records.last_admitted(queries))

    def _judge(self, judge: Judge, until: int) -> None:
        self.records.judge(judge, until, LATEST if self.end is None else self.end, self.tick)

    # -- queries -------------------------------------------------------------------------------------------------------

    def settled_at(self, query_time: int) -> int:
        """The last time-point that a query time leaves as it was: before its window, and before what is undecided."""
        if self.window is None or self.previous is None:
            return self.start - 1
        boundary = min(self.last_point(query_time - self.window), self.computed.unchanged_until(query_time))
        boundary = self._decided_until(boundary)
        return max(self.settled, boundary if boundary >= self.start else self.start - 1)

    def _decided_until(self, boundary: int) -> int:
        """The last time-point at which nothing is undecided, if no record up to the boundary changes any more.

        A duration filter decides about an interval only when it is long enough, an Allen construct perhaps only when it
        is over, an interval-wise predicate always then. What they decide counts from the start of the interval. So
        effects reach back, those of one step further than those of the steps that it builds on.
        """
        assert self._evaluation is not None
        for place in self._deciding:
            boundary -= self.horizons.get(place, 0)
            boundary -= boundary % self.tick
            construct = self._evaluation.constructs.get(place) or self._evaluation.made.get(place)
            if construct is not None and boundary > self.settled:
                boundary = construct.decided_until(boundary)
        return boundary - boundary % self.tick

    @property
    def n_late(self) -> int:
        return self.records.fates.n_late

    @property
    def n_dropped(self) -> int:
        return self.records.fates.n_dropped

    @property
    def n_kept_for_allen(self) -> int:
        """How many intervals from before the settled time-point Allen constructs keep."""
        return sum(kept.n for kept in self.kept.values())

    @property
    def frontier(self) -> int:
        """The first time-point that the last query time evaluated; what was over before it is settled."""
        return max(self.settled, self.start)

    def oldest(self, query_time: int) -> int:
        """What is over by then is too late for a query time; nothing is while the window reaches back to the start."""
        boundary = BEFORE_EVERYTHING if self.window is None else query_time - self.window
        return max(self.forgotten, boundary if boundary >= self.start else BEFORE_EVERYTHING)

    def window_start(self, query_time: int) -> int:
        """The time-point before the window of a query time; the first window has all of the run up to then."""
        if self.window is None or query_time == self.first_query_time:
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
        if self.asks_for_the_query_time:
            return self.previous + 1
        last = self._evaluation.time_range.last
        found = [self.records.next_moment(min(self.previous, last), self.tick), self._evaluation.next_crossing]
        found.append(self.computed.next_query_time(self.previous))
        found += [next_edge(kind, self._evaluation.fluents(key), last) for kind, key in self._asked_edges]
        for outcome in self._evaluation.circles.values():
            for waiting in outcome.waiting(self._evaluation.time_range.after_last):
                due = np.empty(0, np.int64) if waiting is None else waiting.due[waiting.due > last]
                found.append(int(due.min()) if len(due) else None)
        after = [max(moment, self.previous + 1) for moment in found if moment is not None]
        return min(after, default=None)

    def pass_by(self, query_time: int) -> None:
        """Go on as if a query time had been evaluated at which nothing changes."""
        self.previous = query_time

    def query(self, at: int) -> ReportColumns:
        """What is known at a query time; query times must ascend."""
        began = time.perf_counter()
        settled = self.settled_at(at)
        if self.previous is not None:
            self._settle(settled)
        first, last = max(settled, self.start), self.last_point(at)
        time_range = TimeRange(first, last, self.tick, self.start, is_resumed=settled >= self.start)
        arrived_by = ALL_ARRIVED if self.window is None else at
        judge = OneQuery(at, arrived_by, self.previous, self.oldest(at))
        self._admit(judge, arrived_by, last, settled)
        self._number()
        events, fluents = self._input(first, last, arrived_by)
        self.n_input = sum(table.n for table in (*events.values(), *fluents.values()))
        events |= self.computed.events(at, first)
        for key, table in self.computed.fluents(at, first).items():
            fluents[key] = stacked([fluents[key], table]) if key in fluents else table
        if self.asks_for_the_query_time:
            self.members.version += 1
        self.domains.begin_stretch()
        evaluation = (Evaluation if self.profile is None else ProfiledEvaluation)(
            self.program,
            self.background,
            self.domains,
            time_range,
            {key: table for key, table in events.items() if table.n},
            {key: table for key, table in fluents.items() if table.n},
            self.state,
            self.prefixes,
            self.kept,
            self.allen_memory,
            self.initialised,
            self.seen,
            self.waiting,
            self.edges,
            self.background.version + self.members.version,
        )
        evaluation.profile = self.profile
        evaluation.inputs = frozenset(self.records.fluents)
        evaluation.kept_results = self.kept_results
        self._note_cuts(evaluation, at, arrived_by)
        self.background.set_query_time(last)
        evaluation.run()
        self._evaluation = evaluation
        if self.keeps_cuts:
            self._keep_cuts(evaluation, at)
        if self.previous is None:
            self.first_query_time = at
        for place, limit in evaluation.longest.items():
            self.horizons[place] = max(limit, self.horizons.get(place, 0))
        self.previous = at
        self.settled = settled
        self.forgotten = max(self.forgotten, self.oldest(at))
        if self.window is None:
            for records in self.records.all:
                records.arrive(ALL_ARRIVED)
        report = self._report(evaluation, at, settled)
        self.seconds += time.perf_counter() - began
        return report

    def _admit(self, judge: OneQuery, arrived_by: int, last: int, settled: int) -> None:
        """Let what has arrived be judged, and let domains and sorts follow the records."""
        if self.is_announced or not self.members.is_needed:
            self._judge(judge, arrived_by)
            return
        self.members.keep(self._learn(lambda records: records.dropped_by(judge, last), settled))
        n_retracted = self.records.n_retracted
        self._judge(judge, arrived_by)
        self._learn(lambda records: records.new_to(judge, self.start, last), settled)
        if self.records.n_retracted > n_retracted:
            self.members.replace(self._mentioned(lambda records: records.known(self.start, last, arrived_by)))

    def _input(self, first: int, last: int, arrived_by: int) -> tuple[dict[Key, PointTable], dict[Key, FluentTable]]:
        """The events and FVPs of the records in a stretch.

        An interval that ends after the time-point behind the stretch counts as open. Of a fluent that is given by
        time-points it is not known yet whether one that holds at the last time-point has ended.
        """
        last_point = last // self.tick * self.tick, (last // self.tick + 1) * self.tick
        fluents: dict[Key, FluentTable] = {}
        for key, records in self.records.fluents.items():
            point = last_point if key in self._point_fluents else None
            table = records.intervals(first, last, arrived_by, left_open=point).open_after(last_point[1])
            fluents[key] = true_starts(table, self.state.get(key), first, self.symbols.instances)
        return {key: each.events(first, last, arrived_by) for key, each in self.records.events.items()}, fluents

    def _note_cuts(self, evaluation: Evaluation, at: int, arrived_by: int) -> None:
        """Let an evaluation know which intervals of the input are cut."""
        first, last = evaluation.time_range.first, evaluation.time_range.last
        for key, records in self.records.fluents.items():
            if len(records.cut_rows(last, arrived_by)):
                whole = records.intervals(first, last, arrived_by, as_if_whole=True)
                whole = whole.open_after(evaluation.time_range.after_last)
                evaluation.cuts[key] = cuts_of_input(records, whole, last, arrived_by)
                evaluation.whole[key] = whole
        for key, (cuts, since, until) in self.computed_cuts.items():
            known = cuts.take(((since <= at) & (at < until)).nonzero()[0])
            evaluation.cuts[key], evaluation.whole[key] = known, as_if_whole(evaluation.fluents(key), known)

    def _keep_cuts(self, evaluation: Evaluation, at: int) -> None:
        """Keep the cuts of a query time with those before them that are settled."""
        for key in {*self.cuts, *(evaluation.cuts.keys() & evaluation.output.keys())}:
            found = evaluation.cuts.get(key) or empty_fluents(key[1])
            if key in self.cuts:
                before = self.cuts[key][-1][1]
                found = stacked([before.take((before.starts <= evaluation.time_range.first).nonzero()[0]), found])
            self.cuts.setdefault(key, []).append((at, found))

    def _number(self) -> None:
        """Let records know the instances that rules will ask them for."""
        for key, records in self.records.events.items():
            for positions in self._numbered_events.get(key, ()):
                records.number(positions, self.symbols.instances)
        for key, records in self.records.fluents.items():
            records.number(tuple(range(key[1])), self.symbols.instances)

    def _report(self, evaluation: Evaluation, at: int, settled: int) -> ReportColumns:
        output = {rule.key for component in self.program.components for rule in component.events}
        events = {key: table for key, table in evaluation.events.items() if key in output}
        known = ReportColumns(at, evaluation.output, events)
        return known.since(evaluation.time_range.first if settled >= self.start else evaluation.time_range.first_of_run)

    def _settle(self, settled: int) -> None:
        """Keep, of what is settled now, what holds at the boundary, and forget the records before it."""
        assert self._evaluation is not None
        assert self.previous is not None
        if settled < self.start:
            return
        evaluation = self._evaluation
        self.initialised.settle()
        self.domains.settle()
        self.seen.update(evaluation.complemented)
        self.state = {}
        for key, table in evaluation.known.items():
            rows = ((table.starts <= settled) & (settled < table.ends)).nonzero()[0]
            if len(rows):
                self.state[key] = table.take(rows)
        self.prefixes = {
            place: lists.take((lists.starts <= settled) & (settled < lists.ends))
            for place, lists in evaluation.whole_lists.items()
        }
        self.kept_results = {place: made.kept_at(settled) for place, made in evaluation.made.items()}
        self.kept = {place: construct.kept_at(settled) for place, construct in evaluation.constructs.items()}
        self.edges = {place: edges_at(evaluation.edges(*place), settled) for place in self._asked_edges}
        self.waiting = {number: outcome.waiting(settled) for number, outcome in evaluation.circles.items()}
        self._forget(settled, self.previous)

    def _forget(self, settled: int, known: int) -> None:
        """Forget the records that are over before the boundary; no retraction reaches them, so their members stay."""
        if self.members.is_needed and not self.is_announced:
            self.members.keep(self._mentioned(lambda records: records.forgettable(settled, known)))
        for records in self.records.all:
            records.forget(settled, known)

    # -- domains -------------------------------------------------------------------------------------------------------

    def sorts(self) -> Sorts:
        if self._sorts is None:
            self._sorts = sorts_of(self.compiled.description, self.background.database)
            self._sorts.follow([*self.program.enumerated, *self.domains.open_entities, *self.program.ranged])
        return self._sorts

    def _learn(self, choose: Callable[[Records], Records], settled: int) -> Mentioned:
        """Let domains and sorts know the constants of some records.

        Of a member that is new when time-points are settled already, effects at those are not derived any more.
        """
        mentioned = self._mentioned(choose)
        n_new = self.members.add(mentioned)
        if settled >= self.start:
            self.n_new_members += n_new
        return mentioned

    def _mentioned(self, choose: Callable[[Records], Records]) -> Mentioned:
        """What some records of each name mention."""
        return Mentioned(
            {key: choose(each).as_points() for key, each in self.records.events.items()},
            {key: choose(each).as_intervals() for key, each in self.records.fluents.items()},
        )


def _asks_for_the_query_time(compiled: Compiled) -> bool:
    """Whether rules depend on when they are asked."""
    goals = (goal for goal, _ in atemporal_goals(compiled.description))
    return any(name_and_arity(call) == ("queryTime", 1) for goal in goals for call in called_predicates(goal))


def _refuse_predicates_over_lists(compiled: Compiled) -> None:
    """Refuse predicates that see whole lists: how much a list has depends on how far a window reaches."""
    for rule in compiled.description.interval_rules:
        for step in rule.body:
            if isinstance(step, IntervalCall) and not step.is_intervalwise:
                message = f"`{show(step.goal)}` sees a whole list of intervals, which a window does not have"
                declaration = f":- intervalwise({show_indicator(*name_and_arity(step.goal))})."
                hint = f"leave out the window, or declare `{declaration}` if it treats intervals one by one"
                raise PlanningProblem(Diagnostic("HF402", message, step.span, hint))
