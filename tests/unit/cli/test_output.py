"""Output to pipes and files: readers that are not there yet or have gone away, full disks, and two runs at once."""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.processes import PATIENCE, ended, environment, rules, started, wait_until


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


@pytest.mark.parametrize(
    ("output", "full"),
    [
        (["-o", "answer.csv"], "answer.csv"),
        (["-o", "/dev/null", "--jobs", "2"], "(temporary files, see TMPDIR)"),
        (["-o", "out/", "--format", "csv", "--changes", "/dev/null"], "out/lit.csv"),
        (["-o", "out/", "--format", "arrow", "--changes", "/dev/null"], "out/lit.arrow"),
        (["-o", "/dev/null", "--changes", "changes.csv"], "changes.csv"),
        (["-o", "/dev/null", "--log", "log.jsonl", "--window", "1"], "log.jsonl"),
        (["-o", "answer.duckdb"], "answer.duckdb"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_error_names_the_file_that_could_not_be_written(tmp_path: Path, output: list[str], full: str) -> None:
    """A file may have 4 KiB here; the operating system names no file when one is full."""
    if "answer.duckdb" in output:
        pytest.importorskip("duckdb")
    names = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(500)]
    (tmp_path / "events.txt").write_text("".join(f"switch_on|{i}|{i}|{name}\n" for i, name in enumerate(names)))
    command = [sys.executable, "-m", "holdsfor", "run", rules(tmp_path), "--input", "events.txt", *output]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    found = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, check=False, timeout=PATIENCE, preexec_fn=limit
    )
    last = found.stderr.decode().splitlines()[-1]
    assert found.returncode == 1
    assert last.startswith("error: ")
    assert last.endswith((f" {full}", f"/{full}")), last


def test_a_second_live_run_does_not_write_to_the_file_of_the_first(tmp_path: Path) -> None:
    out = tmp_path / "found.txt"
    command = ["run", rules(tmp_path), "--input", "-", "--window", "10", "--start", "0", "-o", str(out)]
    first = started(*command, "--live", stdin=subprocess.PIPE)
    assert first.stdin is not None
    first.stdin.write(b"switch_on|3|3|a\nswitch_off|12|12|a\n")
    first.stdin.flush()
    wait_until(lambda: out.exists() and out.stat().st_size > 0, first)
    for options in (["--live"], ["--live", "--overwrite"], ["--replay", "max"]):
        code, _, err = ended(started(*command, *options))
        assert (code, f"[HF708]: another run writes to `{out}`" in err) == (2, True), err
    first.stdin.close()
    first.stdin = None
    assert ended(first)[0] == 0
    assert out.read_text(encoding="utf-8").count("% query time") == 2
    assert ended(started(*command, "--live", "--overwrite"))[0] == 0
