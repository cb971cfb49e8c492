"""The intervals of a fluent: `holdsFor(F=V, I)`."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.fvp_shape import FvpShape
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.alignment import maximal
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import LeafOperator, Registers
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.patterns import join
from holdsfor.physical.rows import Rows, one_row

__all__ = ["ReadFluent"]


@dataclass(frozen=True)
class ReadFluent(LeafOperator):
    """The intervals of the FVPs that match a pattern. If `is_any_value`, intervals of several values are merged."""

    output: str
    names: tuple[str, ...]
    shape: FvpShape
    is_any_value: bool = False

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        shape, instances = self.shape, context.symbols.instances
        table = context.condition_fluents(shape.key)
        if shape.is_plain:
            assert shape.arguments is not None
            assert shape.value is not None
            held = table.of_value(context.symbols.word(shape.value), instances)
            return Lists.numbered(shape.arguments, instances, *held)
        if shape.arguments is not None and shape.has_variable_value and self.is_any_value:
            numbers = table.arguments(instances)
            found = Lists.numbered(shape.arguments, instances, numbers, table.starts, table.ends)
            return maximal(found, instances)
        rows, partner = join(one_row(), table, shape.patterns, context.symbols)
        found = Lists(Rows(rows.n, rows.keep(self.names).columns), table.starts[partner], table.ends[partner])
        return maximal(found, instances) if self.is_any_value else found

    def describe(self, wording: Wording) -> Description:
        return Description("intervals", wording.fvp(self.shape.key, self.shape.patterns))
