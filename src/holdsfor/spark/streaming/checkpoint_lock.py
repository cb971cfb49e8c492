"""A lock on the checkpoint of a stream, which one query has, or one change of the state.

The lock is one of the operating system, so it ends with the process that has it, however that ends. It exists for local
and mounted folders. Elsewhere a stream finds at its next micro-batch that its state has been rewritten, and stops, and
Spark stops one of two queries: the second to begin or to commit a micro-batch.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.spark.streaming.state_files import StreamFiles

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["CheckpointLock", "checkpoint_lock", "locked"]

_FILE = "lock"
_WAIT_SECONDS = 3.0  # a query that was stopped just now releases its lock in a moment


@dataclass
class CheckpointLock:
    """A lock that is held by an open file; None where there are no locks."""

    descriptor: int | None

    def release(self) -> None:
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def release_after(self, query: StreamingQuery) -> None:
        """Hold the lock until a query has ended."""

        def wait() -> None:
            with suppress(Exception):  # a failed query has ended too
                query.awaitTermination()
            self.release()

        if self.descriptor is not None:
            threading.Thread(target=wait, name="holdsfor-checkpoint-lock", daemon=True).start()


@contextmanager
def locked(files: StreamFiles) -> Iterator[None]:
    """The lock of a change of the state."""
    lock = checkpoint_lock(files)
    try:
        yield
    finally:
        lock.release()


def checkpoint_lock(files: StreamFiles) -> CheckpointLock:
    """The lock on a checkpoint; HF797 if a query or a change of the state has it."""
    path = files.local_path(_FILE)
    try:
        import fcntl
    except ImportError:
        return CheckpointLock(None)
    if path is None:
        return CheckpointLock(None)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as problem:
        raise files.unwritable(problem) from None
    began = time.monotonic()
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() - began > _WAIT_SECONDS:
                os.close(descriptor)
                raise _busy(files) from None
            time.sleep(0.02)
        except OSError:  # a file system without locks
            os.close(descriptor)
            return CheckpointLock(None)
        else:
            return CheckpointLock(descriptor)


def _busy(files: StreamFiles) -> DataProblem:
    message = f"the checkpoint `{files.shown}` is in use: the stream is running, or its state is being rewritten"
    return DataProblem(Diagnostic("HF797", message, hint="stop the stream, or wait until its state is rewritten"))
