"""A line has a limit, the same for every reader: a longer one is set aside in bounded memory, or refused at once."""

from __future__ import annotations

import gzip
import io
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem
from holdsfor.parallel.processes.part_reading import numbered, read_parts
from holdsfor.parallel.processes.parts import LinePart
from holdsfor.sources import blocks, whole_lines
from holdsfor.sources.blocks import text_blocks
from holdsfor.sources.inputs import InputReader, read_facts, read_inputs
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.socket_listener import Listener
from holdsfor.sources.times import Clock
from holdsfor.sources.whole_lines import LineBuffer, stream_blocks
from holdsfor.syntax.source import LONGEST_LINE
from tests.seeds import chunks, named, share

RULES = "initiatedAt(lit(X)=true, T) :- happensAt(on(X), T)."
NAMES = compile_text(RULES).names

POOL = range(400)
LIMIT = 20


def limit_lines(monkeypatch: pytest.MonkeyPatch, longest: int, *, block: int) -> None:
    for module in (blocks, whole_lines):
        monkeypatch.setattr(module, "LONGEST_LINE", longest)
    monkeypatch.setattr(whole_lines, "_BLOCK", block)


@pytest.fixture
def short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    limit_lines(monkeypatch, LIMIT, block=8)


def random_lines(chance: random.Random) -> list[bytes]:
    lengths = [0, 0, 1, 3, 7, 8, 9, 15, 16, 17, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 2, 40, 41, 100]
    return [bytes(chance.choices(b"abc", k=chance.choice(lengths))) for _ in range(chance.randint(0, 12))]


def cut(lines: list[bytes]) -> bytes:
    """The lines, long ones cut to one byte more than the limit."""
    return b"".join(line[: LIMIT + 1] + b"\n" for line in lines)


@pytest.mark.parametrize("seeds", chunks(share(POOL, 100)), ids=named)
@pytest.mark.usefixtures("short_lines")
def test_blocks_have_all_lines_and_of_long_ones_the_beginning(seeds: range) -> None:
    for seed in seeds:
        lines = random_lines(random.Random(seed))
        content = b"\n".join(lines)
        found = list(stream_blocks(io.BytesIO(content)))
        assert b"".join(found) == cut(lines[:-1] if lines and not lines[-1] else lines), seed
        assert all(block.endswith(b"\n") for block in found), seed
        assert max(map(len, found), default=0) <= LIMIT + 2, seed


@pytest.mark.parametrize("seeds", chunks(share(POOL, 100)), ids=named)
@pytest.mark.usefixtures("short_lines")
def test_a_buffer_has_all_lines_and_of_long_ones_the_beginning(seeds: range) -> None:
    for seed in seeds:
        chance = random.Random(seed)
        lines = random_lines(chance)
        content = b"".join(line + b"\n" for line in lines) + b"x" * 50
        ends = sorted({0, *range(0, len(content), LIMIT), *chance.choices(range(len(content)), k=5), len(content)})
        buffer = LineBuffer()
        found = b"".join(buffer.add(content[begin:end]) for begin, end in pairwise(ends))
        assert found == cut(lines), seed
        assert buffer.rest == b"x" * (LIMIT + 1), seed


FORMS: dict[str, Callable[[str], str]] = {
    "text": lambda name: f"on|1|1|{name}",
    "csv": lambda name: f"on,1,{name}",
    "jsonl": lambda name: f'{{"name": "on", "time": 1, "args": ["{name}"]}}',
}


