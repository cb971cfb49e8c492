"""Constants as 64-bit words, so that equal constants are equal integers.

A float is its own bit pattern. Every other constant is one of the bit patterns that no float needs (the negative quiet
NaNs, that is the integers from -2**51 to -1): an integer below 2**49 in size is stored in place, and an atom, a string,
a structure or a larger integer is a number from the symbol table. Numbers take no space in the table, and `3` and `3.0`
are different words.
"""

from __future__ import annotations

import math
import struct
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.entities import Entities, KnownEntities
from holdsfor.columns.plain_texts import PlainTexts
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.terms import Float, Int, Struct, Term, is_ground

if TYPE_CHECKING:
    from holdsfor.columns.structures import Structures

__all__ = [
    "SymbolTable",
    "Symbols",
    "as_numbers",
    "integer_words",
    "is_integer",
    "is_number",
    "is_symbol",
    "kind_of_all",
    "symbol_numbers",
    "symbol_words",
]

_INTEGERS = -(2**51)
_SYMBOLS = -(2**50)
_LARGEST = 2**49
_INTEGER_OFFSET = _INTEGERS + _LARGEST
_DOUBLE, _WORD = struct.Struct("=d"), struct.Struct("=q")


def is_symbol(words: Int64) -> NDArray[np.bool_]:
    return (words >= _SYMBOLS) & (words < 0)


def symbol_numbers(words: Int64) -> Int64:
    """The numbers of symbols in the symbol table, -1 for words that are not symbols."""
    return np.where(is_symbol(words), words - _SYMBOLS, -1)


def symbol_words(numbers: Int64) -> Int64:
    """The words of the symbols with these numbers."""
    return numbers + _SYMBOLS


def is_integer(words: Int64) -> NDArray[np.bool_]:
    return (words >= _INTEGERS) & (words < _SYMBOLS)


NumberKind: TypeAlias = Literal["integer", "float", "symbol"]


def kind_of_all(words: Int64) -> NumberKind | None:
    """The kind of all words; None if kinds differ, or if there is no word.

    The least and the greatest word decide, except for floats of both signs, which take one more pass.
    """
    if len(words) == 0:
        return None
    low, high = int(np.minimum.reduce(words)), int(np.maximum.reduce(words))
    if low >= 0 or high < _INTEGERS:
        return "float"
    if high < 0 and low >= _INTEGERS:
        return "symbol" if low >= _SYMBOLS else "integer" if high < _SYMBOLS else None
    return None if np.count_nonzero((words >= _INTEGERS) & (words < 0)) else "float"


def is_number(words: Int64) -> NDArray[np.bool_]:
    """Whether each word is a float or an integer stored in place."""
    return ~is_symbol(words)


def integer_words(values: Int64) -> Int64:
    """The words of integers less than 2**49 in size.

    >>> int(integer_words(np.array([0]))[0]) == Symbols().word(Int(0))
    True
    """
    if len(values) and (int(values.max()) >= _LARGEST or int(values.min()) < -_LARGEST):
        raise OverflowError("an integer does not fit into a word")
    return values + _INTEGER_OFFSET


def integer_values(words: Int64) -> Int64:
    """The integers of integer words."""
    return words - _INTEGER_OFFSET


def float_words(values: NDArray[np.float64]) -> Int64:
    """The words of floats; both zeros have one word, and so have all NaNs."""
    plain = values + 0.0
    plain[np.isnan(plain)] = math.nan
    return plain.view(np.int64)


def _float_word(value: float) -> int:
    """`float_words` for one float."""
    word: int = _WORD.unpack(_DOUBLE.pack(math.nan if value != value else value + 0.0))[0]
    return word


def as_numbers(words: Int64) -> NDArray[np.float64] | Int64:
    """The values of number words: as integers if all are integers, else as floats."""
    kind = kind_of_all(words)
    if kind == "integer" or not len(words):
        return integer_values(words)
    floats = words.view(np.float64)
    if kind == "float":
        return floats
    return np.where(is_integer(words), integer_values(words).astype(np.float64), floats)


class SymbolCache(Protocol):
    """A cache of words."""

    def clear(self) -> None: ...


