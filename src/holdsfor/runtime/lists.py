"""Interval lists of all instances of a rule at once, and which instances of two lists belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64, pairs_of_equal_keys
from holdsfor.kernels.sweep import Keyed
from holdsfor.physical.rows import Rows

__all__ = ["Lists", "natural_join", "onto"]


@dataclass(frozen=True)
class Lists:
    """Intervals by instance: `rows` has a column for every variable the list varies by."""

    rows: Rows
    starts: Int64
    ends: Int64

    @property
    def names(self) -> list[str]:
        return list(self.rows.columns)

    def take(self, positions: Int64 | NDArray[np.bool_]) -> Lists:
        return Lists(self.rows.take(positions), self.starts[positions], self.ends[positions])


def natural_join(left: Rows, right: Rows) -> Rows:
    """The combinations of instances that agree in the variables they share."""
    shared = [name for name in left.columns if name in right.columns]
    row, partner = pairs_of_equal_keys(
        [left.columns[name] for name in shared], left.n, [right.columns[name] for name in shared], right.n
    )
    more = {name: column[partner] for name, column in right.columns.items() if name not in left.columns}
    return left.take(row).with_columns(more)


def onto(keys: Rows, each: Lists) -> Keyed:
    """The intervals of a list by number of instance; the instances may have more variables than the list."""
    names = each.names
    key, row = pairs_of_equal_keys(
        [keys.columns[name] for name in names], keys.n, [each.rows.columns[name] for name in names], each.rows.n
    )
    return key, each.starts[row], each.ends[row]
