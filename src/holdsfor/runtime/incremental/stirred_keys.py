"""The keys of a stage with a change since the last query time.

A key that needs no row which changed, and for which nothing is due, has the results of the last query time. A row
changes when a record arrives or is retracted, when the time range reaches its beginning or its end, and when an earlier
stage computes it differently. The next query time is the first that sees results after the last time-point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.incremental.key_stages import Columns, Facts, Keys, TableName
from holdsfor.runtime.incremental.record_changes import Changed, appearing
from holdsfor.runtime.incremental.resumed_stage import ResumedStage, united
from holdsfor.runtime.incremental.stage_results import StageResults
from holdsfor.runtime.record_store import RecordStore

__all__ = ["StirredKeys"]

Rows = Mapping[TableName, Sequence[Int64]]
"""Columns of words, by table."""


class StirredKeys:
    """The rows that changed since the last query time, and the keys that need them."""

    def __init__(self, changed: Changed, records: RecordStore, before: TimeRange, now: TimeRange) -> None:
        self._changed, self._records = changed, records
        self._before, self._now = before, now
        self._of_records: tuple[Rows, Rows] | None = None
        self._stages: list[_StageChanges] = []

    def add(self, before: ResumedStage, removed: StageResults, added: StageResults) -> None:
        """Add the results of a stage in which this query time may differ from the last one."""
        self._stages.append(_StageChanges(before, removed, added, self._before.last))

    def of(self, before: ResumedStage, columns: Columns, facts: Facts) -> Keys:
        """The keys of the next stage with a change; None for all keys."""
        due = before.expected.due_by(self._now.last)
        own = before.added.rows_from(self._before.last)
        if not before.stage.is_keyed and (own or len(due)):
            return None
        keys: Keys = due
        if own:
            words = [words[before.stage.results[name]] for name, words in own.items()]
            keys = united(keys, distinct_values(concatenate_column(words)))
        for rows in self._rows_read_by(before):
            keys = united(keys, before.stage.touched(rows, columns, facts))
            if keys is None:
                return None
        return keys

    def _rows_read_by(self, before: ResumedStage) -> Iterator[Rows]:
        """The changed rows of records, and of earlier stages that a stage reads."""
        if self._of_records is None:
            arrived = {name: rows.words for name, rows in self._changed.items()}
            seen = appearing(self._records, self._before, self._now)
            self._of_records = arrived, {name: rows.words for name, rows in seen.items()}
        yield from self._of_records
        for each in self._stages:
            if any(map(before.stage.reads, each.names)):
                yield from each.rows


class _StageChanges:
    """The results of a stage in which a query time differs from the last one, and those that it sees first."""

    def __init__(self, before: ResumedStage, removed: StageResults, added: StageResults, last: int) -> None:
        self._before, self._removed, self._added, self._last = before, removed, added, last
        self._rows: tuple[Rows, Rows] | None = None
        self.names = before.stage.results

    @property
    def rows(self) -> tuple[Rows, Rows]:
        if self._rows is None:
            different = self._added.differences(self._removed, OPEN, OPEN)
            seen_first = self._before.added.rows_from(self._last)
            self._rows = {name: each.words for name, each in different.items()}, seen_first
        return self._rows
