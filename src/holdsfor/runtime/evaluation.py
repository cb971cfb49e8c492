"""One stretch of time, evaluated component by component: what happens, what is initiated, what holds."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from holdsfor.columns.tables import (
    FluentTable,
    Key,
    PointTable,
    Relation,
    empty_fluents,
    empty_points,
    joined,
    point_table,
)
from holdsfor.columns.words import Symbols
from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.inertia import ANY_VALUE, BEFORE_EVERYTHING, inertial_intervals
from holdsfor.kernels.keys import Int64, dense_ids, pairs_of_equal_keys
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.patterns import build, join
from holdsfor.physical.rows import Rows, concatenate, one_row
from holdsfor.physical.rules import PlannedFluent, PlannedRule, Program
from holdsfor.physical.steps import GroundHead, PointKind, run_steps
from holdsfor.runtime.background import Background
from holdsfor.runtime.circles import CircleOutcome, evaluate_circle
from holdsfor.runtime.delays import SetUp
from holdsfor.runtime.domains import Domains, entity_key
from holdsfor.runtime.static import Lists, evaluate_interval_rules
from holdsfor.syntax.printer import show
from holdsfor.syntax.rules import IntervalRule
from holdsfor.syntax.terms import Atom, Struct, Term, Var, variables

__all__ = ["Evaluation", "Stretch"]


@dataclass(frozen=True)
class Stretch:
    """The time-points that are evaluated, both ends included, and the first time-point of the whole run.

    A stretch that `is_resumed` goes on from a settled time-point; what was before it is state.
    """

    first: int
    last: int
    tick: int
    first_of_run: int
    is_resumed: bool = False

    @property
    def after_last(self) -> int:
        """The time-point after the last one."""
        return (self.last // self.tick + 1) * self.tick

    def next_of(self, time: int) -> int:
        return (time // self.tick + 1) * self.tick

    def next(self, times: Int64) -> Int64:
        return (times // self.tick + 1) * self.tick

    def previous(self, times: Int64) -> Int64:
        return ((times - 1) // self.tick) * self.tick


def true_starts(table: FluentTable, state: FluentTable | None, first: int) -> FluentTable:
    """The table with intervals that hold at the first time-point beginning where they truly began."""
    if state is None or state.n == 0 or table.n == 0:
        return table
    here = np.flatnonzero((table.starts <= first) & (first < table.ends))
    row, partner = pairs_of_equal_keys([key[here] for key in table.keys], len(here), state.keys, state.n)
    starts = table.starts.copy()
    starts[here[row]] = state.starts[partner]
    return FluentTable((*table.keys, starts, table.ends), table.n)


class Evaluation:
    """What is known of one stretch; it grows as the components are worked through."""

    def __init__(
        self,
        program: Program,
        background: Background,
        domains: Domains,
        stretch: Stretch,
        events: dict[Key, PointTable],
        fluents: dict[Key, FluentTable],
        state: dict[Key, FluentTable],
        prefixes: dict[tuple[int, int], Lists],
        initialised: Initialised,
        seen: dict[tuple[int, int], Rows],
        waiting: dict[int, tuple[SetUp | None, ...]],
        version: int,
    ) -> None:
        self.program = program
        self.background = background
        self.domains = domains
        self.stretch = stretch
        self.events = events
        self.known = fluents
        self.state = state
        self.symbols = background.symbols
        self.engine = background.engine
        self.output: dict[Key, FluentTable] = {}
        self._initiations: dict[Key, PointTable] = {}
        self._terminations: dict[Key, PointTable] = {}
        self._edges: dict[tuple[str, Key], tuple[FluentTable, PointTable]] = {}
        self.prefixes = prefixes
        self.longest: dict[tuple[int, int], int] = {}
        self.initialised = initialised
        self.seen = seen
        self.waiting = waiting
        self.circles: dict[int, CircleOutcome] = {}
        self._outside: dict[int, Rows] | None = None
        self.version = version
        self.complemented: dict[tuple[int, int], Rows] = {}
        self.whole_lists: dict[tuple[int, int], Lists] = {}

    # -- what steps ask (the protocol `Context`) -----------------------------------------------------------------------

    def points(self, kind: PointKind, key: Key) -> PointTable:
        if kind == "events":
            return self.events.get(key) or empty_points(key[1])
        if kind == "initiations":
            return self._initiations.get(key) or empty_points(key[1] + 1)
        return self.edges(kind, key)

    def terminations(self, key: Key) -> PointTable:
        return self._terminations.get(key) or empty_points(key[1] + 1)

    def fluents(self, key: Key) -> FluentTable:
        return self.known.get(key) or empty_fluents(key[1])

    def facts(self, key: Key) -> Relation:
        return self.background.facts(key)

    def ground(self, head: Term, rows: Rows) -> Rows:
        """The rows with the unbound variables of an event or FVP ranging over its instances."""
        if not self.domains.is_declared(entity_key(head)):
            return self.domains.over_sorts(head, rows, self)
        relation = self.domains.instances(head, self, self.version)
        return join(rows, relation, [Var(name) for name in variables(head)], self.symbols)[0]

    def synchronise(self) -> None:
        self.background.synchronise()

    def edges(self, kind: str, key: Key) -> PointTable:
        """The starts or ends of intervals, at the time-points of the stretch."""
        table = self.fluents(key)
        known = self._edges.get((kind, key))
        if known is None or known[0] is not table:
            at = table.starts if kind == "starts" else table.ends
            real = at != OPEN
            times = self.stretch.previous(np.where(real, at, 0))
            inside = real & (times >= self.stretch.first) & (times <= self.stretch.last)
            columns = (*(column[inside] for column in table.keys), times[inside])
            known = self._edges[kind, key] = table, PointTable(columns, len(columns[-1]))
        return known[1]

    def with_true_starts(self, found: Lists, rule: IntervalRule, index: int) -> Lists:
        """A list whose intervals that hold at the first time-point begin where they truly began."""
        place = (id(rule), index)
        known = self.prefixes.get(place)
        if known is not None and known.rows.n and found.rows.n:
            here = np.flatnonzero((found.starts <= self.stretch.first) & (self.stretch.first < found.ends))
            names = found.names
            row, partner = pairs_of_equal_keys(
                [found.rows.columns[name][here] for name in names],
                len(here),
                [known.rows.columns[name] for name in names],
                known.rows.n,
            )
            starts = found.starts.copy()
            starts[here[row]] = known.starts[partner]
            found = Lists(found.rows, starts, found.ends)
        self.whole_lists[place] = found
        return found

    def complemented_instances(self, keys: Rows, rule: IntervalRule, index: int) -> tuple[Rows, Int64]:
        """The instances of a complement, those of earlier stretches included, and where each begins.

        It begins with the run for those not seen before, and is resumed for the others.
        """
        place = (id(rule), index)
        before = self.seen.get(place)
        if before is not None:
            keys = concatenate([before, keys]).distinct()
        self.complemented[place] = keys
        begins = np.full(keys.n, self.stretch.first_of_run, dtype=np.int64)
        if before is not None:
            names = list(keys.columns)
            own, known = [keys.columns[name] for name in names], [before.columns[name] for name in names]
            begins[pairs_of_equal_keys(own, keys.n, known, before.n)[0]] = self.stretch.first
        return keys, begins

    # -- components ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Work through all components."""
        for number, component in enumerate(self.program.components):
            if component.is_circular:
                self.circles[number] = evaluate_circle(component, self, self.waiting.get(number, ()))
                continue
            for rule in component.events:
                self.derive_event(rule)
            for key, fluent in component.fluents.items():
                self.derive_fluent(key, fluent)
            if component.static:
                key, table = evaluate_interval_rules(component.static, self)
                self.add_fluents(key, true_starts(table, self.state.get(key), self.stretch.first))

    def add_fluents(self, key: Key, table: FluentTable) -> None:
        """Let the FVPs of a finished component be known."""
        if table.n == 0:
            return
        for tables in (self.known, self.output):
            tables[key] = joined(tables.get(key), table)

    # -- events --------------------------------------------------------------------------------------------------------

    def derive_event(self, rule: PlannedRule) -> None:
        found = self.event_points(rule)
        if found is not None:
            self.add_events(rule.key, found)

    def event_points(self, rule: PlannedRule) -> PointTable | None:
        """What a rule lets happen, or None if it is nothing."""
        rows = self.bound_rows(rule)
        if rows.n == 0:
            return None
        assert rows.times is not None
        columns = [build(pattern, rows, self.symbols) for pattern in rule.columns]
        inside = self.domains.includes((False, *rule.key), columns, rows.n, self)
        return point_table([column[inside] for column in (*columns, rows.times)])

    def add_events(self, key: Key, table: PointTable) -> None:
        """Let more events of a name be known."""
        self.events[key] = _distinct_together(self.events.get(key), table)

    def bound_rows(self, rule: PlannedRule) -> Rows:
        """The solutions of a rule, with the head's unbound variables ranging over its instances."""
        rows = self.solutions(rule)
        if rows.n == 0 or not rule.unbound:
            return rows
        return GroundHead(rule.head).run(rows, self)

    def solutions(self, rule: PlannedRule) -> Rows:
        """The rows that satisfy a rule's conditions; of a component that guesses, what is outside is asked once."""
        if self._outside is None or rule.n_outside == 0:
            return run_steps(rule.steps, one_row(), self)
        if id(rule) not in self._outside:
            self._outside[id(rule)] = run_steps(rule.steps[: rule.n_outside], one_row(), self).distinct()
        return run_steps(rule.steps[rule.n_outside :], self._outside[id(rule)], self)

    # -- simple fluents ------------------------------------------------------------------------------------------------

    def derive_fluent(self, key: Key, fluent: PlannedFluent) -> None:
        initiations = self.initiations(key, fluent)
        state = self.initial_state(key, fluent)
        n_columns = key[1] + 1
        terminations = self.terminations_of(fluent, initiations, state, n_columns)
        self._initiations[key] = _together(self._initiations.get(key), initiations)
        self._terminations[key] = _together(self._terminations.get(key), terminations)
        self.add_fluents(key, self.inertia(key, initiations, terminations, state))

    def initiations(self, key: Key, fluent: PlannedFluent) -> PointTable:
        parts: list[list[Int64]] = []
        for rule in fluent.initiations:
            rows = self.bound_rows(rule)
            if rows.n:
                assert rows.times is not None
                parts.append([*(build(p, rows, self.symbols) for p in rule.columns), rows.times])
        if not parts:
            return empty_points(key[1] + 1)
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        inside = self.domains.includes((True, *key), columns[: key[1]], len(columns[0]), self)
        return point_table([column[inside] for column in columns])

    def terminations_of(
        self, fluent: PlannedFluent, initiations: PointTable, state: FluentTable, n_columns: int
    ) -> PointTable:
        """The terminations, with `ANY_VALUE` for an open value; open arguments range over the fluents there are."""
        parts: list[list[Int64]] = []
        for rule in fluent.terminations:
            rows = self.solutions(rule)
            if rows.n == 0:
                continue
            rows, columns = self.with_open_arguments(rule, rows, initiations, state)
            assert rows.times is not None
            parts.append([*columns, rows.times])
        if not parts:
            return empty_points(n_columns)
        return point_table([np.concatenate(column) for column in zip(*parts, strict=True)])

    def with_open_arguments(
        self, rule: PlannedRule, rows: Rows, initiations: PointTable, state: FluentTable
    ) -> tuple[Rows, list[Int64]]:
        open_value = isinstance(rule.columns[-1], Var) and rule.columns[-1].name in rule.unbound
        wanted = set(variables(*rule.columns[:-1])) if open_value else set(variables(*rule.columns))
        if wanted - set(rows.columns):
            keys = [np.concatenate(pair) for pair in zip(initiations.columns[:-1], state.keys, strict=True)]
            relation = point_table([*keys, np.zeros(len(keys[0]), dtype=np.int64)])
            rows, _ = join(rows, relation, rule.columns, self.symbols)
            open_value = False
        columns = [build(pattern, rows, self.symbols) for pattern in rule.columns[:-1]]
        if open_value:
            return rows, [*columns, np.full(rows.n, ANY_VALUE, dtype=np.int64)]
        return rows, [*columns, build(rule.columns[-1], rows, self.symbols)]

    def initial_state(self, key: Key, fluent: PlannedFluent) -> FluentTable:
        """What holds at the first time-point: what was carried over, and initial values of newly seen fluents."""
        carried = self.carried(key, fluent)
        parts: list[list[Int64]] = []
        for initial in fluent.initially:
            rows = run_steps(initial.steps, one_row(), self)
            if rows.n and set(variables(initial.head)) - set(rows.columns):
                rows = GroundHead(initial.head).run(rows, self)
            if rows.n:
                parts.append([build(pattern, rows, self.symbols) for pattern in initial.columns])
        if not parts:
            return carried
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        columns = [column[self.domains.includes((True, *key), columns, len(columns[0]), self)] for column in columns]
        fresh = self.initialised.fresh(key, columns, self.symbols)
        first = np.full(fresh.n, self.stretch.first_of_run, dtype=np.int64)
        added = (*fresh.columns, first, np.full(fresh.n, OPEN, dtype=np.int64))
        together = tuple(np.concatenate(pair) for pair in zip(carried.columns, added, strict=True))
        return FluentTable(together, carried.n + fresh.n)

    def carried(self, key: Key, fluent: PlannedFluent) -> FluentTable:
        """What was carried over of the FVPs that the rules are about."""
        table = self.state.get(key) or empty_fluents(key[1])
        if table.n == 0 or fluent.is_whole:
            return table
        own = np.zeros(table.n, dtype=bool)
        for patterns in fluent.patterns:
            own[join(one_row(), table, _linear(patterns), self.symbols)[1]] = True
        return FluentTable(tuple(column[own] for column in table.columns), int(own.sum()))

    def inertia(self, key: Key, initiations: PointTable, terminations: PointTable, state: FluentTable) -> FluentTable:
        arguments = [
            np.concatenate((s, i, t))
            for s, i, t in zip(state.keys[:-1], initiations.columns[:-2], terminations.columns[:-2], strict=True)
        ]
        n = state.n + initiations.n + terminations.n
        if n == 0:
            return empty_fluents(key[1])
        ids, first = dense_ids(arguments, n)
        changes = inertial_intervals(
            ids[state.n :],
            np.concatenate((initiations.columns[-2], terminations.columns[-2])),
            np.concatenate((initiations.times, terminations.times)),
            np.arange(n - state.n) < initiations.n,
            (ids[: state.n], state.keys[-1]),
        )
        starts = self.stretch.next(np.where(changes.begins == BEFORE_EVERYTHING, 0, changes.begins))
        carried = changes.begins == BEFORE_EVERYTHING
        if carried.any():
            since = np.zeros(len(first), dtype=np.int64)
            since[ids[: state.n]] = state.starts
            starts[carried] = since[changes.fluents[carried]]
        ended = changes.stops != OPEN
        ends = np.where(ended, self.stretch.next(np.where(ended, changes.stops, 0)), OPEN)
        rows = first[changes.fluents]
        keys = [*(column[rows] for column in arguments), changes.values]
        inside = self.domains.includes((True, *key), keys, len(rows), self)
        return FluentTable((*(k[inside] for k in keys), starts[inside], ends[inside]), int(inside.sum()))

    # -- circles -------------------------------------------------------------------------------------------------------

    def part(self, first: int, last: int) -> Evaluation:
        """The evaluation of a part of the stretch, for a component that guesses: it may change what it knows."""
        stretch = replace(self.stretch, first=first, last=last, is_resumed=True)
        part = copy(self)
        part.stretch = stretch
        part._edges = {}
        part._outside = {}
        part.known = dict(self.known)
        part.events = _between(self.events, first, last)
        part._initiations = _between(self._initiations, first, last)
        part._terminations = _between(self._terminations, first, last)
        return part

    def guess_events(self, key: Key, table: PointTable, known: Evaluation) -> None:
        """Let events happen besides those known."""
        self.events[key] = _distinct_together(self.within(known.events.get(key)), table)

    def guess_fluent(
        self, key: Key, initiations: PointTable, terminations: PointTable, table: FluentTable, known: Evaluation
    ) -> None:
        """Let a fluent do what a guess says, besides what is known of others of its name."""
        self._initiations[key] = _together(self.within(known._initiations.get(key)), initiations)
        self._terminations[key] = _together(self.within(known._terminations.get(key)), terminations)
        others = known.known.get(key)
        self.known[key] = table if others is None else FluentTable(*_stacked_columns(others, table))

    def within(self, table: PointTable | None) -> PointTable | None:
        """The points of a table that lie in the stretch."""
        if table is None:
            return None
        return _between({("", 0): table}, self.stretch.first, self.stretch.last)["", 0]

    def conclude_fluent(self, key: Key, initiations: PointTable, terminations: PointTable, table: FluentTable) -> None:
        """Let a fluent of a finished component be known."""
        self._initiations[key] = _together(self._initiations.get(key), initiations)
        self._terminations[key] = _together(self._terminations.get(key), terminations)
        self.add_fluents(key, table)


