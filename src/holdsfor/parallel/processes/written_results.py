"""Results as lines of text that every process formats for its own keys, merged in the order of one process.

A process writes the lines of its FVPs and events to a file, report by report, and their lengths to a file of blocks.
The first process reads the files of all processes side by side, sorts the FVPs and events of each report, and copies
their lines to the output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.result_table import Extents
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.runtime.reports.report import ReportColumns, standard_order_of
from holdsfor.sinks.column_lines import ENTITY_TEXTS
from holdsfor.sinks.text_columns import lengths_and_bytes
from holdsfor.sinks.time_formats import ShowTime
from holdsfor.sinks.written_lines import WrittenReport

__all__ = ["LineLayout", "ReportCounts", "WrittenPart", "merged_reports", "report_blocks"]

_EVENT, _FLUENT, _END = "event", "fluent", "end"
_LENGTH = "length"
_LONG = 1 << 9
"""The bytes of the lines of an FVP, on average, from which each is copied by itself."""

_BLOCK = 1 << 24
"""The bytes of lines that are copied together."""


@dataclass(frozen=True)
class LineLayout:
    """The format of lines, the notation of times, and whether lines have their query time."""

    form: str
    shown: ShowTime
    has_query_time: bool


@dataclass(frozen=True)
class ReportCounts:
    """The numbers of a report for the log: FVPs, intervals, time-points at which FVPs hold, and events."""

    n_fvps: int
    n_intervals: int
    n_time_points: int
    n_occurrences: int

    def __add__(self, other: ReportCounts) -> ReportCounts:
        return ReportCounts(
            self.n_fvps + other.n_fvps,
            self.n_intervals + other.n_intervals,
            self.n_time_points + other.n_time_points,
            self.n_occurrences + other.n_occurrences,
        )

    def as_facts(self) -> Facts:
        """The numbers as the facts that end a report in a file."""
        numbers = {name: np.array([number], np.int64) for name, number in vars(self).items()}
        return Facts(_END, "", 0, 1, times=numbers)

    @staticmethod
    def of_facts(facts: Facts) -> ReportCounts:
        return ReportCounts(**{name: int(column[0]) for name, column in facts.times.items()})


# -- writing -----------------------------------------------------------------------------------------------------------


def report_blocks(
    reports: Iterable[tuple[ReportColumns, int]], layout: LineLayout, symbols: Symbols, tick: int, file: BinaryIO
) -> Iterator[ShuffleBlock]:
    """Write the lines of reports, each with the time after which its time-points are counted, to a file.

    The blocks have the FVPs and events of the lines, with the length of the lines of each.
    """
    for report, after in reports:
        n_fvps = 0
        for facts, lines in _written(report, layout, symbols):
            n_fvps += facts.n if facts.kind == _FLUENT else 0
            file.write(lines)
            yield ShuffleBlock(NO_STAGE, (0,), 1, facts)
        n_time_points = report.n_time_points(after, tick)
        counts = ReportCounts(n_fvps, report.n_intervals, n_time_points, report.n_occurrences)
        yield ShuffleBlock(NO_STAGE, (0,), 1, counts.as_facts())


def _written(report: ReportColumns, layout: LineLayout, symbols: Symbols) -> Iterator[tuple[Facts, memoryview]]:
    at = layout.shown(report.query_time) if layout.has_query_time else None
    texts = ENTITY_TEXTS[layout.form]
    for is_event, tables in ((False, report.fluents), (True, report.events)):
        for key in tables:
            words, counts, spans = (report.event_rows if is_event else report.fvp_rows)(key, symbols)
            entities = symbols.entities
            described = entities.events(key, words, len(counts)) if is_event else entities.fvps(key, words)
            for a, b, found in texts(at, Extents(described, counts, *spans), layout.shown, is_event=is_event):
                lengths, lines = lengths_and_bytes(found)
                own = [column[a:b] for column in words]
                yield Facts(_EVENT if is_event else _FLUENT, *key, b - a, own, {_LENGTH: lengths}), lines


# -- reading -----------------------------------------------------------------------------------------------------------


@dataclass
class WrittenPart:
    """The lines of a process: their FVPs and events, and the bytes of the file, of which some are read."""

    blocks: Iterator[ShuffleBlock]
    content: NDArray[np.uint8]
    n_read: int = 0

    @staticmethod
    def of(lines: str, blocks: Iterator[ShuffleBlock]) -> WrittenPart:
        is_empty = Path(lines).stat().st_size == 0
        return WrittenPart(blocks, np.zeros(0, np.uint8) if is_empty else np.memmap(lines, np.uint8, "r"))

    def next_report(self) -> tuple[list[_Lines], ReportCounts]:
        """The lines of the next report, and its counts."""
        found: list[_Lines] = []
        for block in self.blocks:
            if block.facts.kind == _END:
                return found, ReportCounts.of_facts(block.facts)
            n = int(block.facts.times[_LENGTH].sum())
            found.append(_Lines(block.facts, self.content[self.n_read : self.n_read + n]))
            self.n_read += n
        raise AssertionError("a report has no end")


@dataclass(frozen=True)
class _Lines:
    """FVPs or events of one name, and their lines, one after the other."""

    facts: Facts
    content: NDArray[np.uint8]


def merged_reports(
    parts: Sequence[WrittenPart], query_times: Iterable[int], symbols: Symbols
) -> Iterator[tuple[WrittenReport, ReportCounts]]:
    """The reports of query times, made of the lines of all processes; lines are read report by report."""
    for at in query_times:
        found: list[_Lines] = []
        counts = ReportCounts(0, 0, 0, 0)
        for part in parts:
            lines, numbers = part.next_report()
            found += lines
            counts += numbers
        yield WrittenReport(at, _merged(found, symbols)), counts


def _merged(found: list[_Lines], symbols: Symbols) -> Iterator[memoryview]:
    """The lines of a report: FVPs, then events, each by arity and name, then in standard order."""
    found.sort(key=_order)
    for _, same in groupby(found, key=_order):
        yield from _joined(list(same), symbols)


def _order(lines: _Lines) -> tuple[bool, int, str]:
    facts = lines.facts
    return facts.kind == _EVENT, facts.arity, facts.name


def _joined(parts: list[_Lines], symbols: Symbols) -> Iterator[memoryview]:
    """The lines of the FVPs or events of one name, in standard order."""
    words = concatenate_columns(part.facts.words for part in parts)
    lengths = np.concatenate([part.facts.times[_LENGTH] for part in parts])
    order = standard_order_of(words, symbols) if words else np.arange(len(lengths), dtype=np.int64)
    if lengths.sum() < _LONG * len(lengths):
        yield from _copied(parts, lengths, order)
        return
    slices = [piece for part in parts for piece in _divided(part)]
    for row in order.tolist():
        yield slices[row]


def _divided(lines: _Lines) -> Iterator[memoryview]:
    """The lines of each FVP or event."""
    content, first = lines.content.data, 0
    for last in np.cumsum(lines.facts.times[_LENGTH]).tolist():
        yield content[first:last]
        first = last


def _copied(parts: list[_Lines], lengths: Int64, order: Int64) -> Iterator[memoryview]:
    """The lines of many FVPs or events in blocks: a copy of each would take longer than its bytes."""
    bounds = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    content = np.concatenate([part.content for part in parts])
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(content)]
    lines = pa.Array.from_buffers(pa.large_binary(), len(lengths), buffers)
    numbers = np.cumsum(lengths[order]) // _BLOCK
    cuts = np.flatnonzero(np.diff(numbers, prepend=-1, append=-1)).tolist()
    for first, last in pairwise(cuts):
        yield lengths_and_bytes(lines.take(pa.array(order[first:last])))[1]
