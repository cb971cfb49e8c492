"""The delayed effects of a walk: what initiations have set up, until it is due, cancelled or postponed.

A walk only has to know which effects act when. What becomes of each of them is computed afterwards, for all at once,
from the initiations and breaks that the walk has found (`delays.py`).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.tables import Key, PointTable
from holdsfor.errors import ExecutionProblem
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.patterns import build
from holdsfor.physical.rules import PlannedComponent, PlannedDelay
from holdsfor.runtime.delays import SetUp, set_up_by
from holdsfor.runtime.grounded import Cell, Grounded
from holdsfor.runtime.row_steps import Binding, Words

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["Pending", "Values", "Waiting", "is_broken"]

Values = tuple[int, ...]


def is_broken(value: int, initiated: Values, terminated: Values) -> bool:
    """Whether a value is terminated, or another one is initiated."""
    if terminated and (value in terminated or ANY_VALUE in terminated):
        return True
    return len(initiated) > 1 or (len(initiated) == 1 and initiated[0] != value)


@dataclass(slots=True, eq=False)
class Pending:
    """What the initiation of an FVP sets up by one declaration, and when it was set up: None if it was not.

    `identity` tells two effects of an FVP apart. The `target` is what it is about if no condition is left to ask, or
    None if that is outside the grounding.
    """

    number: int
    delay: int
    is_postponable: bool
    source: Cell
    identity: Words
    binding: Binding
    target: Cell | None
    since: int | None = None


class Waiting:
    """Everything that a component's walk has set up; `carried` is what earlier stretches left."""

    def __init__(
        self, component: PlannedComponent, part: Evaluation, carried: Sequence[SetUp | None], grounded: Grounded
    ) -> None:
        self.delays = component.delays
        self.part = part
        self.grounded = grounded
        self.first, self.last = part.stretch.first, part.stretch.last
        self.times: list[int] = []
        self.due: dict[int, list[tuple[Pending, int]]] = {}
        self.declared: dict[Key, dict[Cell, list[Pending]]] = {delay.key: {} for delay in self.delays}
        self.armed: dict[Key, dict[int, dict[int, list[Pending]]]] = {delay.key: {} for delay in self.delays}
        for number, set_up in enumerate(carried):
            if set_up is not None:
                self.carry(number, set_up)

    def carry(self, number: int, set_up: SetUp) -> None:
        armed = self.armed[self.delays[number].key]
        for pending, time in zip(self.unpacked(number, set_up), set_up.times.tolist(), strict=True):
            cell, value = pending.source
            armed.setdefault(cell, {}).setdefault(value, []).append(pending)
            self.wait(pending, time)

    # -- what is set up ------------------------------------------------------------------------------------------------

    def foresee(self, possible: dict[Key, list[tuple[Int64, Int64]]]) -> None:
        """Find out, for all FVPs at once that may be initiated, what they set up; others are looked at on the way."""
        for _ in range(len(self.delays) + 1):
            further: dict[Key, list[tuple[Int64, Int64]]] = {}
            for key, parts in possible.items():
                if key in self.declared:
                    self.declare(key, _distinct(parts), further, is_certain=False)
            possible = further

    def declare(
        self,
        key: Key,
        sources: Sequence[Cell],
        further: dict[Key, list[tuple[Int64, Int64]]],
        *,
        is_certain: bool,
    ) -> None:
        """Let it be known what FVPs set up, and what these effects initiate themselves."""
        declared = self.declared[key]
        fresh = [source for source in sources if source not in declared]
        if not fresh:
            return
        table = self.initiated_once(key, fresh)
        own = [(number, delay) for number, delay in enumerate(self.delays) if delay.key == key]
        try:
            found = [(number, set_up_by(delay, table, self.part)) for number, delay in own]
        except ExecutionProblem:
            if is_certain:
                raise
            # One of them has no proper delay, but perhaps it is never initiated: they are looked at when they are.
            return
        declared.update((source, []) for source in fresh)
        for number, set_up in found:
            if set_up is not None:
                self.remember(number, set_up, further)

    def initiated_once(self, key: Key, sources: Sequence[Cell]) -> PointTable:
        numbers, values = (np.array(column, dtype=np.int64) for column in zip(*sources, strict=True))
        more = (values, np.zeros(len(sources), dtype=np.int64))
        return PointTable.numbered(self.part.instances, key[1], numbers, more)

    def remember(self, number: int, set_up: SetUp, further: dict[Key, list[tuple[Int64, Int64]]]) -> None:
        delay = self.delays[number]
        declared, armed = self.declared[delay.key], self.armed[delay.key]
        found = self.unpacked(number, set_up)
        for pending in found:
            cell, value = pending.source
            carried = armed.get(cell, {}).get(value, ())
            known = next((each for each in carried if each.identity == pending.identity), pending)
            declared[pending.source].append(known)
        targets = [pending.target for pending in found if pending.target is not None]
        if targets and not delay.is_termination:
            numbers, values = (np.array(column, dtype=np.int64) for column in zip(*targets, strict=True))
            further.setdefault(delay.target_key, []).append((numbers, values))

    def unpacked(self, number: int, set_up: SetUp) -> list[Pending]:
        """What is set up, one by one."""
        *arguments, values = set_up.sources
        numbers = self.part.instances.numbers(arguments, set_up.rows.n)
        names = [name for name in set_up.rows.columns if not name.startswith("#")]
        words = list(zip(*(set_up.rows.columns[name].tolist() for name in names), strict=True)) or [()] * set_up.rows.n
        delay = self.delays[number]
        details = zip(
            set_up.delays.tolist(),
            set_up.is_postponable.tolist(),
            zip(numbers.tolist(), values.tolist(), strict=True),
            words,
            self.targets(delay, set_up),
            strict=True,
        )
        bindings = [dict(zip(names, row, strict=True)) for row in words] if delay.when_due else [{}] * len(words)
        return [
            Pending(number, length, is_postponable, source, (number, length, *row), binding, target)
            for binding, (length, is_postponable, source, row, target) in zip(bindings, details, strict=True)
        ]

    def targets(self, delay: PlannedDelay, set_up: SetUp) -> list[Cell | None]:
        """What the effects are about, where no condition is left to ask."""
        if delay.when_due:
            return [None] * set_up.rows.n
        *arguments, values = (build(pattern, set_up.rows, self.part.symbols) for pattern in delay.target)
        numbers = self.part.instances.numbers(arguments, set_up.rows.n)
        found = list(zip(numbers.tolist(), values.tolist(), strict=True))
        if delay.is_termination:
            return list(found)
        inside = set(self.grounded.admitted(delay.target_key, found))
        return [target if target in inside else None for target in found]

    # -- what becomes of it --------------------------------------------------------------------------------------------

    def wait(self, pending: Pending, time: int) -> None:
        """Let an effect be set up at a time-point."""
        pending.since = time
        due = time + pending.delay
        if self.first <= due <= self.last:
            if due in self.due:
                self.due[due].append((pending, time))
            else:
                self.due[due] = [(pending, time)]
                heapq.heappush(self.times, due)

    def due_at(self, time: int) -> dict[int, list[Pending]]:
        """The effects that are due, by the number of their declaration, but for those cancelled or postponed before."""
        found: dict[int, list[Pending]] = {}
        if self.times and self.times[0] == time:
            heapq.heappop(self.times)
            for pending, since in self.due.pop(time):
                if pending.since == since:
                    found.setdefault(pending.number, []).append(pending)
        return found

    def changer(self, key: Key) -> Callable[[dict[int, Values], dict[int, Values], int], None]:
        """What lets the effects of a time-point cancel, set up and postpone."""
        armed, declared = self.armed[key], self.declared[key]

        def change(initiated: dict[int, Values], terminated: dict[int, Values], time: int) -> None:
            sources = [(cell, value) for cell, values in initiated.items() for value in values]
            self.declare(key, sources, {}, is_certain=True)
            for cell in {**initiated, **terminated} if terminated else initiated:
                before = armed.get(cell)
                if before:
                    self.cancel(before, initiated.get(cell, ()), terminated.get(cell, ()))
            for source in sources:
                effects = declared[source]
                if effects:
                    self.set_up(effects, armed.setdefault(source[0], {}), source[1], time)

        return change

    def cancel(self, armed: dict[int, list[Pending]], initiated: Values, terminated: Values) -> None:
        broken = [value for value in armed if is_broken(value, initiated, terminated)]
        for value in broken:
            for pending in armed.pop(value):
                pending.since = None

    def set_up(self, effects: list[Pending], armed: dict[int, list[Pending]], value: int, time: int) -> None:
        """Let an initiation set up effects, or postpone them; those that are not postponable wait since the first."""
        for pending in effects:
            if pending.since is None or pending.is_postponable:
                self.wait(pending, time)
        known = armed.setdefault(value, effects)
        if known is not effects:
            known += [pending for pending in effects if pending not in known]


def _distinct(parts: Sequence[tuple[Int64, Int64]]) -> list[Cell]:
    """The FVPs of all parts, each once."""
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    _, first = dense_ids(columns, len(columns[0]))
    return list(zip(*(column[first].tolist() for column in columns), strict=True))
