"""Query times one after another: what each has to tell, or what all of them settle together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.runtime.reports import Report, merged
from holdsfor.runtime.session import Session

__all__ = ["check_bounds", "check_windows", "each_report", "query_times", "settled_report", "settled_so_far"]


LATEST = 2**62


def check_windows(tick: int, window: int | None, step: int | None, allen_memory: int | None = None) -> None:
    """Refuse windows that no run can have."""
    for name, size in (("clock tick", tick), ("window", window), ("step", step), ("memory", allen_memory)):
        if size is not None and size > LATEST:
            message = f"the {name} is {size}, expected at most 2**62"
            raise UsageProblem(Diagnostic("HF703", message, hint="time-points lie between -2**62 and 2**62"))
    if tick < 1:
        message = f"the clock tick is {tick}, expected at least 1"
        raise UsageProblem(Diagnostic("HF701", message, hint="it is the distance of time-points"))
    if step is not None and window is None:
        raise UsageProblem(Diagnostic("HF703", "a step needs a window", hint="give the window too"))
    for name, value in (("window", window), ("step", step)):
        if value is not None and value < 1:
            raise UsageProblem(Diagnostic("HF703", f"the {name} is {value}, expected at least 1"))
        if value is not None and value % tick:
            message = f"the {name} {value} is not a multiple of the clock tick {tick}"
            raise UsageProblem(Diagnostic("HF703", message, hint="query times are time-points"))
    if allen_memory is not None and allen_memory < 0:
        raise UsageProblem(Diagnostic("HF703", f"the memory of Allen relations is {allen_memory}, expected at least 0"))
    if window is not None and step is not None and step > window:
        message = f"the step {step} is longer than the window {window}"
        raise UsageProblem(Diagnostic("HF703", message, hint="records between two windows would never be seen"))


def check_bounds(start: int | None, end: int | None) -> None:
    """Refuse a run that begins or ends beyond all time-points."""
    for name, time in (("starts", start), ("ends", end)):
        if time is not None and not -LATEST <= time <= LATEST:
            message = f"the run {name} at {time}, expected a time-point between -2**62 and 2**62"
            raise UsageProblem(Diagnostic("HF705", message))


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


def settled_report(session: Session, queries: Sequence[int], *, merge_windows: bool = True) -> Report:
    """What all query times together have settled, and the last one knows; all records must be inserted.

    Which query time sees a record first is known then, so nothing is late any more, and since windows do not change
    what is settled, many short ones are evaluated as few long ones. Without `merge_windows` each query time is
    evaluated with its own window.
    """
    if session.window is None:
        return session.query(queries[-1])
    if not merge_windows:
        return settled_so_far(session, queries)
    session.admit_all(queries)
    few = list(queries) if session.asks_for_the_query_time else _far_apart(session, queries)
    settled: list[Report] = []
    for at, following in zip(few, [*few[1:], None], strict=True):
        report = session.query(at)
        if following is not None:
            session.window = following - at
            report = report.before(session.settled_at(following))
        settled.append(report)
    return merged(settled)


def settled_so_far(session: Session, queries: Iterable[int]) -> Report:
    """What query times have settled together, and the last one knows, when they come one by one; there must be one."""
    reports: list[Report] = []
    for at in queries:
        if reports:
            reports[-1] = reports[-1].before(session.settled_at(at))
        reports.append(session.query(at))
    return merged(reports)


_WORTH_A_WINDOW = 250_000


def _far_apart(session: Session, queries: Sequence[int]) -> list[int]:
    """Some of the query times, the last included, with enough records between them to be worth a window."""
    known = np.zeros(len(queries), dtype=np.int64)
    for records in (*session.events.values(), *session.fluents.values()):
        records.sort()
        known += records.starts.searchsorted(queries, side="right")
    n_seen = 0
    few: list[int] = []
    for at, n in zip(queries[:-1], known.tolist(), strict=False):
        if n - n_seen >= _WORTH_A_WINDOW:
            few.append(at)
            n_seen = n
    return [*few, queries[-1]]
