"""The index of a report of the engine, or of a report of terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.kernels.packing import OPEN
from holdsfor.query.result_index import Instances, Key, ResultIndex, RunSettings, fluent_of, key_of
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.syntax.terms import Term

__all__ = ["index_of_columns", "index_of_terms", "with_known"]


def index_of_columns(report: ReportColumns, symbols: Symbols, settings: RunSettings) -> ResultIndex:
    """The index of a report. A name is decoded when a goal first needs it."""

    def fvps(key: Key) -> Instances:
        part = ReportColumns(report.query_time, {key: report.fluents[key]}, {})
        return Instances.of(part.fvp_extents(symbols))

    def events(key: Key) -> Instances:
        part = ReportColumns(report.query_time, {}, {key: report.events[key]})
        return Instances.of(part.event_extents(symbols))

    return ResultIndex(
        {key: partial(fvps, key) for key in _in_order(report.fluents)},
        {key: partial(events, key) for key in _in_order(report.events)},
        settings,
    )


def index_of_terms(
    intervals: Mapping[Term, list[tuple[int, int | None]]], times: Mapping[Term, list[int]], settings: RunSettings
) -> ResultIndex:
    """The index of FVPs with intervals and events with time-points; an open end is None."""
    spans = {fvp: [(s, OPEN if e is None else e) for s, e in found] for fvp, found in intervals.items()}
    points = {event: [(time, time) for time in found] for event, found in times.items()}
    return ResultIndex(_by_name(spans), _by_name(points), settings)


def with_known(index: ResultIndex, fluents: Iterable[Key], events: Iterable[Key]) -> ResultIndex:
    """The index with names that have no results."""
    return ResultIndex(_with_names(index.fluents, fluents), _with_names(index.events, events), index.settings)


def _with_names(
    found: Mapping[Key, Callable[[], Instances]], names: Iterable[Key]
) -> dict[Key, Callable[[], Instances]]:
    empty: dict[Key, Callable[[], Instances]] = dict.fromkeys(names, partial(_instances, {}))
    known = {**empty, **found}
    return {key: known[key] for key in _in_order(known)}


def _by_name(rows: Mapping[Term, list[tuple[int, int]]]) -> dict[Key, partial[Instances]]:
    names: dict[Key, dict[Term, list[tuple[int, int]]]] = {}
    for term, found in rows.items():
        key = key_of(fluent_of(term))
        assert key is not None
        names.setdefault(key, {})[term] = found
    return {key: partial(_instances, names[key]) for key in _in_order(names)}


def _instances(rows: Mapping[Term, list[tuple[int, int]]]) -> Instances:
    counts = [len(found) for found in rows.values()]
    both = np.array([row for found in rows.values() for row in found], dtype=np.int64).reshape(-1, 2)
    return Instances(list(rows), np.cumsum([0, *counts]).astype(np.int64), both[:, 0], both[:, 1])


def _in_order(names: Mapping[Key, object]) -> list[Key]:
    """Names in standard order: by arity, then alphabetically."""
    return sorted(names, key=lambda key: (key[1], key[0]))
