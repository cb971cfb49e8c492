"""Commands as processes, and a small stream as their input."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import holdsfor

RULES = """
initiatedAt(lit(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(switch_off(X), T).
"""
PATIENCE = 300.0
"""Seconds after which a process is taken to hang; a busy machine needs many."""


def environment() -> dict[str, str]:
    """The environment of this process, but with buffered output: output that appears at once has been flushed."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**own, "PYTHONPATH": str(Path(holdsfor.__file__).parent.parent)}


def started(
    *arguments: str, stdin: int | IO[bytes] | None = None, stderr: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    """A running process of `holdsfor` with these arguments."""
    command = [sys.executable, "-m", "holdsfor", *arguments]
    return subprocess.Popen(
        command,
        bufsize=0,  # so that lines can be read now, and the rest by `ended`
        stdin=stdin or subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environment(),
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a process, once it has ended."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out.decode(), (err or b"").decode()


def rules(folder: Path) -> str:
    """The path of a rule file about a light that is switched on and off."""
    path = folder / "rules.prolog"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


def lines_until(process: subprocess.Popen[bytes], end: str) -> list[str]:
    """The lines that a process prints, up to a line with this beginning. A process that hangs is killed."""
    assert process.stdout is not None
    found: list[str] = []
    patience = threading.Timer(PATIENCE, process.kill)
    patience.start()
    try:
        while not found or not found[-1].startswith(end):
            line = process.stdout.readline().decode().rstrip("\n")
            assert line, f"the output ended before `{end}`: {found}"
            found.append(line)
    finally:
        patience.cancel()
    return found


def wait_until(is_so: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until a running process makes a condition true."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert process.poll() is None, "the process has ended"
        assert time.monotonic() < end, "the process hangs"
        time.sleep(0.01)
