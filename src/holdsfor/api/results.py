"""Results of the library: the maximal intervals of FVPs and the time-points of output events, as values and tables."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.errors import did_you_mean
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term, name_and_arity

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import polars as pl  # type: ignore[import-not-found, unused-ignore]
    import pyarrow as pa  # type: ignore[import-untyped]

    from holdsfor.analysis.names import Names
    from holdsfor.runtime.reports.report_tables import DecodedReport
    from holdsfor.sources.reading import ColumnReading

__all__ = ["QueryResult", "Result"]

_SHOWN = 20


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
    names: Names

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
        known = (*self.names.fluents, *self.names.events)
        if isinstance(named, Struct | Atom) and name_and_arity(named) not in known:
            near = did_you_mean(named.name, [name for name, _ in known])
            if near is not None:
                raise KeyError(f"no rule is about {show(term)}; {near}")
        return term

    def holds_for(self, fvp: str | Term) -> list[tuple[int, int | None]]:
        """The intervals of an FVP; an empty list if it never holds. A misspelt name of the rules is an error.

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
        yield f"{n_fvps} FVP{_plural(n_fvps)}"
        yield f"{n_events} event{_plural(n_events)}"

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
    """The settled result over all query times, with counts of records by outcome.

    *late*: admitted after a query time that should have had it; *dropped*: no window admits it; *cut*: partly before
    the window; *set aside*: does not fit; *unmatched*: a retraction without a record; *new member*: an entity of a
    dynamic domain first seen after time-points are settled, which never happens in a run over files and tables.

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
        """The number of records that do not fit; `reading.set_aside` has them with their reasons.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> result = hf.recognise(rules, ["win|13|13|chris", "win|soon|soon|anna"])
        >>> result.set_aside, result.reading.set_aside[0].text
        (1, 'win|soon|soon|anna')
        """
        return len(self.reading.set_aside)


def _plural(n: int) -> str:
    return "" if n == 1 else "s"


def _shown(answer: QueryResult) -> Iterable[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for fvp, intervals in list(answer.intervals.items())[:_SHOWN]:
        pairs = ",".join(f"({start},{'inf' if end is None else end})" for start, end in intervals[:_SHOWN])
        rows.append((show(fvp), f"[{pairs}]"))
    for event, times in list(answer.times.items())[: _SHOWN - len(rows)]:
        rows.append((show(event), str(times[:_SHOWN])))
    return rows
