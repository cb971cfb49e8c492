"""`recognise`: the results of rules over files, tables and records.

>>> import holdsfor as hf
>>> rules = hf.load_text('''
... initiatedAt(rich(X)=true, T) :- happensAt(win_lottery(X), T).
... terminatedAt(rich(X)=true, T) :- happensAt(lose_wallet(X), T).
... ''')
>>> import pyarrow as pa
>>> events = pa.table({"name": ["win_lottery", "lose_wallet"], "start": [13, 19], "arg1": ["chris", "chris"]})
>>> result = hf.recognise(rules, events)
>>> result.holds_for("rich(chris)=true")
[(14, 20)]
>>> result
Result at 19: 1 FVP, 0 events
  rich(chris)=true  [(14,20)]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.analysis.pipeline import Compiled
from holdsfor.api.results import Result
from holdsfor.errors import Diagnostic, UsageProblem

if TYPE_CHECKING:
    from holdsfor.arrow_stream import ArrowStream
    from holdsfor.sources.python_objects import Event, Fluent
    from holdsfor.sources.times import Unit

__all__ = ["Input", "recognise"]

Table: TypeAlias = "str | Path | ArrowStream"
Records: TypeAlias = "Event | Fluent | Iterable[Event | Fluent | str]"
Input: TypeAlias = "Table | tuple[Table, str | Mapping[str, str]] | Records"
"""A file or a table, also with a description of its columns, or records as objects or lines of text."""


def recognise(
    rules: Compiled,
    *data: Input,
    start: int | None = None,
    end: int | None = None,
    tick: int = 1,
    window: int | None = None,
    step: int | None = None,
    time_unit: Unit = "s",
    allen_memory: int | None = None,
    merge_windows: bool = True,
) -> Result:
    """The settled result of the rules over files, Arrow tables, frames or records, for all query times.

    A table with its own columns is given with a description of its rows: `(frame, "happensAt(speed(id, kmh), ts)")`.
    Records that do not fit are in `result.reading.set_aside`. Without a window, the whole history is one window. An
    interval that ended more than `allen_memory` ago is no longer `before` a later one; the default is the window.
    Windows do not change settled results, so many short windows are evaluated as few long ones; without
    `merge_windows` every query time is evaluated.

    >>> import holdsfor as hf
    >>> rules = hf.load_text('''
    ... initiatedAt(fast(V)=true, T) :- happensAt(speed(V, Kmh), T), Kmh > 50.
    ... terminatedAt(fast(V)=true, T) :- happensAt(speed(V, Kmh), T), Kmh =< 50.
    ... ''')
    >>> hf.recognise(rules, [hf.Event("speed", "bus", 57, at=3), hf.Event("speed", "bus", 44, at=9)])
    Result at 9: 1 FVP, 0 events
      fast(bus)=true  [(4,10)]
    """
    from holdsfor.analysis.input_facts import with_input_facts
    from holdsfor.columns.encoding import Symbols
    from holdsfor.columns.query_times import QueryTimes
    from holdsfor.runtime.reports.report_tables import DecodedReport
    from holdsfor.runtime.session import EngineSession
    from holdsfor.runtime.windows import check_bounds, check_windows, settled_report
    from holdsfor.sources.inputs import read_inputs

    check_windows(tick, window, step, allen_memory)
    check_bounds(start, end)
    symbols = Symbols()
    reading = read_inputs(data, rules.names, tick, symbols, unit=time_unit)
    first, last = with_input_facts(reading.extent(tick), rules.names, tick)
    begin = (first or 0) if start is None else start
    stop = (begin if last is None else last) if end is None else end
    if stop < begin:
        raise UsageProblem(Diagnostic("HF702", f"the run ends at {stop}, before its start {begin}"))
    session = EngineSession(
        rules, start=begin, end=stop, tick=tick, window=window, allen_memory=allen_memory, symbols=symbols
    )
    session.insert_reading(reading)
    queries = QueryTimes(begin, stop, step if step is not None else window, window, tick)
    session.announce(queries)
    report = settled_report(session, queries, session.last_query_time(queries), merge_windows=merge_windows)
    session.judge_rest(queries)
    return Result(
        DecodedReport(report, symbols), rules.names, reading, *session.records.counts, session.state.n_new_members
    )
