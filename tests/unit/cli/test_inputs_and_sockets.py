"""Repeated options add up; a run that waits reports it; senders connect to a socket."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from holdsfor.cli.terminal.interruption import INTERRUPTED
from holdsfor.sources.socket_listener import Listener, is_served
from tests.unit.cli.processes import PATIENCE, RULES, ended, lines_until, rules, started, wait_until
from tests.unit.cli.test_rtec_modes import ANSWER, configured


def test_inputs_and_background_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"switch_on|3|3|{name}\n", encoding="utf-8")
        (tmp_path / f"{name}.prolog").write_text(f"room({name}).\n", encoding="utf-8")
    path = tmp_path / "rules.prolog"
    path.write_text(f"{RULES}grounding(lit(X)=true) :- room(X).\n", encoding="utf-8")
    inputs = ["--input", f"{tmp_path}/a.txt", "--input", f"{tmp_path}/b.txt", f"{tmp_path}/c.txt"]
    background = [
        "--background",
        f"{tmp_path}/a.prolog",
        f"{tmp_path}/b.prolog",
        "--background",
        f"{tmp_path}/c.prolog",
    ]
    assert main(["run", str(path), *inputs, *background]) == 0
    lit = [line for line in capsys.readouterr().out.splitlines() if "lit" in line]
    assert lit == [f"holdsFor(lit({name})=true, [(4,inf)])." for name in "abc"]


def test_lines_of_several_senders_never_mix(tmp_path: Path) -> None:
    listener = Listener(str(tmp_path / "socket"))
    senders = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(2)]
    for sender in senders:
        sender.connect(str(tmp_path / "socket"))
    senders[0].sendall(b"one")
    senders[1].sendall(b"two\nthr")
    time.sleep(0.05)
    senders[0].sendall(b" more\n")
    senders[1].sendall(b"ee")
    for sender in senders:
        sender.close()
    found, patience = b"", time.monotonic() + PATIENCE
    while found.count(b"\n") < 3 and time.monotonic() < patience:
        try:
            found += os.read(listener.fileno(), 100)
        except BlockingIOError:
            time.sleep(0.01)
    assert sorted(found.split(b"\n")) == [b"", b"one more", b"three", b"two"]
    listener.close()
    assert not (tmp_path / "socket").exists()


def test_a_socket_that_a_run_left_behind_is_replaced_and_one_in_use_is_not(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(path)
    left.close()
    assert not is_served(path)
    listener = Listener(path)
    assert is_served(path)
    with pytest.raises(OSError, match="in use"):
        Listener(path)
    listener.close()


def test_the_input_mode_socket_of_rtec_listens(tmp_path: Path) -> None:
    """The window covers the whole run: by the wall clock, records may be late on a busy machine."""
    arguments = configured(tmp_path, 10)
    changes = {'"fifo"': '"socket"', "window_size = 10": "window_size = 1000000", "end_time = 20": ""}
    text = (tmp_path / "defaults.toml").read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    (tmp_path / "defaults.toml").write_text(text, encoding="utf-8")
    process, results = started(*arguments), tmp_path / "results" / "lamps-intervals.txt"
    wait_until(lambda: is_served(str(tmp_path / "records")), process)
    for record in ("switch_on|3|3|a\n", "switch_off|12|12|a\n"):
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sender.connect(str(tmp_path / "records"))
        sender.sendall(record.encode())
        sender.close()
    answer = "holdsFor(lit(a)=true, [(4,13)])."
    wait_until(lambda: results.exists() and answer in results.read_text(encoding="utf-8"), process)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process)
    assert code == INTERRUPTED
    assert f"waiting for senders of `{tmp_path}/records`" in err
    assert not (tmp_path / "records").exists()


def test_the_input_mode_socket_replays_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = configured(tmp_path, 1000)
    text = (tmp_path / "defaults.toml").read_text(encoding="utf-8").replace('"fifo"', '"socket"')
    (tmp_path / "defaults.toml").write_text(text, encoding="utf-8")
    (tmp_path / "records").write_text("switch_on|3|3|a\nswitch_off|12|12|a\n", encoding="utf-8")
    assert main([*arguments, "--replay", "max"]) == 0
    assert "2 records read" in capsys.readouterr().err
    assert (tmp_path / "results" / "lamps-intervals.txt").read_text(encoding="utf-8") == ANSWER


def test_a_pipe_without_a_writer_or_reader_is_named(tmp_path: Path) -> None:
    for name in ("records", "answer"):
        os.mkfifo(tmp_path / name)
    process = started(
        *("run", rules(tmp_path), "--live", "--input", f"{tmp_path}/records", "--start", "0", "--window", "10"),
        *("-o", f"{tmp_path}/answer"),
    )
    assert process.stderr is not None
    assert process.stderr.readline().decode() == f"waiting for a reader of `{tmp_path}/answer`\n"
    with (tmp_path / "answer").open(encoding="utf-8") as reader:
        assert process.stderr.readline().decode() == f"waiting for records of `{tmp_path}/records`\n"
        (tmp_path / "records").write_text("switch_on|3|3|a\n", encoding="utf-8")
        assert "holdsFor(lit(a)=true, [(4,inf)])." in reader.read()
    assert ended(process)[0] == 0


def test_a_pipe_that_is_read_to_its_end_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "records")
    process = started("run", rules(tmp_path), "--input", f"{tmp_path}/records")
    assert process.stderr is not None
    assert process.stderr.readline().decode() == f"waiting for the end of `{tmp_path}/records`\n"
    (tmp_path / "records").write_text("switch_on|3|3|a\n", encoding="utf-8")
    assert lines_until(process, "holdsFor")[-1] == "holdsFor(lit(a)=true, [(4,inf)])."
    assert ended(process)[0] == 0


def test_an_allen_memory_of_zero_and_every_parameter_of_rtec_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "records").write_text("switch_on|3|3|a\nswitch_off|12|12|a\n", encoding="utf-8")
    more = ["definition_optimisation = false", "allen_memory = 0", "sde_batch = 10", 'stream_order_flag = "unordered"']
    assert main([*configured(tmp_path, 1000, *more), "--replay", "max"]) == 0
    err = capsys.readouterr().err
    for key in ("definition_optimisation", "sde_batch", "stream_order_flag"):
        assert f"note[HF724]: `{key}` has no effect" in err
    assert (tmp_path / "results" / "lamps-intervals.txt").read_text(encoding="utf-8") == ANSWER
