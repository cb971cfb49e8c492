"""The last time-point whose results are decided, and the first time-point at which a result may change."""

from __future__ import annotations

import numpy as np

from holdsfor.runtime.edges import next_edge
from holdsfor.runtime.evaluation import Evaluation

__all__ = ["decided_until", "next_change"]


def decided_until(evaluation: Evaluation, boundary: int) -> int:
    """The last time-point without undecided intervals, if no record changes time-points up to the boundary.

    A duration filter decides an interval when it is long enough, an Allen construct at the latest when the interval
    ends, an interval-wise predicate always when it ends. Each decision takes effect from the start of the interval, so
    it changes earlier time-points. A step that reads the result of another step changes still earlier ones.
    """
    state, tick = evaluation.state, evaluation.time_range.tick
    for place in evaluation.rules.deciding:
        boundary -= state.horizons.get(place, 0)
        boundary -= boundary % tick
        construct = evaluation.constructs.get(place) or evaluation.made.get(place)
        if construct is not None and boundary > state.settled:
            boundary = construct.decided_until(boundary)
    return boundary - boundary % tick


def next_change(evaluation: Evaluation, query_time: int) -> int | None:
    """The first time-point after a query time at which a result may change, if no record is inserted.

    A result may change when a record arrives, begins or ends, when an effect is due, when an open interval becomes long
    enough for a duration filter, and at the `startI` or `endI` of an interval.
    """
    state, rules, time_range = evaluation.state, evaluation.rules, evaluation.time_range
    if rules.uses_query_time:
        return query_time + 1
    last = time_range.last
    found = [state.records.next_moment(min(query_time, last), time_range.tick), evaluation.next_crossing]
    found.append(state.computed.next_query_time(query_time))
    found += [next_edge(kind, evaluation.fluents(key), last) for kind, key in rules.asked_edges]
    for outcome in evaluation.recursions.values():
        for waiting in outcome.waiting(time_range.after_last):
            due = np.empty(0, np.int64) if waiting is None else waiting.due[waiting.due > last]
            found.append(int(due.min()) if len(due) else None)
    after = [max(moment, query_time + 1) for moment in found if moment is not None]
    return min(after, default=None)
