"""The types of intervals as a caller gives them and gets them back."""

from __future__ import annotations

from datetime import date
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdsfor.arrow_stream import ArrowStream

__all__ = ["Arrays", "Columns", "Table", "Time"]

Arrays: TypeAlias = tuple[ArrayLike, ...]
"""`(starts, ends)` or `(starts, ends, key, …)` as a caller gives them."""

Columns: TypeAlias = tuple[NDArray[Any], ...]
"""`(starts, ends, key, …)` as a caller gets them; times and keys have the types that the caller gave."""

Table = TypeVar("Table", bound=ArrowStream)
"""A table or frame; a function returns the kind that it was given."""

Time: TypeAlias = int | np.integer[Any] | np.datetime64 | date
"""A time-point of the kind that the columns have."""
