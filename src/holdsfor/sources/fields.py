"""Fields of records to constants.

A field is a number if it is a canonical integer or a finite decimal; `003` and other codes stay atoms. A field that is
written as a quoted atom, a string or a structure, such as `close_ballot(c1,m1)`, is read as that term. Any other field
is an atom.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from holdsfor.errors import SyntaxProblem
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int, Term, is_ground
from holdsfor.syntax.time_points import EARLIEST, LATEST

__all__ = ["Horizon", "is_integer", "out_of_range", "read_field", "read_time"]

_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,3999})\Z", re.ASCII)
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)\Z", re.ASCII)
_WRITTEN_OUT = re.compile(r"'.*'\Z|\".*\"\Z|[a-z]\w*\(.*\)\Z", re.ASCII | re.DOTALL)


@lru_cache(maxsize=1 << 16)
def read_field(text: str) -> Term:
    """The constant of a field.

    >>> read_field("1.50"), read_field("003"), read_field("Chris")
    (Float(value=1.5), Atom(name='003'), Atom(name='Chris'))
    """
    if _INTEGER.match(text):
        return Int(int(text))
    if _DECIMAL.match(text) and math.isfinite(float(text)):
        return Float(float(text))
    if _WRITTEN_OUT.match(text):
        try:
            term = parse_term(text)
        except SyntaxProblem:
            return Atom(text)
        return term if is_ground(term) else Atom(text)
    return Atom(text)


def read_time(text: str) -> int | None:
    """The time-point of a field, or None if the field is not an integer between -2^62 and 2^62."""
    if len(text) > 20 or not _INTEGER.match(text):
        return None
    time = int(text)
    return time if EARLIEST <= time <= LATEST else None


@dataclass(frozen=True)
class Horizon:
    """The last time-points at which records of an input may arrive and occur: dates, and integers."""

    dates: int = LATEST
    integers: int = LATEST

    def last(self, *, are_dates: bool) -> int:
        """The last time-point of one of the two forms."""
        return self.dates if are_dates else self.integers

    def reason(self, what: str, *, are_dates: bool) -> str:
        """The reason for setting a record aside whose arrival, start or occurrence is ahead."""
        present = "the wall clock" if are_dates else "the newest time of the other sources"
        return f"the {what} is ahead: more than `max-ahead` after {present}"


def out_of_range(what: str, time: int | str) -> str:
    """The message for an integer that is too large for a time-point."""
    return f"the {what} {time} is not between -2^62 and 2^62"


def is_integer(text: str) -> bool:
    """Whether a field is an integer of any size."""
    return _INTEGER.match(text) is not None
