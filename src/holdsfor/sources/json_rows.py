"""Records as JSON lines: one object per line, with the columns of records or of a mapping as keys.

    {"name": "speed", "time": "2026-03-01T08:00:00Z", "args": ["v1", 57.5]}

The arguments are a list `args`, or `arg1`, `arg2` and so on. Numbers are numbers, `true` and `false` are atoms, strings
are atoms, unless their column has another kind. Null is missing, like a key that is not there. Python parses the lines:
Arrow would read 3 and 3.0 in one column as the same number, and refuse a column of numbers and texts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import did_you_mean
from holdsfor.sources.column_kinds import as_field
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.file_times import FileTimes
from holdsfor.sources.nested_columns import nested_value
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.record_rows import Origin, RowReader
from holdsfor.sources.table_layout import TIMES, Layout, is_argument, layout_of
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.times import Clock
from holdsfor.sources.typed_columns import text_column

__all__ = ["JsonLinesReader", "object_columns", "read_objects"]

Columns = dict[str, list[Any]]

_BLANKS = " \t\r\v\f"
_KEYS = ("name", "start", "time", "arrival", "end", "value", "args", "op", "revision")


class _Misfit(Exception):
    """The line is not a row; the message is the reason."""


class JsonLinesReader:
    """Reads the blocks of one text, each of which is UTF-8 and ends with a line break."""

    def __init__(
        self,
        file: str,
        names: Names,
        tick: int,
        symbols: Symbols,
        reading: ColumnReading,
        *,
        mapping: Mapping | None = None,
        clock: Clock | None = None,
    ) -> None:
        if mapping is not None:
            mapping.refuse_header(file)
        self.file = file
        self.clock = clock or Clock()
        self.file_times = FileTimes()
        self.reading = reading
        self.rows = RowReader(file, names, tick, symbols, reading, is_mapped=None if mapping is None else True)
        self.n_lines = 0
        self.layout = None if mapping is None else layout_of(mapping.wanted, mapping, names, file)
        self.wanted = None if mapping is None else tuple(mapping.wanted)
        self.optional = frozenset() if mapping is None else mapping.optional_columns
        self.most_args = max((record.arity for record in names.records), default=0)

    def read(self, block: bytes) -> None:
        """Read the next block."""
        lines = block.decode().split("\n")[:-1]
        objects: list[dict[str, Any]] = []
        numbers: list[int] = []
        for number, line in enumerate(lines, start=self.n_lines + 1):
            text = line.strip(_BLANKS)
            if not text:
                continue
            try:
                objects.append(_read_object(text, self.wanted, self.optional))
                numbers.append(number)
            except _Misfit as misfit:
                self.reading.n_records += 1
                self.reading.set_aside.append(SetAside(self.file, number, text, str(misfit)))
        if objects:
            self._add(objects, np.array(numbers), lines)
        self.n_lines += len(lines)

    def _add(self, objects: list[dict[str, Any]], numbers: Any, lines: list[str]) -> None:
        faults: dict[int, str] = {}
        if self.layout is None:
            columns = _record_columns(objects, self.most_args, faults)
            layout = Layout({name: name for name in columns})
        else:
            layout = self.layout
            columns = {key: [each[key] for each in objects] for key in layout.wanted}
        arrays, mixed, nested = object_columns(columns, layout)
        faults |= nested
        layout = replace(layout, mixed=mixed)
        laid_out = layout.apply(pa.RecordBatch.from_pydict(arrays), self.clock, self.file_times)
        numbers, before = numbers[laid_out.rows], self.n_lines
        kept = {row: faults[old] for row, old in enumerate(laid_out.rows.tolist()) if old in faults} if faults else {}

        def text(row: int) -> str:
            return lines[int(numbers[row]) - before - 1].strip(_BLANKS)

        self.rows.read(laid_out, Origin(numbers, text, laid_out.faults | kept))


def object_columns(columns: Columns, layout: Layout) -> tuple[dict[str, Any], frozenset[str], dict[int, str]]:
    """The values of objects as Arrow columns, the columns with texts and numbers, and the errors of rows."""
    faults: dict[int, str] = {}
    times = [layout.columns.get(name) for name in TIMES]
    kinds = {layout.columns[ours]: kind for ours, kind in layout.kinds.items()}
    arrays, mixed = {}, set[str]()
    for key, values in columns.items():
        plain = _without_nesting(key, values, faults)
        if key not in (*times, *kinds, "name", "op", "revision") and _is_mixed(plain):
            mixed.add(key)
            plain = list(map(_field, plain))
        arrays[key] = _array(plain, is_time=key in times)
    return arrays, frozenset(mixed), faults


def read_objects(
    content: bytes, wanted: tuple[str, ...], optional: frozenset[str]
) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The objects of a text with their line numbers; a sentence for each line that is not an object with these keys."""
    for number, line in enumerate(content.decode().split("\n"), start=1):
        text = line.strip(_BLANKS)
        if text:
            try:
                yield number, _read_object(text, wanted, optional)
            except _Misfit as misfit:
                yield number, str(misfit)


# -- lines to objects --------------------------------------------------------------------------------------------------


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise _Misfit(f"the key `{twice}` occurs more than once")
    return found


