"""Values of a configuration file: the check of their kind, and their form on the command line."""

from __future__ import annotations

import argparse
import datetime
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdsfor.cli.options.byte_sizes import byte_size
from holdsfor.cli.options.declarations import Kind
from holdsfor.cli.options.durations import duration, duration_or_none, rate
from holdsfor.sources.column_mapping import LISTEN, SOCKET, split_facts, split_mapping

__all__ = ["EXPECTED", "converted", "is_of_kind", "shown_value"]

EXPECTED: dict[Kind, str] = {
    "path": "a path",
    "paths": "a path or a list of paths",
    "place": "a place for results",
    "inputs": "an input or a list of inputs",
    "facts": "a table of facts or a list of such tables",
    "areas": "a file with areas or a list of such files",
    "text": "text",
    "texts": "text or a list of texts",
    "choices": "text or a list of texts",
    "time": "an integer or a time",
    "duration": 'a duration such as 36000 or "2h"',
    "duration or none": 'a duration such as 36000 or "2h", or "none"',
    "integer": "an integer",
    "rate": 'time-points per second such as 60 or "max"',
    "bytes": 'a number of bytes such as 4096 or "500MB"',
    "flag": "true or false",
}
"""The expected value in messages, by kind."""

_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_DATABASE_OR_TABLE = ("jdbc:", "table:")


def is_of_kind(value: object, kind: Kind) -> bool:
    """Whether a value of a TOML file is of a kind."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    match kind:
        case "paths" | "inputs" | "facts" | "areas" | "texts" | "choices":
            return all(isinstance(item, str) for item in _as_list(value))
        case "path" | "place" | "text":
            return isinstance(value, str)
        case "flag":
            return isinstance(value, bool)
        case "integer":
            return is_integer
        case "duration":
            return (is_integer or isinstance(value, str)) and _can_be_read(str(value), duration)
        case "duration or none":
            return (is_integer or isinstance(value, str)) and _can_be_read(str(value), duration_or_none)
        case "rate":
            return (is_integer or isinstance(value, str | float)) and _can_be_read(str(value), rate)
        case "bytes":
            return (is_integer or isinstance(value, str)) and _can_be_read(str(value), byte_size)
    return is_integer or isinstance(value, str | datetime.date)


def _can_be_read(text: str, reader: Callable[[str], object]) -> bool:
    try:
        reader(text)
    except argparse.ArgumentTypeError:
        return False
    return True


def shown_value(value: object) -> str:
    """A value as a message shows it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case dict():
            return "a table"
        case list():
            return "a list"
    return f"`{value}`"


def converted(value: Any, kind: Kind, folder: Path) -> Any:
    """A value as `argparse` would read it, with relative paths from a folder."""
    match kind:
        case "path":
            return _path_from(value, folder)
        case "place":
            return value if value.startswith(_DATABASE_OR_TABLE) else _path_from(value, folder)
        case "paths":
            return [_path_from(item, folder) for item in _as_list(value)]
        case "inputs":
            return [_input_from(item, folder) for item in _as_list(value)]
        case "areas":
            return [_path_from(item, folder) for item in _as_list(value)]
        case "facts":
            return [_facts_from(item, folder) for item in _as_list(value)]
        case "texts" | "choices":
            return _as_list(value)
        case "rate":
            return rate(str(value))
        case "bytes":
            return byte_size(str(value))
        case "time" | "duration" | "duration or none":
            return str(value)
    return value


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _input_from(given: str, folder: Path) -> str:
    """An input with its path from a folder; `-` is standard input."""
    if given == "-":
        return given
    file, mapping = split_mapping(given)
    socket = next((prefix for prefix in (SOCKET, LISTEN) if file.startswith(prefix)), "")
    path = socket + _path_from(file.removeprefix(socket), folder)
    return path if mapping is None else f"{path}: {mapping}"


def _facts_from(given: str, folder: Path) -> str:
    """A table of facts with its path from a folder."""
    file, facts = split_facts(given)
    return f"{_path_from(file, folder)}: {facts}"


def _path_from(path: str, folder: Path) -> str:
    """A path from a folder, with its final `/`; an address with a scheme, such as `hdfs://…`, does not change."""
    return path if _HAS_SCHEME.match(path) else f"{folder / path}{'/' if path.endswith('/') else ''}"
