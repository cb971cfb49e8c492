"""Other rules for a stopped stream: all results are computed anew, from the records that its state has.

The first query time after the change evaluates the records in its window, as the first query time of a new run that
begins with this window. The rows that the old rules have reported are settled if they end before the window. The others
are removed by the same query time, whose other rows are all that the new rules derive.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import Records
from holdsfor.distribution.stages import Stages
from holdsfor.parallel.exchange.facts import KINDS, Facts, Texts
from holdsfor.parallel.exchange.routing import Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import ShuffleBlock
from holdsfor.parallel.stages.joined_states import joined_records
from holdsfor.parallel.stages.stream_buckets import StreamBucket, StreamRouter, stream_destinations
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.state_snapshot import report_of, stored_state
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.spark.exchange.shuffle_rows import rows_of
from holdsfor.spark.streaming.identity import Identity, Manifest, write_manifest
from holdsfor.spark.streaming.state_files import StateFiles, StreamFiles, number_of
from holdsfor.spark.streaming.stopped_stream import (
    StoppedStream,
    digest_of_stages,
    state_files,
    state_parts,
    wait_for,
    waiting_facts,
)
from holdsfor.spark.streaming.stored_blocks import file_of_blocks, read_file
from holdsfor.spark.streaming.stored_rules import store_rules

__all__ = ["ReplacedRows", "kept_records", "replaced_rows", "restart", "write_replaced"]

_FOLDER = "replaced"


def restart(stream: StoppedStream, identity: Identity, rules: Rules, stages: Stages) -> Manifest:
    """Rewrite the state of a stopped stream for other rules; the other settings are those of the stream."""
    stream.check_results()
    stream.check_complete()
    stream.write_snapshots()
    manifest, decision, next_folder = stream.manifest, stream.decision, stream.manifest.next_folder
    old, new = stream.files.inside(manifest.folder), stream.files.inside(next_folder)
    stream.files.delete_folder(next_folder)
    begins = stream.begins()
    sender = StreamRouter(Router(stream_destinations(stages, rules, identity.n_buckets)))
    buckets = stream.buckets(manifest.identity.n_buckets)
    every = [(bucket, each) for bucket in buckets for each in state_files(bucket, old)]
    if begins is not None:
        assert decision.last is not None
        _Kept(stream.next, every, new).restart(sender, decision.last + identity.step, begins)
    for batch, facts, texts in waiting_facts([each for _, each in every], stream.next):
        wait_for(new, batch, sender, facts, texts)
    store_rules(new, rules)
    changed = Manifest(identity, next_folder, stream.next - 1, digest_of_stages(stages), decision.last, begins)
    write_manifest(stream.files, changed)
    return changed


@dataclass(frozen=True)
class _Kept:
    """The states of all buckets before a micro-batch, for a new folder."""

    batch: int
    every: list[tuple[StreamBucket, StateFiles]]
    new: StreamFiles

    def restart(self, sender: StreamRouter, at: int, begins: int) -> None:
        """Write the records as records that wait, and the rows that a query time removes."""
        symbols, stores, kinds, number = Symbols(), list[RecordStore](), PlaceKinds(), -1
        texts = Texts(symbols)
        for bucket, files in self.every:
            name = files.needed_by(self.batch).snapshot
            if name is None:
                continue
            number, replaced = max(number, number_of(name)), list[ShuffleBlock]()
            for part in state_parts(bucket, files, name):
                state, report = stored_state(part.snapshot, symbols), report_of(part.snapshot, symbols)
                stores.append(state.records)
                kinds = kinds.merged(state.place_kinds)
                if report is not None:
                    replaced += part.bucket.withdrawn(report, state, part.number, texts, at, begins)
            write_replaced(self.new, files, replaced, texts)
        if stores:
            facts = [*kept_records(stores, begins), *_kind_facts(kinds)]
            wait_for(self.new, number, sender, facts, texts)


def _kind_facts(kinds: PlaceKinds) -> Iterator[Facts]:
    if kinds.kinds:
        yield Facts(KINDS, "", 0, 1, texts={"text": pa.array([json.dumps(kinds.to_json())], pa.string())})


def kept_records(stores: Sequence[RecordStore], begins: int) -> Iterator[Facts]:
    """The records and retractions in the states of all buckets that a window may have, as facts.

    Facts of the old rules are left out: they were read before all records, and new sessions have those of their rules.
    """
    store = joined_records(stores)
    for kind, found in (("event", store.events), ("fluent", store.fluents)):
        for key, records in found.items():
            needed = records.take(((records.lasts >= begins) & (records.read_at >= 0)).nonzero()[0])
            if len(needed):
                yield Facts(kind, *key, len(needed), needed.columns, _times(needed))
    for (is_event, key), waiting in store.retractions.items():
        texts = {"text": pa.array([origin.text for origin in waiting.origins], pa.string())}
        named = waiting.records
        kind = "-event" if is_event else "-fluent"
        yield Facts(kind, *key, len(named), named.columns, _times(named), texts)


def _times(records: Records) -> dict[str, Any]:
    times = {"arrival": records.arrivals, "start": records.starts, "place": np.asarray(records.read_at, np.int64)}
    return times if records.ends is None else {**times, "end": records.ends}


# -- the first query time after the change -----------------------------------------------------------------------------


def write_replaced(new: StreamFiles, files: StateFiles, blocks: Iterable[ShuffleBlock], texts: Texts) -> None:
    """Write rows of the old rules that this query time removes or settles, from the state in a file."""
    rows = list(rows_of(blocks, texts))
    if rows:
        new.write(f"{_FOLDER}/{files.stage}-{files.bucket}", file_of_blocks(rows))


def replaced_rows(files: StreamFiles) -> list[str]:
    """The files with rows of the old rules."""
    return [f"{_FOLDER}/{name}" for name in files.names(_FOLDER)]


@dataclass(frozen=True)
class ReplacedRows:
    """Reads the rows of the old rules: the batches have numbers of files."""

    files: StreamFiles
    names: list[str]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield from read_file(self.files.read(self.names[number]), self.names[number])
