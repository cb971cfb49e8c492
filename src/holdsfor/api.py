"""The library for people: load rules, recognise, ask.

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

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.compiled import Compiled, compile_files, compile_text
from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.runtime.report_tables import Reported
    from holdsfor.sources.column_reading import ColumnReading
    from holdsfor.sources.times import Unit

__all__ = ["Result", "load", "load_text", "recognise"]

Input = str | Path | Any
_SHOWN = 20


def load(*files: str | Path) -> Compiled:
    """The rules and background knowledge of files; errors raise with all diagnostics."""
    return compile_files(files)


def load_text(text: str) -> Compiled:
    """Rules given as text."""
    return compile_text(text)


def recognise(
    rules: Compiled,
    *data: Input,
    start: int | None = None,
    end: int | None = None,
    tick: int = 1,
    window: int | None = None,
    step: int | None = None,
    time_unit: Unit = "s",
) -> Result:
    """What the rules recognise in files, Arrow tables or frames, settled over all query times.

    A table with columns of its own comes as a pair with what its rows say: `(frame, "happensAt(speed(id, kmh), ts)")`.

    Records that do not fit are in `result.reading.set_aside`. Without a window the whole history is one.
    """
    from holdsfor.columns.words import Symbols
    from holdsfor.runtime.report_tables import Reported
    from holdsfor.runtime.session import Session
    from holdsfor.runtime.windows import query_times, settled_report
    from holdsfor.sources.inputs import read_inputs

    symbols = Symbols()
    reading = read_inputs(data, rules.names, tick, symbols, unit=time_unit)
    first, last = reading.extent(tick)
    begin = (first or 0) if start is None else start
    stop = (begin if last is None else last) if end is None else end
    if stop < begin:
        raise UsageProblem(Diagnostic("HF702", f"the run ends at {stop}, before its start {begin}"))
    session = Session(rules, start=begin, tick=tick, window=window, symbols=symbols)
    for key, records in (*reading.events.items(), *reading.fluents.items()):
        session.insert_columns(key, records.up_to(stop))
    queries = query_times(begin, stop, step if step is not None else window)
    session.announce(queries[-1])
    report = settled_report(session, queries)
    return Result(Reported(report, symbols), reading, session.n_dropped)


@dataclass(frozen=True, repr=False)
class Result:
    """What was recognised: maximal intervals of FVPs (an open end is None) and time-points of output events."""

    reported: Reported
    reading: ColumnReading
    n_dropped: int

    @property
    def query_time(self) -> int:
        return self.reported.query_time

    @property
    def intervals(self) -> dict[Term, list[tuple[int, int | None]]]:
        """The intervals of each FVP, in standard order."""
        return self.reported.intervals

    @property
    def times(self) -> dict[Term, list[int]]:
        """The time-points of each output event, in standard order."""
        return self.reported.times

    @cached_property
    def _by_name(self) -> dict[str, Term]:
        return {show(term): term for term in (*self.intervals, *self.times)}

    def _find(self, text: str | Term) -> Term | None:
        term = parse_term(text) if isinstance(text, str) else text
        if term in self.intervals or term in self.times:
            return term
        near = did_you_mean(show(term), self._by_name)
        if near is not None:
            raise KeyError(f"{show(term)} was not recognised; {near}")
        return None

    def holds_for(self, fvp: str | Term) -> list[tuple[int, int | None]]:
        """The intervals of an FVP; none if it never holds. A name that is nearly one of those known is an error."""
        found = self._find(fvp)
        return [] if found is None else self.intervals.get(found, [])

    def happens_at(self, event: str | Term) -> list[int]:
        """The time-points of an output event."""
        found = self._find(event)
        return [] if found is None else self.times.get(found, [])

    def holds_at(self, time: int) -> list[str]:
        """The FVPs that hold at a time-point."""
        return [
            show(fvp)
            for fvp, intervals in self.intervals.items()
            if any(start <= time and (end is None or time < end) for start, end in intervals)
        ]

    def rows(self) -> Iterator[tuple[str, str, int, int | None]]:
        """`(kind, name, start, end)` for every interval and every time-point."""
        for fvp, intervals in self.intervals.items():
            yield from (("fvp", show(fvp), start, end) for start, end in intervals)
        for event, times in self.times.items():
            yield from (("event", show(event), time, time) for time in times)

    def to_arrow(self) -> Any:
        """A table with the columns `query_time, kind, name, functor, args, value, start, end`; an open end is null."""
        return self.reported.table()

    def to_pandas(self) -> Any:
        """The same as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The same as a polars frame."""
        import polars  # type: ignore[import-not-found, unused-ignore]

        return polars.from_arrow(self.to_arrow())

    def __repr__(self) -> str:
        n_fvps, n_events = len(self.intervals), len(self.times)
        lines = [f"Result at {self.query_time}: {n_fvps} FVP{_s(n_fvps)}, {n_events} event{_s(n_events)}"]
        lines += [f"  {name}  {spans}" for name, spans in _shown(self)]
        hidden = n_fvps + n_events - _SHOWN
        return "\n".join([*lines, f"  … and {hidden} more"] if hidden > 0 else lines)

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><td><code>{html.escape(name)}</code></td><td>{html.escape(spans)}</td></tr>"
            for name, spans in _shown(self)
        )
        return f"<table><caption>at {self.query_time}</caption>{body}</table>"


def _s(n: int) -> str:
    return "" if n == 1 else "s"


def _shown(result: Result) -> Iterable[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for fvp, intervals in list(result.intervals.items())[:_SHOWN]:
        pairs = ",".join(f"({start},{'inf' if end is None else end})" for start, end in intervals[:_SHOWN])
        rows.append((show(fvp), f"[{pairs}]"))
    for event, times in list(result.times.items())[: _SHOWN - len(rows)]:
        rows.append((show(event), str(times[:_SHOWN])))
    return rows
