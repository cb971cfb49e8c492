"""An output has the micro-batches of its stream: one that lacks some of them, or has later ones, is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.streaming.decisions import Decision, DecisionLog
from holdsfor.spark.streaming.output_history import OutputHistory
from holdsfor.spark.streaming.state_files import StreamFiles


def start(checkpoint: Path, *outputs: str) -> OutputHistory:
    """The history of a start whose outputs are accepted."""
    history = OutputHistory.read(str(checkpoint))
    for output in outputs:
        history.check(output, output)
    return history


def run(history: OutputHistory, number: int, *outputs: str) -> None:
    """A micro-batch that Spark commits."""
    files = StreamFiles(history.checkpoint)
    DecisionLog(files.inside("holdsfor")).add(Decision(number))
    history.note(outputs, number)
    files.write(f"commits/{number}", b"")


def test_outputs_continue_after_starts_that_had_them(tmp_path: Path) -> None:
    run(start(tmp_path, "a", "b"), 0, "a", "b")
    start(tmp_path, "a")
    start(tmp_path, "a", "b")  # no micro-batch was processed without it
    history = start(tmp_path, "a")
    for number in (1, 2):
        run(history, number, "a")
    with pytest.raises(HoldsforError, match=r"HF798.*b has no rows of micro-batches 1 to 2"):
        start(tmp_path, "a", "b")
    with pytest.raises(HoldsforError, match=r"HF798.*c has no rows of micro-batches 0 to 2"):
        start(tmp_path, "a", "c")
    start(tmp_path, "a")
    (tmp_path / "holdsfor/outputs.json").write_text("{", encoding="utf-8")
    with pytest.raises(HoldsforError, match=r"HF792.*outputs.json.*damaged"):
        start(tmp_path, "a")


def test_a_start_without_a_micro_batch_changes_nothing(tmp_path: Path) -> None:
    """Spark refuses a second query on a checkpoint after its start."""
    running = start(tmp_path, "a")
    run(running, 0, "a")
    start(tmp_path)
    run(running, 1, "a")
    start(tmp_path, "a")


def test_the_micro_batches_of_a_running_query_are_noted_after_another_one_has_begun_one(tmp_path: Path) -> None:
    """Where there are no locks, two queries may evaluate the same micro-batch, and Spark stops one of them."""
    running = start(tmp_path, "a")
    run(running, 0, "a")
    start(tmp_path).note(["b"], 1)
    run(running, 1, "a")
    start(tmp_path, "a")
    with pytest.raises(HoldsforError, match=r"HF798.*b has no rows"):
        start(tmp_path, "b")


def test_a_stream_without_such_outputs_notes_this_once(tmp_path: Path) -> None:
    history = start(tmp_path)
    run(history, 0)
    noted = tmp_path / "holdsfor/outputs.json"
    noted.unlink()
    run(history, 1)
    assert not noted.exists()


def test_the_history_of_an_older_version_continues(tmp_path: Path) -> None:
    StreamFiles(str(tmp_path)).write("commits/3", b"")
    content = {"active": ["a"], "last": {"b": 1}}
    StreamFiles(str(tmp_path)).write("holdsfor/outputs.json", json.dumps(content).encode())
    start(tmp_path, "a")
    with pytest.raises(HoldsforError, match=r"HF798.*b has no rows of micro-batches 2 to 3"):
        start(tmp_path, "b")


def test_an_output_with_later_micro_batches_than_the_checkpoint_is_refused(tmp_path: Path) -> None:
    """An older copy of the checkpoint: the output would take the next micro-batch for a repetition."""
    run(start(tmp_path, "a"), 0, "a")
    DecisionLog(StreamFiles(str(tmp_path / "holdsfor"))).add(Decision(1))  # and then a crash
    start(tmp_path).check_last(1, "a")
    with pytest.raises(HoldsforError, match=r"HF798.*`a` has micro-batch 2 .* ends at micro-batch 1: it is an older"):
        start(tmp_path).check_last(2, "a")
