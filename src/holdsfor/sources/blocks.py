"""Texts in blocks that end with a line break, small enough for the cache.

A line that is not UTF-8 is set aside like a record that does not fit. A file whose first line is not UTF-8 is refused:
it is compressed or in another encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_records import Reading, SetAside

__all__ = ["BYTE_ORDER_MARK", "ByteStream", "line_blocks", "only_utf8", "stream_blocks", "text_blocks"]

_BLOCK = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONG_LINE = 1 << 12
_SHOWN = 80


class ByteStream(Protocol):
    """A source of bytes: `read` returns the given number of bytes, and fewer only at the end."""

    def read(self, n_bytes: int, /) -> bytes: ...


def text_blocks(data: bytes | memoryview | ByteStream, file: str) -> Iterator[bytes]:
    """The blocks of a text, without a byte order mark; a first line that is not UTF-8 is HF501.

    A stream has the blocks of its content, and only one block in memory.

    >>> list(text_blocks(b"a|1\\nb|2", "events.txt"))
    [b'a|1\\nb|2\\n']
    """
    is_begun = False
    for block in _blocks_of(data):
        if not is_begun and block.strip():
            _check_first_line(block, file)
            is_begun = True
        yield block


def _blocks_of(data: bytes | memoryview | ByteStream) -> Iterator[bytes]:
    """The blocks of a text or a stream without a byte order mark."""
    if isinstance(data, bytes | memoryview):
        content = memoryview(data)
        return line_blocks(content[3:] if bytes(content[:3]) == BYTE_ORDER_MARK else content)
    return stream_blocks(data, data.read(3).removeprefix(BYTE_ORDER_MARK))


def stream_blocks(stream: ByteStream, rest: bytes) -> Iterator[bytes]:
    """The blocks of `line_blocks`, of some bytes and of the stream after them."""
    size = _BLOCK
    while True:
        content = rest + stream.read(size + 1 - len(rest))
        is_last = len(content) <= size
        end = len(content) if is_last else content.rfind(b"\n", 0, size) + 1
        rest, size = content[end:], _BLOCK if end else size * 2
        if content[:end]:
            yield content[:end] if content.endswith(b"\n", 0, end) or not is_last else content + b"\n"
        if is_last:
            return


def line_blocks(content: memoryview) -> Iterator[bytes]:
    """The blocks of a text, each of which ends with a line break."""
    begin = 0
    size = _BLOCK
    while begin < len(content):
        is_last = begin + size >= len(content)
        end = len(content) if is_last else _last_break(content, begin, begin + size)
        if end == begin:
            size *= 2
            continue
        block = bytes(content[begin:end])
        begin, size = end, _BLOCK
        yield block if block.endswith(b"\n") else block + b"\n"


def _last_break(content: memoryview, begin: int, end: int) -> int:
    """The end of the last line that ends between two positions, or `begin`."""
    tail = max(begin, end - _LONG_LINE)
    at = bytes(content[tail:end]).rfind(b"\n")
    if at >= 0 or tail == begin:
        return tail + at + 1 if at >= 0 else begin
    return begin + bytes(content[begin:tail]).rfind(b"\n") + 1


def _check_first_line(block: bytes, file: str) -> None:
    first = len(block) - len(block.lstrip())
    begin, number = block.rfind(b"\n", 0, first) + 1, block.count(b"\n", 0, first) + 1
    line = block[begin : block.find(b"\n", first)]
    byte = _first_invalid_byte(line)
    if byte is not None:
        message = f"`{file}` is not UTF-8 text: byte 0x{byte:02x} in line {number}"
        raise DataProblem(Diagnostic("HF501", message, hint="records are UTF-8 text", file=file))


def only_utf8(block: bytes, file: str, n_before: int, reading: ColumnReading | Reading) -> bytes:
    """The block with lines that are not UTF-8 emptied and set aside; `n_before` lines precede the block."""
    if _first_invalid_byte(block) is None:
        return block
    lines = block.split(b"\n")
    for i, line in enumerate(lines):
        byte = _first_invalid_byte(line)
        if byte is not None:
            reason = f"the line is not UTF-8 text: byte 0x{byte:02x}"
            text = line[:_SHOWN].decode(errors="replace")
            reading.n_records += 1
            reading.set_aside.append(SetAside(file, n_before + i + 1, text, reason))
            lines[i] = b""
    return b"\n".join(lines)


def _first_invalid_byte(text: bytes) -> int | None:
    """The first byte that is not valid UTF-8."""
    if text.isascii():
        return None
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return text[error.start]
    return None
