"""A stage of the plan as the functions that the workers call."""

from __future__ import annotations

from holdsfor.analysis.compiled import Compiled
from holdsfor.physical.stages import Everywhere, How, Stage, Stages, Table
from holdsfor.spark.buckets import Bucket
from holdsfor.spark.exchange import Layout
from holdsfor.spark.query_times import DatedBucket, DatedLayout
from holdsfor.spark.run import Admission
from holdsfor.spark.sending import Sender
from holdsfor.syntax.terms import Struct

__all__ = ["bucket_of", "layout_of", "sender_of"]


def layout_of(rules: Compiled) -> Layout:
    """Rows with as many constants as the largest record, result or member of a domain has."""
    names, description = rules.names, rules.description
    domains = [*description.dynamic_domains, *(collected.domain for collected in description.collected)]
    widths = [arity for _, arity in names.events] + [arity + 1 for _, arity in names.fluents]
    widths += [len(domain.args) for domain in domains if isinstance(domain, Struct)]
    return Layout(max(widths, default=0))


def bucket_of(stage: Stage, stages: Stages, admission: Admission, n_buckets: int) -> Bucket:
    """What evaluates the buckets of a stage, over query times if the layout is dated; one in one place has one."""
    kind = DatedBucket if isinstance(admission.layout, DatedLayout) else Bucket
    return kind(
        admission.rules,
        admission.run,
        admission.layout,
        stage.components,
        {vertex.label: path for vertex, path in stage.paths.items()},
        n_buckets if stage.is_keyed else 1,
        stages.ranges_over_sorts and not stage.is_keyed,
    )


def sender_of(stage: Stage, stages: Stages, admission: Admission, n_buckets: int) -> Sender:
    """What sends rows to the buckets of a stage."""
    receives = stage.receives
    if stages.ranges_over_sorts and not stage.is_keyed:
        receives = tuple(dict.fromkeys((*receives, *_all_input(admission.rules.compiled()))))
    return Sender(admission.layout, receives, n_buckets)


def _all_input(rules: Compiled) -> list[tuple[Table, How]]:
    """Everything that may be input: where rules range over what it mentions, all of it matters."""
    events: list[tuple[Table, How]] = [(("event", *key), Everywhere()) for key in rules.names.input_events]
    return events + [(("fluent", *key), Everywhere()) for key in rules.names.input_fluents]
