"""A component walked through time: one time-point after another, one binding at a time.

What is outside the component is asked first, for the whole stretch at once; the walk visits the time-points at which
that leaves something to do, and those at which delayed effects are due. Its rules are compiled to functions, and the
time it takes is proportional to the number of things that happen.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.rules import PlannedComponent
from holdsfor.physical.steps import PointKind
from holdsfor.runtime.delays import SetUp
from holdsfor.runtime.grounded import Grounded
from holdsfor.runtime.row_steps import Binding, NotByRow, RowCompiler, Words, solved
from holdsfor.runtime.turn import Turn
from holdsfor.runtime.waiting import Pending, Values, Waiting, is_broken
from holdsfor.runtime.walk_rules import Effect, WalkRule, walk_delays, walk_rules

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["walked"]


def walked(
    component: PlannedComponent,
    part: Evaluation,
    state: dict[Key, FluentTable],
    carried: Sequence[SetUp | None],
) -> Turn | None:
    """What the component does in a stretch, or None if it has a rule that cannot be walked."""
    try:
        walk = _Walk(component, part, state, carried)
    except NotByRow:
        return None
    with _without_collecting():
        return walk.run()


@contextmanager
def _without_collecting() -> Iterator[None]:
    """A walk makes many small objects and no cycles of them: looking for cycles again and again costs a fifth."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Walk:
    """One component over one stretch, at one time-point of it."""

    def __init__(
        self,
        component: PlannedComponent,
        part: Evaluation,
        state: dict[Key, FluentTable],
        carried: Sequence[SetUp | None],
    ) -> None:
        self.component = component
        self.last = part.stretch.last
        self.tick = part.stretch.tick
        self.time = part.stretch.first
        self.current = {key: _current(table) for key, table in state.items()}
        self.initiated: dict[Key, dict[Words, Values]] = {key: {} for key in component.fluents}
        self.terminated: dict[Key, dict[Words, Values]] = {key: {} for key in component.fluents}
        self.happened: dict[Key, dict[Words, None]] = {rule.key: {} for rule in component.events}
        self.points: dict[tuple[Effect, Key], list[Words]] = {}
        self.intervals: dict[Key, list[Words]] = {key: [] for key in component.fluents}
        self.n_visited = 0
        self.grounded = Grounded(part)
        own = {*component.fluents, *(rule.key for rule in component.events)}
        compiler = RowCompiler(self, part, own)
        self.rules = walk_rules(component, part, compiler)
        self.delays = walk_delays(component, compiler)
        self.guards = {
            id(rule): [(self.current[g.key], g.arguments, g.value, g.is_wanted) for g in rule.guarded.guards]
            for rule in self.rules
            if rule.guarded is not None
        }
        self.triggered = [rule for rule in self.rules if rule.is_triggered_inside]
        self.waiting = Waiting(component, part, carried, self.grounded)
        self.waiting.foresee(_possible(self.rules, state))

    # -- the walk ------------------------------------------------------------------------------------------------------

    def run(self) -> Turn:
        if not (self.rules or self.delays):
            return self.outcome()
        agenda = self.agenda()
        agenda.append((self.last + 1, self.rules[0] if self.rules else self.delays[0], 0, 0))
        position = 0
        while True:
            outside = agenda[position][0]
            inside = self.waiting.next_due(self.time) if self.waiting.due else None
            self.time = outside if inside is None or outside < inside else inside
            if self.time > self.last:
                return self.outcome()
            begin = position
            while agenda[position][0] == self.time:
                position += 1
            self.visit(agenda[begin:position])
            self.time += 1

    def agenda(self) -> list[tuple[int, WalkRule, int, int]]:
        """What is to be done because of what happens outside: rules with ranges of their rows, by time and rank."""
        found: list[tuple[int, int, int, int]] = []
        for number, rule in enumerate(self.rules):
            found += [(time, number, first, last) for time, first, last in rule.ranges()]
        found.sort()
        return [(time, self.rules[number], first, last) for time, number, first, last in found]

    def visit(self, outside: list[tuple[int, WalkRule, int, int]]) -> None:
        """Work through one time-point: rules and due effects first, then inertia."""
        self.n_visited += 1
        due = self.waiting.due_at(self.time) if self.waiting.due else {}
        if due or self.triggered:
            self.visit_in_order(outside, due)
        else:
            for _, rule, first, last in outside:
                self.apply_rows(rule, first, last)
        for key in self.current:
            if self.initiated[key] or self.terminated[key]:
                self.change(key)
        for key, events in self.happened.items():
            if events:
                self.points.setdefault(("happens", key), []).extend((*words, self.time) for words in events)
                events.clear()
        if due:
            self.waiting.forget(due)

    def visit_in_order(self, outside: list[tuple[int, WalkRule, int, int]], due: dict[int, list[Pending]]) -> None:
        todo: list[tuple[int, Callable[[], None]]] = [
            (rule.rank, partial(self.apply_rows, rule, first, last)) for _, rule, first, last in outside
        ]
        todo += [(rule.rank, partial(self.apply, rule, [{}])) for rule in self.triggered]
        todo += [(self.delays[number].rank, partial(self.come_due, number, each)) for number, each in due.items()]
        for _, act in sorted(todo, key=itemgetter(0)):
            act()

    def come_due(self, number: int, due: list[Pending]) -> None:
        """Let effects act, but for those that an initiation of their source postpones now."""
        again = self.initiated[self.component.delays[number].key]
        acting = [
            each.declared.binding
            for each in due
            if not (each.declared.is_postponable and each.value in again.get(each.arguments, ()))
        ]
        self.apply(self.delays[number], acting)

    def apply_rows(self, rule: WalkRule, first: int, last: int) -> None:
        """Let a rule have its effects for some of its rows."""
        if rule.guarded is None:
            self.apply(rule, rule.bindings(first, last))
            return
        where = self.initiated[rule.key] if rule.effect == "initiated" else self.terminated[rule.key]
        heads, values = rule.guarded.heads, rule.guarded.values
        for row in range(first, last):
            for current, arguments, value, is_wanted in self.guards[id(rule)]:
                now = current.get(arguments[row])
                if (now is not None and now[0] == value) is not is_wanted:
                    break
            else:
                _add(where, heads[row], values[row])

    def apply(self, rule: WalkRule, bindings: list[Binding]) -> None:
        """Let a rule have its effects for the bindings that satisfy it."""
        key, head = rule.key, rule.head
        heads = [head(binding) for binding in solved(rule.steps, bindings)]
        if rule.effect != "terminated" and not rule.is_grounded:
            n_words = len(rule.columns) if rule.effect == "happens" else len(rule.columns) - 1
            is_fvp = rule.effect == "initiated"
            heads = [words for words in heads if self.grounded.includes(is_fvp, key, words[:n_words])]
        if rule.effect == "happens":
            self.happened[key].update(dict.fromkeys(heads))
            return
        where = self.initiated[key] if rule.effect == "initiated" else self.terminated[key]
        for words in heads:
            _add(where, words[:-1], words[-1])

    # -- inertia -------------------------------------------------------------------------------------------------------

    def change(self, key: Key) -> None:
        """Let the effects of the time-point change what holds and what waits of one fluent."""
        following = (self.time // self.tick + 1) * self.tick
        initiated, terminated, current = self.initiated[key], self.terminated[key], self.current[key]
        intervals = self.intervals[key]
        is_delayed = key in self.waiting.by_source
        for arguments in {**initiated, **terminated} if terminated else initiated:
            before = current.get(arguments)
            values, ended = initiated.get(arguments, ()), terminated.get(arguments, ())
            if before is not None and is_broken(before[0], values, ended):
                intervals.append((*arguments, *before, following))
                del current[arguments]
            for value in values:
                if self.begins(key, arguments, value, before, values, ended):
                    current[arguments] = (value, following)
            if is_delayed:
                self.waiting.change(key, arguments, values, ended, self.time)
        self.note("initiated", key, initiated)
        self.note("terminated", key, terminated)

    def begins(
        self, key: Key, arguments: Words, value: int, before: tuple[int, int] | None, values: Values, ended: Values
    ) -> bool:
        """Whether an initiated value begins to hold."""
        if (before is not None and before[0] == value) or is_broken(value, values, ended):
            return False
        return self.grounded.includes(True, key, (*arguments, value))

    def note(self, effect: Effect, key: Key, effects: dict[Words, Values]) -> None:
        if effects:
            time = self.time
            points = self.points.setdefault((effect, key), [])
            points += [(*arguments, value, time) for arguments, values in effects.items() for value in values]
            effects.clear()

    # -- what row steps ask --------------------------------------------------------------------------------------------

    def value_of(self, key: Key, arguments: Words) -> int | None:
        now = self.current[key].get(arguments)
        return None if now is None else now[0]

    def is_broken(self, key: Key, arguments: Words, value: int) -> bool:
        return is_broken(value, self.initiated[key].get(arguments, ()), self.terminated[key].get(arguments, ()))

    def happening(self, kind: PointKind, key: Key) -> Iterable[Words]:
        if kind == "events":
            return list(self.happened[key])
        if kind == "initiations":
            return [(*arguments, v) for arguments, values in self.initiated[key].items() for v in values]
        return list(self.starting(key) if kind == "starts" else self.ending(key))

    def starting(self, key: Key) -> Iterator[Words]:
        for arguments, values in self.initiated[key].items():
            before, ended = self.current[key].get(arguments), self.terminated[key].get(arguments, ())
            for value in values:
                if self.begins(key, arguments, value, before, values, ended):
                    yield (*arguments, value)

    def ending(self, key: Key) -> Iterator[Words]:
        for arguments in {**self.initiated[key], **self.terminated[key]}:
            before = self.current[key].get(arguments)
            if before is not None and self.is_broken(key, arguments, before[0]):
                yield (*arguments, before[0])

    # -- the outcome ---------------------------------------------------------------------------------------------------

    def outcome(self) -> Turn:
        for key, current in self.current.items():
            self.intervals[key].extend((*arguments, *now, OPEN) for arguments, now in current.items())
        return Turn(
            self.tables("happens", self.happened, 1),
            self.tables("initiated", self.component.fluents, 2),
            self.tables("terminated", self.component.fluents, 2),
            {key: FluentTable(*_columns(rows, key[1] + 3)) for key, rows in self.intervals.items()},
            self.waiting.prospects(),
            n_visited=self.n_visited,
        )

    def tables(self, effect: Effect, keys: Iterable[Key], n_more: int) -> dict[Key, PointTable]:
        return {key: PointTable(*_columns(self.points.get((effect, key), []), key[1] + n_more)) for key in keys}


def _add(effects: dict[Words, Values], arguments: Words, value: int) -> None:
    values = effects.get(arguments)
    if values is None:
        effects[arguments] = (value,)
    elif value not in values:
        effects[arguments] = (*values, value)


def _current(table: FluentTable) -> dict[Words, tuple[int, int]]:
    """The value of each fluent, and since when it has it."""
    keys = zip(*(column.tolist() for column in table.keys), strict=True)
    return {key[:-1]: (key[-1], start) for key, start in zip(keys, table.starts.tolist(), strict=True)}


def _possible(rules: list[WalkRule], state: dict[Key, FluentTable]) -> dict[Key, list[list[Int64]]]:
    """FVPs that may be initiated, as far as that is known from outside, and those that hold."""
    possible = {key: [list(table.keys)] for key, table in state.items() if table.n}
    for rule in rules:
        if rule.possible is not None:
            possible.setdefault(rule.key, []).append(rule.possible)
    return possible


def _columns(rows: Sequence[Words], n_columns: int) -> tuple[tuple[Int64, ...], int]:
    if not rows:
        return tuple(np.empty(0, dtype=np.int64) for _ in range(n_columns)), 0
    return tuple(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)), len(rows)
