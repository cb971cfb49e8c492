"""Results as lines: text that reads like RTEC's and parses as Prolog, JSON lines, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

__all__ = ["LINES", "Answer", "Known", "csv_lines", "jsonl_lines", "text_lines"]


class Answer(Protocol):
    """What is known at a query time: FVPs with intervals (an open end is None), output events with time-points."""

    @property
    def query_time(self) -> int: ...

    @property
    def intervals(self) -> dict[Term, list[tuple[int, int | None]]]: ...

    @property
    def times(self) -> dict[Term, list[int]]: ...

    def table(self) -> Any:
        """The same as an Arrow table; see `holdsfor.columns.instances`."""


@dataclass(frozen=True)
class Known:
    """What is known at a query time: intervals of FVPs (an open end is None) and time-points of output events."""

    query_time: int
    intervals: dict[Term, list[tuple[int, int | None]]]
    times: dict[Term, list[int]]

    def table(self) -> Any:
        """The same as an Arrow table."""
        import numpy as np

        from holdsfor.columns.instances import Instances, answer_table
        from holdsfor.kernels.packing import OPEN

        spans = [span for spans in self.intervals.values() for span in spans]
        starts = np.array([start for start, _ in spans], np.int64)
        ends = np.array([OPEN if end is None else end for _, end in spans], np.int64)
        times = np.array([time for times in self.times.values() for time in times], np.int64)
        fvps = Instances(list(self.intervals), _counts(self.intervals), starts, ends)
        return answer_table(self.query_time, fvps, Instances(list(self.times), _counts(self.times), times, times))


def _counts(lists: dict[Term, list[Any]]) -> Any:
    import numpy as np

    return np.array([len(each) for each in lists.values()], np.int64)


def text_lines(reports: Iterable[Answer]) -> Iterator[str]:
    """`holdsFor(F=V, [(S,E),…]).` and `happensAt(E, [T,…]).`, one a line."""
    for known in reports:
        yield f"% query time {known.query_time}"
        for fvp, intervals in known.intervals.items():
            pairs = ",".join(f"({start},{'inf' if end is None else end})" for start, end in intervals)
            yield f"holdsFor({show(fvp)}, [{pairs}])."
        for event, times in known.times.items():
            yield f"happensAt({show(event)}, [{','.join(map(str, times))}])."


def jsonl_lines(reports: Iterable[Answer]) -> Iterator[str]:
    """One object per FVP and per output event; an open end is `null`."""
    for known in reports:
        for fvp, intervals in known.intervals.items():
            yield _json({"query_time": known.query_time, "fvp": show(fvp), "intervals": [list(i) for i in intervals]})
        for event, times in known.times.items():
            yield _json({"query_time": known.query_time, "event": show(event), "times": times})


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def csv_lines(reports: Iterable[Answer]) -> Iterator[str]:
    """One row per interval and per time-point; an open end is empty, an event starts and ends at its time-point."""
    yield _row("query_time", "kind", "name", "start", "end")
    for known in reports:
        for fvp, intervals in known.intervals.items():
            for start, end in intervals:
                yield _row(known.query_time, "fvp", show(fvp), start, "" if end is None else end)
        for event, times in known.times.items():
            for time in times:
                yield _row(known.query_time, "event", show(event), time, time)


def _row(*fields: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


LINES = {"text": text_lines, "jsonl": jsonl_lines, "csv": csv_lines}