@pytest.mark.parametrize("form", FORMS)
def test_every_format_sets_a_long_line_aside(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both readers, and the reader of parts for several processes; the longest line that fits is a record."""
    limit_lines(monkeypatch, 100, block=32)
    line = FORMS[form]
    fits = "y" * (100 - len(line("")))
    lines = ["name,start,arg1"] * (form == "csv") + [line("a"), "", "", line("x" * 500), line(fits), line(fits + "z")]
    path = tmp_path / f"events.{form if form != 'text' else 'txt'}"
    path.write_text("\n".join([*lines, line("b")]), encoding="utf-8")
    expected = [(number, "the line is longer than 100 bytes") for number in (len(lines) - 2, len(lines))]
    for reading in (read_inputs([str(path)], NAMES, 1, Symbols()), read_facts([str(path)], NAMES, 1)):
        assert [(each.line, each.reason) for each in reading.set_aside] == expected
        assert {len(each.text) for each in reading.set_aside} == {80}
        assert reading.n_records == 5
    input_reader = InputReader(NAMES, 1, Symbols(), ColumnReading(), Clock())
    part = LinePart(0, str(path), "jsonl" if form == "jsonl" else "csv" if form == "csv" else "text", None, 0, 1 << 20)
    summary = read_parts([(0, part)], input_reader)
    assert [(each.line, each.reason) for each in numbered([summary])] == expected


def test_a_first_line_without_an_end_is_refused() -> None:
    class Endless:
        def read(self, n_bytes: int, /) -> bytes:
            return b"x" * n_bytes

    with pytest.raises(DataProblem, match=f"HF501.*line 1 is longer than {LONGEST_LINE} bytes"):
        next(text_blocks(Endless(), "endless"))


# -- memory ------------------------------------------------------------------------------------------------------------

MOST_MB = 350


MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, flush=True)
sys.exit(done.returncode)
"""


def run_of(tmp_path: Path, *arguments: str) -> tuple[int, str, int]:
    """The exit code of a command, its output, and its largest memory in MB."""
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    # A child begins with the memory of its parent in its account, so a small process starts the command.
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "holdsfor", *arguments]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    printed, _, used = done.stdout.rstrip().rpartition("\n")
    return done.returncode, printed, int(used) >> 10


@pytest.mark.parametrize(
    ("first", "rest", "expected"),
    [
        ("", b"x", "line 1 is longer than"),
        ("on|1|1|a\n", b"x", "2: the line is longer than"),
        ("on|1|1|a\n", b"\n", "holdsFor(lit(a)=true, [(2,inf)])."),
    ],
    ids=["a first line", "a later line", "empty lines"],
)
def test_a_packed_file_takes_no_memory_for_a_line(tmp_path: Path, first: str, rest: bytes, expected: str) -> None:
    with gzip.open(tmp_path / "events.gz", "wb", compresslevel=1) as file:
        file.write(first.encode())
        for _ in range(256):
            file.write(rest * (1 << 20))
    code, output, n_mb = run_of(tmp_path, "run", "rules.prolog", "--input", "events.gz")
    assert expected in output
    assert code == (0 if first else 2)
    assert n_mb < MOST_MB


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "/dev/zero"],
        ["run", "rules.prolog", "--input", "/dev/zero"],
        ["run", "rules.prolog", "--facts", "/dev/zero:p(a)"],
        ["run", "--config", "/dev/zero"],
        ["query", "/dev/zero", "holdsFor(F=V, I)"],
    ],
    ids=["rules", "records", "facts", "configuration", "results"],
)
def test_a_file_without_an_end_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    code, output, n_mb = run_of(tmp_path, *arguments)
    assert code == 2
    assert f"line 1 is longer than {LONGEST_LINE} bytes" in output
    assert n_mb < MOST_MB


# -- sockets -----------------------------------------------------------------------------------------------------------


def test_only_this_user_can_connect_to_a_socket(tmp_path: Path) -> None:
    listener = Listener(str(tmp_path / "events.sock"))
    try:
        assert Path(listener.path).stat().st_mode & 0o777 == 0o600
    finally:
        listener.close()


@pytest.mark.usefixtures("short_lines")
def test_a_socket_passes_the_beginning_of_a_long_line_on(tmp_path: Path) -> None:
    listener = Listener(str(tmp_path / "events.sock"))
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(listener.path)
            client.sendall(b"x" * 500 + b"\nshort\n" + b"y" * 10)
        found = b""
        while found.count(b"\n") < 3:
            os.set_blocking(listener.fileno(), True)
            found += os.read(listener.fileno(), 100)
        assert found == b"x" * (LIMIT + 1) + b"\nshort\n" + b"y" * 10 + b"\n"
    finally:
        listener.close()
