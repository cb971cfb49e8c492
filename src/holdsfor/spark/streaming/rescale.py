"""Another number of buckets for a stopped stream: its state is written again, beside the old one, for other buckets.

The new state is complete before `stream.json` names its folder, so a crash leaves a stream with the old state or with
the new one. A micro-batch that Spark has not committed is repeated with the state before it, by the new buckets: its
records and its decision are in the checkpoint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from holdsfor.columns.encoding import Symbols
from holdsfor.distribution.stages import Stages, plan_stages
from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.kernels.keys import distinct_rows
from holdsfor.kernels.packing import OPEN
from holdsfor.parallel.exchange.facts import Facts, Texts, by_name
from holdsfor.parallel.exchange.routing import Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.parallel.stages.rescaled_states import rescaled_states, settled_until
from holdsfor.parallel.stages.stream_buckets import StreamBucket, StreamRouter, stream_buckets, stream_destinations
from holdsfor.runtime.session import EngineSession
from holdsfor.spark.exchange.shuffle_rows import by_bucket, loads_of, rows_of
from holdsfor.spark.input.ingestion import check_buckets
from holdsfor.spark.streaming.bucket_steps import read_blocks, written_blocks
from holdsfor.spark.streaming.checkpoint_lock import locked_alone
from holdsfor.spark.streaming.decisions import Decision, DecisionLog
from holdsfor.spark.streaming.identity import Manifest, last_commit, read_manifest, write_manifest
from holdsfor.spark.streaming.state_files import FILES, RESTART, StateFiles, StreamFiles, number_of
from holdsfor.spark.streaming.stored_rules import read_rules
from holdsfor.syntax.time_points import LATEST

__all__ = ["Rescaled", "digest_of_stages", "rescale"]


@dataclass(frozen=True)
class Rescaled:
    """The numbers of buckets before and after, of the entities with results in all stages, and of bytes of state.

    >>> print(Rescaled(buckets_before=8, buckets=16, entities=1200, bytes_before=3_000_000, bytes=3_100_000))
    8 buckets are now 16: 1200 entities, 3000000 bytes of state before and 3100000 after
    """

    buckets_before: int
    buckets: int
    entities: int
    bytes_before: int
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.buckets_before} buckets are now {self.buckets}: {self.entities} entities, "
            f"{self.bytes_before} bytes of state before and {self.bytes} after"
        )


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
    check_buckets(buckets)
    files = StreamFiles(f"{checkpoint.rstrip('/')}/{FILES}")
    if read_manifest(files) is None:
        message = f"`{checkpoint}` is not the checkpoint of a stream of holdsfor"
        raise UsageProblem(Diagnostic("HF793", message, hint="give the folder of `checkpointLocation`"))
    with locked_alone(files):
        return _Rescaling(checkpoint.rstrip("/"), files, buckets).run()


def digest_of_stages(stages: Stages) -> str:
    """A digest of stages with their keys and routes."""
    return hashlib.blake2b(str(stages).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class _Rescaling:
    """The change of one checkpoint; `next` is the number of its next micro-batch."""

    checkpoint: str
    files: StreamFiles
    n_new: int

    def run(self) -> Rescaled:
        manifest = self.manifest
        n_old, next_folder = manifest.identity.n_buckets, manifest.next_folder
        old, new = self.files.inside(manifest.folder), self.files.inside(next_folder)
        before = old.size("state")
        if n_old == self.n_new:
            return Rescaled(n_old, n_old, 0, before, before)
        self.files.delete_folder(next_folder)
        n_entities = sum(self._stage(position, old, new) for position in range(len(self.stages.stages)))
        identity = replace(manifest.identity, n_buckets=self.n_new)
        changed = Manifest(identity, next_folder, self.next - 1, digest_of_stages(self.stages))
        write_manifest(self.files, changed)
        return Rescaled(n_old, self.n_new, n_entities, before, new.size("state"))

    # -- the stream ----------------------------------------------------------------------------------------------------

    @cached_property
    def manifest(self) -> Manifest:
        found = read_manifest(self.files)
        assert found is not None
        return found

    @cached_property
    def next(self) -> int:
        return last_commit(self.checkpoint) + 1

    @cached_property
    def decision(self) -> Decision:
        return DecisionLog(self.files).before(self.next)

    @cached_property
    def rules(self) -> Rules:
        rules = read_rules(self.files)
        if rules is None:
            message = "the checkpoint has no copy of the rules: an older version of holdsfor has written it"
            hint = "start the stream once with this version, and stop it"
            raise DataProblem(Diagnostic("HF797", message, hint=hint))
        if rules.fingerprint() != self.manifest.identity.fingerprint:
            message = "the rules in the checkpoint are not those of its state"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        return rules

    @cached_property
    def stages(self) -> Stages:
        identity, compiled, goals = self.manifest.identity, self.rules.compiled(), self.rules.goal_terms()
        planned = EngineSession(compiled, start=0, tick=identity.tick, window=identity.window, goals=goals)
        stages = plan_stages(compiled, planned.rules.program, has_start_up_goals=bool(goals))
        if self.manifest.stages not in (None, digest_of_stages(stages)):
            message = "the checkpoint is from a version of holdsfor that plans other stages for these rules"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        return stages

    def _buckets(self, n: int) -> list[StreamBucket]:
        given, start = self.manifest.identity, self.decision.start
        run = RunSchedule(start or 0, LATEST, given.tick, given.window, given.step, given.allen_memory)
        destinations = stream_destinations(self.stages, self.rules, n)
        return stream_buckets(self.stages, destinations, self.rules, run)

    @cached_property
    def old(self) -> list[StreamBucket]:
        return self._buckets(self.manifest.identity.n_buckets)

    @cached_property
    def new(self) -> list[StreamBucket]:
        return self._buckets(self.n_new)

    # -- stages --------------------------------------------------------------------------------------------------------

    def _stage(self, position: int, old: StreamFiles, new: StreamFiles) -> int:
        """Write the state of a stage for the new buckets; the number of its entities."""
        before, after = self.old[position], self.new[position]
        found = self._files(before, old)
        names = {each.needed_by(self.next)[0] for each in found}
        if len(names) > 1:
            message = f"the buckets of stage {position + 1} have states of different micro-batches"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        (name,) = names
        n_entities = 0
        if name is not None:
            n_entities = self._states(position, found, name, after, new)
        self._waiting(after, found, new)
        return n_entities

    def _files(self, bucket: StreamBucket, files: StreamFiles) -> list[StateFiles]:
        n, stage = bucket.destination.n_buckets, bucket.destination.stage
        return [StateFiles(files, stage, number) for number in range(n)]

    def _states(
        self, position: int, found: Sequence[StateFiles], name: str, after: StreamBucket, new: StreamFiles
    ) -> int:
        stage, targets, batch = self.stages.stages[position], self._files(after, new), number_of(name)
        if not stage.is_keyed:
            targets[0].save(batch, found[0].read(name))
            return 0
        n_entities = 0
        for each in rescaled_states(
            stage, self.old[position], after, lambda number: found[number].read(name), self._boundary(position, found)
        ):
            targets[each.bucket].save(batch, each.content)
            n_entities += each.n_keys
        return n_entities

    def _boundary(self, position: int, found: Sequence[StateFiles]) -> int:
        """The last time-point that neither later records nor earlier stages change."""
        assert self.decision.last is not None
        bounds = [self.decision.last - self.manifest.identity.window]
        destination = self.old[position].destination.stage
        senders = self.old[position].sender.senders.get(destination, frozenset())
        for sender in senders:
            for each in self._files(self.old[sender - 1], found[0].files):
                name = each.needed_by(self.next)[0]
                bounds.append(OPEN if name is None else settled_until(each.read(name), f"{each.folder}/{name}"))
        return min(bounds)

    def _waiting(self, after: StreamBucket, found: Sequence[StateFiles], new: StreamFiles) -> None:
        """Send the records that wait for a query time to the new buckets."""
        waiting: dict[int, list[tuple[StateFiles, str]]] = {}
        for each in found:
            for name in each.needed_by(self.next)[1]:
                waiting.setdefault(number_of(name), []).append((each, name))
        sender = StreamRouter(Router((after.destination,)))
        for batch, files in waiting.items():
            symbols = Symbols()
            blocks = [block for each, name in files for block in read_blocks(each.read(name))]
            facts = [each for load in loads_of(blocks, symbols) for each in load.facts]
            texts = Texts(symbols)
            sent = (block for each in _each_once(facts) for block in sender.shuffle_blocks(each, texts))
            for number, rows in by_bucket(rows_of(sent, texts)).items():
                StateFiles(new, after.destination.stage, number).wait(batch, written_blocks(rows))


def _each_once(facts: Sequence[Facts]) -> Iterator[Facts]:
    """The facts of one micro-batch, without those that several buckets have received: a record has one place."""
    for each in by_name(facts):
        rows = distinct_rows([*each.words, *each.times.values()], each.n) if "place" in each.times else None
        yield each if rows is None else each.take(rows)
