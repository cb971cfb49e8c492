"""Ctrl-C and SIGTERM: the first ends a run with all results so far, the second ends the process at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.cli.processes import PATIENCE, ended, environment, lines_until, rules, started, wait_until


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_live_run_ends_with_its_results_and_its_summary(tmp_path: Path, number: signal.Signals) -> None:
    stats = tmp_path / "stats.json"
    options = ("--live", "--window", "10", "--start", "0", "--stats", str(stats))
    process = started("run", rules(tmp_path), "--input", "-", *options, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"switch_on|3|3|a\nswitch_off|12|12|a\n")
    process.stdin.flush()
    lines_until(process, "holdsFor")
    process.send_signal(number)
    code, out, err = ended(process)
    assert (code, out) == (130, "")
    assert err.startswith("2 records read, 1 outside the run\n1 query time, ")
    assert json.loads(stats.read_text(encoding="utf-8"))["query_times"] == 1


def test_a_run_over_files_ends_after_the_current_query_time(tmp_path: Path) -> None:
    stream, results = tmp_path / "events.txt", tmp_path / "results.txt"
    stream.write_text("switch_on|1|1|a\nswitch_off|1000000|1000000|a\n", encoding="utf-8")
    os.mkfifo(results)
    process = started("run", rules(tmp_path), "--input", str(stream), "--window", "10", "-o", str(results))
    with results.open(encoding="utf-8") as reader:
        assert reader.readline() == "% query time 11\n"
        process.send_signal(signal.SIGINT)
        *_, last = reader
    code, _, err = ended(process)
    assert code == 130
    assert last == "holdsFor(lit(a)=true, [(2,inf)]).\n", "the last report is whole"
    assert " query time" in err


def test_an_interrupted_final_run_reports_the_settled_results(tmp_path: Path) -> None:
    aside = tmp_path / "aside"
    options = ("--live", "--window", "10", "--start", "0", "--final", "--set-aside", str(aside))
    process = started("run", rules(tmp_path), "--input", "-", *options, stdin=subprocess.PIPE)
    assert process.stdin is not None
    # The second line that does not fit is read when the query times before 33 are done.
    for n, chunk in enumerate((b"switch_on|3|3|a\nswitch_off|12|12|a\nswitch_on|33|33|b\nx\n", b"x\n"), start=1):
        process.stdin.write(chunk)
        process.stdin.flush()
        wait_until(lambda n=n: aside.exists() and aside.read_bytes().count(b"\n") >= n, process)  # type: ignore[misc]
    process.send_signal(signal.SIGINT)
    code, out, _ = ended(process)
    assert (code, out) == (130, "% query time 30\nholdsFor(lit(a)=true, [(4,13)]).\n")


_INTERRUPTED_IMPORT = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupting(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "holdsfor.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
from holdsfor.__main__ import main
main()
"""


def test_an_interruption_while_modules_load_shows_no_traceback() -> None:
    command = [sys.executable, "-c", _INTERRUPTED_IMPORT, "--version"]
    process = subprocess.run(command, capture_output=True, env=environment(), check=False, timeout=PATIENCE)
    assert (process.returncode, process.stderr) == (-signal.SIGINT, b"")


def test_a_replay_that_waits_ends_at_once(tmp_path: Path) -> None:
    stream = tmp_path / "events.txt"
    stream.write_text("switch_on|0|0|a\nswitch_off|10|10|a\nswitch_on|100000|100000|a\n", encoding="utf-8")
    options = ("--window", "10", "--step", "1", "--replay", "10")
    process = started("run", rules(tmp_path), "--input", str(stream), *options)
    lines_until(process, "holdsFor")
    process.send_signal(signal.SIGINT)
    assert ended(process)[0] == 130


def test_the_second_signal_ends_a_run_that_is_blocked(tmp_path: Path) -> None:
    """The results have no reader, so the run blocks in the middle of a report."""
    stream, results = tmp_path / "events.txt", tmp_path / "results"
    stream.write_text("".join(f"switch_on|{t}|{t}|a{t}\n" for t in range(20_000)), encoding="utf-8")
    os.mkfifo(results)
    process = started("run", rules(tmp_path), "--input", str(stream), "-o", str(results))
    with results.open("rb") as reader:
        reader.read(1)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        while process.poll() is None:  # two signals that come before the process runs again count as one
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        assert ended(process) == (130, "", "interrupted\n")


def test_processes_of_tests_do_not_ignore_signals() -> None:
    """Also where these tests run in the background of a shell, whose commands ignore Ctrl-C."""
    code = "import signal; print([signal.getsignal(getattr(signal, each)) for each in ('SIGINT', 'SIGQUIT', 'SIGHUP')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "SIG_IGN" not in found
