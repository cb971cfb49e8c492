"""Retractions that come when their record is in the session already."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.records import Records
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.session import Session
from holdsfor.sources.column_reading import Group, Retraction

__all__ = ["take_back"]


def take_back(session: Session, group: Group, retraction: Retraction, query_time: int) -> bool:
    """Take a record back before a query time; False if there is no such record.

    Like a late record, it takes effect inside the window only. One that is over before the window stays, and the
    retraction is counted as dropped; of one that reaches into the window the part before it stays.
    """
    is_event, key = group
    oldest = session.window_start(query_time)
    last = retraction.row[-1] - (0 if is_event else 1)
    if last <= oldest:
        session.n_dropped += 1
        return True
    records = (session.events if is_event else session.fluents).get(key)
    rows = _equal_rows(records, retraction.row) if records is not None else None
    if records is None or rows is None or not len(rows):
        return False
    start = retraction.row[-1] if is_event else retraction.row[-2]
    if records.ends is not None and start <= oldest:
        records.ends = records.ends.copy()
        records.ends[rows] = (oldest // session.tick + 1) * session.tick
    else:
        records.remove(rows)
    return True


def _equal_rows(records: Records, row: tuple[int, ...]) -> Int64:
    columns = [*records.columns, records.starts, *([] if records.ends is None else [records.ends])]
    is_equal = np.ones(len(records), dtype=np.bool_)
    for column, word in zip(columns, row, strict=True):
        is_equal &= column == word
    return np.flatnonzero(is_equal)
