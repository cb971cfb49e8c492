"""Text where the rules expect numbers: an error before the run, for such a rule would never find anything."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from holdsfor.analysis.names import Record
from holdsfor.analysis.number_uses import NumberUses
from holdsfor.columns.encoding import Symbols, is_symbol
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.terms import Int

__all__ = ["TextUses"]


class TextUses:
    """Compares the columns of one file or table with what the rules do with them; each column of a record once.

    `is_mapped` says whether the columns are described; None if neither a description nor a name can have a kind.
    """

    def __init__(self, file: str, uses: NumberUses, symbols: Symbols, *, is_mapped: bool | None) -> None:
        self.file = file
        self.uses = uses
        self.symbols = symbols
        self.is_mapped = is_mapped
        self._judged: set[tuple[Record, str]] = set()

    def check_columns(self, record: Record, texts: Mapping[str, str]) -> None:
        """Refuse columns of text, under the names of records and their own, that are used as numbers."""
        for ours, theirs in texts.items():
            self._refuse_if_number(record, ours, theirs)

    def check_words(self, record: Record, words: Mapping[str, Int64], typed: Mapping[str, str]) -> None:
        """The same for columns that may have both, by the first constants of them: all are text."""
        for ours, column in words.items():
            if ours in typed and (record, ours) not in self._judged:
                self._judged.add((record, ours))
                if len(column) and is_symbol(column).all() and self._are_texts(column):
                    self._refuse_if_number(record, ours, typed[ours])

    def _are_texts(self, words: Int64) -> bool:
        return not any(isinstance(self.symbols.term(word), Int) for word in np.unique(words[:100]).tolist())

    def _refuse_if_number(self, record: Record, ours: str, theirs: str) -> None:
        place = ours if ours == "value" else int(ours.removeprefix("arg")) - 1
        use = self.uses.get((record.name, record.arity, place))
        if use is None:
            return
        where = "" if use.span is None else f" (line {use.span.line} of `{use.span.source.name}`)"
        message = f"column `{theirs}` of `{record.name}/{record.arity}` is text, but {use.how}{where}"
        kind = "term" if use.also_text else "number"
        hint = f"write `{theirs}:{kind}` in the description of the columns"
        if self.is_mapped is None:
            hint = "give numbers instead of text"
        elif not self.is_mapped:
            hint = f"give numbers instead of text, or call the column `{theirs}:{kind}`"
        raise DataProblem(Diagnostic("HF507", message, hint=hint, file=self.file))
