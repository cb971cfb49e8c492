"""Late and retracted rows of an inertial stage, evaluated in stretches of time.

A changed row changes the results of its keys at its own time-points, and at later ones only as long as other FVPs hold
than before. The time up to the resumption point is divided into *stretches*. A stretch is evaluated for the keys with
changed rows in it, and for the keys for which other FVPs hold at its beginning. Where the FVPs at its end are those of
the last query time, the later results of a key stay as they are, except for the start of an interval that holds there.

This is exact for stages in which later results need nothing of earlier ones but the FVPs that hold
(`KeyStage.is_inertial`): every time-point can then be the beginning of an evaluation, and its state is part of the
results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from holdsfor.columns.records import Mask
from holdsfor.columns.tables import Key, empty_fluents
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64, positions_of_pairs
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.evaluation_input import input_events, input_fluents
from holdsfor.runtime.incremental.key_stages import KeyStage, TableName
from holdsfor.runtime.incremental.record_changes import Changed, ChangedRows
from holdsfor.runtime.incremental.resumed_stage import NO_KEYS, ResumedStage, empty_state, united
from holdsfor.runtime.incremental.stage_evaluations import Events, Fluents, StageEvaluations, add_tables, read_by
from holdsfor.runtime.incremental.stage_results import ReplacedRows, StageResults, results_of
from holdsfor.runtime.state import State, holding

__all__ = ["Correction", "correction_of"]

_ROWS_AS_CALLS = 20_000  # rows whose evaluation takes as long as the calls of the operators of a stage
_MOST_STRETCHES = 32
_SAMPLE = 1_000


@dataclass(frozen=True)
class Correction:
    """A stage as if changed rows had been there at the last query time.

    Of the results of the last query time, it keeps those in `kept` and replaces those in `removed` by those in `added`,
    of which some are equal. `altered` are the keys of results that differ up to the resumption point.
    """

    stage: ResumedStage
    kept: StageResults
    removed: StageResults
    added: StageResults
    changed: Changed
    altered: Int64


def correction_of(before: ResumedStage, keys: Int64, changed: Changed, at: StageEvaluations) -> Correction:
    """The correction of a stage for the keys that changed rows touch."""
    stage, point = before.stage, before.point
    replaced = ReplacedRows(before.results)
    added = _Stretches(before, keys, changed, at).evaluate(replaced)
    removed = replaced.removed
    differences = added.differences(removed, point, at.whole.next_of(point))
    found = [rows.words[stage.results[name]] for name, rows in differences.items()]
    altered = distinct_values(concatenate_column(found)) if found else NO_KEYS
    if len(altered) == 0:
        return Correction(before, before.results, StageResults({}, {}), StageResults({}, {}), {}, altered)
    kept = replaced.kept
    results = kept.joined(added)
    others = {key: table for key, table in before.state.held.items() if (True, key) not in stage.results}
    state = replace(before.state, held={**others, **holding(results.fluents, point)})
    return Correction(replace(before, results=results, state=state), kept, removed, added, differences, altered)


class _Stretches:
    """The evaluation of touched keys of a stage from the settled time-point to its resumption point."""

    def __init__(self, before: ResumedStage, keys: Int64, changed: Changed, at: StageEvaluations) -> None:
        self.before = before
        self.stage = before.stage
        self.keys = keys
        self.changed = {name: rows for name, rows in changed.items() if self.stage.reads(name)}
        self.at = at
        self.read = read_by(self.stage, at.settled.records)
        self.known = self._known()

    def _known(self) -> StageResults:
        """The FVPs of records and the results of earlier stages that the touched keys need."""
        at, stage = self.at, self.stage
        fluents = input_fluents(at.evaluation.rules, replace(at.settled, records=self.read), at.whole, at.arrived_by)
        found = StageResults({key: table for key, table in fluents.items() if table.n}, {})
        found = found.joined(*(results.read_by(stage) for results in at.columns.results))
        return StageResults(
            at.needed_tables(stage, found.fluents, self.keys), at.needed_tables(stage, found.events, self.keys)
        )

    def evaluate(self, replaced: ReplacedRows) -> StageResults:
        """The new results of the touched keys; the rows that they replace are removed from the old results."""
        new, carried = StageResults({}, {}), NO_KEYS
        for mark, next_mark in pairwise(self.marks()):
            keys = self.touched_between(mark, next_mark, carried)
            carried = NO_KEYS
            if len(keys):
                held = holding(new.fluents, mark)
                add_tables(held, replaced.holding(mark, self.stage, keys))
                found = self.evaluated(mark, next_mark, keys, held)
                before = replaced.remove(mark, next_mark, self.stage, keys)
                found, carried = _stitched(found, before, next_mark, self.stage, self.at.evaluation.instances)
                new = new.separated(mark, next_mark, self.stage, keys)[0].joined(found)
        return new

    def marks(self) -> list[int]:
        """The time-points at which stretches begin, and the resumption point."""
        first, point, tick = self.at.first, self.before.point, self.at.whole.tick
        n = min(_MOST_STRETCHES, max(1, int(math.sqrt(self.n_rows / _ROWS_AS_CALLS))))
        inside = ((first + (point - first) * i // n) // tick * tick for i in range(1, n))
        return sorted({first, point, *(mark for mark in inside if mark > first)})

    @property
    def n_rows(self) -> float:
        """About how many records the touched keys need, from a sample."""
        n_needed = 0.0
        for key, records in self.read.events.items():
            every = max(1, len(records) // _SAMPLE)
            words = [column[::every] for column in records.columns]
            needed = self.stage.needed((False, key), words, self.keys, self.at.columns, self.at.facts)
            n_needed += len(records) if needed is None else float(np.mean(needed)) * len(records) if len(needed) else 0
        return n_needed

    def touched_between(self, mark: int, next_mark: int, carried: Int64) -> Int64:
        """The keys with changed rows in a stretch, and those with other FVPs at its beginning."""
        is_first, tick = mark == self.at.first, self.at.whole.tick
        rows: dict[TableName, Sequence[Int64]] = {}
        for name, each in self.changed.items():
            inside = _are_inside(each, name, mark, next_mark, is_first=is_first, tick=tick).nonzero()[0]
            if len(inside):
                rows[name] = each.take(inside).words
        keys = united(self.stage.touched(rows, self.at.columns, self.at.facts), carried)
        return self.keys if keys is None else keys

    def evaluated(self, mark: int, next_mark: int, keys: Int64, held: Fluents) -> StageResults:
        """The results of some keys in a stretch, from the FVPs that hold at its beginning."""
        at, stage = self.at, self.stage
        is_resumed = at.whole.is_resumed or mark > at.first
        time_range = replace(at.whole, first=mark, last=next_mark, is_resumed=is_resumed)
        state = self._state(mark, keys, held)
        known = self.known.between(mark, next_mark, time_range.after_last)
        events = self._events(time_range, keys)
        add_tables(events, at.needed_tables(stage, known.events, keys))
        fluents = at.needed_tables(stage, known.fluents, keys)
        evaluation = at.run_stage(stage, at.evaluation.again(state, time_range, events, fluents))
        return results_of(evaluation, stage).separated(mark, next_mark, stage, keys)[1]

    def _events(self, time_range: TimeRange, keys: Int64) -> Events:
        """The events of records in a stretch that some keys need."""

        def needed(key: Key, words: Sequence[Int64]) -> Mask | None:
            return self.stage.needed((False, key), words, keys, self.at.columns, self.at.facts)

        given = replace(self.at.settled, records=self.read)
        found = input_events(self.at.evaluation.rules, given, time_range, self.at.arrived_by, needed)
        return {key: table for key, table in found.items() if table.n}

    def _state(self, mark: int, keys: Int64, held: Fluents) -> State:
        """The state of some keys at the beginning of a stretch."""
        at, stage = self.at, self.stage
        if mark == at.first:
            state = empty_state(at.settled, at.settled.settled)
            state.held = at.held_by(stage, at.settled, keys)
            return state
        state = empty_state(self.before.state, mark)
        known = holding(self.known.fluents, mark)
        add_tables(known, held)
        state.held = at.needed_tables(stage, known, keys)
        return state


def _are_inside(rows: ChangedRows, name: TableName, mark: int, next_mark: int, *, is_first: bool, tick: int) -> Mask:
    """Which changed rows concern a stretch; a row at an edge concerns the stretches on both sides."""
    is_fvp, _ = name
    if is_fvp:
        return (rows.starts <= next_mark) & ((rows.lasts >= mark - 2 * tick) | is_first)
    return (rows.starts < next_mark) & ((rows.starts >= mark) | is_first)


def _stitched(
    new: StageResults, old: StageResults, mark: int, stage: KeyStage, instances: TupleIds
) -> tuple[StageResults, Int64]:
    """New results up to a mark, with the old ends of intervals that hold there, and the keys with other FVPs there."""
    fluents = dict(new.fluents)
    other_keys: list[Int64] = []
    for key in dict.fromkeys((*new.fluents, *old.fluents)):
        table, before = (each.fluents.get(key) or empty_fluents(key[1]) for each in (new, old))
        here, there = ((each.ends > mark).nonzero()[0] for each in (table, before))
        own, known = (
            (each.arguments(instances)[rows], each.values[rows]) for each, rows in ((table, here), (before, there))
        )
        partner = positions_of_pairs(*own, known)
        is_known = partner >= 0
        ends = table.ends.copy()
        ends[here] = OPEN
        ends[here[is_known]] = before.ends[there[partner[is_known]]]
        if table.n:
            fluents[key] = table.with_bounds(table.starts, ends)
        is_gone = np.ones(len(there), dtype=bool)
        is_gone[partner[is_known]] = False
        argument = stage.results[True, key]
        other_keys += [table.column(argument)[here[~is_known]], before.column(argument)[there[is_gone]]]
    keys = distinct_values(concatenate_column(other_keys)) if other_keys else NO_KEYS
    return StageResults(fluents, new.events), keys
