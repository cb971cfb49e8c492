"""The inputs and the clock of a live run as a snapshot, and back.

For each input the snapshot has its position, its counts, and the records that have been read and that no query time has
taken. The session has a separate snapshot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from holdsfor.columns.encoding import Symbols
from holdsfor.runtime.live import LiveRun
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.runtime.snapshot_parts import Part, PartReader, PartWriter
from holdsfor.sources.feeds import Feed
from holdsfor.sources.live_reading import LiveReading
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.sources.reading import Operations
from holdsfor.sources.revision_ids import RevisionRecord
from holdsfor.sources.text_records import SetAside

__all__ = ["continue_run", "positions", "run_snapshot"]

_CLOCK = ("clock", "first_start", "last", "n_records", "n_places")


def run_snapshot(
    run: LiveRun, symbols: Symbols, fingerprint: str, settings: dict[str, Any], more: dict[str, Any]
) -> Snapshot:
    """A live run between two query times, without its session. O(n) in the records that wait."""
    writer = PartWriter(symbols)
    parts = {"run": run.position(), "feeds": [_written(feed, writer) for feed in run.feeds]}
    return Snapshot(fingerprint, settings, parts, writer.columns, writer.recoding.terms, more)


def positions(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Where each input is."""
    return [part["position"] for part in snapshot.parts["feeds"]]


def continue_run(run: LiveRun, snapshot: Snapshot, symbols: Symbols) -> None:
    """Let a run whose feeds are at their positions continue where the one of the snapshot was."""
    reader = PartReader(snapshot, symbols)
    for feed, part in zip(run.feeds, snapshot.parts["feeds"], strict=True):
        _restore(feed.reading, part, reader)
    run.continue_at(snapshot.parts["run"])


def _written(feed: Feed, write: PartWriter) -> Part:
    reading = feed.reading
    return {
        "position": feed.position(),
        **{name: getattr(reading, name) for name in _CLOCK},
        "unused": dict(reading.unused),
        "unmatched": [list(astuple(each)) for each in reading.unmatched],
        "revisions": [list(_flat(each)) for each in reading.revisions],
        "texts": PlaceKinds(columns=reading.typed).to_json(),
        "waiting": [_written_operations(each, write) for each in reading.unsettled()],
    }


def _restore(reading: LiveReading, part: Part, read: PartReader) -> None:
    for name in _CLOCK:
        setattr(reading, name, part[name])
    reading.unused = Counter(part["unused"])
    reading.unmatched = [SetAside(*each) for each in part["unmatched"]]
    reading.revisions = [RevisionRecord(each[0], each[1], SetAside(*each[2:])) for each in part["revisions"]]
    reading.typed.update(PlaceKinds().with_json(part["texts"]).columns)
    reading.restore_waiting(_read_operations(each, read) for each in part["waiting"])


def _flat(record: RevisionRecord) -> tuple[Any, ...]:
    return record.revision, record.is_retraction, *astuple(record.origin)


def _written_operations(found: Operations, write: PartWriter) -> Part:
    taken = found.retractions
    return [found.is_event, list(found.key), write.records(found.records), taken and write.retractions(taken)]


def _read_operations(part: Sequence[Part], read: PartReader) -> Operations:
    is_event, key, records, taken = part
    return Operations(is_event, tuple(key), read.records(records), taken and read.retractions(taken))
