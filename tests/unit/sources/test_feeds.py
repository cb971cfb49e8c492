"""Live inputs from bytes to records: chunks do not matter, and nothing that comes stops a feed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdsfor.analysis.compiled import compile_text
from holdsfor.columns.words import Symbols
from holdsfor.errors import DataProblem
from holdsfor.sources import feeds
from holdsfor.sources.channels import open_channel
from holdsfor.sources.feeds import Feed, text_feed

NAMES = compile_text("initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).").names


def feed_of(path: Path, n_bytes: int = 1 << 20) -> Feed:
    return text_feed(open_channel(str(path)), NAMES, 1, Symbols(), n_bytes=n_bytes)


def read_all(feed: Feed) -> Feed:
    while not feed.has_ended:
        feed.read(-100)
    return feed


@pytest.mark.parametrize("n_bytes", [1, 5, 1000])
def test_lines_are_whole_however_they_come(tmp_path: Path, n_bytes: int) -> None:
    path = tmp_path / "events.txt"
    path.write_bytes("\ufeffon|1|1|é\r\n\non|2|2|b\non|x|2|b\non|3|3|c".encode())
    feed = read_all(feed_of(path, n_bytes))
    records = dict(feed.reading.due(10).records)["on", 1]
    assert records.starts.tolist() == [1, 2, 3]
    assert [(misfit.line, misfit.text) for misfit in feed.reading.set_aside] == [(4, "on|x|2|b")]
    assert feed.reading.n_records == 4


def test_arrivals_never_go_back(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text("on|5|1|a\non|3|3|b\nnoise|8|8\non|4|4|c\non|9|9|d\n", encoding="utf-8")
    feed = read_all(feed_of(path, 10))
    assert feed.reading.clock == 9
    early, late = feed.reading.due(7), feed.reading.due(9)
    assert dict(early.records)["on", 1].arrivals.tolist() == [5, 5]
    assert dict(late.records)["on", 1].arrivals.tolist() == [8, 9]
    assert feed.reading.n_waiting == 0


def test_nothing_arrives_before_it_can_have_come(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text("on|5|5|a\n", encoding="utf-8")
    feed = feed_of(path)
    feed.read(earliest=7)
    assert dict(feed.reading.due(10).records)["on", 1].arrivals.tolist() == [7]


def test_a_line_without_an_end_is_set_aside_and_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "_LONGEST_LINE", 100)
    path = tmp_path / "events.txt"
    path.write_text("on|1|1|a\n" + "x" * 1000 + "\non|2|2|b\n" + "y" * 500, encoding="utf-8")
    feed = feed_of(path, 64)
    longest = 0
    while not feed.has_ended:
        feed.read(-100)
        longest = max(longest, sum(map(len, feed._rest)))
    assert longest <= 100
    assert dict(feed.reading.due(10).records)["on", 1].starts.tolist() == [1, 2]
    assert [(misfit.line, len(misfit.text)) for misfit in feed.reading.set_aside] == [(2, 80), (4, 80)]


def test_opening_a_named_pipe_does_not_wait_for_its_writer(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    feed = feed_of(path)
    with path.open("wb", buffering=0) as writer:
        feed.read(-100)
        assert not feed.has_ended, "a writer is there and has nothing to say yet"
        writer.write(b"on|1|1|a\n")
        feed.read(-100)
    assert feed.reading.n_waiting == 1
    feed.read(-100)
    assert feed.has_ended


def test_a_socket_without_a_server_is_told(tmp_path: Path) -> None:
    path = tmp_path / "events.sock"
    path.write_text("not a socket", encoding="utf-8")
    with pytest.raises(DataProblem, match=r"HF501.*cannot be read: connection refused"):
        open_channel(f"unix:{path}")
