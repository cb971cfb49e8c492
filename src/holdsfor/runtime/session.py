"""A run over query times: records in, reports out, state carried from window to window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.compiled import Compiled
from holdsfor.analysis.sorts import Sorts, sorts_of
from holdsfor.columns.tables import FluentTable, PointTable
from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import Int64
from holdsfor.physical.planning import Planner
from holdsfor.physical.rows import Rows, one_row
from holdsfor.physical.patterns import build, join
from holdsfor.physical.rules import plan_program
from holdsfor.physical.steps import Key
from holdsfor.runtime.background import Background
from holdsfor.runtime.evaluation import Evaluation, Initialised, Stretch, fluent_table, point_table, true_starts
from holdsfor.runtime.static import Lists
from holdsfor.sources.text import Fact
from holdsfor.syntax.rules import Fvp
from holdsfor.syntax.terms import Struct, Term, name_and_arity, variables
from holdsfor.runtime.domains import Domains

__all__ = ["Records", "Report", "Session"]


@dataclass
class Records:
    """Input records of one name as columns: arguments (and value), arrival, and one or two times."""

    columns: list[Int64]
    arrivals: Int64
    starts: Int64
    ends: Int64 | None


@dataclass(frozen=True)
class Report:
    """What is known at a query time, from the last settled time-point on: FVPs with true starts, and output events."""

    query_time: int
    fluents: dict[Key, FluentTable]
    events: dict[Key, PointTable]

    def before(self, boundary: int) -> Report:
        """The part that no later query time can change: over before the boundary."""
        fluents = {key: _rows(table, table.ends <= boundary) for key, table in self.fluents.items()}
        events = {key: _rows(table, table.times < boundary) for key, table in self.events.items()}
        return Report(self.query_time, fluents, events)


class Session:
    """One run of an event description."""

    def __init__(
        self,
        compiled: Compiled,
        *,
        start: int,
        tick: int = 1,
        window: int | None = None,
        goals: Iterable[Term] = (),
    ) -> None:
        self.compiled = compiled
        self.symbols = Symbols()
        self.background = Background(compiled.description, self.symbols, tuple(goals))
        planner = Planner(self.background.is_relation, self.background.is_stable)
        self.program = plan_program(compiled, planner)
        self._sorts: Sorts | None = None
        self.domains = Domains(compiled.description, planner, self.sorts)
        self.start = start
        self.tick = tick
        self.window = window
        self.events: dict[Key, Records] = {}
        self.fluents: dict[Key, Records] = {}
        self.state: dict[Key, FluentTable] = {}
        self.prefixes: dict[tuple[int, int], Lists] = {}
        self.initialised = Initialised()
        self.horizons: dict[tuple[int, int], int] = {}
        self.seen: dict[tuple[int, int], Rows] = {}
        self.previous: int | None = None
        self.settled = start - 1
        self.n_dropped = 0
        self._evaluation: Evaluation | None = None
        self._sources = _domain_sources(compiled)

    # -- input ---------------------------------------------------------------------------------------------------------

    def insert(self, facts: Iterable[tuple[int, Fact]]) -> None:
        """Add records with their arrivals."""
        grouped: dict[tuple[bool, Key], list[tuple[int, Fact]]] = {}
        for arrival, fact in facts:
            grouped.setdefault((fact.value is None, name_and_arity(fact.entity)), []).append((arrival, fact))
        for (is_event, key), records in grouped.items():
            self._insert(is_event, key, records)

    def _insert(self, is_event: bool, key: Key, records: list[tuple[int, Fact]]) -> None:
        rows = [fact.entity.args if isinstance(fact.entity, Struct) else () for _, fact in records]
        columns = [self.symbols.words(row[i] for row in rows) for i in range(key[1])]
        if not is_event:
            columns.append(self.symbols.words(fact.value for _, fact in records if fact.value is not None))
        new = Records(
            columns,
            np.array([arrival for arrival, _ in records], dtype=np.int64),
            np.array([fact.start for _, fact in records], dtype=np.int64),
            None if is_event else np.array([fact.end for _, fact in records], dtype=np.int64),
        )
        store = self.events if is_event else self.fluents
        store[key] = new if key not in store else _appended(store[key], new)

    def announce(self, end: int) -> None:
        """Let everything that the records up to `end` mention belong to the domains from the first query time on.

        With all input at hand, an entity that appears late has its initial values and complements in every report, as
        it has in the answer over the whole history.
        """
        known = max((int(r.arrivals.max()) for r in (*self.events.values(), *self.fluents.values())), default=end)
        before = self.start - 1
        events = {key: self._events(key, records, before, end, known) for key, records in self.events.items()}
        fluents = {key: self._fluents(records, before, max(end, known), known) for key, records in self.fluents.items()}
        self._fill_domains(events, fluents)
        self._mention(events, fluents)

    # -- queries -------------------------------------------------------------------------------------------------------

    def settled_at(self, query_time: int) -> int:
        """The last time-point that a query time leaves as it was: before the window, and before what may be undecided.

        A duration filter decides about an interval only when it is long enough, so effects reach back that far.
        """
        if self.window is None:
            return self.start - 1
        return max(self.settled, query_time - self.window - sum(self.horizons.values()))

    def query(self, at: int) -> Report:
        """What is known at a query time; query times must ascend."""
        settled = self.settled_at(at)
        if self.previous is not None:
            self._settle(settled)
        first = self.start if settled < self.start else settled
        stretch = Stretch(first, at, self.tick, -(-self.start // self.tick) * self.tick)
        known = at if self.previous is None else self.previous
        events = {key: self._events(key, records, settled, at, known) for key, records in self.events.items()}
        fluents = {
            key: true_starts(self._fluents(records, settled, at, known), self.state.get(key), first)
            for key, records in self.fluents.items()
        }
        self._fill_domains(events, fluents)
        self._mention(events, fluents)
        evaluation = Evaluation(
            self.program,
            self.background,
            self.domains,
            stretch,
            {key: table for key, table in events.items() if table.n},
            {key: table for key, table in fluents.items() if table.n},
            self.state,
            self.prefixes,
            self.initialised,
            self.seen,
        )
        self.background.set_query_time(at)
        evaluation.run()
        self._evaluation = evaluation
        for place, limit in evaluation.longest.items():
            self.horizons[place] = max(limit, self.horizons.get(place, 0))
        self.previous = at
        self.settled = settled
        return self._report(evaluation, at, settled)

    def _report(self, evaluation: Evaluation, at: int, settled: int) -> Report:
        inside: dict[Key, FluentTable] = {}
        for key, table in evaluation.output.items():
            rows = np.flatnonzero(table.ends > settled)
            if len(rows):
                inside[key] = FluentTable(tuple(column[rows] for column in table.columns), len(rows))
        output = {name_and_arity(event) for event in self.compiled.names.output_events}
        events: dict[Key, PointTable] = {}
        for key in output & set(evaluation.events):
            table = evaluation.events[key]
            rows = np.flatnonzero(table.times >= settled)
            if len(rows):
                events[key] = PointTable(tuple(column[rows] for column in table.columns), len(rows))
        return Report(at, inside, events)

    def _settle(self, settled: int) -> None:
        """Keep, of what is settled now, what holds at the boundary, and forget the records before it."""
        assert self._evaluation is not None
        if settled < self.start:
            return
        evaluation = self._evaluation
        self.initialised.settle()
        self.seen = evaluation.complemented
        self.state = {}
        for key, table in evaluation.known.items():
            rows = np.flatnonzero((table.starts <= settled) & (settled < table.ends))
            if len(rows):
                self.state[key] = FluentTable(tuple(column[rows] for column in table.columns), len(rows))
        self.prefixes = {
            place: lists.take((lists.starts <= settled) & (settled < lists.ends))
            for place, lists in evaluation.whole_lists.items()
        }

    def _events(self, key: Key, records: Records, settled: int, at: int, known: int) -> PointTable:
        times = records.starts
        oldest = self.start - 1 if self.window is None else max(self.start - 1, at - self.window)
        in_time = np.where(times > oldest, records.arrivals <= at, records.arrivals <= known)
        mask = in_time & (times >= max(settled, self.start)) & (times <= at)
        rows = np.flatnonzero(mask)
        return point_table([*(column[rows] for column in records.columns), times[rows]])

    def _fluents(self, records: Records, settled: int, at: int, known: int) -> FluentTable:
        assert records.ends is not None
        starts, ends = records.starts, records.ends
        first = -(-self.start // self.tick) * self.tick
        mask = (records.arrivals <= at) & (starts <= at) & (ends > max(settled, first))
        rows = np.flatnonzero(mask)
        starts, ends = starts[rows].copy(), ends[rows]
        if settled >= self.start:
            late = (starts <= settled) & (records.arrivals[rows] > known)
            starts[late] = (settled // self.tick + 1) * self.tick
        return fluent_table([column[rows] for column in records.columns], starts, ends)

    # -- domains -------------------------------------------------------------------------------------------------------

    def sorts(self) -> Sorts:
        if self._sorts is None:
            self._sorts = sorts_of(self.compiled.description, self.background.database)
        return self._sorts

    def _mention(self, events: dict[Key, PointTable], fluents: dict[Key, FluentTable]) -> None:
        """Let the sorts know the constants of the input, where a rule may range over them."""
        if not self.program.ranges_over_sorts:
            return
        sorts = self.sorts()
        for key, points in events.items():
            for i, column in enumerate(points.columns[:-1]):
                sorts.mention_at((*key, i), self.symbols.terms(np.unique(column)))
        for key, table in fluents.items():
            for i, column in enumerate(table.keys):
                sorts.mention_at((*key, "value" if i == key[1] else i), self.symbols.terms(np.unique(column)))

    def _fill_domains(self, events: dict[Key, PointTable], fluents: dict[Key, FluentTable]) -> None:
        for is_fvp, key, patterns, domain in self._sources:
            table = (fluents if is_fvp else events).get(key)
            if table is None or table.n == 0 or not isinstance(domain, Struct):
                continue
            rows, _ = join(one_row(), table, patterns, self.symbols)
            if rows.n and set(variables(domain)) <= set(rows.columns):
                members = [build(pattern, rows, self.symbols) for pattern in domain.args]
                self.background.add_members(name_and_arity(domain), members)


Table = TypeVar("Table", FluentTable, PointTable)


def _rows(table: Table, mask: NDArray[np.bool_]) -> Table:
    return type(table)(tuple(column[mask] for column in table.columns), int(mask.sum()))


def _appended(old: Records, new: Records) -> Records:
    return Records(
        [np.concatenate(pair) for pair in zip(old.columns, new.columns, strict=True)],
        np.concatenate((old.arrivals, new.arrivals)),
        np.concatenate((old.starts, new.starts)),
        None if old.ends is None or new.ends is None else np.concatenate((old.ends, new.ends)),
    )


def _domain_sources(compiled: Compiled) -> list[tuple[bool, Key, tuple[Term, ...], Term]]:
    """Which input entities fill which dynamic domains: (is it an FVP, its key, its columns, the domain)."""
    description = compiled.description
    dynamic = {name_and_arity(domain) for domain in description.dynamic_domains}
    pairs: list[tuple[Term, Term]] = []
    for grounding in description.groundings:
        entity = grounding.entity.term if isinstance(grounding.entity, Fvp) else grounding.entity
        pairs += [
            (entity, goal)
            for goal in grounding.goals
            if isinstance(goal, Struct) and name_and_arity(goal) in dynamic
        ]
    for collected in description.collected:
        pairs += [(entity, collected.domain) for entity in collected.entities]
    sources: list[tuple[bool, Key, tuple[Term, ...], Term]] = []
    for entity, domain in pairs:
        is_fvp = isinstance(entity, Struct) and entity.name == "="
        named = entity.args[0] if is_fvp and isinstance(entity, Struct) else entity
        key = name_and_arity(named)
        arguments = named.args if isinstance(named, Struct) else ()
        columns = (*arguments, entity.args[1]) if is_fvp and isinstance(entity, Struct) else arguments
        if key in (compiled.names.input_fluents if is_fvp else compiled.names.input_events):
            sources.append((is_fvp, key, columns, domain))
    return sources
