"""The answers of the engine and of the reference evaluator to the same records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import holdsfor as hf
from holdsfor.analysis.pipeline import Compiled
from holdsfor.reference import INF, History, RunBounds, recognise
from holdsfor.sources.inputs import read_facts
from holdsfor.syntax.printer import show

__all__ = ["engine_answer", "reference_answer"]

Answer = dict[str, Any]


def engine_answer(rules: Compiled, records: Sequence[Any], **options: Any) -> Answer:
    """The intervals and times of the columnar engine."""
    found = hf.recognise(rules, list(records), **options)
    return {show(each): spans for each, spans in (*found.intervals.items(), *found.times.items())}


def reference_answer(rules: Compiled, records: Sequence[Any], start: int, end: int) -> Answer:
    """The intervals and times of the reference evaluator."""
    history = History()
    for fact in read_facts([list(records)], rules.names, 1).facts():
        if fact.value is None:
            history.add_event(fact.entity, fact.start)
        else:
            history.add_interval(fact.entity, fact.value, fact.start, fact.end)
    found = recognise(rules, history, RunBounds(start, end))
    intervals = {show(f): [(s, None if e == INF else int(e)) for s, e in spans] for f, spans in found.intervals.items()}
    return intervals | {show(event): list(times) for event, times in found.times.items()}
