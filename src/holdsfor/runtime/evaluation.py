"""The evaluation of one time range, component by component: events, initiations, terminations and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import (
    FluentTable,
    Key,
    PointTable,
    Relation,
    concatenate_tables,
    distinct_points,
    empty_fluents,
    empty_points,
    point_table,
)
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.inertia import BEFORE_EVERYTHING, inertial_intervals
from holdsfor.kernels.keys import (
    Int64,
    distinct_rows,
    pairs_of_equal_keys,
)
from holdsfor.kernels.packing import OPEN
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.map_intervals import MapIntervals
from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.operators.ground_head import GroundHead
from holdsfor.physical.operators.operator import run_operators
from holdsfor.physical.operators.range_head import RangeHead
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.patterns import build, join, linear
from holdsfor.physical.plan import PlannedComponent, PlannedFluent, PlannedRule
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows, concatenate_rows, one_row
from holdsfor.physical.time_range import true_starts
from holdsfor.runtime.allen_constructs import Construct
from holdsfor.runtime.cut_relations import ConstructWithCuts
from holdsfor.runtime.cuts import cuts_of_rules, without_cuts
from holdsfor.runtime.domains import entity_columns, entity_key
from holdsfor.runtime.edges import EdgeKind, edge_points, without_initial_values
from holdsfor.runtime.interval_predicates import MappedIntervals, map_one_by_one
from holdsfor.runtime.interval_rules import evaluate_interval_rules
from holdsfor.runtime.recursion.fixpoint import RecursionOutcome, evaluate_recursion
from holdsfor.runtime.relations import relate
from holdsfor.runtime.terminations import terminations_of, visible_breaks
from holdsfor.syntax.terms import Struct, Term, Var, variables

if TYPE_CHECKING:
    from holdsfor.physical.time_range import TimeRange
    from holdsfor.runtime.prepared_rules import PreparedRules
    from holdsfor.runtime.state import State

__all__ = ["Evaluation"]

Place = TypeVar("Place", Key, tuple[EdgeKind, Key])


class Evaluation:
    """The tables of one time range, extended component by component."""

    profile: Profile | None = None

    def __init__(
        self,
        rules: PreparedRules,
        state: State,
        time_range: TimeRange,
        events: dict[Key, PointTable],
        fluents: dict[Key, FluentTable],
        allen_memory: int | None = None,
    ) -> None:
        self.rules = rules
        self.program = rules.program
        self.background = rules.background
        self.domains = rules.domains
        self.symbols = rules.symbols
        self.instances = rules.symbols.instances
        self.engine = rules.background.engine
        self.version = rules.version
        self.state = state
        self.time_range = time_range
        self.allen_memory = allen_memory
        self.events = events
        self.known = fluents
        self.inputs = frozenset(state.records.fluents)
        self.output: dict[Key, FluentTable] = {}
        self.cuts: dict[Key, FluentTable] = {}
        self.input_cuts: dict[Key, FluentTable] = {}
        self.is_as_if_whole = False
        self.whole: dict[Key, FluentTable] = {}
        self.carried_edges = state.edges
        self._initiations: dict[Key, PointTable] = {}
        self._terminations: dict[Key, PointTable] = {}
        self._distinct: dict[Key, tuple[PointTable, PointTable]] = {}
        self._resumed: dict[Key, tuple[FluentTable, FluentTable]] = {}
        self._asked: dict[Key, tuple[FluentTable, FluentTable]] = {}
        self._edges: dict[tuple[EdgeKind, Key], tuple[FluentTable, PointTable]] = {}
        self._outside: dict[int, Rows] | None = None
        self.constructs: dict[NodeId, Construct | ConstructWithCuts] = {}
        self.related: dict[NodeId, tuple[Lists, Lists]] = {}
        self.made: dict[NodeId, MappedIntervals] = {}
        self.longest: dict[NodeId, int] = {}
        self.next_crossing: int | None = None
        self.recursions: dict[int, RecursionOutcome] = {}
        self.affected: Relation | None = None
        self.complemented: dict[NodeId, Rows] = {}
        self.ranges: dict[NodeId, Int64] = {}
        self.whole_lists: dict[NodeId, Lists] = {}

    # -- tables for operators (the protocol `Context`)
    # -------------------------------------------------------------------

    def points(self, kind: PointKind, key: Key) -> PointTable:
        if kind == "events":
            return self.events.get(key) or empty_points(key[1])
        if kind == "initiations":
            return self.distinct_initiations(key)
        return self.edges(kind, key)

    def distinct_initiations(self, key: Key) -> PointTable:
        table = self._initiations.get(key) or empty_points(key[1] + 1)
        known = self._distinct.get(key)
        if known is None or known[0] is not table:
            own = (table.numbers(tuple(range(key[1])), self.instances), table.column(key[1]), table.times)
            rows = distinct_rows(own, table.n)
            known = self._distinct[key] = table, table if rows is None else table.take(rows)
        return known[1]

    def terminations(self, key: Key) -> PointTable:
        return self._terminations.get(key) or empty_points(key[1] + 1)

    def fluents(self, key: Key) -> FluentTable:
        return self.known.get(key) or empty_fluents(key[1])

    def resumed_fluents(self, key: Key) -> FluentTable:
        """The intervals of a fluent from the settled time-point on; results get their true starts later."""
        table = self.fluents(key)
        if not self.time_range.is_resumed:
            return table
        known = self._resumed.get(key)
        if known is None or known[0] is not table:
            inside = (table.ends > self.time_range.first).nonzero()[0]
            rest = table if len(inside) == table.n else table.take(inside)
            known = self._resumed[key] = table, rest.with_starts(np.maximum(rest.starts, self.time_range.first))
        return known[1]

    def condition_fluents(self, key: Key) -> FluentTable:
        """The intervals of a fluent for conditions of interval rules, without input outside its grounding."""
        table = self.resumed_fluents(key)
        if key not in self.inputs or not self.domains.is_declared((True, *key)):
            return table
        known = self._asked.get(key)
        if known is None or known[0] is not table:
            numbers = table.arguments(self.instances)
            inside = self.domains.inside((True, *key), numbers, table.values, self, self.version)
            known = self._asked[key] = table, table if inside is None else table.take(inside)
        return known[1]

    def facts(self, key: Key) -> Relation:
        return self.background.facts(key)

    def ground(self, head: Term, rows: Rows, *, over_all_values: bool = False) -> Rows:
        """The rows with the unbound variables of an event or FVP ranging over its instances, or those of its fluent."""
        if not self.domains.is_declared(entity_key(head)):
            return self.domains.over_sorts(head, rows, self)
        names = list(variables(head))
        if over_all_values and isinstance(head, Struct) and head.name == "=":
            fluent, value = head.args
            if set(variables(value)) <= set(rows.columns):
                head, names = Struct("=", (fluent, Var("#value"))), list(variables(fluent))
        found = self.domains.bindings(head, names, self, self.version)
        relation = Relation(tuple(found.columns[name] for name in names), found.n)
        return join(rows, relation, [Var(name) for name in names], self.symbols)[0]

    def members(self, ranging: RangeOver, known: Int64) -> Int64:
        """The range of a variable: its sort, and its known values in this and in earlier time ranges."""
        if ranging.id is not None:
            before = self.ranges.get(ranging.id, self.state.ranges.get(ranging.id))
            known = self.ranges[ranging.id] = known if before is None else np.union1d(before, known)
        if ranging.pattern is None:
            return known
        return np.union1d(self.domains.of_sort(ranging.pattern, ranging.name, self), known)

    def head_members(self, ranging: RangeHead) -> Int64:
        """The range of a head variable: its sort, and the FVPs that terminations of its fluent may affect."""
        members = self.domains.of_sort(ranging.head, ranging.name, self)
        if not ranging.is_termination or self.affected is None:
            return members
        rows, _ = join(one_row(), self.affected, entity_columns(ranging.head), self.symbols)
        return np.union1d(members, rows.columns[ranging.name])

    def synchronise(self) -> None:
        self.background.synchronise()

    def edges(self, kind: EdgeKind, key: Key) -> PointTable:
        """The events at the edges of intervals, at the time-points of the time range."""
        table = self.fluents(key)
        known = self._edges.get((kind, key))
        if known is None or known[0] is not table:
            known = self._edges[kind, key] = table, self.edge_points(kind, key, table)
        return known[1]

    def edge_points(self, kind: EdgeKind, key: Key, table: FluentTable) -> PointTable:
        """The edges of some intervals of a fluent, and edges carried over."""
        points = edge_points(kind, without_cuts(kind, table, self.cuts.get(key)), self.time_range)
        if kind == "startI":
            simple = self.program.simple.get(key, ())
            points = without_initial_values(points, simple, self.time_range.first_of_run, self.symbols)
        carried = self.carried_edges.get((kind, key))
        return distinct_points([carried, points])

    def with_true_starts(self, found: Lists, place: NodeId) -> Lists:
        """The list with true starts for intervals that hold at the first time-point."""
        known = self.state.prefixes.get(place)
        if known is not None and known.n and found.n:
            here = ((found.starts <= self.time_range.first) & (self.time_range.first < found.ends)).nonzero()[0]
            names = found.names
            if found.is_numbered(names) and known.is_numbered(names):
                own, before = [found.numbers(names, self.instances)], [known.numbers(names, self.instances)]
            else:
                own, before = ([each.rows.columns[name] for name in names] for each in (found, known))
            row, partner = pairs_of_equal_keys([column[here] for column in own], len(here), before, known.n)
            starts = found.starts.copy()
            starts[here[row]] = known.starts[partner]
            found = found.with_starts(starts)
        self.whole_lists[place] = found
        return found

    def instances_of(self, head: Term, names: tuple[str, ...]) -> Rows:
        return self.domains.bindings(head, names, self, self.version)

    def inside_grounding(self, key: Key, numbers: Int64, values: Int64 | int) -> Int64 | None:
        return self.domains.inside((True, *key), numbers, values, self, self.version)

    def relate(self, operator: RelateIntervals, sources: Lists, targets: Lists, wanted: Rows | None) -> Lists:
        return relate(operator, sources, targets, wanted, self)

    def map_intervals(self, operator: MapIntervals, whole: Lists) -> Lists:
        made = map_one_by_one(operator, whole, self.state.made.get(operator.node), self)
        self.made[operator.node] = made
        return made.all()

    def expect_crossings(self, node: NodeId, found: Lists, limits: NDArray[np.float64] | Int64) -> None:
        """Record the longest bound, and when the first open interval becomes as long as its bound."""
        finite = limits[np.isfinite(limits)]
        if len(finite) == 0:
            return
        self.longest[node] = math.ceil(finite.max())
        is_short = (found.ends == OPEN) & np.isfinite(limits) & (found.starts + limits >= self.time_range.after_last)
        if is_short.any():
            first = int(np.floor((found.starts + limits)[is_short].min())) - self.time_range.tick
            self.next_crossing = first if self.next_crossing is None else min(first, self.next_crossing)

    def complemented_instances(self, keys: Rows, place: NodeId, *, is_grounded: bool) -> tuple[Rows, Int64]:
        """The instances of a complement, and the first time-point of each.

        A complement begins with the run for new instances, and is resumed for the others. Unless a grounding determines
        the instances, those of earlier time ranges are included.
        """
        before = self.state.complements.get(place)
        if before is keys:
            self.complemented[place] = keys
            return keys, np.full(keys.n, self.time_range.first, dtype=np.int64)
        if before is not None and not is_grounded:
            together = concatenate_rows([before, keys]).distinct()
            keys = keys if together.n == keys.n else together
        self.complemented[place] = keys
        begins = np.full(keys.n, self.time_range.first_of_run, dtype=np.int64)
        if before is not None:
            names = list(keys.columns)
            own, known = [keys.columns[name] for name in names], [before.columns[name] for name in names]
            begins[pairs_of_equal_keys(own, keys.n, known, before.n)[0]] = self.time_range.first
        return keys, begins

    # -- components ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Evaluate all components."""
        for number, component in enumerate(self.program.components):
            self.evaluate(number, component)

    def evaluate(self, number: int, component: PlannedComponent) -> None:
        """Evaluate one component."""
        if component.is_circular:
            carried = self.state.pending.get(component.number, ())
            self.recursions[component.number] = evaluate_recursion(component, self, carried)
            return
        for rule in component.events:
            self.derive_event(rule)
        for key, fluent in component.fluents.items():
            self.derive_fluent(key, fluent)
        if component.interval_rules:
            key, table = evaluate_interval_rules(component.interval_rules, self)
            if self.cuts:
                cuts_of_rules(component.interval_rules, key, table, self)
            self.add_fluents(key, true_starts(table, self.state.held.get(key), self.time_range.first, self.instances))

    def add_fluents(self, key: Key, table: FluentTable) -> None:
        """Add the FVPs of a finished component."""
        if table.n == 0:
            return
        known, output = self.known.get(key), self.output.get(key)
        self.known[key] = concatenate_tables([known, table])
        is_same = known is output
        self.output[key] = self.known[key] if is_same else concatenate_tables([output, table])

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

    def add_events(self, key: Key, table: PointTable) -> None:
        """Add events of a name."""
        self.events[key] = distinct_points([self.events.get(key), table])

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
        numbers, values, times = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
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
        nothing = [np.empty(0, dtype=np.int64)] * (key[1] + 1)
        columns = list(concatenate_columns([nothing, *parts]))
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
        if table.n and self.domains.is_declared((True, *key)):
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
        changes = inertial_intervals(
            np.concatenate([points.numbers(width, self.instances) for points in (initiations, terminations)]),
            np.concatenate((initiations.column(key[1]), terminations.column(key[1]))),
            np.concatenate((initiations.times, terminations.times)),
            np.repeat((True, False), (initiations.n, terminations.n)),
            (carried, state.values),
        )
        starts = self.time_range.next(changes.begins)
        resumed = (changes.begins == BEFORE_EVERYTHING).nonzero()[0]
        if len(resumed):
            order = carried.argsort()
            starts[resumed] = state.starts[order[carried[order].searchsorted(changes.fluents[resumed])]]
        ends = self.time_range.next(changes.stops)
        ends[changes.stops == OPEN] = OPEN
        found = FluentTable.numbered(self.instances, key[1], changes.fluents, (changes.values, starts, ends))
        inside = self.domains.inside((True, *key), changes.fluents, changes.values, self, self.version)
        return found if inside is None else found.take(inside)

    # -- recursive components
    # --------------------------------------------------------------------------------------------

    def part(self, first: int, last: int) -> Evaluation:
        """The evaluation of a part of the time range, for a fixpoint iteration, which may change its tables."""
        time_range = replace(self.time_range, first=first, last=last, is_resumed=True)
        part = copy(self)
        part.time_range = time_range
        part._edges = {}
        part._outside = {}
        part.known = dict(self.known)
        part.events = _between(self.events, first, last)
        part._initiations = _between(self._initiations, first, last)
        part._terminations = _between(self._terminations, first, last)
        part.carried_edges = _between(self.carried_edges, first, last)
        return part

    def assume_events(self, key: Key, table: PointTable, known: Evaluation) -> None:
        """Add the events of an iteration to the known ones."""
        self.events[key] = distinct_points([self.within(known.events.get(key)), table])

    def assume_fluent(
        self, key: Key, initiations: PointTable, terminations: PointTable, table: FluentTable, known: Evaluation
    ) -> None:
        """Set the effects and intervals of a fluent to those of an iteration, besides other fluents of its name."""
        self._initiations[key] = concatenate_tables([self.within(known._initiations.get(key)), initiations])
        self._terminations[key] = concatenate_tables([self.within(known._terminations.get(key)), terminations])
        others = known.known.get(key)
        self.known[key] = concatenate_tables([others, table])

    def within(self, table: PointTable | None) -> PointTable | None:
        """The points of a table in the time range."""
        if table is None:
            return None
        return _between({("", 0): table}, self.time_range.first, self.time_range.last)["", 0]

    def carry_ends(self, key: Key, ended: FluentTable) -> None:
        """Record intervals of a fluent that ended at the first time-point of the time range."""
        rows = np.arange(ended.n, dtype=np.int64)
        self.carried_edges["endI", key] = ended.points(rows, ended.ends)

    def conclude_fluent(self, key: Key, initiations: PointTable, terminations: PointTable, table: FluentTable) -> None:
        """Add a fluent of a finished component."""
        self._initiations[key] = concatenate_tables([self._initiations.get(key), initiations])
        self._terminations[key] = concatenate_tables([self._terminations.get(key), terminations])
        self.add_fluents(key, table)


def _between(tables: dict[Place, PointTable], first: int, last: int) -> dict[Place, PointTable]:
    """The tables with only the points from one time-point to another."""
    found: dict[Place, PointTable] = {}
    for key, table in tables.items():
        if table.n == 0 or (int(table.times.min()) >= first and int(table.times.max()) <= last):
            found[key] = table
        else:
            found[key] = table.take(((table.times >= first) & (table.times <= last)).nonzero()[0])
    return found
