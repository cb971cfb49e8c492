"""A stopped stream: its rules, stages and state, as its checkpoint has them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.distribution.kept_stages import PlannedRules
from holdsfor.distribution.stages import Stages
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.kernels.keys import distinct_rows
from holdsfor.parallel.exchange.facts import Facts, Texts, by_name
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.parallel.stages.rule_pool import borrowed_rules
from holdsfor.parallel.stages.state_parts import StatePart, read_parts
from holdsfor.parallel.stages.stream_buckets import StreamBucket, StreamRouter, stream_buckets, stream_destinations
from holdsfor.runtime.session import EngineSession
from holdsfor.spark.exchange.shuffle_rows import by_bucket, loads_of, rows_of
from holdsfor.spark.streaming.bucket_sessions import restored_session
from holdsfor.spark.streaming.decisions import Decision, DecisionLog
from holdsfor.spark.streaming.identity import Manifest, last_commit, read_manifest
from holdsfor.spark.streaming.state_files import RESTART, StateFiles, StateNames, StreamFiles, number_of
from holdsfor.spark.streaming.stored_blocks import file_of_blocks, read_file
from holdsfor.spark.streaming.stored_rules import read_rules
from holdsfor.syntax.time_points import LATEST

__all__ = [
    "StoppedStream",
    "digest_of_stages",
    "planned_rules",
    "replayed_snapshot",
    "state_files",
    "state_parts",
    "wait_for",
    "waiting_facts",
]


def digest_of_stages(stages: Stages) -> str:
    """A digest of stages with their keys and routes."""
    return hashlib.blake2b(str(stages).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class StoppedStream:
    """The stream of a checkpoint; `next` is the number of its next micro-batch."""

    checkpoint: str
    files: StreamFiles

    @cached_property
    def manifest(self) -> Manifest:
        found = read_manifest(self.files)
        assert found is not None
        return found

    @cached_property
    def next(self) -> int:
        committed = last_commit(self.checkpoint)
        DecisionLog(self.files).check_committed(committed)
        return committed + 1

    @cached_property
    def decision(self) -> Decision:
        """The last decision of a complete micro-batch; state without one is HF792."""
        found = DecisionLog(self.files).before(self.next)
        if self.next and found.batch < 0 and self.files.inside(self.manifest.folder).folders("state"):
            message = "the checkpoint has the state of a stream without its decisions"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        return found

    @cached_property
    def rules(self) -> Rules:
        rules = read_rules(self.files.inside(self.manifest.folder))
        if rules is None:
            message = "the checkpoint has no copy of the rules: an older version of holdsfor has written it"
            hint = "start the stream once with this version, and stop it"
            raise DataProblem(Diagnostic("HF797", message, hint=hint))
        if rules.fingerprint() != self.manifest.identity.fingerprint:
            message = "the rules in the checkpoint are not those of its state"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        return rules

    @cached_property
    def planned(self) -> PlannedRules:
        """The rules with the plan of a run."""
        identity = self.manifest.identity
        return planned_rules(self.rules, identity.tick, identity.window)

    @cached_property
    def stages(self) -> Stages:
        stages = self.planned.plan(self.manifest.fixed_stages)
        if self.manifest.stages not in (None, digest_of_stages(stages)):
            message = "the checkpoint is from a version of holdsfor that plans other stages for these rules"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        return stages

    def check_complete(self) -> None:
        """Refuse a stream with a micro-batch that has begun and is not complete."""
        if DecisionLog(self.files).of(self.next) is not None:
            message = f"micro-batch {self.next} was begun with the old rules, and is not complete"
            hint = "start the stream with the old rules once, and stop it"
            raise DataProblem(Diagnostic("HF797", message, hint=hint))

    def check_unwritten(self) -> None:
        """Refuse a stream with a micro-batch that all buckets have evaluated and that is not complete.

        Its output may be written. Other buckets may settle other time-points, so they would lose or repeat results.
        """
        files = self.files.inside(self.manifest.folder)
        buckets = self.buckets(self.manifest.identity.n_buckets)
        if all(states.after(self.next) for bucket in buckets for states in state_files(bucket, files)):
            message = f"micro-batch {self.next} is evaluated and not complete: its output may be written"
            hint = "start the stream once, and stop it"
            raise DataProblem(Diagnostic("HF797", message, hint=hint))

    def begins(self) -> int | None:
        """The first time-point of the window of the next query time, None before the first one."""
        decision, identity = self.decision, self.manifest.identity
        if decision.last is None or decision.start is None:
            return None
        return max(decision.start, decision.last + identity.step - identity.window)

    def check_results(self) -> None:
        """Refuse a stream whose rules were changed, and that has no results of the new ones yet."""
        if self.manifest.is_restarted(self.decision.last):
            message = "the rules of the stream were changed, and it has not evaluated a query time since then"
            raise DataProblem(Diagnostic("HF797", message, hint="continue the stream first"))

    def buckets(self, n: int) -> list[StreamBucket]:
        """The function of each stage, with a number of buckets."""
        given, start = self.manifest.identity, self.decision.start
        run = RunSchedule(start or 0, LATEST, given.tick, given.window, given.step, given.allen_memory)
        destinations = stream_destinations(self.stages, self.rules, n)
        buckets = stream_buckets(self.stages, destinations, self.rules, run)
        return [replace(each, stream_start=start) for each in buckets]

    def write_snapshots(self) -> None:
        """Write the state of each bucket before the next micro-batch as a snapshot, where it has journals."""
        files = self.files.inside(self.manifest.folder)
        for bucket in self.buckets(self.manifest.identity.n_buckets):
            for states in state_files(bucket, files):
                names = states.needed_by(self.next)
                if names.journals and names.last is not None:
                    states.save(number_of(names.last), replayed_snapshot(bucket, states, names))


def planned_rules(rules: Rules, tick: int, window: int) -> PlannedRules:
    """Rules with the plan of a run in windows."""
    compiled, goals = rules.compiled(), rules.goal_terms()
    session = EngineSession(compiled, start=0, tick=tick, window=window, goals=goals)
    return PlannedRules(compiled, tuple(goals), session.rules.program)


def state_files(bucket: StreamBucket, files: StreamFiles) -> list[StateFiles]:
    """The files of the buckets of a stage."""
    n, stage = bucket.destination.n_buckets, bucket.destination.stage
    return [StateFiles(files, stage, number) for number in range(n)]


def state_parts(bucket: StreamBucket, states: StateFiles, name: str) -> list[StatePart]:
    """The parts of the state of a bucket in a snapshot; most states have one."""
    return read_parts(states.read(name), f"{states.folder}/{name}", bucket, states.bucket)[0]


def replayed_snapshot(bucket: StreamBucket, states: StateFiles, names: StateNames) -> bytes:
    """A snapshot of the state in the files of a bucket, after its journals are replayed."""
    with borrowed_rules(bucket.rules, bucket.components, is_last=bucket.is_last) as prepared:
        return restored_session(bucket, states, names, prepared).snapshot()


# -- records that wait -------------------------------------------------------------------------------------------------


def waiting_facts(found: Iterable[StateFiles], batch: int) -> Iterator[tuple[int, list[Facts], Texts]]:
    """The records that wait before a micro-batch, by the micro-batch that brought them, each once."""
    waiting: dict[int, list[tuple[StateFiles, str]]] = {}
    for each in found:
        for name in each.needed_by(batch).waiting:
            waiting.setdefault(number_of(name), []).append((each, name))
    for number, files in waiting.items():
        symbols = Symbols()
        blocks = [block for each, name in files for block in _blocks(each, name)]
        facts = [each for load in loads_of(blocks, symbols) for each in load.facts]
        yield number, list(_each_once(facts)), Texts(symbols)


def _blocks(states: StateFiles, name: str) -> list[Any]:
    return read_file(states.read(name), f"{states.folder}/{name}")


def _each_once(facts: Sequence[Facts]) -> Iterator[Facts]:
    """The facts of one micro-batch, without those that several buckets have received.

    A record has one place, a retraction has one id in its text.
    """
    for each in by_name(facts):
        texts = [text.dictionary_encode().indices.to_numpy().astype(np.int64) for text in each.texts.values()]
        columns = [*each.words, *each.times.values(), *texts]
        rows = distinct_rows(columns, each.n) if "place" in each.times else None
        yield each if rows is None else each.take(rows)


def wait_for(files: StreamFiles, batch: int, sender: StreamRouter, facts: Iterable[Facts], texts: Texts) -> None:
    """Write facts as records of a micro-batch that wait, for the buckets to which they are sent."""
    sent = [block for each in facts for block in sender.shuffle_blocks(each, texts)]
    for stage in sorted({block.stage for block in sent}):
        blocks = (block for block in sent if block.stage == stage)
        for number, rows in by_bucket(rows_of(blocks, texts)).items():
            StateFiles(files, stage, number).wait(batch, file_of_blocks(rows))
