"""Query times one after another: what each has to tell, or what all of them settle together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from holdsfor.runtime.reports import Report, merged
from holdsfor.runtime.session import Session

__all__ = ["each_report", "query_times", "settled_report"]


def query_times(start: int, end: int, step: int | None) -> list[int]:
    """`start + step`, `start + 2*step`, … up to the first at or after the end; without a step just the end.

    >>> query_times(0, 25, 10)
    [10, 20, 30]
    """
    if step is None:
        return [end]
    n = max(1, -(-(end - start) // step))
    return [start + k * step for k in range(1, n + 1)]


def each_report(session: Session, queries: Iterable[int]) -> Iterator[Report]:
    """What is known at each query time about its window."""
    previous: Report | None = None
    for at in queries:
        report = session.query(at)
        yield report if session.window is None else report.after(session.window_start(at), session.tick, previous)
        previous = report


def settled_report(session: Session, queries: Sequence[int]) -> Report:
    """What all query times together have settled, and the last one knows."""
    settled: list[Report] = []
    for i, at in enumerate(queries):
        report = session.query(at)
        is_last = i + 1 == len(queries)
        settled.append(report if is_last else report.before(session.settled_at(queries[i + 1])))
    return merged(settled)
