"""The folder of `--checkpoint`: one run uses it at a time, and it has the last complete checkpoint.

    length of the first part    8 bytes, little endian
    first part                  the run: its options, inputs, outputs and counts
    second part                 the session; nothing before the first query time

Both parts are snapshots, each with its own digest.
"""

from __future__ import annotations

from pathlib import Path

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.file_lock import FileLock
from holdsfor.sinks.output_files import naming, replace_file, sync_folder

__all__ = ["CheckpointFolder"]

_NAME = "checkpoint"


class CheckpointFolder:
    """A folder with a checkpoint. It is locked until `close`, or until the process ends for any reason."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file = Path(path) / _NAME
        with naming(path):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            sync_folder(self.file.parent.parent)
        try:
            self._lock = FileLock(path)
        except BlockingIOError:
            message = f"another run uses the checkpoints in `{path}`"
            hint = "wait until that run has ended, or give another folder"
            raise UsageProblem(Diagnostic("HF707", message, hint=hint)) from None
        for unfinished in self.file.parent.glob(f".{_NAME}.*.part"):
            unfinished.unlink()

    def read(self) -> tuple[bytes, bytes] | None:
        """The two parts of the last complete checkpoint; None if there is none."""
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return None
        end = 8 + int.from_bytes(content[:8], "little")
        return content[8:end], content[end:]

    def write(self, run: bytes, session: bytes) -> None:
        """Replace the checkpoint. After a crash at any moment the folder has the old one or the new one."""
        replace_file(self.file, b"".join([len(run).to_bytes(8, "little"), run, session]))

    def close(self) -> None:
        self._lock.release()
