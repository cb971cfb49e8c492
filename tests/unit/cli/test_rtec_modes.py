"""The modes of RTEC's `defaults.toml`: input from pipes or files, output to a file or a pipe."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.unit.cli.processes import ended, rules, started, wait_until

RECORDS = "switch_on|3|3|a\nswitch_off|12|12|a\n"
ANSWER = "% query time 10\nholdsFor(lit(a)=true, [(4,inf)]).\n% query time 20\nholdsFor(lit(a)=true, [(4,13)]).\n"
DEFAULTS = """
[lamps]
event_description = 'rules.prolog'
input_mode = "fifo"
input_providers = ['records']
results_directory = "results"
window_size = 10
step = 10
start_time = 0
end_time = 20
stream_rate = {rate}
"""


def configured(folder: Path, rate: float, *more: str) -> list[str]:
    rules(folder)
    path = folder / "defaults.toml"
    path.write_text("\n".join([DEFAULTS.format(rate=rate), *more]), encoding="utf-8")
    return ["run", "--config", str(path)]


@contextmanager
def pipe_with_records(path: Path) -> Iterator[None]:
    """A pipe that has the records before it is read: by the wall clock they could be late on a busy machine."""
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR)
    os.write(pipe, RECORDS.encode())
    yield
    os.close(pipe)


def test_a_run_reads_pipes_and_writes_a_file(tmp_path: Path) -> None:
    with pipe_with_records(tmp_path / "records"):
        code, out, err = ended(started(*configured(tmp_path, 100)))
    assert (code, out) == (0, "")
    assert "2 records read" in err
    assert (tmp_path / "results" / "lamps-intervals.txt").read_text(encoding="utf-8") == ANSWER


@pytest.mark.parametrize("are_pipes", [True, False])
def test_results_go_to_a_pipe_in_the_folder(tmp_path: Path, are_pipes: bool) -> None:
    results = tmp_path / "results" / "lamps-intervals.fifo"
    if not are_pipes:
        (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    results.parent.mkdir()
    os.mkfifo(results)
    with pipe_with_records(tmp_path / "records") if are_pipes else nullcontext():
        process = started(*configured(tmp_path, 100, 'output_mode = "fifo"'))
        assert results.read_text(encoding="utf-8") == ANSWER
        assert ended(process)[0] == 0


def test_the_pipe_for_the_results_is_created(tmp_path: Path) -> None:
    (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    process = started(*configured(tmp_path, 100, 'output_mode = "fifo"'))
    results = tmp_path / "results" / "lamps-intervals.fifo"
    wait_until(results.is_fifo, process)
    assert results.read_text(encoding="utf-8") == ANSWER
    assert ended(process)[0] == 0


def test_files_are_played_at_the_rate_of_the_stream(tmp_path: Path) -> None:
    (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    began = time.monotonic()
    assert ended(started(*configured(tmp_path, 40)))[0] == 0
    assert time.monotonic() - began >= 20 / 40
    assert (tmp_path / "results" / "lamps-intervals.txt").read_text(encoding="utf-8") == ANSWER


def test_an_invalid_rate_is_reported_by_its_name_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    code, _, err = ended(started(*configured(tmp_path, -2)))
    assert code == 2
    assert "as `stream_rate`, found `-2`" in err
