"""Corrected records: a wrong record arrives first, and is corrected later.

A wrong record has a time that is too late by some ticks. Half of the wrong records are *revised*: the wrong record is
retracted and the right one is inserted, both with one revision id. The others are *spurious*: they are retracted, and
nothing replaces them. The records that remain are those of the stream without corrections.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from holdsfor.generators.coded_records import NONE, CodedRecords, concatenate_records
from holdsfor.generators.lateness import Lateness

__all__ = ["NO_CORRECTIONS", "Corrections"]

_LARGEST_SHIFT = 5  # ticks
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Corrections:
    """A share of all records is wrong at first; the time until the correction follows the distribution of lateness."""

    share: float = 0.0
    delay: Lateness = Lateness()

    def applied(
        self, rows: CodedRecords, tick: int, limits: tuple[int, int], first_id: int, seed: list[int]
    ) -> CodedRecords:
        """The rows with wrong records and their corrections.

        Wrong records begin and end before the two limits, and none is equal to a row. Revision ids begin at `first_id`.
        """
        if not self.share or not len(rows):
            return rows
        rng = np.random.default_rng(seed)
        shift = rng.integers(1, _LARGEST_SHIFT + 1, len(rows)) * tick
        chosen = (rng.random(len(rows)) < self.share).nonzero()[0]
        is_revised = rng.random(len(chosen)) < 0.5
        waits = replace(self.delay, share=1.0).delays(rng, len(chosen), tick)
        wrong = _shifted(rows.pick(chosen), shift[chosen])
        fits = (wrong.start < limits[0]) & (wrong.end < limits[1]) & _is_new(wrong, rows)
        wrong, chosen, is_revised = wrong.pick(fits), chosen[fits], is_revised[fits]
        corrected = wrong.arrival + waits[fits]
        ids = np.full(len(wrong), NONE, np.int64)
        ids[is_revised] = first_id + np.arange(is_revised.sum())
        retractions = replace(wrong, arrival=corrected, is_retraction=np.ones(len(wrong), bool), revision=ids)
        arrival, revision = rows.arrival.copy(), rows.revision.copy()
        revision[chosen] = ids
        arrival[chosen[is_revised]] = corrected[is_revised]
        return concatenate_records([wrong, retractions, replace(rows, arrival=arrival, revision=revision)])


NO_CORRECTIONS = Corrections()


def _shifted(rows: CodedRecords, shift: NDArray[np.int64]) -> CodedRecords:
    end = np.where(rows.end == NONE, NONE, rows.end + shift)
    return replace(rows, arrival=rows.arrival + shift, start=rows.start + shift, end=end)


def _is_new(wrong: CodedRecords, rows: CodedRecords) -> NDArray[np.bool_]:
    """Whether a wrong record is equal to no row and to no other wrong record: equal records are one record.

    Rows are compared by their hashes; a collision only means one wrong record less.
    """
    hashes = _hashes(wrong)
    _, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    is_single = np.zeros(len(wrong), bool)
    is_single[first[counts == 1]] = True
    return is_single & ~np.isin(hashes, _hashes(rows))


def _hashes(rows: CodedRecords) -> NDArray[np.uint64]:
    found = np.zeros(len(rows), np.uint64)
    for column in (rows.name, rows.start, rows.end, rows.value, *rows.args.T):
        found = (found ^ column.astype(np.int64).view(np.uint64)) * _MULTIPLIER
        found ^= found >> np.uint64(29)
    return found
