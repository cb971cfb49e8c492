"""Labels of rows and vertices: printable text, its width, and its line breaks."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from holdsfor.errors import printable

__all__ = ["columns", "natural_order", "padded", "wrapped"]


_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


def natural_order(text: str) -> tuple[Any, ...]:
    """The key by which people sort: numbers by their values, then texts with the numbers in them by their values.

    >>> sorted(["bus 12", "bus 7", "10", "9.5", "-2", "at"], key=natural_order)
    ['-2', '9.5', '10', 'at', 'bus 7', 'bus 12']
    """
    if _NUMBER.fullmatch(text):
        return (0, float(text), text)
    return (1, [(part, int(digits or -1)) for part, digits in re.findall(r"(\D*)(\d*)", text)], text)


def columns(text: str) -> int:
    """The number of terminal columns of a printable text.

    >>> columns("happy"), columns("幸福")
    (5, 4)
    """
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, width: int) -> str:
    """The text padded with blanks to at least `width` columns."""
    return text + " " * max(0, width - columns(text))


def wrapped(text: str, width: int) -> list[str]:
    """The printable text in lines of at most `width` columns, broken between parts of a term; no character is lost.

    >>> wrapped("rendezVous(vessel1,vessel2)=true", 20)
    ['rendezVous(vessel1,', 'vessel2)=true']
    """
    lines, taken = [""], 0
    for part in re.split(r"(?<=[(,])|(?==)", printable(text)):
        if lines[-1] and taken + columns(part) > width:
            lines.append("")
            taken = 0
        for character in part:
            if lines[-1] and taken + columns(character) > width:
                lines.append("")
                taken = 0
            lines[-1] += character
            taken += columns(character)
    return lines
