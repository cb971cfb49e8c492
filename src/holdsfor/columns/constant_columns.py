"""Columns of constants as words, for tables of facts with millions of rows.

A column is a sequence of terms for the background engine, which makes a term only when it reads one. The columnar
engine takes the words; a term is made only for each distinct symbol.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from holdsfor.columns.encoding import Symbols, is_integer, is_symbol
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.terms import Constant, Float, Int, Term

__all__ = ["ConstantColumn", "column_words"]

_CHUNK = 1 << 16


class ConstantColumn(Sequence[Constant]):
    """The constants of a column, as words of its own table of symbols.

    >>> from holdsfor.syntax.terms import Atom
    >>> symbols = Symbols()
    >>> column = ConstantColumn(symbols.words([Int(3), Atom("a")]), symbols)
    >>> column[1], list(column), sorted(kind.__name__ for kind in column.types)
    (Atom(name='a'), [Int(value=3), Atom(name='a')], ['Atom', 'Int'])
    """

    def __init__(self, words: Int64, symbols: Symbols) -> None:
        self.words = words
        self.symbols = symbols

    def __len__(self) -> int:
        return len(self.words)

    @overload
    def __getitem__(self, at: int) -> Constant: ...

    @overload
    def __getitem__(self, at: slice) -> ConstantColumn: ...

    def __getitem__(self, at: int | slice) -> Constant | ConstantColumn:
        if isinstance(at, slice):
            return ConstantColumn(self.words[at], self.symbols)
        return self.symbols.term(int(self.words[at]))  # type: ignore[return-value]

    def __iter__(self) -> Iterator[Constant]:
        for first in range(0, len(self.words), _CHUNK):
            yield from self.symbols.terms(self.words[first : first + _CHUNK])  # type: ignore[misc]

    @property
    def types(self) -> set[type]:
        """The classes of the constants."""
        symbols, integers = is_symbol(self.words), is_integer(self.words)
        found: set[type] = {Int} if integers.any() else set()
        found |= {type(self.symbols.term(word)) for word in np.unique(self.words[symbols]).tolist()}
        return found | ({Float} if not (symbols | integers).all() else set())

    def words_in(self, symbols: Symbols) -> Int64:
        """The words of the constants in another table of symbols."""
        words, which = self.words.copy(), is_symbol(self.words)
        distinct, codes = np.unique(words[which], return_inverse=True)
        words[which] = symbols.words(self.symbols.terms(distinct))[codes]
        return words


def column_words(column: Sequence[Term], symbols: Symbols) -> Int64:
    """The words of a column of constants."""
    return column.words_in(symbols) if isinstance(column, ConstantColumn) else symbols.words(column)
