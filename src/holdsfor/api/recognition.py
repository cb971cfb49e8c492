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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.analysis.pipeline import Compiled, compile_files, compile_text
from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, name_and_arity

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import polars as pl  # type: ignore[import-not-found, unused-ignore]
    import pyarrow as pa  # type: ignore[import-untyped]

    from holdsfor.analysis.names import Names
    from holdsfor.arrow_stream import ArrowStream
    from holdsfor.runtime.reports.report_tables import DecodedReport
    from holdsfor.sources.python_objects import Event, Fluent
    from holdsfor.sources.reading import ColumnReading
    from holdsfor.sources.times import Unit

__all__ = ["QueryResult", "Result", "load", "load_text", "recognise", "term"]

Table: TypeAlias = "str | Path | ArrowStream"
Records: TypeAlias = "Event | Fluent | Iterable[Event | Fluent | str]"
Input: TypeAlias = "Table | tuple[Table, str | Mapping[str, str]] | Records"
"""A file or a table, also with a description of its columns, or records as objects or lines of text."""

_SHOWN = 20


def load(*files: str | Path) -> Compiled:
    """The rules and background knowledge of files; errors raise with all diagnostics.

    >>> import holdsfor as hf
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "rules.prolog"
    ...     _ = file.write_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    ...     rules = hf.load(file)
    >>> hf.recognise(rules, hf.Event("win", "chris", at=13)).holds_for("rich(chris)=true")
    [(14, None)]
    """
    return compile_files(files)


def load_text(text: str) -> Compiled:
    """Rules given as text; errors raise with all diagnostics.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> hf.recognise(rules, hf.Event("win", "chris", at=13)).holds_for("rich(chris)=true")
    [(14, None)]
    """
    return compile_text(text)


