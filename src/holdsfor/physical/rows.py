"""Rows: the bindings of a rule's variables, a column of words for each variable, and their time-points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64, dense_ids, distinct_rows

__all__ = ["Rows", "concatenate_rows", "one_row"]


@dataclass(frozen=True)
class Rows:
    """`n` bindings; `times` is None until a condition binds the time-point."""

    n: int
    columns: dict[str, Int64]
    times: Int64 | None = None

    @property
    def is_empty_binding(self) -> bool:
        """Whether this is the single row that every plan starts with."""
        return self.n == 1 and not self.columns and self.times is None

    def take(self, positions: Int64 | NDArray[np.bool_]) -> Rows:
        """The rows at the positions, or where a mask is true."""
        if positions.dtype == np.bool_:
            # one pass over a mask and then positions is several times as fast as a mask for every column
            positions = positions.nonzero()[0]
            if len(positions) == self.n:
                return self
        columns = {name: column[positions] for name, column in self.columns.items()}
        times = None if self.times is None else self.times[positions]
        return Rows(len(positions), columns, times)

    def with_columns(self, more: dict[str, Int64]) -> Rows:
        return Rows(self.n, {**self.columns, **more}, self.times)

    def cross(self, name: str, values: Int64) -> Rows:
        """The product of the rows with the values, as one more column."""
        owner = np.repeat(np.arange(self.n, dtype=np.int64), len(values))
        return self.take(owner).with_columns({name: np.tile(values, self.n)})

    def keep(self, names: Sequence[str]) -> Rows:
        """Only the named columns."""
        return Rows(self.n, {name: self.columns[name] for name in names if name in self.columns}, self.times)

    def groups(self) -> tuple[Int64, Int64]:
        """A number from 0 for every row, equal for equal bindings, and for every number a row with it."""
        keys = [*self.columns.values()] + ([] if self.times is None else [self.times])
        if not keys or self.n == 1:
            return np.zeros(self.n, dtype=np.int64), np.zeros(min(1, self.n), dtype=np.int64)
        return dense_ids(keys, self.n)

    def distinct(self) -> Rows:
        """Each binding once."""
        keys = list(self.columns.values()) + ([] if self.times is None else [self.times])
        rows = distinct_rows(keys, self.n)
        return self if rows is None else self.take(rows)


def one_row() -> Rows:
    """The empty binding, which every plan starts with."""
    return Rows(1, {})


def concatenate_rows(parts: Sequence[Rows]) -> Rows:
    """All rows of the parts, with their common columns."""
    if len(parts) == 1:
        return parts[0]
    names = [name for name in parts[0].columns if all(name in part.columns for part in parts)]
    columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in names}
    stamped = [part.times for part in parts if part.times is not None]
    times = np.concatenate(stamped) if len(stamped) == len(parts) else None
    return Rows(sum(part.n for part in parts), columns, times)
