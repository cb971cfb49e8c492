"""Errors before the run: a column of text that the rules use as numbers. `place_kinds` has joins with numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdsfor.analysis.names import Record
from holdsfor.analysis.number_uses import NumberUses
from holdsfor.analysis.sorts import Place
from holdsfor.columns.encoding import Symbols, is_symbol
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Int

__all__ = ["TextColumn", "TextUses", "are_texts"]


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


def are_texts(words: Int64, symbols: Symbols) -> bool:
    """Whether all words are symbols, and the first ones are not large integers."""
    if not is_symbol(words).all():
        return False
    return not any(isinstance(symbols.term(word), Int) for word in np.unique(words[:100]).tolist())


class TextUses:
    """Compares the columns of one file or table with their uses in the rules; each column of a record once.

    Columns whose strings are texts are collected in `texts`. `is_mapped` is whether the columns are described; None if
    neither a description nor a name can have a kind.
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
        self._compared: set[tuple[Record, str]] = set()

    def compared(self) -> list[list[Any]]:
        """The columns that have been compared, as JSON."""
        return sorted([record.name, record.arity, record.shape, column] for record, column in self._compared)

    def restore_compared(self, compared: Iterable[Sequence[Any]]) -> None:
        """Mark columns as compared, as `compared` returned them."""
        self._compared = {(Record(name, arity, shape), column) for name, arity, shape, column in compared}

    def check_columns(self, record: Record, texts: Mapping[str, str]) -> None:
        """Refuse columns of text that are used as numbers; `texts` maps names of records to names of the table."""
        for ours, theirs in texts.items():
            self._refuse_if_number(record, ours, theirs)

    def check_words(self, record: Record, words: Mapping[str, Int64], typed: Mapping[str, str]) -> None:
        """Refuse columns used as numbers whose first constants are all text, for columns that may have both."""
        for ours, column in words.items():
            if ours in typed and (record, ours) not in self._compared:
                self._compared.add((record, ours))
                place = record.name, record.arity, _position(ours)
                self.texts.setdefault(place, TextColumn(typed[ours], record, self.file, self.is_mapped))
                if len(column) and are_texts(column, self.symbols):
                    self._refuse_if_number(record, ours, typed[ours])

    def _refuse_if_number(self, record: Record, ours: str, theirs: str) -> None:
        use = self.uses.get((record.name, record.arity, _position(ours)))
        if use is not None:
            column = TextColumn(theirs, record, self.file, self.is_mapped)
            raise column.problem(use.how, "term" if use.also_text else "number", use.span)


def _position(column: str) -> int | str:
    return column if column == "value" else int(column.removeprefix("arg")) - 1
