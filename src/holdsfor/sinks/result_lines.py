"""Results as lines: text in the form of RTEC that parses as Prolog, JSON lines, or CSV.

The lines of a long report are made as columns (`column_lines.py`) and come in blocks: texts of several lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from holdsfor.columns.entities import Entity, EntityList
from holdsfor.sinks.row_texts import as_json, csv_row
from holdsfor.sinks.time_formats import ShowTime, as_integer, as_terms, as_values
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.columns.result_table import Extents, TableLayout
    from holdsfor.columns.time_type import TimeType

__all__ = [
    "ENTITY_COLUMNS",
    "LINES",
    "ReportView",
    "TermReport",
    "csv_lines",
    "csv_rows",
    "entity_fields",
    "json_rows",
    "jsonl_lines",
    "report_schema",
    "text_lines",
]

Span: TypeAlias = tuple[int, int | None]


class ReportView(Protocol):
    """The result of a query time: FVPs with intervals (an open end is None), output events with time-points."""

    @property
    def query_time(self) -> int: ...

    @property
    def intervals(self) -> dict[Term, list[tuple[int, int | None]]]: ...

    @property
    def times(self) -> dict[Term, list[int]]: ...

    def listed_fvps(self) -> Iterable[tuple[Entity, list[int], list[int | None]]]:
        """Each FVP with the starts and the ends of its intervals."""

    def listed_events(self) -> Iterable[tuple[Entity, list[int]]]:
        """Each output event with its time-points."""

    def columns(self) -> tuple[Extents, Extents] | None:
        """FVPs and output events as columns, if the report is long; else None."""

    def table(self, times: TimeType | None = None, *, has_query_time: bool = False) -> Any:
        """All fluents and events as one Arrow table; see `holdsfor.columns.result_table`."""

    def table_of(self, layout: TableLayout, times: TimeType | None, query_time: int | None = None) -> Any:
        """The table of one fluent or event."""


@dataclass(frozen=True)
class TermReport:
    """A report of terms and lists."""

    query_time: int
    intervals: dict[Term, list[tuple[int, int | None]]]
    times: dict[Term, list[int]]

    def listed_fvps(self) -> Iterator[tuple[Entity, list[int], list[int | None]]]:
        """Each FVP with the starts and the ends of its intervals."""
        for fvp, spans in self.intervals.items():
            yield Entity(fvp), [start for start, _ in spans], [end for _, end in spans]

    def listed_events(self) -> Iterator[tuple[Entity, list[int]]]:
        """Each output event with its time-points."""
        for event, times in self.times.items():
            yield Entity(event), times

    def columns(self) -> None:
        """A report of terms has no columns."""

    def table(self, times: TimeType | None = None, *, has_query_time: bool = False) -> Any:
        """All fluents and events as one Arrow table."""
        from holdsfor.columns.result_table import result_table

        extents = self._extents(self._spans(self.intervals)), self._extents(self._spans(self.times))
        return result_table(*extents, times, self.query_time if has_query_time else None)

    def table_of(self, layout: TableLayout, times: TimeType | None, query_time: int | None = None) -> Any:
        """The table of one fluent or event."""
        from holdsfor.columns.encoding import Symbols
        from holdsfor.columns.result_table import typed_table

        symbols = Symbols()
        all_spans = self._spans(self.times if layout.value is None else self.intervals)
        own = {entity: spans for entity, spans in all_spans.items() if entity.key == layout.key}
        n = layout.key[1] + (layout.value is not None)
        words = [symbols.words(entity.constants[i] for entity in own) for i in range(n)]
        found = self._extents(own)
        return typed_table(layout, words, found.counts, (found.starts, found.ends), symbols, times, query_time)

    def _spans(self, found: Mapping[Term, Sequence[tuple[int, int | None] | int]]) -> dict[Entity, list[Span]]:
        return {
            Entity(term): [(span, span) if isinstance(span, int) else span for span in spans]
            for term, spans in found.items()
        }

    def _extents(self, found: dict[Entity, list[Span]]) -> Extents:
        import numpy as np

        from holdsfor.columns.result_table import Extents
        from holdsfor.kernels.packing import OPEN

        spans = [span for spans in found.values() for span in spans]
        starts = np.array([start for start, _ in spans], np.int64)
        ends = np.array([OPEN if end is None else end for _, end in spans], np.int64)
        return Extents(EntityList(found), np.array([len(each) for each in found.values()], np.int64), starts, ends)


def report_schema(times: TimeType | None = None, *, has_query_time: bool = False) -> Any:
    """The columns of a result as a table."""
    from holdsfor.columns.result_table import result_schema

    return result_schema(times, has_query_time=has_query_time)


def text_lines(
    findings: Iterable[ReportView], shown: ShowTime = as_integer, *, has_query_time: bool = True
) -> Iterator[str]:
    """`holdsFor(F=V, [(S,E),…]).` and `happensAt(E, [T,…]).`, one per line, after a line with the query time.

    Consecutive reports of one query time are one report.
    """
    previous: int | None = None
    for known in findings:
        if known.query_time != previous:
            yield f"% query time {shown(known.query_time)}"
        previous = known.query_time
        if (columns := known.columns()) is not None:
            from holdsfor.sinks.column_lines import text_blocks

            yield from text_blocks(*columns, shown)
            continue
        for fvp, starts, ends in known.listed_fvps():
            spans = zip(as_terms(starts, shown), as_terms(ends, shown), strict=True)
            yield f"holdsFor({fvp.name}, [{','.join([f'({start},{end})' for start, end in spans])}])."
        for event, times in known.listed_events():
            yield f"happensAt({event.name}, [{','.join(map(str, as_terms(times, shown)))}])."


def jsonl_lines(
    findings: Iterable[ReportView], shown: ShowTime = as_integer, *, has_query_time: bool = True
) -> Iterator[str]:
    """One object per interval and per time-point; an open end is `null`."""
    for known in findings:
        yield from json_rows(known, {"query_time": shown(known.query_time)} if has_query_time else {}, shown)


def json_rows(known: ReportView, before: Mapping[str, object], shown: ShowTime) -> Iterator[str]:
    """The objects of a report, each with the given fields before its own."""
    if (columns := known.columns()) is not None:
        from holdsfor.sinks.column_lines import jsonl_blocks

        yield from jsonl_blocks(before, *columns, shown)
        return
    for kind, entity, starts, ends in _listed(known):
        row = {**before, "kind": kind, **_as_object(entity)}
        for start, end in zip(map(shown, starts), as_values(ends, shown), strict=True):
            yield as_json({**row, "start": start, "end": end})


def _as_object(entity: Entity) -> dict[str, object]:
    return {"name": entity.functor, "arguments": entity.args, "value": entity.value, "fvp": entity.name}


def _listed(known: ReportView) -> Iterator[tuple[str, Entity, list[int], Sequence[int | None]]]:
    for fvp, starts, ends in known.listed_fvps():
        yield "fluent", fvp, starts, ends
    for event, times in known.listed_events():
        yield "event", event, times, times


def csv_lines(
    findings: Iterable[ReportView], shown: ShowTime = as_integer, *, has_query_time: bool = True
) -> Iterator[str]:
    """One row per interval and per time-point; an open end is empty, an event starts and ends at its time-point."""
    yield csv_row(*(["query_time"] if has_query_time else []), "kind", *ENTITY_COLUMNS, "start", "end")
    for known in findings:
        yield from csv_rows(known, [shown(known.query_time)] if has_query_time else [], shown)


def csv_rows(known: ReportView, before: Sequence[int | str], shown: ShowTime) -> Iterator[str]:
    """The rows of a report, each with the given fields before its own."""
    if (columns := known.columns()) is not None:
        from holdsfor.sinks.column_lines import csv_blocks

        yield from csv_blocks(before, *columns, shown)
        return
    for kind, entity, starts, ends in _listed(known):
        described = csv_row(*before, kind, *entity_fields(entity))
        for start, end in zip(map(shown, starts), as_values(ends, shown), strict=True):
            yield f"{described},{start},{'' if end is None else end}"


ENTITY_COLUMNS = ("name", "arguments", "value", "fvp")
"""The columns that describe an FVP or an event."""


def entity_fields(entity: Entity) -> tuple[str, ...]:
    """The fields of CSV that describe an FVP or an event; arguments are a list of JSON."""
    return entity.functor, as_json(entity.args), entity.value or "", entity.name


LINES = {"text": text_lines, "jsonl": jsonl_lines, "csv": csv_lines}
