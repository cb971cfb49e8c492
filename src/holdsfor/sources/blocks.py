"""Texts in blocks that end with a line break, small enough for the cache.

A line that is not UTF-8 is set aside like a record that does not fit. A file whose first line is not UTF-8 is refused:
it is compressed or in another encoding.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_records import Reading, SetAside

__all__ = ["only_utf8", "text_blocks"]

_BLOCK = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SHOWN = 80


def text_blocks(data: bytes | memoryview, file: str) -> Iterator[bytes]:
    """The blocks of a text, without a byte order mark; a first line that is not UTF-8 is HF501.

    >>> list(text_blocks(b"a|1\\nb|2", "events.txt"))
    [b'a|1\\nb|2\\n']
    """
    content = memoryview(data)
    if bytes(content[:3]) == _BYTE_ORDER_MARK:
        content = content[3:]
    is_begun = False
    for block in _blocks(content):
        if not is_begun and block.strip():
            _check_first_line(block, file)
            is_begun = True
        yield block


def _blocks(content: memoryview) -> Iterator[bytes]:
    begin = 0
    size = _BLOCK
    while begin < len(content):
        block = bytes(content[begin : begin + size])
        is_last = begin + size >= len(content)
        end = len(block) if is_last else block.rfind(b"\n") + 1
        if not end:
            size *= 2
            continue
        begin += end
        size = _BLOCK
        yield block[:end] if block.endswith(b"\n") or not is_last else block + b"\n"


def _check_first_line(block: bytes, file: str) -> None:
    number, line = next((i, line) for i, line in enumerate(block.split(b"\n"), start=1) if line.strip())
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
