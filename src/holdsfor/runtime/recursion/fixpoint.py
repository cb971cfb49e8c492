"""Recursive components: components that depend on themselves, through conditions or delayed effects.

Effects begin at the next time-point, so the events of a time-point follow from earlier ones. The first *iteration*
assumes that the component has no effects in the time range. Each iteration applies all rules to the result of the
previous one. Two iterations that agree up to a time-point are correct up to there, because the rules have exactly one
solution; each iteration is correct for at least one more change than the last. All entities are iterated together.

A time range with too many iterations is split at the time-point up to which it is correct, and continues from there
with the FVPs that hold and the pending effects. Entities that change often get shorter parts, so the work grows with
the number of changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import (
    FluentTable,
    Key,
    PointTable,
    concatenate_tables,
    distinct_points,
    empty_points,
    point_table,
)
from holdsfor.physical.plan import PlannedComponent
from holdsfor.runtime.delays import DelayedEffects, DueEffects, SetUp, delayed_effects
from holdsfor.runtime.recursion.iteration import Iteration
from holdsfor.runtime.recursion.postponement import resolve_postponements
from holdsfor.runtime.recursion.time_stepping import stepped
from holdsfor.runtime.terminations import terminations_of, visible_breaks

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["RecursionOutcome", "evaluate_recursion"]

_MAX_ITERATIONS = 12
_FEW_ITERATIONS = 6


@dataclass(frozen=True)
class RecursionOutcome:
    """The effects that a component set up in a time range, by part, with the last time-point of each part.

    `n_iterations` counts iterations, `n_visited` the time-points visited by time stepping.
    """

    parts: tuple[tuple[int, tuple[DelayedEffects | None, ...]], ...]
    n_iterations: int = 0
    n_visited: int = 0

    def waiting(self, at: int) -> tuple[SetUp | None, ...]:
        """The pending effects of each delay just before a time-point."""
        part = next((part for boundary, part in self.parts if at <= boundary), self.parts[-1][1])
        return tuple(None if each is None else each.waiting(at) for each in part)

    def after(self, earlier: RecursionOutcome | None, first: int, boundary: int) -> RecursionOutcome:
        """This outcome from a boundary on, and an earlier one from a first time-point to the boundary."""
        if earlier is None:
            return self
        kept = [(min(last, boundary), part) for last, part in earlier.parts if last >= first]
        n_kept = 1 + sum(last < boundary for last, _ in kept)
        return replace(self, parts=(*kept[:n_kept], *self.parts))


def evaluate_recursion(
    component: PlannedComponent, whole: Evaluation, carried: tuple[SetUp | None, ...]
) -> RecursionOutcome:
    """Evaluate a recursive component in the time range."""
    return _Fixpoint(component, whole, carried).run()


@dataclass(frozen=True)
class _Due:
    """Delayed effects by fluent, initiations and terminations separately, and those that may postpone each other."""

    effects: dict[tuple[Key, bool], list[PointTable]]
    contested: dict[Key, list[DueEffects]]

    def are_the_same(self, other: _Due) -> bool:
        """Whether they are known to be equal; contested effects are not compared."""
        return not self.contested and all(
            len(tables) == len(other.effects[place]) and all(map(_are_equal, tables, other.effects[place]))
            for place, tables in self.effects.items()
        )


class _Fixpoint:
    """One component over one time range."""

    def __init__(self, component: PlannedComponent, whole: Evaluation, carried: tuple[SetUp | None, ...]) -> None:
        self.component = component
        self.whole = whole
        self.waiting = carried or (None,) * len(component.delays)
        self.state = {key: whole.initial_state(key, fluent) for key, fluent in component.fluents.items()}
        self.event_keys = list(dict.fromkeys(rule.key for rule in component.events))
        self.parts: list[tuple[int, tuple[DelayedEffects | None, ...]]] = []
        self.settled: list[Iteration] = []
        self.n_iterations = 0
        self.is_only_delayed = component.is_only_delayed
        self.given: dict[Key, PointTable] = {}
        self.ended: dict[Key, FluentTable] = {}

    def run(self) -> RecursionOutcome:
        first, end = self.whole.time_range.first, self.whole.time_range.last
        iteration = self.few_iterations(first, end) if self.is_only_delayed else None
        if iteration is None:
            iteration = stepped(self.component, self.whole.part(first, end), self.state, self.waiting)
        if iteration is None:
            iteration = self.iterated(first, end)
        self.settled.append(iteration)
        self.parts.append((end + 1, iteration.delayed_effects))
        self.conclude()
        return RecursionOutcome(tuple(self.parts), self.n_iterations, iteration.n_visited)

    def few_iterations(self, first: int, end: int) -> Iteration | None:
        """The whole time range in a few iterations: enough for chains of delays, which test no fluents."""
        iteration, frontier, _ = self.converged(first, end)
        return iteration if frontier is None else None

    def iterated(self, first: int, end: int) -> Iteration:
        """The last part of the time range after iteration; the parts before it are settled."""
        length = _first_length(first, end)
        while True:
            last = min(end, self.aligned(first + length))
            iteration, frontier, n_iterations = self.converged(first, last)
            if frontier is None and last >= end:
                return iteration
            boundary = self.whole.time_range.next_of(last) if frontier is None else frontier
            self.settle(iteration, boundary)
            if frontier is not None:
                length = max(self.whole.time_range.tick, 2 * (boundary - first))
            elif n_iterations <= _FEW_ITERATIONS:
                length *= 4
            first = boundary

    def aligned(self, time: int) -> int:
        return time // self.whole.time_range.tick * self.whole.time_range.tick

    # -- iterations
    # ------------------------------------------------------------------------------------------------------

    def converged(self, first: int, last: int) -> tuple[Iteration, int | None, int]:
        """The last iteration over a part, the time-point from which it may be wrong, and the number of iterations.

        If rules depend only on delayed effects, iterations with the same effects are equal.
        """
        part = self.whole.part(first, last)
        self.given = {}
        for key, state in self.state.items():
            part.assume_fluent(key, empty_points(key[1] + 1), empty_points(key[1] + 1), state, self.whole)
        for key, ended in self.ended.items():
            part.carry_ends(key, ended)
        due = self.effects(part, (None,) * len(self.component.delays))
        before = self.iterate(part, due)
        n_iterations = 1
        while True:
            following = self.effects(part, before.delayed_effects)
            if self.is_only_delayed and following.are_the_same(due):
                return self.with_fluents(before, part), None, n_iterations
            iteration, due = self.iterate(part, following), following
            n_iterations += 1
            if n_iterations >= _MAX_ITERATIONS or due.contested or not self.is_only_delayed:
                frontier = iteration.first_difference(before)
                if frontier is None or (n_iterations >= _MAX_ITERATIONS and frontier > first):
                    return self.with_fluents(iteration, part), frontier, n_iterations
            before = iteration

    def iterate(self, part: Evaluation, due: _Due) -> Iteration:
        """One application of every rule to the tables of the part and to the delayed effects that are due."""
        self.n_iterations += 1
        events = {key: self.events(part, key) for key in self.event_keys}
        initiations: dict[Key, PointTable] = {}
        terminations: dict[Key, PointTable] = {}
        breaks: dict[Key, PointTable] = {}
        fluents: dict[Key, FluentTable] = {}
        firm: dict[Key, PointTable] = {}
        for key, fluent in self.component.fluents.items():
            started = distinct_points([self.initiations(part, key), *due.effects[key, False]])
            if key in due.contested:
                firm[key] = started
                started = distinct_points(
                    [started, resolve_postponements(due.contested[key], key[1] + 1, part.symbols)]
                )
            ended = terminations_of(part, key, fluent, started, self.affected(key))
            initiations[key] = started
            terminations[key] = distinct_points([ended.points, *due.effects[key, True]])
            has_firm = fluent.has_break_conditions
            breaks[key] = distinct_points([ended.firm, *due.effects[key, True]]) if has_firm else terminations[key]
            if not self.is_only_delayed:
                fluents[key] = part.inertia(key, started, terminations[key], self.state[key])
                breaks[key] = visible_breaks(part, fluent, breaks[key], terminations[key], started, fluents[key])
                part.assume_fluent(key, started, breaks[key], fluents[key], self.whole)
        set_up = tuple(
            delayed_effects(delay, initiations[delay.key], terminations[delay.key], firm.get(delay.key), waiting, part)
            for delay, waiting in zip(self.component.delays, self.waiting, strict=True)
        )
        return Iteration(events, initiations, terminations, fluents, set_up, breaks, firm)

    def with_fluents(self, iteration: Iteration, part: Evaluation) -> Iteration:
        """The iteration with its intervals; if no rule reads them, they are computed only for the last iteration."""
        if not self.is_only_delayed:
            return iteration
        held = {
            key: part.inertia(key, iteration.initiations[key], iteration.terminations[key], state)
            for key, state in self.state.items()
        }
        breaks = {
            key: visible_breaks(
                part, fluent, iteration.breaks[key], iteration.terminations[key], iteration.initiations[key], held[key]
            )
            for key, fluent in self.component.fluents.items()
        }
        return replace(iteration, fluents=held, breaks=breaks)

    def initiations(self, part: Evaluation, key: Key) -> PointTable:
        """The initiations by rules; without a dependency on the component itself, equal in every iteration."""
        if not self.is_only_delayed:
            return part.initiations(key, self.component.fluents[key])
        if key not in self.given:
            self.given[key] = part.initiations(key, self.component.fluents[key])
        return self.given[key]

    def events(self, part: Evaluation, key: Key) -> PointTable:
        found = [part.event_points(rule) for rule in self.component.events if rule.key == key]
        table = distinct_points([empty_points(key[1]), *found])
        part.assume_events(key, table, self.whole)
        return table

    def effects(self, part: Evaluation, ahead: Sequence[DelayedEffects | None]) -> _Due:
        """The effects that are due, of the pending ones."""
        found: dict[tuple[Key, bool], list[PointTable]] = {
            (key, is_termination): [] for key in self.component.fluents for is_termination in (False, True)
        }
        contested: dict[Key, list[DueEffects]] = {d.key: [] for d in self.component.delays if d.may_contend}
        for delay, each in zip(self.component.delays, ahead, strict=True):
            if each is None:
                continue
            due = each.due(delay, part)
            if delay.may_contend:
                contested[delay.key].append(due.take(~due.is_firm))
                due = due.take(due.is_firm)
            found[delay.target_key, delay.is_termination].append(point_table(due.effects.columns))
        return _Due(found, contested)

    def affected(self, key: Key) -> FluentTable:
        """The FVPs that open terminations may affect besides those initiated: holding, or with pending effects."""
        parts = [self.state[key]]
        for delay, waiting in zip(self.component.delays, self.waiting, strict=True):
            if delay.key == key and waiting is not None:
                nothing = np.zeros(waiting.rows.n, dtype=np.int64)
                parts.append(FluentTable((*waiting.sources, nothing, nothing), waiting.rows.n))
        return concatenate_tables(parts)

    # -- parts ---------------------------------------------------------------------------------------------------------

    def settle(self, iteration: Iteration, boundary: int) -> None:
        """Keep the results before the boundary, and continue from there with holding FVPs and pending effects."""
        self.settled.append(
            Iteration(
                {key: _until(table, boundary) for key, table in iteration.events.items()},
                {key: _until(table, boundary) for key, table in iteration.initiations.items()},
                {key: _until(table, boundary) for key, table in iteration.terminations.items()},
                {key: _rows(table, table.ends <= boundary) for key, table in iteration.fluents.items()},
                (),
                {key: _until(table, boundary) for key, table in iteration.breaks.items()},
            )
        )
        self.state = {
            key: _rows(table, (table.starts <= boundary) & (boundary < table.ends))
            for key, table in iteration.fluents.items()
        }
        self.ended = {key: _rows(table, table.ends == boundary) for key, table in iteration.fluents.items()}
        self.waiting = tuple(None if each is None else each.waiting(boundary) for each in iteration.delayed_effects)
        self.parts.append((boundary, iteration.delayed_effects))

    def conclude(self) -> None:
        for key in self.event_keys:
            self.whole.assume_events(key, distinct_points([part.events[key] for part in self.settled]), self.whole)
        for key in self.component.fluents:
            started = distinct_points([part.initiations[key] for part in self.settled])
            ended = distinct_points([part.breaks[key] for part in self.settled])
            self.whole.conclude_fluent(
                key, started, ended, concatenate_tables([part.fluents[key] for part in self.settled])
            )


def _first_length(first: int, last: int) -> int:
    """The length of the first part of a time range: all of it, until it needs too many iterations."""
    return max(1, last - first)


def _are_equal(one: PointTable, other: PointTable) -> bool:
    return one.n == other.n and all(map(np.array_equal, one.columns, other.columns))


def _until(table: PointTable, boundary: int) -> PointTable:
    mask = table.times < boundary
    return PointTable(tuple(column[mask] for column in table.columns), int(np.count_nonzero(mask)))


def _rows(table: FluentTable, mask: NDArray[np.bool_]) -> FluentTable:
    return FluentTable(tuple(column[mask] for column in table.columns), int(np.count_nonzero(mask)))
