"""A command on a terminal of its own: the text on the screen, and the keys that are typed."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import sys
import time
from pathlib import Path

from tests.unit.cli.processes import environment

PATIENCE = 60.0
_WHERE_IS_THE_CURSOR = b"\x1b[6n"


class Terminal:
    """A running `holdsfor` whose standard streams are a terminal."""

    def __init__(self, *arguments: str, home: Path, **more: str) -> None:
        command = [sys.executable, "-m", "holdsfor", *arguments]
        self.process, self._end = pty.fork()
        if self.process == 0:
            state = {"TERM": "dumb", "XDG_STATE_HOME": str(home), "PROMPT_TOOLKIT_NO_CPR": "1", **more}
            os.execve(command[0], command, {**environment(), **state})
        self.shown = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *problem: object) -> None:
        os.close(self._end)
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.process, 9)
            os.waitpid(self.process, 0)

    def type(self, text: str) -> None:
        """Type keys; `\\r` is Enter."""
        os.write(self._end, text.encode())

    def until(self, text: str, patience: float = PATIENCE) -> str:
        """The text on the screen up to a given text, from the end of the last call on."""
        began = time.monotonic()
        while text not in self.shown:
            assert time.monotonic() - began < patience, f"`{text}` not shown: {self.shown}"
            ready, _, _ = select.select([self._end], [], [], 1.0)
            if ready:
                found = os.read(self._end, 65536)
                if _WHERE_IS_THE_CURSOR in found:
                    os.write(self._end, b"\x1b[1;1R")
                self.shown += found.decode(errors="replace").replace("\r", "")
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def exit_code(self) -> int:
        """The exit code, once the command has ended."""
        began = time.monotonic()
        with contextlib.suppress(OSError):
            while True:
                ready, _, _ = select.select([self._end], [], [], 1.0)
                if ready and not os.read(self._end, 65536):
                    break
                assert time.monotonic() - began < PATIENCE, "the command goes on"
        _, status = os.waitpid(self.process, 0)
        return os.waitstatus_to_exitcode(status)
