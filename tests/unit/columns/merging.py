"""Tables of fluents from any intervals, by words alone."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.columns.tables import FluentTable
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.kernels.sweep import merge_intervals

__all__ = ["fluent_table"]


def fluent_table(keys: Sequence[Int64], starts: Int64, ends: Int64) -> FluentTable:
    """A table of the maximal intervals of any intervals."""
    ids, first = dense_ids(keys, len(starts))
    merged, begins, stops = merge_intervals(ids, starts, ends)
    rows = first[merged]
    return FluentTable((*(key[rows] for key in keys), begins, stops), len(merged))
