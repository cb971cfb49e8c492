"""Input intervals that begin before the window in which they arrive.

Interval operations see only the part inside the window. A cut is not a start: neither the fluent nor anything computed
from it starts at the edge. So interval rules are applied a second time as if cut intervals were whole: the intervals
that then extend before the edge only continue there. Durations of the input fluent itself count from the true start,
and Allen constructs compare it (`runtime/cut_relations.py`). The true start is the earliest start among the records
that are cut where the interval begins, and it is kept while the interval continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from holdsfor.columns.records import Records
from holdsfor.columns.tables import FluentTable, Key, concatenate_tables
from holdsfor.kernels.concatenation import concatenate_column, concatenate_columns
from holdsfor.kernels.keys import Int64, dense_ids, index_of, pairs_of_equal_keys, rows_with_a_partner
from holdsfor.physical.interval_operators.read_fluent import ReadFluent
from holdsfor.physical.interval_planner import PlannedIntervalRule
from holdsfor.runtime.edges import EdgeKind
from holdsfor.runtime.interval_rules import evaluate_interval_rules
from holdsfor.runtime.upstream_results import NEVER

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = [
    "DatedCuts",
    "as_if_whole",
    "cuts_of_input",
    "cuts_of_records",
    "cuts_of_rules",
    "dated_cuts",
    "without_cuts",
]


def cuts_of_records(records: Records, last: int, arrived_by: int) -> FluentTable:
    """The records that are cut: FVP, visible start, and the true start instead of the end.

    A record that ends at the first time-point of the window has no visible part, and is left out.
    """
    assert records.ends is not None
    rows = records.cut_rows(last, arrived_by)
    rows = rows[records.seen_from[rows] < records.ends[rows]]
    columns = (*(column[rows] for column in records.columns), records.seen_from[rows], records.starts[rows])
    return FluentTable(columns, len(rows))


def cuts_of_input(table: FluentTable, cuts: FluentTable) -> FluentTable:
    """The maximal intervals that begin where a record is cut, in the same form, with the earliest true start."""
    rows, partners = pairs_of_equal_keys((*table.keys, table.starts), table.n, (*cuts.keys, cuts.starts), cuts.n)
    true = table.starts.copy()
    np.minimum.at(true, rows, cuts.ends[partners])
    return table.with_bounds(table.starts, true).take((true < table.starts).nonzero()[0])


def without_cuts(kind: EdgeKind, table: FluentTable, cuts: FluentTable | None) -> FluentTable:
    """The intervals with an edge of their own: cut intervals do not start at their first visible time-point."""
    if cuts is None or cuts.n == 0 or kind not in ("starts", "startI"):
        return table
    is_cut = rows_with_a_partner((*table.keys, table.starts), table.n, (*cuts.keys, cuts.starts), cuts.n)
    return table.take((~is_cut).nonzero()[0])


def cuts_of_rules(rules: Sequence[PlannedIntervalRule], key: Key, table: FluentTable, context: Evaluation) -> None:
    """Record which intervals of the rules only continue where an input interval is cut."""
    operators = [operator for rule in rules for operator in rule.operators]
    read = {operator.shape.key for operator in operators if isinstance(operator, ReadFluent)}
    known = [cuts for name, cuts in context.cuts.items() if name in read]
    if not known or table.n == 0:
        return
    whole = _as_if_whole(rules, context)
    edges = concatenate_column([cuts.starts for cuts in known])
    found = table.take((index_of(edges).numbers(table.starts) >= 0).nonzero()[0])
    before = context.time_range.previous(found.starts)
    rows = whole.holding(found.keys, before)
    goes_on = (rows >= 0) & (rows == whole.holding(found.keys, found.starts))
    cut = found.take(goes_on.nonzero()[0])
    cut = cut.with_bounds(cut.starts, whole.starts[rows[goes_on]])
    context.cuts[key] = concatenate_tables([context.cuts.get(key), cut])
    context.whole[key] = concatenate_tables([context.whole.get(key), whole])


def _as_if_whole(rules: Sequence[PlannedIntervalRule], context: Evaluation) -> FluentTable:
    """The intervals of rules if no input interval is cut; no state is kept."""
    aside = copy(context)
    aside.known = {**context.known, **context.whole}
    first = context.time_range.first
    aside.is_as_if_whole = True
    aside.input_cuts = {
        key: table.with_bounds(np.maximum(table.starts, first), table.starts)
        for key, table in context.whole.items()
        if key in context.inputs
    }
    for name in ("made", "longest", "complemented", "whole_lists"):
        setattr(aside, name, dict(getattr(context, name)))
    for name in ("_asked", "_edges"):
        setattr(aside, name, {})
    return evaluate_interval_rules(rules, aside)[1]


DatedCuts: TypeAlias = tuple[FluentTable, Int64, Int64]
"""Cut intervals, and the query times between which they are cut."""


def dated_cuts(found: Sequence[tuple[int, FluentTable]]) -> DatedCuts:
    """The cuts of consecutive query times; the last ones remain."""
    counts = [cuts.n for _, cuts in found]
    query_times = np.array([at for at, _ in found], dtype=np.int64)
    following = np.append(query_times[1:], NEVER)
    return concatenate_tables([cuts for _, cuts in found]), np.repeat(query_times, counts), np.repeat(following, counts)


def as_if_whole(table: FluentTable, cuts: FluentTable) -> FluentTable:
    """The intervals, with the true starts of cut ones."""
    ids = dense_ids(concatenate_columns([table.keys, cuts.keys]), table.n + cuts.n)[0]
    known = ids[table.n :], cuts.starts, cuts.ends
    return table.with_starts(_true_starts_of(ids[: table.n], table.starts, known))


def _true_starts_of(numbers: Int64, starts: Int64, cut: tuple[Int64, Int64, Int64]) -> Int64:
    """The starts of intervals by instance, with true starts for cut ones: (instance, start, true start)."""
    own, seen, true = cut
    rows, partners = pairs_of_equal_keys([numbers, starts], len(starts), [own, seen], len(seen))
    found = starts.copy()
    found[rows] = true[partners]
    return found