def _between(tables: dict[Key, PointTable], first: int, last: int) -> dict[Key, PointTable]:
    """The tables with only the points from one time-point to another."""
    found: dict[Key, PointTable] = {}
    for key, table in tables.items():
        mask = (table.times >= first) & (table.times <= last)
        if mask.all():
            found[key] = table
        else:
            found[key] = PointTable(tuple(column[mask] for column in table.columns), int(np.count_nonzero(mask)))
    return found


def _stacked_columns(one: Relation, other: Relation) -> tuple[tuple[Int64, ...], int]:
    return tuple(np.concatenate(pair) for pair in zip(one.columns, other.columns, strict=True)), one.n + other.n


def _distinct_together(old: PointTable | None, new: PointTable) -> PointTable:
    return new if old is None or old.n == 0 else point_table(_stacked_columns(old, new)[0])


def _together(old: PointTable | None, new: PointTable) -> PointTable:
    if old is None:
        return new
    columns = tuple(np.concatenate(pair) for pair in zip(old.columns, new.columns, strict=True))
    return PointTable(columns, old.n + new.n)


def _linear(patterns: Sequence[Term]) -> list[Term]:
    """The patterns with every variable occurring once."""
    numbers = count()

    def fresh(pattern: Term) -> Term:
        if isinstance(pattern, Var):
            return Var(f"#v{next(numbers)}")
        if isinstance(pattern, Struct):
            return Struct(pattern.name, tuple(fresh(argument) for argument in pattern.args))
        return pattern

    return [fresh(pattern) for pattern in patterns]


