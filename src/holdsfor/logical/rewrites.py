"""The rewrites, in order. Each replaces rules by rules with the same answers, and has a module of its own name.

The first rewrites take whole rules (`rewrite_program`). The last ones depend on the bound variables, so the planner
applies them while it plans a body. A rewrite with an empty `required` can be switched off by name, for tests and for
debugging: `holdsfor plan --without fold_facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from holdsfor.analysis.switches import check_switches
from holdsfor.logical.count_lists import count_lists
from holdsfor.logical.fold_facts import fold_facts, fold_interval_facts
from holdsfor.logical.hoist_external import hoist_external
from holdsfor.logical.order_joins import order_joins
from holdsfor.logical.rewritten import RewriteContext, Rewritten, RewrittenIntervals
from holdsfor.logical.split_branches import split_branches

__all__ = ["OPTIONAL_REWRITES", "REWRITES", "Rewrite", "chosen_rewrites"]

_OfPointRules: TypeAlias = Callable[[Rewritten, RewriteContext], Sequence[Rewritten]]
_OfIntervalRules: TypeAlias = Callable[[RewrittenIntervals, RewriteContext], RewrittenIntervals]


@dataclass(frozen=True)
class Rewrite:
    """A rewrite by name: its functions for whole rules, if any, and the reason why plans require it, if they do."""

    name: str
    point_rules: _OfPointRules | None = None
    interval_rules: _OfIntervalRules | None = None
    required: str = ""


REWRITES: tuple[Rewrite, ...] = (
    Rewrite("split_branches", split_branches, required="all rows of a plan have the same columns"),
    Rewrite("fold_facts", fold_facts, fold_interval_facts),
    Rewrite("count_lists", count_lists),
    Rewrite("order_joins", order_joins),
    Rewrite("hoist_external", hoist_external),
    Rewrite("time_first", required="rows have no time-points before a condition on events"),
    Rewrite("defer_open_goals", required="a variable without a value has no column"),
    Rewrite("unfold"),
)

OPTIONAL_REWRITES: tuple[str, ...] = tuple(rewrite.name for rewrite in REWRITES if not rewrite.required)
"""The names of the rewrites that can be switched off."""


def chosen_rewrites(without: Iterable[str] = ()) -> tuple[Rewrite, ...]:
    """The rewrites in order, except the named ones."""
    off = check_switches(without, REWRITES)
    return tuple(rewrite for rewrite in REWRITES if rewrite.name not in off)
