"""The constants that a state refers to, at any depth of a term."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.encoding import Symbols, is_symbol
from holdsfor.columns.records import Mask
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.searching import search_sorted
from holdsfor.runtime.snapshot import Column
from holdsfor.runtime.snapshot_parts import PartWriter
from holdsfor.runtime.state import State
from holdsfor.runtime.state_snapshot import written_state
from holdsfor.syntax.terms import Struct, Term

__all__ = ["StateConstants"]


class StateConstants:
    """The words of the columns of a state, and the terms inside structures among them. O(n log n) in the state."""

    def __init__(self, state: State, symbols: Symbols) -> None:
        collector = _WordCollector(symbols)
        written_state(state, collector)
        self._symbols = symbols
        self._words: Int64 = np.unique(concatenate_column(collector.found))
        self._inner = _inner_terms(symbols.terms(self._words[is_symbol(self._words)]))

    def include(self, column: Int64) -> Mask:
        """Whether the state refers to each word of a column."""
        found = np.zeros(len(column), dtype=bool)
        if len(self._words):
            places = np.minimum(search_sorted(self._words, column), len(self._words) - 1)
            found = self._words[places] == column
        if self._inner:
            rows = (~found).nonzero()[0]
            found[rows] = [term in self._inner for term in self._symbols.terms(column[rows])]
        return found


class _WordCollector(PartWriter):
    """Collects the words of columns instead of writing them."""

    def __init__(self, symbols: Symbols) -> None:
        super().__init__(symbols)
        self.found: list[Int64] = []

    def numbers(self, column: Column) -> int:
        return 0

    def words(self, column: Int64) -> int:
        self.found.append(np.unique(column))
        return 0


def _inner_terms(terms: list[Term]) -> set[Term]:
    """The terms inside structures."""
    inner: set[Term] = set()
    stack = [term for term in terms if isinstance(term, Struct)]
    while stack:
        for argument in stack.pop().args:
            if argument not in inner:
                inner.add(argument)
                if isinstance(argument, Struct):
                    stack.append(argument)
    return inner
