"""Errors before the run: columns whose types do not fit the rules.

A rule computes with a column of text, or joins columns and facts without a common type: integers, floats and texts are
different constants. `place_kinds` has joins of a column of text with records that have numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdsfor.analysis.names import Names, Record
from holdsfor.analysis.number_uses import NumberUses
from holdsfor.analysis.place_joins import JoinedSide, is_fact_place
from holdsfor.analysis.place_types import InputColumn
from holdsfor.analysis.sorts import Place
from holdsfor.analysis.variable_types import ConstantType, argument_places, type_of
from holdsfor.columns.encoding import Symbols, is_symbol
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Int

__all__ = ["MISMATCH", "NOUNS", "TextUses", "TypedColumn", "are_texts", "refuse_conflicts"]


NOUNS = {
    ConstantType.INTEGER: "integers",
    ConstantType.FLOAT: "floats",
    ConstantType.NUMBER: "numbers",
    ConstantType.TEXT: "text",
}
MISMATCH = "integers, floats and texts are different constants: `column:integer` or `column:text` changes a column"
_HAS = {types: f"has {noun}" for types, noun in NOUNS.items()} | {ConstantType.TEXT: "is text"}


@dataclass(frozen=True)
class TypedColumn:
    """A column with a declared type: its name, its record, its file and the type; `is_mapped` decides the hint."""

    name: str
    record: Record
    file: str
    is_mapped: bool | None
    types: ConstantType = ConstantType.TEXT

    def problem(self, reason: str, kind: str, span: Span | None) -> DataProblem:
        """The error that the column has this type."""
        what = f"column `{self.name}` of `{self.record.name}/{self.record.arity}` {_HAS[self.types]}"
        hint = f"write `{self.name}:{kind}` in the description of the columns"
        is_text = self.types == ConstantType.TEXT
        instead = f"give {'numbers' if is_text else 'integers'} instead of {NOUNS[self.types]}"
        if self.is_mapped is None:
            hint = instead
        elif not self.is_mapped:
            hint = f"{instead}, or call the column `{self.name}:{kind}`"
        return DataProblem(Diagnostic("HF507", f"{what}, but {reason}{_place(span)}", hint=hint, file=self.file))


def refuse_conflicts(names: Names, given: Mapping[Place, InputColumn]) -> None:
    """Refuse rules that join columns, or a column and facts, of different declared types; no record is read."""
    declared = {place: [each.declared for each in column.columns] for place, column in given.items()}
    for fact in names.input_facts:
        for place, part in argument_places(fact.entity.term if isinstance(fact.entity, Fvp) else fact.entity):
            declared.setdefault(place, []).append(type_of(part))
    found: dict[str, Diagnostic] = {}
    for conflict in names.joins.conflicts(declared):
        wrong, other = sorted(conflict.sides, key=_blame)
        if wrong.origin in given:
            diagnostic = _conflict(wrong, other, given, conflict.span)
            found.setdefault(diagnostic.message, diagnostic)
    if found:
        raise DataProblem(Diagnostics(found.values()))


def _conflict(
    wrong: JoinedSide, other: JoinedSide, given: Mapping[Place, InputColumn], span: Span | None
) -> Diagnostic:
    column, cure = _column(wrong, given), _CURES.get(other.types, "text")
    of = "" if is_fact_place(other.origin) else f" in {_described(other, given)}"
    message = (
        f"{_described(wrong, given)} {_HAS[wrong.types]}, but a rule joins `{show(wrong.term)}` with "
        f"`{show(other.term)}`, which has {NOUNS[other.types]}{of}{_place(span)}"
    )
    hint = f"write `{column}:{cure}` in the description of the columns"
    if cure == "number" and wrong.types == ConstantType.INTEGER:
        hint = "give integers in the facts, or as `COLUMN:integer` in the description of their columns"
    return Diagnostic("HF507", message, hint=hint)


def _place(span: Span | None) -> str:
    return "" if span is None else f" (line {span.line} of `{span.source.name}`)"


_CURES = {ConstantType.INTEGER: "integer", ConstantType.FLOAT: "number", ConstantType.NUMBER: "number"}


def _blame(side: JoinedSide) -> tuple[bool, int]:
    """The column to change comes first: a column rather than facts, text and floats rather than integers."""
    order = (ConstantType.TEXT, ConstantType.FLOAT, ConstantType.NUMBER, ConstantType.INTEGER)
    return is_fact_place(side.origin), order.index(side.types)


def _column(side: JoinedSide, given: Mapping[Place, InputColumn]) -> str:
    """The name of the column of a side, with which its constants have these types."""
    columns = given[side.origin].columns
    name = next((each.name for each in columns if each.types == side.types), None)
    at = side.origin[2]
    return name or (at if isinstance(at, str) else f"arg{at + 1}")


def _described(side: JoinedSide, given: Mapping[Place, InputColumn]) -> str:
    name, arity, *_ = side.origin
    return f"column `{_column(side, given)}` of `{name}/{arity}`"


def are_texts(words: Int64, symbols: Symbols) -> bool:
    """Whether all words are symbols, and the first ones are not large integers."""
    if not is_symbol(words).all():
        return False
    return not any(isinstance(symbols.term(word), Int) for word in np.unique(words[:100]).tolist())


class TextUses:
    """Compares the columns of one file or table with their uses in the rules; each column of a record once.

    Columns with a declared type are collected in `typed`. `is_mapped` is whether the columns are described; None if
    neither a description nor a name can have a kind.
    """

    def __init__(
        self,
        file: str,
        uses: NumberUses,
        symbols: Symbols,
        typed: dict[Place, TypedColumn] | None = None,
        *,
        is_mapped: bool | None,
    ) -> None:
        self.file = file
        self.uses = uses
        self.symbols = symbols
        self.typed = {} if typed is None else typed
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

    def check_words(
        self, record: Record, words: Mapping[str, Int64], typed: Mapping[str, tuple[str, ConstantType]]
    ) -> None:
        """Refuse columns used as numbers whose first constants are all text, for columns that may have both."""
        for ours, column in words.items():
            if ours in typed and (record, ours) not in self._compared:
                self._compared.add((record, ours))
                place, (theirs, types) = (record.name, record.arity, _position(ours)), typed[ours]
                self.typed.setdefault(place, TypedColumn(theirs, record, self.file, self.is_mapped, types))
                if types == ConstantType.TEXT and len(column) and are_texts(column, self.symbols):
                    self._refuse_if_number(record, ours, theirs)

    def _refuse_if_number(self, record: Record, ours: str, theirs: str) -> None:
        use = self.uses.get((record.name, record.arity, _position(ours)))
        if use is not None:
            column = TypedColumn(theirs, record, self.file, self.is_mapped)
            raise column.problem(use.how, "term" if use.also_text else "number", use.span)


def _position(column: str) -> int | str:
    return column if column == "value" else int(column.removeprefix("arg")) - 1
