"""Texts in pieces that end with a line break, small enough for what is computed of them to stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.errors import DataProblem, Diagnostic

__all__ = ["text_blocks"]

_BLOCK = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def text_blocks(data: bytes | memoryview, file: str) -> Iterator[bytes]:
    """The blocks of a text, without a byte order mark; a text that is not UTF-8 is HF501 before the first.

    >>> list(text_blocks(b"a|1\\nb|2", "events.txt"))
    [b'a|1\\nb|2\\n']
    """
    content = memoryview(data)
    if bytes(content[:3]) == _BYTE_ORDER_MARK:
        content = content[3:]
    if not (isinstance(data, bytes) and data.isascii()):
        _check_utf8(content, file)
    return _blocks(content)


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


def _check_utf8(content: memoryview, file: str) -> None:
    begin = 0
    for block in _blocks(content):
        try:
            if not block.isascii():
                block.decode()
        except UnicodeDecodeError as error:
            line = bytes(content[: begin + error.start]).count(b"\n") + 1
            message = f"`{file}` is not UTF-8 text: byte 0x{block[error.start]:02x} in line {line}"
            raise DataProblem(Diagnostic("HF501", message, hint="records are UTF-8 text", file=file)) from None
        begin += len(block)