def _refuse_constant(text: str) -> None:
    raise _Misfit(f"`{text}` is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _Misfit(f"the number `{text}` is too large")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite)


def _read_object(line: str, wanted: tuple[str, ...] | None, optional: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The object of a line, with the wanted keys, or with those of a record."""
    try:
        found, end = _DECODER.raw_decode(line)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[0].lower()}{error.msg[1:]}".removesuffix(" at")
        raise _Misfit(f"not JSON: {reason} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise _Misfit("not JSON: a number has too many digits, or brackets are nested too deeply") from None
    if end < len(line):
        raise _Misfit(f"expected one object, found more text after it at column {end + 1}")
    if not isinstance(found, dict):
        raise _Misfit("expected an object `{…}`")
    if "\\u" in line and not _is_text(found):
        raise _Misfit("half of a character, such as `\\ud800`")
    for key in () if wanted is None else wanted:
        if key not in found:
            is_there, value = nested_value(found, key)
            if is_there or key in optional:
                found[key] = value
    fault = _fault_of_keys(tuple(found), wanted)
    if fault is not None:
        raise _Misfit(fault)
    return found


def _is_text(found: dict[str, Any]) -> bool:
    try:
        return bool(json.dumps(found, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        return False


@lru_cache(maxsize=1 << 12)
def _fault_of_keys(keys: tuple[str, ...], wanted: tuple[str, ...] | None) -> str | None:
    """The error in the keys of an object, if any; few sets of keys are distinct."""
    for key in wanted or ():
        if key not in keys:
            hint = did_you_mean(key, keys) or f"found {', '.join(f'`{name}`' for name in keys) or 'none'}"
            return f"key `{key}` not found, {hint}"
    return None if wanted is not None else _fault_of_record(keys)


def _fault_of_record(keys: tuple[str, ...]) -> str | None:
    args = [key for key in keys if is_argument(key)]
    for key in keys:
        if key not in _KEYS and key not in args:
            hint = did_you_mean(key, _KEYS)
            return f"`{key}` is not a key of a record" + (f", {hint}" if hint else "")
    if "start" in keys and "time" in keys:
        return "expected `start` or `time`, found both"
    if "args" in keys and args:
        return f"expected `args` or `{args[0]}`, found both"
    return next((f"arg{i + 1} is missing" for i in range(len(args)) if f"arg{i + 1}" not in keys), None)


# -- objects to columns ------------------------------------------------------------------------------------------------


def _record_columns(objects: list[dict[str, Any]], most_args: int, faults: dict[int, str]) -> Columns:
    """The columns of records: `time` as `start`, the arguments one by one, and the arrivals."""
    keys = set().union(*objects)
    columns: Columns = {key: [each.get(key) for each in objects] for key in keys - {"time", "args"}}
    if "time" in keys:
        columns["start"] = [each.get("start", each.get("time")) for each in objects]
    for key in ("name", "start", "end"):
        columns.setdefault(key, [None] * len(objects))
    arrivals = columns.get("arrival", [None] * len(objects))
    columns["arrival"] = [b if a is None else a for a, b in zip(arrivals, columns["start"], strict=True)]
    if "args" in keys:
        for i, column in enumerate(_arguments(objects, most_args, faults)):
            ours = columns.get(f"arg{i + 1}", [None] * len(objects))
            columns[f"arg{i + 1}"] = [b if a is None else a for a, b in zip(ours, column, strict=True)]
    return columns


def _arguments(objects: list[dict[str, Any]], most_args: int, faults: dict[int, str]) -> list[list[Any]]:
    """The items of the lists `args` as columns; a list longer than the arguments of any record keeps one extra item."""
    lists: list[list[Any]] = []
    for row, each in enumerate(objects):
        args = each.get("args")
        if args is not None and not isinstance(args, list):
            faults[row] = "expected a list as `args`"
        elif args and None in args:
            faults[row] = f"arg{args.index(None) + 1} is missing"
        lists.append(args[: most_args + 1] if isinstance(args, list) else [])
    n_args = max(map(len, lists))
    return [[args[i] if i < len(args) else None for args in lists] for i in range(n_args)]


def _without_nesting(key: str, values: list[Any], faults: dict[int, str]) -> list[Any]:
    """The values without lists and objects, which are faults."""
    if not {list, dict} & set(map(type, values)):
        return values
    for row, value in enumerate(values):
        if isinstance(value, list | dict):
            faults[row] = f"expected text or a number as `{key}`, found a list or an object"
    return [None if isinstance(value, list | dict) else value for value in values]


def _is_mixed(values: list[Any]) -> bool:
    """Whether a column of constants has several types, or a type that an Arrow column cannot keep exactly."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds == {int}:
        return not all(value is None or -(2**63) <= value < 2**63 for value in values)
    return len(kinds) > 1 or kinds == {bool}


def _array(values: list[Any], *, is_time: bool) -> Any:
    """A column of one type if its values have one type, else of texts; times other than integers are texts."""
    kinds = set(map(type, values)) - {type(None)}
    if is_time and not kinds:
        return pa.nulls(len(values))
    if kinds == {int} and all(value is None or -(2**63) <= value < 2**63 for value in values):
        return pa.array(values, pa.int64())
    if kinds == {float} and not is_time:
        return pa.array(values, pa.float64())
    return text_column(values if kinds == {str} else list(map(_text, values)))


def _text(value: object) -> str | None:
    """A value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _field(value: object) -> str | None:
    """A value as a field of a text file."""
    return as_field(value) if isinstance(value, str) else _text(value)
