"""The tables of one time range: events, fluents, initiations and terminations, extended component by component."""

from __future__ import annotations

from collections.abc import Collection, Iterable, MutableMapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from holdsfor.columns.tables import (
    FluentTable,
    Key,
    PointTable,
    concatenate_tables,
    distinct_points,
    empty_fluents,
    empty_points,
)
from holdsfor.kernels.keys import distinct_rows
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.rows import Rows
from holdsfor.runtime.cuts import without_cuts
from holdsfor.runtime.edges import EdgeKind, edge_points, without_initial_values
from holdsfor.runtime.tables_between import FluentsAsOf, TablesBetween, between

if TYPE_CHECKING:
    from holdsfor.physical.time_range import TimeRange
    from holdsfor.runtime.prepared_rules import PreparedRules
    from holdsfor.runtime.recursion.fixpoint import RecursionOutcome
    from holdsfor.runtime.state import State

__all__ = ["EvaluationTables"]

Points: TypeAlias = MutableMapping[Key, PointTable]


class EvaluationTables:
    """The tables of one time range, as operators read them.

    `events` and `known` have input, carried and computed rows; `output` has the computed FVPs. `cuts` and `input_cuts`
    are the intervals that a window cuts, with their true starts. `recursions` has the outcomes of recursive components
    by number. `adopted` are the positions of components whose results come from other evaluations. In a fixpoint
    iteration, `_outside` has the rows that satisfy the external conditions of each rule.
    """

    def __init__(
        self,
        rules: PreparedRules,
        state: State,
        time_range: TimeRange,
        events: dict[Key, PointTable],
        fluents: dict[Key, FluentTable],
    ) -> None:
        self.rules = rules
        self.program = rules.program
        self.symbols = rules.symbols
        self.instances = rules.symbols.instances
        self.time_range = time_range
        self.events: MutableMapping[Key, PointTable] = events
        self.known: MutableMapping[Key, FluentTable] = fluents
        self.output: MutableMapping[Key, FluentTable] = {}
        self.cuts: dict[Key, FluentTable] = {}
        self.input_cuts: dict[Key, FluentTable] = {}
        self.is_as_if_whole = False
        self.whole: dict[Key, FluentTable] = {}
        self.carried_edges: MutableMapping[tuple[EdgeKind, Key], PointTable] = state.edges
        self._initiations: MutableMapping[Key, PointTable] = {}
        self._terminations: MutableMapping[Key, PointTable] = {}
        self._distinct: dict[Key, tuple[PointTable, PointTable]] = {}
        self._edges: dict[tuple[EdgeKind, Key], tuple[FluentTable, PointTable]] = {}
        self._outside: dict[int, Rows] | None = None
        self.recursions: dict[int, RecursionOutcome] = {}
        self.adopted: Collection[int] = ()

    def points(self, kind: PointKind, key: Key) -> PointTable:
        if kind == "events":
            return self.events.get(key) or empty_points(key[1])
        if kind == "initiations":
            return self.distinct_initiations(key)
        return self.edges(kind, key)

    def distinct_initiations(self, key: Key) -> PointTable:
        table = self._initiations.get(key) or empty_points(key[1] + 1)
        known = self._distinct.get(key)
        if known is None or known[0] is not table:
            own = (table.numbers(tuple(range(key[1])), self.instances), table.column(key[1]), table.times)
            rows = distinct_rows(own, table.n)
            known = self._distinct[key] = table, table if rows is None else table.take(rows)
        return known[1]

    def terminations(self, key: Key) -> PointTable:
        return self._terminations.get(key) or empty_points(key[1] + 1)

    def fluents(self, key: Key) -> FluentTable:
        return self.known.get(key) or empty_fluents(key[1])

    def resumed_fluents(self, key: Key) -> FluentTable:
        """The intervals of a fluent from the settled time-point on; results get their true starts later."""
        table = self.fluents(key)
        if not self.time_range.is_resumed:
            return table
        inside = (table.ends > self.time_range.first).nonzero()[0]
        rest = table if len(inside) == table.n else table.take(inside)
        return rest.with_starts(np.maximum(rest.starts, self.time_range.first))

    def edges(self, kind: EdgeKind, key: Key) -> PointTable:
        """The events at the edges of intervals, at the time-points of the time range."""
        table = self.fluents(key)
        known = self._edges.get((kind, key))
        if known is None or known[0] is not table:
            known = self._edges[kind, key] = table, self.edge_points(kind, key, table)
        return known[1]

    def edge_points(self, kind: EdgeKind, key: Key, table: FluentTable) -> PointTable:
        """The edges of some intervals of a fluent, and edges carried over."""
        points = edge_points(kind, without_cuts(kind, table, self.cuts.get(key)), self.time_range)
        if kind == "startI":
            simple = self.program.simple.get(key, ())
            points = without_initial_values(points, simple, self.time_range.first_of_run, self.symbols)
        carried = self.carried_edges.get((kind, key))
        return distinct_points([carried, points])

    # -- results of components -----------------------------------------------------------------------------------------

    def add_fluents(self, key: Key, table: FluentTable) -> None:
        """Add the FVPs of a finished component."""
        if table.n == 0:
            return
        known, output = self.known.get(key), self.output.get(key)
        self.known[key] = concatenate_tables([known, table])
        is_same = known is output
        self.output[key] = self.known[key] if is_same else concatenate_tables([output, table])

    def add_events(self, key: Key, table: PointTable) -> None:
        """Add events of a name."""
        self.events[key] = distinct_points([self.events.get(key), table])

    def conclude_fluent(self, key: Key, initiations: PointTable, terminations: PointTable, table: FluentTable) -> None:
        """Add a fluent of a finished component."""
        self._initiations[key] = concatenate_tables([self._initiations.get(key), initiations])
        self._terminations[key] = concatenate_tables([self._terminations.get(key), terminations])
        self.add_fluents(key, table)

    def adopt(
        self, positions: Collection[int], names: tuple[Iterable[Key], Iterable[Key]], before: Self | None, part: Self
    ) -> None:
        """Add the results of components in a part of the time range, and those of an evaluation before it, if any.

        `names` are the events and the fluents that the components compute. All of their results that end before the
        part are final in that evaluation. Nothing else is evaluated yet.
        """
        self.adopted = positions
        first, boundary = self.time_range.first, part.time_range.first

        def add_points(key: Key, own: Points, earlier: Points, later: Points) -> None:
            settled = between(earlier[key], first, boundary - 1) if key in earlier else None
            if settled is not None or key in later:
                own[key] = concatenate_tables([settled, later.get(key)])

        events, fluents = names
        for key in events:
            add_points(key, self.events, {} if before is None else before.events, part.events)
        if before is None:
            self._initiations, self._terminations = part._initiations, part._terminations
        for key in fluents:
            held = None
            if before is not None:
                add_points(key, self._initiations, before._initiations, part._initiations)
                add_points(key, self._terminations, before._terminations, part._terminations)
                held = before.output.get(key) or empty_fluents(key[1])
                held = held.take(((held.ends > first) & (held.ends <= boundary)).nonzero()[0])
            self.add_fluents(key, concatenate_tables([held, part.output.get(key) or empty_fluents(key[1])]))
        for number, outcome in part.recursions.items():
            earlier = None if before is None else before.recursions.get(number)
            self.recursions[number] = outcome.after(earlier, first, boundary)

    def as_of(self, time_range: TimeRange) -> Self:
        """The evaluation of an earlier part of the time range, without its own results of interval operators.

        Contract: the results in that part do not depend on later records (`runtime/query_batches.py`).
        """
        first, last = time_range.first, time_range.last
        earlier = copy(self)
        earlier.time_range = time_range
        earlier._edges, earlier._distinct = {}, {}
        earlier.events = TablesBetween(self.events, first, last)
        earlier._initiations = TablesBetween(self._initiations, first, last)
        earlier._terminations = TablesBetween(self._terminations, first, last)
        earlier.carried_edges = TablesBetween(self.carried_edges, first, last)
        earlier.known = FluentsAsOf(self.known, first, time_range.after_last)
        earlier.output = FluentsAsOf(self.output, first, time_range.after_last)
        return earlier

    # -- parts of the time range, for recursive components -------------------------------------------------------------

    def part(self, first: int, last: int) -> Self:
        """The evaluation of a part of the time range, for a fixpoint iteration, which may change its tables."""
        time_range = replace(self.time_range, first=first, last=last, is_resumed=True)
        part = copy(self)
        part.time_range = time_range
        part._edges = {}
        part._outside = {}
        part.known = dict(self.known)
        part.events = TablesBetween(self.events, first, last)
        part._initiations = TablesBetween(self._initiations, first, last)
        part._terminations = TablesBetween(self._terminations, first, last)
        part.carried_edges = TablesBetween(self.carried_edges, first, last)
        return part

    def within(self, table: PointTable | None) -> PointTable | None:
        """The points of a table in the time range."""
        if table is None:
            return None
        return between(table, self.time_range.first, self.time_range.last)

    def assume_events(self, key: Key, table: PointTable, known: EvaluationTables) -> None:
        """Add the events of an iteration to the known ones."""
        self.events[key] = distinct_points([self.within(known.events.get(key)), table])

    def assume_fluent(
        self, key: Key, initiations: PointTable, terminations: PointTable, table: FluentTable, known: EvaluationTables
    ) -> None:
        """Set the effects and intervals of a fluent to those of an iteration, besides other fluents of its name."""
        self._initiations[key] = concatenate_tables([self.within(known._initiations.get(key)), initiations])
        self._terminations[key] = concatenate_tables([self.within(known._terminations.get(key)), terminations])
        others = known.known.get(key)
        self.known[key] = concatenate_tables([others, table])

    def carry_ends(self, key: Key, ended: FluentTable) -> None:
        """Record intervals of a fluent that ended at the first time-point of the time range."""
        rows = np.arange(ended.n, dtype=np.int64)
        self.carried_edges["endI", key] = ended.points(rows, ended.ends)
