"""Notices on standard error that a run waits for a pipe or a socket."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from holdsfor.cli.outcome.run_log import RunLog
from holdsfor.errors import printable
from holdsfor.sources.column_mapping import LISTEN, SOCKET, split_mapping

__all__ = ["announce_inputs", "notify_waiting"]


def notify_waiting(log: RunLog, for_what: str, name: str) -> None:
    """Print and log that the run waits for the other end of an input or output."""
    log.add_waiting(for_what, name)
    print(printable(f"waiting for {for_what} of `{name}`"), file=sys.stderr, flush=True)


def announce_inputs(log: RunLog, inputs: Iterable[str], *, is_live: bool) -> None:
    """Print and log the sockets on which the run listens, and the pipes that it reads completely before it begins."""
    for given in inputs:
        name, _ = split_mapping(given)
        if name.startswith(LISTEN):
            notify_waiting(log, "senders", name.removeprefix(LISTEN))
        elif not is_live and not name.startswith(SOCKET) and Path(name).is_fifo():
            notify_waiting(log, "the end", name)
