"""The input of an evaluation: events and FVPs of records and of other sessions, and their cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from holdsfor.columns.records import Mask
from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables, empty_fluents
from holdsfor.kernels.keys import Int64
from holdsfor.physical.time_range import TimeRange, true_starts
from holdsfor.runtime.cuts import as_if_whole, cuts_of_input, cuts_of_records
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.state import State
from holdsfor.runtime.upstream_results import UpstreamResults

__all__ = ["has_cuts", "input_events", "input_fluents", "input_tables", "keep_cuts", "note_cuts", "with_upstream"]

Events = dict[Key, PointTable]
Fluents = dict[Key, FluentTable]


def input_tables(rules: PreparedRules, state: State, time_range: TimeRange, arrived_by: int) -> tuple[Events, Fluents]:
    """The events and FVPs of the records in a time range."""
    return input_events(rules, state, time_range, arrived_by), input_fluents(rules, state, time_range, arrived_by)


def input_events(
    rules: PreparedRules,
    state: State,
    time_range: TimeRange,
    arrived_by: int,
    wanted: Callable[[Key, Sequence[Int64]], Mask | None] | None = None,
) -> Events:
    """The events of the records in a time range, those that may be repeated with duplicates.

    With `wanted`, which chooses rows by the columns of a name, only some of them.
    """
    first, last = time_range.first, time_range.last
    found: Events = {}
    for key, each in state.records.events.items():
        read = each.mentioned if key in rules.repeatable_events else each.events
        found[key] = read(first, last, arrived_by, None if wanted is None else partial(wanted, key))
    return found


def input_fluents(rules: PreparedRules, state: State, time_range: TimeRange, arrived_by: int) -> Fluents:
    """The FVPs of the records in a time range.

    An interval that ends later than the first time-point after the time range counts as open. A fluent given by
    time-points that holds at the last time-point counts as open, too.
    """
    first, last, tick = time_range.first, time_range.last, time_range.tick
    last_point = last // tick * tick, time_range.after_last
    fluents: Fluents = {}
    for key, records in state.records.fluents.items():
        point = last_point if key in rules.point_fluents else None
        table = records.intervals(first, last, arrived_by, left_open=point).open_after(last_point[1])
        fluents[key] = true_starts(table, state.held.get(key), first, rules.symbols.instances)
    return fluents


def with_upstream(
    events: Events, fluents: Fluents, computed: UpstreamResults, at: int, first: int
) -> tuple[Events, Fluents]:
    """The nonempty tables, with the results of other sessions as of a query time."""
    events = events | computed.events(at, first)
    for key, table in computed.fluents(at, first).items():
        fluents[key] = concatenate_tables([fluents[key], table]) if key in fluents else table
    return (
        {key: table for key, table in events.items() if table.n},
        {key: table for key, table in fluents.items() if table.n},
    )


def note_cuts(evaluation: Evaluation, at: int, arrived_by: int) -> None:
    """Record which intervals of the input are cut."""
    first, last, state = evaluation.time_range.first, evaluation.time_range.last, evaluation.state
    evaluation.cuts = dict(state.settled_cuts)
    for key, records in state.records.fluents.items():
        cuts = cuts_of_records(records, last, arrived_by)
        if key in state.settled_input_cuts:
            cuts = concatenate_tables([cuts, state.settled_input_cuts[key]])
        if cuts.n:
            whole = records.intervals(first, last, arrived_by, as_if_whole=True)
            evaluation.whole[key] = whole.open_after(evaluation.time_range.after_last)
            evaluation.input_cuts[key] = cuts_of_input(evaluation.fluents(key), cuts)
            both = [each[key] for each in (evaluation.cuts, evaluation.input_cuts) if key in each]
            evaluation.cuts[key] = concatenate_tables(both)
    for key, (cuts, since, until) in state.computed_cuts.items():
        known = cuts.take(((since <= at) & (at < until)).nonzero()[0])
        evaluation.cuts[key], evaluation.whole[key] = known, as_if_whole(evaluation.fluents(key), known)


def has_cuts(state: State, last: int, arrived_by: int) -> bool:
    """Whether a window cuts an interval of the input up to a time-point, now or in a settled part."""
    if state.settled_cuts or state.settled_input_cuts or state.computed_cuts:
        return True
    return any(len(records.cut_rows(last, arrived_by)) for records in state.records.fluents.values())


def keep_cuts(kept: dict[Key, list[tuple[int, FluentTable]]], cuts: Fluents, first: int, at: int) -> None:
    """Keep the cuts of a query time, whose time range begins at `first`, with the earlier ones that are settled."""
    for key in {*kept, *cuts}:
        found = cuts.get(key) or empty_fluents(key[1])
        if key in kept:
            before = kept[key][-1][1]
            found = concatenate_tables([before.take((before.starts <= first).nonzero()[0]), found])
        kept.setdefault(key, []).append((at, found))
