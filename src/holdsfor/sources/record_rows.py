"""Rows with the columns of records to columns of words, for all kinds of files.

A batch of rows has the columns that `holdsfor.sources.table_layout` lists, with times as integers. Its origin has the
line of each row, for the message about a row that does not fit. Strings are fields as in a text file; strings of the
columns `texts` are atoms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.analysis.names import Names, Record
from holdsfor.columns.encoding import Symbols, float_words, integer_words
from holdsfor.columns.records import Records
from holdsfor.kernels.keys import Int64
from holdsfor.sources.fields import out_of_range
from holdsfor.sources.input_fvps import fitting_fvps, fvp_of
from holdsfor.sources.number_checks import TextUses
from holdsfor.sources.numerals import Lexicon, column_words, distinct_texts
from holdsfor.sources.reading import ColumnReading, ReadRecords, Retraction
from holdsfor.sources.revision_ids import RevisionRecord
from holdsfor.sources.table_layout import LaidOut, is_argument
from holdsfor.sources.text_records import SetAside, not_declared
from holdsfor.sources.times import FinerTime
from holdsfor.syntax.terms import Atom, Int
from holdsfor.syntax.time_points import EARLIEST, LATEST, OPEN_END

__all__ = ["NONE", "Origin", "RowReader", "constant_words"]

NONE = Atom("none")
"""The constant of a missing value in a column that may lack values."""

Flags = NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)

_LARGEST_WORD = 2**49
_MISFIT, _UNUSED = -1, -2
_N_NEGATIVE = 2
_SHAPES: tuple[Literal["event", "points", "intervals"], ...] = ("event", "points", "intervals")


@dataclass(frozen=True)
class Origin:
    """The origin of the rows of a batch: their lines, their text if they have one, and errors found so far."""

    lines: Int64
    text: Callable[[int], str] | None = None
    faults: dict[int, str] = field(default_factory=dict)


# -- columns -----------------------------------------------------------------------------------------------------------


def _is_present(array: Any) -> Flags:
    if array.null_count == 0:
        return np.ones(len(array), dtype=np.bool_)
    there: Flags = array.is_valid().to_numpy(zero_copy_only=False)
    return there


def _times(array: Any, null: int = 0) -> Int64:
    """The times, with a time-point for null."""
    times = array.cast(pa.int64())
    found: Int64 = (times.fill_null(null) if times.null_count else times).to_numpy(zero_copy_only=False)
    return found


def _constants(
    array: Any, lexicon: Lexicon, *, are_texts: bool = False, is_optional: bool = False
) -> tuple[Int64, Flags]:
    """The words of a column, and which of them are not null. Strings are atoms, or fields.

    In an optional column null is a constant.
    """
    words, there = _words(array, lexicon, are_texts=are_texts)
    if is_optional:
        words[~there] = lexicon.symbols.word(NONE)
        there = np.ones_like(there)
    return words, there


def constant_words(laid_out: LaidOut, column: str, lexicon: Lexicon) -> tuple[Int64, Flags]:
    """The words of a column of laid out rows, and which of them are not null."""
    texts, optional = laid_out.texts, laid_out.optional
    array = laid_out.batch.column(column)
    return _constants(array, lexicon, are_texts=column in texts, is_optional=column in optional)


def _words(array: Any, lexicon: Lexicon, *, are_texts: bool) -> tuple[Int64, Flags]:
    if pt.is_dictionary(array.type) and len(array.dictionary) > len(array):
        array = array.dictionary_decode()
    there = _is_present(array)
    if pt.is_dictionary(array.type):
        read = partial(_words, lexicon=lexicon, are_texts=are_texts)
        meanings, are_there = lexicon.of_dictionary(array.dictionary, read, are_texts=are_texts)
        return _decoded(array, there, meanings, are_there)
    if pt.is_null(array.type):
        return np.zeros(len(array), np.int64), there
    if pt.is_floating(array.type):
        return float_words(array.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)), there
    if pt.is_integer(array.type):
        return _integer_words(array, lexicon), there
    if pt.is_decimal(array.type):
        words = np.zeros(len(array), np.int64)
        words[there] = lexicon.symbols.words(Int(int(value)) for value in array.drop_null().to_pylist())
        return words, there
    return _text_words(array, lexicon) if are_texts else column_words(array, lexicon), there


def _decoded(array: Any, there: Flags, meanings: Int64, are_there: Flags) -> tuple[Int64, Flags]:
    """The words of a dictionary-encoded column and which are not null, given those of its dictionary."""
    codes = (array.indices.fill_null(0) if array.null_count else array.indices).to_numpy(zero_copy_only=False)
    if not len(meanings):
        return np.zeros(len(array), np.int64), there
    return meanings.take(codes), there if are_there.all() else there & are_there.take(codes)


def _integer_words(array: Any, lexicon: Lexicon) -> Int64:
    values = (array.fill_null(0) if array.null_count else array).to_numpy(zero_copy_only=False)
    if len(values) and int(values.min()) >= -_LARGEST_WORD and int(values.max()) < _LARGEST_WORD:
        return integer_words(values.astype(np.int64, copy=False))
    words = np.zeros(len(array), np.int64)
    is_small = (values < _LARGEST_WORD) & (values >= -_LARGEST_WORD)
    words[is_small] = integer_words(values[is_small].astype(np.int64))
    words[~is_small] = lexicon.symbols.words(map(Int, values[~is_small].tolist()))
    return words


def _text_words(array: Any, lexicon: Lexicon) -> Int64:
    """The words of texts as atoms, any word for null; each distinct text is looked up once."""
    texts, codes = distinct_texts(array)
    words = lexicon.symbols.words(Atom(text or "") for text in texts.to_pylist())
    found: Int64 = words.take(codes) if len(words) else np.zeros(len(array), np.int64)
    return found


def _texts(array: Any) -> tuple[list[str | None], Int64]:
    """The distinct texts of a column with None at the end, and for each row the index of its text."""
    encoded = array if pt.is_dictionary(array.type) else array.dictionary_encode()
    texts = [text if text is None else text.strip() for text in encoded.dictionary.to_pylist()]
    if len(texts) == 1 and encoded.null_count == 0:
        return [*texts, None], np.array(0)
    codes = encoded.indices.cast(pa.int64()).fill_null(len(texts)).to_numpy(zero_copy_only=False)
    return [*texts, None], codes


def _taken(column: NDArray[Scalar], which: Int64) -> NDArray[Scalar]:
    """The rows of a column in ascending order; the column itself if these are all rows."""
    return column if len(which) == len(column) else column[which]


def _as_one(flags: Flags) -> Flags:
    """The flag of all rows as an array without dimensions, if it is the same for all."""
    n_true = np.count_nonzero(flags)
    return np.array(n_true > 0) if n_true in (0, len(flags)) else flags


def _rows_by_number(numbers: Int64, n: int) -> dict[int, Int64]:
    """The rows of each number from 0, ascending; `numbers` is of `n` rows, or one number for all."""
    if numbers.ndim == 0:
        return {int(numbers): np.arange(n)} if n and numbers >= 0 else {}
    occurring = np.bincount(numbers + _N_NEGATIVE)[_N_NEGATIVE:].nonzero()[0].tolist()
    return {number: np.flatnonzero(numbers == number) for number in occurring}


def _without(groups: dict[int, Int64], rows: dict[int, str]) -> dict[int, Int64]:
    """The groups without some of their rows."""
    if not rows:
        return groups
    return {number: which[~np.isin(which, list(rows))] for number, which in groups.items()}


# -- rows --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """The rows of a batch as columns.

    A property that all rows share (a name, a shape) is an array without dimensions, and costs nothing for a row.
    """

    batch: Any
    origin: Origin
    optional: frozenset[str]
    names: list[str | None]
    codes: Int64
    arrivals: Int64
    starts: Int64
    ends: Int64
    value: Int64
    args: list[Int64]
    n_args: Int64
    shapes: Int64  # the index in `_SHAPES`, 3 for no shape
    is_addition: Flags
    is_retraction: Flags
    are_dates: bool
    has_open_ends: bool

    def __len__(self) -> int:
        return len(self.starts)

    def as_dicts(self, which: Int64) -> list[dict[str, Any]]:
        """The rows one by one, as in the table."""
        if not len(which):
            return []
        rows: list[dict[str, Any]] = self.batch.take(pa.array(which)).to_pylist()
        for row in rows if self.optional else ():
            row.update({column: NONE.name for column in self.optional if row[column] is None})
        return rows


def _rows(laid_out: LaidOut, origin: Origin, lexicon: Lexicon) -> _Rows:
    batch = laid_out.batch
    nothing = np.broadcast_to(np.int64(0), len(batch))
    column = {name: batch.column(name) for name in batch.schema.names}
    names, codes = _texts(column["name"])
    args = [constant_words(laid_out, f"arg{i + 1}", lexicon) for i in range(sum(map(is_argument, column)))]
    n_args, is_gap = _argument_counts([there for _, there in args])
    value, has_value = (
        constant_words(laid_out, "value", lexicon) if "value" in column else (nothing, np.zeros(len(batch), np.bool_))
    )
    has_end = _as_one(_is_present(column["end"])) if "end" in column else np.array(False)
    has_value = _as_one(has_value)
    ops, op = _texts(column["op"]) if "op" in column else ([None], np.array(0))
    starts = _times(column["start"])
    return _Rows(
        batch,
        origin,
        laid_out.optional,
        names,
        codes,
        starts if laid_out.arrive_at_start else _times(column["arrival"]),
        starts,
        _times(column["end"], OPEN_END) if "end" in column else nothing,
        value,
        [words for words, _ in args],
        n_args,
        np.where(is_gap | (has_end & ~has_value), 3, has_value.astype(np.int64) + has_end),
        np.asarray(np.array([text in (None, "+") for text in ops])[op]),
        np.asarray(np.array([text == "-" for text in ops])[op]),
        laid_out.are_dates,
        laid_out.has_open_ends,
    )


def _argument_counts(present: list[Flags]) -> tuple[Int64, Flags]:
    """The number of arguments of each row, and whether a row lacks an argument before another."""
    if all(there.all() for there in present):
        return np.array(len(present)), np.array(False)
    n_args, is_gap = np.zeros(len(present[0]), np.int64), np.zeros(len(present[0]), np.bool_)
    for i, there in enumerate(present):
        is_gap |= there & (n_args < i)
        n_args += there
    return n_args, is_gap


class RowReader:
    """Reads the batches of one file or table.

    A record whose first batch has only text where the rules expect numbers is HF507, if the table declares text.
    """

    def __init__(
        self, file: str, names: Names, tick: int, symbols: Symbols, reading: ColumnReading, *, is_mapped: bool | None
    ) -> None:
        self.file = file
        self.text_uses = TextUses(file, names.number_uses, symbols, reading.typed, is_mapped=is_mapped)
        self.tick = tick
        self.lexicon = Lexicon(symbols, n_separators=0)
        self.reading = reading
        self.records = names.records
        self.known: dict[str, list[Record]] = {}
        for record in self.records:
            self.known.setdefault(record.name, []).append(record)
        self.computed = {name for name, _ in (*names.events, *names.fluents)}

    def read(self, laid_out: LaidOut, origin: Origin) -> None:
        """Add the records of a batch to the reading."""
        batch = laid_out.batch
        rows = _rows(laid_out, origin, self.lexicon)
        numbers = self._fitting(rows)
        groups = _rows_by_number(numbers, len(batch))
        not_input = self._not_input(rows, groups)
        groups = _without(groups, not_input)
        self._check_numbers(rows, groups, laid_out)
        misfits = np.broadcast_to(numbers == _MISFIT, len(batch)).nonzero()[0]
        if not_input:
            misfits = np.union1d(misfits, list(not_input))
        for row, content in zip(misfits.tolist(), rows.as_dicts(misfits), strict=True):
            reason = not_input.get(row) or self._reason(rows, content, origin.faults.get(row))
            if isinstance(reason, FinerTime):
                faults = [fault for fault in origin.faults.values() if isinstance(fault, FinerTime)]
                reason.refuse(faults, f"{self.file}:{origin.lines[row]}")
            self.reading.set_aside.append(self._set_aside(rows, row, content, reason))
        for number, which in groups.items():
            self._add(self.records[number], rows, which)
        if "revision" in batch.schema.names:
            self._note_revisions(rows, np.sort(np.concatenate([np.zeros(0, np.int64), *groups.values()])))
        self.reading.n_records += len(batch)
        self.reading.n_places += len(batch)

    def _note_revisions(self, rows: _Rows, fitting: Int64) -> None:
        """Note the revisions of the rows that fit."""
        ids, codes = _texts(rows.batch.column("revision").cast(pa.string()))
        codes = np.broadcast_to(codes, len(rows))
        is_retraction = np.broadcast_to(rows.is_retraction, len(rows))
        which = fitting[codes[fitting] < len(ids) - 1]
        for row, content in zip(which.tolist(), rows.as_dicts(which), strict=True):
            revision = ids[codes[row]]
            if revision:
                origin = self._set_aside(rows, row, content, "")
                self.reading.revisions.append(RevisionRecord(revision, bool(is_retraction[row]), origin))

    def _fitting(self, rows: _Rows) -> Int64:
        """The number of the record that each row fits, or `_MISFIT` or `_UNUSED`. Unused records are counted."""
        table = np.full((len(rows.names), 4, len(rows.args) + 1), _MISFIT, dtype=np.int64)
        for code, name in enumerate(rows.names):
            if name is not None and name not in self.known and name not in self.computed:
                table[code] = _UNUSED
        codes = {name: [i for i, other in enumerate(rows.names) if other == name] for name in self.known}
        for number, record in enumerate(self.records):
            if record.arity <= len(rows.args):
                table[codes[record.name], _SHAPES.index(record.shape), record.arity] = number
        numbers: Int64 = np.asarray(table[rows.codes, rows.shapes, rows.n_args])
        if (numbers == _UNUSED).any():
            if self.reading.follows_time:
                numbers = np.where((numbers == _UNUSED) & (rows.arrivals > self._last(rows)), _MISFIT, numbers)
            self._count_unused(rows, np.broadcast_to(numbers == _UNUSED, len(rows)).nonzero()[0])
        if rows.has_open_ends and (rows.shapes == _SHAPES.index("points")).any():
            numbers = self._with_open_intervals(rows, numbers)
        are_valid = self._are_valid(rows)
        return numbers if are_valid.all() else np.where((numbers >= 0) & ~are_valid, _MISFIT, numbers)

    def _with_open_intervals(self, rows: _Rows, numbers: Int64) -> Int64:
        """The numbers with those of intervals for rows without an end, unless the FVP arrives as points."""
        numbers = np.broadcast_to(numbers, len(rows)).copy()
        for number, record in enumerate(self.records):
            if record.shape != "intervals" or record.arity > len(rows.args):
                continue
            is_such = np.array([name == record.name for name in rows.names])[rows.codes]
            is_such = is_such & (rows.shapes == _SHAPES.index("points")) & (rows.n_args == record.arity)
            which = np.broadcast_to(is_such, len(rows)).nonzero()[0]
            points = next((each for each in self.known[record.name] if each == replace(record, shape="points")), None)
            if points is not None and len(which):
                columns = [column[which] for column in (*rows.args[: record.arity], rows.value)]
                which = which[~fitting_fvps(points, columns, self.lexicon.symbols)]
            numbers[which] = number
        return numbers

    def _count_unused(self, rows: _Rows, which: Int64) -> None:
        """Count the rows that no rule uses."""
        counts = np.bincount(np.broadcast_to(rows.codes, len(rows))[which], minlength=len(rows.names))
        for name, count in zip(rows.names, counts.tolist(), strict=True):
            if name is not None and count:
                self.reading.unused[name] += count
        if self.reading.follows_time:
            passed = which[_is_present(rows.batch.column("arrival"))[which]]
            self.reading.note_unused(rows.arrivals[passed], self.reading.n_places + passed)

    def _not_input(self, rows: _Rows, groups: dict[int, Int64]) -> dict[int, str]:
        """The rows whose FVPs do not arrive in their shape, and the reason for each."""
        found: dict[int, str] = {}
        for number, which in groups.items():
            record = self.records[number]
            if record.patterns is not None:
                columns = [column[which] for column in (*rows.args[: record.arity], rows.value)]
                for place in np.flatnonzero(~fitting_fvps(record, columns, self.lexicon.symbols)).tolist():
                    fvp = fvp_of(record, [int(column[place]) for column in columns], self.lexicon.symbols)
                    found[int(which[place])] = not_declared(fvp, record)
        return found

    def _are_valid(self, rows: _Rows) -> Flags:
        """Which rows have valid times and a valid operation."""
        in_order: Flags = rows.is_addition | rows.is_retraction
        for name, times in (("start", rows.starts), ("arrival", rows.arrivals)):
            if name == "arrival" and times is rows.starts:
                continue
            if rows.batch.column(name).null_count:
                in_order = in_order & _is_present(rows.batch.column(name))
            last = self._last(rows)
            if len(times) and not EARLIEST <= int(times.min()) <= int(times.max()) <= last:
                in_order = in_order & (times >= EARLIEST) & (times <= last)
        if self.tick > 1:
            in_order = in_order & (rows.starts % self.tick == 0)
        if np.count_nonzero(rows.shapes == 2):
            is_end = (rows.ends % self.tick == 0) | (rows.ends == OPEN_END)
            is_end &= (rows.ends > rows.starts) & (rows.ends <= LATEST)
            in_order = in_order & ((rows.shapes != 2) | is_end)
        if rows.origin.faults:
            in_order = np.broadcast_to(in_order, len(rows)).copy()
            in_order[list(rows.origin.faults)] = False
        return in_order

    def _last(self, rows: _Rows) -> int:
        """The last time-point at which rows may arrive and occur."""
        return self.reading.horizon.last(are_dates=rows.are_dates)

    def _reason(self, rows: _Rows, row: dict[str, Any], fault: str | None) -> str:
        """The first reason why a row does not fit."""
        name = None if row["name"] is None else row["name"].strip()
        if name is None:
            return "expected a name, found nothing"
        if name not in self.known and name not in self.computed:
            return self.reading.horizon.reason("arrival", are_dates=rows.are_dates)
        if name not in self.known:
            return f"`{name}` is computed by the rules"
        if fault is not None:
            return fault
        if row.get("op") is not None and row["op"].strip() not in ("+", "-"):
            return f"expected `+` or `-` as op, found `{row['op']}`"
        args = [value for column, value in row.items() if is_argument(column)]
        n_args = sum(value is not None for value in args)
        shape = _SHAPES[(row.get("value") is not None) + (row.get("end") is not None)]
        if shape == "points" and rows.has_open_ends and Record(name, n_args, shape) not in self.known[name]:
            shape = "intervals"
        if None in args[:n_args]:
            return f"arg{args.index(None) + 1} is missing"
        if row.get("end") is not None and row.get("value") is None:
            return "expected a value with the end, found nothing"
        found = Record(name, n_args, shape)
        if found not in self.known[name]:
            expected = " or ".join(f"`{record.layout}`" for record in self.known[name])
            return f"expected {expected}, found `{found.layout}`"
        return self._reason_of_times(row, shape, are_dates=rows.are_dates)

    def _reason_of_times(self, row: dict[str, Any], shape: str, *, are_dates: bool) -> str:
        horizon = self.reading.horizon
        what = {"arrival": "arrival", "start": "start" if shape == "intervals" else "occurrence", "end": "end"}
        for column in ("start", "arrival", "end"):
            time = row.get(column)
            if time is None and column != "end":
                return f"expected an integer as {what[column]}, found nothing"
            if time is not None and not EARLIEST <= time <= LATEST:
                return out_of_range(what[column], time)
            if time is not None and column != "end" and time > horizon.last(are_dates=are_dates):
                return horizon.reason(what[column], are_dates=are_dates)
            if time is not None and column != "arrival" and time % self.tick:
                return f"the {what[column]} {time} is not a time-point: the clock ticks every {self.tick}"
        return f"the interval ends at {row['end']}, not after its start {row['start']}"

    def _set_aside(self, rows: _Rows, row: int, content: dict[str, Any], reason: str) -> SetAside:
        line = int(rows.origin.lines[row])
        if rows.origin.text is not None:
            return SetAside(self.file, line, rows.origin.text(row), reason)
        columns = ["name", "arrival", "start", "end", "value", *filter(is_argument, content)]
        fields = [str(content[column]) for column in columns if content.get(column) is not None]
        sign = "-" if content.get("op") == "-" else ""
        return SetAside(self.file, line, sign + "|".join(fields), reason)

    def _check_numbers(self, rows: _Rows, groups: dict[int, Int64], laid_out: LaidOut) -> None:
        """Refuse a column of only text that rules use as numbers, if the table declares its type."""
        for number, which in groups.items():
            record = self.records[number]
            used = {f"arg{i + 1}": _taken(rows.args[i], which) for i in range(record.arity)}
            used["value"] = _taken(rows.value, which)
            self.text_uses.check_words(record, used, laid_out.typed)

    def _add(self, record: Record, rows: _Rows, which: Int64) -> None:
        is_event, key = record.shape == "event", (record.name, record.arity)
        columns = rows.args[: record.arity] if is_event else [*rows.args[: record.arity], rows.value]
        ends = None if is_event else rows.ends if record.shape == "intervals" else rows.starts + self.tick
        added, taken = which, which[:0]
        if rows.is_retraction.any():
            is_retraction = np.broadcast_to(rows.is_retraction, len(rows))[which]
            added, taken = which[~is_retraction], which[is_retraction]
        if len(added):
            starts = _taken(rows.starts, added)
            records = Records(
                [_taken(column, added) for column in columns],
                starts if rows.arrivals is rows.starts else _taken(rows.arrivals, added),
                starts,
                None if ends is None else _taken(ends, added),
            )
            self.reading.add(ReadRecords(is_event, key, records, self.reading.n_places + added))
        reason = "retracts a record that is not there"
        for row, content in zip(taken.tolist(), rows.as_dicts(taken), strict=True):
            facts = [*columns, rows.starts, *([] if ends is None else [ends])]
            words = tuple(int(column[row]) for column in facts)
            origin = self._set_aside(rows, row, content, reason)
            place = self.reading.n_places + row
            self.reading.retract(is_event, key, [Retraction(words, int(rows.arrivals[row]), place, origin)])
