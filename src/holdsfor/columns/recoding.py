"""Words of one table of symbols as words of another, and terms as plain data.

The word of a symbol is valid for one table only. Columns that leave the table are stored with their symbols: symbols
are numbered from 0 in the order of occurrence, and their terms are listed beside the columns. Words of numbers are the
same in all tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from holdsfor.columns.encoding import Symbols, symbol_numbers, symbol_words
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term

__all__ = ["FromSnapshot", "Recoding", "ToSnapshot", "nodes_of", "terms_of"]


class ToSnapshot:
    """Numbers the symbols of columns in the order of occurrence; `terms` are the symbols by number.

    >>> symbols = Symbols()
    >>> columns = symbols.words([Atom("a"), Atom("b")]), symbols.words([Atom("b"), Int(3)])
    >>> leaving = ToSnapshot(symbols)
    >>> numbered = leaving.words(columns[1])
    >>> leaving.terms
    [Atom(name='b')]
    >>> others = Symbols()
    >>> others.terms(FromSnapshot(leaving.terms, others).words(numbered))
    [Atom(name='b'), Int(value=3)]
    """

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._number_of = np.full(len(symbols), -1, dtype=np.int64)
        self._numbered: list[Int64] = []
        self._n = 0

    @property
    def terms(self) -> list[Term]:
        return [term for numbers in self._numbered for term in self._symbols.terms(symbol_words(numbers))]

    def words(self, words: Int64) -> Int64:
        """The column with the new numbers of its symbols."""
        numbers = symbol_numbers(words)
        rows = (numbers >= 0).nonzero()[0]
        if len(rows) == 0:
            return words
        own = numbers[rows]
        if len(self._symbols) > len(self._number_of):
            more = np.full(len(self._symbols) - len(self._number_of), -1, dtype=np.int64)
            self._number_of = np.concatenate((self._number_of, more))
        fresh = np.unique(own[self._number_of[own] < 0])
        self._number_of[fresh] = np.arange(self._n, self._n + len(fresh), dtype=np.int64)
        self._numbered.append(fresh)
        self._n += len(fresh)
        recoded = words.copy()
        recoded[rows] = symbol_words(self._number_of[own])
        return recoded


class FromSnapshot:
    """Translates numbered columns to words of a table of symbols."""

    def __init__(self, terms: Sequence[Term], symbols: Symbols) -> None:
        self._words = symbols.words(terms)

    def words(self, words: Int64) -> Int64:
        """The column with words of the table."""
        numbers = symbol_numbers(words)
        rows = (numbers >= 0).nonzero()[0]
        if len(rows) == 0:
            return words
        recoded = words.copy()
        recoded[rows] = self._words[numbers[rows]]
        return recoded


class Recoding:
    """Translates columns of one table to words of another.

    >>> one, other = Symbols(), Symbols()
    >>> column = one.words([Atom("a"), Int(3), Atom("b")])
    >>> other.terms(Recoding(one, other).words(column[1:]))
    [Int(value=3), Atom(name='b')]
    >>> len(other)
    1
    """

    def __init__(self, old: Symbols, new: Symbols) -> None:
        self._old, self._new = old, new
        self._word_of = np.zeros(len(old), dtype=np.int64)  # no symbol has the word 0

    def words(self, words: Int64) -> Int64:
        """The column with the words of the other table."""
        numbers = symbol_numbers(words)
        rows = (numbers >= 0).nonzero()[0]
        if len(rows) == 0:
            return words
        own = numbers[rows]
        fresh = np.unique(own[self._word_of[own] == 0])
        self._word_of[fresh] = self._new.words(self._old.terms(symbol_words(fresh)))
        recoded = words.copy()
        recoded[rows] = self._word_of[own]
        return recoded

    def all_words(self, columns: Iterable[Int64]) -> list[Int64]:
        """Several columns."""
        return [self.words(column) for column in columns]


Node: TypeAlias = str | int | list[str | int]
"""An atom, an integer, or the kind of a term with its parts; the arguments of a structure are node numbers."""

_EXACT = 2**53


def nodes_of(terms: Iterable[Term]) -> tuple[list[Node], list[int]]:
    """Ground terms as nodes, each after its parts, and the node numbers of the terms."""
    nodes: list[Node] = []
    number_of: dict[Term, int] = {}
    roots: list[int] = []
    for term in terms:
        stack = [term]
        while stack:
            here = stack.pop()
            if here in number_of:
                continue
            missing = [arg for arg in here.args if arg not in number_of] if isinstance(here, Struct) else []
            if missing:
                stack += [here, *missing]
                continue
            number_of[here] = len(nodes)
            nodes.append(_node(here, number_of))
        roots.append(number_of[term])
    return nodes, roots


def _node(term: Term, number_of: dict[Term, int]) -> Node:
    match term:
        case Atom(name):
            return name
        case Int(value):
            return value if -_EXACT < value < _EXACT else ["integer", hex(value)]
        case Float(number):
            return ["float", number.hex()]
        case Str(text):
            return ["text", text]
        case Struct(name=name, args=args):
            return ["structure", name, *(number_of[arg] for arg in args)]
    raise TypeError(f"{term!r} is not a ground term")


def terms_of(nodes: Sequence[Node], roots: Sequence[int]) -> list[Term]:
    """The terms of nodes.

    >>> from holdsfor.syntax.parser import parse_term
    >>> term = parse_term("f([a, 'B'], g(1, 2.5))")
    >>> terms_of(*nodes_of([term])) == [term]
    True
    """
    made: list[Term] = []
    for node in nodes:
        made.append(_term(node, made))
    return [made[root] for root in roots]


def _term(node: Node, made: Sequence[Term]) -> Term:
    match node:
        case str():
            return Atom(node)
        case int():
            return Int(node)
        case ["integer", str(digits)]:
            return Int(int(digits, 16))
        case ["float", str(digits)]:
            return Float(float.fromhex(digits))
        case ["text", str(text)]:
            return Str(text)
        case ["structure", str(name), *arguments]:
            return Struct(name, tuple(made[int(number)] for number in arguments))
    raise ValueError(f"{node!r} is not a term")
