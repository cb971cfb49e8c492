"""The context in which operators run: tables, domains and background knowledge of one time range.

The class implements the protocols `Context` and `IntervalContext` of the operators. Interval operators also store there
the intervals and bounds that later time ranges need.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import (
    FluentTable,
    Key,
    PointTable,
    Relation,
)
from holdsfor.kernels.keys import Int64, pairs_of_equal_keys
from holdsfor.kernels.packing import OPEN
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.map_intervals import MapIntervals
from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals
from holdsfor.physical.operators.range_head import RangeHead
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.patterns import join
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows, concatenate_rows, one_row
from holdsfor.runtime.allen_constructs import AllenConstruct
from holdsfor.runtime.cut_relations import ConstructWithCuts
from holdsfor.runtime.domains import entity_columns, entity_key
from holdsfor.runtime.evaluation_tables import EvaluationTables
from holdsfor.runtime.interval_predicates import MappedIntervals, map_one_by_one
from holdsfor.runtime.relations import relate
from holdsfor.syntax.terms import Struct, Term, Var, variables

if TYPE_CHECKING:
    from holdsfor.physical.time_range import TimeRange
    from holdsfor.runtime.prepared_rules import PreparedRules
    from holdsfor.runtime.state import State

__all__ = ["EvaluationContext"]

_FAR_AWAY = 2.0**62  # a time-point that no run reaches


class EvaluationContext(EvaluationTables):
    """The tables, domains and background knowledge that operators read in one time range.

    By logical node, for the next time range: `constructs` has the Allen constructs, `made` the results of interval-wise
    predicates, `whole_lists` the lists under filters with true starts, `longest` the longest bounds of duration
    filters, `complemented` the instances of complements, `ranges` the ranges of variables. `measured` has the intervals
    under duration filters with their bounds; `crossings` has those that are open and shorter than their bounds, and the
    time-points at which they become as long.
    """

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
        super().__init__(rules, state, time_range, events, fluents)
        self.background = rules.background
        self.domains = rules.domains
        self.engine = rules.background.engine
        self.version = rules.version
        self.answer_version = rules.answer_version
        self.state = state
        self.allen_memory = allen_memory
        self.inputs = frozenset(state.records.fluents)
        self.affected: Relation | None = None
        self.constructs: dict[NodeId, AllenConstruct | ConstructWithCuts] = {}
        self._related: dict[NodeId, tuple[Lists, Lists]] = {}
        self.made: dict[NodeId, MappedIntervals] = {}
        self.longest: dict[NodeId, int] = {}
        self.measured: list[tuple[NodeId, Lists, NDArray[np.float64] | Int64]] = []
        self.crossings: list[tuple[NodeId, Lists, Int64]] = []
        self.complemented: dict[NodeId, Rows] = {}
        self.ranges: dict[NodeId, Int64] = {}
        self.whole_lists: dict[NodeId, Lists] = {}
        self._asked: dict[Key, tuple[FluentTable, FluentTable]] = {}

    # -- background knowledge and domains ------------------------------------------------------------------------------

    def condition_fluents(self, key: Key) -> FluentTable:
        """The intervals of a fluent for conditions of interval rules, without input outside its grounding."""
        table = self.fluents(key)
        known = self._asked.get(key)
        if known is None or known[0] is not table:
            known = self._asked[key] = table, self._inside_grounding(key, self.resumed_fluents(key))
        return known[1]

    def _inside_grounding(self, key: Key, table: FluentTable) -> FluentTable:
        if key not in self.inputs or not self.domains.is_declared((True, *key)):
            return table
        numbers = table.arguments(self.instances)
        inside = self.domains.inside((True, *key), numbers, table.values, self, self.version)
        return table if inside is None else table.take(inside)

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
        relation = self.domains.bound_relation(head, names, self, self.version)
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

    def instances_of(self, head: Term, names: tuple[str, ...]) -> Rows:
        return self.domains.bindings(head, names, self, self.version)

    def inside_grounding(self, key: Key, numbers: Int64, values: Int64 | int) -> Int64 | None:
        return self.domains.inside((True, *key), numbers, values, self, self.version)

    # -- interval operators --------------------------------------------------------------------------------------------

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

    def relate(self, operator: RelateIntervals, sources: Lists, targets: Lists, wanted: Rows | None) -> Lists:
        return relate(operator, sources, targets, wanted, self)

    def related(self, node: NodeId) -> tuple[Lists, Lists]:
        """The related sources and the related targets of an Allen construct."""
        if node not in self._related:
            self._related[node] = self.constructs[node].related()
        return self._related[node]

    def map_intervals(self, operator: MapIntervals, whole: Lists) -> Lists:
        made = map_one_by_one(operator, whole, self.state.made.get(operator.node), self)
        self.made[operator.node] = made
        return made.all()

    def expect_crossings(self, node: NodeId, found: Lists, limits: NDArray[np.float64] | Int64) -> None:
        """Record the longest bound, and when open intervals become as long as their bounds."""
        self.measured.append((node, found, limits))
        finite = limits[np.isfinite(limits)]
        if len(finite) == 0:
            return
        self.longest[node] = math.ceil(finite.max())
        is_short = (found.ends == OPEN) & np.isfinite(limits) & (found.starts + limits >= self.time_range.after_last)
        if is_short.any():
            moments = np.minimum(np.floor((found.starts + limits)[is_short]), _FAR_AWAY).astype(np.int64)
            self.crossings.append((node, found.take(is_short), moments - self.time_range.tick))

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
