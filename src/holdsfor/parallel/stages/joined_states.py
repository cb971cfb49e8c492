"""The states of several buckets as the state of one: tables, lists and records are joined, each row once.

The parts have the keys of the new bucket only (`divided_states`), and are settled up to the same time-point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import AdmissionCounts, Records
from holdsfor.columns.retractions import Retractions
from holdsfor.columns.tables import FluentTable, PointTable, Relation, concatenate_tables
from holdsfor.kernels.inertia import BEFORE_EVERYTHING
from holdsfor.kernels.keys import Int64, dense_ids, distinct_rows
from holdsfor.parallel.stages.divided_states import BucketState
from holdsfor.physical.interval_lists import Lists, concatenate_lists
from holdsfor.physical.rows import concatenate_rows
from holdsfor.runtime.allen_constructs import KeptIntervals
from holdsfor.runtime.delays import SetUp, joined_set_ups
from holdsfor.runtime.initial_values import InitialValues
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.state_snapshot import Members
from holdsfor.runtime.upstream_results import UpstreamResults

__all__ = ["joined_records", "joined_state"]

Table = TypeVar("Table", FluentTable, PointTable)
Value = TypeVar("Value")


def joined_state(parts: Sequence[BucketState], symbols: Symbols) -> BucketState:
    """The states of several buckets as one; all have the same settled time-point.

    A part may have reported results as settled that the others have not: those of its report are dropped.
    """
    states = [part.state for part in parts]
    first = states[0]
    state = replace(
        first,
        watermark=max(each.watermark for each in states),
        reported_until=BEFORE_EVERYTHING,
        is_announced=all(each.is_announced for each in states),
        n_new_members=max(each.n_new_members for each in states),
        place_kinds=reduce(lambda one, other: one.merged(other), (each.place_kinds for each in states)),
        records=joined_records([each.records for each in states]),
        computed=_joined_upstream([each.computed for each in states], symbols),
        held=_tables_by_key(each.held for each in states),
        edges=_by_place((each.edges for each in states), _tables),
        pending=_by_place((each.pending for each in states), _effects),
        prefixes=_by_place((each.prefixes for each in states), _lists),
        allen=_by_place((each.allen for each in states), _kept),
        made=_by_place((each.made for each in states), _lists),
        complements=_by_place((each.complements for each in states), lambda rows: concatenate_rows(rows).distinct()),
        ranges=_by_place((each.ranges for each in states), lambda words: np.unique(np.concatenate(words))),
        settled_cuts=_tables_by_key(each.settled_cuts for each in states),
        settled_input_cuts=_tables_by_key(each.settled_input_cuts for each in states),
        horizons=_by_place((each.horizons for each in states), max),
        initial=InitialValues(_by_place((each.initial.known for each in states), _relations)),
        computed_cuts={
            key: dated
            for key, dated in _by_place((each.computed_cuts for each in states), _dated).items()
            if dated[0].n
        },
        cuts=_by_place((each.cuts for each in states), _cuts),
    )
    reports = [part.report.since(part.state.reported_until) for part in parts if part.report is not None]
    return BucketState(state, _joined_reports(reports), _joined_members([part.members for part in parts]))


def _by_place(found: Iterable[Mapping[Any, Value]], join: Callable[[list[Value]], Value]) -> dict[Any, Value]:
    """The values of the same places, joined."""
    places: dict[Any, list[Value]] = {}
    for each in found:
        for place, value in each.items():
            places.setdefault(place, []).append(value)
    return {place: join(values) for place, values in places.items()}


def _tables_by_key(found: Iterable[Mapping[Any, Table]]) -> dict[Any, Table]:
    """The tables of the same places, joined; places without rows are left out."""
    return {place: table for place, table in _by_place(found, _tables).items() if table.n}


def _tables(tables: list[Table]) -> Table:
    together = concatenate_tables(tables)
    rows = distinct_rows(together.columns, together.n)
    return together if rows is None else together.take(rows)


def _relations(relations: list[Relation]) -> Relation:
    n = sum(each.n for each in relations)
    width = len(relations[0].columns)
    columns = tuple(np.concatenate([each.columns[i] for each in relations]) for i in range(width))
    rows = distinct_rows(columns, n) if columns else np.arange(min(n, 1))
    return Relation(columns, n) if rows is None else Relation(tuple(each[rows] for each in columns), len(rows))


def _lists(found: list[Lists]) -> Lists:
    together = concatenate_lists(found)
    columns = [*together.rows.columns.values(), together.starts, together.ends]
    rows = distinct_rows(columns, together.n)
    return together if rows is None else together.take(rows)


def _kept(found: list[KeptIntervals]) -> KeptIntervals:
    cut = [each.cut for each in found if each.cut is not None]
    sources, targets = (_lists([each.sources for each in found]), _lists([each.targets for each in found]))
    return KeptIntervals(sources, targets, _kept(cut) if cut else None)


def _effects(found: list[tuple[SetUp | None, ...]]) -> tuple[SetUp | None, ...]:
    return tuple(joined_set_ups(of_delay) for of_delay in zip(*found, strict=True))


def _dated(found: list[tuple[FluentTable, Int64, Int64]]) -> tuple[FluentTable, Int64, Int64]:
    table = concatenate_tables([each for each, _, _ in found])
    since = np.concatenate([each for _, each, _ in found])
    until = np.concatenate([each for _, _, each in found])
    rows = distinct_rows((*table.columns, since, until), table.n)
    return (table, since, until) if rows is None else (table.take(rows), since[rows], until[rows])


def _cuts(found: list[list[tuple[int, FluentTable]]]) -> list[tuple[int, FluentTable]]:
    by_time = _by_place((dict(each) for each in found), _tables)
    return sorted(by_time.items(), key=lambda each: each[0])


def _joined_reports(reports: Sequence[ReportColumns]) -> ReportColumns | None:
    if not reports:
        return None
    fluents = _tables_by_key(each.fluents for each in reports)
    events = _tables_by_key(each.events for each in reports)
    return ReportColumns(reports[0].query_time, fluents, events)


def _joined_members(found: Sequence[Members]) -> Members:
    names = dict.fromkeys(name for each in found for name in each)
    return {name: _by_place((each.get(name, {}) for each in found), _columns) for name in names}


def _columns(found: list[list[Int64]]) -> list[Int64]:
    columns = [np.concatenate(each) for each in zip(*found, strict=True)]
    rows = distinct_rows(columns, len(columns[0])) if columns else None
    return columns if rows is None else [column[rows] for column in columns]


def _joined_upstream(found: Iterable[UpstreamResults], symbols: Symbols) -> UpstreamResults:
    together = UpstreamResults(symbols.instances)
    for each in found:
        for key, points, since, until in each.all_events():
            together.add_events(key, points, since, until)
        for key, table, since, until in each.all_fluents():
            together.add_fluents(key, table, since, until)
    return together


# -- records -----------------------------------------------------------------------------------------------------------


def joined_records(stores: Sequence[RecordStore]) -> RecordStore:
    """The records of several buckets; a record that several of them have is one record."""
    store = RecordStore()
    store.events = _by_place((each.events for each in stores), _each_record_once)
    store.fluents = _by_place((each.fluents for each in stores), _each_record_once)
    store.retractions = _by_place((each.retractions for each in stores), _each_retraction_once)
    store.admission_counts = AdmissionCounts()
    for each in stores:
        store.admission_counts.add(each.admission_counts)
        store.add_unmatched(each.unmatched)
    store.n_unmatched = sum(each.n_unmatched for each in stores)
    store.n_retracted = sum(each.n_retracted for each in stores)
    store.n_places = max(each.n_places for each in stores)
    return store


def _each_record_once(found: list[Records]) -> Records:
    together = found[0]
    for each in found[1:]:
        together = together.joined(each)
    return together if len(found) == 1 else together.take(_first_rows(found))


def _each_retraction_once(found: list[Any]) -> Retractions[Any]:
    together: Retractions[Any] = found[0]
    for each in found[1:]:
        together = together.joined(each)
    return together if len(found) == 1 else together.take(_first_rows([each.records for each in found]))


def _first_rows(parts: Sequence[Records]) -> Int64:
    """The rows of records one after the other, without those that an earlier part has as often.

    Routes depend on the constants of a record, so that a bucket has either all records with the same constants, in
    their order, or none.
    """
    facts, occurrences = list[list[Int64]](), list[Int64]()
    for each in parts:
        ends = each.starts if each.ends is None else each.ends
        columns = [*each.columns, each.arrivals, each.starts, ends, each.seen_from]
        facts.append(columns)
        occurrences.append(_occurrences(columns, each.read_at))
    together = [np.concatenate(column) for column in zip(*facts, strict=True)]
    counted = [*together, np.concatenate(occurrences)]
    rows = distinct_rows(counted, len(counted[-1]))
    return np.arange(len(counted[-1]), dtype=np.int64) if rows is None else rows


def _occurrences(columns: Sequence[Int64], places: Int64) -> Int64:
    """For each row, the number of equal rows before it in the order of places."""
    n = len(places)
    ids = dense_ids(columns, n)[0]
    order = np.lexsort((places, ids))
    firsts = np.append(True, np.diff(ids[order]) != 0)[:n].nonzero()[0]
    counts = np.diff(np.append(firsts, n))
    found = np.empty(n, dtype=np.int64)
    found[order] = np.arange(n, dtype=np.int64) - np.repeat(firsts, counts)
    return found
