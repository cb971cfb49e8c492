"""Journals of buckets: what a repetition needs stays, and files that do not fit each other are refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.spark.streaming import bucket_sessions
from holdsfor.spark.streaming.bucket_sessions import BucketSession, is_snapshot_due
from holdsfor.spark.streaming.bucket_steps import KeptBuckets
from holdsfor.spark.streaming.inspection import inspection_of
from holdsfor.spark.streaming.journals import Journal
from holdsfor.spark.streaming.state_files import FILES, StateFiles, StreamFiles
from holdsfor.spark.streaming.stored_blocks import read_file, written_blocks
from holdsfor.syntax.time_points import LATEST
from tests.properties.answers import read_case
from tests.properties.programs import Case
from tests.properties.staged import stages_of
from tests.properties.streamed import SimulatedStream, embedded_outcome
from tests.properties.test_rescaled import begun

RULES = """
initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).
terminatedAt(rich(X)=true, T) :- happensAt(lose(X), T).
"""
BATCHES = [[f"win|{at}|{at}|a{at % 3}", f"lose|{at + 9}|{at + 1}|a{at % 5}"] for at in range(2, 102, 10)]
RUN = RunSchedule(0, LATEST, 1, 40, 10)


def journals_only() -> KeptBuckets:
    return KeptBuckets(lambda *_: False)


def streamed(folder: Path, kept: KeptBuckets | None) -> SimulatedStream:
    """A stream of one bucket that is always evaluated in one process."""
    given = read_case(Case(RULES, [], 0, 120, 1))
    stream = SimulatedStream(given.compiled, stages_of(given), RUN, 1, folder)
    stream.executors_of = lambda _: [kept]
    return stream


def run(stream: SimulatedStream, *numbers: int) -> None:
    for number in numbers:
        stream.batch(number, BATCHES[number])


def names(folder: Path) -> list[str]:
    return sorted(f"{int(path.stem)}{path.suffix}" for path in (folder / "state/1/0").iterdir())


def file_of(folder: Path, name: str) -> Path:
    return folder / f"state/1/0/{int(name.partition('.')[0]):012}.{name.partition('.')[2]}"


def expected() -> object:
    lines = [line for batch in BATCHES for line in batch]
    return embedded_outcome(lines, hf.load_text(RULES), RUN, 100).changes


def test_the_state_of_another_bucket_is_refused(tmp_path: Path) -> None:
    """A backup that was restored in part, or into other folders, may have it."""
    stream = streamed(tmp_path, None)
    stream.divide(2, "")
    run(stream, 0, 1)
    (tmp_path / "state/1/0").rename(tmp_path / "aside")
    (tmp_path / "state/1/1").rename(tmp_path / "state/1/0")
    (tmp_path / "aside").rename(tmp_path / "state/1/1")
    with pytest.raises(DataProblem, match=r"HF792.*has the state of bucket 1 of stage 1"):
        run(stream, 2)


def test_a_lost_session_is_restored_from_a_snapshot_and_its_journals(tmp_path: Path) -> None:
    stream = streamed(tmp_path, journals_only())
    run(stream, *range(6))
    assert names(tmp_path) == ["0.state", *(f"{number}.journal" for number in range(1, 6))]
    other = journals_only()
    stream.executors_of = lambda _: [other]
    run(stream, *range(6, 10))
    assert names(tmp_path) == ["6.state", "7.journal", "8.journal", "9.journal"]
    assert stream.outcome.changes == expected()


def test_files_stay_until_no_repetition_needs_them(tmp_path: Path) -> None:
    """Micro-batch 5 deletes what the snapshot of micro-batch 4 replaces: micro-batch 4 is not repeated any more."""
    due: list[bool] = [False, False, False, True, False, False, False, False, False]
    stream = streamed(tmp_path, KeptBuckets(lambda *_: due.pop(0)))
    run(stream, *range(5))
    before = names(tmp_path)
    assert before == ["0.state", "1.journal", "2.journal", "3.journal", "4.state"]
    stream.executors_of = lambda _: [None]
    stream.batch(4, BATCHES[4], fails_at=9)
    assert names(tmp_path) == before
    run(stream, 5)
    assert names(tmp_path) == ["4.state", "5.state"]


def test_a_repeated_micro_batch_writes_a_snapshot_that_decides(tmp_path: Path) -> None:
    """A session whose journal was followed by a repetition in another process is not used again."""
    first, other = journals_only(), journals_only()
    stream = streamed(tmp_path, first)
    run(stream, 0, 1, 2)
    stream.batch(3, BATCHES[3], fails_at=9)
    stream.executors_of = lambda _: [other]
    run(stream, 3)
    assert names(tmp_path) == ["0.state", "1.journal", "2.journal", "3.journal", "3.state"]
    stream.executors_of = lambda _: [first]
    run(stream, *range(4, 10))
    assert names(tmp_path) == ["4.state", *(f"{number}.journal" for number in range(5, 10))]
    assert stream.outcome.changes == expected()


def test_a_bucket_that_moves_between_processes_replays_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replayed: list[str] = []
    monkeypatch.setattr(BucketSession, "replay", lambda *given: replayed.append(given[-1]))
    stream, processes = streamed(tmp_path, None), [journals_only(), journals_only()]
    for number in range(10):
        stream.executors_of = lambda _, kept=processes[number % 2]: [kept]  # type: ignore[misc]
        run(stream, number)
    assert not replayed
    assert stream.outcome.changes == expected()


def test_a_task_that_was_lost_does_not_write_after_the_next_micro_batch(tmp_path: Path) -> None:
    stream, delayed = streamed(tmp_path, journals_only()), [False, False, True]
    stream.is_delayed = lambda: bool(delayed) and delayed.pop(0)
    run(stream, *range(6))
    assert names(tmp_path) == ["0.state", *(f"{number}.journal" for number in range(1, 6))]


def test_a_file_without_its_name_is_not_read(tmp_path: Path) -> None:
    """A crash between the write and the rename leaves a hidden file."""
    stream = streamed(tmp_path, journals_only())
    run(stream, *range(6))
    (tmp_path / "state/1/0/.000000000005.state.0123").write_bytes(b"holdsfor snap")
    stream.executors_of = lambda _: [None]
    run(stream, *range(6, 10))
    assert stream.outcome.changes == expected()


def without_a_journal(folder: Path) -> None:
    file_of(folder, "3.journal").unlink()


def of_another_stream(folder: Path) -> None:
    other = streamed(folder / "other", journals_only())
    for number in range(6):
        other.batch(number, BATCHES[number] if number else [*BATCHES[number], "win|2|1|eve"])
    shutil.copy(file_of(folder / "other", "0.state"), file_of(folder, "0.state"))


def cut_off(folder: Path) -> None:
    path = file_of(folder, "3.journal")
    path.write_bytes(path.read_bytes()[:-9])


def without_a_snapshot(folder: Path) -> None:
    file_of(folder, "0.state").unlink()


def of_a_newer_version(folder: Path) -> None:
    path = file_of(folder, "3.journal")
    at = len(b"holdsfor journal\n")
    path.write_bytes(path.read_bytes()[:at] + b"\7" + path.read_bytes()[at + 1 :])


def with_another_result(folder: Path) -> None:
    """As if another version had evaluated the micro-batch."""
    path, after = file_of(folder, "5.journal"), "0" * 32
    found = Journal.from_bytes(path.read_bytes(), "journal")
    path.write_bytes(Journal(found.last, found.settled, found.before, after, found.blocks).to_bytes())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_a_journal, "4.journal` does not continue the state before it"),
        (of_another_stream, "1.journal` does not continue the state before it"),
        (without_a_snapshot, "1.journal` does not continue the state before it"),
        (cut_off, "3.journal` is damaged or cut off"),
        (of_a_newer_version, "3.journal` is from a newer version of holdsfor: format 7, expected 1"),
        (with_another_result, "5.journal` has other results than the micro-batch that wrote it"),
    ],
)
def test_files_that_do_not_fit_are_refused(change: Callable[[Path], None], message: str, tmp_path: Path) -> None:
    stream = streamed(tmp_path, journals_only())
    run(stream, *range(6))
    change(tmp_path)
    stream.executors_of = lambda _: [None]
    with pytest.raises(DataProblem, match=f"HF792.*00000000{message}"):
        run(stream, 6)


def test_journals_reach_a_share_of_the_snapshot(tmp_path: Path) -> None:
    states = StateFiles(StreamFiles(str(tmp_path)), 1, 0)
    given = BucketSession(None, 0, [], "", snapshot_bytes=100_000)  # type: ignore[arg-type]
    assert is_snapshot_due(states, given, 10)
    given.snapshot_bytes, n_journals = 10_000_000, 0
    while not is_snapshot_due(states, given, 50_000):
        given.note_journal(50_000)
        n_journals += 1
    assert n_journals == 5_000_000 // (50_000 + bucket_sessions._REPLAY_BYTES)


def test_an_inspection_replays_journals_and_writes_nothing(tmp_path: Path) -> None:
    shown: list[list[str]] = []
    for folder, kept in ((tmp_path / "journals", journals_only()), (tmp_path / "snapshots", None)):
        folder.mkdir()
        stream = streamed(folder / FILES, kept)
        begun(stream, folder, 1)
        run(stream, *range(6))
        (folder / "commits/5").touch()
        (folder / FILES / "state/1/0/notes.txt").touch()
        before = sorted((folder / FILES).rglob("*"))
        lines = list(inspection_of(str(folder)))
        assert sorted((folder / FILES).rglob("*")) == before
        n_bytes = next(line.split(" in journals")[0] for line in lines if "in journals" in line).rpartition(" ")[2]
        assert (n_bytes != "0") == (kept is not None)
        shown.append([line for line in lines if "byte" not in line])
    assert shown[0] == shown[1]
    assert any("open intervals" in line for line in shown[0])


def damaged(content: bytes, how: str) -> bytes:
    at = content.rindex(b"a1")
    return {"changed": content[:at] + b"a7" + content[at + 2 :], "half": content[: len(content) // 2], "empty": b""}[
        how
    ]


@pytest.mark.parametrize("how", ["changed", "half", "empty"])
def test_damaged_records_that_wait_are_refused(tmp_path: Path, how: str) -> None:
    stream = streamed(tmp_path, None)
    run(stream, 0)
    stream.batch(1, ["win|11|11|a1"])
    path = file_of(tmp_path, "1.waiting")
    path.write_bytes(damaged(path.read_bytes(), how))
    with pytest.raises(DataProblem, match=r"HF792.*`state/1/0/000000000001.waiting` of the stream is damaged"):
        run(stream, 2)


def test_records_that_wait_without_a_digest_are_refused(tmp_path: Path) -> None:
    stream = streamed(tmp_path, None)
    run(stream, 0)
    stream.batch(1, ["win|11|11|a1"])
    path = file_of(tmp_path, "1.waiting")
    path.write_bytes(written_blocks(read_file(path.read_bytes(), path.name)))
    with pytest.raises(DataProblem, match=r"HF792.*`state/1/0/000000000001.waiting` of the stream is damaged"):
        run(stream, 2)


def test_sessions_of_a_stream_that_may_have_ended_are_dropped(tmp_path: Path) -> None:
    seconds = 0.0
    kept = KeptBuckets(now=lambda: seconds)
    first, second = streamed(tmp_path / "first", kept), streamed(tmp_path / "second", kept)
    for number in range(4):
        run(first, number)
        run(second, number)
        seconds += 600
    assert {each.files for each in kept._sessions} == {first.states, second.states}
    for number in range(4, 10):
        run(second, number)
        seconds += 600
    assert {each.files for each in kept._sessions} == {second.states}
    run(first, *range(4, 10))
    assert first.outcome.changes == second.outcome.changes == expected()


@pytest.mark.parametrize("what", ["state", "state/1/1", "state/1/1/000000000001.state"])
def test_an_inspection_refuses_a_checkpoint_that_lacks_state(what: str, tmp_path: Path) -> None:
    stream = streamed(tmp_path / FILES, None)
    stream.divide(2, "")
    begun(stream, tmp_path, 2)
    run(stream, 0, 1)
    (tmp_path / "commits/1").touch()
    assert any("entities" in line for line in inspection_of(str(tmp_path)))
    place = tmp_path / FILES / what
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink()
    with pytest.raises(DataProblem, match=r"HF792.*the state of bucket \d of stage 1 is"):
        list(inspection_of(str(tmp_path)))
