"""Pipes and sockets that a run waits for: said on standard error, so that it does not look as if it hung."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from holdsfor.cli.outcome.run_log import RunLog
from holdsfor.errors import printable
from holdsfor.sources.column_mapping import LISTEN, SOCKET, split_mapping

__all__ = ["announce_inputs", "say_waiting"]


def say_waiting(log: RunLog, for_what: str, name: str) -> None:
    """Say and log that the run waits for the other side of an input or output."""
    log.add_waiting(for_what, name)
    print(printable(f"waiting for {for_what} of `{name}`"), file=sys.stderr, flush=True)


def announce_inputs(log: RunLog, inputs: Iterable[str], *, is_live: bool) -> None:
    """Say on which sockets the run listens, and which pipes it reads to their end before it begins."""
    for given in inputs:
        name, _ = split_mapping(given)
        if name.startswith(LISTEN):
            say_waiting(log, "senders", name.removeprefix(LISTEN))
        elif not is_live and not name.startswith(SOCKET) and Path(name).is_fifo():
            say_waiting(log, "the end", name)
