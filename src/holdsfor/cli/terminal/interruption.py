"""SIGINT and SIGTERM: the first signal ends a run after its current query time, the second ends the process.

A goal of the background knowledge may take long, have answers without end, or never end. After the first signal, an
alarm checks repeatedly which goal runs. A goal that still runs at the next alarm is stopped.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from types import FrameType

from holdsfor.prolog import PROOF

__all__ = ["INTERRUPTED", "Interruption"]

INTERRUPTED = 130
"""The exit code of a command that was interrupted."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_PATIENCE = 0.2
"""The seconds for which a goal may continue after a signal."""


class Interruption:
    """Within its context, `is_asked` becomes true at the first SIGINT or SIGTERM, and `fileno` ready to read."""

    def __init__(self) -> None:
        self.is_asked = False
        self._ends: tuple[int, int] | None = None
        self._handlers: dict[int, signal.Handlers | int | None] = {}
        self._wakeup = -1
        self._goal: int | None = None

    def __enter__(self) -> Interruption:
        self._ends = os.pipe()
        if threading.current_thread() is threading.main_thread():
            os.set_blocking(self._ends[1], False)
            self._wakeup = signal.set_wakeup_fd(self._ends[1], warn_on_full_buffer=False)
            self._handlers = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}  # type: ignore[misc]
            self._handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._on_alarm)  # type: ignore[assignment]
        return self

    def __exit__(self, *problem: object) -> None:
        if self._handlers:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.set_wakeup_fd(self._wakeup)
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
        assert self._ends is not None
        for end in self._ends:
            os.close(end)
        self._ends = None

    def fileno(self) -> int:
        assert self._ends is not None
        return self._ends[0]

    def request(self) -> None:
        """Stop the run from another thread, as the first signal does."""
        self.is_asked = True
        if self._ends is not None:
            with contextlib.suppress(OSError):
                os.write(self._ends[1], b"\0")

    def wait(self, seconds: float) -> None:
        """Sleep until the time has elapsed or a signal arrives."""
        if seconds > 0 and not self.is_asked:
            select.select([self.fileno()], [], [], seconds)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.is_asked:
            # The process must end even if an output blocks because its reader has stopped reading.
            os.write(2, b"interrupted\n")
            os._exit(INTERRUPTED)
        self.is_asked = True
        self._goal = PROOF.number if PROOF.is_running else None
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _PATIENCE)

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        if PROOF.is_running and PROOF.number == self._goal and _is_ours(frame):
            raise KeyboardInterrupt
        if PROOF.is_running:
            self._goal = PROOF.number


def _is_ours(frame: FrameType | None) -> bool:
    """Whether a frame runs this package. Elsewhere (in a callback of the garbage collector) an exception is lost.

    An alarm within the handler of another alarm hides the code that was interrupted first.
    """
    name = "" if frame is None else frame.f_globals.get("__name__", "")
    return str(name).startswith("holdsfor.") and name != __name__
