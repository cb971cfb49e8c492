"""Fields that rules compute with: a record with a text there, or a number without a result, is set aside.

`analysis/computed_texts.py` decides for one record; here the decision is made for the distinct records of a column that
have a text, or a number that may be at risk. A text that a rule expects is kept, and an error of a rule that computes
with it names the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.computed_texts import ComputedTexts, is_no_number
from holdsfor.analysis.names import Record
from holdsfor.columns.encoding import Symbols, is_symbol
from holdsfor.errors import Diagnostic, Diagnostics, ExecutionProblem
from holdsfor.kernels.keys import Int64
from holdsfor.sources.risky_numbers import may_fail
from holdsfor.sources.text_records import SetAside
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term

__all__ = ["Misfits", "NumberFields", "naming_records"]

Flags = NDArray[np.bool_]
Columns = Mapping[int | str, Int64]

_MOST_SUSPECTS = 1_000
_FOUND = re.compile(r"^expected (?:a number|an integer), found `(.*)` in `", re.DOTALL)


@dataclass
class Misfits:
    """Rows that do not fit: the field of the text with which a rule computes, or the reason as a sentence."""

    texts: dict[int, int | str] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[int]:
        """The rows, in any order."""
        return [*self.texts, *self.reasons]


class NumberFields:
    """The fields of records that rules compute with. `suspects` are records with a text there that a rule expects."""

    def __init__(self, texts: ComputedTexts, symbols: Symbols, suspects: dict[str, SetAside]) -> None:
        self.computed_texts = texts
        self.symbols = symbols
        self.suspects = suspects
        self._decided: dict[tuple[Record, tuple[int, ...]], Atom | str | None] = {}
        symbols.register_cache(self)

    def clear(self) -> None:
        """Remove all words."""
        self._decided.clear()

    def misfits(self, record: Record, columns: Columns, origin: Callable[[int], SetAside]) -> Misfits:
        """The rows that do not fit: a text with which a rule computes, or a number with which it cannot.

        `origin` gives the record of a row.
        """
        texts = self.computed_texts
        computed = [at for at in texts.computed(record.name, record.arity) if at in columns]
        are_texts = {at: self._are_texts(columns[at]) for at in computed}
        is_suspect = np.zeros(len(next(iter(columns.values()))), np.bool_) if columns else np.zeros(0, np.bool_)
        for risk in texts.risks(record.name, record.arity):
            is_suspect |= may_fail(risk, columns)
        is_suspect = np.logical_or.reduce([is_suspect, *are_texts.values()])
        rows = np.flatnonzero(is_suspect)
        found = Misfits()
        if not len(rows):
            return found
        decisions, codes = self._decisions(record, columns, rows)
        for code, decision in enumerate(decisions):
            chosen = rows[codes == code]
            if isinstance(decision, str):
                found.reasons.update(dict.fromkeys(chosen.tolist(), decision))
            elif decision is not None:
                self._add_texts(found, decision, computed, columns, chosen)
        kept = rows[np.array([decision is None for decision in decisions])[codes]]
        for at in computed:
            self._note_suspects(columns[at], kept[are_texts[at][kept]], origin)
        return found

    def _add_texts(self, found: Misfits, text: Atom, computed: list[int | str], columns: Columns, rows: Int64) -> None:
        """Add rows with a text to the first field that has the text."""
        word = self.symbols.word(text)
        for at in computed:
            is_here = columns[at][rows] == word
            found.texts.update(dict.fromkeys(rows[is_here].tolist(), at))
            rows = rows[~is_here]
        found.texts.update(dict.fromkeys(rows.tolist(), computed[0]))

    def _decisions(self, record: Record, columns: Columns, rows: Int64) -> tuple[list[Atom | str | None], Int64]:
        """The distinct decisions for the rows, and for each row the index of its decision."""
        relevant = self.computed_texts.relevant(record.name, record.arity)
        keys = np.stack([columns[at][rows] for at in relevant if at in columns], axis=1)
        _, first, codes = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        decisions: dict[Atom | str | None, int] = {}
        numbers = np.empty(len(first), np.int64)
        for i, row in enumerate(first.tolist()):
            key = record, tuple(keys[row].tolist())
            if key not in self._decided:
                self._decided[key] = self.computed_texts.found_in(self._term(record, columns, int(rows[row])))
            numbers[i] = decisions.setdefault(self._decided[key], len(decisions))
        return list(decisions), numbers[codes.reshape(-1)]

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
    line = f"line {record.line} of" if record.line else "in"
    place = f"the record is {line} `{record.file}`: `{record.text}`"
    hint = f"{place}; a rule expects this text, so test for it before the arithmetic"
    return Diagnostic(diagnostic.code, diagnostic.message, diagnostic.span, hint, diagnostic.file)
