"""The types of intervals in the caller's forms."""

from __future__ import annotations

from datetime import date
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdsfor.arrow_stream import ArrowStream

__all__ = ["Arrays", "Columns", "Table", "Time"]

Arrays: TypeAlias = tuple[ArrayLike, ...]
"""`(starts, ends)` or `(starts, ends, key, …)` as arguments."""

Columns: TypeAlias = tuple[NDArray[Any], ...]
"""`(starts, ends, key, …)` as a result; times and keys have the types of the arguments."""

Table = TypeVar("Table", bound=ArrowStream)
"""A table or frame; the result has the type of the argument."""

Time: TypeAlias = int | np.integer[Any] | np.datetime64 | date
"""A time-point of the kind of the columns."""
