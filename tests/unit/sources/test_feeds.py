"""Live inputs from bytes to records: any division into chunks gives the same records, and no input stops a feed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.errors import DataProblem
from holdsfor.sources import feeds
from holdsfor.sources.channels import open_channel
from holdsfor.sources.feeds import Feed
from holdsfor.sources.live_inputs import open_feed
from holdsfor.sources.live_reading import take_due

NAMES = compile_text("initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).").names


def feed_of(path: Path, n_bytes: int = 1 << 20) -> Feed:
    return open_feed(str(path), NAMES, 1, Symbols(), n_bytes=n_bytes)


def due(feed: Feed, query_time: int) -> dict[Key, Records]:
    return {each.key: each.records for each in take_due([feed.reading], query_time)}


def read_all(feed: Feed) -> Feed:
    while not feed.has_ended:
        feed.read(-100)
    return feed


@pytest.mark.parametrize("n_bytes", [1, 5, 1000])
def test_any_division_into_chunks_gives_whole_lines(tmp_path: Path, n_bytes: int) -> None:
    path = tmp_path / "events.txt"
    path.write_bytes("\ufeffon|1|1|é\r\n\non|2|2|b\non|x|2|b\non|3|3|c".encode())
    feed = read_all(feed_of(path, n_bytes))
    records = due(feed, 10)["on", 1]
    assert records.starts.tolist() == [1, 2, 3]
    assert [(misfit.line, misfit.text) for misfit in feed.reading.set_aside] == [(4, "on|x|2|b")]
    assert feed.reading.n_records == 4


def test_arrivals_never_decrease(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text("on|5|1|a\non|3|3|b\nnoise|8|8\non|4|4|c\non|9|9|d\n", encoding="utf-8")
    feed = read_all(feed_of(path, 10))
    assert feed.reading.clock == 9
    early, late = due(feed, 7), due(feed, 9)
    assert early["on", 1].arrivals.tolist() == [5, 5]
    assert late["on", 1].arrivals.tolist() == [8, 9]
    assert feed.reading.n_waiting == 0


def test_no_record_arrives_before_the_earliest_time_of_its_chunk(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text("on|5|5|a\n", encoding="utf-8")
    feed = feed_of(path)
    feed.read(earliest=7)
    assert due(feed, 10)["on", 1].arrivals.tolist() == [7]


def test_a_line_without_an_end_is_set_aside_in_bounded_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "LONGEST_LINE", 100)
    path = tmp_path / "events.txt"
    path.write_text("on|1|1|a\n" + "x" * 1000 + "\non|2|2|b\n" + "y" * 500, encoding="utf-8")
    feed = feed_of(path, 64)
    longest = 0
    while not feed.has_ended:
        feed.read(-100)
        longest = max(longest, sum(map(len, feed._rest)))
    assert longest <= 100
    assert due(feed, 10)["on", 1].starts.tolist() == [1, 2]
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


def test_a_socket_without_a_server_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "events.sock"
    path.write_text("not a socket", encoding="utf-8")
    with pytest.raises(DataProblem, match=r"HF501.*cannot be read: connection refused"):
        open_channel(f"unix:{path}")


# -- formats -----------------------------------------------------------------------------------------------------------

ROWS = {
    "text": "on|1|1|a\nnoise|4|4\non|5|5|b\non|x|6|c\n",
    "csv": "\nname,start,arg1\non,1,a\nnoise,4,\non,5,b\non,x,c\n",
    "jsonl": """{"name": "on", "time": 1, "args": ["a"]}
{"name": "noise", "time": 4}
{"name": "on", "time": 5, "args": ["b"]}
{"name": "on", "time": "x", "args": ["c"]}
""",
    "own": "who,when\na,1970-01-01T00:00:01Z\nb,1970-01-01T00:00:05Z\nc,never\n",
}


@pytest.mark.parametrize("n_bytes", [1, 13, 1000])
@pytest.mark.parametrize("form", ROWS)
def test_the_first_line_determines_the_format(tmp_path: Path, form: str, n_bytes: int) -> None:
    """The input is a named pipe without a suffix."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    given = f"{path}: happensAt(on(who), when)" if form == "own" else str(path)
    feed = open_feed(given, NAMES, 1, Symbols(), n_bytes=n_bytes)
    with path.open("w", encoding="utf-8") as writer:
        writer.write(ROWS[form])
    read_all(feed)
    assert due(feed, 10)["on", 1].starts.tolist() == [1, 5]
    assert len(feed.reading.set_aside) == 1
    assert feed.reading.n_records == (3 if form == "own" else 4)


@pytest.mark.parametrize("form", ["text", "csv", "jsonl"])
def test_unused_records_advance_the_clock_in_every_format(tmp_path: Path, form: str) -> None:
    path = tmp_path / "events"
    path.write_text("".join(line for line in ROWS[form].splitlines(True) if "5" not in line), encoding="utf-8")
    assert read_all(feed_of(path)).reading.clock == 4


def test_columns_of_a_live_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_text(ROWS["text"], encoding="utf-8")
    feed = open_feed(f"{path}: happensAt(on(who), when)", NAMES, 1, Symbols(), form="text")
    with pytest.raises(DataProblem, match="HF505"):
        read_all(feed)
