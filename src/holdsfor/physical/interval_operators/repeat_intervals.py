"""A list repeated for variables that it does not vary by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdsfor.kernels.keys import Int64
from holdsfor.physical.interval_lists import Lists, onto
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import IntervalOperator, Registers
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Plan, run_operators
from holdsfor.physical.rows import Rows

__all__ = ["RepeatIntervals", "instances_by_plan"]

_NO_WORDS: Int64 = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class RepeatIntervals(IntervalOperator):
    """The list repeated for all values of the missing variables, which the plan computes.

    With a `restriction`, the list is repeated only for the instances of that list.
    """

    output: str
    names: tuple[str, ...]
    source: str
    plan: Plan
    restriction: str | None = None

    extends_inputs: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,) if self.restriction is None else (self.source, self.restriction)

    @property
    def plans(self) -> tuple[Plan, ...]:
        return (self.plan,) if self.restriction is None else ()

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        source = registers.lists[self.source]
        if self.restriction is None:
            instances = instances_by_plan(self.plan, source.rows.distinct(), self.names, context)
        else:
            instances = registers.lists[self.restriction].rows.keep(self.names).distinct()
        key, starts, ends = onto(instances, source)
        return Lists(instances.take(key), starts, ends)

    def describe(self, wording: Wording) -> Description:
        if self.restriction is not None:
            return Description("repeat", "", "for the instances of the other list")
        return Description("repeat", "", "for the values of missing variables")


def instances_by_plan(plan: Plan, rows: Rows, names: tuple[str, ...], context: IntervalContext) -> Rows:
    """The rows with the values of missing variables, each once."""
    rows = run_operators(plan, rows, context)
    if rows.n == 0:
        return Rows(0, dict.fromkeys(names, _NO_WORDS))
    return rows.keep(names).distinct()
