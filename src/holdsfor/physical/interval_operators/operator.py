"""The base class of interval operators: the steps of the plan of a `holdsFor` rule.

A rule over intervals computes interval lists, for all instances at once (`physical/interval_lists.py`). Its plan is a
tuple of operators in the order in which they run. Each operator reads lists by name and computes one; a predicate
over lists computes rows of data instead. An operator is one class in one module of this package, with all of its parts:

- `inputs` and `output`: the names of the lists that it reads, and of the list that it computes, if any;
- `names`: the variables that its output varies by, known before the plan runs;
- `run`: the operator on the lists of one time range;
- `describe`: the line that `plan --stage physical` shows.

`INTERVAL_OPERATORS` in `physical/interval_operators/__init__.py` lists the classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Plan
from holdsfor.physical.rows import Rows

__all__ = [
    "IntervalOperator",
    "IntervalPlan",
    "LeafOperator",
    "NaryOperator",
    "Registers",
    "StatefulOperator",
    "UnaryOperator",
    "run_interval_operators",
]


@dataclass
class Registers:
    """The lists of one rule over one time range by name, and the rows of data computed by predicates over lists."""

    lists: dict[str, Lists] = field(default_factory=dict)
    computed: list[Rows] = field(default_factory=list)


class IntervalOperator(ABC):
    """A step of the plan of an interval rule, from lists to one more list."""

    output: str
    names: tuple[str, ...]

    looks_at_whole_intervals: ClassVar[bool] = False
    """Whether the result is settled only when intervals have ended, so that the operator has state under its `id`."""

    @property
    def id(self) -> NodeId | None:
        """The id of the logical node under which a session keeps state for the operator."""
        return None

    @property
    @abstractmethod
    def inputs(self) -> tuple[str, ...]:
        """The names of the lists that the operator reads."""

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans over instances that the operator runs, starting from the instances of its input or from one row."""
        return ()

    extends_inputs: ClassVar[bool] = False
    """Whether the plans start from the instances of the input."""

    @abstractmethod
    def run(self, registers: Registers, context: IntervalContext) -> Lists | None:
        """The list that the operator computes; None if it computes rows of data."""

    @abstractmethod
    def describe(self, wording: Wording) -> Description:
        """The operator in words."""


class StatefulOperator(IntervalOperator):
    """An operator with state that a session keeps from one query time to the next, under the id of `node`."""

    node: NodeId

    @property
    def id(self) -> NodeId:
        return self.node


class LeafOperator(IntervalOperator):
    """An operator that reads no list."""

    @property
    def inputs(self) -> tuple[str, ...]:
        return ()


class UnaryOperator(IntervalOperator):
    """An operator that reads one list, its `source`."""

    source: str

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,)


class NaryOperator(IntervalOperator):
    """An operator that reads any number of `lists`."""

    lists: tuple[str, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.lists


IntervalPlan: TypeAlias = tuple[IntervalOperator, ...]


def run_interval_operators(plan: Sequence[IntervalOperator], context: IntervalContext) -> Registers:
    """The lists after all operators of a rule."""
    registers = Registers()
    for operator in plan:
        made = operator.run(registers, context) if context.profile is None else _counted(operator, registers, context)
        if made is not None:
            registers.lists[operator.output] = made
    return registers


def _counted(operator: IntervalOperator, registers: Registers, context: IntervalContext) -> Lists | None:
    assert context.profile is not None
    with context.profile.at(id(operator), sum(registers.lists[name].n for name in operator.inputs)) as tally:
        made = operator.run(registers, context)
        tally.rows_out += registers.computed[-1].n if made is None else made.n
    return made
