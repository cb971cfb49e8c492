"""The operators of interval rules; each module has one operator with all of its parts."""

from holdsfor.physical.interval_operators.call_predicate import CallPredicate
from holdsfor.physical.interval_operators.complement_intervals import ComplementIntervals
from holdsfor.physical.interval_operators.constant_intervals import ConstantIntervals
from holdsfor.physical.interval_operators.filter_duration import FilterDuration
from holdsfor.physical.interval_operators.intersect_intervals import IntersectIntervals
from holdsfor.physical.interval_operators.map_intervals import MapIntervals
from holdsfor.physical.interval_operators.read_computed import ReadComputed
from holdsfor.physical.interval_operators.read_fluent import ReadFluent
from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals
from holdsfor.physical.interval_operators.repeat_intervals import RepeatIntervals
from holdsfor.physical.interval_operators.restore_starts import RestoreStarts
from holdsfor.physical.interval_operators.subtract_intervals import SubtractIntervals
from holdsfor.physical.interval_operators.union_intervals import UnionIntervals

__all__ = ["INTERVAL_OPERATORS"]

INTERVAL_OPERATORS = (
    ReadFluent,
    ConstantIntervals,
    UnionIntervals,
    IntersectIntervals,
    SubtractIntervals,
    ComplementIntervals,
    RepeatIntervals,
    RestoreStarts,
    FilterDuration,
    RelateIntervals,
    MapIntervals,
    CallPredicate,
    ReadComputed,
)
"""Every interval operator."""
