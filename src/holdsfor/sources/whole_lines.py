"""Bytes to whole lines, in bounded memory.

Every reader of lines has the limit `LONGEST_LINE`. A longer line is cut to one byte more than the limit when it is
read: it takes no more memory, and is recognised when its block is checked (`blocks.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from holdsfor.syntax.source import LONGEST_LINE

__all__ = ["ByteStream", "LineBuffer", "stream_blocks"]

_BLOCK = 1 << 20


class ByteStream(Protocol):
    """A source of bytes: `read` returns the given number of bytes, and fewer only at the end."""

    def read(self, n_bytes: int, /) -> bytes: ...


def stream_blocks(stream: ByteStream, rest: bytes = b"") -> Iterator[bytes]:
    """Some bytes and the stream after them in blocks that end with a line break; longer lines are cut."""
    size = _BLOCK
    while True:
        content = rest + stream.read(size + 1 - len(rest))
        is_last = len(content) <= size
        end = len(content) if is_last else content.rfind(b"\n", 0, size) + 1
        if end or is_last:
            rest, size = content[end:], max(_BLOCK, len(content) - end)
        elif size <= LONGEST_LINE:
            rest, size = content, min(size * 2, LONGEST_LINE + 1)
        else:
            yield content[:size] + b"\n"
            rest, size = _after_line(stream, content[size:]), _BLOCK
        if content[:end]:
            yield content[:end] if content.endswith(b"\n", 0, end) else content[:end] + b"\n"
        if is_last:
            return


def _after_line(stream: ByteStream, content: bytes) -> bytes:
    """The bytes after the end of a line, of which some were read."""
    while content and b"\n" not in content:
        content = stream.read(_BLOCK)
    return content[content.find(b"\n") + 1 :]


class LineBuffer:
    """Chunks of bytes, no longer than a line, to whole lines. `rest` is the line whose end has not come.

    Longer lines are cut.
    """

    def __init__(self, rest: bytes = b"") -> None:
        self._parts: list[bytes] = []
        self._n = 0
        self._keep(rest)

    @property
    def rest(self) -> bytes:
        return b"".join(self._parts)

    def add(self, chunk: bytes) -> bytes:
        """The lines that a chunk ends, each with its line break."""
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n") + 1
        if not last:
            self._keep(chunk)
            return b""
        self._keep(chunk[:first])
        lines = b"".join([*self._parts, chunk[first:last]])
        self._parts, self._n = [], 0
        self._keep(chunk[last:])
        return lines

    def _keep(self, piece: bytes) -> None:
        kept = piece[: max(LONGEST_LINE + 1 - self._n, 0)]
        self._parts.append(kept)
        self._n += len(kept)
