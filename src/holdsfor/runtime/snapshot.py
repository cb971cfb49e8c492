"""The file format of snapshots: a header in JSON, followed by columns of numbers.

    "holdsfor snapshot\\n"   the first bytes of every snapshot
    format                  4 bytes, little endian: the version of this layout and of its content
    digest                  16 bytes: BLAKE2b of everything after it
    length of the header    8 bytes, little endian
    header                  JSON, padded with spaces to a multiple of 8 bytes
    columns                 one after the other, each padded to a multiple of 8 bytes

A snapshot has no code. The digest detects a truncated or damaged file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.recoding import nodes_of, terms_of
from holdsfor.errors import DataProblem, Diagnostic, HoldsforError
from holdsfor.syntax.terms import Term

__all__ = ["FORMAT", "Column", "Snapshot", "damaged", "integer", "integer_or_none", "reading_of"]

Column = NDArray[np.int64] | NDArray[np.bool_]

FORMAT = 3
"""Increases with every change of the content of a snapshot or of its meaning."""

_MAGIC = b"holdsfor snapshot\n"
_TYPES: dict[str, np.dtype[Any]] = {"number": np.dtype("<i8"), "flag": np.dtype("?")}
_ALIGNED = 8
_FIXED = len(_MAGIC) + 4 + 16


@dataclass(frozen=True)
class Snapshot:
    """The state of a session as plain data.

    `fingerprint` is the fingerprint of the rules, `settings` has the window, the tick and other settings. `parts` are
    nested lists and dictionaries that refer to columns by their position in `columns`. Symbols in columns are positions
    in `terms`. `more` is data of the caller.
    """

    fingerprint: str
    settings: dict[str, Any]
    parts: dict[str, Any]
    columns: Sequence[Column]
    terms: Sequence[Term]
    more: dict[str, Any]

    def to_bytes(self) -> bytes:
        """The snapshot as bytes, which `from_bytes` reads in any process."""
        nodes, roots = nodes_of(self.terms)
        header = {
            "fingerprint": self.fingerprint,
            "settings": self.settings,
            "parts": self.parts,
            "nodes": nodes,
            "terms": roots,
            "columns": [["flag" if each.dtype == np.bool_ else "number", len(each)] for each in self.columns],
            "more": self.more,
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % _ALIGNED)
        rest = b"".join([len(text).to_bytes(8, "little"), text, *map(_padded, self.columns)])
        return b"".join([_MAGIC, FORMAT.to_bytes(4, "little"), _digest(rest), rest])

    @staticmethod
    def from_bytes(data: bytes, name: str = "snapshot") -> Snapshot:
        """The snapshot in the bytes; a `DataProblem` names the file if the bytes are not a snapshot."""
        if not (isinstance(data, bytes) and data.startswith(_MAGIC)):
            message = f"`{name}` is not a snapshot of a session"
            raise DataProblem(Diagnostic("HF508", message, hint="`Session.save` writes snapshots"))
        if len(data) < _FIXED + 8:
            damaged(name)
        _check_format(int.from_bytes(data[len(_MAGIC) : len(_MAGIC) + 4], "little"), name)
        rest = memoryview(data)[_FIXED:]
        if _digest(rest) != data[_FIXED - 16 : _FIXED]:
            damaged(name)
        with reading_of(name):
            return _read(rest)


@contextmanager
def reading_of(name: str) -> Iterator[None]:
    """Report the errors of a snapshot whose digest is right, but whose content is not, as damage."""
    try:
        yield
    except HoldsforError:
        raise
    except Exception:
        damaged(name)


def integer(value: Any, least: int = int(np.iinfo(np.int64).min)) -> int:
    """The value, which must be an integer of 64 bits, and not less than `least`."""
    if type(value) is not int or not least <= value <= np.iinfo(np.int64).max:
        raise ValueError(f"expected an integer, found `{value!r}`")
    return value


def integer_or_none(value: Any, least: int = int(np.iinfo(np.int64).min)) -> int | None:
    """The value, which must be None or such an integer."""
    return None if value is None else integer(value, least)


def damaged(name: str) -> NoReturn:
    message = f"the snapshot `{name}` is damaged or cut off"
    raise DataProblem(Diagnostic("HF508", message, hint="use an earlier snapshot, or start the run again"))


def _check_format(found: int, name: str) -> None:
    if found == FORMAT:
        return
    age = "an older" if found < FORMAT else "a newer"
    message = f"the snapshot `{name}` is from {age} version of holdsfor: format {found}, expected {FORMAT}"
    hint = "read it with the version that wrote it, or start the run again"
    raise DataProblem(Diagnostic("HF509", message, hint=hint))


def _digest(data: bytes | memoryview) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _padded(column: Column) -> bytes:
    kind = _TYPES["flag" if column.dtype == np.bool_ else "number"]
    data = np.ascontiguousarray(column, dtype=kind).tobytes()
    return data + bytes(-len(data) % _ALIGNED)


def _read(rest: memoryview) -> Snapshot:
    size = int.from_bytes(rest[:8], "little")
    header = json.loads(bytes(rest[8 : 8 + size]))
    columns: list[Column] = []
    at = 8 + size
    for kind, n in header["columns"]:
        dtype = _TYPES[kind]
        columns.append(np.frombuffer(rest, dtype, n, at).astype(bool if kind == "flag" else np.int64))
        at += n * dtype.itemsize + -(n * dtype.itemsize) % _ALIGNED
    if at != len(rest):
        raise ValueError("the columns do not fill the snapshot")
    if not all(isinstance(header[name], dict) for name in ("settings", "parts", "more")):
        raise ValueError("a part of the header is no dictionary")
    return Snapshot(
        header["fingerprint"],
        header["settings"],
        header["parts"],
        columns,
        terms_of(header["nodes"], header["terms"]),
        header["more"],
    )
