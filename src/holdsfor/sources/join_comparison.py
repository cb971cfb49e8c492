"""Joins of records and facts of which one side never matches: all their constants differ.

Most joins match at once: a few constants of one side are looked for in the other. Only a join without a match compares
the distinct constants of both sides. A side with a single constant says nothing, unless the other side has constants of
other types, or the same constant in another spelling.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.place_joins import PlaceJoin, is_fact_place
from holdsfor.analysis.sorts import Place
from holdsfor.columns.constant_columns import ConstantColumn, column_words
from holdsfor.columns.encoding import Symbols, kind_of_all
from holdsfor.errors import Diagnostic, counted
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.keys import Int64
from holdsfor.sources.column_kinds import EXACT, read_number
from holdsfor.sources.number_checks import MISMATCH
from holdsfor.sources.reading import ColumnReading
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Float, Int, Struct, Term, name_and_arity

__all__ = ["unmatched_joins"]

_N_TRIED = 8
_PLACE_OF_AN_ARGUMENT = 3  # its name, arity and position
_MOST_SPELLINGS = 10_000


def unmatched_joins(compiled: Compiled, reading: ColumnReading, symbols: Symbols) -> Iterator[Diagnostic]:
    """A warning for each pair of conditions that a rule joins and that have no constant in common."""
    sides = _Sides(compiled, reading, symbols)
    reported: set[tuple[str, str]] = set()
    for join in compiled.names.joins.joins:
        left, right = (sides.of(place) for place in join.places)
        shown = show(join.terms[0]), show(join.terms[1])
        if left and right and shown not in reported and not _match(left, right):
            found = _warning(join, shown, _distinct(left, symbols), _distinct(right, symbols), symbols)
            if found is not None:
                reported.add(shown)
                yield found


@dataclass(frozen=True)
class _Column:
    """The constants of a column, as words with their table of symbols if there are many."""

    constants: Sequence[Term]

    @cached_property
    def _members(self) -> frozenset[Term]:
        return frozenset(self.constants)

    def some_terms(self) -> Sequence[Term]:
        """A few constants from all parts of the column."""
        return self.constants[:: -(-len(self.constants) // _N_TRIED)]

    def has(self, term: Term) -> bool:
        """Whether a constant is in the column."""
        column = self.constants
        if not isinstance(column, ConstantColumn):
            return term in self._members
        symbols = column.symbols
        word = symbols.word(term) if isinstance(term, Int | Float) else int(symbols.known_words([term])[0])
        return bool((column.words == word).any())

    def words_in(self, symbols: Symbols) -> Int64:
        column = self.constants
        if isinstance(column, ConstantColumn) and column.symbols is symbols:
            return column.words
        return column_words(column, symbols)


@dataclass
class _Sides:
    """The words of places: of records, of facts, and of the places that derived constants come from."""

    compiled: Compiled
    reading: ColumnReading
    symbols: Symbols
    _known: dict[Place, list[_Column]] = field(default_factory=dict)

    def of(self, place: Place) -> list[_Column]:
        """Columns with all constants that the place may have; no column if they are not known, or if there are none."""
        if place not in self._known:
            self._known[place] = []
            self._known[place] = [column for column in self._columns(place) if len(column.constants)]
        return self._known[place]

    def _columns(self, place: Place) -> list[_Column]:
        joins, given = self.compiled.names.joins, self.compiled.names.input_facts
        if place in joins.sources:
            found = [next(filter(None, map(self.of, origins)), []) for origins in joins.sources[place]]
            return [column for columns in found for column in columns] if all(found) else []
        if is_fact_place(place):
            return self._facts(place) if place in joins.facts else []
        key, at = (str(place[0]), int(place[1])), place[2]
        if len(place) > _PLACE_OF_AN_ARGUMENT or any(_key(each.entity) == key for each in given):
            return []
        records = [store[key] for store in (self.reading.events, self.reading.fluents) if key in store]
        columns = [each.columns[key[1] if at == "value" else int(at)] for each in records[-1:]]
        return [_Column(ConstantColumn(words, self.symbols)) for words in columns]

    def _facts(self, place: Place) -> list[_Column]:
        _, name, arity, at = place
        columns, single = list[Sequence[Term]](), list[Term]()
        for item in self.compiled.description.background:
            if isinstance(item, FactTable) and (item.name, item.arity) == (name, arity):
                columns.append(item.columns[int(at)])
            elif isinstance(item, Clause) and isinstance(item.head, Struct) and _key(item.head) == (name, arity):
                single.append(item.head.args[int(at)])
        return [_Column(column) for column in (*columns, single)]


def _key(entity: Fvp | Term) -> tuple[str, int]:
    return name_and_arity(entity.fluent if isinstance(entity, Fvp) else entity)


def _match(left: list[_Column], right: list[_Column]) -> bool:
    """Whether two sides have a constant in common."""
    for some, others in ((left, right), (right, left)):
        tried = [term for column in some for term in column.some_terms()]
        if any(column.has(term) for column in others for term in tried):
            return True
    return False


def _distinct(columns: list[_Column], symbols: Symbols) -> Int64:
    return distinct_values(np.concatenate([distinct_values(column.words_in(symbols)) for column in columns]))


def _warning(join: PlaceJoin, shown: tuple[str, str], left: Int64, right: Int64, symbols: Symbols) -> Diagnostic | None:
    """The warning, if the sides have two constants each, constants of other types, or one in another spelling."""
    if len(np.intersect1d(left, right, assume_unique=True)):
        return None
    words = left, right
    kinds = kind_of_all(left), kind_of_all(right)
    similar = _similar(left, right, symbols)
    if similar is None and min(map(len, words)) == 1 and (kinds[0] == kinds[1] or None in kinds):
        return None
    one, other = similar or tuple(show(symbols.term(int(side[0]))) for side in words)
    counts = [counted(len(side), "constant") for side in words]
    message = (
        f"`{shown[0]}` and `{shown[1]}` never join: the {counts[0]} of the first, such as `{one}`, and the {counts[1]} "
        f"of the second, such as `{other}`, have none in common"
    )
    return Diagnostic("HF325", message, join.span, MISMATCH if similar or kinds[0] != kinds[1] else None)


def _similar(left: Int64, right: Int64, symbols: Symbols) -> tuple[str, str] | None:
    """Two constants of the sides that are written almost the same."""
    known = {_spelling(term): term for term in symbols.terms(right[:_MOST_SPELLINGS])}
    for term in symbols.terms(left[:_MOST_SPELLINGS]):
        if (same := known.get(_spelling(term))) is not None:
            return show(term), show(same)
    return None


def _spelling(term: Term) -> str:
    """The spelling of a constant without blanks, capitals, leading zeros and decimals that are zero."""
    if isinstance(term, Struct):
        return show(term)
    if isinstance(term, Int | Float):
        return f"{float(term.value):.17g}" if abs(term.value) < EXACT else str(term.value)
    text = getattr(term, "name", "").strip().casefold()
    number = read_number(text)
    return text if number is None else _spelling(number)
