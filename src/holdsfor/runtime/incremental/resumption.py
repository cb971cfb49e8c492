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

To move the resumption point has a cost of its own. A stage with few rows since it was moved keeps it, and only the
*stirred* keys are evaluated from there: those with a change since the last query time
(`runtime/incremental/stirred_keys.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from holdsfor.columns.query_times import OneQuery
from holdsfor.columns.tables import FluentTable, Key, Relation, concatenate_tables
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column, concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.cuts import cuts_of_records
from holdsfor.runtime.edges import edges_at
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.evaluation_input import note_cuts
from holdsfor.runtime.incremental.corrections import Correction, correction_of
from holdsfor.runtime.incremental.expected_changes import expected_changes
from holdsfor.runtime.incremental.key_stages import Keys, KeyStage, TableName
from holdsfor.runtime.incremental.record_changes import Changed, begun_by
from holdsfor.runtime.incremental.resumed_stage import NO_KEYS, ResumedStage, empty_state, united
from holdsfor.runtime.incremental.stage_evaluations import Events, Fluents, StageEvaluations, add_tables, first_kept
from holdsfor.runtime.incremental.stage_results import StageResults, results_of
from holdsfor.runtime.incremental.state_parts import carry_over, replace_keys, restricted
from holdsfor.runtime.incremental.stirred_keys import StirredKeys
from holdsfor.runtime.settled_time import decided_by_level
from holdsfor.runtime.state import State, holding

__all__ = ["Resumption", "resumption_after"]

_FEW_KEYS = 1_000
_FEW_ROWS = 2_000  # after a resumption point is moved: a stage with more moves it again
_NO_VERSION = -1  # of domains: the resumption is not used


@dataclass(frozen=True)
class Resumption:
    """The stages after a query time, and the evaluations that have evaluated what changed.

    `blank` is an evaluation without tables, and `time_range` that of the query time. `version` is that of the domains,
    as far as they may change answers. `cuts` has the intervals that the window cuts, with their true starts. `replaced`
    has the results of each stage that the query time removed, and those that it added, of which some may be equal; a
    whole evaluation leaves them out.
    """

    stages: tuple[ResumedStage, ...]
    evaluations: tuple[Evaluation, ...]
    blank: Evaluation
    time_range: TimeRange
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
    def first(self) -> int:
        """The first time-point of the results that are kept."""
        return first_kept(self.time_range)

    @property
    def n_bytes(self) -> int:
        """The bytes of the tables that are kept for the next query time."""
        kept: list[Relation] = []
        for evaluation in self.evaluations:
            kept += (*evaluation.known.values(), *evaluation.events.values())
        of_evaluations = sum(table.n_bytes for table in {id(table): table for table in kept}.values())
        return of_evaluations + sum(each.n_bytes for each in self.stages)

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

    @property
    def moments(self) -> Iterator[int | None]:
        """The first time-point at which time alone may change the results of each stage."""
        return (each.expected.next_moment for each in self.stages)

    def advanced(self, settled: State, changed: Changed, time_range: TimeRange, query: OneQuery) -> Resumption:
        """The resumption after a query time; `settled` is the state at the beginning of its time range."""
        return _Advance(self, settled, changed, time_range, query).run()


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
        state = empty_state(evaluation.state, point)
        state.settle(evaluation, point)
        results, expected = results_of(evaluation, stage), expected_changes(evaluation, stage)
        moved_at = evaluation.time_range.last
        found.append(ResumedStage(stage, results, state, boundary, NO_KEYS, expected, results, moved_at))
    time_range = evaluation.time_range
    blank = evaluation.again(evaluation.state, time_range, {}, {})
    version, cuts = evaluation.answer_version, dict(evaluation.cuts)
    return Resumption(tuple(found), (evaluation,), blank, time_range, version, cuts)


def _together(parts: Sequence[StageResults]) -> StageResults:
    """The tables of stages; no two stages have a table of the same name."""
    fluents = {key: table for part in parts for key, table in part.fluents.items()}
    events = {key: table for part in parts for key, table in part.events.items()}
    return StageResults(fluents, events)


def _boundary(stage: KeyStage, before: Sequence[ResumedStage], last: int) -> int:
    """The last time-point up to which everything that a stage reads is decided."""
    read = (each.point for each in before if any(map(stage.reads, each.stage.results)))
    return min(read, default=last)


class _Advance(StageEvaluations):
    """One query time, stage by stage."""

    def __init__(
        self, before: Resumption, settled: State, changed: Changed, time_range: TimeRange, query: OneQuery
    ) -> None:
        super().__init__(before.blank, settled, time_range, query.at)
        self.before = before
        self.oldest = query.boundary
        self.changed = begun_by(changed, before.boundary)
        self.stirring = StirredKeys(changed, settled.records, before.time_range, time_range)
        self.stages: list[ResumedStage] = []
        self.evaluations: list[Evaluation] = []
        self.replaced: list[tuple[StageResults, StageResults]] = []
        self.cuts: Fluents = {}
        self.wholes: Fluents = {}
        self.cut_rows = self._known_cuts()
        self.is_exact = True
        self._n_since: dict[int, int] = {}

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

    def run(self) -> Resumption:
        for before in self.before.stages:
            self.stages.append(self.advanced(before))
        version = self.before.version if self.is_exact else _NO_VERSION
        # Later query times need evaluations for the edges of intervals only.
        evaluations = tuple(self.evaluations) if self.evaluation.rules.asked_edges else ()
        replaced = tuple(self.replaced)
        return Resumption(tuple(self.stages), evaluations, self.before.blank, self.whole, version, self.cuts, replaced)

    def advanced(self, before: ResumedStage) -> ResumedStage:
        """A stage after the query time."""
        stage, point = before.stage, before.point
        keys = united(before.touched(self.changed, self.columns, self.facts), self.keys_with_cuts(stage))
        correction = self.correction(before, keys)
        if correction is not None:
            before, keys = correction.stage, NO_KEYS
        stirred = self.stirred_keys(before, keys)
        if stirred is not None and len(stirred) == 0 and correction is None:
            return self.unchanged(before)
        recent_rows = self.tables_since(before, keys=stirred)
        active = self.active_keys(before, *recent_rows) if stirred is None else stirred
        if correction is not None:
            active = united(active, correction.altered)
        recent = self.recent_evaluation(before, active, *recent_rows)
        earlier = before.results if correction is None else correction.kept
        if stirred is not None and active is not None and self.first == self.before.first:
            kept, removed = earlier.divided_by_keys(point, stage, active)
        else:
            kept, removed = earlier.divided(self.first, point, stage, keys, active)
        parts, alone = [results_of(recent, stage).since(point).of_keys(stage, active).without(stage, keys)], None
        if correction is not None:
            parts.append(correction.added.divided(self.first, point, stage, keys, active)[0])
            removed = removed.joined(correction.removed)
        if keys is None or len(keys):
            alone = self.evaluation_of(stage, keys)
            own = results_of(alone, stage).since(self.first).of_keys(stage, keys)
            self.note_changes(before, keys, own)
            parts.append(own)
        added = parts[0].joined(*parts[1:])
        results = kept.joined(added)
        if alone is not None:
            self.note_cuts(stage, results.without(stage, keys), alone)
        self.note_results(before, results, removed, added)
        after = replace(before, results=results, added=added)
        if stirred is not None:
            return self.with_the_same_point(after, recent, active)
        return self.concluded(after, (recent, active), (alone, keys))

    def stirred_keys(self, before: ResumedStage, touched: Keys) -> Keys:
        """The keys with a change since the last query time, if the stage keeps its resumption point; otherwise None.

        The point moves when many rows follow it, and before it leaves the window.
        """
        is_alone = touched is not None and len(touched) == 0
        age = self.whole.last - before.moved_at
        if not is_alone or self.needs_all_keys(before) or self.cut_rows or before.point - self.oldest < age:
            return None
        if self.n_since(before.moved_at) > _FEW_ROWS:
            return None
        keys = self.stirring.of(before, self.columns, self.facts)
        return None if keys is None or len(keys) > _FEW_KEYS else keys

    def needs_all_keys(self, before: ResumedStage) -> bool:
        """Whether the results of a stage may change for keys that need no changed row."""
        stage = before.stage
        at_literal_edges = stage.has_literal_edges(before.point, self.whole.last)
        return stage.is_relating or at_literal_edges or bool(self.evaluation.rules.asked_edges)

    def n_since(self, point: int) -> int:
        """The number of records that begin after a time-point."""
        if point not in self._n_since:
            self._n_since[point] = self.settled.records.n_between(point + 1, self.whole.last)
        return self._n_since[point]

    def note_results(
        self, before: ResumedStage, results: StageResults, removed: StageResults, added: StageResults
    ) -> None:
        """Keep the results of a stage for later ones, and those in which they may differ from the last query time."""
        self.replaced.append((removed, added))
        self.columns.results.append(results)
        self.stirring.add(before, removed, added)

    def unchanged(self, before: ResumedStage) -> ResumedStage:
        """A stage of which no key has a change."""
        results, nothing = before.results, StageResults({}, {})
        if self.first > self.before.first:
            results = results.since(self.first)
        self.note_results(before, results, nothing, nothing)
        is_same = results is before.results and before.added.is_empty
        return before if is_same else replace(before, results=results, added=nothing)

    def with_the_same_point(self, after: ResumedStage, recent: Evaluation, keys: Keys) -> ResumedStage:
        """A stage that keeps its resumption point, after an evaluation of some keys from there."""
        self.evaluations.append(recent)
        self.settled.note_horizons([recent])
        expected = expected_changes(recent, after.stage).of_keys(keys)
        return replace(after, expected=after.expected.without(keys).joined(expected))

    def correction(self, before: ResumedStage, keys: Keys) -> Correction | None:
        """The stage after the changes of some keys up to its resumption point, if it can be corrected in stretches."""
        if keys is None or len(keys) == 0 or self.cut_rows or not before.stage.is_inertial:
            return None
        found = correction_of(before, keys, self.changed, self)
        self.changed.update(found.changed)
        return found

    def keys_with_cuts(self, stage: KeyStage) -> Keys:
        """The keys that need an interval which the window cuts: they are evaluated again while it is in the window."""
        rows = {(True, key): concatenate_columns([each.keys for each in cuts]) for key, cuts in self.cut_rows.items()}
        own = [words[stage.results[name]] for name, words in rows.items() if name in stage.results and stage.is_keyed]
        keys = stage.touched(rows, self.columns, self.facts)
        return united(keys, distinct_values(concatenate_column(own)) if own else NO_KEYS)

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
        self, after: ResumedStage, recent: tuple[Evaluation, Keys], again: tuple[Evaluation | None, Keys]
    ) -> ResumedStage:
        """A stage with its state at the next resumption point, after the evaluations of active and touched keys."""
        stage, (alone, keys), before = after.stage, again, after.point
        evaluations = [recent[0]] if alone is None else [recent[0], alone]
        self.evaluations += evaluations
        self.settled.note_horizons(evaluations)
        boundary = _boundary(stage, self.stages, self.whole.last)
        point = max(before, decided_by_level([recent[0]], stage.deciding, boundary))
        state = self.state_at(point, after, *recent)
        expected = after.expected.without(recent[1]).joined(expected_changes(recent[0], stage).of_keys(recent[1]))
        undecided: Keys = NO_KEYS
        if alone is not None:
            expected = expected.without(keys).joined(expected_changes(alone, stage).of_keys(keys))
            some = empty_state(alone.state, point)
            carry_over(some, alone, point)
            replace_keys(state, some, stage, keys)
            if decided_by_level([alone], stage.deciding, boundary) < point:
                undecided = keys
            # The ends at the point itself are not among the results, so those of touched keys are not known there.
            self.is_exact &= point > before or not alone.rules.asked_edges
        boundary, moved_at = max(boundary, point), self.whole.last
        return ResumedStage(stage, after.results, state, boundary, undecided, expected, after.added, moved_at)

    def state_at(self, point: int, before: ResumedStage, recent: Evaluation, active: Keys) -> State:
        """The state at a time-point, in which that of touched keys is still to be replaced."""
        state = empty_state(before.state, point)
        state.initial.settle()
        if active is None:
            carry_over(state, recent, point)
        else:
            state.pending, some = dict(before.state.pending), empty_state(before.state, point)
            carry_over(some, recent, point)
            replace_keys(state, some, before.stage, active)
        merged = self.evaluation.again(before.state, recent.time_range, *self.tables_since(before, before.results))
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
        if self.needs_all_keys(before) or are_many:
            return None
        rows: dict[TableName, Sequence[Int64]] = {(False, key): table.columns[:-1] for key, table in events.items()}
        for key, table in fluents.items():
            changes = table.starts > before.point
            changes |= table.ends > before.point if stage.deciding else table.ends != OPEN
            rows[True, key] = [column[changes] for column in table.columns[:-2]]
        active = stage.touched(rows, self.columns, self.facts)
        if active is None or len(active) > most:
            return None
        active = united(active, stage.waiting_keys(before.state.pending))
        active = united(active, before.expected.due_by(self.whole.last))
        return united(active, before.results.keys_changing_after(before.point, stage))

    def recent_evaluation(self, before: ResumedStage, keys: Keys, events: Events, fluents: Fluents) -> Evaluation:
        """The evaluation of some keys of a stage from its resumption point on."""
        stage, state = before.stage, before.state
        time_range = replace(self.whole, first=before.point, is_resumed=True)
        if keys is not None:
            state = restricted(state, stage, keys, state.records, self.held_by(stage, state, keys))
            events, fluents = self.needed_tables(stage, events, keys), self.needed_tables(stage, fluents, keys)
        return self.run_stage(stage, self.evaluation.again(state, time_range, events, fluents))

    def tables_since(self, before: ResumedStage, *own: StageResults, keys: Keys = None) -> tuple[Events, Fluents]:
        """The input of a stage and the results that it reads, and its own results, from its resumption point on.

        With `keys`, only the results that these keys need.
        """
        time_range = replace(self.whole, first=before.point, is_resumed=True)
        events, fluents = self.input_of(before.stage, before.state, time_range)
        read = [results.read_by(before.stage) for results in self.columns.results[: len(self.stages)]]
        if keys is not None:
            stage = before.stage
            read = [
                StageResults(
                    self.needed_tables(stage, results.fluents, keys), self.needed_tables(stage, results.events, keys)
                )
                for results in read
            ]
        for results in (*read, *own):
            recent = results.since(before.point)
            add_tables(events, recent.events)
            add_tables(fluents, recent.fluents)
        return events, fluents

    def evaluation_of(self, stage: KeyStage, keys: Keys) -> Evaluation:
        """The evaluation of some keys of a stage from the settled time-point on."""
        held = self.held_by(stage, self.settled, keys)
        state = restricted(self.settled, stage, keys, self.records_of(stage, keys), held)
        events, fluents = self.input_of(stage, state, self.whole)
        for results in self.columns.results:
            read = results.read_by(stage)
            add_tables(events, self.needed_tables(stage, read.events, keys))
            add_tables(fluents, self.needed_tables(stage, read.fluents, keys))
        evaluation = self.evaluation.again(state, self.whole, events, fluents)
        note_cuts(evaluation, self.arrived_by, self.arrived_by)
        for key, whole in self.wholes.items():
            evaluation.cuts[key], evaluation.whole[key] = self.cuts[key], whole
        return self.run_stage(stage, evaluation)
