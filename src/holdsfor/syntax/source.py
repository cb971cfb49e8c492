"""A text and positions in it, for diagnostics, and the limit of a line, which every reader of lines has."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

__all__ = ["LONGEST_LINE", "Source", "Span", "read_bounded_lines"]

LONGEST_LINE = 1 << 24
"""The largest number of bytes of a line, without its line break."""

_CHUNK = 1 << 20


def read_bounded_lines(path: Path) -> bytes:
    """The content of a file of lines. `ValueError` at a line that is too long: the file may have no end."""
    chunks: list[bytes] = []
    n_line = 0  # bytes of the line whose end has not come
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            chunks.append(chunk)
            first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
            if n_line + (len(chunk) if first < 0 else first) > LONGEST_LINE:
                number = 1 + sum(each.count(b"\n") for each in chunks[:-1])
                raise ValueError(f"line {number} is longer than {LONGEST_LINE} bytes")
            n_line = n_line + len(chunk) if last < 0 else len(chunk) - last - 1
    return b"".join(chunks)


@dataclass(frozen=True, eq=False)
class Source:
    """A named text. Lines and columns count from 1.

    >>> source = Source("rules.prolog", "a.\\nb.\\n")
    >>> source.position(3)
    (2, 1)
    >>> source.line(2)
    'b.'
    """

    name: str
    text: str = field(repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The character offset of a line and a column."""
        return self._line_starts[line - 1] + column - 1

    def line(self, number: int) -> str:
        """The text of one line, without its end."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a source, right-open in character offsets."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def to(self, other: Span | None) -> Span:
        """The range from the start of this span to the end of the other."""
        return self if other is None else Span(self.source, self.start, other.end)

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column}"
