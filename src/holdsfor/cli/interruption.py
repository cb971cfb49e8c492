"""Ctrl-C and its kin: the first ends a run after the query time at hand, the second ends it at once."""

from __future__ import annotations

import os
import select
import signal
import threading
from types import FrameType

__all__ = ["INTERRUPTED", "Interruption"]

INTERRUPTED = 130
"""The exit code of a command that was interrupted."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Within its context, `is_asked` becomes true at the first SIGINT or SIGTERM, and `fileno` ready to read."""

    def __init__(self) -> None:
        self.is_asked = False
        self._ends: tuple[int, int] | None = None
        self._handlers: dict[int, signal.Handlers | int | None] = {}
        self._wakeup = -1

    def __enter__(self) -> Interruption:
        self._ends = os.pipe()
        if threading.current_thread() is threading.main_thread():
            os.set_blocking(self._ends[1], False)
            self._wakeup = signal.set_wakeup_fd(self._ends[1], warn_on_full_buffer=False)
            self._handlers = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}  # type: ignore[misc]
        return self

    def __exit__(self, *problem: object) -> None:
        if self._handlers:
            signal.set_wakeup_fd(self._wakeup)
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
        assert self._ends is not None
        for end in self._ends:
            os.close(end)

    def fileno(self) -> int:
        assert self._ends is not None
        return self._ends[0]

    def wait(self, seconds: float) -> None:
        """Sleep, unless somebody asks for an end."""
        if seconds > 0 and not self.is_asked:
            select.select([self.fileno()], [], [], seconds)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.is_asked:
            # Nothing may hold it up any more, not even an output that nobody reads.
            os.write(2, b"interrupted\n")
            os._exit(INTERRUPTED)
        self.is_asked = True
