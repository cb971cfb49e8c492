"""Errors before the run: a column of text that the rules use as numbers, or join with numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdsfor.analysis.names import Record
from holdsfor.analysis.number_uses import NumberUses
from holdsfor.analysis.place_joins import ConstantKind, PlaceJoins
from holdsfor.analysis.sorts import Place
from holdsfor.columns.encoding import Symbols, is_number, is_symbol
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.printer import show
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Int

__all__ = ["TextColumn", "TextUses", "check_joins"]


@dataclass(frozen=True)
class TextColumn:
    """A column of text: its name, its record and its file; `is_mapped` decides the hint."""

    name: str
    record: Record
    file: str
    is_mapped: bool | None

    def problem(self, reason: str, kind: str, span: Span | None) -> DataProblem:
        """The error that the column is text."""
        where = "" if span is None else f" (line {span.line} of `{span.source.name}`)"
        what = f"column `{self.name}` of `{self.record.name}/{self.record.arity}` is text"
        hint = f"write `{self.name}:{kind}` in the description of the columns"
        if self.is_mapped is None:
            hint = "give numbers instead of text"
        elif not self.is_mapped:
            hint = f"give numbers instead of text, or call the column `{self.name}:{kind}`"
        return DataProblem(Diagnostic("HF507", f"{what}, but {reason}{where}", hint=hint, file=self.file))


def check_joins(
    joins: PlaceJoins, texts: Mapping[Place, TextColumn], records: Mapping[Key, Records], symbols: Symbols
) -> None:
    """Refuse rules that join a column of text with a place that has numbers in the input."""
    if not texts:
        return
    asked = {place for join in joins.joins for place in join.places}
    asked |= {place for sources in joins.sources.values() for places in sources for place in places}
    found = {place: _kind(place, records, symbols) for place in asked}
    kinds = {place: kind for place, kind in found.items() if kind == "number" or (kind and place in texts)}
    for conflict in joins.conflicts(kinds):
        reason = f"a rule joins `{show(conflict.text)}` with `{show(conflict.number)}`, which has numbers"
        raise texts[conflict.text_place].problem(reason, "number", conflict.span)


def _kind(place: Place, records: Mapping[Key, Records], symbols: Symbols) -> ConstantKind | None:
    """The kind of all constants that the input has in a place."""
    name, arity, position = place[0], place[1], place[2] if len(place) == 3 else None
    known = records.get((str(name), int(arity)))
    if known is None or position is None or not len(known):
        return None
    columns = known.columns
    words = columns[-1] if position == "value" else columns[int(position)]
    if is_number(words).all():
        return "number"
    return "text" if is_symbol(words).all() and _are_texts(words, symbols) else None


def _are_texts(words: Int64, symbols: Symbols) -> bool:
    return not any(isinstance(symbols.term(word), Int) for word in np.unique(words[:100]).tolist())


class TextUses:
    """Compares the columns of one file or table with their uses in the rules; each column of a record once.

    Columns of text are collected in `texts`. `is_mapped` is whether the columns are described; None if neither a
    description nor a name can have a kind.
    """

    def __init__(
        self,
        file: str,
        uses: NumberUses,
        symbols: Symbols,
        texts: dict[Place, TextColumn] | None = None,
        *,
        is_mapped: bool | None,
    ) -> None:
        self.file = file
        self.uses = uses
        self.symbols = symbols
        self.texts = {} if texts is None else texts
        self.is_mapped = is_mapped
        self._judged: set[tuple[Record, str]] = set()

    def judged(self) -> list[list[Any]]:
        """The columns that have been compared, as JSON."""
        return sorted([record.name, record.arity, record.shape, column] for record, column in self._judged)

    def restore_judged(self, judged: Iterable[Sequence[Any]]) -> None:
        """Mark columns as compared, as `judged` returned them."""
        self._judged = {(Record(name, arity, shape), column) for name, arity, shape, column in judged}

    def check_columns(self, record: Record, texts: Mapping[str, str]) -> None:
        """Refuse columns of text that are used as numbers; `texts` maps names of records to names of the table."""
        for ours, theirs in texts.items():
            self._refuse_if_number(record, ours, theirs)

    def check_words(self, record: Record, words: Mapping[str, Int64], typed: Mapping[str, str]) -> None:
        """Refuse columns used as numbers whose first constants are all text, for columns that may have both."""
        for ours, column in words.items():
            if ours in typed and (record, ours) not in self._judged:
                self._judged.add((record, ours))
                if len(column) and is_symbol(column).all() and _are_texts(column, self.symbols):
                    self._refuse_if_number(record, ours, typed[ours])
                    place = record.name, record.arity, _position(ours)
                    self.texts[place] = TextColumn(typed[ours], record, self.file, self.is_mapped)

    def _refuse_if_number(self, record: Record, ours: str, theirs: str) -> None:
        use = self.uses.get((record.name, record.arity, _position(ours)))
        if use is not None:
            column = TextColumn(theirs, record, self.file, self.is_mapped)
            raise column.problem(use.how, "term" if use.also_text else "number", use.span)


def _position(column: str) -> int | str:
    return column if column == "value" else int(column.removeprefix("arg")) - 1
