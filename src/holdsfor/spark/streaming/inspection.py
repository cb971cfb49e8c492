"""The state of a stream in its checkpoint, as text: the query time reached, the sources, and the state of buckets."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.kernels.packing import OPEN
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.spark.streaming.decisions import Decision, DecisionLog
from holdsfor.spark.streaming.identity import read_manifest
from holdsfor.spark.streaming.state_files import FILES, StreamFiles

__all__ = ["inspection_of"]


def inspection_of(checkpoint: str) -> Iterator[str]:
    """Lines about the stream of a checkpoint; HF793 for a folder that is not a checkpoint of a stream."""
    files = StreamFiles(f"{checkpoint.rstrip('/')}/{FILES}")
    manifest = read_manifest(files)
    if manifest is None:
        message = f"`{checkpoint}` is not the checkpoint of a stream of holdsfor"
        raise UsageProblem(Diagnostic("HF793", message, hint="give the folder of `checkpointLocation`"))
    identity = manifest.identity
    yield f"window {identity.window}, step {identity.step}, clock tick {identity.tick}, {identity.n_buckets} buckets"
    decision = DecisionLog(files).last()
    if decision is None:
        yield "no micro-batch yet"
        return
    yield from _progress(decision)
    yield from _state(files.inside(manifest.folder))


def _progress(decision: Decision) -> Iterator[str]:
    reached = "no query time yet" if decision.last is None else f"query time {decision.last} reached"
    yield f"micro-batch {decision.batch}, start {decision.start}, {reached}"
    for name, clock in decision.sources.items():
        yield f"source {name}: arrival {clock}" + (", idle" if name in decision.idle else "")
    for name in decision.missing:
        yield f"input {name}: no record yet"


def _state(files: StreamFiles) -> Iterator[str]:
    """The size of the state of each stage, the open intervals of its fluents, and the oldest of them."""
    for stage in files.folders("state"):
        n_bytes = n_records = n_waiting = 0
        n_open: dict[str, int] = {}
        oldest: int | None = None
        largest = 0
        for bucket in files.folders(f"state/{stage}"):
            folder = f"state/{stage}/{bucket}"
            names = files.names(folder)
            n_waiting += sum(name.endswith(".waiting") for name in names)
            states = [name for name in names if name.endswith(".state")]
            if not states:
                continue
            content = files.read(f"{folder}/{states[-1]}")
            n_bytes, largest = n_bytes + len(content), max(largest, len(content))
            snapshot = Snapshot.from_bytes(content, f"{folder}/{states[-1]}")
            for (name, _), (_, starts, ends) in snapshot.parts.get("report", [0, [], []])[1]:
                is_open = snapshot.columns[ends] == OPEN
                if is_open.any():
                    n_open[name] = n_open.get(name, 0) + int(is_open.sum())
                    first = int(snapshot.columns[starts][is_open].min())
                    oldest = first if oldest is None else min(oldest, first)
            stored = snapshot.parts["state"]["records"]
            n_records += sum(
                len(snapshot.columns[part[2]]) for kind in ("events", "fluents") for _, part in stored[kind]
            )
        yield f"stage {stage}: {n_bytes} bytes, largest bucket {largest}, {n_records} records, {n_waiting} files wait"
        yield from (f"  {name}: {n} open intervals" for name, n in sorted(n_open.items()))
        if oldest is not None:
            yield f"  the oldest open interval starts at {oldest}"
