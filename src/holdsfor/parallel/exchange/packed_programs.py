"""Programs for other processes: clauses as text, tables of facts as columns.

The text has blanks in place of the facts, so that clauses keep their lines and columns. A column of facts has each
distinct constant once, as a value of Python, and an index for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.constant_columns import ConstantColumn
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import Diagnostics
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import FactTable, Program
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, Constant, Float, Int, Term

__all__ = ["PackedProgram", "PackedTable", "pack_program", "unpack_program"]

Value = str | int | float
"""An atom by its name, or a number."""


@dataclass(frozen=True)
class PackedColumn:
    """The values of distinct constants, and the index of the constant of each row.

    The columns of facts that are read from a table `are_words`, those of facts in a text are lists of constants.
    """

    values: list[Value]
    codes: NDArray[np.int32]
    are_words: bool


@dataclass(frozen=True)
class PackedTable:
    """The facts of one predicate, and their place among the clauses of the program."""

    place: int
    name: str
    columns: tuple[PackedColumn, ...]

    @property
    def n(self) -> int:
        return len(self.columns[0].codes)

    def digest(self) -> bytes:
        """A digest of the facts."""
        found = sha256(self.name.encode())
        for column in self.columns:
            found.update(repr(column.values).encode())
            found.update(column.codes.tobytes())
        return found.digest()


@dataclass(frozen=True)
class PackedProgram:
    """The name and text of a program without its tables of facts, and the tables."""

    name: str
    text: str
    tables: tuple[PackedTable, ...]


def pack_program(program: Program) -> PackedProgram:
    """A program for another process."""
    tables = [(i, item) for i, item in enumerate(program.items) if isinstance(item, FactTable)]
    spans = sorted({(item.span.start, item.span.end) for _, item in tables if item.span is not None})
    parts, at, text = list[str](), 0, program.source.text
    for start, end in spans:
        width = end - max(start, text.rfind("\n", start, end) + 1)
        parts += [text[at:start], "\n" * text.count("\n", start, end), " " * width]
        at = end
    packed = tuple(PackedTable(i, item.name, tuple(map(_pack_column, item.columns))) for i, item in tables)
    return PackedProgram(program.source.name, "".join([*parts, text[at:]]), packed)


def unpack_program(packed: PackedProgram, diagnostics: Diagnostics) -> Program:
    """The program of a packed one."""
    program = parse_program(Source(packed.name, packed.text), diagnostics)
    items = list(program.items)
    for table in packed.tables:
        items.insert(table.place, FactTable(table.name, tuple(map(_unpack_column, table.columns))))
    return Program(program.source, tuple(items))


def _pack_column(column: Sequence[Constant]) -> PackedColumn:
    if isinstance(column, ConstantColumn):
        distinct, codes = np.unique(column.words, return_inverse=True)
        return PackedColumn(list(map(_value, column.symbols.terms(distinct))), codes.astype(np.int32), are_words=True)
    numbers: dict[Constant, int] = {}
    places = np.fromiter((numbers.setdefault(constant, len(numbers)) for constant in column), np.int32, len(column))
    return PackedColumn(list(map(_value, numbers)), places, are_words=False)


def _unpack_column(column: PackedColumn) -> Sequence[Constant]:
    constants = list(map(_constant, column.values))
    if not column.are_words:
        return list(map(constants.__getitem__, column.codes.tolist()))
    symbols = Symbols()
    return ConstantColumn(symbols.words(constants)[column.codes], symbols)


def _value(constant: Term) -> Value:
    assert isinstance(constant, Atom | Int | Float), "facts have atoms and numbers"
    return constant.name if isinstance(constant, Atom) else constant.value


def _constant(value: Value) -> Constant:
    if isinstance(value, str):
        return Atom(value)
    return Int(value) if isinstance(value, int) else Float(value)
