"""Progress is shown on a terminal only."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from holdsfor.cli.terminal.progress import Line, Progress
from tests.unit.cli.processes import PATIENCE, ended, rules, started

LINE = r"query time \d+, {}, [\d,]+ records/s, [\d,]+ MB"


def shown_at_a_terminal(*arguments: str, stdin: bytes = b"") -> str:
    """Standard error of a command, where it is a terminal."""
    ours, theirs = pty.openpty()
    process = started(*arguments, stdin=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    ended_input(process, stdin)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert process.wait(PATIENCE) == 0
    assert process.stdout is not None
    process.stdout.close()
    return shown.decode()


def ended_input(process: subprocess.Popen[bytes], content: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(content)
    process.stdin.close()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        return b""


def test_a_run_over_files_shows_its_progress(tmp_path: Path) -> None:
    stream = tmp_path / "events.txt"
    stream.write_text("switch_on|0|0|a\nswitch_off|100|100|a\n", encoding="utf-8")
    options = ("--window", "10", "--replay", "100", "-o", str(tmp_path / "results"))
    shown = shown_at_a_terminal("run", rules(tmp_path), "--input", str(stream), *options)
    assert re.search(r"\r" + LINE.format(r"\d+%"), shown)
    assert shown.splitlines()[-3].endswith("2 records read")


def test_a_live_run_shows_its_lag(tmp_path: Path) -> None:
    options = (
        "--live",
        "--clock",
        "wall",
        "--rate",
        "100",
        "--window",
        "10",
        "--start",
        "0",
        "-o",
        str(tmp_path / "results"),
    )
    stream = tmp_path / "events.txt"
    stream.write_text("switch_on|0|0|a\nswitch_off|100|100|a\n", encoding="utf-8")
    shown = shown_at_a_terminal("run", rules(tmp_path), "--input", str(stream), *options)
    assert re.search(r"\r" + LINE.format(r"\d+\.\d s behind"), shown)


def test_the_line_counts_late_dropped_and_cut_records(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("holdsfor.cli.terminal.progress._EVERY_SECONDS", 0)
    monkeypatch.setattr(Line, "show", lambda self, text: shown.append(text))
    progress = Progress()
    progress._line.is_shown = True
    progress.at(10, lambda at: (0, "50%"), {"late": 0, "dropped": 1200, "cut": 0})
    progress.at(20, lambda at: (0, "60%"), {"late": 3, "dropped": 1200, "cut": 1})
    assert [text.split(" MB")[1] for text in shown] == [", 1,200 dropped", ", 3 late, 1,200 dropped, 1 cut"]


def test_nothing_is_shown_without_a_terminal(tmp_path: Path) -> None:
    stream = tmp_path / "events.txt"
    stream.write_text("switch_on|0|0|a\nswitch_off|10000|10000|a\n", encoding="utf-8")
    process = started("run", rules(tmp_path), "--input", str(stream), "--window", "10", "-o", str(tmp_path / "results"))
    assert ended(process) == (0, "", "")
