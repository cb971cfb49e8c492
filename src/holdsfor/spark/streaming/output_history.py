"""The outputs of a stream over its starts: an output that was left out for some micro-batches lacks their rows.

A current view that begins in the middle of a stream lacks results, and a feed of changes deletes rows that it has not
inserted. The checkpoint has the last micro-batch of each output, which is noted before Spark commits the micro-batch: a
start that Spark refuses notes nothing. An output with less than the stream is refused. An output with more is refused
too: the checkpoint is an older copy, and the output would take the next micro-batches for repetitions.

A current view is changed by every micro-batch, so one that was deleted, or replaced by an older copy, lacks results
too. All views of a stream have the same rows. The checkpoint has the last micro-batch that all of them have written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.spark.streaming.decisions import DecisionLog
from holdsfor.spark.streaming.identity import last_commit, read_manifest
from holdsfor.spark.streaming.state_files import FILES, RESTART, StreamFiles

__all__ = ["OutputHistory", "ViewHistory"]

_FILE = "outputs.json"
_VIEWS = "views.json"


@dataclass
class OutputHistory:
    """The last micro-batch of the stream, and that of each output; an older version has noted none of them.

    `decided` is the last micro-batch that the stream has decided. No output has a later one.
    """

    checkpoint: str
    committed: int
    decided: int
    last: dict[str, int] | None
    _is_noted: bool = field(default=False, init=False)

    @classmethod
    def read(cls, checkpoint: str) -> OutputHistory:
        """The history in a checkpoint. Older versions have noted the outputs of the last start as `active`."""
        files, committed = StreamFiles(f"{checkpoint}/{FILES}"), last_commit(checkpoint)
        decided = DecisionLog(files).last_number()
        if _FILE not in files.names(""):
            return cls(checkpoint, committed, decided, {} if read_manifest(files) is None else None)
        try:
            found: dict[str, Any] = json.loads(files.read(_FILE))
            last = {str(name): int(number) for name, number in found["last"].items()}
            return cls(checkpoint, committed, decided, {**last, **dict.fromkeys(found.get("active", ()), committed)})
        except (ValueError, TypeError, KeyError, AttributeError):
            raise _damaged(_FILE) from None

    def check(self, output: str, shown: str) -> None:
        """Refuse an output that lacks micro-batches of the stream (HF798)."""
        if self.last is None or (last := self.last.get(output, -1)) >= self.committed:
            return
        lacking = f"micro-batches {last + 1} to {self.committed}" if last + 1 < self.committed else "micro-batch {}"
        message = f"{shown} has no rows of {lacking.format(self.committed)}, which the stream has processed without it"
        hint = "give the outputs of the earlier starts, or read the input again with another checkpoint"
        raise UsageProblem(Diagnostic("HF798", message, hint=hint))

    def check_last(self, last: int, shown: str) -> None:
        """Refuse an output with a micro-batch that the stream has not decided (HF798)."""
        if last <= self.decided:
            return
        ends = f"ends at micro-batch {self.decided}" if self.decided >= 0 else "has no micro-batch"
        message = f"`{shown}` has micro-batch {last} of this stream, and the checkpoint {ends}: it is an older copy"
        hint = "bring the last checkpoint back, or read the input again with another checkpoint and another output"
        raise UsageProblem(Diagnostic("HF798", message, hint=hint))

    def note(self, outputs: Sequence[str], number: int) -> None:
        """Note a micro-batch that the outputs of this start have."""
        if not outputs and self._is_noted:
            return
        self.last = {**(self.last or {}), **dict.fromkeys(outputs, number)}
        content = json.dumps({"last": self.last}, ensure_ascii=False, indent=1)
        StreamFiles(f"{self.checkpoint}/{FILES}").write(_FILE, content.encode())
        self._is_noted = True


@dataclass
class ViewHistory:
    """The last micro-batch whose rows all current views of a stream have; None before the first one."""

    files: StreamFiles

    @cached_property
    def last(self) -> int | None:
        """The number in the checkpoint; an older version has noted none."""
        if _VIEWS not in self.files.names(""):
            return None
        try:
            return int(json.loads(self.files.read(_VIEWS))["batch"])
        except (ValueError, TypeError, KeyError):
            raise _damaged(_VIEWS) from None

    def note(self, number: int) -> None:
        """Note the number of a micro-batch that is written."""
        self.files.write(_VIEWS, json.dumps({"batch": number}).encode())
        self.last = number

    def refuse(self, shown: str) -> NoReturn:
        """Refuse a view without the rows of the last micro-batch (HF798)."""
        message = f"the current view `{shown}` lacks micro-batch {self.last}: it was deleted or is an older copy"
        hint = "bring the view back, or read the input again with another checkpoint"
        raise UsageProblem(Diagnostic("HF798", message, hint=hint))


def _damaged(name: str) -> DataProblem:
    return DataProblem(Diagnostic("HF792", f"the file `{name}` of the checkpoint is damaged", hint=RESTART))
