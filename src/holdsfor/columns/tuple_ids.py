"""Numbers for tuples of words: an instance of a fluent or event is one integer during a session.

Rules compare instances very often. Each tuple of words gets a number, counted from 0 among the tuples of its width, at
its first occurrence. From then on, instances of all tables are compared as integers, and the number serves as the key
of a packing or as an array index.

A tuple is looked up by its mixed key in a sorted column. The few tuples whose mixed key an earlier tuple has are in a
dictionary, so numbers are exact. Tuples that are numbered one by one, as time stepping does, go into a dictionary of
all tuples, and into the sorted column together, at the next look-up of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64, dense_ids, distinct_rows, mixed
from holdsfor.kernels.searching import search_sorted

__all__ = ["TupleIds", "Words"]

Words: TypeAlias = tuple[int, ...]

_WORTH_DISTINGUISHING = 400
_NOTHING = np.empty(0, dtype=np.int64)


class TupleIds:
    """The numbers of all tuples, by width.

    >>> instances = TupleIds()
    >>> instances.numbers([np.array([7, 8, 7]), np.array([1, 1, 1])], 3).tolist()
    [0, 1, 0]
    >>> [column.tolist() for column in instances.words(2, np.array([1]))]
    [[8], [1]]
    """

    def __init__(self) -> None:
        self._by_width: dict[int, _Tuples] = {}

    @property
    def size(self) -> int:
        """The number of tuples with numbers."""
        return sum(tuples.n for tuples in self._by_width.values())

    def count(self, width: int) -> int:
        """The number of tuples of a width with numbers."""
        return self._of(width).n

    def numbers(self, columns: Sequence[Int64], n: int) -> Int64:
        """The number of each row; new tuples get the next numbers. O(n log m) for m tuples."""
        if n == 0 or not columns:
            if n:
                self._of(0).n = 1
            return np.zeros(n, dtype=np.int64)
        tuples = self._of(len(columns))
        if n < _WORTH_DISTINGUISHING:
            return tuples.numbers(columns, n)
        if len(columns) == 1:
            found = _by_place(columns[0], lambda words: tuples.numbers([words], len(words)))
            if found is not None:
                return found
        ids, first = dense_ids(columns, n)
        numbers: Int64 = tuples.numbers([column[first] for column in columns], len(first))[ids]
        return numbers

    def known(self, columns: Sequence[Int64], n: int) -> Int64:
        """The number of each row, or -1 for tuples without a number."""
        return self._of(len(columns)).known(columns, n)

    def words(self, width: int, numbers: Int64) -> tuple[Int64, ...]:
        """The columns of words of the numbers."""
        return tuple(column[numbers] for column in self._of(width).columns())

    def listed(self, width: int) -> list[Words]:
        """All tuples of a width, by number; a later call extends and returns the same list."""
        return self._of(width).listed()

    def numbers_of(self, rows: Sequence[Words], width: int) -> list[int]:
        """The numbers of tuples given as rows; new tuples get the next numbers."""
        if not width:
            return [0] * len(self.numbers((), len(rows)))
        tuples = self._of(width)
        return [tuples.number(words) for words in rows]

    def find(self, words: Words) -> int | None:
        """The number of one tuple, None if it has no number."""
        return self._of(len(words)).find(words)

    def _of(self, width: int) -> _Tuples:
        if width not in self._by_width:
            self._by_width[width] = _Tuples(width)
        return self._by_width[width]


def _by_place(words: Int64, number: Callable[[Int64], Int64]) -> Int64 | None:
    """The numbers of words, by a function from distinct words to numbers; None for words of a wide range. O(n)."""
    low, high = int(words.min()), int(words.max())
    if high - low > 4 * len(words):
        return None
    is_taken = np.zeros(high - low + 1, dtype=bool)
    places = words - low
    is_taken[places] = True
    taken = is_taken.nonzero()[0]
    numbers = np.empty(len(is_taken), dtype=np.int64)
    numbers[taken] = number(taken + low)
    found: Int64 = numbers[places]
    return found


class _Tuples:
    """The tuples of one width: `n` of them in columns with spare room, and their mixed keys, sorted.

    The first `_n_found` tuples are found by their mixed keys, the others only by themselves, in `_places`.
    """

    def __init__(self, width: int) -> None:
        self.n = 0
        self._n_found = 0
        self._room = [np.empty(16, dtype=np.int64) for _ in range(width)]
        self._known = _NOTHING
        self._number_of = _NOTHING
        self._clashing: dict[Words, int] = {}
        self._listed: list[Words] = []
        self._places: dict[Words, int] = {}

    def columns(self) -> list[Int64]:
        return [column[: self.n] for column in self._room]

    def listed(self) -> list[Words]:
        first = len(self._listed)
        if first < self.n:
            more = zip(*(column[first : self.n].tolist() for column in self._room), strict=True)
            self._listed += more if self._room else [()]
            self._places.update(zip(self._listed[first:], range(first, self.n), strict=True))
        return self._listed

    def find(self, words: Words) -> int | None:
        known = self._places.get(words)
        if known is None and len(self._listed) < self.n:
            self.listed()
            known = self._places.get(words)
        return known

    def number(self, words: Words) -> int:
        """The number of one tuple; a new tuple gets the next number. O(1) on average."""
        known = self.find(words)
        if known is None:
            known = self.n
            self._make_room(1)
            for column, word in zip(self._room, words, strict=True):
                column[known] = word
            self.n += 1
            self._listed.append(words)
            self._places[words] = known
        return known

    def _find_all(self) -> None:
        """Let the tuples that were numbered one by one be found by their mixed keys."""
        first, self._n_found = self._n_found, self.n
        if first == self.n:
            return
        columns = [column[first : self.n] for column in self._room]
        keys = mixed(columns, self.n - first)
        is_new = np.zeros(len(keys), dtype=bool)
        is_new[self._look_up(keys)[1]] = True
        new = is_new.nonzero()[0]
        repeated = distinct_rows([keys[new]], len(new))
        new = new if repeated is None else new[repeated]
        self._insert(keys[new], new + first)
        is_new[:] = True
        is_new[new] = False
        for row in is_new.nonzero()[0].tolist():
            self._clashing[self._listed[first + row]] = first + row

    def numbers(self, columns: Sequence[Int64], n: int) -> Int64:
        self._find_all()
        keys = mixed(columns, n)
        numbers, unknown = self._look_up(keys)
        if len(unknown):
            numbers[unknown] = self._add(keys[unknown], [column[unknown] for column in columns])
        for column, known in zip(columns, self._room, strict=True) if len(columns) > 1 else ():
            if np.count_nonzero(known[numbers] != column):
                return self._with_clashes(columns, numbers)
        return numbers

    def known(self, columns: Sequence[Int64], n: int) -> Int64:
        if not columns:
            return np.full(n, self.n - 1, dtype=np.int64)
        self._find_all()
        numbers, unknown = self._look_up(mixed(columns, n))
        is_clashing = self._clashes(columns, numbers)
        is_clashing[unknown] = False
        for row in is_clashing.nonzero()[0].tolist():
            numbers[row] = self._clashing.get(tuple(int(column[row]) for column in columns), -1)
        numbers[unknown] = -1
        return numbers

    def _look_up(self, keys: Int64) -> tuple[Int64, Int64]:
        """The number of the first tuple of each mixed key, and the rows whose key is new."""
        if not len(self._known):
            return np.zeros(len(keys), dtype=np.int64), np.arange(len(keys), dtype=np.int64)
        at = search_sorted(self._known, keys)
        at[at == len(self._known)] = 0
        return self._number_of[at], (self._known[at] != keys).nonzero()[0]

    def _add(self, keys: Int64, columns: Sequence[Int64]) -> Int64:
        """Number the first tuple of each new key."""
        rows = distinct_rows([keys], len(keys))
        if rows is not None:
            self._add(keys[rows], [column[rows] for column in columns])
            return self._look_up(keys)[0]
        numbers = self._append(columns)
        self._insert(keys, numbers)
        return numbers

    def _insert(self, keys: Int64, numbers: Int64) -> None:
        order = keys.argsort()
        if not len(self._known):
            self._known, self._number_of = keys[order], numbers[order]
            return
        at = self._known.searchsorted(keys[order])
        self._known = np.insert(self._known, at, keys[order])
        self._number_of = np.insert(self._number_of, at, numbers[order])

    def _append(self, columns: Sequence[Int64]) -> Int64:
        n_more = len(columns[0])
        self._make_room(n_more)
        first, self.n = self.n, self.n + n_more
        self._n_found = self.n
        for i, column in enumerate(columns):
            self._room[i][first : self.n] = column
        return np.arange(first, self.n, dtype=np.int64)

    def _make_room(self, n_more: int) -> None:
        needed = self.n + n_more
        for i, column in enumerate(self._room):
            if len(column) < needed:
                self._room[i] = np.concatenate((column, np.empty(2 * needed, dtype=np.int64)))

    def _with_clashes(self, columns: Sequence[Int64], numbers: Int64) -> Int64:
        """The numbers, corrected where different tuples have one mixed key: all but the first are looked up."""
        rows = self._clashes(columns, numbers).nonzero()[0]
        for row, words in zip(rows.tolist(), zip(*(c[rows].tolist() for c in columns), strict=True), strict=True):
            if words not in self._clashing:
                self._clashing[words] = int(self._append([np.array([word], dtype=np.int64) for word in words])[0])
            numbers[row] = self._clashing[words]
        return numbers

    def _clashes(self, columns: Sequence[Int64], numbers: Int64) -> NDArray[np.bool_]:
        """Which rows differ from the tuples of the numbers."""
        clashing = np.zeros(len(numbers), dtype=bool)
        for column, known in zip(columns, self._room, strict=True):
            clashing |= known[numbers] != column
        return clashing
