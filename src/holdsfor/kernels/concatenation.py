"""Concatenation of columns, used by tables, rows, lists and records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from holdsfor.kernels.keys import Int64

__all__ = ["concatenate_column", "concatenate_columns", "concatenate_times"]


def concatenate_column(parts: Iterable[Int64]) -> Int64:
    """The numbers of all parts, one part after the other; empty without parts. O(n)."""
    given = [part for part in parts if len(part)]
    if len(given) == 1:
        return given[0]
    return np.concatenate(given) if given else np.empty(0, dtype=np.int64)


def concatenate_columns(parts: Iterable[Sequence[Int64]], *, width: int | None = None) -> tuple[Int64, ...]:
    """The columns of all parts, one part after the other; without parts, `width` empty columns.

    Contract: all parts have the same number of columns, and there is a part or a `width`. O(rows of all parts).
    """
    columns = tuple(map(np.concatenate, zip(*parts, strict=True)))
    return columns or (np.empty(0, dtype=np.int64),) * (width or 0)


def concatenate_times(parts: Sequence[Int64]) -> Int64:
    """The numbers of all parts, one part after the other; one number for all rows is not copied.

    Contract: there is a part. Parts that `np.broadcast_to` made of the same number give such a column. O(rows of all
    parts), else O(parts).
    """
    first = parts[0]
    if all(part.strides == (0,) and len(part) and part[0] == first[0] for part in parts):
        return np.broadcast_to(first[:1], sum(map(len, parts)))
    return np.concatenate(parts)
