"""The records that wait in the buckets of a stopped stream."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.facts import Facts, Texts
from holdsfor.parallel.exchange.shuffle_blocks import ShuffleBlock
from holdsfor.spark.exchange.shuffle_rows import by_bucket, rows_of
from holdsfor.spark.streaming.state_files import StateFiles, StreamFiles
from holdsfor.spark.streaming.stopped_stream import waiting_facts
from holdsfor.spark.streaming.stored_blocks import file_of_blocks
from holdsfor.syntax.terms import Atom


def test_equal_retractions_that_wait_in_two_buckets_stay_two(tmp_path: Path) -> None:
    texts, both = Texts(Symbols()), np.array([1, 1], np.int64)
    words = texts.symbols.words([Atom("ann"), Atom("ann")])
    times = dict.fromkeys(("arrival", "start", "place"), both)
    facts = Facts("-event", "start", 1, 2, [words], times, {"text": pa.array(["1\t{}", "2\t{}"])})
    rows = rows_of([ShuffleBlock(1, (0, 1), 2, facts)], texts)
    states = [StateFiles(StreamFiles(str(tmp_path)), 1, number) for number in (0, 1)]
    for number, found in by_bucket(rows).items():
        states[number].wait(3, file_of_blocks(found))
    ((batch, found_facts, _),) = waiting_facts(states, 4)
    assert (batch, [each.n for each in found_facts]) == (3, [2])
