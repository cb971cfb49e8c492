"""The delayed effects of a walk: what initiations have set up, until it is due, cancelled or postponed."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.tables import Key, PointTable, point_table
from holdsfor.errors import ExecutionProblem
from holdsfor.kernels.delays import NEVER, Outlook
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64
from holdsfor.physical.patterns import build
from holdsfor.physical.rows import Rows
from holdsfor.physical.rules import PlannedComponent
from holdsfor.runtime.delays import Prospects, SetUp, set_up_by
from holdsfor.runtime.grounded import Grounded
from holdsfor.runtime.row_steps import Binding, Words
from holdsfor.syntax.terms import variables

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["Pending", "Waiting", "is_broken"]

Values = tuple[int, ...]


def is_broken(value: int, initiated: Values, terminated: Values) -> bool:
    """Whether a value is terminated, or another one is initiated."""
    if terminated and (value in terminated or ANY_VALUE in terminated):
        return True
    return len(initiated) > 1 or (len(initiated) == 1 and initiated[0] != value)


@dataclass(frozen=True, slots=True)
class _Declared:
    """What the initiation of an FVP sets up by one declaration; `identity` tells two such effects apart."""

    number: int
    delay: int
    is_postponable: bool
    binding: Binding
    identity: Words


@dataclass(slots=True)
class Pending:
    """An effect that was set up, and what became of it."""

    declared: _Declared
    arguments: Words
    value: int
    set_up_at: int
    broken: int = NEVER
    renewed: int = NEVER


class Waiting:
    """Everything that a component's walk has set up; `carried` is what earlier stretches left."""

    def __init__(
        self, component: PlannedComponent, part: Evaluation, carried: Sequence[SetUp | None], grounded: Grounded
    ) -> None:
        self.delays = component.delays
        self.part = part
        self.grounded = grounded
        self.all: list[Pending] = []
        self.due: list[tuple[int, int]] = []
        self.by_source: dict[Key, dict[Words, dict[tuple[int, Words], Pending]]] = {d.key: {} for d in self.delays}
        self.declared: dict[Key, dict[Words, list[_Declared]]] = {key: {} for key in component.fluents}
        for number, set_up in enumerate(carried):
            if set_up is not None:
                for source, declared, time in zip(*_unpacked(number, set_up), set_up.times.tolist(), strict=True):
                    self.wait(Pending(declared, source[:-1], source[-1], time))

    # -- what is set up ------------------------------------------------------------------------------------------------

    def foresee(self, possible: dict[Key, list[list[Int64]]]) -> None:
        """Find out, for all FVPs at once that may be initiated, whether they are grounded and what they set up.

        Others are looked at when they come up.
        """
        for _ in range(len(self.delays) + 1):
            further: dict[Key, list[list[Int64]]] = {}
            for key, parts in possible.items():
                fresh = self.not_foreseen(key, [np.concatenate(column) for column in zip(*parts, strict=True)])
                if fresh.n:
                    self.foresee_fvps(key, fresh, further)
            possible = further

    def not_foreseen(self, key: Key, columns: list[Int64]) -> PointTable:
        table = point_table([*columns, np.zeros(len(columns[0]), dtype=np.int64)])
        keys = zip(*(column.tolist() for column in table.columns[:-1]), strict=True)
        mask = np.array([words not in self.declared[key] for words in keys], dtype=bool)
        return PointTable(tuple(column[mask] for column in table.columns), int(mask.sum()))

    def foresee_fvps(self, key: Key, table: PointTable, further: dict[Key, list[list[Int64]]]) -> None:
        self.grounded.remember(True, key, table.columns[:-2], table.n)
        sources = self.grounded.remember(True, key, table.columns[:-1], table.n)
        try:
            found = [
                (number, set_up_by(delay, table, self.part))
                for number, delay in enumerate(self.delays)
                if delay.key == key
            ]
        except ExecutionProblem:
            # One of them has no proper delay, but perhaps it is never initiated: each is looked at when it is.
            return
        self.declared[key].update({words: [] for words in sources})
        for number, set_up in found:
            if set_up is None:
                continue
            self.remember(number, set_up)
            delay = self.delays[number]
            if not delay.is_termination and set(variables(*delay.target)) <= delay.bound:
                target = [build(pattern, set_up.rows, self.part.symbols) for pattern in delay.target]
                further.setdefault(delay.target_key, []).append(target)

    def remember(self, number: int, set_up: SetUp) -> None:
        known = self.declared[self.delays[number].key]
        for source, declared in zip(*_unpacked(number, set_up), strict=True):
            known[source].append(declared)

    def set_up_by(self, key: Key, source: Words) -> list[_Declared]:
        """What an initiation of a source sets up."""
        known = self.declared[key].get(source)
        if known is None:
            known = self.declared[key][source] = []
            columns = tuple(np.array([word], dtype=np.int64) for word in (*source, 0))
            for number, delay in enumerate(self.delays):
                found = set_up_by(delay, PointTable(columns, 1), self.part) if delay.key == key else None
                if found is not None:
                    self.remember(number, found)
        return known

    # -- what becomes of it --------------------------------------------------------------------------------------------

    def wait(self, pending: Pending) -> None:
        key = self.delays[pending.declared.number].key
        waiting = self.by_source[key].setdefault(pending.arguments, {})
        waiting[pending.value, pending.declared.identity] = pending
        heapq.heappush(self.due, (pending.set_up_at + pending.declared.delay, len(self.all)))
        self.all.append(pending)

    def next_due(self, since: int) -> int | None:
        """The next time-point, not before a given one, at which an effect is due."""
        while self.due and self.due[0][0] < since:
            heapq.heappop(self.due)
        return self.due[0][0] if self.due else None

    def due_at(self, time: int) -> dict[int, list[Pending]]:
        """The effects that are due, by the number of their declaration."""
        found: dict[int, list[Pending]] = {}
        while self.due and self.due[0][0] == time:
            pending = self.all[heapq.heappop(self.due)[1]]
            if pending.broken == NEVER and (pending.renewed == NEVER or not pending.declared.is_postponable):
                found.setdefault(pending.declared.number, []).append(pending)
        return found

    def change(self, key: Key, arguments: Words, initiated: Values, terminated: Values, time: int) -> None:
        """Let breaks cancel what waits, and initiations set up or postpone."""
        waiting = self.by_source[key].get(arguments)
        if waiting:
            for place, pending in list(waiting.items()):
                if is_broken(pending.value, initiated, terminated):
                    pending.broken = time
                    del waiting[place]
        for value in initiated:
            for declared in self.set_up_by(key, (*arguments, value)):
                before = waiting.get((value, declared.identity)) if waiting else None
                if before is not None:
                    if not declared.is_postponable:
                        continue
                    before.renewed = time
                self.wait(Pending(declared, arguments, value, time))

    def forget(self, due: dict[int, list[Pending]]) -> None:
        """Drop postponable effects that were due; others keep what they did from being set up again."""
        for number, several in due.items():
            for pending in several:
                if pending.declared.is_postponable and pending.renewed == NEVER and pending.broken == NEVER:
                    del self.by_source[self.delays[number].key][pending.arguments][
                        pending.value, pending.declared.identity
                    ]

    # -- the outcome ---------------------------------------------------------------------------------------------------

    def prospects(self) -> tuple[Prospects | None, ...]:
        """All that was set up by each declaration, and what became of it."""
        own: list[list[Pending]] = [[] for _ in self.delays]
        for pending in self.all:
            own[pending.declared.number].append(pending)
        return tuple(_prospects(each) if each else None for each in own)


