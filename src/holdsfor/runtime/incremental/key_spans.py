"""The spans of query times in which a key has the same records, except those that begin later.

If no record of a key is late at the query times of a span, the results of the key at all of them are parts of its
results at the last one: causal components (`runtime/causal_components.py`) depend only on the past. A span of a key
starts

- at the first query time that sees a late record of the key, or the retraction of a record,
- after a query time at which an interval of the input begins at once, since conditions look one time-point ahead,
- when an interval under a duration filter becomes as long as the bound, since the filter then decides about its start.

Query times are numbered from 1 (`ConsecutiveQueries`). A key has no start in the span that begins before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.query_times import ConsecutiveQueries
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.distribution.keys import Distribution, HashRoute
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.interval_operators.filter_duration import FilterDuration
from holdsfor.physical.interval_operators.restore_starts import RestoreStarts
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.causal_components import is_causal
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.incremental.key_stages import KeyStage, TableName
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.query_batches import edges_at_once
from holdsfor.runtime.record_store import RecordStore

__all__ = [
    "MOST_QUERY_TIMES",
    "SpanKeys",
    "SpanStarts",
    "crossing_starts",
    "first_numbers",
    "late_starts",
    "removal_starts",
    "span_keys",
]

_MEASURING = (FilterDuration, RestoreStarts)

MOST_QUERY_TIMES = 1 << 20
"""The most query times whose spans are computed together: a key and a number fit in 63 bits."""


@dataclass(frozen=True)
class SpanKeys:
    """The key of each row of rules whose rows all have a key: by table, the arguments of records, and of results.

    `variables` has the key variable of each interval rule. A record may belong to the keys of several arguments.
    """

    stages: tuple[KeyStage, ...]
    inputs: dict[TableName, tuple[int, ...]]
    results: dict[TableName, int]
    variables: dict[int, str]


def span_keys(rules: PreparedRules, stages: tuple[KeyStage, ...]) -> SpanKeys | None:
    """The keys of rules; None if a row is needed by other keys than its own, or a component is not causal.

    Duration filters are allowed: `crossing_starts` has the query times at which they decide.
    """
    are_causal = all(is_causal(each, _MEASURING) for each in rules.program.components)
    if rules.uses_query_time or rules.reads_others or not are_causal:
        return None
    results = {name: argument for stage in stages for name, argument in stage.results.items()}
    inputs: dict[TableName, set[int]] = {}
    for stage in stages:
        if not stage.is_keyed or stage.routes is None:
            return None
        for name, routes in stage.routes.items():
            arguments = _arguments(routes)
            if arguments is None or (name in results and arguments != {results[name]}):
                return None
            if name not in results:
                inputs.setdefault(name, set()).update(arguments)
    variables = {number: name for stage in stages for number, name in stage.variables.items()}
    return SpanKeys(stages, {name: tuple(sorted(found)) for name, found in inputs.items()}, results, variables)


def _arguments(routes: Iterable[Distribution]) -> set[int] | None:
    """The arguments by which rows are sent to keys; None if some are sent in another way."""
    found: set[int] = set()
    for route in routes:
        if not isinstance(route, HashRoute):
            return None
        found.add(route.argument)
    return found


class SpanStarts:
    """The numbers of query times at which spans of keys start."""

    def __init__(self, parts: Iterable[tuple[Int64, Int64]], n: int) -> None:
        pairs = list(parts)
        words = concatenate_column([np.empty(0, np.int64), *(keys for keys, _ in pairs)])
        numbers = concatenate_column([np.empty(0, np.int64), *(starts for _, starts in pairs)])
        inside = ((numbers >= 1) & (numbers <= n)).nonzero()[0]
        words, numbers = words[inside], numbers[inside]
        self.keys = distinct_values(words)
        self._width = n + 1
        self._packed = distinct_values(self.keys.searchsorted(words) * self._width + numbers)

    @property
    def all(self) -> tuple[Int64, Int64]:
        """The keys and their starts, by key in ascending order."""
        return self.keys[self._packed // self._width], self._packed % self._width

    def latest(self, keys: Int64, number: int) -> Int64:
        """The last start of each key up to a number, or 0."""
        found = np.zeros(len(keys), dtype=np.int64)
        if len(self.keys) == 0 or len(keys) == 0:
            return found
        places = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
        last = self._packed.searchsorted(places * self._width + number, side="right") - 1
        is_own = (self.keys[places] == keys) & (last >= 0)
        is_own &= self._packed[last] // self._width == places
        return np.where(is_own, self._packed[last] % self._width, found)


def late_starts(
    records: RecordStore, keys: SpanKeys, rules: PreparedRules, queries: ConsecutiveQueries, tick: int
) -> Iterator[tuple[Int64, Int64]]:
    """Keys, and the starts of spans by their records."""
    for (is_fvp, key), arguments in keys.inputs.items():
        each = (records.fluents if is_fvp else records.events).get(key)
        if each is None or not len(each):
            continue
        parts = [_late(each, queries)]
        if is_fvp and key in rules.read_fluents:
            parts += edges_at_once(each, queries, tick, is_given_by_points=key in rules.point_fluents)
        for rows, seen_at in parts:
            yield from ((each.columns[argument][rows], queries.numbers(seen_at)) for argument in arguments)


def removal_starts(
    removed: Mapping[Key, tuple[Records, Int64]], keys: SpanKeys, queries: ConsecutiveQueries
) -> Iterator[tuple[Int64, Int64]]:
    """Keys, and the starts of spans by their records of events that were retracted, with the numbers of query times."""
    for key, (records, gone_at) in removed.items():
        rows, seen_at = _late(records, queries)
        for argument in keys.inputs.get((False, key), ()):
            yield records.columns[argument], gone_at
            yield records.columns[argument][rows], queries.numbers(seen_at)


def _late(records: Records, queries: ConsecutiveQueries) -> tuple[Int64, Int64]:
    """The rows of late records, and the query times that see them first."""
    rows = records.arriving(*queries.range)
    seen_at = queries.seen_at(records.arrivals[rows])
    is_late = records.starts[rows] <= queries.before(seen_at)
    return rows[is_late], seen_at[is_late]


def crossing_starts(evaluation: Evaluation, keys: SpanKeys, queries: ConsecutiveQueries, number: int) -> SpanStarts:
    """The starts of spans by duration filters: when intervals of an evaluation have become as long as their bounds."""
    found: list[tuple[Int64, Int64]] = []
    after = evaluation.time_range.next_of(queries.previous)
    for node, lists, limits in evaluation.measured:
        ends = np.minimum(lists.ends, evaluation.time_range.after_last)
        rows = (ends - lists.starts >= limits).nonzero()[0]
        if len(rows) == 0:
            continue
        words, starts = lists.rows.columns[keys.variables[node[0]]][rows], lists.starts[rows]
        # The query times after which an interval is as long as its bound, and longer.
        distance = (limits[rows] - (after - starts)) / queries.step
        for crossing in (np.ceil(distance), np.floor(distance) + 1):
            found.append((words, np.clip(crossing, 0, number + 1).astype(np.int64)))
    return SpanStarts(found, number)


def first_numbers(times: Int64, queries: ConsecutiveQueries, tick: int) -> Int64:
    """The number of the first query time whose next time-point is at or after each time, 0 for earlier ones.

    It is one more than the number of query times for later times.
    """
    before, after = (TimeRange(0, at, tick, 0).after_last for at in (queries.previous, queries.last))
    return -((before - np.clip(times, before, min(after + 1, OPEN))) // queries.step)
