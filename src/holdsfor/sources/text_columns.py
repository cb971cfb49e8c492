"""Records as `|`-separated text to columns, a million and more a second; `read_text_records` defines the format.

A text is read block by block. One pass over the bytes finds all separators, and thus all lines and fields. The names of
the lines are encoded as numbers; name and number of fields determine the shape of a record, or that no rule uses it.
Then all times of a block are read at once, and all constants (`holdsfor.sources.numerals`), independent of their
position in a record; only the finished columns are collected shape by shape.

The slow reader reads every line that is not in canonical form (a retraction, the wrong number of fields, an
invalid time). A line ends at `\\n` only, perhaps with `\\r` before it; other control characters are part of a field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.analysis.names import Names, Record
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import Records
from holdsfor.kernels.keys import Int64, expand_ranges
from holdsfor.sources.arrow import read_table
from holdsfor.sources.blocks import read_block, text_blocks
from holdsfor.sources.fields import read_time
from holdsfor.sources.input_fvps import fitting_records
from holdsfor.sources.numerals import PADDING, Fields, Lexicon, read_integers, words_of
from holdsfor.sources.reading import ColumnReading, ReadRecords
from holdsfor.sources.text_records import Reading, read_text_records

__all__ = ["ColumnReading", "TextReader", "read_columns", "read_table"]

_LONGEST_BLOCK = 1 << 30  # offsets into a block have 32 bits
_ODD, _UNUSED, _BLANK = -1, -2, -3


def read_columns(data: bytes, file: str, names: Names, tick: int, symbols: Symbols, reading: ColumnReading) -> None:
    """Add the records of a text to the reading; `reading.settle()` then applies the retractions.

    Contract: the result equals that of `read_text_records` and `Reading.facts`, with the constants as words of
    `symbols`. A line that is not UTF-8 is set aside; a text that begins with one is HF501, and no record is added.

    >>> from holdsfor.analysis.pipeline import compile_text
    >>> names = compile_text("initiatedAt(rich(X)=true, T) :- happensAt(win_lottery(X), T).").names
    >>> symbols, reading = Symbols(), ColumnReading()
    >>> read_columns(b"win_lottery|9|9|chris\\nsleep|9|9|chris\\n", "events.txt", names, 1, symbols, reading)
    >>> reading.settle()
    >>> reading.events["win_lottery", 1].starts, reading.unused
    (array([9]), Counter({'sleep': 1}))
    """
    reader = TextReader(file, names, tick, symbols, reading)
    for block in text_blocks(data, file):
        read_block(reader, block)


@dataclass(frozen=True)
class _Lines:
    """A block split into lines: line `i` has `n_fields[i]` fields from field `first[i]` on."""

    fields: Fields
    first: Int64
    n_fields: Int64

    def __len__(self) -> int:
        return len(self.first)

    def texts(self, which: Int64) -> list[str]:
        begins = self.fields.starts[self.first[which]].tolist()
        ends = self.fields.ends[self.first[which] + self.n_fields[which] - 1].tolist()
        content = self.fields.text.tobytes()
        return [str(content[begin:end], "utf-8") for begin, end in zip(begins, ends, strict=True)]


def _cut(block: bytes) -> _Lines:
    """The lines and fields of a block."""
    text = np.frombuffer(b"0" * PADDING + block, np.uint8)
    # One pass: separators, and dots (for decimals).
    marks = np.flatnonzero((text == ord("\n")) | (text == ord("|")) | (text == ord(".")))
    kinds = text[marks]
    separators = np.flatnonzero(kinds != ord("."))
    ends = marks[separators]
    starts = np.empty_like(ends)
    starts[0] = PADDING
    starts[1:] = ends[:-1] + 1
    n_dots = np.diff(separators, prepend=-1) - 1
    dots = np.where(n_dots == 1, marks[separators - 1], -(n_dots > 1).astype(np.int64))
    # All fields as one Arrow array over the text itself: each field has its separator at the end.
    offsets = np.append(starts, len(text)).astype(np.int32)
    strings = pa.Array.from_buffers(pa.string(), len(ends), [None, pa.py_buffer(offsets), pa.py_buffer(text)])
    last = np.flatnonzero(kinds[separators] == ord("\n"))
    n_fields = np.diff(last, prepend=-1)
    return _Lines(Fields(text, starts, ends, dots, strings, 1), last - n_fields + 1, n_fields)


class TextReader:
    """Reads the blocks of one text, each of which is UTF-8 and ends with a line break."""

    def __init__(self, file: str, names: Names, tick: int, symbols: Symbols, reading: ColumnReading) -> None:
        self.file = file
        self.names = names
        self.tick = tick
        self.symbols = symbols
        self.lexicon = Lexicon(symbols, n_separators=1)
        self.reading = reading
        self.shapes = names.records
        self.known: dict[str, dict[int, int]] = {}
        for number, shape in enumerate(self.shapes):
            self.known.setdefault(shape.name, {}).setdefault(shape.n_fields, number)
        self.computed = {name for name, _ in (*names.events, *names.fluents)}
        self.n_times = np.array([3 if shape.shape == "intervals" else 2 for shape in self.shapes], dtype=np.int64)
        self.n_lines = 0

    def read(self, block: bytes) -> None:
        """Read the next block."""
        if len(block) < _LONGEST_BLOCK:
            lines = _cut(block.replace(b"\r\n", b"\n"))
            self._read_lines(lines)
            n_lines = len(lines)
        else:
            texts = block.decode().split("\n")[:-1]
            self._read_slowly(texts, range(len(texts)))
            n_lines = len(texts)
        self.n_lines += n_lines
        self.reading.n_places += n_lines

    def _read_lines(self, lines: _Lines) -> None:
        shapes = self._shapes(lines)
        is_odd = shapes == _ODD
        fitting = np.flatnonzero(shapes >= 0)
        if len(fitting):
            is_odd[fitting] = ~self._read_fitting(lines, fitting, shapes[fitting])
        odd = np.flatnonzero(is_odd)
        if len(odd):
            self._read_slowly(lines.texts(odd), odd.tolist())

    def _shapes(self, lines: _Lines) -> NDArray[np.int64]:
        """The shape of each line by its name and number of fields, or why it has none. Unused lines are counted.

        The slow reader reads lines with a name of the rules and another shape or sign than that of a record.
        """
        strings, codes = lines.fields.distinct(lines.first)
        texts = [string[:-1].strip() for string in strings]
        names = [text.removeprefix("-").strip() for text in texts]
        widest = max((shape.n_fields for shape in self.shapes), default=0)
        table = np.full((len(texts), widest + 2), _ODD, dtype=np.int64)
        for code, (text, name) in enumerate(zip(texts, names, strict=True)):
            if not text:
                table[code, 1] = _BLANK
            elif name not in self.known and name not in self.computed:
                table[code, 2:] = _UNUSED
            elif not text.startswith("-"):
                for n_fields, number in self.known.get(name, {}).items():
                    table[code, n_fields] = number
        shapes: NDArray[np.int64] = table[codes, np.minimum(lines.n_fields, widest + 1)]
        if self.reading.follows_time:
            shapes[self._note_unused(lines, np.flatnonzero(shapes == _UNUSED))] = _ODD
        unused = np.bincount(codes[shapes == _UNUSED], minlength=len(texts))
        for code in np.flatnonzero(unused).tolist():
            self.reading.unused[names[code]] += int(unused[code])
        self.reading.n_records += int(unused.sum())
        return shapes

    def _note_unused(self, lines: _Lines, which: Int64) -> Int64:
        """Note the arrivals of records that no rule uses, where they have one; the result is those that are ahead."""
        fields, second = lines.fields, lines.first[which] + 1
        arrivals, is_read = read_integers(fields.text, fields.starts[second], fields.ends[second])
        odd = np.flatnonzero(~is_read)
        if len(odd):
            texts, codes = fields.distinct(second[odd])
            times = [read_time(text[:-1].strip()) for text in texts]
            arrivals[odd] = np.array([time or 0 for time in times], np.int64)[codes]
            is_read[odd] = np.array([time is not None for time in times])[codes]
        is_ahead = is_read & (arrivals > self.reading.horizon.integers)
        is_read &= ~is_ahead
        self.reading.note_unused(arrivals[is_read], self.reading.n_places + which[is_read])
        return which[is_ahead]

    def _read_fitting(self, lines: _Lines, which: Int64, shapes: Int64) -> NDArray[np.bool_]:
        """Read the lines that have the shape of a record, and return which lines were read."""
        fields, first, n_times = lines.fields, lines.first[which], self.n_times[shapes]
        arrivals, is_read = read_integers(fields.text, fields.starts[first + 1], fields.ends[first + 1])
        starts, are_points = self._points(fields, first + 2)
        is_read &= are_points & (np.maximum(arrivals, starts) <= self.reading.horizon.integers)
        ends = starts + self.tick
        intervals = np.flatnonzero(n_times == 3)
        if len(intervals):
            ends[intervals], are_points = self._points(fields, first[intervals] + 3)
            is_read[intervals] &= are_points & (ends[intervals] > starts[intervals])
        rows = np.flatnonzero(is_read)
        begins = first[rows] + 1 + n_times[rows]
        words = np.empty(len(fields.starts), np.int64)
        constants = expand_ranges(begins, lines.n_fields[which[rows]] - 1 - n_times[rows])[1]
        words[constants] = words_of(fields, constants, self.lexicon)
        places = self.reading.n_places + which[rows]
        times = (arrivals[rows], starts[rows], ends[rows])
        order = np.argsort(shapes[rows], kind="stable")
        bounds = np.searchsorted(shapes[rows][order], np.arange(len(self.shapes) + 1))
        for number, shape in enumerate(self.shapes):
            chosen = order[bounds[number] : bounds[number + 1]]
            if len(chosen):
                records = _records(shape, words, begins[chosen], *(time[chosen] for time in times))
                fits = fitting_records(shape, records, self.symbols)
                piece = ReadRecords(shape.shape == "event", (shape.name, shape.arity), records, places[chosen])
                if fits.any():
                    self.reading.add(piece if fits.all() else piece.take(fits))
                is_read[rows[chosen[~fits]]] = False
        self.reading.n_records += int(np.count_nonzero(is_read))
        return is_read

    def _points(self, fields: Fields, which: Int64) -> tuple[Int64, NDArray[np.bool_]]:
        """Fields as time-points, and which fields are time-points."""
        times, are_points = read_integers(fields.text, fields.starts[which], fields.ends[which])
        if self.tick != 1:
            are_points &= times % self.tick == 0
        return times, are_points

    def _read_slowly(self, lines: list[str], numbers: Sequence[int]) -> None:
        """Read lines, with their numbers in the block, by the slow reader."""
        slow = _SlowReading(horizon=self.reading.horizon)
        read_text_records(lines, self.file, self.names, self.tick, slow)
        operations = []
        for arrival, _, is_retraction, fact, origin in slow._operations:
            number = numbers[origin.line - 1]
            origin = replace(origin, line=self.n_lines + number + 1)
            operations.append((arrival, self.reading.n_places + number, is_retraction, fact, origin))
        self.reading.n_records += slow.n_records
        self.reading.unused += slow.unused
        self.reading.set_aside += [
            replace(misfit, line=self.n_lines + numbers[misfit.line - 1] + 1) for misfit in slow.set_aside
        ]
        self.reading.add_operations(operations, self.symbols)
        if slow.passed:
            arrivals, passed = np.array(slow.passed, np.int64).T
            places = self.reading.n_places + np.array(numbers, np.int64)[passed - 1]
            self.reading.note_unused(arrivals, places)


@dataclass
class _SlowReading(Reading):
    """Records, and the arrivals and lines of those that no rule uses."""

    passed: list[tuple[int, int]] = field(default_factory=list)

    def note_unused(self, arrival: int, line: int) -> None:
        self.passed.append((arrival, line))


def _records(shape: Record, words: Int64, begins: Int64, arrivals: Int64, starts: Int64, ends: Int64) -> Records:
    """The records of one shape; the constants of record `i` start at `words[begins[i]]`."""
    if shape.shape == "event":
        return Records([words[begins + i] for i in range(shape.arity)], arrivals, starts, None)
    columns = [words[begins + 1 + i] for i in range(shape.arity)]
    return Records([*columns, words[begins]], arrivals, starts, ends)
