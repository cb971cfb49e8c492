"""Results as lines: text in the form of RTEC that parses as Prolog, JSON lines, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from holdsfor.sinks.time_formats import ShowTime, as_integer, as_terms, as_values
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

__all__ = ["LINES", "ReportView", "TermReport", "csv_lines", "csv_row", "jsonl_lines", "report_schema", "text_lines"]


class ReportView(Protocol):
    """The result of a query time: FVPs with intervals (an open end is None), output events with time-points."""

    @property
    def query_time(self) -> int: ...

    @property
    def intervals(self) -> dict[Term, list[tuple[int, int | None]]]: ...

    @property
    def times(self) -> dict[Term, list[int]]: ...

    def written_fvps(self) -> Iterable[tuple[str, list[int], list[int | None]]]:
        """Each FVP as text, with the starts and the ends of its intervals."""

    def written_events(self) -> Iterable[tuple[str, list[int]]]:
        """Each output event as text, with its time-points."""

    def table(self) -> Any:
        """The result as an Arrow table; see `holdsfor.columns.result_table`."""


@dataclass(frozen=True)
class TermReport:
    """A report of terms and lists."""

    query_time: int
    intervals: dict[Term, list[tuple[int, int | None]]]
    times: dict[Term, list[int]]

    def written_fvps(self) -> Iterator[tuple[str, list[int], list[int | None]]]:
        """Each FVP as text, with the starts and the ends of its intervals."""
        for fvp, spans in self.intervals.items():
            yield show(fvp), [start for start, _ in spans], [end for _, end in spans]

    def written_events(self) -> Iterator[tuple[str, list[int]]]:
        """Each output event as text, with its time-points."""
        for event, times in self.times.items():
            yield show(event), times

    def table(self) -> Any:
        """The result as an Arrow table."""
        import numpy as np

        from holdsfor.columns.entities import Entity
        from holdsfor.columns.result_table import Extents, result_table
        from holdsfor.kernels.packing import OPEN

        spans = [span for spans in self.intervals.values() for span in spans]
        starts = np.array([start for start, _ in spans], np.int64)
        ends = np.array([OPEN if end is None else end for _, end in spans], np.int64)
        times = np.array([time for times in self.times.values() for time in times], np.int64)
        fvps = Extents(list(map(Entity, self.intervals)), _counts(self.intervals), starts, ends)
        events = Extents(list(map(Entity, self.times)), _counts(self.times), times, times)
        return result_table(self.query_time, fvps, events)


def _counts(lists: dict[Term, list[Any]]) -> Any:
    import numpy as np

    return np.array([len(each) for each in lists.values()], np.int64)


def report_schema() -> Any:
    """The columns of a result as a table."""
    from holdsfor.columns.result_table import result_schema

    return result_schema()


def text_lines(findings: Iterable[ReportView], shown: ShowTime = as_integer) -> Iterator[str]:
    """`holdsFor(F=V, [(S,E),…]).` and `happensAt(E, [T,…]).`, one per line."""
    for known in findings:
        yield f"% query time {shown(known.query_time)}"
        for fvp, starts, ends in known.written_fvps():
            bounds = zip(as_terms(starts, shown), as_terms(ends, shown), strict=True)
            yield f"holdsFor({fvp}, [{','.join([f'({start},{end})' for start, end in bounds])}])."
        for event, times in known.written_events():
            yield f"happensAt({event}, [{','.join(map(str, as_terms(times, shown)))}])."


def jsonl_lines(findings: Iterable[ReportView], shown: ShowTime = as_integer) -> Iterator[str]:
    """One object per FVP and per output event; an open end is `null`."""
    for known in findings:
        at = shown(known.query_time)
        for fvp, starts, ends in known.written_fvps():
            spans = list(zip(map(shown, starts), as_values(ends, shown), strict=True))
            yield _json({"query_time": at, "fvp": fvp, "intervals": spans})
        for event, times in known.written_events():
            yield _json({"query_time": at, "event": event, "times": list(map(shown, times))})


_json = json.JSONEncoder(ensure_ascii=False).encode


def csv_lines(findings: Iterable[ReportView], shown: ShowTime = as_integer) -> Iterator[str]:
    """One row per interval and per time-point; an open end is empty, an event starts and ends at its time-point."""
    yield csv_row("query_time", "kind", "name", "start", "end")
    for known in findings:
        at = shown(known.query_time)
        for fvp, starts, ends in known.written_fvps():
            named = csv_row(at, "fvp", fvp)
            for start, end in zip(map(shown, starts), as_values(ends, shown), strict=True):
                yield f"{named},{start},{'' if end is None else end}"
        for event, times in known.written_events():
            named = csv_row(at, "event", event)
            yield from (f"{named},{time},{time}" for time in map(shown, times))


def csv_row(*fields: object) -> str:
    """Fields as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


LINES = {"text": text_lines, "jsonl": jsonl_lines, "csv": csv_lines}
