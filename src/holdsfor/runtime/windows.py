"""Consecutive query times: the report of each, or the settled results of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from holdsfor.columns.query_times import ALL_ARRIVED, QueryTimes
from holdsfor.errors import Diagnostic, Hint, UsageProblem
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.reports.report import ReportColumns, merged
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.spilled_input import SpilledInput
from holdsfor.syntax.time_points import EARLIEST, LATEST

__all__ = [
    "busy_query_times",
    "check_bounds",
    "check_distance",
    "check_idle_query_times",
    "check_query_times",
    "check_windows",
    "each_report",
    "n_repeated",
    "settled_parts",
    "settled_report",
    "settled_so_far",
]


def check_windows(tick: int, window: int | None, step: int | None, allen_memory: int | None = None) -> None:
    """Refuse invalid windows."""
    if not isinstance(tick, int) or isinstance(tick, bool):
        message = f"expected an integer as the clock tick, found `{tick}`"
        raise UsageProblem(Diagnostic("HF701", message, hint="it is the distance between time-points"))
    for name, size in (("clock tick", tick), ("window", window), ("step", step), ("memory", allen_memory)):
        if size is not None and size > LATEST:
            message = f"the {name} is {size}, expected at most 2^62"
            raise UsageProblem(Diagnostic("HF703", message, hint="time-points are between -2^62 and 2^62"))
    if tick < 1:
        message = f"the clock tick is {tick}, expected at least 1"
        raise UsageProblem(Diagnostic("HF701", message, hint="it is the distance between time-points"))
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
        raise UsageProblem(Diagnostic("HF703", message, hint="records between two windows would be lost"))


def check_bounds(start: int | None, end: int | None) -> None:
    """Refuse a run that begins or ends outside the range of time-points."""
    for name, time in (("starts", start), ("ends", end)):
        if time is not None and not EARLIEST <= time <= LATEST:
            message = f"the run {name} at {time}, expected a time-point between -2^62 and 2^62"
            raise UsageProblem(Diagnostic("HF705", message))


_MOST_QUERY_TIMES = 10_000_000


def check_query_times(queries: QueryTimes, last: int) -> None:
    """Refuse a run that has to evaluate every query time and has too many of them."""
    n = queries.n_up_to(last)
    if n > _MOST_QUERY_TIMES:
        run = f"the run from {queries.start} to {queries.end}"
        message = f"{run} has {n} query times, expected at most {_MOST_QUERY_TIMES}"
        raise UsageProblem(Diagnostic("HF703", message, hint=_long_run()))


def _long_run(reason: str = "") -> Hint:
    reason += "a wrong time in one record makes a run this long: give "
    return Hint(f"{reason}`end`, or a longer `step`", on_command_line=f"{reason}`--end`, or a longer `--step`")


def check_idle_query_times(session: EngineSession, queries: QueryTimes, last: int) -> None:
    """Refuse a run whose rules depend on the query time, with too many query times far from records."""
    if not session.rules.uses_query_time or queries.step is None or queries.n_up_to(last) <= _MOST_QUERY_TIMES:
        return
    moments = session.records.moments(session.tick)
    inside = moments[(moments > queries.start) & (moments < last)]
    gaps = np.diff(np.concatenate(([queries.start], inside, [last])).astype(np.int64)).view(np.uint64)
    n_idle = sum((gap - (session.window or 0)) // queries.step for gap in gaps[gaps > (session.window or 0)].tolist())
    if n_idle > _MOST_QUERY_TIMES:
        raise _too_many_idle(queries.start, last, n_idle)


def check_distance(session: EngineSession, at: int, following: int, step: int) -> None:
    """Refuse to evaluate all query times of a long gap for rules that depend on the query time."""
    n_idle = (following - at - (session.window or 0)) // step
    if session.rules.uses_query_time and n_idle > _MOST_QUERY_TIMES:
        raise _too_many_idle(at, following, n_idle)


def _too_many_idle(first: int, last: int, n_idle: int) -> UsageProblem:
    message = f"from {first} to {last} there are {n_idle} query times without a record in their window"
    hint = _long_run("rules that use `queryTime` are evaluated at each of them; ")
    return UsageProblem(Diagnostic("HF703", f"{message}, expected at most {_MOST_QUERY_TIMES}", hint=hint))


def busy_query_times(
    session: EngineSession, queries: QueryTimes, last: int, *, n_idle: int = 0, spilled: SpilledInput | None = None
) -> Iterator[int]:
    """The query times up to the last, without those at which no result can change.

    Of consecutive unchanged query times, the first `n_idle` are included. Each query time must be evaluated before the
    next one is requested. Records of `spilled` are inserted before the query time that sees them.
    """
    if spilled is not None and session.rules.uses_query_time and queries.n_up_to(last) > _MOST_QUERY_TIMES:
        spilled.insert_until(ALL_ARRIVED)
    check_idle_query_times(session, queries, last)
    step, at, n_quiet = queries.step, queries.at_or_after(queries.start), 0
    while step is not None and at < last:
        if spilled is not None:
            spilled.insert_until(at)
        yield at
        change = session.next_change() if spilled is None else spilled.next_change()
        busy = last if change is None else min(last, queries.at_or_after(change))
        n_left_out = (busy - at - 1) // step
        n_quiet = n_quiet + 1 if n_left_out else 0
        if n_quiet > n_idle:
            session.skip_to(at + n_left_out * step)
            at, n_quiet = busy, 0
        else:
            at += step
    if spilled is not None:
        spilled.insert_until(last)
    yield last


def n_repeated(window: int | None, step: int | None) -> int:
    """The number of equal consecutive reports, after which further ones are left out."""
    return max(_REPEATED, 0 if window is None or step is None else window // step + 2)


_REPEATED = 1_000


def each_report(session: EngineSession, queries: Iterable[int]) -> Iterator[ReportColumns]:
    """The report of each query time about its window."""
    for at in queries:
        previous, report = session.last_report(), session.query(at)
        yield report if session.window is None else report.after(session.window_start(at), session.tick, previous)


def settled_report(
    session: EngineSession, queries: QueryTimes, last: int, *, merge_windows: bool = True
) -> ReportColumns:
    """The results settled by all query times, and those of the last one; all records must be inserted."""
    return merged(settled_parts(session, queries, last, merge_windows=merge_windows))


def settled_parts(
    session: EngineSession,
    queries: QueryTimes,
    last: int,
    *,
    merge_windows: bool = True,
    spilled: SpilledInput | None = None,
) -> Iterator[ReportColumns]:
    """The results that each query time settles, and those of the last one; all records are inserted or `spilled`.

    The query time that sees a record first is then known, so no record is late. Windows do not change settled results,
    so many short windows are evaluated as few long ones. Without `merge_windows` each query time is evaluated with its
    own window.
    """
    if session.window is None:
        return iter([session.query(last)])
    if not merge_windows:
        return settled_so_far(session, busy_query_times(session, queries, last, spilled=spilled))
    if session.rules.uses_query_time:
        check_query_times(queries, last)
    few = _admitted_whole(session, queries, last) if spilled is None else _admitted(session, queries, last, spilled)
    return _settled_parts(session, few)


def _settled_parts(session: EngineSession, few: Iterator[int]) -> Iterator[ReportColumns]:
    """The results that each query time settles, and those of the last one; windows reach back to the previous one."""
    report: ReportColumns | None = None
    for at in few:
        if report is not None:
            session.window = at - report.query_time
            yield report.before(session.settled_at(at))
        report = session.query(at)
    assert report is not None
    yield report


def _admitted_whole(session: EngineSession, queries: QueryTimes, last: int) -> Iterator[int]:
    """Query times for the evaluation of all records."""
    session.admit_all(queries)
    yield from queries.up_to(last) if session.rules.uses_query_time else _far_apart(session, queries, last)


def _admitted(session: EngineSession, queries: QueryTimes, last: int, spilled: SpilledInput) -> Iterator[int]:
    """Query times for the evaluation of records on disk, each when it may be evaluated.

    A record that arrives more than a window after a time-point does not change it. So a query time is evaluated when
    the records of the following window are inserted.
    """
    assert queries.window is not None
    assert queries.step is not None
    due = queries.start + queries.step
    while due <= last:
        spilled.insert_until(max(due + queries.window, spilled.inserted_until + 1))
        session.admit_all(queries)
        until = queries.at_or_before(min(last, spilled.inserted_until - queries.window))
        if spilled.inserted_until >= last:
            until = last
        if due <= until:
            yield from range(due if session.rules.uses_query_time else until, until + 1, queries.step)
            due = until + queries.step


def settled_so_far(session: EngineSession, queries: Iterable[int]) -> Iterator[ReportColumns]:
    """The results that consecutive query times settle, and those of the last one."""
    report: ReportColumns | None = None
    for at in queries:
        if report is not None:
            yield report.before(session.settled_at(at))
        report = session.query(at)
    if report is not None:
        yield report


_WORTH_A_WINDOW = 250_000


def _far_apart(session: EngineSession, queries: QueryTimes, last: int) -> list[int]:
    """Some of the query times, including the last, with enough records between them for a window."""
    nth = max(1, _WORTH_A_WINDOW // 1_000)
    sampled: list[Int64] = []
    for records in session.records.all:
        records.sort()
        sampled.append(records.starts[::nth])
    starts = np.sort(concatenate_column(sampled))
    n_worth = max(1, _WORTH_A_WINDOW // nth)
    few = np.unique(queries.seen_at(starts[n_worth::n_worth])).tolist()
    return [*(at for at in few if at < last), last]
