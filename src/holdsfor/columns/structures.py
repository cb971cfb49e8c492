"""Structures composed of columns of arguments, and decomposed into them.

A structure is one word; rules match the words inside it, and compose it from them. For every name and arity, tuples of
arguments have tuple ids. The word of a structure is stored by the id of its arguments, and the id by the word, so that
each distinct structure is composed or decomposed once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols, SymbolTable, symbol_numbers
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.terms import Struct

__all__ = ["Structures", "structures_of"]

_NO_WORD = 0  # the word of a float
_OTHER, _UNKNOWN = -1, -2


def structures_of(symbols: Symbols, name: str, arity: int) -> Structures:
    """The structures of a name and arity among the constants of a session."""
    found = symbols.structures.get((name, arity))
    if found is None:
        found = symbols.structures[name, arity] = Structures(symbols.table, name, arity)
    return found


class Structures:
    """The structures of one name and arity."""

    def __init__(self, symbols: SymbolTable, name: str, arity: int) -> None:
        self._symbols = symbols
        self._name = name
        self._arity = arity
        self._tuples = TupleIds()
        self._word_of = np.empty(0, dtype=np.int64)
        self._tuple_of = np.empty(0, dtype=np.int64)

    def words(self, arguments: list[Int64], n: int) -> Int64:
        """The words of the structures with the arguments of each row."""
        numbers = self._tuples.numbers(arguments, n)
        self._word_of = _grown(self._word_of, self._tuples.count(self._arity), _NO_WORD)
        words: Int64 = self._word_of[numbers]
        unknown = (words == _NO_WORD).nonzero()[0]
        if len(unknown):
            asked = distinct_values(numbers[unknown])
            terms = [self._symbols.terms(column) for column in self._tuples.words(self._arity, asked)]
            rows = zip(*terms, strict=True)
            made = self._symbols.words(Struct(self._name, row) for row in rows)
            self._word_of[asked] = made
            self._tuple_of = _grown(self._tuple_of, len(self._symbols), _UNKNOWN)
            self._tuple_of[symbol_numbers(made)] = asked
            words = self._word_of[numbers]
        return words

    def arguments(self, words: Int64) -> tuple[NDArray[np.bool_], tuple[Int64, ...]]:
        """Which words are structures of this name and arity, and the columns of their arguments."""
        self._tuple_of = _grown(self._tuple_of, len(self._symbols), _UNKNOWN)
        symbols = symbol_numbers(words)
        is_such = symbols >= 0
        numbers = np.full(len(words), _OTHER, dtype=np.int64)
        numbers[is_such] = self._tuple_of[symbols[is_such]]
        unknown = (numbers == _UNKNOWN).nonzero()[0]
        if len(unknown):
            self._classify(distinct_values(words[unknown]))
            numbers[unknown] = self._tuple_of[symbols[unknown]]
        is_such = numbers >= 0
        return is_such, self._tuples.words(self._arity, numbers[is_such.nonzero()[0]])

    def _classify(self, words: Int64) -> None:
        """Determine which symbols are structures of this name and arity, and the ids of their arguments."""
        found = [self._symbols.structure(word, self._name, self._arity) for word in words.tolist()]
        self._tuple_of[symbol_numbers(words)] = _OTHER
        such = [(word, term.args) for word, term in zip(words.tolist(), found, strict=True) if term is not None]
        if such:
            arguments = [self._symbols.words(args[i] for _, args in such) for i in range(self._arity)]
            own = np.array([word for word, _ in such], dtype=np.int64)
            self._tuple_of = _grown(self._tuple_of, len(self._symbols), _UNKNOWN)
            self._tuple_of[symbol_numbers(own)] = self._tuples.numbers(arguments, len(such))


def _grown(column: Int64, n: int, filling: int) -> Int64:
    """The column with room for at least `n`."""
    if len(column) >= n:
        return column
    return np.concatenate((column, np.full(2 * n - len(column), filling, dtype=np.int64)))
