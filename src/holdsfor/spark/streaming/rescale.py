"""Another number of buckets for a stopped stream: its state is written again, beside the old one, for other buckets.

The new state is complete before `stream.json` names its folder, so a crash leaves a stream with the old state or with
the new one. A micro-batch that Spark has not committed is repeated with the state before it, by the new buckets: its
records and its decision are in the checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from holdsfor.errors import DataProblem, Diagnostic, UsageProblem, counted
from holdsfor.parallel.exchange.routing import Router
from holdsfor.parallel.stages.rescaled_states import rescaled_states, settled_until
from holdsfor.parallel.stages.stream_buckets import StreamBucket, StreamRouter
from holdsfor.spark.input.ingestion import MOST_STREAM_BUCKETS, check_buckets
from holdsfor.spark.streaming.checkpoint_lock import locked
from holdsfor.spark.streaming.identity import PLACE, Manifest, read_manifest, write_manifest
from holdsfor.spark.streaming.state_files import FILES, RESTART, StateFiles, StreamFiles, number_of
from holdsfor.spark.streaming.stopped_stream import (
    StoppedStream,
    digest_of_stages,
    state_files,
    state_parts,
    wait_for,
    waiting_facts,
)
from holdsfor.spark.streaming.stored_rules import store_rules

__all__ = ["Rescaled", "rescale"]


@dataclass(frozen=True)
class Rescaled:
    """The numbers of buckets before and after, of the entities with results in all stages, and of bytes of state.

    `n_parts` counts the sessions that buckets have besides their first ones, until a query time has decided all
    intervals that other sessions have settled.

    >>> print(Rescaled(buckets_before=8, buckets=16, entities=1200, bytes_before=3_000_000, bytes=3_100_000))
    8 buckets before, 16 now: 1,200 entities, 3,000,000 bytes of state before and 3,100,000 after
    >>> print(Rescaled(buckets_before=8, buckets=6, entities=1200, bytes_before=3_000_000, bytes=3_100_000, n_parts=18))
    8 buckets before, 6 now: 1,200 entities, 3,000,000 bytes of state before and 3,100,000 after
    18 more sessions for undecided intervals, until the stream has decided them
    >>> print(Rescaled(buckets_before=8, buckets=8, entities=0, bytes_before=3_000_000, bytes=3_000_000))
    the stream has 8 buckets, nothing is changed
    """

    buckets_before: int
    buckets: int
    entities: int
    bytes_before: int
    bytes: int
    n_parts: int = 0

    def __str__(self) -> str:
        if self.buckets == self.buckets_before:
            return f"the stream has {counted(self.buckets, 'bucket')}, nothing is changed"
        shown = (
            f"{counted(self.buckets_before, 'bucket')} before, {self.buckets} now: "
            f"{counted(self.entities, 'entity', 'entities')}, "
            f"{counted(self.bytes_before, 'byte')} of state before and {self.bytes:,} after"
        )
        if self.n_parts:
            shown += f"\n{counted(self.n_parts, 'more session')} for undecided intervals"
            shown += ", until the stream has decided them"
        return shown


def rescale(checkpoint: str, *, buckets: int) -> Rescaled:
    """Change the number of buckets of a stopped stream; the stream then continues with the new number.

    The checkpoint is the folder of `checkpointLocation`. A running stream, and a state that cannot be divided, are
    refused (HF797), and the checkpoint stays as it is.

    >>> import holdsfor as hf
    >>> hf.spark.rescale("no/such/checkpoint", buckets=4)
    Traceback (most recent call last):
    ...
    holdsfor.errors.UsageProblem: error[HF793]: `no/such/checkpoint` is not the checkpoint of a stream of holdsfor
      hint: give the folder of `checkpointLocation`
    """
    check_buckets(buckets, MOST_STREAM_BUCKETS)
    files = StreamFiles(f"{checkpoint.rstrip('/')}/{FILES}")
    if read_manifest(files) is None:
        message = f"`{checkpoint}` is not the checkpoint of a stream of holdsfor"
        raise UsageProblem(Diagnostic("HF793", message, hint=PLACE))
    with locked(files):
        return _Rescaling(StoppedStream(checkpoint.rstrip("/"), files), buckets).run()


@dataclass(frozen=True)
class _Rescaling:
    """The change of one checkpoint."""

    stream: StoppedStream
    n_new: int

    def run(self) -> Rescaled:
        manifest = self.stream.manifest
        n_old, next_folder = manifest.identity.n_buckets, manifest.next_folder
        old, new = self.stream.files.inside(manifest.folder), self.stream.files.inside(next_folder)
        before = old.size("state")
        if n_old == self.n_new:
            return Rescaled(n_old, n_old, 0, before, before)
        self.stream.check_results()
        self.stream.check_unwritten()
        self.stream.write_snapshots()
        self.stream.files.delete_folder(next_folder)
        counts = [self._stage(position, old, new) for position in range(len(self.stream.stages.stages))]
        n_entities, n_parts = sum(each for each, _ in counts), sum(each for _, each in counts)
        identity = replace(manifest.identity, n_buckets=self.n_new)
        changed = Manifest(
            identity, next_folder, self.stream.next - 1, digest_of_stages(self.stream.stages), fixed=manifest.fixed
        )
        store_rules(new, self.stream.rules)
        write_manifest(self.stream.files, changed)
        return Rescaled(n_old, self.n_new, n_entities, before, new.size("state"), n_parts)

    @cached_property
    def old(self) -> list[StreamBucket]:
        return self.stream.buckets(self.stream.manifest.identity.n_buckets)

    @cached_property
    def new(self) -> list[StreamBucket]:
        return self.stream.buckets(self.n_new)

    # -- stages --------------------------------------------------------------------------------------------------------

    def _stage(self, position: int, old: StreamFiles, new: StreamFiles) -> tuple[int, int]:
        """Write the state of a stage for the new buckets; the numbers of its entities and of additional parts."""
        before, after = self.old[position], self.new[position]
        found = state_files(before, old)
        names = {each.needed_by(self.stream.next).snapshot for each in found}
        if len(names) > 1:
            message = f"the buckets of stage {position + 1} have states of different micro-batches"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        (name,) = names
        counts = 0, 0
        if name is not None:
            counts = self._states(position, found, name, after, new)
        self._waiting(after, found, new)
        return counts

    def _states(
        self, position: int, found: Sequence[StateFiles], name: str, after: StreamBucket, new: StreamFiles
    ) -> tuple[int, int]:
        stage, targets, batch = self.stream.stages.stages[position], state_files(after, new), number_of(name)
        if not stage.is_keyed:
            targets[0].save(batch, found[0].read(name))
            return 0, 0
        n_entities = n_parts = 0
        for each in rescaled_states(
            stage, self.old[position], after, lambda number: found[number].read(name), self._boundary(position, found)
        ):
            targets[each.bucket].save(batch, each.content)
            n_entities, n_parts = n_entities + each.n_keys, n_parts + each.n_parts - 1
        return n_entities, n_parts

    def _boundary(self, position: int, found: Sequence[StateFiles]) -> int:
        """The last time-point that neither later records nor earlier stages change."""
        assert self.stream.decision.last is not None
        bounds = [self.stream.decision.last - self.stream.manifest.identity.window]
        destination = self.old[position].destination.stage
        senders = self.old[position].sender.senders.get(destination, frozenset())
        for sender in senders:
            for each in state_files(self.old[sender - 1], found[0].files):
                name = each.needed_by(self.stream.next).snapshot
                if name is not None:
                    bounds.append(settled_until(state_parts(self.old[sender - 1], each, name)))
        return min(bounds)

    def _waiting(self, after: StreamBucket, found: Sequence[StateFiles], new: StreamFiles) -> None:
        """Send the records that wait for a query time to the new buckets."""
        sender = StreamRouter(Router((after.destination,)))
        for batch, facts, texts in waiting_facts(found, self.stream.next):
            wait_for(new, batch, sender, facts, texts)
