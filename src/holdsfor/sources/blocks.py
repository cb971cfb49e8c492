"""Texts in blocks that end with a line break, small enough for the cache.

A line that no record can be, because it is not UTF-8 or longer than `LONGEST_LINE`, is set aside like a record that
does not fit. A file whose first line is such a line is refused: it is compressed, in another encoding, or no text.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_records import Reading, SetAside
from holdsfor.sources.whole_lines import ByteStream, stream_blocks
from holdsfor.syntax.source import LONGEST_LINE

__all__ = [
    "BYTE_ORDER_MARK",
    "misfit_of_line",
    "read_block",
    "readable_lines",
    "text_blocks",
]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SHOWN = 80


class BlockReader(Protocol):
    """A reader of the lines of a file: it reads blocks that end with a line break, and counts their lines."""

    file: str
    n_lines: int
    reading: ColumnReading

    def read(self, block: bytes) -> None: ...


def read_block(reader: BlockReader, block: bytes) -> None:
    """Let a reader read the lines of a block that can be records. Blank lines alone are only counted."""
    if block.isspace():
        reader.n_lines += block.count(b"\n")
    else:
        reader.read(readable_lines(block, reader.file, reader.n_lines, reader.reading))


def text_blocks(data: bytes | ByteStream, file: str) -> Iterator[bytes]:
    """The blocks of a text, without a byte order mark; a first line that is not UTF-8 or too long is HF501.

    A stream has the blocks of its content, and only one block in memory.

    >>> list(text_blocks(b"a|1\\nb|2", "events.txt"))
    [b'a|1\\nb|2\\n']
    """
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    is_begun = False
    for block in stream_blocks(stream, stream.read(3).removeprefix(BYTE_ORDER_MARK)):
        if not is_begun and not block.isspace():
            _check_first_line(block, file)
            is_begun = True
        yield block


def _check_first_line(block: bytes, file: str) -> None:
    first = len(block) - len(block.lstrip())
    begin, number = block.rfind(b"\n", 0, first) + 1, block.count(b"\n", 0, first) + 1
    line = block[begin : block.find(b"\n", first)]
    message = f"`{file}` is not lines of text: line {number} is longer than {LONGEST_LINE} bytes"
    if len(line) <= LONGEST_LINE:
        byte = _first_invalid_byte(line)
        message = f"`{file}` is not UTF-8 text: byte 0x{byte:02x} in line {number}" if byte is not None else ""
    if message:
        raise DataProblem(Diagnostic("HF501", message, hint="records are UTF-8 text", file=file))


def readable_lines(block: bytes, file: str, n_before: int, reading: ColumnReading | Reading) -> bytes:
    """The block with lines that no record can be emptied and set aside; `n_before` lines precede the block."""
    if _first_invalid_byte(block) is None and not _has_long_line(block):
        return block
    lines = block.split(b"\n")
    for i, line in enumerate(lines):
        if len(line) > LONGEST_LINE:
            reading.set_aside.append(misfit_of_line(line, file, n_before + i + 1))
        elif (byte := _first_invalid_byte(line)) is not None:
            text = line[:_SHOWN].decode(errors="replace")
            reason = f"the line is not UTF-8 text: byte 0x{byte:02x}"
            reading.set_aside.append(SetAside(file, n_before + i + 1, text, reason))
        else:
            continue
        reading.n_records += 1
        lines[i] = b""
    return b"\n".join(lines)


def misfit_of_line(line: bytes, file: str, number: int) -> SetAside:
    """A line that is too long, as a record that does not fit."""
    text = line[:_SHOWN].decode(errors="replace")
    return SetAside(file, number, text, f"the line is longer than {LONGEST_LINE} bytes")


def _has_long_line(block: bytes) -> bool:
    if len(block) <= LONGEST_LINE:
        return False
    breaks = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    return bool(np.diff(breaks, prepend=-1, append=len(block)).max() > LONGEST_LINE + 1)


def _first_invalid_byte(text: bytes) -> int | None:
    """The first byte that is not valid UTF-8."""
    if text.isascii():
        return None
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return text[error.start]
    return None
