"""A lock on the checkpoint of a stream, which one query has, or one change of the state.

The lock is one of the operating system, so it ends with the process that has it, however that ends. It exists for local
and mounted folders. Elsewhere a stream finds at its next micro-batch that its state has been rewritten, and stops, and
Spark stops one of two queries: the second to begin or to commit a micro-batch.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.file_lock import FileLock
from holdsfor.spark.streaming.state_files import StreamFiles

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["checkpoint_lock", "locked", "release_after"]

_FILE = "lock"
_WAIT_SECONDS = 3.0  # a query that was stopped just now releases its lock in a moment


def release_after(query: StreamingQuery, lock: FileLock) -> None:
    """Hold a lock until a query has ended."""

    def wait() -> None:
        with suppress(Exception):  # a failed query has ended too
            query.awaitTermination()
        lock.release()

    threading.Thread(target=wait, name="holdsfor-checkpoint-lock", daemon=True).start()


@contextmanager
def locked(files: StreamFiles) -> Iterator[None]:
    """The lock of a change of the state."""
    with checkpoint_lock(files):
        yield


def checkpoint_lock(files: StreamFiles) -> FileLock:
    """The lock on a checkpoint; HF797 if a query or a change of the state has it."""
    path = files.local_path(_FILE)
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(path, seconds=_WAIT_SECONDS)
    except BlockingIOError:
        raise _busy(files) from None
    except OSError as problem:
        raise files.unwritable(problem) from None


def _busy(files: StreamFiles) -> DataProblem:
    message = f"the checkpoint `{files.shown}` is in use: the stream is running, or its state is being rewritten"
    return DataProblem(Diagnostic("HF797", message, hint="stop the stream, or wait until its state is rewritten"))
