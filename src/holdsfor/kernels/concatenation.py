"""Concatenation of columns, used by tables, rows, lists and records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from holdsfor.kernels.keys import Int64

__all__ = ["concatenate_columns"]


def concatenate_columns(parts: Iterable[Sequence[Int64]]) -> tuple[Int64, ...]:
    """The columns of all parts, one part after the other.

    Contract: there is at least one part, and all parts have the same number of columns. O(rows of all parts).
    """
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))
