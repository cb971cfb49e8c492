"""A context for single operators: tables given as they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, PointTable, Relation, empty_fluents, empty_points
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.operators.operator import Operator, run_operators
from holdsfor.physical.operators.range_head import RangeHead
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows, one_row
from holdsfor.prolog import Database, Engine
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Struct, Term
from tests.unit.columns.merging import fluent_table

__all__ = ["World", "parse_goal", "patterns", "small_world"]

Key = tuple[str, int]


@dataclass
class World:
    """A context with tables given as they are written."""

    symbols: Symbols = field(default_factory=Symbols)
    engine: Engine = field(default_factory=lambda: Engine(Database()))
    events: dict[Key, PointTable] = field(default_factory=dict)
    holding: dict[Key, FluentTable] = field(default_factory=dict)
    relations: dict[Key, Relation] = field(default_factory=dict)
    n_synchronised: int = 0
    version: int = 0
    profile: Profile | None = None

    def happen(self, *happenings: tuple[str, int]) -> None:
        for text, time in happenings:
            event = parse_term(text)
            assert isinstance(event, Struct)
            key = (event.name, event.arity)
            table = self.points("events", key)
            new = (*event.args, time)
            words = [np.append(c, self.symbols.word(t)) for c, t in zip(table.columns, event.args, strict=False)]
            self.events[key] = PointTable((*words, np.append(table.times, new[-1])), table.n + 1)  # type: ignore[arg-type]

    def hold(self, *fvps: tuple[str, int, int]) -> None:
        for text, start, end in fvps:
            fvp = parse_term(text)
            assert isinstance(fvp, Struct)
            fluent, value = fvp.args
            assert isinstance(fluent, Struct)
            key = (fluent.name, fluent.arity)
            table = self.fluents(key)
            words = self.symbols.words([*fluent.args, value]).tolist()
            columns = [np.append(c, w) for c, w in zip(table.columns, [*words, start, end], strict=True)]
            self.holding[key] = fluent_table(columns[:-2], columns[-2], columns[-1])

    def add_facts(self, *facts: str) -> None:
        terms = [parse_term(fact) for fact in facts]
        for term in terms:
            assert isinstance(term, Struct)
            self.engine.database.add_clause(term, None, None)
            key = (term.name, term.arity)
            rows = [t.args for t in terms if isinstance(t, Struct) and t.name == term.name]
            self.relations[key] = Relation(
                tuple(self.symbols.words(row[i] for row in rows) for i in range(term.arity)), len(rows)
            )

    def points(self, kind: PointKind, key: Key) -> PointTable:
        return self.events.get(key) or empty_points(key[1])

    def terminations(self, key: Key) -> PointTable:
        return empty_points(key[1] + 1)

    def fluents(self, key: Key) -> FluentTable:
        return self.holding.get(key) or empty_fluents(key[1])

    def facts(self, key: Key) -> Relation:
        return self.relations[key]

    def ground(self, head: Term, rows: Rows, *, over_all_values: bool = False) -> Rows:
        raise AssertionError("nothing is enumerated here")

    def head_members(self, ranging: RangeHead) -> Int64:
        return np.empty(0, dtype=np.int64)

    def members(self, ranging: RangeOver, known: Int64) -> Int64:
        raise AssertionError("nothing is enumerated here")

    def synchronise(self) -> None:
        self.n_synchronised += 1

    def found(self, steps: Sequence[Operator], rows: Rows | None = None) -> list[tuple[str, ...]]:
        """The bindings and time-points after the steps, as they are written."""
        after = run_operators(steps, rows or one_row(), self)
        columns = [
            [str(getattr(t, "name", None) or getattr(t, "value", t)) for t in self.symbols.terms(c)]
            for c in after.columns.values()
        ]
        times = [] if after.times is None else [list(map(str, after.times.tolist()))]
        return sorted(zip(*columns, *times, strict=True)) if columns or times else [()] * after.n


def patterns(text: str) -> tuple[Term, ...]:
    term = parse_term(text)
    assert isinstance(term, Struct)
    return term.args


def parse_goal(text: str) -> Struct:
    goal = parse_term(text)
    assert isinstance(goal, Struct)
    return goal


def small_world() -> World:
    """Some events, fluents and facts of two entities."""
    world = World()
    world.happen(("e(a)", 1), ("e(b)", 1), ("e(a)", 5), ("n(a, 3)", 1), ("n(b, 4)", 1), ("n(a, 2.5)", 5))
    world.hold(("f(a)=on", 0, 4), ("f(b)=off", 1, 2), ("f(a)=off", 5, 9))
    world.add_facts("bg(a, c)", "bg(a, d)", "bg(b, c)")
    return world
