"""A task that Spark repeats reads the same records, with the same ids of retractions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

import holdsfor as hf
from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.exchange.routing import Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.stages.stream_buckets import StreamRouter, stream_destinations
from holdsfor.spark.exchange.shuffle_rows import loads_of
from holdsfor.spark.input.frame_reader import SOURCE
from holdsfor.spark.input.lines import LINE, LineReader
from holdsfor.spark.streaming.output_rows import SEPARATOR
from holdsfor.spark.streaming.stopped_stream import planned_rules
from holdsfor.spark.streaming.stream_reader import ReadTask, StreamReaderSettings, numbered_retractions

RULES = Rules.of(hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T)."))


def numbered(texts: list[str], read: str) -> dict[str, list[str]]:
    """The sorted ids of retractions by their text."""
    times = {"start": np.zeros(len(texts), np.int64)}
    facts = Facts("-event", "win", 1, len(texts), times=times, texts={"text": pa.array(texts, pa.string())})
    found: dict[str, list[str]] = {}
    for text in numbered_retractions(facts, read).texts["text"].to_pylist():
        found.setdefault(text.partition(SEPARATOR)[2], []).append(text.partition(SEPARATOR)[0])
    return {text: sorted(ids) for text, ids in found.items()}


def test_repeated_retractions_have_the_same_distinct_ids() -> None:
    found = numbered(["a", "b", "a"], "7 0 1 0")
    assert numbered(["b", "a", "a"], "7 0 1 0") == found
    others = [numbered(["a", "b", "a"], read) for read in ("8 0 1 0", "7 1 1 0")]
    assert len({each for one in (found, *others) for ids in one.values() for each in ids}) == 9


def test_a_repeated_task_gives_its_retractions_the_same_ids() -> None:
    destinations = stream_destinations(planned_rules(RULES, 1, 20).plan(()), RULES, 2)
    reader = LineReader(StreamReaderSettings(RULES, 1, has_places=True))
    task = ReadTask(reader, 7, 0, StreamRouter(Router(destinations)), None)
    batch = pa.RecordBatch.from_pylist([{LINE: b"-win|5|5|ann\n", SOURCE: each} for each in ("a", "b")])

    def ids() -> list[str]:
        facts = [each for load in loads_of(list(task([batch])), Symbols()) for each in load.facts]
        return [text for each in facts if each.kind == "-event" for text in each.texts["text"].to_pylist()]

    found = ids()
    assert len(set(found)) == 2
    assert ids() == found
