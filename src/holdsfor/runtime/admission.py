"""The records of a query time: windows admit records, and their constants extend domains and sorts."""

from __future__ import annotations

from collections.abc import Callable

from holdsfor.columns.query_times import NO_ARRIVAL, Judge, OneQuery, QueryTimes
from holdsfor.columns.records import Records
from holdsfor.runtime.domain_members import Mentioned
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.state import State
from holdsfor.sources.fields import LATEST

__all__ = ["Admission"]


class Admission:
    """Admits the records of a state at the query times of its rules; `tick` is the distance of time-points."""

    def __init__(self, rules: PreparedRules, state: State, tick: int) -> None:
        self.rules = rules
        self.members = rules.members
        self.state = state
        self.tick = tick

    def judge(self, judge: Judge, until: int, end: int | None) -> None:
        """Apply the window rules to records that arrive until `until`; records after the end of the run are ignored."""
        self.state.records.judge(judge, until, LATEST if end is None else end, self.tick)

    def admit(self, judge: OneQuery, last: int, end: int | None, settled: int) -> None:
        """Apply the window rules at a query time, and update domains and sorts from the admitted records."""
        state, members = self.state, self.members
        if state.is_announced or not members.is_needed:
            self.judge(judge, judge.until, end)
            return
        members.keep(self._add_members(lambda records: records.dropped_by(judge, last), settled))
        n_retracted = state.records.n_retracted
        self.judge(judge, judge.until, end)
        self._add_members(lambda records: records.new_to(judge, state.start, last), settled)
        if state.records.n_retracted > n_retracted:
            members.replace(self._mentioned(lambda records: records.known(state.start, last, judge.until)))

    def announce(self, queries: QueryTimes) -> None:
        """Add all constants of the records of a run to the domains before the first query time.

        With all input given, an entity that appears late has its initial values and complements in every report, as in
        the answer over the whole history. An entity whose records are all retracted has them in no report.
        """
        self.number()
        start = self.state.start
        events, fluents = self.state.records.standing(queries, self.tick)
        self.members.add(
            Mentioned(
                {key: records.mentioned(start, queries.end, NO_ARRIVAL) for key, records in events.items()},
                {key: records.intervals(start, queries.end, NO_ARRIVAL) for key, records in fluents.items()},
            )
        )
        self.state.is_announced = True

    def number(self) -> None:
        """Number the instances in records that rules will look up."""
        instances, records = self.rules.symbols.instances, self.state.records
        for key, each in records.events.items():
            for positions in self.rules.numbered_events.get(key, ()):
                each.number(positions, instances)
        for key, each in records.fluents.items():
            each.number(tuple(range(key[1])), instances)

    def forget(self, settled: int, known: int) -> None:
        """Drop the records that end before the boundary; no retraction can match them, so their members stay."""
        if self.members.is_needed and not self.state.is_announced:
            self.members.keep(self._mentioned(lambda records: records.forgettable(settled, known)))
        for records in self.state.records.all:
            records.forget(settled, known)

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
        """The constants in some records of each name."""
        records = self.state.records
        return Mentioned(
            {key: choose(each).as_points() for key, each in records.events.items()},
            {key: choose(each).as_intervals() for key, each in records.fluents.items()},
        )
