"""The kind of a column: how its texts become constants.

    text      each text is an atom: `"1.50"`, `"1.5"` and `" 1.5"` are three ids
    number    each text is a number; a row with another text does not fit
    integer   each text or number is an integer, 3.0 is 3; a row with another text or number does not fit
    term      each text is read like a field of a text file: a number, a structure or an atom
    time      each time is a time-point, an integer; a row with another value does not fit

A typed column of texts (Parquet, Arrow, frames, Spark) and a JSON string are `text`, fields of CSV are `term`, and a
column of timestamps is `time`. A
description of columns may override the kind, `happensAt(speed(vehicle:text, kmh:number), ts)`, and so may the name of
a column of records, `arg2:number`.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Literal, get_args

from holdsfor.sources.fields import read_field
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Float, Int

__all__ = ["EXACT", "KINDS", "ColumnKind", "as_field", "read_integer", "read_number", "split_kind"]

ColumnKind = Literal["text", "number", "integer", "term", "time"]
KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z", re.ASCII)
_MOST_DIGITS = 4000
EXACT = 2**53
"""Whole floats up to this size are exact integers."""


def split_kind(column: str) -> tuple[str, ColumnKind | None]:
    """The name of a column without its kind, and the kind, if the name has one.

    >>> split_kind("arg2:number"), split_kind("arg2")
    (('arg2', 'number'), ('arg2', None))
    """
    for kind in KINDS:
        if column.endswith(f":{kind}"):
            return column.removesuffix(f":{kind}"), kind
    return column, None


@lru_cache(maxsize=1 << 16)
def as_field(text: str) -> str:
    """A text as a field of a text file: in quotes if it would be read as another constant.

    >>> as_field("pub"), as_field("4e12"), as_field(" a")
    ('pub', "'4e12'", "' a'")
    """
    return text if text == text.strip() and read_field(text) == Atom(text) else show(Atom(text))


def read_number(text: str) -> Int | Float | None:
    """The number that a text represents; leading zeros, signs and surrounding blanks are allowed.

    >>> read_number("003"), read_number(" +1.50"), read_number("1e999"), read_number("12 kn")
    (Int(value=3), Float(value=1.5), None, None)
    """
    text = text.strip()
    if len(text) > _MOST_DIGITS or not _NUMBER.match(text):
        return None
    if text.lstrip("+-").isdigit():
        return Int(int(text))
    value = float(text)
    return Float(value) if math.isfinite(value) else None


def read_integer(text: str) -> Int | None:
    """The integer that a text represents; a float counts if it is whole and exact.

    >>> read_integer("003"), read_integer(" 3.0"), read_integer("3.5"), read_integer("1e300")
    (Int(value=3), Int(value=3), None, None)
    """
    number = read_number(text)
    if isinstance(number, Float) and number.value.is_integer() and abs(number.value) <= EXACT:
        return Int(int(number.value))
    return number if isinstance(number, Int) else None
