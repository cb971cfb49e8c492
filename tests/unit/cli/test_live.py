"""Live runs as processes: they read pipes and sockets, and write the report of each query time at once."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.processes import PATIENCE, ended, environment, lines_until, rules, started

WINDOW = ("--live", "--window", "10", "--start", "0")


def pipe(folder: Path, name: str) -> Path:
    path = folder / name
    os.mkfifo(path)
    return path


def test_a_report_is_out_before_the_input_ends(tmp_path: Path) -> None:
    process = started("run", rules(tmp_path), "--input", "-", *WINDOW, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"switch_on|3|3|a\nswitch_off|12|12|a\n")
    process.stdin.flush()
    assert lines_until(process, "holdsFor") == ["% query time 10", "holdsFor(lit(a)=true, [(4,inf)])."]
    process.stdin.close()
    process.stdin = None
    code, out, err = ended(process)
    assert (code, out) == (0, "% query time 20\nholdsFor(lit(a)=true, [(4,13)]).\n")
    assert err.startswith("2 records read\n2 query times, 2 FVPs and 2 intervals reported\nload ")


def test_a_record_at_the_query_time_does_not_show_that_it_has_passed(tmp_path: Path) -> None:
    """Another record of the same time-point may follow; only a later record shows that the time has passed."""
    process = started("run", rules(tmp_path), "--input", "-", *WINDOW, stdin=subprocess.PIPE)
    assert process.stdin is not None
    for line in (b"switch_on|10|10|a\n", b"switch_on|10|10|b\n", b"switch_off|11|11|a\n"):
        process.stdin.write(line)
        process.stdin.flush()
    process.stdin.close()
    process.stdin = None
    assert ended(process)[1].split("% query time ")[1:] == [
        "10\nholdsFor(lit(a)=true, [(11,inf)]).\nholdsFor(lit(b)=true, [(11,inf)]).\n",
        "20\nholdsFor(lit(a)=true, [(11,12)]).\nholdsFor(lit(b)=true, [(11,inf)]).\n",
    ]


def test_a_query_time_waits_for_every_pipe(tmp_path: Path) -> None:
    first, second = pipe(tmp_path, "first"), pipe(tmp_path, "second")
    process = started("run", rules(tmp_path), "--input", str(first), str(second), *WINDOW)
    with first.open("wb", buffering=0) as one, second.open("wb", buffering=0) as other:
        one.write(b"switch_on|3|3|a\nswitch_off|25|25|a\n")
        other.write(b"switch_on|4|4|b\nswitch_off|15|15|b\n")
        assert lines_until(process, "holdsFor(lit(b)") == [
            "% query time 10",
            "holdsFor(lit(a)=true, [(4,inf)]).",
            "holdsFor(lit(b)=true, [(5,inf)]).",
        ]
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        assert process.stdout.read() is None, "20 has not passed on the second pipe"
        os.set_blocking(process.stdout.fileno(), True)
    code, out, _ = ended(process)
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("%")] == ["% query time 20", "% query time 30"]


def test_a_record_of_a_name_that_no_rule_uses_shows_that_time_passes(tmp_path: Path) -> None:
    process = started("run", rules(tmp_path), "--input", "-", *WINDOW, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"switch_on|3|3|a\nheartbeat|11|11\n")
    process.stdin.flush()
    assert lines_until(process, "holdsFor")[0] == "% query time 10"
    process.stdin.close()
    process.stdin = None
    assert "1 of names that no rule uses\n  `heartbeat`: 1\n" in ended(process)[2]


def test_a_socket_is_an_input(tmp_path: Path) -> None:
    path = tmp_path / "events.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(path))
        server.listen()
        process = started("run", rules(tmp_path), "--input", f"unix:{path}", *WINDOW)
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"switch_on|3|3|a\nswitch_off|7|7|a")
    code, out, _ = ended(process)
    assert (code, out) == (0, "% query time 10\nholdsFor(lit(a)=true, [(4,8)]).\n")


def test_late_records_inside_the_window_take_effect_at_the_next_query_time_and_others_are_counted(
    tmp_path: Path,
) -> None:
    stream = tmp_path / "events.txt"
    # After 25 has come, 18 is late but in the window of 30 and 5 is before it.
    stream.write_text(
        "switch_on|2|2|a\nswitch_off|25|25|a\nswitch_on|18|18|b\nswitch_on|5|5|c\nswitch_on|31|31|d\n", encoding="utf-8"
    )
    options = ("--live", "--window", "15", "--step", "10", "--start", "0", "--stats", str(tmp_path / "stats.json"))
    code, out, err = ended(started("run", rules(tmp_path), "--input", str(stream), *options))
    reports = out.split("% query time ")
    assert code == 0
    assert [report.count("lit(b)") for report in reports] == [0, 0, 0, 1, 1]
    assert "lit(c)" not in out
    assert err.startswith("5 records read, 1 late, 1 dropped\n")


def test_by_the_wall_clock_query_times_come_without_records(tmp_path: Path) -> None:
    silent = pipe(tmp_path, "silent")
    # A window over everything: the record counts however late the process comes to read it.
    options = ("--live", "--clock", "wall", "--rate", "100", "--window", "1000000", "--step", "10", "--start", "0")
    process = started("run", rules(tmp_path), "--input", str(silent), *options)
    with silent.open("wb", buffering=0) as writer:
        writer.write(b"switch_on|3|3|a\n")
        assert lines_until(process, "holdsFor")[-1] == "holdsFor(lit(a)=true, [(4,inf)])."
        for _ in range(3):
            assert len(lines_until(process, "% query time")) <= 2, "one report after the other, without records"
    assert ended(process)[0] == 0


def test_without_a_start_the_run_begins_at_the_first_record(tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("switch_on|105|105|a\nswitch_on|99|99|b\n", encoding="utf-8")
    second.write_text("switch_on|102|102|c\n", encoding="utf-8")
    options = ("--live", "--window", "10")
    code, out, err = ended(started("run", rules(tmp_path), "--input", str(first), str(second), *options))
    assert (code, out.splitlines()[0]) == (0, "% query time 112")
    assert "lit(b)" not in out
    assert err.startswith("3 records read, 1 outside the run\n")


def test_an_input_without_records_has_one_query_time(tmp_path: Path) -> None:
    process = started("run", rules(tmp_path), "--input", "-", "--live", "--window", "10", stdin=subprocess.DEVNULL)
    assert ended(process)[:2] == (0, "% query time 10\n")


def test_lines_that_do_not_fit_are_set_aside_at_once(tmp_path: Path) -> None:
    stream, aside = tmp_path / "events.txt", tmp_path / "aside.jsonl"
    stream.write_bytes(b"\xef\xbb\xbfswitch_on|1|1|\xc3\xa9\nswitch_on|2|2|\xff\nswitch_on|x|3|b\nswitch_on|4|4|c")
    options = (*WINDOW, "--set-aside", str(aside))
    code, out, err = ended(started("run", rules(tmp_path), "--input", str(stream), *options))
    assert code == 0
    assert out == "% query time 10\nholdsFor(lit(c)=true, [(5,inf)]).\nholdsFor(lit(é)=true, [(2,inf)]).\n"
    assert err.startswith("4 records read, 2 set aside\n")
    assert f"{stream}:2: the line is not UTF-8 text: byte 0xff: " in err
    assert [line.count('"line": ') for line in aside.read_text(encoding="utf-8").splitlines()] == [1, 1]


def test_a_strict_live_run_stops_at_the_first_line_that_does_not_fit(tmp_path: Path) -> None:
    process = started("run", rules(tmp_path), "--input", "-", *WINDOW, "--strict", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"switch_on|3|3|a\nswitch_off|12|12|a\nswitch_on|20|20\n")
    process.stdin.flush()
    assert process.wait(PATIENCE) == 2
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin, process.stdout, process.stderr:
        assert process.stderr.read().startswith(b"error[HF503]: line 3 does not fit: ")


@pytest.mark.parametrize("live", [["--live"], []], ids=["live", "file"])
def test_a_closed_standard_input_is_reported(tmp_path: Path, live: list[str]) -> None:
    command = [
        sys.executable,
        "-m",
        "holdsfor",
        "run",
        rules(tmp_path),
        "--input",
        "-",
        "--window",
        "10",
        *live,
    ]
    process = subprocess.Popen(
        ["/bin/sh", "-c", f"exec {shlex.join(command)} <&-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    code, out, err = ended(process)
    assert (code, out) == (2, "")
    assert err.startswith("error[HF501]: standard input is closed\n")


@pytest.mark.parametrize("form", ["text", "jsonl", "csv"])
def test_every_format_is_flushed_report_by_report(tmp_path: Path, form: str) -> None:
    process = started("run", rules(tmp_path), "--input", "-", *WINDOW, "--format", form, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"switch_on|3|3|a\nswitch_off|12|12|a\n")
    process.stdin.flush()
    shown = lines_until(process, {"text": "holds", "jsonl": '{"query_time": 10', "csv": "10,fluent"}[form])
    assert "lit(a)=true" in shown[-1]
    process.stdin.close()
    process.stdin = None
    assert ended(process)[0] == 0


def dates(path: Path, *rows: tuple[str, str, str]) -> str:
    """A CSV file of switches, by their names, dates and lights."""
    lines = ["name,start,arg1", *(f"{name},{date}T00:00:00Z,{light}" for name, date, light in rows)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return str(path)


GOOD = (("switch_on", "2026-03-01", "a"), ("switch_off", "2026-03-03", "a"), ("switch_on", "2026-03-05", "b"))
BROKEN = ("switch_on", "2999-03-01", "c")
DAYS = ("--live", "--window", "1d", "--start", "2026-03-01")


@pytest.mark.parametrize("at", range(4))
def test_a_broken_clock_makes_no_other_record_late(tmp_path: Path, at: int) -> None:
    command = [rules(tmp_path), *DAYS, "--input"]
    expected = ended(started("run", *command, dates(tmp_path / "good.csv", *GOOD)))[1]
    code, out, err = ended(started("run", *command, dates(tmp_path / "odd.csv", *GOOD[:at], BROKEN, *GOOD[at:])))
    assert (code, out) == (0, expected)
    assert err.startswith("4 records read, 1 set aside\n")
    assert f"odd.csv:{at + 2}: the occurrence is ahead: more than `max-ahead` after the wall clock: " in err


def test_max_ahead_may_be_off(tmp_path: Path) -> None:
    odd = dates(tmp_path / "odd.csv", BROKEN, *GOOD)
    code, _, err = ended(started("run", rules(tmp_path), *DAYS, "--input", odd, "--max-ahead", "none"))
    assert code == 0
    assert err.startswith("4 records read, 3 dropped\n")


def test_integers_are_compared_with_the_other_inputs_on_request(tmp_path: Path) -> None:
    first, second = pipe(tmp_path, "first"), pipe(tmp_path, "second")
    command = ["run", rules(tmp_path), "--input", str(first), str(second), *WINDOW, "--max-ahead", "50"]
    process = started(*command)
    with first.open("wb", buffering=0) as one, second.open("wb", buffering=0) as other:
        one.write(b"switch_on|3|3|a\nswitch_on|12|12|b\n")
        other.write(b"switch_on|11|11|c\n")
        assert lines_until(process, "holdsFor") == ["% query time 10", "holdsFor(lit(a)=true, [(4,inf)])."]
        other.write(b"switch_on|63|63|d\nswitch_on|62|62|e\n")
    code, _, err = ended(process)
    assert code == 0
    assert err.startswith("5 records read, 1 set aside\n")
    ahead = "the occurrence is ahead: more than `max-ahead` after the newest time of the other sources"
    assert f"{second}:2: {ahead}: switch_on|63|63|d\n" in err


def test_max_ahead_needs_a_live_run(tmp_path: Path) -> None:
    code, _, err = ended(started("run", rules(tmp_path), "--input", "records.txt", "--max-ahead", "1d"))
    assert code == 2
    assert "[HF706]: `--max-ahead` needs `--live`" in err
