"""The operators of interval rules; each module has one operator with all of its parts."""

from holdsfor.physical.interval_operators.call_predicate import CallPredicate
from holdsfor.physical.interval_operators.complement import ComplementIntervals
from holdsfor.physical.interval_operators.constant import Constant
from holdsfor.physical.interval_operators.filter_duration import FilterDuration
from holdsfor.physical.interval_operators.intersect import IntersectIntervals
from holdsfor.physical.interval_operators.map_intervals import MapIntervals
from holdsfor.physical.interval_operators.read_computed import ReadComputed
from holdsfor.physical.interval_operators.read_fluent import ReadFluent
from holdsfor.physical.interval_operators.relate import Relate
from holdsfor.physical.interval_operators.repeat import Repeat
from holdsfor.physical.interval_operators.restore_starts import RestoreStarts
from holdsfor.physical.interval_operators.subtract import SubtractIntervals
from holdsfor.physical.interval_operators.union import UnionIntervals

__all__ = ["INTERVAL_OPERATORS"]

INTERVAL_OPERATORS = (
    ReadFluent,
    Constant,
    UnionIntervals,
    IntersectIntervals,
    SubtractIntervals,
    ComplementIntervals,
    Repeat,
    RestoreStarts,
    FilterDuration,
    Relate,
    MapIntervals,
    CallPredicate,
    ReadComputed,
)
"""Every interval operator."""
