"""The evaluation of one time range, component by component: events, initiations, terminations and intervals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from holdsfor.columns.tables import (
    FluentTable,
    Key,
    PointTable,
    concatenate_tables,
    empty_fluents,
    empty_points,
    point_table,
)
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.inertia import BEFORE_EVERYTHING, Effects, inertial_intervals
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.operators.ground_head import GroundHead
from holdsfor.physical.operators.operator import run_operators
from holdsfor.physical.patterns import build, join, linear
from holdsfor.physical.plan import PlannedComponent, PlannedFluent, PlannedRule
from holdsfor.physical.rows import Rows, one_row
from holdsfor.physical.time_range import TimeRange, true_starts
from holdsfor.runtime.cuts import cuts_of_rules
from holdsfor.runtime.evaluation_context import EvaluationContext
from holdsfor.runtime.interval_rules import evaluate_interval_rules
from holdsfor.runtime.recursion.fixpoint import evaluate_recursion
from holdsfor.runtime.terminations import terminations_of, visible_breaks
from holdsfor.syntax.terms import variables

if TYPE_CHECKING:
    from holdsfor.runtime.state import State

__all__ = ["Evaluation"]


class Evaluation(EvaluationContext):
    """Evaluates the components of a program over one time range."""

    def again(
        self, state: State, time_range: TimeRange, events: dict[Key, PointTable], fluents: dict[Key, FluentTable]
    ) -> Self:
        """An evaluation of the same rules over other tables, without results, counted in the same profile."""
        evaluation = type(self)(self.rules, state, time_range, events, fluents, self.allen_memory)
        evaluation.profile = self.profile
        return evaluation

    def run(self, positions: Collection[int] | None = None) -> None:
        """Evaluate the components at some positions of the program, or all that are not evaluated yet."""
        for position, component in enumerate(self.program.components):
            if position not in self.adopted if positions is None else position in positions:
                self.evaluate(component)

    def evaluate(self, component: PlannedComponent) -> None:
        """Evaluate one component."""
        if component.is_recursive:
            carried = self.state.pending.get(component.number, ())
            self.recursions[component.number] = evaluate_recursion(component, self, carried)
            return
        for rule in component.events:
            self.derive_event(rule)
        for key, fluent in component.fluents.items():
            self.derive_fluent(key, fluent)
        if component.interval_rules:
            key, table = evaluate_interval_rules(component.interval_rules, self)
            started = self.rules.started_fluents
            if self.cuts and (started is None or key in started):
                cuts_of_rules(component.interval_rules, key, table, self)
            self.add_fluents(key, true_starts(table, self.state.held.get(key), self.time_range.first, self.instances))

    # -- events --------------------------------------------------------------------------------------------------------

    def derive_event(self, rule: PlannedRule) -> None:
        found = self.event_points(rule)
        if found is not None:
            self.add_events(rule.key, found)

    def event_points(self, rule: PlannedRule) -> PointTable | None:
        """The events that a rule derives, or None."""
        rows = self.bound_rows(rule)
        if rows.n == 0:
            return None
        assert rows.times is not None
        columns = [build(pattern, rows, self.symbols) for pattern in rule.columns]
        inside = self.domains.includes((False, *rule.key), columns, rows.n, self)
        return point_table([column[inside] for column in (*columns, rows.times)])

    def bound_rows(self, rule: PlannedRule) -> Rows:
        """The solutions of a rule, with the head's unbound variables ranging over its instances."""
        rows = self.solutions(rule)
        if rows.n == 0 or not rule.unbound:
            return rows
        return GroundHead(rule.head, is_effect=True).run(rows, self)

    def solutions(self, rule: PlannedRule) -> Rows:
        """The rows that satisfy a rule's conditions; a fixpoint iteration evaluates external conditions once."""
        if self._outside is None or rule.n_outside == 0:
            return run_operators(rule.operators, one_row(), self)
        if id(rule) not in self._outside:
            self._outside[id(rule)] = run_operators(rule.operators[: rule.n_outside], one_row(), self).distinct()
        return run_operators(rule.operators[rule.n_outside :], self._outside[id(rule)], self)

    # -- simple fluents ------------------------------------------------------------------------------------------------

    def derive_fluent(self, key: Key, fluent: PlannedFluent) -> None:
        initiations = self.initiations(key, fluent)
        state = self.initial_state(key, fluent)
        terminations = terminations_of(self, key, fluent, initiations, state)
        held = self.inertia(key, initiations, terminations.points, state)
        breaks = visible_breaks(self, fluent, terminations.firm, terminations.points, initiations, held)
        self._initiations[key] = concatenate_tables([self._initiations.get(key), initiations])
        self._terminations[key] = concatenate_tables([self._terminations.get(key), breaks])
        self.add_fluents(key, held)

    def initiations(self, key: Key, fluent: PlannedFluent) -> PointTable:
        """The initiations of instances in the grounding, possibly with duplicates."""
        parts: list[tuple[Int64, Int64, Int64]] = []
        for rule in fluent.initiations:
            rows = self.bound_rows(rule)
            if rows.n:
                assert rows.times is not None
                parts.append((self.arguments(rule, rows), build(rule.columns[-1], rows, self.symbols), rows.times))
        points = self.effects(key, parts)
        inside = self.domains.inside(
            (True, *key), points.numbers(tuple(range(key[1])), self.instances), None, self, self.version
        )
        return points if inside is None else points.take(inside)

    def arguments(self, rule: PlannedRule, rows: Rows) -> Int64:
        """The numbers of the fluents in the head of a rule."""
        if rule.numbered is not None:
            return rows.columns[rule.numbered]
        return self.instances.numbers([build(p, rows, self.symbols) for p in rule.columns[:-1]], rows.n)

    def effects(self, key: Key, parts: Sequence[tuple[Int64, Int64, Int64]]) -> PointTable:
        """The table of effects on fluents: their numbers, values and time-points."""
        if not parts:
            return empty_points(key[1] + 1)
        numbers, values, times = parts[0] if len(parts) == 1 else concatenate_columns(parts)
        return PointTable.numbered(self.instances, key[1], numbers, (values, times))

    def initial_state(self, key: Key, fluent: PlannedFluent) -> FluentTable:
        """The FVPs that hold at the first time-point: carried over, and initial values of new fluents."""
        carried = self.carried(key, fluent)
        if not fluent.initially or self.state.initial.is_settled(fluent, self.version):
            return carried
        parts: list[list[Int64]] = []
        for initial in fluent.initially:
            rows = run_operators(initial.operators, one_row(), self)
            if rows.n and set(variables(initial.head)) - set(rows.columns):
                rows = GroundHead(initial.head).run(rows, self)
            if rows.n:
                parts.append([build(pattern, rows, self.symbols) for pattern in initial.columns])
        columns = list(concatenate_columns(parts, width=key[1] + 1))
        inside = self.domains.includes((True, *key), columns, len(columns[0]), self)
        columns, is_grounded = [column[inside] for column in columns], self.domains.is_declared((True, *key))
        fresh = self.state.initial.fresh(key, fluent, columns, self.symbols, self.version, is_grounded=is_grounded)
        first = np.full(fresh.n, self.time_range.first_of_run, dtype=np.int64)
        added = (*fresh.columns, first, np.full(fresh.n, OPEN, dtype=np.int64))
        together = concatenate_columns([carried.columns, added])
        return FluentTable(together, carried.n + fresh.n)

    def carried(self, key: Key, fluent: PlannedFluent) -> FluentTable:
        """The FVPs carried over that match the rules and are still in the grounding."""
        table = self.state.held.get(key) or empty_fluents(key[1])
        if table.n and self.domains.is_restricted((True, *key)):
            numbers = table.arguments(self.instances)
            inside = self.domains.inside((True, *key), numbers, table.values, self, self.version)
            table = table if inside is None else table.take(inside)
        if table.n == 0 or fluent.is_whole:
            return table
        own = np.zeros(table.n, dtype=bool)
        for patterns in fluent.patterns:
            own[join(one_row(), table, linear(patterns), self.symbols)[1]] = True
        return table.take(own.nonzero()[0])

    def inertia(self, key: Key, initiations: PointTable, terminations: PointTable, state: FluentTable) -> FluentTable:
        if state.n + initiations.n + terminations.n == 0:
            return empty_fluents(key[1])
        width = tuple(range(key[1]))
        carried = state.arguments(self.instances)
        effects = [
            Effects(points.numbers(width, self.instances), points.column(key[1]), points.times, is_initiation)
            for points, is_initiation in ((initiations, True), (terminations, False))
        ]
        changes = inertial_intervals(effects, (carried, state.values))
        starts = self.time_range.next(changes.begins)
        resumed = (changes.begins == BEFORE_EVERYTHING).nonzero()[0]
        if len(resumed):
            order = carried.argsort()
            starts[resumed] = state.starts[order[carried[order].searchsorted(changes.fluents[resumed])]]
        ends = self.time_range.next(changes.stops)
        np.putmask(ends, changes.stops == OPEN, OPEN)
        found = FluentTable.numbered(self.instances, key[1], changes.fluents, (changes.values, starts, ends))
        inside = self.domains.inside((True, *key), changes.fluents, changes.values, self, self.version)
        return found if inside is None else found.take(inside)