def term(text: str) -> Term:
    """A term as it is written in a rule, for an argument or a value that is neither text nor a number.

    >>> show(term("per(close_ballot(c1, m1))"))
    'per(close_ballot(c1,m1))'
    """
    return parse_term(text)


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
    """What the rules recognise in files, Arrow tables or frames, settled over all query times.

    A table with columns of its own comes as a pair with what its rows say: `(frame, "happensAt(speed(id, kmh), ts)")`.
    Records that do not fit are in `result.reading.set_aside`. Without a window the whole history is one. An interval
    that is over for longer than `allen_memory` is not `before` another one any more; by default that is the window.
    Windows do not change what is settled, so many short ones are evaluated as few long ones; without `merge_windows`
    every query time is evaluated.

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


@dataclass(frozen=True, repr=False, eq=False)
class QueryResult:
    """What is known at a query time: maximal intervals of FVPs and time-points of output events.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> hf.recognise(rules, hf.Event("win", "chris", at=13))
    Result at 13: 1 FVP, 0 events
      rich(chris)=true  [(14,inf)]
    """

    reported: DecodedReport
    names: Names

    @property
    def query_time(self) -> int:
        """The query time; of a result over all query times, the last one.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.query_time
        13
        """
        return self.reported.query_time

    @property
    def intervals(self) -> dict[Term, list[tuple[int, int | None]]]:
        """The maximal intervals of each FVP, in standard order; an open end is None.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.intervals[hf.term("rich(chris)=true")]
        [(14, None)]
        """
        return self.reported.intervals

    @property
    def times(self) -> dict[Term, list[int]]:
        """The time-points of each output event, in standard order.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(alarm(X), T) :- happensAt(smoke(X), T), happensAt(heat(X), T).")
        >>> result = hf.recognise(rules, ["smoke|3|3|b1", "heat|3|3|b1"])
        >>> result.times[hf.term("alarm(b1)")]
        [3]
        """
        return self.reported.times

    def _find(self, text: str | Term) -> Term:
        """The FVP or event; a name that the rules do not have, but nearly, is an error."""
        term = parse_term(text) if isinstance(text, str) else text
        named = term.args[0] if isinstance(term, Struct) and term.name == "=" else term
        known = (*self.names.fluents, *self.names.events)
        if isinstance(named, Struct | Atom) and name_and_arity(named) not in known:
            near = did_you_mean(named.name, [name for name, _ in known])
            if near is not None:
                raise KeyError(f"no rule is about {show(term)}; {near}")
        return term

    def holds_for(self, fvp: str | Term) -> list[tuple[int, int | None]]:
        """The intervals of an FVP; none if it never holds. A name that is nearly one of the rules is an error.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.holds_for("rich(chris)=true"), result.holds_for("rich(anna)=true")
        ([(14, None)], [])
        >>> result.holds_for("ritch(chris)=true")
        Traceback (most recent call last):
        KeyError: 'no rule is about ritch(chris)=true; did you mean `rich`?'
        """
        return self.intervals.get(self._find(fvp), [])

    def happens_at(self, event: str | Term) -> list[int]:
        """The time-points of an output event.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(alarm(X), T) :- happensAt(smoke(X), T), happensAt(heat(X), T).")
        >>> result = hf.recognise(rules, ["smoke|3|3|b1", "heat|3|3|b1"])
        >>> result.happens_at("alarm(b1)")
        [3]
        """
        return self.times.get(self._find(event), [])

    def holds_at(self, time: int) -> list[str]:
        """The FVPs that hold at a time-point.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.holds_at(13), result.holds_at(14)
        ([], ['rich(chris)=true'])
        """
        return [
            show(fvp)
            for fvp, intervals in self.intervals.items()
            if any(start <= time and (end is None or time < end) for start, end in intervals)
        ]

    def rows(self) -> Iterator[tuple[str, str, int, int | None]]:
        """`(kind, name, start, end)` for every interval and every time-point.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> list(result.rows())
        [('fvp', 'rich(chris)=true', 14, None)]
        """
        for fvp, intervals in self.intervals.items():
            yield from (("fvp", show(fvp), start, end) for start, end in intervals)
        for event, times in self.times.items():
            yield from (("event", show(event), time, time) for time in times)

    def to_arrow(self) -> pa.Table:
        """An Arrow table: `query_time, kind, name, functor, args, value, start, end`, where an open end is null.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.to_arrow().select(["name", "start", "end"]).to_pylist()
        [{'name': 'rich(chris)=true', 'start': 14, 'end': None}]
        """
        return self.reported.table()

    def to_pandas(self) -> pd.DataFrame:
        """The table of `to_arrow` as a pandas frame; needs pandas.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.to_pandas()["name"].tolist()
        ['rich(chris)=true']
        """
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The table of `to_arrow` as a polars frame; needs polars.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> frame = result.to_polars()  # doctest: +SKIP
        """
        import polars  # type: ignore[import-not-found, unused-ignore]

        return polars.from_arrow(self.to_arrow())

    def _headline(self) -> Iterator[str]:
        n_fvps, n_events = len(self.intervals), len(self.times)
        yield f"{n_fvps} FVP{_s(n_fvps)}"
        yield f"{n_events} event{_s(n_events)}"

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} at {self.query_time}: {', '.join(self._headline())}"]
        lines += [f"  {name}  {spans}" for name, spans in _shown(self)]
        hidden = len(self.intervals) + len(self.times) - _SHOWN
        return "\n".join([*lines, f"  … and {hidden} more"] if hidden > 0 else lines)

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><td><code>{html.escape(name)}</code></td><td>{html.escape(spans)}</td></tr>"
            for name, spans in _shown(self)
        )
        return f"<table><caption>at {self.query_time}: {', '.join(self._headline())}</caption>{body}</table>"


@dataclass(frozen=True, repr=False, eq=False)
class Result(QueryResult):
    """What was recognised, settled over all query times, and how many records had which fate.

    *late*: admitted after a query time that should have had it; *dropped*: no window admits it; *cut*: partly before
    the window; *set aside*: does not fit; *unmatched*: a retraction of nothing; *new member*: an entity of a dynamic
    domain that is first seen when time-points are settled already, which no run over files and tables has.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> result = hf.recognise(rules, ["win|13|13|chris", "win|soon|soon|anna"])
    >>> result.late, result.dropped, result.set_aside
    (0, 0, 1)
    """

    reading: ColumnReading
    late: int
    dropped: int
    cut: int
    unmatched: int
    new_member: int

    @property
    def set_aside(self) -> int:
        """How many records do not fit; `reading.set_aside` has them with their reasons.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, ["win|13|13|chris", "win|soon|soon|anna"])
        >>> result.set_aside, result.reading.set_aside[0].text
        (1, 'win|soon|soon|anna')
        """
        return len(self.reading.set_aside)


def _s(n: int) -> str:
    return "" if n == 1 else "s"


def _shown(answer: QueryResult) -> Iterable[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for fvp, intervals in list(answer.intervals.items())[:_SHOWN]:
        pairs = ",".join(f"({start},{'inf' if end is None else end})" for start, end in intervals[:_SHOWN])
        rows.append((show(fvp), f"[{pairs}]"))
    for event, times in list(answer.times.items())[: _SHOWN - len(rows)]:
        rows.append((show(event), str(times[:_SHOWN])))
    return rows
