"""Components whose results up to a time-point do not depend on later records.

The results of a *causal* component at a time-point are the same at every query time from there on, as long as no record
arrives late. So one evaluation up to a later query time has the results of all query times before it
(`runtime/query_batches.py`). An operator that decides about whole intervals is not causal: a duration filter includes
an interval when it is long enough. Nor is an operator over the instances so far, which later records extend.

Conditions on `start` and `end` look one time-point ahead, and fluents given by time-points hold after the last query
time until a record shows otherwise. Both depend on input at the time-point after a query time only; a batch ends at
query times where such input begins or ends.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.tables import Key
from holdsfor.physical.interval_operators.complement_intervals import ComplementIntervals
from holdsfor.physical.interval_operators.intersect_intervals import IntersectIntervals
from holdsfor.physical.interval_operators.operator import IntervalOperator
from holdsfor.physical.interval_operators.read_fluent import ReadFluent
from holdsfor.physical.interval_operators.repeat_intervals import RepeatIntervals
from holdsfor.physical.interval_operators.subtract_intervals import SubtractIntervals
from holdsfor.physical.interval_operators.union_intervals import UnionIntervals
from holdsfor.physical.operators.operator import Operator, all_operators
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.plan import PhysicalProgram, PlannedComponent
from holdsfor.syntax.terms import name_and_arity

__all__ = ["is_causal", "read_fluents", "reads_others"]

_POINTWISE = (IntersectIntervals, ReadFluent, RepeatIntervals, SubtractIntervals, UnionIntervals)


def is_causal(component: PlannedComponent, besides: tuple[type[IntervalOperator], ...] = ()) -> bool:
    """Whether the results of a component at a time-point depend only on its input up to there.

    The members of domains must not change during the run. Operators of the types `besides` are allowed.
    """
    rules = component.interval_rules
    tests = [test for rule in rules for test in all_operators(rule.head.tests)]
    plans = [step for rule in rules for each in rule.operators for plan in each.plans for step in all_operators(plan)]
    operators = (each for rule in rules for each in rule.operators)
    are_pointwise = all(_is_pointwise(each) or isinstance(each, besides) for each in operators)
    return are_pointwise and not _ranges((*component.point_operators, *tests, *plans))


def _is_pointwise(operator: IntervalOperator) -> bool:
    if isinstance(operator, ComplementIntervals):
        return operator.instances.is_grounded
    return isinstance(operator, _POINTWISE)


def _ranges(operators: Iterable[Operator]) -> bool:
    """Whether a variable ranges over its values so far; its sort has the constants of the whole input."""
    return any((isinstance(each, RangeOver) and bool(each.known)) or each.ranged is not None for each in operators)


def read_fluents(compiled: Compiled, program: PhysicalProgram) -> frozenset[Key]:
    """The input fluents that components of a program read."""
    computed = {vertex for component in program.components for vertex in component.own.vertices}
    return frozenset(
        name_and_arity(edge.source.fluent)
        for edge in compiled.graph.edges
        if edge.source.kind == "input fluent" and edge.target in computed
    )


def reads_others(compiled: Compiled, program: PhysicalProgram) -> bool:
    """Whether components of a program read results of components that are not part of it."""
    computed = {vertex for component in program.components for vertex in component.own.vertices}
    edges = (edge for edge in compiled.graph.edges if edge.target in computed and not edge.source.is_input)
    return any(edge.source not in computed for edge in edges)
