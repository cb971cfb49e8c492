"""Texts in the fields that rules compute with: a record with such a text is set aside.

`analysis/computed_texts.py` decides for one record; here the decision is made for the distinct records of a column. A
text that a rule expects is kept, and an error of a rule that computes with it names the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.computed_texts import ComputedTexts, is_no_number
from holdsfor.analysis.names import Record
from holdsfor.columns.encoding import Symbols, is_symbol
from holdsfor.errors import Diagnostic, Diagnostics, ExecutionProblem
from holdsfor.kernels.keys import Int64
from holdsfor.sources.text_records import SetAside
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term

__all__ = ["NumberFields", "naming_records"]

Flags = NDArray[np.bool_]
Columns = Mapping[int | str, Int64]

_NO_TEXT = 0  # the word of the number 0.0
_MOST_SUSPECTS = 1_000
_FOUND = re.compile(r"^expected a number, found `(.*)` in `", re.DOTALL)


class NumberFields:
    """The fields of records that rules compute with. `suspects` are records with a text there that a rule expects."""

    def __init__(self, texts: ComputedTexts, symbols: Symbols, suspects: dict[str, SetAside]) -> None:
        self.computed_texts = texts
        self.symbols = symbols
        self.suspects = suspects
        self._decided: dict[tuple[Record, tuple[int, ...]], int] = {}
        symbols.register_cache(self)

    def clear(self) -> None:
        """Remove all words."""
        self._decided.clear()

    def texts(self, record: Record, columns: Columns, origin: Callable[[int], SetAside]) -> dict[int | str, Flags]:
        """The rows with a text with which a rule computes, by field; `origin` gives the record of a row."""
        computed = [at for at in self.computed_texts.computed(record.name, record.arity) if at in columns]
        are_texts = {at: self._are_texts(columns[at]) for at in computed}
        rows = np.flatnonzero(np.any(list(are_texts.values()), axis=0)) if are_texts else np.zeros(0, np.int64)
        if not len(rows):
            return {}
        found = self._computed_words(record, columns, rows)
        by_field: dict[int | str, Flags] = {}
        waiting = found != _NO_TEXT
        for at in computed:
            is_here = waiting & (columns[at][rows] == found)
            waiting &= ~is_here
            by_field[at] = np.zeros(len(columns[at]), np.bool_)
            by_field[at][rows[is_here]] = True
            self._note_suspects(columns[at], rows[(found == _NO_TEXT) & are_texts[at][rows]], origin)
        by_field[computed[0]][rows[waiting]] = True
        return {at: mask for at, mask in by_field.items() if mask.any()}

    def _computed_words(self, record: Record, columns: Columns, rows: Int64) -> Int64:
        """For each of the rows, the word of the text with which a rule computes, or `_NO_TEXT`."""
        relevant = self.computed_texts.relevant(record.name, record.arity)
        keys = np.stack([columns[at][rows] for at in relevant if at in columns], axis=1)
        _, first, codes = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        words = np.empty(len(first), np.int64)
        for i, row in enumerate(first.tolist()):
            key = record, tuple(keys[row].tolist())
            if key not in self._decided:
                text = self.computed_texts.found_in(self._term(record, columns, int(rows[row])))
                self._decided[key] = _NO_TEXT if text is None else self.symbols.word(text)
            words[i] = self._decided[key]
        found: Int64 = words[codes.reshape(-1)]
        return found

    def _term(self, record: Record, columns: Columns, row: int) -> Term:
        args = tuple(self.symbols.term(int(columns[at][row])) for at in range(record.arity))
        entity = Struct(record.name, args) if args else Atom(record.name)
        return (
            entity if record.shape == "event" else Struct("=", (entity, self.symbols.term(int(columns["value"][row]))))
        )

    def _note_suspects(self, column: Int64, rows: Int64, origin: Callable[[int], SetAside]) -> None:
        """Keep the first record of each text that is not set aside."""
        if len(self.suspects) < _MOST_SUSPECTS and len(rows):
            words, first = np.unique(column[rows], return_index=True)
            for word, row in zip(words.tolist(), rows[first].tolist(), strict=True):
                shown = show(self.symbols.term(word))
                if shown not in self.suspects and len(self.suspects) < _MOST_SUSPECTS:
                    self.suspects[shown] = origin(row)

    def _are_texts(self, words: Int64) -> Flags:
        mask = is_symbol(words)
        if mask.any():
            distinct, codes = np.unique(words[mask], return_inverse=True)
            mask[mask] = np.array([is_no_number(self.symbols.term(word)) for word in distinct.tolist()])[codes]
        return mask


@contextmanager
def naming_records(suspects: Mapping[str, SetAside]) -> Iterator[None]:
    """Errors of rules that compute with text, with the file and line of a record that has the text."""
    try:
        yield
    except ExecutionProblem as problem:
        named = [_named(each, suspects) for each in problem.diagnostics]
        raise ExecutionProblem(Diagnostics(named)) from None


def _named(diagnostic: Diagnostic, suspects: Mapping[str, SetAside]) -> Diagnostic:
    match = _FOUND.match(diagnostic.message) if diagnostic.code == "HF603" else None
    record = None if match is None else suspects.get(match[1]) or suspects.get(show(Atom(match[1])))
    if record is None:
        return diagnostic
    place = f"the record is line {record.line} of `{record.file}`: `{record.text}`"
    hint = f"{place}; a rule expects this text, so test for it before the arithmetic"
    return Diagnostic(diagnostic.code, diagnostic.message, diagnostic.span, hint, diagnostic.file)
