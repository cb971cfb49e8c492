"""A component walked through time: one time-point after another, one binding at a time.

What is outside the component is asked first, for the whole stretch at once; the walk visits the time-points at which
that leaves something to do, and those at which delayed effects are due. Its rules are compiled to functions, and the
time it takes is proportional to the number of things that happen.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

import numpy as np

from holdsfor.columns.tables import FluentTable, Key, PointTable, point_table
from holdsfor.errors import ExecutionProblem
from holdsfor.kernels.delays import NEVER, Outlook
from holdsfor.kernels.inertia import ANY_VALUE
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.patterns import build
from holdsfor.physical.rows import Rows, one_row
from holdsfor.physical.rules import PlannedComponent, PlannedDelay, PlannedRule
from holdsfor.physical.steps import MatchPoints, PointKind, run_steps
from holdsfor.runtime.delays import Prospects, SetUp, set_up_by
from holdsfor.runtime.row_steps import Binding, NotByRow, RowCompiler, RowStep, Words, solved
from holdsfor.runtime.turn import Turn
from holdsfor.syntax.terms import Term, Var, variables

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation import Evaluation

__all__ = ["walked"]

Effect = Literal["happens", "initiated", "terminated"]
Values = dict[int, None]


def walked(
    component: PlannedComponent,
    part: Evaluation,
    state: dict[Key, FluentTable],
    waiting: Sequence[SetUp | None],
) -> Turn | None:
    """What the component does in a stretch, or None if it has a rule that cannot be walked."""
    try:
        walk = _Walk(component, part, state, waiting)
    except NotByRow:
        return None
    return walk.run()


@dataclass
class _Rule:
    """Something that has effects at a time-point: a rule, or a delay whose time has come.

    `times` and `columns` are what is known from outside, sorted by time; a rule without them is triggered from inside.
    """

    rank: int
    effect: Effect
    key: Key
    steps: list[RowStep]
    head: Callable[[Binding], Words]
    times: list[int] = field(default_factory=list)
    names: tuple[str, ...] = ()
    columns: list[list[int]] = field(default_factory=list)
    is_triggered_inside: bool = False

    def bindings(self, first: int, last: int) -> list[Binding]:
        if not self.names:
            return [{}]
        rows = zip(*(column[first:last] for column in self.columns), strict=True)
        return [dict(zip(self.names, row, strict=True)) for row in rows]


@dataclass
class _Pending:
    """An effect that was set up, and what became of it."""

    number: int
    arguments: Words
    value: int
    binding: Binding
    delay: int
    is_postponable: bool
    set_up_at: int
    broken: int = NEVER
    renewed: int = NEVER

    @property
    def due(self) -> int:
        return self.set_up_at + self.delay


class _Walk:
    """One component over one stretch, at one time-point of it."""

    def __init__(
        self,
        component: PlannedComponent,
        part: Evaluation,
        state: dict[Key, FluentTable],
        waiting: Sequence[SetUp | None],
    ) -> None:
        self.component = component
        self.part = part
        self.symbols = part.symbols
        self.tick = part.stretch.tick
        self.time = part.stretch.first
        self.current: dict[Key, dict[Words, tuple[int, int]]] = {}
        for key, table in state.items():
            keys = zip(*(column.tolist() for column in table.keys), strict=True)
            self.current[key] = {k[:-1]: (k[-1], start) for k, start in zip(keys, table.starts.tolist(), strict=True)}
        self.initiated: dict[Key, dict[Words, Values]] = {}
        self.terminated: dict[Key, dict[Words, Values]] = {}
        self.happened: dict[Key, dict[Words, None]] = {}
        self.points: dict[tuple[Effect, Key], list[Words]] = {}
        self.intervals: dict[Key, list[Words]] = {key: [] for key in component.fluents}
        self.included: dict[tuple[bool, Key, Words], bool] = {}
        self.pending: dict[tuple[Key, Words], list[_Pending]] = {}
        self.all_pending: list[_Pending] = []
        self.due: list[tuple[int, int]] = []
        self.set_ups: dict[tuple[Key, Words], list[tuple[int, int, bool, Binding]]] = {}
        self.heads: dict[Key, list[list[Int64]]] = {}
        self.delayed_keys = {delay.key for delay in component.delays}
        own = {*component.fluents, *(rule.key for rule in component.events)}
        compiler = RowCompiler(self, part, own)
        self.rules = sorted(self.compiled_rules(compiler), key=lambda rule: rule.rank)
        self.delays = [self.compiled_delay(delay, compiler) for delay in component.delays]
        self.foresee({key: [list(table.keys)] for key, table in state.items() if table.n})
        self.triggered = [rule for rule in self.rules if rule.is_triggered_inside]
        for number, each in enumerate(waiting):
            if each is not None:
                self.go_on_waiting(number, each)

    # -- preparation ---------------------------------------------------------------------------------------------------

    def compiled_rules(self, compiler: RowCompiler) -> Iterator[_Rule]:
        """The rules that may have effects; one whose conditions outside never hold is none of them."""
        rules: list[tuple[PlannedRule, Effect]] = [(rule, "happens") for rule in self.component.events]
        for fluent in self.component.fluents.values():
            rules += [(rule, "initiated") for rule in fluent.initiations]
            rules += [(rule, "terminated") for rule in fluent.terminations]
        for rule, effect in rules:
            compiled = self.compiled_rule(rule, effect, compiler)
            if compiled is not None:
                yield compiled

    def compiled_rule(self, rule: PlannedRule, effect: Effect, compiler: RowCompiler) -> _Rule | None:
        head = self.head(rule.columns, set(rule.unbound), compiler, may_leave_value_open=effect == "terminated")
        outside = rule.steps[: rule.n_outside]
        if not outside:
            if not rule.steps or not isinstance(rule.steps[0], MatchPoints):
                raise NotByRow
            steps = compiler.compiled(rule.steps, set())
            return _Rule(rule.rank, effect, rule.key, steps, head, is_triggered_inside=True)
        rows = run_steps(outside, one_row(), self.part).distinct()
        if rows.n == 0:
            return None
        if rows.times is None:
            raise NotByRow
        steps = compiler.compiled(rule.steps[rule.n_outside :], set(rows.columns))
        rows = self.only_included(rule, effect, rows)
        assert rows.times is not None
        rows = rows.take(np.argsort(rows.times, kind="stable"))
        assert rows.times is not None
        columns = [column.tolist() for column in rows.columns.values()]
        return _Rule(rule.rank, effect, rule.key, steps, head, rows.times.tolist(), tuple(rows.columns), columns)

    def head(
        self, columns: Sequence[Term], unbound: set[str], compiler: RowCompiler, *, may_leave_value_open: bool
    ) -> Callable[[Binding], Words]:
        """The words of a head; a termination may leave its value open."""
        if may_leave_value_open and isinstance(columns[-1], Var) and columns[-1].name in unbound:
            if set(variables(*columns[:-1])) & unbound:
                raise NotByRow
            get = compiler.key_getter(columns[:-1])
            return lambda binding: (*get(binding), ANY_VALUE)
        if unbound:
            raise NotByRow
        return compiler.key_getter(columns)

    def only_included(self, rule: PlannedRule, effect: Effect, rows: Rows) -> Rows:
        """The rows whose heads are in the grounding, where that can be said at once for all of them."""
        columns = rule.columns if effect == "happens" else rule.columns[:-1]
        if effect == "terminated" or rows.n == 0 or set(variables(*columns)) - set(rows.columns):
            return rows
        words = [build(pattern, rows, self.symbols) for pattern in columns]
        inside = self.part.domains.includes((effect != "happens", *rule.key), words, rows.n, self.part)
        is_fvp = effect == "initiated"
        for key in set(zip(*(column[inside].tolist() for column in words), strict=True)):
            self.included[is_fvp, rule.key, key] = True
        if is_fvp and not set(variables(rule.columns[-1])) - set(rows.columns):
            self.heads.setdefault(rule.key, []).append([*words, build(rule.columns[-1], rows, self.symbols)])
        return rows.take(inside)

    def foresee(self, possible: dict[Key, list[list[Int64]]]) -> None:
        """Find out, for all FVPs at once that may be initiated, whether they are grounded and what they set up.

        Others are looked at when they come up.
        """
        for key, columns in self.heads.items():
            possible.setdefault(key, []).extend(columns)
        for _ in range(len(self.component.delays) + 1):
            further: dict[Key, list[list[Int64]]] = {}
            for key, parts in possible.items():
                fresh = self.not_foreseen(key, [np.concatenate(column) for column in zip(*parts, strict=True)])
                if fresh.n:
                    self.foresee_fvps(key, fresh, further)
            possible = further

    def not_foreseen(self, key: Key, columns: list[Int64]) -> PointTable:
        table = point_table([*columns, np.zeros(len(columns[0]), dtype=np.int64)])
        keys = zip(*(column.tolist() for column in table.columns[:-1]), strict=True)
        mask = np.array([(key, words) not in self.set_ups for words in keys], dtype=bool)
        return PointTable(tuple(column[mask] for column in table.columns), int(mask.sum()))

    def foresee_fvps(self, key: Key, table: PointTable, further: dict[Key, list[list[Int64]]]) -> None:
        inside = self.part.domains.includes((True, *key), table.columns[:-1], table.n, self.part).tolist()
        sources = list(zip(*(column.tolist() for column in table.columns[:-1]), strict=True))
        self.included.update({(True, key, words): is_in for words, is_in in zip(sources, inside, strict=True)})
        try:
            found = [
                (number, delay, set_up_by(delay, table, self.part))
                for number, delay in enumerate(self.component.delays)
                if delay.key == key
            ]
        except ExecutionProblem:
            return
        self.set_ups.update({(key, words): [] for words in sources})
        for number, delay, set_up in found:
            if set_up is not None:
                self.remember_set_up(number, set_up)
                if not delay.is_termination and set(variables(*delay.target)) <= delay.bound:
                    target = [build(pattern, set_up.rows, self.symbols) for pattern in delay.target]
                    further.setdefault(delay.target_key, []).append(target)

    def remember_set_up(self, number: int, found: SetUp) -> None:
        key = self.component.delays[number].key
        names = [name for name in found.rows.columns if not name.startswith("#")]
        sources = zip(*(column.tolist() for column in found.sources), strict=True)
        details = (found.delays.tolist(), found.is_postponable.tolist(), _bindings(found.rows, names))
        for source, *each in zip(sources, *details, strict=True):
            delay, is_postponable, binding = each
            self.set_ups[key, source].append((number, delay, is_postponable, binding))

    def compiled_delay(self, delay: PlannedDelay, compiler: RowCompiler) -> _Rule:
        bound = set(delay.bound)
        steps = compiler.compiled(delay.when_due, bound)
        if set(variables(*delay.target)) - bound:
            raise NotByRow
        effect: Effect = "terminated" if delay.is_termination else "initiated"
        return _Rule(delay.rank, effect, delay.target_key, steps, compiler.key_getter(delay.target))

    def go_on_waiting(self, number: int, waiting: SetUp) -> None:
        names = [name for name in waiting.rows.columns if not name.startswith("#")]
        bindings = _bindings(waiting.rows, names)
        sources = list(zip(*(column.tolist() for column in waiting.sources), strict=True))
        details = (waiting.delays.tolist(), waiting.is_postponable.tolist(), waiting.times.tolist())
        for source, binding, delay, is_postponable, time in zip(sources, bindings, *details, strict=True):
            self.wait(_Pending(number, source[:-1], source[-1], binding, delay, is_postponable, time))

    # -- the walk ------------------------------------------------------------------------------------------------------

    def run(self) -> Turn:
        last = self.part.stretch.last
        agenda = self.agenda()
        position = 0
        while True:
            outside = agenda[position][0] if position < len(agenda) else None
            while self.due and self.due[0][0] < self.time:
                heapq.heappop(self.due)
            inside = self.due[0][0] if self.due else None
            if outside is None and inside is None:
                break
            self.time = min(time for time in (outside, inside) if time is not None)
            if self.time > last:
                break
            here: list[tuple[_Rule, int, int]] = []
            while position < len(agenda) and agenda[position][0] == self.time:
                here.append(agenda[position][1:])
                position += 1
            self.visit(here)
        return self.outcome()

    def agenda(self) -> list[tuple[int, _Rule, int, int]]:
        """What is to be done because of what happens outside: rules with ranges of their rows, by time and rank."""
        found: list[tuple[int, int, int, int]] = []
        for number, rule in enumerate(self.rules):
            times = np.array(rule.times, dtype=np.int64)
            if len(times):
                begins = np.flatnonzero(np.append(True, times[1:] != times[:-1]))
                ends = np.append(begins[1:], len(times))
                numbers = [number] * len(begins)
                found += zip(times[begins].tolist(), numbers, begins.tolist(), ends.tolist(), strict=True)
        found.sort()
        return [(time, self.rules[number], first, last) for time, number, first, last in found]

    def visit(self, outside: list[tuple[_Rule, int, int]]) -> None:
        """Work through one time-point: rules and due effects first, then inertia."""
        due = self.due_now()
        if due or self.triggered:
            self.visit_in_order(outside, due)
        else:
            for rule, first, last in outside:
                self.apply(rule, rule.bindings(first, last))
        if self.initiated or self.terminated:
            self.change()
        for key, events in self.happened.items():
            self.points.setdefault(("happens", key), []).extend((*words, self.time) for words in events)
        for pending in due:
            if pending.is_postponable and pending.renewed == NEVER and pending.broken == NEVER:
                self.pending[self.delays_key(pending), pending.arguments].remove(pending)
        self.initiated.clear()
        self.terminated.clear()
        self.happened.clear()

    def visit_in_order(self, outside: list[tuple[_Rule, int, int]], due: list[_Pending]) -> None:
        todo: list[tuple[int, Callable[[], None]]] = [
            (rule.rank, partial(self.apply, rule, rule.bindings(first, last))) for rule, first, last in outside
        ]
        todo += [(rule.rank, partial(self.apply, rule, [{}])) for rule in self.triggered]
        todo += [(self.delays[pending.number].rank, partial(self.come_due, pending)) for pending in due]
        for _, act in sorted(todo, key=itemgetter(0)):
            act()

    def due_now(self) -> list[_Pending]:
        found: list[_Pending] = []
        while self.due and self.due[0][0] == self.time:
            pending = self.all_pending[heapq.heappop(self.due)[1]]
            if pending.broken == NEVER and (pending.renewed == NEVER or not pending.is_postponable):
                found.append(pending)
        return found

    def delays_key(self, pending: _Pending) -> Key:
        return self.component.delays[pending.number].key

    def come_due(self, pending: _Pending) -> None:
        again = self.initiated.get(self.delays_key(pending), {}).get(pending.arguments, {})
        if not (pending.is_postponable and pending.value in again):
            self.apply(self.delays[pending.number], [pending.binding])

    def apply(self, rule: _Rule, bindings: list[Binding]) -> None:
        """Let a rule have its effects for the bindings that satisfy it."""
        key, head = rule.key, rule.head
        for binding in solved(rule.steps, bindings):
            words = head(binding)
            if rule.effect == "happens":
                if self.is_included(False, key, words):
                    self.happened.setdefault(key, {})[words] = None
            elif rule.effect == "terminated":
                self.terminated.setdefault(key, {}).setdefault(words[:-1], {})[words[-1]] = None
            elif self.is_included(True, key, words[:-1]):
                self.initiated.setdefault(key, {}).setdefault(words[:-1], {})[words[-1]] = None

    def is_included(self, is_fvp: bool, key: Key, words: Words) -> bool:
        """Whether an event, a fluent or an FVP is in its grounding."""
        known = self.included.get((is_fvp, key, words))
        if known is None:
            columns = [np.array([word], dtype=np.int64) for word in words]
            known = bool(self.part.domains.includes((is_fvp, *key), columns, 1, self.part)[0])
            self.included[is_fvp, key, words] = known
        return known

    # -- inertia -------------------------------------------------------------------------------------------------------

    def change(self) -> None:
        """Let the effects of the time-point change what holds and what waits."""
        following = (self.time // self.tick + 1) * self.tick
        for key in {**self.initiated, **self.terminated}:
            initiated, terminated = self.initiated.get(key, {}), self.terminated.get(key, {})
            current = self.current[key]
            for arguments in {**initiated, **terminated}:
                before = current.get(arguments)
                values, ended = initiated.get(arguments, {}), terminated.get(arguments, {})
                if before is not None and _is_broken(before[0], values, ended):
                    self.intervals[key].append((*arguments, *before, following))
                    del current[arguments]
                for value in values:
                    if (
                        (before is None or before[0] != value)
                        and not _is_broken(value, values, ended)
                        and self.is_included(True, key, (*arguments, value))
                    ):
                        current[arguments] = (value, following)
                if key in self.delayed_keys:
                    self.wait_or_not(key, arguments, values, ended)
                self.note(key, arguments, values, ended)

    def note(self, key: Key, arguments: Words, initiated: Iterable[int], terminated: Iterable[int]) -> None:
        if initiated:
            self.points.setdefault(("initiated", key), []).extend((*arguments, v, self.time) for v in initiated)
        if terminated:
            self.points.setdefault(("terminated", key), []).extend((*arguments, v, self.time) for v in terminated)

    # -- delayed effects -----------------------------------------------------------------------------------------------

    def wait(self, pending: _Pending) -> None:
        key = self.component.delays[pending.number].key, pending.arguments
        self.pending.setdefault(key, []).append(pending)
        heapq.heappush(self.due, (pending.due, len(self.all_pending)))
        self.all_pending.append(pending)

    def wait_or_not(self, key: Key, arguments: Words, initiated: Values, terminated: Values) -> None:
        """Let breaks cancel what waits, and initiations set up or postpone."""
        waiting = self.pending.get((key, arguments))
        if waiting:
            for pending in waiting:
                if _is_broken(pending.value, initiated, terminated):
                    pending.broken = self.time
            waiting[:] = [pending for pending in waiting if pending.broken == NEVER]
        for value in initiated:
            for number, delay, is_postponable, binding in self.set_up(key, (*arguments, value)):
                self.renew(_Pending(number, arguments, value, binding, delay, is_postponable, self.time), key)

    def renew(self, new: _Pending, key: Key) -> None:
        waiting = self.pending.setdefault((key, new.arguments), [])
        same = [
            p
            for p in waiting
            if p.value == new.value and p.number == new.number and p.delay == new.delay and p.binding == new.binding
        ]
        if same and not new.is_postponable:
            return
        for pending in same:
            pending.renewed = self.time
            waiting.remove(pending)
        self.wait(new)

    def set_up(self, key: Key, source: Words) -> list[tuple[int, int, bool, Binding]]:
        """What an initiation of a source sets up: the number of the delay, its length, and what is bound."""
        if (key, source) not in self.set_ups:
            self.set_ups[key, source] = []
            columns = tuple(np.array([word], dtype=np.int64) for word in (*source, self.time))
            for number, delay in enumerate(self.component.delays):
                found = set_up_by(delay, PointTable(columns, 1), self.part) if delay.key == key else None
                if found is not None:
                    self.remember_set_up(number, found)
        return self.set_ups[key, source]

    # -- what row steps ask --------------------------------------------------------------------------------------------

    def value_of(self, key: Key, arguments: Words) -> int | None:
        now = self.current[key].get(arguments)
        return None if now is None else now[0]

    def is_broken(self, key: Key, arguments: Words, value: int) -> bool:
        initiated = self.initiated.get(key, {}).get(arguments, {})
        return _is_broken(value, initiated, self.terminated.get(key, {}).get(arguments, {}))

    def happening(self, kind: PointKind, key: Key) -> Iterable[Words]:
        if kind == "events":
            return list(self.happened.get(key, {}))
        if kind == "initiations":
            return [(*a, value) for a, values in self.initiated.get(key, {}).items() for value in values]
        return list(self.starting(key) if kind == "starts" else self.ending(key))

    def starting(self, key: Key) -> Iterator[Words]:
        for arguments, values in self.initiated.get(key, {}).items():
            before = self.current[key].get(arguments)
            for value in values:
                if (
                    (before is None or before[0] != value)
                    and not self.is_broken(key, arguments, value)
                    and self.is_included(True, key, (*arguments, value))
                ):
                    yield (*arguments, value)

    def ending(self, key: Key) -> Iterator[Words]:
        for arguments in {**self.initiated.get(key, {}), **self.terminated.get(key, {})}:
            before = self.current[key].get(arguments)
            if before is not None and self.is_broken(key, arguments, before[0]):
                yield (*arguments, before[0])

    # -- the outcome ---------------------------------------------------------------------------------------------------

    def outcome(self) -> Turn:
        for key, current in self.current.items():
            self.intervals[key].extend((*arguments, *now, OPEN) for arguments, now in current.items())
        fluents = {key: FluentTable(*_columns(rows, key[1] + 3)) for key, rows in self.intervals.items()}
        return Turn(
            self.tables("happens", [rule.key for rule in self.component.events], 1),
            self.tables("initiated", self.component.fluents, 2),
            self.tables("terminated", self.component.fluents, 2),
            fluents,
            tuple(self.prospects(number) for number in range(len(self.delays))),
        )

    def tables(self, effect: Effect, keys: Iterable[Key], n_more: int) -> dict[Key, PointTable]:
        return {key: PointTable(*_columns(self.points.get((effect, key), []), key[1] + n_more)) for key in keys}

    def prospects(self, number: int) -> Prospects | None:
        own = [pending for pending in self.all_pending if pending.number == number]
        if not own:
            return None
        times = np.array([pending.set_up_at for pending in own], dtype=np.int64)
        names = list(own[0].binding)
        columns = {name: np.array([p.binding[name] for p in own], dtype=np.int64) for name in names}
        sources = _columns([(*p.arguments, p.value) for p in own], len(own[0].arguments) + 1)[0]
        columns |= {f"#{i}": column for i, column in enumerate(sources)}
        set_up = SetUp(
            Rows(len(own), columns, times),
            np.array([pending.delay for pending in own], dtype=np.int64),
            np.array([pending.is_postponable for pending in own], dtype=bool),
        )
        broken = np.array([pending.broken for pending in own], dtype=np.int64)
        renewed = np.array([pending.renewed for pending in own], dtype=np.int64)
        return Prospects(set_up, Outlook(np.ones(len(own), dtype=bool), broken, renewed))


def _is_broken(value: int, initiated: Values, terminated: Values) -> bool:
    """Whether a value is terminated, or another one is initiated."""
    if terminated and (value in terminated or ANY_VALUE in terminated):
        return True
    return len(initiated) > 1 or (len(initiated) == 1 and value not in initiated)


def _bindings(rows: Rows, names: Sequence[str]) -> list[Binding]:
    columns = [rows.columns[name].tolist() for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] if names else [{}] * rows.n


def _columns(rows: Sequence[Words], n_columns: int) -> tuple[tuple[Int64, ...], int]:
    if not rows:
        return tuple(np.empty(0, dtype=np.int64) for _ in range(n_columns)), 0
    return tuple(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)), len(rows)
