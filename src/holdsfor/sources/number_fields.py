"""Text in the fields that rules compute with: the record is set aside, because every rule that uses it would fail.

A field is *strict* if every rule that mentions it computes with it (`NumberUse.is_strict`). A text there is either an
error when a rule computes with it, or has no effect, so setting the record aside keeps every other answer. Other fields
with which some rule computes may have texts that other rules read. Where such records were read is kept, so that an
error of a rule names the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.names import Record
from holdsfor.analysis.number_uses import NumberUse, NumberUses, is_no_number
from holdsfor.columns.encoding import Symbols, is_symbol
from holdsfor.errors import Diagnostic, Diagnostics, ExecutionProblem
from holdsfor.kernels.keys import Int64
from holdsfor.sources.text_records import SetAside
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom

__all__ = ["NumberFields", "naming_records"]

Flags = NDArray[np.bool_]

_MOST_SUSPECTS = 1_000
_FOUND = re.compile(r"^expected a number, found `(.*)` in `", re.DOTALL)


class NumberFields:
    """The fields of records that rules compute with, and the records with text in fields that are not strict."""

    def __init__(self, uses: NumberUses, symbols: Symbols, suspects: dict[str, SetAside]) -> None:
        self.uses = uses
        self.symbols = symbols
        self.suspects = suspects

    def strict(self, record: Record) -> dict[int | str, NumberUse]:
        """The strict fields of a record, by position."""
        return {at: use for at, use in self._of(record) if use.is_strict}

    def _of(self, record: Record) -> Iterator[tuple[int | str, NumberUse]]:
        for at in (*range(record.arity), "value"):
            use = self.uses.get((record.name, record.arity, at))
            if use is not None and use.is_computed:
                yield at, use

    def texts(self, record: Record, columns: Mapping[int | str, Int64]) -> dict[int | str, Flags]:
        """The rows with text, for each strict field that has some."""
        found = {at: self._are_texts(columns[at]) for at in self.strict(record) if at in columns}
        return {at: mask for at, mask in found.items() if mask.any()}

    def note_suspects(
        self, record: Record, columns: Mapping[int | str, Int64], origin: Callable[[int], SetAside]
    ) -> None:
        """Keep the first record of each text in the other fields; `origin` gives the record of a row."""
        for at, use in self._of(record):
            if use.is_strict or at not in columns or len(self.suspects) >= _MOST_SUSPECTS:
                continue
            words, first = np.unique(columns[at], return_index=True)
            texts = self._are_texts(words)
            for word, row in zip(words[texts].tolist(), first[texts].tolist(), strict=True):
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
    hint = (
        f"the record is line {record.line} of `{record.file}`: `{record.text}`; `column:number` sets such records aside"
    )
    return Diagnostic(diagnostic.code, diagnostic.message, diagnostic.span, hint, diagnostic.file)
