"""Closed streams, full disks, outputs onto inputs, numbers beyond all time-points: no traceback, nothing destroyed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import UsageProblem
from tests.unit.cli.processes import PATIENCE, RULES, environment, rules

pytestmark = pytest.mark.in_turn(2)

RECORDS = "switch_on|3|3|a\nswitch_off|12|12|a\n"
ANSWER = "% query time 12\nholdsFor(lit(a)=true, [(4,13)]).\n"


def in_shell(arguments: str, folder: Path) -> tuple[int, str, str]:
    """Exit code and both outputs of `holdsfor` in a shell, which can close and redirect them."""
    rules(folder)
    (folder / "records.txt").write_text(RECORDS, encoding="utf-8")
    command = f"{sys.executable} -m holdsfor {arguments}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


RUN = "run rules.prolog --input records.txt"


@pytest.mark.parametrize(
    ("redirection", "code", "err"),
    [
        (">&-", 1, "error: closed: standard output\n"),
        ("> /dev/full", 1, "error: No space left on device: standard output\n"),
        ("-o /dev/full", 1, "error: No space left on device: /dev/full\n"),
        ("-o /dev/full --format parquet", 1, "error: No space left on device: /dev/full\n"),
        ("--stats /dev/full", 1, "error: No space left on device: /dev/full\n"),
        (">&- 2>&-", 1, ""),
        ("-o answer.txt >&-", 0, ""),
    ],
)
def test_results_that_cannot_be_written_are_an_error_with_the_file(
    redirection: str, code: int, err: str, tmp_path: Path
) -> None:
    found = in_shell(f"{RUN} {redirection}", tmp_path)
    assert (found[0], found[2]) == (code, err)


@pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full", "2> >(true)"])
def test_messages_that_cannot_be_written_do_not_stop_a_command(redirection: str, tmp_path: Path) -> None:
    assert in_shell(f"{RUN} --replay max --window 12 --start 0 {redirection}", tmp_path)[:2] == (0, ANSWER)
    assert in_shell(f"run rules.prolog --input missing {redirection}", tmp_path)[:2] == (2, "")


@pytest.mark.parametrize(
    "command", ["check rules.prolog", "plan rules.prolog", "generate voting --entities 3 --duration 9"]
)
def test_every_command_survives_closed_streams(command: str, tmp_path: Path) -> None:
    assert in_shell(f"{command} >&-", tmp_path)[0] == 1
    assert in_shell(f"{command} 2>&-", tmp_path)[0] == 0
    assert in_shell(f"{command} > /dev/full", tmp_path)[::2] == (1, "error: No space left on device: standard output\n")
    assert in_shell(f"{command} | head -c 5", tmp_path)[0] == 0


def test_no_file_gets_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """Output of libraries to the descriptor of standard error is not written to the results."""
    assert in_shell(f"{RUN} -o answer.txt <&- 2>&-", tmp_path)[0] == 0
    assert (tmp_path / "answer.txt").read_text(encoding="utf-8") == ANSWER


@pytest.mark.parametrize("option", ["-o", "--stats", "--set-aside", "--timeline"])
def test_an_output_never_overwrites_an_input(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suffix = ".svg" if option == "--timeline" else ".csv"
    consulted = tmp_path / f"more{suffix}"
    consulted.write_text("room(a).\n", encoding="utf-8")
    path = tmp_path / f"rules{suffix}"
    path.write_text(f"{RULES}:- ['more{suffix}'].\n", encoding="utf-8")
    records = tmp_path / "records.txt"
    records.write_text(RECORDS, encoding="utf-8")
    link, hard = tmp_path / f"link{suffix}", tmp_path / f"hard{suffix}"
    link.symlink_to(records)
    os.link(records, hard)
    contents = {file: file.read_bytes() for file in (path, records, consulted)}
    for target in (path, consulted, records, link, hard):
        if option == "--timeline" and target.suffix != ".svg":
            continue
        assert main(["run", str(path), "--input", str(records), option, str(target)]) == 2
        assert "error[HF732]" in capsys.readouterr().err
        assert {file: file.read_bytes() for file in contents} == contents
    assert main(["run", str(path), "--input", str(records), "-o", f"{tmp_path}/x", "--stats", f"{tmp_path}/./x"]) == 2
    assert main(["graph", str(path), "-o", str(path)]) == 2
    assert {file: file.read_bytes() for file in contents} == contents


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--tick", str(2**64)], "HF703"),
        (["--window", "999999999999999d"], "HF703"),
        (["--window", "10", "--step", "999999999999999d"], "HF703"),
        (["--allen-memory", "999999999999999d"], "HF703"),
        (["--start", "9" * 19], "HF705"),
        (["--end", "-" + "9" * 30], "HF705"),
    ],
)
def test_numbers_beyond_all_time_points_are_refused(
    options: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "records.txt"
    path.write_text(RECORDS, encoding="utf-8")
    assert main(["run", rules(tmp_path), "--input", str(path), *options]) == 2
    assert f"error[{code}]" in capsys.readouterr().err


def test_the_library_refuses_numbers_beyond_all_time_points() -> None:
    compiled = hf.load_text(RULES)
    beyond: list[dict[str, Any]] = [{"tick": 2**64}, {"window": 2**63}, {"start": -(2**63)}, {"end": 2**62 + 1}]
    for options in beyond:
        with pytest.raises(UsageProblem, match=r"2\^62"):
            hf.recognise(compiled, ["switch_on|3|3|a"], **options)
    with pytest.raises(UsageProblem, match=r"2\^62"):
        hf.Session(compiled, tick=2**64)


def test_file_names_that_are_not_utf8_are_escaped_in_json(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/records\xff.txt"))
    path.write_text("bad\n", encoding="utf-8")
    aside = tmp_path / "aside.jsonl"
    assert main(["run", rules(tmp_path), "--input", str(path), "--set-aside", str(aside)]) == 3
    assert json.loads(aside.read_text(encoding="utf-8"))["file"] == str(path)
