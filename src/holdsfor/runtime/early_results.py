"""The results of early components (`runtime/early_components.py`), which continue from the last evaluation.

Early components are evaluated over the window. Their results before the window are those of the last evaluation. The
tables of an evaluation are the same with and without this: other components read them from the settled time-point on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdsfor.runtime.early_components import EarlyComponents
from holdsfor.runtime.edges import edges_at
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.evaluation_input import input_tables, note_cuts, with_upstream
from holdsfor.runtime.state import State, cuts_that, holding

__all__ = ["EarlyPart", "continue_early", "early_part"]


@dataclass(frozen=True)
class EarlyPart:
    """Results of early components from a boundary on, perhaps beyond a query time, and an evaluation before them."""

    early: EarlyComponents
    before: Evaluation | None
    part: Evaluation

    def add_to(self, evaluation: Evaluation) -> None:
        """Add the results of the time range of an evaluation to it.

        Contract: up to the end of this time range, the results do not depend on later records.
        """
        time_range, early = evaluation.time_range, self.early
        first = max(time_range.first, self.part.time_range.first)
        before = self.before if first > time_range.first else None
        part = self.part.as_of(replace(time_range, first=first))
        evaluation.adopt(early.positions, (early.events, early.fluents), before, part)


def continue_early(
    early: EarlyComponents, before: Evaluation, evaluation: Evaluation, boundary: int, at: int, arrived_by: int
) -> None:
    """Evaluate early components from the boundary on, and add their results, with earlier ones, to an evaluation.

    Contract: results of early components up to the boundary are final in the evaluation `before`.
    """
    part = early_part(early, before, evaluation, (boundary, evaluation.time_range.last), at, arrived_by).part
    evaluation.adopt(early.positions, (early.events, early.fluents), before, part)


def early_part(
    early: EarlyComponents,
    before: Evaluation | None,
    evaluation: Evaluation,
    span: tuple[int, int],
    at: int,
    arrived_by: int,
) -> EarlyPart:
    """The results of early components over a span of time-points, at the query time `at`.

    Contract: as for `continue_early`; without an evaluation `before`, the span begins with the time range.
    """
    first, last = span
    state, rules = evaluation.state if before is None else _state_at(early, before, first), evaluation.rules
    is_resumed = before is not None or evaluation.time_range.is_resumed
    time_range = replace(evaluation.time_range, first=first, last=last, is_resumed=is_resumed)
    events, fluents = input_tables(rules, state, time_range, arrived_by)
    events, fluents = with_upstream(events, fluents, state.computed, at, first)
    part = evaluation.again(state, time_range, events, fluents)
    note_cuts(part, at, arrived_by)
    part.run(early.positions)
    return EarlyPart(early, before, part)


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
