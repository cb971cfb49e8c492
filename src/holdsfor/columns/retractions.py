"""Retractions: the earlier records, or parts of records, that they remove.

A retraction names a record, or a part of an interval record, which it splits. Insertions and retractions take effect in
order of arrival, then of reading; a retraction without an earlier record is unmatched. Exact duplicates are the same
record, so a retraction removes all of them.

Windows limit retractions: of a record that an earlier query time has seen, a retraction removes only the part in the
window of the query time that sees the retraction. The part before that window remains, as a record that ends there.

Only records that overlap a retraction of the same FVP or event are processed one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from holdsfor.columns.query_times import QuerySchedule
from holdsfor.columns.records import AdmissionOutcome, Mask, Records
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.kernels.sweep import merge_intervals

__all__ = ["Retracted", "Retractions", "apply_retractions", "related_rows"]

Origin = TypeVar("Origin")


@dataclass(frozen=True)
class Retractions(Generic[Origin]):
    """The records that retractions name, with the arrivals of the retractions, and the origin of each."""

    records: Records
    origins: list[Origin]

    def take(self, rows: Int64) -> Retractions[Origin]:
        return Retractions(self.records.take(rows), [self.origins[row] for row in rows.tolist()])

    def joined(self, more: Retractions[Origin]) -> Retractions[Origin]:
        return Retractions(self.records.joined(more.records), [*self.origins, *more.origins])


@dataclass(frozen=True)
class Retracted:
    """The remaining records, the admission of the retractions, and the numbers of unmatched retractions.

    `removed` has the rows that lost a record or a part, each with the query time that sees the retraction.
    """

    records: Records
    outcome: AdmissionOutcome
    unmatched: list[int]
    removed: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _Piece:
    """A record or a part of one: its row, its name `[start, end)`, the start of its admitted part, its query time."""

    row: int
    start: int
    end: int
    begins: int
    seen_at: int


@dataclass
class _RemainingPieces:
    """The pieces of one FVP or event, by the interval that a retraction names."""

    named: dict[tuple[int, int], list[_Piece]] = field(default_factory=dict)
    settled: list[_Piece] = field(default_factory=list)

    def add(self, piece: _Piece) -> None:
        if piece.begins < piece.end:
            self.named.setdefault((piece.start, piece.end), []).append(piece)

    def pop(self, start: int, end: int) -> list[_Piece]:
        """The pieces of that interval, else of the last record that contains it."""
        if (start, end) in self.named:
            return self.named.pop((start, end))
        around = [name for name in self.named if name[0] <= start and end <= name[1]]
        return self.named.pop(around[-1]) if around else []

    def remove(self, start: int, end: int, seen_at: int, first: int) -> list[int]:
        """Retract a record or a part of one, from a time-point on; the rows of the record and its duplicates."""
        pieces = self.pop(start, end)
        for piece in pieces:
            self._split(piece, start, end, first if piece.seen_at < seen_at else piece.begins)
        return [piece.row for piece in pieces]

    def _split(self, piece: _Piece, start: int, end: int, first: int) -> None:
        """Keep the parts on either side, and the part before a time-point."""
        if max(start, first) > start:
            if piece.begins < first:
                self.settled.append(_part(piece, piece.start, first))
        elif piece.start < start:
            self.add(_part(piece, piece.start, start))
        if end < piece.end:
            self.add(_part(piece, end, piece.end))

    @property
    def pieces(self) -> Iterable[_Piece]:
        return [*self.settled, *(piece for pieces in self.named.values() for piece in pieces)]


def _part(piece: _Piece, start: int, end: int) -> _Piece:
    return _Piece(piece.row, start, end, max(piece.begins, start), piece.seen_at)


def apply_retractions(records: Records, taken: Records, queries: QuerySchedule, tick: int) -> Retracted:
    """Apply retractions to records of the same name; records that arrive after a retraction are not affected."""
    rows, ids, named = related_rows(records, taken)
    seen_at, asked_at = queries.seen_at(records.arrivals[rows]), queries.seen_at(taken.arrivals)
    oldest = queries.oldest(asked_at)
    dropped = taken.lasts <= oldest
    remaining = [_RemainingPieces() for _ in range(int(max(ids.max(initial=-1), named.max(initial=-1))) + 1)]
    unmatched, removed = list[int](), list[tuple[int, int]]()
    given = _times(records.take(rows), ids, seen_at, rows)
    asked = _times(taken, named, asked_at, (oldest // tick + 1) * tick)
    begins = records.seen_from[rows].tolist()
    is_asked = np.repeat((False, True), (len(rows), len(taken)))
    for step in _in_order(records, rows, taken, is_asked):
        if step < len(rows):
            number, start, end, seen, row = given[step]
            remaining[number].add(_Piece(row, start, end, begins[step], seen))
        elif not dropped[step - len(rows)]:
            number, start, end, seen, first = asked[step - len(rows)]
            found = remaining[number].remove(start, end, seen, first)
            removed += ((row, seen) for row in found)
            if not found:
                unmatched.append(step - len(rows))
    outcome = _outcome(taken, queries, asked_at, dropped, unmatched)
    return Retracted(_remaining_records(records, rows, remaining), outcome, unmatched, removed)


def related_rows(records: Records, taken: Records) -> tuple[Int64, Int64, Int64]:
    """The rows that overlap a retraction of the same entity, and numbers of groups for both.

    Records and retractions of different groups do not overlap, so groups are short even if an entity has many records.
    """
    n = len(records)
    columns = concatenate_columns([records.columns, taken.columns])
    ids = dense_ids(columns, n + len(taken))[0]
    own, starts, ends = merge_intervals(ids[n:], taken.starts, taken.lasts + 1)
    bounds, ranks = np.unique(np.concatenate((starts, records.starts, records.lasts)), return_inverse=True)
    packed = own * len(bounds) + ranks[: len(own)]
    at = np.searchsorted(packed, ids[:n] * len(bounds) + ranks[len(own) + n :], side="right") - 1
    is_near = (at >= 0) & (own[at] == ids[:n]) & (ends[at] > records.starts) if len(own) else np.zeros(n, dtype=bool)
    rows = is_near.nonzero()[0]
    numbers = _overlapping_groups(
        np.concatenate((ids[:n][rows], ids[n:])),
        np.concatenate((records.starts[rows], taken.starts)),
        np.concatenate((records.lasts[rows], taken.lasts)),
    )
    return rows, numbers[: len(rows)], numbers[len(rows) :]


def _overlapping_groups(keys: Int64, starts: Int64, lasts: Int64) -> Int64:
    """Numbers of groups: intervals of one key that overlap, directly or through others, are in one group."""
    _, dense = np.unique(keys, return_inverse=True)
    bounds, ranks = np.unique(np.concatenate((starts, lasts)), return_inverse=True)
    first, end = 2 * ranks[: len(keys)], 2 * ranks[len(keys) :] + 1
    own, begins, _ = merge_intervals(dense, first, end)
    width = 2 * len(bounds) + 1
    return np.searchsorted(own * width + begins, dense * width + first, side="right") - 1


def _times(records: Records, ids: Int64, seen_at: Int64, more: Int64) -> list[tuple[int, ...]]:
    columns = (ids, records.starts, records.lasts + 1, seen_at, more)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _in_order(
    records: Records, rows: Int64, taken: Records, is_asked: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> list[int]:
    """Numbers of rows and then of retractions, in the order in which they take effect."""
    arrivals = np.concatenate((records.arrivals[rows], taken.arrivals))
    places = np.concatenate((records.read_at[rows], taken.read_at))
    order: list[int] = np.lexsort((is_asked, places, arrivals)).tolist()
    return order


def _outcome(
    taken: Records, queries: QuerySchedule, asked_at: Int64, dropped: Mask, unmatched: Sequence[int]
) -> AdmissionOutcome:
    """The admission of retractions, which follow the windows like the records that they name."""
    is_matched = ~dropped
    is_matched[list(unmatched)] = False
    oldest = queries.oldest(asked_at)
    cut = is_matched & (taken.starts <= oldest)
    late = is_matched & ~cut & (taken.starts <= queries.before(asked_at))
    return AdmissionOutcome(np.arange(len(taken), dtype=np.int64), asked_at, oldest, dropped, cut, late)


def _remaining_records(records: Records, rows: Int64, remaining: Sequence[_RemainingPieces]) -> Records:
    """The records without `rows`, and with the remaining pieces of these rows."""
    pieces = [piece for each in remaining for piece in each.pieces]
    rest = records.take(np.delete(np.arange(len(records), dtype=np.int64), rows))
    left = records.take(np.array([piece.row for piece in pieces], dtype=np.int64))
    left.starts = np.array([piece.start for piece in pieces], dtype=np.int64)
    if left.ends is not None:
        left.ends = np.array([piece.end for piece in pieces], dtype=np.int64)
    if left.begins is not None:
        left.begins = np.array([piece.begins for piece in pieces], dtype=np.int64)
    rest.append(left)
    return rest
