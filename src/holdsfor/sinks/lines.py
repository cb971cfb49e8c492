"""Results as lines: text that reads like RTEC's and parses as Prolog, or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator

from holdsfor.reference import INF, Answer
from holdsfor.syntax.printer import show

__all__ = ["FORMATS", "jsonl_lines", "text_lines"]


def text_lines(answer: Answer) -> Iterator[str]:
    """`holdsFor(F=V, [(S,E),…]).` and `happensAt(E, [T,…]).`, one a line."""
    yield f"% query time {answer.run.end}"
    for fvp, intervals in answer.intervals.items():
        pairs = ",".join(f"({start},{'inf' if end == INF else end})" for start, end in intervals)
        yield f"holdsFor({show(fvp)}, [{pairs}])."
    for event, times in answer.times.items():
        yield f"happensAt({show(event)}, [{','.join(map(str, times))}])."


def jsonl_lines(answer: Answer) -> Iterator[str]:
    """One object per FVP and per output event; an open end is `null`."""
    query_time = answer.run.end
    for fvp, intervals in answer.intervals.items():
        pairs = [[start, None if end == INF else end] for start, end in intervals]
        yield _json({"query_time": query_time, "fvp": show(fvp), "intervals": pairs})
    for event, times in answer.times.items():
        yield _json({"query_time": query_time, "event": show(event), "times": list(times)})


def _json(value: dict[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


FORMATS = {"text": text_lines, "jsonl": jsonl_lines}
