"""Structures of one name and arity, put together and taken apart by whole columns of words.

Rules build `accept_quote(M,G)` from merchants and goods, and take it apart again, in every window. A term is made when
a structure is first met. After that a structure is found by the number of its arguments, and its arguments by its
place among the symbols, both in arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.kernels.keys import Int64
from holdsfor.syntax.terms import Struct

if TYPE_CHECKING:
    from holdsfor.columns.words import Symbols

__all__ = ["Structures"]

_NOTHING = np.empty(0, dtype=np.int64)
_NOT_BUILT = 0  # which is no structure's word
_ANOTHER = -1


class Structures:
    """All structures of one name and arity among the symbols.

    >>> from holdsfor.columns.words import Symbols
    >>> pairs = Symbols().structures("pair", 2)
    >>> words = pairs.words([np.array([0, 0]), np.array([0, 1])], 2)
    >>> [column.tolist() for column in pairs.arguments(words)[1]]
    [[0, 0], [0, 1]]
    """

    def __init__(self, name: str, arity: int, symbols: Symbols) -> None:
        self.name = name
        self.arity = arity
        self.symbols = symbols
        self._built = _NOTHING
        self._rows = _NOTHING
        self._arguments = np.empty((arity, 0), dtype=np.int64)

    def words(self, columns: Sequence[Int64], n: int) -> Int64:
        """The words of the structures with these arguments."""
        instances = self.symbols.instances
        numbers = instances.numbers(columns, n)
        if len(self._built) < instances.count(self.arity):
            more = np.full(2 * instances.count(self.arity) - len(self._built), _NOT_BUILT, dtype=np.int64)
            self._built = np.concatenate((self._built, more))
        words = self._built[numbers]
        if np.count_nonzero(words == _NOT_BUILT):
            self._build(np.unique(numbers[words == _NOT_BUILT]))
            words = self._built[numbers]
        return words

    def _build(self, numbers: Int64) -> None:
        columns = [self.symbols.terms(column) for column in self.symbols.instances.words(self.arity, numbers)]
        self._built[numbers] = self.symbols.words(Struct(self.name, row) for row in zip(*columns, strict=True))

    def arguments(self, words: Int64) -> tuple[Int64, list[Int64]]:
        """Which of the words are such structures, and the columns of their arguments."""
        while len(self._rows) < len(self.symbols):
            self._take_apart(len(self._rows))
        found = self.symbols.places(words)
        rows = np.where(found < 0, _ANOTHER, self._rows[found]) if len(self._rows) else found
        is_such = (rows != _ANOTHER).nonzero()[0]
        return is_such, list(self._arguments[:, rows[is_such]])

    def _take_apart(self, first: int) -> None:
        """Look at the symbols from a place on; their arguments may be new ones."""
        fresh = self.symbols.since(first)
        own = [
            (place, [self.symbols.word(argument) for argument in term.args])
            for place, term in enumerate(fresh)
            if isinstance(term, Struct) and term.name == self.name and len(term.args) == self.arity
        ]
        rows = np.full(len(fresh), _ANOTHER, dtype=np.int64)
        rows[[place for place, _ in own]] = self._arguments.shape[1] + np.arange(len(own))
        self._rows = np.concatenate((self._rows, rows))
        arguments = np.array([words for _, words in own], dtype=np.int64).reshape(-1, self.arity)
        self._arguments = np.concatenate((self._arguments, arguments.T), axis=1)
