"""Results as lines: text that reads like RTEC's and parses as Prolog, JSON lines, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

__all__ = ["FORMATS", "Known", "csv_lines", "csv_row", "jsonl_lines", "text_lines"]


@dataclass(frozen=True)
class Known:
    """What is known at a query time: intervals of FVPs (an open end is None) and time-points of output events."""

    query_time: int
    intervals: dict[Term, list[tuple[int, int | None]]]
    times: dict[Term, list[int]]


def text_lines(reports: Iterable[Known]) -> Iterator[str]:
    """`holdsFor(F=V, [(S,E),…]).` and `happensAt(E, [T,…]).`, one a line."""
    for known in reports:
        yield f"% query time {known.query_time}"
        for fvp, intervals in known.intervals.items():
            pairs = ",".join(f"({start},{'inf' if end is None else end})" for start, end in intervals)
            yield f"holdsFor({show(fvp)}, [{pairs}])."
        for event, times in known.times.items():
            yield f"happensAt({show(event)}, [{','.join(map(str, times))}])."


def jsonl_lines(reports: Iterable[Known]) -> Iterator[str]:
    """One object per FVP and per output event; an open end is `null`."""
    for known in reports:
        for fvp, intervals in known.intervals.items():
            yield _json({"query_time": known.query_time, "fvp": show(fvp), "intervals": [list(i) for i in intervals]})
        for event, times in known.times.items():
            yield _json({"query_time": known.query_time, "event": show(event), "times": times})


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def csv_lines(reports: Iterable[Known]) -> Iterator[str]:
    """One row per interval and per time-point; an open end is empty, an event starts and ends at its time-point."""
    yield csv_row("query_time", "kind", "name", "start", "end")
    for known in reports:
        for fvp, intervals in known.intervals.items():
            for start, end in intervals:
                yield csv_row(known.query_time, "fvp", show(fvp), start, "" if end is None else end)
        for event, times in known.times.items():
            for time in times:
                yield csv_row(known.query_time, "event", show(event), time, time)


def csv_row(*fields: object) -> str:
    """Fields as a line of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


FORMATS = {"text": text_lines, "jsonl": jsonl_lines, "csv": csv_lines}
