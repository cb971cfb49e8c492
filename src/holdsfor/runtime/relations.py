"""Allen relations between two lists of a rule over one time range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdsfor.physical.fvp_shape import FvpShape
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.cut_inputs import cut_intervals, starting_together
from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals
from holdsfor.physical.rows import Rows
from holdsfor.runtime.allen_constructs import AllenConstruct
from holdsfor.runtime.cut_relations import Operand, combined, reaching_back, split_at_cuts, with_cuts

if TYPE_CHECKING:
    from holdsfor.runtime.evaluation_context import EvaluationContext

__all__ = ["relate"]


def relate(
    operator: RelateIntervals, sources: Lists, targets: Lists, wanted: Rows | None, context: EvaluationContext
) -> Lists:
    """The result of an Allen construct, including the kept intervals."""
    if context.is_as_if_whole:
        one, other = context.related(operator.node)
        return combined((reaching_back(one, sources), reaching_back(other, targets)), operator.mode)
    own = _split(operator.source_fluent, sources, context), _split(operator.target_fluent, targets, context)
    kept = context.state.allen.get(operator.node)
    more = wanted, kept, context.time_range, context.allen_memory
    construct = with_cuts(AllenConstruct(operator, own[0].whole, own[1].whole, *more), *own, kept)
    context.constructs[operator.node] = construct
    if isinstance(construct, AllenConstruct):
        return construct.answer()
    return combined(context.related(operator.node), operator.mode)


def _split(fluent: FvpShape | None, lists: Lists, context: EvaluationContext) -> Operand:
    """A list without its cut intervals, and the cut intervals."""
    cuts, time_range = cut_intervals(fluent, context), context.time_range
    seen = np.maximum(cuts.starts, time_range.first) if time_range.is_resumed else cuts.starts
    rows, partner = starting_together(lists, cuts, seen)
    return split_at_cuts(lists, rows, cuts.ends[partner], cuts.starts[partner])
