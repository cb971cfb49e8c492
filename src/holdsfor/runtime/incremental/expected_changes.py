"""The keys of a stage that time alone may change, and the time-points at which it may.

A pending effect falls due, or an open interval becomes as long as the bound of a duration filter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.records import Mask
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.membership import is_member
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.incremental.key_stages import Keys, KeyStage

__all__ = ["ExpectedChanges", "expected_changes"]


@dataclass(frozen=True)
class ExpectedChanges:
    """Words of keys, possibly repeated, each with the first time-point at which its results may change."""

    keys: Int64
    moments: Int64

    @property
    def next_moment(self) -> int | None:
        return int(self.moments.min()) if len(self.moments) else None

    def due_by(self, last: int) -> Int64:
        """The keys whose results may change by a time-point."""
        return distinct_values(self.keys[self.moments <= last]) if len(self.keys) else self.keys

    def of_keys(self, keys: Keys) -> ExpectedChanges:
        return self if keys is None else self._where(is_member(self.keys, keys))

    def without(self, keys: Keys) -> ExpectedChanges:
        return _NOTHING if keys is None else self._where(~is_member(self.keys, keys))

    def joined(self, *more: ExpectedChanges) -> ExpectedChanges:
        parts = [(each.keys, each.moments) for each in (self, *more) if len(each.keys)]
        return ExpectedChanges(*concatenate_columns(parts)) if parts else _NOTHING

    def _where(self, mask: Mask) -> ExpectedChanges:
        return ExpectedChanges(self.keys[mask], self.moments[mask])


_NOTHING = ExpectedChanges(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def expected_changes(evaluation: Evaluation, stage: KeyStage) -> ExpectedChanges:
    """The changes to expect after the time range of an evaluation; the words of a stage without keys mean nothing."""
    parts = [
        (keys, moments)
        for keys, moments in (*_effects(evaluation, stage), *_crossings(evaluation, stage))
        if len(moments)
    ]
    return ExpectedChanges(*concatenate_columns(parts)) if parts else _NOTHING


def _effects(evaluation: Evaluation, stage: KeyStage) -> Iterator[tuple[Int64, Int64]]:
    """The keys of the sources of pending effects, and when these are due."""
    time_range = evaluation.time_range
    for number in stage.components:
        if number not in evaluation.recursions:
            continue
        for i, waiting in enumerate(evaluation.recursions[number].waiting(time_range.after_last)):
            if waiting is None:
                continue
            due = waiting.due
            rows = (due > time_range.last).nonzero()[0]
            words = waiting.rows.columns[f"#{stage.sources[number][i]}"] if number in stage.sources else due
            yield words[rows], due[rows]


def _crossings(evaluation: Evaluation, stage: KeyStage) -> Iterator[tuple[Int64, Int64]]:
    """The keys of open intervals that are shorter than their bounds, and when they become as long."""
    nodes = {node for each in stage.deciding for node in each}
    for node, lists, moments in evaluation.crossings:
        if node in nodes:
            name = stage.variables.get(node[0])
            yield moments if name is None else lists.rows.columns[name], moments
