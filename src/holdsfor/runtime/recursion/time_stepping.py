"""Time stepping: a component evaluated one time-point after another, one change at a time.

External conditions are evaluated first, for the whole time range at once. Time stepping then visits the time-points of
their rows, and those at which delayed effects are due, and records the effects. The loop over guarded rules is
generated for the component (`codegen.py`); other rules are functions on bindings. Intervals and pending effects are
computed from all recorded effects at the end. The time is proportional to the number of events and changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.columns.tuple_ids import Words
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.operators.scalar import Binding, NotScalar, ScalarCompiler, run_scalar
from holdsfor.physical.plan import PlannedComponent
from holdsfor.runtime.delays import SetUp, delayed_effects
from holdsfor.runtime.recursion.codegen import GuardShape, LoopData, LoopShape, RuleShape, compiled_loop
from holdsfor.runtime.recursion.grounding_checks import Cell, GroundingChecks
from holdsfor.runtime.recursion.iteration import Iteration
from holdsfor.runtime.recursion.pending_effects import Fvps, PendingEffects, Values, is_broken
from holdsfor.runtime.recursion.stepping_edges import SteppingEdges
from holdsfor.runtime.recursion.stepping_rules import (
    Change,
    Group,
    GuardedRule,
    SteppingRule,
    SteppingRules,
    stepping_delays,
)

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["stepped"]

Effects: TypeAlias = dict[int, Values]
_CHANGES: tuple[Change, Change] = ("initiated", "terminated")


def stepped(
    component: PlannedComponent,
    part: Evaluation,
    state: dict[Key, FluentTable],
    carried: Sequence[SetUp | None],
) -> Iteration | None:
    """The result of the component in a time range, or None if one of its rules has no scalar form."""
    try:
        stepping = _TimeStepping(component, part, state, carried)
    except NotScalar:
        return None
    result = stepping.outcome(stepping.run())
    stepping.release()
    return result


class _TimeStepping:
    """One component over one time range, at one of its time-points."""

    def __init__(
        self,
        component: PlannedComponent,
        part: Evaluation,
        state: dict[Key, FluentTable],
        carried: Sequence[SetUp | None],
    ) -> None:
        self.component = component
        self.part = part
        self.state = state
        self.carried = carried
        self.instances = part.instances
        self.last = part.time_range.last
        self.time = part.time_range.first
        self.values = {key: self.values_of(table) for key, table in state.items()}
        self.initiated: dict[Key, Effects] = {key: {} for key in component.fluents}
        self.terminated: dict[Key, Effects] = {key: {} for key in component.fluents}
        self.happened: dict[Key, dict[Words, None]] = {rule.key: {} for rule in component.events}
        self.noted: dict[tuple[Change, Key], list[tuple[int, int, int]]] = {}
        self.events: dict[Key, list[Words]] = {key: [] for key in self.happened}
        compiler = ScalarCompiler(self, part, component.own)
        rules, delays = SteppingRules(component, part, compiler), stepping_delays(component, compiler)
        self.groups = rules.groups
        self.triggered = [rule for rule in rules.others if rule.rows is None]
        self.schedule = self.schedule_of([rule for rule in rules.others if rule.rows is not None])
        self.position = 0
        self.fired: list[list[list[int]]] = [[[] for _ in group.rules] for group in self.groups]
        self.delays = delays
        self.grounded = GroundingChecks(part)
        self.waiting = PendingEffects(component, part, carried, self.grounded)
        self.edges = SteppingEdges(component, part, state)
        self.prepare_effects()

    def values_of(self, table: FluentTable) -> dict[int, int]:
        """The value of each fluent."""
        return dict(zip(table.arguments(self.instances).tolist(), table.values.tolist(), strict=True))

    def schedule_of(self, rules: Sequence[SteppingRule]) -> list[tuple[int, SteppingRule, int, int]]:
        """The rules triggered by external conditions, with ranges of their rows, by time and rank."""
        ranges = (
            (time, number, first, last) for number, rule in enumerate(rules) for time, first, last in rule.ranges()
        )
        return [(time, rules[number], first, last) for time, number, first, last in sorted(ranges)]

    def prepare_effects(self) -> None:
        """Prepare the effects of all FVPs that guarded rules may initiate."""
        possible: dict[Key, list[Fvps]] = {}
        for group in self.groups:
            for rule in group.rules:
                if rule.effect == "initiated":
                    fvps = group.cells(rule.column), np.broadcast_to(rule.values, group.rows.n)
                    self.grounded.check(rule.key, *fvps)
                    possible.setdefault(rule.key, []).append(fvps)
        self.waiting.prepare(possible)

    # -- time stepping
    # ---------------------------------------------------------------------------------------------------

    def run(self) -> int:
        """Run the loop, and return the number of visited time-points."""
        keys = tuple(self.component.fluents)
        places = {key: i for i, key in enumerate(keys)}
        has_others = bool(self.triggered or self.schedule or self.delays)
        if not (self.groups or has_others):
            return 0
        groups = tuple(
            (len(group.columns), tuple(_shape(rule, places) for rule in group.rules)) for group in self.groups
        )
        data = LoopData(
            self.last,
            [(self.values[key], self.initiated[key], self.terminated[key], self.change_function(key)) for key in keys],
            [_columns(group, self.last + 1) for group in self.groups],
            [
                [_constants(rule, rows) for rule, rows in zip(group.rules, fired, strict=True)]
                for group, fired in zip(self.groups, self.fired, strict=True)
            ],
            self.next_time,
            self.act,
        )
        return compiled_loop(LoopShape(len(keys), groups, has_others))(data)

    def next_time(self) -> int:
        """The next time-point with work besides the guarded rules."""
        due = self.waiting.times[0] if self.waiting.times else self.last + 1
        due = due if self.edges.time is None else min(due, self.edges.time)
        outside = self.schedule[self.position][0] if self.position < len(self.schedule) else due
        return min(due, outside)

    def act(self, time: int) -> None:
        """Apply rules that are not guarded, and effects that are due, in order of their ranks."""
        self.time = time
        self.edges.reach(time)
        todo: list[tuple[int, Callable[[], None]]] = [
            (rule.rank, partial(self.apply, rule, rule.bindings(first, last)))
            for _, rule, first, last in self.externally_triggered_at(time)
        ]
        todo += [(rule.rank, partial(self.apply, rule, [{}])) for rule in self.triggered]
        due = self.waiting.due_at(time)
        todo += [
            (self.delays[number].rank, partial(self.apply_due_effects, number, each)) for number, each in due.items()
        ]
        for _, act in sorted(todo, key=itemgetter(0)):
            act()
        for key, events in self.happened.items():
            if events:
                self.events[key].extend((*words, time) for words in events)
                events.clear()

    def externally_triggered_at(self, time: int) -> list[tuple[int, SteppingRule, int, int]]:
        begin = self.position
        while self.position < len(self.schedule) and self.schedule[self.position][0] == time:
            self.position += 1
        return self.schedule[begin : self.position]

    def apply_due_effects(self, number: int, due: list[int]) -> None:
        """Apply due effects, except those that an initiation of their source postpones now."""
        acting = self.waiting.acting(due, self.initiated[self.component.delays[number].key])
        rule = self.delays[number]
        if rule.operators:
            self.apply(rule, [self.waiting.binding(each) for each in acting])
        elif rule.effect != "happens":
            targets = self.waiting.effects.targets
            self.record_effect(rule.effect, rule.key, [fvp for each in acting if (fvp := targets[each]) is not None])

    def apply(self, rule: SteppingRule, bindings: list[Binding]) -> None:
        """Apply a rule to the bindings that satisfy it."""
        heads = [rule.head(binding) for binding in run_scalar(rule.operators, bindings)]
        if not heads:
            return
        if rule.effect == "happens":
            self.happened[rule.key].update(dict.fromkeys(self.grounded.admitted_events(rule.key, heads)))
            return
        numbers = self.instances.numbers_of([words[:-1] for words in heads], rule.key[1])
        fvps = [(number, words[-1]) for number, words in zip(numbers, heads, strict=True)]
        if rule.effect == "initiated":
            fvps = self.grounded.admitted(rule.key, fvps)
        self.record_effect(rule.effect, rule.key, fvps)

    def record_effect(self, effect: Change, key: Key, fvps: Sequence[Cell]) -> None:
        effects = self.initiated[key] if effect == "initiated" else self.terminated[key]
        for cell, value in fvps:
            values = effects.get(cell, ())
            if value not in values:
                effects[cell] = (*values, value)
        time = self.time
        self.noted.setdefault((effect, key), []).extend((cell, value, time) for cell, value in fvps)

    def release(self) -> None:
        """Drop the functions that refer to this object, to break reference cycles."""
        self.triggered, self.schedule, self.delays = [], [], []

    # -- inertia -------------------------------------------------------------------------------------------------------

    def change_function(self, key: Key) -> Callable[[int], None]:
        """The function that applies the effects of a time-point to the values and the pending effects of one fluent."""
        values, initiated, terminated = self.values[key], self.initiated[key], self.terminated[key]
        without = self.grounded.of_fluent(key)
        is_delayed = key in self.waiting.declared
        has_edges = key in self.edges.keys

        def change(time: int) -> None:
            if is_delayed:
                self.waiting.change(key, initiated, terminated, time)
            before = {cell: values.get(cell) for cell in (*initiated, *terminated)} if has_edges else {}
            for cell, ended in terminated.items():
                if cell not in initiated and (values.get(cell) in ended or ANY_VALUE in ended):
                    values.pop(cell, None)
            for cell, begun in initiated.items():
                value = begun[0]
                is_ended = terminated and is_broken(value, begun, terminated.get(cell, ()))
                if len(begun) > 1 or is_ended or (without and (cell, value) in without):
                    values.pop(cell, None)
                else:
                    values[cell] = value
            for cell, old in before.items():
                self.edges.change(key, cell, old, values.get(cell), time)
            initiated.clear()
            terminated.clear()

        return change

    # -- data for scalar operators (the protocol `TimePointState`)
    # ------------------------------------------------------------------

    def value_of(self, key: Key, arguments: Words) -> int | None:
        cell = self.instances.find(arguments)
        return None if cell is None else self.values[key].get(cell)

    def is_broken(self, key: Key, arguments: Words, value: int) -> bool:
        cell = self.instances.find(arguments)
        return cell is not None and self.breaks(key, cell, value)

    def breaks(self, key: Key, cell: int, value: int) -> bool:
        return is_broken(value, self.initiated[key].get(cell, ()), self.terminated[key].get(cell, ()))

    def happening(self, kind: PointKind, key: Key) -> Iterable[Words]:
        if kind == "events":
            return list(self.happened[key])
        if kind == "startI" or kind == "endI":
            cells: Iterable[Cell] = self.edges.now.get((kind, key), ())
        else:
            cells = {"initiations": self.initiating, "starts": self.starting, "ends": self.ending}[kind](key)
        words = self.instances.listed(key[1])
        return [(*words[cell], value) for cell, value in cells]

    def initiating(self, key: Key) -> Iterator[Cell]:
        return ((cell, value) for cell, begun in self.initiated[key].items() for value in begun)

    def starting(self, key: Key) -> Iterator[Cell]:
        values, without = self.values[key], self.grounded.of_fluent(key)
        for cell, value in self.initiating(key):
            if values.get(cell) != value and (cell, value) not in without and not self.breaks(key, cell, value):
                yield cell, value

    def ending(self, key: Key) -> Iterator[Cell]:
        for cell in {**self.initiated[key], **self.terminated[key]}:
            before = self.values[key].get(cell)
            if before is not None and self.breaks(key, cell, before):
                yield cell, before

    # -- the outcome ---------------------------------------------------------------------------------------------------

    def outcome(self, n_visited: int) -> Iteration:
        """The events, effects and intervals computed from the recorded effects."""
        keys = self.component.fluents
        guarded = self.guarded_effects()
        initiated, terminated = (
            {key: self.points(effect, key, guarded.get((effect, key), [])) for key in keys} for effect in _CHANGES
        )
        return Iteration(
            {key: PointTable(_transposed(rows, key[1] + 1), len(rows)) for key, rows in self.events.items()},
            initiated,
            terminated,
            {key: self.part.inertia(key, initiated[key], terminated[key], self.state[key]) for key in keys},
            tuple(
                delayed_effects(delay, initiated[delay.key], terminated[delay.key], None, carried, self.part)
                for delay, carried in zip(self.component.delays, self.carried, strict=True)
            ),
            terminated,
            n_visited=n_visited,
        )

    def guarded_effects(self) -> dict[tuple[Change, Key], list[tuple[Int64, ...]]]:
        """The effects of guarded rules, by kind and fluent."""
        found: dict[tuple[Change, Key], list[tuple[Int64, ...]]] = {}
        for group, fired in zip(self.groups, self.fired, strict=True):
            for rule, rows in zip(group.rules, fired, strict=True):
                found.setdefault((rule.effect, rule.key), []).append(_effects(group, rule, rows))
        return found

    def points(self, effect: Change, key: Key, guarded: list[tuple[Int64, ...]]) -> PointTable:
        """All effects of a kind on a fluent, possibly with duplicates."""
        noted = _transposed(self.noted.get((effect, key), []), 3)
        numbers, *more = concatenate_columns([noted, *guarded])
        return PointTable.numbered(self.instances, key[1], numbers, tuple(more))


def _shape(rule: GuardedRule, places: dict[Key, int]) -> RuleShape:
    guards = tuple(GuardShape(places[guard.key], guard.column, guard.is_wanted) for guard in rule.guards)
    return RuleShape(rule.effect, places[rule.key], rule.column, guards, isinstance(rule.values, int))


def _columns(group: Group, end: int) -> list[list[int]]:
    """The times and cells of a group, with a time after all of its rows."""
    return [[*group.times.tolist(), end], *(cells.tolist() for cells in group.columns.values())]


def _constants(rule: GuardedRule, fired: list[int]) -> tuple[Any, ...]:
    """The list of rows for which a rule fires, its effects, and the values of its guards."""
    return fired.append, _alone(rule.values), *(guard.value for guard in rule.guards)


def _alone(values: Int64 | int) -> Values | list[Values]:
    """Each value as the only one of its time-point; equal values are one object."""
    if isinstance(values, int):
        return (values,)
    distinct, ids = np.unique(values, return_inverse=True)
    alone = [(value,) for value in distinct.tolist()]
    return [alone[number] for number in ids.reshape(-1).tolist()]


def _effects(group: Group, rule: GuardedRule, fired: list[int]) -> tuple[Int64, ...]:
    """The cells, values and times of the effects of a rule; a rule without guards fires for all rows."""
    columns = group.cells(rule.column), np.broadcast_to(rule.values, group.rows.n), group.times
    if not rule.guards:
        return columns
    rows = np.array(fired, dtype=np.int64)
    return tuple(column[rows] for column in columns)


def _transposed(rows: Sequence[Words], n_columns: int) -> tuple[Int64, ...]:
    if not rows:
        return tuple(np.empty(0, dtype=np.int64) for _ in range(n_columns))
    return tuple(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
