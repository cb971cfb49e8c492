"""The outputs of a stream over its starts: an output that was left out for some micro-batches lacks their rows.

A current view that begins in the middle of a stream lacks results, and a feed of changes deletes rows that it has not
inserted. The checkpoint has the outputs of the last start, and for each output the last micro-batch that it can have.
An output with less than the stream is refused.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.spark.streaming.identity import last_commit, read_manifest
from holdsfor.spark.streaming.state_files import FILES, RESTART, StreamFiles

__all__ = ["OutputHistory"]

_FILE = "outputs.json"


@dataclass(frozen=True)
class OutputHistory:
    """The last micro-batch of the stream, and that of each output; an older version has noted none of them."""

    checkpoint: str
    committed: int
    last: dict[str, int] | None

    @classmethod
    def read(cls, checkpoint: str) -> OutputHistory:
        """The history in a checkpoint. The outputs of the last start have all micro-batches."""
        files, committed = StreamFiles(f"{checkpoint}/{FILES}"), last_commit(checkpoint)
        if _FILE not in files.names(""):
            return cls(checkpoint, committed, {} if read_manifest(files) is None else None)
        try:
            found: dict[str, Any] = json.loads(files.read(_FILE))
            last = {str(name): int(number) for name, number in found["last"].items()}
            return cls(checkpoint, committed, {**last, **dict.fromkeys(found["active"], committed)})
        except (ValueError, TypeError, KeyError, AttributeError):
            message = f"the file `{_FILE}` of the checkpoint is damaged"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART)) from None

    def is_new(self, output: str) -> bool:
        """Whether no start had the output, at least not with this name: a folder may have been moved."""
        return self.last is None or output not in self.last

    def check(self, output: str, shown: str) -> None:
        """Refuse an output that lacks micro-batches of the stream (HF798)."""
        if self.last is None or (last := self.last.get(output, -1)) >= self.committed:
            return
        lacking = f"micro-batches {last + 1} to {self.committed}" if last + 1 < self.committed else "micro-batch {}"
        message = f"{shown} has no rows of {lacking.format(self.committed)}, which the stream has processed without it"
        hint = "give the outputs of the earlier starts, or read the input again with another checkpoint"
        raise UsageProblem(Diagnostic("HF798", message, hint=hint))

    def save(self, outputs: Sequence[str]) -> None:
        """Note the outputs of a start."""
        last = {name: number for name, number in (self.last or {}).items() if name not in outputs}
        content = json.dumps({"active": sorted(outputs), "last": last}, ensure_ascii=False, indent=1)
        StreamFiles(f"{self.checkpoint}/{FILES}").write(_FILE, content.encode())
