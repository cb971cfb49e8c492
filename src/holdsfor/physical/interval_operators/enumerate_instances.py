"""All combinations of values of the variables of a rule, with or without intervals."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.repeat_intervals import instances_by_plan
from holdsfor.physical.operators.operator import Plan
from holdsfor.physical.rows import Rows, one_row
from holdsfor.syntax.terms import Term

__all__ = ["EnumerateInstances"]


@dataclass(frozen=True)
class EnumerateInstances:
    """The instances of the head if its grounding has all the variables, else the instances of a plan."""

    names: tuple[str, ...]
    head: Term | None
    plan: Plan = ()

    @property
    def is_grounded(self) -> bool:
        """Whether a grounding determines the instances."""
        return self.head is not None

    @property
    def plans(self) -> tuple[Plan, ...]:
        return () if self.is_grounded else (self.plan,)

    def run(self, context: IntervalContext) -> Rows:
        if self.head is not None:
            return context.instances_of(self.head, self.names)
        return instances_by_plan(self.plan, one_row(), self.names, context)
