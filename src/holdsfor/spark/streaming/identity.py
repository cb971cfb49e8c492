"""The identity of a stream: the settings that a restart must have in common with the stream that wrote a checkpoint."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from holdsfor.errors import DataProblem, Diagnostic, Hint, UsageProblem
from holdsfor.spark.streaming.state_files import RESTART, StreamFiles

__all__ = ["FORMAT", "Identity", "check_identity", "read_identity"]

FORMAT = 1
"""Increases with every change of the files of a stream or of their meaning."""

_FILE = "stream.json"
_SHOWN = {
    "fingerprint": "rules",
    "allen_memory": "memory of Allen relations",
    "time_unit": "unit of time",
    "n_buckets": "number of buckets",
    "inputs": "inputs",
    "zone": "time zone",
    "tick": "clock tick",
}


@dataclass(frozen=True)
class Identity:
    """The rules, by their fingerprint, and the settings of a stream, with the number of buckets of its state."""

    fingerprint: str
    window: int
    step: int
    tick: int
    start: int | None
    allen_memory: int | None
    time_unit: str
    zone: str | None
    clock: str
    n_buckets: int
    inputs: list[str]


def read_identity(files: StreamFiles) -> Identity | None:
    """The identity of the stream that has written the files, or None."""
    if _FILE not in files.names(""):
        return None
    try:
        found: dict[str, Any] = json.loads(files.read(_FILE))
        if found.pop("format") != FORMAT:
            message = "the checkpoint is from another version of holdsfor"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        return Identity(**found)
    except (ValueError, TypeError, KeyError):
        message = f"the file `{_FILE}` of the checkpoint is damaged"
        raise DataProblem(Diagnostic("HF792", message, hint=RESTART)) from None


def check_identity(files: StreamFiles, expected: Identity, *, is_new: bool) -> None:
    """Refuse the checkpoint of another stream; a new checkpoint gets the identity."""
    found = read_identity(files)
    if found is None:
        if not is_new:
            message = "the checkpoint is of a stream that `hf.spark.stream` has not written"
            raise UsageProblem(Diagnostic("HF793", message, hint="give another `checkpointLocation`"))
        content = {"format": FORMAT, **asdict(expected)}
        files.write(_FILE, json.dumps(content, indent=1).encode())
        return
    for name, was in asdict(found).items():
        now = getattr(expected, name)
        if was != now:
            raise _refusal(name, was, now)


def _refusal(name: str, was: Any, now: Any) -> UsageProblem:
    shown = _SHOWN.get(name, name)
    message = f"the checkpoint is of a stream with the {shown} {was}, found {now}"
    if name == "fingerprint":
        message = "the checkpoint is of a stream with other rules, background facts or start-up goals"
    hint = Hint(
        "a checkpoint continues with the same rules and settings; a changed stream needs another `checkpointLocation`",
        on_command_line="a checkpoint continues with the same rules and options; a changed stream needs another one",
    )
    return UsageProblem(Diagnostic("HF793", message, hint=hint))
