"""A line ends at `\\n`, perhaps with `\\r` before it; other control characters and line breaks are part of a field.

Blocks with such characters once had another reader: it cut lines at them, and did not count records that no rule uses
as progress of a live input.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem
from holdsfor.sources import text_columns, whole_lines
from holdsfor.sources.inputs import InputReader, Opened, read_facts, read_inputs
from holdsfor.sources.live_reading import LiveReading
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import TextReader
from holdsfor.sources.times import Clock
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom

NAMES = compile_text("initiatedAt(on(X)=true, T) :- happensAt(up(X), T).").names
OTHERS = ["\x00", "\x08", "\x0b", "\x0c", "\x1c", "\x1e", "\x1f", "\x7f", "\r", "\x85", "\u2028", "\u2029"]
EACH = pytest.mark.parametrize("character", OTHERS, ids=ascii)


def arguments(reading: ColumnReading, symbols: Symbols) -> list[str]:
    return [show(term) for column in reading.events["up", 1].columns for term in symbols.terms(column)]


@EACH
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=ascii)
def test_other_control_characters_are_part_of_a_field(character: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_bytes(end.join(["up|1|1|7", f"up|2|2|a{character}b", f"up|3|3|{character}c{character}", ""]).encode())
    symbols = Symbols()
    reading = read_inputs([str(path)], NAMES, 1, symbols)
    last = Atom(f"{character}c{character}".strip())
    assert arguments(reading, symbols) == ["7", show(Atom(f"a{character}b")), show(last)]
    assert (reading.n_records, reading.set_aside) == (3, [])
    facts = read_facts([str(path)], NAMES, 1).facts()
    assert [show(fact.term) for fact in facts] == [f"up({each})" for each in arguments(reading, symbols)]


@EACH
def test_the_lines_after_such_a_character_keep_their_numbers(character: str) -> None:
    reading = ColumnReading()
    text_columns.read_columns(f"up|1|1|a{character}b\nup|x|1|a\n".encode(), "f", NAMES, 1, Symbols(), reading)
    (misfit,) = reading.set_aside
    assert str(misfit) == "f:2: expected an integer as arrival, found `x`: up|x|1|a"


def clock_after(*lines: str) -> int | None:
    reading = LiveReading()
    TextReader("f", NAMES, 1, Symbols(), reading).read("".join(f"{line}\n" for line in lines).encode())
    reading.arrive(0)
    return reading.clock


@EACH
def test_unused_records_are_progress_beside_lines_with_such_a_character(character: str) -> None:
    assert clock_after("up|1|1|7", "hb|15|15", f"up|2|2|a{character}b") == 15


@EACH
def test_a_block_that_is_too_long_is_read_alike(character: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ("up|1|1|7", "hb|15|15", f"up|2|2|a{character}b", "-hb|17|15", "hb", "up|x|1|a")

    def read() -> tuple[Any, ...]:
        reading, symbols = LiveReading(), Symbols()
        TextReader("f", NAMES, 1, symbols, reading).read("".join(f"{line}\n" for line in lines).encode())
        reading.arrive(0)
        found = reading.clock, reading.n_records, reading.unused, reading.set_aside, reading.n_places
        reading.settle()
        return *found, sorted(arguments(reading, symbols))

    fast = read()
    monkeypatch.setattr(text_columns, "_LONGEST_BLOCK", 1)
    assert read() == fast
    assert fast[0] == 17


@pytest.mark.parametrize(
    "line", ["-hb|50|50", "- hb|50|50", "hb| 50 |50", "hb|50", "-hb|50", "hb|50|x|y|z", " hb |50|1"]
)
def test_every_unused_line_with_an_arrival_is_progress(line: str) -> None:
    assert clock_after("up|1|1|7", line) == 50


@pytest.mark.parametrize(
    "line", ["hb|x|50", "hb||50", "hb", "hb|9223372036854775807|1", "up|50|50", "on|50|50|9|true|a"]
)
def test_lines_without_an_arrival_and_those_set_aside_are_not_progress(line: str) -> None:
    assert clock_after("up|1|1|7", line) == 1


def test_unused_records_arrive_no_earlier_than_the_lines_before_them() -> None:
    reading, symbols = LiveReading(), Symbols()
    TextReader("f", NAMES, 1, symbols, reading).read(b"up|1|1|a\n-hb|30|30\nup|2|2|b\nhb|3|3\n")
    reading.arrive(0)
    (operations,) = reading.unsettled()
    assert (operations.records.arrivals.tolist(), reading.clock) == ([1, 30], 30)


# -- CSV and JSON lines ------------------------------------------------------------------------------------------------


def read_as(form: Any, content: bytes) -> tuple[list[str], list[str]]:
    input_reader = InputReader(NAMES, 1, Symbols(), ColumnReading(), Clock())
    input_reader.add(Opened("f", form, None, content))
    reading = input_reader.reading
    reading.settle()
    return arguments(reading, input_reader.symbols), [str(each) for each in reading.set_aside]


@EACH
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_csv_line_ends_at_a_line_feed_too(character: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_lines, "_BLOCK", size)
    text = f"name,start,arg1\r\nup,1,7\r\nup,2,a{character}b\nup,3,c\r\r\nup,x,d\n"
    found, aside = read_as("csv", text.encode())
    last = "f:5: expected an integer or a time such as `2026-03-01T08:00:00Z` as `start`, found `x`: up,x,d"
    if character == "\r":
        assert found == ["7", "c"]
        assert sorted(aside) == ["f:3: a carriage return is not at the end of its line: up,2,a\rb", last]
    else:
        assert (found, aside) == (["7", show(Atom(f"a{character}b")), "c"], [last])


def test_a_header_with_a_carriage_return_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(b"name,start,arg1\rup,1,7\rup,2,8\r")
    with pytest.raises(DataProblem, match="begins neither with a record nor with a header"):
        read_inputs([str(path)], NAMES, 1, Symbols())


@pytest.mark.parametrize("character", ["\x7f", "\x85", "\u2028", "\u2029"], ids=ascii)
def test_a_json_line_ends_at_a_line_feed_too(character: str) -> None:
    text = '{{"name": "up", "start": 2, "args": ["a{}b"]}}\r\n{{"name": "up", "start": 3, "args": ["c"]}}\n'
    assert read_as("jsonl", text.format(character).encode()) == ([show(Atom(f"a{character}b")), "c"], [])


@EACH
def test_the_first_line_decides_the_format_and_ends_at_a_line_feed(character: str, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(f"up|1|1|a{character}name,start\nup|2|2|b\n".encode())
    symbols = Symbols()
    assert len(arguments(read_inputs([str(path)], NAMES, 1, symbols), symbols)) == 2
