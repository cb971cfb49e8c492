"""The changes of a query time as columns, for long reports: those of `sinks/changes.py`, in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.change_table import NOTHING, ChangeColumns
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.entities import Described, EntityParts
from holdsfor.columns.tables import Key, empty_fluents, empty_points
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64, dense_ids, positions_of_pairs
from holdsfor.runtime.reports.changes import Changes
from holdsfor.runtime.reports.report import order_of_rows, standard_order_of

__all__ = ["event_change_columns", "fvp_change_columns"]

_ADDED, _EXTENDED, _SHORTENED, _RETRACTED = range(4)


@dataclass(frozen=True)
class _Revisions:
    """The entities of one name in standard order, the changes of each, and which entities have new rows.

    `columns` are, for each change: the number of its entity, its kind, and its old and new bounds.
    """

    entities: Described
    columns: tuple[Int64, ...]
    has_new: Int64


def fvp_change_columns(changes: Changes, symbols: Symbols) -> ChangeColumns:
    """The changes of FVPs: first the FVPs with added intervals, then those with removed intervals only."""
    gone, come = changes.gone.fluents, changes.come.fluents
    found = []
    for key in _in_order([*come, *gone]):
        nothing = empty_fluents(key[1])
        old, new = gone.get(key, nothing), come.get(key, nothing)
        numbering = _Numbering(new.keys, old.keys, new.n, old.n, symbols)
        rows = _revised(numbering.new, numbering.old, (new.starts, new.ends), (old.starts, old.ends))
        found.append(_Revisions(symbols.entities.fvps(key, numbering.distinct), rows, numbering.has_new))
    return _in_report_order(found, is_of_event=False)


def event_change_columns(changes: Changes, symbols: Symbols) -> ChangeColumns:
    """The changes of output events, in the order of `fvp_change_columns`."""
    gone, come = changes.gone.events, changes.come.events
    found = []
    for key in _in_order([*come, *gone]):
        nothing = empty_points(key[1])
        old, new = gone.get(key, nothing), come.get(key, nothing)
        numbering = _Numbering(new.columns[:-1], old.columns[:-1], new.n, old.n, symbols)
        removed = _changed(numbering.old, _RETRACTED, (old.times, old.times), None)
        added = _changed(numbering.new, _ADDED, None, (new.times, new.times))
        events = symbols.entities.events(key, numbering.distinct, len(numbering.has_new))
        found.append(_Revisions(events, concatenate_columns([removed, added]), numbering.has_new))
    return _in_report_order(found, is_of_event=True)


class _Numbering:
    """Numbers for the entities of two tables, in standard order."""

    def __init__(self, new: Sequence[Int64], old: Sequence[Int64], n_new: int, n_old: int, symbols: Symbols) -> None:
        columns = list(concatenate_columns([tuple(new), tuple(old)])) if new else []
        ids, first = dense_ids(columns, n_new + n_old)
        order = standard_order_of([column[first] for column in columns], symbols) if columns else np.arange(len(first))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        self.distinct = [column[first][order] for column in columns]
        self.new, self.old = place[ids[:n_new]], place[ids[n_new:]]
        self.has_new = np.zeros(len(order), dtype=np.int64)
        self.has_new[self.new] = 1


def _revised(new: Int64, old: Int64, added: tuple[Int64, Int64], removed: tuple[Int64, Int64]) -> tuple[Int64, ...]:
    """The changes of intervals: a new interval revises the removed one with the same start, or else the same end."""
    partner = positions_of_pairs(new, added[0], (old, removed[0]))
    rest = np.ones(len(old), dtype=bool)
    rest[partner[partner >= 0]] = False
    left, open_rows = rest.nonzero()[0], (partner < 0).nonzero()[0]
    by_end = positions_of_pairs(new[open_rows], added[1][open_rows], (old[left], removed[1][left]))
    hits = by_end >= 0
    partner[open_rows[hits]] = left[by_end[hits]]
    rest[partner[partner >= 0]] = False
    gone = rest.nonzero()[0]
    retracted = _changed(old[gone], _RETRACTED, (removed[0][gone], removed[1][gone]), None)
    was = [np.where(partner >= 0, np.append(bounds, NOTHING)[partner], NOTHING) for bounds in removed]
    is_longer = np.where(added[0] != was[0], added[0] < was[0], added[1] > was[1])
    kinds = np.where(partner < 0, _ADDED, np.where(is_longer, _EXTENDED, _SHORTENED))
    return concatenate_columns([retracted, (new, kinds, was[0], was[1], added[0], added[1])])


def _changed(
    entities: Int64, kind: int, old: tuple[Int64, Int64] | None, new: tuple[Int64, Int64] | None
) -> tuple[Int64, ...]:
    nothing = np.full(len(entities), NOTHING, dtype=np.int64)
    return entities, np.full(len(entities), kind, dtype=np.int64), *(old or (nothing,) * 2), *(new or (nothing,) * 2)


def _in_report_order(found: Sequence[_Revisions], *, is_of_event: bool) -> ChangeColumns:
    """The changes of all names: by entity, entities with new rows first; removed rows first, then by time."""
    first = np.cumsum([0, *(len(each.has_new) for each in found)])
    parts = [(each.columns[0] + offset, *each.columns[1:]) for each, offset in zip(found, first, strict=False)]
    nothing = np.empty(0, dtype=np.int64)
    columns = concatenate_columns([(nothing,) * 6, *parts])
    has_new = np.concatenate([nothing, *(each.has_new for each in found)])
    rows, kinds = columns[0], columns[1]
    is_retracted = kinds == _RETRACTED
    starts = np.where(is_retracted, columns[2], columns[4])
    order = order_of_rows([1 - has_new[rows], rows, 1 - is_retracted, starts])
    ordered = [column[order] for column in columns]
    entities = EntityParts([each.entities for each in found])
    times = (ordered[2], ordered[3], ordered[4], ordered[5])
    return ChangeColumns(entities, ordered[0], ordered[1].astype(np.int8), times, is_of_event)


def _in_order(keys: Sequence[Key]) -> Iterator[Key]:
    """Names in standard order: by arity, then alphabetically."""
    return iter(sorted(set(keys), key=lambda key: (key[1], key[0])))
