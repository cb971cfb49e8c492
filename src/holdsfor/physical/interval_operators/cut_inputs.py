"""Input intervals that are cut at the edge of a window, as a list of a rule."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.keys import Int64, pairs_of_equal_keys
from holdsfor.physical.fvp_shape import FvpShape
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.patterns import join
from holdsfor.physical.rows import Rows, one_row

__all__ = ["cut_intervals", "starting_together"]


def cut_intervals(fluent: FvpShape | None, context: IntervalContext) -> Lists:
    """The cut intervals of an input fluent: the start that is seen, and the true start instead of the end."""
    cuts = None if fluent is None else context.input_cuts.get(fluent.key)
    if fluent is None or cuts is None:
        nothing = np.empty(0, dtype=np.int64)
        return Lists(Rows(0, {}), nothing, nothing)
    rows, partner = join(one_row(), cuts, fluent.patterns, context.symbols)
    return Lists(rows, cuts.starts[partner], cuts.ends[partner])


def starting_together(lists: Lists, others: Lists, starts: Int64) -> tuple[Int64, Int64]:
    """The pairs of an interval of a list and an interval of others with the same instance and this start."""
    names = [name for name in lists.names if name in others.names]
    own, known = ([each.rows.columns[name] for name in names] if others.n else [] for each in (lists, others))
    return pairs_of_equal_keys([*own, lists.starts], lists.n, [*known, starts], others.n)
