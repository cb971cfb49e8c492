"""Labels of rows and vertices: printable text, its width, and its line breaks."""

from __future__ import annotations

import re
import unicodedata

from holdsfor.errors import printable

__all__ = ["columns", "padded", "wrapped"]


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
