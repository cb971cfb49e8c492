"""The state at a time-point, for some keys of a stage.

The state of a stage belongs to its keys: FVPs that hold, pending effects, the beginnings of lists under filters, and
the intervals that Allen constructs keep. `restricted` is the state of some keys. `replace_keys` puts the state of some
keys into the state of all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from holdsfor.columns.records import Mask
from holdsfor.columns.tables import FluentTable, Key
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.membership import is_member
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists, concatenate_lists
from holdsfor.physical.rows import Rows, concatenate_rows
from holdsfor.runtime.allen_constructs import KeptIntervals
from holdsfor.runtime.delays import SetUp, joined_set_ups
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.incremental.key_stages import Keys, KeyStage
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.state import State

__all__ = ["carry_over", "replace_keys", "restricted"]

Choose = Callable[[Int64], Mask]
"""Which words of keys are chosen."""


def restricted(state: State, stage: KeyStage, keys: Keys, records: RecordStore, held: dict[Key, FluentTable]) -> State:
    """The state of some keys of a stage, with their records and the FVPs that hold."""
    found = replace(state, records=records, held=held, initial=state.initial.copy())
    if keys is None:
        return found
    chosen = keys

    def choose(words: Int64) -> Mask:
        return is_member(words, chosen)

    found.pending = {number: _effects(each, number, stage, choose) for number, each in state.pending.items()}
    found.prefixes = {node: _lists(each, node, stage, choose) for node, each in state.prefixes.items()}
    found.allen = {node: _kept(each, node, stage, choose) for node, each in state.allen.items()}
    found.complements = {node: _instances(each, node, stage, choose) for node, each in state.complements.items()}
    return found


def carry_over(state: State, evaluation: Evaluation, point: int) -> None:
    """Put the state of the components of an evaluation at a time-point into a state, except the FVPs that hold."""
    state.ranges.update(evaluation.ranges)
    state.complements.update(evaluation.complemented)
    for node, lists in evaluation.whole_lists.items():
        state.prefixes[node] = lists.take((lists.starts <= point) & (point < lists.ends))
    for node, construct in evaluation.constructs.items():
        state.allen[node] = construct.kept_at(point)
    for number, outcome in evaluation.recursions.items():
        state.pending[number] = outcome.waiting(point)


def replace_keys(state: State, some: State, stage: KeyStage, keys: Keys) -> None:
    """Replace the state of some keys of a stage by the state of an evaluation of these keys alone."""
    state.ranges.update(some.ranges)
    if keys is None:
        state.pending.update(some.pending)
        state.prefixes.update(some.prefixes)
        state.allen.update(some.allen)
        state.complements.update(some.complements)
        return
    chosen = keys

    def are_theirs(words: Int64) -> Mask:
        return is_member(words, chosen)

    def are_others(words: Int64) -> Mask:
        return ~is_member(words, chosen)

    for number, theirs in some.pending.items():
        others = state.pending.get(number, (None,) * len(theirs))
        state.pending[number] = tuple(
            joined_set_ups(pair)
            for pair in zip(
                _effects(others, number, stage, are_others), _effects(theirs, number, stage, are_theirs), strict=True
            )
        )
    for node, lists in some.prefixes.items():
        before = state.prefixes.get(node)
        own = _lists(lists, node, stage, are_theirs)
        state.prefixes[node] = (
            own if before is None else concatenate_lists([_lists(before, node, stage, are_others), own])
        )
    for node, kept in some.allen.items():
        earlier = state.allen.get(node)
        of_keys = _kept(kept, node, stage, are_theirs)
        state.allen[node] = of_keys if earlier is None else _joined(_kept(earlier, node, stage, are_others), of_keys)
    for node, instances in some.complements.items():
        known = state.complements.get(node)
        if known is None or not _vary_by_key(instances, node, stage):
            state.complements[node] = instances
            continue
        parts = [_instances(known, node, stage, are_others), _instances(instances, node, stage, are_theirs)]
        state.complements[node] = concatenate_rows(parts)


def _effects(
    effects: tuple[SetUp | None, ...], number: int, stage: KeyStage, choose: Choose
) -> tuple[SetUp | None, ...]:
    """The pending effects of a component whose sources have the chosen keys."""
    if number not in stage.sources:
        return effects
    return tuple(
        each if each is None else each.take(choose(each.rows.columns[f"#{argument}"]))
        for each, argument in zip(effects, stage.sources[number], strict=True)
    )


def _lists(lists: Lists, node: NodeId, stage: KeyStage, choose: Choose) -> Lists:
    """The intervals of the chosen keys; all, if the node belongs to another stage."""
    name = stage.variables.get(node[0])
    if name is None or name not in lists.names:
        return lists
    return lists.take(choose(lists.rows.columns[name]))


def _kept(kept: KeptIntervals, node: NodeId, stage: KeyStage, choose: Choose) -> KeptIntervals:
    sources, targets = (_lists(lists, node, stage, choose) for lists in (kept.sources, kept.targets))
    return replace(kept, sources=sources, targets=targets)


def _joined(one: KeptIntervals, other: KeptIntervals) -> KeptIntervals:
    return KeptIntervals(
        concatenate_lists([one.sources, other.sources]), concatenate_lists([one.targets, other.targets])
    )


def _instances(instances: Rows, node: NodeId, stage: KeyStage, choose: Choose) -> Rows:
    """The instances of a complement with the chosen keys; all, if they do not vary by key."""
    if not _vary_by_key(instances, node, stage):
        return instances
    return instances.take(choose(instances.columns[stage.variables[node[0]]]))


def _vary_by_key(instances: Rows, node: NodeId, stage: KeyStage) -> bool:
    return stage.variables.get(node[0]) in instances.columns
