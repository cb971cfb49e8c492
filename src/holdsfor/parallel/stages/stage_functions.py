"""The stages of a plan as functions that the workers run."""

from __future__ import annotations

from holdsfor.analysis.pipeline import Compiled
from holdsfor.distribution.stages import Broadcast, Distribution, Stage, Stages, Table
from holdsfor.parallel.exchange.routing import Destination, Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.stages.admission import JobAdmission
from holdsfor.parallel.stages.buckets import Bucket
from holdsfor.parallel.stages.dated_buckets import DatedAdmission, DatedBucket

__all__ = ["buckets_of", "destinations_of", "received_tables"]


def destinations_of(stages: Stages, rules: Rules, n_buckets: int) -> tuple[Destination, ...]:
    """The stages as destinations of shuffle blocks; a stage without a key has one bucket."""
    return tuple(
        Destination(number, received_tables(stage, stages, rules.compiled()), n_buckets if stage.is_keyed else 1, rules)
        for number, stage in enumerate(stages.stages, start=1)
    )


def buckets_of(stages: Stages, destinations: tuple[Destination, ...], admission: JobAdmission) -> list[Bucket]:
    """The function that evaluates the buckets of each stage; with dated admission, for every query time."""
    kind = DatedBucket if isinstance(admission, DatedAdmission) else Bucket
    return [
        kind(
            admission.rules,
            admission.run,
            destination,
            stage.components,
            {vertex.label: path for vertex, path in stage.paths.items()},
            stages.ranges_over_sorts and not stage.is_keyed,
            Router(destinations[destination.stage :]),
        )
        for stage, destination in zip(stages.stages, destinations, strict=True)
    ]


def received_tables(stage: Stage, stages: Stages, rules: Compiled) -> tuple[tuple[Table, Distribution], ...]:
    """The tables that a stage receives; a stage in one bucket receives all input if a rule ranges over sorts."""
    if stages.ranges_over_sorts and not stage.is_keyed:
        return tuple(dict.fromkeys((*stage.receives, *_all_input(rules))))
    return stage.receives


def _all_input(rules: Compiled) -> list[tuple[Table, Distribution]]:
    """All input tables, for rules that range over the constants of the input."""
    events: list[tuple[Table, Distribution]] = [(("event", *key), Broadcast()) for key in rules.names.input_events]
    return events + [(("fluent", *key), Broadcast()) for key in rules.names.input_fluents]
