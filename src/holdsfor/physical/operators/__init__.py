"""The operators of physical plans, one class per module; `operator.py` has their base class."""

from __future__ import annotations

from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.compare_terms import CompareTerms
from holdsfor.physical.operators.compute_calendar import ComputeCalendar
from holdsfor.physical.operators.compute_numbers import ComputeNumbers
from holdsfor.physical.operators.compute_positions import ComputePositions
from holdsfor.physical.operators.count_fluents import CountFluents
from holdsfor.physical.operators.ground_head import GroundHead
from holdsfor.physical.operators.join_breaks import JoinBreaks
from holdsfor.physical.operators.join_broken_values import JoinBrokenValues
from holdsfor.physical.operators.join_facts import JoinFacts
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.project import Project
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.range_head import RangeHead
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.operators.stamp_time import StampTime
from holdsfor.physical.operators.unify import Unify
from holdsfor.physical.operators.union_branches import UnionBranches
from holdsfor.physical.operators.union_clauses import UnionClauses

__all__ = ["OPERATORS"]

OPERATORS: tuple[type[Operator], ...] = (
    JoinPoints,
    JoinFluents,
    JoinBreaks,
    JoinBrokenValues,
    JoinFacts,
    Prove,
    ComputeNumbers,
    ComputeCalendar,
    ComputePositions,
    CompareTerms,
    Unify,
    StampTime,
    AntiJoin,
    UnionBranches,
    UnionClauses,
    Aggregate,
    CountFluents,
    GroundHead,
    RangeHead,
    RangeOver,
    Project,
)
