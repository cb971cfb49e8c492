"""Components that ask for what they compute themselves, through conditions or delayed effects.

Effects begin at the next time-point, so what happens at a time-point follows from what was before. We guess what the
component does in a stretch (nothing, to begin with), apply all of its rules to the guess, and take the outcome for the
next guess. Two guesses that agree up to a time-point are right up to there, for the rules have but one solution; each
*turn* is right for at least one change more than the last. All entities take their turns at the same time.

A stretch with too many turns is cut where it is known to be right, and goes on from there with what holds and what
waits: shorter stretches for entities that change often, so that work grows with the number of changes.
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
from holdsfor.runtime.delays import DueEffects, Prospects, SetUp, prospects
from holdsfor.runtime.recursion.iteration import Iteration
from holdsfor.runtime.recursion.postponement import resolve_postponements
from holdsfor.runtime.recursion.time_stepping import stepped
from holdsfor.runtime.terminations import terminations_of, visible_breaks

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["RecursionOutcome", "evaluate_recursion"]

_TURNS = 12
_FEW_TURNS = 6


@dataclass(frozen=True)
class RecursionOutcome:
    """What a component set up in a stretch, part by part: up to which time-point each part goes.

    It took `n_turns`, or a walk that visited `n_visited` time-points.
    """

    parts: tuple[tuple[int, tuple[Prospects | None, ...]], ...]
    n_turns: int = 0
    n_visited: int = 0

    def waiting(self, at: int) -> tuple[SetUp | None, ...]:
        """What each delay has waiting just before a time-point."""
        part = next((part for boundary, part in self.parts if at <= boundary), self.parts[-1][1])
        return tuple(None if each is None else each.waiting(at) for each in part)


def evaluate_recursion(
    component: PlannedComponent, whole: Evaluation, carried: tuple[SetUp | None, ...]
) -> RecursionOutcome:
    """Let everything the component does in the stretch be known."""
    return _Fixpoint(component, whole, carried).run()


@dataclass(frozen=True)
class _Due:
    """Delayed effects by fluent, initiations and terminations apart, and those that may postpone each other."""

    effects: dict[tuple[Key, bool], list[PointTable]]
    contested: dict[Key, list[DueEffects]]

    def are_the_same(self, other: _Due) -> bool:
        """Whether they are known to be the same, which contested ones are not."""
        return not self.contested and all(
            len(tables) == len(other.effects[place]) and all(map(_are_equal, tables, other.effects[place]))
            for place, tables in self.effects.items()
        )


class _Fixpoint:
    """One component over one stretch."""

    def __init__(self, component: PlannedComponent, whole: Evaluation, carried: tuple[SetUp | None, ...]) -> None:
        self.component = component
        self.whole = whole
        self.waiting = carried or (None,) * len(component.delays)
        self.state = {key: whole.initial_state(key, fluent) for key, fluent in component.fluents.items()}
        self.event_keys = list(dict.fromkeys(rule.key for rule in component.events))
        self.parts: list[tuple[int, tuple[Prospects | None, ...]]] = []
        self.settled: list[Iteration] = []
        self.n_turns = 0
        self.is_only_delayed = component.is_only_delayed
        self.given: dict[Key, PointTable] = {}
        self.ended: dict[Key, FluentTable] = {}

    def run(self) -> RecursionOutcome:
        first, end = self.whole.time_range.first, self.whole.time_range.last
        turn = self.at_once(first, end) if self.is_only_delayed else None
        if turn is None:
            turn = stepped(self.component, self.whole.part(first, end), self.state, self.waiting)
        if turn is None:
            turn = self.turned(first, end)
        self.settled.append(turn)
        self.parts.append((end + 1, turn.prospects))
        self.conclude()
        return RecursionOutcome(tuple(self.parts), self.n_turns, turn.n_visited)

    def at_once(self, first: int, end: int) -> Iteration | None:
        """The whole stretch in a few turns: enough for chains of delays, which do not ask what holds."""
        turn, frontier, _ = self.converged(first, end)
        return turn if frontier is None else None

    def turned(self, first: int, end: int) -> Iteration:
        """The last part of the stretch, turn by turn; the parts before it are settled."""
        length = _first_length(first, end)
        while True:
            last = min(end, self.aligned(first + length))
            turn, frontier, n_turns = self.converged(first, last)
            if frontier is None and last >= end:
                return turn
            boundary = self.whole.time_range.next_of(last) if frontier is None else frontier
            self.settle(turn, boundary)
            if frontier is not None:
                length = max(self.whole.time_range.tick, 2 * (boundary - first))
            elif n_turns <= _FEW_TURNS:
                length *= 4
            first = boundary

    def aligned(self, time: int) -> int:
        return time // self.whole.time_range.tick * self.whole.time_range.tick

    # -- turns ---------------------------------------------------------------------------------------------------------

    def converged(self, first: int, last: int) -> tuple[Iteration, int | None, int]:
        """The last turn over a part of the stretch, from where on it may be wrong, and the number of turns taken.

        Where rules ask for nothing but delayed effects, turns with the same effects are the same.
        """
        part = self.whole.part(first, last)
        self.given = {}
        for key, state in self.state.items():
            part.guess_fluent(key, empty_points(key[1] + 1), empty_points(key[1] + 1), state, self.whole)
        for key, ended in self.ended.items():
            part.carry_ends(key, ended)
        due = self.effects(part, (None,) * len(self.component.delays))
        before = self.turn(part, due)
        n_turns = 1
        while True:
            following = self.effects(part, before.prospects)
            if self.is_only_delayed and following.are_the_same(due):
                return self.with_fluents(before, part), None, n_turns
            turn, due = self.turn(part, following), following
            n_turns += 1
            if n_turns >= _TURNS or due.contested or not self.is_only_delayed:
                frontier = turn.first_difference(before)
                if frontier is None or (n_turns >= _TURNS and frontier > first):
                    return self.with_fluents(turn, part), frontier, n_turns
            before = turn

    def turn(self, part: Evaluation, due: _Due) -> Iteration:
        """Every rule applied once to what the part knows, and to the delayed effects that are due."""
        self.n_turns += 1
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
            has_firm = fluent.has_asked_breaks
            breaks[key] = distinct_points([ended.firm, *due.effects[key, True]]) if has_firm else terminations[key]
            if not self.is_only_delayed:
                fluents[key] = part.inertia(key, started, terminations[key], self.state[key])
                breaks[key] = visible_breaks(part, fluent, breaks[key], terminations[key], started, fluents[key])
                part.guess_fluent(key, started, breaks[key], fluents[key], self.whole)
        set_up = tuple(
            prospects(delay, initiations[delay.key], terminations[delay.key], firm.get(delay.key), waiting, part)
            for delay, waiting in zip(self.component.delays, self.waiting, strict=True)
        )
        return Iteration(events, initiations, terminations, fluents, set_up, breaks, firm)

    def with_fluents(self, turn: Iteration, part: Evaluation) -> Iteration:
        """The turn with what holds by it; where no rule asks for that, it is left out until the last."""
        if not self.is_only_delayed:
            return turn
        held = {
            key: part.inertia(key, turn.initiations[key], turn.terminations[key], state)
            for key, state in self.state.items()
        }
        breaks = {
            key: visible_breaks(
                part, fluent, turn.breaks[key], turn.terminations[key], turn.initiations[key], held[key]
            )
            for key, fluent in self.component.fluents.items()
        }
        return replace(turn, fluents=held, breaks=breaks)

    def initiations(self, part: Evaluation, key: Key) -> PointTable:
        """What rules initiate; where none asks for the component itself, that is the same in every turn."""
        if not self.is_only_delayed:
            return part.initiations(key, self.component.fluents[key])
        if key not in self.given:
            self.given[key] = part.initiations(key, self.component.fluents[key])
        return self.given[key]

    def events(self, part: Evaluation, key: Key) -> PointTable:
        found = [part.event_points(rule) for rule in self.component.events if rule.key == key]
        table = distinct_points([empty_points(key[1]), *found])
        part.guess_events(key, table, self.whole)
        return table

    def effects(self, part: Evaluation, ahead: Sequence[Prospects | None]) -> _Due:
        """What comes of the delayed effects that are ahead."""
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
        """The FVPs that open terminations may be about besides those initiated: holding, or with waiting effects."""
        parts = [self.state[key]]
        for delay, waiting in zip(self.component.delays, self.waiting, strict=True):
            if delay.key == key and waiting is not None:
                nothing = np.zeros(waiting.rows.n, dtype=np.int64)
                parts.append(FluentTable((*waiting.sources, nothing, nothing), waiting.rows.n))
        return concatenate_tables(parts)

    # -- parts ---------------------------------------------------------------------------------------------------------

    def settle(self, turn: Iteration, boundary: int) -> None:
        """Keep what lies before the boundary, and go on from there with what holds and what waits."""
        self.settled.append(
            Iteration(
                {key: _until(table, boundary) for key, table in turn.events.items()},
                {key: _until(table, boundary) for key, table in turn.initiations.items()},
                {key: _until(table, boundary) for key, table in turn.terminations.items()},
                {key: _rows(table, table.ends <= boundary) for key, table in turn.fluents.items()},
                (),
                {key: _until(table, boundary) for key, table in turn.breaks.items()},
            )
        )
        self.state = {
            key: _rows(table, (table.starts <= boundary) & (boundary < table.ends))
            for key, table in turn.fluents.items()
        }
        self.ended = {key: _rows(table, table.ends == boundary) for key, table in turn.fluents.items()}
        self.waiting = tuple(None if each is None else each.waiting(boundary) for each in turn.prospects)
        self.parts.append((boundary, turn.prospects))

    def conclude(self) -> None:
        for key in self.event_keys:
            self.whole.guess_events(key, distinct_points([turn.events[key] for turn in self.settled]), self.whole)
        for key in self.component.fluents:
            started = distinct_points([turn.initiations[key] for turn in self.settled])
            ended = distinct_points([turn.breaks[key] for turn in self.settled])
            self.whole.conclude_fluent(
                key, started, ended, concatenate_tables([turn.fluents[key] for turn in self.settled])
            )


def _first_length(first: int, last: int) -> int:
    """How far the first part of a stretch reaches: all of it, until it turns out to take too many turns."""
    return max(1, last - first)


def _are_equal(one: PointTable, other: PointTable) -> bool:
    return one.n == other.n and all(map(np.array_equal, one.columns, other.columns))


def _until(table: PointTable, boundary: int) -> PointTable:
    mask = table.times < boundary
    return PointTable(tuple(column[mask] for column in table.columns), int(np.count_nonzero(mask)))


def _rows(table: FluentTable, mask: NDArray[np.bool_]) -> FluentTable:
    return FluentTable(tuple(column[mask] for column in table.columns), int(np.count_nonzero(mask)))
