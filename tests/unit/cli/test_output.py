"""Output to pipes: a run waits for the reader of a named pipe, and reports a reader that has gone away."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.unit.cli.processes import PATIENCE, ended, rules, started


def test_results_go_to_a_named_pipe(tmp_path: Path) -> None:
    """RTEC's live mode from end to end: records from one pipe, results into another."""
    records, results = tmp_path / "records", tmp_path / "results"
    os.mkfifo(records)
    os.mkfifo(results)
    window = ("--live", "--window", "10", "--start", "0")
    process = started("run", rules(tmp_path), "--input", str(records), "-o", str(results), *window)
    with results.open(encoding="utf-8") as reader, records.open("w", encoding="utf-8") as writer:
        writer.write("switch_on|3|3|a\nswitch_off|12|12|a\n")
        writer.flush()
        assert [reader.readline(), reader.readline()] == ["% query time 10\n", "holdsFor(lit(a)=true, [(4,inf)]).\n"]
        writer.close()
        assert reader.read() == "% query time 20\nholdsFor(lit(a)=true, [(4,13)]).\n"
    assert ended(process)[:2] == (0, "")


def test_a_reader_that_goes_away_is_reported(tmp_path: Path) -> None:
    results = tmp_path / "results"
    os.mkfifo(results)
    window = ("--live", "--window", "10", "--start", "0")
    process = started("run", rules(tmp_path), "--input", "-", "-o", str(results), *window, stdin=subprocess.PIPE)
    results.open("rb").close()
    assert process.stdin is not None
    process.stdin.write(b"switch_on|3|3|a\nswitch_off|12|12|a\n")
    process.stdin.close()
    process.stdin = None
    assert ended(process) == (1, "", f"error: its reader has closed it: {results}\n")


def test_a_reader_may_close_standard_output_early(tmp_path: Path) -> None:
    stream = tmp_path / "events.txt"
    stream.write_text("".join(f"switch_on|{t}|{t}|a{t}\n" for t in range(5_000)), encoding="utf-8")
    process = started("run", rules(tmp_path), "--input", str(stream), "--window", "100")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(PATIENCE) == 0
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == b""
