"""The evaluation of a stage for some keys and a time range, with the rows that these keys need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from holdsfor.columns.records import Mask
from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.membership import is_member
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.evaluation_input import input_tables
from holdsfor.runtime.incremental.key_stages import Facts, Keys, KeyStage, TableName
from holdsfor.runtime.incremental.resumed_stage import NO_KEYS
from holdsfor.runtime.incremental.stage_results import StageResults
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.state import State

__all__ = ["Events", "Fluents", "StageEvaluations", "add_tables", "first_kept", "read_by"]

Events = dict[Key, PointTable]
Fluents = dict[Key, FluentTable]

Table = TypeVar("Table", FluentTable, PointTable)


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


class StageEvaluations:
    """Evaluates stages at a query time; `settled` is the state at the beginning of its time range, `whole`."""

    def __init__(self, before: Evaluation, settled: State, time_range: TimeRange, arrived_by: int) -> None:
        self.evaluation = before
        self.settled = settled
        self.whole = time_range
        self.arrived_by = arrived_by
        self.columns = _Columns(settled.records)

    @property
    def first(self) -> int:
        """The first time-point of the results that are kept."""
        return first_kept(self.whole)

    @property
    def facts(self) -> Facts:
        return self.evaluation.background.facts

    def input_of(self, stage: KeyStage, state: State, time_range: TimeRange) -> tuple[Events, Fluents]:
        """The records that a stage reads, as tables."""
        rules, given = self.evaluation.rules, replace(state, records=read_by(stage, state.records))
        events, fluents = input_tables(rules, given, time_range, self.arrived_by)
        return {k: each for k, each in events.items() if each.n}, {k: each for k, each in fluents.items() if each.n}

    def run_stage(self, stage: KeyStage, evaluation: Evaluation) -> Evaluation:
        for number in stage.components:
            evaluation.evaluate(evaluation.program.by_number[number])
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
            return NO_KEYS
        return None if mask is None else mask.nonzero()[0]

    def held_by(self, stage: KeyStage, state: State, keys: Keys) -> Fluents:
        """The FVPs that hold at the time-point of a state, as far as some keys need them."""
        held: Fluents = {}
        for key, table in state.held.items():
            rows = self.needed_rows(stage, (True, key), table.columns[:-2], keys)
            if rows is None or len(rows):
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


def first_kept(time_range: TimeRange) -> int:
    """The first time-point of the results that are kept after a query time."""
    return time_range.first if time_range.is_resumed else time_range.first_of_run


def read_by(stage: KeyStage, records: RecordStore) -> RecordStore:
    """The records that a stage reads."""
    read = RecordStore()
    read.events = {key: each for key, each in records.events.items() if stage.reads((False, key))}
    read.fluents = {key: each for key, each in records.fluents.items() if stage.reads((True, key))}
    return read


def add_tables(tables: dict[Key, Table], more: dict[Key, Table]) -> None:
    """Add rows to tables of the same names."""
    for key, table in more.items():
        tables[key] = concatenate_tables([tables.get(key), table])
