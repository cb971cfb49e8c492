"""The head of an interval rule: a list as intervals of FVPs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.columns.tables import FluentTable, empty_fluents
from holdsfor.kernels.keys import Int64
from holdsfor.physical.fvp_shape import FvpShape
from holdsfor.physical.interval_lists import Lists, natural_join
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import Registers
from holdsfor.physical.operators.operator import Plan, run_operators
from holdsfor.physical.patterns import build
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import is_ground

__all__ = ["IntervalHead"]


@dataclass(frozen=True)
class IntervalHead:
    """Turns the list `result` into intervals of FVPs.

    The instances of the list must satisfy the atemporal goals of the rule, which `tests` plans, and instances without
    rows of computed data are dropped. `given` are the variables bound before the tests, `names` after them.
    """

    shape: FvpShape
    result: str
    given: frozenset[str]
    names: frozenset[str]
    tests: Plan

    @property
    def has_own_instances(self) -> bool:
        """Whether its instances are those of the list, with one value: the intervals are already maximal."""
        return self.shape.is_plain and set(self.shape.arguments or ()) == self.names

    def table(self, registers: Registers, context: IntervalContext) -> FluentTable:
        """The intervals of the FVPs that are in the grounding."""
        computed = [rows.keep(tuple(self.given)).distinct() for rows in registers.computed]
        found = self._tested(_with_computed(registers.lists[self.result], computed), context)
        if found.n == 0:
            return empty_fluents(self.shape.key[1])
        return self._plain(found, context) if self.has_own_instances else self._built(found, context)

    def _tested(self, found: Lists, context: IntervalContext) -> Lists:
        """The instances that satisfy the atemporal goals, with values for the variables of the head."""
        if not self.tests or found.n == 0:
            return found
        rows = run_operators(self.tests, _numbered(found.rows), context)
        return _picked(found, rows)

    def _plain(self, found: Lists, context: IntervalContext) -> FluentTable:
        """The intervals of a head with the same instances as the list."""
        assert self.shape.arguments is not None
        assert self.shape.value is not None
        instances = context.symbols.instances
        value = context.symbols.word(self.shape.value)
        numbers = found.numbers(self.shape.arguments, instances)
        inside = context.inside_grounding(self.shape.key, numbers, value)
        if inside is not None:
            numbers, found = numbers[inside], found.take(inside)
        values = np.full(found.n, value, dtype=np.int64)
        return FluentTable.numbered(instances, self.shape.key[1], numbers, (values, found.starts, found.ends))

    def _built(self, found: Lists, context: IntervalContext) -> FluentTable:
        patterns, symbols = self.shape.patterns, context.symbols
        columns = [build(pattern, found.rows, symbols) for pattern in patterns]
        table = FluentTable((*columns, found.starts, found.ends), found.n)
        value: Int64 | int = symbols.word(patterns[-1]) if is_ground(patterns[-1]) else columns[-1]
        inside = context.inside_grounding(self.shape.key, table.arguments(symbols.instances), value)
        return table if inside is None else table.take(inside)


def _with_computed(found: Lists, computed: list[Rows]) -> Lists:
    """The list restricted to the instances for which predicates over lists computed data."""
    for rows in computed:
        found = _picked(found, natural_join(_numbered(found.rows), rows))
    return found


def _numbered(rows: Rows) -> Rows:
    """The rows with their positions."""
    return rows.with_columns({"#row": np.arange(rows.n, dtype=np.int64)})


def _picked(found: Lists, rows: Rows) -> Lists:
    """The intervals of a list for a selection of its rows."""
    if rows.n == 0:
        return found.take(np.empty(0, dtype=np.int64))
    row = rows.columns["#row"]
    columns = {name: column for name, column in rows.columns.items() if name != "#row"}
    return Lists(Rows(rows.n, columns), found.starts[row], found.ends[row])
