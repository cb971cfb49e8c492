"""Results of the library: the maximal intervals of FVPs and the time-points of output events, as values and tables."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor.analysis.output_selection import defined_patterns
from holdsfor.analysis.result_columns import ResultColumns, find_table, result_columns
from holdsfor.api.instances import check_value, is_pattern, matches, matching
from holdsfor.errors import Diagnostic, UsageProblem, counted, did_you_mean
from holdsfor.sinks.time_formats import moment_of, shown_as
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, is_callable, name_and_arity

if TYPE_CHECKING:
    import duckdb  # type: ignore[import-not-found, unused-ignore]
    import pandas as pd  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import polars as pl  # type: ignore[import-not-found, unused-ignore]
    import pyarrow as pa  # type: ignore[import-untyped]
    from matplotlib.figure import Figure

    from holdsfor.analysis.place_types import InputColumn
    from holdsfor.analysis.sorts import Place
    from holdsfor.columns.pending import Pending
    from holdsfor.columns.time_type import TimeType
    from holdsfor.query.query_engine import QueryContext, QueryEngine
    from holdsfor.runtime.reports.report_tables import DecodedReport
    from holdsfor.sources.reading import ColumnReading
    from holdsfor.sources.time_arguments import TimeArgument

__all__ = ["QueryResult", "Result"]

_SHOWN = 20
_CELLS = 40

Spans: TypeAlias = Any
"""A list of intervals or time-points, or a dictionary of such lists by instance."""

Moment: TypeAlias = Any
"""A time-point as an integer, or as a datetime if the times of the input are timestamps."""


@dataclass(frozen=True, repr=False, eq=False)
class QueryResult:
    """The result at a query time: maximal intervals of FVPs and time-points of output events.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> hf.recognise(rules, hf.Event("win", "chris", at=13))
    Result at 13: 1 FVP, 0 events
      rich(chris)=true  [(14,inf)]
    """

    reported: DecodedReport
    given: Mapping[Place, InputColumn] = field(repr=False)
    context: QueryContext = field(kw_only=True, repr=False)
    time_type: TimeType | None = field(kw_only=True, default=None)

    def __getstate__(self) -> dict[str, Any]:
        """The fields; a copy in another process computes its caches again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def columns(self) -> ResultColumns:
        """The tables of all output fluents and events, with the names and types of their columns.

        >>> import holdsfor as hf, pyarrow as pa
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = pa.table({"person": ["chris"], "at": [13]})
        >>> hf.recognise(rules, (wins, "happensAt(win(person), at)")).columns.fluents["rich", 1].arguments
        (('person', 'text'),)
        """
        return result_columns(self.context.rules, self.given)

    @property
    def query_time(self) -> int:
        """The query time; for a result over all query times, the last one.

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
        """The FVP or event; a misspelt name of the rules is an error."""
        term = parse_term(text) if isinstance(text, str) else text
        named = term.args[0] if isinstance(term, Struct) and term.name == "=" else term
        names = self.context.rules.names
        known = (*names.fluents, *names.events)
        is_name = isinstance(term, Atom) and any(name == term.name for name, _ in known)
        if isinstance(named, Struct | Atom) and name_and_arity(named) not in known and not is_name:
            near = did_you_mean(named.name, [name for name, _ in known])
            if near is not None:
                raise KeyError(f"no rule is about {show(term)}; {near}")
        self._check_shown(term)
        return term

    def _check_shown(self, term: Term) -> None:
        """Refuse an FVP or event of the rules that the run does not report."""
        selection, names = self.context.rules.selection, self.context.rules.names
        named = term.args[0] if isinstance(term, Struct) and term.name == "=" else term
        if selection is None or not is_callable(named):
            return
        patterns = defined_patterns(term, names)
        if patterns and not any(map(selection.may_include, patterns)):
            shown = ", ".join(dict.fromkeys(show(each) for each in selection.patterns))
            raise KeyError(f"{show(term)} is not shown; the result has {shown}")

    def _moment(self, time: int) -> Moment:
        """A time-point, or its date and time if the times are timestamps."""
        return time if self.time_type is None else moment_of(time, self.time_type)

    def _moments(self, span: tuple[int, int | None]) -> tuple[Moment, Moment | None]:
        return self._moment(span[0]), None if span[1] is None else self._moment(span[1])

    def _time_point(self, time: TimeArgument | None, name: str) -> int | None:
        """The time-point of an argument."""
        from holdsfor.sources.time_arguments import time_point_of

        unit, zone = (self.time_type.unit, self.time_type.zone) if self.time_type is not None else ("s", None)
        return time_point_of(time, name, unit, zone)

    def holds_for(self, fvp: str | Term) -> Spans:
        """The intervals of an FVP; an empty list if it never holds. A misspelt name of the rules is an error.

        A pattern such as `"rich"`, `"rich(_)"` or `"rich(X)=true"` gives the intervals of all its instances, by FVP.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.holds_for("rich(chris)=true"), result.holds_for("rich(anna)=true")
        ([(14, None)], [])
        >>> result.holds_for("rich")
        {'rich(chris)=true': [(14, None)]}
        >>> result.holds_for("ritch(chris)=true")
        Traceback (most recent call last):
        KeyError: 'no rule is about ritch(chris)=true; did you mean `rich`?'
        """
        term, names = self._find(fvp), self.context.rules.names
        if is_pattern(term, names):
            found = matching(self.intervals, term, names)
            return {name: [self._moments(span) for span in spans] for name, spans in found.items()}
        if term not in self.intervals:
            check_value(term, names)
        return [self._moments(span) for span in self.intervals.get(term, [])]

    def happens_at(self, event: str | Term) -> Spans:
        """The time-points of an output event; a pattern gives those of all its instances, by event.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(alarm(X), T) :- happensAt(smoke(X), T), happensAt(heat(X), T).")
        >>> result = hf.recognise(rules, ["smoke|3|3|b1", "heat|3|3|b1"])
        >>> result.happens_at("alarm(b1)")
        [3]
        """
        term, names = self._find(event), self.context.rules.names
        if is_pattern(term, names):
            found = matching(self.times, term, names)
            return {name: [self._moment(time) for time in times] for name, times in found.items()}
        return [self._moment(time) for time in self.times.get(term, [])]

    def __len__(self) -> int:
        """The number of intervals and time-points."""
        return self.reported.report.n_intervals + self.reported.report.n_occurrences

    def __iter__(self) -> Iterator[tuple[str, str, Moment, Moment | None]]:
        """The rows of `rows`."""
        return self.rows()

    def __contains__(self, entity: object) -> bool:
        """Whether an FVP holds or an event happens at some time; a pattern asks for any of its instances.

        An FVP or event that the run does not report is a `KeyError`.
        """
        if not isinstance(entity, str | Atom | Struct):
            return False
        term = parse_term(entity) if isinstance(entity, str) else entity
        self._check_shown(term)
        return any(matches(term, each) for each in (*self.intervals, *self.times))

    def __bool__(self) -> bool:
        """A result is true, also without rows."""
        return True

    def holds_at(self, time: TimeArgument) -> list[str]:
        """The FVPs that hold at a time-point, given as an integer, a datetime or text.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.holds_at(13), result.holds_at(14)
        ([], ['rich(chris)=true'])
        """
        from holdsfor.sources.time_arguments import not_a_time

        at = self._time_point(time, "time")
        if at is None:
            raise not_a_time(time, "time")
        return [
            show(fvp)
            for fvp, intervals in self.intervals.items()
            if any(start <= at and (end is None or at < end) for start, end in intervals)
        ]

    def query(self, goal: str) -> pa.Table:
        """The answers of a goal as an Arrow table, with one column for each variable of the goal.

        Goals are conjunctions of `holdsFor(F=V, I)`, `holdsAt(F=V, T)` and `happensAt(E, T)` over this result,
        background predicates of the rules, comparisons and interval operations such as `intersect_all([I1,I2], I)`.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T). person(chris). person(anna).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.query("person(X), holdsFor(rich(X)=true, I)").to_pylist()
        [{'X': 'chris', 'I': [{'start': 14, 'end': None}]}, {'X': 'anna', 'I': []}]
        """
        return self._query_engine.table(goal)

    @cached_property
    def _query_engine(self) -> QueryEngine:
        from holdsfor.query.query_engine import QueryEngine
        from holdsfor.query.report_index import index_of_columns

        settings = self.context.settings(self.query_time, self.time_type)
        results = index_of_columns(self.reported.report, self.reported.symbols, settings)
        return QueryEngine(results, self.context.rules, self.context.goals)

    def rows(self) -> Iterator[tuple[str, str, Moment, Moment | None]]:
        """`(kind, fvp, start, end)` for every interval and every time-point.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> list(result.rows())
        [('fluent', 'rich(chris)=true', 14, None)]
        """
        for fvp, intervals in self.intervals.items():
            yield from (("fluent", show(fvp), *self._moments(span)) for span in intervals)
        for event, times in self.times.items():
            yield from (("event", show(event), self._moment(time), self._moment(time)) for time in times)

    def __getitem__(self, name: str) -> pa.Table:
        """The table of one output fluent or event.

        It has a column for each argument, then `value`, `start` and `end`, or `time` for an event. Columns have the
        names and types of the input columns that their values come from. The arity distinguishes fluents of one name:
        `result["gap/2"]`.

        >>> import holdsfor as hf, pyarrow as pa
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = pa.table({"person": ["Chris B", "Anna"], "at": [13, 15]})
        >>> hf.recognise(rules, (wins, "happensAt(win(person), at)"))["rich"].to_pylist()[0]
        {'person': 'Anna', 'value': 'true', 'start': 16, 'end': None}
        """
        return self.reported.table_of(find_table(self.columns, self.context.rules.names, name), self.time_type)

    def tables(self) -> dict[str, pa.Table]:
        """The tables of all output fluents and events, by name.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> {name: len(table) for name, table in result.tables().items()}
        {'rich': 1}
        """
        return {layout.table: self.reported.table_of(layout, self.time_type) for layout in self.columns}

    def to_arrow(self) -> pa.Table:
        """One Arrow table of all fluents and events: `kind, name, arguments, value, fvp, start, end`.

        Arguments and values are texts without quotes, and an open end is null. `result["rich"]` is the table of one
        fluent, with a typed column for each argument.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.to_arrow().select(["name", "arguments", "start", "end"]).to_pylist()
        [{'name': 'rich', 'arguments': ['chris'], 'start': 14, 'end': None}]
        """
        return self.reported.table(self.time_type)

    def to_pandas(self) -> pd.DataFrame:
        """The table of `to_arrow` as a pandas frame; needs pandas.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.to_pandas()["fvp"].tolist()
        ['rich(chris)=true']
        """
        from holdsfor.api.frames import as_pandas

        return as_pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """The table of `to_arrow` as a polars frame; needs polars.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> frame = result.to_polars()  # doctest: +SKIP
        """
        import polars  # type: ignore[import-not-found, unused-ignore]

        frame: pl.DataFrame = polars.DataFrame(self.to_arrow())
        return frame

    def to_duckdb(self, path: str | Path | None = None) -> duckdb.DuckDBPyConnection:
        """A DuckDB connection with a table for each fluent and event, in memory or in a new file; needs duckdb.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, hf.Event("win", "chris", at=13))
        >>> result.to_duckdb().execute("SELECT start FROM rich").fetchall()
        [(14,)]
        """
        from holdsfor.sinks.table_sets import as_duckdb

        connection: duckdb.DuckDBPyConnection = as_duckdb(self.tables(), path)
        return connection

    def plot(
        self,
        path: str | Path | None = None,
        *,
        by: str = "fluent",
        start: TimeArgument | None = None,
        end: TimeArgument | None = None,
        title: str | None = None,
    ) -> Figure:
        """The timeline of the result as a Matplotlib figure, also written to a .png or .svg file; needs matplotlib.

        Rows are grouped by fluent, or by the name or position of an argument. The timeline covers the run, or the times
        from `start` to `end`.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> figure = hf.recognise(rules, hf.Event("win", "chris", at=13)).plot(title="Chris", end=20)
        >>> [text.get_text() for text in figure.texts]
        ['Chris', '▏', 'start of an interval']
        """
        from holdsfor.api.timeline_rows import argument_names, column_names, report_rows, time_axis
        from holdsfor.views.timeline import draw_timeline, timeline_figure

        rules = self.context.rules
        names = argument_names(by, column_names(self.columns), rules)
        first, last = self._time_point(start, "start"), self._time_point(end, "end")
        drawn: dict[str, Any] = {
            "start": self._first_point if first is None else first,
            "end": self.query_time if last is None else last,
            "title": title,
            "by": by,
            "axis": time_axis(shown_as(self.time_type)),
        }
        if drawn["end"] < drawn["start"]:
            message = f"a timeline cannot end at {drawn['end']} and start at {drawn['start']}"
            raise UsageProblem(Diagnostic("HF702", message))
        rows = list(report_rows(self.reported, rules, names))
        if path is not None:
            draw_timeline(rows, path=Path(path), **drawn)
        return timeline_figure(rows, **drawn)

    @property
    def _first_point(self) -> int:
        """The first time-point of a timeline."""
        return self.context.start or 0

    @property
    def _at(self) -> int | str:
        """The query time as text."""
        return shown_as(self.time_type)(self.query_time)

    def _headline(self) -> Iterator[str]:
        n_fvps, n_events = len(self.intervals), len(self.times)
        yield counted(n_fvps, "FVP")
        yield counted(n_events, "event")

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} at {self._at}: {', '.join(self._headline())}"]
        lines += [f"  {name}  {spans}" for name, spans in _shown(self)]
        hidden = len(self.intervals) + len(self.times) - _SHOWN
        return "\n".join([*lines, f"  … and {hidden} more"] if hidden > 0 else lines)

    def _bars(self) -> list[str]:
        """A small timeline for each FVP and event that is shown: a block where it holds or happens."""
        shown: list[list[tuple[int, int | None]]] = list(self.intervals.values())[:_SHOWN]
        for times in list(self.times.values())[: _SHOWN - len(shown)]:
            shown.append([(time, time + 1) for time in times])
        first = min((start for spans in shown for start, _ in spans), default=0)
        return [_bar(spans, first, self.query_time + 1) for spans in shown]

    def _repr_html_(self) -> str:
        body = "".join(
            f"<tr><td><code>{html.escape(name)}</code></td><td><code>{bar}</code></td><td>{html.escape(spans)}</td></tr>"
            for (name, spans), bar in zip(_shown(self), self._bars(), strict=True)
        )
        return f"<table><caption>at {self._at}: {', '.join(self._headline())}</caption>{body}</table>"


@dataclass(frozen=True, repr=False, eq=False)
class Result(QueryResult):
    """The settled result over all query times, with counts of records by outcome.

    *late*: admitted after a query time that should have had it; *dropped*: no window admits it; *cut*: partly before
    the window; *set aside*: does not fit; *unmatched*: a retraction without a record; *new member*: an entity of a
    dynamic domain first seen after time-points are settled, which never happens in a run over files and tables.
    `without_result` are warnings about conditions that had no result for some values, such as a text where a number is
    needed. `pending` are the delayed effects that are due after the end of a run without a given end, by fluent: their
    number and the first due time-point; `end="now"` lets a run with dates go on. `n_processes` is the number of
    processes that computed the result; `one_process_because` is the reason if
    several were to compute it and one did.

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
    n_processes: int = 1
    one_process_because: str | None = None
    without_result: tuple[Diagnostic, ...] = ()
    pending: tuple[Pending, ...] = ()

    def _headline(self) -> Iterator[str]:
        yield from super()._headline()
        counts = {name: getattr(self, name) for name in ("late", "dropped", "cut", "set_aside", "unmatched")}
        yield from (f"{n} {name.replace('_', ' ')}" for name, n in counts.items() if n)

    @property
    def set_aside(self) -> int:
        """The number of records that do not fit; `reading.set_aside` has them with their reasons.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, ["win|13|13|chris", "win|soon|soon|anna"])
        >>> result.set_aside, result.reading.set_aside[0].text
        (1, 'win|soon|soon|anna')
        """
        return len(self.reading.set_aside)


def _bar(spans: Iterable[tuple[int, int | None]], first: int, last: int) -> str:
    """The intervals between two time-points as a line of blocks and dots."""
    width, cells = max(1, last - first), ["\u00b7"] * _CELLS
    for start, end in spans:
        begin = min(_CELLS - 1, max(0, (start - first) * _CELLS // width))
        stop = _CELLS if end is None else min(_CELLS, -(-(end - first) * _CELLS // width))
        cells[begin:stop] = "\u2588" * (stop - begin)
    return "".join(cells)


def _shown(answer: QueryResult) -> Iterable[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    shown = shown_as(answer.time_type)
    for fvp, intervals in list(answer.intervals.items())[:_SHOWN]:
        pairs = [f"({shown(start)},{'inf' if end is None else shown(end)})" for start, end in intervals[:_SHOWN]]
        rows.append((show(fvp), f"[{','.join(pairs)}]"))
    for event, times in list(answer.times.items())[: _SHOWN - len(rows)]:
        rows.append((show(event), f"[{', '.join(str(shown(time)) for time in times[:_SHOWN])}]"))
    return rows