def _unpacked(number: int, set_up: SetUp) -> tuple[list[Words], list[_Declared]]:
    """The sources and what each sets up, one by one."""
    names = [name for name in set_up.rows.columns if not name.startswith("#")]
    values = list(zip(*(set_up.rows.columns[name].tolist() for name in names), strict=True)) or [()] * set_up.rows.n
    details = zip(values, set_up.delays.tolist(), set_up.is_postponable.tolist(), strict=True)
    declared = [
        _Declared(number, delay, is_postponable, dict(zip(names, words, strict=True)), (number, delay, *words))
        for words, delay, is_postponable in details
    ]
    return list(zip(*(column.tolist() for column in set_up.sources), strict=True)), declared


def _prospects(own: list[Pending]) -> Prospects:
    names = list(own[0].declared.binding)
    columns = {name: _column([pending.declared.binding[name] for pending in own]) for name in names}
    n_arguments = len(own[0].arguments)
    columns |= {f"#{i}": _column([pending.arguments[i] for pending in own]) for i in range(n_arguments)}
    columns[f"#{n_arguments}"] = _column([pending.value for pending in own])
    rows = Rows(len(own), columns, _column([pending.set_up_at for pending in own]))
    is_postponable = np.array([pending.declared.is_postponable for pending in own], dtype=bool)
    set_up = SetUp(rows, _column([pending.declared.delay for pending in own]), is_postponable)
    broken, renewed = _column([pending.broken for pending in own]), _column([pending.renewed for pending in own])
    return Prospects(set_up, Outlook(np.ones(len(own), dtype=bool), broken, renewed))


def _column(values: list[int]) -> Int64:
    return np.array(values, dtype=np.int64)
