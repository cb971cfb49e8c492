"""The spool of a named pipe has every complete line once, also after a crash within a line."""

from __future__ import annotations

import os
import random
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


def test_one_query_uses_a_folder(pipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe_spool, "_LOCK_SECONDS", 0.0)
    PipeSpool(str(tmp_path / "spool"), str(pipe)).start()
    with pytest.raises(HoldsforError, match=r"HF794.*used by another query"):
        PipeSpool(str(tmp_path / "spool"), str(pipe)).start()
