"""The last time-point whose results are decided, and the first time-point at which a result may change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from holdsfor.logical.nodes import NodeId
from holdsfor.runtime.edges import next_edge
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.state import State

__all__ = ["decided_by_level", "decided_until", "next_change"]


def decided_until(evaluations: Sequence[Evaluation], boundary: int) -> int:
    """The last time-point without undecided intervals, if no record changes time-points up to the boundary.

    A duration filter decides an interval when it is long enough, an Allen construct at the latest when the interval
    ends, an interval-wise predicate always when it ends. Each decision takes effect from the start of the interval, so
    it changes earlier time-points. A step that reads the result of another step changes still earlier ones. Together,
    the evaluations have evaluated all components.
    """
    levels = evaluations[0].rules.deciding_levels or ((),)
    for level in levels:
        boundary = decided_by_level(evaluations, level, boundary)
    return boundary


def decided_by_level(evaluations: Sequence[Evaluation], level: Iterable[Sequence[NodeId]], boundary: int) -> int:
    """The last time-point that components of one level have decided; each is given by its deciding operators."""
    decided = min((_decided_by(evaluations, nodes, boundary) for nodes in level), default=boundary)
    return decided - decided % evaluations[0].time_range.tick


def _decided_by(evaluations: Sequence[Evaluation], nodes: Sequence[NodeId], boundary: int) -> int:
    horizons, tick = evaluations[0].state.horizons, evaluations[0].time_range.tick
    for node in nodes:
        boundary -= horizons.get(node, 0)
        boundary -= boundary % tick
        for evaluation in evaluations:
            construct = evaluation.constructs.get(node) or evaluation.made.get(node)
            if construct is not None and boundary > evaluation.state.settled:
                boundary = construct.decided_until(boundary)
    return boundary


def next_change(
    rules: PreparedRules,
    state: State,
    evaluations: Sequence[Evaluation],
    query_time: int,
    moments: Iterable[int | None] | None = None,
) -> int | None:
    """The first time-point after a query time at which a result may change, if no record is inserted.

    A result may change when a record arrives, begins or ends, when an effect is due, when an open interval becomes long
    enough for a duration filter, and at the `startI` or `endI` of an interval. Together, the evaluations have evaluated
    all components, unless the `moments` at which effects are due and intervals are long enough are given.
    """
    time_range = state.time_range
    assert time_range is not None
    if rules.uses_query_time:
        return query_time + 1
    found = [state.records.next_moment(min(query_time, time_range.last), time_range.tick)]
    found.append(state.computed.next_query_time(query_time))
    for evaluation in evaluations:
        found += _next_edges(evaluation)
        found += () if moments is not None else (*_next_crossings(evaluation), *_next_effects(evaluation))
    after = [max(moment, query_time + 1) for moment in (*found, *(moments or ())) if moment is not None]
    return min(after, default=None)


def _next_crossings(evaluation: Evaluation) -> Iterator[int]:
    return (int(moments.min()) for _, _, moments in evaluation.crossings)


def _next_edges(evaluation: Evaluation) -> Iterator[int | None]:
    last = evaluation.time_range.last
    return (next_edge(kind, evaluation.fluents(key), last) for kind, key in evaluation.rules.asked_edges)


def _next_effects(evaluation: Evaluation) -> Iterator[int | None]:
    """The first time-point at which an effect of each delay is due after the time range."""
    time_range = evaluation.time_range
    for outcome in evaluation.recursions.values():
        for waiting in outcome.waiting(time_range.after_last):
            due = np.empty(0, np.int64) if waiting is None else waiting.due[waiting.due > time_range.last]
            yield int(due.min()) if len(due) else None
