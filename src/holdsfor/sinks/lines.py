"""Results as lines: text that reads like RTEC's and parses as Prolog, JSON lines, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from holdsfor.sinks.times import ShowTime, as_integer, as_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

__all__ = ["LINES", "Findings", "Known", "csv_lines", "csv_row", "findings_schema", "jsonl_lines", "text_lines"]


class Findings(Protocol):
    """What is known at a query time: FVPs with intervals (an open end is None), output events with time-points."""

    @property
    def query_time(self) -> int: ...

    @property
    def intervals(self) -> dict[Term, list[tuple[int, int | None]]]: ...

    @property
    def times(self) -> dict[Term, list[int]]: ...

    def table(self) -> Any:
        """The same as an Arrow table; see `holdsfor.columns.answers`."""


@dataclass(frozen=True)
class Known:
    """Findings that are given as terms and lists."""

    query_time: int
    intervals: dict[Term, list[tuple[int, int | None]]]
    times: dict[Term, list[int]]

    def table(self) -> Any:
        """The same as an Arrow table."""
        import numpy as np

        from holdsfor.columns.answers import Extents, answer_table
        from holdsfor.kernels.packing import OPEN

        spans = [span for spans in self.intervals.values() for span in spans]
        starts = np.array([start for start, _ in spans], np.int64)
        ends = np.array([OPEN if end is None else end for _, end in spans], np.int64)
        times = np.array([time for times in self.times.values() for time in times], np.int64)
        fvps = Extents(list(self.intervals), _counts(self.intervals), starts, ends)
        return answer_table(self.query_time, fvps, Extents(list(self.times), _counts(self.times), times, times))


def _counts(lists: dict[Term, list[Any]]) -> Any:
    import numpy as np

    return np.array([len(each) for each in lists.values()], np.int64)


def findings_schema() -> Any:
    """The columns of findings as a table."""
    from holdsfor.columns.answers import answer_schema

    return answer_schema()


def text_lines(findings: Iterable[Findings], shown: ShowTime = as_integer) -> Iterator[str]:
    """`holdsFor(F=V, [(S,E),…]).` and `happensAt(E, [T,…]).`, one a line."""
    for known in findings:
        yield f"% query time {shown(known.query_time)}"
        for fvp, intervals in known.intervals.items():
            pairs = ",".join(f"({as_term(start, shown)},{as_term(end, shown)})" for start, end in intervals)
            yield f"holdsFor({show(fvp)}, [{pairs}])."
        for event, times in known.times.items():
            yield f"happensAt({show(event)}, [{','.join(as_term(time, shown) for time in times)}])."


def jsonl_lines(findings: Iterable[Findings], shown: ShowTime = as_integer) -> Iterator[str]:
    """One object per FVP and per output event; an open end is `null`."""
    for known in findings:
        at = shown(known.query_time)
        for fvp, intervals in known.intervals.items():
            spans = [[shown(start), None if end is None else shown(end)] for start, end in intervals]
            yield _json({"query_time": at, "fvp": show(fvp), "intervals": spans})
        for event, times in known.times.items():
            yield _json({"query_time": at, "event": show(event), "times": [shown(time) for time in times]})


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def csv_lines(findings: Iterable[Findings], shown: ShowTime = as_integer) -> Iterator[str]:
    """One row per interval and per time-point; an open end is empty, an event starts and ends at its time-point."""
    yield csv_row("query_time", "kind", "name", "start", "end")
    for known in findings:
        at = shown(known.query_time)
        for fvp, intervals in known.intervals.items():
            for start, end in intervals:
                yield csv_row(at, "fvp", show(fvp), shown(start), "" if end is None else shown(end))
        for event, times in known.times.items():
            for time in times:
                yield csv_row(at, "event", show(event), shown(time), shown(time))


def csv_row(*fields: object) -> str:
    """Fields as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


LINES = {"text": text_lines, "jsonl": jsonl_lines, "csv": csv_lines}
