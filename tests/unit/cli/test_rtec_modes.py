"""The modes of RTEC from its `defaults.toml`: pipes or files come in, results go to a file or to a pipe."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.unit.cli.processes import ended, rules, started

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


def test_pipes_come_in_and_a_file_goes_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "records")
    process = started(*configured(tmp_path, 100))
    (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    code, out, err = ended(process)
    assert (code, out) == (0, "")
    assert "2 records read" in err
    assert (tmp_path / "results" / "lamps-intervals.txt").read_text(encoding="utf-8") == ANSWER


@pytest.mark.parametrize("are_pipes", [True, False])
def test_results_go_to_a_pipe_in_the_folder(tmp_path: Path, are_pipes: bool) -> None:
    results = tmp_path / "results" / "lamps-intervals.fifo"
    if are_pipes:
        os.mkfifo(tmp_path / "records")
    else:
        (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    results.parent.mkdir()
    os.mkfifo(results)
    process = started(*configured(tmp_path, 100, 'output_mode = "fifo"'))
    with results.open(encoding="utf-8") as reader:
        if are_pipes:
            (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
        assert reader.read() == ANSWER
    assert ended(process)[0] == 0


def test_the_pipe_of_the_results_is_made(tmp_path: Path) -> None:
    (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    process = started(*configured(tmp_path, 100, 'output_mode = "fifo"'))
    results = tmp_path / "results" / "lamps-intervals.fifo"
    deadline = time.monotonic() + 20
    while not results.is_fifo() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert results.read_text(encoding="utf-8") == ANSWER
    assert ended(process)[0] == 0


def test_files_are_played_at_the_rate_of_the_stream(tmp_path: Path) -> None:
    (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    began = time.monotonic()
    assert ended(started(*configured(tmp_path, 40)))[0] == 0
    assert time.monotonic() - began >= 20 / 40
    assert (tmp_path / "results" / "lamps-intervals.txt").read_text(encoding="utf-8") == ANSWER


def test_a_rate_that_is_none_is_told_by_its_name_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    code, _, err = ended(started(*configured(tmp_path, -2)))
    assert code == 2
    assert "as `stream_rate`, found `-2`" in err
