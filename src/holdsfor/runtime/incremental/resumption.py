"""Query times that evaluate what changed.

A query time depends on the records of a whole window, and most of them were there at the query time before. After a
query time, the session keeps its results and the state at the *resumption point*, the last time-point up to which the
results are decided. The next query time then evaluates, stage by stage:

- the *active* keys from the resumption point on, from the state there, as a session with a short window does: keys that
  need a row which begins or ends after that point, or for which an effect is due;
- the *touched* keys from the settled time-point on: keys that need a row which was inserted, retracted or computed
  differently, if it begins before a time-point up to which the results at the resumption point depend on rows.

Both evaluations use the operators and kernels of a whole evaluation, on fewer rows. The results of touched keys come
from the second, those of active keys from the first and, before the resumption point, from the last query time. All
other results are those of the last query time. This is exact because a key can be evaluated alone if it has all rows
that it needs (`runtime/incremental/key_stages.py`), and because time can be cut at a point up to which everything is
decided (`runtime/state.py`).

Results of touched keys that are equal to the old ones up to the resumption point touch no key of a later stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from holdsfor.columns.records import Mask
from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column, concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.membership import is_member
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.cuts import cuts_of_records
from holdsfor.runtime.edges import edges_at
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.evaluation_input import input_tables, note_cuts
from holdsfor.runtime.incremental.key_stages import Columns, Facts, Keys, KeyStage, TableName
from holdsfor.runtime.incremental.stage_results import StageResults, results_of
from holdsfor.runtime.incremental.state_parts import carry_over, replace_keys, restricted
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.settled_time import decided_by_level
from holdsfor.runtime.state import State, holding

__all__ = ["Changed", "ResumedStage", "Resumption", "resumption_after"]

Events = dict[Key, PointTable]
Fluents = dict[Key, FluentTable]

Table = TypeVar("Table", FluentTable, PointTable)

Rows = tuple[Sequence[Int64], Int64]
"""The words of changed rows, and the time-points at which the rows begin."""

Changed = dict[TableName, Rows]
"""Changed rows, by table."""

_NO_KEYS = np.empty(0, dtype=np.int64)
_FEW_KEYS = 1_000
_NO_VERSION = -1  # of domains: the resumption is not used


@dataclass(frozen=True)
class ResumedStage:
    """The results of a stage at the last query time, and the state at its resumption point.

    The results up to that point are decided by the rows that begin by the `boundary`, which is later if the stage reads
    whole intervals. `undecided` are the keys whose results before the resumption point are not decided yet; the next
    query time evaluates them from the settled time-point again.
    """

    stage: KeyStage
    results: StageResults
    state: State
    boundary: int
    undecided: Keys

    @property
    def point(self) -> int:
        return self.state.settled

    def touched(self, changed: Changed, columns: Columns, facts: Facts) -> Keys:
        """The keys that rows changed up to the boundary touch, and undecided keys."""
        rows: dict[TableName, Sequence[Int64]] = {}
        for name, (words, starts) in changed.items():
            early = (starts <= self.boundary).nonzero()[0]
            if len(early):
                rows[name] = [column[early] for column in words]
        return _united(self.stage.touched(rows, columns, facts), self.undecided)


@dataclass(frozen=True)
class Resumption:
    """The stages after a query time, and the evaluations that together have evaluated all components.

    `version` is that of the domains, as far as they may change answers. `cuts` has the intervals that the window cuts,
    with their true starts. `replaced` has the results of each stage that the query time removed, and those that it
    added, of which some may be equal; a whole evaluation leaves them out.
    """

    stages: tuple[ResumedStage, ...]
    evaluations: tuple[Evaluation, ...]
    version: int
    cuts: Fluents
    replaced: tuple[tuple[StageResults, StageResults], ...] = ()

    @property
    def boundary(self) -> int:
        """The last time-point at which a changed row may touch a key."""
        return max(each.boundary for each in self.stages)

    @property
    def point(self) -> int:
        """The first time-point from which a stage is resumed."""
        return min(each.point for each in self.stages)

    @property
    def results(self) -> StageResults:
        """The FVPs and output events of all stages."""
        return _together([each.results for each in self.stages])

    @property
    def removed(self) -> StageResults:
        return _together([removed for removed, _ in self.replaced])

    @property
    def added(self) -> StageResults:
        return _together([added for _, added in self.replaced])

    def advanced(self, settled: State, changed: Changed, time_range: TimeRange, arrived_by: int) -> Resumption:
        """The resumption after a query time; `settled` is the state at the beginning of its time range."""
        return _Advance(self, settled, changed, time_range, arrived_by).run()


def resumption_after(evaluation: Evaluation, stages: tuple[KeyStage, ...]) -> Resumption | None:
    """The resumption after a whole evaluation; None if nothing is decided, or for interval-wise predicates."""
    if evaluation.made:
        return None
    found: list[ResumedStage] = []
    for stage in stages:
        boundary = _boundary(stage, found, evaluation.time_range.last)
        point = decided_by_level([evaluation], stage.deciding, boundary)
        if point <= evaluation.time_range.first:
            return None
        state = _empty_state(evaluation.state, point)
        state.settle(evaluation, point)
        found.append(ResumedStage(stage, results_of(evaluation, stage), state, boundary, _NO_KEYS))
    return Resumption(tuple(found), (evaluation,), evaluation.answer_version, dict(evaluation.cuts))


def _together(parts: Sequence[StageResults]) -> StageResults:
    """The tables of stages; no two stages have a table of the same name."""
    fluents = {key: table for part in parts for key, table in part.fluents.items()}
    events = {key: table for part in parts for key, table in part.events.items()}
    return StageResults(fluents, events)


def _boundary(stage: KeyStage, before: Sequence[ResumedStage], last: int) -> int:
    """The last time-point up to which everything that a stage reads is decided."""
    read = (each.point for each in before if any(map(stage.reads, each.stage.results)))
    return min(read, default=last)


def _empty_state(state: State, point: int) -> State:
    """A state at a time-point, with the instances that have had initial values and complements so far."""
    found = State(state.start, point, state.records, state.computed, horizons=state.horizons)
    found.initial = state.initial.copy()
    found.complements, found.ranges = dict(state.complements), dict(state.ranges)
    return found


@dataclass
class _Columns:
    """The words of input and of results, by table."""

    records: RecordStore
    results: list[StageResults] = field(default_factory=list)

    def __call__(self, name: TableName) -> Sequence[Int64]:
        is_fvp, key = name
        records = (self.records.fluents if is_fvp else self.records.events).get(key)
        parts: list[Sequence[Int64]] = [] if records is None else [records.columns]
        parts += [words for results in self.results if (words := results.columns(name)) is not None]
        return concatenate_columns(parts) if parts else ()


class _Advance:
    """One query time, stage by stage."""

    def __init__(
        self, before: Resumption, settled: State, changed: Changed, time_range: TimeRange, arrived_by: int
    ) -> None:
        self.before = before
        self.evaluation = before.evaluations[0]
        self.settled = settled
        self.changed = dict(changed)
        self.whole = time_range
        self.arrived_by = arrived_by
        self.columns = _Columns(settled.records)
        self.stages: list[ResumedStage] = []
        self.evaluations: list[Evaluation] = []
        self.replaced: list[tuple[StageResults, StageResults]] = []
        self.cuts: Fluents = {}
        self.wholes: Fluents = {}
        self.cut_rows = self._known_cuts()
        self.is_exact = True

    def _known_cuts(self) -> dict[Key, list[FluentTable]]:
        """The intervals that the window cuts now, or did at the last query time, by fluent."""
        found = {key: [cuts] for key, cuts in self.before.cuts.items()}
        for each in (self.settled.settled_cuts, self.settled.settled_input_cuts):
            for key, cuts in each.items():
                found.setdefault(key, []).append(cuts)
        for key, records in self.settled.records.fluents.items():
            if (cuts := cuts_of_records(records, self.whole.last, self.arrived_by)).n:
                found.setdefault(key, []).append(cuts)
        return found

    @property
    def first(self) -> int:
        """The first time-point of the results that are kept."""
        return self.whole.first if self.whole.is_resumed else self.whole.first_of_run

    @property
    def facts(self) -> Facts:
        return self.evaluation.background.facts

    def run(self) -> Resumption:
        for before in self.before.stages:
            self.stages.append(self.advanced(before))
        version = self.before.version if self.is_exact else _NO_VERSION
        return Resumption(tuple(self.stages), tuple(self.evaluations), version, self.cuts, tuple(self.replaced))

    def advanced(self, before: ResumedStage) -> ResumedStage:
        """A stage after the query time."""
        stage, point = before.stage, before.point
        keys = _united(before.touched(self.changed, self.columns, self.facts), self.keys_with_cuts(stage))
        recent_rows = self.tables_since(before)
        active = self.active_keys(before, *recent_rows)
        recent = self.recent_evaluation(before, active, *recent_rows)
        kept, removed = before.results.divided(self.first, point, stage, keys, active)
        parts, alone = [results_of(recent, stage).since(point).of_keys(stage, active).without(stage, keys)], None
        if keys is None or len(keys):
            alone = self.evaluation_of(stage, keys)
            own = results_of(alone, stage).since(self.first).of_keys(stage, keys)
            self.note_changes(before, keys, own)
            parts.append(own)
        added = parts[0].joined(*parts[1:])
        self.replaced.append((removed, added))
        results = kept.joined(added)
        if alone is not None:
            self.note_cuts(stage, results.without(stage, keys), alone)
        self.columns.results.append(results)
        return self.concluded(before, results, (recent, active), (alone, keys))

    def keys_with_cuts(self, stage: KeyStage) -> Keys:
        """The keys that need an interval which the window cuts: they are evaluated again while it is in the window."""
        rows = {(True, key): concatenate_columns([each.keys for each in cuts]) for key, cuts in self.cut_rows.items()}
        own = [words[stage.results[name]] for name, words in rows.items() if name in stage.results and stage.is_keyed]
        keys = stage.touched(rows, self.columns, self.facts)
        return _united(keys, distinct_values(concatenate_column(own)) if own else _NO_KEYS)

    def note_cuts(self, stage: KeyStage, others: StageResults, alone: Evaluation) -> None:
        """Keep the cut intervals of an evaluation for later stages, and its results as if they were not cut."""
        for key, cuts in alone.cuts.items():
            if key in self.wholes:
                continue
            self.cuts[key] = concatenate_tables([self.cuts.get(key), cuts])
            if (True, key) in stage.results and cuts.n:
                self.cut_rows.setdefault(key, []).append(cuts)
                self.wholes[key] = concatenate_tables([others.fluents.get(key), alone.whole.get(key)])

    def note_changes(self, before: ResumedStage, keys: Keys, results: StageResults) -> None:
        """Add the results of touched keys that changed since the last query time, if a later stage reads them."""
        later = self.before.stages[len(self.stages) + 1 :]
        read = {name for name in before.stage.results if any(each.stage.reads(name) for each in later)}
        if read:
            old, new = before.results.named(read).of_keys(before.stage, keys), results.named(read)
            self.changed.update(new.differences(old, before.point, self.whole.next_of(before.point)))

    def concluded(
        self,
        before: ResumedStage,
        results: StageResults,
        recent: tuple[Evaluation, Keys],
        again: tuple[Evaluation | None, Keys],
    ) -> ResumedStage:
        """The stage with its state at the next resumption point, after the evaluations of active and touched keys."""
        stage, (alone, keys) = before.stage, again
        evaluations = [recent[0]] if alone is None else [recent[0], alone]
        self.evaluations += evaluations
        self.settled.note_horizons(evaluations)
        boundary = _boundary(stage, self.stages, self.whole.last)
        point = max(before.point, decided_by_level([recent[0]], stage.deciding, boundary))
        state = self.state_at(point, before, results, *recent)
        undecided: Keys = _NO_KEYS
        if alone is not None:
            some = _empty_state(alone.state, point)
            carry_over(some, alone, point)
            replace_keys(state, some, stage, keys)
            if decided_by_level([alone], stage.deciding, boundary) < point:
                undecided = keys
            # The ends at the point itself are not among the results, so those of touched keys are not known there.
            self.is_exact &= point > before.point or not alone.rules.asked_edges
        return ResumedStage(stage, results, state, max(boundary, point), undecided)

    def state_at(
        self, point: int, before: ResumedStage, results: StageResults, recent: Evaluation, active: Keys
    ) -> State:
        """The state at a time-point, in which that of touched keys is still to be replaced."""
        state = _empty_state(before.state, point)
        state.initial.settle()
        if active is None:
            carry_over(state, recent, point)
        else:
            state.pending, some = dict(before.state.pending), _empty_state(before.state, point)
            carry_over(some, recent, point)
            replace_keys(state, some, before.stage, active)
        merged = self.evaluation_with(before.state, recent.time_range, *self.tables_since(before, results))
        state.held = holding(merged.known, point)
        state.edges = {place: edges_at(merged.edges(*place), point) for place in merged.rules.asked_edges}
        return state

    # -- evaluations ---------------------------------------------------------------------------------------------------

    def active_keys(self, before: ResumedStage, events: Events, fluents: Fluents) -> Keys:
        """The keys of a stage with changes after its resumption point: of rows that they need, or of the last results.

        For a stage with duration filters, time alone may change an open interval. None, for all keys, also if most
        keys are probably active, and their rows are not worth looking for.
        """
        stage = before.stage
        most = max(_FEW_KEYS, *(table.n // 2 for table in before.state.held.values()), 0)
        are_many = sum(table.n for table in events.values()) > 2 * most
        if stage.is_relating or self.evaluation.rules.asked_edges or are_many:
            return None
        rows: dict[TableName, Sequence[Int64]] = {(False, key): table.columns[:-1] for key, table in events.items()}
        for key, table in fluents.items():
            changes = table.starts > before.point
            changes |= table.ends > before.point if stage.deciding else table.ends != OPEN
            rows[True, key] = [column[changes] for column in table.columns[:-2]]
        active = stage.touched(rows, self.columns, self.facts)
        if active is None or len(active) > most:
            return None
        active = _united(active, stage.waiting_keys(before.state.pending))
        return _united(active, before.results.keys_changing_after(before.point, stage))

    def recent_evaluation(self, before: ResumedStage, keys: Keys, events: Events, fluents: Fluents) -> Evaluation:
        """The evaluation of some keys of a stage from its resumption point on."""
        stage, state = before.stage, before.state
        time_range = replace(self.whole, first=before.point, is_resumed=True)
        if keys is not None:
            state = restricted(state, stage, keys, state.records, self.held_by(stage, state, keys))
            events, fluents = self.needed_tables(stage, events, keys), self.needed_tables(stage, fluents, keys)
        return self.run_stage(stage, self.evaluation_with(state, time_range, events, fluents))

    def tables_since(self, before: ResumedStage, *own: StageResults) -> tuple[Events, Fluents]:
        """The input of a stage and the results that it reads, and its own results, from its resumption point on."""
        time_range = replace(self.whole, first=before.point, is_resumed=True)
        events, fluents = self.input_of(before.stage, before.state, time_range)
        read = [results.read_by(before.stage) for results in self.columns.results[: len(self.stages)]]
        for results in (*read, *own):
            recent = results.since(before.point)
            _add(events, recent.events)
            _add(fluents, recent.fluents)
        return events, fluents

    def evaluation_of(self, stage: KeyStage, keys: Keys) -> Evaluation:
        """The evaluation of some keys of a stage from the settled time-point on."""
        held = self.held_by(stage, self.settled, keys)
        state = restricted(self.settled, stage, keys, self.records_of(stage, keys), held)
        events, fluents = self.input_of(stage, state, self.whole)
        for results in self.columns.results:
            read = results.read_by(stage)
            _add(events, self.needed_tables(stage, read.events, keys))
            _add(fluents, self.needed_tables(stage, read.fluents, keys))
        evaluation = self.evaluation_with(state, self.whole, events, fluents)
        note_cuts(evaluation, self.arrived_by, self.arrived_by)
        for key, whole in self.wholes.items():
            evaluation.cuts[key], evaluation.whole[key] = self.cuts[key], whole
        return self.run_stage(stage, evaluation)

    def input_of(self, stage: KeyStage, state: State, time_range: TimeRange) -> tuple[Events, Fluents]:
        """The records that a stage reads, as tables."""
        read = RecordStore()
        read.events = {key: each for key, each in state.records.events.items() if stage.reads((False, key))}
        read.fluents = {key: each for key, each in state.records.fluents.items() if stage.reads((True, key))}
        rules, given = self.evaluation.rules, replace(state, records=read)
        events, fluents = input_tables(rules, given, time_range, self.arrived_by)
        return {k: each for k, each in events.items() if each.n}, {k: each for k, each in fluents.items() if each.n}

    def evaluation_with(self, state: State, time_range: TimeRange, events: Events, fluents: Fluents) -> Evaluation:
        rules, memory = self.evaluation.rules, self.evaluation.allen_memory
        return Evaluation(rules, state, time_range, events, fluents, memory)

    def run_stage(self, stage: KeyStage, evaluation: Evaluation) -> Evaluation:
        for number in stage.components:
            evaluation.evaluate(number, evaluation.program.by_number[number])
        return evaluation

    # -- rows of some keys ---------------------------------------------------------------------------------------------

    def needed_rows(self, stage: KeyStage, name: TableName, words: Sequence[Int64], keys: Keys) -> Int64 | None:
        """The rows of a table that some keys need; None for all rows."""
        if keys is None:
            return None
        if name in stage.results and not stage.reads(name):
            mask: Mask | None = is_member(words[stage.results[name]], keys)
        elif stage.reads(name):
            mask = stage.needed(name, words, keys, self.columns, self.facts)
        else:
            return _NO_KEYS
        return None if mask is None else mask.nonzero()[0]

    def held_by(self, stage: KeyStage, state: State, keys: Keys) -> Fluents:
        """The FVPs that hold at the time-point of a state, as far as some keys need them."""
        held: Fluents = {}
        for key, table in state.held.items():
            rows = self.needed_rows(stage, (True, key), table.columns[:-2], keys)
            held[key] = table if rows is None else table.take(rows)
        return held

    def needed_tables(self, stage: KeyStage, tables: dict[Key, Table], keys: Keys) -> dict[Key, Table]:
        found: dict[Key, Table] = {}
        for key, table in tables.items():
            is_fvp = isinstance(table, FluentTable)
            rows = self.needed_rows(stage, (is_fvp, key), table.columns[: -2 if is_fvp else -1], keys)
            some = table if rows is None else table.take(rows)
            if some.n:
                found[key] = some
        return found

    def records_of(self, stage: KeyStage, keys: Keys) -> RecordStore:
        """The records that some keys need."""
        if keys is None:
            return self.settled.records
        store = RecordStore()
        for is_fvp, given, found in (
            (False, self.settled.records.events, store.events),
            (True, self.settled.records.fluents, store.fluents),
        ):
            for key, records in given.items():
                rows = self.needed_rows(stage, (is_fvp, key), records.columns, keys)
                found[key] = records if rows is None else records.subset(rows)
        return store


def _united(one: Keys, other: Keys) -> Keys:
    if one is None or other is None:
        return None
    return distinct_values(np.concatenate((one, other))) if len(other) else one


def _add(tables: dict[Key, Table], more: dict[Key, Table]) -> None:
    for key, table in more.items():
        tables[key] = concatenate_tables([tables.get(key), table])
