"""The relative complement of interval lists: `relative_complement_all`."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.alignment import subtracted
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import IntervalOperator, Registers
from holdsfor.physical.operators.description import Description, Wording

__all__ = ["SubtractIntervals"]


@dataclass(frozen=True)
class SubtractIntervals(IntervalOperator):
    """The time-points in the base list and in no other list. The others vary by variables of the base."""

    output: str
    names: tuple[str, ...]
    base: str
    others: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.base, *self.others)

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        others = [registers.lists[name] for name in self.others]
        return subtracted(registers.lists[self.base], others, context.symbols.instances)

    def describe(self, wording: Wording) -> Description:
        return Description("subtract", "", "sweep")
