"""Interval lists of all instances of a rule at once, and joins of the instances of two lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64, pairs_of_equal_keys
from holdsfor.kernels.sweep import Keyed
from holdsfor.physical.rows import Rows, concatenate_rows

__all__ = ["Lists", "concatenate_lists", "natural_join", "onto"]


class Lists:
    """Intervals by instance, maximal within each: `rows` has a column for every variable the list varies by.

    Instances are stored as words or as numbers; the other form is computed on demand.
    """

    def __init__(self, rows: Rows | None, starts: Int64, ends: Int64) -> None:
        self.names: list[str] = [] if rows is None else list(rows.columns)
        self.starts = starts
        self.ends = ends
        self._rows = rows
        self._numbers: dict[tuple[str, ...], Int64] = {}
        self._instances: TupleIds | None = None

    @classmethod
    def numbered(cls, names: Sequence[str], instances: TupleIds, numbers: Int64, starts: Int64, ends: Int64) -> Lists:
        """The intervals of instances whose numbers are known."""
        lists = cls(None, starts, ends)
        lists.names = list(names)
        lists._numbers[tuple(names)] = numbers
        lists._instances = instances
        return lists

    @property
    def n(self) -> int:
        return len(self.starts)

    @property
    def instances(self) -> TupleIds | None:
        """The tuple ids of the numbers, if instances are stored as numbers."""
        return self._instances

    @property
    def rows(self) -> Rows:
        if self._rows is None:
            assert self._instances is not None
            names, numbers = next(iter(self._numbers.items()))
            words = self._instances.words(len(names), numbers)
            self._rows = Rows(self.n, dict(zip(names, words, strict=True)))
        return self._rows

    def is_numbered(self, names: Sequence[str]) -> bool:
        """Whether the numbers of the instances are known."""
        return tuple(names) in self._numbers

    def numbers(self, names: Sequence[str], instances: TupleIds) -> Int64:
        """The numbers of the instances, as tuples of the variables in the order given."""
        key = tuple(names)
        if key not in self._numbers:
            self._numbers[key] = instances.numbers([self.rows.columns[name] for name in names], self.n)
        return self._numbers[key]

    def take(self, positions: Int64 | NDArray[np.bool_]) -> Lists:
        rows = None if self._rows is None else self._rows.take(positions)
        taken = Lists(rows, self.starts[positions], self.ends[positions])
        taken.names = self.names
        taken._numbers = {names: numbers[positions] for names, numbers in self._numbers.items()}
        taken._instances = self._instances
        return taken

    def with_starts(self, starts: Int64) -> Lists:
        """The same instances with other starts."""
        moved = Lists(self._rows, starts, self.ends)
        moved.names = self.names
        moved._numbers, moved._instances = self._numbers, self._instances
        return moved


def natural_join(left: Rows, right: Rows) -> Rows:
    """The combinations of instances that agree in their shared variables."""
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


def concatenate_lists(parts: Sequence[Lists]) -> Lists:
    """The intervals of lists with the same variables, one list after the other; an empty list may lack them."""
    lists = [each for each in parts if each.n] or parts[:1]
    if len(lists) == 1:
        return lists[0]
    spans = concatenate_columns((each.starts, each.ends) for each in lists)
    names, instances = lists[0].names, lists[0].instances
    if instances is not None and all(each.is_numbered(names) for each in lists):
        numbers = np.concatenate([each.numbers(names, instances) for each in lists])
        return Lists.numbered(names, instances, numbers, *spans)
    return Lists(concatenate_rows([each.rows for each in lists]), *spans)
