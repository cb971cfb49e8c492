"""Delayed effects during time stepping: set up by initiations, until they are due, cancelled or postponed.

Time stepping only needs the effects that are due at each time-point. Their outcomes are computed afterwards, for all at
once, from the initiations and breaks that time stepping found (`delays.py`).

An effect is a number: it identifies one declaration for the initiation of one FVP. All data about effects is in lists
by number, since there may be many effects with few accesses to each.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from holdsfor.columns.tables import Key, PointTable
from holdsfor.columns.tuple_ids import Words
from holdsfor.errors import ExecutionProblem
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.operators.scalar import Binding
from holdsfor.physical.patterns import build
from holdsfor.physical.plan import PlannedComponent, PlannedDelay
from holdsfor.runtime.delays import SetUp, set_up_by
from holdsfor.runtime.recursion.grounding_checks import Cell, GroundingChecks
from holdsfor.syntax.terms import is_ground

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["Fvps", "PendingEffects", "Values", "is_broken"]

Values: TypeAlias = tuple[int, ...]
Fvps: TypeAlias = tuple[Int64, Int64]
"""Columns of cells and values."""


def is_broken(value: int, initiated: Values, terminated: Values) -> bool:
    """Whether a value is terminated, or another value is initiated."""
    if terminated and (value in terminated or ANY_VALUE in terminated):
        return True
    return len(initiated) > 1 or (len(initiated) == 1 and initiated[0] != value)


@dataclass
class _Effects:
    """Lists with an entry for every effect: its declaration, the FVP that sets it up, and its state.

    `words` are the values of the variables of the declaration. The target is the affected FVP if no condition is left
    to test, or None if it is outside the grounding. `since` is the time-point of the set-up: by the initiation that
    started its source if `is_running`, otherwise by an earlier initiation that started nothing.
    """

    numbers: list[int] = field(default_factory=list)
    sources: list[Cell] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    is_postponable: list[bool] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)
    targets: list[Cell | None] = field(default_factory=list)
    since: list[tuple[int, ...]] = field(default_factory=list)
    is_running: list[bool] = field(default_factory=list)

    def identity(self, effect: int) -> Words:
        """The key that distinguishes the effects of an FVP."""
        return (self.numbers[effect], self.lengths[effect], *self.words[effect])


class PendingEffects:
    """All effects that a component sets up in time stepping; `carried` are those of earlier time ranges."""

    def __init__(
        self, component: PlannedComponent, part: Evaluation, carried: Sequence[SetUp | None], grounded: GroundingChecks
    ) -> None:
        self.delays = component.delays
        self.part = part
        self.grounded = grounded
        self.first, self.last = part.time_range.first, part.time_range.last
        self.effects = _Effects()
        self.names: dict[int, list[str]] = {}
        self.times: list[int] = []
        self.due: dict[int, list[int]] = {}
        self.declared: dict[Key, dict[Cell, tuple[int, ...]]] = {delay.key: {} for delay in self.delays}
        self.armed: dict[Key, dict[int, dict[int, tuple[int, ...]]]] = {delay.key: {} for delay in self.delays}
        self.values = {delay.key: self.values_of(delay.key) for delay in self.delays}
        for number, set_up in enumerate(carried):
            if set_up is not None:
                self.carry(number, set_up)

    def values_of(self, key: Key) -> set[int] | None:
        """The values whose initiations may set up effects, or None for all values."""
        values = [delay.source[-1] for delay in self.delays if delay.key == key]
        return {self.part.symbols.word(value) for value in values} if all(map(is_ground, values)) else None

    def carry(self, number: int, set_up: SetUp) -> None:
        armed, sources = self.armed[self.delays[number].key], self.effects.sources
        rows = zip(self.add(number, set_up), set_up.times.tolist(), set_up.starts.tolist(), strict=True)
        for added, time, starts in sorted(rows, key=itemgetter(1)):
            cell, value = sources[added]
            known = armed.setdefault(cell, {})
            effect = self.carried(known.get(value, ()), added)
            if effect == added:
                known[value] = (*known.get(value, ()), effect)
            self.wait(effect, time, starts=starts)

    # -- set-up
    # ----------------------------------------------------------------------------------------------------------

    def prepare(self, possible: dict[Key, list[Fvps]]) -> None:
        """Compute the effects of all FVPs that may be initiated, at once; others are handled at their initiation."""
        for _ in range(len(self.delays) + 1):
            further: dict[Key, list[Fvps]] = {}
            for key, parts in possible.items():
                if key in self.declared:
                    self.declare(key, self.setting_up(key, parts), further, is_certain=False)
            possible = further

    def setting_up(self, key: Key, parts: Sequence[Fvps]) -> list[Cell]:
        """The FVPs, each once, whose values may set up effects."""
        cells, values = concatenate_columns(parts)
        wanted = self.values[key]
        if wanted is not None:
            rows = np.isin(values, list(wanted)).nonzero()[0]
            cells, values = cells[rows], values[rows]
        first = dense_ids([cells, values], len(cells))[1]
        return list(zip(cells[first].tolist(), values[first].tolist(), strict=True))

    def declare(self, key: Key, sources: Sequence[Cell], further: dict[Key, list[Fvps]], *, is_certain: bool) -> None:
        """Record the effects that FVPs set up, and the FVPs that these effects initiate."""
        fresh = [source for source in sources if source not in self.declared[key]]
        if not fresh:
            return
        table = self.initiated_once(key, fresh)
        try:
            found = [
                (number, set_up_by(delay, table, self.part))
                for number, delay in enumerate(self.delays)
                if delay.key == key
            ]
        except ExecutionProblem:
            if is_certain:
                raise
            # One of them has no valid delay, but may never be initiated: they are handled when they are initiated.
            return
        self.declared[key].update(dict.fromkeys(fresh, ()))
        for number, set_up in found:
            if set_up is not None:
                self.record_effects(number, set_up, further)

    def initiated_once(self, key: Key, sources: Sequence[Cell]) -> PointTable:
        cells, values = (np.array(column, dtype=np.int64) for column in zip(*sources, strict=True))
        more = (values, np.zeros(len(sources), dtype=np.int64))
        return PointTable.numbered(self.part.instances, key[1], cells, more)

    def record_effects(self, number: int, set_up: SetUp, further: dict[Key, list[Fvps]]) -> None:
        delay = self.delays[number]
        declared, armed = self.declared[delay.key], self.armed[delay.key]
        added = self.add(number, set_up)
        for source, effect in zip(self.effects.sources[added.start :], added, strict=True):
            before = armed.get(source[0])
            known = effect if before is None else self.carried(before.get(source[1], ()), effect)
            declared[source] = (*declared[source], known)
        targets = [target for target in self.effects.targets[added.start :] if target is not None]
        if targets and not delay.is_termination:
            cells, values = (np.array(column, dtype=np.int64) for column in zip(*targets, strict=True))
            further.setdefault(delay.target_key, []).append((cells, values))

    def carried(self, before: tuple[int, ...], effect: int) -> int:
        """The equal effect among those before, or else this one."""
        identity = self.effects.identity
        return next((each for each in before if identity(each) == identity(effect)), effect)

    def add(self, number: int, set_up: SetUp) -> range:
        """Number the effects that FVPs set up by one declaration."""
        *arguments, values = set_up.sources
        cells = self.part.instances.numbers(arguments, set_up.rows.n)
        names = self.names[number] = [name for name in set_up.rows.columns if not name.startswith("#")]
        words = zip(*(set_up.rows.columns[name].tolist() for name in names), strict=True)
        n, effects = set_up.rows.n, self.effects
        effects.numbers += [number] * n
        effects.sources += zip(cells.tolist(), values.tolist(), strict=True)
        effects.lengths += set_up.delays.tolist()
        effects.is_postponable += set_up.is_postponable.tolist()
        effects.words += words if names else [()] * n
        effects.targets += self.targets(self.delays[number], set_up, cells)
        effects.since += [()] * n
        effects.is_running += [False] * n
        return range(len(effects.since) - n, len(effects.since))

    def targets(self, delay: PlannedDelay, set_up: SetUp, cells: Int64) -> list[Cell | None]:
        """The targets of the effects without conditions left to test; `cells` are the cells of the sources."""
        if delay.when_due:
            return [None] * set_up.rows.n
        rows, symbols = set_up.rows, self.part.symbols
        values = build(delay.target[-1], rows, symbols)
        if delay.target[:-1] != delay.source[:-1]:
            cells = symbols.instances.numbers([build(each, rows, symbols) for each in delay.target[:-1]], rows.n)
        found: list[Cell | None] = list(zip(cells.tolist(), values.tolist(), strict=True))
        inside = None if delay.is_termination else self.grounded.inside(delay.target_key, cells, values)
        if inside is None:
            return found
        is_inside = np.zeros(len(found), dtype=bool)
        is_inside[inside] = True
        return [target if is_there else None for target, is_there in zip(found, is_inside.tolist(), strict=True)]

    # -- outcome
    # ---------------------------------------------------------------------------------------------------------

    def wait(self, effect: int, time: int, *, starts: bool) -> None:
        """Set up an effect at a time-point, or postpone it to there if it is postponable."""
        effects = self.effects
        effects.since[effect] = (time,) if effects.is_postponable[effect] else (*effects.since[effect], time)
        effects.is_running[effect] = starts
        due = time + self.effects.lengths[effect]
        if self.first <= due <= self.last:
            if due in self.due:
                self.due[due].append(effect)
            else:
                self.due[due] = [effect]
                heapq.heappush(self.times, due)

    def due_at(self, time: int) -> dict[int, list[int]]:
        """The effects that are due, by the number of their declaration, except cancelled or postponed ones."""
        found: dict[int, list[int]] = {}
        if self.times and self.times[0] == time:
            heapq.heappop(self.times)
            since, lengths, numbers = self.effects.since, self.effects.lengths, self.effects.numbers
            for effect in self.due.pop(time):
                if time - lengths[effect] in since[effect]:
                    found.setdefault(numbers[effect], []).append(effect)
        return found

    def acting(self, due: Sequence[int], initiated: dict[int, Values]) -> list[int]:
        """The effects that no initiation of their source postpones when they are due."""
        sources, is_postponable = self.effects.sources, self.effects.is_postponable
        return [
            each
            for each in due
            if not (is_postponable[each] and sources[each][1] in initiated.get(sources[each][0], ()))
        ]

    def binding(self, effect: int) -> Binding:
        """The values of the variables of an effect's declaration."""
        return dict(zip(self.names[self.effects.numbers[effect]], self.effects.words[effect], strict=True))

    def change(self, key: Key, initiated: dict[int, Values], terminated: dict[int, Values], time: int) -> None:
        """Cancel, set up and postpone effects by the changes of a time-point."""
        armed, declared, setting_up = self.armed[key], self.declared[key], self.values[key]
        undeclared: list[Cell] = []
        for cell, ended in terminated.items():
            if cell in armed and cell not in initiated:
                self.cancel(armed[cell], (), ended)
        for cell, begun in initiated.items():
            if cell in armed:
                self.cancel(armed[cell], begun, terminated.get(cell, ()))
            for value in begun:
                if setting_up is None or value in setting_up:
                    effects = declared.get((cell, value))
                    if effects:
                        starts = not is_broken(value, begun, terminated.get(cell, ()))
                        self.set_up(effects, armed.setdefault(cell, {}), value, time, starts=starts)
                    elif effects is None:
                        undeclared.append((cell, value))
        if undeclared:
            self.declare(key, undeclared, {}, is_certain=True)
            for cell, value in undeclared:
                starts = not is_broken(value, initiated[cell], terminated.get(cell, ()))
                self.set_up(declared[cell, value], armed.setdefault(cell, {}), value, time, starts=starts)

    def cancel(self, armed: dict[int, tuple[int, ...]], initiated: Values, terminated: Values) -> None:
        broken = [value for value in armed if is_broken(value, initiated, terminated)]
        for value in broken:
            for effect in armed.pop(value):
                self.effects.since[effect] = ()
                self.effects.is_running[effect] = False

    def set_up(
        self, effects: tuple[int, ...], armed: dict[int, tuple[int, ...]], value: int, time: int, *, starts: bool
    ) -> None:
        """Set up or postpone the effects of an initiation; effects that are not postponable keep their first set-up."""
        for effect in effects:
            if not self.effects.is_running[effect] or self.effects.is_postponable[effect]:
                self.wait(effect, time, starts=starts)
        known = armed.setdefault(value, effects)
        if known is not effects:
            armed[value] = tuple(dict.fromkeys((*known, *effects)))
