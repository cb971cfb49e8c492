"""a rescaled stream = one engine: a stream that is stopped anywhere continues with any number of buckets.

The cases are those of `test_streamed.py`. These laws are for state that a new bucket does not get, or gets twice:
records that wait, results between stages, pending effects, intervals of Allen constructs, members of domains, and the
last report.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdsfor.errors import DataProblem, ExecutionProblem, PlanningProblem
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.runtime.session import Incremental
from holdsfor.runtime.snapshot import FORMAT
from holdsfor.spark.streaming.identity import Identity, Manifest, read_manifest, write_manifest
from holdsfor.spark.streaming.rescale import rescale
from holdsfor.spark.streaming.state_files import FILES
from holdsfor.spark.streaming.stopped_stream import digest_of_stages
from holdsfor.spark.streaming.stored_rules import store_rules
from holdsfor.syntax.time_points import LATEST
from tests.properties.answers import read_case
from tests.properties.deciding_programs import deciding_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.programs import Case, random_case
from tests.properties.staged import stages_of
from tests.properties.streamed import SimulatedStream, embedded_outcome, quiet_batches, random_cuts
from tests.properties.test_staged_reports import arriving_late, narrow_windows
from tests.properties.test_streamed import (
    ANY,
    CUT,
    DECIDING,
    DELAYED,
    KEYED,
    check,
    cut_case,
    on_executors,
    with_members,
)
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

BUCKETS = (1, 2, 3, 4, 6, 7)


def begun(stream: SimulatedStream, checkpoint: Path, n_buckets: int) -> None:
    """Write what a query writes at its first start."""
    run = stream.run
    assert run.step is not None
    assert run.window is not None
    fingerprint, memory = stream.rules.fingerprint(), run.allen_memory
    given = (run.window, run.step, run.tick, run.start, memory)
    identity = Identity(fingerprint, *given, "s", None, "event", n_buckets, [])
    write_manifest(stream.files, Manifest(identity, stages=digest_of_stages(stream.stages)))
    store_rules(stream.files, stream.rules)
    (checkpoint / "commits").mkdir()


def rescaled(stream: SimulatedStream, checkpoint: Path, n_buckets: int) -> int:
    """Rescale a stream; the number of sessions that its buckets have besides the first ones."""
    n_parts = rescale(str(checkpoint), buckets=n_buckets).n_parts
    manifest = read_manifest(stream.files)
    assert manifest is not None
    stream.divide(n_buckets, manifest.folder)
    return n_parts


@contextmanager
def suppress_refusal(number: int) -> Iterator[None]:
    """Continue with the old buckets if the output of a micro-batch may be written, or for too many sessions."""
    try:
        yield
    except DataProblem as problem:
        if not re.search(f"HF797.*(micro-batch {number} is evaluated|intervals are undecided)", str(problem)):
            raise


def leave_an_attempt(stream: SimulatedStream) -> None:
    """Write what a crash leaves before the new state is complete."""
    manifest = read_manifest(stream.files)
    assert manifest is not None
    stream.files.write(f"{manifest.next_folder}/state/1/0/000000000999.state", b"incomplete")


def compare(seed: int, case: Case, checkpoint: Path) -> tuple[int, int, int]:
    """Compare a stream that is rescaled several times with a session: changes, rescalings, those with parts."""
    chance = random.Random(seed)
    window, step = narrow_windows(case, chance)
    given = read_case(case)
    run = RunSchedule(case.start, LATEST, case.tick, window, step, case.allen_memory)
    batches = random_cuts(arriving_late(case, window, chance), chance)
    stops = set(chance.sample(range(len(batches)), min(len(batches), 3)))
    batches += quiet_batches(batches, run)
    lines = [line for batch in batches for line in batch]
    last = case.start + (max(int(line.split("|")[1]) for line in lines) - 1 - case.start) // step * step
    try:
        expected = embedded_outcome(lines, given.compiled, run, last)
    except (PlanningProblem, ExecutionProblem):
        return 0, 0, 0
    incremental: Incremental = "on" if seed % 2 else "auto"
    n_buckets = chance.choice(BUCKETS)
    stream = SimulatedStream(given.compiled, stages_of(given), run, n_buckets, checkpoint / FILES, incremental)
    on_executors(stream, seed)
    begun(stream, checkpoint, n_buckets)
    n_done = n_apart = 0
    for number, batch in enumerate(batches):
        if number in stops:
            if chance.random() < 0.3:
                stream.batch(number, batch, fails_at=chance.randint(0, 3))
            wanted = chance.choice(BUCKETS)
            leave_an_attempt(stream)
            with suppress_refusal(number):
                n_parts = rescaled(stream, checkpoint, wanted)
                n_done, n_apart = n_done + 1, n_apart + (n_parts > 0)
        stream.batch(number, batch)
        (checkpoint / "commits" / str(number)).touch()
    n_changes = check(seed, expected, stream.outcome, f"{run}\n{case.text}\n{batches}")
    return n_changes, n_done, n_apart


def compare_all(seeds: range, made: Callable[[int], Case], folder: Path) -> None:
    for seed in seeds:
        checkpoint = folder / str(seed)
        checkpoint.mkdir()
        print(f"seed {seed}: changes, rescalings, those with parts", compare(seed, made(seed), checkpoint))


@pytest.mark.parametrize("seeds", chunks(share(ANY, 5)), ids=named)
def test_rescaled_streams_of_any_program_have_the_changes_of_one_engine(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, random_case, tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 2)), ids=named)
def test_rescaled_streams_of_programs_with_keys_have_the_changes_of_one_engine(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, lambda seed: with_members(keyed_case(seed)), tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(DELAYED, 2)), ids=named)
def test_rescaled_streams_keep_pending_effects(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, delayed_case, tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(CUT, 5)), ids=named)
def test_rescaled_streams_keep_intervals_that_are_cut(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, cut_case, tmp_path)


@pytest.mark.parametrize("seeds", chunks(share(DECIDING, 1)), ids=named)
def test_rescaled_stages_keep_undecided_intervals(seeds: range, tmp_path: Path) -> None:
    compare_all(seeds, deciding_case, tmp_path)


def damaged(content: bytes) -> bytes:
    return content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]


def of_format(content: bytes, version: int) -> bytes:
    at = len(b"holdsfor snapshot\n")
    return content[:at] + version.to_bytes(4, "little") + content[at + 4 :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (damaged, "HF508.*bucket 1.*damaged"),
        (lambda content: of_format(content, FORMAT - 1), f"HF509.*older version of holdsfor: format {FORMAT - 1}"),
        (lambda content: of_format(content, FORMAT + 1), f"HF509.*newer version of holdsfor: format {FORMAT + 1}"),
    ],
)
def test_a_refused_state_leaves_the_checkpoint_as_it_is(
    change: Callable[[bytes], bytes], message: str, tmp_path: Path
) -> None:
    """The state of the first buckets is then already written beside the old one."""
    case, chance = keyed_case(9103), random.Random(9103)
    given, run = read_case(case), RunSchedule(case.start, LATEST, case.tick, 12, 6, None)
    stream = SimulatedStream(given.compiled, stages_of(given), run, 2, tmp_path / FILES)
    begun(stream, tmp_path, 2)
    for number, batch in enumerate(random_cuts(arriving_late(case, 12, chance), chance)):
        stream.batch(number, batch)
        (tmp_path / "commits" / str(number)).touch()
    state = sorted((tmp_path / FILES / "state/1/1").iterdir())[-1]
    assert state.suffix == ".state"
    content, before = state.read_bytes(), read_manifest(stream.files)
    state.write_bytes(change(content))
    with pytest.raises(DataProblem, match=message):
        rescale(str(tmp_path), buckets=4)
    assert read_manifest(stream.files) == before
    state.write_bytes(content)
    assert rescaled(stream, tmp_path, 4) == 0


def test_a_micro_batch_whose_output_may_be_written_is_completed_before_a_change(tmp_path: Path) -> None:
    case, chance = keyed_case(9103), random.Random(9103)
    given, run = read_case(case), RunSchedule(case.start, LATEST, case.tick, 12, 6, None)
    stream = SimulatedStream(given.compiled, stages_of(given), run, 2, tmp_path / FILES)
    begun(stream, tmp_path, 2)
    batches = random_cuts(arriving_late(case, 12, chance), chance)
    due = [number for number, batch in enumerate(batches) if done(stream, number, batch, tmp_path)]
    (tmp_path / "commits" / str(due[-1])).unlink()
    for number in range(due[-1] + 1, len(batches)):
        (tmp_path / "commits" / str(number)).unlink()
    with pytest.raises(DataProblem, match=f"HF797.*micro-batch {due[-1]} is evaluated and not complete"):
        rescale(str(tmp_path), buckets=3)
    last = sorted((tmp_path / FILES / "state/1/1").glob(f"*{due[-1]}.state"))[-1]
    last.unlink()
    assert rescale(str(tmp_path), buckets=3).buckets == 3


def done(stream: SimulatedStream, number: int, batch: list[str], checkpoint: Path) -> bool:
    """Run a micro-batch; whether a query time was due."""
    is_due = stream.batch(number, batch).is_due
    (checkpoint / "commits" / str(number)).touch()
    return is_due
