"""The results of early components (`runtime/early_components.py`), which continue from the last evaluation.

Early components are evaluated over the window. Their results before the window are those of the last evaluation. The
tables of an evaluation are the same with and without this: other components read them from the settled time-point on.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.runtime.early_components import EarlyComponents
from holdsfor.runtime.edges import edges_at
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.evaluation_input import input_tables, note_cuts, with_upstream
from holdsfor.runtime.state import State, cuts_that, holding

__all__ = ["continue_early"]


def continue_early(
    early: EarlyComponents, before: Evaluation, evaluation: Evaluation, boundary: int, at: int, arrived_by: int
) -> None:
    """Evaluate early components from the boundary on, and add their results, with earlier ones, to an evaluation.

    Contract: results of early components up to the boundary are final in the evaluation `before`.
    """
    state, rules = _state_at(early, before, boundary), evaluation.rules
    time_range = replace(evaluation.time_range, first=boundary, is_resumed=True)
    events, fluents = input_tables(rules, state, time_range, arrived_by)
    events, fluents = with_upstream(events, fluents, state.computed, at, boundary)
    part = type(evaluation)(rules, state, time_range, events, fluents, evaluation.allen_memory)
    part.profile = evaluation.profile
    note_cuts(part, at, arrived_by)
    part.run(early.positions)
    evaluation.adopt(early.positions, (early.events, early.fluents), before, part)


def _state_at(early: EarlyComponents, before: Evaluation, boundary: int) -> State:
    """The state that early components need at a time-point of an evaluation."""
    names = early.fluents | before.inputs
    return replace(
        before.state,
        held=holding({key: table for key, table in before.known.items() if key in names}, boundary),
        edges={
            place: edges_at(before.edges(*place), boundary) for place in before.rules.asked_edges if place[1] in names
        },
        pending={number: outcome.waiting(boundary) for number, outcome in before.recursions.items()},
        settled_cuts=cuts_that(before.cuts, lambda starts: starts == boundary),
        settled_input_cuts=cuts_that(before.input_cuts, lambda starts: starts <= boundary),
    )
