"""The records of a query time: windows admit records, and their constants extend domains and sorts."""

from __future__ import annotations

from collections.abc import Callable

from holdsfor.columns.query_times import NO_ARRIVAL, ConsecutiveQueries, OneQuery, QuerySchedule, QueryTimes
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.runtime.domain_members import Mentioned
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.record_store import AppliedRetractions
from holdsfor.runtime.state import State
from holdsfor.runtime.state_constants import StateConstants
from holdsfor.sources.sorted_runs import Merge
from holdsfor.sources.spilled_reading import SpilledReading
from holdsfor.syntax.time_points import LATEST

__all__ = ["Admission"]

_BATCH = 1 << 18


class Admission:
    """Admits the records of a state at the query times of its rules; `tick` is the distance of time-points."""

    def __init__(self, rules: PreparedRules, state: State, tick: int) -> None:
        self.rules = rules
        self.members = rules.members
        self.state = state
        self.tick = tick

    def admit_records(self, queries: QuerySchedule, until: int, end: int | None) -> AppliedRetractions:
        """Apply the window rules to records that arrive until `until`; records after the end of the run are ignored."""
        return self.state.records.admit(queries, until, LATEST if end is None else end, self.tick)

    def admit_at(
        self, query: OneQuery | ConsecutiveQueries, last: int, end: int | None, settled: int
    ) -> AppliedRetractions:
        """Apply the window rules at one or more query times, and update domains and sorts from the admitted records.

        Members of retracted records are members at the query times before, so several query times keep them.
        """
        state, members = self.state, self.members
        if state.is_announced or not members.is_needed:
            return self.admit_records(query, query.until, end)
        dropped = self._add_members(lambda records: self._of_the_run(records.dropped_by(query, last)), settled)
        members.keep(dropped)
        n_retracted = state.records.n_retracted
        applied = self.admit_records(query, query.until, end)
        self._add_members(lambda records: records.new_to(query, state.start, last), settled)
        if state.records.n_retracted > n_retracted:
            members.replace(self._mentioned(lambda records: records.known(state.start, last, query.until)))
        if isinstance(query, ConsecutiveQueries) and applied.removed:
            removed = {key: self._of_the_run(records).as_points() for key, (records, _) in applied.removed.items()}
            members.add(Mentioned(removed, {}))
        return applied

    def may_change_members(self, query: OneQuery | ConsecutiveQueries, last: int) -> bool:
        """Whether the records or retractions of query times may add or remove members whose domain changes answers."""
        if not self.members.may_change_answers:
            return False
        if self.state.records.retractions:
            return True
        return self.members.has_new(self._mentioned(lambda records: records.new_to(query, self.state.start, last)))

    def announce(self, queries: QueryTimes) -> None:
        """Add all constants of the records of a run to the domains before the first query time.

        With all input given, an entity that appears late has its initial values and complements in every report, as in
        the answer over the whole history. An entity whose records are all retracted has them in no report.
        """
        self.number()
        self.state.is_announced = True
        if not self.members.is_needed:
            return
        start = self.state.start
        events, fluents = self.state.records.after_retractions(queries, self.tick)
        self.members.add(
            Mentioned(
                {key: records.mentioned(start, queries.end, NO_ARRIVAL) for key, records in events.items()},
                {key: records.intervals(start, queries.end, NO_ARRIVAL) for key, records in fluents.items()},
            )
        )

    def announce_spilled(self, reading: SpilledReading, queries: QueryTimes) -> None:
        """`announce` for the records of a reading on disk and those of the state, which are facts of the rules.

        The records on disk take one pass, only if a result depends on their constants.
        """
        self.state.is_announced = True
        if not self.members.is_needed:
            return
        for is_event, store in ((True, self.state.records.events), (False, self.state.records.fluents)):
            for key in {*store, *(key for is_such, key in reading.runs.retracted if is_such == is_event)}:
                records = reading.after_retractions((is_event, key), store.get(key), queries, self.tick)
                self._mention(is_event, key, store[key] if records is None else records, queries.end)
        for batch in Merge(reading.runs).batches(_BATCH):
            for each in batch:
                records = reading.others_of((each.is_event, each.key), each.records)
                self._mention(each.is_event, each.key, records, queries.end)

    def _mention(self, is_event: bool, key: Key, records: Records, end: int) -> None:
        """Add the constants of records of one name up to the end of the run."""
        known = records.known(self.state.start, end, NO_ARRIVAL)
        events = {key: known.as_points()} if is_event else {}
        self.members.add(Mentioned(events, {} if is_event else {key: known.as_intervals()}))

    def number(self) -> None:
        """Number the instances in records that rules will look up."""
        instances, records = self.rules.symbols.instances, self.state.records
        for key, each in records.events.items():
            for positions in self.rules.numbered_events.get(key, ()):
                each.number(positions, instances)
        for key, each in records.fluents.items():
            each.number(tuple(range(key[1])), instances)

    def evict(self, settled: int, known: int) -> None:
        """Drop the records that end before the boundary; no retraction can match them, so their members stay."""
        if self.members.is_needed and not self.state.is_announced:
            self.members.keep(self._mentioned(lambda records: self._of_the_run(records.evictable(settled, known))))
        for records in self.state.records.all:
            records.evict(settled, known)

    def evict_members(self, last: int, known: int) -> None:
        """Drop the members of dynamic domains that no rule needs and nothing refers to, if they have become many.

        `last` is the last time-point of the records that are known at the query time `known`.
        """
        if self.members.has_many_evictable and not self.state.is_announced:
            in_use = StateConstants(self.state, self.rules.symbols)
            start = self.state.start
            self.members.evict(in_use.include, self._mentioned(lambda records: records.known(start, last, known)))

    def _of_the_run(self, records: Records) -> Records:
        """The records that have a time-point in the run; the others mention no members."""
        if not len(records):
            return records
        return records.take((records.lasts >= self.state.start).nonzero()[0])

    def _add_members(self, choose: Callable[[Records], Records], settled: int) -> Mentioned:
        """Add the constants of some records to domains and sorts.

        Effects of a new member at settled time-points are not derived.
        """
        mentioned = self._mentioned(choose)
        n_new = self.members.add(mentioned)
        if settled >= self.state.start:
            self.state.n_new_members += n_new
        return mentioned

    def _mentioned(self, choose: Callable[[Records], Records]) -> Mentioned:
        """The constants in some records of each name, without names that have none."""
        records = self.state.records
        events = ((key, choose(each)) for key, each in records.events.items())
        fluents = ((key, choose(each)) for key, each in records.fluents.items())
        return Mentioned(
            {key: chosen.as_points() for key, chosen in events if len(chosen)},
            {key: chosen.as_intervals() for key, chosen in fluents if len(chosen)},
        )