class Initialised:
    """The fluents whose initial values were carried into the state already: each gets its value once in a run."""

    def __init__(self) -> None:
        self._known: dict[Key, Relation] = {}
        self._given: dict[Key, Relation] = {}

    def settle(self) -> None:
        """From now on the initial values that were given are part of the state."""
        self._known.update(self._given)

    def fresh(self, key: Key, columns: list[Int64], symbols: Symbols) -> Relation:
        """The FVPs whose fluents' initial values are not part of the state yet, each once."""
        distinct = point_table([*columns, np.zeros(len(columns[0]), dtype=np.int64)]).columns[:-1]
        arguments, n = distinct[:-1], len(distinct[-1])
        ids, first = dense_ids(arguments, n)
        if len(first) < n:
            self._refuse(key, distinct, ids, symbols)
        known = self._known.get(key)
        self._given[key] = Relation(arguments, n)
        is_new = np.ones(n, dtype=bool)
        if known is not None:
            is_new[pairs_of_equal_keys(arguments, n, known.columns, known.n)[0]] = False
        return Relation(tuple(column[is_new] for column in distinct), int(is_new.sum()))

    def _refuse(self, key: Key, columns: Sequence[Int64], ids: Int64, symbols: Symbols) -> None:
        order = np.argsort(ids)
        twice = order[np.flatnonzero(ids[order][1:] == ids[order][:-1])[0] :][:2]
        first, second = ([symbols.term(int(column[row])) for column in columns] for row in twice)
        fluent = Struct(key[0], tuple(first[:-1])) if key[1] else Atom(key[0])
        message = f"`{show(fluent)}` has two initial values, `{show(first[-1])}` and `{show(second[-1])}`"
        raise ExecutionProblem(Diagnostic("HF607", message, None, "a fluent has at most one value at a time"))
