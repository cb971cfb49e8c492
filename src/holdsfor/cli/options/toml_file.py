"""A TOML file with the positions of its keys.

`tomllib` does not keep positions, so a key is searched for in the lines of the text. A line that looks like a key may
also be inside a multi-line value. It is a key if the text before it is a complete TOML document.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.syntax.source import Source, Span, read_bounded_lines

__all__ = ["TomlFile", "read_toml"]

_TABLE = re.compile(r"[ \t]*\[[ \t]*(?P<name>[^\[\]\n]+?)[ \t]*\]")
_KEY = re.compile(r"""[ \t]*(?P<name>"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*[=.]""")
_POSITION = re.compile(
    r"(?P<message>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


@dataclass(frozen=True)
class TomlFile:
    """The content and the text of a file."""

    path: Path
    data: dict[str, Any]
    source: Source

    def key_span(self, table: str | None, key: str) -> Span | None:
        """The position of a key in a table, or outside all tables."""
        return next((span for inside, name, span in self._keys() if (inside, name) == (table, key)), None)

    def _keys(self) -> Iterator[tuple[str | None, str, Span]]:
        table: str | None = None
        for start, line in self._lines():
            header, key = _TABLE.match(line), _KEY.match(line)
            if (header or key) and not self._is_complete(start):
                continue
            if header:
                table = header["name"].strip("\"'")
            elif key:
                span = Span(self.source, start + key.start("name"), start + key.end("name"))
                yield table, key["name"].strip("\"'"), span

    def _lines(self) -> Iterator[tuple[int, str]]:
        start = 0
        for line in self.source.text.splitlines(keepends=True):
            yield start, line
            start += len(line)

    def _is_complete(self, end: int) -> bool:
        try:
            tomllib.loads(self.source.text[:end])
        except tomllib.TOMLDecodeError:
            return False
        return True


def read_toml(path: Path) -> TomlFile:
    """Read a file. A file that cannot be read or is not TOML is HF720."""
    try:
        text = read_bounded_lines(path).decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise UsageProblem(Diagnostic("HF720", f"`{path}` is not UTF-8 text", file=str(path))) from None
        strerror = getattr(error, "strerror", None) or str(error)
        reason = "not found" if isinstance(error, FileNotFoundError) else f"cannot be read: {strerror}".lower()
        raise UsageProblem(Diagnostic("HF720", f"`{path}` {reason}", hint="see `--config`", file=str(path))) from None
    source = Source(str(path), text)
    try:
        return TomlFile(path, tomllib.loads(text), source)
    except tomllib.TOMLDecodeError as error:
        raise UsageProblem(_not_toml(error, source)) from None
    except RecursionError:
        message = "not TOML: brackets are nested too deeply"
        raise UsageProblem(Diagnostic("HF720", message, file=str(path))) from None


def _not_toml(error: tomllib.TOMLDecodeError, source: Source) -> Diagnostic:
    match = _POSITION.fullmatch(str(error))
    message = match["message"] if match else str(error)
    at = len(source.text)
    if match and match["line"]:
        lines = source.text.splitlines(keepends=True)
        at = sum(map(len, lines[: int(match["line"]) - 1])) + int(match["column"]) - 1
    at = max(0, min(at, len(source.text.rstrip("\n"))))
    return Diagnostic("HF720", f"not TOML: {message[:1].lower()}{message[1:]}", Span(source, at, at + 1))
