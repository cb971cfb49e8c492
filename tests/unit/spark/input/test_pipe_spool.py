"""The spool of a named pipe has every complete line once, also after a crash within a line."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.input import pipe_spool
from holdsfor.spark.input.pipe_spool import Piece, PipeSpool


def content(spool: PipeSpool, begin: int, end: int) -> bytes:
    """The bytes between two positions."""
    return b"".join(Path(piece.path).read_bytes()[piece.begin : piece.end] for piece in spool.pieces(begin, end))


def written(pipe: Path, *parts: bytes) -> threading.Thread:
    """A writer that opens the pipe once, and writes parts."""

    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            for part in parts:
                file.write(part)
                time.sleep(0.01)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_lines_keep_their_positions_over_segments_and_restarts(
    pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe_spool, "_LONGEST_SEGMENT", 100)
    chance = random.Random(5)
    lines = b"".join(b"%d\n" % chance.randrange(10**9) for _ in range(200))
    cut = len(lines) // 2
    writer = written(pipe, lines[:50], lines[50:cut])
    spool = PipeSpool(str(tmp_path / "spool"), str(pipe))
    first = spool.read_to_end()
    writer.join()
    # The writer was cut within a line: the line counts as it came, as it does for a live run.
    expected = lines[:cut] if lines[:cut].endswith(b"\n") else lines[:cut] + b"\n"
    assert content(spool, 0, first) == expected
    again = PipeSpool(str(tmp_path / "spool"), str(pipe))
    assert again.read_to_end() == first, "a pipe that was closed is not waited for again"
    again.start()
    written(pipe, lines[cut:]).join()
    while again.end < first + len(lines) - cut:
        time.sleep(0.01)
    assert content(again, first, again.end) == lines[cut:]
    again.drop_before(first)
    assert content(again, first, again.end) == lines[cut:]
    with pytest.raises(HoldsforError, match="HF709"):
        again.pieces(0, again.end)


def test_a_part_of_a_line_that_a_crash_left_has_no_position(pipe: Path, tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    folder.mkdir()
    (folder / f"{0:020}.lines").write_bytes(b"whole\npar")
    writer = written(pipe, b"next\n")
    spool = PipeSpool(str(folder), str(pipe))
    end = spool.read_to_end()
    writer.join()
    assert content(spool, 0, end) == b"whole\nnext\n"
    assert spool.pieces(3, 8) == [Piece(str(folder / f"{0:020}.lines"), 3, 8)]


def kept_part(pipe: Path, folder: Path) -> None:
    """Another process copies `whole` and the part of a line `par`, and is killed."""
    code = "import sys, time\nfrom holdsfor.spark.input.pipe_spool import PipeSpool\n"
    code += "PipeSpool(*sys.argv[1:]).start()\ntime.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", code, str(folder), str(pipe)])
    with pipe.open("wb", buffering=0) as writer:
        writer.write(b"whole\npar")
        while not (folder / "part").exists():
            time.sleep(0.01)
        process.kill()
        process.wait()


def test_the_next_process_continues_the_part_of_a_line(pipe: Path, tmp_path: Path) -> None:
    kept_part(pipe, tmp_path / "spool")
    with pipe.open("r+b", buffering=0) as writer:  # opens the pipe without a reader
        spool = PipeSpool(str(tmp_path / "spool"), str(pipe))
        spool.start()
        writer.write(b"t\nnext\n")
        while spool.end < len(b"whole\npart\nnext\n"):
            time.sleep(0.01)
        assert content(spool, 0, spool.end) == b"whole\npart\nnext\n"


def test_the_part_of_a_line_counts_as_it_came_if_its_writer_has_left(pipe: Path, tmp_path: Path) -> None:
    kept_part(pipe, tmp_path / "spool")
    spool = PipeSpool(str(tmp_path / "spool"), str(pipe))
    assert content(spool, 0, spool.read_to_end()) == b"whole\npar\n"


def test_a_part_of_a_line_after_which_bytes_may_be_lost_is_not_continued(
    pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_part(pipe, tmp_path / "spool")
    with monkeypatch.context() as failing:
        failing.setattr(pipe_spool, "_read_chunk", lambda _: os.read(-1, 1))
        failed = PipeSpool(str(tmp_path / "spool"), str(pipe))
        with pytest.raises(HoldsforError, match="HF620"):
            failed.read_to_end()
    writer = written(pipe, b"next\n")
    spool = PipeSpool(str(tmp_path / "spool"), str(pipe))
    assert content(spool, 0, spool.read_to_end()) == b"whole\nnext\n"
    writer.join()


@pytest.mark.parametrize(
    ("repeated", "start", "expected"),
    [(None, 0, 6), (None, 6, 13), (0, 6, 6)],
    ids=["unprocessed lines", "processed lines", "a repeated micro-batch"],
)
def test_the_end_of_a_pipe_is_that_of_unprocessed_lines(
    repeated: int | None, start: int, expected: int, pipe: Path, tmp_path: Path
) -> None:
    """A start with `--once` whose earlier lines are processed waits for the next writer."""
    pytest.importorskip("pyspark.sql.streaming.datasource")
    from holdsfor.spark.input.text_stream import PipeStreamReader

    first = PipeSpool(str(tmp_path / "spool"), str(pipe))
    writer = written(pipe, b"first\n")
    assert first.read_to_end() == 6
    writer.join()
    reader = PipeStreamReader(str(pipe), str(tmp_path / "spool"), None)
    reader.prepareForTriggerAvailableNow()
    if repeated is not None:
        reader.partitions({"bytes": repeated}, {"bytes": start})
    if expected > 6:
        written(pipe, b"second\n")
    assert reader.latestOffset({"bytes": start}, reader.getDefaultReadLimit()) == {"bytes": expected}
    assert reader.latestOffset({"bytes": expected}, reader.getDefaultReadLimit()) == {"bytes": expected}


def test_one_query_uses_a_folder(pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe_spool, "_LOCK_SECONDS", 0.0)
    PipeSpool(str(tmp_path / "spool"), str(pipe)).start()
    with pytest.raises(HoldsforError, match=r"HF794.*used by another query"):
        PipeSpool(str(tmp_path / "spool"), str(pipe)).start()