class SymbolTable:
    """The constants other than numbers, and their words."""

    def __init__(self) -> None:
        self._words: dict[Term, int] = {}
        self._terms: list[Term] = []

    def __len__(self) -> int:
        return len(self._terms)

    def word(self, term: Term) -> int:
        """The word of a ground term."""
        if isinstance(term, Int) and -_LARGEST <= term.value < _LARGEST:
            return term.value + _INTEGER_OFFSET
        if isinstance(term, Float):
            return _float_word(term.value)
        word = self._words.get(term)
        if word is None:
            assert is_ground(term), "only ground terms have words"
            word = _SYMBOLS + len(self._terms)
            self._words[term] = word
            self._terms.append(term)
        return word

    def words(self, terms: Iterable[Term]) -> Int64:
        return np.fromiter(map(self.word, terms), dtype=np.int64)

    def known_words(self, terms: Iterable[Term]) -> Int64:
        """The words of the terms that are symbols of the table, -1 for other terms; the table does not grow.

        >>> from holdsfor.syntax.terms import Atom
        >>> symbols = Symbols()
        >>> pub = symbols.word(Atom("pub"))
        >>> symbols.known_words([Atom("work"), Atom("pub")]).tolist() == [-1, pub], len(symbols)
        (True, 1)
        """
        return np.fromiter((self._words.get(term, -1) for term in terms), dtype=np.int64)

    def term(self, word: int) -> Term:
        """The term of a word."""
        if _SYMBOLS <= word < 0:
            return self._terms[word - _SYMBOLS]
        if _INTEGERS <= word < _SYMBOLS:
            return Int(word - _INTEGER_OFFSET)
        return Float(_DOUBLE.unpack(_WORD.pack(word))[0])

    def terms(self, words: Int64) -> list[Term]:
        return [self.term(word) for word in words.tolist()]

    def symbol_terms(self, first: int = 0) -> list[Term]:
        """The terms of the symbols from a number on."""
        return self._terms[first:]

    def structure(self, word: int, name: str, arity: int) -> Struct | None:
        """The structure of a word, if the word is a structure with that name and arity."""
        term = self.term(word) if _SYMBOLS <= word < 0 else None
        is_such = isinstance(term, Struct) and term.name == name and len(term.args) == arity
        return term if is_such and isinstance(term, Struct) else None

    def integers(self, values: Int64) -> Int64:
        """The words of integers of any size."""
        if len(values) == 0 or (int(values.max()) < _LARGEST and int(values.min()) >= -_LARGEST):
            return integer_words(values)
        return self.words(Int(value) for value in values.tolist())


class Symbols(SymbolTable):
    """The table of constants other than numbers, of the ids of tuples of constants, and of the names that reports use.

    >>> symbols = Symbols()
    >>> from holdsfor.syntax.terms import Atom
    >>> symbols.term(symbols.word(Atom("pub")))
    Atom(name='pub')

    No part of a table refers to the table. A session replaces its words when it has removed enough entities, and
    reference counts free the old ones at once: the cyclic garbage collector of Python seldom looks at objects that have
    lived so long.
    """

    def __init__(self) -> None:
        self._caches: weakref.WeakValueDictionary[int, SymbolCache] = weakref.WeakValueDictionary()
        self._begin()

    def _begin(self) -> None:
        super().__init__()
        self.instances = TupleIds()
        self.structures: dict[tuple[str, int], Structures] = {}
        self.plain_texts = PlainTexts(self.table)
        self._described: KnownEntities = {}

    def __getstate__(self) -> dict[str, Any]:
        """The table without its caches, which are of readers of this process."""
        return {name: each for name, each in self.__dict__.items() if name != "_caches"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _caches=weakref.WeakValueDictionary())

    @property
    def table(self) -> SymbolTable:
        """The words alone, also after a reset."""
        table = SymbolTable.__new__(SymbolTable)
        table._words, table._terms = self._words, self._terms
        return table

    @property
    def view(self) -> Symbols:
        """A view of the table, which keeps its words when the table is reset."""
        view = Symbols.__new__(Symbols)
        view.__dict__.update(self.__dict__)
        return view

    @property
    def entities(self) -> Entities:
        """The FVPs and events of reports, also after a reset."""
        return Entities(self.view, self._described)

    def reset(self) -> Symbols:
        """Remove all words, also from the caches of readers; return the previous table, which still has them.

        >>> symbols = Symbols()
        >>> from holdsfor.syntax.terms import Atom
        >>> word = symbols.word(Atom("pub"))
        >>> before = symbols.reset()
        >>> len(symbols), before.term(word)
        (0, Atom(name='pub'))
        """
        before = self.view
        self._begin()
        for cache in list(self._caches.values()):
            cache.clear()
        return before

    def register_cache(self, cache: SymbolCache) -> None:
        """Clear the cache whenever the table is reset."""
        self._caches[id(cache)] = cache

    @property
    def size(self) -> int:
        """The number of constants and tuples with numbers."""
        return len(self._terms) + self.instances.size
