"""Whether a component can be evaluated by time stepping, decided before any data is read."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation, empty_fluents, empty_points
from holdsfor.columns.tuple_ids import Words
from holdsfor.kernels.keys import Int64
from holdsfor.physical.operators.context import PointKind
from holdsfor.physical.operators.range_head import RangeHead
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.operators.scalar import NotScalar, ScalarCompiler
from holdsfor.physical.plan import PlannedComponent, PlannedRule
from holdsfor.physical.profile import Profile
from holdsfor.physical.rows import Rows
from holdsfor.prolog import Database, Engine
from holdsfor.runtime.recursion.stepping_rules import Effect, check_rule, effects_of, stepping_delays
from holdsfor.syntax.terms import Term

__all__ = ["is_steppable"]


def is_steppable(component: PlannedComponent, symbols: Symbols) -> bool:
    """Whether every rule has a form for single bindings.

    A rule whose external conditions have no rows is left out of time stepping, so other components may turn out
    steppable.
    """
    nowhere = _EmptyWindow(symbols)
    compiler = ScalarCompiler(nowhere, nowhere, component.own)
    try:
        for rule, effect in effects_of(component):
            _check(rule, effect, compiler)
        stepping_delays(component, compiler)
    except NotScalar:
        return False
    return True


def _check(rule: PlannedRule, effect: Effect, compiler: ScalarCompiler) -> None:
    bound: set[str] = set()
    for step in rule.operators[: rule.n_outside]:
        bound = step.bound_after(bound)
    is_timed = any(step.binds_time for step in rule.operators[: rule.n_outside])
    check_rule(rule, effect, compiler, bound, is_timed=is_timed)


class _EmptyWindow:
    """A time-point and a window without events, FVPs and facts."""

    profile: Profile | None = None
    time = 0

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.engine = Engine(Database())
        self.version = 0

    def points(self, kind: PointKind, key: Key) -> PointTable:
        return empty_points(key[1] if kind == "events" else key[1] + 1)

    def terminations(self, key: Key) -> PointTable:
        return empty_points(key[1] + 1)

    def fluents(self, key: Key) -> FluentTable:
        return empty_fluents(key[1])

    def facts(self, key: Key) -> Relation:
        return Relation(tuple(np.empty(0, dtype=np.int64) for _ in range(key[1])), 0)

    def ground(self, head: Term, rows: Rows, *, over_all_values: bool = False) -> Rows:
        return rows

    def members(self, ranging: RangeOver, known: Int64) -> Int64:
        return known

    def head_members(self, ranging: RangeHead) -> Int64:
        return np.empty(0, dtype=np.int64)

    def synchronise(self) -> None:
        """No members to copy."""

    def value_of(self, key: Key, arguments: Words) -> int | None:
        return None

    def happening(self, kind: PointKind, key: Key) -> Iterable[Words]:
        return ()

    def is_broken(self, key: Key, arguments: Words, value: int) -> bool:
        return False
